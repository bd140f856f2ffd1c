"""How stable the moments of protected columns are, over many draws of the random numbers: the tables of Höhne's simulation.

Steps are applied again and again to the same data (hoehne2010, 4.2.3, table 3: mean, standard deviation, skewness and excess, each with its
mean, minimum, maximum and standard deviation over the draws; tables 6 to 9: the same of their relative errors, after the largest units
were left out, because a few of them decide).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Unpack

import numpy as np

from tarnkappe.correct.replications import LONG, NOT_PUBLIC, Spread, spread_of
from tarnkappe.correct.result import aligned, short
from tarnkappe.correct.settings import Options
from tarnkappe.correct.simulation import FIXED, protected, replicated
from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.correct import OptionWrong
from tarnkappe.kernels.moments import Moments, moments
from tarnkappe.language import Lang, Text, number
from tarnkappe.spec import Method, plain

MOMENTS = ("mean", "sd", "skewness", "excess")
NEAR = 1e-9
"""Below this part of its scale a moment is zero, and has no relative error."""
_HEADS = {
    "mean": Text("mean", "Mittelwert"),
    "sd": Text("standard deviation", "Standardabweichung"),
    "skewness": Text("skewness", "Schiefe"),
    "excess": Text("excess", "Exzess"),
}
_RELATIVE = Text("relative", "relativ")
_LINES = (
    Text("mean", "Mittelwert"),
    Text("minimum", "Minimum"),
    Text("maximum", "Maximum"),
    Text("standard deviation", "Standardabweichung"),
)
_ORIGINAL = Text("original", "Original")
_RECORDS = Text("records", "Sätze")
_OVER = Text(
    "{steps}; over {n} draws of the random numbers.", "{steps}; über {n} Ziehungen der Zufallszahlen."
)
_LARGEST = Text(
    "{name}: relative errors after the largest units were left out: mean / minimum / maximum / standard deviation",
    "{name}: relative Fehler, nachdem die größten Einheiten weggelassen wurden: Mittelwert / Minimum / Maximum / Standardabweichung",
)
_FEW = Text(
    "fewer than the records that column {name!r} has",
    "weniger als die Datensätze, die die Spalte {name!r} hat",
)


@dataclass(frozen=True, slots=True)
class MomentRow:
    """One moment of a column over the draws."""

    column: str
    left_out: int
    """So many units with the largest values of the original do not count."""
    records: int
    moment: str
    original: float
    masked: Spread | None
    relative: Spread | None
    """Of masked over original, less 1; None where the original is zero."""


@dataclass(frozen=True, slots=True)
class MomentSimulation:
    """Moments of the original and of many releases of it: for the office."""

    steps: tuple[Text, ...]
    replications: int
    rows: tuple[MomentRow, ...]
    notes: tuple[Text, ...] = ()

    def of(self, column: str, moment: str, left_out: int = 0) -> MomentRow:
        """One moment of a column."""
        wanted = (column, moment, left_out)
        return next(r for r in self.rows if (r.column, r.moment, r.left_out) == wanted)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.column for row in self.rows))

    def lines(self, lang: Lang) -> list[str]:
        """What the tables mean."""
        steps = ", ".join(step.in_(lang) for step in self.steps) or "–"
        head = _OVER.filled(steps=steps, n=self.replications).in_(lang)
        return [head, *(f"• {note.in_(lang)}" for note in (*self.notes, NOT_PUBLIC))]

    def tables(self, lang: Lang) -> Iterator[tuple[str, list[Sequence[str]]]]:
        """Name, heads and rows of every table: that of a column (table 3 of the book), then one of what is left without the largest units (6 to 9)."""
        for column in self.columns:
            yield column, self._moments_of(column, lang)
            if {r.left_out for r in self.rows if r.column == column} - {0}:
                yield _LARGEST.filled(name=column).in_(lang), self._without_largest(column, lang)

    def _moments_of(self, column: str, lang: Lang) -> list[Sequence[str]]:
        rows = [self.of(column, moment) for moment in MOMENTS]
        heads = [part for m in MOMENTS for part in (_HEADS[m].in_(lang), _RELATIVE.in_(lang))]
        out: list[Sequence[str]] = [["", *heads]]
        out.append(
            [_ORIGINAL.in_(lang), *(cell for row in rows for cell in (short(row.original, lang, LONG), ""))]
        )
        for place, line in enumerate(_LINES):
            pairs = (
                (
                    "–" if row.masked is None else short(_parts(row.masked)[place], lang, LONG),
                    _percent(row.relative, place, lang),
                )
                for row in rows
            )
            out.append([line.in_(lang), *(cell for pair in pairs for cell in pair)])
        return out

    def _without_largest(self, column: str, lang: Lang) -> list[Sequence[str]]:
        out: list[Sequence[str]] = [[_RECORDS.in_(lang), *(_HEADS[m].in_(lang) for m in MOMENTS)]]
        for left_out in dict.fromkeys(r.left_out for r in self.rows if r.column == column):
            rows = [self.of(column, moment, left_out) for moment in MOMENTS]
            cells = (" / ".join(_percent(row.relative, place, lang) for place in range(4)) for row in rows)
            out.append([number(rows[0].records, lang), *cells])
        return out

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told: dict[str, Any] = plain(
            {
                "steps": self.steps,
                "replications": self.replications,
                "moments": [asdict(row) for row in self.rows],
                "notes": self.notes,
            }
        )
        return told

    def __str__(self) -> str:
        shown = [line for name, rows in self.tables("en") for line in (name, *aligned(rows))]
        return "\n".join([*shown, *self.lines("en")])

    def _repr_html_(self) -> str:
        """For notebooks."""
        out = ""
        for name, rows in self.tables("en"):
            body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
            out += f"<p>{escape(name)}</p><table>{body}</table>"
        return out + "".join(f"<p>{escape(line)}</p>" for line in self.lines("en"))


def _parts(spread: Spread) -> tuple[float, float, float, float]:
    return spread.mean, spread.low, spread.high, np.nan if spread.sd is None else spread.sd


def _percent(spread: Spread | None, place: int, lang: Lang) -> str:
    if spread is None or np.isnan(_parts(spread)[place]):
        return "–"
    text = f"{100 * _parts(spread)[place]:.2f}"
    return f"{text.replace('.', ',')} %" if lang == "de" else f"{text}%"


def simulate_moments(
    data: Microdata,
    steps: Sequence[Method],
    columns: Sequence[str],
    replications: int = 100,
    tick: Callable[[], None] = lambda: None,
    without_largest: Sequence[int] = (),
    **options: Unpack[Options],
) -> MomentSimulation:
    """Mean, standard deviation, skewness and excess of columns in the original and in many releases of it.

    Parameters
    ----------
    data
        The original: what comes out is for the office, not for publication.
    steps
        The protection, as in a plan.
    columns
        Columns of numbers.
    replications
        How often the steps are applied with other random numbers; once where they draw none.
    tick
        Called after every replication.
    without_largest
        Numbers of units with the largest values in the original that are left out as well, one after the other, as in tables 6 to 9 of the book.
    options
        Only `seed`: it repeats the random numbers, which no release has.
    """
    times = replicated(steps, replications)
    data.numbers(columns, "simulate")
    cuts = [(name, cut) for name in columns for cut in dict.fromkeys((0, *without_largest))]
    kept = {(name, cut): _kept(data, name, cut) for name, cut in cuts}
    original = {key: moments(data.column(key[0]).numbers()[rows]) for key, rows in kept.items()}
    drawn: dict[tuple[str, int], list[Moments]] = {key: [] for key in kept}
    for draw in range(times):
        after = protected(data, steps, f"simulation {options.get('seed', 1)}", draw).data
        for (name, cut), rows in kept.items():
            if name in after.names:
                drawn[name, cut].append(_shown(data, after, name, rows))
        tick()
    notes = () if any(step.random for step in steps) else (FIXED,)
    made = [_row(key, moment, original[key], drawn[key]) for key in cuts for moment in MOMENTS]
    return MomentSimulation(tuple(step.title for step in steps), times, tuple(made), notes)


def _kept(data: Microdata, name: str, cut: int) -> Floats:
    """The records that have a value, without those with the largest ones."""
    values = data.column(name).numbers()
    there = np.flatnonzero(~np.isnan(values))
    if not 0 <= cut < len(there):
        raise OptionWrong(option="without_largest", given=cut, must=_FEW.filled(name=name))
    order = there[np.argsort(-values[there], kind="stable")]
    return np.sort(order[cut:])


def _shown(data: Microdata, after: Microdata, name: str, rows: Floats) -> Moments:
    """Moments of what the release shows of these records."""
    shown = after.column(name)
    values = shown.numbers() if shown.kind.is_number else np.full(len(after), np.nan)
    return moments(values[np.isin(after.rows, data.rows[rows])])


def _row(key: tuple[str, int], moment: str, original: Moments, drawn: list[Moments]) -> MomentRow:
    was = float(getattr(original, moment))
    values = np.array([getattr(one, moment) for one in drawn], dtype=np.float64)
    values = values[~np.isnan(values)]
    scale = original.size if moment in ("mean", "sd") else 1.0
    near = np.isnan(was) or abs(was) <= NEAR * scale
    relative = None if near else spread_of(values / was - 1, 0.0)
    return MomentRow(key[0], key[1], original.n, moment, was, spread_of(values, was), relative)
