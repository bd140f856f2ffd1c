"""Words for figures and facts: a thing that states none for its own is found, and shared words are used where it has none."""

from types import MappingProxyType

import pytest

from tarnkappe.language import Text
from tarnkappe.report.tables import named
from tarnkappe.report.told import told
from tarnkappe.spec import catalogue
from tarnkappe.testing import wording

NONE = MappingProxyType({})


def test_a_measure_without_words_for_its_figures_is_found(monkeypatch):
    cls = catalogue["risk.attribution"]
    wording.figures_have_words(cls)
    monkeypatch.setattr(cls, "words", NONE)
    with pytest.raises(AssertionError, match="states no words for .*'adds'"):
        wording.figures_have_words(cls)


def test_a_method_without_words_for_its_facts_is_found(monkeypatch):
    cls = catalogue["microdata.round"]
    wording.facts_have_words(cls)
    phrase = "to either multiple"
    monkeypatch.setattr(cls, "words", {name: text for name, text in cls.words.items() if name != phrase})
    with pytest.raises(AssertionError, match=f"'{phrase}'"):
        wording.facts_have_words(cls)
    monkeypatch.setattr(cls, "words", NONE)
    with pytest.raises(AssertionError, match="half_way"):
        wording.facts_have_words(cls)


def test_a_shared_word_is_not_stated_again(monkeypatch):
    cls = catalogue["microdata.round"]
    monkeypatch.setattr(cls, "words", {"base": Text("base", "Basis")})
    with pytest.raises(AssertionError, match="again"):
        wording.words_are_its_own(cls)


def test_a_thing_has_its_own_words_first():
    assert named("share · records", {"share": Text("own", "eigen")}).de == "eigen Datensätze"
    assert named("share").de != "eigen"


def test_empty_facts_are_not_shown_and_matrices_are_counted():
    assert told("microdata.x", {"within": [], "unit": None, "noise": "additive, independent, normal"})[0][
        1
    ].de == ("additiv, unabhängig, normal")
    (row,) = told("microdata.pram", {"treated": [{"columns": ["job"], "strata": [{"matrix": [[1.0]]}]}]})
    assert row[0].de == "Übergangsmatrizen"
    assert row[1].en == "job: matrices and their corrections in about.json (1)"


def test_facts_named_by_columns_alone_are_introduced():
    assert told("microdata.combine", {"means": {"income": 12.0}})[0][0].de == "gebildet aus · means · income"


@pytest.mark.parametrize("name", ["treated", "mode", "share", "limits_by_stratum", "mean", "flag"])
def test_a_column_keeps_its_name_whatever_it_is_called(name):
    for method, facts, end in (
        ("microdata.local-suppression", {name: 12}, f" · {name}"),
        ("microdata.top-bottom-code", {name: {"upper": {"limit": 7.0}}}, f" · {name} · from above · limit"),
        ("microdata.combine", {"sum": {name: 2.0}}, f" · sum · {name}"),
        ("microdata.ratio", {name: {"of": "a", "over": "b"}}, f" · {name} · numerator"),
        ("microdata.mdav", {"variance_kept": {name: 0.9}}, f" · {name}"),
        ("microdata.generalise", {"levels": {name: "1"}}, f" · {name}"),
        ("microdata.calibrate", {"totals": {"sex": {name: 90.0}}}, f" · sex · {name}"),
    ):
        assert told(method, facts)[0][0].en.endswith(end), method


def test_the_strength_of_pram_is_not_called_a_chance_to_stay():
    (row,) = told("microdata.pram", {"alpha": 0.1})
    assert row[0] == Text("how much is changed, alpha", "wie stark verändert wird, alpha")
