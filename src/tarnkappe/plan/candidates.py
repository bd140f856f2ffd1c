"""Columns to think of leaving out, by the rules of Gottschalk 2002, section 4.2: too fine, dominated by one value, known to everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tarnkappe.language import Text
from tarnkappe.plan.guess import FEW_RECORDS, percent
from tarnkappe.plan.profile import ColumnProfile
from tarnkappe.plan.public_variables import PublicVariables

FINEST = 0.5
"""Different values per record from which on a column is very finely differentiated."""
LARGEST = 0.2
"""Share of the total from which on one value dominates a column."""
_FINE = Text("{share} of its values are different ones", "{share} ihrer Werte sind verschieden")
_DOMINATED = Text("one record holds {share} of its total", "ein Datensatz hält {share} ihrer Summe")
_PUBLIC = Text("anybody can look it up ({topic}{sources})", "jeder kann sie nachschlagen ({topic}{sources})")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column to think of leaving out, and why."""

    name: str
    why: tuple[Text, ...]
    public: bool
    """It stands in the list of publicly available variables."""


def candidates(profiles: Sequence[ColumnProfile], public: PublicVariables) -> tuple[Candidate, ...]:
    """The columns that a rule names, in the order of the file."""
    found = [(p, tuple(_reasons(p, public))) for p in profiles if p.observed]
    return tuple(Candidate(p.name, why, public.found(p.name) is not None) for p, why in found if why)


def _reasons(column: ColumnProfile, public: PublicVariables) -> Iterator[Text]:
    many = column.records >= FEW_RECORDS
    if many and column.distinct / column.records > FINEST:
        yield _FINE.filled(share=percent(column.distinct / column.records))
    if many and column.largest_share is not None and column.largest_share > LARGEST:
        yield _DOMINATED.filled(share=percent(column.largest_share))
    topic = public.found(column.name)
    if topic is not None:
        where = topic.sources.text if topic.sources else Text("", "")
        sources = Text(f": {where.en}" if where.en else "", f": {where.de}" if where.de else "")
        yield _PUBLIC.filled(topic=topic.name.text, sources=sources)
