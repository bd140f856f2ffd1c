"""Means, variances and correlations of the original from a release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from tarnkappe.correct.clusters import clusters_of
from tarnkappe.correct.design import Design, design_of
from tarnkappe.correct.intervals import quantile
from tarnkappe.correct.notes import notes_of
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.result import Corrected, Figure
from tarnkappe.correct.settings import Options, Settings
from tarnkappe.correct.source import WHO, Source
from tarnkappe.correct.treatments import Grouped, Limits, Story
from tarnkappe.correct.undo import rules_of
from tarnkappe.correct.words import rules
from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.formula import Formula, Term
from tarnkappe.errors.correct import NotPositiveDefinite, OptionWrong
from tarnkappe.errors.data import WrongKind
from tarnkappe.kernels.corrected_moments import Rules, Shrink, contributions, second_moments, spread_before
from tarnkappe.language import Text

ESTIMATOR = Text(
    "Moments of the original from those of the release; standard errors from the contributions of the records",
    "Momente des Originals aus denen der Freigabe; Standardfehler aus den Beiträgen der Datensätze",
)
_NUMBERS = Text("numbers", "Zahlen")
_PARTLY = Text(
    "its values are known only up to limits or classes; take a model with a constant alone",
    "ihre Werte sind nur bis auf Grenzen oder Klassen bekannt; nehmen Sie ein Modell nur mit Konstante",
)


def moments(release: str | Path | Release, columns: Sequence[str], **options: Unpack[Options]) -> Corrected:
    """Estimate means, variances and correlations of numeric columns before they were masked.

    Parameters
    ----------
    release
        The folder of a release.
    columns
        Numeric columns; records with an empty cell in one of them are left out.
    options
        `weight` (a column), `level`, `as_is` (columns taken as they are).
    """
    opened, settings = open_release(release), Settings(**options)
    names = tuple(dict.fromkeys(columns))
    if not names:
        raise OptionWrong(
            option="columns", given="[]", must=Text("one column or more", "eine Spalte oder mehr")
        )
    source = Source.of(opened, names, settings.as_is)
    for story in source.stories.values():
        _refuse(story, source)
    *first, last = (Term(name) for name in names)
    design = design_of(Formula(last, tuple(first)), source, settings.weight)
    found = _figures(design, design.values, rules_of(design, source), source, settings)
    plain = replace(design, values=design.shown)
    naive = _figures(plain, plain.values, Rules.plain(len(design.parts)), source, settings)
    return Corrected(
        title=Text("Moments of {names}", "Momente von {names}").filled(names=", ".join(names)),
        estimator=ESTIMATOR,
        figures=tuple(
            replace(f, naive=n.estimate, naive_error=n.error) for f, n in zip(found, naive, strict=True)
        ),
        records=design.records,
        level=settings.level,
        left_out=len(design.weight) - design.records,
        corrected=rules(source.stories.values(), ()),
        notes=tuple(notes_of(source, settings)),
    )


def _refuse(story: Story, source: Source) -> None:
    column = source.data.column(story.column)
    if isinstance(story.error, Limits | Grouped):
        raise story.refused(_PARTLY)
    if not column.kind.is_number:
        raise WrongKind(name=story.column, found=column.kind.text, who=WHO, needed=_NUMBERS)


def _figures(design: Design, z: Floats, how: Rules, source: Source, settings: Settings) -> tuple[Figure, ...]:
    """Means, variances and correlations with the influence of every record on them."""
    shift = np.array(
        [_middle(design, z[:, j]) if (how.divisor[j] == 1).all() else 0.0 for j in range(z.shape[1])]
    )
    shift[0] = 0.0
    moved = z - shift
    total = float(design.weight.sum())
    second = second_moments(moved, design.weight, how) / total
    influence = (
        np.stack([contributions(moved, design.weight, how, unit) for unit in np.eye(z.shape[1])], axis=2)
        - design.weight[:, None, None] * second
    )
    spread = _Spread(second, influence / total, clusters_of(source), _shrink(how), moved)
    return tuple(spread.figures([p.name for p in design.parts], shift, settings.level))


def _shrink(how: Rules) -> Shrink | None:
    """All noise that moves with the spread of the original, as one; in the strata of its first step."""
    if not how.shrinks:
        return None
    first = how.shrinks[0]
    return replace(first, share=np.sum([s.share for s in how.shrinks], axis=0))


def _middle(design: Design, x: Floats) -> float:
    return float(design.weight @ x / design.weight.sum())


class _Spread:
    """From raw second moments with influences to means, variances and correlations."""

    def __init__(
        self, second: Floats, influence: Floats, clusters: Ints | None, shrink: Shrink | None, z: Floats
    ) -> None:
        self.mean, self.to_mean = second[0], influence[:, 0, :]
        self.second, self.influence, self.clusters = second, influence, clusters
        self.shrink = shrink
        self.centred = np.zeros((0, 0)) if shrink is None else _centred(z, shrink)

    def covariance(self, j: int, k: int) -> tuple[float, Floats]:
        value = float(self.second[j, k] - self.mean[j] * self.mean[k])
        return value, self.influence[:, j, k] - self.mean[j] * self.to_mean[:, k] - self.mean[
            k
        ] * self.to_mean[:, j]

    def error(self, influence: Floats, form: Floats | None = None) -> float:
        """Standard error from influences; `form` says of which products x_j x_k the estimate is made."""
        sums = influence if self.clusters is None else np.bincount(self.clusters, influence)
        variance = float((sums**2).sum())
        if form is not None and self.shrink is not None:  # noise moves with the spread of the original
            kept = (1 - self.shrink.share) * form
            both = spread_before(self.shrink, self.centred, np.stack([form, kept]))
            variance += float(both[0, 0] - both[1, 1]) / np.count_nonzero(self.shrink.weight) ** 2
        return float(np.sqrt(max(variance, 0.0)))

    def form(self, *entries: tuple[int, int, float]) -> Floats:
        """A symmetric matrix of weights of products."""
        out = np.zeros_like(self.second)
        for j, k, weight in entries:
            out[j, k] += weight / 2
            out[k, j] += weight / 2
        return out

    def figures(self, names: Sequence[str], shift: Floats, level: float) -> Iterator[Figure]:
        reach = quantile(level, np.inf)
        places = range(1, len(names))
        for j in places:
            mean, error = float(self.mean[j] + shift[j]), self.error(self.to_mean[:, j])
            yield Figure(f"mean({names[j]})", mean, error, mean - reach * error, mean + reach * error)
        for j in places:
            value, influence = self.covariance(j, j)
            error = self.error(influence, self.form((j, j, 1.0)))
            if value <= 0:
                raise NotPositiveDefinite(count=1, smallest=f"{value:.2g}", records=len(influence))
            yield Figure(
                f"variance({names[j]})", value, error, max(value - reach * error, 0.0), value + reach * error
            )
        for j in places:
            for k in range(j + 1, len(names)):
                yield self._correlation(j, k, f"correlation({names[j]}, {names[k]})", reach)

    def _correlation(self, j: int, k: int, name: str, reach: float) -> Figure:
        (a, to_a), (b, to_b), (c, to_c) = self.covariance(j, j), self.covariance(k, k), self.covariance(j, k)
        r = c / np.sqrt(a * b)
        if not -1 < r < 1:
            raise NotPositiveDefinite(count=2, smallest=f"{1 - abs(r):.2g}", records=len(to_a))
        form = self.form((j, k, 1 / np.sqrt(a * b)), (j, j, -r / 2 / a), (k, k, -r / 2 / b))
        error = self.error(to_c / np.sqrt(a * b) - r / 2 * (to_a / a + to_b / b), form)
        wide = reach * error / (1 - r**2)  # on Fisher's scale, so that the ends stay within -1 and 1
        low, high = np.tanh(np.arctanh(r) - wide), np.tanh(np.arctanh(r) + wide)
        return Figure(name, float(r), error, float(low), float(high))


def _centred(z: Floats, shrink: Shrink) -> Floats:
    """All columns less their means in the strata."""
    count = int(shrink.strata.max(initial=0)) + 1
    size = np.maximum(np.bincount(shrink.strata, minlength=count), 1)
    means = np.stack([np.bincount(shrink.strata, x, count) / size for x in z.T], axis=1)
    out: Floats = z - means[shrink.strata]
    return out
