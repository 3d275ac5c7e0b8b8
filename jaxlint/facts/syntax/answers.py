"""Answers that may ask for themselves.

`f = jax.jit(f)` in a loop, factories that return each other's results, wrappers around wrappers: what a name represents
can depend on itself.  Such a question is cut short.  What was found on the way is then only a draft, as it lacks what
the question that was cut would have said, and somebody who starts elsewhere finds more; so a draft is kept for the
outermost question alone.  Hence an answer depends on the question, never on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_DEEPEST = 300
"""How many questions may wait for each other: more than code written by hand needs, less than Python's stack holds."""


class Asking:
    """What all answers about one module share: how often a question was cut, and how deep they are nested."""

    def __init__(self) -> None:
        self.cuts = 0
        self.depth = 0
        self.drafts: list[dict[object, object]] = []

    def cut(self) -> None:
        """Say that an answer was cut short, so that whatever uses it is a draft."""
        self.cuts += 1

    def forget(self) -> None:
        """Drop the drafts: the outermost question has its answer."""
        for drafts in self.drafts:
            drafts.clear()


class Answers(Generic[T]):
    """The answers to one kind of question, by a key that outlives them."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._final: dict[object, T] = {}
        self.known = self._final.get
        """Gives the answer that is known already, None where there is none; quicker than asking."""
        self.keep = self._final.__setitem__
        """Keeps an answer that depends on no other."""
        self._drafts: dict[object, T] = {}
        self._busy: set[object] = set()
        # Only ever cleared there.
        asking.drafts.append(self._drafts)  # type: ignore[arg-type]

    def get(self, key: object, find: Callable[[], T], cut: T) -> T:
        """Return the answer, by `find` where it is not known; `cut` where that comes round to it or leads too far."""
        if key in self._final:
            return self._final[key]
        asking = self._asking
        if key in self._busy or asking.depth >= _DEEPEST:
            asking.cut()
            return cut
        if key in self._drafts:
            asking.cut()
            return self._drafts[key]
        before = asking.cuts
        self._busy.add(key)
        asking.depth += 1
        try:
            found = find()
        finally:
            self._busy.discard(key)
            asking.depth -= 1
        if asking.cuts == before or asking.depth == 0:
            self._final[key] = found
        else:
            self._drafts[key] = found
        if asking.depth == 0 and asking.cuts != before:
            asking.forget()
        return found
