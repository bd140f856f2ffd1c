"""Blanking and imputation: estimates in place of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.masked import Whole, rounded, whole_alike
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.selection import cells_holding, records_numbered
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import NotFinite, WrongKind
from tarnkappe.errors.imputation import FitTooWeak, NothingToLearnFrom, TooCloseToTruth
from tarnkappe.errors.masking import NothingChanged, ResultTooLarge
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.imputation import cell_donors, design, explained, fitted, guessed, left_out, nearest
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.methods.microdata.limits import FILE, STRATUM, too_few
from tarnkappe.methods.microdata.step_remarks import lone_cells
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import above, where
from tarnkappe.spec.fields import Columns, Records, Spelt
from tarnkappe.spec.limits import ForAnalysis

_NUMBERS = Text("numbers", "Zahlen")
_FIT = Text(
    "The predictors explain {share}% of {name} in records left out of the fit.",
    "Die Spalten, aus denen geschätzt wird, erklären {share} % von {name} in nicht angepassten Datensätzen.",
)
ENOUGH = 3
"""Of two contributors a mean tells each the other, and a donor is known."""
NO_GROUP = -1
Estimate = Callable[[NDArray[Any], Ints, Ints, Ints], NDArray[Any]]
"""(values, groups of the wanted records, groups of those to learn from, their places) -> estimates."""
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
        "matching": Text("matching", "Zuordnung nächster Datensätze"),
        "mean": Text("means", "Mittelwerte"),
        "regression": Text("regression", "Regression"),
        "regression-residual": Text("regression with residuals", "Regression mit Residuen"),
        "predictors": Text("imputed from", "ersetzt mithilfe von"),
    },
    example={
        "column": "income", "predictors": ["employees", "sex"], "lower": 800.0, "upper": 3000.0, "records": [3, 7],
        "values": ["2842.69"], "model": "regression-residual", "apart": 0.01, "too_close": "suppress", "fit": -9.0,
        "within": ["region"], "whole": "nearest",
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
    - `matching`: the value of a record whose predicted value is among the five nearest.

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
    model: Literal["mean", "regression", "regression-residual", "hot-deck", "matching"] = "matching"
    """How estimates are made. | Wie geschätzt wird."""
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
        return self

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
        if column.kind.is_number:
            self._refuse_infinite(data)
        elif column.categories is None or self.model not in {"mean", "hot-deck"}:
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
        way = self._grouped if column.categories is not None or self._by_groups else self._modelled
        wanted = np.concatenate([part.wanted for part in parts])
        made = np.concatenate(way(data, parts, stream))
        after = self._with(data, wanted, made)
        if not _not_the_truth(self, data, after):
            raise NothingChanged(who=self.id, name=self.column)
        return after

    @property
    def _needed(self) -> int:
        """Cells that it takes to learn something."""
        return max(3, len(self.predictors) + 2)

    @property
    def _by_groups(self) -> bool:
        return self.model in {"hot-deck", "mean"}

    def _parts(self, data: Microdata) -> list[_Part]:
        """The strata in which cells are imputed, with the records to learn from: those that stay as they are, or all if none does."""
        observed, chosen, parts = data.column(self.column).observed, self.chosen(data), []
        for rows in strata_of(data, self.within).blocks():
            wanted, rest = rows[chosen[rows]], rows[observed[rows] & ~chosen[rows]]
            if len(wanted):
                parts.append(_Part(rest if len(rest) else rows[observed[rows]], wanted))
        return parts

    def _fit(self, data: Microdata, parts: list[_Part]) -> float:
        """What the predictors and strata explain in records left out of the fit (Gottschalk 2002, G-M12)."""
        column, known = data.column(self.column), np.concatenate([part.known for part in parts])
        if column.categories is not None:
            codes, groups = column.values.astype(np.int64), self._groups(data)
            return guessed(
                codes[known],
                _left_out(parts, lambda learn, out: _modes(codes, groups[out], groups[learn], learn)),
            )
        y = _scaled(column.numbers())[0]
        if self._by_groups:
            groups = self._groups(data)
            return explained(
                y[known], _left_out(parts, lambda learn, out: _means(y, groups[out], groups[learn], learn))
            )
        x = self._design(data)
        return explained(
            y[known], _left_out(parts, lambda learn, out: x[out] @ fitted(x[learn], y[learn]).weight)
        )

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        parts = self._parts(before)
        if not parts:
            return ()
        fit = _FIT.filled(share=round(100 * self._fit(before, parts)), name=self.column)
        return (fit, *lone_cells(before, after, (self.column,), self.within))

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

    def _grouped(self, data: Microdata, parts: list[_Part], stream: Stream) -> list[NDArray[Any]]:
        """From the records of the stratum that agree in the predictors: numbers, or codes of categories."""
        column, groups, who = data.column(self.column), self._groups(data), contributor_codes(data)
        if self.model == "hot-deck":
            values = column.numbers() if column.categories is None else column.values.astype(np.int64)
            return [values[part.donors(groups, who, stream)] for part in parts]
        if column.categories is None:
            y, scale = _scaled(column.numbers())
            return [part.estimates(_means, y, groups, who) * scale for part in parts]
        return [part.estimates(_modes, column.values.astype(np.int64), groups, who) for part in parts]

    def _modelled(self, data: Microdata, parts: list[_Part], stream: Stream) -> list[NDArray[Any]]:
        """From a regression on the predictors, in every stratum its own."""
        y, scale = _scaled(data.column(self.column).numbers())
        x = self._design(data)
        with np.errstate(over="ignore"):  # looked at next
            return [self._estimates(x, y, part, stream) * scale for part in parts]

    def _estimates(self, x: Floats, y: Floats, part: _Part, stream: Stream) -> Floats:
        known, wanted = part
        line = fitted(x[known], y[known])
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

    def _with(self, data: Microdata, wanted: Ints, made: NDArray[Any]) -> Microdata:
        """Estimates in place of the true values; numbers only where they are not too close to them."""
        column = data.column(self.column)
        if column.categories is not None:
            values = column.values.copy()
            values[wanted] = made
            return data.with_columns({self.column: replace(column, values=values)})
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
        return data.with_columns({self.column: new.suppress(hide)})

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That values are imputed and from which columns; not which cells."""
        del after
        told: dict[str, Json] = {
            "column": self.column,
            "predictors": list(self.predictors),
            "model": self.model,
        }
        told["rounded"] = rounded(before, (self.column,), self.whole)
        return {**told, "within": list(self.within)} if self.within else told


class _Part(NamedTuple):
    """A stratum: the records to learn from and those to be imputed, each in the order of the file."""

    known: Ints
    wanted: Ints

    @property
    def own(self) -> Ints | None:
        """The places of the wanted records among the known ones; either all of them are known or none is."""
        at = np.searchsorted(self.known, self.wanted)
        found = np.array_equal(self.known[np.minimum(at, len(self.known) - 1)], self.wanted)
        return np.asarray(at) if found else None

    def donors(self, groups: Ints, who: Ints, stream: Stream) -> Ints:
        """For every wanted record another one, of its group where that gives nothing away."""
        shared = self.shared(groups, who)
        known, wanted = groups[self.known], np.where(shared, groups[self.wanted], NO_GROUP)
        donors: Ints = self.known[cell_donors(known, wanted, self.own, stream.generator)]
        return donors

    def estimates(self, of: Estimate, values: NDArray[Any], groups: Ints, who: Ints) -> NDArray[Any]:
        """What the groups of the wanted records have in common; where all are wanted, groups of too few contributors get what the others have.

        Estimates from the other records only would give the own value back where all are imputed: means of the others add up to the sum of
        all, and in a group that is tied between two values each record would show the one that it does not have.
        """
        shared = self.shared(groups, who)
        learn = self.known[shared] if self.own is not None and shared.any() else self.known
        return of(values, np.where(shared, groups[self.wanted], NO_GROUP), groups[learn], learn)

    def shared(self, groups: Ints, who: Ints) -> Bools:
        """For every wanted record, whether its group may be used: where all are imputed only one of enough contributors."""
        if self.own is None:
            return np.ones(len(self.wanted), dtype=np.bool_)
        group, radix = groups[self.known], int(who.max()) + 1
        people = np.bincount(np.unique(group * radix + who[self.known]) // radix)
        large: Bools = (people >= ENOUGH)[group]
        return large


def _left_out(parts: list[_Part], estimate: Callable[[Ints, Ints], NDArray[Any]]) -> NDArray[Any]:
    """Estimates of the known records of all strata, each from others of its stratum."""
    return np.concatenate([left_out(part.known, estimate) for part in parts])


def _scaled(values: Floats) -> tuple[Floats, float]:
    """Numbers that can be squared, and what they were divided by."""
    scale = float(power_scale(np.nan_to_num(values)))
    return values / scale, scale


def _means(y: Floats, wanted: Ints, known: Ints, learn: Ints) -> Floats:
    """The mean of each wanted group over the records to learn from; of all of these where it has none."""
    size = int(max(known.max(), wanted.max(initial=0))) + 1
    sums, counts = np.bincount(known, y[learn], size), np.bincount(known, minlength=size)
    there = (wanted != NO_GROUP) & (counts[wanted] > 0)
    return np.where(there, sums[wanted] / np.maximum(counts[wanted], 1), y[learn].mean())


def _modes(codes: Ints, wanted: Ints, known: Ints, learn: Ints) -> Ints:
    """The most frequent value of each wanted group over the records to learn from; of all of these where it has none."""
    size = int(codes.max()) + 1
    pairs, counts = np.unique(known * size + codes[learn], return_counts=True)
    order = np.lexsort((pairs, counts, pairs // size))
    group, code = pairs[order] // size, pairs[order] % size
    last = np.searchsorted(group, wanted, "right") - 1
    there = (last >= 0) & (group[last] == wanted)
    return np.where(there, code[last], int(np.bincount(codes[learn]).argmax()))
