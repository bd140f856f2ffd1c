"""Attackers on rounded and noisy tables: who averages, who subtracts, who compares measures."""

from dataclasses import replace

import numpy as np
import pytest

from reference.flat import cell, flat_table
from tarnkappe.data.pattern import Pattern
from tarnkappe.methods.tables.cuboid_noise import CuboidNoise
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.methods.tables.perturb import Perturb
from tarnkappe.methods.tables.round_random import RoundRandom
from tarnkappe.randomness import public_stream as stream

X = np.random.default_rng(7).integers(20, 99, size=(5, 5))
TIMES = 200


def averaged(method):
    """The mean of what was published of every cell, run after run of the same plan with the same secret."""
    table = flat_table(X)
    runs = [method.protect(Pattern(table), stream("kept secret", method.id, n)).shown for n in range(TIMES)]
    return table, np.mean(runs, axis=0)


def share_found(table, guess):
    return float((np.rint(guess) == table.value).mean())


def test_averaging_repeated_publications_finds_nothing():
    for method in (RoundRandom(), Perturb(scope="all")):
        table, mean = averaged(method)
        once = method.protect(Pattern(table), stream("kept secret", method.id, 0)).shown
        assert (mean == once).all()
        assert (
            share_found(table, mean) < 0.55
        )  # as after one publication: multiples, and noise that happens to be 0


def test_averaging_fresh_draws_would_find_everything():
    for method in (RoundRandom(lasting=False), Perturb(scope="all", lasting=False)):
        table, mean = averaged(method)
        assert share_found(table, mean) > 0.9


def test_many_tables_with_one_margin_give_no_second_look():
    """The margin of six tables that cross it with something else is published the same six times."""
    rng = np.random.default_rng(1)
    shown = []
    for width in range(2, 8):
        parts = rng.multinomial(100, np.ones(width) / width, size=6)
        table = flat_table(parts)
        table = replace(
            table, dimensions=(table.dimensions[0], replace(table.dimensions[1], name=f"by {width}"))
        )
        after = RoundRandom(base=7).protect(Pattern(table), stream("kept secret"))
        shown.append([after.shown[cell(table, str(i + 1), "T")] for i in range(6)])
    assert all(row == shown[0] for row in shown)


def editions(method, marked):
    """What two editions show of a table of 60 cells, and what they hold: in the second a tenth of the cells has one person more."""
    rng = np.random.default_rng(5)
    first = rng.integers(20, 99, size=(6, 10))
    more = rng.random((6, 10)) < 0.1
    tables = [flat_table(first), flat_table(first + more)]
    if marked:  # as tables of records: who is in a cell, by numbers that add up over cells
        tables = [replace(t, marks=who(t, x)) for t, x in zip(tables, (first, first + more), strict=True)]
    one, two = (method.protect(Pattern(t), stream("kept secret")).shown for t in tables)
    return two - one, tables[1].value - tables[0].value


def who(table, x):
    """Marks of the cells of a flat table: the i-th person of an inner cell has a number of her own, sums add up."""
    people = {
        (str(r + 1), str(c + 1)): sum(hash((r, c, i)) % 2**40 for i in range(x[r, c]))
        for r in range(6)
        for c in range(10)
    }
    names = list(zip(table.codes(0), table.codes(1), strict=True))
    found = [sum(m for (a, b), m in people.items() if r in (a, "T") and c in (b, "T")) for r, c in names]
    return np.array(found, dtype=np.uint64)


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize("method", [Perturb(scope="all"), RoundRandom(base=5)])
def test_the_difference_of_two_editions_does_not_show_the_change(method, marked):
    """Cells without a change are the same twice; a cell that changed has noise of its own, so the difference is not the change."""
    shown, true = editions(method, marked)
    assert (shown[true == 0] == 0).all()
    changed = true != 0
    assert changed.sum() >= 8
    assert float((shown[changed] == true[changed]).mean()) < 0.7
    assert len(set((shown - true)[changed])) > 2


def test_cells_with_the_same_people_are_changed_alike_whatever_they_are_called():
    table = flat_table(X)
    table = replace(table, marks=np.arange(1, len(table) + 1, dtype=np.uint64))
    other = replace(table, dimensions=tuple(replace(h, name=f"new {h.name}") for h in table.dimensions))
    assert (
        draws(table, stream("s"), "x", lasting=True) == draws(other, stream("s"), "x", lasting=True)
    ).all()


def test_whoever_knows_one_measure_does_not_learn_another_of_a_series_apart():
    """The noise of persons is known from a register; subtracting it from turnover helps only if both share their draws."""
    persons, turnover = flat_table(X), flat_table(X * 10 + 3)
    for series in ("turnover", ""):
        known = Perturb(scope="all").protect(Pattern(persons), stream("kept secret")).shown - persons.value
        shown = Perturb(scope="all", series=series).protect(Pattern(turnover), stream("kept secret")).shown
        share = float((shown - known == turnover.value).mean())
        assert share < 0.5


def test_counts_and_values_of_the_same_cells_draw_apart_by_themselves():
    table = flat_table(X)
    one, two = (draws(t, stream("s"), "x", lasting=True) for t in (table, replace(table, counts=True)))
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.5
    assert (one != two).all()


def test_cuboid_noise_cannot_be_averaged_over_runs():
    table = flat_table(X)
    mark = np.zeros(len(table), dtype=np.bool_)
    mark[cell(table, "2", "3")] = True
    need = np.where(mark, 5.0, 0.0)
    before = replace(Pattern(table), status=mark.astype(np.uint8), lower=need, upper=need)
    runs = [CuboidNoise().protect(before, stream("kept secret", "x", n)).shown for n in range(5)]
    assert all((run == runs[0]).all() for run in runs)
    fresh = [
        CuboidNoise(lasting=False).protect(before, stream("kept secret", "x", n)).shown for n in range(40)
    ]
    at = cell(table, "2", "3")
    assert abs(np.mean(fresh, axis=0)[at] - table.value[at]) < 5  # here averaging works
