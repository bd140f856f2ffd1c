"""Relations between columns: read from a plan, held against data, found in data."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.found_relations import found_relations
from tarnkappe.data.linear_relations import LinearRelation, parse_relation, unit_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.relations import RelationWrong


def data_of(**columns: object) -> Microdata:
    return Microdata({name: Column.numbers_of(np.asarray(values)) for name, values in columns.items()})


def test_a_relation_is_read_as_it_is_written() -> None:
    read = parse_relation("turnover = domestic + foreign")
    assert read == LinearRelation({"turnover": 1, "domestic": -1, "foreign": -1})
    assert (read.left, str(read)) == ("turnover", "turnover = domestic + foreign")
    assert parse_relation("gross = 1.19 * net").solved_for("gross") == ({"net": 1.19}, 0.0)
    assert parse_relation("exports <= turnover").sense == "<="
    assert parse_relation("2 a - b*3 = 4") == LinearRelation({"a": 2, "b": -3}, -4)
    assert str(parse_relation("`my column` >= 0.5 * b - 1")) == "`my column` >= 0.5 * b - 1"
    assert parse_relation("a + b = c").left == "c"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("a", 2),
        ("a = b +", 8),
        ("a == b", 4),
        ("a = 1,19 b", 6),
        ("a = a", 6),
        ("= a", 1),
        ("a b = c", 3),
        ("", 1),
        ("a = b = c", 7),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(words: str, place: int) -> None:
    with pytest.raises(RelationWrong) as problem:
        parse_relation(words)
    assert problem.value.facts["place"] == place


def test_bounds_and_equations_are_held_against_the_data() -> None:
    data = data_of(a=[1.0, 2.0, np.nan, 4.0], b=[2.0, 2.0, 3.0, 3.0])
    assert parse_relation("a <= b").broken(data).tolist() == [False, False, False, True]
    assert parse_relation("b >= a").broken(data).tolist() == [False, False, False, True]
    assert not parse_relation("a = b").holds(data)


def test_rounding_to_the_last_digit_breaks_nothing() -> None:
    net = np.round(np.random.default_rng(4).lognormal(12, 1, 300))
    data = data_of(net=net, gross=np.round(1.19 * net))
    assert parse_relation("gross = 1.19 * net").holds(data)
    assert not parse_relation("gross = 1.2 * net").holds(data)
    assert (
        parse_relation("persons = adults + children")
        .broken(data_of(persons=[3, 4], adults=[2, 2], children=[1, 1]))
        .sum()
        == 1
    )


def test_the_unit_of_the_last_digit() -> None:
    assert unit_of(np.array([1200.0, 300.0, 0.0])) == 100
    assert unit_of(np.array([0.25, 3.1])) == pytest.approx(0.01)
    assert unit_of(np.array([np.pi, 2.0])) == 0


def firms(seed: int, count: int, unit: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    domestic = np.round(rng.lognormal(13, 1.2, count) / unit) * unit
    exports = np.round(domestic * rng.beta(2, 5, count) / unit) * unit
    cost = np.round((domestic + exports) * rng.uniform(0.6, 1.1, count) / unit) * unit
    return {
        "employees": np.maximum(1, np.round(domestic / 1e5 * rng.lognormal(0, 0.4, count))),
        "domestic": domestic,
        "exports": exports,
        "turnover": domestic + exports,
        "cost": cost,
        "profit": domestic + exports - cost,
        "investment": np.round(rng.lognormal(9, 1, count)),
    }


@pytest.mark.parametrize("unit", [0.01, 1, 100, 1000])
@pytest.mark.parametrize("count", [60, 700])
def test_sums_and_differences_are_found(count: int, unit: float) -> None:
    found = found_relations(data_of(**firms(3, count, unit)))
    assert {frozenset(r.columns) for r in found} == {
        frozenset({"turnover", "domestic", "exports"}),
        frozenset({"turnover", "cost", "profit"}),
    }
    assert {r.left for r in found} == {"turnover"}


def test_gaps_and_a_few_faulty_records_hide_nothing() -> None:
    columns = firms(5, 800, 1)
    rng = np.random.default_rng(6)
    columns["exports"] = np.where(rng.random(800) < 0.2, np.nan, columns["exports"])
    columns["turnover"][:4] *= 1.5
    found = found_relations(data_of(**columns))
    assert frozenset({"turnover", "domestic", "exports"}) in {frozenset(r.columns) for r in found}


def test_sums_of_many_and_proportional_columns_are_found() -> None:
    rng = np.random.default_rng(7)
    parts = {f"part{j}": np.round(rng.lognormal(10, 1, 900)) for j in range(12)}
    whole = sum(parts[f"part{j}"] for j in range(7)) - parts["part9"]
    marks = np.round(1.95583 * parts["part11"], 2)
    found = found_relations(data_of(**parts, whole=whole, marks=marks))
    assert {str(r) for r in found} == {
        "marks = 1.95583 * part11",
        f"whole = {' + '.join(f'part{j}' for j in range(7))} - part9",
    }


@pytest.mark.parametrize("seed", range(6))
def test_where_nothing_adds_up_nothing_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = {f"count{j}": rng.poisson(2, 200) for j in range(8)}
    sizes = {f"size{j}": np.round(rng.lognormal(8, 1, 200)) for j in range(8)}
    near = sizes["size0"] * rng.normal(1, 0.02, 200)
    assert found_relations(data_of(**counts, **sizes, near=near)) == ()
