"""Units among the candidates of a person against a count of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.kernels.candidate_units import candidate_units
from tarnkappe.kernels.compatible import Key, candidate_counts, candidates
from tarnkappe.vocab import Missing, Suppressed

GAP, HIDDEN = 1, 2


def told(code, state, *, true):
    if state == GAP:
        return "gap"
    return "mark" if state == HIDDEN and not true else int(code)


def fitting(keys, i, missing, suppressed):
    """The records that could be those of person i."""
    true = suppressed is Suppressed.ATTACKER
    open_person = {GAP} if missing is Missing.WILDCARD else set()
    open_record = set(open_person)
    if suppressed is Suppressed.WILDCARD:
        open_person.add(HIDDEN)
    if suppressed is not Suppressed.CATEGORY:
        open_record.add(HIDDEN)
    return [
        j
        for j in range(len(keys[0].codes))
        if all(
            k.state[i] in open_person
            or k.state[j] in open_record
            or told(k.codes[i], k.state[i], true=true) == told(k.codes[j], k.state[j], true=true)
            for k in keys
        )
    ]


@pytest.mark.parametrize("missing", [Missing.CATEGORY, Missing.WILDCARD])
@pytest.mark.parametrize("suppressed", list(Suppressed))
@pytest.mark.parametrize("seed", range(12))
def test_units_are_those_of_all_records_that_fit(seed, missing, suppressed):
    g = np.random.default_rng(seed)
    n = int(g.integers(1, 25))
    keys = [
        Key(g.integers(0, 3, n), g.choice([0, 0, 0, GAP, HIDDEN], n).astype(np.uint8), 3)
        for _ in range(int(g.integers(1, 4)))
    ]
    units = np.unique(g.integers(0, max(n // 2, 1), n), return_inverse=True)[1]
    among = candidates(keys, missing, suppressed)
    expected = [len({int(units[j]) for j in fitting(keys, i, missing, suppressed)}) for i in range(n)]
    assert candidate_units(among, units).tolist() == expected
    assert np.array_equal(candidate_units(among, np.arange(n)), candidate_counts(among))
