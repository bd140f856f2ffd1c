"""Local suppression: which cells to suppress so that no record stands out, at little cost.

Records are compared by 64-bit sums of random numbers, one for every value of every key: leaving keys out of the
comparison is a subtraction. Two different records have the same sum with a probability of about 2⁻⁶⁴; whoever calls
checks the result by exact counting.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
    fixed: Bools
    """Cells that cannot be suppressed: missing, or suppressed before."""
    whole: Sums
    """The sum over all keys."""
    before: Bools
    """Cells that were suppressed before."""
    mask: Ints = field(init=False)
    """The pattern of every record so far; 0 is open."""

    def __post_init__(self) -> None:
        self.mask = np.zeros(len(self.whole), dtype=np.int64)

    def shown(self, pattern: Pattern, of: Ints) -> Sums:
        """What is shown of records when a pattern is suppressed: fixed cells stay."""
        keys = list(pattern.keys)
        gone = np.where(self.fixed[of][:, keys], np.uint64(0), self.parts[of][:, keys])
        out: Sums = self.whole[of] - gone.sum(axis=1, dtype=np.uint64)
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


def records_of(codes: Ints, fixed: Bools, always: Ints, before: Bools | None = None) -> Records:
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
        Cells that were suppressed before; none if not given.
    """
    generator = np.random.Generator(np.random.PCG64(SEED))

    def numbers(column: Ints) -> Sums:
        _, inverse = np.unique(column, return_inverse=True)
        drawn = generator.integers(0, 2**64, int(inverse.max(initial=-1)) + 1, dtype=np.uint64)
        return drawn[inverse]

    parts = np.column_stack([numbers(codes[:, j]) for j in range(codes.shape[1])])
    whole = parts.sum(axis=1, dtype=np.uint64) + numbers(always)
    return Records(parts, fixed, whole, np.zeros_like(fixed) if before is None else before)


# -- every combination that is shown stands k times --------------------------------------------------------------------


def strict(records: Records, k: int, sets: Sequence[Pattern]) -> Ints:
    """The pattern of every record so that each released combination, marks included, is shared by k records.

    Records of small classes are taken together where they agree outside a cheap pattern; where too few do, records of
    large classes join them, or, where nothing else helps, whole groups do. Afterwards records move to cheaper patterns where both groups stay large enough.

    A fixed cell is shown as it is and may leave a record that nothing shown is like. It is covered instead: k records that are
    alike have the cells suppressed in which it differs. Records that nothing helps keep 0; the caller sees that they are too few.
    """
    left = np.flatnonzero(_sizes(records.whole) < k)
    for same_cost, dearer in _by_cost(sets):
        left = _together(records, k, same_cost, left)
        left = _with_donors(records, k, same_cost, left, dearer)
        if not len(left):
            break
    left = _dissolving(records, k, sets, left)
    while _moved(records, k, [Pattern(OPEN, (), 0.0), *sets]):
        pass
    _covered(records, k, sets, left)
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
        mine = records.shown(pattern, left)
        groups, inverse, few = np.unique(mine, return_inverse=True, return_counts=True)
        others = np.setdiff1d(np.arange(len(records.whole)), left, assume_unique=True)
        usable = others[np.isin(records.mask[others], (OPEN, pattern.number))]
        theirs = records.shown(pattern, usable)
        place = np.minimum(np.searchsorted(groups, theirs), len(groups) - 1)
        near = groups[place] == theirs
        usable, place = usable[near], place[near]
        alike = np.bincount(place[records.mask[usable] == pattern.number], minlength=len(groups))
        lacking = k - few - alike
        worth = (lacking <= 0) | (pattern.cost * (few + lacking) <= dearer * few)
        surplus, of = usable[records.mask[usable] == OPEN], place[records.mask[usable] == OPEN]
        taken = _surplus(records, k, surplus, of, np.where(worth, np.maximum(lacking, 0), 0))
        given = np.bincount(of[taken], minlength=len(groups))
        done = worth & (given >= lacking)
        records.mask[surplus[taken & done[of]]] = pattern.number
        helped = done[inverse]
        records.mask[left[helped]] = pattern.number
        left = left[~helped]
    return left


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
    """What is shown of records now, told apart by their patterns."""
    shown = np.empty(len(of), dtype=np.uint64)
    for number in np.unique(records.mask[of]):
        mine = records.mask[of] == number
        shown[mine] = records.shown(by_number[int(number)], of[mine]) + np.uint64(number)
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


def _covered(records: Records, k: int, sets: Sequence[Pattern], left: Ints) -> None:
    """Cover single records: k others that agree with them outside a pattern are suppressed there, all alike."""
    for pattern in sets:
        if not len(left):
            return
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


def _surplus(records: Records, k: int, candidates: Ints, group: Ints, wanted: Ints) -> Bools:
    """So many candidates for every group as wanted, and from no class so many that fewer than k stay open."""
    is_open = records.mask == OPEN
    classes, inverse = np.unique(records.whole, return_inverse=True)
    spare = np.maximum(np.bincount(inverse[is_open], minlength=len(classes)) - k, 0)
    of_class = inverse[candidates]
    within_class = _rank(of_class) < spare[of_class]
    chosen = np.zeros(len(candidates), dtype=np.bool_)
    fit = np.flatnonzero(within_class)
    chosen[fit[_rank(group[fit]) < wanted[group[fit]]]] = True
    return chosen


def _rank(groups: Ints) -> Ints:
    """The place of every entry among those of its group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    first = np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    out = np.empty(len(groups), dtype=np.int64)
    out[order] = np.arange(len(groups)) - first
    return out


def _moved(records: Records, k: int, sets: Sequence[Pattern]) -> int:
    """Let records change to a cheaper pattern whose group is there already, where their own group can spare them."""
    from tarnkappe.kernels.local_moves import moves  # noqa: PLC0415 - numba is loaded when first used

    cost = np.zeros(max(p.number for p in sets) + 1)
    for pattern in sets:
        cost[pattern.number] = pattern.cost
    by_number = {p.number: p for p in sets}
    everyone = np.arange(len(records.whole))
    shown = _as_shown(records, everyone, by_number)
    moved = 0
    for number in np.unique(records.mask):
        pattern = by_number[int(number)]
        candidates = np.flatnonzero(cost[records.mask] > pattern.cost)
        if not len(candidates):
            continue
        target = records.shown(pattern, everyone[candidates]) + np.uint64(number)
        groups, place = np.unique(np.concatenate([shown, target]), return_inverse=True)
        sizes = np.bincount(place[: len(shown)], minlength=len(groups))
        gone = moves(place[candidates], place[len(shown) :], sizes, k)
        records.mask[candidates[gone]] = number
        shown[candidates[gone]] = target[gone]
        moved += int(np.count_nonzero(gone))
    return moved


# -- as few cells as possible ------------------------------------------------------------------------------------------

THRESHOLDS = (0.25, 0.5, 1.0, 2.0, 4.0, 1e9)
"""Cells per record helped that are paid, in turn: bargains first."""
ALL = 1e18
"""Whatever it costs, with all records of a group."""


def least(records: Records, k: int, sets: Sequence[Pattern], count: Ints, *, generous: bool = False) -> Ints:
    """The pattern of every record so that for every person k released records fit, with as few cells as possible.

    A few suppressed records of a group cover all persons in it, so k or fewer cells can help many records.

    Parameters
    ----------
    count
        How many released records fit each person already.
    generous
        Suppress all records of a group that is treated: where few records are left, some count for nothing new.
    """
    need = np.maximum(k - count, 0)
    classes = np.unique(records.whole, return_inverse=True)[1]
    for threshold in THRESHOLDS:
        for pattern in sets:
            if not need.any():
                return records.mask
            _cover(records, pattern, need, classes, ALL if generous else threshold)
    return records.mask


def _cover(records: Records, pattern: Pattern, need: Ints, classes: Ints, threshold: float) -> None:
    """Suppress donors in the groups where that costs at most the threshold per record helped; lowers `need` in place."""
    poor = np.flatnonzero(need > 0)
    groups, of_poor = np.unique(records.outside(pattern, poor), return_inverse=True)
    deepest = np.zeros(len(groups), dtype=np.int64)
    np.maximum.at(deepest, of_poor, need[poor])
    helped = np.bincount(of_poor, minlength=len(groups))
    bargain = pattern.cost * deepest <= threshold * helped
    if not bargain.any():
        return
    free = np.flatnonzero(records.mask == OPEN)
    free = free[records.can_cover(pattern, free)]
    theirs = records.outside(pattern, free)
    place = np.minimum(np.searchsorted(groups, theirs), len(groups) - 1)
    near = (groups[place] == theirs) & bargain[place]
    free, place = free[near], place[near]
    nth_of_class = _rank(np.unique(np.column_stack([place, classes[free]]), axis=0, return_inverse=True)[1])
    order = np.lexsort(
        (free, nth_of_class, need[free] > 0, place)
    )  # donors that need nothing first, then one per class
    free, place = free[order], place[order]
    chosen = (_rank(place) < deepest[place] + (need[free] > 0)) | (threshold == ALL)
    free, place = free[chosen], place[chosen]
    given = np.bincount(place, minlength=len(groups))
    gained = given[of_poor] - _own_donors(classes[free], place, classes[poor], of_poor)
    helped = np.bincount(of_poor[gained >= need[poor]], minlength=len(groups))
    worth = (helped > 0) & (pattern.cost * given <= threshold * helped)
    records.mask[free[worth[place]]] = pattern.number
    covered = worth[of_poor]
    need[poor[covered]] = np.maximum(need[poor[covered]] - gained[covered], 0)


def _own_donors(donor_class: Ints, donor_group: Ints, person_class: Ints, person_group: Ints) -> Ints:
    """For every person the number of donors of its own class in its group: they fitted before."""
    span = int(max(donor_class.max(initial=0), person_class.max(initial=0))) + 1
    donors = np.sort(donor_group * span + donor_class)
    persons = person_group * span + person_class
    return np.searchsorted(donors, persons, "right") - np.searchsorted(donors, persons, "left")
