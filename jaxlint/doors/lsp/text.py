r"""Places in a text as clients count them: lines from 0 on, and columns in units of the encoding that was agreed on.

Lines end where the protocol says: at `\n`, `\r\n` and `\r`, and nowhere else.
"""

from __future__ import annotations

import bisect
import functools
import re
from dataclasses import dataclass

from lsprotocol import types

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Text:
    """A text, and the encoding in which columns are counted."""

    text: str
    encoding: str = "utf-16"

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def position(self, offset: int) -> types.Position:
        """Return the place of an offset in code points; what is behind the text counts as its end."""
        offset = min(offset, len(self.text))
        line = bisect.bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(self.text[self._starts[line] : offset]))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a place; one that is behind a line or the text counts as its end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        end = self._starts[position.line + 1] if position.line + 1 < len(self._starts) else len(self.text)
        line = self.text[start:end].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for number, char in enumerate(line):
            if units >= position.character:
                return start + number
            units += self._units(char)
        return start + len(line)

    def changed(self, change: types.TextDocumentContentChangeEvent) -> Text:
        """Return the text after a change that the client made."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return Text(change.text, self.encoding)
        start, end = self.offset(change.range.start), self.offset(change.range.end)
        return Text(self.text[:start] + change.text + self.text[max(start, end) :], self.encoding)

    def _units(self, text: str) -> int:
        if text.isascii() or self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text) + sum(char > "\uffff" for char in text)
