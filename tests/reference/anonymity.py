"""Anonymity models by definition: candidates by comparing every person with every record, distances by linear programs."""

from fractions import Fraction
from itertools import product
from math import exp, inf, log

import numpy as np
from scipy.optimize import linprog

from reference.classes import _could_be, _known, _printed


def candidate_values(rows, values, missing, suppressed):
    """For every person the sensitive values of all released records that could be that person's; None tells nothing."""
    persons = [[_known(cell, missing, suppressed) for cell in row] for row in rows]
    printed = [[_printed(cell, missing, suppressed) for cell in row] for row in rows]
    return [
        [v for r, v in zip(printed, values, strict=True) if v is not None and _could_be(p, r)]
        for p in persons
    ]


def counts(values):
    return {v: values.count(v) for v in set(values)}


def entropy_l(values):
    return exp(-sum(c / len(values) * log(c / len(values)) for c in counts(values).values()))


def recursive_holds(values, c, l, harmless=()):
    """Positive-disclosure recursive (c,l)-diversity as in section 2.4 of the specification, in exact arithmetic."""
    ranked = sorted(counts(values).items(), key=lambda pair: -pair[1])
    r = [0, *(count for _, count in ranked)]
    m = len(ranked)
    ys = [rank for rank, (value, _) in enumerate(ranked, 1) if value not in harmless]
    if not ys:
        return True
    if l > m:
        return False
    y = ys[0]
    if y <= l - 1:
        return r[y] < c * sum(r[l:])
    return r[y] < c * (sum(r[l - 1 : y]) + sum(r[y + 1 :]))


def recursive_l(values, c, harmless=()):
    if all(v in harmless for v in values):
        return inf
    holding = [l for l in range(2, len(set(values)) + 2) if recursive_holds(values, Fraction(c), l, harmless)]
    return max(holding, default=1)


def alpha(values):
    return max(counts(values).values()) / len(values)


def beta(values, whole, *, enhanced=False):
    here, q = shares(values), shares(whole)
    gains = {v: (here[v] - q[v]) / q[v] for v in here if here[v] > q[v]}
    if enhanced and any(gain > -log(q[v]) + 1e-12 for v, gain in gains.items()):
        return inf
    return max(gains.values(), default=0)


def delta(values, whole, *, absent=False):
    here, q = shares(values), shares(whole)
    if absent and set(q) - set(here):
        return inf
    return max(abs(log(here[v] / q[v])) for v in here)


def shares(values):
    return {v: c / len(values) for v, c in counts(values).items()}


def earth_movers(values, whole, distance):
    """The cheapest way to turn one distribution into the other."""
    here, q = shares(values), shares(whole)
    kinds = sorted(q)
    pairs = list(product(kinds, kinds))
    sums = [[float(a == v) for a, _ in pairs] for v in kinds] + [
        [float(b == v) for _, b in pairs] for v in kinds
    ]
    wanted = [here.get(v, 0.0) for v in kinds] + [q[v] for v in kinds]
    done = linprog([distance(a, b) for a, b in pairs], A_eq=np.array(sums), b_eq=wanted)
    return done.fun
