"""From the text of a file to its nodes, and from a node back to its place in the text."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Protocol

from jaxlint.finding import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst
    from libcst.metadata import CodeRange

    from jaxlint.source import Source

_BRACKETS = re.compile(
    r"""'''(?:\\.|[^\\])*?'''|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^\\\r\n'])*+'|"(?:\\.|[^\\\r\n"])*+"|#[^\r\n]*"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<quote>['"])""",
    re.DOTALL,
)
_BRACKETS_ALONE = re.compile(r"(?P<open>[(\[{])|(?P<close>[)\]}])")

MOST_BRACKETS = 200
"""Python's own limit on brackets within brackets."""

_TOO_DEEP = "syntax error: nested too deeply to be parsed"


class UnreadableError(Exception):
    """The text is not Python; `offset` is the place, in code points, where the parser gave up."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Places(Protocol):
    """Says where nodes are."""

    def span(self, node: cst.CSTNode) -> Span:
        """Return the span of a node, from its first token to its last; a decorated definition starts at its `def`."""

    def row(self, node: cst.CSTNode) -> int:
        """Return the 1-based line on which a call or a definition starts."""


def parse(source: Source) -> tuple[cst.Module, Places]:
    """Return the nodes of a file and where they are.

    Where the running Python does not know the syntax, LibCST parses the file: it may know it.

    Raises:
        UnreadableError: no parser can take the text.
    """
    from jaxlint.facts.syntax.nodes import Builder, TooDeepError, UnknownSyntaxError

    tree = _python_tree(source)
    source.forget_tree()
    if tree is not None:
        builder = Builder(source)
        try:
            module = builder.module(tree)
        except (TooDeepError, RecursionError):
            raise UnreadableError(_TOO_DEEP, 0) from None
        except UnknownSyntaxError:
            return _parsed_by_libcst(source)
        return module, _PythonPlaces(source, builder.origins)
    return _parsed_by_libcst(source)


def _python_tree(source: Source) -> ast.Module | None:
    """Return the tree, or None where only the syntax is at fault, so that another parser may take the text."""
    text = source.text
    try:
        return source.tree
    except SyntaxError:
        depth = 0
        for match in _brackets(text):
            depth += (match["open"] is not None) - (match["close"] is not None)
            if depth > MOST_BRACKETS:
                raise UnreadableError(_TOO_DEEP, match.start()) from None
        return None
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeEncodeError) else 0
        raise UnreadableError("syntax error: a lone surrogate is no text", place) from None
    except ValueError as error:
        raise UnreadableError(f"syntax error: {error}", max(text.find("\0"), 0)) from None
    except (RecursionError, MemoryError):
        raise UnreadableError(_TOO_DEEP, 0) from None


def _brackets(text: str) -> Iterator[re.Match[str]]:
    """Yield the brackets of code; behind a quote that nothing closes, those in what may be strings as well."""
    for match in _BRACKETS.finditer(text):
        if match["quote"]:
            yield from _BRACKETS_ALONE.finditer(text, match.end())
            return
        if match["open"] or match["close"]:
            yield match


def _parsed_by_libcst(source: Source) -> tuple[cst.Module, Places]:
    import libcst

    try:
        module = libcst.parse_module(source.text)
    except (libcst.ParserSyntaxError, libcst.CSTValidationError) as error:
        raise _unreadable(source, error) from None
    return module, _LibcstPlaces(source, module)


def _unreadable(source: Source, error: Exception) -> UnreadableError:
    """Word a syntax error as Python does."""
    try:
        source.tree  # noqa: B018  (what it raises)
    except SyntaxError as known:
        row, column, message = known.lineno or 1, max((known.offset or 1) - 1, 0), f"syntax error: {known.msg}"
    except (ValueError, RecursionError, MemoryError) as known:
        row, column, message = 1, 0, f"syntax error: {known}"
    else:
        row, column, message = 1, 0, f"syntax that jaxlint does not know: {' '.join(str(error).split())}"
    start = source.offset(min(max(row, 1), len(source.line_starts)), 1)
    return UnreadableError(message, min(start + column, len(source.text)))


_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)[\s\\]+(\w+)")


class _PythonPlaces:
    """The places of nodes that were built from those of `ast`."""

    def __init__(self, source: Source, origins: dict[int, ast.AST]) -> None:
        self._source = source
        self._origins = origins

    def span(self, node: cst.CSTNode) -> Span:
        import libcst

        origin = self._origins.get(id(node))
        if origin is None:
            return self._around(node)
        span = self._span(origin)
        if isinstance(node, libcst.Name) and not isinstance(origin, ast.Name):
            return self._name(node.value, origin, span)
        if isinstance(node, libcst.Param):
            return self._name(node.name.value, origin, span)  # without annotation and default, as LibCST has it
        if isinstance(origin, ast.GeneratorExp):
            return self._without_parentheses(span)
        return span

    def row(self, node: cst.CSTNode) -> int:
        return self._origins[id(node)].lineno  # type: ignore[attr-defined, no-any-return]

    def _name(self, name: str, origin: ast.AST, span: Span) -> Span:
        """Return where a name is in what it belongs to."""
        if isinstance(origin, ast.Attribute):
            return Span(span.end - len(name), span.end)
        if isinstance(origin, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            match = _DEFINED.match(self._source.text, span.start)
            return Span(*match.span(1)) if match is not None else span
        if isinstance(origin, (ast.arg, ast.keyword)):
            return Span(span.start, span.start + len(name))
        return span

    def _without_parentheses(self, span: Span) -> Span:
        """Return the span of a generator expression without the parentheses, which may be those of a call."""
        text = self._source.text[span.start : span.end]
        inner = text[1:-1]
        start = span.start + 1 + len(inner) - len(inner.lstrip())
        return Span(start, start + len(inner.strip())) if text[:1] == "(" and inner.strip() else span

    def _around(self, node: cst.CSTNode) -> Span:
        """Return the span of what has no place of its own, as a block: from its first child to its last."""
        from jaxlint.facts.syntax.tree import children

        spans = [self.span(child) for child in children(node)]
        return Span(min(span.start for span in spans), max(span.end for span in spans)) if spans else Span(0, 0)

    def _span(self, node: ast.AST) -> Span:
        if isinstance(node, ast.comprehension):
            return Span(self._span(node.target).start, max(self._span(part).end for part in (node.iter, *node.ifs)))
        return Span(
            self._offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self._offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def _offset(self, row: int, column: int) -> int:
        from jaxlint.facts.syntax.nodes import offset

        return offset(self._source.text, self._source.line_starts, row, column)


class _LibcstPlaces:
    """The places of nodes that LibCST parsed."""

    def __init__(self, source: Source, module: cst.Module) -> None:
        self._source = source
        self._module = module
        self._ranges: dict[cst.CSTNode, CodeRange] = {}

    def span(self, node: cst.CSTNode) -> Span:
        if not self._ranges:
            # Only for a file with a finding: the provider costs two parses.
            from libcst.metadata import MetadataWrapper, PositionProvider

            wrapper = MetadataWrapper(self._module, unsafe_skip_copy=True)
            self._ranges = dict(wrapper.resolve(PositionProvider))
        place = self._ranges[node]
        start, end = (self._source.offset(point.line, point.column + 1) for point in (place.start, place.end))
        return Span(start, end)

    def row(self, node: cst.CSTNode) -> int:
        return self._source.position(self.span(node).start)[0]
