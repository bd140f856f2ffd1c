"""A folder that somebody made to stop, fill or fool whoever verifies it: every one ends in an error with a code."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from plans.workshop import SECRET, VARIABLE, changed, checked
from surfaces.command import command
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import NotOurRelease, VerifyFailed
from tarnkappe.io.documents import LARGEST, DocumentUnreadable, read_json
from tarnkappe.io.staging import refuse_existing
from tarnkappe.report.release import as_json, release, sealed
from tarnkappe.report.verify import verify


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        release(checked(folder / "in", changed(release={"formats": ["csv"]})), folder / "out")
    return folder / "out"


@pytest.fixture
def out(made, tmp_path):
    return shutil.copytree(made, tmp_path / "out")


def to_pipe(file):
    os.mkfifo(file)


def to_zeros(file):
    file.symlink_to("/dev/zero")


def to_100_mb(file):
    with file.open("wb") as large:
        large.write(b'{"tarnkappe": 1}')
        large.truncate(100 * 2**20)


def to_folder(file):
    file.mkdir()


def to_text(text):
    def put(file):
        file.write_text(text)

    return put


HOSTILE = {
    "pipe": to_pipe,
    "zeros": to_zeros,
    "100 MB": to_100_mb,
    "folder": to_folder,
    "NaN": to_text('{"tarnkappe": NaN, "files": {}}'),
    "infinite": to_text('{"tarnkappe": 1e999, "files": {}}'),
    "half a sign": to_text('{"tarnkappe": 1, "files": {"\\ud800": "x"}}'),
    "deep": to_text("[" * 900 + "]" * 900),
    "deeper": to_text('{"a":' * 100_000 + "1" + "}" * 100_000),
    "long number": to_text("1" * 10_000),
    "nothing": to_text(""),
}
hostile = pytest.mark.parametrize("put", HOSTILE.values(), ids=HOSTILE)


@hostile
def test_a_hostile_certificate(out, put):
    (out / "certificate.json").unlink()
    put(out / "certificate.json")
    with pytest.raises(NotOurRelease, match="certificate.json: "):
        verify(out)
    with pytest.raises(NotOurRelease):
        refuse_existing(out, replace=True)


@hostile
def test_a_hostile_ledger(out, put):
    (out / "internal" / "ledger.json").unlink()
    put(out / "internal" / "ledger.json")
    with pytest.raises(VerifyFailed):
        verify(out)


@hostile
@pytest.mark.parametrize("name", ["about.json", "data.csv", "certificate.sig"])
def test_a_hostile_file_in_place_of_another(out, name, put):
    (out / name).unlink(missing_ok=True)
    put(out / name)
    if name != "certificate.sig":
        with pytest.raises(VerifyFailed):
            verify(out)
        return
    from tarnkappe.io.signature import new_keys

    _, key = new_keys("office", out.parent)
    with pytest.raises(VerifyFailed, match="is signed by"):
        verify(out, key)


@pytest.mark.parametrize(
    "content",
    [
        {"files": {"../../etc/passwd": "0" * 64}},
        {"files": {"a\0b": "0" * 64}},
        {"files": {"x" * 5000: "0" * 64}},
        {"files": {"a/" * 3000: "0" * 64}},
        {"columns": {"a": {"kind": "number", "roles": [], "empty": "missing"}}},
        {"tables": {"t": {}}},
        {"gates": [{"says": {}, "measure": "risk.k-anonymity", "parameters": {"k": [[]]}, "recount": True}]},
        {"records": 10**300},
    ],
)
def test_a_certificate_that_says_odd_things(out, content):
    shutil.rmtree(out / "internal")
    told = json.loads((out / "certificate.json").read_bytes())
    told = {**told, **content}
    (out / "certificate.json").write_text(as_json(sealed(told)))
    with pytest.raises(VerifyFailed):
        verify(out)


def test_a_certificate_that_leaves_files_out(tmp_path):
    """What a certificate does not name, nobody would miss."""
    bare = {"tarnkappe": 1, "records": 0, "columns": {}, "gates": [], "files": {}}
    (tmp_path / "certificate.json").write_text(as_json(sealed(bare)))
    with pytest.raises(VerifyFailed, match=r"all files of the release about\.html, about\.json"):
        verify(tmp_path)


def test_names_of_files_move_no_cursor_and_fill_no_screen(out, capsys):
    (out / "\x1b[2J\x1b]0;gone\x07").write_text("")
    for n in range(50):
        (out / f"{n:03d}{'x' * 240}").write_text("")
    said = command(capsys, "verify", out)
    assert said.code == 3
    assert "\x1b" not in said.all
    assert len(said.err) < 4000
    assert "(51)" in said.err


def test_an_ordinary_document_is_read(tmp_path):
    content = {"a": [1, 2.5, None, "ä\U0001f600", {"b": []}], "c": "\\ud800 spelt out"}
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert read_json(tmp_path / "a.json") == content
    with (tmp_path / "a.json").open("ab") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(DocumentUnreadable, match="larger"):
        read_json(tmp_path / "a.json")


def test_receivers_meet_errors_with_codes_too(out, monkeypatch):
    """Whoever analyses a release opens about.json."""
    from tarnkappe.correct.release import open_release

    for put in HOSTILE.values():
        about = out / "about.json"
        shutil.rmtree(about) if about.is_dir() else about.unlink(missing_ok=True)
        put(about)
        with pytest.raises(TarnkappeError):
            open_release(out)
