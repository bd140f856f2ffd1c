"""What measures of utility share: the weights, what was left out, and how few records are too few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.data.quantities import LEAST, unsure
from tarnkappe.errors.data import WeightsWrong
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata

NOT_THE_SAME = Text(
    f"Fewer than {LEAST} records are in both files: figures of fewer would come near the values themselves, and records that were made or drawn "
    "anew cannot be compared one by one.",
    f"Weniger als {LEAST} Datensätze stehen in beiden Dateien: Zahlen aus weniger kämen den Werten selbst nahe, und neu erzeugte oder gezogene "
    "Datensätze lassen sich nicht einzeln vergleichen.",
)
"""Why a comparison record by record is not possible."""


def weights(data: Microdata) -> Floats | None:
    """Give the weights of the records, or nothing where no column has that role."""
    for name in data.role(Role.WEIGHT):
        w = data.numbers([name])[:, 0]
        wrong = np.flatnonzero(np.isnan(w) | (w < 0))
        if len(wrong):
            raise WeightsWrong(name=name, count=len(wrong), first=data.record(wrong[0]))
        return w
    return None


def left_out(names: Iterable[str], why: Text) -> Text:
    """Say which columns were left out and why, or nothing."""
    shown = listed(list(names))
    said = Text("Left out ({why}): {names}.", "Nicht verglichen ({why}): {names}.")
    return said.filled(why=why, names=shown) if shown else NOTHING


def taken_unsure(data: Microdata, columns: Sequence[str], names: Sequence[str]) -> Text:
    """Say which columns were taken for quantities though no role and no parameter says so, and they look like codes; or nothing."""
    shown = listed([] if columns else list(unsure(data, names)))
    said = Text(
        "Taken for quantities, though no role says so and they look like codes or numbers of units: {names}. Give them a role, or name the columns.",
        "Als Größen genommen, obwohl keine Rolle es sagt und sie wie Codes oder Nummern von Einheiten aussehen: {names}. Geben Sie ihnen eine Rolle oder "
        "nennen Sie die Spalten.",
    )
    return said.filled(names=shown) if shown else NOTHING


def joined(*texts: Text) -> Text:
    """Put sentences side by side."""
    return Text(" ".join(t.en for t in texts if t), " ".join(t.de for t in texts if t))
