"""Best guess: several released values of the same thing are averaged, or the most frequent one is taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from tarnkappe.data.quantities import original, quantities
from tarnkappe.data.spelling import canonical
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import NumbersNeeded
from tarnkappe.errors.risk import ReleasesNeeded
from tarnkappe.kernels.guesses import centres, votes
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import Text
from tarnkappe.risk.values_learnt import OnValues, Sides, Useful, near
from tarnkappe.spec import Finding, Goal, Json, Source, measure
from tarnkappe.spec.fields import Unit

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Column, Floats, Ints, Strings
    from tarnkappe.data.microdata import Microdata


class _Guessed(NamedTuple):
    """Per column: the chance of a hit by the best guess, by the released value alone, and what could be hit."""

    names: tuple[str, ...]
    hit: Floats
    alone: Floats
    there: Bools


@measure(
    "risk.best-guess",
    title=Text("Best guess from several values", "Beste Schätzung aus mehreren Werten"),
    does=Text(
        "Averages the released values of a unit over its records or over several releases and counts how often that is the truth.",
        "Mittelt die freigegebenen Werte einer Einheit über ihre Datensätze oder über mehrere Freigaben und zählt, wie oft das die Wahrheit "
        "trifft.",
    ),
    sources=(
        Source("hoehne2010", "2.2.2: several solutions side by side, the most frequent value (R16); 4.2.4: waves of a panel"),
        Source("gouweleeuw1998", "PRAM"),
    ),
    reads=Text(
        "The best guess hits a share of {value} of the values.",
        "Die beste Schätzung trifft einen Anteil von {value} der Werte.",
    ),
    knows=Text(
        "The attacker knows which released records belong to the same unit, or has several releases of the same data, and expects one value "
        "behind them.",
        "Der Angreifer weiß, welche freigegebenen Datensätze zur selben Einheit gehören, oder hat mehrere Freigaben derselben Daten und "
        "vermutet einen Wert dahinter.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "follow values that change over the years: it expects the same value in all records of a unit",
            "Werten folgen, die sich über die Jahre ändern: Es erwartet in allen Datensätzen einer Einheit denselben Wert",
        ),
        Text(
            "know releases of other days: give them to `over` in Python",
            "Freigaben anderer Tage kennen: Geben Sie sie in Python an `over`",
        ),
    ),
    words={
        "aggregate": Text("several numbers are taken as their", "mehrere Zahlen zählen als ihr"),
        "values_per_unit": Text("released values per unit", "freigegebene Werte je Einheit"),
    },
    example={
        "columns": ["income", "wealth", "sex"], "within": ["region"], "weighted": True, "unit": ["household"], "f": 0.1,
        "aggregate": "median",
    },
)  # fmt: skip
class BestGuess(OnValues):
    """The share of values that the mean, the median or the most frequent one of several released values hits.

    Numbers count as hit within a relative error of f, categories when the most frequent one is the true one (ties broken at random). With
    `unit`, the released values of all records of the unit are taken together, as over the waves of a panel. In Python,
    `over(releases, before)` takes several releases of the same data together: noise that was drawn anew each time averages out, and a
    category that PRAM kept more often than not shows.

    The naive attacker, the baseline, uses the one released value of the record.
    """

    unit: Unit = ()
    """Columns that name the unit; without them, each record is one. | Spalten, die die Einheit nennen; ohne sie ist jeder Datensatz
    eine."""
    f: Useful = 0.05
    """Relative error up to which a value is useful. | Relativer Fehler, bis zu dem ein Wert brauchbar ist."""
    aggregate: Literal["mean", "median"] = "mean"
    """What stands for several numbers. | Was für mehrere Zahlen steht: Mittelwert (mean) oder Median (median)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        units, _ = units_of(after, self.unit)
        return self._guess([after], original(before, self.id), [units])

    def over(self, releases: Sequence[Microdata], before: Microdata) -> Finding:
        """Take several releases of the same data together; records are the same where they have the same number in the original."""
        if not releases:
            raise ReleasesNeeded(who=self.id)
        rows, place = np.unique(np.concatenate([r.rows for r in releases]), return_inverse=True)
        del rows
        ends = np.cumsum([len(r) for r in releases])[:-1]
        return self._guess(list(releases), before, np.split(place.ravel().astype(np.int64), ends))

    def _guess(self, releases: list[Microdata], before: Microdata, units: list[Ints]) -> Finding:
        after = releases[0]
        names = self._names(after, before)
        numeric = tuple(n for n in names if all(d.column(n).kind.is_number for d in (before, *releases)))
        sides = self.beside(after, before, numeric)
        old = before.aligned_to(after)
        all_units = np.concatenate(units)
        parts = [self._numbers(sides, releases, all_units, units[0][sides.place])]
        parts += [
            _category([r.column(n) for r in releases], old.column(n), n, all_units, units[0], sides.place)
            for n in names
            if n not in numeric
        ]
        found = _joined(parts)
        hits, cases = (found.hit * found.there).sum(axis=1), found.there.sum(axis=1).astype(np.float64)
        details: dict[str, Json] = {
            "f": self.f, "aggregate": self.aggregate, "releases": len(releases), "values_per_unit": _per_unit(all_units),
            "columns": _by_column(found, sides.weights),
        }  # fmt: skip
        baseline = share_of((found.alone * found.there).sum(axis=1), cases, sides.weights)
        return self.finding(after, sides, (hits, cases), baseline, details)

    def _names(self, after: Microdata, before: Microdata) -> tuple[str, ...]:
        names = self.columns or tuple(n for n in quantities(before) if n in quantities(after))
        if not names:
            raise NumbersNeeded(who=self.id, needed=1, found=0)
        return names

    def _numbers(self, sides: Sides, releases: list[Microdata], units: Ints, own: Ints) -> _Guessed:
        shown = np.vstack([r.numbers(sides.names, self.id) for r in releases]) / sides.scale
        count = int(units.max(initial=-1)) + 1
        guess = np.empty_like(sides.x)
        for j in range(guess.shape[1]):
            guess[:, j] = centres(shown[:, j], units, count, self.aggregate)[own]
        hit, alone = (near(g, sides.x, self.f).astype(np.float64) for g in (guess, sides.y))
        return _Guessed(sides.names, hit, alone, sides.there)


def _category(
    shown: list[Column], true: Column, name: str, units: Ints, first: Ints, place: Ints
) -> _Guessed:
    """Hits of the most frequent value of every unit; `first` are the units of the first release."""
    texts = [_spelt(c) for c in (*shown, true)]
    _, codes = np.unique(np.concatenate(texts).astype(str), return_inverse=True)
    gaps = np.concatenate([~c.observed for c in (*shown, true)])
    codes = np.where(gaps, -1, codes.ravel())
    count = len(codes) - len(true)
    released, x = codes[:count], codes[count:]
    hit = votes(released, units, x, first[place])
    own = released[: len(first)][place]
    there = x >= 0
    return _Guessed((name,), hit[:, None], ((own == x) & there).astype(np.float64)[:, None], there[:, None])


def _spelt(column: Column) -> Strings:
    codes = column.true_codes()[0]
    spelt: Strings = np.append(canonical(column), "")
    return spelt[codes]


def _joined(parts: list[_Guessed]) -> _Guessed:
    return _Guessed(
        tuple(n for p in parts for n in p.names),
        np.hstack([p.hit for p in parts]),
        np.hstack([p.alone for p in parts]),
        np.hstack([p.there for p in parts]),
    )


def _by_column(found: _Guessed, weights: Floats) -> dict[str, Json]:
    out = {}
    for j, name in enumerate(found.names):
        case = found.there[:, j].astype(np.float64)
        if case.any():
            shares = [share_of(hit[:, j] * case, case, weights) for hit in (found.hit, found.alone)]
            out[name] = {"values_at_stake": int(case.sum()), "share": shares[0], "naive": shares[1]}
    return out


def _per_unit(units: Ints) -> float | None:
    return float(len(units) / len(np.unique(units))) if len(units) else None
