"""Protect a table in Python: rules mark, a method protects, the audit decides. The same parts that a plan names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.errors.release import GateClosed
from tarnkappe.io.cells import for_the_office, published
from tarnkappe.language import Text
from tarnkappe.plan.check_tables import AUDIT
from tarnkappe.plan.tables import claims_of, ruled
from tarnkappe.randomness import Stream, fresh, stream
from tarnkappe.spec import Rule, TableMeasure, TableMethod, catalogue
from tarnkappe.spec.parameters import build

SHOWN = 20
"""A notebook shows so many cells at most."""


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


def protect(
    table: Table | Pattern,
    rules: Sequence[Rule] = (),
    method: TableMethod | None = None,
    *,
    audit: TableMeasure | None = None,
    secret: Stream | str | None = None,
) -> Protected:
    """Mark cells by rules, protect them and audit the result; refuse when the audit does not hold.

    Parameters
    ----------
    table
        A table from `tabulate`, or a pattern that already carries marks, bounds and costs.
    rules
        Rules that mark cells, for example ``tk.rule.PPercent(p=10)``.
    method
        The method that protects them, for example ``tk.table.Quader()``; without one the table is only marked and audited.
    audit
        What the attacker knows; the default is that of every plan.
    secret
        For methods that draw: a stream, or the secret itself.
    """
    marked = ruled(table if isinstance(table, Pattern) else Pattern(table), rules)
    attacker = audit or _standard_audit()
    after = marked
    if method is not None:
        drawn = secret if isinstance(secret, Stream) else stream(secret or fresh(), method.id)
        after = method.protect(marked, drawn)
        tuple(claims_of(method, marked, after))  # raises when one is broken
    finding = attacker.measure(after)
    if not finding.value:
        raise GateClosed(reasons=Text(f"  ✗ {finding.because.en}", f"  ✗ {finding.because.de}"))
    return Protected(after, attacker)
