"""What is still open in the process around a release: questions that only people can answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from tarnkappe.language import Text
from tarnkappe.plan.frame import Frame
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.process import (
    ApprovalDescription,
    AudienceDescription,
    NeedDescription,
    ProcessDescription,
    Profile,
    UseDescription,
)

NO_AGREEMENT = (Profile.TEAM, Profile.HOUSE, Profile.PUBLIC)
"""Recipients with whom nothing is agreed: colleagues, and everybody."""


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """Something that is not decided yet, and in which of the twelve steps."""

    step: int
    says: Text


def open_points(
    process: ProcessDescription | None, frame: Frame, columns: Iterable[str], today: date
) -> tuple[OpenPoint, ...]:
    """Everything that people still have to decide or write down."""
    told = process or ProcessDescription()
    special = any(topic.article for name in columns if (topic := topic_of(name)))
    steps = (
        (1, _need(told.need, frame, special=special)),
        (2, _one(told.preparation, _PREPARED)),
        (3, _audience(told.audience)),
        (4, () if told.scenarios else (_SCENARIOS,)),
        (5, _use(told.use)),
        (12, _release(told.approvals, told.review, today)),
    )
    return tuple(OpenPoint(step, says) for step, found in steps for says in found)


_PREPARED = Text(
    "what was cleaned, merged or removed beforehand",
    "was vorab bereinigt, zusammengeführt oder entfernt wurde",
)
_SCENARIOS = Text("attack scenarios with reasons", "Angriffsszenarien mit Begründung")


def _one(told: object, says: Text) -> Iterator[Text]:
    if not told:
        yield says


def _need(need: NeedDescription, frame: Frame, *, special: bool) -> Iterator[Text]:
    yield from _one(need.why, Text("why the data must be protected", "warum die Daten zu schützen sind"))
    yield from _one(need.basis, Text("the legal basis", "die Rechtsgrundlage"))
    if special:
        says = Text(
            "the basis for special categories of data (GDPR Art. 9, 10)",
            "die Grundlage für besondere Kategorien von Daten (Art. 9, 10 DSGVO)",
        )
        yield from _one(need.special, says)
    says = Text(
        "how the data protection officer was involved",
        "wie die oder der Datenschutzbeauftragte beteiligt war",
    )
    yield from _one(need.officer, says)
    told = need.assessment
    if told.not_needed:
        return
    yield from _one(
        told.reference,
        Text("the impact assessment (GDPR Art. 35)", "die Datenschutz-Folgenabschätzung (Art. 35 DSGVO)"),
    )
    yield from _one(
        told.consequences,
        Text("the consequences of a re-identification", "die Folgen einer Re-Identifikation"),
    )
    left = [prompt for prompt in frame.prompts if prompt.id not in told.answers]
    if left:
        says = Text(
            "{n} of {all} prompts of the impact assessment", "{n} von {all} Leitfragen der Folgenabschätzung"
        )
        yield says.filled(n=len(left), all=len(frame.prompts))


def _audience(audience: AudienceDescription) -> Iterator[Text]:
    yield from _one(audience.profile or audience.who, Text("who receives the data", "wer die Daten erhält"))
    if audience.profile not in NO_AGREEMENT:
        yield from _one(
            audience.agreement,
            Text("the agreement with the recipients", "die Vereinbarung mit den Empfängern"),
        )
    if audience.profile is not Profile.PUBLIC:
        says = Text("what else the recipients know", "was die Empfänger sonst wissen")
        yield from _one(audience.other_data, says)


def _use(use: UseDescription) -> Iterator[Text]:
    yield from _one(use.analyses, Text("planned analyses", "geplante Auswertungen"))
    yield from _one(
        use.granularity, Text("the least granularity of columns", "die Mindestgranularität von Spalten")
    )
    yield from _one(use.cadence, Text("how often data is released", "wie oft Daten freigegeben werden"))


def _release(approvals: tuple[ApprovalDescription, ...], review: date | None, today: date) -> Iterator[Text]:
    if not approvals or any(approval.dated is None for approval in approvals):
        yield Text("approvals", "Zustimmungen")
    if review is None:
        yield Text("a date of review", "ein Termin für die Überprüfung")
    elif review < today:
        yield Text("the review: its date has passed", "die Überprüfung: Ihr Termin ist verstrichen")
