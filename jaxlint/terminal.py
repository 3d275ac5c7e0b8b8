"""Writing for a terminal: styles, its width, and Markdown as far as rules' pages use it."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
_MOST_COLUMNS = 100
"""Longer lines are hard to read, however wide the terminal is."""


def styled(text: str, *styles: str) -> str:
    """Return a text in some styles; without any, as it is."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if styles and text else text


def columns() -> int:
    """Return how many columns to fill."""
    return min(_MOST_COLUMNS, shutil.get_terminal_size((_MOST_COLUMNS, 24)).columns)


def wrapped(text: str, indent: str = "", hanging: str | None = None, *, width: int | None = None) -> list[str]:
    """Return a text in lines that fit; what has no blank is not broken, as it may be a path."""
    lines = textwrap.wrap(
        text,
        width or columns(),
        initial_indent=indent,
        subsequent_indent=indent if hanging is None else hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [""]


def markdown(text: str, *, color: bool, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a page without Markdown's marks: headings, paragraphs, lists, code between fences."""
    before = ""
    for line in _lines(text, color, width):
        if line or before:
            yield line
        before = line


def _lines(text: str, color: bool, width: int | None) -> Iterator[str]:
    paragraph: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        if fenced and not line.startswith("```"):
            yield styled("    " + line, *[CYAN] * color) if line else ""
            continue
        if paragraph and (not line.strip() or line.startswith(("#", "```", "- "))):
            yield from _paragraph(" ".join(paragraph), color, width)
            paragraph = []
        if line.startswith("```"):
            yield ""
            fenced = not fenced
        elif line.startswith("#"):
            yield styled(_bare(line.lstrip("# ")), *[BOLD] * color)
        elif line.strip():
            paragraph.append(line.strip())
        else:
            yield ""


_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)|<(https?://[^>\s]*)>")
_MARKS = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*")


def _bare(text: str) -> str:
    """Return a text with its links as people read them."""
    return _LINK.sub(lambda match: match[3] or _link(match[1], match[2]), text)


def _link(text: str, address: str) -> str:
    return f"{text} ({address})" if "://" in address else text


def _paragraph(text: str, color: bool, width: int | None) -> Iterator[str]:
    text = _MARKS.sub(lambda match: _held(match, color), _bare(text))
    for line in wrapped(text, "", "  " if text.startswith("- ") else "", width=width):
        yield line.translate(_SHOWN)


def _held(match: re.Match[str], color: bool) -> str:
    """Return what is between marks, held together while lines are broken."""
    inner = (match[1] or match[2] or match[3]).replace(" ", _BLANK)
    if not color:
        return inner
    return f"{_CODE if match[1] else _STRONG}{inner}{_END}"


# Of Unicode's area for private use, so that no page has them.
_BLANK, _CODE, _STRONG, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_SHOWN = str.maketrans({_BLANK: " ", _CODE: f"\x1b[{CYAN}m", _STRONG: f"\x1b[{BOLD}m", _END: "\x1b[0m"})
