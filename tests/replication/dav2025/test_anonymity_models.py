"""Anonymity models on the tables of the results report of the German Association of Actuaries (dav2025, sections 4.2 to 4.4).

The tables are printed; l ≤ 2.828 is printed too. The other figures were computed from the tables for the specification (6.1
to 6.4) and are exact rational numbers or roots, so the tolerance is that of rounding. The ordered distances are those of the cited paper
on t-closeness.
"""

from dataclasses import replace
from itertools import product
from math import inf, sqrt

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.alpha_k import AlphaK
from tarnkappe.risk.average_risk import AverageRisk
from tarnkappe.risk.k_anonymity import KAnonymity
from tarnkappe.risk.k_map import KMap
from tarnkappe.risk.l_diversity import LDiversity
from tarnkappe.risk.t_closeness import TCloseness
from tarnkappe.vocab import Role

HEART, VIRUS, CANCER = "Herzkrankheit", "Virusinfektion", "Krebs"
TREE = from_tree("illness", {"non-communicable": [CANCER, HEART], "infectious": [VIRUS]})
PERSONS = [
    ("13053", 28, "Kaufmann/-frau", HEART),
    ("13068", 29, "Lehrer/in", HEART),
    ("13068", 21, "Arzt/Ärztin", VIRUS),
    ("13053", 23, "Lehrer/in", VIRUS),
    ("14853", 50, "Mechaniker/in", CANCER),
    ("14853", 55, "Kaufmann/-frau", HEART),
    ("14850", 47, "Lehrer/in", VIRUS),
    ("14850", 49, "Lehrer/in", VIRUS),
    ("13053", 31, "Lehrer/in", CANCER),
    ("13053", 37, "Mechaniker/in", CANCER),
    ("13068", 36, "Arzt/Ärztin", CANCER),
    ("13068", 35, "Lehrer/in", CANCER),
]


def table(*keys, illness=None):
    """Key columns, and the illness as the sensitive one."""
    columns = {f"key {i}": Column.texts_of([str(v) for v in key]) for i, key in enumerate(keys)}
    told = Column.texts_of(illness or [p[3] for p in PERSONS])
    known = set(told.categories) <= set(TREE.codes)
    columns["illness"] = replace(told, hierarchy=TREE if known else None)
    return Microdata(
        columns, {Role.KEY: tuple(n for n in columns if n != "illness"), Role.SENSITIVE: ("illness",)}
    )


def classes(**counts):
    """Classes with so many records of every illness."""
    rows = [(name, kind) for name, kinds in counts.items() for kind, n in kinds.items() for _ in range(n)]
    return table([r[0] for r in rows], illness=[r[1] for r in rows])


ORIGINAL = table(*([p[i] for p in PERSONS] for i in range(3)))
PRINTED = table(
    ["1485*" if p[0].startswith("148") else "130**" for p in PERSONS],
    ["<30" if p[1] < 30 else ">40" if p[1] > 40 else "3*" for p in PERSONS],
)
"""Printed as 4-anonymous with three classes (6.2): records 1-4, 5-8, 9-12."""
TABLE_2 = classes(q1={HEART: 2, VIRUS: 2, CANCER: 4}, q2={CANCER: 1, HEART: 1, VIRUS: 2})


def by_class(measure, data=PRINTED):
    return measure.measure(data).per_record[[0, 4, 8]].tolist()


# -- 6.1 ------------------------------------------------------------------------------------------------------------------


def masked(node):
    """The keys at a node of the lattice: masked digits, age, occupation."""
    digits, age, job = node
    ages = [str, lambda a: str(a // 10), lambda a: str(a >= 40), lambda a: "*"]
    return table(
        [p[0][: 5 - digits] for p in PERSONS],
        [ages[age](p[1]) for p in PERSONS],
        ["*" if job else p[2] for p in PERSONS],
    )


@pytest.mark.parametrize(
    ("k", "minimal"),
    [(2, {(0, 1, 1): 6, (4, 3, 0): 4}), (3, {(1, 2, 1): 3}), (4, {(1, 2, 1): 3}), (6, {(4, 3, 1): 1})],
)
def test_lattice(k, minimal):
    found = {node: KAnonymity().measure(masked(node)) for node in product(range(6), range(4), range(2))}
    reached = [node for node, f in found.items() if f.value >= k]
    least = {
        node: found[node].details["classes"]
        for node in reached
        if not any(o != node and all(a <= b for a, b in zip(o, node, strict=True)) for o in reached)
    }
    assert least == minimal


def test_models_never_get_worse_on_the_way_up():
    """Generalisation and subset property: for every model a step up any key keeps or improves it."""
    models = (KAnonymity(), LDiversity(), LDiversity(kind="entropy"), LDiversity(kind="recursive", c=2))
    for node in product(range(5), range(3), range(1)):
        for up in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            higher = masked(tuple(a + b for a, b in zip(node, up, strict=True)))
            for model in models:
                assert model.measure(higher).value >= model.measure(masked(node)).value - 1e-12
            for ground in ("equal", "hierarchical"):
                t = TCloseness(ground=ground)
                assert t.measure(higher).value <= t.measure(masked(node)).value + 1e-12


# -- 6.2 ------------------------------------------------------------------------------------------------------------------


def test_three_classes():
    found = KAnonymity().measure(PRINTED)
    assert (found.value, found.details["classes"]) == (4, 3)
    assert by_class(LDiversity()) == [2, 3, 1]
    assert by_class(LDiversity(kind="entropy")) == pytest.approx([2, 2.828427, 1], abs=5e-7)
    assert by_class(TCloseness()) == pytest.approx([5 / 12, 1 / 6, 7 / 12])
    assert by_class(TCloseness(ground="hierarchical")) == pytest.approx(
        [0.291667, 0.166667, 0.458333], abs=5e-7
    )
    assert AverageRisk().measure(PRINTED).value == 0.25


def test_least_c_of_the_three_classes():
    ones = [{HEART: 2, VIRUS: 2}, {CANCER: 1, HEART: 1, VIRUS: 2}, {CANCER: 4}]
    least = [least_c(classes(one=one, other=one)) for one in ones]
    assert [found["2"] for found in least] == [1, 1, inf]
    assert [found["3"] for found in least] == [inf, 2, inf]


def least_c(data):
    return LDiversity(kind="recursive").measure(data).details["sensitive"]["illness"]["c_above"]


def test_the_whole_table():
    values = [m.measure(PRINTED).value for m in (LDiversity(), LDiversity(kind="entropy"), TCloseness())]
    assert values == pytest.approx([1, 1, 7 / 12])
    found = AlphaK(k=4).measure(PRINTED)
    assert (found.value, found.details["k"], found.details["sensitive"]["illness"]["records_at_worst"]) == (
        1,
        4,
        4,
    )


# -- 6.3 ------------------------------------------------------------------------------------------------------------------


def test_table_2():
    assert LDiversity().measure(TABLE_2).value == 3
    assert LDiversity(kind="entropy").measure(TABLE_2).value == pytest.approx(2 * sqrt(2))
    assert TCloseness().measure(TABLE_2).per_record[[0, 8]] == pytest.approx([1 / 12, 1 / 6])
    assert TCloseness().measure(TABLE_2).value == pytest.approx(1 / 6)
    assert KAnonymity().measure(TABLE_2).value == 4
    assert AverageRisk().measure(TABLE_2).value == pytest.approx(1 / 6)


def test_recursive_diversity_is_strict():
    assert (least_c(TABLE_2)["2"], least_c(TABLE_2)["3"]) == (1, 2)
    largest = [LDiversity(kind="recursive", c=c).measure(TABLE_2).value for c in (1, 1.01, 2, 2.01)]
    assert largest == [1, 2, 2, 3]


def test_merging_two_classes():
    before, after = (LDiversity().measure(d).value for d in (PRINTED, TABLE_2))
    assert (before, after) == (1, 3)
    before, after = (TCloseness().measure(d).value for d in (PRINTED, TABLE_2))
    assert (before, after) == pytest.approx((0.583333, 0.166667), abs=5e-7)


# -- 6.4 and 2.2, 2.4 -----------------------------------------------------------------------------------------------------


def test_98_1_1():
    one = {"a": 98, "b": 1, "c": 1}
    data = classes(one=one, other=one)
    assert LDiversity().measure(data).value == 3
    assert LDiversity(kind="entropy").measure(data).value == pytest.approx(1.118403, abs=5e-7)
    assert (least_c(data)["2"], least_c(data)["3"]) == (49, 98)


def test_a_thousand_tests():
    ten = {f"class {i}": {"negative": 99, "positive": 1} for i in range(10)}
    assert LDiversity().measure(classes(**ten)).value == 2
    half = classes(half={"negative": 5, "positive": 5}, rest={"negative": 985, "positive": 5})
    assert TCloseness().measure(half).per_record[0] == pytest.approx(0.49)


def test_positive_disclosure_allowed():
    one = {"negative": 90, "positive": 10}
    data = classes(one=one, other=one)
    assert least_c(data)["2"] == 9
    allowed = LDiversity(kind="recursive", c=0.12, harmless={"illness": ("negative",)}).measure(data)
    assert allowed.details["sensitive"]["illness"]["c_above"]["2"] == pytest.approx(1 / 9)
    assert allowed.value == 2
    assert LDiversity(kind="recursive", c=0.11, harmless={"illness": ("negative",)}).measure(data).value == 1


def test_three_disorders_are_three_values_but_one_branch():
    tree = from_tree(
        "illness", {"mental": ["Schizophrenie", "Depression", "ADHS"], "body": ["Krebs", "Asthma", "Gicht"]}
    )
    data = classes(
        mental={"Schizophrenie": 1, "Depression": 1, "ADHS": 1}, body={"Krebs": 1, "Asthma": 1, "Gicht": 1}
    )
    data = data.with_columns({"illness": replace(data.column("illness"), hierarchy=tree)})
    assert LDiversity().measure(data).value == 3
    assert TCloseness(ground="hierarchical").measure(data).value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("chosen", "expected"), [((3, 4, 5), 0.375), ((6, 8, 11), 1 / 6)], ids=["low", "spread"]
)
def test_ordered_distance_of_salaries(chosen, expected):
    """Salaries 3k … 11k, each once in the table; three of them make a class."""
    salary = np.arange(3, 12)
    data = Microdata(
        {
            "key": Column.texts_of(["one" if s in chosen else "other" for s in salary]),
            "salary": Column.numbers_of(1000 * salary),
        },
        {Role.KEY: ("key",), Role.SENSITIVE: ("salary",)},
    )
    found = TCloseness(ground="ordered").measure(data).per_record
    assert found[list(salary).index(chosen[0])] == pytest.approx(expected)


def test_prosecutor_and_journalist():
    assert AverageRisk().measure(ORIGINAL).details["highest"] == 1
    assert AverageRisk().measure(PRINTED).details["highest"] == 0.25
    sizes = {"a": 40, "b": 80, "c": 20}
    register = table([name for name, size in sizes.items() for _ in range(size)], illness=["x"] * 140)
    sample = table(["a"] * 4 + ["b"] * 4 + ["c"] * 4, illness=["x"] * 12)
    found = KMap().against(sample, register)
    assert found.per_record.tolist() == [40] * 4 + [80] * 4 + [20] * 4
    assert 1 / found.value == 0.05
    assert np.mean(1 / found.per_record) == pytest.approx(0.0291667, abs=5e-8)
