from __future__ import annotations

import pytest

from tarnkappe.errors.data import ColumnMissing, NothingLeft
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.methods.microdata.drop import Drop
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data
from tarnkappe.vocab import Role


def test_columns_and_their_roles_go_and_nothing_else():
    data = example_data()
    after = apply_step(Drop(columns=("name", "w", "age")), data, stream("s"))
    assert after.names == tuple(n for n in data.names if n not in ("name", "w", "age"))
    assert after.role(Role.IDENTIFIER) == after.role(Role.WEIGHT) == ()
    assert after.role(Role.KEY) == ("postcode", "birth", "sex", "occupation")
    assert all(after.column(n) is data.column(n) for n in after.names)


def test_a_column_named_twice_is_refused():
    with pytest.raises(ParameterWrong, match="names a column twice"):
        build(Drop, {"columns": ("name", "name")})


def test_a_misspelt_column_is_refused():
    with pytest.raises(ColumnMissing, match="Did you mean 'name'"):
        apply_step(Drop(columns=("nam",)), example_data(), stream("s"))


def test_something_must_stay():
    data = example_data()
    with pytest.raises(NothingLeft):
        Drop(columns=data.names).apply(data, stream("s"))


def test_claims_see_a_column_that_stayed_and_one_that_changed():
    data = example_data()
    step = Drop(columns=("name",))
    assert len(broken_claims(step, data, data)) == 2
    changed = data.without(["name"]).with_columns({"w": data.column("w").take([*range(1, 60), 0])})
    assert len(broken_claims(step, data, changed)) == 1
