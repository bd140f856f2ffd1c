"""A column says which empty cells were missing and which were suppressed."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NameTaken
from tarnkappe.methods.microdata.tell_states import TellStates
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind

BOTH = np.array([0, MISSING, SUPPRESSED, 0], dtype=np.uint8)


def done(**columns):
    return apply_step(TellStates(), Microdata(columns), stream("any"))


def with_states(*state):
    return Column(Kind.NUMBER, np.arange(4.0), np.array(state, dtype=np.uint8))


def test_only_columns_with_both_kinds_of_gaps_get_a_column():
    after = done(
        both=with_states(0, 1, 2, 0),
        missing=with_states(0, 1, 1, 0),
        suppressed=with_states(2, 0, 0, 2),
        full=with_states(0, 0, 0, 0),
    )
    assert after.names == ("both", "missing", "suppressed", "full", "both_cell")
    assert after.column("both_cell").texts().tolist() == ["observed", "missing", "suppressed", "observed"]


def test_texts_too():
    text = Column.texts_of(["a", None, "b", "c"])
    after = done(t=text.suppress(np.array([False, False, True, False])))
    assert after.column("t_cell").texts().tolist() == ["observed", "missing", "suppressed", "observed"]


def test_it_tells_the_state_and_nothing_of_the_value():
    secret = Column.coded(np.array([0, 0, 1, 0]), np.array(["shown", "hidden"], object), BOTH.copy())
    after = done(t=secret).sealed()
    assert "hidden" not in [str(c) for c in after.column("t").categories]
    assert set(after.column("t_cell").categories) == {"observed", "missing", "suppressed"}


def test_nothing_to_tell_changes_nothing():
    before = Microdata({"x": with_states(0, 1, 0, 0)})
    after = apply_step(TellStates(), before, stream("any"))
    assert after.names == before.names
    assert after.column("x") is before.column("x")


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(NameTaken):
        done(x=with_states(0, 1, 2, 0), x_cell=with_states(0, 0, 0, 0))


def test_a_like_name_is_no_trouble_when_there_is_nothing_to_tell():
    assert done(x=with_states(0, 1, 1, 0), x_cell=with_states(0, 0, 0, 0)).names == ("x", "x_cell")
