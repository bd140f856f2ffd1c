"""Commands whose options are the fields of a class, so that many options stay one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

import typer

Perform = Callable[[Any], None]


def command_of(app: typer.Typer, name: str, options: type[Any]) -> Callable[[Perform], Perform]:
    """Declare a command; it is called with an object of the class."""

    def declare(perform: Perform) -> Perform:
        def call(**given: Any) -> None:
            perform(options(**given))

        hints = get_type_hints(options, include_extras=True)
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(
                    f.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[f.name],
                    default=inspect.Parameter.empty if f.default is MISSING else f.default,
                )
                for f in sorted(fields(options), key=lambda f: "last" in f.metadata)
            ]
        )  # fmt: skip
        call.__annotations__ = hints
        app.command(name, help=perform.__doc__)(call)
        return perform

    return declare
