"""What the office should know of a step that was done: sentences with names, counts and shares, never a value of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.ranks import mid_ranks
from tarnkappe.language import Text, listed

LOOKED_AT = 20_000
"""Relations are judged on so many records, evenly spread over the file."""
HARDLY = 0.3
"""Below this mean absolute correlation columns have little in common (Gottschalk G-M20)."""
UNRELATED = 0.1
FEW_KEYS, MANY_KEYS = 4, 7
FEW_RECORDS = 5


def hardly_correlated(data: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Columns that are averaged together though they have little in common (Gottschalk 4.3, microaggregation)."""
    if len(names) < 2 or (r := _rank_correlations(data, names)) is None:
        return
    apart = np.abs(r[~np.eye(len(r), dtype=np.bool_)])
    if apart.mean() < HARDLY:
        yield Text(
            "These columns are hardly correlated: {names}. Groups that are alike in all of them are rare, so averages change much.",
            "Diese Spalten sind kaum korreliert: {names}. Gruppen, die sich in allen gleichen, sind selten; Mittelwerte ändern darum viel.",
        ).filled(names=listed(tuple(names)))


def unrelated(data: Microdata, names: Sequence[str], given: Sequence[str]) -> Iterator[Text]:
    """Columns that no given one has to do with: they are put in random order (data shuffling)."""
    if not given or (r := _rank_correlations(data, (*names, *given))) is None:
        return
    weak = np.abs(r[: len(names), len(names) :]).max(axis=1) < UNRELATED
    if weak.any():
        yield Text(
            "No given column has much to do with {names}: the values were put in nearly random order.",
            "Keine gegebene Spalte hat viel mit {names} zu tun: die Werte stehen nun in fast zufälliger Reihenfolge.",
        ).filled(names=listed([n for n, w in zip(names, weak, strict=True) if w]))


def many_noisy(names: Sequence[str]) -> Iterator[Text]:
    """More numeric columns than noise can hide (Gottschalk 4.3: four to six)."""
    if len(names) > FEW_KEYS:
        yield Text(
            "{count} columns got noise. Whoever knows more than four to six of them for a record finds it in spite of small noise.",
            "{count} Spalten wurden überlagert. Wer mehr als vier bis sechs davon zu einem Datensatz kennt, findet ihn trotz kleiner "
            "Überlagerung.",
        ).filled(count=len(names))


def many_keys(names: Sequence[str]) -> Iterator[Text]:
    """Keys so many that nearly every combination is rare."""
    if len(names) > MANY_KEYS:
        yield Text(
            "{count} keys are many: nearly every combination is rare, and coarsening before suppression would cost fewer cells.",
            "{count} Schlüssel sind viele: fast jede Kombination ist selten, und Vergröbern vor dem Unterdrücken würde weniger Zellen kosten.",
        ).filled(count=len(names))


def lone_cells(
    before: Microdata, after: Microdata, names: Sequence[str], within: Sequence[str] = ()
) -> Iterator[Text]:
    """Columns in which one suppressed cell stands alone: it points at its record (Höhne 2.1.2)."""
    was = before.aligned_to(after)
    groups = classes([after.column(w).codes() for w in within]).ids if within else np.zeros(len(after), int)
    alone = []
    for name in names:
        hidden = after.column(name).suppressed
        gaps = np.bincount(groups[hidden], minlength=1)
        if (gaps[groups[hidden & was.column(name).observed]] == 1).any():
            alone.append(name)
    if alone:
        yield Text(
            "A suppressed cell stands alone in {names}: a gap that is the only one points at its record.",
            "Eine unterdrückte Zelle steht allein in {names}: eine einzige Lücke weist auf ihren Datensatz.",
        ).filled(names=listed(alone))


def thin_cells(after: Microdata, within: Sequence[str]) -> Iterator[Text]:
    """Strata that are left with few records (Gottschalk 4.2: distortions in thinly filled cells)."""
    if within and len(after):
        sizes = classes([after.column(n).codes() for n in within]).sizes
        if thin := int(np.count_nonzero(sizes < FEW_RECORDS)):
            yield Text(
                "{count} strata are left with fewer than {few} records: results for them are distorted.",
                "{count} Schichten haben weniger als {few} Datensätze behalten: Ergebnisse für sie sind verzerrt.",
            ).filled(count=thin, few=FEW_RECORDS)


def _rank_correlations(data: Microdata, names: Sequence[str]) -> Floats | None:
    """Spearman's, over records that show all the columns; None where fewer than three do or a column is no number."""
    if not all(data.column(n).kind.is_number for n in names):
        return None
    at = np.unique(np.linspace(0, max(len(data) - 1, 0), min(len(data), LOOKED_AT)).astype(np.int64))
    x = np.stack([data.column(n).take(at).numbers() for n in names])
    x = x[:, ~np.isnan(x).any(axis=0)]
    if x.shape[1] < 3:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = np.nan_to_num(np.corrcoef(np.stack([mid_ranks(row) for row in x])))
    return out
