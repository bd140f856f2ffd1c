"""Signatures of releases: the office signs the certificate, which holds the hashes of all files, and receivers check it.

Ed25519 (RFC 8032) by the package cryptography; keys are PEM files, so that other programs read them too. The signature is
that of the bytes of certificate.json, written in base64 beside it.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tarnkappe.errors.release import FileExists
from tarnkappe.errors.signature import KeyName, KeyOpen, KeyUnreadable, SignatureExtra
from tarnkappe.io.documents import DocumentUnreadable, bounded_bytes
from tarnkappe.io.staging import plainly, write_new
from tarnkappe.language import Text
from tarnkappe.randomness import is_name

SIGNATURE = "certificate.sig"
Signer = Callable[[bytes], bytes]
"""Makes the content of the signature file from that of the certificate."""
_LARGEST = 2**16
_NO_KEY = Text("it holds no key that can be used.", "sie enthält keinen verwendbaren Schlüssel.")
_OTHER_KIND = Text("its key is not of the kind Ed25519.", "ihr Schlüssel ist nicht von der Art Ed25519.")


def new_keys(name: str, folder: Path) -> tuple[Path, Path]:
    """Draw a pair of keys and write it: the private one for its owner alone, the public one for everybody."""
    if not is_name(name):
        raise KeyName(name=name)
    keys, forms = _keys(), _forms()
    private, public = folder / f"{name}.key", folder / f"{name}.pub"
    for file in (private, public):
        if file.exists() or file.is_symlink():
            raise FileExists(file=str(file))
    drawn = keys.Ed25519PrivateKey.generate()
    secret: bytes = drawn.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    shown: bytes = drawn.public_key().public_bytes(
        forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo
    )
    with plainly(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(secret)
    write_new(public, shown)
    return private, public


def signer(file: Path) -> Signer:
    """The signer of a private key; only its owner may be able to read the file."""
    held = _held(file)
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise KeyOpen(file=str(file))
    try:
        key = _forms().load_pem_private_key(held, None)
    except (ValueError, TypeError, _unsupported()):
        raise KeyUnreadable(file=str(file), why=_NO_KEY) from None
    if not isinstance(key, _keys().Ed25519PrivateKey):
        raise KeyUnreadable(file=str(file), why=_OTHER_KIND)
    return lambda content: base64.b64encode(key.sign(content)) + b"\n"


def is_signed(certificate: bytes, signature: bytes, public: Path) -> bool:
    """Whether the certificate was signed, as it is, by the owner of the private key that belongs to a public one."""
    key = _public(public)
    try:
        key.verify(base64.b64decode(signature.strip(), validate=True), certificate)
    except (binascii.Error, import_module("cryptography.exceptions").InvalidSignature):
        return False
    return True


def _public(file: Path) -> Any:
    held = _held(file)
    try:
        key = _forms().load_pem_public_key(held)
    except (ValueError, TypeError, _unsupported()):
        raise KeyUnreadable(file=str(file), why=_NO_KEY) from None
    if not isinstance(key, _keys().Ed25519PublicKey):
        raise KeyUnreadable(file=str(file), why=_OTHER_KIND)
    return key


def _held(file: Path) -> bytes:
    try:
        return bounded_bytes(file, _LARGEST)
    except DocumentUnreadable as problem:
        raise KeyUnreadable(file=str(file), why=problem.why) from None


def _keys() -> Any:
    return _part("hazmat.primitives.asymmetric.ed25519")


def _forms() -> Any:
    return _part("hazmat.primitives.serialization")


def _unsupported() -> type[Exception]:
    found: type[Exception] = _part("exceptions").UnsupportedAlgorithm
    return found


def _part(name: str) -> Any:
    try:
        return import_module(f"cryptography.{name}")
    except ImportError:
        raise SignatureExtra from None
