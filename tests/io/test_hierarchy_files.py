import csv

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import EncodingWrong, FileEmpty, FileMissing, FileUnreadable
from tarnkappe.errors.hierarchy import (
    HierarchyCycle,
    HierarchyFile,
    HierarchyNotNested,
    HierarchyNotWritable,
    HierarchyParent,
    HierarchyRoots,
    HierarchyTwice,
)
from tarnkappe.io.hierarchies import read_hierarchy, write_arx, write_hrc, write_pairs

IN_A_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def outline(tree):
    return [(int(level), code) for level, code in zip(tree.level, tree.codes, strict=True)]


def same(a, b):
    return outline(a) == outline(b) and a.parent.tolist() == b.parent.tolist()


@pytest.fixture
def read(tmp_path):
    def reading(name, content, **options):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_hierarchy(file, "h", **options)

    return reading


# -- τ-ARGUS ----------------------------------------------------------------------------------------------


def test_hrc(read):
    tree = read("r.hrc", "Nr\n@1\n@2\nOs\n@3\n@@31\n@4\n")
    assert outline(tree) == [
        (0, "Total"),
        (1, "Nr"),
        (2, "1"),
        (2, "2"),
        (1, "Os"),
        (2, "3"),
        (3, "31"),
        (2, "4"),
    ]
    assert read("r.hrc", "a\n", total="All").total == "All"


def test_hrc_as_tau_argus_writes_it_with_fixed_widths_and_carriage_returns(read):
    tree = read("r.hrc", "Nr\r\n@ 1\r\n@ 2\r\n\r\nOs \r\n@10")
    assert outline(tree) == [(0, "Total"), (1, "Nr"), (2, "1"), (2, "2"), (1, "Os"), (2, "10")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_hrc_with_any_end_of_line(read, end):
    assert outline(read("r.hrc", f"a{end}@b{end}c")) == [(0, "Total"), (1, "a"), (2, "b"), (1, "c")]


def test_hrc_with_another_leading_sign(read):
    assert outline(read("r.HRC", "a\n--b\n----c\n", leading="--")) == [
        (0, "Total"),
        (1, "a"),
        (2, "b"),
        (3, "c"),
    ]
    assert outline(read("r.hrc", "a\n b\n  c\n", leading=" ")) == [(0, "Total"), (1, "a"), (2, "b"), (3, "c")]


@pytest.mark.parametrize(
    ("content", "line"), [("a\n@@b\n", 2), ("@a\n", 1), ("a\n@\n", 2), ("a\n\n@b\n@@@c", 4)]
)
def test_hrc_errors_name_the_line(read, content, line):
    with pytest.raises(HierarchyFile) as caught:
        read("r.hrc", content)
    assert (caught.value.facts["file"], caught.value.facts["line"]) == ("r.hrc", line)


def test_hrc_with_a_code_twice(read):
    with pytest.raises(HierarchyTwice, match="b"):
        read("r.hrc", "a\n@b\nc\n@b\n")


# -- ARX --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_arx_with_any_separator(read, separator):
    content = "1;0-4;0-9;*\n2;0-4;0-9;*\n7;5-9;0-9;*\n".replace(";", separator)
    assert outline(read("a.csv", content)) == [
        (0, "*"), (1, "0-9"), (2, "0-4"), (3, "1"), (3, "2"), (2, "5-9"), (3, "7"),
    ]  # fmt: skip


def test_arx_where_a_leaf_is_its_own_group_or_the_total(read):
    tree = read("a.csv", "BE;DE;EU;*\nMT;MT;EU;*\nXX;XX;XX;*\n*;*;*;*\n")
    assert outline(tree) == [(0, "*"), (1, "EU"), (2, "DE"), (3, "BE"), (2, "MT"), (1, "XX")]


def test_arx_without_a_total_gets_one_and_its_own_can_be_renamed(read):
    assert outline(read("a.csv", "1;a\n2;b\n")) == [(0, "Total"), (1, "a"), (2, "1"), (1, "b"), (2, "2")]
    assert outline(read("a.csv", "1;*\n2;*\n", total="All")) == [(0, "All"), (1, "1"), (1, "2")]
    assert outline(read("a.csv", "1;*\n2;*\n", total="*"))[0] == (0, "*")
    with pytest.raises(HierarchyTwice):
        read("a.csv", "1;*\n2;*\n", total="1")


def test_arx_with_quotes_and_separators_in_codes(read):
    tree = read("a.csv", '"a;b";"g, h";*\n"c ""d""";"g, h";*\n')
    assert outline(tree) == [(0, "*"), (1, "g, h"), (2, "a;b"), (2, 'c "d"')]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("1;0-4;*\n1;0-4;*\n", HierarchyTwice),
        ("1;a;*\n2;b;*\na;b;*\n", HierarchyTwice),
        ("1;a;x;*\n2;a;y;*\n", HierarchyNotNested),
        ("1;a;*\n2;b\n", HierarchyFile),
        ("1;;*\n2;b;*\n", HierarchyFile),
        ("1\n2\n", HierarchyFile),
        ('1;"a;*\n', HierarchyFile),
    ],
)
def test_arx_files_that_are_no_tree(read, content, error):
    with pytest.raises(error):
        read("a.csv", content)


def test_the_line_that_is_odd_is_named(read):
    with pytest.raises(HierarchyFile) as caught:
        read("a.csv", "1;a;*\n2;a;*\n\n3;a\n")
    assert caught.value.facts["line"] == 4
    assert "2 Felder" in caught.value.text("de")


# -- code, parent, label ----------------------------------------------------------------------------------


def test_pairs_with_labels_in_any_order_of_columns(read):
    tree = read("p.csv", "Label,Parent,CODE\nAll,,T\nA,T,a\nOne,a,1\n")
    assert outline(tree) == [(0, "T"), (1, "a"), (2, "1")]
    assert tree.labels.tolist() == ["All", "A", "One"]


def test_pairs_without_labels_and_with_a_total(read):
    assert outline(read("p.csv", "code;parent\na;\nb;\n", total="T")) == [(0, "T"), (1, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("code;parent\na;\nb;\n", HierarchyRoots),
        ("code;parent\na;b\nb;a\n", HierarchyCycle),
        ("code;parent\na;\nb;x\n", HierarchyParent),
        ("code;parent\na;\na;\n", HierarchyTwice),
        ("code;parent\n;a\n", HierarchyFile),
        ("code;parent\n", HierarchyRoots),
        ("code;parent\na\n", HierarchyFile),
    ],
)
def test_pairs_that_are_no_tree(read, content, error):
    with pytest.raises(error):
        read("p.csv", content)


# -- text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_umlauts_in_the_usual_encodings(read, encoding):
    assert outline(read("r.hrc", "Süd\n@Köln\n".encode(encoding))) == [(0, "Total"), (1, "Süd"), (2, "Köln")]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n", b"\xef\xbb\xbf"])
def test_an_empty_file(read, content):
    for name in ("r.hrc", "a.csv"):
        with pytest.raises(FileEmpty):
            read(name, content)


def test_a_file_that_is_not_text(read):
    with pytest.raises(EncodingWrong):
        read("r.hrc", bytes(range(256)))


def test_a_file_that_is_not_there_or_no_file(tmp_path):
    (tmp_path / "regions.hrc").write_text("a\n")
    with pytest.raises(FileMissing, match=r"regions\.hrc"):
        read_hierarchy(tmp_path / "region.hrc", "h")
    with pytest.raises(FileUnreadable):
        read_hierarchy(tmp_path, "h")


@given(st.binary(max_size=60) | st.text('ab;,\t"\n\r@* codeparent', max_size=60).map(str.encode))
@settings(parent=IN_A_FOLDER, max_examples=300)
def test_any_content_gives_a_tree_or_a_coded_error(tmp_path, content):
    for name in ("f.hrc", "f.csv"):
        (tmp_path / name).write_bytes(content)
        try:
            assert len(read_hierarchy(tmp_path / name, "h")) >= 1
        except TarnkappeError as problem:
            assert problem.exit_code == 2


# -- there and back ---------------------------------------------------------------------------------------

CODES = st.text("ab1 ;,\"'@*\n\r\té=-", min_size=1, max_size=4)


@st.composite
def hierarchies(draw, codes, skips=(1,)):
    names = draw(st.lists(codes, min_size=2, max_size=15, unique=True))
    parent = [-1] + [draw(st.integers(0, i - 1)) for i in range(1, len(names))]
    level = [0] * len(names)
    for i in range(1, len(names)):
        level[i] = level[parent[i]] + draw(st.sampled_from(skips))
    return Hierarchy("h", np.array(names, dtype=object), np.array(parent), level=np.array(level))


@given(hierarchies(CODES, skips=(1, 1, 2)))
@settings(parent=IN_A_FOLDER)
def test_arx_there_and_back(tmp_path, tree):
    write_arx(tree, tmp_path / "a.csv")
    again = read_hierarchy(tmp_path / "a.csv", "h")
    assert outline(again) == outline(tree)
    assert again.level_names == tree.level_names


@given(hierarchies(st.text('ab1;,"é=-*', min_size=1, max_size=4)), st.sampled_from(["@", "--->"]))
@settings(parent=IN_A_FOLDER)
def test_hrc_there_and_back(tmp_path, tree, leading):
    write_hrc(tree, tmp_path / "r.hrc", leading)
    assert same(read_hierarchy(tmp_path / "r.hrc", "h", leading, tree.total), tree)


@given(hierarchies(CODES))
@settings(parent=IN_A_FOLDER)
def test_pairs_there_and_back(tmp_path, tree):
    tree = tree.worded(tree.level_names, {tree.total: "all, of it", tree.codes[-1]: "last\n"})
    write_pairs(tree, tmp_path / "p.csv")
    again = read_hierarchy(tmp_path / "p.csv", "h")
    assert same(again, tree)
    assert again.labels.tolist() == tree.labels.tolist()


def test_arx_is_written_one_line_per_leaf(tmp_path):
    write_arx(from_tree("h", {"*": {"a": ["1", "2"], "b": None}}), tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file, delimiter=";")) == [["1", "a", "*"], ["2", "a", "*"], ["b", "b", "*"]]


def test_a_total_alone_can_be_written(tmp_path):
    write_arx(Hierarchy("h", np.array(["T"], dtype=object), np.array([-1])), tmp_path / "a.csv")
    assert outline(read_hierarchy(tmp_path / "a.csv", "h")) == [(0, "T")]


@pytest.mark.parametrize("code", ["", " a", "a ", "@a", "a\nb", "a\rb"])
def test_codes_that_a_hrc_file_cannot_hold(tmp_path, code):
    tree = Hierarchy("h", np.array(["T", code], dtype=object), np.array([-1, 0]))
    with pytest.raises(HierarchyNotWritable):
        write_hrc(tree, tmp_path / "r.hrc")
    assert not (tmp_path / "r.hrc").exists()


def test_levels_that_only_arx_can_hold(tmp_path):
    tree = Hierarchy("h", np.array(["T", "a"], dtype=object), np.array([-1, 0]), level=np.array([0, 2]))
    for write in (write_hrc, write_pairs):
        with pytest.raises(HierarchyNotWritable):
            write(tree, tmp_path / "r")
    empty = Hierarchy("h", np.array(["T", ""], dtype=object), np.array([-1, 0]))
    for write in (write_arx, write_pairs):
        with pytest.raises(HierarchyNotWritable):
            write(empty, tmp_path / "r")
