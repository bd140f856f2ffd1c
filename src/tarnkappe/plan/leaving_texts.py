"""All texts that leave the house beside the cells of records: codes and labels of tables, names, labels of values, words of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.plan.ledger import TableEntry
from tarnkappe.plan.model import Plan
from tarnkappe.vocab import Kind

_CODES = Text("the codes and labels of {name!r} in the table {table!r}", "den Codes und Beschriftungen von {name!r} in der Tabelle {table!r}")  # fmt: skip
_NAMES = Text("the names of columns and tables", "den Namen der Spalten und Tabellen")
_VALUES = Text("the values and labels of {name!r}", "den Werten und Beschriftungen von {name!r}")
_WORDS = Text("the title, labels and reasons of the documents", "Titel, Beschriftungen und Begründungen der Dokumente")  # fmt: skip

Place = tuple[Text, tuple[str, ...]]


def leaving_texts(plan: Plan, after: Microdata, tables: Iterable[TableEntry]) -> Iterator[Place]:
    """Every place of a release that holds texts, with its texts."""
    tables = tuple(tables)
    yield _NAMES, tuple(_names(plan, after, tables))
    for entry in tables:
        for tree in entry.pattern.table.dimensions:
            texts = (*map(str, tree.codes), *map(str, tree.labels))
            yield _CODES.filled(name=tree.name, table=entry.name), tuple(filter(None, texts))
    if plan.releases_data:
        yield from _values(after.sealed())
    yield _WORDS, tuple(_documents(plan, after))


def _names(plan: Plan, after: Microdata, tables: Iterable[TableEntry]) -> Iterator[str]:
    yield from after.names if plan.releases_data else ()
    for entry in tables:
        yield entry.name
        yield entry.pattern.table.measure
        yield from (tree.name for tree in entry.pattern.table.dimensions)


def _values(released: Microdata) -> Iterator[Place]:
    """What text columns show, and the labels of all columns."""
    for name, column in released.columns.items():
        shown = map(str, column.distinct()) if column.kind is Kind.CATEGORY else ()
        of_tree = () if column.hierarchy is None else map(str, column.hierarchy.labels)
        texts = tuple(filter(None, (*shown, *column.value_labels.values(), *of_tree)))
        if texts:
            yield _VALUES.filled(name=name), texts


def _documents(plan: Plan, after: Microdata) -> Iterator[str]:
    yield plan.title
    yield from (column.label for column in after.columns.values() if plan.releases_data)
    yield from (one.reason for one in plan.accept)
    yield from (table.described.unlinked or "" for table in plan.tables)
    yield from _strings(plan.process.model_dump() if plan.process else None)


def _strings(part: Any) -> Iterator[str]:
    """All texts in a part of a plan."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for one in part.values():
            yield from _strings(one)
    elif isinstance(part, list | tuple):
        for one in part:
            yield from _strings(one)
