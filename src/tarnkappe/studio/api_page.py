"""The page that shows the interface for programs to people: drawn from its OpenAPI document, without scripts."""

from __future__ import annotations

from html import escape
from typing import Any

_STYLE = """
:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:58rem;margin:0 auto;padding:2.5rem 1.5rem 5rem}
h1{font-size:1.9rem;letter-spacing:-.02em}h2{font-size:1.05rem;margin:2.2rem 0 .3rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.88em}
.verb{display:inline-block;min-width:4.2rem;font-weight:650;color:#00639b}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884;vertical-align:top}
@media (prefers-color-scheme:dark){body{background:#101216;color:#e9ecef}.verb,a{color:#7cc4f2}}
"""


def described(schema: dict[str, Any]) -> str:
    """All calls with what they take and give."""
    calls = [
        _call(verb, path, told) for path, verbs in schema["paths"].items() for verb, told in verbs.items()
    ]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(schema["info"]["title"])}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style>'
        f"<h1>{escape(schema['info']['title'])}</h1><p>{escape(schema['info'].get('description', ''))}</p>"
        f'<p><a href="openapi.json">openapi.json</a></p>{"".join(calls)}</html>'
    )


def _call(verb: str, path: str, told: dict[str, Any]) -> str:
    rows = [
        *(_row(one["name"], one.get("description", ""), one["in"]) for one in told.get("parameters", ())),
        *(
            _row(_shape(content), "", "body")
            for content in told.get("requestBody", {}).get("content", {}).items()
        ),
        *(_row(status, one["description"], "answer") for status, one in told["responses"].items()),
    ]
    return (
        f'<h2><span class="verb">{verb.upper()}</span> <code>{escape(path)}</code></h2>'
        f"<p>{escape(told.get('description', ''))}</p><table>{''.join(rows)}</table>"
    )


def _shape(content: tuple[str, dict[str, Any]]) -> str:
    kind, told = content
    named = told.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
    return f"{kind} {named}".strip()


def _row(name: str, says: str, where: str) -> str:
    return f"<tr><td>{escape(where)}</td><td><code>{escape(name)}</code></td><td>{escape(says)}</td></tr>"
