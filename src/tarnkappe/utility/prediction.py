"""Prediction: a model is trained on the release and has to prove itself on the original."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field
from scipy.special import ndtri

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.errors.models import ModelImpossible
from tarnkappe.kernels.features import Features
from tarnkappe.kernels.glm import Block, fit
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.utility.coded import coded
from tarnkappe.utility.comparing import joined
from tarnkappe.utility.features_of import regressors
from tarnkappe.utility.uncertain import CONFIDENCE

MOST = 30
"""Categories that can be predicted."""
CLOSE = 1e-6
"""Relative change of the deviance at which a model predicts as well as it will."""
_GONE = Text(
    "The release does not have {name} in the same form: all that is left is to guess.",
    "Die Freigabe hat {name} nicht in gleicher Form: Es bleibt nur zu raten.",
)
_FEW = Text(
    f"fewer than {LEAST} records to train or to test on",
    f"weniger als {LEAST} Datensätze zum Trainieren oder Testen",
)
_MANY = Text(f"the target has more than {MOST} categories", f"die Zielspalte hat mehr als {MOST} Kategorien")
_CONSTANT = Text("the target does not vary", "die Zielspalte variiert nicht")


class _Task(NamedTuple):
    """Regressors and target of the records of both files, one below the other."""

    features: Features
    y: Floats
    """Numbers, or codes of categories; NaN where there is none."""
    classes: int
    """Number of categories; 0 for numbers."""
    test: Bools


class _Score(NamedTuple):
    error: float
    each: Floats
    """The error of every held-back record."""
    told: dict[str, Json]


@measure(
    "utility.prediction",
    title=Text("Prediction learnt from the release", "Aus der Freigabe gelernte Vorhersage"),
    compares=True,
    does=Text(
        "Trains the same model on the release and on the original and tests both on original records that neither has seen.",
        "Trainiert dasselbe Modell auf der Freigabe und auf dem Original und prüft beide an Datensätzen des Originals, die keines gesehen hat.",
    ),
    sources=(
        Source("dav2025", "sections 6.3 and 6.5: errors of a model trained on masked and tested on original data (specification, D-U14)"),
    ),
    reads=Text(
        "Of the predictive power, measured from guessing (0) to perfect (1), {value} is lost.",
        "Von der Vorhersagekraft, gemessen von Raten (0) bis vollkommen (1), gehen {value} verloren.",
    ),
    knows=Text(
        "Original records that are held back for testing; released records of the same persons are not used for training.",
        "Zum Testen zurückgehaltene Datensätze des Originals; freigegebene Datensätze derselben Personen werden nicht zum Trainieren verwendet.",
    ),
    goal=Goal.LOW,
    bounds=(-math.inf, math.inf),
    does_not=(
        Text(
            "try several kinds of models: it takes linear and logistic regression",
            "mehrere Arten von Modellen versuchen: Es nimmt lineare und logistische Regression",
        ),
        Text("use weights", "Gewichte verwenden"),
    ),
    words={
        "accuracy": Text("share predicted rightly", "Anteil richtiger Vorhersagen"),
        "mean_absolute_error": Text("mean absolute error", "mittlerer absoluter Fehler"),
        "root_mean_squared_error": Text("root mean squared error", "Wurzel des mittleren quadratischen Fehlers"),
        "tested": Text("tested", "getestet"),
        "trained_on_original": Text("trained on the original", "auf dem Original trainiert"),
        "trained_on_release": Text("trained on the release", "auf der Freigabe trainiert"),
    },
    example={"target": "sex", "predictors": ["income", "employees", "region"], "tested": 0.4, "pairs": True},
)  # fmt: skip
class Prediction(Measure):
    """How much predictive power is lost when a model is trained on the release instead of the original.

    A share `tested` of the original records is held back, always the same. For a number, the model is linear regression and the error the mean
    squared one; for categories it is logistic regression of each category against the others, the most probable one is predicted, and the error
    is the share of wrong predictions. Predictive power is 1 - error/(error of the mean, or of the most frequent category): for
    numbers that is R² on the held-back records. Its interval says how far it is due to the records that were held back. The value is the power with the original less that with the release; it can be below 0 by chance.

    Regressors are made as in `utility.propensity`. Also told: accuracy, or root mean squared error, mean absolute error and mean variation
    (|error|/|value|, where a value is nearly 0 by their average size).
    """

    target: Annotated[str, Field(min_length=1)]
    """Column to predict. | Vorherzusagende Spalte."""
    predictors: tuple[str, ...] = ()
    """Columns to predict it from; without them, all others that both files have. | Spalten, aus denen vorhergesagt wird; ohne Angabe alle
    anderen, die beide Dateien haben."""
    tested: Annotated[float, Field(gt=0, lt=1)] = 0.3
    """Share of the original records that are held back. | Anteil der zurückgehaltenen Datensätze des Originals."""
    pairs: bool = False
    """Also products of columns and squares of numbers. | Auch Produkte von Spalten und Quadrate von Zahlen."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        found = regressors(after, before, self.predictors, self.id, but=(self.target,))
        there = _alike(before, after, self.target)
        y, classes = _target(before, after if there else None, self.target, self.id)
        y = np.append(y, np.full(len(before) + len(after) - len(y), np.nan))
        inside = np.arange(len(y)) < len(before)
        held = np.append(_held_back(len(before), self.tested), np.zeros(len(after), dtype=np.bool_))
        seen = np.append(
            np.zeros(len(before), dtype=np.bool_), np.isin(after.rows, before.rows[held[: len(before)]])
        )
        known = ~np.isnan(y)
        task = _Task(Features(found.features, len(y), self.pairs), y, classes, held & known)
        said = found.left if there else joined(_GONE.filled(name=self.target), found.left)
        return _finding(task, inside & known & ~held, ~inside & known & ~seen, said)


def _alike(before: Microdata, after: Microdata, name: str) -> bool:
    """The release has the column, with numbers where the original has them."""
    numbers = before.column(name).kind.is_number
    return name in after.columns and after.column(name).kind.is_number == numbers


def _held_back(records: int, share: float) -> Bools:
    """Always the same records of a file of that size."""
    generator = np.random.Generator(np.random.PCG64(1))
    out: Bools = generator.permutation(records) < round(share * records)
    return out


def _target(before: Microdata, after: Microdata | None, name: str, who: str) -> tuple[Floats, int]:
    """The column to predict, of both files where the release has it: numbers, or codes and how many there are."""
    files = (before,) if after is None else (before, after)
    if before.column(name).kind.is_number:
        return np.concatenate([data.numbers([name], who)[:, 0] for data in files]), 0
    found = coded(files[0].column(name), files[-1].column(name))
    codes = np.concatenate([found.old, found.new][: len(files)]).astype(np.float64)
    return np.where(codes >= found.missing, np.nan, codes), found.values


def _finding(task: _Task, first: Bools, second: Bools, said: Text) -> Finding:
    if task.classes > MOST:
        raise ModelImpossible(why=_MANY)
    if min(int(first.sum()), int(task.test.sum())) < LEAST:
        raise ModelImpossible(why=_FEW)
    scale = 1.0 if task.classes else float(power_scale(task.y))
    task = task._replace(y=task.y / scale)
    guess = _scored(task, _guess(task, first), scale)
    if not guess.error > 0:
        raise ModelImpossible(why=_CONSTANT)
    old = _scored(task, _predicted(task, first), scale)
    enough = int(second.sum()) >= LEAST
    new = _scored(task, _predicted(task, second), scale) if enough else guess
    value = (new.error - old.error) / guess.error
    low, high = _ends(old.each, new.each, guess.each)
    records = {"before": int(first.sum()), "after": int(second.sum()), "tested": int(task.test.sum())}
    told = {"guess": guess.told, "trained_on_original": old.told, "trained_on_release": new.told}
    return Finding(value, low, high, because=said, details={**told, "records": records})


def _ends(old: Floats, new: Floats, guess: Floats) -> tuple[float, float]:
    """The interval of the loss for other records to test on, the models being what they are: the ratio of two means, linearised."""
    unit = float(guess.mean())
    value = float((new - old).mean()) / unit
    left = (new - old - value * guess) / unit
    half = float(ndtri((1 + CONFIDENCE) / 2) * left.std(ddof=1) / math.sqrt(len(left)))
    return value - half, value + half


def _guess(task: _Task, train: Bools) -> Floats:
    y = task.y[train]
    best = float(y.mean()) if not task.classes else float(np.argmax(np.bincount(y.astype(np.int64))))
    return np.full(int(task.test.sum()), best)


def _predicted(task: _Task, train: Bools) -> Floats:
    """Predictions for the held-back records by a model trained on some records."""
    if not task.classes:
        return _linear(task, _beta(task, train, task.y))
    values: Ints = np.unique(task.y[train]).astype(np.int64)
    if len(values) < 2:
        return _guess(task, train)
    scores = [_linear(task, _beta(task, train, (task.y == v).astype(np.float64))) for v in values]
    best: Ints = values[np.argmax(scores, axis=0)]
    return best.astype(np.float64)


def _beta(task: _Task, train: Bools, y: Floats) -> Floats:
    def blocks() -> Iterator[Block]:
        for rows, x in task.features.blocks():
            here = train[rows]
            yield Block(x[here], y[rows][here], np.ones(int(here.sum())))

    return fit(blocks, "logistic" if task.classes else "gaussian", CLOSE).beta


def _linear(task: _Task, beta: Floats) -> Floats:
    return np.concatenate([(x @ beta)[task.test[rows]] for rows, x in task.features.blocks()])


def _scored(task: _Task, predicted: Floats, scale: float) -> _Score:
    truth = task.y[task.test]
    if task.classes:
        missed = (predicted != truth).astype(np.float64)
        wrong = float(missed.mean())
        return _Score(wrong, missed, {"accuracy": 1 - wrong})
    apart = np.abs(predicted - truth)
    size = float(np.sqrt(np.mean(truth**2)))
    near = np.abs(truth) < 1e-12 * size
    error = float(np.mean(apart**2))
    with np.errstate(over="ignore"):
        told = {
            "root_mean_squared_error": math.sqrt(error) * scale,
            "mean_absolute_error": float(apart.mean()) * scale,
            "mean_variation": float(np.mean(apart / np.where(near, size or 1.0, np.abs(truth)))),
            "guarded": int(near.sum()),
        }
    return _Score(error, apart**2, told)
