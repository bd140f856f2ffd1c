"""The least cost of local suppression, by an integer program with one variable for every record and every set of its keys."""

from itertools import chain, combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

MISSING = -1
MARK = "*"


def patterns(keys):
    return [set(s) for s in chain.from_iterable(combinations(range(keys), r) for r in range(keys + 1))]


def choices(codes, before):
    """Every record with every set of keys it may suppress: those suppressed before and none that is missing."""
    return [
        (i, p)
        for i, row in enumerate(codes)
        for p in patterns(len(row))
        if all(j in p for j in np.flatnonzero(before[i])) and all(row[j] != MISSING for j in p)
    ]


def fits(codes, strata, person, record, hidden, known):
    return strata[person] == strata[record] and all(
        j in hidden or codes[person][j] == codes[record][j] for j in known
    )


def solved(rows, low, high, many, most, levels):
    """The least cost, level by level; None where nothing keeps to the rows."""
    values = []
    for level in levels:
        price = np.zeros(many)
        price[: len(level)] = level
        found = milp(
            price, constraints=LinearConstraint(np.array(rows), low, high), integrality=np.ones(many),
            bounds=Bounds(0, most), options={"mip_rel_gap": 0},
        )  # fmt: skip
        if found.x is None:
            return None
        values.append(round(float(price @ np.rint(found.x)), 6))
        rows, low, high = [*rows, price], [*low, -np.inf], [*high, found.fun + 1e-6]
    return tuple(values)


def prices(offered, before, levels):
    return [[sum(level[j] for j in p if not before[i, j]) for i, p in offered] for level in levels]


def least(codes, before, strata, k, levels, known):
    """k released records fit every person, whichever set of keys an attacker knows."""
    offered = choices(codes, before)
    one = [[float(i == r) for i, _ in offered] for r in range(len(codes))]
    cover = [
        [float(fits(codes, strata, r, i, p, keys)) for i, p in offered]
        for keys in known
        for r in range(len(codes))
    ]
    low, high = [1.0] * len(one) + [k] * len(cover), [1.0] * len(one) + [np.inf] * len(cover)
    return solved(one + cover, low, high, len(offered), 1.0, prices(offered, before, levels))


def strict(codes, before, strata, k, levels):
    """Every combination as shown, marks included, stands k times; k released records fit those with missing keys."""
    offered, keys = choices(codes, before), range(len(codes[0]))
    shown = [(strata[i], *(MARK if j in p else int(codes[i][j]) for j in keys)) for i, p in offered]
    groups = sorted({s for s in shown if MISSING not in s[1:]}, key=str)
    many = len(offered) + len(groups)
    rows, low, high = [], [], []

    def add(pairs, least_, most_):
        row = np.zeros(many)
        for column, value in pairs:
            row[column] += value
        rows.append(row)
        low.append(least_)
        high.append(most_)

    for r in range(len(codes)):
        add([(c, 1) for c, (i, _) in enumerate(offered) if i == r], 1, 1)
    for g, group in enumerate(groups):
        members = [c for c, s in enumerate(shown) if s == group]
        add([(c, 1) for c in members] + [(len(offered) + g, -k)], 0, np.inf)
        for c in members:
            add([(c, 1), (len(offered) + g, -1)], -np.inf, 0)
    for r in range(len(codes)):
        if MISSING in codes[r]:
            add([(c, 1) for c, (i, p) in enumerate(offered) if fits(codes, strata, r, i, p, keys)], k, np.inf)
    return solved(rows, low, high, many, 1.0, prices(offered, before, levels))
