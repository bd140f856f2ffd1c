"""Tables of a report: what measures leave in their details, put into rows for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tarnkappe.language import Text, same
from tarnkappe.report.detail_names import NAMES
from tarnkappe.report.numbers import NONE, shown

_DOT = " · "
_NO_WORDS: Mapping[str, Text] = {}


@dataclass(frozen=True, slots=True)
class Table:
    """Headings, and rows that begin with their name."""

    title: Text
    heads: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    bars: tuple[float, ...] = ()
    """A share per row, drawn as a bar behind its name."""


def spelt(value: Any) -> Text:
    """A fact as people write it: lists with commas, mappings with colons."""
    if isinstance(value, bool):
        return Text("yes", "ja") if value else Text("no", "nein")
    if value is None or isinstance(value, float | int):
        return shown(value, 6)
    if isinstance(value, Mapping):
        bilingual = set(value) == {"en", "de"}
        return Text(**value) if bilingual else _joined([_pair(str(k), spelt(v)) for k, v in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _joined([spelt(v) for v in value])
    return same(str(value))


def flat(
    facts: Mapping[str, Any], path: tuple[str, ...] = (), *, entries: bool = False
) -> list[tuple[str, Text]]:
    """Nested facts as rows: the path to a value, and the value; with `entries`, those of a list by what they name first."""
    rows: list[tuple[str, Text]] = []
    for key, value in facts.items():
        here = (*path, str(key))
        if isinstance(value, Mapping) and set(value) != {"en", "de"}:
            rows += flat(value, here, entries=entries)
        elif entries and _entries(value):
            for number, entry in enumerate(value, 1):
                name, rest = _entry(entry, number)
                rows += flat(rest, (*here, name), entries=True)
        else:
            rows.append((_DOT.join(here), spelt(value)))
    return rows


def _entries(value: Any) -> bool:
    """Whether it is a list of things with figures."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return False
    return all(isinstance(one, Mapping) and set(one) != {"en", "de"} for one in value)


def _entry(entry: Mapping[str, Any], number: int) -> tuple[str, Mapping[str, Any]]:
    """The name of an entry, its first word or else its number, and its figures."""
    named_by = next((key for key, value in entry.items() if isinstance(value, str)), None)
    rest = {key: value for key, value in entry.items() if key != named_by}
    return str(entry[named_by]) if named_by else str(number), rest


_VALUES = {
    "attacker": Text("as an attacker sees it", "wie ein Angreifer es sieht"),
    "category": Text("as a category of its own", "als eigene Kategorie"),
    "wildcard": Text("as a wildcard", "als Joker"),
    "refuse": Text("as an error", "als Fehler"),
    "prosecutor": Text("prosecutor", "Ankläger"),
    "journalist": Text("journalist", "Journalist"),
    "marketer": Text("marketer", "Vermarkter"),
    "release": Text("the release itself", "die Freigabe selbst"),
    "highest": Text("the highest", "den höchsten Wert"),
    "average": Text("the average", "den Durchschnitt"),
    "usable": Text("usable", "brauchbar"),
    "doubtful": Text("doubtful", "zweifelhaft"),
    "unusable": Text("unusable", "unbrauchbar"),
    "mean": Text("mean", "Mittelwert"),
    "sd": Text("standard deviation", "Standardabweichung"),
    "variance": Text("variance", "Varianz"),
    "quantiles": Text("quantiles", "Quantile"),
    "skewness": Text("skewness", "Schiefe"),
    "excess": Text("excess", "Exzess"),
    "covariances": Text("covariances", "Kovarianzen"),
    "correlations": Text("correlations", "Korrelationen"),
    "rank-correlations": Text("correlations of ranks", "Rangkorrelationen"),
    "total": Text("total", "Summe"),
    "count": Text("number of values", "Zahl der Werte"),
    "worst": Text("the worst", "den schlechtesten Wert"),
    "kolmogorov-smirnov": Text("Kolmogorov-Smirnov", "Kolmogorow-Smirnow"),
    "wasserstein": Text("Wasserstein", "Wasserstein"),
    "hellinger": Text("Hellinger", "Hellinger"),
    "mean-variation": Text("mean variation (IL1)", "mittlere relative Veränderung (IL1)"),
}


def named(path: str, own: Mapping[str, Text] = _NO_WORDS) -> Text:
    """The path to a figure in words, as far as they are known: those of its measure, or those that measures share."""
    parts = [own.get(part) or NAMES.get(part, same(part)) for part in path.split(_DOT)]
    return Text(" ".join(p.en for p in parts), " ".join(p.de for p in parts))


def worded(value: Text) -> Text:
    """A policy in words; anything else as it is."""
    return _VALUES.get(value.en, value)


def _pair(key: str, value: Text) -> Text:
    return Text(f"{key}: {value.en}", f"{key}: {value.de}")


def _joined(parts: list[Text]) -> Text:
    """Numbers may hold commas; then a semicolon stands between them."""
    if not parts:
        return NONE
    sides = ([p.en for p in parts], [p.de for p in parts])
    return Text(*(("; " if any("," in word for word in words) else ", ").join(words) for words in sides))


def as_written(value: Any) -> str:
    """A parameter as it stands in a plan, without brackets."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{k}: {as_written(v)}" for k, v in value.items()) or "–"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(as_written(v) for v in value) or "–"
    return str(value)
