"""Data full of markers through every command and every bad input: no message, page or public file shows one.

Texts hold ``ZZMARKERZZ``, one number in every column is 987654321.125 or 987654321. Whatever stands in a marked cell
must be seen nowhere but in the data itself.
"""

from __future__ import annotations

import json

import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, changed, lay_out, people
from surfaces.command import command
from tarnkappe.testing.telling import assert_silent

TEXT, NUMBER = "ZZMARKERZZ", "987654321.125"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def marked(n=120):
    """Every text of a direct identifier, one text in every other column and one number in each are marked."""
    columns = people(n)
    columns["name"] = [f"{TEXT} {name}" for name in columns["name"]]
    columns["number"][4] = "987654321"
    columns["household"] = [f"{TEXT}{h}" for h in columns["household"]]
    columns["owner"] = [f"{TEXT}{o}" for o in columns["owner"]]
    columns["note"][5] = f"{TEXT} was here"
    columns["region"][6] = f"{TEXT}land"
    columns["income"][7] = NUMBER
    columns["wealth"][8] = "987654321"
    return columns


def silent(said, where):
    assert_silent(said.all, where)
    return said


# -- commands that work -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "de"])
def test_inspect_shows_no_value_of_a_record(capsys, place, lang):
    (place / "people.csv").write_text(as_csv(marked()))
    said = silent(command(capsys, "inspect", "people.csv", "--lang", lang), "inspect")
    assert said.code == 0
    silent(
        command(capsys, "inspect", "people.csv", "--plan", f"{lang}.yaml", "--lang", lang), "inspect --plan"
    )
    assert_silent((place / f"{lang}.yaml").read_text(), "the proposed plan")


def released(capsys, place, **parts):
    plan = changed(**parts)
    plan["steps"] = [
        {
            "use": "microdata.suppress-cells",
            "values": {"region": [f"{TEXT}land"], "note": [f"{TEXT} was here"]},
            "lone": "allow",
        },
        *plan["steps"],
    ]
    lay_out(place, plan, as_csv(marked()))
    return silent(command(capsys, "run", "plan.yaml", "--out", "out"), "run")


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_release_shows_no_marked_cell_anywhere(capsys, place, lang):
    """The plan names the texts it suppresses, so the internal pages may repeat the plan; nothing else may."""
    said = released(capsys, place)
    assert said.code == 0, said.err
    for name in ("about.html", "about.json", "certificate.json", "data.csv"):
        assert_silent((place / "out" / name).read_text(), name)
    ledger = json.loads((place / "out" / "internal" / "ledger.json").read_text())
    for part in ("measures", "gates", "versions", "inputs", "outputs", "records", "secret", "title"):
        assert_silent(json.dumps(ledger[part]), f"ledger: {part}")
    for step in ledger["steps"]:
        assert_silent(json.dumps({k: v for k, v in step.items() if k != "parameters"}), step["id"])
    silent(command(capsys, "verify", "out", "--lang", lang), "verify")


@pytest.mark.parametrize("form", ["parquet", "arrow", "xlsx", "sav", "dta"])
def test_no_format_holds_a_suppressed_text(capsys, place, form):
    """Coded formats carry lists of categories: a suppressed one must not be on them."""
    released(capsys, place, release={"formats": [form]})
    held = (place / "out" / f"data.{form}").read_bytes()
    for encoding in ("utf-8", "utf-16-le", "latin-1"):
        assert TEXT.encode(encoding) not in held


def rare_plan():
    """Nothing is suppressed: rare texts and single numbers are in the data and must not be on any page."""
    return changed(
        steps=[{"use": "microdata.mdav", "columns": ["income", "wealth"], "k": 3}],
        release_if=None,
        accept=ANYTHING,
    )


def test_internal_pages_show_no_rare_text_and_no_single_number(capsys, place):
    lay_out(place, rare_plan(), as_csv(marked()))
    assert silent(command(capsys, "run", "plan.yaml", "--out", "out"), "run").code == 0
    for name in ("internal/report.html", "internal/ledger.json", "certificate.json"):
        assert_silent((place / "out" / name).read_text(), name)


def test_public_pages_show_no_number_of_a_record(capsys, place):
    """The dictionary of about.json lists released categories; numbers are never listed."""
    lay_out(place, rare_plan(), as_csv(marked()))
    command(capsys, "run", "plan.yaml", "--out", "out")
    for name in ("about.json", "about.html"):
        assert "987654321" not in (place / "out" / name).read_text().replace(",", "").replace(".", ""), name


def test_compare_shows_no_value_of_a_record(capsys, place):
    (place / "before.csv").write_text(as_csv(marked()))
    (place / "after.csv").write_text(as_csv(people(120)))
    for words in (
        ("before.csv", "after.csv"),
        (
            "before.csv",
            "before.csv",
            "--key",
            "note",
            "--key",
            "region",
            "--number",
            "income",
            "--number",
            "wealth",
        ),
        ("after.csv", "before.csv", "--out", "page.html"),
        ("after.csv", "before.csv", "--key", "note", "--number", "income", "--out", "facts.json"),
    ):
        assert silent(command(capsys, "compare", *words), "compare").code == 0
    for name in ("page.html", "facts.json"):
        assert_silent((place / name).read_text(), name)


# -- bad input ----------------------------------------------------------------------------------------------------------

DATA = as_csv(marked())
BAD_DATA = {
    "wrong encoding": DATA.replace("north", "nörd").encode("latin-1") + b"\x81\n",
    "ragged": (DATA + f"{TEXT},{NUMBER}\n").encode(),
    "too many fields": (DATA + f"{TEXT}," * 40 + "\n").encode(),
    "open quote": (DATA + f'"{TEXT},{NUMBER}\n').encode(),
    "quote inside": (DATA + f'{TEXT}"x,1,1,1,1,1,1,1,1,1\n').encode(),
    "duplicate names": DATA.replace("note", "sex", 1).encode(),
    "text among numbers": DATA.replace(NUMBER, TEXT).encode(),
    "infinite": DATA.replace(NUMBER, "inf").encode(),
    "UTF-16": DATA.encode("utf-16-le"),
    "binary": DATA.encode() + bytes(range(256)),
}


@pytest.mark.parametrize("fault", BAD_DATA, ids=str)
def test_bad_data_is_told_without_values(capsys, place, fault):
    lay_out(place)
    (place / "people.csv").write_bytes(BAD_DATA[fault])
    for words in (
        ("run", "plan.yaml", "--out", "out"),
        ("inspect", "people.csv"),
        ("compare", "people.csv", "people.csv"),
    ):
        silent(command(capsys, *words), f"{fault}: {words[0]}")


@pytest.mark.parametrize(
    "ending", ["parquet", "arrow", "xlsx", "sav", "dta", "sas7bdat", "xpt", "yaml", "csv.gz"]
)
def test_files_of_the_wrong_kind(capsys, place, ending):
    (place / f"data.{ending}").write_text(DATA)
    silent(command(capsys, "inspect", f"data.{ending}"), ending)
    silent(command(capsys, "compare", f"data.{ending}", f"data.{ending}"), ending)


def test_data_given_as_a_plan(capsys, place):
    (place / "people.csv").write_text(DATA)
    for words in (("check", "people.csv"), ("run", "people.csv", "--out", "out")):
        assert silent(command(capsys, *words), words[0]).code == 2


STEPS = {
    "mean of texts": {"use": "microdata.mdav", "columns": ["note"]},
    "too few": {"use": "microdata.mdav", "columns": ["income"], "k": 500},
    "too few in a stratum": {"use": "microdata.mdav", "columns": ["income"], "within": ["region"]},
    "lone cell": {"use": "microdata.suppress-cells", "records": [8], "columns": ["income"]},
    "unknown value": {"use": "microdata.suppress-cells", "values": {"region": ["elsewhere"]}},
    "too few beyond": {"use": "microdata.top-bottom-code", "columns": ["income"], "upper": 900_000},
    "narrow classes": {"use": "microdata.band", "columns": ["wealth"], "into": {"width": 1e-9}},
    "open class": {
        "use": "microdata.band",
        "columns": ["wealth"],
        "into": {"cuts": [1, 10]},
        "show": "midpoint",
    },
    "small class": {
        "use": "microdata.band",
        "columns": ["wealth"],
        "into": {"cuts": [1, 900_000_000]},
        "show": "mean",
    },
    "no hierarchy": {"use": "microdata.generalise", "columns": {"note": 1}},
    "fine base": {"use": "microdata.round", "columns": ["wealth"], "base": 1e-15},
    "budget": {"use": "microdata.suppress-records", "below": 5, "budget": 0.0},
}


@pytest.mark.parametrize("fault", STEPS, ids=str)
@pytest.mark.parametrize("lang", ["en", "de"])
def test_steps_that_are_refused_tell_no_value(capsys, place, fault, lang):
    lay_out(place, changed(steps=[STEPS[fault]], release_if=None), DATA)
    said = silent(command(capsys, "run", "plan.yaml", "--out", "out", "--lang", lang), fault)
    assert said.code in (0, 2, 3), said.err


HIERARCHIES = {
    "digits on numbers": {"income": {"digits": [1, 2]}},
    "digits on names": {"note": {"digits": [1, 2, 3]}},
    "bands on texts": {"note": {"bands": 5}},
    "dates on texts": {"note": {"dates": ["year"]}},
    "tree without the code": {"region": {"tree": {"all": ["north", "south"]}}},
    "narrow bands": {"wealth": {"bands": 1e-9}},
    "file without the code": {"region": {"file": "h.csv"}},
}


@pytest.mark.parametrize("fault", HIERARCHIES, ids=str)
def test_hierarchies_that_do_not_fit_tell_no_value(capsys, place, fault):
    plan = changed(steps=None, release_if=None)
    plan["data"]["hierarchies"] = HIERARCHIES[fault]
    lay_out(place, plan, DATA)
    (place / "h.csv").write_text("code,parent,label\nTotal,,\nnorth,Total,N\nsouth,Total,S\n")
    silent(command(capsys, "run", "plan.yaml", "--out", "out"), fault)


def test_types_that_do_not_fit_tell_no_value(capsys, place):
    for column, kind in (
        ("note", "number"),
        ("note", "date"),
        ("income", "integer"),
        ("region", "boolean"),
        ("note", "datetime"),
    ):
        plan = changed(steps=None, release_if=None)
        plan["data"] |= {"types": {column: kind}, "hierarchies": {}}
        lay_out(place, plan, DATA)
        assert silent(command(capsys, "run", "plan.yaml", "--out", "out", "--lang", "en"), kind).code == 2


def test_an_identifier_that_is_found_is_not_shown(capsys, place):
    columns = marked()
    columns["note"] = [f"about {name}" for name in columns["name"]]
    lay_out(place, changed(steps=None, release_if=None), as_csv(columns))
    said = silent(command(capsys, "run", "plan.yaml", "--out", "out", "--lang", "en"), "hidden identifier")
    assert said.code == 3
    assert "'note'" in said.err


def test_a_crash_inside_tells_no_value(capsys, place, monkeypatch):
    from tarnkappe.spec import catalogue

    def crash(self, data, stream):
        raise ValueError(
            f"cannot handle {data.column('income').values[7]} and {data.column('note').texts()[5]}"
        )

    monkeypatch.setattr(catalogue["microdata.mdav"], "apply", crash)
    lay_out(place, changed(steps=[{"use": "microdata.mdav", "columns": ["income"]}], release_if=None), DATA)
    assert silent(command(capsys, "run", "plan.yaml", "--out", "out"), "crash").code == 1
