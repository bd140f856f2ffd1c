"""Blanking and imputation: estimates in place of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.selection import cells_holding, records_numbered
from tarnkappe.errors.data import NotFinite, WrongKind
from tarnkappe.errors.imputation import FitTooWeak, NothingToLearnFrom, TooCloseToTruth
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.imputation import cell_donors, design, explained, fitted, nearest
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns, Records, Spelt

_NUMBERS = Text("numbers", "Zahlen")
NEIGHBOURS = 5
FEW = 20
"""Among fewer cells chance may give every one its own value again."""


def _rest_kept(m: Impute, before: Microdata, after: Microdata) -> bool:
    """A cell that was not chosen is as it was."""
    was, now = before.column(m.column), after.column(m.column)
    rest = ~m.chosen(before)
    states = was.suppress(now.suppressed & ~rest)
    same = was.texts()[rest] == now.texts()[rest] if was.categories is not None else _equal(was, now)[rest]
    return same_states(states, now) and bool(np.all(same))


def _equal(a: Column, b: Column) -> Bools:
    x, y = a.numbers(), b.numbers()
    return np.asarray((x == y) | (np.isnan(x) & np.isnan(y)))


def _far_from_truth(m: Impute, before: Microdata, after: Microdata) -> bool:
    was, now = before.column(m.column), after.column(m.column)
    cells = m.chosen(before) & now.observed
    if was.categories is not None:
        return True
    x, y = was.numbers()[cells], now.numbers()[cells]
    return bool(np.all(np.abs(x - y) >= m.apart * np.abs(x) * (1 - 1e-12)))


def _not_the_truth(m: Impute, before: Microdata, after: Microdata) -> bool:
    """Chosen cells carry values of other records or of a model: unless all records are alike, some differ."""
    was, now = before.column(m.column), after.column(m.column)
    cells = m.chosen(before) & now.observed
    varied = len(set(was.texts()[was.observed].tolist())) > 1
    few = int(np.count_nonzero(cells)) < FEW
    return few or not varied or bool(np.any(was.texts()[cells] != now.texts()[cells]))


@method(
    "microdata.impute",
    family=Family.DRAW,
    title=Text("Blank and impute", "Löschen und Einsetzen"),
    does=Text(
        "Some values were replaced by estimates from the other columns.",
        "Einige Werte wurden durch Schätzungen aus den anderen Spalten ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.2, local suppression with imputation (T09)"),
        Source("gottschalk2002", "4.3, blanking and imputation (G-M12)"),
    ),
    preserves=(
        Claim(Text("every cell that was not chosen", "jede Zelle, die nicht gewählt wurde"), _rest_kept),
    ),
    protects=(
        Claim(
            Text(
                "no imputed number lies closer to the true one than required",
                "keine eingesetzte Zahl liegt näher an der wahren als verlangt",
            ),
            _far_from_truth,
            when=lambda m: m.apart > 0,
        ),
        Claim(
            Text("imputed values are not the true ones", "eingesetzte Werte sind nicht die wahren"),
            _not_the_truth,
        ),
    ),
    does_not=(
        Text(
            "protect a unit that is large but typical: its estimate is close to the truth",
            "eine große, aber typische Einheit schützen: ihre Schätzung liegt nahe an der Wahrheit",
        ),
        Text(
            "keep variances with the models mean and regression: they become smaller",
            "Varianzen bei den Modellen mean und regression erhalten: sie werden kleiner",
        ),
        Text(
            "keep dependencies on columns that are not in the model",
            "Zusammenhänge mit Spalten erhalten, die nicht im Modell sind",
        ),
    ),
    words={
        "model": Text("imputed by", "ersetzt durch"),
        "hot-deck": Text("values of similar records", "Werte ähnlicher Datensätze"),
        "matching": Text("matching", "Zuordnung nächster Datensätze"),
        "mean": Text("means", "Mittelwerte"),
        "regression": Text("regression", "Regression"),
        "regression-residual": Text("regression with residuals", "Regression mit Residuen"),
        "predictors": Text("imputed from", "ersetzt mithilfe von"),
    },
    example={
        "column": "income", "predictors": ["employees", "sex"], "lower": 800.0, "upper": 3000.0, "records": [3, 7],
        "values": ["2842.69"], "model": "regression-residual", "apart": 0.01, "too_close": "suppress", "fit": -9.0,
    },
    random=True,
)  # fmt: skip
class Impute(Method):
    """Take cells away and put estimates from the other columns of the record in their place.

    The chosen cells are those beyond the limits, those of the numbered records and those that hold one of the values; without any of these,
    all cells of the column. Only observed cells are chosen. Models learn from the cells that are not chosen, or from all if none is left, and
    then never give a record its own value:

    - `mean`: mean (for categories the most frequent value) of the records that agree in the predictors;
    - `regression`: least squares on the predictors; `regression-residual` adds the residual of a random record, which keeps the variance;
    - `hot-deck`: the value of a random record that agrees in the predictors;
    - `matching`: the value of a record whose predicted value is among the five nearest.

    With weak dependence imputation destroys what it touches: the step is refused when the regression explains, in records left out of the fit,
    less than `fit` of the variation. And it does not protect units whose estimate is close to the truth: imputed numbers must lie at least `apart` of
    the true value away; if not, the step is refused or the cell is suppressed (`too_close`).
    """

    column: str
    """Column whose cells are imputed. | Spalte, deren Zellen ersetzt werden."""
    predictors: Columns
    """Columns the estimates are made from. | Spalten, aus denen geschätzt wird."""
    lower: float | None = None
    """Impute numbers below this. | Ersetzt Zahlen darunter."""
    upper: float | None = None
    """Impute numbers above this. | Ersetzt Zahlen darüber."""
    records: Records = ()
    """Numbers of records in the original file, from 1. | Nummern der Datensätze in der Originaldatei, ab 1."""
    values: tuple[Spelt, ...] = ()
    """Values that are imputed wherever they stand. | Werte, die überall ersetzt werden."""
    model: Literal["mean", "regression", "regression-residual", "hot-deck", "matching"] = "matching"
    """How estimates are made. | Wie geschätzt wird."""
    apart: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Least relative distance of an imputed number from the true one. | Kleinster relativer Abstand einer eingesetzten Zahl von der wahren."""
    too_close: Literal["refuse", "suppress"] = "refuse"
    """What happens where an estimate is too close. | Was geschieht, wo eine Schätzung zu nahe liegt."""
    fit: Annotated[float, Field(le=1)] = 0.2
    """Least share of the variation that the predictors must explain. | Kleinster Anteil der Streuung, den die Spalten erklären müssen."""

    @model_validator(mode="after")
    def _not_from_itself(self) -> Self:
        if self.column in self.predictors:
            raise ValueError(
                Text("a column cannot predict itself", "eine Spalte kann sich nicht selbst vorhersagen")
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return (self.column, *self.predictors)

    def chosen(self, data: Microdata) -> Bools:
        """The cells to be imputed."""
        column = data.column(self.column)
        named = self.lower is not None or self.upper is not None or bool(self.records) or bool(self.values)
        cells = np.full(len(data), not named)
        if self.lower is not None or self.upper is not None:
            values = data.numbers((self.column,), self.id)[:, 0]
            cells |= values < (-np.inf if self.lower is None else self.lower)
            cells |= values > (np.inf if self.upper is None else self.upper)
        if self.records:
            cells |= records_numbered(data, self.records)
        if self.values:
            cells |= cells_holding(data, self.column, self.values)
        return np.asarray(cells & column.observed)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        column = data.column(self.column)
        if column.kind.is_number:
            self._refuse_infinite(data)
        elif column.categories is None or self.model not in {"mean", "hot-deck"}:
            raise WrongKind(name=self.column, found=column.kind.text, who=self.id, needed=_NUMBERS)
        cells = self.chosen(data)
        if not cells.any():
            return data
        known = np.flatnonzero(column.observed & ~cells)
        known = known if len(known) else np.flatnonzero(column.observed)
        wanted = np.flatnonzero(cells)
        if len(known) < max(3, len(self.predictors) + 2):
            raise NothingToLearnFrom(
                name=self.column, found=len(known), needed=max(3, len(self.predictors) + 2)
            )
        if column.categories is not None or self.model in {"hot-deck", "mean"}:
            return self._grouped(data, known, wanted, stream)
        return self._modelled(data, known, wanted, stream)

    def _refuse_infinite(self, data: Microdata) -> None:
        for name in (self.column, *self.predictors):
            column = data.column(name)
            if column.kind.is_number and (infinite := np.flatnonzero(np.isinf(column.numbers()))).size:
                raise NotFinite(name=name, count=len(infinite), first=int(data.rows[infinite[0]]) + 1)

    def _grouped(self, data: Microdata, known: Ints, wanted: Ints, stream: Stream) -> Microdata:
        """From the records that agree in the predictors."""
        column = data.column(self.column)
        groups = classes(data.column(n).codes() for n in self.predictors).ids.astype(np.int64)
        if self.model == "mean" and column.categories is None:
            return self._numbers(data, wanted, _means(column.numbers(), groups, known, wanted))
        if self.model == "mean":
            codes = _modes(column.values.astype(np.int64), groups, known, wanted)
        else:
            donors = known[cell_donors(groups[known], groups[wanted], stream.generator)]
            own = donors == wanted
            donors[own] = known[(np.searchsorted(known, wanted[own]) + 1) % len(known)]
            if column.categories is None:
                return self._numbers(data, wanted, column.numbers()[donors])
            codes = column.values.astype(np.int64)[donors]
        values = column.values.copy()
        values[wanted] = codes
        return data.with_columns({self.column: replace(column, values=values)})

    def _modelled(self, data: Microdata, known: Ints, wanted: Ints, stream: Stream) -> Microdata:
        """From a regression on the predictors."""
        y = data.column(self.column).numbers()
        scale = float(power_scale(np.nan_to_num(y)))
        y = y / scale
        x = self._design(data)
        r2 = explained(x[known], y[known], stream.generator)
        if r2 < self.fit:
            raise FitTooWeak(name=self.column, found=f"{r2:.2f}", needed=f"{self.fit:.2f}")
        line = fitted(x[known], y[known])
        guess = x @ line.weight
        if self.model == "regression":
            made = guess[wanted]
        elif self.model == "regression-residual":
            made = guess[wanted] + stream.generator.choice(line.residual, len(wanted))
        else:
            donors = nearest(guess[known][:, None], guess[wanted][:, None], NEIGHBOURS, stream.generator)
            own = known[donors] == wanted
            donors[own] = (donors[own] + 1) % len(known)
            made = y[known[donors]]
        return self._numbers(data, wanted, made * scale)

    def _design(self, data: Microdata) -> Floats:
        numeric = [n for n in self.predictors if data.column(n).kind.is_number]
        numbers = np.column_stack([np.zeros(len(data)), *(data.column(n).numbers() for n in numeric)])
        return design(numbers, [data.column(n).codes()[0] for n in self.predictors if n not in numeric])

    def _numbers(self, data: Microdata, wanted: Ints, made: Floats) -> Microdata:
        """Numbers in place of the true ones, unless they are too close to them."""
        column = data.column(self.column)
        values = column.numbers()
        truth = values[wanted]
        close = np.abs(made - truth) < self.apart * np.abs(truth)
        if close.any() and self.too_close == "refuse":
            raise TooCloseToTruth(name=self.column, count=int(close.sum()), apart=f"{self.apart:g}")
        values[wanted[~close]] = made[~close]
        new = column.with_numbers(values)
        hide = np.zeros(len(data), dtype=np.bool_)
        hide[wanted[close]] = True
        return data.with_columns({self.column: new.suppress(hide)})

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That values are imputed and from which columns; not which cells."""
        del before, after
        return {"column": self.column, "predictors": list(self.predictors), "model": self.model}


def _means(values: Floats, groups: Ints, known: Ints, wanted: Ints) -> Floats:
    """The mean of each wanted record's group over the known others; of all known where it has none."""
    scale = float(power_scale(np.nan_to_num(values)))
    y = values / scale
    size = int(groups.max()) + 1
    sums, counts = np.bincount(groups[known], y[known], size), np.bincount(groups[known], minlength=size)
    own = np.isin(wanted, known)
    total, number = sums[groups[wanted]] - np.where(own, y[wanted], 0.0), counts[groups[wanted]] - own
    return np.where(number > 0, total / np.maximum(number, 1), y[known].mean()) * scale


def _modes(codes: Ints, groups: Ints, known: Ints, wanted: Ints) -> Ints:
    """The most frequent value of each wanted record's group; of all known where it has none."""
    size = int(codes.max()) + 1
    pairs, counts = np.unique(groups[known] * size + codes[known], return_counts=True)
    order = np.lexsort((pairs, counts))
    best = np.full(int(groups.max()) + 1, int(np.bincount(codes[known]).argmax()))
    best[pairs[order] // size] = pairs[order] % size
    return np.asarray(best[groups[wanted]])
