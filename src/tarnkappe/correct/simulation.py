"""The masking simulator: what a protection does to a model, over many draws of its random numbers.

For those who have the original and choose a protection. Steps are applied again and again to the same data, each time with other random
numbers; every time the model is estimated as released and corrected (gottschalk2002, tables 1 and 2; specification G-U03, G-U04, G-U10).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np

from tarnkappe.correct.fit import model
from tarnkappe.correct.release import Release, Step
from tarnkappe.correct.replications import Row, Simulation, spread_of
from tarnkappe.correct.result import Corrected
from tarnkappe.correct.settings import Options
from tarnkappe.data.column import Floats
from tarnkappe.data.formula import Formula, parse_formula
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.correct import OptionWrong
from tarnkappe.language import Text
from tarnkappe.randomness import public_stream
from tarnkappe.spec import Method, plain
from tarnkappe.spec.step import apply_step

FEWEST, MOST = 2, 100_000
R2 = "R²"
_MASKED = Text("as released", "wie freigegeben")
_CORRECTED = Text("corrected", "korrigiert")
_NONE = Text("There is no estimate {kind}: {why}", "Eine Schätzung {kind} gibt es nicht: {why}")
_SOME = Text(
    "In {count} of {all} replications there is no estimate {kind}, the first time because: {why}",
    "In {count} von {all} Wiederholungen gibt es keine Schätzung {kind}, beim ersten Mal, weil: {why}",
)
FIXED = Text(
    "No step draws random numbers: every replication would give the same.",
    "Kein Schritt zieht Zufallszahlen: Jede Wiederholung ergäbe dasselbe.",
)

Estimates = dict[str, tuple[float, float]]
"""Name -> estimate and standard error."""


def simulate(
    data: Microdata,
    steps: Sequence[Method],
    formula: str,
    replications: int = 100,
    tick: Callable[[], None] = lambda: None,
    **options: Unpack[Options],
) -> Simulation:
    """Estimate a model from the original and from many releases of it.

    Parameters
    ----------
    data
        The original: what comes out is for the office, not for publication.
    steps
        The protection, as in a plan.
    formula
        The model, as in `tarnkappe.correct.model`.
    replications
        How often the steps are applied with other random numbers; once where they draw none.
    tick
        Called after every replication.
    options
        Those of `tarnkappe.correct.model`; `seed` repeats the random numbers, which no release has.
    """
    times = replicated(steps, replications)
    read = parse_formula(formula)
    original = _named(model(Release("original", data, (), {}), formula, **options))
    runs = _Runs(data, steps, read, options)
    for number in range(times):
        runs.add(number)
        tick()
    masked, corrected = runs.masked, runs.corrected
    rows = [row for name in original for row in _rows(name, original[name], masked, corrected)]
    return Simulation(
        str(read), tuple(step.title for step in steps), times, tuple(rows), tuple(runs.notes(times))
    )


def replicated(steps: Sequence[Method], replications: int) -> int:
    """How often steps are applied: as asked, or once where they draw no random numbers."""
    if not FEWEST <= replications <= MOST:
        must = Text(f"between {FEWEST} and {MOST:,}", f"zwischen {FEWEST} und {MOST:,}".replace(",", "."))
        raise OptionWrong(option="replications", given=replications, must=must)
    return replications if any(step.random for step in steps) else 1


class _Runs:
    """The estimates of all replications so far."""

    def __init__(self, data: Microdata, steps: Sequence[Method], formula: Formula, options: Options) -> None:
        self.data, self.steps, self.formula, self.options = data, steps, formula, options
        self.masked: list[Estimates] = []
        self.corrected: list[Estimates] = []
        self.failed: dict[Text, list[Text]] = {}

    def add(self, number: int) -> None:
        release = protected(self.data, self.steps, f"simulation {self.options.get('seed', 1)}", number)
        as_is: Options = {
            **self.options,
            "as_is": [n for n in self.formula.columns if n in release.data.names],
        }
        for kind, found, how in (
            (_MASKED, self.masked, as_is),
            (_CORRECTED, self.corrected, self.options),
        ):
            try:
                found.append(_named(model(release, str(self.formula), **how)))
            except TarnkappeError as problem:
                self.failed.setdefault(kind, []).append(problem.what)

    def notes(self, times: int) -> list[Text]:
        out = [] if any(step.random for step in self.steps) else [FIXED]
        for kind, reasons in self.failed.items():
            says = _NONE if len(reasons) == times else _SOME
            out.append(says.filled(kind=kind, count=len(reasons), all=times, why=reasons[0]))
        return out


def protected(data: Microdata, steps: Sequence[Method], secret: str, number: int = 0) -> Release:
    """What a receiver would get from these steps."""
    told: list[Step] = []
    treated: dict[str, list[int]] = {}
    for place, step in enumerate(steps, 1):
        random = public_stream(secret, f"{place} {step.id}", number)
        after = apply_step(step, data, random, place)
        told.append(Step(place, step.id, step.title, plain(step.tells(data, after))))
        for name, column in after.columns.items():
            if data.columns.get(name) is not column:
                treated.setdefault(name, []).append(place)
        data = after
    return Release("simulated", data.sealed(), tuple(told), {n: tuple(s) for n, s in treated.items()})


def _named(found: Corrected) -> Estimates:
    out = {figure.name: (figure.estimate, figure.error) for figure in found.figures}
    if found.r2 is not None:
        out[R2] = (found.r2, float("nan"))
    return out


def _rows(
    name: str, original: tuple[float, float], masked: list[Estimates], corrected: list[Estimates]
) -> list[Row]:
    """The estimate and, but for R², its variance."""
    value, error = original
    both = (masked, corrected)
    spreads = (spread_of(_of(runs, name)[:, 0], value) for runs in both)
    if np.isnan(error):
        return [Row(name, "estimate", value, None, *spreads)]
    variances = (spread_of(_of(runs, name)[:, 1] ** 2, error**2) for runs in both)
    return [
        Row(name, "estimate", value, error, *spreads),
        Row(name, "variance", error**2, None, *variances),
    ]


def _of(runs: list[Estimates], name: str) -> Floats:
    """Estimates and standard errors of those replications that have them."""
    out: Floats = np.array([run[name] for run in runs if name in run]).reshape(-1, 2)
    return out
