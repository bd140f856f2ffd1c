"""A card says of every claim when it is made, and of given parameters only what is claimed with them."""

import re
from dataclasses import replace

import pytest

from tarnkappe.language import LANGUAGES, Text
from tarnkappe.spec import Claim, catalogue
from tarnkappe.spec.card import claims_of, facts, markdown
from tarnkappe.spec.conditions import Condition, above, below, given, not_given, unless, where
from tarnkappe.spec.parameters import build

EVERY_RUN = Text("checked in every run", "in jedem Lauf geprüft")
WITH_CLAIMS = [cls for cls in catalogue if getattr(cls, "preserves", ()) or getattr(cls, "protects", ())]


def claims(cls):
    return (*cls.preserves, *cls.protects)


@pytest.mark.parametrize("cls", WITH_CLAIMS, ids=lambda cls: cls.id)
def test_what_is_claimed_only_sometimes_is_not_told_as_checked_in_every_run(cls):
    for lang in LANGUAGES:
        lines = markdown(cls, lang).splitlines()
        for claim in claims(cls):
            (line,) = (one for one in lines if one.startswith(f"- {claim.says.in_(lang)} *("))
            told = line.removeprefix(f"- {claim.says.in_(lang)}")
            if claim.when is None:
                assert claim.holds.text.in_(lang) in told
            else:
                assert claim.when.says.in_(lang) in told
                assert EVERY_RUN.in_(lang) not in told


@pytest.mark.parametrize("cls", WITH_CLAIMS, ids=lambda cls: cls.id)
def test_the_data_of_a_card_says_when(cls):
    card = facts(cls)
    for side in ("preserves", "protects"):
        whens = [
            None if c.when is None else {"en": c.when.says.en, "de": c.when.says.de}
            for c in getattr(cls, side)
        ]
        assert [one["when"] for one in card[side]] == whens


@pytest.mark.parametrize("cls", WITH_CLAIMS, ids=lambda cls: cls.id)
def test_with_parameters_only_what_is_claimed_with_them_is_told(cls):
    made = build(cls, cls.example)
    for side in ("preserves", "protects"):
        applying = [c for c in getattr(cls, side) if c.applies(made)]
        assert list(claims_of(made, side)) == applying
        assert [one["says"]["en"] for one in facts(made)[side]] == [c.says.en for c in applying]
        shown = markdown(made, "en")
        for claim in getattr(cls, side):
            assert (f"- {claim.says.en} *({claim.holds.text.en})*" in shown) is (claim in applying)


@pytest.mark.parametrize("cls", WITH_CLAIMS, ids=lambda cls: cls.id)
def test_the_words_of_a_condition_name_parameters_and_values_that_exist(cls):
    card = facts(cls)
    known = {}
    for name, values in _names(card["parameters"]):
        known[name] = known.get(name, set()) | values
    for claim in (c for c in claims(cls) if c.when is not None):
        for lang in LANGUAGES:
            spelt = re.findall(r"`([^`]+)`", claim.when.says.in_(lang))
            assert spelt, "a condition names its parameters"
            for name, _, value in (words.partition(": ") for words in spelt):
                assert name in known, f"{cls.id} has no parameter {name!r}"
                assert not value or value in known[name] or value == "0", (
                    f"{cls.id}: {name} takes no {value!r}"
                )


def _names(parameters):
    for one in parameters:
        yield one["name"], set(re.findall(r"`([^`]+)`", one["takes"]["en"]))
        yield from _names(one["parts"])


class Set:
    def __init__(self, **parameters):
        self.__dict__.update(parameters)


@pytest.mark.parametrize(
    ("condition", "holds", "fails", "says"),
    [
        (where("a", "x", "y"), ["x", "y"], ["z", None], Text("with `a: x` or `a: y`", "mit `a: x` oder `a: y`")),
        (unless("a", "x"), ["y", None], ["x"], Text("unless `a: x`", "außer mit `a: x`")),
        (given("a"), ["u", ("u",), 0, 0.5, True, {"k": 1}], ["", (), None, False, {}], Text("with `a`", "mit `a`")),
        (not_given("a"), [(), None, False], [("u",), 0, True], Text("without `a`", "ohne `a`")),
        (above("a", 0), [1, 0.1], [0, -1], Text("with `a` above 0", "mit `a` über 0")),
        (below("a", 1), [0, 0.9], [1, 2], Text("with `a` below 1", "mit `a` unter 1")),
    ],
)  # fmt: skip
def test_conditions(condition, holds, fails, says):
    assert condition.says == says
    assert all(condition(Set(a=value)) for value in holds)
    assert not any(condition(Set(a=value)) for value in fails)


def test_two_conditions():
    both = given("unit") & unless("mode", "x")
    assert both.says == Text("with `unit` and unless `mode: x`", "mit `unit` und außer mit `mode: x`")
    assert both(Set(unit=("u",), mode="y"))
    assert not both(Set(unit=("u",), mode="x"))
    assert not both(Set(unit=(), mode="y"))


def test_a_claim_that_is_narrowed():
    claim = Claim(Text("a", "b"), lambda m, b, a: True)
    once = claim.only(given("unit"))
    assert once.applies(Set(unit="u"))
    assert not once.applies(Set(unit=None))
    twice = once.only(where("mode", "x"))
    assert not twice.applies(Set(unit="u", mode="y"))
    assert twice.told == Text(
        "with `unit` and with `mode: x`: checked in every such run",
        "mit `unit` und mit `mode: x`: in jedem solchen Lauf geprüft",
    )
    assert replace(twice, when=None).told == EVERY_RUN


def test_a_condition_without_words_is_no_condition():
    with pytest.raises(TypeError, match="both languages"):
        Condition(Text("with `a`", ""), lambda m: True)
