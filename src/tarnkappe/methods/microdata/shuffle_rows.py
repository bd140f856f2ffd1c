"""Random order of records."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.comparison import same_records
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Source, method

TELLING = 20
"""With so many records an order that did not change is no chance: 1 in 20! = 2.4e18."""


def _same_records(m: ShuffleRows, before: Microdata, after: Microdata) -> bool:
    del m
    same = np.array_equal(np.sort(before.rows), np.sort(after.rows))
    return same and same_records(before.aligned_to(after), after)


def _order_gone(m: ShuffleRows, before: Microdata, after: Microdata) -> bool:
    del m
    return len(before) < TELLING or not np.array_equal(before.rows, after.rows)


@method(
    "microdata.shuffle-rows",
    family=Family.NAMES,
    leaves=Leaves.VALUES,
    title=Text("Shuffle the order of records", "Reihenfolge der Datensätze mischen"),
    does=Text("The records stand in random order.", "Die Datensätze stehen in zufälliger Reihenfolge."),
    sources=(
        Source("dav2025", "section 4.2, weaknesses: tables are put in random order"),
        Source("sweeney2002", "section 4.1, unsorted matching attack"),
    ),
    preserves=(
        Claim(
            Text("every record, and how often it occurs", "jeden Datensatz und wie oft er vorkommt"),
            _same_records,
        ),
    ),
    protects=(
        Claim(
            Text(
                "the order: a file of 20 records or more does not stand in the old one",
                "die Reihenfolge: eine Datei mit 20 oder mehr Datensätzen steht nicht in der alten",
            ),
            _order_gone,
        ),
    ),
    does_not=(
        Text(
            "protect the values: a record that is unique is found wherever it stands",
            "die Werte schützen: ein einmaliger Datensatz wird überall gefunden",
        ),
        Text(
            "help when a running number or a time stamp stays in the file",
            "helfen, wenn eine laufende Nummer oder ein Zeitstempel in der Datei bleibt",
        ),
    ),
    example={},
    random=True,
    reorders=True,
)
class ShuffleRows(Method):
    """Put the records in random order, each order being as likely as any other.

    Several releases of the same records in the same order can be laid side by side, whatever was done to
    each. Every release that is not told otherwise ends with this step.

    No value is looked at: missing, suppressed, zero, negative, constant and tied ones stay in their record.
    """

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        return data.take(stream.generator.permutation(len(data)))
