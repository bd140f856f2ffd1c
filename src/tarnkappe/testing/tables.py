"""Tables made from the example data, and awkward ones made from its variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import tabulate
from tarnkappe.errors import TarnkappeError
from tarnkappe.testing.example import example_data
from tarnkappe.testing.telling import attempt
from tarnkappe.testing.variants import marked, variants
from tarnkappe.vocab import Kind, Role


def example_table(data: Microdata | None = None, *, counts: bool = False) -> Table:
    """Income by region and occupation, with weights and owners; or persons counted."""
    data = example_data() if data is None else data
    if counts:
        data = data.with_roles({role: names for role, names in data.roles.items() if role is not Role.WEIGHT})
    return tabulate(data, ("region", "occupation"), None if counts else "income", largest=5)


def table_variants(base: Microdata | None = None) -> Iterator[tuple[str, Table | TarnkappeError]]:
    """Tables of values and of counts from every variant of the data, also without their contributions, by name.

    Where the data is refused the coded error stands instead.
    """
    for name, data in variants(base).items():
        for counts in (False, True):
            where = f"{name}, {'counts' if counts else 'values'}"
            table = attempt(_makes(data, counts=counts), where)
            yield where, table
            if isinstance(table, Table):
                yield f"{where}, no owners", replace(table, owners=None)
                yield f"{where}, no contributions", replace(table, owners=None, contributions=None)


def marked_numbers() -> Microdata:
    """Example data with a marker in every column of numbers; codes are names and may be told, so they have none."""
    usual = example_data().columns.items()
    return marked().with_columns({name: column for name, column in usual if column.kind is Kind.CATEGORY})


def _makes(data: Microdata, *, counts: bool) -> Callable[[], Table]:
    return lambda: example_table(data, counts=counts)
