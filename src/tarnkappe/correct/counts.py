"""Frequencies of a category that was changed at random (PRAM)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from tarnkappe.correct.clusters import clusters_of
from tarnkappe.correct.intervals import figures_of
from tarnkappe.correct.linear import Estimate
from tarnkappe.correct.misclassified import NOT_SHOWN, Block, StandIns
from tarnkappe.correct.notes import notes_of
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.result import Corrected
from tarnkappe.correct.settings import Options, Settings
from tarnkappe.correct.source import WHO, Source
from tarnkappe.correct.treatments import Grouped, Misclassified
from tarnkappe.correct.words import rules
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.formula import Term
from tarnkappe.errors.correct import TooFewRecords
from tarnkappe.errors.data import WrongKind
from tarnkappe.kernels.corrected_moments import sandwich
from tarnkappe.language import Text

Target = Literal["file", "population"]
TARGETS: dict[Target, Text] = {
    "file": Text(
        "Counts among the records of this file before categories were changed; standard errors from the random changes alone",
        "Anzahlen unter den Datensätzen dieser Datei, bevor Kategorien verändert wurden; Standardfehler allein aus den zufälligen Änderungen",
    ),
    "population": Text(
        "Shares in the population the records are drawn from; standard errors from sampling and from the random changes",
        "Anteile in der Grundgesamtheit, aus der die Datensätze stammen; Standardfehler aus Stichprobe und zufälligen Änderungen",
    ),
}
_GONE = "?"
_KEPT = Text(
    "{name}: categories were changed at random so that frequencies are kept on average; only their error is corrected (invariant PRAM).",
    "{name}: Kategorien wurden zufällig so verändert, dass Häufigkeiten im Mittel erhalten bleiben; korrigiert wird nur ihr Fehler "
    "(invariantes PRAM).",
)
_CATEGORIES = Text("categories", "Kategorien")


def frequencies(
    release: str | Path | Release, column: str, target: Target = "file", **options: Unpack[Options]
) -> Corrected:
    """Estimate how often the values of a column occurred before they were changed at random.

    Parameters
    ----------
    release
        The folder of a release.
    column
        A column of categories.
    target
        ``file``: counts in the original file; ``population``: shares in what the file is a sample of.
    options
        `weight` (for shares), `level`, `as_is`.
    """
    opened, settings = open_release(release), Settings(**options)
    source = Source.of(opened, (column,), settings.as_is)
    story = source.stories[column]
    story.refuse_lost(alone=settings.weight is None)
    if not (source.is_category(Term(column)) or isinstance(story.error, Grouped)):
        raise WrongKind(name=column, found=opened.data.column(column).kind.text, who=WHO, needed=_CATEGORIES)
    found = source.stand_ins(column)
    used = source.observed(column) & (_weights(source, settings) > 0)
    if not used.any():
        raise TooFewRecords(found=0, needed=1)
    naive = _as_shown(source, column, used, settings, target)
    if found is None:
        estimate = naive
    elif target == "file":
        estimate = _in_file(found, column, used, invariant=_invariant(source, column))
    else:
        estimate = _in_population(found, source, column, used, settings)
    return Corrected(
        title=Text("Frequencies of {name}", "Häufigkeiten von {name}").filled(name=column),
        estimator=TARGETS[target],
        figures=figures_of(estimate, naive, settings.level),
        records=int(np.count_nonzero(used)),
        level=settings.level,
        left_out=int(np.count_nonzero(~used)),
        corrected=(_KEPT.filled(name=column),)
        if _invariant(source, column) and settings.weight is None
        else rules(source.stories.values(), ()),
        notes=(*_notes(estimate), *notes_of(source, settings)),
        covariance=estimate.covariance,
    )


def _weights(source: Source, settings: Settings) -> Floats:
    return (
        np.ones(len(source.data))
        if settings.weight is None
        else np.nan_to_num(source.numbers(settings.weight))
    )


def _invariant(source: Source, column: str) -> bool:
    error = source.stories[column].error
    return isinstance(error, Misclassified) and error.invariant


def _as_shown(source: Source, column: str, used: Bools, settings: Settings, target: Target) -> Estimate:
    """Counts or shares as released."""
    texts = source.data.column(column).texts()
    names = tuple(sorted({str(t) for t in set(texts[used])}))
    marks = np.column_stack([(texts == name) & used for name in names]).astype(np.float64)
    if target == "file":
        return Estimate(names, marks.sum(axis=0), np.zeros((len(names), len(names))))
    return _shares(names, marks, _weights(source, settings) * used, source)


def _shares(names: tuple[str, ...], marks: Floats, weight: Floats, source: Source) -> Estimate:
    """Weighted means of marks with their sampling covariances."""
    total = weight.sum()
    share = weight @ marks / total
    scores = (marks - share) * weight[:, None]
    count = int(np.count_nonzero(weight))
    covariance = sandwich(np.eye(len(names)) / total, scores, clusters_of(source), count)
    return Estimate(names, share, covariance)


def _names(found: StandIns, column: str) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    """Levels with the words for them; those without a name at the end."""
    levels: tuple[str | None, ...] = found.levels(column)
    at = found.columns.index(column)
    if any(label[at] is NOT_SHOWN for block in found.blocks for label in block.labels):
        levels = (*levels, NOT_SHOWN)
    return tuple(_GONE if level is NOT_SHOWN else level for level in levels), levels


def _in_file(found: StandIns, column: str, used: Bools, *, invariant: bool) -> Estimate:
    """T̂ = (P⁻¹)' T, or T itself where frequencies are kept on average, with the covariance that the draws give it."""
    names, levels = _names(found, column)
    at, start = found.columns.index(column), 0
    values, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for block in found.blocks:
        mine = used & (found.row >= start) & (found.row < start + len(block.labels))
        shown = np.bincount(found.row[mine] - start, minlength=len(block.labels)).astype(np.float64)
        start += len(block.labels)
        back = np.eye(len(shown)) if invariant else block.back
        marks = np.array(
            [[label[at] == level for level in levels] for label in block.labels], dtype=np.float64
        )
        way = back @ marks
        values += shown @ way
        covariance += way.T @ _drawn(block, shown @ back) @ way
    return Estimate(names, values, covariance)


def _drawn(block: Block, before: Floats) -> Floats:
    """Covariance of new counts given the old ones: Σ_k T_k (diag(p_k) - p_k p_k')."""
    old = np.maximum(before, 0.0)
    p = block.matrix
    out: Floats = np.diag(old @ p) - (p * old[:, None]).T @ p
    return out


def _in_population(found: StandIns, source: Source, column: str, used: Bools, settings: Settings) -> Estimate:
    names, levels = _names(found, column)
    weight = _weights(source, settings) * used
    if _invariant(source, column) and settings.weight is None:
        texts = source.data.column(column).texts()
        marks = np.column_stack([(texts == level).astype(np.float64) for level in levels])
        shares = _shares(names, marks, weight, source)
        more = _in_file(found, column, used, invariant=True).covariance / np.count_nonzero(used) ** 2
        return Estimate(names, shares.values, shares.covariance + more)
    marks = np.column_stack([found.of({column: level}) for level in levels])
    return _shares(names, marks, weight, source)


def _notes(estimate: Estimate) -> Iterator[Text]:
    if _GONE in estimate.names:
        yield Text(
            "? stands for values that the release no longer shows.",
            "? steht für Werte, die die Freigabe nicht mehr zeigt.",
        )
    below = int(np.count_nonzero(estimate.values < 0))
    if below:
        yield Text(
            "{count} estimates are below 0: those values are too rare to be told from chance.",
            "{count} Schätzungen liegen unter 0: Diese Werte sind zu selten, um sie vom Zufall zu unterscheiden.",
        ).filled(count=below)
