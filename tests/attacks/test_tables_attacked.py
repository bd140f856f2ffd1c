"""Every method for tables on random tables, attacked with scipy by code that shares nothing with the package.

A method is found through the catalogue; one that is new is attacked without a line here. Rounded and changed cells count as
unknown, as in the audit; what rounding itself tells is attacked below with the bases of the methods.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference.table_attack import OPEN, attack, published
from tarnkappe.data.pattern import Pattern
from tarnkappe.errors import Refused, TarnkappeError
from tarnkappe.methods.tables.perturb import Perturb
from tarnkappe.methods.tables.range_mask import RangeMask
from tarnkappe.methods.tables.round_conventional import RoundConventional
from tarnkappe.methods.tables.round_random import RoundRandom
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import TableMethod, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing.patterns import random_pattern

METHODS = [cls for cls in catalogue if issubclass(cls, TableMethod)]
SOME, MANY = range(5000, 5024), range(6000, 7000)
MOST = 6
"""Cells of a table that are attacked."""


def protected(method, pattern, seed):
    try:
        return method.protect(pattern, stream(f"secret number {seed} of these tests", method.id))
    except TarnkappeError:
        return None


def breached(after):
    """Cells with a required protection that scipy finds closer than that."""
    needs = np.flatnonzero((after.status != OPEN) & ((after.lower > 0) | (after.upper > 0)))[:MOST]
    ends = attack(after, needs)
    value = after.table.value[needs]
    slack = 1e-5 * np.maximum(1.0, np.abs(value))
    low, high = ends[:, 0], ends[:, 1]
    if after.table.counts:
        low, high = np.ceil(low - 1e-5), np.floor(high + 1e-5)
    short = (value - low < after.lower[needs] - slack) | (high - value < after.upper[needs] - slack)
    return [after.table.spelt(int(c)) for c in needs[short]], len(needs)


def run(cls, seeds):
    method, attacked = build(cls, cls.example), 0
    for seed in seeds:
        pattern = random_pattern(seed)
        after = None if pattern is None else protected(method, pattern, seed)
        if after is not None:
            leaks, tried = breached(replace(after, low=pattern.low, high=pattern.high))
            assert not leaks, f"{cls.id}, seed {seed}: {leaks}"
            attacked += tried
    return attacked


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_protected_tables_withstand(cls):
    run(cls, SOME)


@pytest.mark.long
@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_thousands_of_protected_tables_withstand(cls):
    run(cls, MANY)


def test_the_attacker_is_not_toothless():
    """Marked cells that nothing protects are found."""
    found = 0
    for seed in SOME:
        pattern = random_pattern(seed)
        if pattern is not None and pattern.primary.any():
            found += bool(breached(pattern)[0])
    assert found > 5


# -- what rounding and noise tell by themselves ----------------------------------------------------------------------


def whole(pattern):
    return bool((pattern.table.value == np.rint(pattern.table.value)).all())


def near(base):
    """Originals of a multiple: half a base to either side, half goes up."""

    def originals(pattern):
        above = (base + 1) // 2 - 1 if whole(pattern) else base / 2
        return pattern.shown - (base // 2 if whole(pattern) else base / 2), pattern.shown + above

    return originals


def around(base):
    def originals(pattern):
        most = base - 1 if whole(pattern) else base
        return pattern.shown - most, pattern.shown + most

    return originals


def noisy(least, most):
    def originals(pattern):
        return pattern.shown - most, pattern.shown - least  # cutting at zero only adds originals

    return originals


CASES = {
    "conventional": (RoundConventional(base=12), near(12)),
    "conventional, exact margins": (RoundConventional(base=12, margins="exact"), near(12)),
    "random": (RoundRandom(base=12), around(12)),
    "random, exact margins": (RoundRandom(base=12, margins="exact"), around(12)),
    "noise": (Perturb(noise=dict.fromkeys(range(-6, 7), 1), scope="all"), noisy(-6, 6)),
    "noise, exact margins": (Perturb(noise=dict.fromkeys(range(-6, 7), 1)), noisy(-6, 6)),
}


def closest(name, seeds):
    """The published originals always hold the truth, and every cell in need keeps the required width for scipy."""
    method, originals = CASES[name]
    done = 0
    for seed in seeds:
        pattern = random_pattern(seed)
        if pattern is None or not pattern.table.counts:
            continue
        after = protected(method, pattern, seed)
        if after is None:
            continue
        low, high = published(after, originals)
        assert ((low <= after.table.value) & (after.table.value <= high)).all()
        ruled = len(pattern.reasons) > 1
        cells = np.flatnonzero(pattern.primary if ruled else after.status != OPEN)[:MOST]
        ends = attack(after, cells, originals)
        wide = np.floor(ends[:, 1] + 1e-5) - np.ceil(ends[:, 0] - 1e-5)
        need = np.maximum(np.ceil((after.lower + after.upper)[cells] - 1e-6), 1.0)
        assert (wide >= need).all(), f"{name}, seed {seed}"
        done += len(cells)
    return done


@pytest.mark.parametrize("name", CASES)
def test_rounding_and_noise_withstand(name):
    assert closest(name, range(5000, 5030)) > 0


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_rounding_and_noise_withstand_in_thousands_of_tables(name):
    """Exact margins give most cells away that need protection: nearly all of these tables are refused."""
    assert closest(name, MANY) > (20 if "exact" in name else 100)


# -- ranges where sums cross -----------------------------------------------------------------------------------------


def masked_counts(seeds, **options):
    for seed in seeds:
        pattern = random_pattern(seed)
        if pattern is not None and pattern.table.counts:
            try:
                yield RangeMask(**options).protect(
                    Pattern(pattern.table), stream(f"secret number {seed} here")
                )
            except Refused:
                continue


@pytest.mark.parametrize("mode", ["safe", "linear"])
def test_small_counts_keep_their_range_across_dimensions(mode):
    done = 0
    for after in masked_counts(range(5000, 5030), mode=mode, upper=4):
        small = np.flatnonzero(after.table.inner & (after.table.value >= 1) & (after.table.value <= 4))[:MOST]
        ends = attack(after, small)
        np.testing.assert_allclose(ends, np.tile([1.0, 4.0], (len(small), 1)), atol=1e-5)
        done += len(small)
    assert done > 30


def test_the_quick_way_masks_hardly_more_than_linear_programs():
    quick, slow = (
        sum(int(after.hidden.sum()) for after in masked_counts(range(5000, 5060), mode=mode))
        for mode in ("safe", "linear")
    )
    assert 0 < quick <= 1.1 * slow
