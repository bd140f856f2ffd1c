"""Consistency of a result: declared rules, granularity, what is seen without being told, earlier releases."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.workshop import SECRET, VARIABLE, as_csv, changed, checked, document, lay_out, people
from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.process import EarlierUnreadable
from tarnkappe.errors.release import GateClosed, PlanWrong
from tarnkappe.language import Text
from tarnkappe.plan.agreement import agreement, earlier_data
from tarnkappe.plan.check import check
from tarnkappe.plan.combinations import common, new_combinations, new_in_pair, perturbed
from tarnkappe.plan.consistent import consistency_gates, consistency_of
from tarnkappe.plan.ledger import ConsistencyEntry
from tarnkappe.plan.run import run
from tarnkappe.report.release import release


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def frame(**columns):
    return Microdata({n: c if isinstance(c, Column) else _column(c) for n, c in columns.items()})


def _column(values):
    if isinstance(values[0], str):
        return Column.texts_of(values)
    return Column.numbers_of(np.array(values))


def found(plan, before, after):
    return {c.says.en: (c.held, c.hard) for c in consistency_of(plan, before, after)}


def planned(folder, **parts):
    """A plan whose rules are looked at alone; its data plays no part."""
    return checked(folder, changed(**parts))


# -- declared rules -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "held"),
    [
        ({"at_least": 0}, False), ({"at_least": -1}, True), ({"at_most": 5}, True), ({"at_most": 4}, False),
        ({"at_least": -1, "at_most": 5}, True),
    ],
)  # fmt: skip
def test_a_range_holds_only_if_every_shown_value_is_inside(tmp_path, rule, held):
    after = frame(income=[-1.0, 5.0, 2.0])
    plan = planned(tmp_path, consistency=[{"column": "income", **rule}])
    entry = consistency_of(plan, after, after)[0]
    assert entry.held is held
    assert entry.hard
    assert entry.declared


def test_a_hidden_value_breaks_no_range(tmp_path):
    before = frame(income=[-1.0, 5.0])
    after = before.with_columns({"income": before.column("income").suppress(np.array([True, False]))})
    plan = planned(tmp_path, consistency=[{"column": "income", "at_least": 0}])
    assert consistency_of(plan, before, after)[0].held


def test_a_rule_on_a_column_that_is_gone_is_void_and_one_that_cannot_be_checked_does_not_hold(tmp_path):
    rules = [{"column": "income", "at_least": 0}]
    plan = planned(tmp_path, consistency=rules)
    before = frame(income=[1.0, 2.0], sex=["f", "m"])
    assert consistency_of(plan, before, before.without(["income"]))[0].held
    shown = before.with_columns({"income": Column.texts_of(["low", "high"])})
    assert consistency_of(plan, before, shown)[0].held is None


def test_a_broken_hard_rule_refuses_and_a_soft_one_reports(tmp_path):
    rule = {"column": "income", "at_least": 10**9}
    plan = checked(tmp_path, changed(consistency=[rule]))
    with pytest.raises(GateClosed, match="income ≥ 1,000,000,000"):
        release(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    release(checked(tmp_path, changed(consistency=[rule | {"hard": False}])), tmp_path / "out")
    told = json.loads((tmp_path / "out/internal/ledger.json").read_text())["consistency"]
    assert [c["held"] for c in told if c["declared"]] == [False]
    assert "10" not in json.loads((tmp_path / "out/certificate.json").read_text())["gates"][0]["says"]["en"]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({}, "needs exactly one of"),
        ({"column": "income"}, "needs exactly one of"),
        ({"column": "income", "at_least": 0, "follows": "age"}, "needs exactly one of"),
        ({"column": "income", "at_least": 2, "at_most": 1}, "at_least is above at_most"),
        ({"combinations": ["sex"]}, "at least two columns"),
        ({"combinations": ["sex", "age"], "by": ["age"]}, "go with release"),
        ({"release": "gone"}, "no such file"),
    ],
)
def test_rules_that_make_no_sense_are_told_by_check(tmp_path, rule, says):
    content = changed(consistency=[rule])
    lay_out(tmp_path, content)
    with pytest.raises(PlanWrong) as caught:
        check(document(content), tmp_path)
    assert says in caught.value.text("en")
    assert "consistency[1]" in caught.value.text("en")


def test_rules_name_columns_of_the_data(tmp_path):
    with pytest.raises(PlanWrong, match="no column 'incom'"):
        run(checked(tmp_path, changed(consistency=[{"column": "incom", "at_least": 0}])))


# -- dependencies and combinations ----------------------------------------------------------------------------------------


def test_a_dependency_is_broken_by_a_new_pair_and_by_nothing_else():
    before = frame(postcode=["10", "10", "20"], town=["a", "a", "b"])
    assert new_combinations(before, before, ["postcode", "town"]) == 0
    swapped = frame(postcode=["10", "20", "20"], town=["a", "a", "b"])
    assert new_combinations(before, swapped, ["postcode", "town"]) == 1


def test_coarser_codes_are_compared_on_their_own_level():
    tree = from_tree("postcode", {"1": ["10", "11"], "2": ["20"]})
    postcode = Column.texts_of(["10", "11", "20"], hierarchy=tree)
    before = frame(postcode=postcode, town=["a", "b", "c"])
    coarse = before.with_columns({"postcode": tree.generalise(postcode, 1, "postcode")})
    assert new_combinations(before, coarse, ["postcode", "town"]) == 0
    wrong = coarse.with_columns({"town": Column.texts_of(["a", "c", "c"])})
    assert new_combinations(before, wrong, ["postcode", "town"]) == 1


def test_codes_that_cannot_be_compared_are_not_judged():
    before = frame(age=[1, 2, 3], sex=["f", "m", "f"])
    after = before.with_columns({"age": Column.texts_of(["0-1", "2-3", "2-3"])})
    assert new_combinations(before, after, ["age", "sex"]) is None


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.booleans()), min_size=1, max_size=12
    ),
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.booleans()), min_size=1, max_size=12
    ),
)
def test_new_combinations_are_those_a_set_finds(old, new):
    before, after = (
        frame(one=[a for a, _, _ in rows], two=Column.texts_of([None if gone else b for _, b, gone in rows]))
        for rows in (old, new)
    )
    counted = new_combinations(before, after, ["one", "two"])
    known = {(a, b) for a, b, gone in old if not gone}
    shown = Counter((a, b) for a, b, gone in new if not gone)
    if counted is None:
        assert not {a for a, _, _ in new} <= {a for a, _, _ in old} or not {b for _, b in shown} <= {
            b for _, b in known
        }
    else:
        assert counted == sum(n for pair, n in shown.items() if pair not in known)


# -- what is seen without being told ----------------------------------------------------------------------------------------


def test_negative_salaries_impossible_ages_and_broken_dependencies_are_reported_but_do_not_refuse(tmp_path):
    n = 60
    towns = [f"t{i % 6}" for i in range(n)]
    before = frame(
        income=[float(i) for i in range(n)], age=[20 + i for i in range(n)], debt=[i - 5.0 for i in range(n)],
        town=towns, land=["north" if t < "t3" else "south" for t in towns],
    )  # fmt: skip
    plan = planned(tmp_path)
    assert all(held for held, _ in found(plan, before, before).values())
    after = before.with_columns({
        "income": _column([-1.0, *map(float, range(1, n))]), "age": _column([130, *range(21, 20 + n)]),
        "debt": _column([-99.0] * n), "land": Column.texts_of(["south"] * n),
    })  # fmt: skip
    broken = {says for says, (held, _) in found(plan, before, after).items() if not held}
    assert broken == {
        "income has no negative values",
        "age is a possible age",
        "land follows from town as before",
    }
    assert not any(hard for _, hard in found(plan, before, after).values())


def test_an_ordinary_run_has_findings_and_nothing_broken(tmp_path):
    done = run(checked(tmp_path))
    assert done.consistency
    assert all(entry.held for entry in done.consistency)
    assert all(not entry.because for entry in done.consistency)


def test_granularity_is_checked_on_the_result_too(tmp_path):
    need = {"use": {"granularity": {"age": 2}}}
    steps = [{"use": "microdata.mondrian", "keys": ["age"], "k": 20}, *changed()["steps"][2:]]
    done = run(checked(tmp_path, changed(process=need, steps=steps, release_if=None)))
    entry = next(c for c in done.consistency if "as fine as" in c.says.en)
    assert entry.hard
    assert entry.declared


def test_a_column_that_users_need_and_that_is_gone_refuses(tmp_path):
    tree = from_tree("age", {"young": ["20", "30"], "old": ["40"]})
    age = Column.texts_of(["20", "30", "40"], hierarchy=tree)
    plan = planned(tmp_path, process={"use": {"granularity": {"age": 2}}}, steps=changed()["steps"][1:])
    before = frame(age=age, sex=["f", "m", "m"])
    coarse = before.with_columns({"age": tree.generalise(age, 1, "age")})
    says = "age is as fine as its users need it"
    assert found(plan, before, before)[says] == (True, True)
    assert found(plan, before, coarse)[says] == (False, True)
    assert found(plan, before, before.without(["age"]))[says] == (False, True)


# -- earlier releases -------------------------------------------------------------------------------------------------------


def test_means_and_counts_of_common_strata_are_compared():
    old = frame(year=["2024", "2024", "2025", "2025"], income=[10.0, 20.0, 30.0, 50.0])
    new = frame(year=["2025", "2025", "2026"], income=[30.0, 54.0, 9.0])
    told = agreement(old, new, ["year"], ["income"], 0.05)
    assert (told.strata, told.compared, told.apart) == (1, 2, 0)
    assert told.largest == pytest.approx(0.05)
    assert agreement(old, new, ["year"], ["income"], 0.04).apart == 1
    assert agreement(old, new, [], [], 0.05).largest == pytest.approx(0.25)
    assert agreement(old, frame(year=["1999"], income=[1.0]), ["year"], [], 0.05) is None


def test_a_mean_near_zero_is_no_scale():
    old = frame(x=[-100.0, 100.0, 0.001])
    new = frame(x=[-100.0, 100.0, 3.0])
    assert agreement(old, new, [], ["x"], 0.05).largest < 0.02


def test_identical_zeros_agree_and_empty_strata_are_left_out():
    old = frame(g=["a", "b"], x=Column.numbers_of(np.array([0.0, np.nan])))
    told = agreement(old, old, ["g"], ["x"], 0.05)
    assert (told.compared, told.apart, told.largest) == (3, 0, 0.0)


def test_a_release_must_agree_with_an_earlier_one(tmp_path):
    release(checked(tmp_path), tmp_path / "first")
    rule = {"release": "first", "by": ["region"], "columns": ["income"], "within": 0.2}
    release(checked(tmp_path, changed(consistency=[rule])), tmp_path / "second")
    richer = people()
    richer["income"] = [str(2 * float(x)) for x in richer["income"]]
    plan = checked(tmp_path, changed(consistency=[rule]), as_csv(richer))
    with pytest.raises(GateClosed, match="agrees with the release first") as caught:
        release(plan, tmp_path / "third")
    assert "common strata: 2" in str(caught.value)


def test_an_earlier_release_without_the_columns_cannot_be_compared_and_does_not_hold(tmp_path):
    release(checked(tmp_path), tmp_path / "first")
    plan = checked(tmp_path, changed(consistency=[{"release": "first", "columns": ["owner"]}]))
    done = run(plan)
    assert done.consistency[0].held is None
    assert not done.released


def test_what_is_no_release_is_told(tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "first/certificate.json").write_text("{}")
    with pytest.raises(EarlierUnreadable):
        earlier_data(tmp_path / "first")
    plan = checked(tmp_path, changed(consistency=[{"release": "first"}]))
    with pytest.raises(EarlierUnreadable):
        run(plan)


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=15))
def test_pairs_without_sorting_agree_with_the_general_count(rows):
    one, two, other, another = map(list, zip(*rows, strict=True))
    names = {"one": [*one, *"abc"], "two": [*two, *"abc"]}
    before, after = frame(**names), frame(one=[*other, *"abc"], two=[*another, *"abc"])
    coded = [common(before, after, name) for name in names]
    assert new_in_pair(*coded) == new_combinations(before, after, list(names))
    assert perturbed(before, after, coded[0]) == (one != other)


def test_shuffled_and_coarser_records_are_not_changed_and_made_up_ones_are():
    tree = from_tree("postcode", {"1": ["10", "11"], "2": ["20"]})
    before = frame(postcode=Column.texts_of(["10", "11", "20"], hierarchy=tree))
    coarse = before.with_columns({"postcode": tree.generalise(before.column("postcode"), 1, "postcode")})
    shuffled = coarse.take(np.array([2, 0]))
    assert not perturbed(before, shuffled, common(before, shuffled, "postcode"))
    longer = before.with_made(np.array([0]))
    assert perturbed(before, longer, common(before, longer, "postcode"))


def test_who_breaks_a_rule_is_told_of_the_rule_and_not_of_identifiers():
    says, because = Text("income ≥ 0", "income ≥ 0"), Text("records outside: 3", "Datensätze außerhalb: 3")
    (gate,) = consistency_gates(
        (ConsistencyEntry(says, held=False, because=because, hard=True, declared=True),)
    )
    assert "hard: false" in gate.helps.en
    assert "hard: false" in gate.helps.de
