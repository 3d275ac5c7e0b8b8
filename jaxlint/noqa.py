"""`# noqa` comments, with flake8's grammar to the letter, so that both doors hide the same findings.

A comment counts on the row that a finding is reported on.  Rows that a multi-line string or a backslash joins count as
one; rows that only brackets join do not.
"""

from __future__ import annotations

import functools
import re
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.source import Source

_COMMENT = re.compile(r"# noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
# Whatever follows on the row: flake8 skips the file even where codes are given.
_WHOLE_FILE = re.compile(r"(?:\A|(?<=[\r\n]))[^\S\r\n]*# flake8[:=][^\S\r\n]*noqa", re.IGNORECASE)


class Noqa:
    """What the `noqa` comments of one file hide."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @functools.cached_property
    def whole_file(self) -> bool:
        """Whether a `# flake8: noqa` on a row of its own hides all that is in the file."""
        return _WHOLE_FILE.search(self._source.text) is not None

    def hides(self, code: str, row: int) -> bool:
        """Tell whether a finding with this code, reported on this 1-based row, is hidden.

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
        return codes is None or code.startswith(tuple(part for part in re.split(r"[,\s]", codes) if part))

    @functools.cached_property
    def _any(self) -> bool:
        return "noqa" in self._source.text.lower()

    def _text(self, row: int) -> str:
        first, last = self._joined.get(row, (row, row))
        return "\n".join(self._source.line(number) for number in range(first, last + 1))

    @functools.cached_property
    def _joined(self) -> dict[int, tuple[int, int]]:
        """First and last of the rows that are one to a comment, for each row that is not alone."""
        source = self._source
        rows = len(source.line_starts)
        lines = (source.line(row) + ("\n" if row < rows else "") for row in range(1, rows + 1))
        joined: dict[int, tuple[int, int]] = {}
        first, last = rows + 1, 0
        try:
            for token in tokenize.generate_tokens(lambda: next(lines, "")):
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
