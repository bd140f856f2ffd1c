"""What corrected estimates look like: to people, to notebooks and to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from tarnkappe.data.column import Floats
from tarnkappe.language import Lang, Text, number
from tarnkappe.spec import plain

HEADS = Text(
    "|estimate|standard error|from|to|as released",
    "|Schätzung|Standardfehler|von|bis|wie freigegeben",
)


LONG = 1e9
"""Numbers from here on are shown with a power of ten: a variance of amounts would fill the line."""
TINY = 1e-4
"""Numbers below are, too: all their digits would be noughts."""


def short(value: float, lang: Lang, long: float = LONG) -> str:
    """A number that fits into a table."""
    if value == 0 or TINY <= abs(value) < long:
        return number(value, lang)
    text = f"{value:.3e}"
    return text.replace(".", ",") if lang == "de" else text


@dataclass(frozen=True, slots=True)
class Figure:
    """One estimate with its interval, and what plain analysis of the release gives."""

    name: str
    estimate: float
    error: float
    low: float
    high: float
    naive: float | None = None
    naive_error: float | None = None

    def cells(self, lang: Lang) -> tuple[str, ...]:
        shown = (self.estimate, self.error, self.low, self.high, self.naive)
        return (self.name, *("–" if v is None else short(v, lang) for v in shown))


@dataclass(frozen=True, slots=True)
class Corrected:
    """Estimates for the original data from a protected release."""

    title: Text
    """What was estimated."""
    estimator: Text
    figures: tuple[Figure, ...]
    records: int
    level: float
    left_out: int = 0
    corrected: tuple[Text, ...] = ()
    """What was corrected, and by which rule."""
    notes: tuple[Text, ...] = ()
    r2: float | None = None
    naive_r2: float | None = None
    spread: float | None = None
    """Standard deviation of the errors of the model, where it was estimated with the coefficients."""
    covariance: Floats | None = None

    def __getitem__(self, name: str) -> Figure:
        return next(figure for figure in self.figures if figure.name == name)

    def lines(self, lang: Lang) -> Iterator[str]:
        """Everything but the table, line by line."""
        yield self.title.in_(lang)
        yield self.estimator.in_(lang)
        yield from (f"• {text.in_(lang)}" for text in (*self.corrected, *self.notes))

    def facts(self, lang: Lang) -> str:
        """Records and fit in one line."""
        parts = [
            Text("{n} records", "{n} Datensätze").filled(n=number(self.records, lang)).in_(lang),
            Text("{level}% intervals", "{level}-%-Intervalle")
            .filled(level=f"{100 * self.level:g}")
            .in_(lang),
        ]
        if self.left_out:
            left = Text("{n} left out", "{n} ausgelassen").filled(n=number(self.left_out, lang))
            parts.insert(1, left.in_(lang))
        if self.r2 is not None:
            naive = "–" if self.naive_r2 is None else number(self.naive_r2, lang)
            text = Text("R² {r} (as released {n})", "R² {r} (wie freigegeben {n})")
            parts.append(text.filled(r=number(self.r2, lang), n=naive).in_(lang))
        if self.spread is not None:
            parts.append(f"σ {number(self.spread, lang)}")
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        told: dict[str, Any] = plain(
            {
                "title": self.title,
                "estimator": self.estimator,
                "records": self.records,
                "left_out": self.left_out,
                "level": self.level,
                "figures": [
                    {
                        "name": f.name, "estimate": f.estimate, "error": f.error, "low": f.low, "high": f.high,
                        "naive": f.naive, "naive_error": f.naive_error,
                    }
                    for f in self.figures
                ],
                "r2": self.r2,
                "naive_r2": self.naive_r2,
                "spread": self.spread,
                "corrected": self.corrected,
                "notes": self.notes,
            }
        )  # fmt: skip
        return told

    def __str__(self) -> str:
        return "\n".join(
            [*self.lines("en"), *aligned([HEADS.en.split("|"), *self._rows()]), self.facts("en")]
        )

    def _rows(self) -> list[Sequence[str]]:
        return [figure.cells("en") for figure in self.figures]

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [HEADS.en.split("|"), *self._rows()]
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        told = "".join(f"<p>{escape(line)}</p>" for line in [*self.lines("en"), self.facts("en")])
        return f"{told}<table>{body}</table>"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines of text, the first column to the left."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if j == 0 else cell.rjust(w)
            for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
