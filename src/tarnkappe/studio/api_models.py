"""What the interface for programs takes and gives."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tarnkappe.language import Text
from tarnkappe.plan.ledger import Colour
from tarnkappe.studio.jobs import State
from tarnkappe.studio.worker import Trouble

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
"""Names that a release may have."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Said(_Model):
    """A sentence in both languages."""

    en: str
    de: str

    @classmethod
    def of(cls, text: Text) -> Said:
        return cls(en=text.en, de=text.de)


class Wrong(_Model):
    """What is wrong, with a code that does not change, and the way out."""

    code: str
    what: Said
    remedy: Said

    @classmethod
    def of(cls, trouble: Trouble) -> Wrong:
        return cls(code=trouble.code, what=Said.of(trouble.what), remedy=Said.of(trouble.remedy))


class Card(_Model):
    """A method, measure or rule, as its card tells it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: str
    kind: str
    title: Said
    does: Said
    parameters: list[dict[str, Any]]


class PlanAsked(_Model):
    """A plan, as the text of a plan file."""

    plan: Annotated[str, Field(min_length=1, max_length=2**20)]


class Checked(_Model):
    """Whether a plan is sound; if not, what is wrong."""

    sound: bool
    steps: int = 0
    tables: int = 0
    gates: int = 0
    wrong: Wrong | None = None


class Held(_Model):
    """A file of the session."""

    name: str
    bytes: int


class RunAsked(PlanAsked):
    """A plan to be run; its files were put into the session before."""

    name: Annotated[str, Field(pattern=NAME)] = "release"
    """Name of the release."""


class Run(_Model):
    """A run and how far it is."""

    id: str
    state: State
    doing: Said
    done: int
    parts: int
    seconds: float
    released: bool
    """Whether there is a release to fetch; a run that is done without one did not meet its conditions."""
    wrong: Wrong | None = None
    """Why it failed."""


class Measured(_Model):
    """A measure before and after."""

    measure: str
    title: Said
    before: float | None
    after: float | None
    trusted: bool
    reads: Said


class Judged(_Model):
    """A condition of the release."""

    says: Said
    held: bool
    because: Said


class StandsOut(_Model):
    """A finding that stands out, and the reason that signs it, if there is one."""

    what: str
    title: Said
    found: Said
    why: Said
    helps: Said
    reason: str | None


class Findings(_Model):
    """What a run found out."""

    verdict: Colour
    """Refused; released though something stands out, which was signed; released and nothing stands out."""
    measures: list[Measured]
    gates: list[Judged]
    standing: list[StandsOut]
