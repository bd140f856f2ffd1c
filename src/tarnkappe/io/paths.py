"""Paths that a plan names, and files that must be there."""

from __future__ import annotations

import os
from pathlib import Path, PureWindowsPath

from tarnkappe.errors import did_you_mean
from tarnkappe.errors.files import FileMissing, FileUnreadable, NameTooLong, PathEscapes
from tarnkappe.language import Text

_FOLDER = Text("it is a folder.", "es ist ein Ordner.")
_DEVICE = Text("it is not a file.", "es ist keine Datei.")
_NO_FOLDER = Text("There is no such folder either.", "Auch den Ordner gibt es nicht.")


_LONGEST, _LONGEST_PART = 4000, 255
"""Signs of a path and bytes of one of its parts (PATH_MAX and NAME_MAX of Linux)."""


def inside(folder: Path, name: str) -> Path:
    """The file of that name in a folder or below; links are followed and may not lead out.

    Absolute paths and ``..`` are refused even where they would end inside: a plan must mean the same in every
    folder. Paths are judged by the rules of Windows as well, so that a plan is safe on every system.
    """
    _refuse_long(name)
    parts = PureWindowsPath(name)
    if parts.drive or parts.root or ".." in parts.parts:
        raise PathEscapes(file=name)
    try:
        home = folder.resolve()
        file = (home / name).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a sign no path can hold
        raise PathEscapes(file=name) from None
    if not file.is_relative_to(home):
        raise PathEscapes(file=name)
    return file


def anywhere(folder: Path, name: str) -> Path:
    """The file of that name as seen from a folder, wherever it lies: only where whoever wrote the name means it so."""
    _refuse_long(name)
    try:
        return (folder / name).resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a sign no path can hold
        raise FileMissing(file=name, hint=_NO_FOLDER) from None


def _refuse_long(name: str) -> None:
    """No system takes names that fill pages; asking it would fail in many places."""
    if len(name) > _LONGEST or any(len(os.fsencode(part)) > _LONGEST_PART for part in name.split("/")):
        raise NameTooLong


def seen_from(folder: Path, file: Path) -> tuple[str, bool]:
    """How a plan in a folder names a file, and whether it lies outside the folder."""
    home, full = folder.resolve(), file.resolve()
    if full.is_relative_to(home):
        return full.relative_to(home).as_posix(), False
    try:
        return Path(os.path.relpath(full, home)).as_posix(), True
    except ValueError:  # on another drive of Windows
        return full.as_posix(), True


def existing(path: Path) -> Path:
    """The path, if a file is there."""
    try:
        if path.is_file():
            return path
        other = (_FOLDER if path.is_dir() else _DEVICE) if path.exists() else None
        hint = _neighbours(path)
    except (OSError, ValueError):
        other, hint = None, _NO_FOLDER
    if other is not None:
        raise FileUnreadable(file=str(path), why=other)
    raise FileMissing(file=str(path), hint=hint)


def _neighbours(path: Path) -> Text:
    if not path.parent.is_dir():
        return _NO_FOLDER
    return did_you_mean(path.name, [file.name for file in path.parent.iterdir() if file.is_file()])
