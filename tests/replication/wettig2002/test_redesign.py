"""Table redesign and cuboid falsification: spec/tables-wettig.md 18.4 (TV-14, TV-15, corrected) and 15.8 with TV-12."""

import numpy as np
import pytest

from reference.flat import cell, flat_dimension, flat_table, suppressing
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Table
from tarnkappe.methods.tables.cuboid_noise import CuboidNoise
from tarnkappe.methods.tables.recode import Recode
from tarnkappe.randomness import public_stream as stream

AGES = ("<12", "12", "13", "14", "15", "16", "17", "18", "19", ">19")


def named(x, rows, columns):
    plain = flat_table(x)
    dimensions = (flat_dimension("row", rows), flat_dimension("column", columns))
    return Table("t", dimensions, plain.cells, plain.value, counts=True)


def shown(pattern):
    return pattern.table.value.reshape([len(h) for h in pattern.table.dimensions])


def test_tv_14_rolling_up_two_columns():
    """L752-764; printed A,W = 14, must be 12."""
    table = named([[12, 10, 2, 6], [24, 3, 5, 8]], ["A", "B"], ["W", "X", "Y", "Z"])
    after = Recode(dimension="column", groups={"X": "X+Y", "Y": "X+Y"}).protect(Pattern(table), stream("s"))
    assert after.table.dimensions[1].codes.tolist() == ["T", "W", "X+Y", "Z"]
    assert shown(after).tolist() == [[70, 36, 20, 14], [30, 12, 12, 6], [40, 24, 8, 8]]


def ages():
    x = [[10, 7, 6, 5, 2, 4, 3, 3, 5, 12], [3, 2, 2, 1, 1, 2, 1, 1, 3, 5]]
    return named(x, ["not criminal", "criminal"], AGES)


def test_tv_15_recoding_of_ages():
    """L778-790; the last header is printed as <19."""
    table = ages()
    assert shown(Pattern(table))[:, 0].tolist() == [78, 57, 21]
    assert shown(Pattern(table))[0, 1:].tolist() == [13, 9, 8, 6, 3, 6, 4, 4, 8, 17]
    groups = (
        dict.fromkeys(AGES[:3], "under 14")
        | dict.fromkeys(AGES[3:7], "14-17")
        | dict.fromkeys(AGES[7:], "over 17")
    )
    after = Recode(dimension="column", groups=groups).protect(Pattern(table), stream("s"))
    assert after.table.dimensions[1].codes.tolist() == ["T", "under 14", "14-17", "over 17"]
    assert shown(after).tolist() == [[78, 30, 19, 29], [57, 23, 14, 20], [21, 7, 5, 9]]


def test_tv_15_a_finer_recoding_is_already_safe():
    """With at least 3 in every cell six groups of neighbouring ages would do; the seed's three are coarser than needed."""
    rules = [{"use": "rule.minimum-frequency", "n": 3}]
    after = Recode(dimension="column", propose=True, ordered=True, rules=rules).protect(
        Pattern(ages()), stream("s")
    )
    assert (after.table.value >= 3).all()
    assert len(after.table.dimensions[1]) - 1 > 3


@pytest.mark.parametrize("secret", ["a", "b", "c", "d", "e"])
def test_tv_12_falsified(secret):
    """15.8: with ε = +1 the table 100, 80, 90, 1 becomes 101, 79, 89, 2 and all totals stay; other draws are -1 and +2."""
    table = flat_table([[100, 80], [90, 1]])
    after = CuboidNoise().protect(suppressing(table, [("1", "1")], 1, 1), stream(secret))
    values = after.shown[table.inner].tolist()
    assert values in ([101, 79, 89, 2], [99, 81, 91, 0], [102, 78, 88, 3])
    assert (after.shown[~table.inner] == table.value[~table.inner]).all()
    assert (after.status[table.inner] == Status.PERTURBED).all()


def test_tv_12_the_printed_draw_comes():
    table = flat_table([[100, 80], [90, 1]])
    before = suppressing(table, [("1", "1")], 1, 1)
    at = cell(table, "1", "1")
    found = np.array([CuboidNoise().protect(before, stream(f"s{i}")).shown[at] for i in range(60)])
    assert set(found) == {99, 101, 102}
