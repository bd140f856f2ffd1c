"""Text becomes numbers, dates and yes/no values.

`parse` reads text as one asked kind and is generous: leading zeros, a plus sign, ``5.0`` as a whole number.
`infer` finds the kind out from *all* values and is strict: ``01067`` is a postcode and ``+49`` a telephone
number, so both stay text; so do whole numbers beyond 64 bits, which a float would round, and dates that are
not in the calendar. Blanks around a value are ignored, except in text.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tarnkappe.vocab import Kind

_GROUPED = r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+"  # 1.234.567
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_SPECIAL = r"(?i:nan|[+-]?inf|[+-]?infinity)"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_ZONE = r"(?:Z|[+-][0-9]{2}:?[0-9]{2})"
_ISO = r"[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_GERMAN = r"[0-9]{1,2}\.[0-9]{1,2}\.[1-9][0-9]{3}"


def _whole(pattern: str) -> str:
    """The pattern for a whole field: blanks around it, or nothing at all."""
    return f"^ *(?:{pattern})? *$"


_SEEN_WHOLE = {
    ".": _whole(r"0|-?[1-9][0-9]*"),
    ",": _whole(rf"0|-?[1-9][0-9]*|-?{_GROUPED}"),
}
_SEEN_NUMBER = {
    ".": _whole(rf"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}|{_SPECIAL}"),
    ",": _whole(rf"-?(?:(?:0|[1-9][0-9]*|{_GROUPED})(?:,[0-9]*)?|,[0-9]+){_EXPONENT}|{_SPECIAL}"),
}
_SEEN_OTHER = (
    (Kind.DATE, _whole(_ISO)),
    (Kind.DATE, _whole(_GERMAN)),
    (Kind.DATETIME, _whole(rf"{_ISO}[T ]{_CLOCK}")),
    (Kind.DATETIME, _whole(rf"{_ISO}[T ]{_CLOCK}{_ZONE}")),
)
_SEEN_BOOLEAN = _whole("(?i:true|false)")
_ASKED_NUMBER = {
    ".": rf"^(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+){_EXPONENT}|{_SPECIAL})$",
    ",": rf"^(?:[+-]?(?:(?:[0-9]+|{_GROUPED})(?:,[0-9]*)?|,[0-9]+){_EXPONENT}|{_SPECIAL})$",
}
_ENGLISH_THOUSANDS = r"^ *-?[1-9][0-9]{0,2}(?:,[0-9]{3})+ *$"
_ASKED_BOOLEAN = r"^(?:(?i:true|false)|[01](?:\.0*)?)$"
_ASKED_DATE = rf"^(?:{_ISO}(?:[T ]00:00(?::00(?:\.0*)?)?)?|{_GERMAN})$"
_ASKED_DATETIME = rf"^{_ISO}(?:[T ]{_CLOCK}{_ZONE}?)?$"
_HEAD = 1000

Signs = Sequence[str]
"""Decimal signs to try, in this order."""


# -- reading as one kind ---------------------------------------------------------------------------------


def parse(texts: pl.Series, kind: Kind, decimal: str = ".") -> pl.Series:
    """The texts as values of `kind`; null where a text does not fit."""
    value = pl.col("x").str.strip_chars(" ")
    if kind is Kind.CATEGORY:
        return texts
    return texts.to_frame("x").select(_PARSERS[kind](value, decimal)).to_series()


def unfit(texts: pl.Series, parsed: pl.Series) -> pl.Series:
    """Where there was a text but no value came of it; blank text is missing, not unfit."""
    said = texts.is_not_null() & (texts.str.strip_chars(" ") != "")
    if parsed.dtype == pl.Float64:
        lost = parsed.is_null() | (parsed.is_infinite() & texts.str.contains("[0-9]"))
        return said & lost.fill_null(value=True)
    return said & parsed.is_null()


def _plain(value: pl.Expr, decimal: str) -> pl.Expr:
    """A number as computers write it, null if it is none."""
    fits: pl.Expr = pl.when(value.str.contains(_ASKED_NUMBER[decimal])).then(value)
    if decimal == ",":
        fits = fits.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    return fits.str.strip_prefix("+")


def _integer(value: pl.Expr, decimal: str) -> pl.Expr:
    return _plain(value, decimal).str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)


def _number(value: pl.Expr, decimal: str) -> pl.Expr:
    return _plain(value, decimal).cast(pl.Float64, strict=False)


def _boolean(value: pl.Expr, _decimal: str) -> pl.Expr:
    return pl.when(value.str.contains(_ASKED_BOOLEAN)).then(value.str.contains(r"^(?:(?i:true)|1)"))


def _date(value: pl.Expr, _decimal: str) -> pl.Expr:
    fits = pl.when(value.str.contains(_ASKED_DATE)).then(value)
    iso = fits.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    return pl.coalesce(iso, fits.str.to_date("%d.%m.%Y", strict=False))


def _datetime(value: pl.Expr, _decimal: str) -> pl.Expr:
    """Zones are turned into UTC; a time without one is taken as it is."""
    full = (
        pl.when(value.str.contains(_ASKED_DATETIME))
        .then(value)
        .str.replace("^(.{10})$", "${1}T00:00")
        .str.replace("^(.{10}) ", "${1}T")
        .str.replace("Z$", "+00:00")
        .str.replace("^(.{16})([+-]|$)", "${1}:00${2}")
        .str.replace("^(.{11}[0-9:.]+)$", "${1}+00:00")
    )
    return full.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", time_unit="us", strict=False).dt.replace_time_zone(
        None
    )


_PARSERS = {
    Kind.BOOLEAN: _boolean,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.DATE: _date,
    Kind.DATETIME: _datetime,
}


# -- finding the kind ------------------------------------------------------------------------------------


def infer(texts: pl.Series, decimals: Signs = (".",)) -> pl.Series:
    """The texts as values of the kind that all of them have; the texts themselves if there is none."""
    if not _any(texts, "[0-9]"):
        yes_no = _any(texts, "[a-zA-Z]") and _all(texts, _SEEN_BOOLEAN)
        return parse(texts, Kind.BOOLEAN) if yes_no else texts
    for decimal in decimals:
        for kind, pattern in ((Kind.INTEGER, _SEEN_WHOLE[decimal]), (Kind.NUMBER, _SEEN_NUMBER[decimal])):
            if _all(texts, pattern):
                return _without_loss(texts, kind, decimal)
    for kind, pattern in _SEEN_OTHER:
        if _all(texts, pattern):
            return _without_loss(texts, kind)
    return texts


def shows_decimal_comma(texts: pl.Series) -> bool:
    """Only the decimal comma makes numbers of this column, and not all of them could be English 1,234."""
    return (
        _all(texts, _SEEN_NUMBER[","])
        and not _all(texts, _SEEN_NUMBER["."])
        and bool((texts.str.contains("[0-9],|,[0-9]") & ~texts.str.contains(_ENGLISH_THOUSANDS)).any())
    )


def only_with_point(texts: pl.Series) -> bool:
    """Only the decimal point makes numbers of this column."""
    return _all(texts, _SEEN_NUMBER["."]) and not _all(texts, _SEEN_NUMBER[","])


def _without_loss(texts: pl.Series, kind: Kind, decimal: str = ".") -> pl.Series:
    parsed = parse(texts, kind, decimal)
    return texts if unfit(texts, parsed).any() else parsed


def _any(texts: pl.Series, pattern: str) -> bool:
    return bool(texts.str.contains(pattern).any())


def _all(texts: pl.Series, pattern: str) -> bool:
    """Whether all texts fit; the first thousand are asked first, because most patterns fail there."""
    head = texts.head(_HEAD)
    return bool(head.str.contains(pattern).all()) and bool(texts.str.contains(pattern).all())
