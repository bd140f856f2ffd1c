"""The page that leads from the five documents to where their things live here: made from documents.txt and from the declared sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tarnkappe.spec import Declared, catalogue

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
LEFT_OUT = "left out: "
TITLES = {
    "hoehne2010": "Höhne (2010): Verfahren zur Anonymisierung von Einzeldaten",
    "gottschalk2002": "Gottschalk (2002): Anonymisierung von Unternehmensdaten",
    "wettig2002": "Wettig (2002): Geheimhaltung in statistischen Tabellen",
    "schenker2019": "Schenker (2019): Anonymisierung von Aggregatdaten",
    "dav2025": "Deutsche Aktuarvereinigung (2025): Anonymisierung im aktuariellen Umfeld",
}
INTRO = """\
# From the documents to the catalogue

Five documents describe most of what is here. This page goes through each of them in its order: what it calls a method, a rule, a measure or
an example, where that lives here, which test repeats it, and what is left out and why. Numbers are those that cards, tests and messages of
the project use. Below each table stand the entries of the catalogue that cite the document, with the place in it.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a document."""

    number: str
    called: str
    here: tuple[str, ...]
    """Ids of the catalogue."""
    also: tuple[str, ...]
    """Where else: a page, a test, a parameter; or, beginning with *left out*, why not."""

    @property
    def left_out(self) -> bool:
        """Nothing of it is here."""
        return not self.here and all(said.startswith(LEFT_OUT) for said in self.also)


@cache
def documents() -> dict[str, tuple[Item, ...]]:
    """Document (a key of the bibliography) -> its things."""
    found: dict[str, list[Item]] = {}
    for line in (HERE / "documents.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            found[line[1:].strip()] = []
        elif line and not line.startswith("#"):
            number, called, here, also = ([*(part.strip() for part in line.split(" |")), "", ""])[:4]
            said = tuple(part for part in also.split("; ") if part)
            found[list(found)[-1]].append(Item(number, called, tuple(here.split()), said))
    return {key: tuple(items) for key, items in found.items()}


@cache
def documents_page() -> str:
    """A table per document, then what cites it."""
    return "\n".join([INTRO, *(line for key, items in documents().items() for line in _document(key, items))])


def _document(key: str, items: tuple[Item, ...]) -> Iterator[str]:
    yield from (f"## {TITLES[key]}", "", f"In the bibliography: [{key}](#ref-{key}).", "")
    yield from ("| Number | In the document | Here | Repeated by |", "|---|---|---|---|")
    yield from map(_row, items, (key for _ in items))
    yield ""
    yield from (f"Entries that cite {key}:", "")
    for cls in catalogue:
        for source in cls.sources:
            if source.key == key:
                yield f"- {_card(cls)}: {source.where}"
    yield ""


def _row(item: Item, key: str) -> str:
    here = [_card(catalogue[id]) for id in item.here]
    also = [_linked(said) for said in item.also if not said.startswith("test ")]
    tests = [said.removeprefix("test ") for said in item.also if said.startswith("test ")]
    tests = tests or list(replications(item.here, key))
    spelt = "<br>".join(f"`tests/{test}`" for test in tests)
    return f"| {item.number} | {item.called} | {'<br>'.join([*here, *also])} | {spelt} |"


def _card(cls: type[Declared]) -> str:
    return f"[{cls.title.en}](catalogue/{cls.id}.md) (`{cls.id}`)"


def _linked(said: str) -> str:
    """A page of the manual becomes a link; why something is left out stands in italics."""
    if said.startswith(LEFT_OUT):
        return f"*{said}*"
    return re.sub(r"page ((?:[\w-]+/)+([\w-]+)\.md)", r"[\2](/\1)", said)


def replications(ids: tuple[str, ...], key: str) -> Iterator[str]:
    """The tests that repeat numbers of a document with one of these entries."""
    for file in sorted((TESTS / "replication" / key).glob("test_*.py")):
        text = _text(file)
        if any(_mentions(text, catalogue[id]) for id in ids):
            yield file.relative_to(TESTS).as_posix()


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _mentions(text: str, cls: type[Declared]) -> bool:
    return cls.id in text or cls.module in text or re.search(rf"\b{cls.__name__}\(", text) is not None
