"""Blanking and imputation: estimates in place of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.masked import Whole, rounded, whole_alike
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.selection import cells_holding, records_numbered
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import NameTaken, NotFinite, WrongKind
from tarnkappe.errors.imputation import FitTooWeak, NothingToLearnFrom, TooCloseToTruth
from tarnkappe.errors.masking import NothingChanged, ResultTooLarge
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.imputation import (
    design,
    explained,
    fitted,
    guessed,
    nearest,
    nearest_rows,
)
from tarnkappe.language import Text
from tarnkappe.methods.microdata.imputation_parts import ENOUGH, Part, left_out_of, means, modes, scaled
from tarnkappe.methods.microdata.limits import FILE, STRATUM, too_few
from tarnkappe.methods.microdata.step_remarks import lone_cells
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import above, where
from tarnkappe.spec.fields import Columns, Records, Spelt
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Role

_NUMBERS = Text("numbers", "Zahlen")
_FIT = Text(
    "The predictors explain {share}% of {name} in records left out of the fit.",
    "Die Spalten, aus denen geschätzt wird, erklären {share} % von {name} in nicht angepassten Datensätzen.",
)
FEW = 20
"""Among fewer cells chance may give every one its own value again."""


def _rest_kept(m: Impute, before: Microdata, after: Microdata) -> bool:
    """A cell that was not chosen is as it was."""
    was, rest = before.column(m.column), ~m.chosen(before)
    for now in (after.column(name) for name in m.shown):
        states = was.suppress(now.suppressed & ~rest)
        same = (
            was.texts()[rest] == now.texts()[rest] if was.categories is not None else _equal(was, now)[rest]
        )
        if not (same_states(states, now) and np.all(same)):
            return False
    return True


def _equal(a: Column, b: Column) -> Bools:
    return np.asarray((a.values == b.values) | ~a.observed)


def _far_from_truth(m: Impute, before: Microdata, after: Microdata) -> bool:
    was, chosen = before.column(m.column), m.chosen(before)
    if was.categories is not None:
        return True
    for now in (after.column(name) for name in m.shown):
        cells = chosen & now.observed
        if _close(was.numbers()[cells], now.numbers()[cells], m.apart * (1 - 1e-12)).any():
            return False
    return True


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
        Source("rubin1987", "multiple imputation, approximate Bayesian bootstrap"),
    ),
    preserves=(
        Claim(Text("every cell that was not chosen", "jede Zelle, die nicht gewählt wurde"), _rest_kept),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no imputed number lies closer to the true one than required",
                "keine eingesetzte Zahl liegt näher an der wahren als verlangt",
            ),
            _far_from_truth,
            when=above("apart", 0),
        ),
        Claim(
            Text(
                "imputed values are not all the true ones; single ones may be, by chance or where apart is 0",
                "eingesetzte Werte sind nicht sämtlich die wahren; einzelne können es sein, durch Zufall oder wo apart 0 ist",
            ),
            _not_the_truth,
        ),
    ),
    does_not=(
        Text(
            "protect a unit that is large but typical: its estimate is close to the truth",
            "eine große, aber typische Einheit schützen: ihre Schätzung liegt nahe an der Wahrheit",
        ),
        ForAnalysis("keep variances: they become smaller", "Varianzen erhalten: sie werden kleiner", where("model", "mean", "regression")),
        ForAnalysis(
            "keep dependencies on columns that are not in the model",
            "Zusammenhänge mit Spalten erhalten, die nicht im Modell sind",
        ),
    ),
    advice=Text(
        "Some values are estimates from other columns. Means are near those of the original; relations with these columns seem closer "
        "than they are, and standard errors are too small.",
        "Einige Werte sind aus anderen Spalten geschätzt. Mittelwerte liegen nahe am Original; Zusammenhänge mit diesen Spalten wirken "
        "enger, als sie sind, und Standardfehler sind zu klein.",
    ),
    words={
        "model": Text("imputed by", "ersetzt durch"),
        "hot-deck": Text("values of similar records", "Werte ähnlicher Datensätze"),
        "imputations": Text("imputations, for Rubin's rules", "Imputationen, für Rubins Regeln"),
        "matching": Text("matching", "Zuordnung nächster Datensätze"),
        "nearest": Text("values of the nearest records", "Werte der nächsten Datensätze"),
        "mean": Text("means", "Mittelwerte"),
        "regression": Text("regression", "Regression"),
        "regression-residual": Text("regression with residuals", "Regression mit Residuen"),
        "predictors": Text("imputed from", "ersetzt mithilfe von"),
    },
    example={
        "column": "income", "predictors": ["employees", "sex"], "lower": 800.0, "upper": 3000.0, "records": [3, 7],
        "values": ["2842.69"], "model": "regression-residual", "apart": 0.01, "too_close": "suppress", "fit": -9.0,
        "within": ["region"], "whole": "nearest", "draws": 2,
    },
    random=True,
    revision=6,
)  # fmt: skip
class Impute(Method):
    """Take cells away and put estimates from the other columns of the record in their place.

    The chosen cells are those beyond the limits, those of the numbered records and those that hold one of the values; without any of these,
    all cells of the column. Only observed cells are chosen. Models learn from the cells that are not chosen, or from all if none is left; donors are
    then never the record itself, and means, most frequent values and donors are those of a group of three contributors or more:

    - `mean`: mean (for categories the most frequent value) of the records that agree in the predictors;
    - `regression`: least squares on the predictors; `regression-residual` adds the residual of a random record, which keeps the variance;
    - `hot-deck`: the value of a random record that agrees in the predictors;
    - `nearest`: the value of the record nearest in the predictors, numbers in standard deviations (nearest-neighbour hot deck);
    - `matching`: the value of a record whose predicted value is among the five nearest.

    With `draws` above 1 the imputation is a multiple one: the column comes so many times, with the number of the draw behind its name from the second on,
    each drawn anew and from other records to learn from (a bootstrap), so that receivers see how uncertain the estimates are and combine results by Rubin's
    rules (`tk.correct.combined`, `correct --combine imputed`). Whoever averages the draws has what the model predicts, no more.

    With weak dependence imputation destroys what it touches: the step is refused when the estimates explain, in records left out of the fit,
    less than `fit` of the variation; for categories, when they guess less than `fit` of those that the most frequent category does not. How much it is
    stands in the report. And it does not protect units whose estimate is close to the truth: imputed numbers must lie at least `apart` of
    the true value away, and a true zero must not stay one; if not, the step is refused or the cell is suppressed (`too_close`).

    In a panel an estimate drawn anew for every period averages out to what the model predicts for the unit, not to its true value; but a column that hardly changes is
    read off a period in which it is still shown: choose such cells in all periods of a unit.

    With `within` every stratum has its own model and its own donors; each in which cells are chosen must have enough records to learn from. Records
    that agree in the predictors make the groups of `mean` and `hot-deck`; where a record is the only one, all others of the stratum stand in. Missing
    values of predictors are a category of their own, in regressions the mean of the stratum. Zeros and negative values are values like others; a constant
    column, which nothing can explain, and infinite values are refused.
    Tied values are values like others. Estimates of whole numbers have decimals unless `whole` says otherwise; with `total` the total of those of a stratum
    is, to one half, that before rounding. The distance from the truth is that of the rounded estimate.
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
    model: Literal["mean", "regression", "regression-residual", "hot-deck", "nearest", "matching"] = (
        "matching"
    )
    """How estimates are made. | Wie geschätzt wird."""
    draws: Annotated[int, Field(ge=1, le=50)] = 1
    """Imputations that are released, each as a column of its own. | Imputationen, die freigegeben werden, jede als eigene Spalte."""
    apart: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Least relative distance of an imputed number from the true one. | Kleinster relativer Abstand einer eingesetzten Zahl von der wahren."""
    too_close: Literal["refuse", "suppress"] = "refuse"
    """What happens where an estimate is too close. | Was geschieht, wo eine Schätzung zu nahe liegt."""
    fit: Annotated[float, Field(le=1)] = 0.2
    """Least share of the variation that the predictors must explain. | Kleinster Anteil der Streuung, den die Spalten erklären müssen."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

    @model_validator(mode="after")
    def _not_from_itself(self) -> Self:
        if self.column in self.predictors:
            raise ValueError(
                Text("a column cannot predict itself", "eine Spalte kann sich nicht selbst vorhersagen")
            )
        if self.draws > 1 and self.model in {"mean", "regression"}:
            raise ValueError(
                Text(
                    "several draws go with a model that draws: regression-residual, hot-deck, nearest or matching",
                    "mehrere Ziehungen gehören zu einem Modell, das zieht: regression-residual, hot-deck, nearest oder matching",
                )
            )
        return self

    def adds(self) -> tuple[str, ...]:
        return tuple(f"{self.column}_{number}" for number in range(2, self.draws + 1))

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that hold an imputation each."""
        return (self.column, *self.adds())

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.column, *self.predictors, *self.within)))

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
        for name in self.adds():
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="draws")
        if column.kind.is_number:
            self._refuse_infinite(data)
        elif column.categories is None or self.model not in {"mean", "hot-deck", "nearest"}:
            raise WrongKind(name=self.column, found=column.kind.text, who=self.id, needed=_NUMBERS)
        cells = self.chosen(data)
        if not cells.any():
            return data
        parts = self._parts(data)
        if (fewest := min(len(part.known) for part in parts)) < self._needed:
            raise NothingToLearnFrom(name=self.column, found=fewest, needed=self._needed)
        who = contributor_codes(data)
        if any(part.own is not None and len(np.unique(who[part.known])) < ENOUGH for part in parts):
            raise too_few(self.id, ENOUGH, STRATUM if self.within else FILE, owners=True)
        fit = self._fit(data, parts)
        if fit < self.fit:
            raise FitTooWeak(name=self.column, found=f"{fit:.2f}", needed=f"{self.fit:.2f}")
        wanted = np.concatenate([part.wanted for part in parts])
        drawn = [self._imputed(data, parts, wanted, stream) for _ in self.shown]
        after = data.with_columns(dict(zip(self.shown, drawn, strict=True))).with_roles(self._roles(data))
        if not _not_the_truth(self, data, after):
            raise NothingChanged(who=self.id, name=self.column)
        return after

    def _imputed(self, data: Microdata, parts: list[Part], wanted: Ints, stream: Stream) -> Column:
        """One imputation; of several, each learns from other records."""
        if self.draws > 1:
            parts = [part.again(stream.generator) for part in parts]
        made = np.concatenate(self._way(data)(data, parts, stream))
        return self._with(data, wanted, made)

    def _way(self, data: Microdata) -> Callable[[Microdata, list[Part], Stream], list[NDArray[Any]]]:
        if self.model == "nearest":
            return self._neighbours
        by_groups = data.column(self.column).categories is not None or self._by_groups
        return self._grouped if by_groups else self._modelled

    def _roles(self, data: Microdata) -> Roles:
        """Further imputations are what the column is."""
        own = {role for role in data.roles_of(self.column) if role is not Role.OTHER}
        return {role: (*names, *(self.adds() if role in own else ())) for role, names in data.roles.items()}

    @property
    def _needed(self) -> int:
        """Cells that it takes to learn something."""
        return max(3, len(self.predictors) + 2)

    @property
    def _by_groups(self) -> bool:
        return self.model in {"hot-deck", "mean"}

    def _parts(self, data: Microdata) -> list[Part]:
        """The strata in which cells are imputed, with the records to learn from: those that stay as they are, or all if none does."""
        observed, chosen, parts = data.column(self.column).observed, self.chosen(data), []
        for rows in strata_of(data, self.within).blocks():
            wanted, rest = rows[chosen[rows]], rows[observed[rows] & ~chosen[rows]]
            if len(wanted):
                parts.append(Part(rest if len(rest) else rows[observed[rows]], wanted))
        return parts

    def _fit(self, data: Microdata, parts: list[Part]) -> float:
        """What the predictors and strata explain in records left out of the fit (Gottschalk 2002, G-M12)."""
        column, known = data.column(self.column), np.concatenate([part.known for part in parts])
        if self.model == "nearest":
            return self._fit_of_neighbours(data, parts, known)
        if column.categories is not None:
            codes, groups = column.values.astype(np.int64), self._groups(data)
            return guessed(
                codes[known],
                left_out_of(parts, lambda learn, out: modes(codes, groups[out], groups[learn], learn)),
            )
        y = scaled(column.numbers())[0]
        if self._by_groups:
            groups = self._groups(data)
            return explained(
                y[known], left_out_of(parts, lambda learn, out: means(y, groups[out], groups[learn], learn))
            )
        x = self._design(data)
        return explained(
            y[known], left_out_of(parts, lambda learn, out: x[out] @ fitted(x[learn], y[learn]).weight)
        )

    def _fit_of_neighbours(self, data: Microdata, parts: list[Part], known: Ints) -> float:
        column, x = data.column(self.column), self._design(data)
        nothing = np.random.default_rng(
            0
        )  # which of several equally near ones is taken must not change the judgement

        def of(values: NDArray[Any]) -> NDArray[Any]:
            return left_out_of(
                parts, lambda learn, out: values[learn[nearest_rows(x[learn], x[out], None, nothing)]]
            )

        if column.categories is not None:
            codes = column.values.astype(np.int64)
            return guessed(codes[known], of(codes).astype(np.int64))
        y = scaled(column.numbers())[0]
        return explained(y[known], of(y))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        parts = self._parts(before)
        if not parts:
            return ()
        fit = _FIT.filled(share=round(100 * self._fit(before, parts)), name=self.column)
        return (fit, *lone_cells(before, after, (self.column,), self.within))

    def _neighbours(self, data: Microdata, parts: list[Part], stream: Stream) -> list[NDArray[Any]]:
        """The values of the records nearest in the predictors: numbers, or codes of categories."""
        column, x = data.column(self.column), self._design(data)
        values = column.numbers() if column.categories is None else column.values.astype(np.int64)
        return [
            values[p.known[nearest_rows(x[p.known], x[p.wanted], p.own, stream.generator)]] for p in parts
        ]

    def _refuse_infinite(self, data: Microdata) -> None:
        for name in (self.column, *self.predictors):
            column = data.column(name)
            if column.kind.is_number and (infinite := np.flatnonzero(np.isinf(column.numbers()))).size:
                raise NotFinite(name=name, count=len(infinite), first=data.record(infinite[0]))

    def _groups(self, data: Microdata) -> Ints:
        """Records that agree in the predictors, numbered from 0 in every stratum."""
        found = classes(data.column(n).codes() for n in self.predictors).ids.astype(np.int64)
        if not self.within:
            return found
        stratum = strata_of(data, self.within).of.astype(np.int64)
        size = int(found.max(initial=0)) + 1
        pairs, number = np.unique(stratum * size + found, return_inverse=True)
        return np.asarray(number.ravel() - np.searchsorted(pairs // size, stratum))

    def _grouped(self, data: Microdata, parts: list[Part], stream: Stream) -> list[NDArray[Any]]:
        """From the records of the stratum that agree in the predictors: numbers, or codes of categories."""
        column, groups, who = data.column(self.column), self._groups(data), contributor_codes(data)
        if self.model == "hot-deck":
            values = column.numbers() if column.categories is None else column.values.astype(np.int64)
            return [values[part.donors(groups, who, stream)] for part in parts]
        if column.categories is None:
            y, scale = scaled(column.numbers())
            return [part.estimates(means, y, groups, who) * scale for part in parts]
        return [part.estimates(modes, column.values.astype(np.int64), groups, who) for part in parts]

    def _modelled(self, data: Microdata, parts: list[Part], stream: Stream) -> list[NDArray[Any]]:
        """From a regression on the predictors, in every stratum its own."""
        y, scale = scaled(data.column(self.column).numbers())
        x = self._design(data)
        with np.errstate(over="ignore"):  # looked at next
            return [self._estimates(x, y, part, stream) * scale for part in parts]

    def _estimates(self, x: Floats, y: Floats, part: Part, stream: Stream) -> Floats:
        known, wanted = part
        learn = known if self.draws == 1 else stream.generator.choice(known, len(known))
        line = fitted(x[learn], y[learn])
        guess: Floats = x[wanted] @ line.weight
        if self.model == "regression":
            return guess
        if self.model == "regression-residual":
            drawn: Floats = stream.generator.choice(line.residual, len(wanted))
            return guess + drawn
        return y[known[nearest(x[known] @ line.weight, guess, part.own, stream.generator)]]

    def _design(self, data: Microdata) -> Floats:
        numeric = [n for n in self.predictors if data.column(n).kind.is_number]
        numbers = np.column_stack([np.zeros(len(data)), *(data.column(n).numbers() for n in numeric)])
        codes = [data.column(n).codes()[0] for n in self.predictors if n not in numeric]
        strata = strata_of(data, self.within)
        return design(numbers, codes, strata.of, len(strata))

    def _with(self, data: Microdata, wanted: Ints, made: NDArray[Any]) -> Column:
        """Estimates in place of the true values; numbers only where they are not too close to them."""
        column = data.column(self.column)
        if column.categories is not None:
            values = column.values.copy()
            values[wanted] = made
            return replace(column, values=values)
        if too_large := int(np.count_nonzero(~np.isfinite(made))):
            raise ResultTooLarge(who=self.id, count=too_large, name=self.column)
        of = strata_of(data, self.within).of[wanted]
        made = whole_alike(column, made, self.whole, of, np.arange(len(wanted)))
        close = _close(column.numbers()[wanted], made, self.apart)
        if close.any() and self.too_close == "refuse":
            raise TooCloseToTruth(name=self.column, count=int(close.sum()), apart=f"{self.apart:g}")
        new = column.with_numbers_at(wanted[~close], made[~close])
        hide = np.zeros(len(data), dtype=np.bool_)
        hide[wanted[close]] = True
        return new.suppress(hide)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That values are imputed and from which columns; not which cells."""
        del after
        told: dict[str, Json] = {
            "column": self.column,
            "predictors": list(self.predictors),
            "model": self.model,
        }
        told["rounded"] = rounded(before, (self.column,), self.whole)
        if self.draws > 1:
            told["imputations"] = list(self.shown)
        return {**told, "within": list(self.within)} if self.within else told
