"""The budgets of the house: small modules, few parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tarnkappe

SOURCE = Path(tarnkappe.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
MOST_LINES, MOST_PARAMETERS = 500, 7


@pytest.mark.parametrize("module", MODULES, ids=lambda m: str(m.relative_to(SOURCE)))
def test_within_budget(module):
    assert over_budget(module.read_text(encoding="utf-8")) == []


def over_budget(source: str) -> list[str]:
    found = ["too long"] if source.count("\n") > MOST_LINES else []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            a = node.args
            taken = len(a.posonlyargs + a.args + a.kwonlyargs) + (a.vararg is not None)
            if taken > MOST_PARAMETERS:
                found.append(f"{node.name} takes {taken} parameters")
    return found


def test_the_budget_is_measured():
    assert over_budget("x = 1\n" * 501) == ["too long"]
    assert over_budget("def f(a, b, /, c, d, *e, g, h, **i): ...") == []
    assert over_budget("def f(a, b, /, c, d, *e, g, h, i): ...") == ["f takes 8 parameters"]
    assert over_budget("class A:\n    async def f(self, a, b, c, d, e, f, g): ...") == [
        "f takes 8 parameters"
    ]


def test_there_is_something_to_measure():
    assert len(MODULES) > 20
