from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tarnkappe.data.column import MISSING, OBSERVED, Column
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import FileMissing, PathEscapes
from tarnkappe.errors.hierarchy import HierarchyCycle, HierarchyKind, HierarchyLevelNames, HierarchyUncovered
from tarnkappe.language import both
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.spec.parameters import fit
from tarnkappe.vocab import Kind

CODES = Column.texts_of(["11", "12", "21", None])
WHOLE = Column.numbers_of(np.array([3, 17, 40]))
NUMBER = Column.numbers_of(np.array([3.5, 17.0, np.nan]))
DAY = Column(Kind.DATE, np.array([0, 400], dtype=np.int32))
MOMENT = Column(Kind.DATETIME, np.array([0, 10**15], dtype=np.int64))
FLAG = Column(Kind.BOOLEAN, np.array([0, 1], dtype=np.uint8), None, np.array(["false", "true"], dtype=object))


def described(text):
    return HierarchyDescription.model_validate(yaml.safe_load(text))


def built(text, column, folder=Path()):
    return build_hierarchy(described(text), "c", column, folder)


@pytest.mark.parametrize(
    ("text", "column", "codes"),
    [
        ("{digits: [1]}", CODES, ["Total", "1", "11", "12", "2", "21"]),
        ("{digits: 1, total: all}", CODES, ["all", "1", "11", "12", "2", "21"]),
        ("{bands: 10}", WHOLE, ["Total", "0-9", "3", "10-19", "17", "40-49", "40"]),
        ("{bands: 10, origin: 5}", WHOLE, ["Total", "-5-4", "3", "15-24", "17", "35-44", "40"]),
        ("{bands: [20, 10]}", NUMBER, ["Total", "0-<20", "0-<10", "3.5", "10-<20", "17.0"]),
        ("{cuts: [18, 65]}", WHOLE, ["Total", "<18", "3", "17", "18-64", "40"]),
        ("{cuts: [[18], [10, 18]]}", WHOLE, ["Total", "<18", "<10", "3", "10-17", "17", ">=18", "40"]),
        (
            "{dates: [month, year]}",
            DAY,
            ["Total", "1970", "1970-01", "1970-01-01", "1971", "1971-02", "1971-02-05"],
        ),
        ("{dates: year}", DAY, ["Total", "1970", "1970-01-01", "1971", "1971-02-05"]),
        ("{tree: {T: {a: [11, 12], b: [21]}}}", CODES, ["T", "a", "11", "12", "b", "21"]),
        ("{tree: {a: [11, 12], b: [21]}, total: 0}", CODES, ["0", "a", "11", "12", "b", "21"]),
        ("{tree: ['3', 17, 40]}", WHOLE, ["Total", "3", "17", "40"]),
        ("{tree: {any: ['true', 'false']}}", FLAG, ["any", "true", "false"]),
    ],
)
def test_every_way_to_describe_a_hierarchy(text, column, codes):
    tree = built(text, column)
    assert tree.name == "c"
    assert tree.codes.tolist() == codes
    assert tree.place(column).unknown.sum() == 0


def test_files_beside_the_plan(tmp_path):
    (tmp_path / "codes").mkdir()
    (tmp_path / "codes" / "c.hrc").write_text("a\n#11\n#12\nb\n#21\n")
    (tmp_path / "c.csv").write_text("11;a;*\n12;a;*\n21;b;*\n")
    assert built("{file: codes/c.hrc, leading: '#', total: T}", CODES, tmp_path).codes[0] == "T"
    assert built("{file: c.csv}", CODES, tmp_path).codes.tolist() == ["*", "a", "11", "12", "b", "21"]


def test_files_that_are_wrong(tmp_path):
    (tmp_path / "loop.csv").write_text("code,parent\na,b\nb,a\n")
    (tmp_path / "few.csv").write_text("11;a;*\n12;a;*\n")
    with pytest.raises(PathEscapes):
        built("{file: ../c.csv}", CODES, tmp_path)
    with pytest.raises(FileMissing):
        built("{file: c.csv}", CODES, tmp_path)
    with pytest.raises(HierarchyCycle):
        built("{file: loop.csv}", CODES, tmp_path)
    with pytest.raises(HierarchyUncovered) as caught:
        built("{file: few.csv}", CODES, tmp_path)
    assert caught.value.facts == {"name": "c", "count": 1, "first": 3}


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("{digits: [1]}", [NUMBER, DAY, MOMENT, FLAG, WHOLE, Column.numbers_of(np.array([-10, 100]))]),
        ("{bands: 5}", [CODES, DAY, MOMENT, FLAG]),
        ("{cuts: [5]}", [CODES, DAY, MOMENT, FLAG]),
        ("{dates: [year]}", [CODES, NUMBER, WHOLE, FLAG]),
        ("{tree: {a: [b]}}", [NUMBER]),
        ("{file: x.csv}", [NUMBER]),
    ],
)
def test_ways_that_do_not_fit_the_kind(text, columns):
    for column in columns:
        with pytest.raises(HierarchyKind, match="'c'"):
            built(text, column)


def test_whole_numbers_with_equally_many_digits_are_codes():
    postcodes = Column.numbers_of(np.array([13053, 13068, 14850]))
    assert built("{digits: [2]}", postcodes).codes.tolist() == [
        "Total",
        "13",
        "13053",
        "13068",
        "14",
        "14850",
    ]
    lost_zero = Column.numbers_of(np.array([1067, 13068]))
    with pytest.raises(HierarchyKind, match="leading zeros"):
        built("{digits: [2]}", lost_zero)


def test_a_code_that_no_cell_holds_does_not_count():
    column = Column.coded(
        np.array([0, 1]), np.array(["11", "x"], dtype=object), np.array([OBSERVED, MISSING], dtype=np.uint8)
    )
    assert built("{tree: {a: ['11']}}", column).total == "a"
    assert built("{digits: [1]}", column).codes.tolist() == ["Total", "1", "11"]


def test_empty_columns_have_hierarchies_too():
    for column in (Column.texts_of([]), Column.texts_of([None])):
        assert built("{digits: [1, 2]}", column).depth == 2
        assert built("{tree: {a: [b]}}", column).depth == 1


def test_names_of_levels_and_labels():
    tree = built("{digits: [1], levels: [section, class], labels: {1: First, nobody: x}}", CODES)
    assert tree.level_names == ("total", "section", "class")
    assert tree.labels[1] == "First"
    assert tree.generalise(CODES, "section", "c").value_labels == {"1": "First"}
    assert built("{digits: [1], levels: [section]}", CODES).level_names == ("total", "section", "2")
    assert built("{dates: [year], labels: {'1970': first}}", DAY).level_names == ("total", "year", "day")
    with pytest.raises(HierarchyLevelNames):
        built("{digits: [1], levels: [a, b, c]}", CODES)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{digits: [1], bands: 5}",
        "{digits: [2, 1]}",
        "{digits: []}",
        "{digits: [0]}",
        "{digits: [a]}",
        "{bands: 0}",
        "{bands: [5, 7]}",
        "{bands: []}",
        "{bands: .inf}",
        "{cuts: []}",
        "{cuts: [3, 2]}",
        "{cuts: [[1], [2, 3]]}",
        "{cuts: 5}",
        "{dates: []}",
        "{dates: [week]}",
        "{tree: {a: [b, b]}}",
        "{tree: {a: [1.5]}}",
        "{tree: {a: [yes]}}",
        "{file: ''}",
        "{digits: [1], levels: [a, a]}",
        "{digits: [1], levels: ['2']}",
        "{digits: [1], levels: [total]}",
        "{digits: [1], total: ''}",
        "{digits: [1], origin: 5}",
        "{bands: 5, leading: '#'}",
        "{file: x.hrc, leading: ''}",
        "{digit: [1]}",
        "[1]",
        "5",
    ],
)
def test_wrong_descriptions_are_found_before_data_is_read(text):
    made, misfits = fit(HierarchyDescription, yaml.safe_load(text))
    assert made is None
    assert misfits
    assert all(m.says.en and m.says.de for m in misfits)


def test_a_misspelt_word_is_corrected_and_input_is_not_echoed():
    _, misfits = fit(HierarchyDescription, {"digit": ["SECRET"]})
    assert any("'digits'" in m.says.en for m in misfits)
    with pytest.raises(ValidationError) as caught:
        HierarchyDescription(digits=["SECRET"])
    assert "SECRET" not in str(caught.value)


def test_descriptions_are_frozen_and_said_in_two_languages():
    description = described("{digits: [1, 2]}")
    with pytest.raises(ValidationError):
        description.digits = (1,)
    for field in HierarchyDescription.model_fields.values():
        said = both(field.description or "")
        assert said.en != said.de


def test_a_description_comes_back_from_its_own_words():
    for text in ("{digits: 1}", "{cuts: [1, 2]}", "{bands: 5, origin: 2}", "{tree: {a: [b, c: [d]]}}"):
        description = described(text)
        said = yaml.safe_load(yaml.safe_dump(description.model_dump(mode="json", exclude_unset=True)))
        assert HierarchyDescription.model_validate(said) == description


words = st.sampled_from(
    ["digits", "file", "bands", "cuts", "dates", "tree", "total", "levels", "labels", "origin"]
)
things = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=True) | st.text("a1*", max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text("ab", max_size=2), below, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(words, things, max_size=3), st.sampled_from([CODES, WHOLE, NUMBER, DAY, MOMENT, FLAG]))
@settings(max_examples=300, deadline=None)
def test_any_description_gives_a_hierarchy_or_a_told_problem(given_words, column):
    description, misfits = fit(HierarchyDescription, given_words)
    if description is None:
        assert misfits
        return
    try:
        tree = build_hierarchy(description, "c", column, Path("/nowhere"))
    except TarnkappeError as problem:
        assert problem.exit_code == 2
    else:
        assert tree.place(column).unknown.sum() == 0
