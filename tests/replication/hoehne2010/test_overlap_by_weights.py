"""Figure 4 (spec TV-01): name and address are the attacker's, industry and region are in both files; both firms are found."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.bayes_linkage import BayesLinkage
from tarnkappe.risk.probable_linkage import ProbableLinkage
from tarnkappe.vocab import Role

KEYS = ("WZ", "Region")


@pytest.fixture
def files():
    known = {"Name": ["Meier KG", "Müller GmbH"], "WZ": ["1245", "1537"], "Region": ["B", "A"]}
    released = {name: known[name] for name in KEYS}
    amounts = {"Umsatz": [12345.67, 23456.78], "Gewinn": [543.21, 1234.56]}
    columns = {name: Column.numbers_of(np.array(values)) for name, values in amounts.items()}
    return Microdata(_texts(known)), Microdata(_texts(released) | columns, {Role.KEY: KEYS})


def _texts(table):
    return {name: Column.texts_of(values) for name, values in table.items()}


def test_both_firms_are_linked(files):
    known, released = files
    found = ProbableLinkage(learns="truth").against(released, known)
    assert found.value == 1
    assert found.details["precision"] == 1


def test_both_firms_are_identified_surely(files):
    known, released = files
    stated = BayesLinkage(known_misses=dict.fromkeys(KEYS, 0.01), certainty=0.95)
    found = stated.against(released, known)
    assert found.value == 1
    assert found.trusted
    assert found.details["wrong_links"] == 0
