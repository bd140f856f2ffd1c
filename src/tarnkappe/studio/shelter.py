"""Private folders for uploads: readable by their owner alone, gone when the studio stops or, after a crash, when it starts again."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

_LOCK = "lock"
PRIVATE = 0o700


@dataclass(slots=True)
class Shelter:
    """The folder of one running studio; a lock tells other studios that it is alive."""

    root: Path
    _lock: TextIOWrapper

    @classmethod
    def opened(cls, home: Path | None = None) -> Shelter:
        """Wipe what crashed studios left behind and make a folder of our own."""
        home = home or _home()
        home.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        home.chmod(PRIVATE)
        for left in home.iterdir():
            _wipe_if_dead(left)
        root = home / secrets.token_hex(16)
        root.mkdir(mode=PRIVATE)
        lock = (root / _LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return cls(root, lock)

    def room(self) -> Path:
        """A new empty folder for one session."""
        made = self.root / secrets.token_hex(16)
        made.mkdir(mode=PRIVATE)
        return made

    def close(self) -> None:
        """Wipe everything."""
        shutil.rmtree(self.root, ignore_errors=True)
        self._lock.close()


def _home() -> Path:
    """Where private folders lie: in the user's run-time folder if there is one, otherwise among temporary files."""
    run_time = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(run_time) if run_time and Path(run_time).is_dir() else Path(tempfile.gettempdir())
    return base / f"tarnkappe-studio-{os.getuid()}"


def _wipe_if_dead(folder: Path) -> None:
    """A folder whose lock can be taken belongs to no running studio."""
    if folder.is_symlink() or not folder.is_dir():
        return
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        return
