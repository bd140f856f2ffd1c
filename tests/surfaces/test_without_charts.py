"""Without the extra that draws, reports say in words what a chart would show, and a picture that is asked for names the extra."""

import sys

import pytest

from tarnkappe.report import drawing


@pytest.fixture
def no_charts(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)


def test_words_stand_where_the_chart_would(no_charts):
    said = drawing.draw({"mark": "bar"}, "de", "Alter <vorher>")
    assert "Alter &lt;vorher&gt;" in said
    assert "tarnkappe[charts]" in said
    assert "<svg" not in said


def test_a_picture_that_is_asked_for_names_the_extra(no_charts):
    with pytest.raises(ImportError, match=r"tarnkappe\[charts\]"):
        drawing.svg_file({"mark": "bar"}, "en")
    with pytest.raises(ImportError, match=r"tarnkappe\[charts\]"):
        drawing.png_file({"mark": "bar"}, "en")


def test_charts_are_not_loaded_before_one_is_drawn():
    import subprocess

    program = "import sys, tarnkappe.report.pages; print('vl_convert' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
