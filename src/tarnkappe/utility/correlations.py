"""Correlations before and after."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import LEAST, in_both, original
from tarnkappe.kernels.covariances import correlations_of
from tarnkappe.kernels.jackknife import groups, pairs_without
from tarnkappe.kernels.moments import pearson, spearman
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.comparing import joined, left_out, taken_unsure
from tarnkappe.utility.uncertain import UNKNOWN, Known, ends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tarnkappe.data.column import Bools, Floats, Ints
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.utility.by_column import Ends

_NO_CORRELATION = Text(
    f"constant, or fewer than {LEAST} values observed together with another column",
    f"konstant oder weniger als {LEAST} Werte zusammen mit einer anderen Spalte vorhanden",
)
TOGETHER = 256
"""Columns whose pairs are left out group by group at the same time."""
SHOWN = 100
"""Columns whose matrices are kept: they grow with the square."""


@measure(
    "utility.correlations",
    title=Text("Correlations before and after", "Korrelationen vorher und nachher"),
    compares=True,
    does=Text(
        "Compares the correlations of all pairs of numeric columns before and after.",
        "Vergleicht die Korrelationen aller Paare numerischer Spalten vorher und nachher.",
    ),
    sources=(
        Source("hoehne2010", "section 3.3.3: difference of Pearson and of Spearman correlations"),
        Source("dav2025", "section 6.3"),
    ),
    reads=Text(
        "On average a correlation moved by {value}.",
        "Im Mittel hat sich eine Korrelation um {value} verändert.",
    ),
    knows=Text(
        "All records of the original against all of the release; each pair uses the records that have both.",
        "Alle Datensätze des Originals gegen alle der Freigabe; jedes Paar nutzt die Datensätze, die beide "
        "Werte haben.",
    ),
    goal=Goal.LOW,
    bounds=(0, 2),
    does_not=(
        Text("use weights", "Gewichte verwenden"),
        Text(
            "see relations that are not monotone, or between categories",
            "Zusammenhänge erkennen, die nicht monoton sind oder zwischen Kategorien bestehen",
        ),
    ),
    words={
        "pearson": Text("Pearson", "Pearson"),
        "spearman": Text("Spearman", "Spearman"),
    },
    example={"columns": ["income", "employees"]},
)
class Correlations(Measure):
    """Pearson and Spearman correlations of every pair of numeric columns, before and after.

    The value is the mean absolute difference of the Pearson correlations over the pairs that both files
    have. Each pair uses the records that have both values (pairwise complete); tied ranks are averaged. A
    pair with a constant column (one that varies by less than 10⁻¹² of its size) or with fewer than ten such
    records has no correlation: its entry is empty. The interval of the value is made as in `utility.moments`.
    Of more than a hundred columns, the matrices of the hundred whose correlations moved most are kept.
    """

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne
    Angabe alle, die in beiden Dateien Größen enthalten."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        names = in_both(after, before, self.columns, self.id, needed=2)
        x, y = (data.numbers(names, self.id, by_column=True) for data in (before, after))
        linear, ranked = _compared(pearson, x, y), _compared(spearman, x, y)
        without = [n for n, row in zip(names, linear["difference"], strict=True) if np.isnan(row).all()]
        value = _mean_of_pairs(linear["difference"])
        low, high = (
            UNKNOWN if math.isnan(value) else _ends(x, y, (before.rows, after.rows), linear["difference"])
        )
        return Finding(
            value=value,
            low=low,
            high=high,
            trusted=not math.isnan(value),
            because=joined(
                left_out(without, _NO_CORRELATION), taken_unsure(before, self.columns, names), _cut(names)
            )
            or _no_pair(value),
            details={
                **_shown(names, {"pearson": linear, "spearman": ranked}),
                "mean_difference": {"pearson": value, "spearman": _mean_of_pairs(ranked["difference"])},
            },
        )


def _compared(correlate: Callable[[Floats, int], Floats], x: Floats, y: Floats) -> dict[str, Floats]:
    before, after = correlate(x, LEAST), correlate(y, LEAST)
    return {"before": before, "after": after, "difference": _apart(np.abs(after - before))}


def _ends(x: Floats, y: Floats, rows: tuple[Ints, Ints], difference: Floats) -> Ends:
    """The interval of the mean difference."""
    there = ~np.isnan(difference)
    if x.shape[1] <= TOGETHER:
        means = _apart_without(x, y, rows)[:, there].mean(axis=1)
    else:
        there &= np.tri(len(there), k=-1, dtype=bool)
        sums = [
            _apart_without(x[:, block], y[:, block], rows)[:, new & there[np.ix_(block, block)]].sum(axis=1)
            for block, new in _blocks(x.shape[1])
        ]
        means = np.sum(sums, axis=0) / np.count_nonzero(there)
    return ends(Known(_mean_of_pairs(difference), means, min(len(x), len(y))))


def _apart_without(x: Floats, y: Floats, rows: tuple[Ints, Ints]) -> Floats:
    """The differences of all pairs without each group of records."""
    before, after = (
        pairs_without(part, None, groups(ids), power_scale(part), correlations_of)
        for part, ids in zip((x, y), rows, strict=True)
    )
    return np.abs(after - before)


def _blocks(columns: int) -> Iterator[tuple[Ints, Bools]]:
    """Columns that are looked at together and which of their pairs are new: the memory for all pairs, once per group, is not needed at once."""
    parts = [
        np.arange(start, min(start + TOGETHER // 2, columns)) for start in range(0, columns, TOGETHER // 2)
    ]
    for one, other in combinations_with_replacement(parts, 2):
        if one is other:
            yield one, np.ones((len(one), len(one)), dtype=bool)
        else:
            later = np.arange(len(one) + len(other)) >= len(one)
            yield np.concatenate([one, other]), later[:, None] != later[None, :]


def _shown(names: tuple[str, ...], parts: Mapping[str, dict[str, Floats]]) -> dict[str, Json]:
    """The matrices; of very many columns, those whose correlations moved most."""
    if len(names) <= SHOWN:
        return {"columns": names, **parts}
    moved = np.nan_to_num(np.nan_to_num(parts["pearson"]["difference"]).mean(axis=1))
    kept = np.sort(np.argsort(-moved, kind="stable")[:SHOWN])
    cut = {part: {side: m[np.ix_(kept, kept)] for side, m in found.items()} for part, found in parts.items()}
    return {"columns": tuple(names[j] for j in kept), **cut}


def _cut(names: tuple[str, ...]) -> Text:
    if len(names) <= SHOWN:
        return NOTHING
    return Text(
        f"The value is that of all {len(names)} columns; shown are the {SHOWN} whose correlations moved most.",
        f"Der Wert gilt für alle {len(names)} Spalten; gezeigt sind die {SHOWN}, deren Korrelationen sich am "
        f"stärksten verändert haben.",
    )


def _apart(difference: Floats) -> Floats:
    """Leave the diagonal empty: a column's correlation with itself tells nothing."""
    np.fill_diagonal(difference, np.nan)
    return difference


def _mean_of_pairs(difference: Floats) -> float:
    pairs = difference[np.tril_indices_from(difference, -1)]
    there = pairs[~np.isnan(pairs)]
    return float(there.mean()) if len(there) else math.nan


def _no_pair(value: float) -> Text:
    nothing = Text("No pair of columns has a correlation.", "Kein Spaltenpaar hat eine Korrelation.")
    return nothing if math.isnan(value) else NOTHING
