"""The fast scan against a reader that goes sign by sign."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.io import lines
from tarnkappe.io.lines import line_number, misplaced_quote, shape, uses_quotes
from tarnkappe.io.sniffing import separator_of

COMMA = ord(",")
texts = st.text(alphabet=',"\n\rx ', max_size=40).map(str.encode)


def slow_fields(data, quoted):
    """Fields of every line, and where each line begins."""
    counts, begins, inside, fields, begin = [], [], False, 1, 0
    for i, sign in enumerate(data.decode()):
        if sign == '"' and quoted:
            inside = not inside
        elif sign == "," and not inside:
            fields += 1
        elif sign == "\n" and not inside:
            counts.append(fields)
            begins.append(begin)
            fields, begin = 1, i + 1
    if begin < len(data):
        counts.append(fields)
        begins.append(begin)
    return counts, begins


def slow_misplaced(data):
    """A state machine for RFC 4180."""
    state, last = "start", None
    text = data.decode()
    for i, sign in enumerate(text):
        if sign == '"':
            last = i
            if state == "start":
                state = "quoted"
            elif state == "quoted":
                state = "closing"
            elif state == "closing" and text[i - 1] == '"':
                state = "quoted"
            else:
                return i
        elif state == "quoted":
            continue
        elif state == "closing":
            ends = sign in ",\n" or (sign == "\r" and text[i + 1 : i + 2] in ("\n", ""))
            if not ends and text[i - 1] == '"':
                return i - 1
            state = "start" if sign in ",\n" else "closing"
        else:
            state = "start" if sign in ",\n" else "plain"
    return last if state == "quoted" else None


@given(texts, st.booleans(), st.sampled_from([1, 2, 3, 7, 1 << 22]))
def test_lines_and_fields_are_counted_in_every_chunk_size(data, quoted, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_CHUNK", chunk)
        found = shape(data, COMMA, quoted=quoted)
    counts, begins = slow_fields(data, quoted)
    wrong = [i for i, count in enumerate(counts) if count != counts[0]]
    assert (found.lines, found.misfits) == (len(counts), len(wrong))
    assert found.fields == (counts[0] if counts else 0)
    if wrong:
        assert (found.first.position, found.first.fields) == (begins[wrong[0]], counts[wrong[0]])
    else:
        assert found.first is None


@given(texts, st.sampled_from([1, 2, 3, 7, 1 << 22]))
def test_misplaced_quotes_are_found_where_a_state_machine_finds_them(data, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_CHUNK", chunk)
        assert misplaced_quote(data, COMMA) == slow_misplaced(data)


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b'"a",b', True), (b'a\n"b"', True), (b'a,"b"', True), (b'a, "b"', True), (b"a,b", False), (b"", False),
        (b'5" pipe,b', False), (b'a"b"c', False), (b' "a"', True), (b'"', True),
    ],
)  # fmt: skip
def test_quotes_are_used_if_a_field_begins_with_one(data, answer):
    assert uses_quotes(data, COMMA) is answer


def test_lines_are_counted_as_an_editor_counts_them():
    assert [line_number(b"a\nb\n\nc", i) for i in (0, 1, 2, 4, 5)] == [1, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("data", "separator"),
    [
        (b"a,b\n1,2\n", ","), (b"a;b\n1,5;2,5\n", ";"), (b"a\tb\n1,5\t2\n", "\t"), (b"a|b\n1|2\n", "|"),
        (b'"a,x";b\n1;2\n', ";"), (b'a,b\n"1;2",3\n"4;5",6\n', ","), (b"a\n1\n2\n", "!"), (b"a,b\n1;2\n3;4\n", ","),
        (b'name,"x;y"\n1,2\n', ","), (b"a;b,c\n1;2,5\n", ";"), (b"a,b", ","),
    ],
)  # fmt: skip
def test_the_separator_is_found(data, separator):
    assert separator_of(data, "!") == separator


def test_the_separator_of_a_long_file_is_found_from_its_first_whole_lines():
    rng = np.random.default_rng(1)
    rows = "".join(f"{i};{x:.3f}\n".replace(".", ",") for i, x in enumerate(rng.random(40_000)))
    assert separator_of(f"id;x\n{rows}".encode(), "!") == ";"
