"""Population uniques: how many records are unique not only in the sample but in the population."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.risk import PopulationNeeded, RegisterTooSmall
from tarnkappe.kernels.classes import classes
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.counting import printed
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.risk.register import doubt_of_register, held_against
from tarnkappe.risk.unique_models import Block, Model, Uniques, estimate
from tarnkappe.spec import Finding, Goal, Json, Maturity, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Missing, Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats, Ints
    from tarnkappe.data.microdata import Microdata

_HINT = Text(
    "Measure with the original data, or give the size of the population.",
    "Messen Sie mit den Originaldaten oder geben Sie die Größe der Grundgesamtheit an.",
)
_COUNTED = Text(
    "Counted in the register, not estimated: there is no interval.",
    "Im Register ausgezählt, nicht geschätzt: es gibt kein Intervall.",
)
_ESTIMATED = Text(
    "Estimated by a model; the interval of 95% holds if the model does. Another model may give another number.",
    "Nach einem Modell geschätzt; das Intervall von 95 % gilt, wenn das Modell stimmt. Ein anderes Modell kann eine andere Zahl geben.",
)


@measure(
    "risk.population-uniques",
    title=Text("Population uniques", "In der Grundgesamtheit Einzigartige"),
    does=Text(
        "Estimates which share of the records is unique in the population by its keys.",
        "Schätzt, welcher Anteil der Datensätze in der Grundgesamtheit an den Schlüsseln einzigartig ist.",
    ),
    sources=(
        Source("gottschalk2002", "section 3: uniqueness approach"),
        Source("hoshino2001", "Pitman's sampling formula fitted by maximum likelihood"),
        Source("zayatz1991", "estimate of the conditional probability"),
        Source("chenkellermcnulty1998", "slide negative binomial distribution"),
        Source("skinnershlomo2008", "measures τ1 and τ2 under log-linear models"),
    ),
    reads=Text(
        "A share of {value} of the records is unique in the population.",
        "Ein Anteil von {value} der Datensätze ist in der Grundgesamtheit einzigartig.",
    ),
    knows=Text(
        "The attacker knows the true values of all keys of everybody in the population, and not who was drawn.",
        "Der Angreifer kennt die wahren Werte aller Schlüssel von jedem in der Grundgesamtheit und weiß nicht, wer gezogen wurde.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "choose the model: take several, and look how far apart they are",
            "das Modell auswählen: Nehmen Sie mehrere und sehen Sie, wie weit sie auseinanderliegen",
        ),
        Text(
            "take the attacker's view of suppressed keys: a suppressed key is a value of its own",
            "bei unterdrückten Schlüsseln die Sicht des Angreifers einnehmen: Ein unterdrückter Schlüssel ist ein Wert für sich",
        ),
        Text(
            "model clusters such as households or unequal chances beyond the weights",
            "Klumpen wie Haushalte oder ungleiche Auswahlwahrscheinlichkeiten jenseits der Gewichte modellieren",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "expected_uniques": Text("expected uniques in the population", "erwartete Einzelfälle in der Grundgesamtheit"),
        "matched_uniques": Text("uniques of the sample that are unique in the population", "Einzelfälle der Stichprobe, die auch in der Grundgesamtheit allein sind"),
        "misfit": Text("misfit of the model", "Fehlanpassung des Modells"),
        "sample_uniques": Text("uniques in the file", "Einzelfälle in der Datei"),
        "unique_if_unique_in_sample": Text("chance that a unique record is unique in the population", "Wahrscheinlichkeit, dass ein Einzelfall auch in der Grundgesamtheit allein ist"),
    },
    example={"keys": ["postcode", "sex"], "within": ["year"], "population": 600, "model": "log-linear", "pairs": True},
)  # fmt: skip
class PopulationUniques(Measure):
    """The expected share of records whose combination of keys occurs once in the population.

    `pitman`, `zayatz` and `snb` (slide negative binomial) look at the sizes of the classes in the sample only. The log-linear models
    borrow strength from the keys one by one or, with `pairs`, two by two: `log-linear` fits the counts of the sample, `log-linear-pml` the
    weighted ones, `log-linear-ce` takes the share that was drawn as an offset. The persons that share the keys of a unique record are then
    Poisson, and the details tell how many uniques of the sample would be assigned rightly. sdcMicro's modRisk leaves out the division
    of the fitted counts by the share that was drawn; here it is done as published.

    `population`: `weights`, a number, the size of the population, or `original`: the original data is the register, and uniques are
    counted, not estimated; `against` takes any other register. Strata (`within`) are estimated one by one and added up.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    within: tuple[str, ...] = ()
    """Strata: each is estimated on its own. | Schichten: Jede wird für sich geschätzt."""
    population: Literal["weights", "original"] | Annotated[int, Field(ge=1)] = "weights"
    """The weights of the records, the original data as the population, or the size of the population. | Die Gewichte der Datensätze
    (weights), die Originaldaten als Grundgesamtheit (original) oder die Größe der Grundgesamtheit."""
    model: Model = Model.PITMAN
    """How uniques are estimated: pitman, zayatz, snb, log-linear, log-linear-pml or log-linear-ce. | Wie geschätzt wird: pitman, zayatz,
    snb, log-linear, log-linear-pml oder log-linear-ce."""
    pairs: bool = False
    """With effects of two keys in the log-linear models. | Mit Effekten von zwei Schlüsseln in den log-linearen Modellen."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if self.population == "original":
            if before is None:
                raise PopulationNeeded(who=same(self.id), hint=_HINT)
            return self.against(after, before)
        found = self._estimated(after)
        doubt = self._doubt(after) or found.doubt
        n = len(after)
        details = {
            **self._details(after, found.chance),
            "matched_uniques": found.matched,
            "misfit": found.misfit,
            "level": LEVEL,
        }
        return Finding(
            value=found.expected / n,
            low=found.low / n,
            high=found.high / n,
            baseline=None if before is None else self._estimated(before).expected / len(before),
            trusted=doubt == NOTHING,
            because=doubt or _ESTIMATED,
            details=details,
            per_record=found.chance,
        )

    def against(self, after: Microdata, register: Microdata) -> Finding:
        """Count the uniques of the sample that are unique in a register as well (G-R02)."""
        names = self._names(after)
        held = held_against(after, register, names, Missing.CATEGORY)
        both = ((held.released[held.records] == 1) & (held.fitting()[held.records] == 1)).astype(np.float64)
        doubt = self._doubt(after) or doubt_of_register(held)
        details = self._details(after, both)
        return Finding(
            float(both.mean()), None, None, None, doubt == NOTHING, doubt or _COUNTED, details, both
        )

    def _names(self, data: Microdata) -> tuple[str, ...]:
        return (*data.keys(self.keys), *self.within)

    def _doubt(self, data: Microdata) -> Text:
        return doubt_of(data, self._names(data))

    def _details(self, after: Microdata, chance: Floats) -> dict[str, Json]:
        alone = classes(printed(after, self._names(after)))
        uniques = int(np.sum(alone.sizes == 1))
        expected = float(chance.sum())
        return {
            "keys": after.keys(self.keys), "within": self.within, "records": len(after), "population": self.population,
            "model": self.model.value, "pairs": self.pairs, "sample_uniques": uniques, "expected_uniques": expected,
            "unique_if_unique_in_sample": expected / uniques if uniques else None,
        }  # fmt: skip

    def _estimated(self, data: Microdata) -> Uniques:
        """All strata one by one, added up; errors of the strata are independent."""
        chance, parts = np.zeros(len(data)), []
        for records, block in self._blocks(data):
            found = estimate(block, self.model, pairs=self.pairs)
            chance[records] = found.chance
            parts.append(found)
        if len(parts) == 1:
            return parts[0]
        expected = sum(part.expected for part in parts)
        below = float(np.sqrt(sum((part.expected - part.low) ** 2 for part in parts)))
        above = float(np.sqrt(sum((part.high - part.expected) ** 2 for part in parts)))
        doubt = next((part.doubt for part in parts if part.doubt), NOTHING)
        matched = sum(part.matched for part in parts)
        high = min(expected + above, float(len(data)))
        worst = max((part.misfit for part in parts), key=abs)
        return Uniques(expected, max(expected - below, 0.0), high, chance, matched, doubt, worst)

    def _blocks(self, data: Microdata) -> Iterator[tuple[Ints, Block]]:
        coded = [_from_zero(codes) for codes, _ in printed(data, self.keys)]
        codes, weights = np.column_stack(coded), self._weights(data)
        for records in strata_of(data, self.within).blocks():
            part = np.column_stack([_from_zero(column) for column in codes[records].T])
            found = classes((column, int(column.max()) + 1) for column in part.T)
            yield records, Block(found, part, weights[records])

    def _weights(self, data: Microdata) -> Floats:
        """Persons each record stands for, never less than itself."""
        if isinstance(self.population, int):
            if self.population < len(data):
                raise RegisterTooSmall(found=self.population, needed=len(data))
            return np.full(len(data), self.population / len(data))
        return np.maximum(weights_of(data, self.id), 1.0)


def _from_zero(codes: Ints) -> Ints:
    """Codes that occur as 0, 1, …; missing and suppressed are among them."""
    return np.unique(codes, return_inverse=True)[1]
