"""Municipal counts: districts instead of quarters, counts rounded, and a gate on what the figures are still worth.

The records are cells of a table. Rounding hides small counts; it does not protect a table whose totals are published
elsewhere; see the how-to page "Publish a table" for that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tarnkappe as tk

PLAN = """\
tarnkappe: 1
title: Residents by district
data:
  file: municipal.csv
  types: {city: category, district: category, quarter: category}
  roles:
    key: [quarter, age_group, nationality]
    sensitive: [unemployed]
    numeric: [count]
  hierarchies:
    quarter: {digits: [2, 4, 5], levels: [city, district, quarter]}
steps:
  - use: microdata.drop
    columns: [city, district]
  - use: microdata.generalise
    columns: {quarter: district}
  - use: microdata.round
    columns: [count]
    base: 5
release_if:
  - measure: utility.moments
    at_most: 0.02
accept:
  - what: risk.k-anonymity
    reason: The records are cells of a table and not persons, so that a rare combination is a small cell.
  - what: risk.l-diversity
    reason: Whether somebody is unemployed is a dimension of the table and stands in every cell.
  - what: risk.interval-disclosure
    reason: Counts are rounded to multiples of five, which is near to the count by design.
  - what: risk.further-keys
    reason: The count of a cell is what the table tells, and nobody knows it beforehand.
"""


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tk.to_frame(tk.EXAMPLES["municipal"](2700)).write_csv(folder / "municipal.csv")
    (folder / "municipal.yaml").write_text(PLAN, "utf-8")

    done = tk.release(tk.check_file(folder / "municipal.yaml"), folder / "release", replace=True)
    residents = (int(d.column("count").values.sum()) for d in (done.before, done.after))
    print("residents before and after: {:,} {:,}".format(*residents))
    for gate in done.gates:
        print("held:", gate.says)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "municipal"))
