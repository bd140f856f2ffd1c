"""Post-randomisation (PRAM)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Ints
from tarnkappe.data.comparison import same_states
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.spelling import canonical
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.exchange import ForbiddenMade
from tarnkappe.kernels.classes import classes, first_records
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.companions import Treated, refuse_companions
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.methods.microdata.pram_draws import (
    Draws,
    Existing,
    Given,
    Law,
    checked_matrix,
    numbered_blocks,
    refuse_kinds,
)
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Mark, Maturity, Method, Source, Trace, method
from tarnkappe.spec.conditions import given, not_given, unless
from tarnkappe.spec.fields import Columns, Spelt
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many
from tarnkappe.vocab import Role

_SURE = Text(
    "{count} records keep their values of {names} for certain: no other value can arise in their stratum.",
    "{count} Datensätze behalten ihre Werte von {names} mit Sicherheit: In ihrer Schicht kann kein anderer entstehen.",
)
_PERIODS = Text(
    "The file has periods and no unit is named: whoever sees a unit in several periods takes the value that is there most often.",
    "Die Datei hat Perioden, und keine Einheit ist genannt: Wer eine Einheit in mehreren sieht, nimmt den häufigsten Wert.",
)
_WEIGHTS = Text(
    "Records share weights in {name}: where they come from the same stratum of the sample, the most frequent value among them is probably true.",
    "Datensätze haben in {name} gleiche Gewichte: Wo sie aus derselben Schicht der Stichprobe stammen, ist der häufigste Wert unter ihnen wohl der wahre.",
)
CERTAIN = 23.0
"""A claim about chance fails by chance with a probability below exp(-23), one in ten billion."""
SHARED = 3
"""Weights that as many records share on average tell which of them belong together."""


def _states_kept(m: Pram, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    return all(same_states(was.column(n), after.column(n)) for n in m.columns)


def _only_existing(m: Pram, before: Microdata, after: Microdata) -> bool:
    """Every combination after occurred before in the same stratum."""
    was = before.aligned_to(after)
    for group in m.groups():
        strata = strata_of(was, m.within, group).of.astype(np.int64)
        pairs = [(was.column(n).codes()[0], after.column(n).codes()[0]) for n in group]
        stacked = [np.concatenate(pair) for pair in ((strata, strata), *pairs)]
        found = classes([(codes, int(codes.max(initial=0)) + 1) for codes in stacked])
        if (first_records(found) >= len(was)).any():
            return False
    return True


def _blocks_kept(m: Pram, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    return all(
        np.array_equal(numbered_blocks(was, n, lists)[0], numbered_blocks(after, n, lists)[0])
        for n, lists in m.blocks.items()
    )


def _enough_changed(m: Pram, before: Microdata, after: Microdata) -> bool:
    """As many units changed as the matrix lets expect, up to chance (Chernoff's bound for independent events)."""
    was = before.aligned_to(after)
    one_each = first_records(classes([(units := m.units(was), int(units.max(initial=0)) + 1)]))
    for draws in m.draws(was):
        changed = np.any([was.column(n).values != after.column(n).values for n in draws.columns], axis=0)
        expected = float((1 - draws.stay())[one_each].sum())
        count = int(np.count_nonzero(changed[one_each]))
        shortfall = expected - count + (count * np.log(count / expected) if count else 0.0)
        if count < expected and shortfall > CERTAIN:
            return False
    return True


def _frequencies_kept(m: Pram, before: Microdata, after: Microdata) -> bool:
    """Every count within seven standard deviations; by invariance a count varies by at most 2 T (1 - p), times a unit's size."""
    was = before.aligned_to(after)
    unit = float(np.bincount(m.units(was)).max(initial=1))
    for draws in m.draws(was):
        stay = draws.stay()
        for name in draws.columns:
            old, new = was.column(name), after.column(name)
            size = len(new.categories) if new.categories is not None else 0
            shown = old.observed
            moves = np.bincount(old.values[shown], weights=1 - stay[shown], minlength=size)
            now = np.bincount(new.values[shown], minlength=size)
            far = np.abs(now - np.bincount(old.values[shown], minlength=size))
            if (far > 7 * np.sqrt(2 * unit * moves) + 16 * unit).any():
                return False
    return True


def _units_together(m: Pram, before: Microdata, after: Microdata) -> bool:
    """Records of a unit that agreed in a stratum still agree."""
    was = before.aligned_to(after)
    units = m.units(was)
    for group in m.groups():
        strata = strata_of(was, m.within, group).of.astype(np.int64)
        alike = [(units, int(units.max(initial=0)) + 1), (strata, int(strata.max(initial=0)) + 1)]
        alike += [was.column(n).codes() for n in group]
        still = [*alike, *(after.column(n).codes() for n in group)]
        if len(classes(alike).sizes) != len(classes(still).sizes):
            return False
    return True


def _nothing_forbidden(m: Pram, before: Microdata, after: Microdata) -> bool:
    return not m.newly_forbidden(before.aligned_to(after), after).any()


@method(
    "microdata.pram",
    family=Family.SWAP,
    title=Text("Post-randomisation (PRAM)", "Postrandomisierung (PRAM)"),
    does=Text(
        "Categories were changed at random with known probabilities.",
        "Kategorien wurden mit bekannten Wahrscheinlichkeiten zufällig verändert.",
    ),
    sources=(
        Source("hoehne2010", "2.2.2, PRAM (P01–P05)"),
        Source("dav2025", "3.3.2, PRAM and invariant PRAM (D-M08, D-M09)"),
        Source("gouweleeuw1998", "post randomisation: theory and implementation"),
        Source("templ2015", "section 4.2.2, pram (the mixture with alpha)"),
    ),
    preserves=(
        Claim(
            Text(
                "the frequency of every value of the treated columns, in every stratum",
                "die Häufigkeit jedes Werts der behandelten Spalten, in jeder Schicht",
            ),
            _frequencies_kept,
            Holds.ON_AVERAGE,
            when=unless("mode", "given"),
        ),
        Claim(
            Text(
                "integrity: only combinations arise that occurred in the stratum",
                "Stimmigkeit: es entstehen nur Kombinationen, die in der Schicht vorkamen",
            ),
            _only_existing,
            when=not_given("matrix"),
        ),
        Claim(
            Text(
                "blocks: every value has become one of its block",
                "Blöcke: aus jedem Wert ist einer seines Blocks geworden",
            ),
            _blocks_kept,
            when=given("blocks"),
        ),
        Claim(
            Text(
                "equality inside a unit: records that agreed in the treated columns still agree",
                "Gleichheit in einer Einheit: Datensätze, die in den behandelten Spalten gleich waren, sind es noch",
            ),
            _units_together,
            when=given("unit"),
        ),
        Claim(
            Text("no forbidden combination arises", "es entsteht keine verbotene Kombination"),
            _nothing_forbidden,
            when=given("forbidden"),
        ),
        Claim(
            Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"),
            _states_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "values are uncertain: as many have changed as the probabilities let expect, up to chance",
                "Werte sind unsicher: es haben sich so viele geändert, wie die Wahrscheinlichkeiten erwarten lassen, bis auf "
                "den Zufall",
            ),
            _enough_changed,
        ),
    ),
    does_not=(
        Text(
            "protect where equal weights or other columns show which records had the same value: the most frequent one is "
            "probably true",
            "schützen, wo gleiche Gewichte oder andere Spalten zeigen, welche Datensätze denselben Wert hatten: der häufigste "
            "ist wohl der wahre",
        ),
        Text(
            "stand several releases, nor several periods of a unit that `unit` does not name: the value that is there most often is the true one",
            "mehrere Freigaben vertragen, auch nicht mehrere Perioden einer Einheit, die `unit` nicht nennt: der häufigste Wert ist der wahre",
        ),
        Text(
            "change every value: a single one may be true, with the probability on the diagonal of the matrix",
            "jeden Wert ändern: ein einzelner kann wahr sein, mit der Wahrscheinlichkeit auf der Diagonale der Matrix",
        ),
        ForAnalysis(
            "keep relations to columns that are not treated: estimates need the matrix",
            "Zusammenhänge mit nicht behandelten Spalten erhalten: Schätzungen brauchen die Matrix",
        ),
    ),
    advice=Text(
        "Categories were changed at random with known probabilities. `tarnkappe correct --frequencies` gives unbiased counts, `--model` corrected regressions.",
        "Kategorien wurden mit bekannten Wahrscheinlichkeiten zufällig verändert. `tarnkappe correct --frequencies` liefert unverzerrte Häufigkeiten, `--model` korrigierte Regressionen.",
    ),
    words={
        "rare_values": Text("rare values in the matrices", "seltene Werte in den Matrizen"),
        "one or two count as three": Text("one or two count as three", "ein oder zwei zählen als drei"),
        "as given": Text("as given", "wie angegeben"),
        "alpha": Text("how much is changed, alpha", "wie stark verändert wird, alpha"),
        "invariant": Text("frequencies stay the same on average", "Häufigkeiten bleiben im Mittel gleich"),
    },
    example={
        "columns": ["diagnosis"],
        "mode": "given",
        "alpha": 0.95,
        "matrix": {
            "none": {"asthma": 0.5, "injury": 0.5},
            "asthma": {"none": 1.0},
            "injury": {"none": 0.9, "asthma": 0.1},
            "diabetes": {"diabetes": 0.1, "other": 0.9},
            "cancer": {"diabetes": 0.9, "cancer": 0.1},
        },
        "blocks": {"diagnosis": [["none", "asthma", "injury"], ["diabetes", "cancer", "other"]]},
        "joint": False,
        "within": ["sex"],
        "unit": "household",
        "forbidden": [{"diagnosis": "cancer", "sex": "male"}],
        "leak": "masked-later",
    },
    random=True,
    revision=2,
    maturity=Maturity.REPLICATED,
)
class Pram(Method):
    """Change categories at random with known probabilities.

    `mode` says which probabilities, k being the old and l the new value, T their counts in the stratum, h their shares:

    - `proportional`: p(k,l) = α h(l), p(k,k) = (1 - α) + α h(k). With probability alpha a new value is drawn like that of a random record.
    - `direct`: p(k,k) = 1 - α T(min)/T(k), the rest spread evenly: the rarest value is left with probability alpha, frequent ones less often.
    - `two-stage`: first with probability alpha another value, all equally likely (or as `matrix` says), then back in proportion to
      where the value may have come from. It changes frequent and rare values alike.
    - `given`: the matrix you give, mixed with staying: (1 - α)E + αP. Without alpha the matrix as it is. It is the same in all strata, so that
      `within` changes nothing.

    The first three are invariant: expected frequencies are those of the original, so plain counts need no correction.

    Several columns are changed jointly unless `joint` says otherwise: an existing combination becomes another existing one of the same
    stratum. Columns that determine each other (postcode and town) must be treated so, or one gives the other back: where a finer or coarser column stays as it
    is, or the missing cells of others tell the value, the step is refused, unless the coarser one is `within` or `leak: masked-later` is said. Treat columns with
    others `within` to keep what must not cross. Where no column tells what must not cross, name under `blocks` the values that change only among
    themselves (the branches of one section): the matrix then has blocks along its diagonal. A `matrix` must not lead from one block to another. Combinations that are rare make estimates uncertain. With `unit`, records of a unit
    that have the same values get the same new ones.

    Missing and suppressed cells keep their state. Jointly treated records change among those with the same columns shown. A value that
    is alone in its stratum stays. `forbidden` combinations are looked for afterwards; where a new one has arisen, the step is refused.

    The release is told the matrix: the probability that a shown value is true follows from alpha, which users know anyway, and the
    frequencies in it are those that the release shows on average. The matrices do not tell which records have changed. Where one or two
    contributors have a value in a stratum, the matrix is told as if three had it, and without it where the release does not show it: otherwise it
    would tell who was there. Estimates corrected with it are then off by a record or two.

    Numbers, also zero and negative ones, are refused unless the type of their column is category. A constant column stays; tied records change
    each for itself.
    """

    columns: Columns
    """Categorical columns to change. | Kategoriale Spalten, die verändert werden."""
    mode: Literal["proportional", "direct", "two-stage", "given"] = "proportional"
    """Which probabilities. | Welche Wahrscheinlichkeiten."""
    alpha: Annotated[float, Field(gt=0, le=1)] | None = None
    """How much is changed; needed where there is no matrix. | Wie viel verändert wird; nötig, wo es keine Matrix gibt."""
    matrix: Mapping[Spelt, Mapping[Spelt, Annotated[float, Field(ge=0, le=1)]]] = {}
    """Value -> (new value -> probability), for one column. | Wert -> (neuer Wert -> Wahrscheinlichkeit), für eine Spalte."""
    blocks: Mapping[str, Annotated[tuple[tuple[Spelt, ...], ...], Field(min_length=1)]] = {}
    """Column -> lists of values that change only among themselves. | Spalte -> Listen von Werten, die nur untereinander wechseln."""
    joint: bool = True
    """Change combinations of the columns instead of each column on its own. | Kombinationen der Spalten verändern statt jede Spalte für sich."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    unit: str | None = None
    """Column that tells which records belong together. | Spalte, die sagt, welche Datensätze zusammengehören."""
    forbidden: tuple[Annotated[Mapping[str, Spelt], Field(min_length=2)], ...] = ()
    """Combinations (column -> value) that must not arise. | Kombinationen (Spalte -> Wert), die nicht entstehen dürfen."""
    leak: Literal["refuse", "masked-later"] = "refuse"
    """What happens when a column that stays, or its gaps, tells a treated one. | Was geschieht, wenn eine Spalte, die bleibt, oder ihre Lücken
    eine behandelte verraten."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.matrix and (self.mode not in ("given", "two-stage") or len(self.columns) > 1):
            raise ValueError(
                Text(
                    "matrix goes with mode given or two-stage and one column",
                    "matrix gehört zu mode given oder two-stage und einer Spalte",
                )
            )
        if self.mode == "given" and not self.matrix:
            raise ValueError(Text("mode given needs a matrix", "mode given braucht eine matrix"))
        if self.alpha is None and not self.matrix:
            raise ValueError(Text("alpha is required", "alpha muss angegeben werden"))
        return self

    @model_validator(mode="after")
    def _blocks_fit(self) -> Self:
        only_treated("blocks", self.blocks, self.columns)
        for lists in self.blocks.values():
            place = {value: number for number, values in enumerate(lists) for value in values}
            if len(place) < sum(len(values) for values in lists):
                raise ValueError(Text("blocks names a value twice", "blocks nennt einen Wert zweimal"))
            moves = ((a, b) for a, row in self.matrix.items() for b, share in row.items() if share)
            if any(place.get(a) != place.get(b) for a, b in moves):
                raise ValueError(
                    Text(
                        "matrix leads from one of the blocks to another",
                        "matrix führt aus einem der Blöcke in einen anderen",
                    )
                )
        return self

    def named_columns(self) -> tuple[str, ...]:
        others = (
            *self.within,
            *(n for row in self.forbidden for n in row),
            *([self.unit] if self.unit else ()),
        )
        return tuple(dict.fromkeys((*self.columns, *others)))

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.MATRIX, self.columns),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        if self.leak == "refuse":
            self._refuse_companions(data)
        units = self.units(data)
        new: dict[str, Column] = {}
        for draws in self.draws(data):
            u = stream.generator.random((draws.numbers, int(units.max(initial=-1)) + 1))
            result = draws.result(u if self.unit is None else u[:, units])
            new |= {name: result[name] for name in draws.columns if name in result}
        after = data.with_columns(new)
        made = self.newly_forbidden(data, after)
        if made.any():
            raise ForbiddenMade(who=self.id, count=int(np.count_nonzero(made)))
        return after

    def _refuse_companions(self, data: Microdata) -> None:
        refuse_kinds(data, self.columns, self.id)
        blocks = {name: numbered_blocks(data, name, lists)[0] for name, lists in self.blocks.items()}
        alike = () if self.unit is None else (self.unit,)
        for group in self.groups():
            refuse_companions(data, Treated(group, self.within, blocks, alike))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The columns that are treated as one."""
        return (self.columns,) if self.joint else tuple((name,) for name in self.columns)

    def draws(self, data: Microdata) -> list[Draws]:
        """What every group of columns is drawn from."""
        refuse_kinds(data, self.columns, self.id)
        if self.matrix:
            for name, lists in self.blocks.items():
                numbered_blocks(data, name, lists)  # every value has its block
            p, names = checked_matrix(self.matrix, 1.0 if self.alpha is None else self.alpha)
            given = Given.of(data, self.columns[0], p, names)
            return [given.invariant(data, self.within) if self.mode == "two-stage" else given]
        law = Law(self.mode, self.alpha or 0.0, self.blocks)
        return [Existing.of(data, self.within, group, law) for group in self.groups()]

    def units(self, data: Microdata) -> Ints:
        """The unit of every record, 0, 1, …; a record without one is its own."""
        if self.unit is None:
            return np.arange(len(data))
        codes, count = data.column(self.unit).true_codes()
        lone = codes < 0
        codes[lone] = count + np.arange(int(lone.sum()))
        return classes([(codes, count + len(codes))]).ids.astype(np.int64)

    def newly_forbidden(self, before: Microdata, after: Microdata) -> Bools:
        """Records with a forbidden combination that they did not have."""
        found = np.zeros(len(after), dtype=np.bool_)
        for row in self.forbidden:
            found |= _holds(after, row) & ~_holds(before, row)
        return found

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """Who keeps a value for certain, and what else in the file shows which records had the same value (Höhne 2010, 2.2.2, safety)."""
        del after
        said = [_PERIODS] if self.unit is None and before.role(Role.PERIOD) else []
        for name in before.role(Role.WEIGHT):
            codes, shown = before.column(name).true_codes()[0], before.column(name).observed
            shared = len(np.unique(codes[shown])) < np.count_nonzero(shown) / SHARED
            said += [_WEIGHTS.filled(name=name)] if shared else []
        for draws in self.draws(before) if len(before) else ():
            shown = np.any([before.column(n).observed for n in draws.columns], axis=0)
            sure = int(np.count_nonzero(shown & (draws.stay() > 1 - 1e-12)))
            said += [_SURE.filled(count=sure, names=listed(draws.columns))] if sure else []
        return tuple(said)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The matrices, and the inverse ones that give unbiased estimates of the original counts.

        Strata stand in ascending order of the columns `within`; the values of a matrix in ascending order of their text, column by
        column, where the plan does not name them. `absent` numbers those that the release does not show. Counts of one or two
        contributors are told as three.
        """
        kinds = [
            {"columns": list(draws.columns), "strata": of_many(draws.told(after))}
            for draws in self.draws(before)
        ]
        return {
            "mode": self.mode,
            "alpha": self.alpha,
            "invariant": self.mode != "given",
            "within": list(self.within),
            "unit": self.unit,
            "rare_values": "one or two count as three" if self.mode != "given" else "as given",
            "treated": kinds,
        }


def _holds(data: Microdata, row: Mapping[str, str]) -> Bools:
    """Records that show all values of a combination."""
    out = np.ones(len(data), dtype=np.bool_)
    for name, value in row.items():
        column = data.column(name)
        texts = np.append(canonical(column) == value, False)
        out &= texts[np.where(column.observed, column.true_codes()[0], -1)]
    return out
