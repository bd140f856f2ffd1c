"""Numerics only: arrays in, arrays out. No frames, no files, no generator that was not handed in.

Compiled code is kept in a folder of its own, named by a hash of all kernel sources. numba alone looks only at the file
of a function, not at those it calls, and would go on using old machine code after an update. Folders of older versions are
removed when a new one is made, except the newest few and those that a process still holds.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def _hash() -> str:
    digest = hashlib.sha256(sys.version.encode())
    home = Path(__file__).parent
    for source in sorted(home.rglob("*.py")):
        digest.update(source.relative_to(home).as_posix().encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _folder() -> Path:
    """A folder of the user's, closed to others; where none can be made, one for this process alone."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = base / "tarnkappe"
    folder = home / f"kernels-{_hash()}"
    try:
        base.mkdir(parents=True, exist_ok=True)
        if _ours(home, closed=False):
            home.chmod(0o700)  # what lies in it is looked at afterwards
            new = not folder.exists()
            if _ours(folder, closed=True) and _held(folder):
                if new:
                    _sweep(home)
                return folder
    except (OSError, RuntimeError):
        pass
    made = tempfile.mkdtemp(prefix="tarnkappe-kernels-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


KEPT = 3
"""Folders of compiled code that stay, the newest: those of other versions and interpreters of the same user."""


def _held(folder: Path) -> bool:
    """Hold a folder until this process ends, so that no other takes it away; `False` where one just has."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(held, fcntl.LOCK_SH)
    return os.fstat(held).st_nlink > 0


def _sweep(home: Path) -> None:
    """Remove the folders of older versions that nobody holds."""
    found = sorted(home.glob("kernels-*"), key=lambda one: one.lstat().st_mtime)
    for old in found[:-KEPT]:
        with suppress(OSError):
            held = os.open(old, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(old, ignore_errors=True)
            finally:
                os.close(held)


def _ours(folder: Path, *, closed: bool) -> bool:
    """Make a folder, or look at the one that is there: others who could write into it would have us run their code."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return ours and not (closed and found.st_mode & 0o022) and os.access(folder, os.W_OK)


def _keep_compiled_code_apart() -> None:
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(_folder())
    else:
        os.environ["NUMBA_CACHE_DIR"] = str(_folder())


_keep_compiled_code_apart()
