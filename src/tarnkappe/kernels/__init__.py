"""Numerics only: arrays in, arrays out. No frames, no files, no generator that was not handed in.

Compiled code is kept in a folder of its own, named by a hash of all kernel sources. numba alone looks only at the file
of a function, not at those it calls, and would go on using old machine code after an update.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path


def _hash() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _folder() -> Path:
    """A folder of the user's; where none can be made, one for this process alone."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "tarnkappe" / f"kernels-{_hash()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.geteuid():
            return folder
    except (OSError, RuntimeError):
        pass
    made = tempfile.mkdtemp(prefix="tarnkappe-kernels-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def _keep_compiled_code_apart() -> None:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(_folder())
    else:
        os.environ["NUMBA_CACHE_DIR"] = str(_folder())


_keep_compiled_code_apart()
