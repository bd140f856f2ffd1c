"""Every command as a transcript: what it says, in both languages, and the exit code it ends with."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, everything_in, lay_out, people
from surfaces.command import command
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.plan.check import check_file
from tarnkappe.plan.policy import policy_of
from tarnkappe.report.verify import verify
from tarnkappe.vocab import ReleaseKind

ESCAPE = "\x1b"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv("COLUMNS", "200")
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


@pytest.fixture
def say(capsys):
    return lambda *words: command(capsys, *words)


@pytest.fixture
def plan(place):
    return lay_out(place)


# -- check --------------------------------------------------------------------------------------------------------------


def test_check(say, plan):
    said = say("check", plan, "--lang", "en")
    assert (said.code, said.err) == (0, "")
    assert said.out == "plan.yaml: no problems. Steps: 3, gates: 1.\n"
    assert say("check", plan, "--lang", "de").out == "plan.yaml: keine Fehler. Schritte: 3, Bedingungen: 1.\n"


def test_check_lists_every_problem(say, place):
    plan = lay_out(place, changed(colour="red", steps=[{"use": "microdata.mdavv"}]))
    said = say("check", plan, "--lang", "en")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("[plan.wrong] Problems in the plan 'plan.yaml' (2):\n  line ")
    assert "Did you mean 'microdata.mdav'?" in said.err
    german = say("check", plan, "--lang", "de")
    assert german.code == 2
    assert "Meinten Sie 'microdata.mdav'?" in german.err
    assert "Zeile" in german.err


def test_the_language_of_the_locale(say, plan, monkeypatch):
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert "keine Fehler" in say("check", plan).out
    assert "gibt es nicht" in say("check", "nowhere.yaml").err
    assert "no problems" in say("check", plan, "--lang", "en").out
    assert "There is no file" in say("check", "nowhere.yaml", "--lang=en").err
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    assert "no problems" in say("check", plan).out


# -- run and verify -----------------------------------------------------------------------------------------------------


def test_run_and_verify(say, plan, place):
    said = say("run", plan, "--out", "out", "--lang", "en")
    assert said.code == 0
    assert "Released" in said.out
    assert "✓ k-anonymity ≥ 3" in said.out
    assert "! The data may be released, but something stands out" in said.out
    assert "Signed: Made-up people" in said.out
    assert "internal/report.html" in said.out
    lines = said.err.splitlines()
    assert all(line.startswith("[") for line in lines), "plain lines, no bar"
    assert lines[0].endswith("] reading the data")
    assert lines[-1] == f"[{len(lines)}/{len(lines)}] writing the documents"
    assert ESCAPE not in said.all
    again = say("verify", "out", "--lang", "en")
    assert again.code == 0
    assert again.out.splitlines()[-1].startswith("The release holds.")
    assert again.err == ""
    assert say("verify", "out", "--lang", "de").out.splitlines()[-1].startswith("Die Freigabe hält.")


def test_the_default_policy_is_printed_to_be_copied(say, plan, place):
    said = say("policy")
    assert said.code == 0
    (place / "ours.yaml").write_text(said.out)
    assert policy_of(ReleaseKind.PUBLIC, "ours.yaml", place).gates[0].gate.at_least == 5


def test_check_tells_what_the_default_policy_adds_and_misses(say, place):
    lay_out(place, changed(release_if=None))
    assert "by the default policy also: k-anonymity ≥ 3" in say("check", "plan.yaml", "--lang", "en").out
    lay_out(place, changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 2}]))
    said = say("check", "plan.yaml", "--lang", "en")
    assert said.code == 2
    assert "less than the default policy" in said.err


def test_run_in_german(say, plan):
    said = say("run", plan, "--out", "out", "--lang", "de")
    assert said.code == 0
    assert "freigegeben in out" in said.out
    assert "Daten werden gelesen" in said.err


def test_run_quietly(say, plan):
    said = say("run", plan, "--out", "out", "--quiet")
    assert (said.code, said.all) == (0, "")
    assert say("run", plan, "-o", "two", "-q").all == ""


def test_a_closed_gate(say, place):
    plan = lay_out(place, changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 50}]))
    for lang, words in (("en", "The release was refused"), ("de", "Die Freigabe wurde verweigert")):
        said = say("run", plan, "--out", "out", "--lang", lang, "--quiet")
        assert said.code == 3
        assert words in said.err
        assert said.out == ""
    assert but_notes(place) == ["people.csv", "plan.yaml"]


def but_notes(place):
    """What lies there beside the notes of refused runs, which belong to the office."""
    return [name for name in everything_in(place) if not name.startswith(".tarnkappe")]


def test_a_goal_that_cannot_be_reached(say, place):
    steps = [{"use": "microdata.suppress-records", "below": 80, "budget": 0.01}]
    said = say("run", lay_out(place, changed(steps=steps)), "--out", "out")
    assert said.code == 3
    assert but_notes(place) == ["people.csv", "plan.yaml"]


def test_replace(say, plan, place):
    assert say("run", plan, "--out", "out", "-q").code == 0
    refused = say("run", plan, "--out", "out", "-q", "--lang", "en")
    assert refused.code == 2
    assert "--replace" in refused.err
    assert say("run", plan, "--out", "out", "-q", "--replace").code == 0
    (place / "mine").mkdir()
    (place / "mine" / "work.txt").write_text("x")
    kept = say("run", plan, "--out", "mine", "-q", "--replace")
    assert kept.code == 2
    assert (place / "mine" / "work.txt").read_text() == "x"


def test_verify_refuses(say, plan, place):
    say("run", plan, "--out", "out", "-q")
    (place / "out" / "data.csv").write_text("x\n1\n")
    for lang, words in (("en", "does not hold"), ("de", "hält nicht")):
        said = say("verify", "out", "--lang", lang)
        assert said.code == 3
        assert words in said.err
        assert "data.csv" in said.err
    assert say("verify", "nowhere").code == 2
    assert say("verify", place).code == 2


def test_our_own_fault_is_told_without_a_trace(say, plan, monkeypatch):
    from tarnkappe.spec import catalogue

    def fail(self, data, stream):
        raise ZeroDivisionError("ZZMARKERZZ")

    monkeypatch.setattr(catalogue["microdata.mdav"], "apply", fail)
    said = say("run", plan, "--out", "out", "-q", "--lang", "en")
    assert said.code == 1
    assert "ZeroDivisionError in tarnkappe." in said.err
    assert "ZZMARKERZZ" not in said.all
    assert "Traceback" not in said.all
    monkeypatch.setattr(catalogue["microdata.mdav"], "apply", lambda self, data, stream: data)
    broken = say("run", plan, "--out", "out", "-q", "--lang", "en")
    assert broken.code == 1
    assert f"[{ClaimBroken.code}]" in broken.err


# -- inspect ------------------------------------------------------------------------------------------------------------


def test_inspect_proposes_a_plan_that_runs(say, place):
    lay_out(place, None, as_csv(people(300)))
    for lang in ("en", "de"):
        said = say("inspect", "people.csv", "--lang", lang)
        assert (said.code, said.err) == (0, "")
        assert "tarnkappe: 1" in said.out
        assert ESCAPE not in said.out
    written = say("inspect", "people.csv", "--plan", "proposed.yaml", "--lang", "en")
    assert written.code == 0
    assert "tarnkappe run proposed.yaml" in written.out
    assert check_file(place / "proposed.yaml").steps
    assert say("check", "proposed.yaml").code == 0
    assert say("run", "proposed.yaml", "--out", "out", "-q").code in (0, 3)


def test_the_plan_on_the_screen_is_the_plan_in_the_file(say, place, monkeypatch):
    """Also on a narrow screen: a line that is broken in the middle would be another plan."""
    lay_out(place, None, as_csv(people(300)))
    monkeypatch.setenv("COLUMNS", "40")
    shown = say("inspect", "people.csv").out
    say("inspect", "people.csv", "--plan", "proposed.yaml")
    assert (place / "proposed.yaml").read_text().strip() in shown


def test_inspect_overwrites_nothing(say, place):
    lay_out(place)
    was = (place / "plan.yaml").read_text()
    said = say("inspect", "people.csv", "--plan", "plan.yaml", "--lang", "en")
    assert said.code == 2
    assert "exists already" in said.err
    assert (place / "plan.yaml").read_text() == was
    assert say("inspect", "people.csv", "--plan", "nowhere/plan.yaml").code == 2


# -- compare ------------------------------------------------------------------------------------------------------------


def test_compare(say, plan, place):
    say("run", plan, "--out", "out", "-q")
    for lang, words in (("en", "k-anonymity"), ("de", "k-Anonymität")):
        said = say("compare", "people.csv", "out/data.csv", "--key", "region", "--key", "sex", "--lang", lang)
        assert (said.code, said.err) == (0, "")
        assert words in said.out
    page = say("compare", "people.csv", "out/data.csv", "--out", "page.html", "--lang", "de")
    assert page.code == 0
    assert 'lang="de"' in (place / "page.html").read_text()[:200]
    say("compare", "people.csv", "out/data.csv", "--out", "facts.json", "--key", "sex")
    assert "risk.k-anonymity" in json.loads((place / "facts.json").read_text())["measures"]


def test_compare_refuses(say, plan, place):
    say("run", plan, "--out", "out", "-q")
    for words in (
        ("people.csv", "nowhere.csv"),
        ("people.csv", "out/data.csv", "--out", "page.pdf"),
        ("people.csv", "out/data.csv", "--out", "people.html/x.html"),
        ("people.csv", "out/data.csv", "--key", "nobody"),
        ("people.csv", "out/data.csv", "--number", "region"),
    ):
        assert say("compare", *words).code == 2, words
    (place / "mine.html").write_text("my own page")
    assert say("compare", "people.csv", "out/data.csv", "--out", "mine.html").code == 2
    assert (place / "mine.html").read_text() == "my own page"


# -- demo ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ["persons", "enterprises", "zew-mip"])
def test_demo(say, place, example):
    """The smallest demonstration that is allowed reaches its goal, and can be done twice."""
    said = say("demo", "--lang", "en", "--size", "3000", "--example", example)
    assert said.code == 0, said.err
    assert f"tarnkappe run tarnkappe-demo/{example}.yaml" in said.out
    verify(place / "tarnkappe-demo" / f"{example}-release")
    again = say("demo", "--lang", "de", "--size", "3000", "--quiet", "--example", example)
    assert (again.code, again.all) == (0, "")


def test_demo_overwrites_nothing_of_yours(say, place):
    (place / "persons.csv").write_text("name\nmine\n")
    assert say("demo", "--out", ".", "--size", "3000").code == 2
    assert (place / "persons.csv").read_text() == "name\nmine\n"
    (place / "file").write_text("x")
    assert say("demo", "--out", "file/below").code == 2


# -- methods ------------------------------------------------------------------------------------------------------------


def test_methods(say):
    listed = say("methods", "--lang", "en")
    assert listed.code == 0
    assert "microdata.mdav" in listed.out
    assert "MDAV microaggregation" in listed.out
    assert "Mikroaggregation nach MDAV" in say("methods", "--lang", "de").out
    card = say("methods", "microdata.mdav", "--lang", "de")
    assert "Kleinste Gruppengröße" in card.out
    assert ESCAPE not in card.out


def test_methods_for_machines(say):
    from tarnkappe.spec import catalogue

    listed = json.loads(say("methods", "--json").out)
    assert [entry["id"] for entry in listed] == [cls.id for cls in catalogue]
    card = json.loads(say("methods", "microdata.mdav", "--json").out)
    assert card["parameters"][1]["name"] == "k"


def test_the_card_of_a_method_with_its_parameters(say):
    """Told in general, every claim says when it is made; with parameters, only those that are made with them are shown."""
    always = say("methods", "microdata.mdav", "--lang", "en").out
    assert "checked in every such run" in always
    assert (
        "checked in every run"
        not in always.partition("the total of every chosen column of numbers")[2].partition("Protects")[0]
    )
    given = say("methods", "microdata.mdav: {columns: [income], whole: total}", "--lang", "en")
    assert given.code == 0
    assert "of whole numbers, up to half" in given.out
    assert "weighted total and mean" not in given.out
    assert "every such run" not in given.out
    card = json.loads(say("methods", "microdata.mdav: {columns: [income], whole: total}", "--json").out)
    assert [one["when"]["en"] for one in card["preserves"] if one["when"]] == [
        "with `aggregate: mean` and with `whole: total`", "unless `whole: decimals`",
    ]  # fmt: skip
    wrong = say("methods", "microdata.mdav: {k: 3}", "--lang", "en")
    assert wrong.code == 2
    assert "columns" in wrong.err


def test_methods_that_are_none(say):
    said = say("methods", "microdata.mdv", "--lang", "en")
    assert said.code == 2
    assert "Did you mean 'microdata.mdav'?" in said.err


# -- words that are no command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("frobnicate",), ("run",), ("run", "plan.yaml"), ("check",), ("check", "a", "b"), ("run", "plan.yaml", "--ot", "x"),
        ("check", "plan.yaml", "--lang", "fr"), ("demo", "--size", "5"), ("demo", "--example", "cats"), ("verify",),
    ],
)  # fmt: skip
def test_wrong_words_end_with_2(say, plan, place, words):
    assert say(*words).code == 2
    assert everything_in(place) == ["people.csv", "plan.yaml"]


@pytest.mark.parametrize(
    "words", [("--help",), ("run", "--help"), ("step", "microdata.mdav", "--help"), ("step",), ("--version",)]
)
def test_help(say, words):
    said = say(*words)
    assert said.code == 0
    assert said.err == ""
    assert said.out


def test_without_words_it_helps(say):
    assert "Usage" in say().all


def test_the_version(say):
    from importlib.metadata import version

    assert say("--version").out == f"tarnkappe {version('tarnkappe')}\n"


# -- the process --------------------------------------------------------------------------------------------------------


def outside(*words, **environment):
    return subprocess.run(
        [sys.executable, "-c", "from tarnkappe.cli import main; main()", *words],
        capture_output=True, text=True, env={**os.environ, **environment}, check=False,
    )  # fmt: skip


def test_a_screen_that_knows_few_signs(plan):
    """A terminal of another encoding shows a question mark; the release is made all the same."""
    done = outside("run", "plan.yaml", "--out", "out", "--lang", "de", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "? k-Anonymit?t" in done.stdout
    verify(plan.parent / "out")


@pytest.mark.parametrize(
    "streams", [">/dev/full 2>&1", ">&- 2>&-", "2>/dev/full | true; exit ${PIPESTATUS[0]}"]
)
def test_a_full_or_closed_output_does_not_undo_a_release(plan, streams):
    words = f"'{sys.executable}' -m tarnkappe run plan.yaml --out out {streams}"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Nothing was written" not in done.stderr
    assert "Traceback" not in done.stderr
    verify(plan.parent / "out")


@pytest.mark.parametrize(
    "asked", ["methods", "methods --json", "methods microdata.mdav", "--help", "run --help"]
)
@pytest.mark.parametrize("reader", ["true", "head -1 >/dev/null"])
def test_a_reader_who_has_read_enough_is_no_failure(asked, reader):
    words = f"'{sys.executable}' -u -m tarnkappe {asked} | {reader}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_output_that_was_all_that_was_asked_for_is_missed():
    words = f"'{sys.executable}' -m tarnkappe methods >/dev/full"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "[run.output-lost]" in done.stderr


@pytest.mark.parametrize("after", [True, False])
def test_what_fails_after_the_release_does_not_say_that_nothing_was_written(say, plan, monkeypatch, after):
    def fails(*given, **named):
        raise KeyError("nothing of the data")

    part = "tarnkappe.cli.work.summary" if after else "tarnkappe.report.release.write_release"
    monkeypatch.setattr(part, fails)
    said = say("run", "plan.yaml", "--out", "out")
    assert said.code == 1
    assert ("Nothing was written" in said.err) is not after
    assert ("[run.failed-afterwards]" in said.err) is after
    assert (plan.parent / "out").exists() is after


def test_help_loads_nothing_heavy():
    program = (
        "import sys, tarnkappe, tarnkappe.cli, tarnkappe.cli.app;"
        "print([m for m in ('numpy', 'polars', 'pydantic', 'numba', 'scipy', 'altair', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_command_is_installed():
    from importlib.metadata import entry_points

    found = entry_points(group="console_scripts", name="tarnkappe")
    assert [e.value for e in found] == ["tarnkappe.cli:main"]
