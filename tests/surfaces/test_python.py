"""Python as the manual shows it: few names, loaded when used, any frame in and the same kind out."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tarnkappe as tk
from plans.workshop import SECRET, VARIABLE, as_csv, lay_out, people


@pytest.fixture
def firms(tmp_path):
    (tmp_path / "people.csv").write_text(as_csv(people()))
    return tmp_path / "people.csv"


def test_every_public_name_is_there():
    assert tk.__all__ == sorted(tk.__all__)
    for name in tk.__all__:
        assert getattr(tk, name) is not None, name
    assert dir(tk) == sorted(tk.__all__)


def test_a_name_that_is_none():
    with pytest.raises(AttributeError, match="frobnicate"):
        tk.frobnicate  # noqa: B018
    assert not hasattr(tk, "frobnicate")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: tk.catalogue["microdata.mdav"](colums=("x",), k=1),
            "[plan.parameter] microdata.mdav: columns: is required; k: must be at least 3; colums: is not known here. Did you mean 'columns'?",
        ),
        (lambda: tk.rule.PPercent(p="x"), "[plan.parameter] rule.p-percent: p: must be a number"),
        (
            lambda: tk.catalogue["microdata.noise"](columns=("x",), within=("x",)),
            "[plan.parameter] microdata.noise: within must not name a column that is treated: in its strata all values are equal",
        ),
    ],
)
def test_parameters_that_do_not_fit_are_told_as_in_a_plan(wrong, said):
    """One error with a code that lists everything, whichever door was taken."""
    with pytest.raises(tk.TarnkappeError) as refused:
        wrong()
    assert str(refused.value) == said


def test_importing_computes_nothing():
    program = "import sys, tarnkappe; print([m for m in ('numpy', 'polars', 'pydantic', 'numba') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_asking_for_one_method_imports_no_other():
    program = (
        "import sys, tarnkappe as tk; print(tk.catalogue['microdata.round'].id, 'microdata.round' in tk.catalogue,"
        "[m for m in sys.modules if m.startswith(('tarnkappe.risk', 'tarnkappe.utility', 'tarnkappe.methods.tables.r'))"
        " and m.count('.') > 1])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "microdata.round True []\n"


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert tk.__version__ == version("tarnkappe")


def test_the_example_of_the_package(firms):
    data = tk.read(firms, roles={"key": ["region", "sex"], "numeric": ["income"], "identifier": "name"})
    safe = tk.catalogue["microdata.mdav"](columns=("income",), k=3).apply(data, tk.stream())
    assert len(safe) == 90
    assert safe.role(tk.Role.KEY) == ("region", "sex")
    counts = {v: list(safe.column("income").texts()).count(v) for v in safe.column("income").texts()}
    assert min(counts.values()) >= 3


def test_hierarchies_types_and_options(tmp_path):
    (tmp_path / "a.csv").write_text("plz;x;alter\n01067;1,5;31\n80331;2,5;-\n")
    data = tk.read(
        tmp_path / "a.csv", hierarchies={"plz": {"digits": [1, 2, 5]}, "alter": {"bands": 10}}, types={"plz": "category"},
        missing=["-"], separator=";", decimal=",",
    )  # fmt: skip
    assert data.column("plz").texts().tolist() == ["01067", "80331"]
    assert data.column("x").values.tolist() == [1.5, 2.5]
    assert data.column("alter").missing.tolist() == [False, True]
    assert data.column("plz").hierarchy.depth == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"roles": {"boss": ["sex"]}},
        {"roles": {"key": ["sexx"]}},
        {"roles": {"numeric": ["sex"]}},
        {"types": {"sex": "colour"}},
        {"types": {"sex": "number"}},
        {"hierarchies": {"age": {"bnds": 5}}},
        {"hierarchies": {"sex": {"bands": 5}}},
        {"encoding": "klingon"},
        {"separator": "xx"},
    ],
)
def test_what_does_not_fit_is_told(firms, wrong):
    with pytest.raises(tk.InputWrong) as refused:
        tk.read(firms, **wrong)
    assert refused.value.code
    assert refused.value.text("de")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(tk.InputWrong):
        tk.read(tmp_path / "nowhere.csv")
    with pytest.raises(tk.InputWrong):
        tk.read(42)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_frames_go_in_and_the_same_kind_comes_out(library):
    frame = made(library)
    data = tk.read(frame, roles={"key": ["sex"]})
    step = tk.catalogue["microdata.drop"](columns=("x",))
    back = tk.to_frame(step.apply(data, tk.stream()))
    assert type(back).__module__.split(".")[0] in (library, f"_{library}")
    assert columns_of(library, back) == ["sex"]


def made(library):
    held = {"sex": ["f", "m", "f"], "x": [1.0, 2.0, 3.0]}
    if library == "pandas":
        return __import__("pandas").DataFrame(held)
    if library == "polars":
        return __import__("polars").DataFrame(held)
    arrow = __import__("pyarrow").table(held)
    if library == "pyarrow":
        return arrow
    return __import__("duckdb").from_arrow(arrow)


def columns_of(library, frame):
    return frame.column_names if library == "pyarrow" else list(frame.columns)


def test_run_release_and_verify(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    plan = tk.check_file(lay_out(tmp_path))
    done = tk.run(plan)
    assert done.released
    tk.release(plan, tmp_path / "out")
    assert all(check.held for check in tk.verify(tmp_path / "out"))
    with pytest.raises(tk.TarnkappeError):
        tk.release(plan, tmp_path / "out")


def test_compare_two_frames():
    before = tk.read(made("polars"), roles={"key": ["sex"]})
    found = tk.compare(before, before, keys=["sex"], numbers=["x"])
    assert {entry.measure.id for entry in found} >= {"risk.k-anonymity", "risk.uniques"}


def test_propose(firms):
    proposal = tk.propose(tk.read(firms), "people.csv")
    assert "name" in {c.name for c in proposal.columns if tk.Role.IDENTIFIER in c.roles}


def test_the_catalogue():
    assert "microdata.mdav" in tk.catalogue
    assert len(list(tk.catalogue)) == len(tk.catalogue)
    with pytest.raises(tk.InputWrong, match="Did you mean 'microdata.mdav'"):
        tk.catalogue["microdata.mdv"]


def test_errors_are_told_apart():
    assert tk.InputWrong.exit_code == 2
    assert tk.Refused.exit_code == 3
    assert issubclass(tk.InputWrong, tk.TarnkappeError)


def test_an_error_takes_exactly_its_facts():
    from tarnkappe.errors.data import ColumnMissing

    with pytest.raises(TypeError, match="takes the facts"):
        ColumnMissing(nme="x")


def test_half_a_catalogue_is_none(monkeypatch):
    """A module that cannot be imported is told every time; what was loaded before it does not pass for everything."""
    from tarnkappe.spec import catalogue as module_catalogue
    from tarnkappe.spec.catalogue import Catalogue

    assert module_catalogue is tk.catalogue
    monkeypatch.setattr(sys.modules["tarnkappe.spec.catalogue"], "FAMILIES", ("tarnkappe.nowhere",))
    empty = Catalogue()
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            empty["microdata.mdav"]
