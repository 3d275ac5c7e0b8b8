"""Which scope binds a name."""

from __future__ import annotations

import ast

from jaxlint import Source
from jaxlint.fixes.text.scopes import Scopes
from jaxlint.fixes.text.syntax import Syntax

CODE = """
def outer():
    count = 0

    def bump():
        nonlocal count
        count += 1

    def bump_twice():
        nonlocal count
        count += 2

    def look():
        return [count for _ in range(3)]

    return bump, bump_twice, look
"""


def test_what_is_bound_from_inside_counts_whatever_was_asked_before() -> None:
    syntax = Syntax(Source(CODE))
    scopes = Scopes(syntax)
    (outer,) = syntax.tree.body
    assert isinstance(outer, ast.FunctionDef)
    assert len(scopes.bindings("count", outer)) == 3
    assert len(scopes.loads("count", outer)) == 1
    assert len(scopes.bindings("count", outer)) == 3
