"""Checks that people can read what a declared thing tells: every figure and every fact has words in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tarnkappe.data.microdata import Microdata
from tarnkappe.report.detail_names import NAMES as FIGURES
from tarnkappe.report.tables import flat
from tarnkappe.report.told import NAMES as FACTS
from tarnkappe.report.told import told
from tarnkappe.spec import Declared, Finding, Method, plain
from tarnkappe.spec.finding import Json
from tarnkappe.testing import measures, methods
from tarnkappe.testing.example import example_data

_DRAWN = {"bands", "quantiles", "from"}
"""Shown as a picture or a table of their own."""
_BY_VALUE = re.compile(r"\d+|\d+(\.\d+)?%|\d+–\d*|.+\[.+\]|.+ × .+")
"""Numbers, quantiles, bands of ages, levels of a regressor and tables of columns name themselves."""
_INTERNATIONAL = {"normal", "year"}


def figures_have_words(cls: type[Declared]) -> None:
    """Names in the details of the finding are those of columns, shared by measures, or among the words of the declaration."""
    data = example_data()
    for after in (data, measures.protected(data)):
        lacking = unnamed(cls, measures.measured(cls, after, data), data)
        assert not lacking, f"{cls.id}: states no words for {sorted(lacking)}"


def unnamed(cls: type[Declared], found: Finding, data: Microdata) -> set[str]:
    """Names in the details of a finding that nobody has words for."""
    named = {*data.names, *_DRAWN, *FIGURES, *cls.words}
    return {name for name in _names(found.details) if name not in named and not _BY_VALUE.fullmatch(name)}


def facts_have_words(cls: type[Declared]) -> None:
    """So are names of facts for recipients; phrases in them are in both languages."""
    before = example_data()
    after, method = methods.run(cls, before), methods.made(cls)
    facts = plain(method.tells(before, after))
    columns = {*before.names, *after.names, *(str(key) for key in method.model_dump().get("into") or ())}
    names = {name for path, _ in flat(facts) for name in path.split(" · ")}
    lacking = names - columns - FACTS.keys() - cls.words.keys() - {"treated"}
    assert all(name.isdigit() for name in lacking), f"{cls.id}: states no words for {sorted(lacking)}"
    for _, value in told(cls.id, facts):
        english = re.search("[a-z]{4}", value.en) and not set(re.split("[,:;] ", value.en)) & columns
        assert not english or value.en != value.de or value.en in _INTERNATIONAL, (
            f"{cls.id}: states no words for {value.en!r}"
        )


def words_are_its_own(cls: type[Declared]) -> None:
    """A word that everybody has is not stated again."""
    common = FACTS if issubclass(cls, Method) else FIGURES
    again = sorted(name for name, text in cls.words.items() if common.get(name) == text)
    assert not again, f"{cls.id}: states words again for {again}"


def _names(details: Json) -> Iterator[str]:
    if isinstance(details, dict):
        for name, inner in details.items():
            yield str(name)
            yield from _names(inner)
    elif isinstance(details, list | tuple):
        for inner in details:
            yield from _names(inner)
