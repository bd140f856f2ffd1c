"""The checks of rules: each planted fault is caught by the check that is meant for it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from tarnkappe.data.pattern import Sensitivity
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.language import Text
from tarnkappe.spec import Rule, Source, rule
from tarnkappe.spec.catalogue import Catalogue
from tarnkappe.testing import check, example_table
from tarnkappe.testing import rules as checks
from tarnkappe.testing.tables import marked_numbers, table_variants

WORDS = Text("Something.", "Etwas.")
STATED = {
    "title": WORDS, "does": WORDS, "sources": (Source("key", "where"),), "flags": WORDS,
    "does_not": (Text("much", "viel"),), "example": {"n": 5},
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_catalogue(monkeypatch):
    monkeypatch.setattr(sys.modules["tarnkappe.spec.catalogue"], "catalogue", Catalogue())


def declared(mark, sensitive=None):
    """A rule that marks by `mark(self, table)`, sound in every other respect."""

    class Made(Rule):
        """Marks something."""

        n: Annotated[int, Field(ge=1, description="Number. | Anzahl.")] = 3

        def mark(self, table):
            return mark(self, table)

        def sensitive(self, sums):
            return sensitive(sums) if sensitive else super().sensitive(sums)

    Made.__module__ = "plug_in.made"
    return rule("test.made", **STATED)(Made)


def small(self, table):
    cells = table.value < np.median(table.value) if len(table) else np.zeros(0, bool)
    return Sensitivity(cells, cells * 1.0, cells * 1.0, WORDS)


def changed(**parts):
    return lambda self, table: replace(small(self, table), **{k: make(table) for k, make in parts.items()})


def fails(one, cls, match):
    with pytest.raises(AssertionError, match=match):
        one(cls)


def test_a_sound_rule_passes():
    check(declared(small))


@pytest.mark.parametrize(
    ("fault", "match"),
    [
        (changed(lower=lambda t: np.ones(len(t)), upper=lambda t: np.ones(len(t))), "elsewhere than on"),
        (changed(lower=lambda t: np.zeros(len(t)), upper=lambda t: np.zeros(len(t))), "elsewhere than on"),
        (changed(upper=lambda t: np.where(small(None, t).cells, np.inf, 0)), "no number"),
        (changed(lower=lambda t: np.where(small(None, t).cells, 1.0, -1.0)), "negative"),
        (changed(cells=lambda t: small(None, t).cells.astype(int)), "marked or not"),
        (changed(upper=lambda t: np.zeros(3)), "one answer per cell"),
        (changed(because=lambda t: Text("same", "same")), "both languages"),
        (lambda self, t: Sensitivity(np.zeros(len(t), bool), np.zeros(len(t)), np.zeros(len(t)), WORDS), "nothing or everything"),
        (lambda self, t: Sensitivity(np.ones(len(t), bool), np.ones(len(t)), np.ones(len(t)), WORDS), "nothing or everything"),
    ],
)  # fmt: skip
def test_answers_that_cannot_be(fault, match):
    fails(checks.marks_some_cells_of_the_example, declared(fault), match)


def test_an_example_that_is_refused():
    def refuses(self, table):
        raise ColumnMissing(name="x", hint=WORDS)

    fails(checks.marks_some_cells_of_the_example, declared(refuses), "its example is refused")


def test_other_marks_every_time():
    draw = np.random.default_rng()

    def guesses(self, table):
        cells = draw.random(len(table)) < 0.5
        return Sensitivity(cells, cells * 1.0, cells * 1.0, WORDS)

    fails(checks.same_table_same_marks, declared(guesses), "other marks")


def test_a_table_changed_in_place():
    def writes(self, table):
        table.value.flags.writeable = True
        table.value[0] += 1
        return small(self, table)

    fails(checks.table_is_left_alone, declared(writes), "changes its table")


def test_a_sensitive_sum_left_open():
    cls = declared(small, lambda sums: np.ones(len(sums), bool))
    fails(checks.sensitive_sums_are_marked, cls, "sensitive as a sum")


def test_an_error_without_a_code():
    def needs(self, table):
        cells = table.contributions.count < 3
        return Sensitivity(cells, cells * 1.0, cells * 1.0, WORDS)

    fails(
        checks.variants_give_an_answer_or_an_error, declared(needs), "no contributions: raises AttributeError"
    )


def test_a_value_in_a_message():
    def tells(self, table):
        largest = 0 if table.contributions is None else table.contributions.largest.max()
        raise ColumnMissing(name=str(largest), hint=WORDS)

    fails(checks.nothing_of_the_data_is_told, declared(tells), "tells the value")


def test_tables_of_the_example():
    values, counts = example_table(), example_table(counts=True)
    assert counts.counts and not values.counts
    assert values.owners is not None and values.contributions.weight is not None
    assert counts.value[0] == 60


def test_variants_are_tables_or_coded_errors():
    found = dict(table_variants())
    assert {type(t) for t in found.values()} > {Table}
    assert all(isinstance(t, Table | TarnkappeError) for t in found.values())
    assert found["as it is, values, no contributions"].contributions is None


def test_marked_numbers_reach_the_tables():
    table = example_table(marked_numbers())
    assert table.contributions.largest.max() == 987654321.125
    assert not any("ZZ" in code for code in table.codes(1))
