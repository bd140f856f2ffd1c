"""What estimates did over replications: the table of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr

from tarnkappe.correct.result import aligned, short
from tarnkappe.data.column import Floats
from tarnkappe.language import Lang, Text
from tarnkappe.spec import plain

SURE = 0.05
"""Biases that chance alone makes more seldom are marked, as in the tables of gottschalk2002."""
LONG = 1e7
"""Numbers from here on are shown with a power of ten: five columns stand side by side."""
HEADS = Text(
    "|original|as released|bias|corrected|bias",
    "|Original|wie freigegeben|Verzerrung|korrigiert|Verzerrung",
)
_REPLICATIONS = Text(
    "{steps}; means over {n} replications. *: not by chance (t-test, 5%).",
    "{steps}; Mittel über {n} Wiederholungen. *: nicht zufällig (t-Test, 5 %).",
)
NOT_PUBLIC = Text(
    "For the office: the estimates of the original are not protected.",
    "Für das Amt: Die Schätzungen aus dem Original sind nicht geschützt.",
)


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure over the replications."""

    replications: int
    mean: float
    sd: float | None
    """None from one replication."""
    low: float
    first_quartile: float
    median: float
    third_quartile: float
    high: float
    bias: float
    """Mean less the figure of the original."""
    t: float | None
    """Of the test that the mean is that of the original, which is fixed (specification G-U04)."""
    p: float | None

    def cells(self, lang: Lang) -> tuple[str, str]:
        mark = "*" if self.p is not None and self.p < SURE else ""
        return short(self.mean, lang, LONG), short(self.bias, lang, LONG) + mark


def spread_of(values: Floats, original: float) -> Spread | None:
    """Mean, spread and quartiles; nothing where there are no values."""
    n = len(values)
    if not n:
        return None
    mean = float(values.mean())
    low, first, median, third, high = map(float, np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
    sd = float(values.std(ddof=1)) if n > 1 else None
    t = float((mean - original) / (sd / np.sqrt(n))) if sd else None
    p = None if t is None else float(2 * stdtr(n - 1, -abs(t)))
    return Spread(n, mean, sd, low, first, median, third, high, mean - original, t, p)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of the model."""

    name: str
    what: Literal["estimate", "variance"]
    original: float
    error: float | None
    """Standard error in the original."""
    masked: Spread | None
    corrected: Spread | None

    def cells(self, lang: Lang) -> tuple[str, ...]:
        name = self.name if self.what == "estimate" else f"Var({self.name})"
        both = (("–", "–") if one is None else one.cells(lang) for one in (self.masked, self.corrected))
        return (name, short(self.original, lang, LONG), *(cell for cells in both for cell in cells))


@dataclass(frozen=True, slots=True)
class Simulation:
    """A model from the original and from many releases of it: for the office."""

    formula: str
    steps: tuple[Text, ...]
    replications: int
    rows: tuple[Row, ...]
    notes: tuple[Text, ...] = ()

    def __getitem__(self, name: str) -> Row:
        """The estimate of this name."""
        return next(row for row in self.rows if row.name == name and row.what == "estimate")

    def lines(self, lang: Lang) -> list[str]:
        """What the table means."""
        steps = ", ".join(step.in_(lang) for step in self.steps) or "–"
        head = _REPLICATIONS.filled(steps=steps, n=self.replications).in_(lang)
        return [head, *(f"• {note.in_(lang)}" for note in (*self.notes, NOT_PUBLIC))]

    def table(self, lang: Lang) -> list[Sequence[str]]:
        """Heads and rows."""
        return [HEADS.in_(lang).split("|"), *(row.cells(lang) for row in self.rows)]

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs and charts."""
        told: dict[str, Any] = plain(
            {
                "formula": self.formula,
                "steps": self.steps,
                "replications": self.replications,
                "rows": [asdict(row) for row in self.rows],
                "notes": self.notes,
            }
        )
        return told

    def __str__(self) -> str:
        return "\n".join([self.formula, *aligned(self.table("en")), *self.lines("en")])

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.table("en")
        )
        told = "".join(f"<p>{escape(line)}</p>" for line in (self.formula, *self.lines("en")))
        return f"{told}<table>{rows}</table>"
