"""Attackers on rounded and noisy tables: who averages, who subtracts, who compares measures."""

from dataclasses import replace

import numpy as np

from reference.flat import cell, flat_table
from tarnkappe.data.pattern import Pattern
from tarnkappe.kernels.rounding import unbiased
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


STEPS = 30
STARTS = np.arange(15, 30)
GRID = (np.arange(500) + 0.5) / 500


def published(start, u):
    """Base 5, a value that grows by 1 in every publication; u is one number, or one for every publication."""
    return unbiased(start + np.arange(STEPS, dtype=float), 5, np.broadcast_to(u, STEPS))


SEEN = np.array([[published(start, u) for u in GRID] for start in STARTS])


def guess_lasting(shown):
    """The start that explains what is seen with most of the possible u; ties go to the first."""
    return STARTS[np.argmax((shown == SEEN).all(axis=2).mean(axis=1))]


def guess_fresh(shown):
    """The start with the largest likelihood when every publication draws afresh."""
    value = STARTS[:, None] + np.arange(STEPS)
    up, down = value % 5 / 5, value // 5 * 5
    chance = np.where(shown == down, 1 - up, np.where(shown == down + 5, up, 0.0))
    return STARTS[np.argmax(chance.prod(axis=1))]


def test_known_changes_of_a_value_do_not_reveal_it():
    """The attacker knows that a cell grows by 1 each time. Fresh draws give its remainder away; lasting ones shift it by a secret."""
    table, right = flat_table([1, 2]), {True: 0, False: 0}
    for s in range(300):
        start = 20 + s % 5
        lasting = draws(table, stream(f"secret {s}"), "x", lasting=True)[1]
        right[True] += guess_lasting(published(start, lasting)) == start
        right[False] += guess_fresh(published(start, stream(f"secret {s}").generator.random(STEPS))) == start
    assert right[True] / 300 < 0.28  # one in five, up to chance
    assert right[False] / 300 > 0.6


def test_whoever_knows_one_measure_does_not_learn_another_of_a_series_apart():
    """The noise of persons is known from a register; subtracting it from turnover helps only if both share their draws."""
    persons, turnover = flat_table(X), flat_table(X * 10 + 3)
    for series, found in (("turnover", False), ("", True)):
        known = Perturb(scope="all").protect(Pattern(persons), stream("kept secret")).shown - persons.value
        shown = Perturb(scope="all", series=series).protect(Pattern(turnover), stream("kept secret")).shown
        share = float((shown - known == turnover.value).mean())
        assert (share == 1.0) if found else (share < 0.5)


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
