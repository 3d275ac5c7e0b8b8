"""Gives each finding of many files a verdict.  One file's failure never ends the run, nor touches the next."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from jaxlint.diagnostic import Diagnostic
from jaxlint.verify.judge import Judgement
from jaxlint.verify.observation import Range
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Limits, Prover
from jaxlint.verify.verdict import Result


@dataclass(frozen=True, slots=True)
class Job:
    """A file and the findings in it; `examples` is a file that gives the examples, instead of the file itself."""

    path: Path
    diagnostics: tuple[Diagnostic, ...]
    examples: str | None = None


@dataclass(frozen=True)
class Verifier:
    """How to verify: under which interpreter, and with what limits.

    `timeout` is in seconds, and holds for each target.
    """

    python: str = sys.executable
    timeout: float = 30.0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)

    def verify(
        self,
        jobs: Sequence[Job],
        done: Callable[[int], None] = lambda _: None,
        started: Callable[[str, str], None] = lambda *_: None,
    ) -> list[Result]:
        """Return a result for each finding, in order; `done` is told how many more have one.

        `started` is told of the version of jax and how the code is held, before any of it runs.

        Raises:
            WorkerError: no process with jax can be started under this interpreter.
        """
        count = max(1, min(self.jobs, len(jobs)))
        provers = [self.prover() for _ in range(count)]
        free = list(provers)
        lock = threading.Lock()

        def one(job: Job) -> list[Result]:
            with lock:
                prover = free.pop()
            try:
                results = []
                for result in verify_file(prover, job, self.budget):
                    results.append(result)
                    done(1)
                return results
            finally:
                free.append(prover)

        try:
            # Found out once, and before a file is held responsible.
            version = provers[0].start()
            started(version, provers[0].held)
            with ThreadPoolExecutor(count) as executor:
                return [result for results in executor.map(one, jobs) for result in results]
        finally:
            for prover in provers:
                prover.close()

    def prover(self) -> Prover:
        """Return what runs the code."""
        return Prover(self.python, self.timeout, limits=self.limits)

    @property
    def budget(self) -> Budget:
        """How long to look for arguments, within the time for a target."""
        return Budget(seconds=min(Budget().seconds, self.timeout / 2), recording=self.timeout / 2)


def verify_file(prover: Prover, job: Job, budget: Budget) -> Iterator[Result]:
    """Yield a result for each finding of a file.

    Raises:
        WorkerError: no process with jax can be started.
    """
    lines = {diagnostic.location.row for diagnostic in job.diagnostics}
    spans = {_range(diagnostic) for diagnostic in job.diagnostics}
    proof: Proof | None = None
    reason = ""
    try:
        proof = Proof(prover, job.path, lines, budget=budget, examples=job.examples, spans=spans)
    except (SyntaxError, ValueError, OSError, RecursionError) as error:
        reason = f"the file cannot be loaded: {error}"
    for diagnostic in job.diagnostics:
        yield _result(proof, diagnostic) if proof else Result.not_run(diagnostic, reason)


def _result(proof: Proof, diagnostic: Diagnostic) -> Result:
    if diagnostic.impact is None:
        return Result.not_run(diagnostic, "it speaks of the file, not of what the code does")
    try:
        judgement = proof.judge(diagnostic.location.row, diagnostic.code, impact=diagnostic.impact)
        judgement = proof.settled(judgement, _range(diagnostic), diagnostic.code, diagnostic.impact)
    except LookupError:
        return Result.not_run(diagnostic, f"no way is known to measure what {diagnostic.code} claims")
    result = Result.of(diagnostic, judgement)
    called = (judgement.figures.target,) if judgement.figures.target else ()
    return replace(result, targets=(*called, *proof.targets(diagnostic.location.row)))


def _range(diagnostic: Diagnostic) -> Range:
    """Return where a finding is, as Python's syntax trees count."""
    start, end = diagnostic.location, diagnostic.end_location
    columns = [
        len(line[: place.column - 1].encode()) for line, place in ((diagnostic.line, start), (diagnostic.end_line, end))
    ]
    return start.row, columns[0], end.row, columns[1]


def verify_at(prover: Prover, path: Path, line: int, code: str, *, budget: Budget | None = None) -> Judgement:
    """Judge what a rule claims, or might claim, of a line, whether or not there is a finding.

    Raises:
        SyntaxError: the file is no Python.
        OSError: it cannot be read.
        LookupError: no effect is known for this code.
        WorkerError: no process with jax can be started.
    """
    return Proof(prover, path, {line}, budget=budget or Budget()).judge(line, code)


def only(jobs: Iterable[Job], places: Sequence[tuple[Path, int]]) -> list[Job]:
    """Return the jobs with those findings that are at one of the places, each a resolved path and a row."""
    kept = []
    for job in jobs:
        rows = {row for path, row in places if path == job.path.resolve()}
        found = tuple(d for d in job.diagnostics if any(d.location.row <= row <= d.end_location.row for row in rows))
        if found:
            kept.append(Job(job.path, found, job.examples))
    return kept
