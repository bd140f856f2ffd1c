"""What is asked of the suppressed cells of a table that is out already: doubt, and no more; and whose they are."""

from __future__ import annotations

import numpy as np

from tarnkappe.attack.respondents import _parts_too
from tarnkappe.data.pattern import Status
from tarnkappe.data.relations import Relations
from tarnkappe.methods.tables.quader import Quader
from tarnkappe.plan.late import published_patterns
from tarnkappe.plan.model import PublishedDescription


def test_only_doubt_is_asked_of_cells_that_an_earlier_file_hides(tmp_path):
    cells = "code,value,status\nTotal,1234567.891,open\na,1034567.89,open\nb,,suppressed\nc,,suppressed\n"
    (tmp_path / "t.csv").write_text(cells)
    said = PublishedDescription(file="t.csv", by=("code",))
    (pattern,) = published_patterns([said], [], tmp_path)
    hidden = pattern.status == Status.PRIMARY
    assert hidden.sum() == 2
    asked = Quader().requires(pattern).span
    assert (asked[hidden] > 0).all()
    assert (asked[hidden] <= 1e-5 * pattern.table.value.max()).all()


def test_the_parts_of_a_sole_contributor_are_his():
    """Cell 0 = 1 + 2 has one contributor, 1 = 3 + 4; of 2 something is told, of 1, 3 and 4 nothing."""
    relations = Relations(
        5, np.array([0, 3, 6]), np.array([0, 1, 2, 1, 3, 4]), np.array([-1.0, 1, 1, -1, 1, 1]),
        np.array([0, 1]), np.array([0, 0]),
    )  # fmt: skip
    members = np.array([[7], [-1], [-1], [-1], [-1]])
    _parts_too(relations, members, np.array([False, True, False, True, True]))
    assert members[:, 0].tolist() == [7, 7, -1, 7, 7]
