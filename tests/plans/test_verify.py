"""Auditing a release again from its files alone: every change shows."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil

import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, changed, checked, people, with_data
from tarnkappe.errors import InputWrong
from tarnkappe.errors.files import FileMissing
from tarnkappe.errors.release import NotOurRelease, VerifyFailed
from tarnkappe.report.release import as_json, release, sealed
from tarnkappe.report.verify import verify


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release with two data files, made once."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        release(checked(folder / "in", changed(release={"formats": ["csv", "parquet"]})), folder / "out")
    return folder / "out"


@pytest.fixture
def out(made, tmp_path):
    """A copy to play with."""
    return shutil.copytree(made, tmp_path / "out")


@pytest.fixture
def outside(out):
    """A copy as it leaves the house."""
    shutil.rmtree(out / "internal")
    return out


def names(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


FILES = [
    "about.html", "about.json", "certificate.json", "data.csv", "data.parquet", "internal/03-left-out.csv", "internal/ledger.json", "internal/report.html",
    "internal/riskiest-records.csv",
]  # fmt: skip


def edited(folder, change):
    """Change the certificate as a careful forger would: with a seal that fits."""
    file = folder / "certificate.json"
    content = json.loads(file.read_bytes())
    change(content)
    file.write_text(as_json(sealed(content)))


def forged(folder, name, content):
    """Put other bytes in place of a file, and its hash into the certificate."""
    (folder / name).write_bytes(content)
    edited(folder, lambda c: c["files"].update({name: hashlib.sha256(content).hexdigest()}))


# -- sound --------------------------------------------------------------------------------------------------------------


def test_a_release_holds(out):
    checks = verify(out)
    assert all(c.held for c in checks)
    assert names(out) == FILES
    says = " ".join(c.says.en for c in checks)
    assert says.count("counted again") == 2, "in each of the two data files"


def test_a_release_without_internal_holds(outside):
    assert all(c.held for c in verify(outside))


def test_a_release_may_be_moved(out, tmp_path):
    verify(out.rename(tmp_path / "elsewhere"))


# -- any byte of any file -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_any_byte_of_any_file(out, name):
    held = (out / name).read_bytes()
    places = sorted({0, 1, len(held) // 3, len(held) // 2, 2 * len(held) // 3, len(held) - 2, len(held) - 1})
    for place in places:
        (out / name).write_bytes(held[:place] + bytes([held[place] ^ 1]) + held[place + 1 :])
        with pytest.raises((VerifyFailed, NotOurRelease)):
            verify(out)
    for content in (b"", held[:-1], held + b" ", held + b"\n", b" " + held):
        (out / name).write_bytes(content)
        with pytest.raises((VerifyFailed, NotOurRelease)):
            verify(out)
    (out / name).write_bytes(held)
    verify(out)


@pytest.mark.parametrize("name", ["about.html", "certificate.json", "data.csv", "data.parquet"])
def test_any_byte_also_without_internal(outside, name):
    held = (outside / name).read_bytes()
    place = len(held) // 2
    (outside / name).write_bytes(held[:place] + bytes([held[place] ^ 1]) + held[place + 1 :])
    with pytest.raises((VerifyFailed, NotOurRelease)):
        verify(outside)


@pytest.mark.parametrize("name", FILES)
def test_any_file_taken_away(out, name):
    (out / name).unlink()
    with pytest.raises(FileMissing if name == "certificate.json" else VerifyFailed):
        verify(out)


@pytest.mark.parametrize(
    "name", ["notes.txt", ".hidden", "data.xlsx", "internal/more.csv", "sub/deep/file", "internal/ledger.bak"]
)
def test_any_file_added(out, name):
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    (out / name).write_text("x")
    with pytest.raises(VerifyFailed, match=name):
        verify(out)


def test_a_link_added(out, tmp_path):
    (out / "link").symlink_to(tmp_path)
    with pytest.raises(VerifyFailed, match="link"):
        verify(out)


def test_a_file_replaced_by_a_folder_or_a_link(out, tmp_path):
    content = (out / "data.csv").read_bytes()
    (tmp_path / "same.csv").write_bytes(content)
    (out / "data.csv").unlink()
    (out / "data.csv").symlink_to(tmp_path / "same.csv")
    with pytest.raises(VerifyFailed, match="data.csv"):
        verify(out)
    (out / "data.csv").unlink()
    (out / "data.csv").mkdir()
    with pytest.raises(VerifyFailed, match="data.csv"):
        verify(out)


# -- careful forgers ----------------------------------------------------------------------------------------------------


def test_an_edited_certificate_is_found_by_the_ledger_even_with_a_fresh_seal(out):
    edited(out, lambda c: c.update(title="Another title"))
    with pytest.raises(VerifyFailed, match="certificate.json"):
        verify(out)


def rows_of(folder):
    return list(csv.reader((folder / "data.csv").read_text().splitlines()))


def test_a_lower_k_is_counted(outside):
    rows = rows_of(outside)
    rows[1][rows[0].index("region")] = "nowhere"
    forged(outside, "data.csv", as_text(rows))
    with pytest.raises(VerifyFailed, match="counted again, 1"):
        verify(outside)


def test_records_added_or_taken_away_are_counted(outside):
    rows = rows_of(outside)
    forged(outside, "data.csv", as_text([*rows, rows[-1]]))
    with pytest.raises(VerifyFailed, match="number of records"):
        verify(outside)
    forged(outside, "data.csv", as_text(rows[:-1]))
    with pytest.raises(VerifyFailed, match="number of records"):
        verify(outside)


@pytest.mark.parametrize("change", [lambda r: [*r, "x"], lambda r: r[:-1], lambda r: r[::-1]])
def test_other_columns_are_seen(outside, change):
    forged(outside, "data.csv", as_text([change(row) for row in rows_of(outside)]))
    with pytest.raises(VerifyFailed, match="certified columns"):
        verify(outside)


def test_a_data_file_that_cannot_be_read(outside):
    for content in (b"PAR1 nonsense", b""):
        forged(outside, "data.parquet", content)
        with pytest.raises(VerifyFailed, match="data.parquet"):
            verify(outside)


def as_text(rows):
    return ("\n".join(",".join(row) for row in rows) + "\n").encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["gates"][0].update(value=99.0),
        lambda c: c["gates"][0].update(value=1.0),
        lambda c: c["gates"][0].update(at_least=99),
        lambda c: c["gates"][0].update(measure="no.such-measure"),
        lambda c: c["gates"][0].update(measure="microdata.mdav"),
        lambda c: c["gates"][0].update(parameters={"nonsense": 1}),
        lambda c: c["gates"][0].update(parameters={"keys": ["no such column"]}),
        lambda c: c.update(records=1),
        lambda c: c["columns"].pop("sex"),
        lambda c: c["columns"].update(more={"kind": "number", "roles": [], "empty": "missing"}),
        lambda c: c["columns"]["sex"].update(roles=["identifier"]),
        lambda c: c["columns"]["sex"].update(kind="number"),
        lambda c: c["files"].pop("data.csv"),
        lambda c: c["files"].update({"../outside": "00"}),
        lambda c: c["files"].update({"data.csv": "00"}),
    ],
)
def test_a_certificate_with_a_fresh_seal_that_does_not_fit_the_data(outside, change):
    edited(outside, change)
    with pytest.raises(VerifyFailed):
        verify(outside)


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.clear(),
        lambda c: c.pop("files"),
        lambda c: c.pop("columns"),
        lambda c: c.pop("gates"),
        lambda c: c.pop("records"),
        lambda c: c.update(files=[]),
        lambda c: c.update(columns={"a": 5}),
        lambda c: c.update(gates={"a": 5}),
        lambda c: c.update(records="many"),
        lambda c: c["columns"]["sex"].update(kind="colour"),
        lambda c: c["columns"]["sex"].update(roles=["boss"]),
        lambda c: c["gates"][0].update(value="high"),
    ],
)
def test_a_certificate_that_is_none(outside, change):
    edited(outside, change)
    with pytest.raises(NotOurRelease):
        verify(outside)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"5", b"{", b"\xff\xfe", b'"text"', b"[" * 100_000])
def test_a_certificate_that_is_no_document(outside, content):
    (outside / "certificate.json").write_bytes(content)
    with pytest.raises(InputWrong):
        verify(outside)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"{", b'{"outputs": 5}', b'{"outputs": {"a": 5}}'])
def test_a_ledger_that_is_no_document(out, content):
    (out / "internal" / "ledger.json").write_bytes(content)
    with pytest.raises(VerifyFailed):
        verify(out)


def test_what_is_no_release(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for name in ("empty", "nothing", "file"):
        with pytest.raises(FileMissing):
            verify(tmp_path / name)


# -- releases of every kind verify --------------------------------------------------------------------------------------


@pytest.fixture
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def suppressing(gates):
    """Keys with suppressed and with missing cells."""
    hide = [
        {
            "use": "microdata.suppress-cells",
            "records": list(range(1, 30)),
            "columns": ["region"],
            "lone": "allow",
        },
        {
            "use": "microdata.suppress-cells",
            "records": list(range(20, 40)),
            "columns": ["sex"],
            "lone": "allow",
        },
    ]
    plan = with_data(roles={"identifier": ["name", "number"], "key": ["region", "sex"]})
    return plan | {"steps": hide, "release_if": gates, "release": {"formats": ["csv", "parquet"]}}


@pytest.mark.parametrize("policy", ["attacker", "category"])
@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_suppressed_keys(tmp_path, secret, policy, missing):
    columns = people()
    columns["sex"][60:66] = [""] * 6
    how = {"suppressed": policy, "missing": missing}
    gates = [
        {"measure": "risk.k-anonymity", "at_least": 1, **how},
        {"measure": "risk.uniques", "at_most": 1, **how},
        {"measure": "risk.class-sizes", "at_least": 1},
    ]
    plan = suppressing(gates) | {"accept": ANYTHING}
    release(checked(tmp_path / "in", plan, as_csv(columns)), tmp_path / "out")
    assert "sex_cell" in (tmp_path / "out" / "data.csv").read_text().splitlines()[0]
    verify(tmp_path / "out")


def test_a_lower_k_with_suppressed_keys_is_counted_as_far_as_it_can_be(tmp_path, secret):
    gates = [{"measure": "risk.k-anonymity", "at_least": 2}]
    release(checked(tmp_path / "in", suppressing(gates) | {"accept": ANYTHING}), tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "internal")
    verify(tmp_path / "out")
    (tmp_path / "out" / "data.parquet").unlink()
    edited(tmp_path / "out", lambda c: c["files"].pop("data.parquet"))
    rows = rows_of(tmp_path / "out")
    shown = next(r for r in rows[1:] if r[0] and r[1])
    shown[0] = "nowhere"
    shown[1] = "neither"
    forged(tmp_path / "out", "data.csv", as_text(rows))
    with pytest.raises(VerifyFailed, match="counted again"):
        verify(tmp_path / "out")


ODD = [
    "",
    " ",
    "=1+1",
    "'x",
    "007",
    "7",
    "7.0",
    "true",
    "NA",
    "null",
    "ä",
    'q"q',
    "a;b",
    "1e5",
    "2026-01-02",
    "-5",
    "+a",
]


def test_odd_categories_come_back_as_they_were(tmp_path, secret):
    """Two categories that a reader could take for one must not look like another k."""
    rows = [[text, str(i)] for i, text in enumerate(t for t in ODD for _ in range(3))]
    data = "t,x\n" + "".join('"' + t.replace('"', '""') + f'",{x}\n' for t, x in rows) + ",98\n,99\n,97\n"
    plan = changed(
        data={"file": "people.csv", "roles": {"key": ["t"]}, "types": {"t": "category"}, "missing": []},
        steps=None, release={"formats": ["csv", "parquet", "arrow"]},
        release_if=[{"measure": "risk.class-sizes", "at_least": 3}, {"measure": "risk.k-anonymity", "at_least": 3}],
    )  # fmt: skip
    release(checked(tmp_path / "in", plan, data), tmp_path / "out")
    assert verify(tmp_path / "out")


def test_names_that_a_spreadsheet_would_run(tmp_path, secret):
    data = "=cmd,@x,ok\n" + "a,b,1\n" * 5
    plan = changed(
        data={"file": "people.csv", "roles": {"key": ["=cmd", "@x"]}},
        steps=None,
        release={"formats": ["csv", "xlsx", "parquet"]},
    )
    release(checked(tmp_path / "in", plan, data), tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").read_text().startswith("'=cmd,'@x,ok")
    verify(tmp_path / "out")


def test_one_column_one_record(tmp_path, secret):
    plan = changed(
        data={"file": "people.csv"},
        steps=None,
        release_if=None,
        release={"formats": ["csv", "parquet"]},
        accept=ANYTHING,
    )
    release(checked(tmp_path / "in", plan, "x\n5\n"), tmp_path / "out")
    verify(tmp_path / "out")
