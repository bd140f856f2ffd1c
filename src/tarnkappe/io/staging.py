"""Write a folder so that it is there whole or not at all, and nothing readable is left behind.

Files are written without a name (Linux: O_TMPFILE): when the process dies they are gone. Only when all are complete do
they get their names, in a folder beside the destination that is then moved into place; an older release and the new one
change places in one step. A janitor, a small process that waits for the end of this one, takes away whatever a kill in
between leaves; folders of runs that ended with the whole machine are swept by the next run.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import FileExists, NoRoom, NotOurRelease, NotWritable, ReleaseExists
from tarnkappe.io.documents import read_json

MARK = "certificate.json"
"""A folder with this file, made by us, is a release and may be replaced."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_JANITOR = """
import os, shutil, sys
sys.stdin.buffer.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
for folder in sys.argv[2:]:
    try:
        os.rmdir(folder)
    except OSError:
        break
"""


@dataclass(slots=True)
class Done:
    """What this process has put in its place so far: who reports a failure must know what stands in spite of it."""

    releases: int = 0
    files: int = 0


done = Done()


class Staging:
    """A folder in the making. Use it as a context; what is not committed leaves no trace."""

    def __init__(self, destination: Path, *, replace: bool = False) -> None:
        self._shown, self._replace = destination, replace
        refuse_existing(destination, replace=replace)
        self.destination = _real(destination)
        self._folder = self._beside()
        self._nameless: dict[str, int] = {}
        self._made: list[Path] = []
        self._janitor: subprocess.Popen[bytes] | None = None
        self._lock = -1

    @property
    def _release(self) -> Path:
        """What will be moved. It stands inside the folder, which stays behind with its lock."""
        return self._folder / "release"

    def __enter__(self) -> Self:
        try:
            with plainly(self._shown):
                self._sweep()
                new = [p for p in self._folder.parents if not p.exists()]
                self._janitor = _janitor(self._folder, new)
                for parent in reversed(new):
                    parent.mkdir(exist_ok=True)
                    self._made.append(parent)
                self._claim()
                self._release.mkdir(mode=0o755)
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """Write one file of the folder."""
        with plainly(self._shown):
            descriptor = self._open(name)
            with os.fdopen(os.dup(descriptor), "w+b") as file:
                yield file

    def digest(self, name: str) -> str:
        """SHA-256 of a file written before."""
        with os.fdopen(os.dup(self._nameless[name]), "rb") as file:
            file.seek(0)
            return hashlib.file_digest(file, "sha256").hexdigest()

    def names(self) -> tuple[str, ...]:
        return tuple(self._nameless)

    def commit(self) -> None:
        """Give the files their names and move the folder into place."""
        with plainly(self._shown):
            for name, descriptor in self._nameless.items():
                os.fsync(descriptor)
                self._name(name, descriptor)
            for folder in {self._release, *(p.parent for p in self._release.rglob("*"))}:
                _sync_folder(folder)
            refuse_existing(self._shown, replace=self._replace)
            self._move()
            done.releases += 1
            _sync_folder(self.destination.parent)
            self._made.clear()

    def _open(self, name: str) -> int:
        internal = name.startswith("internal/")
        path = self._release / name
        new = [p for p in path.parents if p.is_relative_to(self._release) and not p.exists()]
        for folder in reversed(new):
            folder.mkdir(mode=0o700 if internal else 0o755)
        mode = 0o600 if internal else 0o644
        descriptor = _nameless(self._release, mode)
        if descriptor is None:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        self._nameless[name] = descriptor
        return descriptor

    def _name(self, name: str, descriptor: int) -> None:
        path = self._release / name
        if not path.exists():
            root = os.open("/", os.O_RDONLY)  # with it, link follows /proc to the nameless file
            try:
                os.link(f"proc/self/fd/{descriptor}", path, src_dir_fd=root, follow_symlinks=True)
            finally:
                os.close(root)

    def _move(self) -> None:
        """Move into place; where an older release stands there, the two change places in one step."""
        if self.destination.exists():
            _swap(os.fsencode(self._release), os.fsencode(self.destination))
            return
        try:
            self._release.rename(self.destination)
        except OSError as problem:
            if problem.errno in (errno.EEXIST, errno.ENOTEMPTY):  # made by somebody else a moment ago
                raise ReleaseExists(folder=str(self._shown)) from None
            raise

    def _beside(self) -> Path:
        name = f".{self.destination.name}.tarnkappe-{secrets.token_hex(6)}"
        return self.destination.parent / name

    def _claim(self) -> None:
        """Make the folder and lock it; a sweep that came in between has taken it away, so look again."""
        while self._lock < 0:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                self._lock = os.open(self._folder, os.O_RDONLY)
                with suppress(OSError):  # where folders cannot be locked, nothing is swept either
                    fcntl.flock(self._lock, fcntl.LOCK_EX)
            if self._lock >= 0 and not self._folder.exists():
                os.close(self._lock)
                self._lock = -1

    def _sweep(self) -> None:
        """Take away folders of earlier runs to this destination that nobody holds any more."""
        for left in self.destination.parent.glob(f".{escape(self.destination.name)}.tarnkappe-*"):
            with suppress(OSError):  # held by a run that goes on, gone by now, or not ours to remove
                descriptor = os.open(left, os.O_RDONLY)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left, ignore_errors=True)
                finally:
                    os.close(descriptor)

    def _clear(self) -> None:
        """Leave nothing but what was committed."""
        for descriptor in self._nameless.values():
            os.close(descriptor)
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
        if self._janitor and self._janitor.stdin:
            self._janitor.stdin.close()
            self._janitor.wait()
        for parent in reversed(self._made):
            with suppress(OSError):
                parent.rmdir()


def refuse_existing(destination: Path, *, replace: bool) -> None:
    """An existing release is never overwritten unasked, anything else never."""
    with plainly(destination):
        real = _real(destination)
        if not real.exists():
            return
        if not replace:
            raise ReleaseExists(folder=str(destination))
        if not _is_release(real):
            raise NotOurRelease(folder=str(destination), why=f"{MARK} –")


def write_new(path: Path, content: bytes) -> None:
    """Write one file that is not there yet; one that holds the same is left as it is."""
    with plainly(path):
        try:
            file = path.open("xb")
        except FileExistsError:
            if path.is_file() and path.read_bytes() == content:
                return
            raise FileExists(file=str(path)) from None
        try:
            with file:
                file.write(content)
        except BaseException:
            path.unlink()
            raise
        done.files += 1


def write_over(path: Path, content: bytes) -> None:
    """Write one file in place of an older one: the old or the new is there at every moment."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with plainly(path):
        write_new(fresh, content)
        fresh.replace(path)


@contextmanager
def plainly(destination: Path) -> Iterator[None]:
    """Say in our words when the disk is full or closed to us."""
    try:
        yield
    except TarnkappeError:
        raise
    except OSError as problem:
        if problem.errno in _FULL:
            raise NoRoom(folder=str(destination)) from None
        raise NotWritable(folder=str(destination), why=os.strerror(problem.errno or 0)) from None


def _real(path: Path) -> Path:
    """Where a path leads, whatever links and ``..`` are in it and whether or not they exist."""
    return Path(os.path.realpath(path))


def _is_release(folder: Path) -> bool:
    try:
        content = read_json(folder / MARK)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "tarnkappe" in content and isinstance(content.get("files"), dict)


def _janitor(folder: Path, parents: list[Path]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", "-c", _JANITOR, str(folder), *map(str, parents)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _nameless(folder: Path, mode: int) -> int | None:
    """Open a file without a name, where the system can."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, mode)
    except OSError as problem:
        if problem.errno in _NO_NAMELESS:
            return None
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(a: bytes, b: bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        failed = libc.renamex_np(a, b, 2)  # RENAME_SWAP
    else:
        at_cwd = -100
        failed = libc.renameat2(at_cwd, a, at_cwd, b, 2)  # RENAME_EXCHANGE
    if failed:
        problem = ctypes.get_errno()
        raise OSError(problem, os.strerror(problem))
