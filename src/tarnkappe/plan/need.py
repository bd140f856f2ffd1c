"""Must this table be protected at all? A score with reasons, hard triggers, and a recommendation.

The points and decisions are data (need.yaml) that an office can edit; here is only the reading of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tarnkappe.data.table import Table
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.tables import NeedWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, load, parse
from tarnkappe.plan.need_facts import FOUND, KNOWN, Fact, Facts, facts_of
from tarnkappe.plan.need_unknown import at_worst, missing, recognised, remarks
from tarnkappe.spec.parameters import fit, spelt


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Said(_Part):
    """A sentence in both languages."""

    en: Annotated[str, Field(min_length=1)]
    de: Annotated[str, Field(min_length=1)]

    @property
    def text(self) -> Text:
        return Text(self.en, self.de)


class Bounds(_Part):
    """A number within limits."""

    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _limits_are_given(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError(Text("needs at_least or at_most", "braucht at_least oder at_most"))
        return self

    def hold(self, number: float) -> bool:
        """Whether a number lies within them."""
        above = self.at_least is None or number >= self.at_least
        return above and (self.at_most is None or number <= self.at_most)


Test = bool | int | str | list[bool | int | str] | Bounds
When = Mapping[str, Test]


class Case(_Part):
    """Points under some conditions."""

    when: When
    points: int
    says: Said


class Feature(_Part):
    """Something that raises or lowers the score; the first case that holds counts."""

    name: str
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]


class Trigger(_Part):
    """Conditions under which the table must be protected whatever its score."""

    name: str
    when: Annotated[When, Field(min_length=1)]
    says: Said


class Verdict(_Part):
    """What is decided under some conditions; the last one has none."""

    verdict: Literal["publish", "mask", "expert"]
    when: When
    says: Said


class Recommendation(_Part):
    """A rule and a method under some conditions; `$name` stands for a fact."""

    when: When
    rule: Mapping[str, Any] | None = None
    method: Mapping[str, Any] | None = None
    says: Said


class Rules(_Part):
    """The whole decision tree."""

    tarnkappe_need: Literal[1]
    k: Annotated[int, Field(ge=1)]
    features: tuple[Feature, ...]
    triggers: tuple[Trigger, ...]
    verdicts: Annotated[tuple[Verdict, ...], Field(min_length=1)]
    recommendations: tuple[Recommendation, ...] = ()

    @model_validator(mode="after")
    def _every_table_has_a_verdict(self) -> Self:
        if self.verdicts[-1].when:
            raise ValueError(
                Text(
                    "the last verdict must have no conditions",
                    "der letzte Entscheid darf keine Bedingungen haben",
                )
            )
        return self

    def conditions(self) -> list[tuple[str, When]]:
        """All conditions with the place where they stand."""
        cases = [(f"features.{f.name}", case.when) for f in self.features for case in f.cases]
        triggers = [(f"triggers.{t.name}", t.when) for t in self.triggers]
        verdicts = [(f"verdicts[{i}]", v.when) for i, v in enumerate(self.verdicts, 1)]
        return [
            *cases,
            *triggers,
            *verdicts,
            *((f"recommendations[{i}]", r.when) for i, r in enumerate(self.recommendations, 1)),
        ]


@dataclass(frozen=True, slots=True)
class Point:
    """What one feature adds to the score, and why."""

    name: str
    points: int
    because: Text


@dataclass(frozen=True, slots=True)
class Assessment:
    """Whether a table needs protection, why, and what is recommended."""

    score: int
    points: tuple[Point, ...]
    triggers: tuple[Text, ...]
    verdict: str
    """publish, mask, expert; or unknown: facts are missing without which it must not be called harmless."""
    because: Text
    rule: Mapping[str, Any] | None
    method: Mapping[str, Any] | None
    """As in a plan: `use` and parameters."""
    advice: Text
    facts: Mapping[str, Fact]
    """Every answer the decision used. For the office alone: it holds the smallest counts."""
    missing: tuple[Text, ...] = ()
    """What would have to be known for another verdict than unknown."""
    remarks: tuple[Text, ...] = ()
    """What was taken for granted or not looked at."""


UNKNOWN = Text(
    "It cannot be judged: what is missing could make it a table that must be protected.",
    "Sie ist nicht zu beurteilen: Nach dem, was fehlt, könnte sie zu schützen sein.",
)
_NAME_IT = Text("Name what is missing and ask again.", "Nennen Sie, was fehlt, und fragen Sie noch einmal.")


def assess(table: Table, facts: Facts | None = None, rules: Rules | None = None) -> Assessment:
    """Score a table, look for hard triggers, decide, and recommend a rule and a method.

    Whole values of which nobody says what they are are judged as counts where that makes the verdict stricter.
    """
    used, told = rules or standard_rules(), facts or Facts()
    read = recognised(table)
    known = facts_of(read.table, told, used.k)
    points, triggers, verdict = _decided(used, known)
    lacking, said = missing(read, told), remarks(read, told)
    score = sum(p.points for p in points)
    known = {**known, "score": score, "triggered": bool(triggers)}
    if verdict.verdict == "publish" and _decided(used, at_worst(known, lacking))[2].verdict != "publish":
        known["verdict"] = "unknown"
        return Assessment(
            score, points, triggers, "unknown", UNKNOWN, None, None, _NAME_IT, known, lacking, said
        )
    known["verdict"] = verdict.verdict
    advised = next((r for r in used.recommendations if _holds(r.when, known)), None)
    return Assessment(
        score, points, triggers, verdict.verdict, verdict.says.text, _filled(advised.rule if advised else None, known),
        _filled(advised.method if advised else None, known), advised.says.text if advised else verdict.says.text, known, (), said,
    )  # fmt: skip


def _decided(rules: Rules, known: Mapping[str, Fact]) -> tuple[tuple[Point, ...], tuple[Text, ...], Verdict]:
    """The points, the triggers that hold and the verdict under some facts."""
    points = tuple(_points(rules, known))
    triggers = tuple(t.says.text for t in rules.triggers if _holds(t.when, known))
    found = {**known, "score": sum(p.points for p in points), "triggered": bool(triggers)}
    return points, triggers, next(v for v in rules.verdicts if _holds(v.when, found))


def standard_rules() -> Rules:
    """The rules that come with Tarnkappe."""
    text = files("tarnkappe.plan").joinpath("need.yaml").read_text("utf-8")
    return _checked(parse(text, "need.yaml"))


def read_rules(path: Path) -> Rules:
    """The rules of an office."""
    return _checked(load(path))


def _checked(document: Document) -> Rules:
    rules, misfits = fit(Rules, document.content if isinstance(document.content, dict) else {})
    problems = [Text(f"{spelt(m.place)} {m.says.en}", f"{spelt(m.place)} {m.says.de}") for m in misfits]
    for place, when in rules.conditions() if rules else ():
        allowed = KNOWN | (FOUND if place.startswith(("verdicts", "recommendations")) else frozenset())
        problems += [_unknown(place, name, allowed) for name in when if name not in allowed]
    if rules is None or problems:
        said = Text("; ".join(p.en for p in problems), "; ".join(p.de for p in problems))
        raise NeedWrong(file=document.name, problems=said)
    return rules


def _unknown(place: str, name: str, allowed: frozenset[str]) -> Text:
    hint = did_you_mean(name, allowed)
    return Text(f"{place}: {name!r} is no fact. {hint.en}", f"{place}: {name!r} ist kein Umstand. {hint.de}")


def _points(rules: Rules, known: Mapping[str, Fact]) -> list[Point]:
    found = [(f.name, next((c for c in f.cases if _holds(c.when, known)), None)) for f in rules.features]
    return [Point(name, case.points, case.says.text) for name, case in found if case is not None]


def _holds(when: When, known: Mapping[str, Fact]) -> bool:
    return all(_fits(test, known.get(name)) for name, test in when.items())


def _fits(test: Test, fact: Fact) -> bool:
    """A fact that is not known fits nothing."""
    if fact is None:
        return False
    if isinstance(test, Bounds):
        return isinstance(fact, int | float) and test.hold(fact)
    return fact in test if isinstance(test, list) else fact == test


def _filled(parts: Mapping[str, Any] | None, known: Mapping[str, Fact]) -> dict[str, Any] | None:
    """With facts in place of their names."""
    if parts is None:
        return None
    named = {
        name: part[1:] if isinstance(part, str) and part.startswith("$") else None
        for name, part in parts.items()
    }
    return {name: known.get(fact) if (fact := named[name]) else part for name, part in parts.items()}
