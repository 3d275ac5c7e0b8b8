"""Answers that may ask for themselves.

`f = jax.jit(f)` in a loop, factories that return each other's results, wrappers around wrappers: what a name represents
can depend on itself.  Such a question is cut short.  What was found on the way is then only a draft, as it lacks what
the question that was cut would have said, and somebody who starts elsewhere finds more; so a draft is kept only until
that question has its answer.  Hence an answer depends on the question, never on what was asked before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_DEEPEST = 300
"""How many questions may wait for each other: more than code written by hand needs, less than Python's stack holds."""


class Asking:
    """What all answers about one module share: how many questions wait, and what is known only as long as they do."""

    def __init__(self) -> None:
        self.depth = 0
        self.outermost = 0
        """The outermost question that what is being found was cut at, by its depth; -1 where it led too deep."""
        self.drafts: list[tuple[dict[object, Any], object]] = []

    def forget(self, first: int) -> None:
        """Drop the drafts from a number on."""
        for drafts, key in self.drafts[first:]:
            del drafts[key]
        del self.drafts[first:]


class Answers(Generic[T]):
    """The answers to one kind of question, by a key that outlives them."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._final: dict[object, T] = {}
        self.known = self._final.get
        """Gives the answer that is known already, None where there is none; quicker than asking."""
        self.keep = self._final.__setitem__
        """Keeps an answer that depends on no other."""
        self._drafts: dict[object, tuple[T, int]] = {}
        self._busy: dict[object, int] = {}

    def get(self, key: object, find: Callable[[], T], cut: T) -> T:
        """Return the answer, by `find` where it is not known; `cut` where that comes round to it or leads too far."""
        if key in self._final:
            return self._final[key]
        asking, depth = self._asking, self._asking.depth
        if key in self._busy or depth >= _DEEPEST:
            asking.outermost = min(asking.outermost, self._busy.get(key, -1))
            return cut
        if key in self._drafts:
            found, outermost = self._drafts[key]
            asking.outermost = min(asking.outermost, outermost)
            return found
        around, first = asking.outermost, len(asking.drafts)
        asking.outermost = depth
        asking.depth += 1
        self._busy[key] = depth
        try:
            found = find()
        except BaseException:
            asking.forget(first)
            raise
        finally:
            outermost, asking.outermost = asking.outermost, min(around, asking.outermost)
            asking.depth = depth
            del self._busy[key]
        if outermost == depth or depth == 0:  # it lacks no answer but its own
            self._final[key] = found
            asking.forget(first)
        else:
            self._drafts[key] = found, outermost
            asking.drafts.append((self._drafts, key))
        return found
