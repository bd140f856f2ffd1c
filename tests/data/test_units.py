"""Units: records that one or several columns name together."""

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.methods.microdata.exchange_units import units_of as movers_of_units


def named(unit, names, *, beneath):
    """The name of every record's unit; a number of its own where a name lacks."""
    out = []
    for i in range(len(unit)):
        states = [OBSERVED if c.state is None else c.state[i] for c in (unit.column(n) for n in names)]
        lacks = MISSING in states or (SUPPRESSED in states and not beneath)
        out.append(i if lacks or not names else tuple(unit.column(n).values[i] for n in names))
    return out


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("beneath", [False, True])
def test_units_against_their_names(seed, beneath):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 30))
    columns = {
        name: Column(
            Column.numbers_of(np.zeros(1, int)).kind,
            rng.integers(0, 4, n),
            rng.choice([0, 0, 0, 1, 2], n).astype(np.uint8),
        )
        for name in "ab"
    }
    data = Microdata(columns)
    for names in ((), ("a",), ("a", "b")):
        of, count = units_of(data, names, beneath=beneath)
        name = named(data, names, beneath=beneath)
        assert count == len(set(name)) == len(set(of.tolist()))
        assert len(set(zip(of.tolist(), name, strict=True))) == count
        if beneath:
            units = movers_of_units(data, names)
            assert len(set(zip(units.of.tolist(), name, strict=True))) == len(units.first) == count
            assert units.rows(np.arange(count)).tolist() == units.order.tolist()
