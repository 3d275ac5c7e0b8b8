"""Counts what is passed to the device one by one: single operations, and programs made of many.

jax tells its listeners of compiles, not of calls: the same operation a second time leaves no record.  Where all
dispatch passes through Python there are two doors, the rule that evaluates a primitive and the function that runs a
jitted one; C++ keeps a short cut around both, which is closed while something is counted.
"""

from __future__ import annotations

import contextlib
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

_TRANSFERS = frozenset(("device_put", "copy", "copy_p", "stage"))
"""Primitives that compute nothing."""
_JITTED = frozenset(("jit", "pjit"))
_LIMIT = 20_000
"""So many dispatches of one run are counted; what they were made for takes long enough."""


class Dispatches:
    """Tells `count` of each dispatch, while `counting`: its name, and whether a function of the user's was compiled.

    `is_user` tells by its file name whether code is the user's.  `known` is False under a jax that has not these doors.
    """

    def __init__(self, count: Callable[[str, bool], None], is_user: Callable[[str], bool]) -> None:
        self._count = count
        self._is_user = is_user
        self._state = threading.local()
        self._counting = self._paused = False
        self._left = 0
        core, pjit = sys.modules.get("jax._src.core"), sys.modules.get("jax._src.pjit")
        trace = getattr(core, "EvalTrace", None)
        self.known = hasattr(trace, "process_primitive") and hasattr(pjit, "_get_fastpath_data")
        if not self.known:
            return
        self._replace(trace, "process_primitive", self._evaluating)
        self._replace(pjit, "_get_fastpath_data", self._without_short_cut)
        if hasattr(pjit, "_pjit_call_impl_python"):
            self._replace(pjit, "_pjit_call_impl_python", self._running)

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Count inside; caches must be cleared before, for what is in them is not seen."""
        self._counting, self._left = True, _LIMIT
        try:
            yield
        finally:
            self._counting = False

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing inside; the short cut stays closed, for what is run here may be run again outside."""
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before

    @staticmethod
    def _replace(owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        setattr(owner, name, wrap(getattr(owner, name)))

    def _evaluating(self, original: Any) -> Any:
        def process_primitive(trace: Any, primitive: Any, *rest: Any) -> Any:
            if not self._counting:
                return original(trace, primitive, *rest)
            with self._noted(primitive.name, rest[-1]):
                return original(trace, primitive, *rest)

        return process_primitive

    def _running(self, original: Any) -> Any:
        def run(*arguments: Any, **params: Any) -> Any:
            if not self._counting:
                return original(*arguments, **params)
            with self._noted("jit", params):
                return original(*arguments, **params)

        return run

    def _without_short_cut(self, original: Any) -> Any:
        def fastpath_data(*arguments: Any, **words: Any) -> Any:
            return None if self._counting else original(*arguments, **words)

        return fastpath_data

    @contextlib.contextmanager
    def _noted(self, name: str, params: Any) -> Iterator[None]:
        """Note a dispatch, unless it is part of another one."""
        depth = getattr(self._state, "depth", 0)
        if depth == 0 and not self._paused and name not in _TRANSFERS and self._left > 0:
            self._left -= 1
            whole = name in _JITTED and self._is_program(params.get("jaxpr"))
            self._count(str(params.get("name") or name), whole)
        self._state.depth = depth + 1
        try:
            yield
        finally:
            self._state.depth = depth

    def _is_program(self, jaxpr: Any) -> bool:
        """Tell whether a jitted function was written by the user, and is no operation of a library."""
        information = getattr(getattr(jaxpr, "jaxpr", jaxpr), "debug_info", None)
        source = str(getattr(information, "func_src_info", None) or "")
        match = re.search(r" at (.+):\d+$", source)
        return match is not None and self._is_user(match[1])
