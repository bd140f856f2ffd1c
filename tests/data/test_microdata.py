"""Records with roles: what fits, what is refused, and that nothing changes in place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.errors.data import (
    ColumnMissing,
    LengthsDiffer,
    NoKeys,
    NotFinite,
    RoleKind,
    RolesClash,
    RoleTwice,
    WrongKind,
)
from tarnkappe.errors.risk import WeightsNotPositive
from tarnkappe.vocab import Kind, Role


def data(n=5, **roles):
    return Microdata(
        {
            "name": Column.texts_of([f"n{i}" for i in range(n)]),
            "sex": Column.texts_of(["f", "m"] * (n // 2) + ["f"] * (n % 2)),
            "age": Column.numbers_of(np.arange(n) + 20),
            "income": Column.numbers_of(np.linspace(1, 2, n)),
        },
        {Role(r): (names,) if isinstance(names, str) else tuple(names) for r, names in roles.items()},
    )


# -- making -------------------------------------------------------------------------------------------------------------


def test_records_are_numbered_as_in_the_file():
    assert data().rows.tolist() == [0, 1, 2, 3, 4]
    assert len(data()) == 5
    assert len(Microdata({})) == 0


def test_messages_name_the_record_of_the_file():
    kept = data(5).take(np.array([3, 1]))
    assert [kept.record(i) for i in range(2)] == [4, 2]
    made = replace(kept, rows=np.array([3, -1]))
    assert [made.record(i) for i in range(2)] == [4, 2]  # a made record has only its place


def test_weights_that_are_wrong_are_named_by_the_record_of_the_file():
    weights = Column.numbers_of(np.array([1.0, 1.0, -1.0, 1.0]))
    file = Microdata({"w": weights}, {Role.WEIGHT: ("w",)})
    with pytest.raises(WeightsNotPositive) as refused:
        weights_of(file.take(np.array([2, 3])), "here")
    assert refused.value.facts["first"] == 3


def test_columns_of_different_length():
    with pytest.raises(LengthsDiffer) as refused:
        Microdata({"a": Column.numbers_of(np.arange(3)), "b": Column.numbers_of(np.arange(4))})
    assert refused.value.facts == {"name": "b", "found": 4, "expected": 3}
    with pytest.raises(LengthsDiffer):
        data().with_columns({"new": Column.numbers_of(np.arange(4))})


def test_nothing_can_be_changed_in_place():
    made = data(key="sex")
    with pytest.raises(TypeError):
        made.columns["x"] = made.column("sex")
    with pytest.raises(TypeError):
        made.roles[Role.KEY] = ()
    with pytest.raises(AttributeError):
        made.rows = made.rows
    with pytest.raises(ValueError, match="read-only"):
        made.rows[0] = 5


def test_what_was_given_may_be_changed_afterwards():
    columns, roles = dict(data().columns), {Role.KEY: ["sex"]}
    made = Microdata(columns, roles)
    columns.clear()
    roles[Role.KEY].append("age")
    assert made.names == ("name", "sex", "age", "income")
    assert made.role(Role.KEY) == ("sex",)


def test_data_does_not_print_its_values():
    marked = Microdata(
        {"x": Column.texts_of(["ZZMARKERZZ"]), "y": Column.numbers_of(np.array([987654321.125]))}
    )
    shown = repr(marked) + str(marked) + marked._repr_html_()
    assert "ZZMARKERZZ" not in shown
    assert "987654321" not in shown


def test_a_notebook_shows_names_as_text():
    named = Microdata({"<script>alert(1)</script>": Column.texts_of(["a"], label="<b>")})
    assert "<script>" not in named._repr_html_()
    assert "<b>" not in named._repr_html_()


# -- roles --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "error"),
    [
        ({"weight": ["age", "income"]}, RoleTwice),
        ({"household": ["name", "sex"]}, RoleTwice),
        ({"owner": ["name", "sex"]}, RoleTwice),
        ({"period": ["name", "sex"]}, RoleTwice),
        ({"numeric": "sex"}, RoleKind),
        ({"weight": "sex"}, RoleKind),
        ({"identifier": "name", "key": "name"}, RolesClash),
        ({"identifier": "name", "sensitive": ["age", "name"]}, RolesClash),
        ({"key": "nobody"}, ColumnMissing),
    ],
)
def test_roles_that_do_not_fit(roles, error):
    with pytest.raises(error):
        data(**roles)
    with pytest.raises(error):
        data().with_roles({Role(r): (n,) if isinstance(n, str) else tuple(n) for r, n in roles.items()})


def test_a_column_may_have_several_roles():
    made = data(key=["age", "sex"], numeric=["age"], sensitive=["age"], stratum=["sex", "age"])
    assert set(made.roles_of("age")) == {Role.KEY, Role.NUMERIC, Role.SENSITIVE, Role.STRATUM}
    assert made.roles_of("income") == (Role.OTHER,)


def test_roles_by_their_words():
    made = Microdata(data().columns, {"key": ("sex",)})
    assert made.role(Role.KEY) == ("sex",)
    with pytest.raises(ValueError, match="boss"):
        Microdata(data().columns, {"boss": ("sex",)})


def test_keys():
    made = data(key=["sex", "age"])
    assert made.keys() == ("sex", "age")
    assert made.keys(["income"]) == ("income",)
    with pytest.raises(ColumnMissing, match="'income'"):
        made.keys(["incom"])
    with pytest.raises(NoKeys):
        data().keys()


# -- reading ------------------------------------------------------------------------------------------------------------


def test_an_unknown_column_is_told_with_the_nearest():
    with pytest.raises(ColumnMissing) as refused:
        data().column("incme")
    assert "Did you mean 'income'?" in refused.value.text("en")
    assert refused.value.__cause__ is None


def test_numbers_side_by_side():
    x = data().numbers(["income", "age"])
    assert x.shape == (5, 2)
    assert x[0].tolist() == [1, 20]
    assert data().numbers([]).shape == (5, 0)
    with pytest.raises(WrongKind):
        data().numbers(["sex"])


def test_infinite_numbers_are_refused_by_place():
    with pytest.raises(NotFinite) as refused:
        Microdata({"x": Column.numbers_of(np.array([1, np.inf, -np.inf, np.nan]))}).numbers(["x"])
    assert refused.value.facts == {"name": "x", "count": 2, "first": 2}


def test_the_place_is_that_in_the_file_whatever_records_are_left():
    whole = Microdata({"x": Column.numbers_of(np.array([1, 2, 3, np.inf]))})
    with pytest.raises(NotFinite) as refused:
        whole.take(np.array([3, 1])).numbers(["x"])
    assert refused.value.facts["first"] == 4


# -- changing -----------------------------------------------------------------------------------------------------------


def test_replacing_and_adding_columns():
    made = data(key="sex")
    after = made.with_columns({"sex": Column.texts_of(["x"] * 5), "new": Column.numbers_of(np.arange(5))})
    assert after.names == (*made.names, "new")
    assert after.role(Role.KEY) == ("sex",)
    assert after.column("age") is made.column("age"), "what is left alone is shared"
    assert made.column("sex").texts()[0] == "f"


def test_a_replacement_must_fit_its_role():
    with pytest.raises(RoleKind):
        data(numeric="age").with_columns({"age": Column.texts_of(["x"] * 5)})


def test_dropping_takes_the_roles_along():
    after = data(key=["sex", "age"], identifier="name", numeric="age").without(["age", "name"])
    assert after.names == ("sex", "income")
    assert dict(after.roles) == {Role.KEY: ("sex",)}
    with pytest.raises(ColumnMissing):
        after.without(["age"])


def test_dropping_everything_keeps_the_records():
    after = data().without(data().names)
    assert (after.names, len(after)) == ((), 5)


def test_taking_records():
    made = data(key="sex")
    after = made.take(np.array([3, 1]))
    assert after.rows.tolist() == [3, 1]
    assert after.column("name").texts().tolist() == ["n3", "n1"]
    assert after.take(np.array([False, True])).rows.tolist() == [1]
    assert len(made.take(np.zeros(0, dtype=np.int64))) == 0


@given(st.lists(st.integers(0, 9), unique=True), st.lists(st.integers(0, 9), unique=True))
def test_before_can_always_be_laid_beside_after(first, second):
    """Whatever records are taken in whatever order, those that both have come in the order of `after`."""
    whole = data(10)
    before, after = (whole.take(np.array(rows, dtype=np.int64)) for rows in (first, second))
    aligned = before.aligned_to(after)
    assert aligned.rows.tolist() == [r for r in second if r in first]
    assert aligned.column("name").texts().tolist() == [f"n{r}" for r in aligned.rows]


def test_sealing_wipes_every_column():
    made = data()
    hidden = made.with_columns(
        {n: made.column(n).suppress(np.array([True, False, False, False, False])) for n in made.names}
    )
    sealed = hidden.sealed()
    assert "n0" not in sealed.column("name").categories
    assert np.isnan(sealed.column("income").values[0])
    assert sealed.column("age").values[0] == 0
    assert sealed.rows.tolist() == made.rows.tolist()
    assert [sealed.column(n).kind for n in sealed.names] == [
        Kind.CATEGORY,
        Kind.CATEGORY,
        Kind.INTEGER,
        Kind.NUMBER,
    ]


def test_made_records_have_numbers_below_zero_and_align_too():
    whole = data(4)
    more = whole.with_made(np.array([1, 3]))
    assert more.rows.tolist() == [0, 1, 2, 3, -1, -2]
    assert more.column("name").texts().tolist() == ["n0", "n1", "n2", "n3", "n1", "n3"]
    mixed = more.take(np.array([5, 0, 4]))
    assert more.aligned_to(mixed).rows.tolist() == [-2, 0, -1]
    old, new = whole.paired(mixed)
    assert (old.rows.tolist(), new.rows.tolist()) == ([0], [0])
    assert more.with_made(np.array([0])).rows.tolist()[-1] == -3
