"""Moments and correlations from their definitions, in exact fractions; square roots are taken last."""

from fractions import Fraction
from math import isnan, nan, sqrt


def moments(x, w=None):
    """n, mean, sd, skewness and excess of what is observed and has a weight."""
    w = [1] * len(x) if w is None else w
    cases = [(Fraction(v), Fraction(u)) for v, u in zip(x, w, strict=True) if not isnan(v) and u > 0]
    if not cases:
        return 0, nan, nan, nan, nan
    total = sum(u for _, u in cases)
    mean = sum(u * v for v, u in cases) / total
    m2, m3, m4 = (sum(u * (v - mean) ** p for v, u in cases) / total for p in (2, 3, 4))
    if m2 == 0:
        return len(cases), float(mean), 0.0, nan, nan
    skewness = sqrt(m3**2 / m2**3) * (1 if m3 > 0 else -1)
    return len(cases), float(mean), sqrt(m2), skewness, float(m4 / m2**2 - 3)


def pearson(x, y):
    """Correlation of the cases that have both; NaN for constants."""
    both = [(Fraction(a), Fraction(b)) for a, b in zip(x, y, strict=True) if not (isnan(a) or isnan(b))]
    if not both:
        return nan
    mx, my = (sum(p[c] for p in both) / len(both) for c in (0, 1))
    sxy = sum((a - mx) * (b - my) for a, b in both)
    sxx, syy = sum((a - mx) ** 2 for a, _ in both), sum((b - my) ** 2 for _, b in both)
    if sxx == 0 or syy == 0:
        return nan
    return sqrt(sxy**2 / (sxx * syy)) * (1 if sxy > 0 else -1)


def spearman(x, y):
    """Pearson of the ranks among the cases that have both."""
    both = [(a, b) for a, b in zip(x, y, strict=True) if not (isnan(a) or isnan(b))]
    return pearson(ranks([a for a, _ in both]), ranks([b for _, b in both]))


def ranks(x):
    """One more than the number of smaller ones, plus half of the other equal ones."""
    return [1 + sum(v < u for v in x) + (sum(v == u for v in x) - 1) / 2 for u in x]
