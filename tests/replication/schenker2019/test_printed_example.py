"""Schenker (2019), "Anonymisierung von Aggregatdaten", Swiss Statistics Days, Cham: the printed small town, all nine rows.

Call printed there: %anon_aggregatdaten(inputDaten=kleineStadt, inputVariable=Wert, outputDaten=kleineAnon,
ebene=quartier*kreis, minWert=1, maxWert=3, funktion=max). No tolerance: text for text, with phase and reason.
The label Q 21 is printed twice; the second is Q 22.
"""

import numpy as np
import pytest

from tables.trees import city, scipy_attack, shown
from tarnkappe.data.pattern import Pattern
from tarnkappe.methods.tables.range_mask import RangeMask
from tarnkappe.randomness import public_stream as stream

PRINTED = [
    ("city", "28", "", ""),
    ("K1", "9", "", ""),
    ("Q11", "1-3", "1", ""),
    ("Q12", "6-8", "2a", "Sicherung Q11"),
    ("K2", "1-3", "2a", "Sicherung Q21"),
    ("Q21", "1-3", "1", ""),
    ("Q22", "0", "", ""),
    ("K3", "16-18", "2b", "Sicherung K2"),
    ("Q31", "16-18", "3a", "Sicherung K2"),
]  # fmt: skip


def masked(table, mode="compat", **options):
    return RangeMask(mode=mode, draw="nothing", **options).protect(Pattern(table), stream("schenker"))


def rows(pattern):
    ranges, out = shown(pattern), []
    for i, code in enumerate(pattern.table.codes(0)):
        text = "{}-{}".format(*ranges[code]) if code in ranges else str(int(pattern.table.value[i]))
        phase, _, reason = pattern.because(i).de.partition(": ")
        out.append((code, text, phase, reason))
    return out


@pytest.mark.parametrize("mode", ["compat", "safe"])
def test_all_nine_rows(mode):
    """The safe mode gives the same, because only the middle value 2 occurs."""
    assert rows(masked(city(2, 7, 2, 0, 17), mode)) == PRINTED


def test_the_function_decides():
    """With funktion=min Kreis 1 (9) is taken in step 2b, not Kreis 3 (17); Q12 is masked there already."""
    found = {row[0]: row[1:] for row in rows(masked(city(2, 7, 2, 0, 17), pick="min"))}
    assert found["K1"] == ("8-10", "2b", "Sicherung K2")
    assert found["K3"] == ("17", "", "")


VECTORS = [
    # leaves, compat: ranges and what the attacker finds of Q11 and Q21, safe: ranges
    ((1, 7, 1, 0, 17), {"Q12": (6, 8), "K2": (1, 3), "K3": (16, 18), "Q31": (16, 18)}, (1, 2),
     {"Q12": (5, 7), "K2": (1, 3), "K3": (15, 17), "Q31": (15, 17)}),
    ((2, 7, 2, 0, 17), {"Q12": (6, 8), "K2": (1, 3), "K3": (16, 18), "Q31": (16, 18)}, (1, 3),
     {"Q12": (6, 8), "K2": (1, 3), "K3": (16, 18), "Q31": (16, 18)}),
    ((3, 7, 3, 0, 17), {"Q12": (6, 8), "K2": (1, 3), "K3": (16, 18), "Q31": (16, 18)}, (2, 3),
     {"Q12": (7, 9), "K2": (1, 3), "K3": (17, 19), "Q31": (17, 19)}),
]  # fmt: skip


@pytest.mark.parametrize(("leaves", "compat", "found", "safe"), VECTORS, ids=["SV-03", "SV-04", "SV-05"])
def test_further_vectors(leaves, compat, found, safe):
    """SV-03 to SV-05 of our specification, computed there with another program."""
    primary = {"Q11": (1, 3), "Q21": (1, 3)}
    for mode, expected, interval in (("compat", compat, found), ("safe", safe, (1, 3))):
        done = masked(city(*leaves), mode)
        assert shown(done) == expected | primary
        cells = [list(done.table.codes(0)).index(code) for code in primary]
        np.testing.assert_allclose(scipy_attack(done, cells), [interval, interval], atol=1e-9)
