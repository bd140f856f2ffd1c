"""inspect FILE --plan PLAN, then run PLAN: whatever the file, it ends in a release or in a refusal that says what to change."""

import pytest
import yaml
from command import command
from ugly_files import FIRMS, UGLY, Ugly

from tarnkappe.errors.release import PlanWrong
from tarnkappe.io.read import read
from tarnkappe.plan.check import check, check_file
from tarnkappe.plan.document import load

NEXT = ("Next:", "→")


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "daten").mkdir()
    (tmp_path / "plaene").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(place, ugly, name="daten/firmen.csv"):
    (place / name).write_bytes(ugly.content())
    return name


@pytest.mark.parametrize("kind", UGLY)
def test_a_first_plan_runs_whatever_the_file(capsys, place, kind):
    ugly = UGLY[kind]
    file = put(place, ugly)
    seen = command(capsys, "inspect", file, "--plan", "plaene/p.yaml", "--lang", "en", *ugly.options)
    assert seen.code == 0, seen.all
    done = command(capsys, "run", "plaene/p.yaml", "--out", "out", "--lang", "en", "--quiet")
    assert done.code in (0, 3), done.all
    assert (place / "out").is_dir() is (done.code == 0)
    if done.code == 3:
        assert any(word in done.err for word in NEXT), done.err


@pytest.mark.parametrize(
    ("encoding", "separator"), [("cp1252", ";"), ("utf-8-sig", ";"), ("utf-16", "\t"), ("utf-8", "|")]
)
def test_what_was_found_stands_in_the_plan(capsys, place, encoding, separator):
    file = put(place, Ugly(FIRMS, encoding=encoding, separator=separator))
    command(capsys, "inspect", file, "--plan", "plaene/p.yaml")
    data = yaml.safe_load((place / "plaene/p.yaml").read_text("utf-8"))["data"]
    assert data["file"] == "../daten/firmen.csv"
    assert data["outside"] is True
    assert data["encoding"] == encoding.removesuffix("-sig")
    assert (data["separator"], data["decimal"]) == (separator, ",")
    named = {
        name for names in data["roles"].values() for name in ([names] if isinstance(names, str) else names)
    }
    assert named == set(FIRMS)


def test_a_plan_beside_its_data_says_nothing_of_outside(capsys, place):
    file = put(place, Ugly(FIRMS), "daten/firmen.csv")
    command(capsys, "inspect", file, "--plan", "p.yaml")
    data = yaml.safe_load((place / "p.yaml").read_text("utf-8"))["data"]
    assert data["file"] == "daten/firmen.csv"
    assert "outside" not in data


def test_columns_that_differ_in_their_decimal_sign_are_read_again_as_they_were(capsys, place):
    file = put(place, UGLY["both signs"])
    command(capsys, "inspect", file, "--plan", "p.yaml")
    assert "decimal" not in yaml.safe_load((place / "p.yaml").read_text("utf-8"))["data"]


# -- the notice ---------------------------------------------------------------------------------------------------


def test_the_notice_shows_the_header_where_it_has_umlauts(capsys, place):
    file = put(place, Ugly(FIRMS, encoding="cp1252"))
    said = command(capsys, "inspect", file, "--lang", "en")
    assert "read as cp1252" in said.err
    assert ";".join(FIRMS) in said.err
    assert "firmen.csv ist kein UTF-8" in command(capsys, "inspect", file, "--lang", "de").err


def test_of_a_record_the_notice_shows_only_fields_with_umlauts(capsys, place):
    (place / "f.csv").write_bytes("ort;betrag\nBonn;1,5\nKöln;4711,25\n".encode("cp1252"))
    said = command(capsys, "inspect", "f.csv", "--lang", "en").err
    assert "Köln;…" in said
    assert "4711" not in said
    assert "Bonn" not in said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_nothing_is_noticed_where_the_file_tells_its_encoding(capsys, place, encoding):
    assert command(capsys, "inspect", put(place, Ugly(FIRMS, encoding=encoding))).err == ""


def test_a_run_tells_signs_and_no_line(capsys, place):
    (place / "f.csv").write_bytes(("ort;x\n" + "Köln;1\nBonn;2\n" * 20).encode("cp1252"))
    (place / "p.yaml").write_text(
        "tarnkappe: 1\ntitle: t\ndata: {file: f.csv, roles: {key: [ort], numeric: [x]}}\nsteps: [{use: microdata.mdav, columns: [x], k: 3}]\n"
    )
    said = command(capsys, "run", "p.yaml", "--out", "out", "--lang", "en").err
    assert "these signs beyond ASCII: ö" in said
    assert "Köln" not in said


def test_python_warns_that_an_encoding_was_assumed(place):
    put(place, Ugly(FIRMS, encoding="cp1252"))
    with pytest.warns(UserWarning, match="cp1252"):
        assert "Größenklasse" in read("daten/firmen.csv").names


# -- the same options everywhere ----------------------------------------------------------------------------------


def office(place, name, encoding="cp850"):
    rows = "".join(f"{i};{'mö'[i % 2]};{i % 7},5\n" for i in range(40))
    (place / name).write_bytes(f"nr;größe;wert\n{rows}".encode(encoding))
    return name


OPTIONS = ("--encoding", "cp850", "--separator", ";", "--decimal", ",")


def test_inspect_new_compare_attack_and_run_take_the_same_options(capsys, place):
    file = office(place, "a.csv")
    (place / "answers.yaml").write_text("title: t\n")
    for words in (
        ("inspect", file, "--plan", "i.yaml"),
        ("new", file, "--answers", "answers.yaml", "--out", "n.yaml"),
        ("compare", file, file, "--key", "größe", "--number", "wert"),
        ("attack", file, file, "--id", "nr", "--key", "größe", "--only", "risk.k-anonymity"),
    ):
        done = command(capsys, *words, "--lang", "en", *OPTIONS)
        assert done.code == 0, done.all
    for plan in ("i.yaml", "n.yaml"):
        assert yaml.safe_load((place / plan).read_text("utf-8"))["data"]["encoding"] == "cp850"


def test_run_reads_the_data_as_the_command_says(capsys, place):
    office(place, "a.csv")
    (place / "p.yaml").write_text(
        "tarnkappe: 1\ntitle: t\ndata: {file: a.csv, encoding: cp1252, roles: {key: [größe], numeric: [wert], identifier: [nr]}}\n"
        "steps: [{use: microdata.mdav, columns: [wert], k: 3}]\n",
        encoding="utf-8",
    )
    wrong = command(capsys, "run", "p.yaml", "--out", "out", "--quiet", "--lang", "en")
    assert "no column 'größe'" in wrong.err
    checked = check_file("p.yaml", {"encoding": "cp850"})
    assert checked.data.encoding == "cp850"
    assert checked.source["data"]["encoding"] == "cp850"
    done = command(capsys, "run", "p.yaml", "--out", "out", "--quiet", "--lang", "en", "--encoding", "cp850")
    assert done.code in (0, 3), done.all
    assert "plan.wrong" not in done.err


def test_a_second_file_that_is_written_otherwise_is_read_as_it_is(capsys, place):
    file = office(place, "a.csv")
    (place / "b.csv").write_text("größe,wert\n" + "m,1.5\nö,2.5\n" * 20, encoding="utf-8")
    done = command(capsys, "compare", file, "b.csv", "--key", "größe", "--number", "wert", *OPTIONS)
    assert done.code == 0, done.all


# -- outside the folder -------------------------------------------------------------------------------------------


def test_only_a_plan_that_says_so_names_data_outside(place):
    put(place, Ugly(FIRMS))
    text = "tarnkappe: 1\ntitle: t\ndata: {file: ../daten/firmen.csv%s}\nsteps: [{use: microdata.drop, columns: [Straße]}]\n"
    plan = place / "plaene/p.yaml"
    plan.write_text(text % ", outside: true", encoding="utf-8")
    assert check_file(plan).data.outside
    with pytest.raises(PlanWrong, match="may only name data in its own folder"):
        check(load(plan), plan.parent)  # as the studio does, whose plans may come from anybody
    plan.write_text(text % "", encoding="utf-8")
    with pytest.raises(PlanWrong, match="leads out of the folder"):
        check_file(plan)


def test_other_files_of_a_plan_stay_inside(place):
    put(place, Ugly(FIRMS))
    (place / "tree.hrc").write_text("a\n")
    plan = place / "plaene/p.yaml"
    plan.write_text(
        "tarnkappe: 1\ntitle: t\ndata: {file: ../daten/firmen.csv, outside: true, hierarchies: {PLZ: {file: ../tree.hrc}}}\n"
        "steps: [{use: microdata.drop, columns: [Straße]}]\n",
        encoding="utf-8",
    )
    with pytest.raises(PlanWrong, match="leads out of the folder"):
        check_file(plan)
