"""The adviser for microdata: it recognises what columns show, names methods that exist, and tells no value."""

import numpy as np
import pytest

from surfaces.command import command
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.plan.profile import profile
from tarnkappe.plan.which_method import SITUATIONS, which_method
from tarnkappe.spec import catalogue
from tarnkappe.vocab import Role


def advised(**columns):
    roles = {name: columns.pop(f"{name}_role") for name in list(columns) if f"{name}_role" in columns}
    data = Microdata(
        {n: Column.texts_of(v) if isinstance(v, list) else Column.numbers_of(v) for n, v in columns.items()}
    )
    return [text.en for text in which_method(profile(data), roles)]


DRAW = np.random.default_rng(7)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s.says.en)
def test_methods_exist_and_words_are_in_both_languages(situation):
    assert all(id in catalogue for id in situation.take)
    assert situation.says.de not in ("", situation.says.en)
    assert situation.because.de not in ("", situation.because.en)


def test_skewed_numbers():
    (said,) = advised(turnover=np.exp(2 * DRAW.standard_normal(500)), turnover_role=(Role.NUMERIC,))
    assert said.startswith("turnover: very skewed numbers")
    assert "microdata.controlled-noise" in said


def test_homogeneous_numbers():
    (said,) = advised(rent=500 + 50 * DRAW.standard_normal(500), rent_role=(Role.NUMERIC,))
    assert said.startswith("rent: homogeneous numbers")
    assert "microdata.correlated-noise" in said


def test_a_giant():
    said = advised(turnover=np.append(DRAW.uniform(1, 2, 99), 1000.5), turnover_role=(Role.NUMERIC,))
    assert said[0].startswith("turnover: one unit makes up more than half")
    assert "microdata.top-bottom-code" in said[0]


def test_panels_and_categories():
    years = np.repeat([2023, 2024], 10)
    said = advised(year=years, year_role=(Role.PERIOD,), sex=["f", "m"] * 10, sex_role=(Role.KEY,))
    assert any(s.startswith("year: records of units over several periods") for s in said)
    assert any(s.startswith("sex: keys that are categories") for s in said)


def test_what_is_no_number_to_mask_gets_no_advice():
    assert (
        advised(
            id=np.arange(50),
            id_role=(Role.IDENTIFIER,),
            w=np.exp(DRAW.standard_normal(50)),
            w_role=(Role.WEIGHT,),
        )
        == []
    )


def test_inspect_tells_it(capsys, tmp_path):
    rows = "\n".join(
        f"{a:.2f},{b:.2f}"
        for a, b in zip(np.exp(2 * DRAW.standard_normal(200)), 5 + DRAW.standard_normal(200), strict=True)
    )
    (tmp_path / "firms.csv").write_text(f"turnover,rating\n{rows}\n")
    said = command(capsys, "inspect", tmp_path / "firms.csv", "--lang", "de")
    assert said.code == 0
    assert "Verfahren, die zu solchen Spalten passen:" in said.out
    assert "microdata.spread-average" in said.out.replace("\n", "")
