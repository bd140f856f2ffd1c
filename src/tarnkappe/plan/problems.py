"""What is wrong with a plan, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tarnkappe.errors import short
from tarnkappe.errors.release import PlanWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, Place
from tarnkappe.spec.parameters import spelt

_SHOWN = 50
"""Problems that are told; whoever has mended these looks again."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a plan, and where."""

    place: Place
    says: Text
    line: int | None = None

    @property
    def text(self) -> Text:
        where = short(spelt(self.place)) or "–"
        en = f"line {self.line}, {where}" if self.line else where
        de = f"Zeile {self.line}, {where}" if self.line else where
        return Text(f"  {en}: {self.says.en}", f"  {de}: {self.says.de}")


def wrong(file: str, problems: Iterable[Problem], lines: Mapping[Place, int]) -> PlanWrong:
    """One error for all problems, in the order of their lines."""
    document = Document(None, lines)
    placed = [Problem(p.place, p.says, document.line(p.place)) for p in problems]
    placed.sort(key=lambda p: (p.line or 0, spelt(p.place)))
    texts = [p.text for p in placed[:_SHOWN]]
    if len(placed) > _SHOWN:
        more = len(placed) - _SHOWN
        texts.append(Text(f"  … and {more} more", f"  … und {more} weitere"))
    said = Text("\n".join(t.en for t in texts), "\n".join(t.de for t in texts))
    error = PlanWrong(file=file, count=len(placed), problems=said)
    error.places = {p.place: p.says for p in reversed(placed)}
    return error
