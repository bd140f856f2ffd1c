"""Cards explain in both languages alike: the German page of every entry says, paragraph for paragraph, what its docstring says."""

import re

import pytest

from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.card import facts, markdown
from tarnkappe.spec.explanation import explanation, german

ENTRIES = [cls for cls in catalogue if cls.module.startswith("tarnkappe.")]


def paragraphs(text):
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part]


@pytest.mark.parametrize("cls", ENTRIES, ids=lambda cls: cls.id)
def test_there_is_a_german_page(cls):
    assert german(cls), f"{cls.id} has no deutsch/{cls.module.rpartition('.')[2]}.md beside its module"


@pytest.mark.parametrize("cls", ENTRIES, ids=lambda cls: cls.id)
def test_it_says_the_same(cls):
    """As many paragraphs and points, and the same names of parameters, values and entries."""
    english, there = explanation(cls).en, explanation(cls).de
    assert english != there
    assert len(paragraphs(there)) == len(paragraphs(english)), "a paragraph is missing, or one too many"
    points = [len(re.findall(r"^- ", text, re.MULTILINE)) for text in (english, there)]
    assert points[0] == points[1]
    named = [set(re.findall(r"`+([^`]+)`+", text)) for text in (english, there)]
    assert {" ".join(n.split()) for n in named[1]} == {" ".join(n.split()) for n in named[0]}


@pytest.mark.parametrize("cls", ENTRIES, ids=lambda cls: cls.id)
def test_it_is_about_as_long(cls):
    """A summary is no explanation."""
    assert 0.7 < len(explanation(cls).de) / len(explanation(cls).en) < 1.6


@pytest.mark.parametrize("cls", ENTRIES, ids=lambda cls: cls.id)
def test_cards_show_it(cls):
    assert explanation(cls).en in markdown(cls, "en")
    assert explanation(cls).de in markdown(cls, "de")
    assert explanation(cls).en not in markdown(cls, "de")
    assert facts(cls)["explanation"]["de"] == explanation(cls).de


@pytest.mark.parametrize("module", ["tarnkappe.methods.microdata.nowhere", "no_such.module", "__main__"])
def test_a_thing_of_somebody_else_without_german_is_explained_in_english(module):
    class Own(Method):
        """It does something."""

        def apply(self, data, stream):
            return data

    Own.module = module
    assert german(Own) is None
    assert explanation(Own).de == "It does something."
