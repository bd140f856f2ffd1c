"""What a file that is called text holds instead, told by its first bytes."""

from __future__ import annotations

from tarnkappe.errors.files import NotText
from tarnkappe.language import Text

_ZIP = Text("a zip archive, such as an Excel file", "ein Zip-Archiv, etwa eine Excel-Datei")
_PACKED = Text("compressed data (gzip)", "komprimierte Daten (gzip)")
_WEB_PAGE = Text("a web page", "eine Webseite")
_KNOWN: tuple[tuple[bytes, Text], ...] = (
    (b"PK\x03\x04", _ZIP),
    (b"\x1f\x8b", _PACKED),
    (b"PAR1", Text("Parquet columns", "Parquet-Spalten")),
    (b"ARROW1", Text("Arrow columns", "Arrow-Spalten")),
    (b"%PDF-", Text("a PDF document", "ein PDF-Dokument")),
    (b"\xd0\xcf\x11\xe0", Text("an old Office document, such as an .xls file", "ein altes Office-Dokument, etwa eine .xls-Datei")),
    (b"$FL2@(#)", Text("data of SPSS", "Daten von SPSS")),
)  # fmt: skip
_PAGES = (b"<!doctype html", b"<html", b"<?xml")


def refuse_other_content(raw: bytes, file: str) -> None:
    """Refuse what is plainly no separated text: as text it would be refused for a reason that misleads, or read as nonsense."""
    held = next((kind for sign, kind in _KNOWN if raw.startswith(sign)), None)
    if raw[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGES):
        held = _WEB_PAGE
    if held:
        raise NotText(file=file, kind=held)
