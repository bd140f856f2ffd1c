"""The individual risk of Benedetti and Franconi, which the measure of single records and that of the file share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tarnkappe.kernels.posterior import approximate_risk, mean_risk
from tarnkappe.language import Text
from tarnkappe.risk.populations import Estimated, OnSample

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.data.microdata import Microdata
    from tarnkappe.risk.populations import Sample

KNOWS = Text(
    "The attacker has a register of the population with the true values of all keys, does not know who was drawn, and takes one of the "
    "persons that fit.",
    "Der Angreifer hat ein Register der Grundgesamtheit mit den wahren Werten aller Schlüssel, weiß nicht, wer gezogen wurde, und nimmt "
    "eine der passenden Personen.",
)
NOT_MODELLED = Text(
    "borrow strength from similar combinations: for rare ones in small samples the chance to be drawn is poorly estimated; see "
    "risk.population-uniques",
    "ähnliche Kombinationen heranziehen: Für seltene in kleinen Stichproben ist die Auswahlwahrscheinlichkeit schlecht geschätzt; siehe "
    "risk.population-uniques",
)


class OnPosterior(OnSample):
    """A measure on the posterior mean of 1/F."""

    population: Estimated = "weights"
    """The weights of the records, or the size of the population. | Die Gewichte der Datensätze (weights) oder die Größe der
    Grundgesamtheit."""
    mode: Literal["exact", "sdcmicro"] = "exact"
    """Exact, or for classes of three and more the approximation that sdcMicro uses. | Genau (exact) oder ab drei Datensätzen je Klasse
    die Näherung, die sdcMicro verwendet (sdcmicro)."""

    def risks(self, data: Microdata) -> tuple[Sample, Floats]:
        """The classes of the sample, and the risk of every record."""
        sample = self.sample(data, self.population)
        formula = mean_risk if self.mode == "exact" else approximate_risk
        return sample, formula(sample.f, sample.p)
