"""Records that are unique by their zeros, which noise preserves."""

import numpy as np
import pytest

from tarnkappe import catalogue
from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, WrongKind
from tarnkappe.errors.risk import NoAmounts
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.zero_pattern import ZeroPattern
from tarnkappe.vocab import Kind, Role


def firms():
    """Two cells of keys: in the first one record is alone with its zero, in the second one is alone by its key."""
    return Microdata(
        {
            "branch": Column.texts_of(list("aaaab")),
            "exports": Column.numbers_of(np.array([0.0, 3.0, 4.0, 5.0, 0.0])),
            "research": Column.numbers_of(np.array([1.0, 0.0, 2.0, 0.0, 0.0])),
        },
        {Role.KEY: ("branch",), Role.NUMERIC: ("exports", "research")},
    )


def test_unique_by_zeros_within_keys():
    found = ZeroPattern().measure(firms())
    assert found.per_record.tolist() == [1, 0, 1, 0, 0]
    assert found.value == 2 / 5
    assert ZeroPattern(k=3).measure(firms()).per_record.tolist() == [1, 1, 1, 1, 0]
    assert ZeroPattern(columns=("exports",)).measure(firms()).per_record.tolist() == [1, 0, 0, 0, 0]


def test_noise_that_keeps_zeros_protects_nothing_and_noise_that_does_not_protects():
    data, names = firms(), ("exports", "research")
    factors = catalogue["microdata.factor-noise"](columns=names).apply(data, stream("any", "f"))
    found = ZeroPattern().measure(factors, before=data)
    assert found.value == found.baseline == 2 / 5
    assert found.details["zeros_kept"] == 1
    added = catalogue["microdata.noise"](columns=names).apply(data, stream("any", "n"))
    gone = ZeroPattern().measure(added, before=data)
    assert (gone.value, gone.baseline, gone.details["zeros_kept"]) == (0, 2 / 5, 0)


def test_a_new_unique_pattern_is_not_a_preserved_one():
    """Record 4 loses its zero and is alone with that: whoever knows its zeros does not find it."""
    data = firms()
    after = data.with_columns({"exports": Column.numbers_of(np.array([0.0, 3.0, 4.0, 0.0, 0.0]))})
    found = ZeroPattern().measure(after, before=data)
    assert found.details["unique_in_release"] == 4
    assert found.per_record.tolist() == [1, 1, 1, 0, 0]


def test_hidden_cells_and_records_that_are_gone():
    data = firms()
    state = np.array([MISSING, 0, 0, 0, 0], dtype=np.uint8)
    after = data.with_columns({"exports": Column(Kind.NUMBER, data.column("exports").values, state)})
    assert ZeroPattern().measure(after, before=data).per_record.tolist() == [0, 0, 1, 0, 0]
    fewer = data.take(np.array([0, 1, 3, 4]))
    assert ZeroPattern().measure(fewer, before=data).per_record.tolist() == [1, 0, 0, 0]


def test_bad_input():
    with pytest.raises(NoAmounts):
        ZeroPattern().measure(firms().with_roles({}))
    with pytest.raises(WrongKind):
        ZeroPattern(columns=("branch",)).measure(firms())
    with pytest.raises(EmptyData):
        ZeroPattern().measure(firms().take(np.arange(0)))
