"""What a person sees in the terminal: progress while it works, a summary when it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from tarnkappe.language import Lang, Text, from_locale
from tarnkappe.plan.progress import Progress as Doing

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def language(asked: str | None) -> Lang:
    return "de" if (asked or from_locale()) == "de" else "en"


@contextmanager
def progress(lang: Lang, *, quiet: bool) -> Iterator[Doing]:
    """A bar on a terminal, plain lines elsewhere, nothing when quiet."""
    if quiet:
        yield Doing()
    elif not err.is_terminal:
        yield Doing(
            lambda doing, done, parts: err.print(f"[{done + 1}/{parts}] {doing.in_(lang)}", markup=False)
        )
    else:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=err, transient=True) as bar:
            task = bar.add_task("", total=None)

            def show(doing: Text, done: int, parts: int) -> None:
                bar.update(task, description=doing.in_(lang), completed=done, total=parts)

            yield Doing(show)


def table(title: str, *headers: str, numbers: tuple[int, ...] = ()) -> Table:
    """A plain table below its title; `numbers` names the columns set right-aligned."""
    if title:
        out.print(title, style="bold", markup=False, soft_wrap=True)
    made = Table(box=None, pad_edge=False, header_style="dim")
    for position, header in enumerate(headers):
        made.add_column(header, justify="right" if position in numbers else "left", overflow="fold")
    return made


def say(text: Text, lang: Lang, **facts: Any) -> None:
    out.print(text.filled(**facts).in_(lang), markup=False, soft_wrap=True)
