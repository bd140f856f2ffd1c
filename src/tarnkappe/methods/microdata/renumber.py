"""Random numbers instead of codes."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import roles_of_new_names
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.partition import same_partition
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Reach, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Kind


def _known(column: Column) -> Ints:
    codes, _ = column.true_codes()
    return codes


def _structure_kept(m: Renumber, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        was, now = _known(before.columns[name]), _known(after.columns[name])
        if not np.array_equal(was < 0, now < 0) or not same_partition(was[was >= 0], now[now >= 0]):
            return False
    return True


def _from_one_to_m(m: Renumber, before: Microdata, after: Microdata) -> bool:
    del before
    for name in m.columns:
        column = after.columns[name]
        numbers = column.values[~column.missing]
        if column.kind is not Kind.INTEGER or np.any((numbers < 1) | (numbers > len(column))):
            return False
        if not np.all(np.bincount(numbers)[1:]):
            return False
    return True


@method(
    "microdata.renumber",
    family=Family.NAMES,
    leaves=Leaves.VALUES,
    title=Text("Renumber codes", "Codes neu nummerieren"),
    does=Text(
        "Codes of groups (households, owners …) were replaced by random numbers; which records belong "
        "together is unchanged.",
        "Codes von Gruppen (Haushalte, Eigentümer …) wurden durch Zufallsnummern ersetzt; welche Datensätze "
        "zusammengehören, ist unverändert.",
    ),
    sources=(Source("dav2025", "section 2.3, pseudonymisation: a random token instead of the id"),),
    preserves=(
        Claim(
            Text(
                "which records belong together: equal codes have equal numbers, different codes different "
                "ones",
                "welche Datensätze zusammengehören: gleiche Codes haben gleiche Nummern, verschiedene "
                "verschiedene",
            ),
            _structure_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "the codes: the column holds the numbers 1 to m, each once per code, and nothing else",
                "die Codes: die Spalte enthält die Nummern 1 bis m, eine je Code, und sonst nichts",
            ),
            _from_one_to_m,
        ),
    ),
    does_not=(
        Text("hide how large the groups are", "verbergen, wie groß die Gruppen sind"),
        ForAnalysis(
            "keep ids alike in two columns or in two releases",
            "Nummern in zwei Spalten oder zwei Freigaben gleich halten",
        ),
    ),
    example={"columns": ["household", "owner"]},
    random=True,
    takes_identifiers=True,
    changes_kinds=True,
)
class Renumber(Method):
    """Replace the m codes of a column by the numbers 1 to m in random order.

    Use it for columns that say only which records belong together. Each column is numbered on its own.
    Neither the order of the codes nor the order of the records shows in the numbers, and no key exists that
    leads back. A column with the role identifier loses it; in a panel the first one that stands in several records is then the
    unit, where no column has that role. Other roles stay. Missing codes stay missing, suppressed ones suppressed.

    Zero and negative codes are codes like others; a constant column gets the number 1, and tied codes the same number.
    """

    columns: Columns
    """Columns whose codes are replaced. | Spalten, deren Codes ersetzt werden."""

    def treated_columns(self) -> tuple[str, ...]:
        return ()

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=self.columns)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        new = {name: _renumbered(data.column(name), stream) for name in self.columns}
        return data.with_roles(roles_of_new_names(data, self.columns)).with_columns(new)


def _renumbered(column: Column, stream: Stream) -> Column:
    codes, _ = column.true_codes()
    known = codes >= 0
    used, count = dense_codes(codes[known])
    values = np.zeros(len(column), dtype=np.int64)
    values[known] = 1 + stream.generator.permutation(count)[used]
    return Column(Kind.INTEGER, values, column.state, label=column.label)
