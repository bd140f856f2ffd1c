"""Propensity score: can a model tell the records of the two files apart?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.kernels.features import Features
from tarnkappe.kernels.glm import Block, fit, mean
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.comparing import joined
from tarnkappe.utility.features_of import regressors

WIDEST = 400
"""Regressors up to which products of columns are taken in."""
_TOO_FEW = Text(
    f"One file has fewer than {LEAST} records.", f"Eine Datei hat weniger als {LEAST} Datensätze."
)
_NO_PAIRS = Text(
    "Effects of two columns together were left out: with them the model would have {count} regressors.",
    "Effekte von je zwei Spalten zusammen entfallen: Mit ihnen hätte das Modell {count} Regressoren.",
)
_SAME = Text(
    "The null distribution holds for records that were drawn anew; {count} records are those of the original.",
    "Die Nullverteilung gilt für neu gezogene Datensätze; {count} Datensätze sind die des Originals.",
)


@measure(
    "utility.propensity",
    title=Text("Propensity score", "Propensity-Score"),
    compares=True,
    does=Text(
        "Fits a logistic model that guesses from which of the two files a record comes, and says how well it does.",
        "Schätzt ein logistisches Modell, das errät, aus welcher der beiden Dateien ein Datensatz stammt, und sagt, wie gut das gelingt.",
    ),
    sources=(
        Source("snoke2018", "pMSE, its expectation and standard deviation under the null, and the standardised ratio"),
        Source("dav2025", "section 7: acceptance of synthetic data (specification, 4.3)"),
        Source("gottschalk2002", "table A.2: the joint distribution (specification, G-U02)"),
    ),
    reads=Text(
        "The mean squared propensity difference (pMSE) is {value}; 0 means that the files cannot be told apart.",
        "Die mittlere quadratische Abweichung des Propensity-Scores (pMSE) beträgt {value}; bei 0 sind die Dateien nicht zu unterscheiden.",
    ),
    knows=Text(
        "All records of the original against all of the release, in the columns that both have in the same form.",
        "Alle Datensätze des Originals gegen alle der Freigabe, in den Spalten, die beide in gleicher Form haben.",
    ),
    goal=Goal.LOW,
    bounds=(0, 0.25),
    does_not=(
        Text(
            "see differences that its model has no term for: without `pairs` only shifts of means and frequencies",
            "Unterschiede sehen, für die das Modell keinen Term hat: ohne `pairs` nur verschobene Mittelwerte und Häufigkeiten",
        ),
        Text("use weights", "Gewichte verwenden"),
        Text(
            "say which analyses suffer: it looks at all columns at once",
            "sagen, welche Auswertungen leiden: Es betrachtet alle Spalten zugleich",
        ),
    ),
    words={
        "expected_of_sample": Text("expected of a second sample", "erwartet bei einer zweiten Stichprobe"),
    },
    example={"columns": ["sex", "income", "occupation"], "pairs": True, "shuffles": 3},
)  # fmt: skip
class Propensity(Measure):
    """The mean squared difference between the propensity score and the share of released records (pMSE).

    The two files are put one below the other and a logistic regression guesses which of them a record is from. Numbers enter
    standardised over both files, with their squares if `pairs` is set; categories as indicators (of more than thirty the rarer
    share one); missing and suppressed are categories of their own, for numbers beside a value of 0. pMSE = mean of (p - c)², c being the
    share of released records among all.

    `expected` and `sd` are its expectation and standard deviation if the release were drawn from the right model, fitted to the original:
    (k - 1)(1 - c)²c/N and √(2(k - 1))(1 - c)²c/N with k parameters. `standardised` is S_pMSE = (pMSE - expected)/sd, `ratio` is
    pMSE/expected; a standardised value above 3 says that the model of the release misses something. For a second sample from the
    population instead, both figures are larger by 1/(1 - c) (`expected_of_sample`). With `shuffles`, that is also simulated: records are
    assigned to the files at random, and `shuffled` tells what the model finds then. The expectation is the baseline.

    The files may have different records; for masked records of the same persons, the value says what changed, and its null
    distribution does not apply.
    """

    columns: tuple[str, ...] = ()
    """Columns to look at; without them, all but identifiers, households, owners and weights. | Betrachtete Spalten; ohne Angabe alle
    außer Identifikatoren, Haushalten, Eigentümern und Gewichten."""
    pairs: bool = False
    """Also products of columns and squares of numbers. | Auch Produkte von Spalten und Quadrate von Zahlen."""
    shuffles: Annotated[int, Field(ge=0, le=1000)] = 0
    """How often records are assigned to the files at random, to see what chance does. | Wie oft Datensätze den Dateien zufällig
    zugeordnet werden, um den Zufall zu sehen."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        found = regressors(after, before, self.columns, self.id)
        if min(len(after), len(before)) < LEAST:
            return Finding(math.nan, trusted=False, because=joined(_TOO_FEW, found.left))
        features = Features(found.features, len(before) + len(after), self.pairs)
        too_wide = features.width > WIDEST and self.pairs
        said = _NO_PAIRS.filled(count=features.width) if too_wide else NOTHING
        if too_wide:
            features = Features(found.features, features.records)
        y = np.repeat([0.0, 1.0], [len(before), len(after)])
        value, rank = pmse(features, y)
        shuffled = self._shuffled(features, y)
        details = {"columns": found.names, **_null(value, rank, y), **shuffled}
        return Finding(
            value=value,
            baseline=details["expected"],
            because=joined(said, _same_records(before, after), found.left),
            details=details,
        )

    def _shuffled(self, features: Features, y: Floats) -> dict[str, Json]:
        """What the model finds between files that chance has made."""
        if not self.shuffles:
            return {}
        generator = np.random.Generator(np.random.PCG64(1))  # repeatable: nothing is hidden by it
        drawn = np.array([pmse(features, generator.permutation(y))[0] for _ in range(self.shuffles)])
        sd = float(drawn.std(ddof=1)) if len(drawn) > 1 else math.nan
        return {"shuffled": {"times": self.shuffles, "mean": float(drawn.mean()), "sd": sd}}


def pmse(features: Features, y: Floats) -> tuple[float, int]:
    """The pMSE of a logistic regression of y, and the number of its parameters."""
    ones = np.ones(len(y))

    def blocks() -> Iterator[Block]:
        for rows, x in features.blocks():
            yield Block(x, y[rows], ones[rows])

    model = fit(blocks, "logistic")
    share = float(y.mean())
    total = sum(float(((mean("logistic", x @ model.beta) - share) ** 2).sum()) for _, x in features.blocks())
    return total / len(y), model.rank


def _null(value: float, rank: int, y: Floats) -> dict[str, Json]:
    """Expectation and standard deviation under the null (snoke2018)."""
    share, records = float(y.mean()), len(y)
    unit = (1 - share) ** 2 * share / records
    expected, sd = (rank - 1) * unit, math.sqrt(2 * (rank - 1)) * unit
    return {
        "parameters": rank,
        "expected": expected,
        "sd": sd,
        "standardised": (value - expected) / sd if sd else math.nan,
        "ratio": value / expected if expected else math.nan,
        "expected_of_sample": expected / (1 - share),
        "records": {"before": int(records - y.sum()), "after": int(y.sum())},
    }


def _same_records(before: Microdata, after: Microdata) -> Text:
    count = len(before.aligned_to(after))
    shown = Text(number(count, "en"), number(count, "de"))
    return _SAME.filled(count=shown) if count else NOTHING
