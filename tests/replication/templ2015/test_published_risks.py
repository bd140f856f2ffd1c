"""Numbers that sdcMicro and ARX give for public files, which are not part of the project: name them in the environment.

TARNKAPPE_TESTDATA: testdata.csv of sdcMicro (4,580 records); TARNKAPPE_ADULT: adult.csv of ARX (30,162 records).
"""

import os

import numpy as np
import pytest

from tarnkappe.io.read import read
from tarnkappe.risk.expected_hits import ExpectedHits
from tarnkappe.risk.k_anonymity import KAnonymity
from tarnkappe.risk.population_uniques import PopulationUniques
from tarnkappe.risk.reidentification import Reidentification
from tarnkappe.vocab import Role

TESTDATA, ADULT = (os.environ.get(name, "") for name in ("TARNKAPPE_TESTDATA", "TARNKAPPE_ADULT"))
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
UNITED_STATES = 317_238_626
"""Persons that ARX takes for the United States."""


@pytest.mark.skipif(not TESTDATA, reason="TARNKAPPE_TESTDATA names no file")
def test_expected_hits_of_sdcmicro():
    """sdcMicro 5.8.1: 157, 281 and 458 records violate 2-, 3- and 5-anonymity; 10.78 expected hits, 51.81 with households."""
    roles = {Role.KEY: KEYS, Role.WEIGHT: ("sampling_weight",), Role.HOUSEHOLD: ("ori_hid",)}
    data = read(TESTDATA).with_roles(roles)
    below = KAnonymity().measure(data).details["below"]
    assert [below[k] for k in ("2", "3", "5")] == [157, 281, 458]
    found = ExpectedHits(mode="sdcmicro").measure(data)
    assert round(found.value, 2) == 10.78
    assert round(found.details["by_household"], 2) == 51.81
    assert ExpectedHits().measure(data).value == pytest.approx(found.value, rel=0.001)


@pytest.mark.skipif(not ADULT, reason="TARNKAPPE_ADULT names no file")
def test_risks_of_arx():
    """ARX 3.9.2: highest 1, average 0.646575, uniques 0.514290, population uniques after Pitman 0.038896."""
    data = read(ADULT)
    prosecutor = Reidentification(keys=data.names).measure(data)
    assert prosecutor.value == 1
    assert round(prosecutor.details["average"], 6) == 0.646575
    assert np.mean(prosecutor.per_record == 1) == pytest.approx(0.514290, abs=1e-6)
    assert (
        round(PopulationUniques(keys=data.names, population=UNITED_STATES).measure(data).value, 6) == 0.038896
    )
