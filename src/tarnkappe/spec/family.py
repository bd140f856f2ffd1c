"""Families of methods for microdata: what stands together where people choose."""

from __future__ import annotations

from enum import StrEnum

from tarnkappe.language import Text


class Family(StrEnum):
    """What a method does at heart."""

    RECODE = "recode"
    SUPPRESS = "suppress"
    AVERAGE = "average"
    NOISE = "noise"
    SWAP = "swap"
    DRAW = "draw"
    RECORDS = "records"
    NAMES = "names"

    @property
    def text(self) -> Text:
        return _WORDS[self]

    @property
    def takes_numbers(self) -> bool:
        """Whether the family works on numbers."""
        return self in (Family.AVERAGE, Family.NOISE, Family.DRAW)


_WORDS = {
    Family.RECODE: Text("Recode and drop", "Vergröbern und Entfernen"),
    Family.SUPPRESS: Text("Suppress", "Unterdrücken"),
    Family.AVERAGE: Text("Microaggregate", "Mikroaggregieren"),
    Family.NOISE: Text("Add noise", "Überlagern"),
    Family.SWAP: Text("Swap", "Vertauschen"),
    Family.DRAW: Text("Draw anew", "Neu ziehen"),
    Family.RECORDS: Text("Sample and records", "Stichprobe und Datensätze"),
    Family.NAMES: Text("Identifiers and order", "Identifikatoren und Ordnung"),
}
