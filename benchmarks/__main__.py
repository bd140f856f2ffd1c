"""Run every benchmark: python -m benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOT_ONE = {"__main__", "peers", "runner"}

for script in sorted(Path(__file__).parent.glob("*.py")):
    if script.stem not in NOT_ONE:
        print(f"== {script.stem}", flush=True)
        subprocess.run([sys.executable, str(script)], check=True)
