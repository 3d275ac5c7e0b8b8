"""Fixes that are applied where they were proven, and nowhere else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.finding import Finding, Fix
from jaxlint.fixes.engine.apply import Key, Lint, Mended, key_of, mend, usable
from jaxlint.settings import Settings
from jaxlint.source import Source
from jaxlint.verify.proof import Budget
from jaxlint.verify.prove import FixProof, prove
from jaxlint.verify.prover import Prover
from jaxlint.verify.verdict import FixVerdict, Result, Verdict

_TARGETS = 3
"""How many functions are tried that lead to a place."""
_ALTERNATIVES = 4
"""How many ways to fix a finding are tried."""

Show = Callable[[Source, Iterable[Finding]], list[Finding]]


@dataclass
class Mending:
    """One file under repair.

    `lint` gives all findings of a text, down to confidence `low`; `show` picks those that the user is to see, with the
    fixes that may be used.  `examples` is a file that gives the examples.
    """

    prover: Prover
    path: Path
    source: Source
    lint: Lint
    show: Show
    settings: Settings = field(default_factory=Settings)
    budget: Budget = field(default_factory=Budget)
    examples: str | None = None

    def mend(self, results: Sequence[Result]) -> list[Result]:
        """Apply what holds, to `source`, and return the results with a verdict on the fix of each that has one.

        Findings that show when one function is called are fixed together first, as each of them would hide that the
        effect of another one is gone, and one by one where that does not hold.

        Raises:
            WorkerError: no process with jax can be started.
        """
        found = {finding.fingerprint: finding for finding in self.show(self.source, self.lint(self.source))}
        verdicts: dict[int, FixVerdict] = {}
        groups: dict[tuple[str, str], list[int]] = {}
        keys: dict[int, Key] = {}
        preferred: dict[int, Fix] = {}
        for number, result in enumerate(results):
            finding = found.get(result.diagnostic.fingerprint)
            fixes = usable(finding, unsafe=True) if finding else ()
            if finding is None or not fixes or result.verdict is Verdict.REFUTED:
                continue
            preferred[number] = fixes[0]
            if result.verdict is Verdict.NOT_RUN:
                verdicts[number] = _unproven(Verdict.NOT_RUN, "the finding itself was not run", fixes[0])
                continue
            keys[number] = key_of(self.source, finding)
            groups.setdefault((finding.code, next(iter(result.targets), "")), []).append(number)
        for numbers in groups.values():
            verdicts.update(self._together(numbers, results, keys, preferred))
        return [dataclasses.replace(result, fix=verdicts.get(number)) for number, result in enumerate(results)]

    def _together(
        self, numbers: list[int], results: Sequence[Result], keys: dict[int, Key], preferred: dict[int, Fix]
    ) -> dict[int, FixVerdict]:
        if len(numbers) > 1:
            verdict = self._try([keys[number] for number in numbers], results[numbers[0]], 0)
            if verdict is not None and verdict.applied:
                return {number: _like(verdict, preferred[number]) for number in numbers}
        found = {}
        for number in numbers:
            verdict = self._one(keys[number], results[number])
            if verdict is not None:
                found[number] = verdict
        return found

    def _one(self, key: Key, result: Result) -> FixVerdict | None:
        """Try the fixes of one finding in turn; return the verdict on the one that holds, or else on the first."""
        first: FixVerdict | None = None
        for choice in range(_ALTERNATIVES):
            verdict = self._try([key], result, choice)
            if verdict is None:
                break
            first = first or verdict
            if verdict.applied:
                return verdict
        return first

    def _try(self, keys: Sequence[Key], result: Result, choice: int) -> FixVerdict | None:
        """Apply the fixes of this choice to findings, if that is proven; None if there are none."""
        chosen: list[Fix] = []

        def choose(source: Source, found: Iterable[Finding]) -> list[Finding]:
            picked = []
            for finding in self.show(source, found):
                fixes = usable(finding, unsafe=True)[choice : choice + 1]
                if fixes and key_of(source, finding) in keys:
                    chosen.extend(fixes)
                    picked.append(dataclasses.replace(finding, fixes=fixes))
            return picked

        mended = mend(self.source, self.lint, choose, unsafe=True)
        if not chosen:
            return None
        if not mended.applied:
            reason = mended.dropped[0].reason if mended.dropped else "it does not fit the text"
            return _unproven(Verdict.REFUTED, reason, chosen[0])
        proof = self._prove(mended, result)
        verdict = {True: Verdict.CONFIRMED, False: Verdict.REFUTED, None: Verdict.NOT_RUN}[proof.holds]
        if proof.holds:
            self.source = mended.source
        return FixVerdict(
            verdict,
            " ".join(proof.reason.split()),
            chosen[0].message,
            chosen[0].applicability,
            proof.same_output,
            proof.evidence,
            proof.before,
            bool(proof.holds),
        )

    def _prove(self, mended: Mended, result: Result) -> FixProof:
        proof = FixProof(None, "nothing is known to call for it")
        for target in dict.fromkeys(result.targets[:_TARGETS]):
            proof = prove(
                self.prover,
                self.path,
                mended.source.to_bytes(mended.source.text),
                result.diagnostic.code,
                [target],
                settings=self.settings,
                budget=self.budget,
                text=self.source.to_bytes(self.source.text),
                examples=self.examples,
                measured=True,
            )
            if proof.holds is not None:
                break
        return proof


def _unproven(verdict: Verdict, reason: str, fix: Fix) -> FixVerdict:
    return FixVerdict(verdict, reason, fix.message, fix.applicability)


def _like(verdict: FixVerdict, fix: Fix) -> FixVerdict:
    return dataclasses.replace(verdict, message=fix.message, applicability=fix.applicability)
