"""dav2025, section 4.2: the table of twelve persons and what generalising it gives.

The table is printed (L304-317); the facts about its lattice were computed from it for the specification (6.1). Levels
are counted here as there: digits of the postcode masked 0-5, age exact, by decade, below or from 40, any;
occupation exact or any. Counting is by collections.Counter, exact, so there is no tolerance.
"""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.methods.microdata.generalise import Generalise
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

PERSONS = [
    ("13053", 28, "Kaufmann/-frau"),
    ("13068", 29, "Lehrer/in"),
    ("13068", 21, "Arzt/Ärztin"),
    ("13053", 23, "Lehrer/in"),
    ("14853", 50, "Mechaniker/in"),
    ("14853", 55, "Kaufmann/-frau"),
    ("14850", 47, "Lehrer/in"),
    ("14850", 49, "Lehrer/in"),
    ("13053", 31, "Lehrer/in"),
    ("13053", 37, "Mechaniker/in"),
    ("13068", 36, "Arzt/Ärztin"),
    ("13068", 35, "Lehrer/in"),
]
HIERARCHIES = {
    "postcode": {"digits": [1, 2, 3, 4, 5]},
    "age": {"cuts": [[40], [30, 40, 50]]},
    "occupation": {"tree": {"*": sorted({occupation for _, _, occupation in PERSONS})}},
}
FINEST = {"postcode": 5, "age": 3, "occupation": 1}
LATTICE = list(product(range(6), range(4), range(2)))


def table():
    postcode, age, occupation = zip(*PERSONS, strict=True)
    columns = {
        "postcode": Column.texts_of(postcode),
        "age": Column.numbers_of(np.array(age)),
        "occupation": Column.texts_of(occupation),
    }
    for name, words in HIERARCHIES.items():
        description = HierarchyDescription(**words)
        columns[name] = replace(
            columns[name], hierarchy=build_hierarchy(description, name, columns[name], Path())
        )
    return Microdata(columns)


@cache
def rows(node):
    """What every person shows at a node of the lattice; its numbers say how far each column is generalised."""
    levels = {name: FINEST[name] - steps for name, steps in zip(FINEST, node, strict=True)}
    done = apply_step(Generalise(columns=levels), table(), stream("dav2025"))
    return list(zip(*(done.column(name).texts() for name in FINEST), strict=True))


def sizes(node):
    return Counter(rows(node))


def minimal_nodes(k):
    """Nodes that are k-anonymous while no node below them is."""
    good = {node for node in LATTICE if min(sizes(node).values()) >= k}
    return {
        node: len(sizes(node))
        for node in good
        if not any(other != node and all(a <= b for a, b in zip(other, node, strict=True)) for other in good)
    }


def test_every_person_of_the_original_is_unique():
    assert Counter(sizes((0, 0, 0)).values()) == {1: 12}


@pytest.mark.parametrize(
    ("k", "nodes"),
    [(2, {(0, 1, 1): 6, (4, 3, 0): 4}), (3, {(1, 2, 1): 3}), (4, {(1, 2, 1): 3}), (6, {(4, 3, 1): 1})],
)
def test_minimal_nodes(k, nodes):
    assert minimal_nodes(k) == nodes


def test_the_three_classes_of_four():
    assert sizes((1, 2, 1)) == {("1305", "<40", "*"): 4, ("1306", "<40", "*"): 4, ("1485", ">=40", "*"): 4}


def test_k_anonymity_never_falls_on_the_way_up():
    for node, other in product(LATTICE, LATTICE):
        if all(a <= b for a, b in zip(node, other, strict=True)):
            assert min(sizes(node).values()) <= min(sizes(other).values())


def test_postcode_and_occupation_alone():
    data = table()
    for names, count, uniques in (
        (["postcode"], 4, 0),
        (["occupation"], 4, 0),
        (["postcode", "occupation"], 8, 4),
    ):
        classes = Counter(zip(*(data.column(n).texts() for n in names), strict=True))
        assert (len(classes), list(classes.values()).count(1)) == (count, uniques)


def test_the_printed_table_needs_local_recoding():
    """Printed as 4-anonymous: 130** <30, 1485* >40, 130** 3*. No node of the lattice gives these classes."""
    printed = {
        frozenset(i for i, (p, a, _) in enumerate(PERSONS) if p.startswith("130") and a < 30),
        frozenset(i for i, (p, _, _) in enumerate(PERSONS) if p.startswith("1485")),
        frozenset(i for i, (p, a, _) in enumerate(PERSONS) if p.startswith("130") and a >= 30),
    }
    assert sorted(map(len, printed)) == [4, 4, 4]
    for node in LATTICE:
        shown = rows(node)
        assert {frozenset(i for i, row in enumerate(shown) if row == one) for one in shown} != printed
