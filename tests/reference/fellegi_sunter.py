"""Probabilistic and Bayesian linkage, slow and plain: every pair on its own."""

import math
from itertools import permutations, product


def level(a, b, tolerances):
    """The first tolerance that is not exceeded; None where a value is unknown."""
    if math.isnan(a) or math.isnan(b):
        return None
    return next((t for t, most in enumerate(tolerances) if abs(a - b) <= most), len(tolerances))


def compared(one, other, blocks, tolerances):
    """{(i, j): levels} of all pairs of one block."""
    return {
        (i, j): tuple(level(x, y, t) for x, y, t in zip(one[i], other[j], tolerances, strict=True))
        for i, j in product(range(len(one)), range(len(other)))
        if blocks[0][i] == blocks[1][j]
    }


def em(patterns, sizes, begin, most, steps, alpha=0.01, free=(True, True)):
    """So many steps of EM over single pairs."""
    p, m, u = begin[0], [list(row) for row in begin[1]], [list(row) for row in begin[2]]
    for _ in range(steps):
        sums = [[[alpha] * size for size in sizes] for _ in range(2)]
        expected = 0.0
        for levels in patterns:
            inside, outside = p, 1 - p
            for key, at in enumerate(levels):
                if at is not None:
                    inside *= m[key][at]
                    outside *= u[key][at]
            g = inside / (inside + outside)
            expected += g
            for key, at in enumerate(levels):
                if at is not None:
                    sums[0][key][at] += g
                    sums[1][key][at] += 1 - g
        for key in range(len(sizes)):
            if free[1]:
                u[key] = [s / sum(sums[1][key]) for s in sums[1][key]]
            ordered = falling(sums[0][key], u[key])
            m[key] = [s / sum(ordered) for s in ordered]
        if free[0]:
            p = min(expected / len(patterns), most)
    return p, m, u


def falling(sums, weights):
    """Pool neighbours until sums/weights does not rise: look for a violation, pool, begin anew."""
    pools = [[i] for i in range(len(sums))]

    def total(pool, of):
        return sum(of[i] for i in pool)

    while True:
        for k in range(len(pools) - 1):
            one, two = pools[k], pools[k + 1]
            if total(two, sums) * total(one, weights) > total(one, sums) * total(two, weights):
                pools[k : k + 2] = [one + two]
                break
        else:
            break
    out = [0.0] * len(sums)
    for pool in pools:
        for i in pool:
            out[i] = total(pool, sums) * weights[i] / total(pool, weights)
    return out


def weight(levels, m, u):
    return sum(math.log2(m[key][at] / u[key][at]) for key, at in enumerate(levels) if at is not None)


def best_links(pairs, weights, n):
    """For every record of the first file the records of the second that reach its highest weight."""
    out = []
    for i in range(n):
        mine = {j: round(weights[levels], 9) for (a, j), levels in pairs.items() if a == i}
        out.append({j for j, w in mine.items() if w == max(mine.values())} if mine else set())
    return out


def highest_total(table):
    """The highest total weight of a one-to-one assignment, by trying all."""
    rows, columns = len(table), len(table[0])
    if rows > columns:
        table = [list(column) for column in zip(*table, strict=True)]
        rows, columns = columns, rows
    return max(sum(table[i][c[i]] for i in range(rows)) for c in permutations(range(columns), rows))


def posterior(y, released, errors, anybody, absent):
    """The probability of every released record, and of none; errors are (σ or 0, miss), anybody are the densities g(y)."""
    likelihood = []
    for x in released:
        product_ = 1.0
        for key, (sigma, miss) in enumerate(errors):
            if math.isnan(y[key]) or math.isnan(x[key]):
                product_ *= anybody[key]
            elif sigma == 0:
                product_ *= (1 - miss) * (y[key] == x[key]) + miss * anybody[key]
            else:
                z = (y[key] - x[key]) / sigma
                normal = math.exp(-z * z / 2) / (sigma * math.sqrt(2 * math.pi))
                product_ *= (1 - miss) * normal + miss * anybody[key]
        likelihood.append(product_)
    nobody = math.prod(anybody)
    each = (1 - absent) / len(released)
    whole = sum(each * f for f in likelihood) + absent * nobody
    return [each * f / whole for f in likelihood], absent * nobody / whole
