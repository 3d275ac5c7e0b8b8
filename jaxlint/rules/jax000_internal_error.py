"""jaxlint itself failed on this file.

## What it does
Reports that jaxlint raised an exception while it read this file. The other files, and the other rules on this file, are
not affected. The command exits with 2; the flake8 plugin yields this one line and never raises.

## Why it is reported
A linter that fails silently looks like a clean file.

## Use instead
Please report it, with the file if you can share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules import Report, Rule

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

RULE = Rule(
    code="JAX000",
    name="internal-error",
    summary="jaxlint failed on this file",
    impact=None,
    since="0.1.0",
    doc=__doc__,
)


def check(facts: ModuleFacts) -> Iterator[Report]:
    """Yield nothing: the driver makes these findings."""
    yield from ()
