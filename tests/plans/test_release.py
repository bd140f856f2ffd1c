"""From a plan to the files of a release: whole, repeatable, inside and outside apart, or nothing."""

from __future__ import annotations

import csv
import json
import re
import stat

import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, changed, checked, everything_in, people
from tarnkappe.errors.release import Cancelled, GateClosed, NotOurRelease, ReleaseExists
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import run
from tarnkappe.report import release as release_module
from tarnkappe.report.release import NOTICE, release, write_release
from tarnkappe.report.verify import verify

EXTERNAL = {"about.html", "about.json", "certificate.json", "data.csv"}
INTERNAL = {"internal/ledger.json", "internal/report.html", "internal/riskiest-records.csv"}


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_files_of_a_release(tmp_path):
    release(checked(tmp_path / "in"), tmp_path / "out")
    assert set(files(tmp_path / "out")) == EXTERNAL | INTERNAL | {"internal/03-left-out.csv"}
    assert stat.S_IMODE((tmp_path / "out" / "internal").stat().st_mode) == 0o700
    assert all(stat.S_IMODE((tmp_path / "out" / n).stat().st_mode) == 0o600 for n in INTERNAL)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "out"]
    assert everything_in(tmp_path / "in") == ["people.csv", "plan.yaml"]


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "xlsx", "sav", "dta"])
def test_every_format_is_repeatable_to_the_byte_and_verifies(tmp_path, form):
    for name in ("one", "two"):
        release(checked(tmp_path / "in", changed(release={"formats": [form]})), tmp_path / name)
        verify(tmp_path / name)
    one, two = (files(tmp_path / name)[f"data.{form}"] for name in ("one", "two"))
    assert one == two


def test_another_secret_gives_other_bytes(tmp_path, monkeypatch):
    release(checked(tmp_path / "in"), tmp_path / "one")
    monkeypatch.setenv(VARIABLE, SECRET[::-1])
    release(checked(tmp_path / "in"), tmp_path / "two")
    assert files(tmp_path / "one")["data.csv"] != files(tmp_path / "two")["data.csv"]


def test_internal_files_say_so_first(tmp_path):
    treat = {"use": "microdata.pseudonymise", "columns": ["number"], "look_up": True}
    plan = changed(steps=[treat], release_if=None, accept=ANYTHING)
    release(checked(tmp_path / "in", plan), tmp_path / "out")
    inside = {n: c.decode() for n, c in files(tmp_path / "out").items() if n.startswith("internal/")}
    assert set(inside) == INTERNAL | {"internal/02-pseudonyms.csv"}
    assert inside["internal/02-pseudonyms.csv"].splitlines()[0] == (
        f"# {NOTICE.en} Kept for the office by step 02 (Pseudonymise): pseudonyms."
    )
    assert inside["internal/riskiest-records.csv"].splitlines()[0] == (
        f"# {NOTICE.en} The records of the original file that are found most surely."
    )
    assert next(iter(json.loads(inside["internal/ledger.json"]))) == "notice"
    page = inside["internal/report.html"].split("<body", 1)[1]
    assert "must not leave the house" in page[:300]


def test_the_look_up_file_leads_back_and_stands_in_internal_only(tmp_path):
    treat = {"use": "microdata.pseudonymise", "columns": ["number"], "look_up": True}
    plan = changed(steps=[treat], release_if=None, accept=ANYTHING)
    release(checked(tmp_path / "in", plan), tmp_path / "out")
    found = files(tmp_path / "out")
    name = next(n for n in found if n.endswith("pseudonyms.csv"))
    assert name == "internal/02-pseudonyms.csv"
    rows = list(csv.DictReader(found[name].decode().splitlines()[1:]))
    assert {r["id"] for r in rows} == set(people()["number"])
    shown = {r["number"] for r in csv.DictReader(found["data.csv"].decode().splitlines())}
    assert {r["pseudonym"] for r in rows} == shown
    for outside in EXTERNAL:
        assert not any(number.encode() in found[outside] for number in people()["number"])


def test_ledger_and_certificate_name_the_hash_of_every_file(tmp_path):
    import hashlib

    release(checked(tmp_path / "in"), tmp_path / "out")
    found = files(tmp_path / "out")
    book, certificate = json.loads(found["internal/ledger.json"]), json.loads(found["certificate.json"])
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
    assert book["outputs"] == {n: d for n, d in digests.items() if n != "internal/ledger.json"}
    assert certificate["files"] == {n: d for n, d in digests.items() if n in EXTERNAL - {"certificate.json"}}
    assert book["inputs"] == {
        "people.csv": hashlib.sha256((tmp_path / "in" / "people.csv").read_bytes()).hexdigest()
    }


def test_the_secret_is_nowhere_in_the_release(tmp_path):
    release(checked(tmp_path / "in"), tmp_path / "out")
    raw = bytes.fromhex(SECRET)
    for name, content in files(tmp_path / "out").items():
        assert SECRET.encode() not in content, name
        assert raw not in content, name
        assert SECRET[:16].encode() not in content, name


def test_documents_for_outside_hold_no_parameter_and_no_fingerprint(tmp_path):
    done = release(checked(tmp_path / "in"), tmp_path / "out")
    for name in ("about.json", "about.html", "certificate.json"):
        text = (tmp_path / "out" / name).read_text()
        assert done.secret not in text, name
        assert '"budget":' not in text, name
        assert not re.search(r"\b0\.9\b", text), "the budget of the plan"
        assert "survey" not in text, "the name of the secret is for the office"


@pytest.mark.parametrize("lang", ["en", "de"])
def test_both_languages(tmp_path, lang):
    release(checked(tmp_path / "in"), tmp_path / "out", lang=lang)
    for page in ("about.html", "internal/report.html"):
        assert f'lang="{lang}"' in (tmp_path / "out" / page).read_text()[:200]
    assert verify(tmp_path / "out")


# -- refusals -----------------------------------------------------------------------------------------------------------


def test_a_closed_gate_writes_nothing(tmp_path):
    plan = changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 50}])
    with pytest.raises(GateClosed):
        release(checked(tmp_path / "in", plan), tmp_path / "new" / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_a_closed_gate_leaves_the_old_release(tmp_path):
    release(checked(tmp_path / "in"), tmp_path / "out")
    was = files(tmp_path / "out")
    plan = changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 50}])
    with pytest.raises(GateClosed):
        release(checked(tmp_path / "in", plan), tmp_path / "out", replace=True)
    assert files(tmp_path / "out") == was


def test_a_name_hidden_in_a_note_is_never_released(tmp_path):
    columns = people()
    columns["note"][7] = f"called {columns['name'][7].upper()} twice"
    with pytest.raises(GateClosed) as closed:
        release(checked(tmp_path / "in", None, as_csv(columns)), tmp_path / "out")
    assert "'note'" in closed.value.text("en")
    assert columns["name"][7].casefold() not in closed.value.text("en").casefold()
    assert not (tmp_path / "out").exists()


def test_a_closed_run_cannot_be_written_by_hand(tmp_path):
    done = run(
        checked(tmp_path / "in", changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 50}]))
    )
    with pytest.raises(GateClosed):
        write_release(done, tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_what_exists_is_found_before_anything_is_computed(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(release_module, "run_plan", lambda *given: pytest.fail("computed in vain"))
    with pytest.raises(ReleaseExists):
        release(checked(tmp_path / "in"), tmp_path / "out")
    with pytest.raises(NotOurRelease):
        release(checked(tmp_path / "in"), tmp_path / "out", replace=True)


def test_a_release_is_replaced_when_asked(tmp_path):
    release(checked(tmp_path / "in"), tmp_path / "out")
    plan = changed(title="The second edition")
    release(checked(tmp_path / "in", plan), tmp_path / "out", replace=True)
    assert json.loads((tmp_path / "out" / "certificate.json").read_bytes())["title"] == "The second edition"
    verify(tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "out"]


@pytest.mark.parametrize("when", range(0, 24, 2))
def test_cancelling_at_any_part_leaves_nothing(tmp_path, when):
    asked = []
    stop = Progress(cancelled=lambda: len(asked) >= when or asked.append(1))
    try:
        release(checked(tmp_path / "in"), tmp_path / "new" / "out", progress=stop)
    except Cancelled:
        assert [p.name for p in tmp_path.iterdir()] == ["in"]
    else:
        assert len(asked) <= when, "more parts than the run has"
        verify(tmp_path / "new" / "out")


def test_every_part_is_announced(tmp_path):
    heard = []
    release(checked(tmp_path / "in"), tmp_path / "out", progress=Progress(lambda *said: heard.append(said)))
    assert [done for _, done, _ in heard] == list(range(len(heard)))
    assert {parts for _, _, parts in heard} == {len(heard)}
    assert heard[-1][0].de == "Dokumente werden geschrieben"


@pytest.mark.parametrize("broken", ["about_page", "report_page", "certificate", "ledger"])
def test_a_document_that_fails_leaves_nothing(tmp_path, monkeypatch, broken):
    def fail(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(release_module, broken, fail)
    with pytest.raises(ZeroDivisionError):
        release(checked(tmp_path / "in"), tmp_path / "new" / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["in"]
