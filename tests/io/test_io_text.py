import csv
import io
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from io_samples import shown, written

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.data import ColumnMissing, DuplicateColumn, EmptyData, TypeNotPossible
from tarnkappe.errors.files import FileEmpty, NamesMissing, QuotesWrong, Ragged, SignWrong
from tarnkappe.io.read import read
from tarnkappe.vocab import Kind

C, B, I, N, D = Kind.CATEGORY, Kind.BOOLEAN, Kind.INTEGER, Kind.NUMBER, Kind.DATE


@pytest.fixture
def file(tmp_path):
    def make(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def test_every_kind_is_found(file):
    found = shown(read(file("plz,n,x,d,b,t\n01067,1,1.5,2026-12-31,true,a\n10115,,NaN,,FALSE,\n")))
    assert found == {
        "plz": (C, ["01067", "10115"]), "n": (I, ["1", None]), "x": (N, ["1.5", None]),
        "d": (D, ["2026-12-31", None]), "b": (B, ["true", "false"]), "t": (C, ["a", None]),
    }  # fmt: skip


def test_a_german_file_as_offices_write_it(file):
    text = "\ufeffPLZ;Straße;Umsatz;Beschäftigte;Gründung\r\n01067;Müllerstr. 5;1.234,56;1.200;31.12.1999\r\n;;-0,5;3;1.2.2003\r\n"
    found = shown(read(file(text)))
    assert found == {
        "PLZ": (C, ["01067", None]), "Straße": (C, ["Müllerstr. 5", None]), "Umsatz": (N, ["1234.56", "-0.5"]),
        "Beschäftigte": (I, ["1200", "3"]), "Gründung": (D, ["1999-12-31", "2003-02-01"]),
    }  # fmt: skip
    assert shown(read(file(text[1:].encode("cp1252")), encoding="cp1252")) == found
    assert shown(read(file(text[1:].encode("utf-16")))) == found


def test_the_decimal_comma_needs_another_separator_or_the_users_word(file):
    assert shown(read(file("x\ty\n1,5\ta\n"))) == {"x": (N, ["1.5"]), "y": (C, ["a"])}
    assert shown(read(file("x|y\n1,5|a\n")))["x"] == (N, ["1.5"])
    assert shown(read(file('x,y\n"1,5",a\n')))["x"] == (C, ["1,5"])
    assert shown(read(file("x|y\n1,5|a\n"), decimal=","))["x"] == (N, ["1.5"])
    assert shown(read(file("x;y\n1,234;a\n5,678;b\n")))["x"][0] is C  # thousands or decimals: not known
    assert shown(read(file("x;y\n1,5;2.5\n"), decimal=".")) == {"x": (C, ["1,5"]), "y": (N, ["2.5"])}
    assert shown(read(file("x;y\n1,5;2.5\n"))) == {"x": (N, ["1.5"]), "y": (N, ["2.5"])}


def test_quotes_hold_separators_line_ends_and_quotes(file):
    content = b'a,"b ""x"""\r\n"1,5\r\nline","say ""hi"""\r\nplain,"\n"\r\n'
    assert shown(read(file(content))) == {
        "a": (C, ["1,5\r\nline", "plain"]), 'b "x"': (C, ['say "hi"', "\n"]),
    }  # fmt: skip


def test_quotes_inside_plain_fields_are_signs_like_others(file):
    assert shown(read(file('size,n\n5" pipe,1\n3" "x,2\n')))["size"] == (C, ['5" pipe', '3" "x'])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('a,b\n"x" y,1\n', 2),
        ('a,b\nx,1\ny,"z\n', 3),
        ('a,b\n1, "x"\n', 2),
        ('a,b\n"x""y,1\n', 2),
        ('"a" ,b\n1,2\n', 1),
    ],
)
def test_a_quote_out_of_place_is_told_with_its_line(file, content, line):
    with pytest.raises(QuotesWrong) as caught:
        read(file(content))
    assert caught.value.facts["line"] == line


@pytest.mark.parametrize(
    ("content", "line", "found", "count"),
    [
        ("a,b\n1,2\n3\n4,5,6\n", 3, 1, 2), ("a,b\n1,2,3\n", 2, 3, 1), ("a,b\n1,2\n\n3,4\n", 3, 1, 1),
        ('a,b\n"x\ny",1\n2\n', 4, 1, 1), ("a,b\n1,2\n3", 3, 1, 1), ("a\n1,5\n", 2, 2, 1), ("a;b\n1;2;\n", 2, 3, 1),
    ],
)  # fmt: skip
def test_lines_of_another_length_are_refused(file, content, line, found, count):
    with pytest.raises(Ragged) as caught:
        read(file(content))
    facts = caught.value.facts
    assert (facts["line"], facts["found"], facts["count"]) == (line, found, count)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n", "\r\n\r\n\r\n"])
def test_blank_lines_at_the_end_are_fine(file, end):
    assert shown(read(file(f"a,b\n1,2\n3,4{end}"))) == {"a": (I, ["1", "3"]), "b": (I, ["2", "4"])}


def test_in_one_column_an_empty_line_is_a_missing_value(file):
    assert shown(read(file("a\n1\n\n2\n\n"))) == {"a": (I, ["1", None, "2", None])}
    assert shown(read(file("a\r\n\r\n2"))) == {"a": (I, [None, "2"])}
    assert shown(read(file("a\rx\ry\r"))) == {"a": (C, ["x", "y"])}  # line ends of old Macs


def test_empty_and_missing_can_be_told_apart_if_asked(file):
    path = file('a,b\n"",1\n,2\nx,\n')
    assert shown(read(path))["a"] == (C, [None, None, "x"])
    assert shown(read(path, missing=()))["a"] == (C, ["", None, "x"])
    assert shown(read(file('a,b\n1,"2"\n3,""\n'), missing=()))["b"] == (I, ["2", None])  # no empty number


def test_marks_of_missing_values(file):
    path = file('a,b\nNA,1\n-9,."\nx,NA\n')
    assert shown(read(path, missing=["NA", "-9"])) == {
        "a": (C, [None, None, "x"]),
        "b": (C, ["1", '."', None]),
    }
    assert shown(read(file("a,b\nNA,1\n3,2\n"), missing=["NA"]))["a"] == (I, [None, "3"])
    assert shown(read(file("a,b\nNA,1\n3,2\n")))["a"] == (C, ["NA", "3"])


def test_types_go_before_inference(file):
    path = file("plz;x;d;b\n1067;1,5;1.2.2020;1\n99;2;3.4.2021;0\n")
    types = {"plz": "category", "x": "number", "d": Kind.DATE, "b": "boolean"}
    assert shown(read(path, types=types, decimal=",")) == {
        "plz": (C, ["1067", "99"]), "x": (N, ["1.5", "2.0"]), "d": (D, ["2020-02-01", "2021-04-03"]), "b": (B, ["true", "false"]),
    }  # fmt: skip
    assert shown(read(path, types={"x": "number"}))["x"] == (
        N,
        ["1.5", "2.0"],
    )  # the comma found out by itself
    with pytest.raises(TypeNotPossible) as caught:
        read(path, types={"d": "integer"})
    assert (caught.value.facts["count"], caught.value.facts["first"]) == (2, 1)
    with pytest.raises(ColumnMissing, match="Did you mean 'plz'"):
        read(path, types={"pls": "integer"})


def test_asking_for_the_kind_that_would_be_inferred_changes_nothing(file):
    path = file("x;y\n1,5;2.5\n")
    assert shown(read(path, types={"x": "number", "y": "number"})) == shown(read(path))


def test_names_are_stripped_and_must_be_there_and_differ(file):
    assert list(read(file("a, b ,c\n1,2,3\n")).columns) == ["a", "b", "c"]
    with pytest.raises(DuplicateColumn, match="a, b"):
        read(file("a,b,a,b,c\n1,2,3,4,5\n"))
    with pytest.raises(NamesMissing) as caught:
        read(file("a,,\n1,2,3\n"))
    assert (caught.value.facts["count"], caught.value.facts["position"]) == (2, 2)


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n \n", b"\xef\xbb\xbf", "\n".encode("utf-16")])
def test_an_empty_file_is_refused(file, content):
    with pytest.raises(FileEmpty):
        read(file(content))


@pytest.mark.parametrize("content", ["a", "a,b\n", '"a\nb",c\r\n'])
def test_a_header_alone_is_no_data(file, content):
    with pytest.raises(EmptyData):
        read(file(content))


@pytest.mark.parametrize("signs", [{"separator": ";;"}, {"separator": '"'}, {"separator": "\n"}, {"separator": "x"}, {"separator": "ä"},
                                   {"decimal": "'"}, {"separator": ",", "decimal": ","}])  # fmt: skip
def test_signs_that_cannot_be(file, signs):
    with pytest.raises(SignWrong):
        read(file("a,b\n1,2\n"), **signs)


def test_other_separators_can_be_named(file):
    assert shown(read(file("a~b\n1~2\n"), separator="~")) == {"a": (I, ["1"]), "b": (I, ["2"])}
    assert shown(read(file("a,b\n1,5\n"), separator=";")) == {"a,b": (N, ["1.5"])}
    assert list(read(file("a, b\nx, y\n", "data.tsv")).columns) == ["a", "b"]
    assert shown(read(file("Betrag\n1,5\n", "data.tsv"))) == {
        "Betrag": (N, ["1.5"])
    }  # one column, ended by tabs


def test_a_large_file_is_checked_in_chunks(file):
    rng = random.Random(7)
    rows = [f'{i},"{"x" * rng.randrange(200)}, ""{i}""\n",{rng.random()}\n' for i in range(20_000)]
    data = read(file("id,text,x\n" + "".join(rows)))
    assert len(data) == 20_000
    assert data.column("id").values.tolist() == list(range(20_000))
    assert data.column("x").kind is N
    with pytest.raises(Ragged) as caught:
        read(file("id,text,x\n" + "".join(rows) + "1,2\n"))
    assert (caught.value.facts["line"], caught.value.facts["count"]) == (40_002, 1)


# -- round trips and random input --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("csv") / "data.csv"


signs = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
quoted_signs = st.characters(
    exclude_characters="\0\r", exclude_categories=["Cs"]
)  # that writer leaves \r unquoted
cells = st.none() | st.text(alphabet=st.sampled_from("a1=+-@\t\r\n,;|\"' ä0.") | signs, max_size=6)


BLANKS = " \v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b"
BLANKS += "\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
NUMBER = rf"[{BLANKS}]*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?[{BLANKS}]*"


def harmless(text):
    """What the reader is to find: formulas defused, slowly and one by one."""
    if text is None or all(re.fullmatch(NUMBER, part, re.ASCII) for part in re.split("[,;|\t\r\n]", text)):
        return text
    out = "'" if text[:1] in ("\t", "\r", "\n") else ""
    for place, sign in enumerate(text):
        begins = place == 0 or text[place - 1] in ",;|\t\r\n"
        out += ("'" if begins and text[place:].lstrip(BLANKS)[:1] in tuple("=+-@＝＋－＠") else "") + sign
    return out


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8))
@settings(max_examples=200)
def test_any_text_survives_a_csv_file(path, rows):
    columns = {name: Column.texts_of([row[i] for row in rows]) for i, name in enumerate(("a", "=b"))}
    path.write_bytes(written(Microdata(columns), "csv"))
    data = read(path, types={"a": "category", "'=b": "category"}, missing=(), separator=",")
    assert data.column("a").texts().tolist() == [harmless(row[0]) for row in rows]
    assert data.column("'=b").texts().tolist() == [harmless(row[1]) for row in rows]


@given(st.lists(cells, min_size=1, max_size=8))
def test_any_single_column_survives_a_csv_file(path, texts):
    path.write_bytes(written(Microdata({"a": Column.texts_of(texts)}), "csv"))
    data = read(path, types={"a": "category"}, missing=(), separator=",")
    assert data.column("a").texts().tolist() == [harmless(text) for text in texts]


@given(
    st.lists(
        st.tuples(st.text(alphabet='a1,;|\t"\n ', max_size=5), st.text(alphabet=quoted_signs, max_size=5)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(",;|\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
)
def test_what_pythons_own_writer_writes_is_read_back(path, rows, separator, end, quoting):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting).writerows([("a", "b"), *rows])
    path.write_bytes(text.getvalue().encode())
    data = read(path, types={"a": "category", "b": "category"}, separator=separator, header=True)
    for i, name in enumerate(("a", "b")):
        assert data.column(name).texts().tolist() == [row[i] or None for row in rows]


@given(
    st.binary(max_size=60) | st.text(alphabet='a1,;\t|"\n\r .-é', max_size=60).map(str.encode),
    st.sampled_from(["utf-8", "cp1252", "utf-16"]),
)
@settings(max_examples=500)
def test_random_bytes_give_data_or_a_coded_error(path, raw, encoding):
    path.write_bytes(raw)
    try:
        data = read(path, encoding=encoding)
    except TarnkappeError as error:
        assert error.exit_code == 2
    else:
        assert len(data) > 0
        written(data, "csv")
