"""Which charts a run gets, each drawn in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from tarnkappe.data.column import Column
from tarnkappe.language import LANGUAGES, NOTHING, Lang, Text
from tarnkappe.report import shape_charts
from tarnkappe.report.charts import Spec, one_histogram, overlaid, paired, single
from tarnkappe.report.columns import Story
from tarnkappe.report.density import shapes
from tarnkappe.report.drawing import draw, embedded
from tarnkappe.report.frequencies import alone, as_numbers, same_categories, side, together
from tarnkappe.report.histogram import Histogram, histogram
from tarnkappe.report.lorenz import lorenz
from tarnkappe.report.numbers import percent
from tarnkappe.report.readings import AFTER_WORD, BEFORE_WORD
from tarnkappe.vocab import Kind, Role

MOST = 12
"""Most columns that get a picture."""
DETAILED = 3
"""So many of the most changed numeric columns also show density, boxes, quantiles and Lorenz curve."""
_NAMES = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER}
"""Columns that name somebody have no distribution worth a picture."""
_ORDERED = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME)
FEWEST_QUANTILES = 3
_BOTH = Text(
    "Distribution of {name} before (grey) and after (blue)",
    "Verteilung von {name} vorher (grau) und nachher (blau)",
)
_OLD = Text("Distribution of {name} before", "Verteilung von {name} vorher")
_NEW = Text("Distribution of {name} after", "Verteilung von {name} nachher")
_DENSITY = Text("Density and boxes", "Dichte und Kästen")
_AGAINST = Text("Quantiles after against before", "Quantile nachher gegen vorher")
_CONCENTRATION = Text("Lorenz curve", "Lorenzkurve")
_CURVES = Text(
    "Density and box plots of {name} before (dashed) and after (blue)",
    "Dichte und Boxplots von {name} vorher (gestrichelt) und nachher (blau)",
)
_QUANTILES = Text(
    "Quantiles of {name} after against those before", "Quantile von {name} nachher gegen die vorher"
)
_LORENZ = Text(
    "Lorenz curves of {name} before (dashed) and after (blue)",
    "Lorenzkurven von {name} vorher (gestrichelt) und nachher (blau)",
)
_ZEROS = Text(
    "Zeros are not drawn: {before} of the values before, {after} after.",
    "Nullen sind nicht gezeichnet: vorher {before}, nachher {after} der Werte.",
)
_HIDDEN = Text(
    "Bars of fewer than 3 records are left out.", "Balken von weniger als 3 Datensätzen entfallen."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One chart in one language."""

    svg: Markup
    specification: Markup
    """As Vega-Lite, to take along."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One chart, with a word above it; drawn when it is shown."""

    chart: Callable[[Lang], Spec]
    says: Text
    """What it shows, for those who cannot see it."""
    title: Text = NOTHING

    @property
    def shown(self) -> dict[Lang, Shown]:
        """Drawn once per language."""
        charts = {lang: self.chart(lang) for lang in LANGUAGES}
        return {
            lang: Shown(draw(chart, lang, self.says.in_(lang)), embedded(chart))
            for lang, chart in charts.items()
        }


@dataclass(frozen=True, slots=True)
class Picture:
    """One column, or two that hang together: one drawing with before and after, or two beside each other."""

    name: str
    label: str
    drawings: tuple[Drawing, ...]
    note: Text = NOTHING
    line: bool = False
    """After is drawn as a line, not as bars."""
    more: tuple[Drawing, ...] = ()
    """Further drawings, shown on demand."""
    more_note: Text = NOTHING
    wide: bool = False
    """A drawing that has both sides in it."""


def drawn(chart: Callable[[Lang], Spec], says: Text, title: Text = NOTHING) -> Drawing:
    """A chart that is drawn in either language."""
    return Drawing(chart, says, title)


def column_pictures(stories: Iterable[Story]) -> tuple[tuple[Picture, ...], int]:
    """Pictures of the changed columns, and how many further changed columns there are."""
    return pictures_of([s for s in stories if s.changed])


def pictures_of(stories: Sequence[Story]) -> tuple[tuple[Picture, ...], int]:
    """Pictures of these columns, those whose distribution moved most first, and how many have none for want of room."""
    wanted = [s for s in stories if not _NAMES & set(s.roles)]
    sketches = [(found, s) for s in wanted if (found := _sketch(s)) is not None]
    sketches.sort(key=lambda pair: -pair[0].moved)
    detailed = [s.name for found, s in sketches if found.line][:DETAILED]
    pictures = (_picture(found, s, with_more=s.name in detailed) for found, s in sketches[:MOST])
    return tuple(pictures), max(0, len(sketches) - MOST)


@dataclass(frozen=True, slots=True)
class _Sketch:
    """What will be drawn, and how far the distribution moved: half the sum of the differences of shares, 1 for other categories."""

    drawings: tuple[Drawing, ...]
    note: Text
    moved: float
    line: bool = False


def _picture(found: _Sketch, story: Story, *, with_more: bool) -> Picture:
    more, note = _shape(story) if with_more else ((), NOTHING)
    return Picture(story.name, story.label, found.drawings, found.note, found.line, more, note)


def _sketch(story: Story) -> _Sketch | None:
    old, new = story.before, story.after
    assert old is not None, "a changed column was in the original"
    assert new is not None, "a changed column is in the release"
    if old.kind in _ORDERED and new.kind in _ORDERED:
        return _overlaid(story.name, old, new)
    if old.categories is not None and new.categories is not None:
        return _categories(story.name, old, new)
    if old.kind in _ORDERED and new.categories is not None:
        return _banded(story.name, old, new)
    return None


def _shape(story: Story) -> tuple[tuple[Drawing, ...], Text]:
    """Density with boxes, quantiles against quantiles, and the Lorenz curve of amounts."""
    old, new = story.before, story.after
    assert old is not None, "a changed column was in the original"
    assert new is not None, "a changed column is in the release"
    found, name = shapes(old, new), _quoted(story.name)
    drawings, notes = [], []
    if found:
        drawings.append(drawn(partial(shape_charts.density, found), _CURVES.filled(name=name), _DENSITY))
        notes.append(shape_charts.bandwidth_note(found))
        if len(shape_charts.comparable(found)) >= FEWEST_QUANTILES:
            drawings.append(
                drawn(partial(shape_charts.quantiles, found), _QUANTILES.filled(name=name), _AGAINST)
            )
    unequal = lorenz(old, new) if old.kind.is_number and new.kind.is_number else None
    if unequal:
        drawings.append(
            drawn(partial(shape_charts.lorenz, unequal), _LORENZ.filled(name=name), _CONCENTRATION)
        )
        notes.append(shape_charts.gini_note(unequal))
    return tuple(drawings), Text(" ".join(n.en for n in notes), " ".join(n.de for n in notes))


def _overlaid(name: str, old: Column, new: Column) -> _Sketch | None:
    data = histogram(old, new)
    if data is None:
        return None
    chart = drawn(partial(overlaid, data), _BOTH.filled(name=_quoted(name)))
    return _Sketch((chart,), _notes(data), _moved(zip(data.before, data.after, strict=True)), line=True)


def _notes(data: Histogram) -> Text:
    """What the picture leaves out."""
    said = []
    if data.zeros:
        before, after = (percent(share) for share in data.zeros)
        said.append(_ZEROS.filled(before=before, after=after))
    if data.hidden:
        said.append(_HIDDEN)
    return Text(" ".join(t.en for t in said), " ".join(t.de for t in said))


def _categories(name: str, old: Column, new: Column) -> _Sketch | None:
    before, after = side(old), side(new)
    if not before.usual() and not after.usual():
        return None
    if same_categories(before, after):
        bars = together(before, after)
        chart = drawn(partial(paired, bars), _BOTH.filled(name=_quoted(name)))
        return _Sketch((chart,), NOTHING, _moved((bar.before, bar.after) for bar in bars))
    says = _quoted(name)
    left = drawn(partial(single, alone(before), side=0), _OLD.filled(name=says), BEFORE_WORD)
    right = drawn(partial(single, alone(after)), _NEW.filled(name=says), AFTER_WORD)
    return _Sketch((left, right), NOTHING, 1.0)


def _banded(name: str, old: Column, new: Column) -> _Sketch | None:
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
    return _Sketch(charts, _HIDDEN if data.hidden or (bands and bands.hidden) else NOTHING, 1.0)


def _moved(shares: Iterable[tuple[float, float]]) -> float:
    return sum(abs(after - before) for before, after in shares) / 2


def _quoted(name: str) -> Text:
    return Text(f"“{name}”", f"„{name}“")
