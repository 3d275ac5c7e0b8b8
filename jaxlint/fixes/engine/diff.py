"""The changes to a file as a unified diff that `git apply` and `patch` take, byte for byte."""

from __future__ import annotations

import difflib
import os
import re

_NO_NEWLINE = b"\\ No newline at end of file\n"


def unified(name: str, before: bytes, after: bytes) -> bytes:
    """Return the diff; nothing where nothing changes.

    Args:
        name: what the file is called, from the folder on in which the diff is applied.
        before: what is in the file.
        after: what is to be in it.
    """
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(before),
        _lines(after),
        _quoted("a/", name),
        _quoted("b/", name),
        lineterm=b"\n",
    )
    return b"".join(line if line.endswith(b"\n") else line + b"\n" + _NO_NEWLINE for line in lines)


def _lines(data: bytes) -> list[bytes]:
    # Lines as git sees them: neither a form feed nor a carriage return alone ends one.
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def _quoted(prefix: str, name: str) -> bytes:
    """Return a name as git writes it: in quotes where it holds what would end or break it."""
    path = (prefix + name.replace(os.sep, "/")).encode("utf-8", "surrogateescape")
    if re.search(rb'[\x00-\x1f"\\\x7f]', path):
        escaped = re.sub(rb'["\\]', rb"\\\g<0>", path)
        return b'"' + re.sub(rb"[\x00-\x1f\x7f]", lambda match: b"\\%03o" % match[0][0], escaped) + b'"'
    # Without the tab, a blank would end the name.
    return path + b"\t" if b" " in path else path
