"""The rules that undo the errors of a model's columns in second moments, pair by pair.

Factors: gottschalk2002, 5.2 (Hwang 1986), completed for factors that columns share and for a masked outcome (specification
G-C01b). Noise: errors in variables (G-C04). Rounding: Sheppard, a twelfth of the square of the width; a little more where totals were kept, as is told.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.correct.design import CONSTANT, Design, Part
from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Factors, Misclassified, Noise, Treatment
from tarnkappe.data.column import Floats
from tarnkappe.data.formula import Form, Term
from tarnkappe.kernels.corrected_moments import Rules, Shrink

POWER: dict[Form, int] = {"plain": 1, "square": 2}


def to_simulate(terms: Sequence[Term], source: Source) -> tuple[Treatment, ...]:
    """The noise that second moments cannot undo in these forms; of each step once."""
    found: dict[int, Treatment] = {}
    for term in terms:
        error = source.stories[term.column].error
        if isinstance(error, Noise) and term.form != ("log" if error.logs else "plain"):
            found[error.step.number] = error
        if isinstance(error, Factors) and not _moments_suffice(error, terms):
            found[error.step.number] = error
    return tuple(found.values())


def _moments_suffice(factors: Factors, terms: Sequence[Term]) -> bool:
    mine = [term for term in terms if term.column in factors.columns]
    forms = {term.form for term in mine}
    several = len({term.column for term in mine}) > 1
    if "log" in forms and len(mine) > 1:
        apart = factors.shared == "nothing" and len({t.column for t in mine}) == len(mine)
        if not apart and (forms != {"log"} or "covariance_of_logarithms" not in factors.covariances):
            return False
    if "square" in forms and (factors.raw(4) is None or factors.raw(3) is None):
        return False
    return not ("square" in forms and several and factors.shared == "sign")


def rules_of(design: Design, source: Source) -> Rules:
    """What undoes the errors of all columns of a model, the outcome included."""
    parts = design.parts
    return Rules(
        _divisors(parts, source),
        _constants(parts, source),
        tuple(_shrinks(design, source)),
        _pairs(parts, source),
    )


def _error(part: Part, source: Source) -> Treatment | None:
    return None if part.term == CONSTANT else source.stories[part.term.column].error


def _divisors(parts: Sequence[Part], source: Source) -> Floats:
    """M: expected products of factors."""
    out = np.ones((len(parts), len(parts)))
    for j, one in enumerate(parts):
        for k, two in enumerate(parts[: j + 1]):
            out[j, k] = out[k, j] = _product(one, two, source)
    return out


def _product(one: Part, two: Part, source: Source) -> float:
    a, b = _error(one, source), _error(two, source)
    p, q = (_power(part, error) for part, error in ((one, a), (two, b)))
    if p and q and isinstance(a, Factors) and isinstance(b, Factors) and a.step.number == b.step.number:
        if one.term.column == two.term.column:
            return a.raw(p + q) or 1.0
        if a.shared == "factor":
            return a.shared_by_two(p, q)
        if a.shared == "sign":
            return (a.raw(1) or 1.0) ** 2 + a.covariances.get("covariance", 0.0)
    return _mean(a, p) * _mean(b, q)


def _power(part: Part, error: Treatment | None) -> int:
    """With which power the factor enters; 0 where there is none."""
    return POWER.get(part.term.form, 0) if isinstance(error, Factors) else 0


def _mean(error: Treatment | None, power: int) -> float:
    return (error.raw(power) or 1.0) if isinstance(error, Factors) else 1.0


def _constants(parts: Sequence[Part], source: Source) -> Floats:
    """T: variances known in absolute terms, taken off."""
    out = np.zeros((len(parts), len(parts)))
    for j, one in enumerate(parts):
        for k, two in enumerate(parts[: j + 1]):
            out[j, k] = out[k, j] = -_log_covariance(one, two, source)
        if one.term != CONSTANT and one.level is None:
            out[j, j] -= source.rounding(one.term) / _product(one, one, source)
    return out


def _log_covariance(one: Part, two: Part, source: Source) -> float:
    """Covariance of the logarithms of two factors, 0 where there are none."""
    a, b = _error(one, source), _error(two, source)
    both = isinstance(a, Factors) and isinstance(b, Factors) and a.step.number == b.step.number
    if not (both and one.term.form == two.term.form == "log" and isinstance(a, Factors)):
        return 0.0
    if one.term.column == two.term.column:
        return a.moments.get("variance_of_logarithm", 0.0)
    return a.covariances.get("covariance_of_logarithms", 0.0)


def _shrinks(design: Design, source: Source) -> list[Shrink]:
    """Noise in proportion to the spread: the part of the covariance that is noise, over all records that got it."""
    steps: dict[int, list[int]] = {}
    for j, part in enumerate(design.parts):
        error = _error(part, source)
        if isinstance(error, Noise):
            steps.setdefault(error.step.number, []).append(j)
    return [_shrink(design, source, places) for places in steps.values()]


def _shrink(design: Design, source: Source, places: list[int]) -> Shrink:
    noise = _error(design.parts[places[0]], source)
    assert isinstance(noise, Noise)
    count = len(design.parts)
    share = np.zeros((count, count))
    share[np.ix_(places, places)] = (
        noise.part if noise.proportional else np.diag(np.full(len(places), noise.part))
    )
    there = np.logical_and.reduce([source.observed(design.parts[j].term.column) for j in places])
    strata = source.strata(noise)
    size = np.maximum(np.bincount(strata.of[there], minlength=len(strata)), 1)
    centred = np.zeros_like(design.values)
    for j in places:
        x = np.where(there, design.values[:, j], np.nan)
        centred[:, j] = np.where(there, x - source.stratum_means(noise, x), 0.0)
    used = np.bincount(strata.of, design.weight, len(strata))
    return Shrink(share, centred, np.where(there, (used / size)[strata.of], 0.0), strata.of.astype(np.int64))


def _pairs(parts: Sequence[Part], source: Source) -> dict[tuple[int, int], Floats | None]:
    """Products of indicators of categories that were changed together."""
    out: dict[tuple[int, int], Floats | None] = {}
    for j, one in enumerate(parts):
        for k, two in enumerate(parts[: j + 1]):
            a, b = _error(one, source), _error(two, source)
            if not (isinstance(a, Misclassified) and isinstance(b, Misclassified)):
                continue
            if a.step.number != b.step.number or a.columns != b.columns:
                continue
            out[k, j] = _joint(one, two, source)
    return out


def _joint(one: Part, two: Part, source: Source) -> Floats | None:
    """The stand-in for both; of one column, two different values never meet."""
    found = source.stand_ins(one.term.column)
    assert found is not None
    if one.term.column == two.term.column and one.level != two.level:
        return None
    return found.of({one.term.column: one.level, two.term.column: two.level})
