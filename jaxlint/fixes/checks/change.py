"""A fix as the checks see it: what it puts at module level, what it takes away, and where the finding is."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxlint.finding import Edit, Fix, Span
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax, syntax_of

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.module import ModuleFacts


@dataclass(eq=False)
class Change:
    """What a fix does to a file.

    `inserted` are the statements that it adds to the module's own code, `decorated` the functions that it decorates,
    each with the new decorators, `gone` the statements in functions that it takes away, or whose whole value it
    replaces; `place` is what the finding is about.
    """

    facts: ModuleFacts
    syntax: Syntax
    scopes: Scopes
    place: ast.AST | None
    inserted: list[ast.stmt] = field(default_factory=list)
    decorated: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, list[ast.expr]]] = field(default_factory=list)
    gone: list[ast.stmt] = field(default_factory=list)

    @classmethod
    def of(cls, facts: ModuleFacts, node: cst.CSTNode, fix: Fix) -> Change:
        """Read a fix for a finding at a node.

        Raises:
            NoFixError: Python does not take the file, or what the fix adds to it.
        """
        syntax = syntax_of(facts.source)
        span = facts.span(node)
        try:
            place: ast.AST | None = syntax.at(span)
        except NoFixError:
            place = None
        change = cls(facts, syntax, scopes_of(syntax), place)
        for edit in fix.edits:
            change._take(edit)
        return change

    def _take(self, edit: Edit) -> None:
        if edit.span.start == edit.span.end and edit.text.lstrip().startswith("@") and self._takes_decorator(edit):
            return
        if edit.text.strip() and self._is_of_module(edit.span):
            self.inserted += _parsed(edit.text)
        if edit.span.start < edit.span.end:
            self.gone += self._within(edit.span)
            self.gone += self._assigned(edit.span)

    def _takes_decorator(self, edit: Edit) -> bool:
        """Note the function that an edit decorates, if it does."""
        if edit.text.strip() == "@":
            return self._takes_back(edit)
        try:
            new = _parsed(textwrap.dedent(edit.text.strip()) + "\ndef function(): ...")
        except NoFixError:
            return False
        if len(new) != 1 or not isinstance(new[0], ast.FunctionDef):
            return False
        row = self.syntax.source.position(edit.span.start)[0]
        for node in self.syntax.functions_at(row):
            self.decorated.append((node, new[0].decorator_list))
            return True
        return False

    def _takes_back(self, edit: Edit) -> bool:
        """Note the function below a wrapper that becomes its decorator."""
        node = self.syntax.statement_at(edit.span.start)
        block = getattr(self.syntax.parents.get(node), "body", []) if node is not None else []
        below = block[block.index(node) + 1 :] if node in block else []
        if not isinstance(node, ast.Expr) or not below or not isinstance(below[0], DEFS):
            return False
        self.decorated.append((below[0], [node.value]))
        return True

    def _is_of_module(self, span: Span) -> bool:
        """Whether a place is between the statements of the module, not in one."""
        try:
            top = self.syntax.top(span)
        except NoFixError:
            return True
        return self.syntax.start(top) == span.start

    def _within(self, span: Span) -> Iterator[ast.stmt]:
        """Yield the outermost statements of functions that a span holds as a whole."""
        try:
            work: list[ast.AST] = [self.syntax.top(self._first_code(span))]
        except NoFixError:
            return
        first, last = (self.syntax.source.position(offset)[0] for offset in (span.start, span.end))
        while work:
            node = work.pop()
            for child in ast.iter_child_nodes(node):
                if not hasattr(child, "lineno"):
                    work.append(child)
                    continue
                if child.end_lineno < first or child.lineno > last:  # type: ignore[attr-defined]
                    continue
                inner = self.syntax.span(child)
                if inner.end <= span.start or inner.start >= span.end:
                    continue
                if isinstance(child, ast.stmt) and span.start <= inner.start and inner.end <= span.end:
                    yield child
                else:
                    work.append(child)

    def _assigned(self, span: Span) -> Iterator[ast.stmt]:
        """Yield the assignment whose value has this span."""
        try:
            parent = self.syntax.parents[self.syntax.at(span, ast.expr)]
        except NoFixError:
            return
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            yield parent

    def _first_code(self, span: Span) -> int:
        text = self.syntax.text[span.start : span.end]
        return span.start + len(text) - len(text.lstrip())

    def moved_functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield the local functions that the fix takes away."""
        for node in self.gone:
            if isinstance(node, DEFS):
                yield node

    def local(self, node: ast.stmt) -> bool:
        """Whether a statement is a function's own."""
        return isinstance(self.scopes.frame(node), FUNCTIONS)


def _parsed(text: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NoFixError("what it adds cannot be read by itself") from None
