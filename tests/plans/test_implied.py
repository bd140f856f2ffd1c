"""The steps a release demands whether or not the plan names them."""

from __future__ import annotations

import numpy as np
import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, changed, checked, people, with_data
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.run import run
from tarnkappe.vocab import Kind, Role


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def steps(folder, plan=None):
    """(id, columns, implied) of every step."""
    return [(s.id, s.named_columns(), implied) for s, implied in steps_of(checked(folder, plan))]


def test_what_is_implied_and_where(tmp_path):
    found = steps(tmp_path)
    assert [(name, implied) for name, _, implied in found] == [
        ("microdata.drop", True),
        ("microdata.generalise", False),
        ("microdata.suppress-records", False),
        ("microdata.mdav", False),
        ("microdata.drop", True),
        ("microdata.renumber", True),
        ("microdata.tell-states", True),
        ("microdata.shuffle-rows", True),
    ]
    assert found[0][1] == ("name", "number")
    assert found[4][1] == ("owner",)
    assert found[5][1] == ("household",)


def test_a_plan_without_roles_implies_only_order_and_states(tmp_path):
    found = steps(tmp_path, with_data(roles=None) | {"steps": [], "release_if": []})
    assert [name for name, _, implied in found if implied] == [
        "microdata.tell-states",
        "microdata.shuffle-rows",
    ]


def test_treated_columns_are_left_to_the_plan(tmp_path):
    treat = [
        {"use": "microdata.pseudonymise", "columns": ["number"]},
        {"use": "microdata.renumber", "columns": ["owner"]},
        {"use": "microdata.pseudonymise", "columns": ["household"]},
    ]
    found = steps(tmp_path, changed(steps=treat))
    assert [(name, columns) for name, columns, implied in found if implied][:1] == [
        ("microdata.drop", ("name",))
    ]
    assert [name for name, _, implied in found if implied][1:] == [
        "microdata.tell-states",
        "microdata.shuffle-rows",
    ]


def test_shuffling_can_be_switched_off(tmp_path):
    found = steps(tmp_path, changed(release={"formats": ["csv"], "shuffle_rows": False}))
    assert "microdata.shuffle-rows" not in [name for name, _, _ in found]


# -- what they do -------------------------------------------------------------------------------------------------------


def test_identifiers_and_owners_are_gone_households_are_renumbered(tmp_path):
    done = run(checked(tmp_path))
    assert done.after.names == ("region", "sex", "age", "income", "wealth", "household", "note")
    assert done.after.role(Role.IDENTIFIER) == done.after.role(Role.OWNER) == ()
    now = done.after.column("household")
    assert now.kind is Kind.INTEGER
    was = done.before.aligned_to(done.after).column("household").texts()
    pairs = set(zip(was, now.values.tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}), (
        "who lives together is kept"
    )


def test_records_stand_in_another_order_by_default(tmp_path):
    done = run(checked(tmp_path))
    assert not np.array_equal(done.after.rows, np.sort(done.after.rows))


def test_records_keep_their_order_if_asked(tmp_path):
    done = run(checked(tmp_path, changed(release={"formats": ["csv"], "shuffle_rows": False})))
    assert np.array_equal(done.after.rows, np.sort(done.after.rows))


def test_a_pseudonymised_identifier_stays_as_a_pseudonym(tmp_path):
    treat = {"use": "microdata.pseudonymise", "columns": ["number"]}
    done = run(checked(tmp_path, changed(steps=[treat])))
    assert "name" not in done.after.names
    pseudonyms = done.after.column("number").texts()
    assert all(len(p) == 33 and p.startswith("p") for p in pseudonyms)
    assert not set(pseudonyms) & set(done.before.column("number").texts())
    assert "number" not in done.after.role(Role.IDENTIFIER)


def test_a_column_with_both_kinds_of_gaps_gets_a_column_that_tells(tmp_path):
    columns = people()
    columns["income"][:9] = [""] * 9
    hide = {"use": "microdata.suppress-cells", "records": list(range(30, 40)), "columns": ["income"]}
    done = run(checked(tmp_path, changed(steps=[hide], release_if=None), as_csv(columns)))
    told = done.after.column("income_cell").texts()
    assert sorted(set(told)) == ["missing", "observed", "suppressed"]
    assert (told == "suppressed").sum() == 10


def test_data_that_is_nothing_but_identifiers_is_refused(tmp_path):
    from tarnkappe.errors.data import NothingLeft

    plan = changed(
        data={"file": "people.csv", "roles": {"identifier": ["name"]}},
        steps=None,
        release_if=None,
        accept=ANYTHING,
    )
    with pytest.raises(NothingLeft):
        run(checked(tmp_path, plan, "name\nAda\nBela\n"))


def test_an_identifier_that_tells_units_is_read_and_dropped_at_the_end(tmp_path):
    treat = {"use": "microdata.sample", "share": 0.5, "unit": "number"}
    found = steps(tmp_path, changed(steps=[treat]))
    names = [name for name, _, _ in found]
    assert names.index("microdata.sample") < max(i for i, n in enumerate(names) if n == "microdata.drop")
    done = run(checked(tmp_path, changed(steps=[treat], release_if=None)))
    assert not {"name", "number"} & set(done.after.names)
    assert 0 < len(done.after) < len(done.before)


PANEL = {"period": "age", "unit": "household", "key": ["region"], "numeric": ["income"]}


def test_units_get_random_numbers_and_are_the_default_of_steps(tmp_path):
    treat = [
        {"use": "microdata.noise", "columns": ["income"], "variance_ratio": 0.1},
        {"use": "microdata.noise", "columns": ["wealth"], "variance_ratio": 0.1, "unit": []},
    ]
    plan = with_data(roles=PANEL) | {"steps": treat, "release_if": []}
    found = steps_of(checked(tmp_path, plan))
    assert [s.unit for s, implied in found if not implied] == [("household",), ()]
    assert [s.named_columns() for s, _ in found if s.id == "microdata.renumber"] == [("household",)]


def test_a_unit_that_is_dropped_is_no_default(tmp_path):
    treat = [
        {"use": "microdata.drop", "columns": ["household"]},
        {"use": "microdata.noise", "columns": ["income"], "variance_ratio": 0.1},
    ]
    found = steps_of(checked(tmp_path, with_data(roles=PANEL) | {"steps": treat, "release_if": []}))
    assert next(s.unit for s, _ in found if s.id == "microdata.noise") == ()
    assert "microdata.renumber" not in [s.id for s, _ in found]


def test_a_pseudonym_in_a_panel_is_the_unit(tmp_path):
    """So that later steps know which records belong together."""
    roles = {"identifier": ["name", "household", "number"], "period": "age", "key": ["region"]}
    treat = [{"use": "microdata.pseudonymise", "columns": ["number", "household"]}]
    plan = with_data(roles=roles) | {"steps": treat, "release_if": [], "accept": ANYTHING}
    assert run(checked(tmp_path, plan)).after.role(Role.UNIT) == ("household",)
