"""Protect a table in Python: rules mark, a method protects, the audit decides. The same parts that a plan names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import overload

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.pattern_set import PatternSet, as_published
from tarnkappe.data.table import Table
from tarnkappe.errors.calls import NotAsked
from tarnkappe.errors.release import GateClosed
from tarnkappe.io.cells import for_the_office, published
from tarnkappe.language import Text
from tarnkappe.plan.check_tables import AUDIT
from tarnkappe.plan.claimed import claims_of
from tarnkappe.plan.linked_audit import set_findings, set_intervals
from tarnkappe.plan.linked_protection import Member
from tarnkappe.plan.linking import protected_alone, protected_set
from tarnkappe.plan.tables import ruled
from tarnkappe.randomness import Stream, fresh, stream
from tarnkappe.spec import Finding, Rule, TableMeasure, TableMethod, catalogue
from tarnkappe.spec.parameters import build

SHOWN = 20
"""A notebook shows so many cells at most."""


_TABLES = Text(
    "a table from tk.tabulate, or a list of them", "eine Tabelle aus tk.tabulate oder eine Liste davon"
)
_RULES = Text(
    "a list of rules with their parameters, such as [tk.rule.PPercent(p=10)]",
    "eine Liste von Regeln mit ihren Parametern, etwa [tk.rule.PPercent(p=10)]",
)
_METHOD = Text(
    "a method with its parameters, such as tk.table.Quader()",
    "ein Verfahren mit seinen Parametern, etwa tk.table.Quader()",
)
_AFTER = Text(
    "a list of published patterns, as Protected.pattern, under after",
    "unter after eine Liste veröffentlichter Muster, wie Protected.pattern",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Protected:
    """A protected table whose audit held."""

    pattern: Pattern
    attacker: TableMeasure

    def __repr__(self) -> str:
        pattern = self.pattern
        primary, all_hidden = int(pattern.primary.sum()), int(pattern.suppressed.sum())
        return (
            f"Protected({pattern.table!r}, suppressed: {primary} primary, {all_hidden - primary} secondary)"
        )

    def audit(self) -> Microdata:
        """The attacker's interval of every suppressed cell, to its ends: for the office, it holds true values.

        Columns: the dimensions, value, count, status, reason, low and high (empty where nothing bounds it), and the
        required protection.
        """
        cells = for_the_office(self.pattern, *self.attacker.intervals(self.pattern))
        return cells.take(self.pattern.suppressed)

    def published(self) -> Microdata:
        """What may be published: codes, value (empty where suppressed) and status."""
        return published(self.pattern)

    def _repr_html_(self) -> str:
        """For notebooks: what is published; no suppressed value."""
        shown = self.published().take(np.arange(min(len(self.pattern.table), SHOWN)))
        head = "".join(f"<th>{escape(name)}</th>" for name in shown.names)
        texts = zip(*(_texts(column) for column in shown.columns.values()), strict=True)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in texts
        )
        return f"<table><caption>{escape(repr(self))}</caption><tr>{head}</tr>{rows}</table>"


def _standard_audit() -> TableMeasure:
    made = build(catalogue[AUDIT], {})
    assert isinstance(made, TableMeasure)
    return made


def _texts(column: Column) -> list[str]:
    return ["" if text is None else str(text) for text in column.texts()]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProtectedSet:
    """Tables that were protected together and whose common audit held."""

    over: PatternSet
    attacker: TableMeasure

    def __repr__(self) -> str:
        return f"ProtectedSet({self.over.tables!r}, suppressed: {int(self.over.suppressed.sum())})"

    @property
    def tables(self) -> tuple[Protected, ...]:
        """The tables one by one."""
        return tuple(Protected(pattern, self.attacker) for pattern in self.over.patterns)

    def audit(self) -> dict[str, Microdata]:
        """For every table the attacker's intervals, from all tables together: for the office, it holds true values."""
        found = set_intervals(self.over, [self.attacker])
        return {
            pattern.table.name: for_the_office(pattern, *ends).take(pattern.suppressed)
            for pattern, ends in zip(self.over.patterns, found, strict=True)
        }

    def published(self) -> dict[str, Microdata]:
        """What may be published of every table."""
        return {pattern.table.name: published(pattern) for pattern in self.over.patterns}


@overload
def protect(
    table: Table | Pattern, rules: Sequence[Rule] = ..., method: TableMethod | None = ..., *,
    audit: TableMeasure | None = ..., secret: Stream | str | None = ..., after: Sequence[Pattern] = ...,
) -> Protected: ...  # fmt: skip
@overload
def protect(
    table: Sequence[Table | Pattern], rules: Sequence[Rule] = ..., method: TableMethod | None = ..., *,
    audit: TableMeasure | None = ..., secret: Stream | str | None = ..., after: Sequence[Pattern] = ...,
) -> ProtectedSet: ...  # fmt: skip
def protect(
    table: Table | Pattern | Sequence[Table | Pattern],
    rules: Sequence[Rule] = (),
    method: TableMethod | None = None,
    *,
    audit: TableMeasure | None = None,
    secret: Stream | str | None = None,
    after: Sequence[Pattern] = (),
) -> Protected | ProtectedSet:
    """Mark cells by rules, protect them and audit the result; refuse when the audit does not hold.

    Parameters
    ----------
    table
        A table from `tabulate`, or a pattern that already carries marks, bounds and costs. Several tables are protected
        together: a cell that several of them have gets one status, and the audit is over the sums of all.
    rules
        Rules that mark cells, for example ``tk.rule.PPercent(p=10)``.
    method
        The method that protects them, for example ``tk.table.Quader()``; without one the table is only marked and audited.
    audit
        What the attacker knows; the default is that of every plan.
    secret
        For methods that draw: a stream, or the secret itself.
    after
        Tables that are published already, as ``Protected.pattern``: what they show stays open, what they hide stays hidden.
    """
    _refuse(table, rules, method, after)
    attacker = audit or _standard_audit()
    drawn = secret
    if method is not None and not isinstance(drawn, Stream):
        drawn = stream(drawn or fresh(), method.id)
    how = _How(tuple(rules), Member(method, drawn if isinstance(drawn, Stream) else None), attacker)
    if isinstance(table, Table | Pattern):
        return _linked((table,), after, how).tables[0] if after else _alone(table, how)
    return _linked(table, after, how)


def _refuse(table: object, rules: object, method: object, after: object) -> None:
    """What is no table, rule or method, before anything is computed."""
    tables = table if isinstance(table, Sequence) else (table,)
    asked = (
        (bool(tables) and all(isinstance(one, Table | Pattern) for one in tables), _TABLES),
        (isinstance(rules, Sequence) and all(isinstance(one, Rule) for one in rules), _RULES),
        (method is None or isinstance(method, TableMethod), _METHOD),
        (isinstance(after, Sequence) and all(isinstance(one, Pattern) for one in after), _AFTER),
    )
    for right, what in asked:
        if not right:
            raise NotAsked(where="protect", what=what)


@dataclass(frozen=True, slots=True, eq=False)
class _How:
    rules: tuple[Rule, ...]
    member: Member
    attacker: TableMeasure

    def start(self, table: Table | Pattern) -> Pattern:
        pattern = table if isinstance(table, Pattern) else Pattern(table)
        return ruled(pattern, self.rules, self.member.method)

    def judge(self, finding: Finding) -> None:
        if not (finding.value and finding.trusted):
            raise GateClosed(reasons=Text(f"  ✗ {finding.because.en}", f"  ✗ {finding.because.de}"))


def _alone(table: Table | Pattern, how: _How) -> Protected:
    start = after = how.start(table)
    method, drawn = how.member
    if method is not None and drawn is not None:
        after, _ = protected_alone(start, how.member, how.attacker)  # raises when a claim is broken
    how.judge(how.attacker.measure(after))
    return Protected(after, how.attacker)


def _linked(tables: Sequence[Table | Pattern], earlier: Sequence[Pattern], how: _How) -> ProtectedSet:
    patterns = [*(how.start(t) for t in tables), *(as_published(p) for p in earlier)]
    start = PatternSet(tuple(patterns)).aligned()
    members = [how.member] * len(tables) + [Member(None)] * len(earlier)
    after = protected_set(start, members, [how.attacker])
    for (method, _), before, now in zip(members, start.patterns, after.patterns, strict=True):
        if method is not None:
            tuple(claims_of(method, before, now))  # raises when one is broken
    how.judge(set_findings(after, [how.attacker])[0])
    return ProtectedSet(after, how.attacker)
