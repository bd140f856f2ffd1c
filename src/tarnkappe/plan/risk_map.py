"""The risk–utility map: several plans on the same data, each tried without releasing, each a point.

Source: duncan2001, the R-U confidentiality map.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import quantities
from tarnkappe.errors import InputWrong, TarnkappeError, did_you_mean
from tarnkappe.errors.mapping import MapDataDiffers, MapEmpty, MapMeasure, MapRolesDiffer, MapWithoutRecords
from tarnkappe.errors.release import Cancelled
from tarnkappe.language import Text
from tarnkappe.plan.check import check
from tarnkappe.plan.measuring import asked_by, measured
from tarnkappe.plan.model import Asked, DataDescription, Plan
from tarnkappe.plan.prepare import fitted_to, read_raw
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.table_map import TableMap, map_tables, only_tables
from tarnkappe.plan.trial import Trial, bare, parts_of, try_plan
from tarnkappe.plan.trial_cache import Cache, keep, kept, named
from tarnkappe.plan.variants import Grid, Variant, variants
from tarnkappe.spec import Finding, Goal, Measure, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.vocab import Role

RISKS = ("risk.reidentification", "risk.interval-disclosure", "risk.outliers")
OF_NUMBERS = "risk.found-and-learnt"
"""Goes before them where plans change numbers: by keys alone, noise of any strength would look alike."""
UTILITIES = ("utility.score", "utility.changed")
"""The first that the data has what it needs for."""
SCORED: tuple[dict[str, Any], ...] = (
    {"use": "utility.recoding", "worst": 1.0},
    {"use": "utility.distance", "worst": 0.25},
    {"use": "utility.lost-share", "worst": 1.0},
)
"""What the score is made of where no plan says: coarser categories, moved numbers (nothing is left when they moved by a quarter of their
spread on average) and lost records count the same."""
_COMPARABLE = (Role.KEY, Role.SENSITIVE, Role.NUMERIC, Role.WEIGHT)
_ORIGINAL = Text("original", "Original")
_FAMILIES = {"risk": Text("risk", "das Risiko"), "utility": Text("utility", "den Nutzen")}


@dataclass(frozen=True, slots=True)
class Bound:
    """A gate on one of the two measures: a line on the map."""

    axis: str
    """``risk`` or ``utility``."""
    value: float
    says: Text


@dataclass(frozen=True, slots=True)
class RiskMap:
    """Plans side by side."""

    risk: Measure
    utility: Measure
    original: Trial
    trials: tuple[Trial, ...]
    bounds: tuple[Bound, ...] = ()

    @property
    def front(self) -> tuple[Trial, ...]:
        """Plans that would be released and that no other such plan beats on both axes, the safest first."""
        able = [trial for trial in self.trials if trial.released]
        best = [t for t in able if not any(_beats(self._losses(o), self._losses(t)) for o in able)]
        return tuple(sorted(best, key=self._losses))

    def _losses(self, trial: Trial) -> tuple[float, float]:
        assert trial.risk is not None, "only measured trials are compared"
        assert trial.utility is not None, "only measured trials are compared"
        return loss(self.risk, trial.risk.value), loss(self.utility, trial.utility.value)


def loss(measure: Measure, value: float) -> float:
    """The value turned so that less is better."""
    return -value if measure.goal is Goal.HIGH else abs(value) if measure.goal is Goal.NEAR_ZERO else value


def map_plans(
    *plans: str | Path,
    risk: str | None = None,
    utility: str | None = None,
    vary: Grid | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> RiskMap | TableMap:
    """Try several plans, or one with a grid of values, and measure each; nothing is released.

    Plans that publish tables alone are compared by what protection costs: cells, value, respondents, processor time.

    Parameters
    ----------
    plans
        Plan files, or grid files with `plan` and `vary`.
    risk, utility
        Ids of the two measures; without them, the first of a short list that the data has what it needs for.
    vary
        Path in the plan -> values, for example ``{"steps.2.k": [3, 5, 10]}``.
    fresh
        Measure again what was measured before.
    """
    found = variants([Path(plan) for plan in plans], vary)
    if only_tables(found):
        return map_tables(found, progress)
    return map_variants(found, risk=risk, utility=utility, fresh=fresh, progress=progress)


def map_variants(
    found: Sequence[Variant],
    *,
    risk: str | None = None,
    utility: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> RiskMap:
    """The same for plans that need not lie in files."""
    progress = progress or Progress()
    checked = [_checked(variant) for variant in found]
    sound = [plan for plan in checked if isinstance(plan, Plan)]
    if not sound:
        raise _nothing(
            [_failed(v, p) for v, p in zip(found, checked, strict=True) if isinstance(p, TarnkappeError)]
        )
    cache = Cache()
    _comparable(sound, cache)
    progress.expect_also(2)
    progress.next(Text("reading the data", "Daten werden gelesen"))
    data = _Data()
    before = data.of(sound[0])
    progress.next(Text("measuring the original", "Original wird gemessen"))
    chosen, original = _axes(sound, before, {"risk": risk, "utility": utility})
    jobs = [_job(v, p, cache, chosen, fresh=fresh) for v, p in zip(found, checked, strict=True)]
    progress.expect_also(sum(parts_of(job.plan, *chosen) for job in jobs if job.plan and not job.done))
    trials = tuple(job.done or _tried(job, data, chosen, progress) for job in jobs)
    if not any(trial.risk for trial in trials):
        raise _nothing(trials)
    return RiskMap(chosen[0].measure, chosen[1].measure, original, trials, _bounds(sound, chosen))


@dataclass(frozen=True, slots=True)
class _Job:
    """A variant that is to be tried, or what is known of it already."""

    variant: Variant
    plan: Plan | None = None
    key: str = ""
    done: Trial | None = None


def _job(
    variant: Variant, plan: Plan | TarnkappeError, cache: Cache, chosen: tuple[Asked, Asked], *, fresh: bool
) -> _Job:
    if isinstance(plan, TarnkappeError):
        return _Job(variant, done=_failed(variant, plan))
    key = cache.key(plan, *chosen)
    before = None if fresh else kept(plan.folder, key)
    return _Job(variant, plan, key, named(before, variant.name, variant.changed) if before else None)


def _tried(job: _Job, data: _Data, chosen: tuple[Asked, Asked], progress: Progress) -> Trial:
    """Try a plan; what it cannot reach is told in its place."""
    assert job.plan is not None, "what has no plan is done"
    try:
        trial = try_plan(job.plan, data.of(job.plan), *chosen, progress)
    except Cancelled:
        raise
    except TarnkappeError as problem:
        return _failed(job.variant, problem)
    keep(job.plan.folder, job.key, trial)
    return named(trial, job.variant.name, job.variant.changed)


class _Data:
    """The data, read once for all plans that read it alike."""

    def __init__(self) -> None:
        self._raw: dict[str, Microdata] = {}

    def of(self, plan: Plan) -> Microdata:
        described = _described(plan)
        how = repr(described.options)
        if how not in self._raw:
            self._raw = {how: read_raw(plan, described)}
        return fitted_to(plan, described, self._raw[how])


def _described(plan: Plan) -> DataDescription:
    if plan.data is None or not plan.releases_data:
        raise MapWithoutRecords(plan=plan.file)
    return plan.data


def _checked(variant: Variant) -> Plan | TarnkappeError:
    try:
        return check(variant.document, variant.folder, outside=variant.outside)
    except InputWrong as problem:
        return problem


def _failed(variant: Variant, problem: TarnkappeError) -> Trial:
    said = Text(" ".join(problem.what.en.split()), " ".join(problem.what.de.split()))
    return Trial(variant.name, variant.document.name, dict(variant.changed), failed=said)


def _nothing(trials: Iterable[Trial]) -> MapEmpty:
    lines = [(f"  {t.name}: {t.failed.en}", f"  {t.name}: {t.failed.de}") for t in trials]
    return MapEmpty(reasons=Text("\n".join(en for en, _ in lines), "\n".join(de for _, de in lines)))


def _comparable(plans: Sequence[Plan], cache: Cache) -> None:
    """One data file, one set of roles: else a point lower on the map need not be safer."""
    first = plans[0]
    for plan in plans:
        _described(plan)
        if cache.data_of(plan) != cache.data_of(first):
            raise MapDataDiffers(first=first.file, second=plan.file)
        for role in _COMPARABLE:
            if set(plan.having(role)) != set(first.having(role)):
                raise MapRolesDiffer(first=first.file, second=plan.file, role=role.value)


# -- the two measures ---------------------------------------------------------------------------------------------


def _axes(
    plans: Sequence[Plan], before: Microdata, ids: Mapping[str, str | None]
) -> tuple[tuple[Asked, Asked], Trial]:
    """The two measures and what the original has in them."""
    found = {}
    risks = (OF_NUMBERS, *RISKS) if _change_numbers(plans, before) else RISKS
    for family, usual in (("risk", risks), ("utility", UTILITIES)):
        given = ids[family]
        found[family] = _first(
            plans, before, [given] if given else [i for i in usual if i in catalogue], family
        )
    (risk, at_risk), (utility, worth) = found["risk"], found["utility"]
    here = Trial(_ORIGINAL.en, risk=bare(at_risk), utility=bare(worth))
    return (risk, utility), here


def _change_numbers(plans: Sequence[Plan], before: Microdata) -> bool:
    """Whether a step of some plan changes a quantity."""
    numbers = set(quantities(before))
    steps = (step for plan in plans for step in plan.steps if not step.takes_identifiers)
    return any(numbers & set(step.treated_columns()) for step in steps)


def _first(
    plans: Sequence[Plan], before: Microdata, ids: Sequence[str], family: str
) -> tuple[Asked, Finding]:
    """The first measure that the original has what it needs for; when none has, what the last one misses."""
    for id in ids[:-1]:
        with suppress(InputWrong):
            return _taken(plans, before, id, family)
    return _taken(plans, before, ids[-1], family)


def _taken(plans: Sequence[Plan], before: Microdata, id: str, family: str) -> tuple[Asked, Finding]:
    asked = _asked(plans, before, id, family)
    return asked, measured(asked, before, before, Progress()).after


def _asked(plans: Sequence[Plan], before: Microdata, id: str, family: str) -> Asked:
    """A measure with the parameters that a plan gives it, else with its own; a score is then made of what the data has."""
    cls = catalogue[id]
    if not issubclass(cls, Measure) or not id.startswith(f"{family}."):
        able = [one.id for one in catalogue.measures() if one.id.startswith(f"{family}.")]
        raise MapMeasure(id=id, family=_FAMILIES[family], hint=did_you_mean(id, able))
    for plan in plans:
        for one in (*asked_by(plan), *plan.measures):
            if one.measure.id == id and one.against is None:
                return Asked(one.measure)
    made = build(cls, {"analyses": _scored(before)} if id == "utility.score" else {})
    assert isinstance(made, Measure)
    return Asked(made)


def _scored(before: Microdata) -> list[dict[str, Any]]:
    """The parts of the usual score that the data has what it needs for."""
    able = []
    for part in SCORED:
        with suppress(InputWrong):
            one = build(catalogue[part["use"]], {})
            assert isinstance(one, Measure)
            one.measure(before, before=before)
            able.append(part)
    return able


def _bounds(plans: Sequence[Plan], chosen: tuple[Asked, Asked]) -> tuple[Bound, ...]:
    """The gates on the two measures, each value once."""
    found = {}
    for axis, asked in zip(("risk", "utility"), chosen, strict=True):
        for gate in (gate for plan in plans for gate in plan.gates if gate.measure == asked.measure):
            for value in (gate.at_least, gate.at_most):
                if value is not None:
                    found[axis, value] = Bound(axis, value, gate.says)
    return tuple(found.values())


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """At least as good in both, better in one."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
