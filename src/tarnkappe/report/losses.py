"""What numbers lost, as tables: one row per column, group or pair of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tarnkappe.language import Text, same
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.numbers import NONE, error, percent, shown
from tarnkappe.report.tables import Table, spelt, worded
from tarnkappe.spec import plain

MOST_ROWS = 60
_COLUMN = Text("Column", "Spalte")
_BEFORE, _AFTER = Text("before", "vorher"), Text("after", "nachher")

Figures = Sequence[tuple[str, Text]]
"""Path to a figure, with dots, and its heading."""

_BY_COLUMN: Mapping[str, tuple[Text, Figures]] = {
    "utility.variances": (
        Text("Standard deviations", "Standardabweichungen"),
        (("sd_before", _BEFORE), ("sd_after", _AFTER), ("sd_error", Text("difference", "Differenz")), ("verdict", Text("after Höhne", "nach Höhne"))),
    ),
    "utility.shape": (
        Text("Skewness, excess and range", "Schiefe, Exzess und Spannweite"),
        (
            ("skewness_before", Text("skewness before", "Schiefe vorher")), ("skewness_after", _AFTER),
            ("excess_before", Text("excess before", "Exzess vorher")), ("excess_after", _AFTER),
            ("range_change", Text("change of the range", "Spannweite verändert um")),
        ),
    ),
    "utility.confidence-overlap": (
        Text("Overlap of the intervals", "Überlappung der Intervalle"),
        (
            ("interval_before.value", _BEFORE), ("interval_after.value", _AFTER), ("overlap", Text("overlap", "Überlappung")),
            ("inside_original", Text("in the original interval", "im alten Intervall")),
        ),
    ),
    "utility.distributions": (
        Text("Distances of the distributions", "Abstände der Verteilungen"),
        (("largest_gap", same("Kolmogorov-Smirnov")), ("way_to_move", same("Wasserstein")), ("hellinger", same("Hellinger"))),
    ),
    "utility.inequality": (
        Text("Inequality", "Ungleichheit"),
        (
            ("gini_before.value", Text("Gini before", "Gini vorher")), ("gini_after.value", _AFTER), ("overlap", Text("overlap", "Überlappung")),
            ("theil_before", Text("Theil before", "Theil vorher")), ("theil_after", _AFTER), ("lorenz_distance", Text("Lorenz curves", "Lorenzkurven")),
        ),
    ),
    "utility.distance": (
        Text("How far values moved", "Wie weit sich Werte bewegt haben"),
        (("il1s", same("IL1s")), ("mean_variation", Text("relative", "relativ")), ("mae", same("MAE")), ("mse", same("MSE"))),
    ),
    "utility.growth": (
        Text("Growth rates", "Wachstumsraten"),
        (
            ("growth_error", Text("mean error", "mittlerer Fehler")), ("turned", Text("turned round", "umgekehrt")),
            ("invisible", Text("changes no longer seen", "nicht mehr sichtbare Veränderungen")),
        ),
    ),
    "utility.lost-share": (
        Text("Lost amounts", "Verlorene Beträge"),
        (("values_lost", Text("values", "Werte")), ("share_lost", Text("share of the sum", "Anteil an der Summe"))),
    ),
}  # fmt: skip
_IN_PER_CENT = {"range_change", "turned", "invisible", "share_lost", "largest_error"}
_SIGNED = {"sd_error", "ratio_error"}


def by_column(entry: MeasureEntry) -> list[Table]:
    """The most telling figures of every column."""
    title, figures = _BY_COLUMN[entry.measure.id]
    columns = plain(entry.after.details).get("columns", {})
    rows = tuple(
        (same(name), *(_cell(found, path) for path, _ in figures)) for name, found in columns.items()
    )
    return [Table(title, (_COLUMN, *(head for _, head in figures)), rows[:MOST_ROWS])] if rows else []


def groups(entry: MeasureEntry) -> list[Table]:
    """The groups that suffer most."""
    title = Text("Groups that suffer most, by number", "Am stärksten betroffene Gruppen nach Nummer")
    figures = (
        ("group", Text("number", "Nummer")), ("records", Text("records", "Datensätze")),
        ("largest_error", Text("largest error", "größter Fehler")), ("lost", Text("gone", "verschwunden")),
    )  # fmt: skip
    return _listed(
        entry, "worst_groups", title, (("grouped_by", Text("Groups by", "Gruppen nach")), *figures)
    )


def ratios(entry: MeasureEntry) -> list[Table]:
    """The mean ratios that changed most."""
    title = Text("Mean ratios that changed most", "Am stärksten veränderte mittlere Quotienten")
    figures = (
        ("numerator", Text("Numerator", "Zähler")), ("denominator", Text("denominator", "Nenner")), ("ratio_before", _BEFORE),
        ("ratio_after", _AFTER), ("ratio_error", Text("difference", "Differenz")),
    )  # fmt: skip
    return _listed(entry, "worst_ratios", title, figures)


def _listed(entry: MeasureEntry, name: str, title: Text, figures: Figures) -> list[Table]:
    found = plain(entry.after.details).get(name, [])
    rows = tuple(tuple(_cell(one, path) for path, _ in figures) for one in found)
    return [Table(title, tuple(head for _, head in figures), rows)] if rows else []


def _cell(found: Any, path: str) -> Text:
    for step in path.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    if found is None:
        return NONE
    if path in _IN_PER_CENT:
        return percent(found)
    if path in _SIGNED:
        return error(found)
    return shown(found, 4) if isinstance(found, float) else worded(spelt(found))
