"""What stands behind --hierarchy, --rule and --method: short YAML, or the name of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.tables import OptionWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import parse

_HIERARCHY = Text(
    "write DIMENSION={digits: [1, 2]} or DIMENSION=file.hrc",
    "schreiben Sie DIMENSION={digits: [1, 2]} oder DIMENSION=datei.hrc",
)
_LEVELS = Text(
    "write quarter*district, the finest column first, or DIMENSION=quarter*district",
    "schreiben Sie quartier*kreis, die feinste Spalte zuerst, oder DIMENSION=quartier*kreis",
)
_TWICE = Text("this dimension has a hierarchy already", "diese Dimension hat schon eine Hierarchie")
_THING = Text("write ID or 'ID: {parameter: value}'", "schreiben Sie ID oder 'ID: {Parameter: Wert}'")


def hierarchies(given: tuple[str, ...]) -> dict[str, dict[str, Any] | Path]:
    """Dimension -> its description, or the file that holds it."""
    out: dict[str, dict[str, Any] | Path] = {}
    for option in given:
        name, equals, said = (part.strip() for part in option.partition("="))
        if not (name and equals and said):
            raise OptionWrong(option="--hierarchy", given=option, why=_HIERARCHY)
        if name in out:
            raise OptionWrong(option="--hierarchy", given=option, why=_TWICE)
        out[name] = _mapping("--hierarchy", said, _HIERARCHY) if said.startswith("{") else Path(said)
    return out


def with_levels(
    by: tuple[str, ...], trees: tuple[str, ...], levels: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Dimensions and hierarchies with those that are told as columns per level: `[DIMENSION=]quarter*district`."""
    for option in levels:
        name, equals, columns = option.partition("=")
        name, columns = (name.strip(), columns.strip()) if equals else ("", option.strip())
        parts = [part.strip() for part in columns.split("*")]
        if not all(parts) or (equals and not name):
            raise OptionWrong(option="--levels", given=option, why=_LEVELS)
        name = name or parts[0]
        by = by if name in by else (*by, name)
        trees = (*trees, f"{name}={{columns: {json.dumps(parts)}}}")
    return by, trees


def file_of(said: dict[str, Any] | Path, folder: Path) -> Path | None:
    """The file of a hierarchy: named from where the command is called, or inside a description from where the cells lie."""
    if isinstance(said, Path):
        return said
    return folder / said["file"] if isinstance(said.get("file"), str) else None


def thing(option: str, said: str) -> dict[str, Any]:
    """A rule or a method as it stands in a plan: ``use`` and its parameters."""
    content = _parsed(option, said, _THING)
    if isinstance(content, str):
        return {"use": content}
    if isinstance(content, dict) and "use" in content:
        return content
    if isinstance(content, dict) and len(content) == 1:
        id_, parameters = next(iter(content.items()))
        if parameters is None or isinstance(parameters, dict):
            return {"use": id_, **(parameters or {})}
    raise OptionWrong(option=option, given=said, why=_THING)


def _mapping(option: str, said: str, why: Text) -> dict[str, Any]:
    content = _parsed(option, said, why)
    if not isinstance(content, dict):
        raise OptionWrong(option=option, given=said, why=why)
    return content


def _parsed(option: str, said: str, why: Text) -> Any:
    try:
        return parse(said).content
    except TarnkappeError:
        raise OptionWrong(option=option, given=said, why=why) from None
