"""From what a release tells of a step to the error that a column carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Any

from pydantic import BaseModel, ValidationError

from tarnkappe.correct.release import Release, Step
from tarnkappe.correct.treatments import (
    SHEPPARD,
    Apart,
    Exchanged,
    Factors,
    Grouped,
    Kept,
    Limits,
    Lost,
    Misclassified,
    MomentsKept,
    Noise,
    Rounded,
    Story,
    Treatment,
)  # fmt: skip
from tarnkappe.errors.correct import NotTold
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Leaves, Method, catalogue


class _Moments(BaseModel):
    mean: float = 1.0
    variance: float


class _Factors(BaseModel):
    columns: tuple[str, ...]
    factor: dict[str, float]
    shared: str
    own: dict[str, float] = {}
    within_record: dict[str, float] = {}
    unit: tuple[str, ...] = ()


class _Noise(BaseModel):
    columns: tuple[str, ...]
    variance_ratio: float
    covariances_multiplied_by: float | None = None
    within: tuple[str, ...] = ()
    records: str = "all"
    signs: str = "free"
    offset: float = 0.0
    mean_factor_is_one: bool = False
    unit: tuple[str, ...] = ()
    common: float = 0.0


class _Rounding(BaseModel):
    base: float
    totals_kept_within: tuple[str, ...] | None = None
    squared_change: dict[str, float] = {}


class _Limits(BaseModel):
    flag: str


class _Classes(BaseModel):
    limits: tuple[float, ...] | None = None
    limits_by_stratum: tuple[tuple[float, ...], ...] | None = None
    width: float | None = None
    origin: float = 0.0


class _Bands(BaseModel):
    show: str
    classes: dict[str, _Classes]
    within: tuple[str, ...] = ()


class _Kind(BaseModel):
    columns: tuple[str, ...]
    strata: tuple[dict[str, Any], ...]


class _Pram(BaseModel):
    invariant: bool
    within: tuple[str, ...] = ()
    unit: str | None = None
    treated: tuple[_Kind, ...]


class _Columns(BaseModel):
    columns: tuple[str, ...]


def _factors(step: Step, column: str) -> Treatment:
    told = _Factors.model_validate(step.facts)
    moments = _Moments.model_validate(told.factor)
    known = {**told.factor, "mean": moments.mean, "variance": moments.variance}
    del column
    return Factors(step, told.columns, known, told.shared, told.within_record, told.unit, told.own)


def _controlled(step: Step, column: str) -> Treatment:
    if step.facts.get("standard_deviations_kept"):
        why = Text(
            "directions of the noise were chosen to keep standard deviations too, so that it depends on the values; means and standard "
            "deviations are nearly right as they are",
            "die Richtungen der Überlagerung wurden so gewählt, dass auch Standardabweichungen bleiben, darum hängt sie von den Werten ab; "
            "Mittelwerte und Standardabweichungen stimmen fast, wie sie sind",
        )
        return Lost(step, why)
    return _factors(step, column)


def _noise(step: Step, column: str) -> Treatment:
    told = _Noise.model_validate(step.facts)
    if told.records != "all" or told.signs != "free":
        why = Text(
            "the noise depends on the values (only outliers got it, or signs were kept)",
            "die Überlagerung hängt von den Werten ab (nur Ausreißer erhielten sie, oder Vorzeichen blieben)",
        )
        return Lost(step, why)
    if told.offset:
        why = Text(
            "an offset was added before the logarithm", "vor dem Logarithmus wurde ein Versatz addiert"
        )
        return Lost(step, why)
    del column
    d = told.variance_ratio
    growth = 1 + d if told.covariances_multiplied_by is None else told.covariances_multiplied_by
    logs = step.method == "microdata.log-noise"
    alike = step.method != "microdata.noise"
    return Noise(
        step,
        told.columns,
        d,
        alike,
        growth,
        told.within,
        logs,
        told.mean_factor_is_one,
        told.unit,
        told.common,
    )


def _rounding(step: Step, column: str) -> Treatment:
    told = _Rounding.model_validate(step.facts)
    if told.totals_kept_within is None:
        return Rounded(step, told.base)
    part = told.squared_change[column]
    return Rounded(step, told.base, 1 / part if part else inf)


def _limits(step: Step, column: str) -> Treatment:
    if column not in step.facts:
        return Kept(step)  # the flag column itself
    return Limits(step, _Limits.model_validate(step.facts[column]).flag)


def _band(step: Step, column: str) -> Treatment:
    told = _Bands.model_validate(step.facts)
    rule = told.classes[column]
    if rule.limits_by_stratum is None:
        return Grouped(step, told.show, rule.limits, rule.width, rule.origin)
    return Grouped(step, told.show, None, None, 0.0, Apart(told.within, rule.limits_by_stratum))


def _pram(step: Step, column: str) -> Treatment:
    told = _Pram.model_validate(step.facts)
    group = next(kind for kind in told.treated if column in kind.columns)
    unit = (told.unit,) if told.unit else ()
    return Misclassified(step, group.columns, group.strata, told.within, unit, told.invariant)


def _rotated(step: Step, column: str) -> Treatment:
    del column
    return MomentsKept(step, _Columns.model_validate(step.facts).columns)


_EMPTIED = Text(
    "Cells of {name} were suppressed; records without them are left out, and those that remain may differ.",
    "Zellen von {name} wurden unterdrückt; Datensätze ohne sie entfallen, und die übrigen können sich unterscheiden.",
)
_COARSER = Text(
    "{name} was released in coarser categories; effects are those of the categories shown.",
    "{name} wurde in gröberen Kategorien freigegeben; Effekte sind die der gezeigten Kategorien.",
)
READERS: Mapping[str, Callable[[Step, str], Treatment]] = {
    "microdata.factor-noise": _factors,
    "microdata.controlled-noise": _controlled,
    "microdata.noise": _noise,
    "microdata.correlated-noise": _noise,
    "microdata.mixture-noise": _noise,
    "microdata.log-noise": _noise,
    "microdata.round": _rounding,
    "microdata.top-bottom-code": _limits,
    "microdata.band": _band,
    "microdata.pram": _pram,
    "microdata.rotate": _rotated,
}
_NOTES = {Leaves.GAPS: _EMPTIED, Leaves.COARSER: _COARSER}
_NONE = Text(
    "the method changes relations between columns in a way that cannot be undone",
    "das Verfahren verändert Zusammenhänge zwischen Spalten auf eine Weise, die sich nicht zurückrechnen lässt",
)
_SEVERAL = Text(
    "several steps changed it, one after the other", "mehrere Schritte veränderten sie nacheinander"
)
_FROM_MASKED = Text(
    "it was computed after values had been changed at random",
    "sie wurde berechnet, nachdem Werte zufällig verändert worden waren",
)
_FACTS = Text("what its correction needs", "was ihre Korrektur braucht,")


def story_of(release: Release, column: str) -> Story:
    """The error a column carries, from the steps that changed it in their order."""
    told = [_treatment(release, step, column) for step in release.steps_of(column)]
    notes = tuple(t.note.filled(name=column) for t in told if isinstance(t, Kept) and t.note)
    errors = [t for t in told if not isinstance(t, Kept)]
    story = Story(column, errors[0] if errors else None, notes=notes)
    if not errors:
        return story
    late = any(isinstance(t, Kept) and t.coarser and t.step.number > errors[0].step.number for t in told)
    if isinstance(errors[-1], Rounded) and len(errors) <= 2:
        first = errors[0] if len(errors) == 2 else None
        if not isinstance(first, Limits | Grouped | Rounded | Lost):
            return replace(story, error=first, width=errors[-1].width, over=errors[-1].over)
    if len(errors) > 1 or late:
        last = errors[-1].step
        return replace(story, error=Lost(last, _SEVERAL))
    return replace(story, width=_width_left(errors[0], column))


def _width_left(error: Treatment, column: str) -> float:
    """The width of rounding that has the variance of what is left besides the error: rounding to whole numbers, and counts moved before they were multiplied."""
    whole = column in error.step.facts.get("rounded", ())
    moved = error.step.facts.get("moved_before", {}).get(column, 0.0)
    multiplied = (error.raw(2) or 1.0) if isinstance(error, Factors) else 1.0
    return float((float(whole) + SHEPPARD * moved * multiplied) ** 0.5)


def left_by(step: Step) -> Leaves:
    """What a step left of its columns, as its method declares it; of an unknown method nothing is known to be as it was."""
    if step.method not in catalogue:
        return Leaves.OTHER_VALUES
    declared = catalogue[step.method]
    return declared.leaves if issubclass(declared, Method) else Leaves.OTHER_VALUES


def _treatment(release: Release, step: Step, column: str) -> Treatment:
    left = left_by(step)
    if left.true:
        return Kept(step, _NOTES.get(left, NOTHING), left is Leaves.COARSER)
    if left is Leaves.DERIVED:
        return Lost(step, _FROM_MASKED) if _masked_before(release, step, column) else Kept(step)
    if left is Leaves.EXCHANGED:
        return Exchanged(step, _NONE)
    if step.method not in READERS:
        return Lost(step, _NONE)
    try:
        return READERS[step.method](step, column)
    except (ValidationError, StopIteration, KeyError):
        raise NotTold(what=_FACTS, name=column, step=step.number, method=step.title) from None


def _masked_before(release: Release, step: Step, column: str) -> bool:
    """Whether a column that this one is made from had been changed before."""
    made = step.facts.get(column)
    sources = set(made) | {str(v) for v in made.values()} if isinstance(made, Mapping) else {column}
    for earlier in release.steps:
        if earlier.number < step.number and not left_by(earlier).true:
            named = earlier.facts.get("columns", ())
            changed = {n for n, steps in release.treated.items() if earlier.number in steps}
            if sources & (changed | set(named if isinstance(named, list | tuple) else ())):
                return True
    return False
