"""Every card of a method for microdata says what becomes of the cells that are easily forgotten."""

import re

import pytest

from tarnkappe.spec import catalogue
from tarnkappe.spec.card import markdown

RULES = {
    "missing": "missing",
    "suppressed": "suppress",
    "zero": "zero|nought",
    "negative": "negative|sign",
    "constant": "constant|do not vary|does not vary|all equal|one value only",
    "tied": r"\btied?\b|\bties\b|equal",
}
"""What the card must speak of -> how it may do so."""
METHODS = [cls for cls in catalogue.methods() if cls.id.startswith("microdata.")]


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_the_card_states_its_rules(cls):
    manual = cls.__doc__.lower()
    silent = [name for name, words in RULES.items() if not re.search(words, manual)]
    assert not silent, silent


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_the_card_has_all_its_parts(cls):
    """Where it comes from, what it keeps, against what it protects and what it does not do; all of it on the card, in both languages."""
    assert cls.sources
    assert cls.preserves or cls.protects
    assert cls.does_not
    for lang in ("en", "de"):
        card = markdown(cls, lang)
        said = [*cls.does_not, *(claim.says for claim in (*cls.preserves, *cls.protects))]
        assert all(text.in_(lang) in card for text in said)
        assert all(f"{source.key}: {source.where}" in card for source in cls.sources)
