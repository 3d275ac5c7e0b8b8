"""What may have been meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(text: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a text, however it is capitalised; None if none is much like it."""
    # Imported where something is wrong already; nobody else should wait for it.
    import difflib

    by_folded = {name.casefold().replace("_", "-"): name for name in known}
    found = difflib.get_close_matches(text.casefold().replace("_", "-"), by_folded, n=1)
    return by_folded[found[0]] if found else None


def did_you_mean(text: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question that names the nearest known name, or what to say where there is none."""
    name = nearest(text, known)
    return f"did you mean {name!r}?" if name is not None else otherwise
