"""Which columns of numbers add up or are proportional? Equations that hold in nearly all records, exactly or to the rounding of the columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.linear_relations import EXACT, SMALL, LinearRelation, unit_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.vocab import Role

NEARLY_ALL = 0.99
"""An equation holds in so many of the records that have its columns: a few faulty records hide none."""
SAMPLE, FITTED = 5000, 3000
"""Records looked at, and those to which sums of many columns are fitted, evenly from the file; what is found is then tried on all records."""
GLANCE = 40
"""Records at which all pairs of columns are looked at first."""
SPARE = 12
"""Records needed beyond the number of columns; with fewer, an equation fits by chance."""
TELLING = 3
"""Different values that a column must have at least: among zeros and ones everything adds up somewhere."""
APART = 1e-3
"""A formula by least squares is looked at closer where it is off by so little, as a share of how far values lie apart."""
MOST_DIGITS = 15
_NO_AMOUNTS = (Role.IDENTIFIER, Role.OWNER, Role.HOUSEHOLD, Role.UNIT)


class _Sample(NamedTuple):
    """Some records of the columns of numbers."""

    names: tuple[str, ...]
    x: Floats
    units: Floats
    """The unit of the last digit of every column; 0 where it has none."""


def found_relations(data: Microdata, names: Sequence[str] | None = None) -> tuple[LinearRelation, ...]:
    """Linear equations between columns of numbers that hold in nearly all records; those that follow from others are left out.

    Looked for are columns that are proportional, sums and differences of two, and sums of several columns with any coefficients and a constant.
    Records without one of the columns are passed over. The column that is alone on its side of the equation, the sum, is the one that follows.
    """
    sample = _sample(data, names)
    if len(sample.names) < 2:
        return ()
    found: list[LinearRelation] = []
    for coefficients, constant in _candidates(sample):
        relation = LinearRelation(coefficients, constant)
        if _independent(found, relation) and _confirmed(relation, data):
            found.append(LinearRelation(coefficients, constant, "=", follower(relation, data)))
    return tuple(found)


def nearly_holds(relation: LinearRelation, data: Microdata) -> bool:
    """Whether an equation holds in nearly all records that have its columns, and in more than a few of them says something."""
    return _confirmed(relation, data)


def follower(relation: LinearRelation, data: Microdata) -> str:
    """The column that follows from the others: alone on its side where all signs are turned to plus, else the largest."""
    if len(relation.coefficients) == 2:
        return max(relation.columns, key=data.names.index)
    signs = {n: np.sign(c) for n, c in relation.coefficients.items()}
    alone = [n for n, sign in signs.items() if list(signs.values()).count(sign) == 1]
    if len(alone) == 1:
        return alone[0]
    return max(relation.columns, key=lambda n: float(np.nansum(np.abs(data.column(n).numbers()))))


# -- the sample --------------------------------------------------------------------------------------------------


def _sample(data: Microdata, names: Sequence[str] | None) -> _Sample:
    left_out = {n for role in _NO_AMOUNTS for n in data.role(role)}
    chosen = [
        n
        for n in (data.names if names is None else names)
        if n not in left_out and data.column(n).kind.is_number
    ]
    rows = _evenly(len(data), SAMPLE)
    columns = {n: data.column(n).take(rows).numbers() for n in chosen}
    columns = {n: np.where(np.isfinite(v), v, np.nan) for n, v in columns.items()}
    telling = [n for n, v in columns.items() if _several_values(v)]
    x = np.column_stack([columns[n] for n in telling]) if telling else np.zeros((len(rows), 0))
    return _Sample(tuple(telling), x, np.array([unit_of(x[:, j]) for j in range(x.shape[1])]))


def _several_values(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return len(known) >= SPARE and len(np.unique(known[:SAMPLE])) >= TELLING


def _evenly(count: int, most: int) -> Ints:
    return (
        np.linspace(0, count - 1, min(count, most)).astype(np.int64) if count else np.zeros(0, dtype=np.int64)
    )


# -- candidates --------------------------------------------------------------------------------------------------

Candidate = tuple[Mapping[str, float], float]


def _candidates(sample: _Sample) -> Iterator[Candidate]:
    """Equations that hold in the sample: the shortest first."""
    dependent: set[int] = set()
    for finder in (_proportional, _sums_of_two, _sums_of_many):
        for columns, weights, constant in finder(sample, dependent):
            dependent |= set([j for j in reversed(columns) if j not in dependent][:1])
            yield {sample.names[j]: w for j, w in zip(columns, weights, strict=True)}, constant


Terms = tuple[tuple[int, ...], tuple[float, ...], float]
"""Columns, the last of which follows from the others; their coefficients; the constant."""


def _proportional(sample: _Sample, dependent: set[int]) -> Iterator[Terms]:
    x = sample.x
    for a, b in combinations(range(x.shape[1]), 2):
        if a in dependent or b in dependent:
            continue
        both = ~np.isnan(x[:, a]) & ~np.isnan(x[:, b]) & (x[:, a] != 0)
        if np.count_nonzero(both) < SPARE:
            continue
        rows = np.flatnonzero(both)
        glance = rows[_evenly(len(rows), GLANCE)]
        ratios = x[glance, b] / x[glance, a]
        middle = float(np.median(ratios))
        if middle == 0 or np.mean(np.abs(ratios - middle) <= 0.05 * abs(middle)) < 0.8:
            continue
        largest = rows[np.argsort(np.abs(x[rows, a]))[-max(SPARE, len(rows) // 10) :]]
        weight = float(np.median(x[largest, b] / x[largest, a]))  # where rounding matters least
        if found := _simplest(sample, (a, b), np.array([-weight, 1.0]), 0.0):
            yield found


def _sums_of_two(sample: _Sample, dependent: set[int]) -> Iterator[Terms]:
    """Columns that are the sum of two others: all pairs at once, at a few records in which none is empty or zero."""
    x, free = sample.x, [j for j in range(sample.x.shape[1]) if j not in dependent]
    for a, b in combinations(free, 2):
        others = np.array([c for c in free if c not in (a, b)])
        if not len(others):
            continue
        rows = np.flatnonzero((x[:, a] != 0) & (x[:, b] != 0) & ~np.isnan(x[:, a] + x[:, b]))
        if len(rows) < SPARE:
            continue
        glance = rows[_evenly(len(rows), GLANCE)]
        made = (x[glance, a] + x[glance, b])[:, None]
        allowed = EXACT * np.abs(made) + (sample.units[a] + sample.units[b] + sample.units[others]) / 2
        with np.errstate(invalid="ignore"):
            near = np.abs(made - x[np.ix_(glance, others)]) <= allowed
        there = ~np.isnan(x[np.ix_(glance, others)])
        for c in others[(near.sum(axis=0) >= 0.8 * there.sum(axis=0)) & (there.sum(axis=0) >= SPARE / 2)]:
            if found := _simplest(sample, (a, b, int(c)), np.array([-1.0, -1.0, 1.0]), 0.0):
                yield found
                break


def _sums_of_many(sample: _Sample, dependent: set[int]) -> Iterator[Terms]:
    """Columns that are a linear formula of those before them, those with the fewest gaps first."""
    x = sample.x
    there = ~np.isnan(x)
    order = [int(j) for j in np.argsort(-there.sum(axis=0), kind="stable") if j not in dependent]
    basis: list[int] = []
    for target in order:
        for chosen in _explaining(there, basis, target):
            rows = np.flatnonzero(there[:, [*chosen, target]].all(axis=1))
            if len(rows) < 2 * (len(chosen) + 1) + SPARE:
                continue
            if found := _fitted(sample, chosen, target, rows[_evenly(len(rows), FITTED)]):
                yield found
                break
        else:
            basis.append(target)


def _explaining(there: Bools, basis: list[int], target: int) -> Iterator[list[int]]:
    """Columns that may explain another: all, and those without gaps where it has a value."""
    whole = [j for j in basis if not (there[:, target] & ~there[:, j]).any()]
    if whole:
        yield whole
    if len(basis) > len(whole):
        yield basis


def _fitted(sample: _Sample, chosen: list[int], target: int, rows: Ints) -> Terms | None:
    """The linear formula of a column by least squares, twice more without the records that fit worst."""
    x, y = sample.x[rows][:, chosen], sample.x[rows, target]
    size = np.maximum(np.abs(x).max(axis=0), 1e-300)
    design = np.column_stack([np.ones(len(rows)), x / size])
    used = np.ones(len(rows), dtype=np.bool_)
    for _ in range(3):
        weights, *_rest = np.linalg.lstsq(design[used], y[used], rcond=None)
        off = np.abs(design @ weights - y)
        if np.median(off) > APART * np.median(np.abs(y - np.median(y))):
            return None
        if found := _cleared(sample, chosen, target, rows, weights):
            return found
        used = off <= np.quantile(off, 0.9)
    return None


def _cleared(sample: _Sample, chosen: list[int], target: int, rows: Ints, weights: Floats) -> Terms | None:
    """A formula without the columns that tell nothing in it, fitted again."""
    x, y = sample.x[rows][:, chosen], sample.x[rows, target]
    size = np.maximum(np.abs(x).max(axis=0), 1e-300)
    typical = np.median(np.abs(x / size), axis=0) + 0.01
    allowed = max(sample.units[target] / 2, 1e-7 * float(np.median(np.abs(y))))
    kept = np.flatnonzero(np.abs(weights[1:]) * typical > allowed)
    if not len(kept):
        return None
    design = np.column_stack([np.ones(len(rows)), x[:, kept] / size[kept]])
    again, *_ = np.linalg.lstsq(design, y, rcond=None)
    columns = (*(chosen[j] for j in kept), target)
    constant = float(again[0]) if abs(again[0]) > allowed else 0.0
    return _simplest(sample, columns, np.array([*(-again[1:] / size[kept]), 1.0]), -constant)


def _simplest(sample: _Sample, columns: tuple[int, ...], weights: Floats, constant: float) -> Terms | None:
    """The equation with the fewest digits that holds in nearly all records of the sample."""
    x = sample.x[:, columns]
    x = x[~np.isnan(x).any(axis=1)]
    for digits in range(1, MOST_DIGITS + 1):
        tried = np.array([float(f"{w:.{digits}g}") for w in weights])
        with_digits = float(f"{constant:.{digits}g}")
        if _holds(x, tried, with_digits, sample.units[list(columns)]):
            return columns, tuple(tried.tolist()), with_digits
    return None


def _holds(x: Floats, weights: Floats, constant: float, units: Floats) -> bool:
    """Whether an equation holds in nearly all records and in more than a few of them without zeros."""
    terms = np.abs(x * weights)
    rounding = float(np.abs(weights) @ units) / 2
    middle = max((float(np.median(t[t > 0])) for t in terms.T if (t > 0).any()), default=0.0)
    allowed = EXACT * terms.max(axis=1, initial=abs(constant)) + (
        rounding if rounding <= SMALL * middle else 0.0
    )
    fits = np.abs(x @ weights + constant) <= allowed
    telling = np.count_nonzero(fits & (x != 0).all(axis=1))
    return bool(len(x) >= SPARE and fits.mean() >= NEARLY_ALL and telling >= max(SPARE, 0.02 * len(x)))


# -- all records -------------------------------------------------------------------------------------------------


def _confirmed(relation: LinearRelation, data: Microdata) -> bool:
    there = np.logical_and.reduce([data.column(n).observed for n in relation.columns])
    there &= ~np.isnan(relation.sum(data))
    broken = relation.broken(data)
    few = (1 - NEARLY_ALL) * np.count_nonzero(there)
    return bool(there.any() and np.count_nonzero(broken & there) <= few)


def _independent(found: Sequence[LinearRelation], new: LinearRelation) -> bool:
    """Whether an equation says something that the others together do not."""
    names = list(dict.fromkeys(n for relation in (*found, new) for n in relation.columns))
    rows = np.array([[r.coefficients.get(n, 0.0) for n in names] for r in (*found, new)])
    size = np.abs(rows).max(axis=0)
    return bool(np.linalg.matrix_rank(rows / size, tol=1e-9) == len(rows))
