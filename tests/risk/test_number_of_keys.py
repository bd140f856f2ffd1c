"""How the share found rises with the number of known keys."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NoKeys
from tarnkappe.errors.risk import AttackerFileNeeded
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.linkage import Linkage
from tarnkappe.risk.number_of_keys import NumberOfKeys
from tarnkappe.vocab import Role

NAMES = tuple(f"x{j}" for j in range(7))


def masked(ratio=0.5, n=300):
    x = np.random.default_rng(2).normal(size=(n, len(NAMES)))
    data = Microdata({m: Column.numbers_of(x[:, j]) for j, m in enumerate(NAMES)}, {Role.NUMERIC: NAMES})
    noise = catalogue["microdata.noise"](columns=NAMES, variance_ratio=ratio)
    return data, noise.apply(data, stream("any", "noise"))


def test_more_keys_find_more():
    before, after = masked()
    found = NumberOfKeys(sets=4).measure(after, before=before)
    curve = [found.details["found_by_number_of_keys"][str(m)] for m in range(1, 8)]
    assert curve == sorted(curve)
    assert found.value == curve[5] > 5 * curve[0]
    assert found.details["sets"] == 4 * 6 + 1
    assert found.details["rise_over_critical"] == pytest.approx(curve[5] - curve[3])
    assert found.baseline == pytest.approx(1 / 300)


def test_all_sets_by_hand():
    """Every pair and single of three keys by the measure of linkage itself."""
    before, after = masked(n=80)
    found = NumberOfKeys(keys=NAMES[:3], count=2).measure(after, before=before)
    one = [Linkage(keys=(n,)).measure(after, before=before).value for n in NAMES[:3]]
    pairs = [(0, 1), (0, 2), (1, 2)]
    two = [Linkage(keys=(NAMES[i], NAMES[j])).measure(after, before=before).value for i, j in pairs]
    assert found.details["found_by_number_of_keys"]["1"] == pytest.approx(np.mean(one))
    assert found.value == found.details["found_by_number_of_keys"]["2"] == pytest.approx(np.mean(two))
    assert found.details["spread_by_number_of_keys"]["2"] == pytest.approx(np.std(two), abs=1e-6)
    assert found.details["rise_over_critical"] is None


def test_it_is_repeatable_and_takes_bad_input():
    before, after = masked(n=60)
    assert NumberOfKeys(sets=2).measure(after, before=before) == NumberOfKeys(sets=2).measure(
        after, before=before
    )
    with pytest.raises(AttackerFileNeeded):
        NumberOfKeys().measure(after)
    with pytest.raises(NoKeys):
        NumberOfKeys().measure(after.with_roles({}), before=before)
