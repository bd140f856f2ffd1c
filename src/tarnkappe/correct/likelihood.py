"""Likelihoods for outcomes that are known in part: at a limit, in a class, or turned around with known probability."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarnkappe.correct.design import Design, unflagged
from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Grouped, Limits, Misclassified
from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.formula import Term
from tarnkappe.data.intervals import Bands, Cuts, limits_of
from tarnkappe.data.strata import ascending_strata
from tarnkappe.data.stratum_cuts import Rule, StratumCuts, classes_by
from tarnkappe.errors.correct import NotConverged, NotTold, TooFewRecords
from tarnkappe.kernels.corrected_moments import sandwich
from tarnkappe.kernels.interval_likelihood import Fit, interval_fit
from tarnkappe.kernels.misclassified_logit import logit_fit
from tarnkappe.language import Text

FEWEST = 10
"""Outcomes that must be known exactly, or lie apart, for the spread of the errors to be estimated."""
_NO_MAXIMUM = Text(
    "the regressors predict the outcome perfectly, or nothing varies",
    "die Regressoren sagen die Zielgröße vollkommen voraus, oder nichts variiert",
)
_CLASSES = Text("limits that fit the classes shown", "Grenzen, die zu den gezeigten Klassen passen,")
_STRATA = Text("the strata of its classes", "die Schichten ihrer Klassen")
_REGRESSOR = Text(
    "a changed category explains an outcome at limits, in classes or with two values (for two values, --family linear corrects it)",
    "eine veränderte Kategorie erklärt eine Zielgröße an Grenzen, in Klassen oder mit zwei Werten (bei zwei Werten korrigiert "
    "--family linear)",
)


def refuse_misclassified(design: Design, source: Source) -> None:
    """Likelihoods know what to do with a changed outcome, not with changed regressors."""
    for part in design.parts[1 if design.has_constant else 0 : -1]:
        story = source.stories[part.term.column]
        if isinstance(story.error, Misclassified):
            raise story.refused(_REGRESSOR)


def limited(design: Design, source: Source, clusters: Ints | None = None) -> Estimate:
    """Tobit where the outcome was cut at limits, interval regression where it was put into classes (G-C02, G-C03)."""
    term = design.parts[-1].term
    low, high = outcome_limits(term, source)
    used = design.used
    x, lo, hi = design.values[used, :-1], low[used], high[used]
    exact = int(np.count_nonzero(lo == hi))
    if (0 < exact < FEWEST) or (not exact and len(np.unique(lo)) < 2):
        raise TooFewRecords(found=exact, needed=FEWEST)

    def fit(weight: Floats) -> Fit:
        return interval_fit(x, lo, hi, weight)

    return _estimate(design, fit, clusters, spread=True)


def logit(design: Design, source: Source, clusters: Ints | None = None) -> Estimate:
    """Logistic regression, with the probabilities by which the outcome was changed where it was."""
    part = design.parts[-1]
    used = design.used
    zero, one = (p[used] for p in _probabilities(part.term, part.level or "", source))
    x, y = design.values[used, :-1], design.shown[used, -1]

    def fit(weight: Floats) -> Fit:
        return logit_fit(x, y, weight, zero, one)

    return _estimate(design, fit, clusters, spread=False)


def plain_logit(design: Design, clusters: Ints | None = None) -> Estimate:
    """Logistic regression on the values as they were released."""
    used = design.used
    x, y = design.shown[used, :-1], design.shown[used, -1]

    def fit(weight: Floats) -> Fit:
        return logit_fit(x, y, weight, np.zeros(len(y)), np.ones(len(y)))

    return _estimate(design, fit, clusters, spread=False)


def _estimate(
    design: Design, fit: Callable[[Floats], Fit], clusters: Ints | None, *, spread: bool
) -> Estimate:
    used = design.used
    weight = design.weight[used]
    found = fit(weight)
    if not found.converged or not np.isfinite(found.values).all():
        raise NotConverged(why=_NO_MAXIMUM)
    count = len(design.names)
    groups = None if clusters is None else np.unique(clusters[used], return_inverse=True)[1].astype(np.int64)
    covariance = sandwich(found.inverse, found.scores, groups, design.records)

    def again(times: Floats) -> Floats:
        result = fit(weight * times[used])
        return result.values[:count] if result.converged else np.full(count, np.nan)

    def influence() -> Floats:
        out = np.zeros((len(used), count))
        out[used] = (found.scores @ found.inverse)[:, :count]
        return out

    return Estimate(
        design.names,
        found.values[:count],
        covariance[:count, :count],
        spread=float(found.values[-1]) if spread else None,
        influence=influence,
        again=again,
    )


def _probabilities(term: Term, level: str, source: Source) -> tuple[Floats, Floats]:
    """The probabilities that the first and the second value are shown as the second."""
    found = source.stand_ins(term.column)
    if found is None:
        size = len(source.data)
        return np.zeros(size), np.ones(size)
    other = next(name for name in found.levels(term.column) if name != level)
    return found.shown_as(term.column, other, level), found.shown_as(term.column, level, level)


# -- limits ------------------------------------------------------------------------------------------------------------


def outcome_limits(term: Term, source: Source) -> tuple[Floats, Floats]:
    """What is known of the outcome of every record: equal limits where it is exact."""
    error = source.stories[term.column].error
    if isinstance(error, Limits):
        low, high = _censored(term.column, error, source)
    elif isinstance(error, Grouped):
        low, high = _class_limits(source, error, term.column)
    else:
        low = high = source.numbers(term.column)
    if term.form != "log":
        return low, high
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(np.maximum(low, 0.0)), np.log(high)


def _censored(name: str, limits: Limits, source: Source) -> tuple[Floats, Floats]:
    unflagged(source, limits, name)
    y, flag = source.numbers(name), source.data.column(limits.flag).texts()
    return np.where(flag == "lower", -np.inf, y), np.where(flag == "upper", np.inf, y)


def _class_limits(source: Source, told: Grouped, name: str) -> tuple[Floats, Floats]:
    """The limits of the class of every record; NaN where there is none."""
    column = source.data.column(name)
    ends = np.full((len(column), 2), np.nan)
    shown = column.observed
    if column.kind.is_number:
        of = np.zeros(len(column), dtype=np.int64) if told.apart is None else _strata(source, told, name)
        classes = classes_by(_rule(told), column.values[shown], of[shown])
        ends[shown] = np.array(classes.limits, dtype=np.float64)[classes.ids]
        return ends[:, 0], ends[:, 1]
    codes, _ = column.codes()
    used = np.unique(codes[shown])
    read = {code: limits_of(str(column.distinct()[code])) for code in used.tolist()}
    if any(limits is None for limits in read.values()):
        raise NotTold(what=_CLASSES, name=name, step=told.step.number, method=told.step.title)
    table = np.array([read[code] for code in used.tolist()], dtype=np.float64)
    ends[shown] = table[np.searchsorted(used, codes[shown])]
    return ends[:, 0], ends[:, 1]


def _rule(told: Grouped) -> Rule:
    if told.apart is not None:
        sizes = [len(points) for points in told.apart.limits]
        points = [p for points in told.apart.limits for p in points]
        return StratumCuts(np.array(points, dtype=np.float64), np.cumsum([0, *sizes]))
    return Bands((told.width,), told.origin) if told.width else Cuts((tuple(told.limits or ()),))


def _strata(source: Source, told: Grouped, name: str) -> Ints:
    """The stratum of every record, in the order in which their limits are told."""
    within, limits = (told.apart.within, told.apart.limits) if told.apart else ((), ())
    if source.still_shows(within, told.step):
        strata = ascending_strata(source.data, within)
        if len(strata) == len(limits):
            return strata.of.astype(np.int64)
    raise NotTold(what=_STRATA, name=name, step=told.step.number, method=told.step.title)
