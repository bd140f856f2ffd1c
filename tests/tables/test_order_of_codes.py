"""Flat lists of codes keep the order of the file of cells, or of `order`; those of records stand by the numbers they begin with."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tarnkappe as tk
from tables.trees import hierarchy
from tarnkappe.data.class_codes import begins, in_order_of_size, out_of_order
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.errors.tables import ClassesUnordered
from tarnkappe.plan.check import check_file
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy, dimension
from tarnkappe.plan.run import run
from tarnkappe.randomness import public_stream as stream

INCOMES = ("0-1999", "2000-4999", "5000-9999", "10000-19999", "20000+")
COUNTS = (9, 2, 9, 9, 9)


def csv_of(order):
    counts = dict(zip(INCOMES, COUNTS, strict=True))
    return "income,value\nTotal,38\n" + "".join(f"{code},{counts[code]}\n" for code in order)


def run_merge(tmp_path, text, hierarchies="{}"):
    (tmp_path / "cells.csv").write_text(text)
    (tmp_path / "plan.yaml").write_text(
        "tarnkappe: 1\ntitle: Incomes\ntables:\n  - name: incomes\n    file: cells.csv\n    by: [income]\n"
        f"    hierarchies: {hierarchies}\n    columns: {{count: value}}\n"
        "    protect: {use: table.class-merge, dimension: income, k: 3, loss: cuts}\n"
    )
    (entry,) = run(check_file(tmp_path / "plan.yaml")).tables
    return list(entry.pattern.table.dimensions[0].codes)


def test_classes_of_a_file_are_merged_with_their_neighbours(tmp_path):
    merged = run_merge(tmp_path, csv_of(INCOMES))
    assert merged[1:] in (["≤4999", *INCOMES[2:]], ["0-1999", "2000-9999", *INCOMES[3:]])


def test_the_order_of_a_plan_goes_before_that_of_the_file(tmp_path):
    wanted = json.dumps({"income": {"order": list(INCOMES)}})
    assert run_merge(tmp_path, csv_of(sorted(INCOMES)), wanted)[1] in ("≤4999", "0-1999")


def test_classes_out_of_order_are_not_merged(tmp_path):
    with pytest.raises(ClassesUnordered) as caught:
        run_merge(tmp_path, csv_of(sorted(INCOMES)))
    assert "order:" in caught.value.text("en")


def test_words_have_the_order_of_the_file():
    cells = Microdata({"size": Column.texts_of(["Total", "small", "medium", "large", "small"])})
    tree = dimension(None, "size", cells, None)
    assert list(tree.codes) == ["Total", "small", "medium", "large"]
    said = HierarchyDescription(total="Total", labels={"large": "Large"})
    assert list(dimension(said, "size", cells, None).codes) == ["Total", "small", "medium", "large"]


def test_an_order_lists_all_codes():
    column = Column.texts_of(["b", "a", "c"])
    tree = build_hierarchy(HierarchyDescription(order=("c", "b", "a", "d"), total="all"), "x", column, None)
    assert list(tree.codes) == ["all", "c", "b", "a", "d"]
    with pytest.raises(tk.TarnkappeError, match="hierarchy"):
        build_hierarchy(HierarchyDescription(order=("c", "b")), "x", column, None)
    for wrong in ((), ("a", "a")):
        with pytest.raises(ValueError, match="order"):
            HierarchyDescription(order=wrong)


def test_classes_of_records_stand_by_their_numbers():
    records = Microdata({"income": Column.texts_of(INCOMES[::-1])})
    assert list(tk.tabulate(records, by=["income"]).dimensions[0].codes) == ["Total", *INCOMES]
    column = Column.texts_of(list(INCOMES))
    tree = build_hierarchy(HierarchyDescription(total="all"), "income", column, None)
    assert list(tree.codes) == ["all", *INCOMES]


@pytest.mark.parametrize(
    ("codes", "ordered"),
    [
        (["10-19", "100+", "20-99", "<10"], ["<10", "10-19", "20-99", "100+"]),
        (["10", "2", "?", "1"], ["1", "2", "10", "?"]),
        (["bis 5", "ab 20", "5-19"], ["bis 5", "5-19", "ab 20"]),
        (["1,5-2", "0,5-1,5"], ["0,5-1,5", "1,5-2"]),
        (["A10", "A2"], ["A10", "A2"]),
        (["10", "2", "other"], ["10", "2", "other"]),
        ([], []),
        (["?"], ["?"]),
    ],
)
def test_order_of_size(codes, ordered):
    assert in_order_of_size(codes) == ordered


def test_out_of_order():
    assert not out_of_order(INCOMES)
    assert not out_of_order(INCOMES[::-1])
    assert out_of_order(sorted(INCOMES))
    assert not out_of_order(["b", "a", "1"])
    assert not out_of_order([])
    assert begins("unter 5") == (5.0, -1)


def test_merging_refuses_whatever_the_source():
    tree = hierarchy("income", {"all": None, **dict.fromkeys(sorted(INCOMES), "all")})
    table = Table("t", (tree,), np.arange(6)[:, None], np.array([38.0, *COUNTS]), counts=True)
    with pytest.raises(ClassesUnordered):
        tk.table.ClassMerge(dimension="income").protect(Pattern(table), stream("order of classes"))
