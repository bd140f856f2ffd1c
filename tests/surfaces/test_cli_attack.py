"""tarnkappe attack as a user meets it."""

import json

import pytest

from plans.workshop import as_csv, people
from surfaces.command import command

KEYS = ("--key", "region", "--key", "sex", "--key", "age", "--sensitive", "note")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    columns = people()
    columns["age"] = [f"{int(a) // 10 * 10}" for a in columns["age"]]
    (tmp_path / "before.csv").write_text(as_csv(people()), encoding="utf-8")
    (tmp_path / "after.csv").write_text(as_csv(columns), encoding="utf-8")
    return tmp_path


def run(capsys, *words):
    return command(capsys, "attack", "before.csv", "after.csv", *KEYS, *words)


def test_it_says_who_finds_whom_and_what_was_not_run(files, capsys):
    said = run(capsys)
    assert said.code == 0
    words = " ".join(said.out.split())
    assert "Who could find whom" in words
    assert "Somebody who knows region, sex and age of a person in the file" in words
    assert "Record n of the second file is taken for record n of the first" in words
    assert "Not run:" in words and "Individual risk" in words
    assert "measuring:" in said.err


def test_german_and_quiet(files, capsys):
    words = " ".join(run(capsys, "--lang", "de", "--only", "risk.reidentification").out.split())
    assert "Wer wen finden könnte" in words
    assert "Risiko der Re-Identifikation (prosecutor)" in words
    quiet = run(capsys, "--quiet", "--only", "risk.k-anonymity")
    assert (quiet.out, quiet.err) == ("", "")


def test_json(files, capsys):
    said = run(capsys, "--json", "--quiet", "--only", "risk.reidentification", "--attacker", "prosecutor")
    told = json.loads(said.out)
    (found,) = told["attacks"]
    assert found["id"] == "risk.reidentification"
    assert found["parameters"]["attacker"] == "prosecutor"
    assert 0 < found["after"]["value"] <= found["before"]["value"] == 1
    assert told["says"][0]["en"].startswith("Somebody who knows")
    assert "per_record" not in said.out


def test_reports_are_written_and_never_replaced(files, capsys):
    only = ("--only", "risk.reidentification", "--only", "risk.attribution")
    assert run(capsys, *only, "--out", "attack.html").code == 0
    page = (files / "attack.html").read_text(encoding="utf-8")
    assert "Who could find whom" in page and "http://" not in page.replace("http://www.w3.org", "")
    assert run(capsys, *only, "--out", "attack.html").code == 2
    assert run(capsys, *only, "--out", "attack.json").code == 0
    assert json.loads((files / "attack.json").read_text(encoding="utf-8"))["attacks"]
    assert run(capsys, *only, "--out", "attack.pdf").code == 2


def test_bounds_set_the_exit_code(files, capsys):
    only = ("--only", "risk.k-anonymity")
    assert run(capsys, *only, "--least", "risk.k-anonymity=1").code == 0
    broken = run(capsys, *only, "--least", "risk.k-anonymity=99")
    assert broken.code == 3
    assert "[attack.bounds]" in broken.err and "k-anonymity ≥ 99" in broken.err
    assert run(capsys, *only, "--most", "risk.reidentification=0.01").code == 3


def test_a_report_is_written_though_a_bound_does_not_hold(files, capsys):
    words = ("--only", "risk.k-anonymity", "--least", "risk.k-anonymity=99", "--out", "attack.html")
    assert run(capsys, *words).code == 3
    assert "not met" in (files / "attack.html").read_text(encoding="utf-8")


def test_knowledge(files, capsys):
    more = people(200, seed=8)
    register = {n: people()[n] + more[n] for n in ("region", "sex")}
    (files / "register.csv").write_text(as_csv(register), encoding="utf-8")
    words = (
        "--keys",
        "region",
        "--keys",
        "sex",
        "--knowledge",
        "register.csv",
        "--only",
        "risk.k-map",
        "--json",
        "-q",
    )
    told = json.loads(command(capsys, "attack", "before.csv", "after.csv", *words).out)
    assert told["attacks"][0]["against"] == "register.csv"
    assert told["attacks"][0]["after"]["details"]["persons"] == 290


def test_several_columns_tell_together_who_is_who(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"f{i},{year},{'ab'[i % 2]},{10 * i + year}\n" for i in range(30) for year in (2020, 2021)]
    head = "firm,year,sector,turnover\n"
    (tmp_path / "before.csv").write_text(head + "".join(rows))
    (tmp_path / "after.csv").write_text(head + "".join(reversed(rows)))
    words = (
        "attack",
        "before.csv",
        "after.csv",
        "--key",
        "sector",
        "--number",
        "turnover",
        "--only",
        "risk.linkage",
        "--json",
        "-q",
    )
    told = json.loads(command(capsys, *words, "--key", "turnover", "--id", "firm", "--id", "year").out)
    assert told["attacks"][0]["after"]["value"] == 1  # nothing was changed, only the order
    assert "firm, year" in told["basis"][1]["en"]
    unclear = command(capsys, *words, "--id", "firm")
    assert unclear.code == 2
    assert "risk.identity-unclear" in unclear.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--only", "risk.k-anonymous"), "attack.unknown"),
        (("--only", "utility.moments"), "attack.unknown"),
        (("--key", "no such column"), "data.column-missing"),
        (("--id", "region"), "risk.identity-unclear"),
        (("--most", "risk.k-anonymity"), "table.option"),
        (("--most", "risk.k-anonymity=many"), "table.option"),
        (("--knowledge", "nothing.csv"), "file.missing"),
    ],
)
def test_bad_input(files, capsys, words, code):
    said = run(capsys, *words)
    assert said.code == 2
    assert f"[{code}]" in said.err


def test_no_value_of_the_data_is_shown(files, capsys):
    said = run(capsys)
    values = {
        v for n, c in people().items() if n in ("name", "number", "note", "income", "household") for v in c
    }
    assert not [v for v in values if len(v) > 3 and v in said.all]


def test_a_hold_out_is_read_and_named(files, capsys):
    (files / "others.csv").write_text(as_csv(people(80, seed=7)), encoding="utf-8")
    only = ("--only", "risk.singling-out", "--holdout", "others.csv")
    said = run(capsys, *only)
    assert "The hold-out is others.csv with 80 persons" in " ".join(said.out.split())
    found = json.loads(run(capsys, *only, "--json", "--quiet").out)["attacks"][0]
    assert found["against"] == "others.csv"
    assert found["after"]["details"]["holdout"] == "given"
