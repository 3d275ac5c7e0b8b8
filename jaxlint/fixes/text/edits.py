"""A draft of one fix: edits are gathered, and come out with the line ends that the file has."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Edit, Fix, Span
from jaxlint.fixes.text import imports
from jaxlint.fixes.text.syntax import NoFixError, syntax_of

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.module import ModuleFacts

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class _Insertion:
    """Text to insert; of several at one place the lower `rank` comes first, then the one that was asked for first."""

    rank: int
    text: str


class Draft:
    """The edits of one fix against the text that was linted.

    Builders use whatever holds a place: a node of the facts, a node of `syntax.tree`, or a span.

    Raises:
        NoFixError: the running Python does not take the file.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self.facts = facts
        self.source = facts.source
        self.syntax = syntax_of(facts.source)
        self._replaced: dict[Span, str] = {}
        self._inserted: dict[int, list[_Insertion]] = {}
        self._raw: dict[Span, str] = {}
        self._fresh: set[str] = set()
        self._names: dict[str, str] = {}

    # Places

    def span(self, place: cst.CSTNode | ast.AST | Span) -> Span:
        """Return the span of a node."""
        if isinstance(place, Span):
            return place
        return self.syntax.span(place) if isinstance(place, ast.AST) else self.facts.span(place)

    def code(self, place: cst.CSTNode | ast.AST | Span) -> str:
        """Return the text of a node as it is written."""
        span = self.span(place)
        return self.source.text[span.start : span.end]

    # Edits

    @property
    def replaced(self) -> frozenset[Span]:
        """What is replaced so far."""
        return frozenset(self._replaced)

    def replace(self, place: cst.CSTNode | ast.AST | Span, text: str) -> None:
        """Put `text` where a node is."""
        self._replaced[self.span(place)] = self._with_newlines(text)

    def delete(self, place: cst.CSTNode | ast.AST | Span) -> None:
        """Remove a node's text."""
        self.replace(place, "")

    def insert(self, offset: int, text: str, *, rank: int = 0) -> None:
        """Insert `text` at an offset."""
        self._inserted.setdefault(offset, []).append(_Insertion(rank, self._with_newlines(text)))

    def insert_above(self, place: cst.CSTNode | ast.AST | Span, text: str) -> None:
        """Insert top-level code right above the top-level statement that holds a place.

        The statement's decorators and the comments right above it stay with it; two blank lines surround the new code.

        Raises:
            NoFixError: the statement shares its line with another.
        """
        offset = self.syntax.above(self.syntax.top(self.span(place)))
        before = "\n" * (2 - self.syntax.blank_rows_above(offset)) if offset not in self._inserted else ""
        self.insert(offset, before + text.rstrip("\n") + "\n\n\n", rank=1)

    # Names

    def name(self, dotted: str, place: cst.CSTNode | ast.AST | Span | int) -> str:
        """Return how to write a dotted name at a place, and import it where the file does not yet.

        Raises:
            NoFixError: the file uses the names that an import would bind for something else.
        """
        offset = place if isinstance(place, int) else self.span(place).start
        if dotted in self._names:
            return self._names[dotted]
        found = imports.written(self.syntax, dotted, offset)
        for edit in found.edits:
            self.insert(edit.span.start, edit.text, rank=-1)
            self._names[dotted] = found.text
        return found.text

    def fresh(self, *bases: str) -> str:
        """Return a module-level name that nothing in the file has, not even a local that would hide it.

        The first base that is free is taken, then the last one with a number.
        """
        taken = self.syntax.words | self._fresh
        for base in bases:
            if base not in taken:
                self._fresh.add(base)
                return base
        number = 2
        while f"{bases[-1]}_{number}" in taken:
            number += 1
        name = f"{bases[-1]}_{number}"
        self._fresh.add(name)
        return name

    # The result

    def fix(self, applicability: Applicability, message: str, condition: str = "") -> Fix | None:
        """Return the fix, None where there is no edit.

        Raises:
            NoFixError: two edits overlap.
        """
        edits = [Edit(span, text) for span, text in self._replaced.items()]
        for offset, texts in self._inserted.items():
            ordered = sorted(texts, key=lambda insertion: insertion.rank)
            edits.append(Edit(Span(offset, offset), "".join(insertion.text for insertion in ordered)))
        edits.sort(key=lambda edit: edit.span)
        for one, other in itertools.pairwise(edits):
            if one.span.end > other.span.start or one.span == other.span:
                raise NoFixError("two edits overlap")
        return Fix(applicability, message, tuple(edits), condition) if edits else None

    def _with_newlines(self, text: str) -> str:
        return _NEWLINE.sub(lambda _: self.source.newline, text)


def offered(*builders: Callable[[], Fix | None]) -> Iterator[Fix]:
    """Yield what builders make, the preferred fix first; one that raises NoFixError or returns None offers nothing."""
    for builder in builders:
        try:
            fix = builder()
        except NoFixError:
            continue
        if fix is not None:
            yield fix


def applied(text: str, fix: Fix) -> str:
    """Return `text` with a fix's edits made."""
    parts: list[str] = []
    end = 0
    for edit in sorted(fix.edits, key=lambda edit: edit.span):
        parts += [text[end : edit.span.start], edit.text]
        end = edit.span.end
    return "".join([*parts, text[end:]])
