"""Gives each finding of many files a verdict.  One file's failure never ends the run, nor touches the next."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxlint import ipython
from jaxlint.diagnostic import Diagnostic
from jaxlint.source import Source
from jaxlint.verify.observation import Range
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Limits, Prover, WorkerError
from jaxlint.verify.remembered import Remembered
from jaxlint.verify.verdict import Result, Verdict


@dataclass(frozen=True, slots=True)
class Job:
    """A file and the findings in it; `examples` is a file that gives the examples, instead of the file itself."""

    path: Path
    diagnostics: tuple[Diagnostic, ...]
    examples: str | None = None


@dataclass(frozen=True)
class Verifier:
    """How to verify: under which interpreter, and with what limits.

    `timeout` is in seconds, and holds for each target; `total` for all of them together.  `memory` knows the verdicts
    of earlier runs.
    """

    python: str = sys.executable
    timeout: float = 30.0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    total: float | None = None
    memory: Remembered | None = None

    def verify(
        self,
        jobs: Sequence[Job],
        reached: Callable[[Result], None] = lambda _: None,
        started: Callable[[str, str], None] = lambda *_: None,
    ) -> list[Result]:
        """Return a result for each finding, in order.

        `reached` is told of each result as soon as it and all before it are there; `started` of the version of jax and
        how the code is held, before any of it runs.  Where the user interrupts, those that are there so far are
        `InterruptedRunError.results`.

        Raises:
            WorkerError: no process with jax can be started under this interpreter.
            InterruptedRunError: the user did not want to wait for the others.
        """
        run = _Run(self, jobs, reached)
        todo = run.remembered()
        count = max(1, min(self.jobs, len(todo)))
        provers = [self.prover() for _ in range(count)]
        try:
            if todo:
                # Found out once, and before a file is held responsible.
                version = provers[0].start()
                started(version, provers[0].held)
                run.work(todo, provers)
            return run.results
        except KeyboardInterrupt:
            raise InterruptedRunError(run.results) from None
        finally:
            for prover in provers:
                prover.close()
            if self.memory is not None:
                self.memory.close()

    def prover(self) -> Prover:
        """Return what runs the code."""
        return Prover(self.python, self.timeout, limits=self.limits)

    @property
    def budget(self) -> Budget:
        """How long to look for arguments, within the time for a target."""
        return Budget(seconds=self.timeout / 3, recording=self.timeout / 2)


class InterruptedRunError(Exception):
    """The user interrupted a run; `results` are those that it had reached."""

    def __init__(self, results: list[Result]) -> None:
        super().__init__("interrupted")
        self.results = results


class _Run:
    """The results of one run, which several threads bring together."""

    def __init__(self, verifier: Verifier, jobs: Sequence[Job], reached: Callable[[Result], None]) -> None:
        self._verifier = verifier
        self._jobs = jobs
        self._reached = reached
        self._results: list[list[Result | None]] = [[None] * len(job.diagnostics) for job in jobs]
        self._told = 0
        self._lock = threading.Lock()
        self._end = None if verifier.total is None else time.monotonic() + verifier.total

    @property
    def results(self) -> list[Result]:
        """The results that are there, in order."""
        return [result for results in self._results for result in results if result is not None]

    def remembered(self) -> list[int]:
        """Take over what earlier runs found out, and return the numbers of the jobs that are left to do."""
        memory = self._verifier.memory
        for number, job in enumerate(self._jobs if memory is not None else ()):
            for index, diagnostic in enumerate(job.diagnostics):
                key = memory.key(job.path, diagnostic, job.examples) if memory is not None else ""
                known = memory.get(key, diagnostic) if memory is not None else None
                if known is not None:
                    self._results[number][index] = known
        self._tell()
        return [number for number, results in enumerate(self._results) if None in results]

    def work(self, todo: Sequence[int], provers: Sequence[Prover]) -> None:
        """Do jobs, as many at a time as there are provers."""
        free = list(provers)

        def one(number: int) -> None:
            with self._lock:
                prover = free.pop()
            try:
                self._do(number, prover)
            finally:
                free.append(prover)

        executor = ThreadPoolExecutor(len(provers))
        try:
            list(executor.map(one, todo))
        finally:
            # Whatever is still being waited for is of no interest any more.
            for prover in provers:
                prover.stop()
            executor.shutdown(cancel_futures=True)

    def _do(self, number: int, prover: Prover) -> None:
        job, memory = self._jobs[number], self._verifier.memory
        left = [i for i, result in enumerate(self._results[number]) if result is None]
        rest = replace(job, diagnostics=tuple(job.diagnostics[index] for index in left))
        results = verify_file(prover, rest, self._verifier.budget)
        for index in left:
            diagnostic = job.diagnostics[index]
            if self._end is not None and time.monotonic() > self._end:
                result = Result.not_run(
                    diagnostic, f"out of time: the limit for all findings together is {self._verifier.total:g} s"
                )
            else:
                result = next(results)
                if prover.stopped:
                    return
                if memory is not None:
                    with self._lock:
                        memory.put(memory.key(job.path, diagnostic, job.examples), result)
            with self._lock:
                self._results[number][index] = result
                self._tell()

    def _tell(self) -> None:
        """Pass on those results of which all before are there."""
        flat = [result for results in self._results for result in results]
        while self._told < len(flat):
            result = flat[self._told]
            if result is None:
                break
            self._told += 1
            self._reached(result)


def verify_file(prover: Prover, job: Job, budget: Budget) -> Iterator[Result]:
    """Yield a result for each finding of a file.

    Raises:
        WorkerError: no process with jax can be started.
    """
    source = None
    if job.path.suffix == ".ipynb":
        # Its cells are run one after the other, as the script that they are linted as.
        source = Source.from_bytes(job.path.read_bytes(), job.path.name)
    ranges = [_range(diagnostic, source) for diagnostic in job.diagnostics]
    lines, spans = {where[0] for where in ranges}, set(ranges)
    proof: Proof | None = None
    reason = ""
    text = None if source is None else source.text.encode()
    try:
        proof = Proof(prover, job.path, lines, budget=budget, examples=job.examples, spans=spans, source=text)
    except (SyntaxError, ValueError, OSError, RecursionError) as error:
        reason = f"the file cannot be loaded: {error}"
    for diagnostic, where in zip(job.diagnostics, ranges, strict=True):
        if diagnostic.code == "JAX001":
            yield _read(prover, job.path, diagnostic, _cell(source, diagnostic))
            continue
        yield _result(proof, diagnostic, where) if proof else Result.not_run(diagnostic, reason)


def _cell(source: Source | None, diagnostic: Diagnostic) -> bytes | None:
    """Return the cell of a notebook that a finding is about, without what is for IPython; None outside notebooks.

    In the text of all cells, one that is no Python is blank.
    """
    if source is None:
        return None
    cells = dict(source.sources())
    number = diagnostic.location.cell
    shown = source.text if number is None else ipython.hide(cells.get(number, ""), commands=True)[0]
    return shown.encode()


def _read(prover: Prover, path: Path, diagnostic: Diagnostic, text: bytes | None) -> Result:
    """Have Python itself read a file, under the interpreter that would run it."""
    try:
        reason = prover.reads(path, text)
    except (WorkerError, OSError) as error:
        return Result.not_run(diagnostic, str(error))
    if reason is None:
        return Result(diagnostic, Verdict.REFUTED, "Python reads the file without an error", "concrete")
    if not reason.startswith(("SyntaxError", "IndentationError", "TabError")):
        return Result.not_run(diagnostic, reason)
    return Result(diagnostic, Verdict.CONFIRMED, f"Python cannot read the file: {reason}", "concrete")


def _result(proof: Proof, diagnostic: Diagnostic, where: Range) -> Result:
    if diagnostic.impact is None:
        return Result.not_run(diagnostic, "it is about the file, not about what the code does")
    try:
        judgement = proof.judge(where[0], diagnostic.code, impact=diagnostic.impact)
        judgement = proof.settled(judgement, where, diagnostic.code, diagnostic.impact)
    except LookupError:
        return Result.not_run(diagnostic, f"no way is known to measure what {diagnostic.code} claims")
    result = Result.of(diagnostic, judgement)
    called = (judgement.figures.target,) if judgement.figures.target else ()
    return replace(result, targets=(*called, *proof.targets(where[0])))


def _range(diagnostic: Diagnostic, source: Source | None) -> Range:
    """Return where a finding is, as Python's syntax trees count; in a notebook in the text of all its cells."""
    start, end = diagnostic.location, diagnostic.end_location
    columns = [
        len(line[: place.column - 1].encode()) for line, place in ((diagnostic.line, start), (diagnostic.end_line, end))
    ]
    rows = [p.row if source is None else source.row_of(p.row, p.cell) for p in (start, end)]
    return rows[0], columns[0], rows[1], columns[1]


def only(jobs: Iterable[Job], places: Sequence[tuple[Path, int]]) -> list[Job]:
    """Return the jobs with those findings that are at one of the places, each a resolved path and a line."""
    kept = []
    for job in jobs:
        rows = {row for path, row in places if path == job.path.resolve()}
        found = tuple(d for d in job.diagnostics if any(d.location.row <= row <= d.end_location.row for row in rows))
        if found:
            kept.append(Job(job.path, found, job.examples))
    return kept
