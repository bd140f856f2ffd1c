"""The simplest fraction beside a search over all denominators, and the quotients of whole numbers that it gives back."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.kernels.simplest_fraction import fractions_behind, simplest


def by_search(low, high):
    """The smallest denominator that fits, and its smallest numerator: exact, and slow."""
    low, high = Fraction(low), Fraction(high)
    q = 1
    while -(-low.numerator * q // low.denominator) > high * q:
        q += 1
    return -(-low.numerator * q // low.denominator), q


@given(st.floats(1e-3, 1e3), st.floats(1e-7, 0.5))
def test_the_simplest_fraction_is_that_of_a_search_over_all_denominators(x, width):
    low, high = x * (1 - width), x * (1 + width)
    assert simplest(low, high) == by_search(low, high)


def test_ends_that_are_whole_numbers_count():
    assert simplest(3.0, 3.9) == (3, 1)
    assert simplest(2.5, 3.0) == (3, 1)
    assert simplest(0.25, 0.25) == (1, 4)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0.5, 2))
def test_a_common_factor_does_not_hide_whole_numbers(a, b, factor):
    """Both numbers were multiplied by the same secret factor; their quotient is still that of the originals."""
    p, q = fractions_behind(np.array([(a * factor) / (b * factor)]), 4e-16, 0.01)
    true = Fraction(a, b)
    assert (p[0], q[0]) == (true.numerator, true.denominator)


def test_numbers_drawn_at_random_have_nothing_behind_them():
    p, q = fractions_behind(np.random.default_rng(1).lognormal(0, 3, 20_000), 4e-16, 0.01)
    assert np.count_nonzero(p) < 20_000 * 0.02
    assert np.array_equal(p > 0, q > 0)


def test_what_is_no_quotient_has_none():
    p, q = fractions_behind(np.array([0.0, -2.0, np.nan, np.inf, 1e300, 5e-324]), 4e-16, 0.01)
    assert p[:4].tolist() == q[:4].tolist() == [0, 0, 0, 0]
    assert np.isfinite(p).all()
