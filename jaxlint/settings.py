"""What a run may be told: one object, whoever fills it (pyproject.toml, the command line, flake8, a caller)."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jaxlint.finding import Confidence
from jaxlint.line_length import DEFAULT as LINE_LENGTH

if TYPE_CHECKING:
    from jaxlint.rules import Rule


@dataclass(frozen=True)
class Settings:
    """The settings that change what `lint` finds.

    Codes may be given as prefixes (`JAX1`).  Where `select` and `ignore` both name a rule, the longer prefix wins, and
    `ignore` on a tie, as in flake8.  A rule that is off by default runs only where a prefix longer than `JAX` names it.

    `wrappers` maps a dotted name to the columns of `facts/jax_api/wrappers.toml`; `run_once_functions` holds glob
    patterns.
    `line_length` is how long the lines may be that fixes write, as far as brackets allow.
    `unrolled_equations` is the number of estimated equations from which JAX301 reports a loop.
    """

    select: tuple[str, ...] = ("JAX",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.MEDIUM
    preview: bool = False
    run_once_functions: tuple[str, ...] = ()
    test_paths: tuple[str, ...] = ()
    unrolled_equations: int = 1000
    wrappers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    line_length: int = LINE_LENGTH

    def enabled(self, rule: Rule) -> bool:
        """Tell whether `rule` runs: selected, not ignored, and asked for where it is in preview or off by default."""
        chosen = max((len(p) for p in (*self.select, *self.extend_select) if rule.code.startswith(p)), default=-1)
        ignored = max((len(p) for p in (*self.ignore, *self.extend_ignore) if rule.code.startswith(p)), default=-1)
        if chosen < 0 or ignored >= chosen:
            return False
        if rule.off_by_default and chosen <= len("JAX"):
            return False
        return self.preview or not rule.preview

    def is_run_once(self, name: str) -> bool:
        """Tell whether a function of this name runs once per process, judged by its name alone."""
        bare = name.lstrip("_")
        return any(fnmatch.fnmatchcase(bare, pattern) for pattern in (*RUN_ONCE_FUNCTIONS, *self.run_once_functions))


RUN_ONCE_FUNCTIONS = (
    "main",
    "train",
    "train_and_evaluate",
    "evaluate",
    "run",
    "setup*",
    "init*",
    "*_init",
    "restore*",
    "create*",
)
"""Names of functions that run once per process: 49 of 592 labelled places were fine for this reason alone, and 33 more
were one-shot initialisation."""

ENTRY_POINTS = frozenset({"main", "train", "train_and_evaluate", "evaluate", "run"})
"""Functions that start a program, by their name."""
