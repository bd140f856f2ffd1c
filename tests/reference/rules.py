"""Primary rules by the inequalities of the source, over full lists of contributions, in fractions."""

from __future__ import annotations

from fractions import Fraction


def ordered(contributions):
    return sorted((abs(Fraction(x)) for x in contributions), reverse=True)


def dominance(contributions, n, k):
    """(n,k): x1 + … + xn > k % of X. The level is (100/k)(x1 + … + xn) - X."""
    x = ordered(contributions)
    return sum(x[:n]) > k / 100 * sum(x), 100 / k * sum(x[:n]) - sum(x)


def p_percent(contributions, p, known=1):
    """100 ((X - x2 …) - x1) / x1 < p, for x1 > 0. The level is p % of x1 minus the rest."""
    x = ordered(contributions)
    if not x or x[0] == 0:
        return False, Fraction(0)
    missed = sum(x) - sum(x[1 : 1 + known]) - x[0]
    return 100 * missed / x[0] < p, p / 100 * x[0] - missed


def p_q(contributions, p, q, known=1):
    """X - x2 … - (estimates of the rest, q % off) - x1 < p % of x1."""
    x = ordered(contributions)
    if not x or x[0] == 0:
        return False, Fraction(0)
    rest = sum(x[1 + known :])
    estimate = rest - q / 100 * rest
    missed = sum(x) - sum(x[1 : 1 + known]) - estimate - x[0]
    return missed < p / 100 * x[0], p / q * x[0] - rest


def linear(contributions, weights, tail):
    """w1 x1 + w2 x2 + … > 0. The level is that sum divided by |tail|."""
    x = ordered(contributions)
    s = sum((weights[i] if i < len(weights) else tail) * value for i, value in enumerate(x))
    return s > 0, s / abs(tail)


def merged(*cells):
    """The contributions of several cells together: mappings from contributor to contribution."""
    out: dict[object, Fraction] = {}
    for cell in cells:
        for who, x in cell.items():
            out[who] = out.get(who, Fraction(0)) + Fraction(x)
    return out
