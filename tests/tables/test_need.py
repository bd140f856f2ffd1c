"""Must this table be protected? The examples of specification 13, and rules that an office edits."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from tables.class_tables import BASIC, INCOME, MARRIED, distribution
from tables.test_shares import AREAS, persons
from tables.trees import city, hierarchy
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.table import Contributions, Table
from tarnkappe.errors.release import YamlWrong
from tarnkappe.errors.tables import DimensionUnknown, NeedWrong, NotYesNo
from tarnkappe.plan.need import Facts, assess, read_rules, standard_rules
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build

STANDARD = files("tarnkappe.plan").joinpath("need.yaml").read_text("utf-8")


def counted(table):
    return replace(table, counts=True)


def protected(table, found):
    """The recommendation works as it stands."""
    parts = dict(found.method)
    return build(catalogue[parts.pop("use")], parts).protect(Pattern(table), stream("advice"))


# -- the examples of the slides -------------------------------------------------------------------------------------


def test_all_foreigners_in_a_small_area():
    table = persons(AREAS, {"a": (5, 0), "b": (40, 60), "c": (30, 70)})
    told = Facts(
        attribute="personal", enumeration="full", area="area", share="passport", share_of=("foreign",)
    )
    found = assess(table, told)
    assert found.verdict == "mask"
    assert any("all but a few" in t.en for t in found.triggers)
    assert found.method == {"use": "table.share-mask", "dimension": "passport", "yes": ("foreign",), "k": 3}
    protected(table, found)


def test_a_lone_high_income():
    table = distribution(INCOME, {"basic": BASIC, "married": MARRIED})
    found = assess(table, Facts(attribute="personal", classes="income"))
    assert found.verdict == "mask"
    assert found.method == {"use": "table.class-merge", "dimension": "income", "k": 4}
    assert list(protected(table, found).table.dimensions[0].codes) == ["all", "0", "100-30000", "30100+"]


def test_small_counts_of_firms():
    table = counted(city(2, 7, 2, 0, 17))
    found = assess(table, Facts(area="area"))
    assert found.verdict == "mask"
    assert found.method == {"use": "table.range-mask", "lower": 1, "upper": 3}
    protected(table, found)


def test_a_cross_table_of_large_areas():
    table = persons(AREAS, {"a": (5000, 9000), "b": (4000, 6000), "c": (3000, 7000)})
    found = assess(table, Facts(enumeration="full", area="area"))
    assert (found.verdict, found.score, found.triggers) == ("publish", 2, ())
    assert found.method is found.rule is None


# -- the score ------------------------------------------------------------------------------------------------------


def points(table, **told):
    return {p.name: p.points for p in assess(table, Facts(**told)).points}


LARGE = persons(AREAS, {"a": (5000, 9000), "b": (4000, 6000), "c": (3000, 7000)})


@pytest.mark.parametrize(
    ("told", "name", "worth"),
    [
        ({"attribute": "public"}, "attribute", 0), ({}, "attribute", 1), ({"attribute": "personal"}, "attribute", 2),
        ({"attribute": "special"}, "attribute", 4), ({"enumeration": "full"}, "enumeration", 1),
        ({"enumeration": "sample"}, "enumeration", -1), ({}, "enumeration", None), ({"years": 10}, "age of the data", None),
        ({"years": 11}, "age of the data", -1), ({"visible": True}, "visibility", 1), ({"linked": True}, "links", 2),
        ({}, "links", None), ({"area": "area"}, "smallest area", 0), ({}, "smallest area", None),
    ],
)  # fmt: skip
def test_points_for_what_is_told(told, name, worth):
    assert points(LARGE, **told).get(name) == worth


@pytest.mark.parametrize(("smallest", "worth"), [(1, 3), (3, 3), (4, 1), (9, 1), (10, 0), (0, 0)])
def test_points_for_the_smallest_cell(smallest, worth):
    table = persons(AREAS, {"a": (smallest, 9000), "b": (4000, 6000), "c": (3000, 7000)})
    assert points(table)["smallest cell"] == worth


@pytest.mark.parametrize(("size", "worth"), [(49, 2), (50, 1), (499, 1), (500, 0)])
def test_points_for_the_smallest_area(size, worth):
    table = persons(AREAS, {"a": (20, size - 20), "b": (4000, 6000), "c": (3000, 7000)})
    assert points(table, area="area")["smallest area"] == worth


def test_points_for_dimensions_levels_and_extremes():
    assert points(counted(city(20, 70, 20, 30, 170)), area="area")["links"] == 1
    assert "extremes" not in points(LARGE)
    assert points(persons(AREAS, {"a": (50, 0), "b": (40, 60), "c": (30, 70)}), area="area")["extremes"] == 2
    sides = [hierarchy(f"d{i}", {"t": None, "a": "t", "b": "t"}) for i in range(5)]
    for number, worth in ((2, 0), (3, 1), (4, 2), (5, 3)):
        cell = np.zeros((1, number), int)
        assert (
            points(Table("t", tuple(sides[:number]), cell, np.zeros(1), counts=True))["crossing dimensions"]
            == worth
        )


def test_verdicts():
    assert assess(LARGE, Facts(attribute="special")).verdict == "expert"
    assert assess(LARGE, Facts(personal=False, attribute="special")).verdict == "publish"
    assert assess(LARGE, Facts(attribute="personal", linked=True)).verdict == "mask"
    assert assess(LARGE, Facts(attribute="personal", linked=True)).score == 4
    assert assess(LARGE, Facts(dominated=True)).triggers
    assert assess(LARGE, Facts(earlier=True)).verdict == "mask"
    small = persons(AREAS, {"a": (4, 30), "b": (40, 60), "c": (30, 70)})
    many = assess(
        small, Facts(attribute="personal", linked=True, visible=True, enumeration="full", area="area")
    )
    assert (many.verdict, many.triggers, many.score) == ("expert", (), 9)
    public = assess(persons(AREAS, {"a": (2, 30), "b": (40, 60), "c": (30, 70)}), Facts(attribute="public"))
    assert (public.verdict, public.triggers) == ("publish", ())


def test_values_with_contributors():
    """A table of values: contributors are counted; without them nothing is known of small cells."""
    tree = hierarchy("area", {"t": None, "a": "t", "b": "t"})
    who = Contributions(np.array([12, 10, 2]), np.zeros((3, 1)), np.full((3, 1), -1))
    value = np.array([900.0, 100, 800])
    found = assess(Table("turnover", (tree,), np.arange(3)[:, None], value, who))
    assert found.triggers
    assert found.method["use"] == "table.quader"
    assert found.rule == {"use": "rule.minimum-frequency", "n": 3}  # the p % rule needs two contributions
    two = Contributions(who.count, np.zeros((3, 2)), np.full((3, 2), -1))
    told = assess(Table("turnover", (tree,), np.arange(3)[:, None], value, two))
    assert told.rule == {"use": "rule.p-percent", "p": 10}
    bare = assess(Table("turnover", (tree,), np.arange(3)[:, None], value + np.array([0.5, 0.25, 0.25])))
    assert bare.facts["smallest_cell"] is None
    assert not bare.triggers


# -- what is not known is never harmless ----------------------------------------------------------------------------

FLAT = hierarchy("area", {"t": None, "a": "t", "b": "t"})


def three(value, counts=None, largest=0, **more):
    kept = (
        None
        if counts is None
        else Contributions(
            np.array(counts), np.tile([30.0, 20, 10][:largest], (3, 1)), np.tile(np.arange(largest), (3, 1))
        )
    )
    return Table("t", (FLAT,), np.arange(3)[:, None], np.array(value, float), kept, **more)


@pytest.mark.parametrize(
    ("table", "told", "verdict", "lacks"),
    [
        (three([900.5, 100.25, 800.25]), {}, "unknown", 2),
        (three([900, 100, 800], measure="turnover"), {}, "unknown", 1),
        (three([900, 100, 800], measure="value"), {"attribute": "public"}, "unknown", 1),
        (three([900, 100, 800], measure="Anzahl"), {}, "publish", 0),
        (three([900, 100, 800], measure="n"), {}, "publish", 0),
        (three([900, 100, 800], [900, 100, 800]), {}, "publish", 0),
        (three([101, 100, 1], measure="value"), {}, "mask", 0),
        (three([0, 0, 0], measure="value"), {}, "unknown", 1),
        (three([900.5, 100.25, 800.25], [90, 30, 60]), {}, "unknown", 1),
        (three([900.5, 100.25, 800.25], [90, 30, 60], 1), {}, "unknown", 1),
        (three([900.5, 100.25, 800.25], [90, 30, 60]), {"dominated": False}, "publish", 0),
        (three([900.5, 100.25, 800.25]), {"dominated": False}, "unknown", 1),
        (three([900.5, 100.25, 800.25]), {"personal": False}, "publish", 0),
        (three([900.5, 100.25, 800.25]), {"attribute": "special"}, "expert", 0),
        (three([-5, 100, -105], measure="n"), {}, "unknown", 2),
    ],
)  # fmt: skip
def test_a_table_of_which_too_little_is_known_is_never_called_harmless(table, told, verdict, lacks):
    found = assess(table, Facts(**told))
    assert (found.verdict, len(found.missing)) == (verdict, lacks)
    assert (found.rule is found.method is None) or verdict in ("mask", "expert")
    assert "can be published" not in found.because.en or verdict == "publish"


def test_an_offices_own_rules_cannot_make_the_unknown_harmless(tmp_path):
    lax = office(tmp_path, STANDARD.replace("score: {at_least: 4}", "score: {at_least: 6}"))
    assert assess(three([900.5, 100.25, 800.25]), Facts(), lax).verdict == "unknown"


def test_what_was_not_looked_at_is_said():
    said = " ".join(r.en for r in assess(LARGE, Facts()).remarks)
    assert all(fact in said for fact in ("attribute=", "area=", "share="))
    told = Facts(attribute="ordinary", area="area", share="passport", share_of=("foreign",))
    assert assess(LARGE, told).remarks == ()


@pytest.mark.parametrize(
    ("row", "near_all", "near_none"),
    [
        ((97, 3), True, False),
        ((96, 4), False, False),
        ((3, 97), False, True),
        ((4, 96), False, False),
        ((0, 100), False, False),
    ],
)
def test_shares_near_the_ends(row, near_all, near_none):
    table = persons(AREAS, {"a": row, "b": (400, 600), "c": (300, 700)})
    found = assess(table, Facts(attribute="personal", share="passport", share_of=("foreign",)))
    assert (found.facts["near_all"], found.facts["near_none"]) == (near_all, near_none)
    assert (found.method is not None and found.method["use"] == "table.share-mask") is near_all
    assert found.facts["extremes"] is (0 in row)


def test_an_empty_table():
    empty = Table("t", (AREAS,), np.zeros((0, 1), int), np.zeros(0), counts=True)
    assert assess(empty, Facts(area="area")).verdict == "publish"


def test_every_answer_is_kept():
    found = assess(LARGE, Facts(area="area"))
    assert found.facts["smallest_area"] == 10000
    assert found.score == found.facts["score"] == sum(p.points for p in found.points)
    assert all(p.because.en and p.because.de != p.because.en for p in found.points)


def test_wrong_facts():
    with pytest.raises(DimensionUnknown):
        assess(LARGE, Facts(area="areas"))
    for codes in ((), ("martian",), ("all",)):
        with pytest.raises(NotYesNo):
            assess(LARGE, Facts(share="passport", share_of=codes))


# -- rules of an office ---------------------------------------------------------------------------------------------


def test_recommended_things_exist():
    for advised in standard_rules().recommendations:
        for part in (advised.rule, advised.method):
            if part is not None and part["use"] != "table.quader":
                assert part["use"] in catalogue


def office(tmp_path, text):
    file = tmp_path / "office.yaml"
    file.write_text(text, "utf-8")
    return read_rules(file)


def test_an_office_changes_a_threshold(tmp_path):
    rules = office(tmp_path, STANDARD.replace("score: {at_least: 4}", "score: {at_least: 2}"))
    assert assess(LARGE, Facts(enumeration="full")).verdict == "publish"
    assert assess(LARGE, Facts(enumeration="full"), rules).verdict == "mask"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tarnkappe_need: 1", "tarnkappe_need: 2", "tarnkappe_need"), ("k: 3 ", "k: 0 ", "at least 1"),
        ("{smallest_cell: {at_least: 10}}", "{smalest_cell: {at_least: 10}}", "smallest_cell"),
        ("{smallest_cell: {at_least: 10}}", "{score: {at_least: 10}}", "score"),
        ("{smallest_cell: {at_least: 10}}", "{smallest_cell: {}}", "at_least or at_most"),
        ("verdict: publish\n    when: {}", "verdict: publish\n    when: {counts: true}", "no conditions"),
        ("verdict: mask", "verdict: maybe", "verdict"), ("points: 3", "points: many", "whole number"),
        ("triggers:", "trigers:", "triggers"), ('en: "everybody is counted"', 'en: ""', "empty"),
    ],
)  # fmt: skip
def test_wrong_rules_are_refused(tmp_path, old, new, said):
    assert old in STANDARD
    with pytest.raises(NeedWrong, match="need.wrong") as caught:
        office(tmp_path, STANDARD.replace(old, new))
    assert said in caught.value.text("en")


def test_broken_files(tmp_path):
    for text in ("", "- 1\n- 2\n"):
        with pytest.raises(NeedWrong):
            office(tmp_path, text)
    with pytest.raises(YamlWrong):
        office(tmp_path, "a: [1,")
