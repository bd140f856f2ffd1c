"""The frame of the process: steps, legal background, criteria, prompts and scenarios as data that an office can edit."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from tarnkappe.errors.process import FrameWrong
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, load, parse
from tarnkappe.plan.need import Said
from tarnkappe.plan.part import Part
from tarnkappe.plan.process import Profile
from tarnkappe.spec.parameters import fit, spelt
from tarnkappe.vocab import Attacker

STEPS = 12


class ProcessStep(Part):
    """One of the twelve steps."""

    title: Said
    asks: Said


class Article(Part):
    """A provision and what it says, in short."""

    name: Said
    says: Said


class Criterion(Part):
    """What anonymous data must not allow, and the measures that speak to it."""

    name: Said
    asks: Said
    measures: tuple[str, ...] = ()


class Prompt(Part):
    """A question of the impact assessment."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    asks: Said


class Scenario(Part):
    """An attack that can be expected, and of whom it cannot."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")]
    says: Said
    attacker: Attacker | None = None
    not_for: tuple[Profile, ...] = ()


class Technique(Part):
    """What a technique leaves open of the three criteria (WP216, table 6)."""

    name: Said
    singling_out: Literal["yes", "no", "may-not"]
    linkability: Literal["yes", "no", "may-not"]
    inference: Literal["yes", "no", "may-not"]


class Frame(Part):
    """The whole frame."""

    tarnkappe_frame: Literal[1]
    notice: Said
    steps: Annotated[tuple[ProcessStep, ...], Field(min_length=STEPS, max_length=STEPS)]
    articles: tuple[Article, ...]
    criteria: tuple[Criterion, ...]
    prompts: tuple[Prompt, ...]
    reductions: tuple[Said, ...] = ()
    scenarios: tuple[Scenario, ...]
    techniques: tuple[Technique, ...] = ()
    models: tuple[Said, ...] = ()
    """What to see to where a model is released instead of the data."""

    def scenario(self, attack: str) -> Text:
        """The words of a scenario; words that are no name of one stand for themselves."""
        found = next((s.says.text for s in self.scenarios if s.id == attack), None)
        return found or Text(attack, attack)

    def likely(self, profile: Profile | None) -> tuple[Scenario, ...]:
        """The scenarios to be expected of some recipients."""
        return tuple(s for s in self.scenarios if profile is None or profile not in s.not_for)


@cache
def standard_frame() -> Frame:
    """The frame that comes with Tarnkappe."""
    text = files("tarnkappe.plan").joinpath("frame.yaml").read_text("utf-8")
    return _checked(parse(text, "frame.yaml"))


def frame_of(file: str | None, folder: Path) -> Frame:
    """The frame that a plan names, or the standard one."""
    return _checked(load(inside(folder, file))) if file else standard_frame()


def _checked(document: Document) -> Frame:
    frame, misfits = fit(Frame, document.content if isinstance(document.content, dict) else {})
    if frame is None:
        said = [(spelt(m.place), m.says) for m in misfits]
        problems = Text("; ".join(f"{w} {s.en}" for w, s in said), "; ".join(f"{w} {s.de}" for w, s in said))
        raise FrameWrong(file=document.name, problems=problems)
    return frame
