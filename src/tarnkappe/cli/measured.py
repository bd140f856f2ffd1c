"""Measures before and after, as a table on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from tarnkappe.cli.screen import out, say, table
from tarnkappe.language import Lang, Text, number
from tarnkappe.plan.ledger import MeasureEntry

_HEADS = Text("measure|before|after", "Maß|vorher|nachher")
_DOUBT = Text("? is not to be trusted; {where} says why.", "? ist nicht verlässlich; {where} sagt, warum.")


def show_measured(title: str, found: Sequence[MeasureEntry], where: Text, lang: Lang) -> None:
    """One line per measure; a value that is not to be trusted is marked, and `where` it is said why."""
    shown = table(title, *_HEADS.in_(lang).split("|"), numbers=(1, 2))
    for entry in found:
        before = number(entry.before.value, lang) if entry.before else "–"
        doubt = "" if entry.after.trusted else " ?"
        shown.add_row(entry.measure.title.in_(lang) + doubt, before, number(entry.after.value, lang))
    out.print(shown)
    if not all(entry.after.trusted for entry in found):
        say(_DOUBT.filled(where=where), lang)
