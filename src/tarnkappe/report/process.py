"""The chapters of the internal report that a supervisory authority asks for: the twelve steps and what stands behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tarnkappe.language import NOTHING, Text, same
from tarnkappe.plan.anonymity import Leaves
from tarnkappe.plan.frame import Criterion, Frame, frame_of, standard_frame
from tarnkappe.plan.ledger import ConsistencyEntry, MeasureEntry, Run
from tarnkappe.plan.open_points import open_points
from tarnkappe.plan.process import ProcessDescription, ScenarioDescription
from tarnkappe.report.measures import value_of
from tarnkappe.report.numbers import shown
from tarnkappe.vocab import Role

Pairs = tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """One of the twelve steps: what is done and what is open."""

    number: int
    title: Text
    done: tuple[Text, ...]
    open: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A measure in short: before and after."""

    title: Text
    does: Text
    before: Text
    after: Text


ANONYMITY = Text("Degree of anonymity", "Grad der Anonymität")
ACCESS = Text("Way of access", "Zugangsweg")


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One of the three criteria and the measures that speak to it."""

    name: Text
    asks: Text
    measures: tuple[Taken, ...]


@dataclass(frozen=True, slots=True)
class GranularityView:
    """How fine a column must be, and where that is checked."""

    name: str
    wanted: str
    least: str


@dataclass(frozen=True, slots=True)
class ProcessView:
    """Everything the chapters show."""

    frame: Frame
    told: ProcessDescription
    steps: tuple[StepView, ...]
    need: Pairs
    prompts: tuple[tuple[Text, Text, bool], ...]
    """Question, answer, and whether there is one."""
    audience: Pairs
    scenarios: tuple[tuple[ScenarioDescription, Text], ...]
    criteria: tuple[CriterionView, ...]
    roles: Pairs
    use: Pairs
    granularity: tuple[GranularityView, ...]
    consistency: tuple[ConsistencyEntry, ...]
    model: bool = False
    """A model leaves the house, not the data."""

    @property
    def ready(self) -> int:
        """Steps with nothing open."""
        return sum(not step.open for step in self.steps)


def process_view(run: Run) -> ProcessView:
    """The process of a run; where the plan tells nothing of it, everything is open."""
    told = run.plan.process or ProcessDescription()
    frame = frame_of(told.frame, run.plan.folder) if told.frame else standard_frame()
    return ProcessView(
        frame=frame, told=told, steps=_steps(run, told, frame), need=_need(told), prompts=_prompts(told, frame),
        audience=_audience(run, told), scenarios=tuple((s, frame.scenario(s.attack)) for s in told.scenarios),
        criteria=tuple(_criterion(c, run.measures) for c in frame.criteria), roles=_roles(run), use=_use(told),
        granularity=tuple(_granularity(told)), consistency=run.consistency,
        model=run.plan.release.object is Leaves.MODEL,
    )  # fmt: skip


# -- the checklist ------------------------------------------------------------------------------------------------


def _steps(run: Run, told: ProcessDescription, frame: Frame) -> tuple[StepView, ...]:
    points = open_points(run.plan.process, frame, run.before.names, run.started.date())
    done = _done(run, told)
    computed = dict(_computed(run))
    return tuple(
        StepView(
            n, step.title.text, done.get(n, ()),
            (*(p.says for p in points if p.step == n), *computed.get(n, ())),
        )
        for n, step in enumerate(frame.steps, 1)
    )  # fmt: skip


def _done(run: Run, told: ProcessDescription) -> dict[int, tuple[Text, ...]]:
    """What is done, in a few words, as far as it can be seen."""
    risk, utility = _of(run.measures, "risk."), _of(run.measures, "utility.")
    held = sum(gate.held for gate in run.gates)
    count = Text("measures: {n}", "Maße: {n}")
    roles = Text("columns with a role: {n}", "Spalten mit Rolle: {n}").filled(n=shown(_with_roles(run)))
    signed = [a for a in told.approvals if a.dated]
    out: dict[int, tuple[Text | None, ...]] = {
        1: (roles if _with_roles(run) else None, _if(told.need.basis, Text("legal basis", "Rechtsgrundlage")),
            _if(told.need.assessment.reference, Text("impact assessment", "Folgenabschätzung"))),
        2: (_if(told.preparation, Text("documented", "dokumentiert")),),
        3: (run.plan.release.kind.text, told.audience.profile.text if told.audience.profile else None),
        4: (_if(told.scenarios, Text("scenarios: {n}", "Szenarien: {n}").filled(n=shown(len(told.scenarios)))),),
        5: (_if(told.use.analyses, Text("analyses: {n}", "Auswertungen: {n}").filled(n=shown(len(told.use.analyses)))),),
        6: (_if(any(e.before for e in risk), count.filled(n=shown(sum(e.before is not None for e in risk)))),),
        7: (_if(utility, count.filled(n=shown(len(utility)))),),
        8: (_if(run.steps or run.tables, Text("methods: {n}", "Verfahren: {n}").filled(n=shown(len(run.steps) + len(run.tables)))),),
        9: (Text("conditions met: {n} of {all}", "erfüllte Bedingungen: {n} von {all}").filled(n=shown(held), all=shown(len(run.gates))),),
        10: (_if(utility, count.filled(n=shown(len(utility)))),),
        11: (_if(run.consistency, Text("rules: {n}", "Regeln: {n}").filled(n=shown(len(run.consistency)))),
             Text("documents written", "Dokumente geschrieben")),
        12: (_if(signed, Text("approvals: {n}", "Zustimmungen: {n}").filled(n=shown(len(signed)))),
             Text("review {day}", "Überprüfung {day}").filled(day=told.review.isoformat()) if told.review else None),
    }  # fmt: skip
    return {n: tuple(text for text in texts if text) for n, texts in out.items()}


def _computed(run: Run) -> Iterator[tuple[int, tuple[Text, ...]]]:
    """What is open because it was not measured or does not hold."""
    no_measure = Text("no measure was taken", "kein Maß wurde genommen")
    if run.plan.releases_data and not _of(run.measures, "risk."):
        yield 6, (no_measure,)
    if run.plan.releases_data and not _of(run.measures, "utility."):
        yield 7, (no_measure,)
        yield 10, (no_measure,)
    closed = sum(not gate.held for gate in run.gates)
    if closed:
        yield (
            9,
            (Text("conditions not met: {n}", "nicht erfüllte Bedingungen: {n}").filled(n=shown(closed)),),
        )
    broken = sum(entry.held is False for entry in run.consistency)
    if broken:
        yield 11, (Text("broken rules: {n}", "verletzte Regeln: {n}").filled(n=shown(broken)),)


def _if(told: object, says: Text) -> Text | None:
    return says if told else None


def _of(measures: Sequence[MeasureEntry], family: str) -> list[MeasureEntry]:
    return [entry for entry in measures if entry.measure.id.startswith(family)]


def _with_roles(run: Run) -> int:
    return len({name for names in run.before.roles.values() for name in names})


# -- the chapters -------------------------------------------------------------------------------------------------


def _pairs(*entries: tuple[Text, Any]) -> Pairs:
    """Name and words, without what is not told."""
    return tuple(
        (name, said if isinstance(said, Text) else same(str(said))) for name, said in entries if said
    )


def _need(told: ProcessDescription) -> Pairs:
    need, assessment = told.need, told.need.assessment
    return _pairs(
        (Text("Why the data must be protected", "Warum die Daten zu schützen sind"), need.why),
        (Text("Legal basis", "Rechtsgrundlage"), "; ".join(need.basis)),
        (Text("Special categories", "Besondere Kategorien"), need.special),
        (Text("Data protection officer", "Datenschutzbeauftragte/r"), need.officer),
        (Text("Impact assessment", "Datenschutz-Folgenabschätzung"), _dated(assessment.reference, assessment.dated)),
        (Text("No impact assessment, because", "Keine Folgenabschätzung, weil"), assessment.not_needed),
        (Text("Consequences of a re-identification", "Folgen einer Re-Identifikation"), assessment.consequences),
        (Text("Preparation of the data", "Datenaufbereitung"), told.preparation),
    )  # fmt: skip


def _dated(words: str | None, day: Any) -> str | None:
    return f"{words}, {day.isoformat()}" if words and day else words


def _prompts(told: ProcessDescription, frame: Frame) -> tuple[tuple[Text, Text, bool], ...]:
    answers = told.need.assessment.answers
    left = Text("open", "offen")
    return tuple(
        (p.asks.text, same(answers[p.id]) if p.id in answers else left, p.id in answers)
        for p in frame.prompts
    )


def _audience(run: Run, told: ProcessDescription) -> Pairs:
    audience = told.audience
    return _pairs(
        (Text("Kind of release", "Art der Freigabe"), run.plan.release.kind.text),
        (ANONYMITY, run.plan.release.anonymity.text if run.plan.release.anonymity else None),
        (ACCESS, run.plan.release.access.text if run.plan.release.access else None),
        (Text("Recipients", "Empfänger"), audience.profile.text if audience.profile else None),
        (Text("Target group", "Zielgruppe"), audience.who),
        (Text("Their other data", "Ihre weiteren Daten"), audience.other_data),
        (Text("Agreement", "Vereinbarung"), audience.agreement),
    )


def _use(told: ProcessDescription) -> Pairs:
    return _pairs(
        (Text("Planned analyses", "Geplante Auswertungen"), "; ".join(told.use.analyses)),
        (Text("Dispensable columns", "Entbehrliche Spalten"), ", ".join(told.use.dispensable)),
        (Text("Releases", "Freigaben"), told.use.cadence),
    )


def _granularity(told: ProcessDescription) -> Iterator[GranularityView]:
    for name, g in told.use.granularity.items():
        least = "" if g.least is None else str(g.least)
        yield GranularityView(
            name, "" if g.wanted is None else str(g.wanted), f"≤ {g.width:g}" if g.width else least
        )


def _roles(run: Run) -> Pairs:
    """Role by role, the columns of the original."""
    return tuple(
        (role.text, same(", ".join(run.before.role(role)))) for role in Role if run.before.role(role)
    )


def _criterion(criterion: Criterion, measures: Sequence[MeasureEntry]) -> CriterionView:
    found = [e for id in criterion.measures for e in measures if e.measure.id == id]
    return CriterionView(criterion.name.text, criterion.asks.text, tuple(_taken(e) for e in found))


def _taken(entry: MeasureEntry) -> Taken:
    before = value_of(entry.measure, entry.before.value) if entry.before else NOTHING
    return Taken(entry.measure.title, entry.measure.does, before, value_of(entry.measure, entry.after.value))
