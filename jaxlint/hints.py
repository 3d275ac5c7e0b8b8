"""What may have been meant by a name that is not known."""

from __future__ import annotations

import itertools
from collections.abc import Iterable


def nearest(text: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a text, however it is capitalised; None if none is much like it."""
    # Imported where something is wrong already; nobody else should wait for it.
    import difflib

    by_folded = {name.casefold().replace("_", "-"): name for name in known}
    wanted = text.casefold().replace("_", "-")
    found = difflib.get_close_matches(wanted, by_folded, n=8)
    if not found:
        return None
    # Of equally close names the one with the same beginning, which in a code says what it is about.
    alike = {name: difflib.SequenceMatcher(None, wanted, name).ratio() for name in found}
    return by_folded[max(found, key=lambda name: (alike[name], _shared(wanted, name)))]


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def did_you_mean(text: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question that names the nearest known name, or what to say where there is none."""
    name = nearest(text, known)
    return f"did you mean {name!r}?" if name is not None else otherwise
