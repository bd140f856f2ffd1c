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
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tarnkappe.errors.release import NoRoom, NotOurRelease, NotWritable, ReleaseExists

MARK = "certificate.json"
"""A folder with this file is a release and may be replaced."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_NAMELESS = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_JANITOR = "import sys, shutil; sys.stdin.buffer.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


class Staging:
    """A folder in the making. Use it as a context; what is not committed leaves no trace."""

    def __init__(self, destination: Path, *, replace: bool = False) -> None:
        self.destination = destination.absolute()
        refuse_existing(self.destination, replace=replace)
        self._folder = self.destination.parent / f".{destination.name}.tarnkappe-{secrets.token_hex(6)}"
        self._nameless: dict[str, int] = {}
        self._made: list[Path] = []
        self._janitor: subprocess.Popen[bytes] | None = None
        self._lock = -1

    def __enter__(self) -> Self:
        with self._plainly():
            self._sweep()
            for parent in reversed([p for p in self._folder.parents if not p.exists()]):
                parent.mkdir()
                self._made.append(parent)
            self._janitor = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _JANITOR, str(self._folder)],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            self._folder.mkdir(mode=0o700)
            self._lock = os.open(self._folder, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in self._nameless.values():
            os.close(descriptor)
        if self._lock >= 0:
            os.close(self._lock)
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._janitor and self._janitor.stdin:
            self._janitor.stdin.close()
            self._janitor.wait()
        for parent in reversed(self._made):
            with suppress(OSError):
                parent.rmdir()

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """Write one file of the folder."""
        with self._plainly():
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
        with self._plainly():
            for name, descriptor in self._nameless.items():
                os.fsync(descriptor)
                self._name(name, descriptor)
            for folder in {self._folder, *(p.parent for p in self._folder.rglob("*"))}:
                _sync_folder(folder)
            self._folder.chmod(0o755)
            _move(self._folder, self.destination)
            _sync_folder(self.destination.parent)
            self._made.clear()

    def _open(self, name: str) -> int:
        mode = 0o600 if name.startswith("internal/") else 0o644
        path = self._folder / name
        for folder in reversed([p for p in path.parents if p.is_relative_to(self._folder) and not p.exists()]):
            folder.mkdir(mode=0o700 if folder.name == "internal" else 0o755)
        descriptor = _nameless(self._folder, mode)
        if descriptor is None:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        self._nameless[name] = descriptor
        return descriptor

    def _name(self, name: str, descriptor: int) -> None:
        path = self._folder / name
        if not path.exists():
            root = os.open("/", os.O_RDONLY)  # with a folder descriptor, link follows /proc to the nameless file
            try:
                os.link(f"proc/self/fd/{descriptor}", path, src_dir_fd=root, follow_symlinks=True)
            finally:
                os.close(root)

    def _sweep(self) -> None:
        """Take away folders of earlier runs to this destination that nobody holds any more."""
        for left in self.destination.parent.glob(f".{self.destination.name}.tarnkappe-*"):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            except BlockingIOError:
                continue
            finally:
                os.close(descriptor)

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Say in our words when the disk is full or closed to us."""
        try:
            yield
        except OSError as problem:
            folder = str(self.destination)
            if problem.errno in _FULL:
                raise NoRoom(folder=folder) from None
            raise NotWritable(folder=folder, why=os.strerror(problem.errno or 0)) from None


def refuse_existing(destination: Path, *, replace: bool) -> None:
    """An existing release is never overwritten unasked, anything else never."""
    if not destination.exists():
        return
    if not replace:
        raise ReleaseExists(folder=str(destination))
    if not (destination / MARK).is_file():
        raise NotOurRelease(folder=str(destination), why=f"{MARK} –")


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


def _move(folder: Path, destination: Path) -> None:
    """Move into place; where an older release stands there, the two change places in one step."""
    if destination.exists():
        _swap(os.fsencode(folder), os.fsencode(destination))
    else:
        folder.rename(destination)


def _swap(a: bytes, b: bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        failed = libc.renamex_np(a, b, 2)  # RENAME_SWAP
    else:
        at_cwd = -100
        failed = libc.renameat2(at_cwd, a, at_cwd, b, 2)  # RENAME_EXCHANGE
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
