"""Exact quotients: whole numbers come back from quotients that are told with all their digits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import original, quantities
from tarnkappe.data.units import units_of
from tarnkappe.errors.data import EmptyData
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Maturity, Measure, Source, measure
from tarnkappe.spec.fields import Unit
from tarnkappe.vocab import Role

WIDTH = 4e-16
"""Relative error of a quotient of two numbers that were each multiplied once: some units in the last place."""
DOUBT = 0.01
"""A fraction counts as found where its terms are so much simpler than chance would give."""
SCALES = (1.0, 100.0)
"""A column that is a quotient itself may be told as a share or in per cent."""
MOST_DECIMALS = 3
SHOWN = 10
_WHOLE_NUMBERS_NEEDED = Text(
    "No column of the original holds whole numbers, so nothing could be tried.",
    "Keine Spalte des Originals enthält ganze Zahlen; es konnte also nichts versucht werden.",
)


@measure(
    "risk.exact-quotients",
    title=Text("Exact quotients", "Exakte Quotienten"),
    does=Text(
        "Looks for whole numbers behind quotients of released numbers, and counts the originals that come out exactly.",
        "Sucht ganze Zahlen hinter Quotienten freigegebener Zahlen und zählt die Originale, die exakt herauskommen.",
    ),
    sources=(
        Source("graham1994", "section 4.5: the simplest fraction in an interval"),
        Source("hoehne2010", "4.2.2: factors that columns or periods share (R15)"),
    ),
    reads=Text(
        "In a share of {value} of the records two original numbers come out exactly, without any knowledge.",
        "In einem Anteil von {value} der Datensätze kommen zwei ursprüngliche Zahlen ohne jedes Vorwissen exakt heraus.",
    ),
    knows=Text(
        "The attacker has the release only, and knows that the originals are whole numbers, or whole hundreds, or amounts in cents.",
        "Der Angreifer hat nur die Freigabe und weiß, dass die Originale ganze Zahlen sind, oder volle Hunderter, oder Beträge in Cent.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "use further knowledge, such as the told range of a factor, which finds the right multiple in more records",
            "weiteres Wissen nutzen, etwa den mitgeteilten Bereich eines Faktors, mit dem in mehr Datensätzen das richtige Vielfache gefunden wird",
        ),
        Text(
            "try quotients of numbers that were rounded: these fit many fractions",
            "Quotienten gerundeter Zahlen versuchen: Zu ihnen passen viele Brüche",
        ),
    ),
    maturity=Maturity.EXPERIMENTAL,
    words={
        "answers": Text("quotients with a simple fraction behind them", "Quotienten, hinter denen ein einfacher Bruch steht"),
        "lowest_terms": Text("records with a quotient of the originals in lowest terms", "Datensätze mit einem gekürzten Quotienten der Originale"),
        "quotients": Text("by which quotients", "über welche Quotienten"),
        "right": Text("of which both originals are right", "davon beide Originale richtig"),
    },
    example={"columns": ["income", "wealth", "employees"], "unit": ["household"]},
)  # fmt: skip
class ExactQuotients(Measure):
    """The share of records of which two original numbers come out exactly from quotients of released numbers.

    Two numbers that were multiplied by the same factor, and a column that is a quotient, keep the quotient of the originals to the last
    digit; the simplest fraction within the last digits is that quotient in lowest terms, and where the originals have no common
    divisor it is the pair of originals. Tried are the quotients of any two released columns, every released column as a quotient
    itself (also in per cent), and with `unit` the quotients of the same column in successive records of a unit.

    A record counts where at least one of the two originals is not shown as it was. A column whose values all have a common divisor (amounts in
    hundreds) is counted in that unit, as everybody would; cents are made whole. Zeros, gaps and numbers that are not whole are left out; signs
    are ignored.
    """

    columns: tuple[str, ...] = ()
    """Columns of the original that are looked for; without them, all that hold quantities. | Spalten des Originals, nach denen gesucht
    wird; ohne Angabe alle, die Größen enthalten."""
    unit: Unit = ()
    """Columns that name the unit; without them, records are not followed over periods. | Spalten, die die Einheit nennen; ohne sie
    werden Datensätze nicht über Perioden verfolgt."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        if not len(after):
            raise EmptyData
        pair = _Files(*before.paired(after), self.columns)
        found = [*_within_records(pair), *self._over_periods(pair)]
        right, lowest = (
            np.any([getattr(one, what) for one in found], axis=0) if found else np.zeros(pair.records, bool)
            for what in ("right", "lowest")
        )
        worst = sorted((one for one in found if one.right.any()), key=lambda one: -int(one.right.sum()))
        each = np.full(len(after), np.nan)
        each[np.isin(after.rows, pair.new.rows)] = right
        rows: list[dict[str, Json]] = [
            {"quotient": one.name, "answers": int(one.answers.sum()), "right": int(one.right.sum())}
            for one in worst[:SHOWN]
        ]
        return Finding(
            value=float(right.mean()) if pair.records else 0.0,
            trusted=bool(pair.wholes),
            because=NOTHING if pair.wholes else _WHOLE_NUMBERS_NEEDED,
            details={
                "records": pair.records, "lowest_terms": float(lowest.mean()) if pair.records else 0.0, "quotients": rows,
            },
            per_record=each,
        )  # fmt: skip

    def _over_periods(self, pair: _Files) -> Iterator[_Found]:
        """Quotients of a column in successive records of a unit."""
        if not self.unit:
            return
        units, _ = units_of(pair.new, self.unit)
        periods = [pair.new.column(name).true_codes()[0] for name in pair.new.role(Role.PERIOD)[:1]]
        order = np.lexsort([*periods, units])
        same = units[order][1:] == units[order][:-1]
        now, past = order[1:][same], order[:-1][same]
        for name, shown in pair.shown.items():
            for looked_for, whole in pair.wholes.items():
                hidden = pair.hidden(looked_for)
                found = _found(
                    name, _quotient(shown[now], shown[past]), (whole.values[now], whole.values[past]),
                    hidden[now] | hidden[past],
                )  # fmt: skip
                if found.lowest.any():
                    yield found.spread(now, pair.records)


@dataclass(frozen=True)
class _Whole:
    """An original column in whole units."""

    values: Floats
    unit: float


@dataclass(frozen=True)
class _Found:
    """What one kind of quotient gave: in which records a fraction, the right one in lowest terms, both originals."""

    name: str
    answers: Bools
    lowest: Bools
    right: Bools

    def spread(self, records: Ints, count: int) -> _Found:
        """The same for all records of the file."""
        spread = [np.zeros(count, dtype=np.bool_) for _ in range(3)]
        for out, own in zip(spread, (self.answers, self.lowest, self.right), strict=True):
            out[records] = own
        return _Found(self.name, *spread)


@dataclass(frozen=True)
class _Files:
    """Both files, with the records that they have in common."""

    old: Microdata
    new: Microdata
    columns: tuple[str, ...]

    @property
    def records(self) -> int:
        return len(self.new)

    @cached_property
    def wholes(self) -> dict[str, _Whole]:
        """The original columns of whole numbers."""
        names = self.columns or quantities(self.old)
        made = {name: _in_whole_units(_numbers(self.old, name)) for name in names}
        return {name: whole for name, whole in made.items() if whole is not None}

    @cached_property
    def shown(self) -> dict[str, Floats]:
        """The released numbers; NaN where none is shown."""
        return {name: _numbers(self.new, name) for name in quantities(self.new)}

    def hidden(self, name: str) -> Bools:
        """Records whose original value is not shown as it was."""
        if name not in self.shown:
            return np.ones(self.records, dtype=np.bool_)
        return np.asarray(self.shown[name] != _numbers(self.old, name))


def _numbers(data: Microdata, name: str) -> Floats:
    return np.abs(data.numbers((name,), "risk.exact-quotients")[:, 0])


def _in_whole_units(x: Floats) -> _Whole | None:
    """Values as multiples of the largest number that divides all of them; None where they are not whole, not even in thousandths."""
    there = np.isfinite(x) & (x > 0)
    for decimals in range(MOST_DECIMALS + 1):
        y = x[there] * 10.0**decimals
        if not len(y) or y.max() >= 2.0**53:
            return None
        if (np.abs(y - np.rint(y)) <= 1e-9 * y).all() and y.min() >= 0.5:
            divisor = float(np.gcd.reduce(np.rint(y).astype(np.int64)))
            values = np.full(len(x), np.nan)
            values[there] = np.rint(y) / divisor
            return _Whole(values, divisor / 10.0**decimals)
    return None


def _within_records(pair: _Files) -> Iterator[_Found]:
    """Quotients of two released columns, and columns that are quotients themselves."""
    for one, other in combinations([name for name in pair.wholes if name in pair.shown], 2):
        a, b = pair.wholes[one], pair.wholes[other]
        r = _quotient(pair.shown[one], pair.shown[other]) * (b.unit / a.unit)
        yield _found(f"{one} / {other}", r, (a.values, b.values), pair.hidden(one) | pair.hidden(other))
    for name, shown in pair.shown.items():
        for scale in SCALES:
            for one, other in permutations(pair.wholes, 2):
                a, b = pair.wholes[one], pair.wholes[other]
                r = shown * (b.unit / a.unit / scale)
                found = _found(name, r, (a.values, b.values), pair.hidden(one) | pair.hidden(other))
                if found.lowest.any():
                    yield found


def _quotient(a: Floats, b: Floats) -> Floats:
    out = np.full(len(a), np.nan)
    np.divide(a, b, out=out, where=(b != 0) & np.isfinite(b))
    return out


def _found(name: str, quotients: Floats, terms: tuple[Floats, Floats], at_stake: Bools) -> _Found:
    """Look for the fraction behind every quotient that is still the one of the originals."""
    from tarnkappe.kernels.simplest_fraction import (  # noqa: PLC0415 - numba is loaded when first used
        fractions_behind,
    )

    a, b = terms
    nothing = np.zeros(len(quotients), dtype=np.bool_)
    kept = at_stake & (np.abs(quotients * b - a) <= 8 * WIDTH * a)
    answers, lowest, right = nothing.copy(), nothing.copy(), nothing.copy()
    if kept.any():
        p, q = fractions_behind(quotients[kept], WIDTH, DOUBT)
        divisor = np.gcd(a[kept].astype(np.int64), b[kept].astype(np.int64))
        answers[kept] = p > 0
        lowest[kept] = (p * divisor == a[kept]) & (q * divisor == b[kept])
        right[kept] = lowest[kept] & (divisor == 1)
    return _Found(name, answers, lowest, right)
