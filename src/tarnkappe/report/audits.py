"""What the audit of a table found, in words: cells are named by their codes, never by a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tarnkappe.language import NOTHING, Text, same
from tarnkappe.report.numbers import shown

LEAKS = Text("an attacker finds out too much", "ein Angreifer erfährt zu viel")
_PROOFS = {
    "subtraction": Text("known by subtracting", "durch Abziehen bekannt"),
    "rank": Text("known from several sums together", "aus mehreren Summen zusammen bekannt"),
    "neighbourhood": Text(
        "wide enough: few cells can balance it", "weit genug: wenige Zellen gleichen es aus"
    ),
    "shown": Text("shown by another table", "von einer anderen Tabelle gezeigt"),
    "component": Text("solved over everything it is tied to", "über alles gelöst, was damit zusammenhängt"),
}


def proven(details: Mapping[str, Any]) -> Iterator[tuple[Text, int]]:
    """How many intervals were found by which argument."""
    for name, count in details.get("proven_by", {}).items():
        if count:
            yield _PROOFS.get(name, same(name)), int(count)


def linked(details: Mapping[str, Any], unlinked: str | None) -> Iterator[Text]:
    """The tables that share cells with this one and were audited with it, or why it stands alone."""
    if unlinked is not None:
        yield Text("audited alone, because: {why}", "allein geprüft, weil: {why}").filled(why=unlinked)
    for other in details.get("linked", ()):
        says = Text(
            "audited together with {table}: {n} cells shared",
            "gemeinsam mit {table} geprüft: {n} gemeinsame Zellen",
        )
        yield says.filled(table=other["table"], n=shown(other["shared"]))


def leaks(details: Mapping[str, Any]) -> Iterator[Text]:
    """Every leak that the audit lists, with what gives it away, named by codes."""
    for leak in details.get("leaks", ()):
        proof = _PROOFS.get(leak.get("proof", ""), NOTHING)
        by = Text("{cell}: {proof}; sum {sum} along {along}", "{cell}: {proof}; Summe {sum} entlang {along}")
        short = Text("{cell}: {proof}", "{cell}: {proof}")
        yield (by if "sum" in leak else short).filled(**{**leak, "proof": proof or LEAKS})
    for breach in details.get("insiders", ()):
        says = Text("{cell}: {n} contributor(s) from inside", "{cell}: {n} Beteiligte(r) von innen")
        yield says.filled(cell=breach["cell"], n=shown(breach["together"]))
