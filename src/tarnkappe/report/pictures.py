"""Which charts a run gets, each drawn in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from tarnkappe.data.column import Column
from tarnkappe.language import LANGUAGES, NOTHING, Lang, Text
from tarnkappe.report.charts import one_histogram, overlaid, paired, single
from tarnkappe.report.columns import Story
from tarnkappe.report.drawing import draw
from tarnkappe.report.frequencies import alone, as_numbers, same_categories, side, together
from tarnkappe.report.histogram import Histogram, histogram
from tarnkappe.report.numbers import percent
from tarnkappe.vocab import Kind, Role

MOST = 12
"""Most columns that get a picture."""
_NAMES = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.OWNER}
"""Columns that name somebody have no distribution worth a picture."""
_ORDERED = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME)
BEFORE_WORD = Text("before", "vorher")
AFTER_WORD = Text("after", "nachher")
_BOTH = Text(
    "Distribution of {name} before (grey) and after (blue)",
    "Verteilung von {name} vorher (grau) und nachher (blau)",
)
_OLD = Text("Distribution of {name} before", "Verteilung von {name} vorher")
_NEW = Text("Distribution of {name} after", "Verteilung von {name} nachher")
_ZEROS = Text(
    "Zeros are not drawn: {before} of the values before, {after} after.",
    "Nullen sind nicht gezeichnet: vorher {before}, nachher {after} der Werte.",
)
_HIDDEN = Text(
    "Bars of fewer than 3 records are left out.", "Balken von weniger als 3 Datensätzen entfallen."
)


@dataclass(frozen=True, slots=True)
class Drawing:
    """One chart in both languages, with a word above it."""

    svg: dict[Lang, Markup]
    title: Text = NOTHING


@dataclass(frozen=True, slots=True)
class Picture:
    """One column: one drawing with before and after, or two beside each other."""

    name: str
    label: str
    drawings: tuple[Drawing, ...]
    note: Text = NOTHING
    line: bool = False
    """After is drawn as a line, not as bars."""


def drawn(chart: Callable[[Lang], Any], says: Text, title: Text = NOTHING) -> Drawing:
    """Draw a chart once per language."""
    return Drawing({lang: draw(chart(lang), lang, says.in_(lang)) for lang in LANGUAGES}, title)


def column_pictures(stories: Iterable[Story]) -> tuple[tuple[Picture, ...], int]:
    """Pictures of the changed columns, and how many further changed columns there are."""
    changed = [s for s in stories if s.changed and not _NAMES & set(s.roles)]
    pictures = [p for s in changed[:MOST] if (p := _picture(s)) is not None]
    return tuple(pictures), max(0, len(changed) - MOST)


def _picture(story: Story) -> Picture | None:
    old, new = story.before, story.after
    assert old is not None, "a changed column was in the original"
    assert new is not None, "a changed column is in the release"
    numbers = old.kind in _ORDERED and new.kind in _ORDERED
    if numbers:
        found = _overlaid(story.name, old, new)
    elif old.categories is not None and new.categories is not None:
        found = _categories(story.name, old, new)
    elif old.kind in _ORDERED:
        found = _banded(story.name, old, new)
    else:
        found = None
    return Picture(story.name, story.label, *found, line=numbers) if found else None


_Found = tuple[tuple[Drawing, ...], Text] | None


def _overlaid(name: str, old: Column, new: Column) -> _Found:
    data = histogram(old, new)
    if data is None:
        return None
    chart = drawn(partial(overlaid, data), _BOTH.filled(name=_quoted(name)))
    return (chart,), _notes(data)


def _notes(data: Histogram) -> Text:
    """What the picture leaves out."""
    said = []
    if data.zeros:
        before, after = (percent(share) for share in data.zeros)
        said.append(_ZEROS.filled(before=before, after=after))
    if data.hidden:
        said.append(_HIDDEN)
    return Text(" ".join(t.en for t in said), " ".join(t.de for t in said))


def _categories(name: str, old: Column, new: Column) -> _Found:
    before, after = side(old), side(new)
    if not before.usual() and not after.usual():
        return None
    if same_categories(before, after):
        bars = together(before, after)
        return (drawn(partial(paired, bars), _BOTH.filled(name=_quoted(name))),), NOTHING
    says = _quoted(name)
    left = drawn(partial(single, alone(before), side=0), _OLD.filled(name=says), BEFORE_WORD)
    right = drawn(partial(single, alone(after)), _NEW.filled(name=says), AFTER_WORD)
    return (left, right), NOTHING


def _banded(name: str, old: Column, new: Column) -> _Found:
    """Numbers or dates that became bands: a histogram beside bars, or beside another histogram if they are many."""
    data, many, bars = histogram(old, old), as_numbers(new), alone(side(new))
    if data is None or not bars:
        return None
    bands = histogram(many, many) if many else None
    right = partial(one_histogram, bands, side=1) if bands else partial(single, bars)
    charts = (
        drawn(partial(one_histogram, data, side=0), _OLD.filled(name=_quoted(name)), BEFORE_WORD),
        drawn(right, _NEW.filled(name=_quoted(name)), AFTER_WORD),
    )
    return charts, _HIDDEN if data.hidden or (bands and bands.hidden) else NOTHING


def _quoted(name: str) -> Text:
    return Text(f"“{name}”", f"„{name}“")
