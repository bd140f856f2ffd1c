"""Microaggregation of records sorted along one axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.strata import Strata
from tarnkappe.kernels.clusters import centre_clusters
from tarnkappe.kernels.robust import core_scatter, covariance, main_axis, pursuit_axis
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
from tarnkappe.methods.microdata.rank_average import neighbours
from tarnkappe.methods.microdata.series_claims import SERIES_OF_K
from tarnkappe.methods.microdata.unit_averaging import UNIT_WORDS, UnitAveraging
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT, WHOLE_TOTALS
from tarnkappe.randomness import Stream
from tarnkappe.spec import Family, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis


def _most_telling(x: Floats) -> Floats:
    """The standardised column whose mean lies farthest from 0, that of the stratum; means that differ by rounding only are alike."""
    axis = np.zeros(x.shape[1])
    axis[np.argmax(np.abs(x.mean(axis=0)).round(9))] = 1.0
    return axis


_AXES: Mapping[str, Callable[[Floats], Floats]] = {
    "component": lambda x: main_axis(covariance(x)),
    "core": lambda x: main_axis(core_scatter(x)),
    "pursuit": pursuit_axis,
    "influence": _most_telling,
}


@method(
    "microdata.axis-average",
    family=Family.AVERAGE,
    title=Text("Average neighbours along an axis", "Nachbarn entlang einer Achse mitteln"),
    does=Text(
        "Records were sorted along one axis, and values of neighbours replaced by the mean or median of their group.",
        "Datensätze wurden entlang einer Achse sortiert und die Werte von Nachbarn durch Mittelwert oder Median ihrer Gruppe ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "2.2.6, by one column, by first principal component, by sum of z-scores (M02, M03, M04)"),
        Source("gottschalk2002", "4.3, microaggregation (G-M20)"),
        Source("dav2025", "3.3.4, microaggregation, multivariate by principal component"),
        Source("templ2015", "methods simple, single, pca, mcdpca, pppca, influence and the clustered forms"),
    ),
    preserves=(TOTALS, WEIGHTED_TOTALS, WHOLE_TOTALS, WHOLE_KEPT),
    protects=(COMBINATIONS, SERIES_OF_K),
    does_not=(
        OTHER_COLUMNS,
        SMALLER_VARIANCES,
        WEAK_RELATIONS,
        ForAnalysis("suit models that explain the column by which records were ordered: they become biased", "zu Modellen passen, die die Spalte erklären, nach der geordnet wurde: sie werden verzerrt", where("axis", "first")),
        Text(
            "bring similar records together with axis: file; that is a yardstick for the other axes",
            "bei axis: file ähnliche Datensätze zusammenbringen; das ist ein Maßstab für die anderen Achsen",
        ),
        SERIES,
        INSIDERS,
        HEAVY,
    ),
    words=UNIT_WORDS,
    example={
        "columns": ("income", "wealth"), "k": 4, "by": "records", "within": ("year",), "unit": ("household", "occupation"), "too_small": "suppress",
        "aggregate": "median", "whole": "nearest", "weighted": True, "axis": "pursuit", "sizes": "fixed", "clusters": 2,
    },
    revision=3,
)  # fmt: skip
class AxisAverage(UnitAveraging):
    """Sort the records along one axis, and replace neighbours by the mean or the median of their group.

    The axis is the first named column, the sum of the standardised columns, their first principal component, or a principal
    component that outliers do not turn: that of the core of the data (minimum covariance determinant) or the direction in which
    the median absolute deviation is largest (projection pursuit). With `influence`, which needs `clusters`, it is the column in which a
    cluster differs most from its stratum, in standard deviations; the first one where none does. With `file` records
    stay in the order of the file, which shows how much sorting gains. It is fast, but loses more than microdata.mdav unless one axis tells
    most: use it for columns that all measure size.

    With `sizes: optimal` groups of k to 2k-1 neighbours lose least over all columns. With `clusters` the records are first parted
    into clusters around centres, each with an axis of its own. Columns are standardised in every stratum; each, and in it each set of records with the
    same gaps, has its own axis. Missing and suppressed cells stay as they are. The robust axes look at no
    more than 100,000 records, taken at equal distances in the file. Zeros and negative values count like others; a constant column
    counts for nothing and stays; records at the same place of the axis stand in the order of the file. Infinite values are refused.

    With `unit` whole units are grouped, as in microdata.mdav. The axis then lies in the space of their whole series; with `first` it is the mean of the
    first column over the series, with `influence` a column in one stratum and period.
    """

    axis: Literal["first", "sum", "component", "core", "pursuit", "influence", "file"] = "component"
    """The axis: first column, sum of standardised columns, principal component, a robust one (core, pursuit), the most telling column of
    each cluster (influence), or the order of the file. | Die Achse: erste Spalte, Summe der standardisierten Spalten, Hauptkomponente,
    eine robuste (core, pursuit), die auffälligste Spalte jedes Clusters (influence) oder die Reihenfolge der Datei (file)."""
    sizes: Literal["optimal", "fixed"] = "optimal"
    """Sizes of groups: those that lose least, or k each. | Gruppengrößen: die mit dem kleinsten Verlust, oder je k."""
    clusters: Annotated[int, Field(ge=1, le=1000)] = 1
    """Parts with an axis of their own, at most. | Teile mit eigener Achse, höchstens."""

    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        del stream
        if self.clusters > 1:
            cloud = cloud.within(self._parted(cloud))
        return neighbours(cloud, self._along(cloud), cloud.x, self.k, self.sizes)

    def _parted(self, cloud: Cloud) -> Strata:
        """Every block in clusters, numbered block by block."""
        part = np.zeros(len(cloud.who), dtype=np.int64)
        for rows in cloud.blocks.blocks():
            if len(rows) >= 2 * self.k:
                part[rows] = centre_clusters(cloud.x[rows], cloud.who[rows], self.clusters, self.k)
        parts = cloud.blocks.of.astype(np.int64) * self.clusters + part
        _, of, sizes = np.unique(parts, return_inverse=True, return_counts=True)
        return Strata(of, sizes)

    def _along(self, cloud: Cloud) -> Floats:
        if self.axis == "first":
            return cloud.leading
        if self.axis == "file":
            return np.zeros(len(cloud.who))
        if self.axis == "sum" or cloud.x.shape[1] == 1:
            along: Floats = cloud.x.sum(axis=1)
            return along
        along = np.zeros(len(cloud.who))
        for rows in cloud.blocks.blocks():
            if len(rows) >= 2 * self.k:  # fewer are one group along any axis
                x = cloud.x[rows]
                along[rows] = x @ _AXES[self.axis](x)
        return along
