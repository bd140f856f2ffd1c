"""Distances of categories after Torra in Höhne (2010), "Verfahren zur Anonymisierung von Einzeldaten", 2.2.1, L612-616 (TV-03).

The distances of federal states are printed; a hierarchy of states in regions gives them. Tolerance: none.
"""

from dataclasses import replace

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.mixed_groups import gower
from tarnkappe.methods.microdata.category_average import CategoryAverage

STATES = {"east": ["Saxony", "Thuringia"], "west": ["Hesse", "Bavaria"]}


def test_the_same_state_another_of_the_region_and_one_of_the_other_region():
    texts = ["Saxony", "Saxony", "Thuringia", "Hesse"]
    column = replace(Column.texts_of(texts), hierarchy=from_tree("state", STATES))
    x = CategoryAverage(columns=("s",))._mixed(Microdata({"s": column}))
    assert [gower(x, i, x.numbers[0], x.codes[0]) for i in range(4)] == [0, 0, 0.5, 1]
