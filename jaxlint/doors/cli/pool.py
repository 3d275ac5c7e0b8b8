"""Linting many files in several processes, with the same results in the same order as in one."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

from jaxlint.config import Config
from jaxlint.discovery import File
from jaxlint.driver import Checked, check_file, failure

_FILES_PER_PROCESS = 24
"""Below this, a second process costs more to start than it saves."""
_MOST_PROCESSES = 60
"""Windows cannot wait for more."""

_Task = tuple[str, str, int, bool]
"""Name and path of a file, the number of its configuration, and whether to fix it."""


def processes(files: int, wanted: int | None) -> int:
    """Return how many processes to use for so many files: at most those that are wanted, if a number is."""
    if wanted is None:
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = min(available, files // _FILES_PER_PROCESS)
    return max(1, min(wanted, files, _MOST_PROCESSES))


def check_files(files: Sequence[File], jobs: int, *, fix: bool = False) -> list[Checked]:
    """Lint files, and fix their texts if asked to, and return what came of each, in the same order.

    A file on which a process dies gets a JAX000; the others are not affected.
    """
    _collect_rarely()
    if jobs < 2:
        return [check_file(file, fix=fix) for file in files]
    configs = list({id(file.config): file.config for file in files}.values())
    numbers = {id(config): number for number, config in enumerate(configs)}
    tasks = [(file.name, file.path, numbers[id(file.config)], fix) for file in files]
    results = dict(_together(tasks, configs, jobs))
    left = [index for index in range(len(files)) if index not in results]
    results.update(_one_by_one(files, tasks, configs, left))
    return [results[index] for index in range(len(files))]


def _together(tasks: Sequence[_Task], configs: list[Config], jobs: int) -> Iterator[tuple[int, Checked]]:
    """Yield index and result of each file, or of those that were done when a process died."""
    size = max(1, min(16, len(tasks) // (jobs * 4)))
    with _executor(jobs, configs) as executor:
        batches = [range(start, min(start + size, len(tasks))) for start in range(0, len(tasks), size)]
        futures = [executor.submit(_check_batch, [tasks[index] for index in batch]) for batch in batches]
        try:
            for batch, future in zip(batches, futures, strict=True):
                try:
                    yield from zip(batch, future.result(), strict=True)
                except BrokenProcessPool:
                    continue
        except BaseException:
            executor.shutdown(cancel_futures=True)
            raise


def _one_by_one(
    files: Sequence[File], tasks: Sequence[_Task], configs: list[Config], indices: Sequence[int]
) -> Iterator[tuple[int, Checked]]:
    """Yield index and result of files among which is one that kills its process; so it is found out which."""
    left = deque(indices)
    while left:
        with _executor(1, configs) as executor:
            while left:
                index = left.popleft()
                try:
                    (result,) = executor.submit(_check_batch, [tasks[index]]).result()
                except BrokenProcessPool:
                    message = "jaxlint failed on this file: the process that linted it died; please report this"
                    yield index, Checked((failure("JAX000", "internal-error", message, files[index]),))
                    break
                yield index, result


def _executor(jobs: int, configs: list[Config]) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, initializer=_start, initargs=(configs,))


# --- in the worker ---------------------------------------------------------------------------------------------------

_configs: list[Config] = []


def _collect_rarely() -> None:
    # Syntax trees are many small objects that die by reference count; looking for cycles among them took a tenth of
    # the time.  Cycles are still found, once in a while.
    gc.set_threshold(100_000, 50, 100)


def _start(configs: list[Config]) -> None:
    _collect_rarely()
    # Sent once: the core keeps what it derives from settings by identity.
    _configs[:] = configs
    # Ctrl-C reaches the workers too; they go without a word, and the parent speaks for all.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _check_batch(tasks: Sequence[_Task]) -> list[Checked]:
    return [check_file(File(name, path, _configs[number]), fix=fix) for name, path, number, fix in tasks]
