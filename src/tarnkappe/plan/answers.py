"""The answers from which `tarnkappe new` writes a plan: asked in a terminal, or taken from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from tarnkappe.errors.process import AnswersWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, load
from tarnkappe.plan.part import Part, Words, several
from tarnkappe.plan.problems import Problem
from tarnkappe.plan.process import ProcessDescription, Profile
from tarnkappe.spec.parameters import fit
from tarnkappe.vocab import Attacker, ReleaseKind, Role

_KINDS = {
    Profile.TEAM: ReleaseKind.INTERNAL,
    Profile.HOUSE: ReleaseKind.INTERNAL,
    Profile.GROUP: ReleaseKind.INTERNAL,
    Profile.PUBLIC: ReleaseKind.PUBLIC,
}


class Answers(Part):
    """What people have decided before there is a plan."""

    data: Words | None = None
    """The data file. | Die Datendatei."""
    title: Words | None = None
    """Title of the release. | Titel der Freigabe."""
    roles: dict[str, Annotated[tuple[Role, ...], BeforeValidator(several)]] = {}
    """Column -> roles, where the proposed ones are wrong. | Spalte -> Rollen, wo die vorgeschlagenen nicht stimmen."""
    kind: ReleaseKind | None = None
    """Kind of release; by default what fits the recipients. | Art der Freigabe; sonst, was zu den Empfängern passt."""
    process: ProcessDescription = ProcessDescription()
    """The process, as in a plan. | Der Ablauf, wie in einem Plan."""

    @property
    def release_kind(self) -> ReleaseKind:
        profile = self.process.audience.profile
        return self.kind or _KINDS.get(profile or Profile.AGREEMENT, ReleaseKind.SCIENTIFIC)

    @property
    def attackers(self) -> tuple[Attacker, ...]:
        """Those who stand for the scenarios to be expected."""
        meant = [s.attacker for s in self.process.scenarios if s.attacker and not s.excluded]
        return tuple(dict.fromkeys(meant)) or (Attacker.PROSECUTOR,)


def read_answers(path: Path) -> Answers:
    """The answers of a file."""
    return checked_answers(load(path))


def checked_answers(document: Document) -> Answers:
    """Answers that fit, or one error that lists every one that does not."""
    content: Mapping[str, Any] = document.content if isinstance(document.content, dict) else {}
    answers, misfits = fit(Answers, content)
    if answers is None:
        texts = [Problem(m.place, m.says, document.line(m.place)).text for m in misfits]
        said = Text("\n".join(t.en for t in texts), "\n".join(t.de for t in texts))
        raise AnswersWrong(file=document.name, problems=said)
    return answers
