"""Private folders for uploads: readable by their owner alone, gone when the studio stops or, after a crash, when it starts again.

They lie among temporary files, where others may have put something in our way: what is not a folder of ours, closed to
others, is not used, and nothing is wiped that does not hold the lock of a studio.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from tarnkappe.errors.studio import PrivateFolder
from tarnkappe.language import Text

_LOCK = "lock"
_MARK = b"tarnkappe studio\n"
"""What stands in the lock, so that no other program's file is taken for it."""
PRIVATE = 0o700
_OTHERS_WRITE = 0o022
_IN_THE_WAY = Text("a link or a file stands there", "dort liegt eine Verknüpfung oder eine Datei")
_NOT_OURS = Text("it belongs to another user", "er gehört einem anderen Benutzer")
_OPEN = Text("others may write into it", "andere dürfen hineinschreiben")


@dataclass(slots=True)
class Shelter:
    """The folder of one running studio; a lock tells other studios that it is alive."""

    root: Path
    _lock: TextIOWrapper

    @classmethod
    def opened(cls, home: Path | None = None) -> Shelter:
        """Wipe what crashed studios left behind and make a folder of our own."""
        home = home or _home()
        with _one_at_a_time(home):
            for left in home.iterdir():
                _wipe_if_dead(left)
            root = home / secrets.token_hex(16)
            root.mkdir(mode=PRIVATE)
            lock = (root / _LOCK).open("x")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.write(_MARK.decode())
            lock.flush()
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


@contextmanager
def _one_at_a_time(home: Path) -> Iterator[None]:
    """Hold the folder of all our studios while one of them wipes and settles."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        home.mkdir(mode=PRIVATE)
    try:
        held = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except PermissionError:
        raise PrivateFolder(folder=str(home), why=_NOT_OURS) from None
    except OSError:
        raise PrivateFolder(folder=str(home), why=_IN_THE_WAY) from None
    try:
        found = os.fstat(held)
        if found.st_uid != os.geteuid():
            raise PrivateFolder(folder=str(home), why=_NOT_OURS)
        if found.st_mode & _OTHERS_WRITE:
            raise PrivateFolder(folder=str(home), why=_OPEN)
        os.fchmod(held, PRIVATE)
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _wipe_if_dead(folder: Path) -> None:
    """A folder of ours whose lock can be taken belongs to no running studio; what holds no lock of ours is left alone."""
    try:
        if not _ours(folder.lstat(), stat.S_IFDIR):
            return
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if _ours(os.fstat(lock), stat.S_IFREG) and os.read(lock, len(_MARK) + 1) == _MARK:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # held by a studio that is alive
        return
    finally:
        os.close(lock)


def _ours(found: os.stat_result, kind: int) -> bool:
    return stat.S_IFMT(found.st_mode) == kind and found.st_uid == os.geteuid()
