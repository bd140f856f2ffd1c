"""The card of a declared thing: the same facts for the terminal, the manual, the report and the studio."""

from __future__ import annotations

import inspect
from typing import Any

from tarnkappe.language import Lang, Text
from tarnkappe.spec.contract import Declared, Measure, Method, Rule, Synthesiser, TableMeasure, TableMethod
from tarnkappe.spec.finding import plain
from tarnkappe.spec.parameters import describe

WORDS = {
    "does": Text("What it does", "Was es tut"),
    "preserves": Text("Preserves", "Erhält"),
    "protects": Text("Protects", "Schützt"),
    "does_not": Text("Does not", "Leistet nicht"),
    "reads": Text("How to read it", "So liest man es"),
    "knows": Text("Assumes", "Nimmt an"),
    "flags": Text("Marks", "Markiert"),
    "parameters": Text("Parameters", "Parameter"),
    "sources": Text("Sources", "Quellen"),
    "maturity": Text("Maturity", "Reife"),
}


def kind_of(cls: type[Declared]) -> str:
    """``method``, ``measure``, ``rule`` or ``synthesiser``."""
    kinds: dict[type[Declared], str] = {
        Method: "method", Measure: "measure", Rule: "rule", TableMethod: "table method",
        TableMeasure: "table measure", Synthesiser: "synthesiser",
    }  # fmt: skip
    return next(name for base, name in kinds.items() if issubclass(cls, base))


def facts(cls: type[Declared]) -> dict[str, Any]:
    """Everything a card says, as data."""
    schema = cls.model_json_schema()
    card: dict[str, Any] = {
        "id": cls.id,
        "kind": kind_of(cls),
        "title": cls.title,
        "does": cls.does,
        "manual": inspect.cleandoc(cls.__doc__ or ""),
        "does_not": cls.does_not,
        "sources": [{"key": s.key, "where": s.where} for s in cls.sources],
        "maturity": cls.maturity.value,
        "revision": cls.revision,
        "parameters": [
            {
                "name": name,
                "says": describe(cls, name),
                "required": info.is_required(),
                "default": None if info.is_required() else info.get_default(call_default_factory=True),
                "schema": {
                    k: v for k, v in schema["properties"][name].items() if k not in ("description", "title")
                },
            }
            for name, info in cls.__pydantic_fields__.items()
        ],
        "example": cls.example,
    }
    if issubclass(cls, Method | TableMethod | Synthesiser):
        for side in ("preserves", "protects"):
            card[side] = [{"says": c.says, "holds": c.holds.value} for c in getattr(cls, side)]
    if issubclass(cls, Method):
        card["family"] = cls.family.value
    if issubclass(cls, Measure | TableMeasure):
        card |= {"reads": cls.reads, "knows": cls.knows, "goal": cls.goal.value, "bounds": cls.bounds}
    if issubclass(cls, Rule):
        card["flags"] = cls.flags
    out: dict[str, Any] = plain(card)
    return out


def markdown(cls: type[Declared], lang: Lang) -> str:
    """The card as Markdown, for the terminal and the manual."""
    lines = [
        f"# {cls.title.in_(lang)}",
        "",
        f"`{cls.id}` · {cls.maturity.text.in_(lang)}",
        "",
        cls.does.in_(lang),
        "",
    ]
    if lang == "en":
        lines += [*_manual(cls), ""]
    for side in ("preserves", "protects"):
        claims = getattr(cls, side, ())
        if claims:
            lines += [f"## {WORDS[side].in_(lang)}", ""]
            lines += [f"- {c.says.in_(lang)} *({c.holds.text.in_(lang)})*" for c in claims] + [""]
    for word in ("flags", "reads", "knows"):
        if hasattr(cls, word):
            lines += [f"**{WORDS[word].in_(lang)}:** {getattr(cls, word).in_(lang)}", ""]
    lines += [f"## {WORDS['does_not'].in_(lang)}", "", *(f"- {t.in_(lang)}" for t in cls.does_not), ""]
    if cls.__pydantic_fields__:
        lines += [f"## {WORDS['parameters'].in_(lang)}", ""]
        lines += [
            f"- `{name}`{_default(cls, name)}: {describe(cls, name).in_(lang)}"
            for name in cls.__pydantic_fields__
        ]
        lines += [""]
    lines += [f"## {WORDS['sources'].in_(lang)}", "", *(f"- {s.key}: {s.where}" for s in cls.sources), ""]
    return "\n".join(lines)


def _manual(cls: type[Declared]) -> list[str]:
    return inspect.cleandoc(cls.__doc__ or "").splitlines()


def _default(cls: type[Declared], name: str) -> str:
    info = cls.__pydantic_fields__[name]
    return "" if info.is_required() else f" (= {plain(info.get_default(call_default_factory=True))})"
