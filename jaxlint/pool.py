"""Doing one thing for many files in several processes, with the same results in the same order as in one."""

from __future__ import annotations

import dataclasses
import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from jaxlint.config import Config
from jaxlint.discovery import File

if TYPE_CHECKING:
    from concurrent.futures.process import ProcessPoolExecutor

_FILES_PER_PROCESS = 24
"""Below this, a second process costs more to start than it saves."""
_MOST_PROCESSES = 60
"""Windows cannot wait for more."""

_NO_CONFIG = Config()

T = TypeVar("T")
_Task = tuple[File, int]
"""A file without its configuration, which is sent but once, and the number of that."""


def processes(files: int, wanted: int | None) -> int:
    """Return how many processes to use for so many files: at most those that are wanted, if a number is."""
    if wanted is None:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = min(available, files // _FILES_PER_PROCESS)
    return max(1, min(wanted, files, _MOST_PROCESSES))


class Pool:
    """Some processes, started when they are first needed; to be left as a context.

    Args:
        jobs: how many; with one, all is done in this process.
        configs: the configurations that files may have.
    """

    def __init__(self, jobs: int, configs: Sequence[Config]) -> None:
        self._jobs = jobs
        self._configs = list(configs)
        self._numbers = {id(config): number for number, config in enumerate(configs)}
        self._running: ProcessPoolExecutor | None = None
        collect_rarely()

    @property
    def is_here(self) -> bool:
        """Whether all is done in this process."""
        return self._jobs < 2

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None:
            self._running.shutdown(cancel_futures=True)

    def each(self, do: Callable[[File], T], files: Sequence[File], died: Callable[[File], T]) -> list[T]:
        """Return what `do`, a function of a module, gives for each file, in the same order.

        Where a process dies on a file it is `died` that gives the result; the others are not affected.
        """
        if self._jobs < 2 or len(files) < 2:
            return [do(file) for file in files]
        tasks = [(dataclasses.replace(file, config=_NO_CONFIG), self._numbers[id(file.config)]) for file in files]
        results = dict(self._together(do, tasks))
        left = [index for index in range(len(files)) if index not in results]
        results.update(self._one_by_one(do, files, tasks, left, died))
        return [results[index] for index in range(len(files))]

    def _together(self, do: Callable[[File], T], tasks: Sequence[_Task]) -> Iterator[tuple[int, T]]:
        """Yield index and result of each file, or of those that were done when a process died."""
        size = max(1, min(16, len(tasks) // (self._jobs * 4)))
        batches = [range(start, min(start + size, len(tasks))) for start in range(0, len(tasks), size)]
        from concurrent.futures.process import BrokenProcessPool

        if self._running is None:
            self._running = self._executor(self._jobs)
        broken = False
        futures = [self._running.submit(_batch, do, [tasks[index] for index in batch]) for batch in batches]
        for batch, future in zip(batches, futures, strict=True):
            try:
                yield from zip(batch, future.result(), strict=True)
            except BrokenProcessPool:
                broken = True
        if broken:
            self._running.shutdown(cancel_futures=True)
            self._running = None

    def _one_by_one(
        self,
        do: Callable[[File], T],
        files: Sequence[File],
        tasks: Sequence[_Task],
        indices: Sequence[int],
        died: Callable[[File], T],
    ) -> Iterator[tuple[int, T]]:
        """Yield index and result of files among which is one that kills its process; so it is found out which."""
        from concurrent.futures.process import BrokenProcessPool

        left = deque(indices)
        while left:
            with self._executor(1) as executor:
                while left:
                    index = left.popleft()
                    try:
                        (result,) = executor.submit(_batch, do, [tasks[index]]).result()
                    except BrokenProcessPool:
                        yield index, died(files[index])
                        break
                    yield index, result

    def _executor(self, jobs: int) -> ProcessPoolExecutor:
        # Slow to import, and not needed where all is known or done in this process.
        from concurrent.futures.process import ProcessPoolExecutor

        return ProcessPoolExecutor(jobs, initializer=_start, initargs=(self._configs,))


def collect_rarely() -> None:
    """Have Python look for cycles less often.

    Syntax trees are many small objects that die by reference count; looking for cycles among them took a tenth of the
    time.  Cycles are still found, once in a while: a tree that is kept for later has some hundred thousand objects.
    """
    gc.set_threshold(2_000_000, 10, 100)


# --- in the worker ---------------------------------------------------------------------------------------------------

_configs: list[Config] = []


def _start(configs: list[Config]) -> None:
    collect_rarely()
    # Sent once: the core keeps what it derives from settings by identity.
    _configs[:] = configs
    # Ctrl-C reaches the workers too; they go silently, and the parent supports all.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _batch(do: Callable[[File], T], tasks: Sequence[_Task]) -> list[T]:
    return [do(dataclasses.replace(file, config=_configs[number])) for file, number in tasks]
