from datetime import date, datetime, time

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from io_samples import MARKER, shown

from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.files import ExtraNeeded, FileUnreadable
from tarnkappe.io.read import read
from tarnkappe.vocab import Kind

C, I, N, D, T = Kind.CATEGORY, Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME


@pytest.fixture
def spss(tmp_path):
    def make(columns, name="data.sav", **options):
        path = tmp_path / name
        pyreadstat.write_sav(pd.DataFrame(columns), str(path), compress=name.endswith("zsav"), **options)
        return path

    return make


@pytest.mark.parametrize("name", ["data.sav", "data.zsav"])
def test_spss_with_labels_and_declared_missing_values(spss, name):
    path = spss(
        {"sex": [1.0, 2.0, 9.0, np.nan], "answer": ["yes", "no", "99", ""], "income": [1.5, 2.0, -1.0, -2.0]},
        name,
        column_labels={"sex": "Geschlecht"},
        variable_value_labels={
            "sex": {1.0: "männlich", 2.0: "weiblich", 9.0: "keine Angabe"},
            "answer": {"yes": "ja"},
        },
        missing_ranges={"sex": [9.0], "answer": ["99"], "income": [{"lo": -9.0, "hi": -1.0}]},
    )
    data = read(path)
    assert shown(data) == {
        "sex": (I, ["1", "2", None, None]), "answer": (C, ["yes", "no", None, None]), "income": (N, ["1.5", "2.0", None, None]),
    }  # fmt: skip
    assert data.column("sex").label == "Geschlecht"
    assert data.column("answer").label == ""
    assert dict(data.column("sex").value_labels) == {"1": "männlich", "2": "weiblich", "9": "keine Angabe"}
    assert dict(data.column("answer").value_labels) == {"yes": "ja"}


def test_whole_numbers_are_told_by_format_labels_or_measure(spss):
    whole = [1.0, 2.0, np.nan]
    path = spss(
        {"shown": whole, "plain": whole, "nominal": whole, "labelled": whole, "broken": [1.0, 2.5, 3.0]},
        variable_format={
            "shown": "F8.2",
            "plain": "F8.0",
            "nominal": "F8.2",
            "labelled": "F8.2",
            "broken": "F8.0",
        },
        variable_measure={"nominal": "nominal"},
        variable_value_labels={"labelled": {1.0: "one"}},
    )
    kinds = {name: kind for name, (kind, _) in shown(read(path)).items()}
    assert kinds == {"shown": N, "plain": I, "nominal": I, "labelled": I, "broken": N}


def test_labels_of_numbers_are_spelt_as_the_numbers_are(spss):
    column = read(spss({"x": [1.5, 2.0]}, variable_value_labels={"x": {1.5: "a", 2.0: "b"}})).column("x")
    assert column.texts().tolist() == ["1.5", "2.0"]
    assert dict(column.value_labels) == {"1.5": "a", "2.0": "b"}


def test_dates_instants_and_times(spss):
    data = read(
        spss(
            {
                "d": [date(1999, 12, 31), None],
                "t": [datetime(2020, 1, 2, 3, 4, 5, 678_000), None],
                "clock": [time(1, 2, 3), None],
            }
        )
    )
    assert shown(data) == {
        "d": (D, ["1999-12-31", None]), "t": (T, ["2020-01-02T03:04:05.678000", None]), "clock": (C, ["01:02:03", None]),
    }  # fmt: skip


def test_stata_with_its_own_missing_values(tmp_path):
    path = tmp_path / "data.dta"
    frame = pd.DataFrame({"a": [1, "a", 3], "x": [1.5, 2.0, np.nan], "s": ["x", "", "y"]})
    pyreadstat.write_dta(
        frame, str(path), missing_user_values={"a": ["a"]}, variable_value_labels={"a": {1: "one", "a": "refused"}},
        column_labels={"a": "Antwort"},
    )  # fmt: skip
    data = read(path)
    assert data.column("a").texts().tolist() == ["1", None, "3"]
    assert data.column("a").label == "Antwort"
    assert data.column("a").value_labels["1"] == "one"
    assert shown(data)["x"] == (N, ["1.5", "2.0", None])
    assert shown(data)["s"] == (C, ["x", None, "y"])


def test_sas_transport_files(tmp_path):
    path = tmp_path / "data.xpt"
    frame = pd.DataFrame(
        {
            "n": [1.0, 2.0, np.nan],
            "x": [1.5, 2.0, 3.0],
            "s": ["x", "", "ä"],
            "d": [date(2020, 1, 2), None, None],
        }
    )
    pyreadstat.write_xport(frame, str(path), column_labels={"n": "Anzahl"}, file_format_version=8)
    data = read(path)
    assert shown(data) == {
        "n": (I, ["1", "2", None]), "x": (N, ["1.5", "2.0", "3.0"]), "s": (C, ["x", None, "ä"]), "d": (D, ["2020-01-02", None, None]),
    }  # fmt: skip
    assert data.column("n").label == "Anzahl"


def test_all_missing_columns_keep_their_kind(spss):
    data = read(spss({"x": [np.nan, np.nan], "s": ["", ""]}, variable_format={"x": "F8.2"}))
    assert shown(data) == {"x": (N, [None, None]), "s": (C, [None, None])}


def test_types_can_be_asked_for(spss):
    data = read(spss({"x": [1.0, 2.0]}, variable_value_labels={"x": {1.0: "one"}}), types={"x": "category"})
    assert shown(data) == {"x": (C, ["1", "2"])}
    assert dict(data.column("x").value_labels) == {"1": "one"}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "sas7bdat", "xpt"])
@pytest.mark.parametrize("content", [MARKER.encode() * 50, b"$FL2@(#) SPSS DATA FILE" + MARKER.encode() * 20])
def test_what_is_no_such_file_is_told_in_our_words(tmp_path, ending, content):
    path = tmp_path / f"bad.{ending}"
    path.write_bytes(content)
    with pytest.raises(FileUnreadable) as caught:
        read(path)
    assert MARKER not in caught.value.text("en") + caught.value.text("de")


def test_a_torn_file_is_told_in_our_words(spss):
    path = spss({"x": [MARKER] * 50})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FileUnreadable) as caught:
        read(path)
    assert MARKER not in str(caught.value)


def test_no_records(spss):
    with pytest.raises(EmptyData):
        read(spss({"x": np.zeros(0)}))


def test_without_the_library_its_extra_is_named(spss, monkeypatch):
    path = spss({"x": [1.0]})
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(ExtraNeeded, match=r"tarnkappe\[statistics-packages\]"):
        read(path)
