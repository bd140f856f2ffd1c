"""Step 4: which attacks are to be expected, which are not, and why; the attackers of the release follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.language import Text
from tarnkappe.plan.answers import Answers
from tarnkappe.plan.frame import Frame, Scenario
from tarnkappe.plan.model import ReleaseDescription
from tarnkappe.plan.process import Profile, ScenarioDescription
from tarnkappe.spec.parameters import fit
from tarnkappe.studio.answers_form import Asked, described
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here, icon_button
from tarnkappe.studio.words import ADD, REMOVE
from tarnkappe.vocab import Attacker

_EXPECTED = Text("to be expected", "zu erwarten")
_EXCLUDED = Text("ruled out", "ausgeschlossen")
_NEEDS_REASON = Text(
    "An attack is recorded once its reason is given.",
    "Ein Angriff wird festgehalten, sobald er begründet ist.",
)
_SET = Text("attack scenario", "Angriffsszenario")
_OWN = Text("Another attack, in your own words", "Ein weiterer Angriff, in eigenen Worten")


def scenarios_of(content: Content) -> list[dict[str, Any]]:
    """The scenarios of a plan, as they stand in it."""
    found: list[dict[str, Any]] = content.get("process", {}).get("scenarios", [])
    return found


def follow_attackers(content: Content, change: Any) -> None:
    """Change the scenarios; the attackers of the release follow, as long as nobody has chosen others."""
    release = content.setdefault("release", {})
    followed = release.get("attackers") in (None, _attackers(content))
    change(content)
    if followed:
        release["attackers"] = _attackers(content)


def _attackers(content: Content) -> list[str]:
    answers, _ = fit(Answers, {"process": {"scenarios": scenarios_of(content)}})
    return [attacker.value for attacker in (answers or Answers()).attackers]


@dataclass(eq=False)
class Scenarios:
    """The attacks of the frame and further ones, each with its verdict and its reason."""

    here: Here
    frame: Frame
    asked: Asked

    def draw(self) -> None:
        """Draw them."""
        ui.label(self.here.say(_NEEDS_REASON)).classes("tk-soft tk-small")
        self.rows()
        self.attackers()

    def redraw(self) -> None:
        """Draw them anew: what is likely depends on who receives the data."""
        self.rows.refresh()
        self.attackers.refresh()

    @ui.refreshable_method
    def rows(self) -> None:
        """One row for each attack."""
        told = {str(one.get("attack")): one for one in self._told()}
        known = [one.id for one in self.frame.scenarios]
        self.asked.answers[:] = [partial(self._is_told, attack) for attack in known]
        for one in self.frame.scenarios:
            self._row(one.id, self.here.say(one.says.text), told.get(one.id), one)
        for attack in dict.fromkeys((*told, *self._own)):
            if attack not in known:
                self._row(attack, attack, told.get(attack), None)
        with ui.row().classes("w-full items-center no-wrap"):
            own = (
                ui.input(self.here.say(_OWN)).props("outlined dense").classes("tk-grow").mark("own-scenario")
            )
            ui.button(self.here.say(ADD), on_click=lambda: self._add(own.value.strip())).props("flat no-caps")

    @property
    def _own(self) -> list[str]:
        """Attacks in own words, also those without a reason yet."""
        found: list[str] = self.here.session.asides.setdefault("describe.scenarios", [])
        return found

    def _is_told(self, attack: str) -> bool:
        return any(said.get("attack") == attack for said in self._told())

    def _told(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.here.session.draft.get("process", "scenarios", default=[])
        return found

    def _row(self, attack: str, says: str, said: dict[str, Any] | None, one: Scenario | None) -> None:
        here = self.here
        profile = here.session.draft.get("process", "audience", "profile")
        likely = one is None or one in self.frame.likely(Profile(profile) if profile else None)
        excluded = bool(said.get("excluded")) if said else not likely
        with ui.column().classes("tk-scenario gap-2"):
            with ui.row().classes("w-full items-center justify-between no-wrap"):
                ui.label(says)
                if one is None:
                    icon_button("close", here.say(REMOVE), lambda: self._remove(attack))
            with ui.element("div").classes("tk-reasoned"):
                verdict = ui.toggle(
                    {True: here.say(_EXPECTED), False: here.say(_EXCLUDED)}, value=not excluded
                ).props("no-caps unelevated dense toggle-color=primary padding='.2rem .8rem'")
                verdict.mark(f"verdict-{attack}")
                reason = (
                    ui.textarea(
                        here.say(described(ScenarioDescription, "because")),
                        value=str(said.get("because", "")) if said else "",
                    )
                    .props("outlined autogrow dense rows=1")
                    .classes("tk-grow")
                )
                reason.mark(f"because-{attack}")

        def take() -> None:
            self._set(attack, reason.value.strip(), expected=bool(verdict.value), one=one)

        reason.on("blur", take)
        verdict.on_value_change(take)

    def _add(self, attack: str) -> None:
        if attack and attack not in self._own:
            self._own.append(attack)
            self.rows.refresh()

    def _remove(self, attack: str) -> None:
        if attack in self._own:
            self._own.remove(attack)
        self._put([said for said in self._told() if said.get("attack") != attack])
        self.rows.refresh()

    def _set(self, attack: str, because: str, *, expected: bool, one: Scenario | None) -> None:
        told = self._told()
        at = next((place for place, said in enumerate(told) if said.get("attack") == attack), None)
        wanted = {**(told[at] if at is not None else {}), "attack": attack, "because": because}
        wanted.pop("excluded", None)
        wanted |= {"excluded": True} if not expected else {}
        wanted |= {"attacker": one.attacker.value} if one and one.attacker else {}
        if at is not None:
            told[at : at + 1] = [wanted] if because else []
        elif because:
            told.append(wanted)
        self._put(told)

    def _put(self, told: list[dict[str, Any]]) -> None:
        def scenarios(content: Content) -> None:
            process = content.setdefault("process", {})
            process["scenarios"] = told
            if not told:
                del process["scenarios"]
            if not process:
                del content["process"]

        if told != self._told():
            self.here.change(_SET, lambda content: follow_attackers(content, scenarios))
            self.attackers.refresh()
            self.asked.changed()

    @ui.refreshable_method
    def attackers(self) -> None:
        """Against whom the release is measured."""
        label = described(ReleaseDescription, "attackers")
        given = self.here.session.draft.get("release", "attackers", default=[Attacker.PROSECUTOR.value])
        ui.label(self.here.say(label)).classes("tk-h3 tk-small")
        for attacker in Attacker:
            box = ui.checkbox(self.here.say(attacker.text), value=attacker.value in given)
            box.props("dense").mark(f"attacker-{attacker.value}")
            box.on_value_change(lambda event, attacker=attacker: self._choose(attacker, chosen=event.value))

    def _choose(self, attacker: Attacker, *, chosen: bool) -> None:
        given = self.here.session.draft.get("release", "attackers", default=[Attacker.PROSECUTOR.value])
        wanted = [one.value for one in Attacker if (chosen if one is attacker else one.value in given)]
        self.here.put(described(ReleaseDescription, "attackers"), "release", "attackers", value=wanted)
        self.asked.changed()
