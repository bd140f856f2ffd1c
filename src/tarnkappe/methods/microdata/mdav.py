"""Microaggregation by MDAV."""

from __future__ import annotations

from tarnkappe.data.column import Ints
from tarnkappe.kernels.mdav import mdav_within
from tarnkappe.kernels.rim_groups import BOTH, rim_groups_within
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


@method(
    "microdata.mdav",
    family=Family.AVERAGE,
    title=Text("MDAV microaggregation", "Mikroaggregation nach MDAV"),
    does=Text(
        "Values of small groups of similar records were replaced by the mean or median of their group.",
        "Die Werte kleiner Gruppen ähnlicher Datensätze wurden durch Mittelwert oder Median ihrer Gruppe ersetzt.",
    ),
    sources=(
        Source("domingoferrer2005", "algorithm MDAV-generic"),
        Source("hoehne2010", "2.2.6 and 3.1, multivariate microaggregation (M01); footnote 7 on owners"),
        Source("gottschalk2002", "4.3, microaggregation (G-M20)"),
        Source("dav2025", "3.3.4, microaggregation"),
    ),
    preserves=(TOTALS, WEIGHTED_TOTALS, WHOLE_TOTALS, WHOLE_KEPT),
    protects=(COMBINATIONS, SERIES_OF_K),
    does_not=(
        OTHER_COLUMNS,
        SMALLER_VARIANCES,
        WEAK_RELATIONS,
        SERIES,
        INSIDERS,
        HEAVY,
    ),
    advice=Text(
        "Values are those of small groups. Means of the whole file are kept or nearly so, variances are a little too small; results for small subgroups are unreliable. There is no correction.",
        "Die Werte sind die kleiner Gruppen. Mittelwerte der ganzen Datei bleiben (fast) erhalten, Varianzen sind etwas zu klein, Ergebnisse für kleine Teilgruppen unsicher. Eine Korrektur gibt es nicht.",
    ),
    words=UNIT_WORDS,
    example={
        "columns": ("income", "wealth"), "k": 4, "by": "records", "within": ("year",), "unit": ("household", "occupation"), "too_small": "suppress",
        "aggregate": "median", "whole": "nearest", "weighted": True,
    },
    maturity=Maturity.REPLICATED,
    revision=4,
)  # fmt: skip
class Mdav(UnitAveraging):
    """Replace small groups of similar records by the mean or the median of their group.

    Use it when a few numeric columns together could single a respondent out and their totals must not move. Groups are
    built from the rim inwards: the record farthest from the mean with its k-1 nearest neighbours, then the record
    farthest from that one likewise, until fewer than 3k records are left. Columns are standardised for the distances, in every stratum by
    itself. To treat blocks of columns apart, use the method once for each block; records are then alike within each block only.

    The groups are exactly those of the published algorithm at every size, without blocking: a million records of four
    columns take about half a minute. Homogeneity is therefore never traded for speed. Where a column has the role owner, a
    group takes neighbours until it has records of k owners.

    Records with missing or suppressed values are grouped with records that have the same columns missing; a missing value stays
    missing. A stratum or such a set with fewer than k contributors cannot be averaged safely: `too_small` says what happens to it.
    Infinite values are refused. Zeros and negative values count like others, a constant column counts for nothing in distances and
    stays as it is, and ties are broken by the order of the file.

    With `unit` whole units are grouped, such as the firms of a panel: name the year under `within`. Units can come together that are there in
    the same strata and periods (of the column with the role period, whether `within` names it or not), with as many records in each and the
    same gaps. They are compared by all their values in all these places, and in each place the records of a group get its mean, so that k units or more
    show the same series. Several records of a unit in one place are matched in the order of the file. A record whose unit is missing or suppressed
    is a unit of its own. k counts units, or their owners where a column has that role: units of one pattern that have, or had, an owner in common
    count once. A pattern of presence and gaps that fewer than k share is treated as `too_small` says.
    """

    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        del stream
        blocks = cloud.blocks
        if cloud.owned:
            return rim_groups_within(cloud.x, cloud.who, blocks.order, blocks.starts, self.k, BOTH, 0.0)
        return mdav_within(cloud.x, blocks.order, blocks.starts, self.k)
