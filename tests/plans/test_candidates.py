"""Identifiers by uniqueness, and columns to think of leaving out: too fine, dominated, known to everybody."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.process import PublicVariablesWrong
from tarnkappe.plan.propose import Wishes, propose
from tarnkappe.plan.public_variables import FILE, public_list, standard_list
from tarnkappe.vocab import Role


def texts(values):
    return Column.texts_of(list(values))


def role(column, name="code"):
    return (
        propose(Microdata({name: column, "x": Column.numbers_of(np.arange(len(column)) % 3)}), "f.csv")
        .column(name)
        .role
    )


@pytest.mark.parametrize(
    "codes",
    [
        [f"F{i}" for i in range(300)], [f"F{i:03}" for i in range(300)], [f"C{i}" for i in range(10, 34)],
        [f"F{i % 100}" for i in range(300)], [f"A{i % 40:02}" for i in range(120)], [f"K{i}" for i in range(290)] + ["K0"] * 10,
    ],
    ids=["F0", "F000", "as industries", "panel", "short panel", "nearly"],
)  # fmt: skip
def test_numbers_of_units_identify_whatever_they_look_like(codes):
    assert role(texts(codes)) is Role.IDENTIFIER


def test_a_first_plan_drops_the_numbers_of_firms():
    data = Microdata({"firm": texts(f"F{i}" for i in range(300)), "x": Column.numbers_of(np.arange(300) % 3)})
    assert propose(data, "f.csv").plan["steps"][0] == {"use": "microdata.drop", "columns": ["firm"]}


def test_codes_of_diagnoses_are_still_known_by_their_looks():
    rng = np.random.default_rng(1)
    codes = [f"{'IJKF'[rng.integers(4)]}{rng.integers(10, 30)}" for _ in range(300)]
    assert role(texts(codes)) is Role.SENSITIVE


def test_postcodes_of_a_small_file_stay_keys():
    assert role(texts(f"{10000 + 117 * i}" for i in range(12))) is Role.KEY


# -- candidates ---------------------------------------------------------------------------------------------------


def found(wishes=None, **columns):
    return {c.name: c for c in propose(Microdata(columns), "f.csv", wishes).candidates}


def test_what_is_very_fine_is_a_candidate():
    fine = Column.numbers_of(np.arange(100) * 7)
    half = Column.numbers_of(np.arange(100) % 50)
    assert set(found(fine=fine, half=half)) == {"fine"}


def test_a_column_that_one_value_dominates_is_a_candidate():
    x = np.repeat(np.array([1.0, 2.0]), 50)
    at = x.copy()
    at[0] = 0.2499 * x[1:].sum()  # just below a fifth of the total
    above = at.copy()
    above[0] = 0.2501 * x[1:].sum()
    loss = -above
    columns = {n: Column.numbers_of(v) for n, v in {"at": at, "above": above, "loss": loss}.items()}
    assert set(found(**columns)) == {"above", "loss"}


def test_what_anybody_can_look_up_is_a_candidate():
    values = Column.numbers_of(np.arange(100) % 10)
    names = ["turnover", "Umsatz_2024", "Beschäftigte", "wz", "Rechtsform", "v1"]
    proposal = propose(Microdata(dict.fromkeys(names, values)), "f.csv")
    assert {c.name for c in proposal.candidates if c.public} == set(names) - {"v1"}
    assert "anybody can look it up (turnover: credit agencies" in proposal.remarks[-1].en
    assert "jeder kann sie nachschlagen (Umsatz: Auskunfteien" in proposal.remarks[-1].de


def test_an_office_has_a_list_of_its_own(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(
        "tarnkappe_public_variables: 1\nvariables:\n  - {name: {en: fleet, de: Fuhrpark}, words: 'fleet, fuhrpark'}\n"
    )
    values = Column.numbers_of(np.arange(100) % 10)
    wishes = Wishes(public=public_list(own))
    assert set(found(wishes, Fuhrpark=values, Umsatz=values)) == {"Fuhrpark"}


@pytest.mark.parametrize(
    "text", ["variables: []", "tarnkappe_public_variables: 1\nvariables: [{words: a}]", "[]"]
)
def test_a_list_that_does_not_fit_is_refused(tmp_path, text):
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(PublicVariablesWrong, match=FILE):
        public_list(tmp_path / "own.yaml")


def test_the_list_names_what_the_source_names():
    assert [v.name.en for v in standard_list().variables[:4]] == [
        "turnover",
        "number of employees",
        "location",
        "industry",
    ]
