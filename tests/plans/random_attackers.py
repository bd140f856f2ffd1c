"""Simple attackers of what a drawn plan has released. They read what is public; originals are for scoring only. They share nothing with the program.

Each says how many hidden values it guessed and how many of the guesses are right. Hidden is a value that the release does not show itself:
suppressed, changed, or of a column that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plans.random_plans import SUMS

Floats = np.ndarray[Any, Any]
CLOSE = 1e-9
FEW = 10


@dataclass(frozen=True)
class Hit:
    """Guesses of one attacker at one column, table or pair of columns."""

    attacker: str
    where: str
    guessed: int
    right: int

    @property
    def leaks(self) -> bool:
        """More than a handful of hidden values, and mostly right."""
        return self.right >= FEW and self.right > 0.5 * self.guessed


class Seen:
    """A release beside the truth: numbers of all records, NaN where nothing is shown."""

    def __init__(self, run: Any, kind: str) -> None:
        self.kind = kind
        after = run.after.sealed()
        made = after.rows < 0
        self.after = after.take(~made)
        self.before = run.before.aligned_to(self.after)
        self.all = after
        self.steps = run.steps
        self.tables = run.tables if run.plan.releases_data else ()

    def shown(self, name: str) -> Floats | None:
        column = self.after.columns.get(name)
        return column.numbers() if column is not None and column.kind.is_number else None

    def true(self, name: str) -> Floats:
        return self.before.column(name).numbers()

    def numbers(self) -> list[str]:
        """Columns of amounts that both have."""
        return [
            n for n in self.after.names
            if n in self.before.columns and self.after.column(n).kind.is_number and self.before.column(n).kind.is_number
        ]  # fmt: skip

    def untouched(self, names: tuple[str, ...]) -> bool:
        """Whether the release shows these columns as they were."""
        both = [
            (self.after.column(n).texts(), self.before.column(n).texts())
            for n in names
            if n in self.before.columns
        ]
        return len(both) == len(names) and all(np.array_equal(now, was) for now, was in both)

    def hidden(self, name: str) -> Floats:
        shown = self.shown(name)
        true = self.true(name)
        return ~np.isnan(true) if shown is None else ~np.isnan(true) & ~_same(shown, true)


def attacked(run: Any, kind: str) -> list[Hit]:
    """What all attackers found."""
    seen = Seen(run, kind)
    return [
        hit
        for attacker in (by_sums, by_fractions, by_told, by_tables, by_flags, by_limits)
        for hit in attacker(seen)
    ]


def _same(one: Floats, other: Floats) -> Floats:
    return np.abs(one - other) <= CLOSE * np.maximum(np.abs(other), 1)


def by_sums(seen: Seen) -> Iterator[Hit]:
    """What adds up: a hidden amount from the others, where they are shown."""
    for weights in SUMS[seen.kind]:
        for target, own in weights.items():
            others = [(seen.shown(n), w) for n, w in weights.items() if n != target]
            if any(x is None for x, _ in others):
                continue
            guess = -sum(w * x for x, w in others if x is not None) / own
            sure = seen.hidden(target) & ~np.isnan(guess)
            right = sure & (np.abs(guess - seen.true(target)) <= 0.006)
            yield Hit("by sums", target, int(sure.sum()), int(right.sum()))


def by_fractions(seen: Seen) -> Iterator[Hit]:
    """Whole numbers behind the quotient of two shown ones."""
    names = [n for n in seen.numbers() if _whole(seen.true(n))]
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            x, y = seen.shown(one), seen.shown(other)
            assert x is not None and y is not None
            usable = np.flatnonzero(seen.hidden(one) & seen.hidden(other) & (x > 0) & (y > 0))
            guessed = right = 0
            for row in usable[:150]:
                found = Fraction(float(x[row] / y[row])).limit_denominator(10**6)
                if found.denominator < 50 or abs(float(found) * y[row] / x[row] - 1) > 1e-14:
                    continue
                guessed += 1
                a, b = seen.true(one)[row], seen.true(other)[row]
                right += bool(b > 0 and Fraction(int(a), int(b)) == found)
            yield Hit("by fractions", f"{one}/{other}", guessed, right)
        yield from _of_quotients(seen, one)


def _of_quotients(seen: Seen, over: str) -> Iterator[Hit]:
    """The same for a column that is a quotient itself."""
    for name in seen.after.names:
        if name in seen.before.columns or not seen.after.column(name).kind.is_number:
            continue
        q, true = seen.after.column(name).numbers(), seen.true(over)
        hidden = np.flatnonzero(seen.hidden(over) & ~np.isnan(q) & (q != 0))[:150]
        guessed = right = 0
        for row in hidden:
            found = Fraction(float(q[row])).limit_denominator(10**6)
            if found.denominator < 50 or abs(float(found) / q[row] - 1) > 1e-14:
                continue
            guessed += 1
            right += bool(true[row] and int(true[row]) % found.denominator == 0)
        yield Hit("by fractions", f"{name} over {over}", guessed, right)


def _whole(x: Floats) -> bool:
    known = x[~np.isnan(x)]
    return bool(len(known) and np.all(known == np.rint(known)))


def _told(fact: Any) -> Iterator[float]:
    if isinstance(fact, Mapping):
        for part in fact.values():
            yield from _told(part)
    elif isinstance(fact, list | tuple):
        for part in fact:
            yield from _told(part)
    elif isinstance(fact, int | float) and not isinstance(fact, bool):
        yield float(fact)


def by_told(seen: Seen) -> Iterator[Hit]:
    """Figures that the documents tell and that are the value of one or two records, where it is hidden."""
    told = {
        x
        for step in seen.steps
        for x in _told(step.tells)
        if len(f"{abs(x):.10g}".replace(".", "").strip("0")) >= 5
    }
    named = {str(x) for step in seen.steps for x in _told(step.method.model_dump(mode="json"))}
    for name in [n for n in seen.before.names if seen.before.column(n).kind.is_number and n != "w"]:
        true, hidden = seen.true(name), seen.hidden(name)
        rare = [
            x
            for x in told
            if str(x) not in named and 0 < np.count_nonzero(true == x) < 3 and hidden[true == x].all()
        ]
        yield Hit("by told figures", name, FEW * len(rare), FEW * len(rare))


def by_tables(seen: Seen) -> Iterator[Hit]:
    """Hidden cells of a table as sums of the released records, weighted or not."""
    for entry in seen.tables:
        names, value = entry.plan.described.by, entry.plan.described.value
        if any(n not in seen.all.columns for n in (*names, *((value,) if value else ()))):
            continue
        if entry.plan.described.source == "result" and not seen.untouched(
            (*names, *((value,) if value else ()))
        ):
            continue  # its cells are sums of masked records, which everybody has
        records = [np.array(["" if t is None else str(t) for t in seen.all.column(n).texts()]) for n in names]
        amounts = seen.all.column(value) if value else None
        if amounts is not None and not amounts.kind.is_number:
            continue
        x = np.ones(len(seen.all)) if amounts is None else amounts.numbers()
        weights = seen.all.columns.get("w")
        ways = [x] if weights is None or not weights.kind.is_number else [x, x * weights.numbers()]
        yield from (_summed(entry, records, one) for one in ways)


def _summed(entry: Any, records: list[Floats], x: Floats) -> Hit:
    table = entry.pattern.table
    codes = [table.codes(j) for j in range(len(records))]
    guessed = right = 0
    for cell in np.flatnonzero(entry.pattern.suppressed):
        fits = np.ones(len(x), dtype=bool)
        for j, own in enumerate(records):
            fits &= own == str(codes[j][cell])
        if fits.any() and not np.isnan(x[fits]).any():
            guessed += 1
            right += bool(abs(x[fits].sum() - table.value[cell]) <= 0.006)
    return Hit("by tables", entry.name, guessed, right * (FEW if guessed else 0))


def by_flags(seen: Seen) -> Iterator[Hit]:
    """A flag beside a suppressed cell that still says on which side of a limit it lay."""
    for step in seen.steps:
        for name in step.method.treated_columns() if step.method.id == "microdata.top-bottom-code" else ():
            flag = seen.after.columns.get(f"{name}{getattr(step.method, 'flag', '')}")
            column = seen.after.columns.get(name)
            if flag is None or column is None or flag is column:
                continue
            texts = flag.texts()
            says = np.array([(t is not None and "lower" in str(t)) or "upper" in str(t) for t in texts])
            both = int(np.count_nonzero(says & column.suppressed))
            yield Hit("by flags", name, both, both)


def by_limits(seen: Seen) -> Iterator[Hit]:
    """A told limit under noise: shown/limit is the factor of the record, which other columns may share."""
    for step in seen.steps:
        if step.method.id != "microdata.top-bottom-code":
            continue
        for name in step.method.treated_columns():
            x = seen.shown(name)
            for limit in {t for t in _told(step.tells) if t > 0} if x is not None else ():
                stood = seen.true(name) >= limit
                for other in seen.numbers():
                    y = seen.shown(other)
                    with np.errstate(all="ignore"):
                        guess = y * limit / x
                    sure = (
                        stood & seen.hidden(other) & seen.hidden(name) & np.isfinite(guess)
                        if other != name
                        else np.zeros(0, bool)
                    )
                    right = sure & _same(np.rint(guess), seen.true(other)) if other != name else sure
                    yield Hit("by limits", f"{other} by {name}", int(sure.sum()), int(right.sum()))
