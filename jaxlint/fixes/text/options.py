"""Edits of the keywords of a call that hold names or numbers, such as `static_argnames`, each in its own style."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from jaxlint.finding import Span
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

_BLANK = re.compile(r"(\s|,|#[^\r\n]*)*")


def quoted(draft: Draft, name: str) -> str:
    """Return a name as a string in the quotes that the file has most of."""
    text = draft.source.text
    quote = "'" if text.count("'") > text.count('"') else '"'
    return f"{quote}{name}{quote}"


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """Return a keyword argument of a call."""
    return next((item for item in call.keywords if item.arg == name), None)


def add_keyword(draft: Draft, call: ast.Call, text: str) -> None:
    """Append a keyword argument to a call, on a line of its own where the last argument has one.

    Raises:
        NoFixError: the call's last argument is in parentheses of its own.
    """
    arguments: list[ast.AST] = [*call.args, *call.keywords]
    close = draft.span(call).end - 1
    if not arguments:
        draft.insert(close, text)
        return
    last = max(arguments, key=lambda node: draft.span(node).end)
    _insert_after(draft, last, close, text)


def listed(items: Sequence[str]) -> str:
    """Return one item as it is, several as a tuple."""
    return items[0] if len(items) == 1 else f"({', '.join(items)})"


def extend(draft: Draft, value: ast.expr, items: Sequence[str], *, known: object = None) -> None:
    """Add items to the value of a keyword: a literal grows, a name is unpacked where it is `known` to be a sequence.

    Raises:
        NoFixError: nothing can be added to such a value.
    """
    code = draft.code(value)
    items = [_quoted_like(code, item) for item in items]
    more = ", ".join(items)
    if isinstance(value, (ast.Tuple, ast.List, ast.Set)):
        _extend_literal(draft, value, items)
    elif isinstance(value, ast.Constant) and value.value is None:
        draft.replace(value, listed(items))
    elif isinstance(value, ast.Constant) or (isinstance(value, ast.UnaryOp) and isinstance(known, int)):
        if "\n" in code or "\r" in code:
            raise NoFixError("a string of several lines")
        draft.replace(value, f"({code}, {more})")
    elif isinstance(known, tuple):
        draft.replace(value, f"(*{code}, {more})")
    elif isinstance(known, (str, int)) and isinstance(value, (ast.Name, ast.Attribute)):
        draft.replace(value, f"({code}, {more})")
    else:
        raise NoFixError("nothing can be added to such an option")


def _quoted_like(code: str, item: str) -> str:
    """Return an item, in the quotes of the strings that are there if it is one."""
    if not item.startswith(("'", '"')) or ("'" in code) == ('"' in code):
        return item
    quote = "'" if "'" in code else '"'
    return f"{quote}{item[1:-1]}{quote}"


def _extend_literal(draft: Draft, value: ast.Tuple | ast.List | ast.Set, items: Sequence[str]) -> None:
    span, more = draft.span(value), ", ".join(items)
    if draft.source.text[span.start] not in "([{":
        raise NoFixError("a tuple without parentheses")
    if not value.elts:
        comma = "," if isinstance(value, ast.Tuple) and len(items) == 1 else ""
        draft.replace(Span(span.start + 1, span.end - 1), more + comma)
        return
    last = value.elts[-1]
    rest = Span(draft.span(last).end, span.end - 1)
    text = draft.source.text[rest.start : rest.end]
    if len(value.elts) == 1 and text.strip() == "," and "\n" not in text and "\r" not in text:
        draft.replace(rest, f", {more}")  # the comma that made it a tuple is not needed any more
        return
    _insert_after(draft, last, span.end - 1, more)


def _insert_after(draft: Draft, last: ast.AST, close: int, text: str) -> None:
    """Insert an item behind the last one before the bracket at `close`."""
    source, span = draft.source, draft.span(last)
    if not _BLANK.fullmatch(source.text[span.end : close]):
        raise NoFixError("the last item is in parentheses")
    row, column = source.position(span.start)
    indent = source.line(row)[: column - 1]
    own_row = not indent.strip() and source.position(close)[0] > source.position(span.end)[0]
    draft.insert(span.end, f",\n{indent}{text}" if own_row else f", {text}")


def remove_item(draft: Draft, call: ast.Call, option: ast.keyword, node: ast.expr) -> None:
    """Remove one element of a keyword's value, or the whole keyword if it is its only one.

    Raises:
        NoFixError: the value is no literal that holds the element.
    """
    value = option.value
    if isinstance(value, (ast.Tuple, ast.List, ast.Set)) and node in value.elts:
        if len(value.elts) > 1:
            _remove(draft, value.elts, value.elts.index(node), draft.span(value).end - 1)
            if isinstance(value, ast.Tuple) and len(value.elts) == 2 and node is value.elts[1]:
                draft.insert(draft.span(value.elts[0]).end, ",")
            elif isinstance(value, ast.Tuple) and len(value.elts) == 2:
                rest = draft.source.text[draft.span(value.elts[1]).end : draft.span(value).end - 1]
                if "," not in rest:
                    draft.insert(draft.span(value.elts[1]).end, ",")
            return
    elif node is not value:
        raise NoFixError("the option is no literal")
    arguments: list[ast.AST] = [*call.args, *call.keywords]
    arguments.sort(key=lambda argument: draft.span(argument).start)
    _remove(draft, arguments, arguments.index(option), draft.span(call).end - 1)


def _remove(draft: Draft, items: Sequence[ast.AST], index: int, close: int) -> None:
    """Delete an item of a bracket with its comma."""
    span, text = draft.span(items[index]), draft.source.text
    if index > 0:
        start = draft.span(items[index - 1]).end
        end = span.end
    else:
        start = span.start
        end = draft.span(items[1]).start if len(items) > 1 else close
    if "#" in text[start : span.start] or "#" in text[span.end : end]:
        raise NoFixError("there is a comment beside the item")
    if "(" in text[start : span.start] or ")" in text[span.end : end]:
        raise NoFixError("an item is in parentheses")
    draft.delete(Span(start, end))
