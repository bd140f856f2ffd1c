"""How stable moments are over many draws, against a loop of its own and the closed form of the book's simulation."""

import json

import numpy as np
import pytest
from scipy import stats

import tarnkappe as tk
from correct.releasing import made
from correct.scenarios import firms
from tarnkappe.correct import simulate_moments
from tarnkappe.correct.simulation import protected
from tarnkappe.errors.correct import OptionWrong
from tarnkappe.errors.data import ColumnMissing, WrongKind

FACTORS = tk.catalogue["microdata.factor-noise"](columns=("e",))
DATA = made(**firms(np.random.default_rng(3), 300))
FIGURES = {"mean": np.mean, "sd": np.std, "skewness": stats.skew, "excess": stats.kurtosis}


def test_every_figure_by_a_loop_and_scipy():
    found = simulate_moments(DATA, [FACTORS], ["e"], 15, without_largest=[0, 10], seed=4)
    x = DATA.column("e").numbers()
    small = np.argsort(-x, kind="stable")[10:]
    for cut, rows in ((0, slice(None)), (10, small)):
        draws = [
            protected(DATA, [FACTORS], "simulation 4", i).data.column("e").numbers()[rows] for i in range(15)
        ]
        for moment, figure in FIGURES.items():
            row, values = found.of("e", moment, cut), np.array([figure(y) for y in draws])
            original = figure(x[rows])
            relative = values / original - 1
            assert (row.original, row.records) == (pytest.approx(original), 300 - cut)
            assert (row.masked.mean, row.masked.low, row.masked.high, row.masked.sd) == pytest.approx(
                (values.mean(), values.min(), values.max(), values.std(ddof=1))
            )
            assert (row.relative.mean, row.relative.low, row.relative.high, row.relative.sd) == pytest.approx(
                (relative.mean(), relative.min(), relative.max(), relative.std(ddof=1))
            )


def test_the_relative_error_of_the_mean_has_the_spread_of_the_closed_form():
    """SD(mean error) = sqrt(V Σx²) / Σx with V = f² + s² (specification 5.9 for hoehne2010, table 6)."""
    x = DATA.column("e").numbers()
    law = {"law": "mixture", "f": 0.11, "s": 0.03}
    noise = tk.catalogue["microdata.factor-noise"](columns=("e",), factors=law)
    found = simulate_moments(DATA, [noise], ["e"], 400).of("e", "mean").relative
    expected = np.sqrt((0.11**2 + 0.03**2) * (x**2).sum()) / x.sum()
    assert found.sd == pytest.approx(expected, rel=0.15)
    assert abs(found.mean) < 4 * expected / np.sqrt(400)


def test_tables_have_the_layout_of_the_book():
    found = simulate_moments(DATA, [FACTORS], ["e"], 3, without_largest=[6])
    (name, table), (said, largest) = found.tables("de")
    assert name == "e"
    assert table[0] == [
        "",
        *(w for m in ("Mittelwert", "Standardabweichung", "Schiefe", "Exzess") for w in (m, "relativ")),
    ]
    assert [row[0] for row in table[1:]] == [
        "Original",
        "Mittelwert",
        "Minimum",
        "Maximum",
        "Standardabweichung",
    ]
    assert table[2][2].endswith(" %")
    assert said.startswith("e: relative Fehler")
    assert [row[0] for row in largest] == ["Sätze", "300", "294"]
    assert largest[1][1].count("/") == 3
    assert "moments" in json.dumps(found.as_json())
    assert "<table>" in found._repr_html_()
    assert "over 3 draws" in str(found)


def test_steps_that_draw_nothing_and_columns_that_go():
    step = tk.catalogue["microdata.round"](columns=("e",), base=1.0)
    found = simulate_moments(DATA, [step], ["e"], 50)
    assert (found.replications, len(found.notes)) == (1, 1)
    assert found.of("e", "mean").masked.sd is None
    gone = simulate_moments(DATA, [tk.catalogue["microdata.drop"](columns=("e",))], ["e", "w"], 5)
    assert gone.of("e", "mean").masked is None
    assert gone.of("w", "mean").relative.mean == 0


def test_bad_input():
    with pytest.raises(OptionWrong):
        simulate_moments(DATA, [FACTORS], ["e"], 1)
    with pytest.raises(OptionWrong):
        simulate_moments(DATA, [FACTORS], ["e"], 3, without_largest=[300])
    with pytest.raises(ColumnMissing):
        simulate_moments(DATA, [FACTORS], ["nothing"], 3)
    with pytest.raises(WrongKind):
        simulate_moments(tk.EXAMPLES["persons"](40), [], ["sex"], 3)
