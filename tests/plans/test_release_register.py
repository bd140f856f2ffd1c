"""The register of releases: entered when written, checked in every run, whole or refused, and silent about the data."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plans.workshop import SECRET, VARIABLE, as_csv, changed, checked, everything_in, people
from surfaces.command import command
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.release_signature import Earlier, ReleaseSignature, ShownColumn, Signer, signature
from tarnkappe.errors.register import RegisterChanged, RegisterDamaged, RegisterSecret
from tarnkappe.errors.release import GateClosed, PlanWrong
from tarnkappe.errors.risk import OriginalNeeded
from tarnkappe.io.release_register import ReleaseRegister, entered, read_register
from tarnkappe.io.staging import Staging
from tarnkappe.randomness import Secret
from tarnkappe.report.release import release
from tarnkappe.risk.earlier_releases import EarlierReleases
from tarnkappe.vocab import Role

SIGNER = Signer(b"k" * 32)
REGISTER = "TARNKAPPE_SECRET_RELEASES"


@pytest.fixture(autouse=True)
def secrets(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)
    monkeypatch.setenv(REGISTER, SECRET[::-1])


def plan(age=1, **parts):
    """Release region, sex and age on a level, in classes of at least three."""
    steps = [
        {"use": "microdata.generalise", "columns": {"age": age}},
        {"use": "microdata.suppress-records", "below": 3, "budget": 0.9},
    ]
    return changed(**{"steps": steps, "register": "releases.json", **parts})


def level(age):
    """Everybody is released."""
    return [{"use": "microdata.generalise", "columns": {"age": age}}]


def made(folder, content, out="out", data=None):
    return release(checked(folder, content, data), folder / out)


def held(folder):
    return read_register(folder / "releases.json")


# -- in a run -------------------------------------------------------------------------------------------------------------


def test_a_release_is_entered_when_it_is_written(tmp_path):
    run = made(tmp_path, plan())
    (entry,) = held(tmp_path).releases
    assert (entry.title, entry.records, entry.pending) == ("A file for science", len(run.after), False)
    assert {c.name: c.level for c in entry.columns} == {"region": "", "sex": "", "age": "1"}
    assert sum(entry.classes.values()) == len(run.after)
    assert entry.k == min(entry.classes.values()) >= 3
    assert stat.S_IMODE((tmp_path / "releases.json").stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "people.csv", "plan.yaml", "releases.json"]


def test_the_register_holds_no_value_and_no_record(tmp_path):
    made(tmp_path, plan())
    text = (tmp_path / "releases.json").read_text(encoding="utf-8")
    for word in {*people()["name"], *people()["number"], "north", "south", "20-29"}:
        assert word not in text
    content = json.loads(text)["releases"][0]
    assert set(content) == {
        "title",
        "date",
        "records",
        "k",
        "columns",
        "classes",
        "gaps",
        "pending",
        "plain",
        "source",
        "noise",
        "tables",
    }
    signs = [s for c in content["columns"] for pair in c["values"].items() for s in pair]
    assert all(len(s) == 16 and int(s, 16) >= 0 for s in [*signs, *content["classes"]])


def test_only_the_key_makes_guesses_testable(tmp_path):
    made(tmp_path, plan())
    text = (tmp_path / "releases.json").read_text(encoding="utf-8")
    key = Secret("releases", SECRET[::-1].encode()).derive("release register")
    assert Signer(key).sign("value", "region", "north") in text
    assert Signer(b"k" * 32).sign("value", "region", "north") not in text
    assert SECRET[::-1] not in text
    assert repr(Signer(key)) == "Signer()"


def test_a_complementary_release_is_refused_and_not_entered(tmp_path):
    """Two files that are safe alone: bands of ten years by region, and exact ages of everybody."""
    made(tmp_path, plan(age=1), "first")
    was = (tmp_path / "releases.json").read_bytes()
    exact = plan(data={**plan()["data"], "roles": {"identifier": ["name", "number"], "key": ["age"], "household": "household",
                                                  "owner": "owner"}},
                 steps=[{"use": "microdata.drop", "columns": ["region", "sex"]},
                        {"use": "microdata.suppress-records", "below": 3, "budget": 0.9}])  # fmt: skip
    alone = {name: part for name, part in exact.items() if name != "register"}
    made(tmp_path, alone, "alone")  # without the register nobody notices
    with pytest.raises(GateClosed) as refused:
        made(tmp_path, exact, "second")
    assert "together with earlier releases every class has at least 3 records" in str(refused.value)
    assert not (tmp_path / "second").exists()
    assert (tmp_path / "releases.json").read_bytes() == was


def test_a_coarser_release_is_entered_beside_the_first(tmp_path):
    made(tmp_path, plan(steps=level(1)), "first")
    made(
        tmp_path, plan(steps=level(1), title="Again"), "again"
    )  # the same classes of the same values: nothing new
    assert len(held(tmp_path).releases) == 1
    run = made(tmp_path, plan(steps=level(0)), "coarser")
    assert [r.records for r in held(tmp_path).releases][1:] == [len(run.after)]
    finding = next(e.after for e in run.measures if e.measure.id == "risk.earlier-releases")
    assert finding.details["releases"] == 1
    assert finding.baseline >= finding.value >= 3


def test_the_gate_of_the_plan_goes_before_that_of_the_register(tmp_path):
    strict = [{"measure": "risk.earlier-releases", "at_least": 1000}]
    with pytest.raises(GateClosed):
        made(tmp_path, plan(release_if=strict))
    assert not (tmp_path / "releases.json").exists()
    run = made(tmp_path, plan(release_if=[{"measure": "risk.earlier-releases", "at_least": 2}]))
    assert len([g for g in run.gates if "earlier" in g.says.en.lower()]) == 1


def test_k_of_the_register_is_asked_for(tmp_path):
    with pytest.raises(GateClosed):
        made(tmp_path, plan(register={"file": "releases.json", "k": 1000}))


def test_what_cannot_be_written_is_not_entered(tmp_path, monkeypatch):
    made(tmp_path, plan(steps=level(1)), "first")
    was = held(tmp_path)

    def fail(self):
        assert held(tmp_path).releases[-1].pending  # the entry is there before the release
        raise OSError(28, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(Staging, "commit", fail)
        with pytest.raises(Exception, match="room"):
            made(tmp_path, plan(steps=level(0)), "second")
    assert held(tmp_path) == was
    with monkeypatch.context() as patch:
        patch.setattr(Staging, "commit", lambda self: (_ for _ in ()).throw(OSError(28, "no room")))
        with pytest.raises(Exception, match="room"):
            made(tmp_path / "new", plan(), "first")
    assert everything_in(tmp_path / "new") == ["people.csv", "plan.yaml"]


def test_another_secret_and_a_damaged_register_are_refused_before_the_work(tmp_path, monkeypatch):
    made(tmp_path, plan(), "first")
    monkeypatch.setenv(REGISTER, SECRET)
    with pytest.raises(RegisterSecret):
        made(tmp_path, plan(), "second")
    monkeypatch.setenv(REGISTER, SECRET[::-1])
    (tmp_path / "releases.json").write_text("{")
    with pytest.raises(RegisterDamaged):
        made(tmp_path, plan(), "second")
    assert not (tmp_path / "second").exists()


def test_a_secret_is_drawn_where_there_is_none(tmp_path, monkeypatch):
    monkeypatch.delenv(REGISTER)
    made(tmp_path, plan())
    assert (tmp_path / ".tarnkappe" / "secrets" / "releases").is_file()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (plan(register="../releases.json"), "register"),
        (plan(register="releases.txt"), "register"),
        (plan(register={"file": "releases.json", "secret": "no/name"}), "secret"),
        (plan(register={"file": "releases.json", "k": 0}), "k"),
        (plan(register=None, measures=["risk.earlier-releases"]), "needs a register of releases"),
        (plan(data={**plan()["data"], "roles": {"identifier": ["name"]}}), "role key"),
    ],
)
def test_problems_of_a_plan_are_found_before_the_run(tmp_path, content, said):
    with pytest.raises(PlanWrong, match=said):
        checked(tmp_path, content)


def test_the_command_shows_what_is_in(tmp_path, capsys):
    made(tmp_path, plan())
    shown = command(capsys, "register", tmp_path / "releases.json")
    assert shown.code == 0
    assert "A file for science" in shown.out
    assert "(level 1)" in shown.out
    assert "1 releases" in shown.out
    assert command(capsys, "register", tmp_path / "nothing.json").code == 2
    (tmp_path / "broken.json").write_text("[]")
    assert "register.damaged" in command(capsys, "register", tmp_path / "broken.json").err


# -- the file -------------------------------------------------------------------------------------------------------------

ONE = ReleaseSignature("one", "2026-11-16", 3, 3, (ShownColumn("a", "a", "", {"0": "1"}),), {"f": 3})


def enter(path, new, secret="s"):
    with entered(path, read_register(path), secret, new):
        pass


def test_what_is_entered_is_read_again(tmp_path):
    path = tmp_path / "r.json"
    assert read_register(path) == ReleaseRegister()
    other = ReleaseSignature("zwei", "2026-11-17", 1, 1, (ShownColumn("b", None),), {})
    enter(path, ONE)
    enter(path, other)
    assert read_register(path).releases == (ONE, other)
    assert everything_in(tmp_path) == ["r.json"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: "null",
        lambda text: "{" * 100_000,
        lambda text: text.replace('"records": 3', '"records": 4'),
        lambda text: text.replace('"f": 3', '"f": 2'),
        lambda text: text.replace('"records": 3', '"records": "many"'),
        lambda text: text.replace('"tarnkappe_register": 1', '"tarnkappe_register": 2'),
        lambda text: text.replace('"title"', '"name"'),
        lambda text: "\ufeff\udc80",
    ],
)
def test_damage_is_told_with_a_code(tmp_path, spoil):
    path = tmp_path / "r.json"
    enter(path, ONE)
    path.write_bytes(spoil(path.read_text()).encode(errors="surrogateescape"))
    was = path.read_bytes()
    with pytest.raises(RegisterDamaged):
        read_register(path)
    with pytest.raises(RegisterDamaged):
        enter(path, ONE)
    assert path.read_bytes() == was


def test_a_folder_is_no_register(tmp_path):
    with pytest.raises(RegisterDamaged):
        read_register(tmp_path)


def test_an_entry_made_meanwhile_stops_the_other(tmp_path):
    path = tmp_path / "r.json"
    seen = read_register(path)
    enter(path, ONE)
    with pytest.raises(RegisterChanged), entered(path, seen, "s", replace(ONE, classes={"e": 3})):
        pytest.fail("it was written")
    assert read_register(path).releases == (ONE,)


def test_a_process_that_dies_leaves_its_entry_pending(tmp_path):
    path = tmp_path / "r.json"
    child = os.fork()
    if child == 0:
        with entered(path, read_register(path), "s", ONE):
            os._exit(0)
    os.waitpid(child, 0)
    assert [r.pending for r in read_register(path).releases] == [True]
    enter(path, replace(ONE, classes={"e": 3}))  # the lock died with it
    assert [r.pending for r in read_register(path).releases] == [True, False]
    enter(path, ONE)  # made again, it is confirmed
    assert [r.pending for r in read_register(path).releases] == [False, False]


def test_many_at_once_are_all_entered(tmp_path):
    path = tmp_path / "r.json"
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            while True:
                try:
                    enter(path, replace(ONE, title=str(number), classes={str(number): 3}))
                    os._exit(0)
                except RegisterChanged:
                    continue
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
    assert {r.title for r in read_register(path).releases} == {str(n) for n in range(6)}
    assert everything_in(tmp_path) == ["r.json"]


# -- what is counted ------------------------------------------------------------------------------------------------------


def data(**columns):
    made_of = {n: c if isinstance(c, Column) else Column.texts_of(c) for n, c in columns.items()}
    return Microdata(made_of, {Role.KEY: tuple(columns)})


def joint(before, *releases, **given):
    *earlier, new = releases
    held_before = tuple(signature(before, r, SIGNER, "", "") for r in earlier)
    return EarlierReleases(**given).held_against(Earlier(held_before, SIGNER), new, before)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 40), st.integers(0, 10**6), st.integers(1, 3))
def test_joint_classes_are_those_of_brute_force(n, seed, count):
    rng = np.random.default_rng(seed)
    raw = {name: rng.integers(0, 6, n) for name in "abc"}
    before = data(**{name: [f"v{v}" for v in values] for name, values in raw.items()})
    releases, rows = [], [() for _ in range(n)]
    for _ in range(count):
        shown = {}
        for name in rng.choice(list("abc"), rng.integers(1, 4), replace=False):
            table = rng.integers(0, rng.integers(1, 6), 6)
            shown[str(name)] = [f"g{table[v]}" for v in raw[name]]
        releases.append(data(**shown))
        rows = [row + cells for row, cells in zip(rows, zip(*shown.values(), strict=True), strict=True)]
    times = Counter(rows)
    found = joint(before, *releases)
    assert found.per_record.tolist() == [times[row] for row in rows]
    assert found.value == min(times.values())


def test_records_may_be_fewer_and_in_another_order():
    before = data(a=list("aabbcc"), b=list("xyxyxy"))
    found = joint(before, before.without(["b"]), before.take(np.array([5, 4, 1, 0])).without(["a"]))
    assert found.per_record.tolist() == [1, 1, 1, 1]
    assert found.baseline == 2


def test_a_record_that_was_dropped_before_stands_out_now():
    before = data(a=list("aaab"))
    found = joint(before, before.take(np.arange(3)), data(a=list("****")))
    assert found.per_record.tolist() == [3, 3, 3, 1]


def test_suppression_in_the_new_release_hides_and_in_an_earlier_one_does_not():
    before = data(a=list("aabb"), b=list("xyxy"))
    hidden = before.column("b").suppress(np.array([True] * 4))
    new = data(a=list("****"), b=hidden)
    assert joint(before, data(a=list("aabb")), new).value == 2
    assert joint(before, new, data(a=list("aabb"))).value == 1  # a lower bound


def test_a_key_that_does_not_follow_value_by_value_counts_as_it_was():
    before = data(a=list("aabb"))
    mixed = data(a=list("abab"))
    found = joint(before, mixed, data(a=list("****")))
    assert found.value == 2
    assert found.trusted
    assert "lower bound" in found.because.en


def test_persons_whose_class_was_not_released_are_in_one():
    earlier = signature(data(a=list("aabb")), data(a=list("gggg")), SIGNER, "", "")
    now = data(a=list("aabbccd"))
    found = EarlierReleases().held_against(Earlier((earlier,), SIGNER), data(a=list("*******")), now)
    assert found.per_record.tolist() == [4, 4, 4, 4, 3, 3, 3]


def test_a_column_that_is_gone_makes_the_number_doubtful():
    earlier = signature(data(a=list("aabb"), b=list("xyxy")), data(b=list("xyxy")), SIGNER, "", "")
    found = EarlierReleases().held_against(
        Earlier((earlier,), SIGNER), data(a=list("aabb")), data(a=list("aabb"))
    )
    assert not found.trusted
    assert "b" in found.because.en


def test_a_renamed_key_is_followed_to_the_column_it_comes_from():
    before = data(age=["21", "29", "35", "38"], sex=list("fmfm"))
    banded = data(band=["20s", "20s", "30s", "30s"])
    (column,) = signature(before, banded, SIGNER, "", "").columns
    assert (column.name, column.source) == ("band", "age")
    assert joint(before, banded, before.without(["age"])).value == 1


def test_missing_values_are_a_value_of_their_own():
    before = data(a=["a", "a", None, None])
    assert joint(before, before, data(a=list("****"))).per_record.tolist() == [2, 2, 2, 2]


def test_classes_that_changed_by_one_record_are_told():
    before = data(a=list("aaabbb"))
    first = signature(before.take(np.arange(5)), before.take(np.arange(5)), SIGNER, "", "")
    found = EarlierReleases().held_against(Earlier((first,), SIGNER), before, before)
    assert found.details["classes_changed"] == {"1": 1}


def test_without_a_register_the_number_is_not_trusted():
    before = data(a=list("aabb"))
    assert not EarlierReleases().measure(before, before=before).trusted
    with pytest.raises(OriginalNeeded):
        EarlierReleases().held_against(Earlier((), SIGNER), before, None)
    first = joint(before, before)
    assert first.value == 2
    assert first.trusted


def test_data_that_is_the_same_as_before_gives_the_same_register(tmp_path):
    made(tmp_path, plan(), "first")
    seal = held(tmp_path).seal
    made(tmp_path, plan(), "second", as_csv(people()))
    assert held(tmp_path).seal == seal
