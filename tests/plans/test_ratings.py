"""The rating matrix of Wettig 2002 (specification 14): as data, as advice, in the manual."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from tarnkappe.errors.need import CriterionUnknown
from tarnkappe.errors.tables import NeedWrong
from tarnkappe.plan.ratings import advised, read_ratings, standard_ratings
from tarnkappe.spec import TableMethod, catalogue

STANDARD = files("tarnkappe.plan").joinpath("ratings.yaml").read_text("utf-8")
PRINTED = {
    "suppression": ("high", "low", "high", "medium", "medium", False),
    "redesign": ("high", "moderate", "high", "moderate to low", "low", False),
    "rounding-conventional": ("medium", "medium", "medium", "medium", "low", True),
    "rounding-random": ("high", "medium", "medium", "low", "low", False),
    "rounding-controlled": ("high", "medium", "medium", "medium", "high", False),
    "perturbation": ("high", "moderate", "moderate", "moderate", "low", False),
}


def test_the_matrix_as_printed():
    matrix = standard_ratings()
    names = [c.name for c in matrix.criteria]
    assert names == ["security", "robustness", "flexibility", "information", "cost"]
    assert {m.name: (*(m.ratings[n] for n in names), m.exact) for m in matrix.methods} == PRINTED


def test_named_methods_exist():
    for method in standard_ratings().methods:
        assert all(issubclass(catalogue[id], TableMethod) for id in method.use)


def test_what_is_preferred_counts_most():
    assert advised(["information"])[0].method.name == "perturbation"  # (3 + 2 + 2 + 3·2 + 3) / 7
    assert advised(["information"])[0].points == 16 / 7
    assert advised(["flexibility"])[0].method.name == "redesign"  # (3 + 2 + 3·3 + 1.5 + 3) / 7
    assert advised()[-1].method.exact
    assert not advised(["cost"], confidential=False)[-1].method.exact
    assert "rounding-controlled" not in {a.method.name for a in advised()}
    assert "robustness low" in next(a for a in advised() if a.method.name == "suppression").because.en
    with pytest.raises(CriterionUnknown):
        advised(["informations"])


def test_a_matrix_of_the_office(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(STANDARD.replace("robustness: low", "robustness: high"))
    assert advised(["robustness"], read_ratings(own))[0].method.name == "suppression"
    for old, new in (
        ("cost: low}", "cost: cheap}"),
        (", cost: low}", "}"),
        ("tarnkappe_ratings: 1", "tarnkappe_ratings: 9"),
    ):
        own.write_text(STANDARD.replace(old, new))
        with pytest.raises(NeedWrong):
            read_ratings(own)


def test_the_manual_prints_the_same_matrix():
    page = (Path(__file__).parents[2] / "docs/how-to/choose-a-plan.md").read_text("utf-8")
    for method in standard_ratings().methods:
        row = [
            method.title.en,
            *(method.ratings[n] for n in ("security", "robustness", "flexibility", "information", "cost")),
        ]
        assert f"| {' | '.join(row)} | {'yes' if method.exact else 'no'} |" in page
