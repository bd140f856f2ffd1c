"""Tables for measures that compare models, categories and scores: estimates before and after, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tarnkappe.language import NOTHING, Text, same
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.numbers import NONE, percent, shown
from tarnkappe.report.tables import Table, named

MOST = 60
_INTERVAL = Text("interval", "Intervall")
_HEADS = (
    Text("before", "vorher"),
    _INTERVAL,
    Text("after", "nachher"),
    _INTERVAL,
    Text("overlap", "Überlappung"),
)


def coefficients(entry: MeasureEntry) -> list[Table]:
    """Coefficients of a regression in both files."""
    found = entry.after.details.get("coefficients", {})
    rows = [(_regressor(name), *_estimates(figure)) for name, figure in found.items()]
    title = Text("Coefficients", "Koeffizienten")
    return [Table(title, (NOTHING, *_HEADS), tuple(rows[:MOST]))] if rows else []


def actuarial(entry: MeasureEntry) -> list[Table]:
    """Figures of a portfolio in both files."""
    found = _figures(entry.after.details.get("figures", {}), entry.measure.words)
    rows = [(name, *_estimates(figure)) for name, figure in found]
    title = Text("Actuarial figures", "Aktuarielle Kennzahlen")
    return [Table(title, (NOTHING, *_HEADS), tuple(rows[:MOST]))] if rows else []


def analyses(entry: MeasureEntry) -> list[Table]:
    """Parts of a score with what is kept of each."""
    parts = entry.after.details.get("analyses", ())
    rows = [
        (same(p["measure"]), shown(p["weight"]), shown(p["value"]), shown(p["worst"]), percent(p["kept"]))
        for p in parts
    ]
    heads = (
        Text("Measure", "Maß"),
        Text("weight", "Gewicht"),
        Text("value", "Wert"),
        Text("worst", "schlechtester Wert"),
        Text("kept", "erhalten"),
    )
    title = Text("What the score is made of", "Woraus die Gesamtnote besteht")
    return [Table(title, heads, tuple(rows))] if rows else []


def _regressor(name: str) -> Text:
    return named(name) if name == "constant" else same(name)


def _figures(
    kinds: Mapping[str, Mapping[str, Any]], words: Mapping[str, Text]
) -> Iterator[tuple[Text, Mapping[str, Any]]]:
    for kind, parts in kinds.items():
        for part, figure in parts.items():
            name = named(kind, words)
            yield (name if part == "all" else Text(f"{name.en} {part}", f"{name.de} {part}")), figure


def _estimates(figure: Mapping[str, Any]) -> tuple[Text, ...]:
    """Estimate and interval before and after, and the overlap."""
    cells = [cell for side in ("before", "after") for cell in _estimate(figure.get(side))]
    return (*cells, percent(figure["overlap"]))


def _estimate(side: Mapping[str, Any] | None) -> tuple[Text, Text]:
    if side is None:
        return NONE, NONE
    low, high = shown(side["low"]), shown(side["high"])
    return shown(side["estimate"], 4), Text(f"{low.en} – {high.en}", f"{low.de} – {high.de}")
