"""A fix that is made in several steps, each of which sees what the one before has made of the file."""

from __future__ import annotations

import functools
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
    """Return the facts of a new text of a file."""
    from jaxlint.facts.module import ModuleFacts as Facts

    source = Source(text, facts.source.path, facts.source.encoding, facts.source.bom)
    return Facts.of(source, facts.settings, facts.incoming)
