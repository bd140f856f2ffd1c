"""Attacks of a stranger in every run: a whole run with them beside the same run without.

    python benchmarks/strangers.py [SIZE …]

A made register of persons with households is generalised, rare combinations are suppressed, and two columns get noise; then the run measures and judges
as it would before a release, and nothing is written. There is no peer with these attacks. The baseline is the same run with the attacks left out, so
*ratio* (baseline over ours) is below 1: what is missing to 1 is the share of a run that its attacks take. Both must end in the same findings.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

from runner import Row, child, cost, report, row

SIZES = (1_000, 10_000, 100_000)
WARM = 500
REPEATED = 10_000
"""Up to here the fastest of three runs counts."""
HELD: list[tempfile.TemporaryDirectory[str]] = []
"""Folders that go with the process."""
PLAN = """
tarnkappe: 1
title: Persons
data:
  file: persons.csv
  roles:
    identifier: [policy_number, name]
    household: household
    key: [birth_date, sex, education]
    numeric: [income, claims, claims_amount]
  types: {postcode: category, occupation: category}
  hierarchies:
    birth_date: {dates: [decade, year, month]}
seed: {secret: benchmark}
steps:
  - use: microdata.drop
    columns: [postcode, marital_status, occupation, diagnosis]
  - use: microdata.generalise
    columns: {birth_date: decade}
  - use: microdata.suppress-records
    below: 3
    budget: 0.5
  - use: microdata.noise
    columns: [income, claims_amount]
    variance_ratio: 0.05
release_if:
  - measure: risk.k-anonymity
    at_least: 3
"""


def prepared(size):
    """A plan beside its data, in a folder that goes with the process."""
    import tarnkappe as tk

    HELD.append(tempfile.TemporaryDirectory(prefix="strangers-"))
    folder = Path(HELD[-1].name)
    tk.to_frame(tk.EXAMPLES["persons"](int(size))).write_csv(folder / "persons.csv")
    kept = folder / ".tarnkappe" / "secrets" / "benchmark"
    kept.parent.mkdir(parents=True, mode=0o700)
    kept.write_text(hashlib.sha256(b"benchmark").hexdigest())
    kept.chmod(0o600)
    (folder / "persons.yaml").write_text(PLAN)
    return tk.check_file(folder / "persons.yaml")


def found(done):
    """What a run with and one without attacks must tell alike."""
    return {entry.measure.id: float(entry.after.value) for entry in done.measures if entry.after is not None}


def with_attacks(size):
    import tarnkappe as tk

    plan = prepared(size)
    yield
    yield found(tk.run(plan))


def without_attacks(size):
    import tarnkappe as tk
    from tarnkappe.plan import run as course

    course.strangers = lambda *_: ()
    plan = prepared(size)
    yield
    yield found(tk.run(plan))


TASKS = {task.__name__: task for task in (with_attacks, without_attacks)}


def run(sizes: tuple[int, ...]) -> list[Row]:
    rows = []
    for size in sizes:
        runs = 3 if size <= REPEATED else 1
        ours, theirs = (cost(__file__, task, size, runs=runs, warm=(WARM,)) for task in TASKS)
        rows.append(row("a run and its attacks", size, ours, "the run without", theirs))
    return rows


if __name__ == "__main__" and not child(TASKS):
    asked = tuple(int(size) for size in sys.argv[1:]) or SIZES
    report("strangers", run(asked), notes=("Nothing is written; reading the file is part of a run.",))
