"""Releases in memory: steps applied to data, and what they tell."""

import json

import numpy as np

from tarnkappe.correct.release import Release, Step
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import plain


def made(roles=None, **columns):
    """Data from arrays: numbers, or texts."""
    ready = {
        name: Column.texts_of([None if v is None else str(v) for v in x])
        if np.asarray(x).dtype.kind in "UO"
        else Column.numbers_of(np.asarray(x))
        for name, x in columns.items()
    }
    return Microdata(ready, roles or {})


def released(data, *steps, secret="any"):
    """What a receiver gets when these steps are run, told through JSON as in about.json."""
    told, treated = [], {}
    for number, step in enumerate(steps, 1):
        after = step.apply(data, stream(secret, f"{number} {step.id}"))
        facts = json.loads(json.dumps(plain(step.tells(data, after))))
        told.append(Step(number, step.id, step.title, facts))
        for name in after.names:
            if name not in data.names or data.columns[name] is not after.columns[name]:
                treated.setdefault(name, []).append(number)
        data = after
    return Release("made", data.sealed(), tuple(told), {n: tuple(s) for n, s in treated.items()})
