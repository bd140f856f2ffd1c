"""The page for those who know sdcMicro: every entry, parameter and value that it names is there, and a few of the differences are true."""

import re
from pathlib import Path

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewBeyond
from tarnkappe.methods.microdata.mdav import Mdav
from tarnkappe.methods.microdata.rank_swap import RankSwap
from tarnkappe.methods.microdata.top_bottom_code import TopBottomCode
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

PAGE = Path(__file__).parents[2] / "docs/how-to/from-sdcmicro.md"
SDCMICRO = {"combs", "percent"}
"""A name of sdcMicro that stands beside ours; and the window of a column, which is tried below."""
ENTRIES = {entry.id: entry for entry in catalogue}


def rows():
    """Entries of a row of the table of methods, and what its last two columns say in code."""
    for line in PAGE.read_text(encoding="utf-8").split("## Risk and utility")[0].splitlines():
        parts = [part.strip() for part in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(parts) >= 2 and "microdata." in line:
            said = re.findall(r"`([^`]+)`", " ".join(parts[1:]))
            yield [word for word in said if word.startswith("microdata.")], said


@pytest.mark.parametrize(("ids", "said"), list(rows()))
def test_what_it_names_is_there(ids, said):
    assert ids
    fields = {
        name: repr(field.annotation) for i in ids for name, field in ENTRIES[i].__pydantic_fields__.items()
    }
    for word in set(said) - set(ids) - SDCMICRO:
        name, _, value = word.partition(": ")
        is_value = any(f"'{name}'" in allowed for allowed in fields.values())
        assert name in fields or is_value or name in ENTRIES, word
        assert not value or f"'{value}'" in fields[name], word


def test_every_measure_is_there():
    named = re.findall(r"`((?:risk|utility|microdata)\.[a-z0-9-]+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 30
    assert set(named) <= set(ENTRIES)


def numbers(values):
    return Microdata({"x": Column.numbers_of(np.asarray(values, dtype=float))})


def test_fewer_than_three_beyond_a_limit_are_refused():
    method = TopBottomCode(columns=("x",), upper=97.5)
    with pytest.raises(TooFewBeyond):
        apply_step(method, numbers(range(100)), stream("s" * 32, method.id))


def test_groups_of_mdav_are_exact_at_every_size():
    """Equal to the plain algorithm in groups of k, however many records; here that every mean stands for 3 to 5."""
    method = Mdav(columns=("x",), k=3)
    after = apply_step(
        method, numbers(np.random.default_rng(1).normal(size=4001)), stream("s" * 32, method.id)
    )
    _, sizes = np.unique(after.column("x").numbers(), return_counts=True)
    assert sizes.min() >= 3
    assert sizes.max() <= 5


def test_percent_means_percent():
    """No value moves farther than its window, counted in records."""
    method = RankSwap(columns={"x": {"percent": 5}})
    before = np.random.default_rng(2).permutation(1000)
    after = apply_step(method, numbers(before), stream("s" * 32, method.id)).column("x").numbers()
    assert np.abs(after - before).max() <= 50
    assert (after != before).mean() > 0.9
