"""The questions of the twelve steps that only people can answer, as the frame of the process asks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from nicegui import ui

from tarnkappe.language import Text, listed
from tarnkappe.plan.answers import Answers
from tarnkappe.plan.frame import Frame
from tarnkappe.plan.model import PlanDescription, ReleaseDescription
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.open_points import NO_AGREEMENT, OpenPoint, open_points
from tarnkappe.plan.process import (
    AssessmentDescription,
    AudienceDescription,
    NeedDescription,
    ProcessDescription,
    Profile,
    UseDescription,
)
from tarnkappe.spec.parameters import fit
from tarnkappe.studio.answers_form import Asked, described
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here, fold, heading
from tarnkappe.studio.granularity import PLACE, granularity
from tarnkappe.studio.list_form import approvals, decisions
from tarnkappe.studio.scenarios import Scenarios
from tarnkappe.studio.tasks.propose import Proposed
from tarnkappe.vocab import ReleaseKind

_COUNTED = Text("{n} of {all} answered", "{n} von {all} beantwortet")
_LAW = Text("Legal background", "Rechtlicher Hintergrund")
_ASSESSMENT = Text("Impact assessment (GDPR Art. 35)", "Datenschutz-Folgenabschätzung (Art. 35 DSGVO)")
_SPECIAL = Text("Specially protected: {names}", "Besonders geschützt: {names}")
_FOLLOWS = Text("One follows from the other: {pairs}", "Eines folgt aus dem anderen: {pairs}")
_AUDIENCE = Text("who receives it", "wer sie erhält")
_REDUCE = Text("What lowers the risk beside the methods", "Was das Risiko außer den Verfahren senkt")
_PROCESS = "process"
_USE = (_PROCESS, "use")
_LEAVE_OUT = Text("columns to leave out", "Spalten, die wegfallen")
STEPS = (1, 2, 3, 4, 5, 12)
"""The steps that ask people; the others are computed."""


@dataclass(eq=False)
class Questions:
    """The questions, one fold for each step; `changed` is called after every answer."""

    here: Here
    frame: Frame
    names: tuple[str, ...]
    """Columns of the file."""
    changed: Callable[[], Any]
    proposed: Proposed | None = None
    _asked: dict[int, Asked] = field(default_factory=dict)
    _counts: dict[int, ui.label] = field(default_factory=dict)

    def draw(self) -> None:
        """Draw every step."""
        for number in STEPS:
            self._step(number)

    def _step(self, number: int) -> None:
        here, step = self.here, self.frame.steps[number - 1]
        open_ = here.session.asides.setdefault("describe.open", set())
        with fold(here.say(step.title.text), shown=False, value=number in open_).classes(
            "tk-panel tk-fold"
        ) as step_fold:
            step_fold.mark(f"step-{number}")
            step_fold.on_value_change(lambda event: (open_.add if event.value else open_.discard)(number))
            with step_fold.add_slot("header"):
                with ui.column().classes("gap-0 tk-fill"):
                    heading(here.say(step.title.text), 3)
                    ui.label(here.say(step.asks.text)).classes("tk-soft tk-small")
                self._counts[number] = ui.label().classes("tk-count tk-soft tk-small")
            asked = self._asked[number] = Asked(here, self._answered)
            self._draw(number, asked)
        self._count(number)

    def _draw(self, number: int, asked: Asked) -> None:
        match number:
            case 1:
                self._need(asked)
            case 2:
                self._preparation(asked)
            case 3:
                self.audience(asked)
            case 4:
                self._scenarios(asked)
            case 5:
                self._use(asked)
            case _:
                self._release(asked)

    def tell(self, proposed: Proposed) -> None:
        """What the data itself says to a question is known now."""
        self.proposed = proposed
        self.told.refresh()

    def _answered(self) -> None:
        for number in self._asked:
            self._count(number)
        self.changed()

    def _count(self, number: int) -> None:
        asked = self._asked[number]
        self._counts[number].set_text(self.here.say(_COUNTED, n=asked.answered(), all=len(asked.answers)))

    # -- the steps ----------------------------------------------------------------------------------------------------

    def _need(self, asked: Asked) -> None:
        here, place = self.here, (_PROCESS, "need")
        asked.words(described(PlanDescription, "title"), "title")
        asked.words(described(NeedDescription, "why"), *place, "why")
        asked.lines(described(NeedDescription, "basis"), *place, "basis")
        special = [name for name in self.names if (topic := topic_of(name)) and topic.article]
        if special:
            ui.label(here.say(_SPECIAL, names=listed(special))).classes("tk-small")
            asked.words(described(NeedDescription, "special"), *place, "special")
        asked.words(described(NeedDescription, "officer"), *place, "officer")
        self._assessment(asked)
        with fold(here.say(_LAW)).props("dense").classes("tk-inner"):
            for article in self.frame.articles:
                ui.label(here.say(article.name.text)).classes("tk-h3 tk-small")
                ui.label(here.say(article.says.text)).classes("tk-soft tk-small")

    def _assessment(self, asked: Asked) -> None:
        place = (_PROCESS, "need", "assessment")
        with fold(self.here.say(_ASSESSMENT)).props("dense").classes("tk-inner").mark("assessment"):
            asked.words(described(AssessmentDescription, "reference"), *place, "reference")
            asked.day(described(AssessmentDescription, "dated"), *place, "dated")
            asked.words(described(AssessmentDescription, "consequences"), *place, "consequences")
            asked.words(described(AssessmentDescription, "not_needed"), *place, "not_needed")
            for prompt in self.frame.prompts:
                asked.words(prompt.asks.text, *place, "answers", prompt.id)

    def _preparation(self, asked: Asked) -> None:
        self.told()
        asked.words(described(ProcessDescription, "preparation"), _PROCESS, "preparation")

    @ui.refreshable_method
    def told(self) -> None:
        """Which columns say the same, and which follow from others."""
        if self.proposed is None:
            return
        for one in self.proposed.alike:
            ui.label(f"• {self.here.say(one.text)}").classes("tk-small")
        pairs = [f"{d.on} → {d.of}" for d in self.proposed.proposal.dependencies]
        if pairs:
            ui.label(f"• {self.here.say(_FOLLOWS, pairs=listed(pairs))}").classes("tk-small")

    @ui.refreshable_method
    def audience(self, asked: Asked) -> None:
        """Step 3; what is asked depends on who receives the data."""
        asked.answers.clear()
        here, place = self.here, (_PROCESS, "audience")
        profiles = {profile.value: here.say(profile.text) for profile in Profile}
        asked.choice(
            described(AudienceDescription, "profile"), profiles, *place, "profile", then=self._set_profile
        )
        kinds = {kind.value: here.say(kind.text) for kind in ReleaseKind}
        asked.choice(described(ReleaseDescription, "kind"), kinds, "release", "kind")
        asked.words(described(AudienceDescription, "who"), *place, "who")
        given = here.session.draft.get(*place, "profile")
        profile = Profile(given) if given in profiles else None
        if profile is not Profile.PUBLIC:
            asked.words(described(AudienceDescription, "other_data"), *place, "other_data")
        if profile not in NO_AGREEMENT:
            asked.words(described(AudienceDescription, "agreement"), *place, "agreement")
            ui.label(here.say(_REDUCE)).classes("tk-h3 tk-small")
            for advice in self.frame.reductions:
                ui.label(f"• {here.say(advice.text)}").classes("tk-soft tk-small")

    def _set_profile(self, profile: str | None) -> None:
        """Who receives it decides the kind of release, as long as nobody has decided otherwise."""

        def change(content: Content) -> None:
            process = content.setdefault(_PROCESS, {})
            audience = process.setdefault("audience", {})
            before = audience.pop("profile", None)
            if profile:
                audience["profile"] = profile
            release = content.setdefault("release", {})
            if release.get("kind") in (None, fitting_kind(before)):
                release["kind"] = fitting_kind(profile)

        self.here.change(_AUDIENCE, change)
        self.audience.refresh()
        self.scenarios.redraw()
        self._answered()

    def _scenarios(self, asked: Asked) -> None:
        self.scenarios = Scenarios(self.here, self.frame, asked)
        self.scenarios.draw()

    def _use(self, asked: Asked) -> None:
        asked.lines(described(UseDescription, "analyses"), *_USE, "analyses")
        if self.names:
            asked.several(
                described(UseDescription, "dispensable"),
                self.names,
                *_USE,
                "dispensable",
                then=self._leave_out,
            )
            self.fine(asked)
            asked.counts(*PLACE)
        asked.words(described(UseDescription, "cadence"), *_USE, "cadence")

    @ui.refreshable_method
    def fine(self, asked: Asked) -> None:
        """How fine columns must be; drawn anew when roles and hierarchies change."""
        granularity(self.here, asked)

    def _leave_out(self, names: list[str]) -> None:
        """Columns that nobody needs have no least granularity."""

        def change(content: Content) -> None:
            use = content.setdefault(_PROCESS, {}).setdefault("use", {})
            use["dispensable"] = names
            fine = use.get("granularity", {})
            use["granularity"] = {name: said for name, said in fine.items() if name not in names}
            for part in ("dispensable", "granularity"):
                if not use[part]:
                    del use[part]

        self.here.change(_LEAVE_OUT, change)
        self._answered()

    def _release(self, asked: Asked) -> None:
        asked.day(described(ProcessDescription, "review"), _PROCESS, "review")
        approvals(self.here, asked)
        decisions(self.here, asked)


def fitting_kind(profile: str | None) -> str:
    """The kind of release that fits some recipients."""
    answers, _ = fit(Answers, {"process": {"audience": {"profile": profile}}} if profile else {})
    return (answers or Answers()).release_kind.value


def left_open(here: Here, frame: Frame, names: tuple[str, ...]) -> tuple[OpenPoint, ...]:
    """What people still have to decide; nothing where the process of the plan is not sound."""
    process, misfits = fit(ProcessDescription, here.session.draft.get(_PROCESS, default={}))
    if misfits:
        return ()
    return open_points(process, frame, names, date.today())  # noqa: DTZ011 - the day of the office
