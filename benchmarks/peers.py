"""Install the peers, each in an environment of its own: ``python benchmarks/peers.py install [NAME …]``."""

from __future__ import annotations

import subprocess
import sys
import venv

from runner import PEERS, python_of

PACKAGES = {
    "anonymeter": ("anonymeter", "pyarrow"),
    "pandas": ("pandas", "pyarrow"),
    "pycanon": ("pycanon", "pyarrow"),
    "pytauargus": ("pytauargus",),
    "recordlinkage": ("recordlinkage",),
}
"""Peer -> packages by name."""


def install(names: list[str]) -> None:
    """Make the environments that are not there yet."""
    PEERS.mkdir(exist_ok=True)
    (PEERS / ".gitignore").write_text("*\n")
    for name in names:
        print(f"{name}: {', '.join(PACKAGES[name])}")
        venv.create(PEERS / name, with_pip=True)
        subprocess.run([str(python_of(name)), "-m", "pip", "install", "--quiet", *PACKAGES[name]], check=True)


def main() -> int:
    unknown = set(sys.argv[2:]) - set(PACKAGES)
    if sys.argv[1:2] != ["install"] or unknown:
        print(__doc__, f"\nPeers: {', '.join(PACKAGES)}")
        return 2
    install(sys.argv[2:] or list(PACKAGES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
