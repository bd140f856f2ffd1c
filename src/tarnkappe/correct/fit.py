"""Regression on a protected release, corrected for what was done to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from tarnkappe.correct.bootstrap import percentiles
from tarnkappe.correct.clusters import clusters_of
from tarnkappe.correct.design import Design, design_of
from tarnkappe.correct.intervals import figures_of
from tarnkappe.correct.likelihood import limited, logit, plain_logit, refuse_misclassified
from tarnkappe.correct.linear import Estimate, least_squares, plain_least_squares, refuse_dependent
from tarnkappe.correct.notes import notes_of
from tarnkappe.correct.release import Release, open_release
from tarnkappe.correct.result import Corrected
from tarnkappe.correct.settings import Options, Settings
from tarnkappe.correct.simex import simulated
from tarnkappe.correct.source import Source
from tarnkappe.correct.treatments import Factors, Grouped, Limits, Noise, Treatment
from tarnkappe.correct.undo import rules_of, to_simulate
from tarnkappe.correct.words import rules
from tarnkappe.data.formula import Formula, parse_formula
from tarnkappe.errors.correct import OptionWrong, OutcomeWrong
from tarnkappe.language import Text, number

Way = Literal["moments", "limits", "logit"]
WAYS: dict[Way, Text] = {
    "moments": Text(
        "Least squares from corrected moments, robust standard errors",
        "Kleinste Quadrate aus korrigierten Momenten, robuste Standardfehler",
    ),
    "limits": Text(
        "Maximum likelihood for an outcome at limits or in classes, sandwich standard errors",
        "Maximum-Likelihood für eine Zielgröße an Grenzen oder in Klassen, Sandwich-Standardfehler",
    ),
    "logit": Text(
        "Logistic regression, sandwich standard errors", "Logistische Regression, Sandwich-Standardfehler"
    ),
}
_ZERO_ONE = Text(
    "it must be 0 or 1, or have two categories", "sie muss 0 oder 1 sein oder zwei Kategorien haben"
)
_CENSORED = Text(
    "it was cut at limits or put into classes",
    "sie wurde an Grenzen abgeschnitten oder in Klassen eingeteilt",
)


@dataclass(frozen=True)
class Problem:
    """A model, the columns it needs, and how it is estimated."""

    formula: Formula
    source: Source
    settings: Settings
    way: Way
    _own: list[Design] = field(default_factory=list)
    """The matrix of the release itself, once it is built."""

    @staticmethod
    def of(release: Release, words: str, settings: Settings) -> Problem:
        formula = parse_formula(words)
        source = Source.of(release, formula.columns, settings.as_is)
        if settings.weight is not None:
            release.data.column(settings.weight)
        return Problem(formula, source, settings, _way(formula, source, settings))

    def design(self, source: Source) -> Design:
        if source is not self.source:
            return self._built(source)
        if not self._own:
            self._own.append(self._built(source))
        return self._own[0]

    def _built(self, source: Source) -> Design:
        built = design_of(self.formula, source, self.settings.weight)
        refuse_dependent(built)
        return built

    @property
    def simulate(self) -> tuple[Treatment, ...]:
        """The errors that are undone by simulation."""
        terms = (self.formula.outcome, *self.formula.terms)
        if self.way == "moments":
            return to_simulate(terms, self.source)
        found: dict[int, Treatment] = {}
        for name in self.formula.columns:
            error = self.source.stories[name].error
            if isinstance(error, Noise | Factors):
                found[error.step.number] = error
        return tuple(found.values())

    def fit(self, source: Source) -> Estimate:
        """One estimate, with all errors undone that this way can undo."""
        design = self.design(source)
        groups = clusters_of(source)
        if self.way == "moments":
            return least_squares(design, design.values, rules_of(design, source), groups)
        refuse_misclassified(design, source)
        return (limited if self.way == "limits" else logit)(design, source, groups)

    def naive(self) -> Estimate | None:
        """What plain analysis of the release gives; nothing where it has no numbers to work on."""
        if isinstance(self.source.stories[self.formula.outcome.column].error, Grouped):
            return None
        design = self.design(self.source)
        groups = clusters_of(self.source)
        return (plain_logit if self.way == "logit" else plain_least_squares)(design, groups)


def model(release: str | Path | Release, formula: str, **options: Unpack[Options]) -> Corrected:
    """Estimate a model from a release, corrected for its protection.

    Parameters
    ----------
    release
        The folder of a release.
    formula
        Such as ``turnover ~ employees + C(region)``; with ``log(x)``, ``x**2`` and ``- 1`` for no constant.
    options
        `family` (linear or logit), `weight` (a column), `level`, `bootstrap` (draws), `as_is` (columns taken as they are), `seed`.
    """
    problem = Problem.of(open_release(release), formula, Settings(**options))
    found, naive = estimate(problem), problem.naive()
    settings = problem.settings
    if settings.bootstrap:
        found, ends = percentiles(found, problem.source, settings)
    else:
        ends = None
    design = problem.design(problem.source)
    notes = tuple(_notes(problem, found))
    return Corrected(
        title=Text("Model {f}", "Modell {f}").filled(f=str(problem.formula)),
        estimator=WAYS[problem.way],
        figures=figures_of(found, naive, settings.level, ends),
        records=design.records,
        level=settings.level,
        left_out=len(design.weight) - design.records,
        corrected=rules(problem.source.stories.values(), {e.step.number for e in problem.simulate}),
        notes=notes,
        r2=found.r2 if found.r2 is not None and 0 <= found.r2 <= 1 else None,
        naive_r2=naive.r2 if naive else None,
        spread=found.spread,
        covariance=found.covariance,
    )


def estimate(problem: Problem) -> Estimate:
    """The corrected estimate, by simulation where nothing else undoes an error."""
    errors = problem.simulate
    if not errors:
        return problem.fit(problem.source)
    if problem.settings.bootstrap:
        must = Text(
            "0 where noise is undone by simulation",
            "0, wo Überlagerung durch Simulation zurückgerechnet wird",
        )
        raise OptionWrong(option="bootstrap", given=problem.settings.bootstrap, must=must)
    fit: Callable[[Source], Estimate] = problem.fit
    return simulated(problem.source, errors, fit, np.random.default_rng(problem.settings.seed))


def _way(formula: Formula, source: Source, settings: Settings) -> Way:
    term = formula.outcome
    if isinstance(source.stories[term.column].error, Limits | Grouped):
        if settings.family == "logit":
            raise OutcomeWrong(name=term.column, family="logit", why=_CENSORED)
        return "limits"
    if source.is_category(term):
        return "moments" if settings.family == "linear" else "logit"
    if settings.family != "logit":
        return "moments"
    y = source.numbers(term.column)
    if not np.isin(y[~np.isnan(y)], (0.0, 1.0)).all():
        raise OutcomeWrong(name=term.column, family="logit", why=_ZERO_ONE)
    return "logit"


def _notes(problem: Problem, found: Estimate) -> Iterator[Text]:
    """What users must know about these figures."""
    yield from notes_of(problem.source, problem.settings)
    if problem.way == "moments" and found.r2 is not None and not 0 <= found.r2 <= 1:
        yield Text(
            "R² from corrected moments is {r}, no share: the noise is large for so few records.",
            "R² aus korrigierten Momenten ist {r} und damit kein Anteil: Für so wenige Datensätze ist die Überlagerung groß.",
        ).filled(r=Text(number(found.r2, "en"), number(found.r2, "de")))
