"""Show what stands in a register of releases."""

from __future__ import annotations

from pathlib import Path

from tarnkappe.cli.screen import language, out, say, table
from tarnkappe.data.release_signature import ReleaseSignature, ShownColumn
from tarnkappe.io.paths import existing
from tarnkappe.io.release_register import read_register
from tarnkappe.language import Lang, Text, number

_LEVEL = Text("level {level}", "Ebene {level}")
_NOT_FOLLOWED = Text("not value by value", "nicht Wert für Wert")
_PENDING = Text("unclear: the run broke off", "unklar: Lauf brach ab")


def register(file: Path, lang: str | None) -> None:
    """List the releases of a register: what is known of each without the secret."""
    spoken = language(lang)
    held = read_register(existing(file))
    heads = Text(
        "no.|date|release|records|k|classes|keys", "Nr.|Datum|Freigabe|Datensätze|k|Klassen|Schlüssel"
    )
    shown = table(file.name, *heads.in_(spoken).split("|"), numbers=(0, 3, 4, 5))
    for place, release in enumerate(held.releases, 1):
        counts = (number(n, spoken) for n in (release.records, release.k, len(release.classes)))
        keys = ", ".join(_key(column, spoken) for column in release.columns)
        shown.add_row(str(place), release.date, _title(release, spoken), *counts, keys)
    out.print(shown)
    say(
        Text("{n} releases. Signatures only: no records, no values.", "{n} Freigaben. Nur Signaturen: keine Datensätze, keine Werte."),
        spoken, n=len(held.releases),
    )  # fmt: skip


def _title(release: ReleaseSignature, lang: Lang) -> str:
    return f"{release.title} ({_PENDING.in_(lang)})" if release.pending else release.title


def _key(column: ShownColumn, lang: Lang) -> str:
    said = _NOT_FOLLOWED if column.values is None else _LEVEL.filled(level=column.level)
    return f"{column.name} ({said.in_(lang)})" if column.values is None or column.level else column.name
