import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import classes as reference
from tarnkappe.kernels import hashing
from tarnkappe.kernels.classes import MARKS, classes, first_records, index_type
from tarnkappe.kernels.compatible import Key, compatible_counts
from tarnkappe.vocab import Missing, Suppressed

POLICIES = [(m, s) for m in (Missing.CATEGORY, Missing.WILDCARD) for s in Suppressed]


def columns_of(matrix, counts):
    return ((matrix[:, c], counts[c]) for c in range(matrix.shape[1]))


@st.composite
def coded(draw):
    n, m = draw(st.integers(0, 40)), draw(st.integers(1, 5))
    counts = [draw(st.integers(1, 4)) for _ in range(m)]
    cells = [[draw(st.integers(-2, count - 1)) for count in counts] for _ in range(n)]
    return np.array(cells, dtype=np.int64).reshape(n, m), counts


@given(coded())
@settings(deadline=None)
def test_classes_are_those_of_the_definition(case):
    matrix, counts = case
    found = classes(columns_of(matrix, counts))
    ids, sizes = reference.classes(matrix)
    assert found.ids.tolist() == ids
    assert found.sizes.tolist() == sizes
    assert [ids.index(i) for i in range(len(sizes))] == first_records(found).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_many_classes_make_the_table_grow(seed):
    keys = np.random.default_rng(seed).integers(-2, 60_000, size=50_000)
    assert len(np.unique(keys)) > hashing.SMALLEST * 4
    found = classes([(keys, 60_000)])
    distinct, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(first)
    assert (found.sizes == sizes[order]).all()
    assert (distinct[order][found.ids] == keys).all()
    assert (first_records(found) == first[order]).all()


def test_keys_beyond_63_bits_are_renumbered_on_the_way():
    rng = np.random.default_rng(5)
    count = 2**31
    few = rng.integers(0, count, size=(20, 7))
    matrix = few[rng.integers(0, 20, size=300)]  # 7 × 31 bits: an overflow would merge or split classes
    matrix[:150, -1] = -2
    found = classes(columns_of(matrix, [count] * 7))
    ids, sizes = reference.classes(matrix)
    assert found.ids.tolist() == ids
    assert found.sizes.tolist() == sizes


def test_records_that_differ_only_in_their_first_key_are_told_apart_after_renumbering():
    """With a radix of 2³¹ the first of six keys has the weight 2¹⁵⁵: wrapped to 64 bits it would be nothing."""
    matrix = np.zeros((4, 6), dtype=np.int64)
    matrix[:, 0] = [0, 1, -1, -2]
    assert classes(columns_of(matrix, [2**31 - MARKS] * 6)).sizes.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint16, np.int16, np.uint32, np.int64])
def test_codes_of_any_integer_type_give_the_same_classes(dtype):
    codes = np.array([0, 1, 1, 0, 1], dtype=dtype)
    found = classes([(codes, 2), (codes, 2)])
    assert found.ids.tolist() == [0, 1, 1, 0, 1]
    assert codes.tolist() == [0, 1, 1, 0, 1]


def test_no_records_are_no_classes():
    found = classes([(np.zeros(0, dtype=np.int64), 3)])
    assert len(found.ids) == len(found.sizes) == len(first_records(found)) == 0


def test_equal_hashes_would_not_matter():
    """Keys whose low bits agree, and a table full to the brim: probing compares the keys themselves."""
    keys = np.arange(3000, dtype=np.int64) << 40
    assert len(classes([(keys, 2**62)]).sizes) == 3000


def test_positions_need_64_bits_only_beyond_two_billion():
    assert index_type(2**31 - 1) is np.int32
    assert index_type(2**31) is np.int64


def test_columns_are_taken_one_at_a_time_and_memory_stays_small():
    """Twelve keys of one byte; the temporaries stay below four times the coded data (each int64 copy is eight times one
    column)."""
    n, m = 200_000, 12
    rng = np.random.default_rng(1)
    stored = [rng.integers(0, 6, size=n).astype(np.uint8) for _ in range(m)]
    classes((c.astype(np.int64), 6) for c in stored)
    tracemalloc.start()
    found = classes((c.astype(np.int64), 6) for c in stored)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.sizes) > n * 0.99
    assert peak < 4 * n * m


# -- compatible records ---------------------------------------------------------------------------------------------


def keys_of(rows, counts):
    """Cells (value, state) as stored columns; whatever stands under a missing cell must not matter."""
    out = []
    for c, count in enumerate(counts):
        codes = np.array([row[c][0] for row in rows], dtype=np.uint8)
        state = np.array([row[c][1] for row in rows], dtype=np.uint8)
        out.append(Key(codes, state if state.any() else None, count))
    return out


@st.composite
def celled(draw):
    n, m = draw(st.integers(0, 25)), draw(st.integers(1, 4))
    counts = [draw(st.integers(1, 3)) for _ in range(m)]
    states = st.sampled_from(draw(st.sampled_from([(0,), (0, 0, 1), (0, 0, 2), (0, 1, 2)])))
    return [[(draw(st.integers(0, k - 1)), draw(states)) for k in counts] for _ in range(n)], counts


@pytest.mark.parametrize(("missing", "suppressed"), POLICIES)
@given(celled())
@settings(max_examples=60, deadline=None)
def test_compatible_counts_are_those_of_the_definition(missing, suppressed, case):
    rows, counts = case
    found = compatible_counts(keys_of(rows, counts), missing, suppressed)
    assert found.tolist() == reference.compatible_counts(rows, missing, suppressed).tolist()


@pytest.mark.parametrize(("missing", "suppressed"), POLICIES)
def test_very_many_patterns_stay_correct(missing, suppressed):
    rng = np.random.default_rng(9)
    n, m = 400, 9
    values = rng.integers(0, 2, size=(n, m))
    states = rng.choice([0, 1, 2], p=[0.5, 0.25, 0.25], size=(n, m))
    rows = [[(int(v), int(s)) for v, s in zip(*row, strict=True)] for row in zip(values, states, strict=True)]
    found = compatible_counts(keys_of(rows, [2] * m), missing, suppressed)
    assert found.tolist() == reference.compatible_counts(rows, missing, suppressed).tolist()


def test_more_columns_than_bits_in_a_word():
    rng = np.random.default_rng(3)
    n, m = 30, 80
    values = np.repeat(rng.integers(0, 3, size=(n // 2, m)), 2, axis=0)
    states = rng.choice([0, 2], p=[0.97, 0.03], size=(n, m))
    rows = [[(int(v), int(s)) for v, s in zip(*row, strict=True)] for row in zip(values, states, strict=True)]
    found = compatible_counts(keys_of(rows, [3] * m), Missing.CATEGORY, Suppressed.ATTACKER)
    assert found.tolist() == reference.compatible_counts(rows, Missing.CATEGORY, Suppressed.ATTACKER).tolist()
    assert found.max() == 2


def test_a_person_is_compatible_with_the_own_record_at_least():
    rows = [[(0, 2), (1, 0)], [(1, 0), (0, 2)], [(1, 1), (1, 0)]]
    for missing, suppressed in POLICIES:
        assert compatible_counts(keys_of(rows, [2, 2]), missing, suppressed).min() >= 1


def test_a_suppressed_cell_may_hide_a_missing_value():
    """Suppressed is a wildcard for the attacker, also for a person whose value is missing and known to be so."""
    rows = [[(0, 1)], [(0, 2)]]
    assert compatible_counts(keys_of(rows, [1]), Missing.CATEGORY, Suppressed.ATTACKER).tolist() == [2, 1]


def test_everything_suppressed_makes_everybody_alike():
    rows = [[(v, 2), (v, 2)] for v in range(5)]
    for suppressed in Suppressed:
        assert compatible_counts(keys_of(rows, [5, 5]), Missing.CATEGORY, suppressed).tolist() == [5] * 5
