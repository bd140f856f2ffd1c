"""Plans as text: YAML that is loaded safely, with the line of every part kept for error messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tarnkappe.errors.files import FileUnreadable
from tarnkappe.errors.release import YamlWrong
from tarnkappe.io.paths import existing
from tarnkappe.language import Text
from tarnkappe.spec import Declared, plain

Place = tuple[str | int, ...]
LARGEST = 2**20
"""Bytes; long hierarchies have files of their own."""
MOST_PARTS = 100_000
DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed plan: plain values and where they stand."""

    content: Any
    lines: Mapping[Place, int] = field(default_factory=dict)
    name: str = "plan"

    def line(self, place: Place) -> int | None:
        """The line of a part, or of the nearest part around it."""
        for end in range(len(place), -1, -1):
            if place[:end] in self.lines:
                return self.lines[place[:end]]
        return None


class _Loader(yaml.SafeLoader):
    """YAML 1.2 readings only: `no` and `NO` are text, `012` is text, dates stay text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - overrides the table of the base class


def _resolve(tag: str, pattern: str, first: str) -> None:
    import re  # noqa: PLC0415 - only for this table

    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))


_resolve("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF")
_resolve("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789")
_resolve(
    "float",
    r"^[-+]?(?:(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)$",
    "-+.0123456789",
)
_resolve("null", r"^(?:~|null|Null|NULL|)$", "~nN\0")
_Loader.yaml_implicit_resolvers.setdefault("", []).append(
    _Loader.yaml_implicit_resolvers["~"][0],
)


def load(path: Path) -> Document:
    """Read a plan file."""
    found = existing(path)
    try:
        with found.open("rb") as file:
            held = file.read(LARGEST + 1)
    except OSError as problem:
        raise FileUnreadable(file=path.name, why=problem.strerror or "") from None
    if len(held) > LARGEST:
        raise YamlWrong(file=path.name, why=_TOO_LARGE, hint=_WHAT_A_PLAN_IS)
    try:
        return parse(held.decode("utf-8-sig"), path.name)
    except UnicodeDecodeError:
        raise YamlWrong(file=path.name, why=_NOT_UTF_8, hint=_WHAT_A_PLAN_IS) from None


def parse(text: str, name: str = "plan") -> Document:
    """Parse a plan; refuse what is not plain YAML or grows beyond reason when its aliases are followed."""
    reader = _Reader(name)
    try:
        node = yaml.compose(text, Loader=_Loader)
        content = reader.value(node, ()) if node else None
    except RecursionError:
        raise YamlWrong(file=name, why=_TOO_DEEP, hint=_WHAT_A_PLAN_IS) from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line = mark.line + 1 if mark else 1
        why = Text(f"line {line}: {problem.problem}", f"Zeile {line}: {problem.problem}")
        raise YamlWrong(file=name, why=why, hint=_INDENT) from None
    except yaml.YAMLError:
        why = Text("it holds signs that YAML does not allow.", "er enthält in YAML nicht erlaubte Zeichen.")
        raise YamlWrong(file=name, why=why, hint=_WHAT_A_PLAN_IS) from None
    return Document(content, reader.lines, name)


_TOO_LARGE = Text("it is too large.", "er ist zu groß.")
_NOT_UTF_8 = Text("it is not UTF-8 text.", "er ist kein UTF-8-Text.")
_TOO_DEEP = Text("it is nested too deeply.", "er ist zu tief verschachtelt.")
_WHAT_A_PLAN_IS = Text(
    "A plan is a small text in UTF-8; `tarnkappe new` writes one to begin with.",
    "Ein Plan ist ein kleiner Text in UTF-8; `tarnkappe new` schreibt einen zum Anfangen.",
)
_INDENT = Text(
    "Check the indentation, the colons and the quotes around that line.",
    "Prüfen Sie dort Einrückung, Doppelpunkte und Anführungszeichen.",
)


class _Reader:
    """Turns YAML nodes into plain values, counting parts so that an alias bomb stops early."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Place, int] = {}
        self._parts = 0
        self._scalars = yaml.SafeLoader("")

    def value(self, node: yaml.Node, place: Place) -> Any:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise YamlWrong(file=self.name, why=_TOO_LARGE, hint=_WHAT_A_PLAN_IS)
        if len(place) > DEEPEST:
            raise YamlWrong(file=self.name, why=_TOO_DEEP, hint=_WHAT_A_PLAN_IS)
        self.lines.setdefault(place, node.start_mark.line + 1)
        if node.tag not in _TAGS:
            raise self._wrong(node, _TAG.filled(tag=node.tag))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*place, i)) for i, child in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key_node, child in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                says = Text("a name must be plain text.", "ein Name muss einfacher Text sein.")
                raise self._wrong(key_node, says)
            key = str(key_node.value)
            if key in out:
                raise self._wrong(key_node, Text(f"{key!r} is given twice.", f"{key!r} steht doppelt."))
            self.lines[(*place, key)] = key_node.start_mark.line + 1
            out[key] = self.value(child, (*place, key))
        return out

    def _scalar(self, node: yaml.Node) -> Any:
        try:
            return self._scalars.construct_object(node)
        except (ValueError, LookupError):  # a tag that does not fit, a number of thousands of digits
            raise self._wrong(node, Text("this cannot be read.", "dies ist nicht lesbar.")) from None

    def _wrong(self, node: yaml.Node, why: Text) -> YamlWrong:
        line = node.start_mark.line + 1
        placed = Text(f"line {line}: {why.en}", f"Zeile {line}: {why.de}")
        return YamlWrong(file=self.name, why=placed, hint=_WHAT_A_PLAN_IS)


_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null")}
_TAG = Text("the tag {tag!r} is not allowed.", "das Tag {tag!r} ist nicht erlaubt.")


def step_as_plain(step: Declared) -> dict[str, Any]:
    """A step as it stands in a plan; parameters at their default are left out."""
    out: dict[str, Any] = plain({"use": step.id, **step.model_dump(mode="json", exclude_defaults=True)})
    return out


def to_yaml(content: Mapping[str, Any]) -> str:
    """Write a plan as people write it: in order, without anchors; a flow style for short lists."""
    return yaml.dump(dict(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _short_list(dumper: yaml.SafeDumper, data: Any) -> yaml.Node:
    flat = all(not isinstance(v, dict | list | tuple) for v in data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=flat)


def _text(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
    """Quote what our reader would take for something else than text, or for another end of a line."""
    kind = _Loader("").resolve(yaml.ScalarNode, data, (True, False))  # type: ignore[no-untyped-call]
    style = '"' if set(data) & _BREAKS else None if kind.endswith(":str") else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_BREAKS = {"\r", "\x85", "\u2028", "\u2029", "\ufeff"}
_Dumper.add_representer(list, _short_list)
_Dumper.add_representer(tuple, _short_list)
_Dumper.add_representer(str, _text)
