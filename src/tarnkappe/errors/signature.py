"""Errors around the keys with which an office signs its releases."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class SignatureExtra(InputWrong, ImportError):
    code = "key.extra-needed"
    says = Text(
        "Signing and checking signatures needs the package 'cryptography', which is not installed.",
        "Zum Unterschreiben und zum Prüfen von Unterschriften fehlt das Paket 'cryptography'.",
    )
    fix = Text(
        "Install it: pip install 'tarnkappe[signature]'", "Installieren: pip install 'tarnkappe[signature]'"
    )


class KeyUnreadable(InputWrong):
    code = "key.unreadable"
    says = Text("The key {file!r} cannot be read: {why}", "Der Schlüssel {file!r} ist nicht lesbar: {why}")
    fix = Text(
        "Keys are PEM files of the kind Ed25519 without a passphrase; make a pair with: tarnkappe keys new NAME",
        "Schlüssel sind PEM-Dateien der Art Ed25519 ohne Kennwort; ein Paar erzeugt: tarnkappe keys new NAME",
    )


class KeyOpen(InputWrong):
    code = "key.readable-by-others"
    says = Text(
        "The private key {file!r} can be read by other users: whoever has it signs in your name.",
        "Der private Schlüssel {file!r} ist für andere Benutzer lesbar: Wer ihn hat, unterschreibt in Ihrem Namen.",
    )
    fix = Text(
        "chmod 600 {file}; if others may have read it, make a new pair.",
        "chmod 600 {file}; haben andere ihn womöglich gelesen, erzeugen Sie ein neues Paar.",
    )


class KeyName(InputWrong):
    code = "key.name"
    says = Text("A pair of keys cannot be called {name!r}.", "Ein Schlüsselpaar kann nicht {name!r} heißen.")
    fix = Text(
        "Use letters, digits, '-', '_' and '.', beginning with a letter or digit.",
        "Verwenden Sie Buchstaben, Ziffern, '-', '_' und '.', zuerst Buchstabe oder Ziffer.",
    )
