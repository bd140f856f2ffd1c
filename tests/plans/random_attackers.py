"""Simple attackers of what a drawn plan has released. They read what is public; originals are for scoring only. They share nothing with the program.

Each says how many hidden values it guessed, how many of the guesses are right, and how many chance would make right. Hidden is a value that the release
does not show itself: suppressed, changed, or of a column that is gone. Right is a guess that is exact, and one that is nearer than the probable error that the
steps declare for the value; the latter may be so for half of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import binom

from plans.random_plans import SUMS

Floats = np.ndarray[Any, Any]
CLOSE = 1e-9
LEVEL = 1e-7
"""A result that chance gives more rarely is a leak: some hundred thousand are looked at."""
BY_CHANCE = 0.02
"""A fraction with a denominator of fifty or more divides a number by chance at most so often."""
SHIFTS = 8
"""So often guesses are held against the truth of other records."""
MOST_RECORDS = 30
"""In larger cells nobody is the only one who was changed."""
AROUND = 3
"""Units on either side of the truth: a guess that is near for other reasons is as often one of these as it is exact."""


@dataclass(frozen=True)
class Hit:
    """Guesses of one attacker at one column, table or pair of columns."""

    attacker: str
    where: str
    guessed: int
    right: int

    chance: float = 0.0
    """The share of guesses that is right by chance, or may be."""

    @property
    def leaks(self) -> bool:
        """Whether more guesses are right than chance would give, or the cards allow."""
        return self.right > 0 and bool(binom.sf(self.right - 1, self.guessed, self.chance) < LEVEL)


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
        self.near = _probable_errors(run, self.after.rows)

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


def _probable_errors(run: Any, rows: Floats) -> dict[str, Floats]:
    """Column -> the largest probable error that a step declares for each released record; 0 where none does."""
    found: dict[str, Floats] = {}
    data = run.before
    for step in run.steps:
        place = {row: i for i, row in enumerate(data.rows.tolist())}
        at = np.array([place.get(row, -1) for row in rows.tolist()])
        for name, error in step.method.probable_error(data).items():
            own = np.where(at >= 0, np.nan_to_num(error[at]), 0.0)
            found[name] = np.maximum(found.get(name, own), own)
        data = step.after
    return found


def attacked(run: Any, kind: str) -> list[Hit]:
    """What all attackers found."""
    seen = Seen(run, kind)
    return [hit for attacker in ATTACKERS for hit in attacker(seen)]


def _same(one: Floats, other: Floats) -> Floats:
    return np.abs(one - other) <= CLOSE * np.maximum(np.abs(other), 1)


def unit(x: Floats) -> float:
    """Amounts are whole, or in cents."""
    return 1.0 if _whole(x) else 0.01


def scored(
    attacker: str, where: str, guess: Floats, seen: Seen, name: str, among: Any = True
) -> Iterator[Hit]:
    """Guesses of a column, as exact ones and as near ones; NaN where nothing is guessed."""
    true = seen.true(name)
    sure = seen.hidden(name) & np.isfinite(guess) & among
    if not sure.any():
        return
    one, guessed, rows = unit(true), guess[sure], np.flatnonzero(sure)
    off = np.abs(guessed - true[sure])
    exact = off <= 0.6 * one
    others = [true[(rows + len(true) * i // (SHIFTS + 1)) % len(true)] for i in range(1, SHIFTS + 1)]
    by_chance = np.mean([np.abs(guessed - other) <= 0.6 * one for other in others])
    smooth = np.mean(off <= (AROUND + 0.6) * one) / (2 * AROUND + 1)
    chance = float(max(by_chance, smooth, 1 / (SHIFTS * len(rows))))
    yield Hit(attacker, where, len(rows), int(exact.sum()), chance)
    error = seen.near.get(name, np.zeros(len(true)))[sure]
    told = error > one
    if told.any():
        near = (off < error)[told]
        by_chance = np.mean([(np.abs(guessed - other) < error)[told] for other in others])
        yield Hit(f"{attacker}, nearly", where, int(told.sum()), int(near.sum()), float(max(0.5, by_chance)))


def as_shown(seen: Seen) -> Iterator[Hit]:
    """What is shown itself, a little smaller or larger: no nearer to the truth than the cards say."""
    for name in seen.near:
        x = seen.shown(name) if name in seen.before.columns and name in seen.after.columns else None
        for factor in (0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2) if x is not None else ():
            yield from (
                hit
                for hit in scored("as shown", f"{name} / {factor}", x / factor, seen, name)
                if "nearly" in hit.attacker
            )


def by_sums(seen: Seen) -> Iterator[Hit]:
    """What adds up: a hidden amount from the others, where they are shown."""
    for weights in SUMS[seen.kind]:
        for target, own in weights.items():
            others = [(seen.shown(n), w) for n, w in weights.items() if n != target]
            if any(x is None for x, _ in others):
                continue
            guess = -sum(w * x for x, w in others if x is not None) / own
            yield from scored("by sums", target, np.asarray(guess), seen, target)


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
            yield Hit("by fractions", f"{one}/{other}", guessed, right, BY_CHANCE)
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
        yield Hit("by fractions", f"{name} over {over}", guessed, right, BY_CHANCE)


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
        yield Hit("by told figures", name, len(rare), len(rare))


def by_tables(seen: Seen) -> Iterator[Hit]:
    """Hidden cells of a table as sums of the released records, weighted or not. What is sought are sums of originals, also of tables of the result."""
    for entry in seen.tables:
        names, value = entry.plan.described.by, entry.plan.described.value
        if any(n not in seen.all.columns for n in (*names, *((value,) if value else ()))):
            continue
        records = [_texts(seen.all, n) for n in names]
        amounts = seen.all.column(value) if value else None
        if amounts is not None and not amounts.kind.is_number:
            continue
        x = np.ones(len(seen.all)) if amounts is None else amounts.numbers()
        weights = seen.all.columns.get("w")
        ways = [x] if weights is None or not weights.kind.is_number else [x, x * weights.numbers()]
        if entry.plan.described.source == "result" and not seen.untouched(
            (*names, *((value,) if value else ()))
        ):
            continue  # what it hides is masked and stands in the records; what the records tell of originals is for the other attackers
        masked = not seen.untouched((*names, *((value,) if value else ())))
        yield from (_summed(entry, records, one, masked=masked) for one in ways)


def _texts(data: Any, name: str) -> Floats:
    return np.array(["" if t is None else str(t) for t in data.column(name).texts()])


def _summed(entry: Any, records: list[Floats], x: Floats, *, masked: bool) -> Hit:
    """Where records were masked nobody knows which sums are right: more than half must not be."""
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
    return Hit("by tables", entry.name, guessed, right if not masked or right > guessed / 2 else 0)


def by_cells(seen: Seen) -> Iterator[Hit]:
    """Hidden values of records as what is left of a published sum of originals, or of the difference of two, when the shown values of the others are taken off."""
    for value in dict.fromkeys(e.plan.described.value for e in seen.tables):
        if value not in seen.before.columns or not seen.before.column(value).kind.is_number:
            continue
        parts, x = _published(seen, value), seen.shown(value)
        if not parts or len(seen.all) != len(seen.after):
            continue
        alone = np.full(len(seen.after), np.nan) if x is None else x
        for weights in _weights(seen):
            guess = np.full(len(alone), np.nan)
            for members, total in _with_differences(parts):
                inside = np.flatnonzero(members)
                gaps = inside[np.isnan(alone[inside])]
                shown = np.nansum(alone[inside] * weights[inside])
                if len(gaps) == 1:
                    guess[gaps] = (total - shown) / weights[gaps]
                elif not len(gaps) and len(inside) < MOST_RECORDS:
                    guess[inside] = (total - shown) / weights[inside] + alone[inside]
            yield from scored("by cells", value, guess, seen, value)


def _weights(seen: Seen) -> list[Floats]:
    shown = seen.shown("w")
    return [np.ones(len(seen.after))] if shown is None else [np.ones(len(seen.after)), shown]


def _published(seen: Seen, value: str) -> list[tuple[Floats, float]]:
    """Which released records each open cell of the original holds, and its value; by columns that are as they were."""
    found = []
    for entry in seen.tables:
        described, table = entry.plan.described, entry.pattern.table
        if described.source != "original" or described.value != value:
            continue
        if any(n not in seen.after.columns for n in described.by) or not seen.untouched(described.by):
            continue
        own = [_texts(seen.after, n) for n in described.by]
        for cell in np.flatnonzero(entry.pattern.status == 0):
            members = np.ones(len(seen.after), dtype=bool)
            for j, tree in enumerate(table.dimensions):
                members &= np.isin(own[j], _below(tree, int(table.cells[cell, j])))
            if members.any():
                found.append((members, float(table.value[cell])))
    return found


def _below(tree: Any, node: int) -> list[str]:
    """The code and all under it."""
    nodes = [node]
    for one in nodes:
        nodes.extend(np.flatnonzero(tree.parent == one).tolist())
    return [str(tree.codes[one]) for one in nodes]


def _with_differences(parts: list[tuple[Floats, float]]) -> Iterator[tuple[Floats, float]]:
    """The cells, and what one has more than another that it holds: margins without their parts, and cells of two tables."""
    yield from parts
    for outer, much in parts:
        for inner, less in parts:
            if outer.sum() > inner.sum() and not (inner & ~outer).any():
                yield outer & ~inner, much - less


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
                    if other != name:
                        stood_only = stood & seen.hidden(name)
                        where = f"{other} by {name}"
                        yield from scored("by limits", where, np.rint(guess), seen, other, stood_only)


ATTACKERS = (as_shown, by_sums, by_fractions, by_told, by_tables, by_cells, by_flags, by_limits)
