"""Where a whole file shares a value, participation alone discloses it: no key is needed (G-R09 i)."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import NoSensitive
from tarnkappe.risk.homogeneity import Homogeneity
from tarnkappe.vocab import Role


def survey(answers, **roles):
    columns = {
        "answer": Column.texts_of(list(answers)),
        "sex": Column.texts_of(list("fm" * len(answers))[: len(answers)]),
    }
    return Microdata(columns, {Role.SENSITIVE: ("answer",), **roles})


def test_a_file_without_keys_is_one_class():
    found = Homogeneity(certainty=0.9).measure(survey("y" * 19 + "n"))
    assert (found.value, found.trusted) == (1, True)
    assert found.details["whole_file"] == {"answer": {"largest_share": 0.95, "homogeneous": True}}
    assert found.per_record.tolist() == [0.95] * 20
    mixed = Homogeneity(certainty=0.9).measure(survey("yn" * 10), before=survey("y" * 20))
    assert (mixed.value, mixed.baseline) == (0, 1)
    assert Homogeneity(certainty=0.9, harmless={"answer": ["y"]}).measure(survey("y" * 19 + "n")).value == 0


def test_with_keys_the_whole_file_stands_in_the_details():
    data = survey("y" * 10 + "ynynynynyn", **{Role.KEY: ("sex",)})
    found = Homogeneity().measure(data)
    assert found.details["whole_file"]["answer"]["largest_share"] == pytest.approx(0.75)
    assert found.details["keys"] == ("sex",)
    assert found.details["whole_file"]["answer"]["homogeneous"] is False


def test_bad_input():
    with pytest.raises(EmptyData):
        Homogeneity().measure(survey("yn").take(np.arange(0)))
    with pytest.raises(NoSensitive):
        Homogeneity().measure(survey("yn").with_roles({}))
