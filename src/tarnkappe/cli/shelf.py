"""The catalogue in the terminal, and one command per method made from its declaration."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Optional

import typer
from rich.markdown import Markdown

from tarnkappe.cli.screen import language, out, table
from tarnkappe.cli.short import thing
from tarnkappe.language import Text
from tarnkappe.plan.document import parse, step_as_plain, to_yaml
from tarnkappe.plan.ratings import WORDS, standard_ratings
from tarnkappe.spec import Declared, catalogue
from tarnkappe.spec.card import facts, kind_of, markdown
from tarnkappe.spec.parameters import build, describe


def methods(id: str | None, lang: str | None, *, as_json: bool) -> None:
    """The catalogue, or one card."""
    spoken = language(lang)
    if as_json:
        shown = facts(_named(id)) if id else [facts(cls) for cls in catalogue]
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    elif id:
        out.print(Markdown(markdown(_named(id), spoken)))
    else:
        listing = table("", "id", "", "")
        for cls in catalogue:
            listing.add_row(cls.id, kind_of(cls), cls.title.in_(spoken))
        out.print(listing)


def ratings(lang: str | None, *, as_json: bool) -> None:
    """The rating matrix of methods for tables (Wettig 2002)."""
    spoken, matrix = language(lang), standard_ratings()
    if as_json:
        typer.echo(matrix.model_dump_json(indent=2))
        return
    first, exact = Text("method|exact disclosure", "Verfahren|genaue Aufdeckung").in_(spoken).split("|")
    listing = table("", first, *(c.name for c in matrix.criteria), exact)
    for one in matrix.methods:
        rated = (WORDS[one.ratings[c.name]].in_(spoken) for c in matrix.criteria)
        yes_no = Text("yes", "ja") if one.exact else Text("no", "nein")
        listing.add_row(one.title.text.in_(spoken), *rated, yes_no.in_(spoken))
    out.print(listing)
    known = Text("{id}; partial disclosure {partial}", "{id}; teilweise Aufdeckung {partial}")
    absent = Text("not in Tarnkappe", "nicht in Tarnkappe")
    for one in matrix.methods:
        says = known.filled(id=", ".join(one.use) or absent, partial=one.partial.text)
        out.print(f"  {one.title.text.in_(spoken)}: {says.in_(spoken)}", markup=False, soft_wrap=True)
    for criterion in matrix.criteria:
        out.print(f"  {criterion.name}: {criterion.title.text.in_(spoken)}", markup=False, soft_wrap=True)


def _named(said: str) -> type[Declared] | Declared:
    """``microdata.mdav``, or with parameters as in a plan: ``'microdata.mdav: {columns: [income]}'``."""
    given = thing("ID", said)
    cls = catalogue[given.pop("use")]
    return build(cls, given) if given else cls


def step(arguments: list[str]) -> None:
    """Print one step as YAML; its options come from the declaration."""
    if not arguments or arguments[0].startswith("-"):
        typer.echo("Usage: tarnkappe step ID [OPTIONS]\n\nOne step of a plan as YAML. Ids: tarnkappe methods")
        return
    cls = catalogue[arguments[0]]
    command_for(cls)(args=arguments[1:], prog_name=f"tarnkappe step {cls.id}")


def command_for(cls: type[Declared]) -> Callable[..., Any]:
    """A command whose options are the parameters of a declared thing."""

    def call(**given: Any) -> None:
        stated = {name: value for name, value in given.items() if value not in (None, [])}
        made = build(cls, {name: _value(cls, name, value) for name, value in stated.items()})
        typer.echo(to_yaml({"steps": [step_as_plain(made)]}), nl=False)

    options = [_option(cls, name) for name in cls.__pydantic_fields__]
    call.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    call.__annotations__ = {o.name: o.annotation for o in options}
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    made.command(help=f"{cls.title.en}.\n\n{inspect.cleandoc(cls.__doc__ or '')}")(call)
    return made


def _option(cls: type[Declared], name: str) -> inspect.Parameter:
    field = cls.__pydantic_fields__[name]
    helped = describe(cls, name).en
    helped += " [required]" if field.is_required() else f" [default: {field.default}]"
    takes: Any = list[str] if _kinds(cls, name) & {"array", "object"} else str
    settings = typer.Option(
        f"--{name.replace('_', '-')}", help=helped, metavar=_metavar(cls, name), show_default=False
    )
    annotation = Annotated[Optional[takes], settings]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@cache
def _kinds(cls: type[Declared], name: str) -> frozenset[str]:
    """The JSON types a parameter may have: array, object, string, …."""
    schema = cls.model_json_schema()
    return frozenset(_types(schema["properties"][name], schema.get("$defs", {}))) - {"null"}


def _types(part: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in part:
        yield from _types(named[part["$ref"].rsplit("/", 1)[-1]], named)
    for choice in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from _types(choice, named)
    if "type" in part:
        yield part["type"]


def _metavar(cls: type[Declared], name: str) -> str:
    kinds = _kinds(cls, name)
    words = {"array": "VALUE …", "object": "NAME=VALUE …"}
    return " | ".join([words[k] for k in sorted(kinds & set(words))] or ["VALUE"])


def _value(cls: type[Declared], name: str, given: Any) -> Any:
    """What a plan would hold for these words."""
    kinds = _kinds(cls, name)
    if kinds == {"string"}:
        return given
    words = given if isinstance(given, list) else [given]
    if "object" in kinds and all("=" in word for word in words):
        return {key: _scalar(value) for key, _, value in (word.partition("=") for word in words)}
    if kinds == {"array"} or len(words) > 1:
        return [_scalar(word) for word in words]
    return _scalar(words[0])


def _scalar(word: str) -> Any:
    """``5`` is a number, ``[1, 2]`` a list, anything else text: as in a plan."""
    return parse(word).content
