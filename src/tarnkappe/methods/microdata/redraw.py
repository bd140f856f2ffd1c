"""Data distortion by probability distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.masked import Whole, not_rounded, refuse_infinite, rounded, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.masking import NothingFits
from tarnkappe.kernels.fitting import Fit, distance, fitted
from tarnkappe.kernels.ranks import ascending_at_random
from tarnkappe.kernels.standard import power_scale
from tarnkappe.kernels.unlike import unlike
from tarnkappe.language import Text
from tarnkappe.methods.microdata.limits import refuse_few_in_strata
from tarnkappe.methods.microdata.noise_claims import no_value_as_it_was
from tarnkappe.methods.microdata.noise_remarks import below_zero
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import unless, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

Law = Literal["normal", "laplace", "log-normal", "exponential", "gamma", "weibull"]
SMALLEST = 5
"""A distribution fitted to the values of fewer contributors would tell about each of them."""


def _ranks_kept(m: Redraw, before: Microdata, after: Microdata) -> bool:
    """In every stratum, new values never fall where old ones rise."""
    x, y = before.numbers(m.columns), after.numbers(m.columns)
    for rows in strata_of(before, m.within).blocks():
        for j in range(len(m.columns)):
            there = rows[~np.isnan(x[rows, j])]
            order = there[np.lexsort((y[there, j], x[there, j]))]
            if np.any(np.diff(y[order, j]) < 0):
                return False
    return True


def _of_many(m: Redraw, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of, cells = strata_of(was, m.within).of, m.drawn(was.numbers(m.columns))
    return all(enough_in_strata(was, cells[:, j], of, SMALLEST) for j in range(len(m.columns)))


def _new(m: Redraw, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: m.drawn(before.numbers(names)))


@method(
    "microdata.redraw",
    family=Family.DRAW,
    title=Text("Redraw from a fitted distribution", "Neu ziehen aus einer angepassten Verteilung"),
    does=Text(
        "Values were replaced by draws from a distribution that was fitted to their column.",
        "Werte wurden durch Ziehungen aus einer an die Spalte angepassten Verteilung ersetzt.",
    ),
    sources=(Source("dav2025", "section 3.3.4, data distortion by probability distribution (D-M14)"),),
    preserves=(
        Claim(
            Text("the order of the values in every stratum", "die Reihenfolge der Werte in jeder Schicht"),
            _ranks_kept,
            when=where("order", "rank") & where("zeros", "draw") & unless("whole", "total"),
        ),
        WHOLE_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "no value that is drawn anew is shown as it was (rounded whole numbers excepted)",
                "kein neu gezogener Wert wird gezeigt, wie er war (ausgenommen gerundete ganze Zahlen)",
            ),
            _new,
        ),
        Claim(
            Text(
                "every distribution is fitted to values of five contributors or more",
                "jede Verteilung ist an Werte von fünf oder mehr Beitragenden angepasst",
            ),
            _of_many,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep means, variances and correlations: they are those of the fitted distribution, on average",
            "Mittelwerte, Varianzen und Korrelationen erhalten: sie sind im Mittel die der angepassten Verteilung",
        ),
        ForAnalysis(
            "keep relations of the columns with each other and with the rest",
            "Zusammenhänge der Spalten untereinander und mit den übrigen erhalten",
            where("order", "random"),
        ),
        ForAnalysis(
            "show several peaks, limits or heaped values that the fitted distribution does not have",
            "mehrere Gipfel, Grenzen oder gehäufte Werte zeigen, die die angepasste Verteilung nicht hat",
        ),
        Text(
            "hide with order rank who is the largest",
            "bei order rank verbergen, wer der Größte ist",
        ),
    ),
    words={
        "ranks_kept": Text("the order of the values is kept", "die Reihenfolge der Werte bleibt"),
    },
    example={
        "columns": ("income", "employees"),
        "families": ("gamma", "weibull", "normal"),
        "choose": "ks",
        "order": "random",
        "zeros": "keep",
        "within": ("year",),
        "whole": "nearest",
    },
    random=True,
)
class Redraw(Method):
    """Replace the values of a column by draws from a distribution that fits it.

    In every stratum each of the `families` is fitted by maximum likelihood; the best one (by Akaike's criterion or by the
    Kolmogorov-Smirnov distance) is drawn from, as often as there are values. With `order: rank` the smallest draw goes to the record with the
    smallest value and so on, so that ranks and rank correlations stay (tied values get different draws, in random order);
    with `random` nothing ties a draw to its record.

    In a panel, name the period under `within`. With `rank` a unit then goes through the periods at its own rank; with `random` its series is that of nobody.

    Log-normal, exponential, gamma and Weibull distributions are tried only where all values are positive. `zeros: keep` leaves
    zeros as they are and fits the rest. Missing and suppressed cells stay. A stratum needs values of at least five contributors,
    not all equal; records of one owner count once. Negative values are values like others; equal values get different ones. Infinite values are
    refused.
    """

    columns: Columns
    """Numeric columns that are drawn anew, each on its own. | Numerische Spalten, die neu gezogen werden, jede für sich."""
    families: Annotated[tuple[Law, ...], Field(min_length=1)] = (
        "normal", "laplace", "log-normal", "exponential", "gamma", "weibull",
    )  # fmt: skip
    """Distributions that are tried. | Verteilungen, die versucht werden."""
    choose: Literal["aic", "ks"] = "aic"
    """Choose by Akaike's criterion or by the Kolmogorov-Smirnov distance. | Auswahl nach Akaikes Kriterium oder nach dem
    Kolmogorow-Smirnow-Abstand."""
    order: Literal["rank", "random"] = "rank"
    """Whether draws keep the ranks of the values. | Ob die Ziehungen die Ränge der Werte behalten."""
    zeros: Literal["draw", "keep"] = "draw"
    """Whether zeros are drawn anew too. | Ob auch Nullen neu gezogen werden."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden
    (Schichten)."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        strata, cells, y = strata_of(data, self.within), self.drawn(x), x.copy()
        for j in range(len(self.columns)):
            refuse_few_in_strata(data, cells[:, j], strata.of, SMALLEST, self.id)
        for rows in strata.blocks():
            for j, name in enumerate(self.columns):
                there = rows[cells[rows, j]]
                if len(there):
                    y[there, j] = self._draws(x[there, j], name, stream.generator)
        y = np.where(cells, unlike(y, x), x)
        refuse_infinite(data, self.columns, y, self.id)
        return with_masked(data, self.columns, y, self.whole, strata)

    def drawn(self, x: Floats) -> Bools:
        """The cells that are drawn anew."""
        cells: Bools = ~np.isnan(x)
        return cells & (x != 0) if self.zeros == "keep" else cells

    def _draws(self, x: Floats, name: str, generator: np.random.Generator) -> Floats:
        scale = float(power_scale(x[:, None])[0])
        with np.errstate(over="ignore"):
            y = self._best(x / scale, name).draw(generator, len(x)) * scale
        if self.order == "rank":
            out = np.empty_like(y)
            out[ascending_at_random(x, generator.random(len(x)))] = np.sort(y)
            return out
        return y

    def _best(self, x: Floats, name: str) -> Fit:
        fits = fitted(x, self.families)
        if not fits:
            where = Text("a stratum", "einer Schicht") if self.within else Text("the file", "der Datei")
            raise NothingFits(name=name, where=where)
        return min(fits, key=lambda fit: fit.aic if self.choose == "aic" else distance(fit, x))

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return tuple(below_zero(before, after, self.columns))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That values are draws; from which family and with which parameters stays in the house."""
        del after
        return {
            "columns": list(self.columns),
            "noise": "values drawn from a fitted distribution",
            "ranks_kept": self.order == "rank",
            "within": list(self.within),
            "rounded": rounded(before, self.columns, self.whole),
        }
