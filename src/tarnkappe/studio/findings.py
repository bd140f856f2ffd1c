"""What stands out in a release: why, what would help, and a place for the reason that signs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.plan.accept import is_trivial
from tarnkappe.plan.ledger import Accepted, Standing
from tarnkappe.plan.model import Gate
from tarnkappe.plan.policy import Policy, policy_of, standard_policies
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here, icon_button, panel
from tarnkappe.vocab import ReleaseKind

_TITLE = Text("What stands out", "Was auffällt")
_SAYS = Text(
    "It is released only if you write down why it may be. Recipients read the reason in about.html, the office in its report.",
    "Freigegeben wird es nur, wenn Sie begründen, warum das geht. Die Empfänger lesen die Begründung in about.html, das Haus im Bericht.",
)
_WANTS = Text("The policy wants: {limit}", "Die Richtlinie verlangt: {limit}")
_HELPS = Text("What would help: {helps}", "Was helfen würde: {helps}")
_REASON = Text("Reason", "Begründung")
_SIGN, _AGAIN = Text("Sign with this reason", "Mit dieser Begründung zeichnen"), Text("Change", "Ändern")
_SIGNED, _UNSIGNED = Text("signed", "gezeichnet"), Text("not signed", "nicht gezeichnet")
_SHORT = Text(
    "Write a sentence of at least {words} words that others can follow.",
    "Schreiben Sie einen nachvollziehbaren Satz aus mindestens {words} Wörtern.",
)
_CHANGE = Text("sign what stands out", "Auffälliges zeichnen")
_REMOVE, _REMOVED = Text("Take the reason back", "Begründung zurücknehmen"), Text("take a reason back", "Begründung zurücknehmen")  # fmt: skip
_LESS = Text("Less than the default policy: {says}", "Weniger als die Standardrichtlinie: {says}")


def findings(here: Here, standing: Sequence[Standing], less: Sequence[Accepted]) -> None:
    """A card for everything that stands out, with a field for its reason."""
    if not standing and not less:
        return
    with panel(here.say(_TITLE)):
        ui.label(here.say(_SAYS)).classes("tk-soft")
        for one in standing:
            _card(here, one)
        for accepted in less:
            with ui.column().classes("gap-1 w-full"):
                ui.label(here.say(_LESS, says=accepted.says)).classes("tk-help-what")
                ui.label(f"{here.say(_REASON)}: {accepted.reason}").classes("tk-soft")


def _card(here: Here, one: Standing) -> None:
    accepted = here.session.draft.get("accept", default=[])
    reason = next(
        (a.get("reason", "") for a in accepted if isinstance(a, dict) and a.get("what") == one.what), ""
    )
    with ui.column().classes("gap-1 w-full tk-finding"):
        state = here.say(_SIGNED if reason else _UNSIGNED)
        ui.label(f"{here.say(one.title)} – {state}").classes("tk-help-what")
        ui.label(f"{here.say(one.found)} {here.say(_WANTS, limit=one.limit)}")
        ui.label(here.say(one.why))
        ui.label(here.say(_HELPS, helps=one.helps)).classes("tk-soft")
        field = ui.textarea(here.say(_REASON), value=reason).props("outlined dense autogrow maxlength=1000")
        field.classes("w-full").mark(f"reason-{one.what}")
        with ui.row().classes("gap-2 items-center"):
            words = _AGAIN if reason else _SIGN
            button = ui.button(here.say(words), icon="draw", on_click=partial(_sign, here, one.what, field))
            button.props("outline no-caps").mark(f"sign-{one.what}")
            if reason:
                icon_button("delete", here.say(_REMOVE), partial(_take_back, here, one.what))


def _sign(here: Here, what: str, field: ui.textarea) -> None:
    reason = (field.value or "").strip()
    asked = policy_here(here).reason
    if is_trivial(reason, asked):
        field.props(f'error error-message="{here.say(_SHORT, words=asked.words)}"')
        return

    def change(content: Content) -> None:
        rest = _others(content, what)
        content["accept"] = [*rest, {"what": what, "reason": reason}]

    here.change(_CHANGE, change)
    here.redraw()


def _take_back(here: Here, what: str) -> None:
    def change(content: Content) -> None:
        rest = _others(content, what)
        if rest:
            content["accept"] = rest
        else:
            content.pop("accept", None)

    here.change(_REMOVED, change)
    here.redraw()


def _others(content: Content, what: str) -> list[Any]:
    """Everything that is accepted beside this."""
    return [
        one for one in content.get("accept") or [] if not isinstance(one, dict) or one.get("what") != what
    ]


def policy_here(here: Here) -> Policy:
    """The policy of the draft; the default one where its own cannot be read, which the trial then tells."""
    kind, file = (here.session.draft.get("release", part) for part in ("kind", "policy"))
    kinds = {kind.value: kind for kind in ReleaseKind}
    chosen = kinds.get(str(kind), ReleaseKind.SCIENTIFIC)
    try:
        return policy_of(chosen, str(file) if file else None, here.session.folder)
    except TarnkappeError:
        return standard_policies()[chosen]


def default_conditions(here: Here) -> tuple[Gate, ...]:
    """What the policy asks of every release of this kind."""
    return tuple(condition.gate for condition in policy_here(here).gates)
