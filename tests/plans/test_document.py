"""Plans as text: what YAML means here, what is refused, and that what we write comes back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import FileMissing, FileUnreadable
from tarnkappe.errors.release import YamlWrong
from tarnkappe.plan.document import DEEPEST, LARGEST, load, parse, step_as_plain, to_yaml
from tarnkappe.spec import catalogue
from tarnkappe.spec.parameters import build


def refusal(text):
    with pytest.raises(YamlWrong) as refused:
        parse(text)
    return refused.value


# -- meaning ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", ["NO", "no", "yes", "on", "Off", "y", "n", "012", "007", "0o12", "0x1f", "1_000", "1:30"]
)
def test_words_that_older_yaml_turns_into_something_else_stay_text(word):
    assert parse(f"a: {word}").content == {"a": word}


@pytest.mark.parametrize("word", ["2026-01-02", "2026-01-02T10:00:00Z", ".inf", "-.inf", ".nan", "=", "<<"])
def test_dates_and_odd_values_stay_text(word):
    assert parse(f"a: {word}").content == {"a": word}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True), ("False", False), ("TRUE", True), ("null", None), ("~", None), ("", None), ("Null", None),
        ("0", 0), ("-5", -5), ("+7", 7), ("-0", 0), ("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0),
        ("-2.5E-1", -0.25), ("'5'", "5"), ('"true"', "true"), ("!!str 5", "5"), ("[1, b]", [1, "b"]),
    ],
)  # fmt: skip
def test_plain_values(word, value):
    found = parse(f"a: {word}").content["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("key", ["1", "1.5", "true", "null", "2026-01-02", "NO"])
def test_names_are_always_text(key):
    assert parse(f"{key}: x").content == {key: "x"}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "null"])
def test_an_empty_document_holds_nothing(text):
    assert parse(text).content is None


def test_aliases_are_followed():
    assert parse("a: &x [1, {b: 2}]\nc: *x").content == {"a": [1, {"b": 2}], "c": [1, {"b": 2}]}


def test_parts_that_aliases_share_are_no_shared_objects():
    content = parse("a: &x [1]\nb: *x").content
    content["a"].append(2)
    assert content["b"] == [1]


# -- lines --------------------------------------------------------------------------------------------------------------


def test_every_part_knows_its_line():
    read = parse(
        "tarnkappe: 1\n\ndata:\n  roles:\n    key: [a,\n          b]\nsteps:\n  - use: x\n    k: 3\n"
    )
    lines = {
        (): 1,
        ("tarnkappe",): 1,
        ("data",): 3,
        ("data", "roles", "key"): 5,
        ("data", "roles", "key", 1): 6,
    }
    lines |= {("steps",): 7, ("steps", 0): 8, ("steps", 0, "k"): 9}
    assert {place: read.line(place) for place in lines} == lines


def test_a_part_that_is_not_there_has_the_line_of_what_is_around_it():
    read = parse("a:\n  b: 1\nsteps:\n- use: x\n")
    assert read.line(("a", "zz", "y")) == 1
    assert read.line(("steps", 0, "columns")) == 4
    assert parse("").line(("a",)) is None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_count_the_same_with_every_line_ending(tmp_path, newline):
    file = tmp_path / "plan.yaml"
    file.write_bytes(newline.join(["a: 1", "b:", "  c: 2", ""]).encode())
    assert load(file).line(("b", "c")) == 3


# -- refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"), [("a: 1\nb: 2\na: 3", 3), ("x:\n  'y': 1\n  y: 2", 3), ("1: a\n'1': b", 2)]
)
def test_a_name_given_twice(text, line):
    assert f"line {line}: " in str(refusal(text))
    assert "twice" in str(refusal(text))


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [ls]",
        "!!python/object:os.system {a: 1}",
        "a: !!python/name:os.system x",
        "a: !own [1]",
        "a: !own {b: 1}",
        "a: !own text",
        "!!set {a, b}",
        "a: !!omap [b: 1]",
        "a: !!binary aGk=",
        "a: !!timestamp 2026-01-01",
    ],
)
def test_tags_are_refused_wherever_they_stand(text):
    assert "tag" in str(refusal(text))
    assert "Tag" in refusal(text).text("de")


@pytest.mark.parametrize(
    "text", ["!!int many", "!!int ''", "!!float much", "!!bool maybe", "9" * 5000, "!!float ''"]
)
def test_values_that_do_not_fit_their_tag_or_any_number(text):
    assert "line 2" in str(refusal(f"b: 1\na: {text}"))


@pytest.mark.parametrize(
    "text", ["a: b: c", "a: [1", "a: {b", "a: 'x", "- a\nb: 1", "\tb", "a: *nobody", "a: 1\n--- \nb: 2"]
)
def test_broken_yaml_names_a_line(text):
    assert "line " in str(refusal(text))
    assert "Zeile " in refusal(text).text("de")


@pytest.mark.parametrize("text", ["? [a]\n: b", "{[a]: 1}", "? {a: 1}\n: 2"])
def test_a_name_that_is_no_text(text):
    assert "name" in str(refusal(text))


@pytest.mark.parametrize("text", ["a: \0", "a: \x07", "\ud800"])
def test_signs_that_yaml_does_not_know(text):
    refusal(text)


def test_a_bomb_of_aliases_is_defused():
    names = "abcdefghi"
    lines = [f"{names[0]}: &{names[0]} [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join(['*' + a] * 9)}]" for a, b in zip(names, names[1:], strict=False)]
    assert "too large" in str(refusal("\n".join(lines)))


def test_a_bomb_in_names_and_values_of_mappings():
    lines = ["a: &a {k: v}"] + [
        f"{c}: &{c} {{l: *{b}, r: *{b}}}"
        for b, c in zip("abcdefghijklmnopqrs", "bcdefghijklmnopqrst", strict=True)
    ]
    assert "too large" in str(refusal("\n".join(lines)))


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "&r\na: {b: [*r]}"])
def test_a_document_that_holds_itself(text):
    assert "deep" in str(refusal(text))


@pytest.mark.parametrize("text", ["[" * 3000, "- " * 3000, "{a: " * 3000, "[" * 100 + "]" * 100])
def test_too_deep(text):
    assert "deep" in str(refusal(text))


def test_as_deep_as_allowed():
    parse("[" * DEEPEST + "]" * DEEPEST)


# -- files --------------------------------------------------------------------------------------------------------------


def test_a_byte_order_mark_is_passed_over(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_bytes(b"\xef\xbb\xbftarnkappe: 1\ntitle: \xc3\x9cber")
    assert load(file).content == {"tarnkappe": 1, "title": "Über"}
    assert load(file).name == "plan.yaml"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-32"])
def test_other_encodings_are_refused(tmp_path, encoding):
    file = tmp_path / "plan.yaml"
    file.write_bytes("title: Über".encode(encoding))
    with pytest.raises(YamlWrong, match="UTF-8|does not allow"):
        load(file)


def test_a_file_that_is_too_large_is_not_even_parsed(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_bytes(b"# " + b"x" * LARGEST)
    with pytest.raises(YamlWrong, match="too large"):
        load(file)


def test_files_that_are_none(tmp_path):
    (tmp_path / "plan.yaml").write_text("a: 1")
    with pytest.raises(FileMissing, match="'plan.yaml'"):
        load(tmp_path / "plan.yml")
    with pytest.raises(FileUnreadable):
        load(tmp_path)
    with pytest.raises(TarnkappeError):
        load(tmp_path / "nowhere" / "plan.yaml")


def test_a_device_is_not_read_for_ever():
    with pytest.raises(FileUnreadable):
        load(type(__import__("pathlib").Path())("/dev/zero"))


# -- writing ------------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), max_size=20)
TRICKY = st.sampled_from(
    ["", " ", "~", "null", "true", "NO", "1", "1.0", "1e3", "-", "- a", "a: b", "#", "a #b", "'", '"', "*a", "&a", "!x", "%", "@",
     "[", "{", "|", ">", "?", ": ", "\n", "a\n", "\na", " a ", "a\n\nb", "---", "...", "=", "<<", "0x1", "012", ".5", "+1", "é", "\u2028", "\x85", "\ufeff"]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | TRICKY
)
CONTENT = st.dictionaries(
    TEXTS | TRICKY,
    st.recursive(
        SCALARS,
        lambda x: st.lists(x, max_size=4) | st.dictionaries(TEXTS | TRICKY, x, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


@given(CONTENT)
@settings(max_examples=150, deadline=None)
def test_what_is_written_comes_back(content):
    again = parse(to_yaml(content)).content
    assert again == (content or {})
    assert repr(again) == repr(content), "true is not 1, and 1 is not 1.0"


def test_a_plan_is_written_as_people_write_it():
    content = {
        "tarnkappe": 1,
        "data": {"roles": {"key": ["a", "b"]}},
        "steps": [{"use": "x", "columns": ["a"]}],
    }
    assert to_yaml(content).splitlines() == [
        "tarnkappe: 1", "data:", "  roles:", "    key: [a, b]", "steps:", "- use: x", "  columns: [a]",
    ]  # fmt: skip


def test_no_anchors_are_written():
    shared = ["a", {"b": 1}]
    assert "&" not in to_yaml({"x": shared, "y": shared})


@pytest.mark.parametrize("cls", list(catalogue), ids=lambda cls: cls.id)
def test_every_example_of_the_catalogue_survives_the_plan(cls):
    made = build(cls, cls.example)
    step = parse(to_yaml({"steps": [step_as_plain(made)]})).content["steps"][0]
    assert step.pop("use") == cls.id
    assert build(cls, step) == made
