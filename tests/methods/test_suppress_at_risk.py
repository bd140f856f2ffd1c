"""Keys go where a record would be found too surely: as sdcMicro's localSupp does, and counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import LoneCell
from tarnkappe.errors.risk import PopulationNeeded, RegisterTooSmall, WeightsNotPositive
from tarnkappe.methods.microdata.suppress_at_risk import SuppressAtRisk
from tarnkappe.randomness import public_stream as stream
from tarnkappe.risk.individual import Individual
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.vocab import Role


def small(weights=(1.0, 1.0, 10.0, 10.0, 1.0, 50.0)):
    columns = {
        "town": Column.texts_of(["a", "a", "b", "b", "c", "d"]),
        "job": Column.texts_of(["x", "x", "y", "y", "z", None]),
        "w": Column.numbers_of(np.array(weights)),
    }
    return Microdata(columns, {Role.KEY: ("town", "job"), Role.WEIGHT: ("w",)})


def done(data=None, **parameters):
    return apply_step(SuppressAtRisk(**parameters), small() if data is None else data, stream("s"))


def hidden(after, name="job"):
    return np.flatnonzero(after.column(name).suppressed).tolist()


def test_in_a_file_that_is_the_population_the_risk_is_one_over_the_class():
    assert hidden(done(columns=("job",), threshold=0.5, lone="allow")) == [4], (
        "one half is not above one half"
    )
    assert hidden(done(columns=("job",), threshold=0.49)) == [0, 1, 2, 3, 4]
    after = done(columns=("job",), threshold=0.49)
    assert after.column("job").missing.tolist() == [False] * 5 + [True], "missing stays missing"
    assert same_cells(after.column("town"), small().column("town"))


def test_weights_tell_of_how_many_persons_a_record_is_one():
    """Two records for two persons: 1/2; two for twenty: p²/2 · ₂F₁, far less; one for fifty: -ln(p) p/q."""
    step = SuppressAtRisk(columns=("job",), population="weights")
    p, q = 1 / 50, 49 / 50
    risk = step.risks(small())
    np.testing.assert_allclose(risk[[0, 1, 4, 5]], [0.5, 0.5, 1.0, -np.log(p) * p / q], rtol=1e-12)
    assert risk[2] == risk[3] < 0.1
    assert hidden(done(columns=("job", "town"), population="weights"), "town") == [0, 1, 4]


@pytest.mark.parametrize("population", ["weights", 4_000])
def test_the_risk_is_that_of_the_measure(population):
    draw = np.random.default_rng(5)
    columns = {n: Column.texts_of(draw.integers(0, 6, 300).astype(str).tolist()) for n in ("a", "b")}
    columns["w"] = Column.numbers_of(1 + 40 * draw.random(300))
    data = Microdata(columns, {Role.KEY: ("a", "b"), Role.WEIGHT: ("w",)})
    measured = Individual(population=population).measure(data).per_record
    np.testing.assert_allclose(SuppressAtRisk(columns=("a",), population=population).risks(data), measured)


def test_a_lone_gap_is_refused_and_what_is_left_at_risk_is_told():
    with pytest.raises(LoneCell):
        done(columns=("job",), threshold=0.5)
    step = SuppressAtRisk(columns=("job",), threshold=0.3)
    after = done(columns=("job",), threshold=0.3)
    assert [str(said.en) for said in step.remarks(small(), after)] == [
        "6 records are above the threshold still: other keys alone tell them apart."
    ]
    assert step.tells(small(), after) == {"job": 5}


def test_a_record_that_is_shown_all_the_same_breaks_the_claim():
    step, before = SuppressAtRisk(columns=("job",), threshold=0.3), small()
    after = step.apply(before, stream("s"))
    shown = after.with_columns({"job": before.column("job")})
    assert any("shows one of the columns" in claim.says.en for claim in broken_claims(step, before, shown))
    assert not broken_claims(step, before, after)


@pytest.mark.parametrize(
    ("data", "population", "error"),
    [
        (small().with_roles({Role.KEY: ("town",)}), "weights", PopulationNeeded),
        (small((1, 1, 1, 1, 0, 1)), "weights", WeightsNotPositive),
        (small(), 5, RegisterTooSmall),
    ],
)
def test_a_population_that_cannot_be(data, population, error):
    with pytest.raises(error):
        done(data, columns=("job",), population=population)


def test_nobody_at_risk_and_nobody_at_all():
    same = done(columns=("job",), population=10**9)
    assert hidden(same) == []
    assert len(done(small().take(np.zeros(6, dtype=bool)), columns=("job",))) == 0
