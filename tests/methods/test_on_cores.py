"""Work on several cores gives what one core gives, to the last bit."""

from __future__ import annotations

from threading import get_ident

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels import on_cores
from tarnkappe.methods.microdata.averaging import Averaging
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.testing.telling import bytes_of

NAMES = ("x", "y", "z")
STEPS = {
    "sullivan": {"columns": NAMES, "unprotected": "suppress", "within": ("half",)},
    "swap-unprotected": {"columns": NAMES, "too_small": "leave"},
    "swap": {"columns": NAMES, "near": ("x",)},
    "camouflage": {"columns": NAMES},
    "controlled-noise": {"columns": NAMES, "control": {"by": "best-of", "runs": 7}},
    "noise": {"columns": NAMES, "treat": "outliers"},
    "rank-average": {"columns": NAMES, "within": ("half",)},
    "restore-variance": {
        "columns": NAMES, "block": 50, "step": {"use": "microdata.rank-average", "columns": NAMES},
    },
}  # fmt: skip


def values():
    rng = np.random.default_rng(3)
    x = np.exp(rng.normal(size=(600, 1)) + rng.normal(size=(600, 3)))
    columns = {name: Column.numbers_of(x[:, j]) for j, name in enumerate(NAMES)}
    return Microdata(columns | {"half": Column.numbers_of(np.arange(600) % 2.0)})


@pytest.mark.parametrize("name", STEPS)
def test_the_number_of_cores_changes_nothing(name, monkeypatch):
    step, found = catalogue[f"microdata.{name}"](**STEPS[name]), []
    for cores in (1, 2, 3):
        monkeypatch.setattr(on_cores, "WORTH", 0)
        monkeypatch.setattr(on_cores, "SLICE", 100)
        monkeypatch.setattr(on_cores, "CORES", cores)
        found.append(bytes_of(step.apply(values(), stream("any", name))))
    assert found[0] == found[1] == found[2]


def test_what_is_averaged_in_several_sets_draws_nothing():
    """Sets are averaged at the same time: draws from one stream would come in any order."""
    averaging = [cls for cls in catalogue.methods() if issubclass(cls, Averaging)]
    several = [cls.id for cls in averaging if len(cls(columns=NAMES).sets()) > 1]
    assert several == ["microdata.rank-average"]
    assert not any(catalogue[id].random for id in several)


def test_a_fault_in_a_part_is_told(monkeypatch):
    monkeypatch.setattr(on_cores, "CORES", 2)

    def odd(n):
        if n % 2:
            raise ValueError("odd")
        return n

    assert on_cores.on_cores(odd, [2, 4], on_cores.WORTH) == [2, 4]
    with pytest.raises(ValueError, match="odd"):
        on_cores.on_cores(odd, [2, 3, 4], on_cores.WORTH)
    assert on_cores.on_cores(odd, [], on_cores.WORTH) == []


def test_parts_of_parts_stay_in_their_thread(monkeypatch):
    monkeypatch.setattr(on_cores, "CORES", 2)

    def inner(_):
        return get_ident()

    def outer(_):
        return {get_ident(), *on_cores.on_cores(inner, range(4), on_cores.WORTH)}

    found = on_cores.on_cores(outer, range(2), on_cores.WORTH)
    assert all(len(threads) == 1 for threads in found)
    assert get_ident() not in set.union(*found)


def test_slices_hold_every_record_once(monkeypatch):
    monkeypatch.setattr(on_cores, "SLICE", 10)
    for n in (0, 1, 10, 11, 25):
        assert [i for part in on_cores.slices(n) for i in range(n)[part]] == list(range(n))
        assert len(on_cores.slices(n)) == max(1, -(-n // 10))
