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
from tarnkappe.errors.masking import NothingChanged, ResultTooLarge
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.imputation import cell_donors, design, explained, fitted, guessed, nearest
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns, Records, Spelt

_NUMBERS = Text("numbers", "Zahlen")
_FIT = Text(
    "The predictors explain {share}% of {name} in records left out of the fit.",
    "Die Spalten, aus denen geschätzt wird, erklären {share} % von {name} in nicht angepassten Datensätzen.",
)
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
    return np.asarray((a.values == b.values) | ~a.observed)


def _far_from_truth(m: Impute, before: Microdata, after: Microdata) -> bool:
    was, now = before.column(m.column), after.column(m.column)
    cells = m.chosen(before) & now.observed
    if was.categories is not None:
        return True
    return not _close(was.numbers()[cells], now.numbers()[cells], m.apart * (1 - 1e-12)).any()


def _close(truth: Floats, made: Floats, apart: float) -> Bools:
    """Nearer to the truth than so much of it; where the truth is 0, and always if a distance is asked for, the truth itself."""
    with np.errstate(over="ignore"):
        near = np.abs(made - truth) < apart * np.abs(truth)
    close: Bools = near | ((made == truth) & (apart > 0))
    return close


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
    revision=2,
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

    With weak dependence imputation destroys what it touches: the step is refused when the estimates explain, in records left out of the fit,
    less than `fit` of the variation; for categories, when they guess less than `fit` of those that the most frequent category does not. How much it is
    stands in the report. And it does not protect units whose estimate is close to the truth: imputed numbers must lie at least `apart` of
    the true value away, and a true zero must not stay one; if not, the step is refused or the cell is suppressed (`too_close`).

    Records that agree in the predictors are the strata of `mean` and `hot-deck`; where a record is the only one, all others stand in. Missing
    values of predictors are a category of their own, in regressions the mean. Zeros and negative values are values like others; a constant
    column, which nothing can explain, and infinite values are refused.
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
        known, wanted = self._known(data), np.flatnonzero(cells)
        if len(known) < max(3, len(self.predictors) + 2):
            raise NothingToLearnFrom(
                name=self.column, found=len(known), needed=max(3, len(self.predictors) + 2)
            )
        fit = self._fit(data, known)
        if fit < self.fit:
            raise FitTooWeak(name=self.column, found=f"{fit:.2f}", needed=f"{self.fit:.2f}")
        way = self._grouped if column.categories is not None or self._by_groups else self._modelled
        after = way(data, known, wanted, stream)
        if not _not_the_truth(self, data, after):
            raise NothingChanged(who=self.id, name=self.column)
        return after

    @property
    def _by_groups(self) -> bool:
        return self.model in {"hot-deck", "mean"}

    def _known(self, data: Microdata) -> Ints:
        """The records to learn from: those that stay as they are, or all that are observed if none does."""
        observed = data.column(self.column).observed
        rest = np.flatnonzero(observed & ~self.chosen(data))
        return rest if len(rest) else np.flatnonzero(observed)

    def _fit(self, data: Microdata, known: Ints) -> float:
        """What the predictors explain in records left out of the fit (Gottschalk 2002, G-M12)."""
        column = data.column(self.column)
        if column.categories is not None:
            codes, cells = column.values.astype(np.int64)[known], self._groups(data)[known]
            return guessed(codes, lambda learn, out: _modes(codes, cells, learn, out))
        y = _scaled(column.numbers())[0][known]
        if self._by_groups:
            cells = self._groups(data)[known]
            return explained(y, lambda learn, out: _means(y, cells, learn, out))
        x = self._design(data)[known]
        return explained(y, lambda learn, out: x[out] @ fitted(x[learn], y[learn]).weight)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        known = self._known(before)
        if not len(known):
            return ()
        return (_FIT.filled(share=round(100 * self._fit(before, known)), name=self.column),)

    def _refuse_infinite(self, data: Microdata) -> None:
        for name in (self.column, *self.predictors):
            column = data.column(name)
            if column.kind.is_number and (infinite := np.flatnonzero(np.isinf(column.numbers()))).size:
                raise NotFinite(name=name, count=len(infinite), first=data.record(infinite[0]))

    def _groups(self, data: Microdata) -> Ints:
        """Records that agree in the predictors."""
        return classes(data.column(n).codes() for n in self.predictors).ids.astype(np.int64)

    def _grouped(self, data: Microdata, known: Ints, wanted: Ints, stream: Stream) -> Microdata:
        """From the records that agree in the predictors."""
        column, groups = data.column(self.column), self._groups(data)
        if self.model == "mean" and column.categories is None:
            y, scale = _scaled(column.numbers())
            return self._numbers(data, wanted, _means(y, groups, known, wanted) * scale)
        if self.model == "mean":
            codes = _modes(column.values.astype(np.int64), groups, known, wanted)
        else:
            donors = known[cell_donors(groups[known], groups[wanted], _own(known, wanted), stream.generator)]
            if column.categories is None:
                return self._numbers(data, wanted, column.numbers()[donors])
            codes = column.values.astype(np.int64)[donors]
        values = column.values.copy()
        values[wanted] = codes
        return data.with_columns({self.column: replace(column, values=values)})

    def _modelled(self, data: Microdata, known: Ints, wanted: Ints, stream: Stream) -> Microdata:
        """From a regression on the predictors."""
        y, scale = _scaled(data.column(self.column).numbers())
        x = self._design(data)
        line = fitted(x[known], y[known])
        guess = x @ line.weight
        if self.model == "regression":
            made = guess[wanted]
        elif self.model == "regression-residual":
            made = guess[wanted] + stream.generator.choice(line.residual, len(wanted))
        else:
            made = y[known[nearest(guess[known], guess[wanted], _own(known, wanted), stream.generator)]]
        with np.errstate(over="ignore"):  # looked at next
            return self._numbers(data, wanted, made * scale)

    def _design(self, data: Microdata) -> Floats:
        numeric = [n for n in self.predictors if data.column(n).kind.is_number]
        numbers = np.column_stack([np.zeros(len(data)), *(data.column(n).numbers() for n in numeric)])
        return design(numbers, [data.column(n).codes()[0] for n in self.predictors if n not in numeric])

    def _numbers(self, data: Microdata, wanted: Ints, made: Floats) -> Microdata:
        """Numbers in place of the true ones, unless they are too close to them."""
        if too_large := int(np.count_nonzero(~np.isfinite(made))):
            raise ResultTooLarge(who=self.id, count=too_large, name=self.column)
        column = data.column(self.column)
        close = _close(column.numbers()[wanted], made, self.apart)
        if close.any() and self.too_close == "refuse":
            raise TooCloseToTruth(name=self.column, count=int(close.sum()), apart=f"{self.apart:g}")
        new = column.with_numbers_at(wanted[~close], made[~close])
        hide = np.zeros(len(data), dtype=np.bool_)
        hide[wanted[close]] = True
        return data.with_columns({self.column: new.suppress(hide)})

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That values are imputed and from which columns; not which cells."""
        del before, after
        return {"column": self.column, "predictors": list(self.predictors), "model": self.model}


def _scaled(values: Floats) -> tuple[Floats, float]:
    """Numbers that can be squared, and what they were divided by."""
    scale = float(power_scale(np.nan_to_num(values)))
    return values / scale, scale


def _own(known: Ints, wanted: Ints) -> Ints | None:
    """The places of the wanted records among the known ones; either all of them are known or none is."""
    at = np.searchsorted(known, wanted)
    return np.asarray(at) if np.array_equal(known[np.minimum(at, len(known) - 1)], wanted) else None


def _means(y: Floats, groups: Ints, known: Ints, wanted: Ints) -> Floats:
    """The mean of each wanted record's group over the known others; of all known others where it has none."""
    size = int(groups.max()) + 1
    sums, counts = np.bincount(groups[known], y[known], size), np.bincount(groups[known], minlength=size)
    own = np.isin(wanted, known)
    less = np.where(own, y[wanted], 0.0)
    total, number = sums[groups[wanted]] - less, counts[groups[wanted]] - own
    others = (y[known].sum() - less) / np.maximum(len(known) - own, 1)
    return np.where(number > 0, total / np.maximum(number, 1), others)


def _modes(codes: Ints, groups: Ints, known: Ints, wanted: Ints) -> Ints:
    """The most frequent value of each wanted record's group over the known others; of all known where it has none."""
    size = int(codes.max()) + 1
    pairs, counts = np.unique(groups[known] * size + codes[known], return_counts=True)
    order = np.lexsort((pairs, counts, pairs // size))
    group, code, count = pairs[order] // size, pairs[order] % size, counts[order]
    last = np.searchsorted(group, groups[wanted], "right") - 1
    there = (last >= 0) & (group[last] == groups[wanted])
    more = (last >= 1) & there & (group[last - 1] == group[last])  # a second value in the group
    own = there & np.isin(wanted, known) & (code[last] == codes[wanted])
    beaten = own & more & (count[last] - 1 < count[last - 1])
    alone = ~there | (own & (count[last] == 1) & ~more)
    usual = int(np.bincount(codes[known]).argmax())
    return np.where(alone, usual, code[np.where(beaten, last - 1, last)])
