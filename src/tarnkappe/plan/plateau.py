"""How much noise is enough: the linkage rate as noise grows, and the point from which more noise no longer lowers it.

Source: gottschalk2002, section 4.3 on Kim's noise, after Moore: protection grows with the variance of the noise up to a critical value and
then no further (spec G-R13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.language import Text
from tarnkappe.randomness import public_stream
from tarnkappe.spec import Measure, Method, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step

RATIOS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
ERRORS = 2.0
"""A rate counts as lower if it is so by more than so many standard errors."""
_NO_RATIO = Text(
    "takes a method of noise that has a variance_ratio", "braucht ein Verfahren der Überlagerung mit variance_ratio"
)  # fmt: skip
_RATIOS = Text(
    "ratios must rise from above 0, and be two or more",
    "ratios müssen von über 0 an steigen, und es müssen mindestens zwei sein",
)
_RUNS = Text("runs must be 2 or more", "runs muss mindestens 2 sein")
_TOLERANCE = Text("tolerance must lie from 0 to below 1", "tolerance muss von 0 bis unter 1 liegen")


@dataclass(frozen=True, slots=True)
class Plateau:
    """The linkage rate by the variance of the noise. For the office: which draws it came from is not secret, the files were never shown."""

    ratios: tuple[float, ...]
    """Variances of the noise, as parts of those of the columns."""
    rates: tuple[float, ...]
    """For each the share of persons found, the mean over the runs."""
    errors: tuple[float, ...]
    """Standard errors of the rates over the runs."""
    by_chance: float
    """What pointing at any record would find: no noise can do better."""
    begins: float | None
    """The smallest ratio whose rate no larger one lowers; None where the rate still falls at the end of the ratios."""


def plateau(
    data: Microdata,
    noise: Method,
    linkage: Measure | None = None,
    ratios: Sequence[float] = RATIOS,
    runs: int = 5,
    tolerance: float = 0.01,
) -> Plateau:
    """Try a method of noise with growing `variance_ratio`, and link every result to the original.

    The plateau begins at the smallest ratio from which no larger one has a rate that is lower by more than `tolerance` and by more than two
    standard errors. All ratios share the draws of a run, so that their differences vary little. Without `linkage` the attacker knows the
    original values of the columns with noise, and takes the nearest record. Nothing is released.
    """
    _refuse(noise, ratios, runs, tolerance)
    attack = linkage or build(catalogue["risk.linkage"], {"keys": noise.model_dump()["columns"]})
    assert isinstance(attack, Measure)
    steps = [_with_ratio(noise, ratio) for ratio in ratios]
    found = [[_linked(data, step, attack, run) for step in steps] for run in range(runs)]
    rates = np.array([[rate for rate, _ in row] for row in found])
    mean, errors = rates.mean(axis=0), rates.std(axis=0, ddof=1) / np.sqrt(runs)
    at = _begin(rates, tolerance)
    return Plateau(
        tuple(map(float, ratios)),
        tuple(mean.tolist()),
        tuple(errors.tolist()),
        float(np.mean([chance for row in found for _, chance in row])),
        float(ratios[at]) if at < len(ratios) - 1 else None,
    )


def _refuse(noise: Method, ratios: Sequence[float], runs: int, tolerance: float) -> None:
    wrong = {
        _NO_RATIO: not {"variance_ratio", "columns"} <= set(type(noise).model_fields),
        _RATIOS: len(ratios) < 2 or not all(a < b for a, b in zip((0.0, *ratios), ratios, strict=False)),
        _RUNS: runs < 2,
        _TOLERANCE: not 0 <= tolerance < 1,
    }
    for problem, there in wrong.items():
        if there:
            raise ParameterWrong(id="plateau", problems=problem)


def _with_ratio(noise: Method, ratio: float) -> Method:
    step = build(type(noise), {**noise.model_dump(), "variance_ratio": ratio})
    assert isinstance(step, Method), "the same method with another parameter"
    return step


def _linked(data: Microdata, step: Method, attack: Measure, run: int) -> tuple[float, float]:
    """The share found, and the share found by chance."""
    finding = attack.measure(apply_step(step, data, public_stream("plateau", step.id, run)), before=data)
    assert finding.baseline is not None, "linkage always tells what chance finds"
    return finding.value, finding.baseline


def _begin(rates: Floats, tolerance: float) -> int:
    """The first column of `rates`, one row per run, that no later one is clearly below."""
    runs, last = len(rates), len(rates.T) - 1
    for at in range(last):
        falls = rates[:, [at]] - rates[:, at + 1 :]
        error = falls.std(axis=0, ddof=1) / np.sqrt(runs)
        if not np.any(falls.mean(axis=0) > np.maximum(tolerance, ERRORS * error)):
            return at
    return last
