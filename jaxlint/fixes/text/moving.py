"""Moving code to the margin of a file: whole lines, with the comments that belong to them."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jaxlint.finding import Span
from jaxlint.fixes.text.syntax import NoFixError, Syntax

_INDENT = re.compile(r"[ \t\f]*")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True)
class Tokens:
    """What only tokens show: comments, and lines that start inside a string."""

    comments: tuple[Span, ...]
    inner_rows: Mapping[int, Span]
    """The lines that start inside a string, with the string's span."""


@functools.lru_cache(maxsize=4)
def tokens_of(syntax: Syntax) -> Tokens:
    """Read the tokens of a file.

    Raises:
        NoFixError: Python's tokenizer does not take it.
    """
    comments: list[Span] = []
    inner: dict[int, Span] = {}
    opened: list[tuple[int, int]] = []
    source = syntax.source
    try:
        for token in _tokens(syntax.text):
            if token.type == tokenize.COMMENT:
                start = source.offset(token.start[0], token.start[1] + 1)
                comments.append(Span(start, start + len(token.string)))
            name = tokenize.tok_name[token.type]
            if name in ("FSTRING_START", "TSTRING_START"):
                opened.append(token.start)
            begin = token.start if name == "STRING" else None
            if name in ("FSTRING_END", "TSTRING_END"):
                begin = opened.pop()
            if begin is not None and not opened:
                span = Span(source.offset(begin[0], begin[1] + 1), source.offset(token.end[0], token.end[1] + 1))
                inner.update(dict.fromkeys(range(begin[0] + 1, token.end[0] + 1), span))
    except (tokenize.TokenError, SyntaxError, IndexError) as error:
        raise NoFixError(f"the tokenizer does not take the file: {error}") from None
    return Tokens(tuple(comments), inner)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    # Lines as Python counts them; the tokenizer itself takes `\n` alone for the end of a line.
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return tokenize.generate_tokens(io.StringIO(unified).readline)


def comments_in(syntax: Syntax, span: Span, *without: Span) -> list[str]:
    """Return the comments in a span that are in none of the spans `without`."""
    return [
        syntax.text[comment.start : comment.end]
        for comment in tokens_of(syntax).comments
        if span.start <= comment.start < span.end and not any(s.start <= comment.start < s.end for s in without)
    ]


def indentation(syntax: Syntax, node: ast.AST) -> str:
    """Return the white space that the line of a node starts with."""
    row = syntax.source.position(syntax.span(node).start)[0]
    return _INDENT.match(syntax.source.line(row)).group()  # type: ignore[union-attr]


def indent_unit(syntax: Syntax, node: ast.AST) -> str:
    """Return by how much the file indents, as seen in the function around a node; four spaces where it is not seen."""
    for around in (node, *syntax.around(node)):
        body = getattr(around, "body", None)
        if isinstance(around, ast.stmt) and isinstance(body, list) and body:
            outer, inner = indentation(syntax, around), indentation(syntax, body[0])
            if inner.startswith(outer) and len(inner) > len(outer):
                return inner[len(outer) :]
    return "    "


def returned(syntax: Syntax, last: ast.AST, results: Sequence[str]) -> dict[Span, str]:
    """Return the change that makes the `last` statement return what it assigns; none where that is not all of it."""
    target = last.targets[0] if isinstance(last, ast.Assign) and len(last.targets) == 1 else None
    if not isinstance(last, ast.Assign) or not isinstance(target, ast.Name) or list(results) != [target.id]:
        return {}
    equals = syntax.text.index("=", syntax.span(target).end)
    return {Span(syntax.start(last), equals + 1): "return"}


def rows(syntax: Syntax, node: ast.stmt, *, comments: bool = True) -> Span:
    """Return the lines of a statement, with the comments right above it and those that end its block.

    Without `comments` those above it are skipped.

    Raises:
        NoFixError: it shares a line with another statement.
    """
    source = syntax.source
    start = syntax.above(node)
    if not comments:
        start = source.line_starts[source.position(syntax.start(node))[0] - 1]
    row = source.position(syntax.span(node).end)[0]
    rest = syntax.text[syntax.span(node).end : source.row_span(row).end].strip()
    if rest and not rest.startswith("#"):
        raise NoFixError("the statement shares its line with another")
    if isinstance(getattr(node, "body", None), list):
        indent = indentation(syntax, node)
        last = row
        for below in range(row + 1, len(source.line_starts) + 1):
            line = source.line(below)
            deeper = line.startswith(indent) and line[len(indent) :].startswith((" ", "\t"))
            if line.strip() and not (deeper and line.lstrip().startswith("#")):
                break
            last = below if line.strip() else last
        row = last
    end = source.line_starts[row] if row < len(source.line_starts) else len(syntax.text)
    return Span(start, end)


def at_margin(syntax: Syntax, span: Span, changes: Mapping[Span, str] | None = None, margin: str = "") -> str:
    """Return the text of whole lines with `margin` for the indentation of the first one, and with changes made.

    What is inside strings stays as it is, but for the lines of a docstring.
    """
    source, text = syntax.source, syntax.text
    indent = _INDENT.match(text, span.start).group()  # type: ignore[union-attr]
    edits = dict(changes or {})
    inner = tokens_of(syntax).inner_rows
    first = source.position(span.start)[0]
    last = source.position(max(span.end - 1, span.start))[0]
    for row in range(first, last + 1):
        start = source.line_starts[row - 1]
        if (
            indent
            and text.startswith(indent, start)
            and (row not in inner or _is_docstring(syntax, inner[row], indent))
        ):
            edits[Span(start, start + len(indent))] = margin
    return changed(text, span, edits)


def changed(text: str, span: Span, edits: Mapping[Span, str]) -> str:
    """Return the text of a span with changes made; changes outside of it do not matter."""
    parts: list[str] = []
    end = span.start
    for place, new in sorted(edits.items()):
        if span.start <= place.start and place.end <= span.end:
            if place.start < end:
                raise NoFixError("two changes overlap")
            parts += [text[end : place.start], new]
            end = place.end
    return "".join([*parts, text[end : span.end]])


def _is_docstring(syntax: Syntax, span: Span, indent: str) -> bool:
    """Whether a string of several lines is a statement by itself whose lines are all indented."""
    try:
        node = syntax.at(span, ast.Expr)
    except NoFixError:
        return False
    first = syntax.source.position(span.start)[0]
    last = syntax.source.position(span.end)[0]
    lines = [syntax.source.line(row) for row in range(first + 1, last + 1)]
    return isinstance(node, ast.Expr) and all(line.startswith(indent) or not line.strip() for line in lines)


def siblings(syntax: Syntax, node: ast.stmt) -> list[ast.stmt]:
    """Return the block that a statement is in."""
    parent = syntax.parents[node]
    for _, value in ast.iter_fields(parent):
        if isinstance(value, list) and node in value:
            return value
    raise NoFixError("a statement that is in no block")


def removal(syntax: Syntax, gone: Mapping[ast.stmt, Span]) -> list[Span]:
    """Return what to delete for statements with these lines to vanish, with the blank lines that would be left over.

    Raises:
        NoFixError: a block would be left without a statement.
    """
    # Statements that vanish one below the other are one place.
    merged: list[tuple[Span, ast.stmt]] = []
    for node, span in sorted(gone.items(), key=lambda item: item[1]):
        if merged and span.start <= merged[-1][0].end:
            merged[-1] = (Span(merged[-1][0].start, max(span.end, merged[-1][0].end)), node)
        else:
            merged.append((span, node))
    spans: list[Span] = []
    for span, node in merged:
        left = [other for other in siblings(syntax, node) if other not in gone]
        if not left:
            raise NoFixError("a block would be empty")
        follows = any(syntax.span(other).start >= span.end for other in left)
        opens = all(syntax.span(other).start >= span.end for other in left)
        spans.append(_with_blank_rows(syntax, span, below=follows, opens=opens))
    joined: list[Span] = []
    for span in spans:
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return joined


def _with_blank_rows(syntax: Syntax, span: Span, *, below: bool, opens: bool) -> Span:
    """Extend lines to be deleted by the blank ones below, or above where nothing of the block follows."""
    source = syntax.source
    if below:
        row = source.position(span.end)[0]
        first = source.position(span.start)[0]
        if not opens and first > 1 and source.line(first - 1).strip():
            return span  # the blank lines below divide what stays
        while row < len(source.line_starts) and not source.line(row).strip():
            row += 1
        while opens and first > 1 and not source.line(first - 1).strip():
            first -= 1
        return Span(source.line_starts[first - 1], max(source.line_starts[row - 1], span.end))
    row = source.position(span.start)[0]
    while row > 1 and not source.line(row - 1).strip():
        row -= 1
    return Span(source.line_starts[row - 1], span.end)


def lambda_parts(syntax: Syntax, node: ast.Lambda) -> tuple[Span, Span]:
    """Return the spans of a lambda's parameters and of its body, brackets around the body included."""
    whole = syntax.span(node)
    depth, lambdas = 0, 0
    for token in _tokens("(" + syntax.text[whole.start : whole.end] + ")"):
        text = token.string
        if token.type == tokenize.OP:
            depth += (text in _OPEN) - (text in _CLOSE)
        if depth != 1:
            continue
        if token.type == tokenize.NAME and text == "lambda":
            lambdas += 1
        elif text == ":":
            lambdas -= 1
            if lambdas == 0:
                colon = _place(syntax, whole.start, token.start)
                return Span(whole.start + len("lambda"), colon), Span(colon + 1, whole.end)
    raise NoFixError("a lambda without a colon")


def _place(syntax: Syntax, start: int, position: tuple[int, int]) -> int:
    """Return the offset of a token's place in a text that starts at `start`, behind one bracket."""
    row, column = position
    if row == 1:
        return start + column - 1
    first = syntax.source.position(start)[0]
    return syntax.source.line_starts[first + row - 2] + column


def statement(syntax: Syntax, span: Span, head: str, margin: str, unit: str, changes: Mapping[Span, str]) -> str:
    """Return a statement, `head` with an expression that may take several lines, indented by `margin`."""
    start, end = span.start, span.end
    while syntax.text[start].isspace():
        start += 1
    while syntax.text[end - 1].isspace():
        end -= 1
    span = Span(start, end)
    inner = tokens_of(syntax).inner_rows
    source = syntax.source
    first, last = source.position(span.start)[0], source.position(span.end)[0]
    moved = [row for row in range(first + 1, last + 1) if row not in inner and source.line(row).strip()]
    edits = dict(changes)
    least = min((_INDENT.match(source.line(row)).group() for row in moved), key=len, default="")  # type: ignore[union-attr]
    outer = [row for row in moved if _INDENT.match(source.line(row)).group() == least]  # type: ignore[union-attr]
    closes = any(source.line(row).strip()[0] in _CLOSE for row in outer)
    for row in moved:
        begin = source.line_starts[row - 1]
        edits[Span(begin, begin + len(least))] = margin if closes else margin + unit
    text = changed(syntax.text, span, edits)
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        text = f"(\n{margin}{unit}{text}\n{margin})"
    return f"{margin}{head}{text}"
