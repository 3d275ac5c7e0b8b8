"""Short names for long values, by what is in them."""

from __future__ import annotations

import hashlib


def digest(*parts: object) -> str:
    """Return a key for some values that have a text."""
    return digest_of("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"))


def digest_of(data: bytes) -> str:
    """Return a key for the content of a file."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()
