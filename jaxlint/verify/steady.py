"""Clocks and random numbers that are the same for two versions of a module, so that what these give can be compared."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

_CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
_NANOSECONDS = 1_000_000_000


class Steady:
    """Is between the code under test and Python's clocks.

    `is_user` tells by its file name whether code is the user's.  Python and jax read the real clocks at all times.
    """

    def __init__(self, is_user: Callable[[str], bool]) -> None:
        self._is_user = is_user
        self._now: int | None = None
        for name in _CLOCKS:
            setattr(time, name, self._instead_of(getattr(time, name), 1.0))
            setattr(time, f"{name}_ns", self._instead_of(getattr(time, f"{name}_ns"), _NANOSECONDS))

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        """Have clocks tell, each time they are read, one second more than before, and random numbers start afresh."""
        random.seed(0)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(0)
        self._now = 0
        try:
            yield
        finally:
            self._now = None

    def _instead_of(self, real: Any, second: float) -> Any:
        def clock() -> float:
            if self._now is None or not self._is_user(sys._getframe(1).f_code.co_filename):
                return real()  # type: ignore[no-any-return]
            self._now += 1
            return self._now * second

        # Some look a function up by these.
        clock.__module__ = "time"
        clock.__name__ = clock.__qualname__ = real.__name__
        return clock
