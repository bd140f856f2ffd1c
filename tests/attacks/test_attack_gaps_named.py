"""Gaps attacked with the list of codes: a value that no cell shows any more is what stood in the suppressed ones."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import GapNamesValue
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step

CODES = ["none", "asthma", "injury", "diabetes", "HIV"]


def patients(seed, n=400):
    g = np.random.default_rng(seed)
    return Microdata(
        {
            "diagnosis": Column.texts_of(g.choice(CODES, n, p=[0.5, 0.2, 0.18, 0.09, 0.03]).tolist()),
            "region": Column.texts_of(g.choice(["north", "south"], n).tolist()),
        }
    )


def guessed(release, truth):
    """How often somebody is right who fills every gap with a code of the public list that the release lacks."""
    shown = release.sealed().column("diagnosis")
    gone = [code for code in CODES if code not in set(shown.texts()[shown.observed].tolist())]
    gaps = shown.suppressed
    return max((np.mean(truth[gaps] == code) for code in gone), default=0.0), int(gaps.sum())


def done(data, **parameters):
    return apply_step(catalogue["microdata.suppress-cells"](**parameters), data, stream("gaps"))


@pytest.mark.parametrize("seed", range(5))
def test_a_gap_is_not_known_by_the_code_that_is_lacking(seed):
    data = patients(seed)
    truth = data.column("diagnosis").texts()
    right, gaps = guessed(done(data, values={"diagnosis": ("HIV",)}), truth)
    named = int(np.sum(truth == "HIV"))
    assert right <= 0.5
    assert gaps == 2 * named  # and no more is lost than is asked for
    open_, _ = guessed(done(data, values={"diagnosis": ("HIV",)}, share=1), truth)
    assert open_ == 1, "the attack works where only the named value goes"


@pytest.mark.parametrize("seed", range(5))
def test_nor_where_the_records_are_named_that_hold_it(seed):
    data = patients(seed)
    truth = data.column("diagnosis").texts()
    records = tuple(int(r) + 1 for r in np.flatnonzero(truth == "HIV"))
    right, _ = guessed(done(data, columns=("diagnosis",), records=records), truth)
    assert right <= 0.5


def test_nor_in_a_group():
    data = patients(1)
    truth, region = data.column("diagnosis").texts(), data.column("region").texts()
    gaps = done(data, values={"diagnosis": ("HIV",)}, within=("region",)).column("diagnosis").suppressed
    for one in ("north", "south"):
        assert np.mean(truth[gaps & (region == one)] == "HIV") <= 0.5


def test_several_named_values_do_not_name_their_kind():
    data = patients(2)
    truth = data.column("diagnosis").texts()
    gaps = done(data, values={"diagnosis": ("HIV", "diabetes")}, share=0.25).column("diagnosis").suppressed
    assert np.mean(np.isin(truth[gaps], ["HIV", "diabetes"])) <= 0.25


def test_where_too_few_others_are_left_the_step_is_refused():
    with pytest.raises(GapNamesValue, match="diagnosis") as caught:
        done(patients(3), values={"diagnosis": ("none", "asthma")})
    assert "asthma" not in caught.value.text("en") + caught.value.text("de")
