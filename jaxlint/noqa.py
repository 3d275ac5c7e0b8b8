"""`# noqa` comments, with flake8's grammar to the letter, so that both doors hide the same findings.

A comment counts on the line that a finding is reported on.  Lines that a multi-line string or a backslash joins are
one line; lines that only brackets join do not.
"""

from __future__ import annotations

import functools
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Edit, Span

if TYPE_CHECKING:
    from jaxlint.source import Source

_COMMENT = re.compile(r"# noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
# Whatever follows on the line: flake8 skips the file even where codes are given.
_WHOLE_FILE = re.compile(r"(?:\A|(?<=[\r\n]))[^\S\r\n]*# flake8[:=][^\S\r\n]*noqa", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listed:
    """A code that a comment names, and the first and last of the lines that the comment counts for."""

    row: int
    rows: tuple[int, int]
    code: str


class Noqa:
    """What the `noqa` comments of one file hide."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @functools.cached_property
    def whole_file(self) -> bool:
        """Whether a `# flake8: noqa` on a line of its own hides all that is in the file."""
        return _WHOLE_FILE.search(self._source.text) is not None

    def hides(self, code: str, row: int) -> bool:
        """Tell whether a finding with this code, reported on this 1-based line, is hidden.

        A comment without codes hides all; a code hides every code that starts with it, lower case being no match.
        """
        if not self._any:
            return False
        if self.whole_file:
            return True
        comment = _COMMENT.search(self._text(row))
        if comment is None:
            return False
        codes = comment["codes"]
        return codes is None or code.startswith(_codes(comment))

    @functools.cached_property
    def _any(self) -> bool:
        return "noqa" in self._source.text.lower()

    def listed(self) -> list[Listed]:
        """Return the codes that comments name, in their order; what only looks like a comment is none."""
        if not self._any or self.whole_file:
            return []
        found = []
        try:
            for token in self.tokens():
                match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
                if match is not None and match["codes"]:
                    row = token.start[0]
                    rows = self._joined.get(row, (row, row))
                    found += [Listed(row, rows, code) for code in _codes(match)]
        except (tokenize.TokenError, SyntaxError):
            return []
        return found

    def adding(self, codes: Mapping[int, Iterable[str]], reason: str = "") -> list[Edit]:
        """Return the edits that hide findings: codes by the 1-based lines that they are reported on.

        A comment that names codes gets more of them; where there is none, one is added, with the reason.
        """
        source = self._source
        wanted: dict[tuple[int, int], set[str]] = {}
        for row, more in codes.items():
            wanted.setdefault(self._joined.get(row, (row, row)), set()).update(more)
        edits = []
        for (first, last), more in sorted(wanted.items()):
            text = self._text(first)
            match = _COMMENT.search(text)
            names = ", ".join(sorted(more))
            if match is not None and match["codes"]:
                end = match.start("codes") + len(match["codes"].rstrip(", \t\r\n\f"))
                row = first + text.count("\n", 0, end)
                offset = source.offset(row, end - text.rfind("\n", 0, end))
                edits.append(Edit(Span(offset, offset), f", {names}"))
            else:
                offset = source.row_span(last).start + len(source.line(last).rstrip())
                edits.append(Edit(Span(offset, offset), f"  # noqa: {names}" + (f" {reason}" if reason else "")))
        return edits

    def _text(self, row: int) -> str:
        first, last = self._joined.get(row, (row, row))
        return "\n".join(self._source.line(number) for number in range(first, last + 1))

    @functools.cached_property
    def _joined(self) -> dict[int, tuple[int, int]]:
        """First and last of the lines that are one to a comment, for each line that is not alone."""
        rows = len(self._source.line_starts)
        joined: dict[int, tuple[int, int]] = {}
        first, last = rows + 1, 0
        try:
            for token in self.tokens():
                if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
                    continue
                first, last = min(first, token.start[0]), max(last, token.end[0])
                if token.type in (tokenize.NL, tokenize.NEWLINE):
                    if first < last:
                        joined.update(dict.fromkeys(range(first, last + 1), (first, last)))
                    first, last = rows + 1, 0
        except (tokenize.TokenError, SyntaxError):
            # flake8 joins nothing then.
            return {}
        return joined

    def tokens(self) -> Iterator[tokenize.TokenInfo]:
        """Yield the tokens of the file.

        Raises:
            SyntaxError, tokenize.TokenError: it is no Python.
        """
        source = self._source
        rows = len(source.line_starts)
        lines = (source.line(row) + ("\n" if row < rows else "") for row in range(1, rows + 1))
        return tokenize.generate_tokens(lambda: next(lines, ""))


def _codes(comment: re.Match[str]) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[,\s]", comment["codes"]) if part)


def may_be_reason(text: str) -> bool:
    """Tell whether a text may follow the codes of a comment: on one line, and not taken for one more code."""
    comment = _COMMENT.search(f"# noqa: JAX101 {text}")
    return "\n" not in text and "\r" not in text and comment is not None and _codes(comment) == ("JAX101",)
