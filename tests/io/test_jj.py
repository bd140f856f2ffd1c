"""JJ files: read, written and read again; whatever else is told."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.flat import flat_table
from tables.quader_tables import at, grid
from tarnkappe.attack.foreign import audit
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Table
from tarnkappe.data.tabulate import flat
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.tables import Contradiction, JjWrong
from tarnkappe.io.jj import jj_bytes, jj_of, pattern_of_jj, read_jj

GOOD = """0
3
0 5 1 s 0 10 0 0 0
1 2 1 u 0 10 1 1 0
2 3.5 1 m -1 10 0 0 0
1
0.5 3 : 0 (-1) 1 (1) 2 (1)
"""


def read(folder, text):
    path = folder / "t.jj"
    path.write_bytes(text.encode())
    return read_jj(path)


def test_cells_relations_and_bounds(tmp_path):
    found = read(tmp_path, GOOD)
    system = found.system
    assert system.hidden.tolist() == [False, True, True]
    assert system.rhs.tolist() == [0.5]
    assert system.low.tolist() == [0, 0, -1]
    assert system.lower.tolist() == [0, 1, 0]
    result = audit(system)
    assert (result.intervals.low[1], result.intervals.high[1]) == pytest.approx((0, 6.5))
    assert not result.narrow.any()


def test_what_is_written_comes_back(tmp_path):
    rng = np.random.default_rng(3)
    table = flat_table(rng.integers(0, 50, size=(3, 4)))
    pattern = Pattern(table, status=rng.choice([0, 1, 2], len(table)).astype(np.uint8))
    first = jj_of(pattern)
    again = read(tmp_path, jj_bytes(first).decode())
    for name in ("value", "hidden", "low", "high", "lower", "upper", "rhs"):
        assert np.array_equal(getattr(again.system, name), getattr(first.system, name)), name
    assert np.array_equal(again.system.relations.cell, first.system.relations.cell)
    assert np.array_equal(again.system.relations.total, first.system.relations.total)
    assert again.status.tolist() == first.status.tolist()
    assert jj_bytes(again) == jj_bytes(first)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("0\n3", "1\n3", 1),
        ("\n3\n", "\n4\n", 6),
        ("1 2 1 u", "7 2 1 u", 4),
        ("1 2 1 u", "1 2 1 q", 4),
        ("1 2 1 u", "1 nan 1 u", 4),
        ("1 2 1 u", "1 12 1 u", 4),
        ("10 0 0 0\n1 2", "10 0 0\n1 2", 3),
        ("0.5 3 :", "0.5 4 :", 7),
        ("1 (1)", "9 (1)", 7),
        ("2 (1)", "1 (1)", 7),
        ("0.5 3 :", "0.5 3", 7),
        ("2 (1)\n", "2 (1)\n3\n", 8),
        ("2 (1)\n", "2 (1) rest\n", 7),
        ("\n1\n0.5", "\n99999999999999\n0.5", 7),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, old, new, line):
    assert GOOD.count(old) == 1
    with pytest.raises(JjWrong) as told:
        read(tmp_path, GOOD.replace(old, new))
    assert told.value.facts["line"] == line


def test_relations_that_do_not_hold_are_refused(tmp_path):
    with pytest.raises(Contradiction):
        audit(read(tmp_path, GOOD.replace("0.5 3", "0 3")).system)


@given(
    st.lists(
        st.sampled_from([*GOOD.split("\n"), "", "0", "1", "x", ":", "0 1 : 0 (1)", "é", "1e999"]), max_size=9
    )
)
@settings(max_examples=200, deadline=None)
def test_any_text_gives_a_system_or_a_told_problem(tmp_path_factory, lines):
    with suppress(TarnkappeError):
        read(tmp_path_factory.mktemp("jj"), "\n".join(lines))


def test_sliding_protection_comes_back(tmp_path):
    table = Table(
        "t", (flat("a", ["x", "y"]),), np.array([[0], [1], [2]], dtype=np.int32), np.array([5.0, 2, 3])
    )
    status = np.array([0, 1, 2], dtype=np.uint8)
    file = tmp_path / "t.jj"
    file.write_bytes(jj_bytes(jj_of(Pattern(table, status=status, span=np.array([0, 1.5, 0])))))
    again = pattern_of_jj(read_jj(file), {"a": table.dimensions[0]})
    assert again.span.tolist() == [0, 1.5, 0]


@pytest.mark.parametrize(("width", "holds"), [(81, True), (82, False)])
def test_sliding_protection_is_tested(tmp_path, width, holds):
    """TV-12: with the inner four hidden, the secret 100 has an interval 81 wide."""
    table = grid(["1", "2", "T"], ["1", "2", "T"], [[100, 80, 180], [90, 1, 91], [190, 81, 271]])
    status = np.where(table.inner, np.uint8(2), np.uint8(0))
    secret = at(table, "1", "1")
    status[secret] = 1
    span = np.where(np.arange(len(table)) == secret, float(width), 0.0)
    file = tmp_path / "t.jj"
    file.write_bytes(jj_bytes(jj_of(Pattern(table, status=status, span=span))))
    found = audit(read_jj(file).system)
    assert bool(found.narrow.any()) is not holds
