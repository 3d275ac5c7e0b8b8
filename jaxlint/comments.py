"""Comments that are meant for jaxlint and say nothing to it, as by a typo: what is written so is never heard of again.

`# jaxlint: once` is read in `jaxlint.source`, `# noqa` in `jaxlint.noqa`.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.noqa import Noqa

if TYPE_CHECKING:
    from jaxlint.source import Source

_MAYBE = re.compile(r"#\s*(?:jaxlint\b|n[\w-]{1,8}\W{0,3}jax\d)", re.IGNORECASE)
_MARK = re.compile(r"#\s*jaxlint\s*(?P<colon>[:=]?)\s*(?P<word>[\w-]*)", re.IGNORECASE)
_RIGHT_MARK = re.compile(r"#\s*jaxlint:\s*once\b")
_HIDING = re.compile(r"#\s*(?P<word>n[\w-]{1,8})\W{0,3}(?P<codes>(?:jax\d{0,3}[,\s]*)+)", re.IGNORECASE)
_HIDES = ("noqa", "ignore", "disable", "skip", "off", "nolint")


def mistaken(source: Source) -> Iterator[str]:
    """Yield what is wrong with such comments, each with its place in the file."""
    if _MAYBE.search(source.text) is None:
        return
    try:
        tokens = [token for token in Noqa(source).tokens() if token.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return
    for token in tokens:
        problem = _mark(token.string) or _hiding(token.string)
        if problem is not None:
            cell, row = source.place(source.line_starts[token.start[0] - 1])
            yield f"{row if cell is None else f'cell {cell}:{row}'}: {problem}"


def _mark(comment: str) -> str | None:
    match = _MARK.search(comment)
    if match is None or _RIGHT_MARK.search(comment):
        return None
    word = match["word"]
    if not match["colon"] and word.lower() != "once":
        return None  # it only mentions jaxlint
    if word.lower() in _HIDES:
        return f"`# jaxlint: {word}` does nothing; `# noqa: JAX102` hides a finding of that rule"
    return f"`{match[0].strip()}` does nothing; the comment that jaxlint knows is `# jaxlint: once`"


def _hiding(comment: str) -> str | None:
    import difflib  # slow to load

    match = _HIDING.search(comment)
    if match is None or not difflib.get_close_matches(match["word"].lower(), ["noqa"]):
        return None
    codes = [code.upper() for code in re.split(r"[,\s]+", match["codes"]) if code]
    meant = f"# noqa: {', '.join(codes)}"
    text = comment[match.start() :]
    if re.match(r"# noqa:\s?JAX", text, re.IGNORECASE) and match["codes"].isupper():
        return None
    if re.match(r"# noqa(?!:)", text, re.IGNORECASE):
        return f"without a colon it hides all findings of the line; write `{meant}`"
    return f"it hides nothing; write `{meant}`"
