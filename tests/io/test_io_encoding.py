import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.files import EncodingUnknown, EncodingWrong
from tarnkappe.io import encoding
from tarnkappe.io.encoding import as_utf8

TEXT = "name;ort\nMüller;Köln €\n"


@pytest.mark.parametrize(
    "name", ["utf-8", "utf8", "UTF-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-32", "mac-roman"]
)
def test_any_encoding_of_python_is_read(name):
    assert as_utf8(TEXT.encode(name), name, "f").decode() == TEXT


@pytest.mark.parametrize(
    "raw",
    [
        codecs.BOM_UTF8 + TEXT.encode(), TEXT.encode("utf-16"), TEXT.encode("utf-32"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
)  # fmt: skip
def test_a_byte_order_mark_tells_the_encoding_and_goes(raw):
    assert as_utf8(raw, "utf-8", "f").decode() == TEXT


def test_a_mark_goes_where_the_codec_keeps_it():
    assert as_utf8(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le", "f").decode() == TEXT


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 24])
@pytest.mark.parametrize(
    ("raw", "name", "position"),
    [
        (b"abc\xffdef", "utf-8", 4), (b"\xe4", "utf-8", 1), (b"ab\xc3", "utf-8", 3), ("ä€".encode() + b"\xe2\x82", "utf-8", 6),
        (b"ab\x81", "cp1252", 3), ("ab".encode("utf-16-le") + b"\x00\xd8", "utf-16-le", 5), (b"ab\x80", "ascii", 3),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_byte_in_every_chunk_size(raw, name, position, chunk, monkeypatch):
    monkeypatch.setattr(encoding, "_CHUNK", chunk)
    with pytest.raises(EncodingWrong) as caught:
        as_utf8(raw, name, "f")
    assert caught.value.facts["position"] == position


def test_zero_bytes_are_no_text():
    with pytest.raises(EncodingWrong, match="byte 2"):
        as_utf8("ab".encode("utf-16-le"), "utf-8", "f")


@pytest.mark.parametrize("name", ["nonsense", "hex", "rot13", "zlib", "", "a\0b", "undefined"])
def test_what_is_no_text_encoding_is_refused(name):
    with pytest.raises(EncodingUnknown):
        as_utf8(b"abc", name, "f")


@given(
    st.binary(),
    st.sampled_from(
        ["utf-8", "utf-16", "utf-7", "raw_unicode_escape", "cp1252", "shift_jis", "idna", "punycode"]
    ),
)
def test_random_bytes_give_text_or_a_coded_error(raw, name):
    try:
        as_utf8(raw, name, "f").decode()
    except TarnkappeError as error:
        assert error.code == "file.encoding"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (TEXT.encode(), "utf-8"), (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"), (TEXT.encode("utf-16"), "utf-16"),
        (TEXT.encode("utf-32"), "utf-32"), (TEXT.encode("cp1252"), "cp1252"), (b"name;ort\n", "utf-8"),
    ],
)  # fmt: skip
def test_an_encoding_that_nobody_names_is_found(raw, name):
    text, found = encoding.decoded(raw, None, "f")
    assert found == name
    assert text.decode() in TEXT


@pytest.mark.parametrize(
    "raw",
    [
        "Müller;Köln;Straße\n".encode()[:-2] + b"\xff\n",  # UTF-8 with a fault: as cp1252 it would be garbled
        "Müller;Köln;Straßä".encode()[:-1],  # torn in the middle of a sign
        b"ab\x81\x8d",  # no text of cp1252 either
    ],
)
def test_what_is_damaged_utf8_or_no_text_is_refused_with_the_fault_of_utf8(raw):
    with pytest.raises(EncodingWrong) as caught:
        as_utf8(raw, None, "f")
    assert caught.value.facts["encoding"] == "utf-8"


def test_utf16_without_a_mark_is_no_text():
    with pytest.raises(EncodingWrong):
        as_utf8(TEXT.encode("utf-16-le"), None, "f")


def test_an_encoding_that_is_named_is_taken():
    assert encoding.decoded(TEXT.encode("cp1252"), "iso-8859-1", "f")[1] == "iso8859-1"
    with pytest.raises(EncodingWrong):
        as_utf8(TEXT.encode("cp1252"), "utf-8", "f")
