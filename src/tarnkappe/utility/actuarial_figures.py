"""The figures of an insurance portfolio: ratios by band, relativities and run-off totals, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.formula import Formula, Term
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST
from tarnkappe.data.spelling import canonical
from tarnkappe.kernels.estimates import Estimate
from tarnkappe.kernels.ratio_estimates import ratio_estimate, sum_estimate
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.utility.estimating import Setting, estimated
from tarnkappe.utility.model_matrix import CONSTANT, Model, design
from tarnkappe.vocab import Kind

MOST = 400
Figures = dict[tuple[str, str], Estimate]
"""(kind, part) -> estimate; the part is empty, a band, a category by number or a period by number."""


class Columns(NamedTuple):
    """Which column holds what."""

    claims: str | None
    exposure: str | None
    amount: str | None
    premium: str | None
    expected: str | None
    events: tuple[str, ...]
    age: str | None
    band: float
    origin: str | None
    periods: tuple[str, ...]
    """The periods of origin in the original, in their order."""
    confidence: float
    who: str


def figures(data: Microdata, what: Columns) -> Figures:
    """All ratios and totals that the columns allow; those of fewer than ten records are left out."""
    out: Figures = {}
    for kind, top, below in _ratios(what):
        a = _numbers(data, top, what.who)
        b = np.ones(len(data)) if below is None else _numbers(data, below, what.who)
        for part, rows in (
            _parts(data, what) if kind in what.events else [("", np.ones(len(data), dtype=np.bool_))]
        ):
            used = rows & ~np.isnan(a) & ~np.isnan(b)
            if np.count_nonzero(used) >= LEAST:
                out[kind, part] = _ratio(a[used], b[used], what.confidence)
    return out | dict(_run_off(data, what))


def _ratios(what: Columns) -> Iterator[tuple[str, str, str | None]]:
    """Names of the ratios with the columns above and below."""
    if what.claims:
        yield "frequency", what.claims, what.exposure
        if what.amount:
            yield "severity", what.amount, what.claims
        if what.expected:
            yield "actual_to_expected", what.claims, what.expected
    if what.amount and what.premium:
        yield "loss_ratio", what.amount, what.premium
    for event in what.events:
        yield event, event, what.exposure


def _ratio(a: Floats, b: Floats, confidence: float) -> Estimate:
    """The ratio of numbers brought to a common size first."""
    above, below = float(power_scale(a)), float(power_scale(b))
    found = ratio_estimate(a / above, b / below, confidence)
    return _times(found, above, below)


def _times(found: Estimate, above: float, below: float = 1.0) -> Estimate:
    with np.errstate(over="ignore", under="ignore"):
        return Estimate(*(float(np.float64(part) * above / below) for part in found))


def _parts(data: Microdata, what: Columns) -> Iterator[tuple[str, Bools]]:
    """Bands of age; all together where there is no age."""
    if what.age is None:
        yield "", np.ones(len(data), dtype=np.bool_)
        return
    x = _numbers(data, what.age, what.who)
    bands = np.floor(x / what.band)
    kinds, counts = np.unique(bands[np.isfinite(bands)], return_counts=True)
    for low in kinds[counts >= LEAST]:
        yield f"{low * what.band:g}–", bands == low


def _run_off(data: Microdata, what: Columns) -> Iterator[tuple[tuple[str, str], Estimate]]:
    """Totals of the amounts by period of origin, in the order of the periods."""
    if not (what.origin and what.amount):
        return
    amount = _numbers(data, what.amount, what.who)
    scale = float(power_scale(amount))
    column = data.column(what.origin)
    place = {word: number for number, word in enumerate(what.periods)}
    table = np.array([*(place.get(word, -1) for word in canonical(column).tolist()), -1, -1], dtype=np.int64)
    period = table[column.codes()[0]]
    for number in range(len(what.periods)):
        here = amount[(period == number) & ~np.isnan(amount)]
        if len(here) >= LEAST:
            yield ("run_off", str(number + 1)), _times(sum_estimate(here / scale, what.confidence), scale)


def periods(data: Microdata, name: str | None) -> tuple[str, ...]:
    """The periods that a column names, in their order; at most the first four hundred."""
    if name is None:
        return ()
    column = data.column(name)
    codes = column.codes()[0]
    return tuple(canonical(column)[np.unique(codes[codes >= 0])].tolist()[:MOST])


def _numbers(data: Microdata, name: str, who: str) -> Floats:
    """A column of numbers, or of yes and no as 1 and 0."""
    column = data.column(name)
    if column.kind is not Kind.BOOLEAN:
        return data.numbers([name], who)[:, 0]
    return np.where(column.observed, column.values.astype(np.float64), np.nan)


def relativities(data: Microdata, model: Model, what: Columns) -> Figures | Text:
    """Multiplicative effects of categories on the claim frequency: Poisson regression of claims per exposure, weighted by exposure."""
    found = design(model, data)
    if isinstance(found, Text):
        return found
    exposure = np.ones(len(data)) if what.exposure is None else _numbers(data, what.exposure, what.who)
    weight = np.where(exposure > 0, exposure, 0.0)
    own = weight[found.rows]
    found = replace(found, y=np.where(own > 0, found.y / np.where(own > 0, own, 1.0), 0.0))
    fitted = estimated(found, data, weight, Setting("poisson", "none", (), None, what.confidence))
    if isinstance(fitted, Text):
        return fitted
    return {
        ("relativity", name): Estimate(float(fitted.beta[j]), float(fitted.low[j]), float(fitted.high[j]))
        for j, name in enumerate(fitted.names)
        if name != CONSTANT and name not in fitted.rare
    }


def tariff(claims: str, factors: tuple[str, ...]) -> Formula:
    """Claims explained by the factors of a tariff."""
    return Formula(Term(claims), tuple(Term(name) for name in factors))
