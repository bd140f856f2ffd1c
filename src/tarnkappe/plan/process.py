"""The process around a release, as a plan records it: need, audience, scenarios, use, decisions, approvals.

The twelve steps of DAV (2025), section 8: what people decide stands here with its reasons, what can be computed is computed in the run.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StrictInt, model_validator

from tarnkappe.language import Text
from tarnkappe.plan.part import Names, Part, Words
from tarnkappe.vocab import Attacker

Level = Annotated[StrictInt, Field(ge=0)] | str


class Profile(StrEnum):
    """Who receives a release, from the nearest to everybody."""

    TEAM = "same-team"
    HOUSE = "other-team"
    GROUP = "affiliated"
    ENCLAVE = "own-data-centre"
    PARTNER = "partner"
    AGREEMENT = "agreement"
    PUBLIC = "public"

    @property
    def text(self) -> Text:
        return _PROFILES[self]


_PROFILES = {
    Profile.TEAM: Text("the same team", "dasselbe Team"),
    Profile.HOUSE: Text("another team of the house", "ein anderes Team im Haus"),
    Profile.GROUP: Text("an affiliated company", "ein verbundenes Unternehmen"),
    Profile.ENCLAVE: Text(
        "guests who work in the data holder's own data centre",
        "Gäste, die im Rechenzentrum des Datenhalters arbeiten",
    ),
    Profile.PARTNER: Text(
        "a partner, such as a reinsurer or consultant", "Partner wie Rückversicherer oder Berater"
    ),
    Profile.AGREEMENT: Text(
        "outside recipients who have signed an agreement",
        "externe Empfänger mit unterschriebener Vereinbarung",
    ),
    Profile.PUBLIC: Text("the public", "die Öffentlichkeit"),
}


class AssessmentDescription(Part):
    """The data protection impact assessment (GDPR Art. 35)."""

    reference: Words | None = None
    """Where it is filed. | Aktenzeichen oder Ablageort."""
    dated: date | None = None
    """Its date. | Datum."""
    consequences: Words | None = None
    """What would follow for people if they were recognised after all. | Was Betroffenen droht, falls sie doch erkannt werden."""
    not_needed: Words | None = None
    """Why none is needed. | Warum keine nötig ist."""
    answers: dict[str, Words] = {}
    """Prompt -> answer; the prompts stand in the frame. | Leitfrage -> Antwort; die Leitfragen stehen im Rahmen."""


class NeedDescription(Part):
    """Step 1: why the data must be protected."""

    why: Words | None = None
    """Whose data it is and why it must be protected. | Wessen Daten es sind und warum sie zu schützen sind."""
    basis: Names = ()
    """Legal basis of the anonymisation. | Rechtsgrundlage der Anonymisierung."""
    special: Words | None = None
    """Basis for special categories of data (GDPR Art. 9, 10). | Grundlage für besondere Kategorien (Art. 9, 10 DSGVO)."""
    officer: Words | None = None
    """How the data protection officer was involved. | Wie die Datenschutzbeauftragte oder der Datenschutzbeauftragte beteiligt war."""
    assessment: AssessmentDescription = AssessmentDescription()
    """The impact assessment. | Die Datenschutz-Folgenabschätzung."""


class AudienceDescription(Part):
    """Step 3: who receives the release; recipients read this in about.html."""

    profile: Profile | None = None
    """Kind of recipients. | Art der Empfänger."""
    who: Words | None = None
    """The target group in words. Stands in about.html. | Die Zielgruppe in Worten. Steht in about.html."""
    other_data: Words | None = None
    """What other data about the same people the recipients hold. | Welche Daten über dieselben Personen die Empfänger sonst haben."""
    agreement: Words | None = None
    """What recipients have agreed to. Stands in about.html. | Wozu sich Empfänger verpflichtet haben. Steht in about.html."""


class ScenarioDescription(Part):
    """Step 4: an attack that was considered."""

    attack: Words
    """The attack: a scenario of the frame, or your own words. | Der Angriff: ein Szenario des Rahmens oder eigene Worte."""
    because: Words
    """Why it is, or is not, to be expected. | Warum damit zu rechnen ist oder nicht."""
    excluded: bool = False
    """It is not to be expected. | Mit ihm ist nicht zu rechnen."""
    attacker: Attacker | None = None
    """The attacker who stands for it in the measures. | Der Angreifer, der in den Maßen dafür steht."""
    sources: Names = ()
    """What the attacker can use beside the release. | Was der Angreifer außer der Freigabe nutzen kann."""


class Granularity(Part):
    """How fine a column must be released."""

    wanted: Level | None = None
    """Level of its hierarchy that users wish for. | Ebene der Hierarchie, die Nutzer wünschen."""
    least: Level | None = None
    """Coarsest level that is still of use. | Gröbste Ebene, die noch etwas nützt."""
    width: Annotated[float, Field(gt=0)] | None = None
    """Widest classes or rounding that is still of use. | Breiteste Klassen oder Rundung, die noch etwas nützen."""

    @property
    def needed(self) -> bool:
        """Whether the column must be there at all."""
        return self.width is not None or self.least not in (None, 0)


def _least(given: Any) -> Any:
    """A level alone is the least one."""
    return {"least": given} if isinstance(given, int | str) and not isinstance(given, bool) else given


class UseDescription(Part):
    """Step 5: what the release is for; recipients read the analyses in about.html."""

    analyses: Names = ()
    """Analyses that are planned. Stand in about.html. | Geplante Auswertungen. Stehen in about.html."""
    granularity: dict[str, Annotated[Granularity, BeforeValidator(_least)]] = {}
    """Column -> how fine it must be; a plan that is coarser is refused. | Spalte -> wie fein sie sein muss; ein gröberer Plan wird
    zurückgewiesen."""
    dispensable: Names = ()
    """Columns nobody needs. | Spalten, die niemand braucht."""
    cadence: Words | None = None
    """How often the data is released. | Wie oft die Daten freigegeben werden."""

    @model_validator(mode="after")
    def _needed_or_not(self) -> Self:
        both = [
            name for name in self.dispensable if name in self.granularity and self.granularity[name].needed
        ]
        if both:
            raise ValueError(
                Text(
                    f"{both[0]!r} is dispensable and has a least granularity",
                    f"{both[0]!r} ist entbehrlich und hat eine Mindestgranularität",
                )
            )
        return self


class DecisionDescription(Part):
    """A decision with its reason."""

    what: Words
    """What was decided. | Was entschieden wurde."""
    because: Words
    """Why. | Warum."""
    step: Annotated[int, Field(ge=1, le=12)] | None = None
    """Number of the step of the process. | Nummer des Schritts im Ablauf."""
    by: Words | None = None
    """Who decided. | Wer entschieden hat."""
    dated: date | None = None
    """When. | Wann."""


class ApprovalDescription(Part):
    """A sign-off."""

    who: Words
    """Who approves. | Wer freigibt."""
    role: Words | None = None
    """In which function. | In welcher Funktion."""
    dated: date | None = None
    """When; without it the approval is still open. | Wann; ohne Datum steht die Freigabe noch aus."""


class ProcessDescription(Part):
    """The process around the release: what people decided, and why."""

    need: NeedDescription = NeedDescription()
    """Need for protection. | Schutzbedarf."""
    preparation: Words | None = None
    """What was cleaned, merged or removed before. | Was vorher bereinigt, zusammengeführt oder entfernt wurde."""
    audience: AudienceDescription = AudienceDescription()
    """Who receives it. | Wer sie erhält."""
    scenarios: tuple[ScenarioDescription, ...] = ()
    """Attacks that were considered, also those ruled out. | Erwogene Angriffe, auch die ausgeschlossenen."""
    use: UseDescription = UseDescription()
    """What it is for. | Wofür sie ist."""
    decisions: tuple[DecisionDescription, ...] = ()
    """Decisions with their reasons. | Entscheidungen mit Begründung."""
    approvals: tuple[ApprovalDescription, ...] = ()
    """Who has approved. | Wer zugestimmt hat."""
    review: date | None = None
    """When sources, attacks and law are looked at again. | Wann Datenquellen, Angriffe und Recht erneut geprüft werden."""
    frame: Words | None = None
    """A file with the office's own legal frame, prompts and scenarios. | Datei mit eigenem Rechtsrahmen, Leitfragen und Szenarien."""
