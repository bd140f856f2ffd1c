"""Sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.selection import ShareUnknown, StrataThin
from tarnkappe.kernels.classes import Classes, classes, first_records
from tarnkappe.kernels.sampling import simple, systematic
from tarnkappe.language import Text
from tarnkappe.methods.microdata.step_remarks import thin_cells
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Json, Leaves, Maturity, Method, Reach, Source, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Spelt, Unit
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Kind, Role

Share = Annotated[float, Field(gt=0, le=1)]
MISSING_STRATUM = ""
"""The value under which the share of records without a value is given."""
_SHARE = "share of the record"


def _kept_whole(m: Sample, before: Microdata, after: Microdata) -> bool:
    """Every column but the weight, cell by cell and in the order of the file."""
    del m
    old = before.take(np.isin(before.rows, after.rows))
    others = (n for n in before.names if n not in before.role(Role.WEIGHT))
    return np.array_equal(old.rows, after.rows) and all(
        same_cells(old.columns[n], after.columns[n]) for n in others
    )


def _shares_met(m: Sample, before: Microdata, after: Microdata) -> bool:
    """In every stratum as many units stay as the share says, up to less than one."""
    frame = m.frame(before)
    stays = np.isin(before.rows[frame.first], after.rows)
    want = np.bincount(frame.stratum, minlength=len(frame.share)) * frame.share
    got = np.bincount(frame.stratum, stays, len(frame.share))
    return bool(np.all(np.abs(got - want) < 1 + 1e-9))


def _weights_raised(m: Sample, before: Microdata, after: Microdata) -> bool:
    """A weight is divided by the share with which its record was drawn."""
    shares = before.with_columns({_SHARE: Column(Kind.NUMBER, m.frame(before).of_records())})
    old = shares.aligned_to(after)
    share = old.column(_SHARE).values
    return all(
        np.allclose(old.columns[n].numbers(), after.columns[n].numbers() * share, rtol=1e-12, equal_nan=True)
        for n in before.role(Role.WEIGHT)
    )


def _raised_number(m: Sample, before: Microdata, after: Microdata) -> bool:
    """The number of units, each divided by its share: the mean of many seeds is the true number."""
    frame = m.frame(before)
    stays = np.isin(before.rows[frame.first], after.rows)
    raised = (stays / frame.share[frame.stratum]).sum()
    return bool(abs(raised - len(stays)) <= (1 / frame.share).sum())


@method(
    "microdata.sample",
    family=Family.RECORDS,
    leaves=Leaves.VALUES,
    title=Text("Sample", "Stichprobe ziehen"),
    does=Text(
        "Only a random part of the records is in the file.",
        "Nur ein zufälliger Teil der Datensätze ist in der Datei.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.2, sampling (T05)"),
        Source("gottschalk2002", "4.2, sub-samples (G-M08, G-M10)"),
    ),
    preserves=(
        Claim(
            Text(
                "every record that was drawn, cell by cell and in its order, but for its weight",
                "jeden gezogenen Datensatz, Zelle für Zelle und in seiner Reihenfolge, bis auf sein Gewicht",
            ),
            _kept_whole,
        ),
        Claim(
            Text(
                "weighted totals in expectation: weights are divided by the share",
                "gewichtete Summen im Erwartungswert: Gewichte werden durch den Anteil geteilt",
            ),
            _weights_raised,
            when=given("raise_weights"),
        ),
        Claim(
            Text("the number of units, raised by the share", "die mit dem Anteil hochgerechnete Zahl der Einheiten"),
            _raised_number,
            holds=Holds.ON_AVERAGE,
        ),
    ),
    protects=(
        Claim(
            Text(
                "nobody can be sure that a unit is in the file: of every stratum only the share is",
                "niemand kann sicher sein, dass eine Einheit in der Datei ist: von jeder Schicht ist es nur der Anteil",
            ),
            _shares_met,
        ),
    ),
    does_not=(
        Text(
            "protect a unit that is known to be in the file, or that is unique in the population and was drawn",
            "eine Einheit schützen, von der bekannt ist, dass sie in der Datei ist, oder die in der Grundgesamtheit einzigartig ist",
        ),
        Text(
            "hide that a unit is in the file where its stratum has the share 1",
            "verbergen, dass eine Einheit in der Datei ist, wenn ihre Schicht den Anteil 1 hat",
        ),
        ForAnalysis("keep the largest and the smallest value", "den größten und den kleinsten Wert erhalten"),
        ForAnalysis("keep small sub-populations large enough", "kleine Teilmassen groß genug lassen"),
    ),
    advice=Text(
        "The file is a sample: weight up with the sampling fraction or the weights.",
        "Die Datei ist eine Stichprobe: mit dem Auswahlsatz oder den Gewichten hochrechnen.",
    ),
    words={
        "weights_raised": Text("weights allow for the sampling", "Gewichte berücksichtigen die Auswahl"),
    },
    example={
        "share": 0.4, "within": ["sex"], "unit": "household", "design": "systematic", "at_least": 2, "raise_weights": False,
    },
    random=True,
    maturity=Maturity.REPLICATED,
    loses_records=True,
)  # fmt: skip
class Sample(Method):
    """Keep a random part of the records, drawn without replacement.

    Every record has the same chance, `share`, in its stratum; where the share gives no whole number, chance decides between
    the next lower and the next higher, so that estimates stay free of bias also in small strata. `systematic` takes records at
    equal steps from a random start, in the order of the file: sort the file first if the sample shall follow an order.

    With `unit` all records of a unit (a household, an enterprise over the years) are drawn together; they must agree in the
    columns of `within`, or the stratum of the first counts. Records without a unit are units of their own.

    The weights of the records, if the data has them, are divided by the share. The share is told to the receiver. Even a
    file that is a sample already may need this step: where an attacker knows who took part.

    No value is looked at or changed: missing, suppressed, zero, negative, constant and tied ones stay as they are; weights that are missing
    stay missing.
    """

    share: Share | Mapping[Spelt, Share]
    """Share that is kept; or one per value of the single column `within` ('' for missing). | Anteil, der bleibt; oder einer je
    Wert der einzigen Spalte in `within` ('' für fehlende)."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are sampled apart (strata). | Spalten, aus deren Kombinationen getrennt gezogen wird (Schichten)."""
    unit: Unit = ()
    """Columns that name the unit whose records belong together; without them, each record is one. | Spalten, die die Einheit nennen, deren
    Datensätze zusammengehören; ohne sie ist jeder Datensatz eine."""
    design: Literal["simple", "systematic"] = "simple"
    """Any records, or at equal steps through the file. | Beliebige Datensätze oder in gleichen Schritten durch die Datei."""
    at_least: Annotated[int, Field(ge=0)] = 0
    """Fewest units that a stratum may keep, if it keeps any. | Kleinste Zahl von Einheiten, die einer Schicht bleiben darf, wenn ihr
    welche bleiben."""
    raise_weights: bool = True
    """Divide the weights by the share. | Gewichte durch den Anteil teilen."""

    @model_validator(mode="after")
    def _one_column_for_shares(self) -> Self:
        if isinstance(self.share, Mapping) and len(self.within) != 1:
            raise ValueError(
                Text(
                    "shares by value need one column in within",
                    "Anteile je Wert brauchen eine Spalte in within",
                )
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.within, *self.unit)))

    def frame(self, data: Microdata) -> Frame:
        """The units, their strata and their shares."""
        unit, count = units_of(data, self.unit)
        found = classes([(unit, max(count, 1))])
        first = first_records(found)
        strata = strata_of(units := data.take(first), self.within)
        return Frame(found.ids, first, strata.of.astype(np.int64), self._shares(units, strata))

    def _shares(self, units: Microdata, strata: Strata) -> Floats:
        """The share of every stratum."""
        if not isinstance(self.share, Mapping):
            return np.full(len(strata), self.share)
        column = units.column(self.within[0]).take(first_records(Classes(strata.of, strata.sizes)))
        spelt, (codes, _) = canonical(column), column.codes()
        given = [self.share.get(spelt[code] if code >= 0 else MISSING_STRATUM) for code in codes]
        if None in given:
            raise ShareUnknown(name=self.within[0], count=given.count(None))
        return np.array(given, dtype=np.float64)

    def reach(self, data: Microdata) -> Reach:
        return Reach(changed=data.role(Role.WEIGHT) if self.raise_weights else ())

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        frame = self.frame(data)
        draw = systematic if self.design == "systematic" else simple
        chosen = draw(frame.stratum, frame.share, stream.generator)
        left = np.bincount(frame.stratum, chosen, len(frame.share))
        thin = int(np.count_nonzero((left > 0) & (left < self.at_least)))
        if thin:
            raise StrataThin(needed=self.at_least, count=thin)
        stays = chosen[frame.unit]
        after = data.take(stays)
        raised = data.role(Role.WEIGHT) if self.raise_weights else ()
        share = frame.of_records()[stays]
        return after.with_columns(
            {n: after.column(n).with_numbers(after.column(n).numbers() / share) for n in raised}
        )

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del before
        return tuple(thin_cells(after, self.within))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The share: with it a receiver without weights can raise totals, and it says how likely anybody is in the file."""
        del after
        raised = self.raise_weights and bool(before.role(Role.WEIGHT))
        share = dict(self.share) if isinstance(self.share, Mapping) else self.share
        return {"share": share, "strata": list(self.within), "weights_raised": raised}


@dataclass(frozen=True)
class Frame:
    """What is drawn from: units in strata."""

    unit: Ints
    """The unit of every record."""
    first: Ints
    """The first record of every unit."""
    stratum: Ints
    """The stratum of every unit."""
    share: Floats
    """The share of every stratum."""

    def of_records(self) -> Floats:
        """The share with which every record is drawn."""
        return self.share[self.stratum[self.unit]]
