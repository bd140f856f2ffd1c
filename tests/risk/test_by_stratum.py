"""Any measure, stratum by stratum."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import ColumnMissing, EmptyData
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.vocab import Role

ByStratum = catalogue["risk.by-stratum"]


def people():
    """Ten in A, all alike; four in B, two and two; one in C."""
    place = ["A"] * 10 + ["B"] * 4 + ["C"]
    sex = ["f"] * 10 + ["f", "f", "m", "m"] + ["m"]
    return Microdata({"place": Column.texts_of(place), "sex": Column.texts_of(sex)}, {Role.KEY: ("sex",)})


def test_persons_in_strata_below_the_limit_are_counted():
    found = ByStratum(of="risk.k-anonymity", within=("place",), at_least=3).measure(people())
    assert found.value == pytest.approx(5 / 15)
    assert found.details["strata_exposed"] == 2
    np.testing.assert_array_equal(found.per_record, [10] * 10 + [2] * 4 + [1])


def test_the_worst_stratum_comes_first():
    found = ByStratum(of="risk.k-anonymity", within=("place",), at_least=3).measure(people())
    assert [row["stratum"] for row in found.details["worst_strata"]] == [3, 2, 1]
    found = ByStratum(of="risk.uniques", within=("place",), at_most=0.1).measure(people())
    assert found.details["worst_strata"][0] == {"stratum": 3, "records": 1, "value": 1.0}
    assert found.value == pytest.approx(1 / 15)


def test_the_whole_file_may_look_safer_than_its_parts():
    whole = catalogue["risk.k-anonymity"]().measure(people()).value
    assert whole == 3
    assert ByStratum(of="risk.k-anonymity", within=("place",), at_least=3).measure(people()).value > 0


def test_what_is_not_known_to_be_safe_is_not_safe():
    data = people().with_columns({"ill": Column.texts_of(["no"] * 14 + [None])})
    found = ByStratum(
        of="risk.l-diversity", parameters={"sensitive": ["ill"]}, within=("place",), at_least=0
    ).measure(data)
    assert not found.trusted
    assert found.value > 0


def test_what_fits_no_stratum_is_told():
    with pytest.raises(ColumnMissing):
        ByStratum(of="risk.uniques", parameters={"keys": ["job"]}, within=("place",), at_most=0).measure(
            people()
        )


def test_no_records():
    with pytest.raises(EmptyData):
        ByStratum(of="risk.uniques", within=("place",), at_most=0).measure(people().take(np.arange(0)))


@pytest.mark.parametrize(
    "parameters",
    [
        {"of": "risk.nothing", "at_least": 1},
        {"of": "utility.moments", "at_least": 1},
        {"of": "risk.linkage", "at_least": 1},
        {"of": "risk.by-stratum", "at_least": 1},
        {"of": "risk.uniques"},
        {"of": "risk.uniques", "parameters": {"keyz": ["sex"]}, "at_least": 1},
    ],
)
def test_what_does_not_fit_is_told_before_data_is_read(parameters):
    with pytest.raises(ParameterWrong):
        ByStratum(within=("place",), **parameters)
