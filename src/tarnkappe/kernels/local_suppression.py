"""Local suppression: which cells to suppress so that no record stands out, at little cost.

Records are compared by 64-bit sums of random numbers, one for every value of every key and one for its mark of suppression:
suppressing a cell is an exchange of numbers. Two different records have the same sum with a probability of about 2⁻⁶⁴; whoever
calls checks the result by exact counting.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sums = NDArray[np.uint64]

SEED = 20261116
MOST_PATTERNS = 200_000
"""With more keys than give so many sets, the larger sets are left out but for all keys together."""
OPEN = 0
FEWEST_STEPS, STEPS_PER_CELL = 2_000_000, 50
"""How long groups are rearranged: steps per key of a record that has suppressed cells."""


class Pattern(NamedTuple):
    """A set of keys that are suppressed together."""

    number: int
    keys: tuple[int, ...]
    cost: float


def patterns(keys: int, importance: Floats) -> list[Pattern]:
    """The sets of keys, cheapest first; 0 is the empty set."""
    sets: list[tuple[int, ...]] = []
    for size in range(1, keys + 1):
        of_size = list(combinations(range(keys), size))
        if len(sets) + len(of_size) > MOST_PATTERNS:
            sets.append(tuple(range(keys)))
            break
        sets += of_size
    sets.sort(key=lambda s: (float(importance[list(s)].sum()), len(s), s))
    return [Pattern(i, s, float(importance[list(s)].sum())) for i, s in enumerate(sets, 1)]


@dataclass
class Records:
    """Records as sums of random numbers, one per key."""

    parts: Sums
    """What each key contributes: records × keys."""
    marks: Sums
    """What a suppressed cell contributes instead, by key."""
    fixed: Bools
    """Cells that cannot be suppressed: missing ones."""
    whole: Sums
    """The sum over all keys."""
    before: Bools
    """Cells that were suppressed before."""
    always: Ints
    """A number per record that must agree too: its stratum."""
    mask: Ints = field(init=False)
    """The pattern of every record so far; 0 is open."""

    def __post_init__(self) -> None:
        self.mask = np.zeros(len(self.whole), dtype=np.int64)

    @cached_property
    def classes(self) -> Ints:
        """Numbers of the classes of records that agree in all keys."""
        return np.unique(self.whole, return_inverse=True)[1]

    def shown(self, pattern: Pattern, of: Ints) -> Sums:
        """What is shown of records when a pattern is suppressed: fixed cells stay."""
        keys = list(pattern.keys)
        change = self.marks[keys] - self.parts[of][:, keys]
        if self.fixed.any():
            change[self.fixed[of][:, keys]] = 0
        out: Sums = self.whole[of] + change.sum(axis=1, dtype=np.uint64)
        return out

    def outside(self, pattern: Pattern, of: Ints) -> Sums:
        """The keys outside a pattern: records that agree there are covered by one that suppresses it."""
        out: Sums = self.whole[of] - self.parts[of][:, list(pattern.keys)].sum(axis=1, dtype=np.uint64)
        return out

    def can_cover(self, pattern: Pattern, of: Ints) -> Bools:
        """Records whose cells in a pattern can all be suppressed, and not all are already."""
        keys = list(pattern.keys)
        out: Bools = ~np.asarray(self.fixed[of][:, keys].any(axis=1) | self.before[of][:, keys].all(axis=1))
        return out


def records_of(codes: Ints, fixed: Bools, always: Ints, before: Bools, *, marked: bool) -> Records:
    """Sums of records.

    Parameters
    ----------
    codes
        Records × keys; any whole numbers.
    fixed
        Cells that cannot be suppressed.
    always
        A number per record that must agree too: its stratum.
    before
        Cells that were suppressed before.
    marked
        Whether a cell that was suppressed before counts as its mark, not as the value under it.
    """
    generator = np.random.Generator(np.random.PCG64(SEED))

    def numbers(column: Ints) -> Sums:
        _, inverse = np.unique(column, return_inverse=True)
        drawn = generator.integers(0, 2**64, int(inverse.max(initial=-1)) + 1, dtype=np.uint64)
        return drawn[inverse]

    parts = np.column_stack([numbers(codes[:, j]) for j in range(codes.shape[1])])
    marks = generator.integers(0, 2**64, (codes.shape[1],), dtype=np.uint64)
    if marked:
        parts = np.where(before, marks, parts)
    whole = parts.sum(axis=1, dtype=np.uint64) + numbers(always)
    return Records(parts, marks, fixed, whole, before, always)


# -- every combination that is shown stands k times --------------------------------------------------------------------


def strict(records: Records, k: int, sets: Sequence[Pattern]) -> Ints:
    """The pattern of every record so that each released combination, marks included, is shared by k records.

    Records of small classes are taken together where they agree outside a cheap pattern; where too few do, records of
    large classes join them, or, where nothing else helps, whole groups do. Afterwards the groups are rearranged as long as that
    lowers the cost (`kernels/regrouping.py`).

    A fixed cell is shown as it is and may leave a record that nothing shown is like. It is covered instead: k records that are
    alike have the cells suppressed in which it differs. Records that nothing helps keep 0; the caller sees that they are too few.
    """
    left = np.flatnonzero(np.bincount(records.classes)[records.classes] < k)
    for same_cost, dearer in _by_cost(sets):
        left = _together(records, k, same_cost, left)
        left = _with_donors(records, k, same_cost, left, dearer)
        if not len(left):
            break
    left = _dissolving(records, k, sets, left)
    _rearranged(records, k, sets, left)
    left = _covered(records, k, sets, left)
    _widened(records, k, sets, left)
    return records.mask


def _sizes(sums: Sums) -> Ints:
    """How many records have the same sum, for each."""
    _, inverse, counts = np.unique(sums, return_inverse=True, return_counts=True)
    out: Ints = counts[inverse]
    return out


def _by_cost(sets: Sequence[Pattern]) -> Iterator[tuple[list[Pattern], float]]:
    """Patterns of equal cost together, and what the next dearer ones cost."""
    costs = sorted({p.cost for p in sets})
    for cost, dearer in zip(costs, [*costs[1:], np.inf], strict=True):
        yield [p for p in sets if p.cost == cost], dearer


def _together(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> Ints:
    """Suppress where k small ones agree; first the pattern that helps most.

    What a pattern can do only shrinks, so an old bound is worked out anew only when its turn comes.
    """
    queue = [(-len(left), p.number, p) for p in sets]
    heapq.heapify(queue)
    while queue and len(left) >= k:
        bound, _, pattern = heapq.heappop(queue)
        helped = _sizes(records.shown(pattern, left)) >= k
        found = int(np.count_nonzero(helped))
        if not found:
            continue
        if queue and found < -queue[0][0] and found < -bound:
            heapq.heappush(queue, (-found, pattern.number, pattern))
            continue
        records.mask[left[helped]] = pattern.number
        left = left[~helped]
    return left


def _with_donors(records: Records, k: int, sets: Sequence[Pattern], left: Ints, dearer: float) -> Ints:
    """Let records already suppressed alike, or of classes with more than k open records, fill up small groups."""
    for pattern in sets:
        if not len(left):
            break
        groups, inverse, few = np.unique(
            records.shown(pattern, left), return_inverse=True, return_counts=True
        )
        alike = np.flatnonzero(records.mask == pattern.number)
        there = np.bincount(_near(groups, records.shown(pattern, alike))[1], minlength=len(groups))
        lacking = k - few - there
        worth = (lacking <= 0) | (pattern.cost * (few + lacking) <= dearer * few)
        wanted = np.where(worth, np.maximum(lacking, 0), 0)
        if wanted.any():
            spare = _spare(records, k, left)
            found, of = _near(groups, records.shown(pattern, spare))
            surplus = spare[found]
            taken = _surplus(records, k, surplus, of, wanted)
            worth &= np.bincount(of[taken], minlength=len(groups)) >= lacking
            records.mask[surplus[taken & worth[of]]] = pattern.number
        helped = worth[inverse]
        records.mask[left[helped]] = pattern.number
        left = left[~helped]
    return left


def _spare(records: Records, k: int, left: Ints) -> Ints:
    """Open records of classes that have more than k of them, but those that are left over."""
    is_open = records.mask == OPEN
    counts = np.bincount(records.classes[is_open], minlength=int(records.classes.max(initial=-1)) + 1)
    is_open[left] = False
    return np.flatnonzero(is_open & (counts[records.classes] > k))


def _near(groups: Sums, sums: Sums) -> tuple[Bools, Ints]:
    """Which sums are among those of groups in ascending order, and for those of which group."""
    place = np.minimum(np.searchsorted(groups, sums), len(groups) - 1)
    near = groups[place] == sums
    return near, place[near]


def _dissolving(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> Ints:
    """Let whole groups of records that are shown alike join the rest: the last resort, on what is left."""
    by_number = {OPEN: Pattern(OPEN, (), 0.0), **{p.number: p for p in sets}}
    for pattern in sets:
        if not len(left):
            break
        inside = [n for n, p in by_number.items() if set(p.keys) <= set(pattern.keys)]
        others = np.setdiff1d(np.flatnonzero(np.isin(records.mask, inside)), left)
        theirs, mine = records.shown(pattern, others), records.shown(pattern, left)
        alike = _as_shown(records, others, by_number)
        helped = np.zeros(len(left), dtype=np.bool_)
        for group in np.unique(mine):
            few, near = mine == group, np.flatnonzero(theirs == group)
            joining = near[_smallest_groups(alike[near], k - int(few.sum()))]
            if few.sum() + len(joining) >= k:
                records.mask[others[joining]] = pattern.number
                helped |= few
        records.mask[left[helped]] = pattern.number
        left = left[~helped]
    return left


def _as_shown(records: Records, of: Ints, by_number: dict[int, Pattern]) -> Sums:
    """What is shown of records now."""
    shown = np.empty(len(of), dtype=np.uint64)
    for number in np.unique(records.mask[of]):
        mine = records.mask[of] == number
        shown[mine] = records.shown(by_number[int(number)], of[mine])
    return shown


def _smallest_groups(groups: Sums, wanted: int) -> Bools:
    """Members of whole groups, the smallest first, until there are enough."""
    _, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(sizes, kind="stable")
    before = np.cumsum(sizes[order]) - sizes[order]
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    chosen[order[before < wanted]] = True
    out: Bools = chosen[inverse]
    return out


def _covered(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> Ints:
    """Cover single records: k others that agree with them outside a pattern are suppressed there, all alike. Those that are left."""
    for pattern in sets:
        if not len(left):
            break
        groups, inverse = np.unique(records.outside(pattern, left), return_inverse=True)
        others = np.flatnonzero(np.isin(records.mask, (OPEN, pattern.number)))
        others = others[records.can_cover(pattern, others)]
        theirs = records.outside(pattern, others)
        place = np.minimum(np.searchsorted(groups, theirs), len(groups) - 1)
        near = groups[place] == theirs
        others, place = others[near], place[near]
        is_open = records.mask[others] == OPEN
        lacking = np.maximum(k - np.bincount(place[~is_open], minlength=len(groups)), 0)
        surplus, of = others[is_open], place[is_open]
        taken = _surplus(records, k, surplus, of, lacking)
        done = np.bincount(of[taken], minlength=len(groups)) >= lacking
        records.mask[surplus[taken & done[of]]] = pattern.number
        left = left[~done[inverse]]
    return left


def _widened(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> None:
    """Let a group lose all keys in which it differs from a record that nothing else covers, or k of its members: the cheapest."""
    by_number, cost = _tables(records, sets)
    numbers = {row.tobytes(): number for number, row in enumerate(by_number)}
    others = np.setdiff1d(np.flatnonzero(~records.fixed.any(axis=1)), left)
    patterns = {OPEN: Pattern(OPEN, (), 0.0), **{p.number: p for p in sets}}
    for i in left[np.unique(records.whole[left], return_index=True)[1]]:
        near = others[records.always[others] == records.always[i]]
        _, first, group, size = np.unique(
            _as_shown(records, near, patterns), return_index=True, return_inverse=True, return_counts=True
        )
        now = by_number[records.mask[near[first]]]
        wider = now | (records.parts[near[first]] != records.parts[i])
        number = np.array([numbers.get(row.tobytes(), len(sets)) for row in wider], dtype=np.int64)
        price = (cost[number] - cost[records.mask[near[first]]]) * np.where(size >= 2 * k, k, size)
        if not (size >= k).any():
            continue
        best = int(np.argmin(np.where(size >= k, price, np.inf)))
        members = near[group == best]
        records.mask[members[: k if len(members) >= 2 * k else len(members)]] = number[best]


def _tables(records: Records, sets: Sequence[Pattern]) -> tuple[Bools, Floats]:
    """The keys of every pattern, and what it costs."""
    hidden = np.zeros((len(sets) + 1, records.parts.shape[1]), dtype=np.bool_)
    for pattern in sets:
        hidden[pattern.number, list(pattern.keys)] = True
    return hidden, np.array([0.0, *(p.cost for p in sets)])


def _surplus(records: Records, k: int, candidates: Ints, group: Ints, wanted: Ints) -> Bools:
    """So many candidates for every group as wanted, and from no class so many that fewer than k stay open."""
    is_open = records.mask == OPEN
    open_ones = np.bincount(records.classes[is_open], minlength=int(records.classes.max(initial=-1)) + 1)
    of_class = records.classes[candidates]
    within_class = rank(of_class) < (open_ones - k)[of_class]
    chosen = np.zeros(len(candidates), dtype=np.bool_)
    fit = np.flatnonzero(within_class)
    chosen[fit[rank(group[fit]) < wanted[group[fit]]]] = True
    return chosen


def rank(groups: Ints) -> Ints:
    """The place of every entry among those of its group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    first = np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    out = np.empty(len(groups), dtype=np.int64)
    out[order] = np.arange(len(groups)) - first
    return out


def _rearranged(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> None:
    """Rearrange the groups of records without fixed cells; those that had cells suppressed before stay where they are."""
    from tarnkappe.kernels.regrouping import rearranged  # noqa: PLC0415 - numba is loaded when first used
    from tarnkappe.kernels.shown_groups import Shown  # noqa: PLC0415 - as above

    records.mask = _with_before(records, sets)
    of = np.setdiff1d(np.flatnonzero(~records.fixed.any(axis=1)), left)
    busy = int(np.count_nonzero(records.mask[of]))
    if not busy:
        return
    keys = np.full((len(sets) + 1, records.parts.shape[1]), -1)
    for pattern in sets:
        keys[pattern.number, : len(pattern.keys)] = pattern.keys
    _, cost = _tables(records, sets)
    held = np.asarray(records.before[of].any(axis=1))
    shown = Shown(records.whole[of], records.marks - records.parts[of], keys, cost, records.mask[of], held)
    records.mask[of] = rearranged(shown, k, max(FEWEST_STEPS, STEPS_PER_CELL * busy * keys.shape[1]))


def _with_before(records: Records, sets: Sequence[Pattern]) -> Ints:
    """The patterns of the records with the cells that were suppressed before."""
    of = np.flatnonzero(records.before.any(axis=1))
    if not len(of):
        return records.mask
    hidden, _ = _tables(records, sets)
    rows, inverse = np.unique(hidden[records.mask[of]] | records.before[of], axis=0, return_inverse=True)
    out = records.mask.copy()
    for row, cells in enumerate(rows):
        out[of[inverse.reshape(-1) == row]] = np.flatnonzero((hidden == cells).all(axis=1))[:1]
    return out
