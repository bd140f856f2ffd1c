"""Measures on the screen: what is not to be trusted is marked."""

import pytest

from tarnkappe.cli.measured import show_measured
from tarnkappe.language import Text
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.spec import Finding, catalogue


def entry(id_, *, trusted):
    because = Text("because", "weil")
    return MeasureEntry(catalogue[id_](), None, Finding(value=0.5, trusted=trusted, because=because), 0.0)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "? is not to be trusted; there says why."),
        ("de", "? ist nicht verlässlich; dort sagt, warum."),
    ],
)
def test_doubts_are_marked(capsys, lang, said):
    found = [entry("risk.uniques", trusted=True), entry("risk.weight-leakage", trusted=False)]
    show_measured("title", found, Text("there", "dort"), lang)
    lines = capsys.readouterr().out.splitlines()
    marked = [line for line in lines if "?" in line and line != said]
    assert len(marked) == 1
    assert ("Weights" if lang == "en" else "Gewichte").lower() in marked[0].lower()
    assert said in lines
    show_measured("title", found[:1], Text("there", "dort"), lang)
    assert "?" not in capsys.readouterr().out
