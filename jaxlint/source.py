"""A file's text, as the core sees it: decoded once, with what is needed to write it back and to talk about places.

`Source` knows no door: `noqa` comments are read in `jaxlint.noqa`, the `# jaxlint: once` mark here, because it
changes what is found.
"""

from __future__ import annotations

import bisect
import codecs
import functools
import io
import re
import tokenize
from dataclasses import dataclass

from jaxlint.finding import Span

# Python's own line ends.  Form feed, U+2028 and U+0085 end no line, so str.splitlines would count wrong.
_NEWLINE = re.compile(r"\r\n|\r|\n")
_ONCE = re.compile(r"#\s*jaxlint:\s*once\b")


class SourceError(Exception):
    """The bytes cannot be decoded as Python source; the text of the exception says why and where."""


@dataclass(frozen=True)
class Source:
    """The text of one Python file.

    `path` is only a name: it decides nothing but whether the file counts as a test, and is never opened.
    `text` has no byte order mark and keeps its line ends.
    """

    text: str
    path: str = "<string>"
    encoding: str = "utf-8"
    bom: bool = False

    @classmethod
    def from_bytes(cls, data: bytes, path: str = "<bytes>") -> Source:
        """Decode a file as Python would: byte order mark, then coding cookie, then UTF-8.

        Raises:
            SourceError: the cookie names no encoding, or the bytes are not in it.
        """
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            bom = data.startswith(codecs.BOM_UTF8)
            text = data.decode(encoding)
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise SourceError(f"cannot be decoded: {error}") from None
        if bom:
            encoding = "utf-8"
            text = text.removeprefix("\ufeff")
        return cls(text, path, encoding, bom)

    def to_bytes(self, text: str) -> bytes:
        """Encode `text` the way this file was encoded, byte order mark included."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    @functools.cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts; as many entries as there are lines, at least one."""
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    @functools.cached_property
    def newline(self) -> str:
        r"""The line end to use for new lines: the first one in the file, `\n` where there is none."""
        match = _NEWLINE.search(self.text)
        return match.group() if match else "\n"

    def position(self, offset: int) -> tuple[int, int]:
        """Return the row and column of an offset, both 1-based, the column in code points."""
        row = bisect.bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1

    def offset(self, row: int, column: int) -> int:
        """Return the offset of a 1-based row and column (code points)."""
        return self.line_starts[row - 1] + column - 1

    def line(self, row: int) -> str:
        """Return the text of a 1-based row without its line end."""
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[row - 1] : end].rstrip("\r\n")

    def row_span(self, row: int) -> Span:
        """Return the span of a 1-based row without its line end."""
        start = self.line_starts[row - 1]
        return Span(start, start + len(self.line(row)))

    @functools.cached_property
    def once_rows(self) -> frozenset[int]:
        """The rows that carry a `# jaxlint: once` comment: the code there runs once per process."""
        if "jaxlint" not in self.text:
            return frozenset()
        return frozenset(row for row in range(1, len(self.line_starts) + 1) if _ONCE.search(self.line(row)))
