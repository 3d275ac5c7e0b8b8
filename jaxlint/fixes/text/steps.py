"""A fix that is made in several steps, each of which sees what the one before has made of the file."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Edit, Fix, Span
from jaxlint.source import Source

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Steps:
    """What is made of a file step by step; `facts` are those of the latest text."""

    def __init__(self, facts: ModuleFacts) -> None:
        self.facts = facts
        self._original = facts
        # The latest text, as ranges of the original and what is new between them.
        self._parts: list[Span | str] = [Span(0, len(facts.source.text))]

    def take(self, fix: Fix | None) -> None:
        """Make the edits of a fix for the latest text."""
        if fix is None:
            return
        parts: list[Span | str] = []
        end = 0
        for edit in sorted(fix.edits, key=lambda edit: edit.span):
            parts += [*self._between(end, edit.span.start), edit.text]
            end = edit.span.end
        self._parts = [part for part in (*parts, *self._between(end, len(self.text))) if part]
        self.facts = facts_of(self.text, self._original)

    @property
    def text(self) -> str:
        """The latest text."""
        return "".join(self._written(part) for part in self._parts)

    def fix(self, applicability: Applicability, message: str, condition: str = "") -> Fix | None:
        """Return all steps as one fix of the original text, None where nothing changes."""
        edits: list[Edit] = []
        end, new = 0, ""
        for part in (*self._parts, Span(length := len(self._original.source.text), length)):
            if isinstance(part, str):
                new += part
                continue
            if new or part.start > end:
                edits.append(Edit(Span(end, part.start), new))
            end, new = part.end, ""
        return Fix(applicability, message, tuple(edits), condition) if edits else None

    def _between(self, start: int, end: int) -> list[Span | str]:
        """Return the parts of a range of the latest text."""
        found: list[Span | str] = []
        place = 0
        for part in self._parts:
            length = len(self._written(part))
            low, high = max(start - place, 0), min(end - place, length)
            if low < high:
                inner = part[low:high] if isinstance(part, str) else Span(part.start + low, part.start + high)
                found.append(inner)
            place += length
        return found

    def _written(self, part: Span | str) -> str:
        return part if isinstance(part, str) else self._original.source.text[part.start : part.end]


@functools.lru_cache(maxsize=4)
def facts_of(text: str, facts: ModuleFacts) -> ModuleFacts:
    """Return the facts of what a new text of a file changes: its new statements, what they use and who uses them.

    The functions and classes that have nothing to do with it are comments there, with the same places and words: the
    facts of the whole file would be found again for each fix of each finding.
    """
    from jaxlint.facts.module import ModuleFacts as Facts

    source = Source(text, facts.source.path, facts.source.encoding, facts.source.bom)
    return Facts.of(_narrowed(source, facts.source), facts.settings, facts.incoming)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of the module: its lines, its text, and whether it only defines something."""

    first: int
    last: int
    text: str
    defines: bool

    @property
    def bound(self) -> frozenset[str]:
        """The functions, classes and variables that it binds; what it imports everybody may use."""
        return _bound(self.text)

    @property
    def words(self) -> frozenset[str]:
        """The words of its text."""
        return _words(self.text)


def _narrowed(source: Source, before: Source) -> Source:
    """Return a text in which the definitions are comments that what is new does not use, and that do not use it."""
    try:
        statements, known = _statements(source), {statement.text for statement in _statements(before)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    new = [statement for statement in statements if statement.text not in known]
    if not new:
        return source
    users = _reached(new, statements, lambda one: one.bound, lambda one: one.words)
    used = _reached(new, statements, lambda one: one.words, lambda one: one.bound)
    chosen = {one.first for one in (*users, *used)} | {one.first for one in statements if not one.defines}
    starts = [
        source.line_starts[row - 1]
        for one in statements
        if one.first not in chosen
        for row in range(one.first, one.last + 1)
    ]
    letters = list(source.text)
    for start in starts:
        if letters[start] not in "\r\n":
            letters[start] = "#"
    return dataclasses.replace(source, text="".join(letters))


def _reached(
    start: Sequence[_Statement],
    statements: Sequence[_Statement],
    names: Callable[[_Statement], frozenset[str]],
    wanted: Callable[[_Statement], frozenset[str]],
) -> list[_Statement]:
    """Return the statements that are reached from some: those whose `wanted` words are among another's `names`."""
    by_word: dict[str, list[_Statement]] = {}
    for one in statements:
        for word in wanted(one):
            by_word.setdefault(word, []).append(one)
    found = {one.first: one for one in start}
    work = list(start)
    while work:
        for word in names(work.pop()):
            for one in by_word.pop(word, ()):
                if one.first not in found:
                    found[one.first] = one
                    work.append(one)
    return list(found.values())


_BOUND = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)[^\n=]*=(?!=)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@functools.lru_cache(maxsize=4096)
def _bound(text: str) -> frozenset[str]:
    return frozenset(one or other for one, other in _BOUND.findall(text))


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


@functools.lru_cache(maxsize=8)
def _statements(source: Source) -> list[_Statement]:
    """Return the statements of a module; those that share a line are one."""
    found: list[_Statement] = []
    for node in source.tree.body:
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        last = node.end_lineno or node.lineno
        defines = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if found and found[-1].last >= first:
            first, defines = found.pop().first, False
        end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
        found.append(_Statement(first, last, source.text[source.line_starts[first - 1] : end], defines))
    return found
