"""Multivariate microaggregation around distant records or by Ward's criterion."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.strata import Strata
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.neighbour_blocks import neighbour_blocks
from tarnkappe.kernels.rim_groups import ABSORB, CENTRE, PAIR, rim_groups_within
from tarnkappe.kernels.robust import core_scatter, whitening
from tarnkappe.kernels.ward import ward_within
from tarnkappe.language import Text
from tarnkappe.methods.microdata.averaging import (
    COMBINATIONS,
    HEAVY,
    INSIDERS,
    OTHER_COLUMNS,
    SERIES,
    SMALLER_VARIANCES,
    TOTALS,
    WEAK_RELATIONS,
    WEIGHTED_TOTALS,
    Cloud,
)
from tarnkappe.methods.microdata.series_claims import SERIES_OF_K
from tarnkappe.methods.microdata.unit_averaging import UNIT_WORDS, UnitAveraging
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Family, Maturity, Source, method

BLOCK = 4096
"""Larger sets are halved into blocks of neighbours where the work grows with the square of the records."""


@method(
    "microdata.cluster-average",
    family=Family.AVERAGE,
    title=Text("Average clusters of similar records", "Gruppen ähnlicher Datensätze mitteln"),
    does=Text(
        "Values of small groups of similar records were replaced by the mean or median of their group.",
        "Die Werte kleiner Gruppen ähnlicher Datensätze wurden durch Mittelwert oder Median ihrer Gruppe ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "2.2.6 and 3.1: farthest pair (M07), variable size (M08), from the centre (M09)"),
        Source("domingoferrer2002", "k-Ward"),
        Source("solanas2006", "V-MDAV, groups that grow"),
        Source("gottschalk2002", "4.3, microaggregation (G-M20)"),
        Source("dav2025", "3.3.4, microaggregation, groups of variable size"),
        Source("templ2015", "method rmd, robust Mahalanobis distances"),
    ),
    preserves=(TOTALS, WEIGHTED_TOTALS, WHOLE_TOTALS, WHOLE_KEPT),
    protects=(COMBINATIONS, SERIES_OF_K),
    does_not=(
        OTHER_COLUMNS,
        SMALLER_VARIANCES,
        WEAK_RELATIONS,
        Text(
            "look at more than 4,096 records at once with grouping pair or ward: larger sets are halved into neighbours, which loses more",
            "mit grouping pair oder ward mehr als 4096 Datensätze auf einmal ansehen: größere Mengen werden in Nachbarn geteilt, was mehr "
            "Verlust bedeutet",
        ),
        SERIES,
        INSIDERS,
        HEAVY,
    ),
    words=UNIT_WORDS,
    example={
        "columns": ("income", "wealth"), "k": 4, "by": "records", "within": ("year",), "unit": ("household", "occupation"), "too_small": "suppress",
        "aggregate": "median", "whole": "nearest", "weighted": True, "grouping": "pair", "leftover": "absorb", "gain": 0.2,
        "distance": "robust",
    },
    maturity=Maturity.REPLICATED,
    revision=4,
)  # fmt: skip
class ClusterAverage(UnitAveraging):
    """Replace small groups of similar records by the mean or the median of their group; three ways to find groups.

    `centre`: the record farthest from the mean of what is left and its k-1 nearest neighbours, again and again; exact at every size.
    `pair`: the two most distant records, each with its nearest neighbours, again and again; k to 2k-1 records that are left are a group, fewer join the
    group whose mean is nearest. With `leftover: absorb` all that is left goes to the nearer of the last two groups, as in the book. `ward`: groups of variable size, merged where that adds
    least to the sum of squares, and split again where they hold two groups. For most data microdata.mdav and `centre` lose least.

    With `gain` above 0 (0.2 for even data, 1.1 for data in clusters) a group of `centre` or `pair` takes a further record, up to 2k-1,
    as long as it lies nearer to the group than `gain` times its distance to other records. With `distance: robust` columns are
    measured by their scatter in the core of the stratum (minimum covariance determinant), so that outliers and correlations do not
    set the scale; otherwise columns are standardised in every stratum.

    Missing, suppressed, zero, negative, constant and tied values, strata, owners and units are treated as in microdata.mdav; infinite
    values are refused. With `unit` the core is that of the series of all units that are there in the same strata and periods.
    """

    grouping: Literal["centre", "pair", "ward"] = "centre"
    """How groups are found. | Wie Gruppen gefunden werden."""
    leftover: Literal["apart", "absorb"] = "apart"
    """With grouping pair, what becomes of the last k to 2k-1 records: a group of their own, or parts of the last two. | Bei grouping pair, was aus den
    letzten k bis 2k-1 Datensätzen wird: eine eigene Gruppe (apart), oder Teile der letzten beiden (absorb)."""
    gain: Annotated[float, Field(ge=0, le=10)] = 0.0
    """How readily a group takes one more record; 0: never. | Wie leicht eine Gruppe einen weiteren Datensatz aufnimmt; 0: nie."""
    distance: Literal["standard", "robust"] = "standard"
    """What sets the scale of distances: all records, or the core of the data. | Woran Abstände gemessen werden: an allen
    Datensätzen oder am Kern der Daten."""

    @model_validator(mode="after")
    def _ways_fit(self) -> Self:
        if self.gain and self.grouping == "ward":
            raise ValueError(
                Text("gain goes with centre and pair only", "gain gehört nur zu centre und pair")
            )
        if self.leftover == "absorb" and self.grouping != "pair":
            raise ValueError(Text("leftover goes with pair only", "leftover gehört nur zu pair"))
        return self

    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        del stream
        x = cloud.x if self.distance == "standard" else _by_core(cloud)
        order, starts = cloud.blocks.order, cloud.blocks.starts
        if self.grouping == "centre":
            return rim_groups_within(x, cloud.who, order, starts, self.k, CENTRE, self.gain)
        order, starts = neighbour_blocks(x, cloud.who, order, starts, self.k, BLOCK)
        if self.grouping == "pair":
            way = ABSORB if self.leftover == "absorb" else PAIR
            return rim_groups_within(x, cloud.who, order, starts, self.k, way, self.gain)
        return ward_within(x, cloud.who, order, starts, self.k)


def _by_core(cloud: Cloud) -> Floats:
    """Columns turned and scaled so that the core of every stratum is round."""
    out = np.zeros_like(cloud.x)
    for rows in cloud.strata.blocks():
        out[rows] = _round_core(cloud.x[rows], cloud.there[rows])
    return out


def _round_core(x: Floats, there: Bools) -> Floats:
    """Records with gaps by the columns they have."""
    whole = there.all(axis=1)
    scatter = core_scatter(x[whole] if whole.sum() > 2 * x.shape[1] else x)
    out = np.zeros_like(x)
    patterns = classes([(column.astype(np.int64), 2) for column in there.T])
    for rows in Strata(patterns.ids, patterns.sizes).blocks():
        has = there[rows[0]]
        if has.any():
            out[np.ix_(rows, has)] = x[np.ix_(rows, has)] @ whitening(scatter[np.ix_(has, has)])
    return out
