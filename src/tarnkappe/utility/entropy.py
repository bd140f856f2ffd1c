"""Entropy loss: how many bits about the original values are gone."""

from __future__ import annotations

import math

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.kernels.crossed import entropy, two_way
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.coded import Coded, categories_in_both, coded
from tarnkappe.utility.comparing import NOT_THE_SAME, joined


@measure(
    "utility.entropy",
    title=Text("Entropy loss", "Entropieverlust"),
    compares=True,
    does=Text(
        "Says how many bits about the original categories were lost by suppression, random change or recoding.",
        "Sagt, wie viele Bit an Information über die ursprünglichen Kategorien durch Unterdrückung, zufällige Änderung oder Umkodierung "
        "verloren sind.",
    ),
    sources=(
        Source("dav2025", "section 6.2: entropy loss as in μ-ARGUS (specification, D-U04)"),
        Source("hundepool2012", "entropy-based information loss for local suppression and PRAM"),
    ),
    reads=Text(
        "The loss is {value} of the entropy that the columns had.",
        "Der Verlust beträgt {value} der Entropie, die die Spalten hatten.",
    ),
    knows=Text(
        "The records that both files have, cell by cell; the probabilities are the frequencies in the two files.",
        "Die Datensätze, die beide Dateien haben, Zelle für Zelle; die Wahrscheinlichkeiten sind die Häufigkeiten in beiden Dateien.",
    ),
    goal=Goal.LOW,
    bounds=(0, math.inf),
    does_not=(
        Text(
            "say anything about records that were drawn anew, as in synthetic data",
            "etwas über neu gezogene Datensätze sagen, etwa in synthetischen Daten",
        ),
        Text(
            "see what is lost where released values are so rare that hardly any record shares them",
            "erkennen, was verloren ist, wo freigegebene Werte so selten sind, dass kaum ein Datensatz sie teilt",
        ),
    ),
    words={
        "suppressed_or_emptied": Text("cells suppressed or emptied", "unterdrückte oder geleerte Zellen"),
    },
    example={"columns": ["sex", "occupation", "age"]},
)
class EntropyLoss(Measure):
    """Bits lost about the original values, as a share of what there was.

    A cell that shows v' loses H(V | V' = v'), the entropy of the original values among the records that show v'; a cell that is suppressed
    or empty now loses H(V), the entropy of the column, as in μ-ARGUS. A cell that nobody could mistake loses nothing, also when it
    has another name. The sum over all cells is divided by the sum of H(V) over the same cells. It can exceed 1 where suppression hits the
    frequent values only. Cells that were empty in the original are left out.
    """

    columns: tuple[str, ...] = ()
    """Columns of categories; without them, all that both files have. | Spalten mit Kategorien; ohne Angabe alle, die beide Dateien
    haben."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        chosen = categories_in_both(after, before, self.columns, self.id, recoding=True)
        old, new = before.paired(after)
        if len(old) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(NOT_THE_SAME, chosen.left))
        columns = {n: _lost(coded(old.column(n), new.column(n))) for n in chosen.names}
        lost, whole = (sum(c[part] for c in columns.values()) for part in ("bits_lost", "bits"))
        return Finding(
            value=lost / whole if whole > 0 else 0.0,
            because=chosen.left,
            details={"columns": columns, "bits_lost": lost, "bits": whole, "records_compared": len(old)},
        )


def _lost(column: Coded) -> dict[str, Json]:
    """Bits lost of one column, and bits that it had."""
    there = column.old < column.missing
    was, shown = column.old[there], column.new[there]
    each = entropy(np.bincount(was, minlength=1).astype(np.float64))
    hidden = shown >= column.missing
    table = two_way(shown[~hidden], was[~hidden], (column.size, column.size), None)
    known = float((table.n * np.log2(table.row / table.n)).sum())
    lost, whole = known + int(hidden.sum()) * each, len(was) * each
    return {
        "bits_lost": lost,
        "bits": whole,
        "share": lost / whole if whole > 0 else 0.0,
        "entropy": each,
        "suppressed_or_emptied": int(hidden.sum()),
    }
