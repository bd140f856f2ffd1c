"""The card of a declared thing: the same facts for the terminal, the manual, the report and the studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tarnkappe.language import Lang, Text
from tarnkappe.spec.allowed import Part, parts, takes
from tarnkappe.spec.claims import Claim
from tarnkappe.spec.contract import (
    Attack,
    Declared,
    Measure,
    Method,
    Rule,
    Synthesiser,
    TableMeasure,
    TableMethod,
)
from tarnkappe.spec.effects import ESTIMATES, SOURCE, effect_of
from tarnkappe.spec.explanation import explanation
from tarnkappe.spec.finding import plain
from tarnkappe.spec.limits import ForAnalysis, on_a_card
from tarnkappe.spec.parameters import describe

WORDS = {
    "does": Text("What it does", "Was es tut"),
    "preserves": Text("Preserves", "Erhält"),
    "protects": Text("Protects", "Schützt"),
    "nearness": Text("How near others may come", "Wie nahe andere kommen dürfen"),
    "effects": Text("Expected of analyses", "Für Auswertungen zu erwarten"),
    "does_not": Text("Does not", "Leistet nicht"),
    "reads": Text("How to read it", "So liest man es"),
    "knows": Text("Assumes", "Nimmt an"),
    "flags": Text("Marks", "Markiert"),
    "helps": Text("What helps", "Was hilft"),
    "parameters": Text("Parameters", "Parameter"),
    "sources": Text("Sources", "Quellen"),
    "maturity": Text("Maturity", "Reife"),
}

SIDES = ("preserves", "protects")
_REQUIRED = Text("required", "muss angegeben werden")


def kind_of(cls: type[Declared]) -> str:
    """``method``, ``measure``, ``rule``, ``attack`` or ``synthesiser``."""
    kinds: dict[type[Declared], str] = {
        Method: "method", Measure: "measure", Rule: "rule", TableMethod: "table method",
        TableMeasure: "table measure", Synthesiser: "synthesiser", Attack: "attack",
    }  # fmt: skip
    return next(name for base, name in kinds.items() if issubclass(cls, base))


def facts(thing: type[Declared] | Declared) -> dict[str, Any]:
    """Everything a card says, as data. Of a declared thing with its parameters, the claims that are made with them."""
    cls = _class_of(thing)
    card: dict[str, Any] = {
        "id": cls.id,
        "kind": kind_of(cls),
        "title": cls.title,
        "does": cls.does,
        "manual": explanation(cls).en,
        "explanation": explanation(cls),
        "does_not": limits_of(thing),
        "sources": [{"key": s.key, "where": s.where} for s in cls.sources],
        "maturity": cls.maturity.value,
        "revision": cls.revision,
        "parameters": list(_parameters(cls)),
        "example": cls.example,
    }
    if issubclass(cls, Method | TableMethod | Synthesiser):
        card |= {side: [_claim(c) for c in claims_of(thing, side)] for side in SIDES}
    if issubclass(cls, Method):
        card["family"] = cls.family.value
        card["nearness"] = cls.nearness
        card["effects"] = _effects(cls.id)
    if issubclass(cls, Measure | TableMeasure):
        card |= {"reads": cls.reads, "knows": cls.knows, "goal": cls.goal.value, "bounds": cls.bounds}
    if issubclass(cls, Attack):
        card |= {"knows": cls.knows, "helps": cls.helps, "fast": cls.fast}
    if issubclass(cls, Rule):
        card["flags"] = cls.flags
    out: dict[str, Any] = plain(card)
    return out


def _effects(id: str) -> dict[str, Any] | None:
    """What to expect of analyses, as table A.2 of Gottschalk has it."""
    row = effect_of(id)
    if row is None:
        return None
    return {
        "source": SOURCE,
        "method": row.method,
        "on": {name: effect.value for name, effect in zip(ESTIMATES, row.effects, strict=True)},
        "printed": {name: effect.value for name, effect in zip(ESTIMATES, row.as_printed, strict=True)},
        "remark": row.remark or None,
        "when": row.when.says if row.when else None,
    }


def claims_of(thing: type[Declared] | Declared, side: str) -> tuple[Claim, ...]:
    """What a method preserves or protects: everything it may claim, or what it claims with its parameters."""
    claims: tuple[Claim, ...] = getattr(thing, side, ())
    return claims if isinstance(thing, type) else tuple(claim for claim in claims if claim.applies(thing))


def told(thing: type[Declared] | Declared, claim: Claim) -> Text:
    """When a claim is made and how it is known; with the parameters given, it is made."""
    return claim.told if isinstance(thing, type) else claim.holds.text


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "says": claim.says,
        "holds": claim.holds.value,
        "when": claim.when.says if claim.when else None,
    }


def _parameters(cls: type[Declared]) -> Iterator[dict[str, Any]]:
    schema = cls.model_json_schema()
    known = schema.get("$defs", {})
    for name, info in cls.__pydantic_fields__.items():
        field = schema["properties"][name]
        yield {
            "name": name,
            "says": describe(cls, name),
            "takes": takes(field, known),
            "required": info.is_required(),
            "default": None if info.is_required() else info.get_default(call_default_factory=True),
            "parts": [_part(part) for part in parts(field, known)],
            "schema": {k: v for k, v in field.items() if k not in ("description", "title")},
        }


def _part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "says": part.says,
        "takes": part.takes,
        "required": part.required,
        "default": part.default,
        "parts": [_part(inner) for inner in part.parts],
    }


def markdown(thing: type[Declared] | Declared, lang: Lang) -> str:
    """The card as Markdown, for the terminal and the manual."""
    cls = _class_of(thing)
    lines = [
        f"# {cls.title.in_(lang)}",
        "",
        f"`{cls.id}` · {cls.maturity.text.in_(lang)}",
        "",
        cls.does.in_(lang),
        "",
    ]
    lines += [*explanation(cls).in_(lang).splitlines(), ""]
    for side in SIDES:
        claims = claims_of(thing, side)
        if claims:
            lines += [f"## {WORDS[side].in_(lang)}", ""]
            lines += [f"- {c.says.in_(lang)} *({told(thing, c).in_(lang)})*" for c in claims] + [""]
    for word in ("nearness", "flags", "reads", "knows", "helps"):
        if hasattr(cls, word):
            lines += [f"**{WORDS[word].in_(lang)}:** {getattr(cls, word).in_(lang)}", ""]
    lines += _expected(cls.id, lang)
    lines += [
        f"## {WORDS['does_not'].in_(lang)}",
        "",
        *(f"- {on_a_card(t, lang)}" for t in limits_of(thing)),
        "",
    ]
    if cls.__pydantic_fields__:
        lines += [f"## {WORDS['parameters'].in_(lang)}", "", *_listed(facts(cls)["parameters"], lang), ""]
    lines += [f"## {WORDS['sources'].in_(lang)}", "", *(f"- {s.key}: {s.where}" for s in cls.sources), ""]
    return "\n".join(lines)


def _expected(id: str, lang: Lang) -> list[str]:
    """What to expect of analyses, in words."""
    row = effect_of(id)
    if row is None:
        return []
    only = f" ({row.when.says.in_(lang)})" if row.when else ""
    pairs = zip(ESTIMATES.values(), row.effects, strict=True)
    said = [f"- {name.in_(lang)}: {effect.text.in_(lang)}" for name, effect in pairs]
    head = f"{SOURCE.in_(lang)}, *{row.method.in_(lang)}*{only}:"
    remark = ["", row.remark.in_(lang)] if row.remark else []
    return [f"## {WORDS['effects'].in_(lang)}", "", head, "", *said, *remark, ""]


def limits_of(thing: type[Declared] | Declared) -> tuple[Text, ...]:
    """What a thing does not do: everything, or what it does not do with its parameters."""
    made = not isinstance(thing, type)
    return tuple(t for t in thing.does_not if not made or not isinstance(t, ForAnalysis) or t.applies(thing))


def _class_of(thing: type[Declared] | Declared) -> type[Declared]:
    return thing if isinstance(thing, type) else type(thing)


def _listed(parameters: list[dict[str, Any]], lang: Lang, indent: str = "") -> Iterator[str]:
    """A line per parameter: what it takes, its default, what it is; what stands inside it below."""
    for one in parameters:
        head = [one["takes"][lang], *_default(one, lang)]
        yield f"{indent}- `{one['name']}` ({'; '.join(filter(None, head))}): {one['says'][lang]}"
        yield from _listed(one["parts"], lang, indent + "  ")


def _default(parameter: dict[str, Any], lang: Lang) -> Iterator[str]:
    if parameter["required"]:
        yield _REQUIRED.in_(lang)
    elif parameter["default"] not in (None, [], {}, ""):
        yield f"= {_spelt(parameter['default'])}"


def _spelt(value: Any) -> str:
    """As in a plan."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_spelt(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(_spelt, value)) + "]" if isinstance(value, list) else str(value)
