"""The whole file as Python's own parser sees it, with places as offsets into `Source.text`."""

from __future__ import annotations

import ast
import bisect
import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.syntax.nodes import offset
from jaxlint.finding import Span

if TYPE_CHECKING:
    from jaxlint.source import Source

_WORD = re.compile(r"[^\W\d]\w*")
_CELL = re.compile(r"#\s*(%%|In\s*\[|\+|-{3,}|={3,}|#{3,})")
"""Comments that divide a file rather than belong to the statement below."""


class NoFixError(Exception):
    """There is no edit that is sure to keep the file's meaning; the text says why, for whoever debugs a builder."""


class Syntax:
    """The tree of a file, with parents and places.

    Raises:
        NoFixError: the running Python does not take the text.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        try:
            self.tree = source.tree
            source.forget_tree()
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NoFixError(str(error)) from None
        self.parents: dict[ast.AST, ast.AST] = {}
        self._by_span: dict[Span, list[ast.AST]] = {}
        self._bound: dict[ast.stmt, frozenset[str]] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    # Places

    def offset(self, row: int, column: int) -> int:
        """Return the offset of a place that `ast` gives: the line 1-based, the column 0-based in UTF-8 bytes."""
        return offset(self.text, self.source.line_starts, row, column)

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node, from its first token to its last; a decorated definition starts at its `def`."""
        return Span(
            self.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def code(self, node: ast.AST) -> str:
        """Return the text of a node as it is written."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def at(self, span: Span, *kinds: type[ast.AST]) -> ast.AST:
        """Return the outermost node of one of `kinds` (of any, where none is given) that has just this span.

        Raises:
            NoFixError: there is none.
        """
        if not self._by_span:
            for node in ast.walk(self.tree):
                if hasattr(node, "lineno"):
                    self._by_span.setdefault(self.span(node), []).append(node)
        for node in self._by_span.get(span, ()):
            if not kinds or isinstance(node, kinds):
                return node
        raise NoFixError(f"no node at {span}")

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that hold this one, innermost first, the module last."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node belongs to, itself if it is one."""
        for current in (node, *self.around(node)):
            if isinstance(current, ast.stmt):
                return current
        raise NoFixError("not in a statement")

    def top(self, place: int | Span) -> ast.stmt:
        """Return the top-level statement that holds an offset or a span; its decorators belong to it.

        Raises:
            NoFixError: the place is in none.
        """
        start = place if isinstance(place, int) else place.start
        starts, ends = self._ends
        number = bisect.bisect_right(starts, start) - 1
        if number < 0 or start >= ends[number]:
            raise NoFixError("not in a top-level statement")
        return self.tree.body[number]

    @functools.cached_property
    def _ends(self) -> tuple[list[int], list[int]]:
        """Where the statements of the module start and end."""
        return [self.start(node) for node in self.tree.body], [self.span(node).end for node in self.tree.body]

    @functools.cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """The imports among the statements of the module."""
        return [node for node in self.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]

    @functools.cached_property
    def annotations_later(self) -> bool:
        """Whether annotations are not evaluated where they are written: `from __future__ import annotations`."""
        return any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(name.name == "annotations" for name in node.names)
            for node in self.imports
        )

    def top_of(self, node: ast.AST) -> ast.AST:
        """Return the statement of the module that a node is in."""
        found = node
        for around in self.around(node):
            if around is not self.tree:
                found = around
        return found

    def statement_at(self, offset: int) -> ast.stmt | None:
        """Return the statement that starts at an offset, None where none does."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and self.span(node).start == offset:
                return node
        return None

    def functions_at(self, row: int) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Return the functions whose `def`, or whose first decorator, is on a line."""
        return self._functions.get(row, [])

    @functools.cached_property
    def _functions(self) -> dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
        found: dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for row in {node.lineno, *(decorator.lineno for decorator in node.decorator_list[:1])}:
                    found.setdefault(row, []).append(node)
        return found

    def start(self, node: ast.stmt) -> int:
        """Return where a statement starts, its decorators included."""
        first = self.span(node).start
        for decorator in getattr(node, "decorator_list", ()):
            sign = self.text.rfind("@", 0, self.span(decorator).start)
            first = min(first, sign)
        return first

    def above(self, node: ast.stmt) -> int:
        """Return the start of the line from which a statement's own text goes: its leading comments and decorators.

        A comment that divides the file, such as a notebook's cell mark, is not the statement's own.

        Raises:
            NoFixError: another statement is before it on its line.
        """
        row = self.source.position(self.start(node))[0]
        begin = self.source.line_starts[row - 1]
        if self.text[begin : self.start(node)].strip():
            raise NoFixError("the statement shares its line with another")
        indent = self.text[begin : self.start(node)]
        while row > 1:
            line = self.source.line(row - 1)
            if not line.startswith(indent + "#") or _CELL.match(line.strip()) or line.startswith("#!"):
                break
            if not self._is_comment(row - 1):
                break
            row -= 1
        return self.source.line_starts[row - 1]

    def blank_rows_above(self, offset: int) -> int:
        """Return how many blank lines are above the line that starts at an offset, two at most; two above the first."""
        row = self.source.position(offset)[0]
        blank = 0
        while blank < 2 and row - blank > 1 and not self.source.line(row - blank - 1).strip():
            blank += 1
        return blank if row - blank > 1 else 2

    def _is_comment(self, row: int) -> bool:
        """Whether a line that looks like a comment is none of a string that spans several lines."""
        place = self.source.line_starts[row - 1]
        return not any(span.start < place < span.end for span in self._long_strings)

    @functools.cached_property
    def _long_strings(self) -> list[Span]:
        return [
            self.span(node)
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno
        ]

    # Names

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """Every identifier of the file, and every word of its strings and comments: what a new name must not be."""
        return frozenset(unicodedata.normalize("NFKC", word) for word in _WORD.findall(self.text))

    @functools.cached_property
    def identifiers(self) -> frozenset[str]:
        """Every name and attribute that the code uses."""
        names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return frozenset(names | {node.attr for node in ast.walk(self.tree) if isinstance(node, ast.Attribute)})

    @functools.cached_property
    def looking_up(self) -> frozenset[ast.AST]:
        """The nodes, functions and the module among them, in which something looks names up at run time."""
        found: set[ast.AST] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id in ("locals", "vars", "exec", "eval", "dir"):
                found.update(self.around(node))
        return frozenset(found)

    def bound_in(self, statement: ast.stmt) -> frozenset[str]:
        """Return the names that a statement of the module binds in any scope."""
        if statement not in self._bound:
            self._bound[statement] = frozenset(name for node in ast.walk(statement) for name in _bound_by(node))
        return self._bound[statement]

    @functools.cached_property
    def module_bindings(self) -> dict[str, list[ast.AST]]:
        """The statements and expressions that bind each name of the module's scope, `global` elsewhere included."""
        found: dict[str, list[ast.AST]] = {}
        for name, node in _bindings(self.tree):
            found.setdefault(name, []).append(node)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global):
                for name in node.names:
                    found.setdefault(name, []).append(node)
        return found


@functools.lru_cache(maxsize=4)
def syntax_of(source: Source) -> Syntax:
    """Return the tree of a source, built once however many of its findings are fixed in a line.

    Raises:
        NoFixError: as for `Syntax`.
    """
    return Syntax(source)


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds by itself, in whatever scope."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name:
        yield node.name


def _bindings(scope: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a scope's own code binds; nested scopes bind for themselves, but for walruses in comprehensions."""
    stack: list[ast.AST] = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield from own_bindings(node)
        stack.extend(inner_nodes(node))


def own_bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that a node binds by itself, in the scope that it is in."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id, node
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, node
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            bound = alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)
            yield bound, node
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name is not None:
        yield node.name, node
    elif isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest, node


def inner_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children of a node that run in the same scope as the node itself."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from node.decorator_list
        yield from _defaults(node.args)
        yield from _annotations(node.args)
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.Lambda):
        yield from _defaults(node.args)
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield node.generators[0].iter
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr):
                yield inner.target  # a walrus in a comprehension binds outside
    else:
        yield from ast.iter_child_nodes(node)


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def _annotations(arguments: ast.arguments) -> Iterator[ast.expr]:
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None and argument.annotation is not None:
            yield argument.annotation
