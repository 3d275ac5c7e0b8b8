"""What came of checking a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.fixes.engine.apply import Applied, Dropped


@dataclass(frozen=True, slots=True)
class Change:
    """What fixing makes of a file: its bytes before and after, what was applied, and what could not be."""

    before: bytes
    after: bytes
    applied: tuple[Applied, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one file: diagnostics in the order of their places, or the reason why it could not be read.

    Where fixes were asked for and there was one to apply, `change` holds what to write, and the diagnostics are those
    of the fixed text.  Nothing has been written yet.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None
    change: Change | None = None
    warnings: tuple[str, ...] = ()
    """What else is to be said of the file, each with its line."""
