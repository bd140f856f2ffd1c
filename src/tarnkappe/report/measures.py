"""Measures as a reader meets them: value before and after, sentence, assumptions, pictures and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tarnkappe.language import NOTHING, Lang, Text, same
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.bias_charts import bias, errors_of
from tarnkappe.report.charts import class_sizes
from tarnkappe.report.heat_chart import correlations
from tarnkappe.report.losses import by_column, groups, ratios
from tarnkappe.report.model_tables import actuarial, analyses, coefficients
from tarnkappe.report.numbers import NONE, error, percent, shown
from tarnkappe.report.pictures import Drawing, drawn
from tarnkappe.report.readings import AFTER_WORD, BEFORE_WORD
from tarnkappe.report.tables import Table, flat, named, worded
from tarnkappe.spec import Finding, Measure, plain

MOST_COLUMNS = 14
"""More columns than this make a heat map unreadable."""
MOST_ROWS = 60
_SHARES = (0.0, 1.0)
_DIFFERENCE = Text("difference", "Differenz")


@dataclass(frozen=True, slots=True)
class View:
    """One measure, ready to be shown."""

    entry: MeasureEntry
    before: Text | None
    after: Text
    says: Text
    keys: tuple[str, ...]
    """The columns an attacker is assumed to know."""
    drawings: tuple[Drawing, ...]
    tables: tuple[Table, ...]
    """Shown at once."""
    more: tuple[Table, ...]
    """Shown on demand."""

    @property
    def interval(self) -> Text | None:
        """The confidence interval, where there is one."""
        low, high = self.finding.low, self.finding.high
        if low is None or high is None:
            return None
        ends = value_of(self.measure, low), value_of(self.measure, high)
        return Text(f"{ends[0].en} – {ends[1].en}", f"{ends[0].de} – {ends[1].de}")

    @property
    def baseline(self) -> Text | None:
        """What guessing reaches, for measures that have no value before."""
        given = self.finding.baseline
        return None if given is None or self.before else value_of(self.measure, given)

    @property
    def measure(self) -> Measure:
        return self.entry.measure

    @property
    def finding(self) -> Finding:
        return self.entry.after


def views(entries: Sequence[MeasureEntry], family: str) -> list[View]:
    """The measures of a family: ``risk``, or ``utility`` for all others. One picture of class sizes is enough."""
    chosen = [e for e in entries if e.measure.id.startswith("risk.") == (family == "risk")]
    banded = next((e for e in chosen if "bands" in e.after.details), None)
    return [_view(entry, with_bands=entry is banded) for entry in chosen]


def value_of(measure: Measure, value: float | None) -> Text:
    """A value in the unit of its measure: those between 0 and 1 are shares."""
    return percent(value) if tuple(measure.bounds) == _SHARES else shown(value)


def _view(entry: MeasureEntry, *, with_bands: bool) -> View:
    after = value_of(entry.measure, entry.after.value)
    draw, tables, more = _SPECIAL.get(entry.measure.id, (_nothing, _nothing, _nothing))
    special = entry.measure.id in _SPECIAL
    charts = [*(_bands(entry) if with_bands else ()), *draw(entry)]
    return View(
        entry,
        value_of(entry.measure, entry.before.value) if entry.before else None,
        after,
        (entry.after.reads or entry.measure.reads).filled(value=after),
        tuple(entry.after.details.get("keys", ())),
        tuple(charts),
        tuple(tables(entry)),
        tuple(more(entry) if special else _generic(entry)),
    )


def _nothing(entry: MeasureEntry) -> list[Any]:
    del entry
    return []


# -- class sizes ----------------------------------------------------------------------------------------------------


def _bands(entry: MeasureEntry) -> list[Drawing]:
    """Share of records by the number of records that look like them."""
    after = _shares(entry.after)
    before = _shares(entry.before) if entry.before else None
    if after is None:
        return []
    names = [_band(b) for b in entry.after.details["bands"]]
    says = Text(
        "Share of records by the number of records that agree with them in the key variables, before and after",
        "Anteil der Datensätze nach der Zahl der Datensätze mit gleichen Schlüsselvariablen, vorher und nachher",
    )
    return [drawn(partial(class_sizes, names, before, after), says)]


def _shares(finding: Finding) -> list[float] | None:
    counts = [band.get("records") for band in finding.details.get("bands", ())]
    total = finding.details.get("records") or 0
    return [c / total for c in counts] if total and counts and None not in counts else None


def _sizes(entry: MeasureEntry) -> list[Table]:
    """Quantiles of the class sizes, over the classes and over the records."""
    sides = [(f, word) for f, word in ((entry.before, BEFORE_WORD), (entry.after, AFTER_WORD)) if f]
    found = [
        (of, word, f.details.get("quantiles", {}).get(of))
        for of in ("classes", "records")
        for f, word in sides
    ]
    shares = list(next((sizes for _, _, sizes in found if sizes), ()))
    rows = tuple(
        (named(of), word, *(shown(sizes.get(s)) for s in shares)) for of, word, sizes in found if sizes
    )
    title = Text("Quantiles of the class size", "Quantile der Klassengröße")
    heads = (Text("Over all", "Über alle"), NOTHING, *(Text(f"{s}%", f"{s}\u00a0%") for s in shares))
    return [Table(title, heads, rows)] if rows else []


def _band(band: Mapping[str, Any]) -> str:
    low, high = band["from"], band["to"]
    return f"{low}" if low == high else f"{low}+" if high is None else f"{low}–{high}"


# -- moments --------------------------------------------------------------------------------------------------------

_MEAN, _SPREAD = Text("mean", "Mittelwert"), Text("standard deviation", "Standardabweichung")
_SHAPE = (("skewness", Text("skewness", "Schiefe")), ("excess", Text("excess", "Exzess")))
_COLUMN = Text("Column", "Spalte")


def _bias(entry: MeasureEntry) -> list[Drawing]:
    """How far means and standard deviations are off, column by column."""
    columns = plain(entry.after.details.get("columns", {}))
    if len(errors_of(columns, "en")) == 0:
        return []
    says = Text(
        "Relative errors of means and standard deviations by column",
        "Relative Abweichungen der Mittelwerte und Standardabweichungen nach Spalten",
    )
    return [drawn(partial(bias, columns), says)]


def _moments(entry: MeasureEntry) -> list[Table]:
    title = Text("Means and standard deviations", "Mittelwerte und Standardabweichungen")
    return _errors(entry, title, (("mean", _MEAN), ("sd", _SPREAD)))


def _shape(entry: MeasureEntry) -> list[Table]:
    tables = _errors(entry, Text("Skewness and excess", "Schiefe und Exzess"), _SHAPE)
    return tables + _quantiles(entry.after.details.get("columns", {}))


def _errors(entry: MeasureEntry, title: Text, figures: tuple[tuple[str, Text], ...]) -> list[Table]:
    """Some figures of every column: before, after, relative error."""
    heads = (_COLUMN, *(head for _, name in figures for head in _before_after(name)))
    rows = tuple(
        (same(column), *(cell for key, _ in figures for cell in _compared(c, key)))
        for column, c in entry.after.details.get("columns", {}).items()
    )
    return [Table(title, heads, rows)] if rows else []


def _quantiles(columns: Mapping[str, Any]) -> list[Table]:
    names = next((list(c["before"].get("quantiles", ())) for c in columns.values()), [])
    if not names:
        return []
    heads = (_COLUMN, NOTHING, *(same(name) for name in names))
    rows = [
        (same(column), word, *(shown(c[side]["quantiles"].get(n)) for n in names))
        for column, c in columns.items()
        for side, word in (("before", BEFORE_WORD), ("after", AFTER_WORD))
    ]
    return [
        Table(
            Text("Quantiles, each the mean of three records", "Quantile, je Mittel dreier Datensätze"),
            heads,
            tuple(rows),
        )
    ]


def _before_after(name: Text) -> tuple[Text, Text, Text]:
    return Text(f"{name.en} before", f"{name.de} vorher"), AFTER_WORD, _DIFFERENCE


def _compared(column: Mapping[str, Any], key: str) -> tuple[Text, Text, Text]:
    apart = column["error"].get(key)
    said = shown(apart) if key in column.get("guarded", ()) else error(apart)
    return shown(column["before"].get(key), 4), shown(column["after"].get(key), 4), said


# -- correlations and changed cells -----------------------------------------------------------------------------------


def _heat_map(entry: MeasureEntry) -> list[Drawing]:
    names, found = entry.after.details.get("columns", ()), plain(entry.after.details.get("pearson", {}))
    if not 2 <= len(names) <= MOST_COLUMNS or set(found) != {"before", "after", "difference"}:
        return []

    def chart(lang: Lang) -> Any:
        words = {"before": BEFORE_WORD, "after": AFTER_WORD, "difference": _DIFFERENCE}
        return correlations(names, {words[side].in_(lang): found[side] for side in words}, lang)

    says = Text(
        "Correlations of the numeric columns before, after, and their absolute difference",
        "Korrelationen der numerischen Spalten vorher, nachher und ihre absolute Differenz",
    )
    return [drawn(chart, says)]


_PARTS = {
    "changed": Text("changed", "verändert"),
    "suppressed": Text("suppressed", "unterdrückt"),
    "made_missing": Text("made missing", "geleert"),
    "filled": Text("filled in", "aufgefüllt"),
}


def _changed(entry: MeasureEntry) -> list[Table]:
    """Columns and kinds of change that occur at all."""
    columns = entry.after.details.get("columns", {})
    parts = [part for part in _PARTS if any(c[part]["cells"] for c in columns.values())]
    rows = [
        (same(name), *(percent(c[part]["share"]) for part in parts))
        for name, c in columns.items()
        if any(c[part]["cells"] for part in parts)
    ]
    title = Text("Share of cells by what happened to them", "Anteil der Zellen nach dem, was geschah")
    bars = [sum(columns[row[0].en][part]["share"] for part in parts) for row in rows]
    heads = (_COLUMN, *(_PARTS[part] for part in parts))
    return [Table(title, heads, tuple(rows), tuple(bars))] if rows else []


def _generic(entry: MeasureEntry) -> list[Table]:
    """The details of a measure that has no form of its own."""
    after, before = _figures(entry.after), _figures(entry.before) if entry.before else None
    words = (BEFORE_WORD, AFTER_WORD) if before is not None else (AFTER_WORD,)
    rows = tuple(
        (named(name, entry.measure.words), *((before.get(name, NONE),) if before is not None else ()), value)
        for name, value in after.items()
    )
    title = Text("Figures behind the value", "Zahlen hinter dem Wert")
    return [Table(title, (Text("Figure", "Größe"), *words), rows[:MOST_ROWS])] if rows else []


def _figures(finding: Finding) -> dict[str, Text]:
    kept = {key: value for key, value in plain(finding.details).items() if key not in ("bands", "keys")}
    return {name: worded(value) for name, value in flat(kept, entries=True)}


_Part = Callable[[MeasureEntry], list[Any]]


def _generic_but(name: str) -> _Part:
    """The details without those that have a table of their own."""

    def tables(entry: MeasureEntry) -> list[Any]:
        details = {key: value for key, value in entry.after.details.items() if key != name}
        return _generic(replace(entry, after=replace(entry.after, details=details)))

    return tables


_SPECIAL: dict[str, tuple[_Part, _Part, _Part]] = {
    "risk.class-sizes": (_nothing, _nothing, _sizes),
    "utility.moments": (_bias, _moments, _shape),
    "utility.correlations": (_heat_map, _nothing, _nothing),
    "utility.changed": (_nothing, _changed, _nothing),
    "utility.regression": (_nothing, coefficients, _generic_but("coefficients")),
    "utility.mincer": (_nothing, coefficients, _generic_but("coefficients")),
    "utility.actuarial": (_nothing, actuarial, _nothing),
    "utility.score": (_nothing, analyses, _nothing),
    "utility.variances": (_nothing, by_column, _generic_but("columns")),
    "utility.shape": (_nothing, by_column, _generic_but("columns")),
    "utility.confidence-overlap": (_nothing, by_column, _generic_but("columns")),
    "utility.distributions": (_nothing, by_column, _generic_but("columns")),
    "utility.inequality": (_nothing, by_column, _generic_but("columns")),
    "utility.distance": (_nothing, by_column, _generic_but("columns")),
    "utility.growth": (_nothing, by_column, _generic_but("columns")),
    "utility.lost-share": (_nothing, by_column, _generic_but("columns")),
    "utility.subgroups": (_nothing, groups, _generic_but("worst_groups")),
    "utility.ratios": (_nothing, ratios, _generic_but("worst_ratios")),
}
"""For some measures: the charts, the tables shown at once, and those on demand."""
