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


ONE_BY_ONE = {
    "band", "calibrate", "combine", "drop", "generalise", "pseudonymise", "pull-in", "ratio", "renumber", "replace-tails", "round", "shuffle-rows",
    "tell-states", "top-bottom-code",
}  # fmt: skip
"""Methods by which the same value becomes the same, in whichever period it stands, or which change no value."""


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_the_card_says_what_becomes_of_units_over_periods(cls):
    """It treats the records of a unit together, or says what happens in a panel."""
    said = " ".join([cls.__doc__, *(text.en for text in cls.does_not)])
    assert (
        "unit" in cls.__pydantic_fields__
        or cls.id.removeprefix("microdata.") in ONE_BY_ONE
        or re.search(r"\bperiods?\b|\bpanel", said)
    )


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
