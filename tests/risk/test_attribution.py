"""Keys that drive the risk: what is known without computing."""

from itertools import combinations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NoKeys
from tarnkappe.risk.attribution import Attribution
from tarnkappe.vocab import Role


def data_of(**columns):
    made = {name: Column.texts_of([str(v) for v in values]) for name, values in columns.items()}
    return Microdata(made, {Role.KEY: tuple(columns)})


def test_a_key_that_says_nothing_adds_nothing():
    found = Attribution().measure(data_of(number=range(20), same=["x"] * 20)).details
    assert found["adds"] == {"number": pytest.approx(1 - 1 / 20), "same": 0}
    assert found["risk_without_key"] == {"number": pytest.approx(1 / 20), "same": 1}


def test_two_keys_that_say_the_same_share_what_they_add():
    twice = [i // 2 for i in range(20)]
    found = Attribution().measure(data_of(postcode=twice, town=twice))
    assert found.details["adds"]["postcode"] == found.details["adds"]["town"]
    assert found.details["risk_without_key"] == {"postcode": 0.5, "town": 0.5}, (
        "leaving one out changes nothing"
    )
    assert found.value == pytest.approx((1 / 2 - 1 / 20) / 2)


def test_the_share_above_a_threshold():
    found = Attribution(summary="share-at-risk", threshold=0.5).measure(
        data_of(a=[0, 0, 0, 1], b=[0, 0, 1, 1])
    )
    assert found.details["whole_risk"] == 0.5, "two of four are alone"
    assert found.details["risk_with_key_alone"] == {"a": 0.25, "b": 0}
    assert found.details["adds"] == pytest.approx({"a": 0.375, "b": 0.125})


def test_beyond_ten_keys_the_error_is_stated_and_the_result_repeats():
    rng = np.random.default_rng(5)
    data = data_of(**{f"k{j}": rng.integers(0, 2 + j % 3, 60) for j in range(11)})
    one, two = (Attribution(permutations=20).measure(data) for _ in range(2))
    assert one.details == two.details
    assert sum(one.details["adds"].values()) == pytest.approx(
        one.details["whole_risk"] - one.details["risk_without_keys"]
    )
    assert all(error > 0 for error in one.details["standard_error"].values())
    assert "20" in one.because.en


def test_one_record_one_key_and_one_class():
    assert Attribution().measure(data_of(a=["x"])).value == 0
    assert not Attribution().measure(data_of(a=["x"] * 9)).trusted, "one class tells nobody apart"
    assert Attribution().measure(data_of(a=range(4))).value == pytest.approx(0.75)


def test_without_keys_or_records():
    with pytest.raises(NoKeys):
        Attribution().measure(data_of(a=["x"]).with_roles({}))
    with pytest.raises(EmptyData):
        Attribution().measure(data_of(a=["x"]).take(np.zeros(0, dtype=np.int64)))


@pytest.mark.parametrize("keys", [4, 11])
def test_the_risk_by_number_of_keys_is_the_mean_over_all_sets(keys):
    """Brute force beside all sets, and beside the sets of random orders."""
    rng = np.random.default_rng(8)
    columns = {f"k{j}": rng.integers(0, 2 + j % 3, 50) for j in range(keys)}
    told = Attribution(permutations=400).measure(data_of(**columns)).details["risk_by_number_of_keys"]
    assert list(told) == [str(count) for count in range(keys + 1)]
    values = np.array(list(columns.values())).T
    for count in (0, 1, 2, keys):
        risks = [
            len(np.unique(values[:, list(chosen)], axis=0)) / 50 if chosen else 1 / 50
            for chosen in combinations(range(keys), count)
        ]
        assert told[str(count)] == pytest.approx(np.mean(risks), abs=1e-12 if keys == 4 else 0.02)
    assert list(told.values()) == sorted(told.values()), "who knows more finds more"
