"""The file is not valid Python.

## What it does
Reports that a file cannot be parsed or decoded, with the place where the parser gave up. Only the command reports this:
flake8 has E999 and E902 for it, and does not call plugins on such a file.

It also reports what is skipped in a file that is otherwise linted: a notebook cell that does not parse, and the lines
of a script that only IPython understands (`%time`, `!pip install`, `f?`), as in scripts exported from notebooks. In
notebooks such lines are expected, and not reported.

## When it stays silent
A file is parsed only if it mentions JAX, or a library built on it, and a word that some selected rule looks for, such
as `jit`. A broken file without them cannot have a finding, and is not reported.

## Why it is reported
A file that cannot be read is not a clean file.

## Use instead
Fix the syntax, or exclude the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX001",
    name="syntax-error",
    summary="the file does not parse",
    impact=None,
    since="0.1.0",
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield nothing: the driver makes these findings."""
    yield from ()
