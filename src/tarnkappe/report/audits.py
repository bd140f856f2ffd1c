"""What the audit of a table found, in words: cells are named by their codes, never by a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tarnkappe.attack.naming import insider
from tarnkappe.language import NOTHING, Text, listed, same
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
    """Every leak that the audit lists, with what gives it away, named by codes, so that a person can check it."""
    for leak in details.get("leaks", ()):
        says = Text("{cell}: {proof}", "{cell}: {proof}")
        proof = _PROOFS.get(leak.get("proof", ""), NOTHING)
        first = says.filled(cell=leak["cell"], proof=proof or LEAKS)
        yield _together([first, *_steps(leak.get("steps", (leak,))), *_combination(leak)], "; ")
    for breach in details.get("insiders", ()):
        says = Text("{cell}: {n} contributor(s) from inside", "{cell}: {n} Beteiligte(r) von innen")
        first = says.filled(cell=breach["cell"], n=shown(breach["together"]))
        if breach.get("knows"):
            who = insider(breach["together"], breach["knows"])
            first = Text(f"{first.en}, {who.en}", f"{first.de}, {who.de}")
        yield _together([first, *_steps(breach.get("steps", ())), *_combination(breach)], "; ")
    for union in details.get("unions", ()):
        says = Text(
            "{sum} along {along}: the suppressed parts together are confidential",
            "{sum} entlang {along}: die gesperrten Teile sind zusammen vertraulich",
        )
        yield says.filled(sum=union["sum"], along=union["along"])


def _steps(steps: Iterable[Mapping[str, Any]]) -> Iterator[Text]:
    """Subtractions one after the other."""
    says = Text(
        "step {n}: {cell} is what is left of the sum {sum} along {along}",
        "Schritt {n}: {cell} bleibt von der Summe {sum} entlang {along} übrig",
    )
    for number, step in enumerate(steps, start=1):
        if "sum" in step:
            yield says.filled(n=number, cell=step["cell"], sum=step["sum"], along=step["along"])


def _combination(leak: Mapping[str, Any]) -> Iterator[Text]:
    """Sums that, each multiplied and added up, leave the cell and others of which bounds are known."""
    sums = [_times(part) for part in leak.get("sums", ()) if "sum" in part]
    if sums:
        says = Text("its {end} bound follows from {sums}", "die {end} Grenze folgt aus {sums}")
        end = Text("upper", "obere") if leak.get("side") == "high" else Text("lower", "untere")
        yield says.filled(end=end, sums=_together(sums, ", "))
    if leak.get("limits"):
        says = Text("and from prior knowledge of {cells}", "und aus Vorwissen über {cells}")
        yield says.filled(cells=listed(leak["limits"]))


def _times(part: Mapping[str, Any]) -> Text:
    says = Text("{times} × the sum {sum} along {along}", "{times} × Summe {sum} entlang {along}")
    return says.filled(times=shown(part["times"]), sum=part["sum"], along=part["along"])


def _together(texts: list[Text], between: str) -> Text:
    return Text(between.join(t.en for t in texts), between.join(t.de for t in texts))
