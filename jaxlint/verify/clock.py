"""Time that the code under test had, which on a busy machine is less than what passes.

What a program may take is meant as seconds of work.  While it waits for a processor that others have, little of a
second counts; while it waits of its own accord, all of it does, or nothing would ever end it.
"""

from __future__ import annotations

import time

_monotonic, _process_time = time.monotonic, time.process_time
"""The code under test may be given other clocks."""


class Clock:
    """Adds up time, each time it is told how much of a processor was used so far."""

    def __init__(self, used: float) -> None:
        self._wall, self._used, self._total = _monotonic(), used, 0.0

    def now(self, used: float) -> float:
        """Return the seconds that count so far; `used` are those of a processor since any one moment."""
        wall = _monotonic()
        passed, worked = wall - self._wall, max(used - self._used, 0.0)
        self._wall, self._used = wall, max(used, self._used)
        waiting = worked < passed * _IDLE
        self._total += passed if waiting else min(max(worked, passed * _LEAST), passed)
        return self._total


def now() -> float:
    """Return the seconds that count in this process, since any one moment."""
    return _OWN.now(_process_time())


_OWN = Clock(_process_time())
_IDLE = 0.03
"""What uses less of a processor than this is waiting."""
_LEAST = 0.25
"""So much of the time that passes counts in any case."""
