"""A proposal for a file: what each column means, what is at risk and why, and a first plan that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.io.argus import RECORDS
from tarnkappe.kernels.classes import classes
from tarnkappe.language import Text
from tarnkappe.plan.candidates import Candidate, candidates
from tarnkappe.plan.dependencies import Dependency, dependencies
from tarnkappe.plan.drivers import KeyRisk, key_risk
from tarnkappe.plan.first_plan import Columns, K, first_plan, treatment
from tarnkappe.plan.guess import Guess, guess, with_some_key
from tarnkappe.plan.ladders import Description, described
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.profile import ColumnProfile, profile
from tarnkappe.plan.public_variables import PublicVariables, standard_list
from tarnkappe.plan.remarks import candidate_remarks, remarks
from tarnkappe.vocab import Role

_SECOND = {
    Role.WEIGHT: Role.NUMERIC,
    Role.HOUSEHOLD: Role.IDENTIFIER,
    Role.UNIT: Role.IDENTIFIER,
    Role.OWNER: Role.IDENTIFIER,
    Role.PERIOD: Role.KEY,
}
"""Role of a further column where only one may have the first."""


@dataclass(frozen=True, slots=True)
class ColumnProposal:
    """What one column probably is."""

    name: str
    roles: tuple[Role, ...]
    """The main role first."""
    why: Text
    article: int
    """9 or 10 where the GDPR protects such data specially, otherwise 0."""
    hierarchy: Description | None
    """As it stands in a plan."""

    @property
    def role(self) -> Role:
        return self.roles[0]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What `tarnkappe inspect` tells. No text in it holds a value from the data."""

    file: str
    profiles: tuple[ColumnProfile, ...]
    columns: tuple[ColumnProposal, ...]
    dependencies: tuple[Dependency, ...]
    risk: KeyRisk | None
    """None if no column is a key."""
    remarks: tuple[Text, ...]
    """What is at risk and why, the gravest first, and what the plan does about it."""
    plan: dict[str, Any]
    """A plan that runs: to a release, or to a refusal that says what to change."""
    candidates: tuple[Candidate, ...] = ()
    """Columns to think of leaving out: too fine, dominated by one value, or known to everybody."""

    def column(self, name: str) -> ColumnProposal:
        return next(c for c in self.columns if c.name == name)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What people have decided about the columns."""

    roles: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    """Column -> roles, where the proposed ones are wrong."""
    least: Mapping[str, int | str] = field(default_factory=dict)
    """Column -> coarsest level of its hierarchy that is still of use."""
    dispensable: tuple[str, ...] = ()
    """Columns nobody needs."""
    public: PublicVariables = field(default_factory=standard_list)
    """What anybody can look up."""
    k: int = K
    """Class size that the release asks for."""


def propose(data: Microdata, file_name: str, wishes: Wishes | None = None) -> Proposal:
    """Propose roles, hierarchies and a first plan; what people have decided, then what the file itself tells, goes before guesses."""
    wishes = wishes or Wishes()
    for name in (*wishes.roles, *wishes.least, *wishes.dispensable):
        data.column(name)
    if len(data) == 0:
        raise EmptyData
    profiles = profile(data)
    told = {name: data.roles_of(name) for names in data.roles.values() for name in names}
    guesses = _one_each(
        [
            _wished(_told(guess(column), told.get(column.name)), wishes.roles.get(column.name))
            for column in profiles
        ]
    )
    guesses = with_some_key(profiles, guesses, wishes.roles)
    ladders = _ladders(data, profiles, guesses)
    if Path(file_name).suffix.lower() == RECORDS:
        ladders |= {n: ({}, tree) for n in data.names if (tree := data.column(n).hierarchy) is not None}
    columns = Columns(
        profiles, _roles(profiles, guesses), ladders, are_cells(data),
        {n: ladders[n][1].level_number(level) for n, level in wishes.least.items() if n in ladders},
        wishes.dispensable, wishes.k,
    )  # fmt: skip
    proposed = tuple(
        ColumnProposal(p.name, g.roles, g.why, g.article, columns.ladders.get(p.name, (None,))[0] or None)
        for p, g in zip(profiles, guesses, strict=True)
    )
    bare = data.with_roles({})
    keys = columns.having(Role.KEY)
    risk = key_risk(bare, keys, columns.having(Role.PERIOD)) if keys else None
    follows = dependencies(bare)
    done = treatment(bare, columns)
    plan = first_plan(bare, file_name, columns, done)
    hopeless = len(data) < wishes.k or set(done.drop) == set(data.names)
    dubious = candidates([p for p in profiles if p.name not in done.drop], wishes.public)
    said = remarks(columns, _articles(proposed), risk, follows, None if hopeless else done)
    said = (*said, *candidate_remarks(dubious))
    return Proposal(file_name, profiles, proposed, follows, risk, said, plan, dubious)


def _wished(guessed: Guess, roles: tuple[Role, ...] | None) -> Guess:
    """The roles that people have decided on go before those that are guessed."""
    return Guess(roles, _DECIDED, guessed.article) if roles else guessed


def _told(guessed: Guess, roles: tuple[Role, ...] | None) -> Guess:
    return Guess(roles, _BY_FILE, guessed.article) if roles else guessed


_DECIDED = Text("As decided.", "Wie entschieden.")
_BY_FILE = Text("As the file itself says.", "Wie die Datei selbst sagt.")


def _one_each(guesses: Sequence[Guess]) -> list[Guess]:
    """Roles that only one column may have go to the first; the others get the next best role."""
    taken: set[Role] = set()
    out = []
    for one in guesses:
        roles = tuple(dict.fromkeys(_SECOND[r] if r in taken else r for r in one.roles))
        taken |= {r for r in roles if r.single}
        out.append(Guess(roles, one.why, one.article))
    return out


def _roles(profiles: Sequence[ColumnProfile], guesses: Sequence[Guess]) -> dict[str, tuple[Role, ...]]:
    return {p.name: g.roles for p, g in zip(profiles, guesses, strict=True)}


def _ladders(data: Microdata, profiles: Sequence[ColumnProfile], guesses: Sequence[Guess]) -> dict[str, Any]:
    """Hierarchies for keys that may become coarser, and for sensitive codes."""
    out = {}
    for p, g in zip(profiles, guesses, strict=True):
        topic = topic_of(p.name)
        wanted = set(g.roles) & {Role.KEY, Role.SENSITIVE} and not set(g.roles) & {Role.NUMERIC, Role.PERIOD}
        found = described(data.column(p.name), topic.hint if topic else "") if wanted else None
        if found:
            out[p.name] = found
    return out


def are_cells(data: Microdata) -> bool:
    """Whether every combination of codes occurs once, as in a table."""
    codes = [name for name in data.names if data.is_category(name)]
    return len(codes) > 1 and len(classes(data.column(name).codes() for name in codes).sizes) == len(data)


def _articles(proposed: Sequence[ColumnProposal]) -> dict[str, int]:
    return {c.name: c.article for c in proposed if c.article}
