"""A column without a single value says nothing of what it is: it is read back as whatever it is meant to be."""

import pytest

import tarnkappe as tk
from tarnkappe.errors.data import RoleKind
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.plan.attack_files import Named, read_sides
from tarnkappe.vocab import Kind, Role

EMPTY = "g,n,d\n" + "a,,\nb,,\n" * 10


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(EMPTY)
    return path


@pytest.mark.parametrize("role", [Role.NUMERIC, Role.WEIGHT])
def test_an_empty_column_is_a_number_where_its_role_needs_one(file, role):
    data = tk.read(file, roles={role: ["n"]})
    assert data.column("n").kind is Kind.NUMBER
    assert data.column("n").missing.all()


def test_an_empty_column_is_of_the_kind_that_its_hierarchy_is_for(file):
    data = tk.read(file, hierarchies={"n": {"bands": 5}, "d": {"dates": ["year"]}})
    assert (data.column("n").kind, data.column("d").kind) == (Kind.NUMBER, Kind.DATE)


def test_a_column_with_values_keeps_its_kind(tmp_path):
    (tmp_path / "a.csv").write_text("g,n\na,x\nb,\n")
    with pytest.raises(RoleKind):
        tk.read(tmp_path / "a.csv", roles={"numeric": ["n"]})


@pytest.mark.parametrize("kind", Kind)
def test_an_empty_column_goes_into_every_kind_and_back(file, kind):
    column = tk.read(file).column("n").empty_as(kind)
    assert column.kind is kind
    assert column.empty
    assert column.texts().tolist() == [None] * 20
    assert column.empty_as(Kind.CATEGORY).kind is Kind.CATEGORY


def test_a_plan_runs_on_a_number_of_which_nothing_is_known(file):
    plan = file.with_name("p.yaml")
    plan.write_text(
        "tarnkappe: 1\ntitle: t\ndata: {file: a.csv, roles: {key: [g], numeric: [n], other: [d]}}\n"
        "steps: [{use: microdata.suppress-records, below: 3, budget: 0.1}]\nrelease_if: [{measure: risk.k-anonymity, at_least: 3}]\n"
    )
    done = tk.run(tk.check_file(plan))
    assert done.after.column("n").kind is Kind.NUMBER


def test_a_wholly_suppressed_number_is_compared_and_attacked(tmp_path, file):
    (tmp_path / "before.csv").write_text("g,n,d\n" + "a,1.5,2020-01-01\nb,2.5,2020-01-02\n" * 10)
    before, after = tk.read(tmp_path / "before.csv"), tk.read(file)
    assert tk.compare(before, after, ["g"], ["n"])
    sides = read_sides(tmp_path / "before.csv", file, Named({Role.KEY: ("g",), Role.NUMERIC: ("n",)}))
    assert sides.after.column("n").kind is Kind.NUMBER
    assert sides.after.role(Role.NUMERIC) == ("n",)


def test_a_table_all_of_whose_values_are_suppressed_is_read(tmp_path):
    (tmp_path / "t.csv").write_text("r,value,status\nTotal,,suppressed\na,,suppressed\n")
    rows = read_cells(CellFile(tmp_path / "t.csv", ("r",), CellColumns()))
    assert rows.column("value").kind is Kind.NUMBER
