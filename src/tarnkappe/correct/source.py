"""The columns of a model with the errors they carry, and numbers without what can be taken off value by value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tarnkappe.correct.misclassified import StandIns, stand_ins
from tarnkappe.correct.release import Release, Step
from tarnkappe.correct.told import story_of
from tarnkappe.correct.treatments import SHEPPARD, Factors, Grouped, Misclassified, Noise, Story
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.formula import Term
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.correct import LogarithmUndefined, NotTold
from tarnkappe.language import Text

WHO = "correct"
_STRATA = Text("the strata of the noise", "die Schichten der Überlagerung")
_LOGS = Text("the moments of the logarithm of its factors", "die Momente des Logarithmus ihrer Faktoren")
_UNEVEN = Text(
    "classes of different width are shown as midpoints",
    "Klassen verschiedener Breite sind als Mitten gezeigt",
)


@dataclass(frozen=True)
class Source:
    """Released columns, their errors and, in simulations, other numbers in their place."""

    release: Release
    stories: Mapping[str, Story]
    numbers_instead: Mapping[str, Floats] = field(default_factory=dict)
    _found: dict[tuple[int, tuple[str, ...]], StandIns] = field(default_factory=dict)

    @staticmethod
    def of(release: Release, columns: Iterable[str], as_is: Iterable[str] = ()) -> Source:
        """The errors of some columns; those named `as_is` are taken to have none."""
        plain = set(as_is)
        for name in (*columns, *plain):
            release.data.column(name)
        return Source(release, {n: Story(n) if n in plain else story_of(release, n) for n in columns})

    @property
    def data(self) -> Microdata:
        return self.release.data

    def without(self, step: int, numbers: Mapping[str, Floats]) -> Source:
        """With the columns of a step taken as exact, and with other numbers."""
        stories = {
            name: replace(story, error=None) if story.error and story.error.step.number == step else story
            for name, story in self.stories.items()
        }
        return replace(self, stories=stories, numbers_instead={**self.numbers_instead, **numbers})

    def is_category(self, term: Term) -> bool:
        return term.form == "category" or not self.data.column(term.column).kind.is_number

    def numbers(self, name: str) -> Floats:
        """The values as released, NaN where there is none."""
        if name in self.numbers_instead:
            return self.numbers_instead[name]
        return self.data.numbers((name,), WHO)[:, 0]

    def shown(self, term: Term) -> Floats:
        """A term of the model from the numbers as released."""
        return self._formed(term, self.numbers(term.column))

    def value(self, term: Term) -> Floats:
        """A term with what can be taken off value by value: Kim's pull, and the mean of the logarithm of factors."""
        error = self.stories[term.column].error
        x = self.numbers(term.column)
        if isinstance(error, Noise) and not error.logs:
            return self._formed(term, self.unpulled(error, x))
        out = self._formed(term, x)
        if isinstance(error, Noise) and term.form == "log" and error.centred:
            return out + self._half_variance(error, out)
        if isinstance(error, Factors) and term.form == "log":
            if "mean_of_logarithm" not in error.moments:
                raise NotTold(what=_LOGS, name=term.column, step=error.step.number, method=error.step.title)
            return out - error.moments["mean_of_logarithm"]
        return out

    def unpulled(self, noise: Noise, x: Floats) -> Floats:
        """Original plus noise, before Kim's transformation."""
        if noise.pull == 1:
            return x
        mean = self.stratum_means(noise, x)
        out: Floats = mean + (x - mean) / noise.pull
        return out

    def strata(self, noise: Noise) -> Strata:
        """The strata within which the noise has its size."""
        if not self.still_shows(noise.within, noise.step):
            raise NotTold(
                what=_STRATA, name=noise.columns[0], step=noise.step.number, method=noise.step.title
            )
        return strata_of(self.data, noise.within)

    def still_shows(self, names: Iterable[str], step: Step) -> bool:
        """Whether columns are there as they were in a step."""
        return all(
            name in self.data.names and not any(n > step.number for n in self.release.treated.get(name, ()))
            for name in names
        )

    def stratum_means(self, noise: Noise, x: Floats) -> Floats:
        strata = self.strata(noise)
        there = ~np.isnan(x)
        size = np.bincount(strata.of[there], minlength=len(strata))
        out: Floats = (np.bincount(strata.of[there], x[there], len(strata)) / np.maximum(size, 1))[strata.of]
        return out

    def _half_variance(self, noise: Noise, logs: Floats) -> Floats:
        """Half the variance of the noise, which was taken off every draw."""
        deviation = logs - self.stratum_means(noise, logs)
        out: Floats = noise.part / 2 * self.stratum_means(noise, deviation**2)
        return out

    def _formed(self, term: Term, x: Floats) -> Floats:
        if term.form == "square":
            return x**2
        if term.form != "log":
            return x
        wrong = np.flatnonzero(x <= 0)
        if len(wrong):
            raise LogarithmUndefined(name=term.column, count=len(wrong), first=int(wrong[0]) + 1)
        return np.log(x)

    def rounding(self, term: Term) -> float:
        """Variance of the rounding error of a term; 0 where its values were not rounded."""
        story = self.stories[term.column]
        if isinstance(story.error, Grouped) and story.error.show == "midpoint":
            if story.error.width is None:
                raise story.refused(_UNEVEN)
            return story.error.width**2 / SHEPPARD
        return story.width**2 / story.over if term.form == "plain" else 0.0

    def stand_ins(self, column: str) -> StandIns | None:
        """Stand-ins for the categories of a column that was changed at random."""
        error = self.stories[column].error
        if not isinstance(error, Misclassified):
            return None
        key = (error.step.number, error.columns)
        if key not in self._found:
            self._found[key] = stand_ins(self.data, error)
        return self._found[key]

    def observed(self, column: str) -> Bools:
        found = self.stand_ins(column)
        if found is not None:
            return found.usable
        if column in self.numbers_instead:
            return ~np.isnan(self.numbers_instead[column])
        return self.data.column(column).observed
