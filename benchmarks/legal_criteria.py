"""Singling out, linkability and inference beside anonymeter, at the same numbers of attacks, on the adult data.

    python benchmarks/legal_criteria.py [--adult FILE] [ATTACKS]

FILE, or TARNKAPPE_ADULT, is the file of ARX (30,162 records, separator ``;``). One half is the original, the other the
hold-out. The release is as large: one record in five is a copy, the others take each value from another record of the same salary class. Both tools
attack, run the control and guess; reading is not timed, and both do all of it with 40 attacks before they are timed. Attacks: 500 for singling out, 2,000 for the others, or ATTACKS for all.

The tools must make the same number of attacks. Their risks are told, not compared: they draw other attacks, and anonymeter drops duplicate
records before it singles out and breaks ties by the order of the file.
"""

from __future__ import annotations

import os
import sys

from runner import Row, child, cost, python_of, report, row

ATTACKS = {"singling_out": 500, "linkability": 2_000, "inference": 2_000}
ORIGINAL = 15_081
COPIED = 0.2
SECRET = "salary-class"
LEFT = ["sex", "age", "race", "marital-status"]
RIGHT = ["education", "native-country", "workclass", "occupation"]


def parts(file):
    """Release, original and hold-out: column -> values."""
    import csv
    from pathlib import Path

    import numpy as np

    with Path(file).open(encoding="utf-8") as opened:
        header, *lines = csv.reader(opened, delimiter=";")
    draw = np.random.default_rng(20261116)
    table = np.array(lines, dtype=object)[draw.permutation(len(lines))]
    original, outside = table[:ORIGINAL], table[ORIGINAL:]
    release, secret = original.copy(), header.index(SECRET)
    for kind in sorted(set(original[:, secret])):
        same = np.flatnonzero(original[:, secret] == kind)
        for j in range(len(header)):
            release[same, j] = original[draw.permutation(same), j]
    copied = draw.random(ORIGINAL) < COPIED
    release[copied] = original[copied]
    return [
        {
            name: [int(v) for v in part[:, j]] if name == "age" else list(part[:, j])
            for j, name in enumerate(header)
        }
        for part in (release, original, outside)
    ]


def ours(file, attacks, made):
    import numpy as np

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

    def data(columns, first):
        made = {
            n: Column.numbers_of(np.array(v)) if n == "age" else Column.texts_of(v)
            for n, v in columns.items()
        }
        size = len(columns["age"])
        return Microdata(made, rows=first + np.arange(size, dtype=np.int64))

    release, original, outside = parts(file)
    files = data(release, -ORIGINAL), data(original, 0), data(outside, ORIGINAL)
    measure = made(int(attacks))
    yield
    found = measure.against(*files)
    told = found.details.get("sensitive", {}).get(SECRET, found.details)
    yield {
        "attacks": told["attack"]["attacks"],
        "our risk": found.value,
        "our low": found.low,
        "our high": found.high,
    }


def theirs(file, attacks, evaluator, **more):
    import warnings

    import pandas as pd

    warnings.simplefilter("ignore")
    release, original, outside = (pd.DataFrame(part) for part in parts(file))
    yield
    made = evaluator(ori=original, syn=release, control=outside, n_attacks=int(attacks), **more).evaluate()
    risk = made.risk()
    yield {
        "attacks": float(made.results().n_attacks_ori), "their risk": risk.value, "their low": risk.ci[0], "their high": risk.ci[1],
    }  # fmt: skip


def singling_out(file, attacks):
    from tarnkappe.risk.singling_out import SinglingOut

    yield from ours(file, attacks, lambda n: SinglingOut(attacks=n))


def linkability(file, attacks):
    from tarnkappe.risk.linkability import Linkability

    yield from ours(file, attacks, lambda n: Linkability(attacks=n, left=tuple(LEFT), right=tuple(RIGHT)))


def inference(file, attacks):
    from tarnkappe.risk.inference import Inference

    keys = (*LEFT, *RIGHT)
    yield from ours(file, attacks, lambda n: Inference(attacks=n, keys=keys, sensitive=(SECRET,)))


def anonymeter_singling_out(file, attacks):
    from anonymeter.evaluators import SinglingOutEvaluator

    yield from theirs(file, attacks, SinglingOutEvaluator, n_cols=3)


def anonymeter_linkability(file, attacks):
    from anonymeter.evaluators import LinkabilityEvaluator

    yield from theirs(file, attacks, LinkabilityEvaluator, aux_cols=(LEFT, RIGHT))


def anonymeter_inference(file, attacks):
    from anonymeter.evaluators import InferenceEvaluator

    yield from theirs(file, attacks, InferenceEvaluator, aux_cols=[*LEFT, *RIGHT], secret=SECRET)


TASKS = {
    task.__name__: task
    for task in (
        singling_out,
        linkability,
        inference,
        anonymeter_singling_out,
        anonymeter_linkability,
        anonymeter_inference,
    )
}


def run(file, attacks) -> tuple[list[Row], list[str]]:
    """A row for each of the three attacks."""
    rows, notes = [], []
    python = python_of("anonymeter")
    for name, count in attacks.items():
        found = cost(__file__, name, file, count, warm=(file, 40))
        theirs = f"anonymeter_{name}"
        beside = (
            None if python is None else cost(__file__, theirs, file, count, python=python, warm=(file, 40))
        )
        rows.append(row(f"{name.replace('_', ' ')}, adult", count, found, "anonymeter", beside))
        for whose, answer in (("our", found.answer), ("their", beside.answer if beside else {})):
            if answer:
                value, low, high = (answer[f"{whose} {part}"] for part in ("risk", "low", "high"))
                notes.append(f"{name.replace('_', ' ')}, {whose} risk: {value:.3f} ({low:.3f} to {high:.3f})")
    return rows, notes


if __name__ == "__main__" and not child(TASKS):
    given = sys.argv[1:]
    named = os.environ.get("TARNKAPPE_ADULT", "")
    if given[:1] == ["--adult"]:
        named, given = given[1], given[2:]
    if named:
        chosen = dict.fromkeys(ATTACKS, int(given[0])) if given else ATTACKS
        report("legal_criteria", *run(named, chosen))
    else:
        print("  no data: --adult FILE or TARNKAPPE_ADULT")
