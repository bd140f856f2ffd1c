"""The default policy of every kind of release as data: conditions, findings that must be signed, columns that need a role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from tarnkappe.data.tellable import CLOSENESS, CONTRIBUTORS
from tarnkappe.errors.policy import PolicyWrong
from tarnkappe.io.paths import inside
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.check_measures import checked_gates
from tarnkappe.plan.document import Document, load, parse
from tarnkappe.plan.model import Gate
from tarnkappe.plan.need import Said
from tarnkappe.plan.part import Part
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Measure
from tarnkappe.spec.parameters import fit, spelt
from tarnkappe.vocab import ReleaseKind, Role

FILE = "policy.yaml"
ROLES, KEYS, RULES, EDITIONS, COMPUTED = "roles", "keys", "rules", "editions", "computed"
"""What a plan can accept beside the measures of a policy: columns without a role, a file without keys, tables without a rule,
what differs between editions, dropped columns that can be computed from those that stay."""
WITHOUT_MEASURE = (ROLES, KEYS, RULES, EDITIONS, COMPUTED)


class Look(StrEnum):
    """What a column without a role can look like."""

    IDENTIFIER = "identifier"
    SPECIAL = "special"
    PLACE_AND_BIRTH = "place-and-birth"
    KNOWN = "known"


class ReasonDescription(Part):
    """What a written reason must have to be one."""

    signs: Annotated[int, Field(ge=1)] = 20
    words: Annotated[int, Field(ge=1)] = 4


class RolesDescription(Part):
    """Which columns must have a role."""

    needed: tuple[Role, ...] = ()
    looks: tuple[Look, ...] = ()


class LeastRule(Part):
    """How strict a rule for tables must be, where a plan names it."""

    rule: str
    parameter: str
    at_least: float | None = None
    at_most: float | None = None

    def kept_by(self, value: Any) -> bool:
        """Whether a parameter is as strict."""
        if not isinstance(value, int | float):
            return True
        return (self.at_least is None or value >= self.at_least) and (
            self.at_most is None or value <= self.at_most
        )


class TablesDescription(Part):
    """What is asked of tables."""

    least: tuple[LeastRule, ...] = ()


class AttacksDescription(Part):
    """When a stranger's attack on the release is told, and when it closes the gate."""

    close: Annotated[float, Field(ge=0, lt=1)] = 0.01
    """A value is given back where it is known within this share of itself."""
    stands_out: Annotated[float, Field(ge=0, le=1)] = 0.05
    """Share of the guesses, right beyond chance, from which an attack must be signed."""
    refused: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share of the guesses, right beyond chance, from which nothing is released."""


class ToldDescription(Part):
    """From how many contributors on a figure may be told, and how near it may come to the values of fewer."""

    contributors: Annotated[int, Field(ge=2)] = CONTRIBUTORS
    closeness: Annotated[float, Field(ge=0, lt=1)] = CLOSENESS


class KindDescription(Part):
    """The policy of one kind of release, as it stands in the file."""

    roles: RolesDescription = RolesDescription()
    gates: tuple[dict[str, Any], ...] = ()
    findings: tuple[dict[str, Any], ...] = ()
    tables: TablesDescription = TablesDescription()
    attacks: AttacksDescription = AttacksDescription()
    told: ToldDescription = ToldDescription()


class WordsDescription(Part):
    """Why a limit matters and what would help."""

    why: Said
    helps: Said


class PolicyDescription(Part):
    """The whole file."""

    tarnkappe_policy: Literal[1]
    reason: ReasonDescription = ReasonDescription()
    kinds: dict[ReleaseKind, KindDescription]
    words: dict[str, WordsDescription] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit of the policy, why it matters, what would help, and what a plan may ask in its place."""

    gate: Gate
    instead: tuple[Gate, ...] = ()
    why: Text = NOTHING
    helps: Text = NOTHING

    @property
    def id(self) -> str:
        return self.gate.measure.id


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of one kind of release."""

    file: str
    roles: RolesDescription = field(default_factory=RolesDescription)
    gates: tuple[Condition, ...] = ()
    findings: tuple[Condition, ...] = ()
    least: tuple[LeastRule, ...] = ()
    told: ToldDescription = field(default_factory=ToldDescription)
    reason: ReasonDescription = field(default_factory=ReasonDescription)
    attacks: AttacksDescription = field(default_factory=AttacksDescription)
    acceptable: tuple[str, ...] = WITHOUT_MEASURE
    """What a plan can accept: also what is asked of other kinds, so that a plan may change its kind."""


@cache
def standard_policies() -> Mapping[ReleaseKind, Policy]:
    """The policies that come with Tarnkappe."""
    return _checked(parse(standard_text(), FILE))


def standard_text() -> str:
    """The file of the default policy, with its comments."""
    return files("tarnkappe.plan").joinpath(FILE).read_text("utf-8")


def policy_of(kind: ReleaseKind, file: str | None, folder: Path) -> Policy:
    """The policy that a plan names, or the default one; parts that an office's policy leaves out are those of the default."""
    default = standard_policies()
    found = _checked(load(inside(folder, file)), default) if file else default
    if kind not in found:
        says = Text(f"there is nothing for {kind.value}", f"für {kind.value} steht nichts darin")
        raise PolicyWrong(file=file or FILE, problems=says)
    return found[kind]


def _checked(
    document: Document, default: Mapping[ReleaseKind, Policy] | None = None
) -> dict[ReleaseKind, Policy]:
    content = document.content if isinstance(document.content, dict) else {}
    described, misfits = fit(PolicyDescription, content)
    problems = [Problem(m.place, m.says) for m in misfits]
    found: dict[ReleaseKind, Policy] = {}
    for kind, one in described.kinds.items() if described else ():
        assert described is not None
        made = _made(kind, one, described, document.name, problems)
        found[kind] = _completed(made, one, default[kind]) if default else made
    if described is None or problems:
        said = [(spelt(p.place), p.says) for p in problems]
        listed = Text("; ".join(f"{w} {s.en}" for w, s in said), "; ".join(f"{w} {s.de}" for w, s in said))
        raise PolicyWrong(file=document.name, problems=listed)
    return found


def _made(
    kind: ReleaseKind, said: KindDescription, whole: PolicyDescription, file: str, problems: list[Problem]
) -> Policy:
    parts = {
        part: tuple(
            condition
            for number, entry in enumerate(getattr(said, part))
            if (condition := _condition(entry, whole, ("kinds", kind.value, part, number), problems))
        )
        for part in ("gates", "findings")
    }
    return Policy(
        file=file, roles=said.roles, gates=parts["gates"], findings=parts["findings"], least=said.tables.least,
        reason=whole.reason, attacks=said.attacks, told=said.told, acceptable=(*_measures(whole), *WITHOUT_MEASURE),
    )  # fmt: skip


def _completed(made: Policy, said: KindDescription, default: Policy) -> Policy:
    """What is not said is not waived: whoever wants none of a part writes it down, such as ``gates: []``."""
    parts = {
        "roles": "roles",
        "gates": "gates",
        "findings": "findings",
        "tables": "least",
        "attacks": "attacks",
        "told": "told",
    }
    left_out = {
        part: getattr(default, part) for name, part in parts.items() if name not in said.model_fields_set
    }
    return replace(made, acceptable=tuple(dict.fromkeys((*made.acceptable, *default.acceptable))), **left_out)


def _measures(whole: PolicyDescription) -> tuple[str, ...]:
    """The measures of all kinds, each once."""
    asked = (entry for one in whole.kinds.values() for entry in (*one.gates, *one.findings))
    return tuple(dict.fromkeys(str(entry.get("measure")) for entry in asked))


def _condition(
    entry: dict[str, Any], whole: PolicyDescription, place: tuple[str | int, ...], problems: list[Problem]
) -> Condition | None:
    """A limit with its words; what does not fit the catalogue becomes a problem at its place."""
    asked = {name: said for name, said in entry.items() if name != "instead"}
    found: list[Problem] = []
    gates = [gate for _, gate in checked_gates([asked, *_listed(entry.get("instead"))], found)]
    problems += [Problem((*place, *problem.place[2:]), problem.says) for problem in found]
    if found or not all(isinstance(gate.measure, Measure) for gate in gates):
        return None
    words = whole.words.get(gates[0].measure.id)
    why, helps = (words.why.text, words.helps.text) if words else (NOTHING, NOTHING)
    return Condition(gates[0], tuple(gates[1:]), why, helps)


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []
