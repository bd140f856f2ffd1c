"""Second moments of the original from those of the release, and least squares from them.

The columns are regressors and, last, the outcome. What was added to or multiplied into a column is undone pair by pair:

    E[x_j x_k] = E[z_j z_k] / M_jk  -  K_jk Cov(z_j, z_k)  +  T_jk

M holds the moments of factors (hwang1986; gottschalk2002, 5.2, with all pairs, not the diagonal alone), K the share of
the covariance that is noise (errors in variables), T what is known in absolute terms (rounding, logarithms of factors). A
product of two columns may itself be estimated (misclassified categories); it then stands in `pairs`.

Every record contributes its own part to these moments, so the sandwich variance needs no moments of the noise beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SMALLEST = 1e-8
"""Eigenvalues below this part of the largest are no information (gottschalk2002, specification G-C01)."""


@dataclass(frozen=True)
class Shrink:
    """Noise in proportion to the spread of its columns: the part K of their covariance over all records they were masked in."""

    share: Floats
    """K, for every pair of columns."""
    centred: Floats
    """The released values less the mean of their stratum; 0 where there is none."""
    weight: Floats
    """Records used in the stratum over all records in it: what every record adds to the correction."""
    strata: Ints
    """The stratum of every record."""


@dataclass(frozen=True)
class Rules:
    """How the second moments of the original follow from those of the release."""

    divisor: Floats
    """M."""
    constant: Floats
    """T."""
    shrinks: tuple[Shrink, ...] = ()
    pairs: dict[tuple[int, int], Floats | None] = field(default_factory=dict)
    """Products that are estimated instead of taken, by (smaller, larger) column; None where the product is always 0."""

    @staticmethod
    def plain(count: int) -> Rules:
        """Nothing to undo."""
        return Rules(np.ones((count, count)), np.zeros((count, count)))

    @property
    def leave_regressors(self) -> bool:
        """Nothing is undone in what coefficients are made of; the square of the outcome, last, is not part of it."""
        return not (self.shrinks or self.pairs or self.constant[:-1].any() or (self.divisor[:-1] != 1).any())

    @property
    def taken(self) -> Floats:
        """1/M, and 0 where the product is not taken."""
        out = 1 / self.divisor
        for j, k in self.pairs:
            out[j, k] = out[k, j] = 0.0
        return out


def second_moments(z: Floats, weight: Floats, rules: Rules, times: Floats | None = None) -> Floats:
    """Sums over the records of estimated products; `times` counts records several times (bootstrap)."""
    often = np.ones(len(z)) if times is None else times
    used = weight * often
    out: Floats = (z * used[:, None]).T @ z * rules.taken + rules.constant * used.sum()
    for (j, k), product in rules.pairs.items():
        if product is not None:
            out[j, k] += used @ product
            out[k, j] = out[j, k]
    for shrink in rules.shrinks:
        c = shrink.centred
        out -= shrink.share * ((c * (shrink.weight * often)[:, None]).T @ c)
    return out


def contributions(z: Floats, weight: Floats, rules: Rules, theta: Floats) -> Floats:
    """What every record adds to `second_moments` @ theta."""
    out: Floats = z * (z @ (rules.taken * theta).T) + rules.constant @ theta
    for (j, k), product in rules.pairs.items():
        if product is not None:
            out[:, j] += product * theta[k]
            if j != k:
                out[:, k] += product * theta[j]
    out *= weight[:, None]
    for shrink in rules.shrinks:
        c = shrink.centred
        out -= c * (c @ (shrink.share * theta).T) * shrink.weight[:, None]
    return out


def spread_before(shrink: Shrink, centred: Floats, forms: Floats, values: Floats | None = None) -> Floats:
    """Σ w² of the covariances that quadratic forms of the original would have, for every two of some symmetric matrices L.

    Noise in proportion to the spread of the data moves with it: conditional on the original, nothing of the variation of x x'
    is left in what is estimated (or all of it), while contributions of records have a part of it. With z = x + e and normal
    noise, Cov(z'Lz, z'L₂z) = Cov(x'Lx, x'L₂x) + 4 tr(L S L₂ Ω) + 2 tr(L Ω L₂ Ω).
    """
    count = int(shrink.strata.max(initial=0)) + 1
    size = np.maximum(np.bincount(shrink.strata, minlength=count), 1)
    squared = np.bincount(shrink.strata, shrink.weight**2, count)
    if values is None:
        values = np.stack([np.einsum("ij,ij->i", centred @ form, centred) for form in forms], axis=1)
    for f in range(len(forms)):
        values[:, f] -= (np.bincount(shrink.strata, values[:, f], count) / size)[shrink.strata]
    out: Floats = (values * shrink.weight[:, None]).T @ (values * shrink.weight[:, None])
    for number in range(count):
        c = centred[shrink.strata == number] if count > 1 else centred
        second = c.T @ c / size[number]
        noise = shrink.share * second
        left, right = forms @ (second - noise), forms @ noise
        out -= squared[number] * (
            4 * np.einsum("fij,gji->fg", left, right) + 2 * np.einsum("fij,gji->fg", right, right)
        )
    return out


def of_proportion(rules: Rules, theta: Floats) -> Floats:
    """What contributions to `second_moments` @ theta vary too much, because noise moves with the spread of the original."""
    out = np.zeros((len(theta), len(theta)))
    for shrink in rules.shrinks:
        rows = shrink.share * theta
        forms = np.zeros((len(theta), len(theta), len(theta)))
        for j in range(len(theta)):
            forms[j, j] += rows[j] / 2
            forms[j, :, j] += rows[j] / 2
        c = shrink.centred
        out += spread_before(shrink, c, forms, c * (c @ rows.T))
    return out


def scaled(moments: Floats) -> tuple[Floats, Floats]:
    """A matrix with ones on its diagonal, and the scale of its columns."""
    size = np.sqrt(np.abs(np.diag(moments)))
    size = np.where(size > 0, size, 1.0)
    return moments / np.outer(size, size), size


def smallest_eigenvalue(moments: Floats) -> float:
    """Smallest eigenvalue of the scaled matrix over its largest; negative where the matrix is not positive definite."""
    if not np.isfinite(moments).all():
        return -np.inf
    values = np.linalg.eigvalsh(scaled(moments)[0])
    return float(values[0] / max(values[-1], 1e-300))


def solved(moments: Floats) -> tuple[Floats, Floats]:
    """Coefficients of the last column on the others, and the inverse of the moments of the others."""
    gram, size = scaled(moments[:-1, :-1])
    inverse = np.linalg.inv(gram) / np.outer(size, size)
    return inverse @ moments[:-1, -1], inverse


def sandwich(
    inverse: Floats, scores: Floats, clusters: Ints | None, records: int, less: Floats | None = None
) -> Floats:
    """A⁻¹ (Σ g g') A⁻¹ n/(n - k), HC1; with clusters the sums of g within them (gottschalk2002, specification G-C01).

    `less` is taken off the middle unless a variance would fall below a tenth: then the larger one is safer.
    """
    k = scores.shape[1]
    factor = records / max(records - k, 1)
    if clusters is not None:
        groups = int(clusters.max()) + 1
        scores = np.stack([np.bincount(clusters, scores[:, j], groups) for j in range(k)], axis=1)
        factor = groups / max(groups - 1, 1) * (records - 1) / max(records - k, 1)
    out: Floats = factor * of_changes(scores @ inverse, inverse, less)
    return out


def of_changes(changes: Floats, inverse: Floats, less: Floats | None) -> Floats:
    """Σ d d' over what each record (or cluster) changes, without what `sandwich` takes off."""
    out: Floats = changes.T @ changes
    if less is None:
        return out
    smaller: Floats = out - inverse @ less @ inverse
    safe = (np.diag(smaller) > np.diag(out) / 10).all() and smallest_eigenvalue(smaller) > 0
    return smaller if safe else out
