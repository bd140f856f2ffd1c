"""The stranger who reads all tables together finds what is protected one by one, and nothing where tables are one system."""

from __future__ import annotations

import numpy as np
import pytest

from attacks.test_one_system import firms, run, table
from tarnkappe.errors import Refused
from tarnkappe.plan import linking
from tarnkappe.plan.stranger_files import read_seen
from tarnkappe.spec import catalogue


def attempted(folder):
    return catalogue["attack.tables-together"]().attempt(read_seen(folder / "out"))


def one_by_one(done, *_):
    return [one.entry for one in done]


MEASURES = [table(v, ["region", "branch"], v) for v in ("domestic", "foreign", "turnover")]


@pytest.mark.parametrize("seed", range(2))
def test_a_stranger_finds_nothing_where_tables_are_one_system(tmp_path, seed):
    firms(tmp_path, seed)
    run(tmp_path, MEASURES)
    found = attempted(tmp_path)
    assert found.tried > 0
    assert found.sure == 0


def test_a_stranger_finds_what_measures_that_add_up_tell(tmp_path, monkeypatch):
    columns = firms(tmp_path, 0)
    monkeypatch.setattr(linking, "one_system", one_by_one)
    monkeypatch.setattr("tarnkappe.plan.strangers.strangers", lambda *_: ())
    monkeypatch.setattr("tarnkappe.plan.run.strangers", lambda *_: ())
    run(tmp_path, MEASURES)
    found, seen = attempted(tmp_path), read_seen(tmp_path / "out")
    assert found.sure >= 3
    for guess in found.guesses:
        (one,) = [t for t in seen.tables if t.name == guess.table]
        for cell, low in zip(guess.cells[guess.sure], guess.low[guess.sure], strict=True):
            inside = np.ones(len(columns["region"]), dtype=bool)
            for j, tree in enumerate(one.dimensions):
                if one.codes[cell, j]:
                    inside &= columns[tree.name] == tree.codes[one.codes[cell, j]]
            assert abs(columns[guess.table][inside].sum() - low) < 1


def test_a_run_refuses_what_a_stranger_finds(tmp_path, monkeypatch):
    firms(tmp_path, 0)
    monkeypatch.setattr(linking, "one_system", one_by_one)
    with pytest.raises(Refused, match="All tables read together"):
        run(tmp_path, MEASURES)
