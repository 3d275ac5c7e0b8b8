"""Keeping to the project's line length: lines that a fix makes too long are broken at their brackets."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxlint.finding import Edit, Fix, Span

if TYPE_CHECKING:
    from jaxlint.source import Source

_OPEN, _CLOSE = "([{", ")]}"
_STRING = re.compile(r"""[A-Za-z]{0,2}("{3}|'{3}|"|')""")
_UNIT = "    "


def wrapped(source: Source, fix: Fix, length: int) -> Fix:
    """Return a fix in which no line is longer than `length` that can be broken at brackets."""
    long = [line for edit in fix.edits for line in edit.text.split(source.newline) if len(line) > length]
    # Code that only moves stays as somebody wrote it.
    moved = {line.strip() for line in source.text.splitlines()} if long else set()
    edits = [_whole_lines(source, edit, length, moved) for edit in fix.edits]
    return replace(fix, edits=tuple(_joined(source, edits, length)))


def _whole_lines(source: Source, edit: Edit, length: int, moved: Collection[str]) -> Edit:
    """Break the lines that an edit brings as a whole: all but its last, and its first where it starts in a line."""
    newline = source.newline
    lines = edit.text.split(newline)
    if all(len(line) <= length for line in lines) or _has_long_string(edit.text):
        return edit
    inner = [line if line.strip() in moved else newline.join(broken(line, length)) for line in lines[1:-1]]
    first = lines[:1]
    starts_line = source.position(edit.span.start)[1] == 1
    if len(lines) > 1 and starts_line and lines[0].strip() not in moved:
        first = [newline.join(broken(lines[0], length))]
    last = lines[1:][-1:]
    return replace(edit, text=newline.join([*first, *inner, *last]))


def _has_long_string(text: str) -> bool:
    return '"""' in text or "'''" in text


def _joined(source: Source, edits: list[Edit], length: int) -> Iterator[Edit]:
    """Yield the edits, those that change or make one line as one where the line would become too long."""
    groups: dict[tuple[int, int], list[Edit]] = {}
    for edit in edits:
        rows = (source.position(edit.span.start)[0], source.position(edit.span.end)[0])
        groups.setdefault(rows, []).append(edit)
    touched = Counter(row for rows in groups for row in set(rows))
    for (first, last), group in groups.items():
        flat = all(edit.text and source.newline not in edit.text and "\n" not in edit.text for edit in group)
        if not flat or touched[first] > 1 or touched[last] > 1 or (first < last and len(group) > 1):
            yield from group
            continue
        start = source.row_span(first).start
        text = source.text[start : source.row_span(last).end].rstrip("\r\n")
        new = text
        for edit in sorted(group, key=lambda edit: edit.span, reverse=True):
            new = new[: edit.span.start - start] + edit.text + new[edit.span.end - start :]
        fits = all(len(line) <= length for line in text.splitlines())
        lines = broken(new, length) if len(new) > length and fits else [new]
        if len(lines) == 1:
            yield from group
        else:
            yield Edit(Span(start, start + len(text)), source.newline.join(lines))


def broken(line: str, length: int) -> list[str]:
    """Return a line as several, each as long as it may be where brackets allow that, in Black's way."""
    if len(line) <= length:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    places = _brackets(line)
    if places is None or not _is_statement(line.strip()):
        return [line]
    for start, end in reversed(places):
        if not line[start + 1 : end].strip():
            continue
        head, body, tail = line[: start + 1], line[start + 1 : end].strip(), indent + line[end:].strip()
        if len(head) > length or len(tail) > length:
            continue
        inner = indent + _UNIT
        if len(inner + body) <= length:
            return [head, inner + body, tail]
        parts = _parts(body)
        if len(parts) == 1:
            return [head, *_inner(inner + body, length), tail]
        lines = [part for piece in parts for part in _inner(f"{inner}{piece},", length)]
        return [head, *lines, tail]
    return [line]


def _inner(line: str, length: int) -> list[str]:
    """Break an element of a bracket again, as the last bracket in it allows."""
    if len(line) <= length:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    places = _brackets(line)
    for start, end in reversed(places or []):
        body = line[start + 1 : end].strip()
        if not body:
            continue
        inner = indent + _UNIT
        pieces = [body] if len(inner + body) <= length else [f"{piece}," for piece in _parts(body)]
        if len(pieces) == 1 and len(_parts(body)) == 1:
            pieces = [body]
        return [line[: start + 1], *(part for p in pieces for part in _inner(inner + p, length)), indent + line[end:]]
    return [line]


def _is_statement(text: str) -> bool:
    """Whether a line is one statement, or the head of one, by itself."""
    head = text if not text.endswith(":") else f"{text} ..."
    if text.startswith("@"):
        head = f"{text}\ndef f(): ..."
    elif re.match(r"(elif|else|except|finally|case)\b", text):
        return False
    try:
        return len(ast.parse(head).body) == 1
    except (SyntaxError, ValueError):
        return False


def _brackets(line: str) -> list[tuple[int, int]] | None:
    """Return the outermost pairs of brackets in a line; None where one is not closed, or a comment ends the line."""
    found: list[tuple[int, int]] = []
    stack: list[int] = []
    for place, char in _code(line):
        if char == "#":
            return None
        if char in _OPEN:
            stack.append(place)
        elif char in _CLOSE:
            if not stack:
                return None
            start = stack.pop()
            if not stack:
                found.append((start, place))
    return None if stack else found


def _code(text: str) -> Iterator[tuple[int, str]]:
    """Yield the characters that are in no string, with their places."""
    place = 0
    while place < len(text):
        opening = _STRING.match(text, place)
        named = place > 0 and (text[place - 1].isalnum() or text[place - 1] == "_")
        if opening is not None and not (named and text[place].isalpha()):
            quote = opening.group(1)
            place = opening.end()
            while place < len(text) and not text.startswith(quote, place):
                place += 2 if text[place] == "\\" else 1
            place += len(quote)
            continue
        yield place, text[place]
        place += 1


def _parts(body: str) -> list[str]:
    """Return what commas divide, the last empty part skipped."""
    if _is_generator(body):
        return [body]
    cuts, depth = [0], 0
    for place, char in _code(body):
        depth += (char in _OPEN) - (char in _CLOSE)
        if char == "," and depth == 0 and not _in_lambda(body[cuts[-1] : place]):
            cuts.append(place + 1)
    pieces = [body[a:b].strip().rstrip(",").rstrip() for a, b in zip(cuts, [*cuts[1:], len(body)], strict=True)]
    return [piece for piece in pieces if piece]


def _in_lambda(text: str) -> bool:
    """Whether a comma divides the parameters of a lambda, not arguments."""
    depth = 0
    open_lambdas = 0
    for place, char in _code(text):
        depth += (char in _OPEN) - (char in _CLOSE)
        before = text[place - 1] if place else " "
        if depth == 0 and text.startswith("lambda", place) and not (before.isalnum() or before == "_"):
            open_lambdas += 1
        elif depth == 0 and char == ":" and open_lambdas:
            open_lambdas -= 1
    return open_lambdas > 0


def _is_generator(body: str) -> bool:
    try:
        node = ast.parse(f"f({body})", mode="eval").body
    except (SyntaxError, ValueError):
        return False
    call = node if isinstance(node, ast.Call) else None
    return call is not None and len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp) and not call.keywords
