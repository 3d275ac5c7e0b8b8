"""How often functions run: once in a process, again and again, or in tests alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.facts.context.calls import CallSite
from jaxlint.facts.context.surroundings import (
    is_example_file,
    is_test_class,
    is_test_file,
    is_test_name,
)
from jaxlint.facts.incoming import CASES, ONCE, STEPS, Outside
from jaxlint.facts.syntax.retries import is_retry
from jaxlint.facts.syntax.tree import Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Runs:
    """Tells how often functions run; `is_run_once` says which run once per process."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._source = facts.source
        self._settings = facts.settings
        self._calls = facts.calls
        self._contexts = facts.contexts
        self.is_run_once = facts.is_run_once
        self._incoming = facts.incoming

    def is_repeated(self, function: Function | None, counts: Callable[[CallSite], bool] = lambda _: True) -> bool:
        """Whether a function is called, perhaps by way of others, in a visible loop that no trace surrounds.

        `counts` says of a call in a loop of this module whether it counts; by itself each one does.
        """
        return self.repeating(function, counts) is not None

    def repeating(
        self, function: Function | None, counts: Callable[[CallSite], bool] = lambda _: True
    ) -> CallSite | Outside | None:
        """Return the call in a loop, or what other modules do, that repeats a function; see `is_repeated`."""
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if current is None or id(current) in seen:
                continue
            seen.add(id(current))
            outside = self._incoming.functions.get(current.qualname)
            if outside is not None and outside.repeated:
                return outside
            for site in self._calls.of(current):
                if self._contexts.is_traced_only(site.context.function):
                    continue
                if _is_in_loop(site) and counts(site):
                    return site
                work.append(site.context.function)
        return None

    def is_shown_only(self, function: Function | None) -> bool:
        """Whether only the main block of its module repeats a function, though others use what the module defines."""
        return (
            bool(self._incoming.functions)
            and self.is_repeated(function)
            and not self.is_repeated(function, lambda site: site.context.function is not None)
        )

    def again(self, function: Function | None, is_step: Callable[[CallSite], bool]) -> int:
        """Say what kind of loop visible runs a function again, perhaps by way of others: STEPS, CASES or 0 for none.

        `is_step` says of a call in a loop of this module whether the loop does the same again in each iteration.  The
        cases that an example or a script goes through are its own.
        """
        found, work, seen = 0, [function], set[int]()
        while work:
            current = work.pop()
            if current is None or id(current) in seen:
                continue
            seen.add(id(current))
            outside = self._incoming.functions.get(current.qualname)
            found = max(found, outside.again if outside is not None else 0)
            for site in self._calls.of(current):
                if self._contexts.is_traced_only(site.context.function):
                    continue
                if _is_in_loop(site):
                    found = max(found, STEPS if is_step(site) else 0 if self.is_example else CASES)
                work.append(site.context.function)
        return found

    def is_unused_in_project(self, function: Function | None) -> bool:
        """Whether the code around is there to call a function, and no more than one place does: nobody repeats it.

        Of a file that is looked at alone, who knows who else calls what it defines.
        """
        return not self._incoming.alone and function is not None and len(self._calls.of(function)) <= 1

    def called_once(self, function: Function | None) -> bool:
        """Whether calls of a function are visible and all of them run once."""
        work, seen = [function], set[int]()
        while work:
            current = work.pop()
            if current is None or id(current) in seen:
                return False
            seen.add(id(current))
            calls = self._calls.of(current)
            outside = self._incoming.functions.get(current.qualname)
            elsewhere = outside.called if outside is not None else 0
            if elsewhere > ONCE or any(map(_is_in_loop, calls)):
                return False
            if not calls and not elsewhere:
                return False
            work.extend(
                site.context.function
                for site in calls
                if site.context.function is not None and not self.is_run_once(site.context.function)
            )
        return True

    def is_test(self, function: Function | None) -> bool:
        """Whether a place belongs to a test or a benchmark: by the file's path, or the names around it."""
        if self._is_test_file:
            return True
        current = function
        while current is not None:
            if is_test_name(current.name) or (current.cls is not None and is_test_class(current.cls.name)):
                return True
            current = current.outer
        return False

    @functools.cached_property
    def _is_test_file(self) -> bool:
        return is_test_file(self._source.path, self._settings)

    @functools.cached_property
    def is_example(self) -> bool:
        """Whether the module is an example, a script or a notebook: what it defines, nobody imports."""
        return is_example_file(self._source.path)


def _is_in_loop(site: CallSite) -> bool:
    """Whether a loop around a call repeats it, and does not only try it again when it fails."""
    loop = site.context.loop
    return loop is not None and not all(map(is_retry, (loop, *loop.around)))
