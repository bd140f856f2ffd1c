"""What people type first in Python is understood, or refused in words."""

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.errors.calls import NotAStream
from tarnkappe.errors.release import SecretWeak, UnknownDeclared
from tarnkappe.testing import example_data

DATA = example_data()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("mdav", "'microdata.mdav'"), ("MDAV", "'microdata.mdav'"), ("local_suppression", "'microdata.local-suppression'"),
        ("k-anonymity", "'risk.k-anonymity'"), ("k anonymity", "'risk.k-anonymity'"), ("microdata.mdaw", "'microdata.mdav'"),
        ("kanonymity", "'risk.k-anonymity'"), ("quader", "'table.quader'"),
    ],
)  # fmt: skip
def test_a_name_without_its_family_is_understood(word, meant):
    with pytest.raises(UnknownDeclared, match=f"Did you mean .*{meant}"):
        tk.catalogue[word]


@pytest.mark.parametrize("id", ["microdata.mdav", "microdata.noise", "microdata.pram", "microdata.drop"])
def test_a_secret_may_stand_for_its_stream(id):
    method = tk.catalogue[id](**tk.catalogue[id].example)
    secret = "8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d"
    once, again = (method.apply(DATA, secret) for _ in range(2))
    assert all(np.array_equal(once.column(n).texts(), again.column(n).texts()) for n in once.names)
    with pytest.raises(SecretWeak):
        method.apply(DATA, "secret")
    with pytest.raises(NotAStream, match=id):
        method.apply(DATA, 42)


def test_without_a_secret_one_is_drawn():
    noise = tk.catalogue["microdata.noise"](**tk.catalogue["microdata.noise"].example)
    assert len(noise.apply(DATA)) == len(DATA)


def test_a_finding_is_shown_in_a_line():
    shown = repr(tk.catalogue["risk.uniques"]()(DATA))
    assert shown.startswith("Finding(")
    assert "np." not in shown
    assert "per_record: 60 values" in shown
    assert len(shown) < 400
