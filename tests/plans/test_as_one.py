"""Columns that add up are masked as one: which follow, what steps are left with, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.linear_relations import parse_relation
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.relations import MaskedInPart
from tarnkappe.plan.as_one import treated_as_one
from tarnkappe.randomness import public_stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step


def firms(count=400, seed=1):
    rng = np.random.default_rng(seed)
    domestic = np.round(rng.lognormal(12, 1, count))
    exports = np.round(domestic * rng.beta(2, 5, count))
    cost = np.round((domestic + exports) * rng.uniform(0.5, 0.9, count))
    return {
        "domestic": domestic, "exports": exports, "turnover": domestic + exports, "cost": cost,
        "profit": domestic + exports - cost, "net": domestic, "gross": np.round(1.19 * domestic),
        "employees": np.maximum(1, np.round(rng.lognormal(3, 1, count))),
    }  # fmt: skip


def data_of(*names, **more):
    columns = firms()
    return Microdata({n: Column.numbers_of(columns[n].astype(np.int64)) for n in names} | more)


def step(use, **parameters):
    return build(catalogue[f"microdata.{use}"], parameters), False


def written(steps):
    return [
        (
            method.id.removeprefix("microdata."),
            tuple(getattr(method, "relations", None) or getattr(method, "columns", ())),
        )
        for method, _ in steps
    ]


SUMS = ("domestic", "exports", "turnover")


def test_the_sum_is_left_out_and_computed():
    steps = treated_as_one([step("noise", columns=[*SUMS, "employees"])], data_of(*SUMS, "employees"))
    assert written(steps) == [
        ("noise", ("domestic", "exports", "employees")),
        ("add-up", ("turnover = domestic + exports",)),
    ]
    assert [implied for _, implied in steps] == [False, True]


def test_a_step_for_the_sum_alone_is_replaced():
    steps = [
        step("noise", columns=["domestic"]),
        step("mdav", columns=["turnover"]),
        step("round", columns=["exports"], base=100),
    ]
    assert written(treated_as_one(steps, data_of(*SUMS, "employees"))) == [
        ("noise", ("domestic",)), ("add-up", ("turnover = domestic + exports",)),
        ("add-up", ("turnover = domestic + exports",)),
        ("round", ("exports",)), ("add-up", ("turnover = domestic + exports",)),
    ]  # fmt: skip


def test_means_of_groups_and_exchange_of_records_need_nothing():
    for one in (step("mdav", columns=list(SUMS)), step("swap", columns=list(SUMS), joint=True)):
        assert treated_as_one([one], data_of(*SUMS)) == [one]
    (fewer, _), (add, _) = treated_as_one(
        [step("mdav", columns=list(SUMS), aggregate="median")], data_of(*SUMS)
    )
    assert fewer.columns == ("domestic", "exports")
    assert add.id == "microdata.add-up"


def test_a_dropped_column_or_classes_leave_nothing_to_add_up():
    for other in (
        step("drop", columns=["turnover"]),
        step("band", columns=["turnover"], into={"width": 100000}),
    ):
        steps = [step("noise", columns=["domestic", "exports"]), other]
        assert treated_as_one(steps, data_of(*SUMS)) == steps


def test_two_relations_have_two_columns_that_follow():
    names = (*SUMS, "cost", "profit")
    steps = treated_as_one([step("noise", columns=list(names))], data_of(*names))
    (noise, _), (add, _) = steps
    assert len(noise.columns) == 3
    assert len(add.relations) == 2
    after = apply_step(add, apply_step(noise, data_of(*names), public_stream("s")), public_stream("s"))
    x = {n: after.column(n).numbers() for n in names}
    np.testing.assert_allclose(x["turnover"], x["domestic"] + x["exports"], rtol=1e-9)
    np.testing.assert_allclose(x["turnover"], x["cost"] + x["profit"], rtol=1e-9)


def test_what_is_shown_beside_is_refused_unless_declared():
    masking = [step("noise", columns=["domestic", "exports"])]
    with pytest.raises(MaskedInPart) as problem:
        treated_as_one(masking, data_of(*SUMS))
    assert 'relations: ["turnover = domestic + exports"]' in str(problem.value)
    steps = treated_as_one(masking, data_of(*SUMS), [parse_relation("turnover = domestic + exports")])
    assert written(steps)[1] == ("add-up", ("turnover = domestic + exports",))
    with pytest.raises(MaskedInPart):
        treated_as_one(
            [step("noise", columns=["profit"])],
            data_of("profit", "turnover", "cost"),
            [parse_relation("profit = turnover - cost")],
        )


def test_a_step_inside_a_step_loses_the_column_too():
    inner = {"use": "microdata.mdav", "columns": ["net", "gross"], "aggregate": "median"}
    (outer, _), _ = treated_as_one(
        [step("restore-variance", columns=["net", "gross"], step=inner)], data_of("net", "gross")
    )
    assert outer.columns == ("net",)
    assert list(outer.step["columns"]) == ["net"]


def test_proportional_columns_are_rounded_as_they_were():
    steps = treated_as_one([step("noise", columns=["net", "gross"])], data_of("net", "gross", "employees"))
    add = steps[1][0]
    assert add.base == {"gross": 1.0}


def test_missing_and_suppressed_cells_stay_so_and_what_cannot_be_computed_is_suppressed():
    a = Column.numbers_of(np.array([1.0, np.nan, 3.0, 4.0])).suppress(np.array([False, False, True, False]))
    data = Microdata(
        {
            "a": a,
            "b": Column.numbers_of(np.array([1.0, 2.0, 3.0, 4.0])),
            "c": Column.numbers_of(np.array([9.0, 9.0, 9.0, np.nan])),
        }
    )
    done = apply_step(step("add-up", relations=["c = a + b"])[0], data, public_stream("s")).column("c")
    assert done.observed.tolist() == [True, False, False, False]
    assert done.suppressed.tolist() == [False, True, True, False]
    assert done.numbers()[0] == 2


@pytest.mark.parametrize(
    "cls",
    [c for c in catalogue.methods() if c.as_one is not catalogue["microdata.noise"].as_one],
    ids=lambda c: c.id,
)
def test_what_is_declared_to_change_as_one_still_adds_up(cls):
    """The example of every method that says so, on columns that add up."""
    rng = np.random.default_rng(3)
    region = Column.texts_of(np.resize(["n", "s", "e"], 300).tolist())
    city = Column.texts_of(rng.choice(["p", "q", "r", "s"], 300).tolist())
    columns = {n: Column.numbers_of(v[:300].astype(np.int64)) for n, v in firms().items() if n in SUMS}
    data = Microdata({**columns, "region": region, "city": city})
    given = {
        "microdata.record-swap": {
            "columns": ["region"],
            "carry": list(SUMS),
            "keys": ["city"],
            "k": 3,
            "share": 0.5,
        },
        "microdata.swap": {"columns": list(SUMS), "joint": True},
    }.get(cls.id, {"columns": list(SUMS)})
    made = build(cls, given)
    if not any(set(SUMS) <= set(one) for one in made.as_one()):
        return
    x = apply_step(made, data, public_stream("s"))
    done = [x.column(n).numbers() for n in SUMS]
    np.testing.assert_allclose(done[0] + done[1], done[2], rtol=1e-9)
