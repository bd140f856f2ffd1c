"""Running a plan: streams, measures, gates, ledger; nothing is written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from plans.workshop import (
    ANYTHING,
    PLAN,
    SECRET,
    VARIABLE,
    as_csv,
    changed,
    checked,
    everything_in,
    lay_out,
    people,
    with_data,
)
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong
from tarnkappe.errors.data import EmptyData, MissingKeys, TooFewRecords, WrongKind
from tarnkappe.errors.release import Cancelled, ClaimBroken, GateClosed, PlanWrong
from tarnkappe.plan import run as run_module
from tarnkappe.plan.ledger import Change, ledger
from tarnkappe.plan.measuring import FEW_RECORDS
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import changes, run
from tarnkappe.report.release import refuse
from tarnkappe.spec import catalogue
from tarnkappe.testing.telling import bytes_of
from tarnkappe.vocab import Role


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def cells(data):
    """What would be written, record by record."""
    return {name: data.column(name).texts().tolist() for name in data.names}


# -- names --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "entry"),
    [
        ("measures", {"measure": "utility.moments", "columns": ["incom"]}),
        ("measures", {"measure": "utility.regression", "formula": "log(incom) ~ age"}),
        ("release_if", {"measure": "risk.k-anonymity", "keys": ["sex", "incom"], "at_least": 2}),
    ],
)
def test_measures_name_columns_of_the_data(tmp_path, part, entry):
    with pytest.raises(PlanWrong) as caught:
        run(checked(tmp_path, changed(**{part: [entry]})))
    assert "no column 'incom'" in caught.value.text("en")
    assert f"{part}[1]" in caught.value.text("en")


# -- repeatable ---------------------------------------------------------------------------------------------------------


def test_the_same_secret_gives_the_same_data(tmp_path):
    one, two = (run(checked(tmp_path)) for _ in range(2))
    assert bytes_of(one.after.sealed())["rows"] == bytes_of(two.after.sealed())["rows"]
    assert cells(one.after) == cells(two.after)
    assert one.secret == two.secret
    assert one.repeatable


@pytest.mark.parametrize("named", ["kind", "region"])
def test_a_measure_that_cannot_take_a_column_stops_the_run_before_the_first_step(
    tmp_path, monkeypatch, named
):
    """A column that a step treats may be of another kind afterwards: of that the steps come first."""
    begun = []
    genuine = run_module.apply_steps
    monkeypatch.setattr(run_module, "apply_steps", lambda *given: begun.append(1) or genuine(*given))
    columns = people() | {"kind": ["a", "b", "c"] * 30}
    plan = with_data(roles={**PLAN["data"]["roles"], "other": ["kind"]})
    plan["measures"] = [{"measure": "utility.moments", "columns": [named]}]
    with pytest.raises(WrongKind):
        run(checked(tmp_path, plan, as_csv(columns)))
    assert len(begun) == (0 if named == "kind" else 1)


def test_another_secret_gives_another_order(tmp_path, monkeypatch):
    one = run(checked(tmp_path))
    monkeypatch.setenv(VARIABLE, SECRET[::-1])
    two = run(checked(tmp_path))
    assert not np.array_equal(one.after.rows, two.after.rows)
    assert sorted(one.after.rows) == sorted(two.after.rows)
    assert one.secret != two.secret


def test_without_a_seed_no_two_runs_are_alike(tmp_path):
    one, two = (run(checked(tmp_path, changed(seed=None))) for _ in range(2))
    assert not one.repeatable
    assert not np.array_equal(one.after.rows, two.after.rows)
    assert everything_in(tmp_path) == ["people.csv", "plan.yaml"]


def test_inserting_a_step_leaves_the_draws_of_the_others_alone(tmp_path):
    plan = changed(steps=[], release_if=None)
    more = changed(steps=[{"use": "microdata.round", "columns": ["income"], "base": 10}], release_if=None)
    one, two = run(checked(tmp_path, plan)), run(checked(tmp_path, more))
    assert np.array_equal(one.after.rows, two.after.rows), "the shuffle draws as before"
    assert np.array_equal(one.after.column("household").values, two.after.column("household").values)


def test_a_method_used_twice_draws_anew(tmp_path):
    twice = [
        {"use": "microdata.renumber", "columns": ["note"]},
        {"use": "microdata.renumber", "columns": ["region"]},
    ]
    plan = changed(
        steps=twice, release_if=None, accept=ANYTHING,
        data={"file": "people.csv", "roles": {"identifier": ["name", "number"]}},
    )  # fmt: skip
    columns = people()
    columns["region"] = columns["note"]
    for _ in range(5):
        columns["note"] = columns["region"] = [f"c{i % 40}" for i in range(90)]
        after = run(checked(tmp_path, plan, as_csv(columns))).after
        assert not np.array_equal(after.column("note").values, after.column("region").values)


# -- measures -----------------------------------------------------------------------------------------------------------


def test_a_measure_that_is_listed_twice_is_taken_once(tmp_path, monkeypatch):
    taken = []
    cls = catalogue["risk.k-anonymity"]
    honest = cls.measure

    def counted(self, after, *, before=None):
        taken.append(len(after))
        return honest(self, after, before=before)

    monkeypatch.setattr(cls, "measure", counted)
    plan = changed(
        measures=["risk.k-anonymity", {"use": "risk.k-anonymity"}],
        release_if=[{"measure": "risk.k-anonymity", "at_least": 3}, {"measure": "risk.k-anonymity", "at_most": 99}],
    )  # fmt: skip
    done = run(checked(tmp_path, plan))
    assert [n for n in taken if n > FEW_RECORDS] == [90, 90], "once before, once after"
    assert [e.measure.id for e in done.measures].count("risk.k-anonymity") == 1
    assert [g.held for g in done.gates[:2]] == [True, True]


def test_the_same_measure_with_other_parameters_is_another_one(tmp_path):
    done = run(checked(tmp_path, changed(measures=[{"use": "risk.k-anonymity", "keys": ["sex"]}])))
    assert [e.measure.id for e in done.measures].count("risk.k-anonymity") == 2


def test_routine_measures_need_what_they_measure(tmp_path):
    full = {e.measure.id for e in run(checked(tmp_path)).measures}
    assert {
        "risk.k-anonymity",
        "risk.uniques",
        "utility.moments",
        "utility.correlations",
        "utility.changed",
    } <= full
    hidden = {"file": "people.csv", "roles": {"identifier": ["name", "number"]}}
    bare = changed(data=hidden, steps=None, release_if=None, accept=ANYTHING)
    assert "risk.k-anonymity" not in {e.measure.id for e in run(checked(tmp_path, bare)).measures}


@pytest.mark.parametrize(
    "steps",
    [
        [{"use": "microdata.drop", "columns": ["region", "sex", "age"]}],
        [{"use": "microdata.drop", "columns": ["income", "wealth"]}],
        [{"use": "microdata.band", "columns": ["income", "wealth"], "into": {"cuts": [1000, 5000]}}],
    ],
)
def test_a_routine_measure_that_cannot_be_taken_stops_nothing(tmp_path, steps):
    done = run(checked(tmp_path, changed(steps=steps, release_if=None)))
    assert "utility.changed" in {e.measure.id for e in done.measures}


def test_one_numeric_column_has_no_correlations(tmp_path):
    plan = with_data(roles={"identifier": ["name", "number"], "numeric": ["income"]})
    plan["data"]["types"] = {"wealth": "category", "age": "category"}
    plan["data"].pop("hierarchies")
    plan |= {"steps": [], "release_if": [], "accept": ANYTHING}
    assert "utility.correlations" not in {e.measure.id for e in run(checked(tmp_path, plan)).measures}


def test_a_measure_that_was_asked_for_and_cannot_be_taken_is_told(tmp_path):
    plan = changed(steps=[{"use": "microdata.drop", "columns": ["region", "sex", "age"]}])
    with pytest.raises(InputWrong, match="role key, and the steps leave none"):
        run(checked(tmp_path, plan))


def test_a_gate_on_a_key_that_is_complete_only_afterwards(tmp_path):
    columns = people()
    columns["sex"][:5] = [""] * 5
    gone = {"use": "microdata.suppress-records", "records": [1, 2, 3, 4, 5], "budget": 0.1}
    gate = {"measure": "risk.k-anonymity", "keys": ["sex"], "missing": "refuse", "at_least": 3}
    done = run(checked(tmp_path, changed(steps=[gone], release_if=[gate]), as_csv(columns)))
    assert done.gates[0].held
    assert done.measures[0].before is None
    with pytest.raises(MissingKeys):
        run(checked(tmp_path, changed(steps=[], release_if=[gate]), as_csv(columns)))


# -- gates --------------------------------------------------------------------------------------------------------------


def test_a_closed_gate_is_told_with_every_reason(tmp_path):
    columns = people()
    columns["told"] = [n.upper() for n in columns["name"]]
    gates = [{"measure": "risk.k-anonymity", "at_least": 50}, {"measure": "risk.uniques", "at_most": 1}]
    plan = with_data(roles=PLAN["data"]["roles"] | {"other": ["told"]}) | {"release_if": gates}
    done = run(checked(tmp_path, plan, as_csv(columns)))
    assert not done.released
    with pytest.raises(GateClosed) as closed:
        refuse(done)
    said = closed.value.text("en")
    assert said.count("✗") == 2
    assert "k-anonymity ≥ 50" in said
    assert "'told'" in said
    assert "Ada" not in said.title()


def test_no_record_left_closes_the_gates(tmp_path, monkeypatch):
    cls = catalogue["microdata.suppress-records"]
    monkeypatch.setattr(cls, "apply", lambda self, data, stream: data.take(np.zeros(0, dtype=np.int64)))
    for side in ("preserves", "protects"):
        monkeypatch.setattr(cls, side, ())
    plan = changed(steps=[{"use": "microdata.suppress-records", "records": [1]}])
    done = run(checked(tmp_path, plan))
    assert len(done.after) == 0
    assert not done.released
    assert "no record is left" in done.gates[0].because.en
    assert not done.gates[1].held
    json.dumps(ledger(done), allow_nan=False)
    with pytest.raises(GateClosed, match="nothing is left"):
        refuse(done)


def test_a_step_that_breaks_its_claim_stops_the_run(tmp_path, monkeypatch):
    cls = catalogue["microdata.mdav"]
    monkeypatch.setattr(cls, "apply", lambda self, data, stream: data)
    with pytest.raises(ClaimBroken, match=r"Step 4 \(microdata.mdav\)"):
        run(checked(tmp_path))


# -- data that does not fit the plan ------------------------------------------------------------------------------------


def test_a_refused_step_is_told_by_its_number_in_the_plan(tmp_path):
    """Identifiers are dropped before it: that step is not counted, because the plan does not name it."""
    steps = [
        {"use": "microdata.shuffle-rows"},
        {"use": "microdata.mdav", "columns": ["income"], "k": 100_000},
    ]
    with pytest.raises(TooFewRecords) as caught:
        run(checked(tmp_path, changed(steps=steps)))
    for lang in ("en", "de"):
        assert caught.value.text(lang).startswith("[data.too-few-records] steps[2]: microdata.mdav")
    assert str(caught.value) == caught.value.text("en")


def test_every_unknown_column_is_told_at_once_with_its_line(tmp_path):
    plan = with_data(
        roles={"key": ["region", "sexx"], "identifier": ["nam"], "numeric": ["income", "note"]},
        hierarchies={"agee": {"bands": 5}}, types={"wealthy": "number"},
    )  # fmt: skip
    plan["steps"] = [
        {"use": "microdata.mdav", "columns": ["incom"]},
        {"use": "microdata.drop", "columns": ["owner", "ownr"]},
    ]
    with pytest.raises(PlanWrong) as wrong:
        run(checked(tmp_path, plan))
    said = wrong.value.text("en")
    for name, near in {
        "sexx": "sex",
        "nam": "name",
        "agee": "age",
        "wealthy": "wealth",
        "incom": "income",
        "ownr": "owner",
    }.items():
        assert f"'{name}'. Did you mean '{near}'?" in said
    assert "'note' has the role 'numeric' but holds category" in said
    assert said.count("\n  line ") == 7


def test_columns_that_a_step_adds_are_known_to_later_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue["microdata.top-bottom-code"], "adds", lambda self: ("income_top",))
    code = {"use": "microdata.top-bottom-code", "columns": ["income"], "upper": 6000, "flag": "_top"}
    later = {"use": "microdata.drop", "columns": ["income_top"]}
    done = run(checked(tmp_path, changed(steps=[code, later], release_if=None)))
    assert "income_top" not in done.after.names


@pytest.mark.parametrize("text", ["a,b\n", "a,b"])
def test_data_without_records(tmp_path, text):
    plan = changed(data={"file": "people.csv"}, steps=None, release_if=None, accept=ANYTHING)
    with pytest.raises(EmptyData):
        run(checked(tmp_path, plan, text))


# -- what changed -------------------------------------------------------------------------------------------------------


def test_changes_count_cells():
    before = Microdata(
        {
            "x": Column.numbers_of(np.array([1.0, 2.0, np.nan, 4.0])),
            "t": Column.texts_of(["a", "b", None, "c"]),
            "same": Column.numbers_of(np.arange(4)),
            "gone": Column.numbers_of(np.arange(4)),
        }
    )
    after = before.without(["gone"]).with_columns(
        {
            "x": Column.numbers_of(np.array([1.0, 9.0, np.nan, np.nan])),
            "t": before.column("t").suppress(np.array([True, False, True, False])),
            "new": Column.numbers_of(np.arange(4)),
        }
    )
    assert dict(changes(before, after)) == {
        "x": Change(changed=1, missing=1),
        "t": Change(suppressed=1),
        "gone": Change(dropped=True),
        "new": Change(added=True),
    }


def test_another_order_is_no_change_of_cells():
    before = Microdata({"t": Column.texts_of(["a", "b", "c"]), "x": Column.numbers_of(np.array([1.0, 2, 3]))})
    assert dict(changes(before, before.take(np.array([2, 0])))) == {}
    recoded = Column.coded(np.array([1, 0, 2]), np.array(["b", "a", "c"], object))
    assert dict(changes(before, before.with_columns({"t": recoded}))) == {"t": Change()}, (
        "other codes, same texts"
    )


# -- ledger -------------------------------------------------------------------------------------------------------------


def test_the_ledger_is_plain_and_complete(tmp_path):
    done = run(checked(tmp_path))
    book = json.loads(json.dumps(ledger(done), allow_nan=False))
    assert book["plan"] == changed()
    assert list(book["inputs"]) == ["people.csv"]
    assert len(book["inputs"]["people.csv"]) == 64
    assert book["records"] == {"before": 90, "after": len(done.after)}
    assert [s["id"] for s in book["steps"]][:2] == ["microdata.drop", "microdata.generalise"]
    assert [s["implied"] for s in book["steps"]] == [True, False, False, False, True, True, True, True]
    mdav = book["steps"][3]
    assert mdav["parameters"] == {
        "columns": ["income", "wealth"],
        "k": 3,
        "by": "owners",
        "within": [],
        "too_small": "refuse",
        "aggregate": "mean",
        "unit": [],
        "whole": "decimals",
        "weighted": False,
    }
    assert all(c["kept"] for c in mdav["claims"])
    assert mdav["changes"]["income"]["changed"] > 0
    assert {"tarnkappe", "python", "packages"} == set(book["versions"])
    assert {"numpy", "polars", "numba"} <= set(book["versions"]["packages"])
    assert {"read", "steps", "measures", "gates"} <= set(book["seconds"])
    k = next(m for m in book["measures"] if m["id"] == "risk.k-anonymity")
    assert (k["before"]["value"], k["after"]["value"]) == (1, done.measures[0].after.value)
    assert all(g["held"] for g in book["gates"])


def test_the_ledger_holds_neither_the_secret_nor_a_value(tmp_path):
    columns = people()
    columns["note"] = ["ZZMARKERZZ" if i == 40 else n for i, n in enumerate(columns["note"])]
    columns["income"][41] = "987654321.125"
    done = run(checked(tmp_path, None, as_csv(columns)))
    book = json.dumps(ledger(done))
    assert SECRET not in book
    assert bytes.fromhex(SECRET).hex()[:16] not in book
    assert "ZZMARKERZZ" not in book
    assert "987654321" not in book
    for name in (*columns["name"][:20], *columns["number"][:20]):
        assert name not in book


def test_a_run_does_not_show_data_when_printed(tmp_path):
    done = run(checked(tmp_path))
    assert "Ada Ahrens" not in repr(done)
    assert SECRET not in repr(done)


# -- progress -----------------------------------------------------------------------------------------------------------


def test_progress_tells_what_is_done_and_what_is_left(tmp_path):
    heard = []
    run(checked(tmp_path), Progress(lambda doing, done, parts: heard.append((doing.en, done, parts))))
    assert [done for _, done, _ in heard] == list(range(len(heard)))
    assert {parts for _, _, parts in heard} == {len(heard)}
    assert heard[0][0] == "reading the data"
    assert heard[-1][0] == "judging the gates"


@pytest.mark.parametrize("after", [0, 1, 5, 12])
def test_a_run_can_be_cancelled_between_any_two_parts(tmp_path, after):
    plan = checked(tmp_path)
    asked = []
    with pytest.raises(Cancelled):
        run(plan, Progress(cancelled=lambda: len(asked) >= after or asked.append(1)))


def test_the_original_is_left_alone(tmp_path):
    lay_out(tmp_path)
    was = (tmp_path / "people.csv").read_bytes()
    done = run(checked(tmp_path))
    assert (tmp_path / "people.csv").read_bytes() == was
    assert done.before.role(Role.IDENTIFIER) == ("name", "number")
    assert cells(done.before)["name"] == people()["name"]
