"""Writing tables for τ-ARGUS: `.tab`, `.rda` and one `.hrc` file per dimension with levels. For the office, not for release."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Floats, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.hierarchy import HierarchyNotWritable
from tarnkappe.io.hierarchies import LEADING, hrc_text
from tarnkappe.language import Text

SEPARATOR = ";"
_SIGNS = Text(
    "a code is empty or holds a semicolon, a quotation mark, a line break, or blanks at its ends.",
    "ein Code ist leer oder enthält Semikolon, Anführungszeichen, Zeilenumbruch oder Leerzeichen am Rand.",
)
_WHITE = Text(
    "its name is empty or holds blanks or signs of the metadata.",
    "ihr Name ist leer oder enthält Leerzeichen oder Zeichen der Metadaten.",
)


def argus_files(pattern: Pattern, stem: str) -> dict[str, bytes]:
    """The files by their names. What an attacker knows beforehand has no place in them."""
    for tree in pattern.table.dimensions:
        _refuse(tree)
    files = {f"{stem}.tab": _cells(pattern), f"{stem}.rda": _metadata(pattern, stem)}
    for tree in pattern.table.dimensions:
        if tree.depth > 1:
            files[_hierarchy_name(stem, tree)] = hrc_text(tree)
    return {name: text.encode() for name, text in files.items()}


def _refuse(tree: Hierarchy) -> None:
    if (
        not tree.name
        or any(sign.isspace() or sign in '<>"“”' for sign in tree.name)
        or tree.name.startswith("//")
    ):
        raise HierarchyNotWritable(name=tree.name, format=".rda", why=_WHITE)
    if not all(
        code and code == code.strip() and not set(code) & set(';"“”\r\n') for code in map(str, tree.codes)
    ):
        raise HierarchyNotWritable(name=tree.name, format=".tab", why=_SIGNS)


def _hierarchy_name(stem: str, tree: Hierarchy) -> str:
    return f"{stem}_{''.join(c if c.isalnum() else '_' for c in tree.name)}.hrc"


def _columns(pattern: Pattern) -> list[tuple[str, str, Strings | Floats]]:
    """Name, keywords and content of every column after the codes."""
    table = pattern.table
    names = _Names([h.name for h in table.dimensions])
    out: list[tuple[str, str, Strings | Floats]] = [(names("value"), "<NUMERIC>", table.value)]
    kept = table.contributions
    if kept is not None:
        out.append((names("count"), "<FREQUENCY>", kept.count.astype(np.float64)))
        if kept.size is not None:
            out.append((names("shadow"), "<NUMERIC> <SHADOW>", kept.size))
        out += [
            (names(f"top{i + 1}"), "<MAXSCORE>", kept.largest[:, i]) for i in range(kept.largest.shape[1])
        ]
    if pattern.cost is not None:
        out.append((names("cost"), "<NUMERIC> <COST>", pattern.cost))
    out.append((names("status"), "<STATUS>", statuses(pattern)))
    for name, keyword, wide in (("lower", "LOWERPL", pattern.lower), ("upper", "UPPERPL", pattern.upper)):
        out.append((names(name), f"<NUMERIC> <{keyword}>", wide))
    return out


class _Names:
    """Names that no dimension has."""

    def __init__(self, taken: list[str]) -> None:
        self.taken = set(taken)

    def __call__(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        return name


def statuses(pattern: Pattern) -> Strings:
    """The status of every cell in the letters of τ-ARGUS."""
    out: Strings = np.full(len(pattern.table), "S", dtype=object)
    out[pattern.forced_open] = "P"
    out[pattern.mark == Mark.ZERO] = "E"
    out[pattern.primary | (pattern.mark == Mark.SUPPRESS)] = "U"
    out[pattern.status == Status.SECONDARY] = "M"
    return out


def _cells(pattern: Pattern) -> str:
    table = pattern.table
    codes = [[f'"{code}"' for code in table.codes(j)] for j in range(len(table.dimensions))]
    values = [_texts(content) for _, _, content in _columns(pattern)]
    return "".join(f"{SEPARATOR.join(row)}\n" for row in zip(*codes, *values, strict=True))


def _texts(content: Strings | Floats) -> list[str]:
    return [x if isinstance(x, str) else number_text(float(x)) for x in content.tolist()]


def number_text(number: float) -> str:
    """A number so that it comes back the same, without powers of ten, which τ-ARGUS does not read."""
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    return np.format_float_positional(number, trim="-")


def _metadata(pattern: Pattern, stem: str) -> str:
    lines = [f'<SEPARATOR> "{SEPARATOR}"', '<SAFE> "S"', '<UNSAFE> "U"', '<PROTECT> "P"']
    for tree in pattern.table.dimensions:
        lines += [tree.name, "  <RECODEABLE>", f'  <TOTCODE> "{tree.total}"']
        if tree.depth > 1:
            name = _hierarchy_name(stem, tree)
            lines += ["  <HIERARCHICAL>", f'  <HIERCODELIST> "{name}"', f'  <HIERLEADSTRING> "{LEADING}"']
    for name, keyword, _ in _columns(pattern):
        lines += [name, f"  {keyword}"]
    return "".join(f"{line}\n" for line in lines)
