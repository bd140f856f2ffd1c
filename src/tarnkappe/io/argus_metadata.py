"""Metadata of τ-ARGUS (`.rda`): what the columns of a table file or of a file of records mean.

A variable stands on a line of its own; the keywords in angle brackets below it say what it is. The grammar is that of
τ-ARGUS itself (manual 4.2, sections 5.1 to 5.3): words are separated by blanks or stand in quotation marks, lines that begin
with ``//`` are comments, capitals do not matter in keywords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from io import StringIO
from pathlib import Path, PureWindowsPath

from tarnkappe.data.hierarchy import TOTAL
from tarnkappe.errors.table_files import ArgusWrong, MetadataMissing
from tarnkappe.io.hierarchies import LEADING, text_of
from tarnkappe.io.paths import existing
from tarnkappe.language import Text

_WORD = re.compile(r'["“”]([^"“”]*)["“”]|(<\s*[^<>]*>)|([^\s<]+)')
_IGNORED = frozenset({
    "DISTANCE", "TRUNCABLE", "RECORDKEY", "PFILE", "PFILE_FREQ", "PFILE_CONT", "PFILE_SEP", "CKM", "INCLUDEZEROS", "SEPARATION",
    "PARITY", "SCALING",
})  # fmt: skip
_KEYWORD = Text("a keyword is not known", "ein Schlüsselwort ist unbekannt")
_NOWHERE = Text(
    "a keyword stands before the first variable", "ein Schlüsselwort steht vor der ersten Variablen"
)
_NO_WORD = Text("a keyword lacks what belongs to it", "einem Schlüsselwort fehlt seine Angabe")
_WHOLE = Text("a whole number from 0 upward is expected", "erwartet wird eine ganze Zahl ab 0")
_SPSS = Text(
    "it describes an SPSS file; read that itself", "sie beschreibt eine SPSS-Datei; lesen Sie diese selbst"
)
_TWICE = Text("a variable has this name already", "eine Variable hat diesen Namen schon")
_SIGN = Text("the separator is one sign", "das Trennzeichen ist ein Zeichen")
_NONE = Text("it describes no variable", "sie beschreibt keine Variable")


class Part(Enum):
    """What a variable is in a table or in a record."""

    OTHER = auto()
    CODE = auto()
    VALUE = auto()
    SHADOW = auto()
    COST = auto()
    LOWER = auto()
    UPPER = auto()
    COUNT = auto()
    LARGEST = auto()
    STATUS = auto()
    WEIGHT = auto()
    HOLDING = auto()
    REQUEST = auto()


_PARTS = {
    "RECODEABLE": Part.CODE, "RECODABLE": Part.CODE, "NUMERIC": Part.VALUE, "SHADOW": Part.SHADOW, "COST": Part.COST,
    "COSTVAR": Part.COST, "LOWERPL": Part.LOWER, "UPPERPL": Part.UPPER, "FREQUENCY": Part.COUNT, "MAXSCORE": Part.LARGEST,
    "STATUS": Part.STATUS, "WEIGHT": Part.WEIGHT, "HOLDING": Part.HOLDING, "REQUEST": Part.REQUEST,
}  # fmt: skip


@dataclass(slots=True)
class Variable:
    """A column as the metadata describe it."""

    name: str
    line: int
    words: tuple[str, ...]
    """What follows the name: position and width in records, then the codes of missing values."""
    part: Part = Part.OTHER
    total: str = TOTAL
    levels: tuple[int, ...] = ()
    """How many signs of the code belong to each level."""
    code_list: str | None = None
    hierarchy: str | None = None
    leading: str = LEADING
    request: tuple[str, ...] = ()


@dataclass(slots=True)
class Metadata:
    """What a `.rda` file says."""

    file: Path
    separator: str | None = None
    """None: every field has a fixed place."""
    safe: str = "S"
    unsafe: str = "U"
    protect: str = "P"
    variables: list[Variable] = field(default_factory=list)

    def having(self, part: Part) -> list[Variable]:
        return [v for v in self.variables if v.part is part]

    def wrong(self, line: int, why: Text) -> ArgusWrong:
        return ArgusWrong(file=self.file.name, line=line, why=why)

    def beside(self, name: str) -> Path:
        """A file that the metadata name, beside them; the folder of another machine means nothing here."""
        return _found(self.file.parent, PureWindowsPath(name).name)


def metadata_for(data: Path, given: Path | None) -> Metadata:
    """The metadata of a data file: those given, or the `.rda` file of the same name."""
    existing(data)
    if given is not None:
        return read_metadata(given)
    wanted = data.with_suffix(".rda").name
    file = _found(data.parent, wanted)
    if not file.is_file():
        raise MetadataMissing(file=data.name, wanted=wanted)
    return read_metadata(file)


def _found(folder: Path, name: str) -> Path:
    """The file of that name; capitals do not matter, as on the systems where τ-ARGUS runs."""
    exact = folder / name
    if exact.is_file() or not folder.is_dir():
        return exact
    return next((f for f in sorted(folder.iterdir()) if f.name.lower() == name.lower()), exact)


def read_metadata(file: Path) -> Metadata:
    """Read a `.rda` file."""
    found = Metadata(file)
    for number, words in _lines(text_of(file)):
        if _is_keyword(words[0]):
            for keyword, given in _keywords(words):
                _take(found, keyword, given, number)
        else:
            if any(v.name == words[0] for v in found.variables):
                raise found.wrong(number, _TWICE)
            found.variables.append(Variable(words[0], number, tuple(words[1:])))
    if not found.variables:
        raise found.wrong(1, _NONE)
    return found


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The words of every line that says something. A keyword keeps its brackets, in capitals and without blanks."""
    for number, line in enumerate(StringIO(text, newline=None), 1):
        if line.strip() and not line.lstrip().startswith("//"):
            words = [_word(*match.groups(default="")) for match in _WORD.finditer(line)]
            if words:
                yield number, words


def _word(quoted: str, keyword: str, plain: str) -> str:
    return "".join(keyword.split()).upper() if keyword else quoted or plain


def _is_keyword(word: str) -> bool:
    return word.startswith("<") and word.endswith(">")


def _keywords(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every keyword of a line with the words that belong to it."""
    starts = [i for i, word in enumerate(words) if _is_keyword(word)]
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        yield words[start][1:-1], tuple(words[start + 1 : end])


def _take(found: Metadata, keyword: str, given: tuple[str, ...], line: int) -> None:
    if keyword in _IGNORED:
        return
    if keyword == "SPSS":
        raise found.wrong(line, _SPSS)
    if keyword in _OF_FILE:
        if not given:
            raise found.wrong(line, _NO_WORD)
        _OF_FILE[keyword](found, given[0])
        if found.separator is not None and len(found.separator) != 1:
            raise found.wrong(line, _SIGN)
        return
    if keyword not in _PARTS and keyword not in _OF_VARIABLE:
        raise found.wrong(line, _KEYWORD)
    if not found.variables:
        raise found.wrong(line, _NOWHERE)
    _describe(found, keyword, given, line)


def _describe(found: Metadata, keyword: str, given: tuple[str, ...], line: int) -> None:
    variable = found.variables[-1]
    if keyword in _PARTS:
        more = _PARTS[keyword] is not Part.VALUE or variable.part is Part.OTHER
        variable.part = _PARTS[keyword] if more else variable.part
        variable.request = given if keyword == "REQUEST" else variable.request
    elif keyword == "HIERLEVELS":
        if not given or not all(word.isascii() and word.isdigit() and len(word) < 5 for word in given):
            raise found.wrong(line, _WHOLE)
        variable.levels = tuple(int(word) for word in given if int(word))
    elif keyword not in ("HIERARCHICAL", "DECIMALS"):
        if not given:
            raise found.wrong(line, _NO_WORD)
        setattr(variable, _OF_VARIABLE[keyword], given[0])


_OF_FILE: dict[str, Callable[[Metadata, str], None]] = {
    "SEPARATOR": lambda found, word: setattr(found, "separator", word),
    "SAFE": lambda found, word: setattr(found, "safe", word.upper()),
    "UNSAFE": lambda found, word: setattr(found, "unsafe", word.upper()),
    "PROTECT": lambda found, word: setattr(found, "protect", word.upper()),
}
_OF_VARIABLE = {
    "TOTCODE": "total", "CODELIST": "code_list", "HIERCODELIST": "hierarchy", "HIERLEADSTRING": "leading",
    "HIERLEVELS": "levels", "HIERARCHICAL": "", "DECIMALS": "",
}  # fmt: skip
