"""The whole explanation of a declared thing in both languages: its docstring, and a German page beside its module."""

from __future__ import annotations

import inspect
from functools import cache
from importlib.resources import files

from tarnkappe.language import Text
from tarnkappe.spec.contract import Declared

GERMAN = "deutsch"
"""Folder beside the module of a declared thing that holds its German explanation, ``NAME.md`` for ``name.py``."""


@cache
def explanation(cls: type[Declared]) -> Text:
    """What the card explains. A plug-in without a German page is explained in English, so that nothing is hidden."""
    english = inspect.cleandoc(cls.__doc__ or "")
    return Text(english, german(cls) or english)


def german(cls: type[Declared]) -> str | None:
    """The German page of a declared thing, if there is one."""
    package, _, name = cls.module.rpartition(".")
    try:
        page = files(package).joinpath(GERMAN, f"{name}.md")
    except (
        ImportError,
        TypeError,
        ValueError,
    ):  # declared in a notebook, or in a module that cannot be imported again
        return None
    return page.read_text(encoding="utf-8").strip() if page.is_file() else None
