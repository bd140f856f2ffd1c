"""Prosecutor, journalist and marketer on the tables of the report (spec 2.2, D-R04 to D-R06, and tables 6.1 to 6.3)."""

import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.reidentification import Reidentification
from tarnkappe.vocab import Role

ORIGINAL = [
    ("13053", "28", "Kaufmann/-frau"), ("13068", "29", "Lehrer/in"), ("13068", "21", "Arzt/Ärztin"), ("13053", "23", "Lehrer/in"),
    ("14853", "50", "Mechaniker/in"), ("14853", "55", "Kaufmann/-frau"), ("14850", "47", "Lehrer/in"), ("14850", "49", "Lehrer/in"),
    ("13053", "31", "Lehrer/in"), ("13053", "37", "Mechaniker/in"), ("13068", "36", "Arzt/Ärztin"), ("13068", "35", "Lehrer/in"),
]  # fmt: skip
FOUR_ANONYMOUS = [("130**", "<30", "*")] * 4 + [("1485*", ">40", "*")] * 4 + [("130**", "3*", "*")] * 4
TABLE_2 = [("130**", "<40")] * 8 + [("1485*", ">40")] * 4


def of(rows):
    columns = {f"k{j}": Column.texts_of(list(values)) for j, values in enumerate(zip(*rows, strict=True))}
    return Microdata(columns, {Role.KEY: tuple(columns)})


@pytest.mark.parametrize(
    ("rows", "highest", "average"),
    [(ORIGINAL, 1.0, 1.0), (FOUR_ANONYMOUS, 0.25, 0.25), (TABLE_2, 0.25, 1 / 6)],
)
def test_prosecutor(rows, highest, average):
    found = Reidentification().measure(of(rows))
    assert found.value == highest
    assert found.details["average"] == pytest.approx(average)


def test_journalist_and_marketer():
    """f = (4, 4, 4) and F = (40, 80, 20): highest 0.05, average 0.0291667, marketer 0.0291667."""
    release = of([("a",)] * 4 + [("b",)] * 4 + [("c",)] * 4)
    register = of([("a",)] * 40 + [("b",)] * 80 + [("c",)] * 20)
    journalist = Reidentification(attacker="journalist", population="original").measure(
        release, before=register
    )
    assert journalist.value == pytest.approx(0.05)
    assert journalist.details["average"] == pytest.approx(0.0291667, abs=1e-7)
    marketer = Reidentification(attacker="marketer", population="original").measure(release, before=register)
    assert marketer.value == pytest.approx(0.0291667, abs=1e-7)
