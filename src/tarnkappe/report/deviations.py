"""How far results of the release may lie from those of the original: for receivers, in general form and without a direction.

Whoever analyses protected data must know how good they are: expected deviations are documented in general form, and undirected, so that nothing can
be calculated back (hoehne2010, 1.1, and the recommendations for reporting). So every deviation is told as the class of sizes it falls into, never
by itself, never with a sign, and only where enough contributors stand behind the figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.moments import moments, pearson
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.plan.ledger import Run
from tarnkappe.report.columns import touched
from tarnkappe.spec.told_figures import stated
from tarnkappe.vocab import Role

CLASSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Ends of the classes; nothing finer is told."""
ENOUGH = 30
"""With fewer contributors nothing is told."""
MOST = 0.1
"""Nor where one contributor has more than this part of what the figure adds up."""
MOST_CATEGORIES = 100
MOST_COLUMNS = 20
NEAR = 0.01
"""Below this part of the size of the numbers a mean is near zero, and a relative deviation tells nothing."""
_NOT_COMPARED = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.WEIGHT}
SAYS = Text(
    "How far results may lie from those of the original, up or down. The size is told in classes only, and no direction: that would allow to "
    "calculate back. An interval around a result of this file that is widened by this much contains the result of the original.",
    "Wie weit Ergebnisse von denen des Originals abliegen können, nach oben oder unten. Die Größe ist nur in Klassen gesagt und ohne Richtung, sonst "
    "ließe sich zurückrechnen. Ein Intervall um ein Ergebnis dieser Datei, das um so viel erweitert ist, enthält das Ergebnis des Originals.",
)
NOT_TOLD = Text("not told", "nicht angegeben")
_MEAN = Text("mean", "Mittelwert")
_SPREAD = Text("standard deviation", "Standardabweichung")
_SHARES = Text("share of a category", "Anteil einer Kategorie")
_PAIRS = Text("correlation of two numeric columns", "Korrelation zweier numerischer Spalten")
_AT_MOST = Text("at most {size}", "höchstens {size}")
_MORE = Text("more than {size}", "mehr als {size}")


def deviations(run: Run) -> dict[str, Any] | None:
    """What receivers are told of every column that was changed, or whose records were; None where there is nothing to tell."""
    if not run.plan.releases_data:
        return None
    before, after = run.before, run.after.sealed()
    fewer = len(before) != len(after)
    changed = {n for step in run.steps for n, change in step.changes.items() if touched(change)}
    names = [n for n in after.names if n in before.names and (fewer or n in changed) and _told_of(before, n)]
    told = [figure for name in names for figure in _of_column(before, after, name)]
    told += _of_pairs(before, after, names)
    return {"says": SAYS, "figures": told} if told else None


def _told_of(before: Microdata, name: str) -> bool:
    return not set(before.roles_of(name)) & _NOT_COMPARED


def _of_column(before: Microdata, after: Microdata, name: str) -> Iterator[dict[str, Any]]:
    was, now = before.column(name), after.column(name)
    if was.kind.is_number and now.kind.is_number:
        old, new = moments(was.numbers()), moments(now.numbers())
        safe = _enough(before, name, np.abs(was.numbers()))
        relative = abs(new.mean / old.mean - 1) if abs(old.mean) > NEAR * old.size else None
        yield _figure(_MEAN, [name], relative if safe else None)
        spread = abs(new.sd / old.sd - 1) if old.sd > 0 else None
        squares = ((was.numbers() - old.mean) / float(power_scale(was.numbers()[:, None])[0])) ** 2
        yield _figure(_SPREAD, [name], spread if safe and _enough(before, name, squares) else None)
    elif was.categories is not None and now.categories is not None:
        shares = [_shares(column) for column in (was, now)]
        if set(shares[0]) & set(shares[1]) and len(shares[0]) <= MOST_CATEGORIES:
            off = max(abs(shares[0].get(c, 0.0) - shares[1].get(c, 0.0)) for c in {*shares[0], *shares[1]})
            yield _figure(
                _SHARES, [name], off if _enough(before, name, was.observed.astype(np.float64)) else None
            )


def _of_pairs(before: Microdata, after: Microdata, names: list[str]) -> list[dict[str, Any]]:
    """The largest deviation of a correlation among columns of numbers, one figure for all."""
    numeric = [n for n in names if before.column(n).kind.is_number and after.column(n).kind.is_number]
    off = [_apart(before, after, pair) for pair in combinations(numeric[:MOST_COLUMNS], 2)]
    there = [d for d in off if d is not None]
    return [_figure(_PAIRS, numeric[:MOST_COLUMNS], max(there))] if there else []


def _apart(before: Microdata, after: Microdata, pair: tuple[str, str]) -> float | None:
    """How far a correlation moved; None where it is not defined, or rests on few."""
    both = [
        pearson(np.column_stack([d.column(n).numbers() for n in pair]), ENOUGH)[0, 1] for d in (before, after)
    ]
    x = np.column_stack([before.column(n).numbers() for n in pair])
    with np.errstate(invalid="ignore"):
        z = (x - np.nanmean(x, axis=0)) / power_scale(np.nan_to_num(x))
    if np.isnan(both).any() or not _enough(before, pair[0], np.abs(z[:, 0] * z[:, 1])):
        return None
    return float(abs(both[1] - both[0]))


def _enough(data: Microdata, name: str, parts: Floats) -> bool:
    """Whether enough contributors stand behind a figure, and none has too much of it."""
    there = data.column(name).observed & ~np.isnan(parts)
    who = contributor_codes(data)[there]
    sums = np.bincount(who, parts[there])
    total = sums.sum()
    return len(np.unique(who)) >= ENOUGH and bool(total > 0 and sums.max() <= MOST * total)


def _shares(column: Column) -> dict[str, float]:
    values, counts = np.unique(column.texts()[column.observed].astype(str), return_counts=True)
    return dict(zip(values.tolist(), (counts / max(counts.sum(), 1)).tolist(), strict=True))


def _figure(of: Text, columns: list[str], size: float | None) -> dict[str, Any]:
    """One figure, as the class its deviation falls into."""
    told = size is not None and bool(np.isfinite(size))
    end = next((c for c in CLASSES if told and size is not None and size <= c), None)
    says = NOT_TOLD
    if told:
        shown = f"{100 * (end or CLASSES[-1]):g}"
        spelt = {
            _SHARES: Text(f"{shown} percentage points", f"{shown} Prozentpunkte"),
            _PAIRS: Text(f"{end or CLASSES[-1]:g}", f"{end or CLASSES[-1]:g}".replace(".", ",")),
        }.get(of, Text(f"{shown}%", f"{shown} %"))
        says = (_MORE if end is None else _AT_MOST).filled(size=spelt)
    return {"of": of, "columns": columns, "at_most": stated(end), "says": says}
