"""Categories that weights give away: a planted stratification, PRAM undone, weights that tell nothing, and bad input."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData
from tarnkappe.errors.risk import OriginalNeeded, RecordsUnmatched, WeightNeeded
from tarnkappe.risk.weight_leakage import WeightLeakage
from tarnkappe.vocab import Role

ROLES = {Role.KEY: ("branch",), Role.WEIGHT: ("w",)}


def survey(n=600, seed=1, by_stratum=True):
    draw = np.random.default_rng(seed)
    branch = draw.integers(0, 6, n)
    weights = 1.5 + branch if by_stratum else 1.5 + draw.integers(0, 6, n)
    return Microdata({"branch": texts(branch), "w": Column.numbers_of(weights.astype(float))}, ROLES)


def texts(codes):
    return Column.texts_of([f"B{c}" for c in codes])


def masked(data, share=0.2, seed=2):
    """A fifth of the branches are drawn anew."""
    draw = np.random.default_rng(seed)
    column = data.column("branch")
    codes = np.where(draw.random(len(data)) < share, draw.integers(0, 6, len(data)), column.values)
    return data.with_columns({"branch": Column.coded(codes, column.categories)})


def test_weights_by_stratum_undo_the_masking():
    before = survey()
    after = masked(before)
    found = WeightLeakage().measure(after, before=before)
    told = found.details["columns"]["branch"]
    changed = int(np.sum(before.column("branch").values != after.column("branch").values))
    assert (found.value, told["hidden_cells"], told["given_back"]) == (1, changed, changed)
    assert told["share_in_constant_classes"] == 1
    assert told["misled"] == 0
    assert found.baseline < 0.4
    assert found.low > 0.9


def test_suppressed_categories_come_back_too():
    before = survey()
    hidden = np.arange(len(before)) % 3 == 0
    after = before.with_columns({"branch": before.column("branch").suppress(hidden)})
    found = WeightLeakage().measure(after, before=before)
    assert found.value == 1
    assert found.details["columns"]["branch"]["hidden_cells"] == hidden.sum()


def test_weights_that_have_nothing_to_do_with_it_give_nothing_back():
    before = survey(by_stratum=False)
    found = WeightLeakage().measure(masked(before), before=before)
    assert found.value == 0, "no branch has a majority in any class"
    assert found.details["columns"]["branch"]["share_in_constant_classes"] == 0


def test_two_records_are_no_class_unless_asked_for():
    before = Microdata(
        {"branch": texts([0, 0, 1, 1]), "w": Column.numbers_of(np.array([1.0, 1, 2, 2]))}, ROLES
    )
    after = before.with_columns(
        {"branch": before.column("branch").suppress(np.array([True, False, True, False]))}
    )
    assert WeightLeakage().measure(after, before=before).value == 0
    assert WeightLeakage(k=2).measure(after, before=before).value == 0, "one record of two shows something"


def test_a_tie_is_no_majority():
    before = Microdata(
        {"branch": texts([0, 0, 1, 1, 0]), "w": Column.numbers_of(np.array([1.0, 1, 1, 1, 2]))}, ROLES
    )
    after = before.with_columns({"branch": before.column("branch").suppress(np.array([0, 0, 0, 0, 1], bool))})
    told = WeightLeakage(certainty=0.5).measure(after, before=before).details["columns"]["branch"]
    assert told["misled"] == 0


def test_the_attacker_is_misled_where_a_stratum_is_mixed():
    before = Microdata(
        {"branch": texts([0, 0, 0, 1]), "w": Column.numbers_of(np.array([1.0, 1, 1, 1]))}, ROLES
    )
    told = WeightLeakage().measure(before, before=before).details["columns"]["branch"]
    assert told["misled"] == 0.25


def test_nothing_hidden_and_one_weight():
    before = survey()
    found = WeightLeakage().measure(before, before=before)
    assert found.value == 0
    assert "nothing" in found.because.en
    flat = before.with_columns({"w": Column.numbers_of(np.ones(len(before)))})
    assert not WeightLeakage().measure(masked(flat), before=flat).trusted


def test_bad_input():
    before = survey()
    with pytest.raises(OriginalNeeded):
        WeightLeakage().measure(before)
    with pytest.raises(WeightNeeded):
        WeightLeakage().measure(before.with_roles({Role.KEY: ("branch",)}), before=before)
    with pytest.raises(EmptyData):
        WeightLeakage().measure(before.take(np.arange(0)), before=before)
    strange = Microdata(before.columns, before.roles, rows=before.rows + len(before))
    with pytest.raises(RecordsUnmatched) as refused:
        WeightLeakage().measure(strange, before=before)
    assert "welcher Datensatz der Freigabe" in refused.value.text("de")
    with pytest.raises(ColumnMissing):
        WeightLeakage(columns=("job",)).measure(before, before=before)
