"""A plan is checked whole before data is read: every problem at once, each with its line."""

from __future__ import annotations

import re

import pytest
from pydantic import Field

from plans.workshop import PLAN, changed, checked, document, lay_out, with_data
from tarnkappe.errors.release import PlanWrong
from tarnkappe.language import Text
from tarnkappe.plan.check import check, check_file
from tarnkappe.plan.document import parse
from tarnkappe.spec import (
    Claim,
    Family,
    Finding,
    Goal,
    Maturity,
    Measure,
    Method,
    Source,
    catalogue,
    measure,
    method,
)

WORDS = Text("Something.", "Etwas.")


@pytest.fixture
def folder(tmp_path):
    lay_out(tmp_path)
    return tmp_path


def problems(content, folder, lang="en"):
    """Every problem as (line, place, sentence)."""
    with pytest.raises(PlanWrong) as wrong:
        check(content if not isinstance(content, dict) else document(content), folder)
    listed = wrong.value.facts["problems"].in_(lang).split("\n")
    assert len(listed) == wrong.value.facts["count"]
    found = [re.fullmatch(r"  (?:(?:line|Zeile) (\d+), )?([^:]*): (.*)", text) for text in listed]
    return [(int(m[1] or 0), m[2], m[3]) for m in found]


def only(content, folder):
    found = problems(content, folder)
    assert len(found) == 1, found
    return found[0]


# -- sound plans --------------------------------------------------------------------------------------------------------


def test_a_sound_plan(folder):
    plan = check_file(folder / "plan.yaml")
    assert plan.title == "A file for science"
    assert [s.id for s in plan.steps] == [
        "microdata.generalise",
        "microdata.suppress-records",
        "microdata.mdav",
    ]
    assert plan.gates[0].at_least == 3
    assert plan.secret == "survey"
    assert plan.source == PLAN
    assert plan.folder == folder
    assert plan.file == "plan.yaml"


def test_the_smallest_plan(tmp_path):
    lay_out(tmp_path)
    plan = check(parse("tarnkappe: 1\ntitle: x\ndata: {file: people.csv}"), tmp_path)
    assert plan.steps == plan.measures == plan.gates == ()
    assert plan.secret is None
    assert plan.release.shuffle_rows


def test_a_measure_may_be_a_name_or_a_mapping(folder):
    measures = ["risk.uniques", {"use": "risk.k-anonymity", "keys": ["sex"]}, {"measure": "risk.class-sizes"}]
    plan = checked(folder, changed(measures=measures))
    assert [m.measure.id for m in plan.measures] == ["risk.uniques", "risk.k-anonymity", "risk.class-sizes"]


# -- all at once --------------------------------------------------------------------------------------------------------

FAULTY = """\
tarnkappe: 1
title: x
colour: red
data:
  file: nobody.csv
  roles:
    identifier: [name]
    key: [name, sex]
    weight: [a, b]
    keyy: [z]
  hierarchies:
    age: {file: ../outside.hrc}
release:
  formats: [csv, paket]
  kind: secret-use
seed: {secret: ../../etc/passwd}
steps:
  - use: microdata.mdavv
  - use: microdata.mdav
    columns: [income]
    kk: 3
  - {use: microdata.round, base: 10,
     columns: [name]}
  - columns: [a]
release_if:
  - measure: risk.k-anonymity
  - measure: risk.nothing
    at_least: 2
measures: [utility.moment]
"""


def test_every_problem_is_told_at_once_with_its_line(folder):
    found = {(line, place): says for line, place, says in problems(parse(FAULTY), folder)}
    assert [line for line, _ in found] == sorted(line for line, _ in found), "in the order of the lines"
    expected = {
        (3, "colour"): "not known here",
        (5, "data.file"): "no such file",
        (7, "data.roles.identifier"): "has other roles too",
        (9, "data.roles.weight"): "takes one column",
        (10, "data.roles.keyy"): "must be one of",
        (12, "data.hierarchies.age.file"): "leads out",
        (14, "release.formats[2]"): "'parquet'",
        (15, "release.kind"): "must be one of",
        (16, "seed.secret"): "name of a secret",
        (18, "steps[1]"): "Did you mean 'microdata.mdav'?",
        (21, "steps[2].kk"): "Did you mean 'k'?",
        (22, "steps[3]"): "direct identifier 'name'",
        (24, "steps[4]"): "does not say what to use",
        (26, "release_if[1]"): "needs at_least, at_most or holds",
        (27, "release_if[2]"): "there is no measure 'risk.nothing'",
        (29, "measures[1]"): "Did you mean 'utility.moments'?",
    }
    for where, words in expected.items():
        near = [
            says for (line, place), says in found.items() if line == where[0] and place.startswith(where[1])
        ]
        assert any(words in says for says in near), (where, words, found)
    assert len(found) == len(expected)


def test_the_same_in_german(folder):
    found = problems(parse(FAULTY), folder, "de")
    assert len(found) == 16
    assert any("Meinten Sie 'microdata.mdav'?" in says for _, _, says in found)


def test_a_faulty_step_does_not_shift_the_numbers_of_the_others(folder):
    steps = [
        {"use": "no.such"},
        {"use": "microdata.drop"},
        {"use": "microdata.round", "columns": ["name"], "base": 10},
    ]
    found = {place: says for _, place, says in problems(changed(steps=steps), folder)}
    assert "identifier 'name'" in found["steps[3]"]
    assert set(found) == {"steps[1]", "steps[2].columns", "steps[3]"}


@pytest.mark.parametrize(
    ("word", "hint"),
    [("at_leest", "Did you mean 'at_least'?"), ("supressed", "Did you mean 'suppressed'?"), (3, "at_most")],
)
def test_a_misspelt_word_of_a_gate_is_its_own_or_one_of_its_measure(folder, word, hint):
    gate = {"measure": "risk.k-anonymity", "at_least": 3, word: 3}
    found = {place: says for _, place, says in problems(changed(release_if=[gate]), folder)}
    assert list(found) == [f"release_if[1].{word}"] or word == 3
    assert any(hint in says for says in found.values())


# -- steps and parameters -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "place", "words"),
    [
        ({"use": "microdata.mdav", "columns": ["income"], "k": 1}, "steps[1].k", "at least 3"),
        ({"use": "microdata.mdav", "columns": ["income"], "k": "three"}, "steps[1].k", "whole number"),
        ({"use": "microdata.mdav", "columns": ["income"], "k": 2.5}, "steps[1].k", "whole number"),
        ({"use": "microdata.mdav", "columns": []}, "steps[1].columns", "at least 1"),
        ({"use": "microdata.mdav", "columns": "income"}, "steps[1].columns", "list"),
        ({"use": "microdata.mdav", "columns": ["income"], "too_small": "drop"}, "steps[1].too_small", "one of"),
        ({"use": "microdata.mdav"}, "steps[1].columns", "required"),
        ({"use": "microdata.mdav", "column": ["income"], "columns": ["income"]}, "steps[1].column", "'columns'"),
        ({"use": "microdata.generalise", "columns": ["age"]}, "steps[1].columns", "mapping"),
        ({"use": "risk.uniques"}, "steps[1]", "no step 'risk.uniques'"),
        ({"use": ["microdata.mdav"]}, "steps[1]", "does not say"),
        ({"use": None}, "steps[1]", "does not say"),
        (None, "steps[1]", "does not say"),
        (5, "steps[1]", "does not say"),
        ({}, "steps[1]", "does not say"),
        ("microdata.mdav", "steps[1].columns", "required"),
    ],
)  # fmt: skip
def test_steps_that_do_not_fit(folder, step, place, words):
    _, where, says = only(changed(steps=[step]), folder)
    assert where == place
    assert words in says


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("steps", {"use": "x"}, "list"),
        ("steps", "microdata.mdav", "list"),
        ("measures", 5, "list"),
        ("release_if", "x", "list"),
        ("title", "", "empty"),
        ("title", 2026, "text"),
        ("title", ["a"], "text"),
        ("data", "people.csv", "mapping"),
        ("release", ["csv"], "mapping"),
        ("seed", "survey", "mapping"),
        ("allow", ["everything"], "one of"),
        ("tarnkappe", "one", "whole number"),
    ],
)
def test_parts_of_the_wrong_type(folder, part, value, words):
    found = problems(changed(**{part: value}), folder)
    assert any(place.startswith(part) and words in says for _, place, says in found), found


def test_what_would_be_known_in_a_nested_part_is_listed(folder):
    """Behind a name of the user's own, and behind the word that chose one of several forms."""
    words = only(with_data(hierarchies={"region": {"nested": {}}}), folder)[2]
    assert words == (
        "is not known here. Known: bands, columns, cuts, dates, digits, file, labels, leading, levels, order, origin, total … (14)."
    )
    step = {"use": "microdata.noise", "columns": ["income"], "noise": {"law": "normal", "widht": 1}}
    _, place, words = only(changed(steps=[step]), folder)
    assert place.startswith("steps[1].noise")
    assert "is not known here." in words
    assert "nothing to choose" not in words


@pytest.mark.parametrize("content", [None, [], "text", 5, ["tarnkappe"], {}])
def test_what_is_no_plan_at_all(folder, content):
    found = {place for _, place, _ in problems(type(document({}))(content), folder)}
    assert found >= {"tarnkappe", "title"}


def test_a_plan_without_data_and_tables_releases_nothing(folder):
    assert "data" in only({"tarnkappe": 1, "title": "x"}, folder)[2]


@pytest.mark.parametrize("version", [2, 99, 0, -1])
def test_a_later_plan_is_refused(folder, version):
    _, place, says = only(changed(tarnkappe=version), folder)
    assert place == "tarnkappe"
    assert "up to format 1" in says


# -- gates --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"measure": "risk.k-anonymity"}, "needs at_least"),
        ("risk.k-anonymity", "needs at_least"),
        ({"measure": "risk.k-anonymity", "at_least": "three"}, "number"),
        ({"measure": "risk.k-anonymity", "at_leest": 3}, "not known"),
        ({"measure": "risk.k-anonymity", "at_least": 3, "keyss": ["sex"]}, "Did you mean 'keys'?"),
        ({"measure": "risk.k-anonymity", "holds": True}, "yes or no"),
        ({"measure": "microdata.mdav", "at_least": 3}, "no measure"),
        ({"at_least": 3}, "does not say"),
        ({"measure": ["x"], "at_least": 3}, "does not say"),
        (None, "does not say"),
    ],
)
def test_gates_that_could_not_close(folder, gate, words):
    found = problems(changed(release_if=[gate]), folder)
    assert any(place.startswith("release_if[1]") and words in says for _, place, says in found), found


@pytest.mark.parametrize(
    "formula", ["income ~", "income age", "log(income ~ age", "income ~ age * sex", "~ age"]
)
def test_a_formula_that_cannot_be_read_is_told_before_the_plan_runs(folder, formula):
    _, place, says = only(changed(measures=[{"measure": "utility.regression", "formula": formula}]), folder)
    assert place == "measures[1].formula"
    assert "cannot be read at sign" in says


# -- files and formats --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../people.csv",
        "/etc/passwd",
        "a/../../people.csv",
        "..\\people.csv",
        "C:\\people.csv",
        "\\\\host\\people.csv",
        "~/../../x",
        "a\0b",
    ],
)
def test_a_path_that_climbs_out(folder, name):
    (folder.parent / "people.csv").write_text("a\n1\n")
    _, place, says = only(with_data(file=name), folder)
    assert place == "data.file"
    assert "leads out" in says or "no such file" in says


def test_a_link_that_leads_out(folder):
    (folder.parent / "elsewhere.csv").write_text("a\n1\n")
    (folder / "link.csv").symlink_to(folder.parent / "elsewhere.csv")
    assert "leads out" in only(with_data(file="link.csv"), folder)[2]


def test_a_missing_file_is_told_with_the_nearest_name(folder):
    assert "'people.csv'" in only(with_data(file="peopel.csv"), folder)[2]
    assert "no such file" in only(with_data(hierarchies={"age": {"file": "age.hrc"}}), folder)[2]
    (folder / "sub").mkdir()
    assert "no such file" in only(with_data(file="sub"), folder)[2]


@pytest.mark.parametrize(
    ("formats", "words"), [(["paket"], "'parquet'"), (["csv", "csv"], "twice"), ([], "at least 1")]
)
def test_formats(folder, formats, words):
    assert words in only(changed(release={"formats": formats}), folder)[2]


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "", "a b", "x" * 101, "ä"])
def test_a_secret_that_cannot_be_called_so_is_found_before_data_is_read(folder, name):
    assert only(changed(seed={"secret": name}), folder)[1] == "seed.secret"


# -- roles and identifiers ----------------------------------------------------------------------------------------------


def test_an_identifier_with_another_role(folder):
    _, place, says = only(with_data(roles={"identifier": ["name"], "sensitive": ["name"]}), folder)
    assert place == "data.roles.identifier"
    assert "'name'" in says


def test_two_columns_for_a_role_of_one(folder):
    for role in ("weight", "household", "owner", "period"):
        assert only(with_data(roles={role: ["a", "b"]}), folder)[1] == f"data.roles.{role}"


def test_an_unknown_role(folder):
    assert "must be one of" in only(with_data(roles={"keys": ["a"]}), folder)[2]


def test_one_column_may_be_given_without_a_list(folder):
    roles = checked(folder, with_data(roles={"identifier": "name", "key": "sex"})).data.roles
    assert roles == {"identifier": ("name",), "key": ("sex",)}


def test_only_some_methods_may_touch_an_identifier(folder):
    steps = [{"use": "microdata.round", "columns": ["number"], "base": 10}]
    _, place, says = only(changed(steps=steps), folder)
    assert place == "steps[1]"
    assert "'number'" in says


def test_a_pseudonym_is_no_identifier_any_more(folder):
    treat = {"use": "microdata.pseudonymise", "columns": ["number"]}
    use = {"use": "microdata.mdav", "columns": ["income"], "within": ["number"]}
    checked(folder, changed(steps=[treat, use]))
    assert only(changed(steps=[use, treat]), folder)[1] == "steps[1]", "before it is treated it is one"


# -- maturity -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def experimental():
    """A method and a measure on the bottom rung, taken out of the catalogue again."""
    catalogue.load()
    was = dict(catalogue._known)
    said = {
        "title": WORDS,
        "does": WORDS,
        "sources": (Source("k", "w"),),
        "does_not": (WORDS,),
        "example": {},
    }
    claims = (Claim(WORDS, lambda m, b, a: True),)

    @method(
        "test.risky",
        family=Family.NOISE,
        preserves=claims,
        protects=claims,
        maturity=Maturity.EXPERIMENTAL,
        **said,
    )
    class Risky(Method):
        """Do nothing."""

        columns: tuple[str, ...] = Field(default=(), description="Columns. | Spalten.")

        def apply(self, data, stream):
            return data

    @measure(
        "test.doubtful", reads=Text("{value}", "{value}"), knows=WORDS, goal=Goal.HIGH, bounds=(0, 1),
        maturity=Maturity.EXPERIMENTAL, **said,
    )  # fmt: skip
    class Doubtful(Measure):
        """Say yes."""

        def measure(self, after, *, before=None):
            return Finding(1.0)

    yield
    catalogue._known.clear()
    catalogue._known.update(was)


def test_experimental_things_are_switched_off(folder, experimental):
    plan = changed(
        steps=[*PLAN["steps"], {"use": "test.risky"}], measures=["test.doubtful"],
        release_if=[{"measure": "test.doubtful", "holds": True}],
    )  # fmt: skip
    found = problems(plan, folder)
    assert [place for _, place, _ in found] == ["steps[4]", "release_if[1]", "measures[1]"]
    assert all(line and "allow: [experimental]" in says for line, _, says in found)


def test_experimental_things_can_be_allowed(folder, experimental):
    plan = checked(
        folder, changed(steps=[{"use": "test.risky"}], measures=["test.doubtful"], allow=["experimental"])
    )
    assert plan.steps[0].id == "test.risky"


def test_the_catalogue_is_as_before(folder):
    assert "test.risky" not in catalogue
    assert "no step" in only(changed(steps=[{"use": "test.risky"}]), folder)[2]
