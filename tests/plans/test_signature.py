"""Releases signed by the office: unsigned, signed by somebody else or changed, they do not hold."""

from __future__ import annotations

import shutil
import stat
import subprocess

import pytest

from plans.workshop import SECRET, VARIABLE, changed, checked
from surfaces.command import command
from tarnkappe.errors.release import FileExists, VerifyFailed
from tarnkappe.errors.signature import KeyName, KeyOpen, KeyUnreadable, SignatureExtra
from tarnkappe.io.signature import SIGNATURE, is_signed, new_keys, signer
from tarnkappe.report.release import as_json, release, sealed
from tarnkappe.report.verify import verify


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """An office with a pair of keys, a signed release, and a stranger with a pair of his own."""
    folder = tmp_path_factory.mktemp("house")
    new_keys("office", folder)
    new_keys("stranger", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, SECRET)
        plan = checked(folder / "in", changed(release={"formats": ["csv"]}))
        release(plan, folder / "out", sign=signer(folder / "office.key"))
    return folder


@pytest.fixture
def out(house, tmp_path):
    """A copy of the release to play with, as it leaves the house."""
    copy = shutil.copytree(house / "out", tmp_path / "out")
    shutil.rmtree(copy / "internal")
    return copy


def test_a_signed_release_holds_with_and_without_the_key(house, out):
    says = [check.says.en for check in verify(house / "out", house / "office.pub")]
    assert says[0] == "certificate.json is signed by the owner of office.pub"
    verify(house / "out")
    verify(out, house / "office.pub")
    verify(out)


def test_another_key_an_unsigned_release_and_a_broken_signature_do_not_hold(house, out):
    with pytest.raises(VerifyFailed, match="is signed by"):
        verify(out, house / "stranger.pub")
    for broken in (b"", b"\xff\n", b"AAAA", b"A" * 86 + b"==", (out / SIGNATURE).read_bytes() * 2):
        (out / SIGNATURE).write_bytes(broken)
        with pytest.raises(VerifyFailed, match="is signed by"):
            verify(out, house / "office.pub")
    (out / SIGNATURE).unlink()
    with pytest.raises(VerifyFailed, match="It is not signed"):
        verify(out, house / "office.pub")


def test_a_forger_who_makes_everything_fit_is_found_by_the_key_alone(house, out):
    import hashlib
    import json

    data = (out / "data.csv").read_text().splitlines(keepends=True)
    swapped = "".join([data[0], *reversed(data[1:])]).encode()
    (out / "data.csv").write_bytes(swapped)
    content = json.loads((out / "certificate.json").read_bytes())
    content["files"]["data.csv"] = hashlib.sha256(swapped).hexdigest()
    (out / "certificate.json").write_text(as_json(sealed(content)))
    verify(out)
    with pytest.raises(VerifyFailed, match="is signed by"):
        verify(out, house / "office.pub")


def test_the_private_key_is_for_its_owner_alone(house, tmp_path):
    private, public = new_keys("a", tmp_path)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert b"PRIVATE" not in public.read_bytes()
    private.chmod(0o640)
    with pytest.raises(KeyOpen):
        signer(private)
    with pytest.raises(FileExists):
        new_keys("a", tmp_path)
    with pytest.raises(KeyName):
        new_keys("../a", tmp_path)
    private_text = (house / "office.key").read_text().splitlines()[1]
    for file in (house / "out").rglob("*"):
        if file.is_file():
            assert private_text.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"]
)
def test_files_that_hold_no_key(house, out, tmp_path, content):
    file = tmp_path / "a.key"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(KeyUnreadable):
        signer(file)
    with pytest.raises(KeyUnreadable):
        verify(out, file)
    with pytest.raises(KeyUnreadable):
        verify(out, tmp_path / "nowhere")


def test_keys_of_another_kind_are_refused(out, tmp_path):
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    key = X25519PrivateKey.generate()
    file = tmp_path / "other.pub"
    file.write_bytes(
        key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    )
    with pytest.raises(KeyUnreadable, match="Ed25519"):
        verify(out, file)


def test_without_the_package_it_is_told_how_to_install_it(house, out, monkeypatch):
    import importlib

    real = importlib.import_module

    def without(name, *rest):
        if name.startswith("cryptography"):
            raise ImportError
        return real(name, *rest)

    monkeypatch.setattr("tarnkappe.io.signature.import_module", without)
    with pytest.raises(SignatureExtra):
        verify(out, house / "office.pub")
    verify(out)


def test_the_commands(house, out, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = command(capsys, "keys", "new", "amt", "--lang", "de")
    assert made.code == 0
    assert "verlässt das Haus nie" in made.out
    assert command(capsys, "verify", out, "--key", house / "office.pub").code == 0
    assert "--key" in command(capsys, "verify", out).out, "signed, and not looked at"
    refused = command(capsys, "verify", out, "--key", "amt.pub")
    assert (refused.code, "[verify.failed]" in refused.err) == (3, True)
    wrong = command(capsys, "run", house / "in" / "plan.yaml", "--out", "o", "--sign", "amt.pub")
    assert (wrong.code, "[key." in wrong.err) == (2, True)
    assert not (tmp_path / "o").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_other_programs_check_it_too(house, tmp_path):
    import base64

    (tmp_path / "sig").write_bytes(base64.b64decode((house / "out" / SIGNATURE).read_bytes()))
    words = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", house / "office.pub", "-rawin"]
    told = subprocess.run(
        [*words, "-in", house / "out" / "certificate.json", "-sigfile", tmp_path / "sig"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert b"Success" in told.stdout


def test_a_signature_is_of_these_bytes(tmp_path):
    private, public = new_keys("a", tmp_path)
    signed = signer(private)(b"this")
    assert is_signed(b"this", signed, public)
    assert not is_signed(b"that", signed, public)
