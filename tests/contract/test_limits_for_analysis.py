"""What receivers of a release read is made for them: limits of analysis, no words of a plan, no hints for an attacker."""

import re

import pytest

from tarnkappe.language import LANGUAGES, Text
from tarnkappe.report.guide import advice
from tarnkappe.spec import Method, TableMethod, catalogue
from tarnkappe.spec.card import facts, limits_of, markdown
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis, for_analysis, on_a_card
from tarnkappe.spec.parameters import build

METHODS = [cls for cls in catalogue if issubclass(cls, Method | TableMethod)]
COMMANDS = re.compile(r"`(tarnkappe correct[^`]*|tk\.correct[^`]*|--[a-z]+)`")
"""What receivers run themselves."""
FOR_THE_OFFICE = re.compile(
    r"\b(attack|protect|hide|insider|withstand|recogni|reidentif|audit|gate)|Angreif|schütz|verberg|Insider|Gate",
    re.IGNORECASE,
)


def parameters_of(cls):
    """Names that only a plan has: with an underscore, or in use as names of parameters and not as words of the field."""
    return {name for name in cls.__pydantic_fields__ if "_" in name} | {"within", "whole", "too_small"}


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_receivers_are_told_no_words_of_a_plan(cls):
    told = [cls.does, *(t for t in cls.does_not if isinstance(t, ForAnalysis))]
    told += [advice(cls)] if issubclass(cls, Method) else []
    for sentence in told:
        for lang in LANGUAGES:
            words = COMMANDS.sub("", sentence.in_(lang))
            assert "`" not in words, f"{cls.id}: {words}"
            assert not re.search(r"\b(microdata|table|risk|utility|rule)\.[a-z]", words), f"{cls.id}: {words}"
            named = [
                n for n in parameters_of(cls) if re.search(rf"\b{n}\b", words) and (lang == "de" or "_" in n)
            ]
            assert not named, f"{cls.id}: {words}"
            assert not re.search(r"\b[a-z]+: [a-z]+\b (says|names)", words), f"{cls.id}: {words}"


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_limits_of_analysis_are_not_limits_of_protection(cls):
    for limit in (t for t in cls.does_not if isinstance(t, ForAnalysis)):
        assert not FOR_THE_OFFICE.search(limit.en), limit.en
        assert not FOR_THE_OFFICE.search(limit.de), limit.de


CHANGE_NUMBERS = [cls for cls in METHODS if issubclass(cls, Method) and cls.family.takes_numbers]


@pytest.mark.parametrize("cls", CHANGE_NUMBERS, ids=lambda cls: cls.id)
def test_whoever_changes_numbers_says_what_analyses_suffer(cls):
    assert any(isinstance(t, ForAnalysis) for t in cls.does_not)


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.id)
def test_the_card_tells_with_which_parameters(cls):
    made = build(cls, cls.example)
    for limit in cls.does_not:
        applies = not isinstance(limit, ForAnalysis) or limit.applies(made)
        assert (limit in limits_of(made)) is applies
        assert on_a_card(limit, "en") in markdown(cls, "en")
    assert [one["en"] for one in facts(made)["does_not"]] == [t.en for t in limits_of(made)]


def test_a_limit_that_is_one_only_sometimes():
    rounding = catalogue["microdata.round"]
    free, kept = (build(rounding, {"columns": ["x"], "base": 10, "totals": t}) for t in ("free", "keep"))
    totals = next(t for t in rounding.does_not if t.en == "keep totals")
    assert totals in for_analysis(free)
    assert totals not in for_analysis(kept)
    assert "- keep totals *(with `totals: free`)*" in markdown(rounding, "en")
    assert "- Summen erhalten *(mit `totals: free`)*" in markdown(rounding, "de")


def test_a_limit_in_both_languages():
    limit = ForAnalysis("a", "b", where("x", "y"))
    assert on_a_card(limit, "de") == "b *(mit `x: y`)*"
    assert on_a_card(Text("a", "b"), "en") == "a"
