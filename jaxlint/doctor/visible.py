"""Text of others as people may see it: what a terminal or a browser would obey, instead of show, is spelled out."""

from __future__ import annotations

import re

_OBEYED = re.compile(
    # Control characters but the tab, marks and overrides of the writing direction, what separates lines, what is
    # invisible between letters, and halves of characters.
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text with escapes, such as `\x1b` and `\u202e`, for what is not shown as itself."""
    return _OBEYED.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
