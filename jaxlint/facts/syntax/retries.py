"""Loops that try the same again after an exception, which repeat nothing."""

from __future__ import annotations

import libcst as cst

from jaxlint.facts.syntax.tree import Loop, within


def is_retry(loop: Loop) -> bool:
    """Whether a loop goes on only after an exception: an iteration that raises none leaves it."""
    return not isinstance(loop.node, cst.CompFor) and _ends(loop.node.body)


def _ends(block: cst.BaseSuite) -> bool:
    """Whether a block leaves the loop around it, unless an exception is raised."""
    for statement in block.body:
        parts: tuple[cst.CSTNode, ...] = (statement,)
        if isinstance(statement, (cst.Try, cst.With)):
            orelse = statement.orelse if isinstance(statement, cst.Try) else None
            parts = (statement.body,) if orelse is None else (statement.body, orelse.body)
            if any(map(_ends, parts)):
                return True
        simple = statement.body if isinstance(statement, cst.SimpleStatementLine) else (statement,)
        if any(isinstance(part, (cst.Break, cst.Return)) for part in simple):
            return True
        if any(isinstance(node, cst.Continue) for part in parts for node in within(part)):
            return False
    return False
