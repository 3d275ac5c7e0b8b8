"""The output formats, one file each.

A format is a module in this folder with a docstring, whose first line says what it is for, and a function
`write(report, out, style)`; those that can show counts instead of findings have a `write_statistics(report, out,
style)` too.  Its name is the file's, with `-` for `_`.  Nothing else has to be touched to add one.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import os
import pkgutil
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TextIO, TypeGuard

from jaxlint.finding import Applicability

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic, LocatedReason
    from jaxlint.finding import Severity

DEFAULT = "text"
ALIASES = {"full": "text"}
"""Other names of formats, by which users of other tools ask for them."""


@dataclass(frozen=True)
class Report:
    """What a run has to say; `diagnostics` are in the order in which they are shown."""

    diagnostics: tuple[Diagnostic, ...]
    files: int
    """How many files were read."""
    unsafe_fixes: bool = False
    """Whether unsafe fixes count as fixes, as for `--unsafe-fixes`."""
    show_reasons: bool = False
    """Whether all that supports and weakens a finding is wanted, as for `--show-evidence`."""
    fixed: int = 0
    """How many findings were fixed; they are not among the diagnostics."""
    unused: int = 0
    """How many `noqa` comments hide nothing, where that was asked for."""
    fixes: tuple[str, ...] = ()
    """What was fixed, in lines to print as they are, where that was asked for."""
    folder: str = field(default_factory=os.getcwd)
    """The folder that the names of files are relative to."""

    @functools.cached_property
    def statistics(self) -> list[tuple[str, str, int]]:
        """Code, name and number of findings of each rule that has any, the most frequent first."""
        counted = Counter((diagnostic.code, diagnostic.name) for diagnostic in self.diagnostics)
        return sorted(((*rule, count) for rule, count in counted.items()), key=lambda row: (-row[2], row[0]))

    @property
    def summary(self) -> str:
        """One line on the whole run."""
        high = sum(diagnostic.confidence.label == "high" for diagnostic in self.diagnostics)
        found = (
            f"{count(len(self.diagnostics), 'finding')} ({high} at high confidence)" if self.diagnostics else "nothing"
        )
        fixed = f"; fixed {self.fixed}" if self.fixed else ""
        unused = f"; {count(self.unused, 'unused noqa comment')}" if self.unused else ""
        return f"Found {found} in {count(self.files, 'file')}{fixed}{unused}."

    @property
    def fixable(self) -> str:
        """One line on what can be fixed; empty where nothing can."""
        counted = Counter(diagnostic.applicability for diagnostic in self.diagnostics)
        safe, unsafe = counted[Applicability.SAFE], counted[Applicability.UNSAFE]
        if self.unsafe_fixes:
            return f"[*] {safe + unsafe} fixable with --fix --unsafe-fixes." if safe + unsafe else ""
        if not safe:
            return f"{unsafe} fixable with --fix --unsafe-fixes." if unsafe else ""
        more = f" ({unsafe} more with --unsafe-fixes)" if unsafe else ""
        return f"[*] {safe} fixable with --fix{more}."

    def is_fixable(self, diagnostic: Diagnostic) -> bool:
        """Tell whether `--fix` fixes a finding, with the fixes that this run allows."""
        allowed = (Applicability.SAFE, Applicability.UNSAFE) if self.unsafe_fixes else (Applicability.SAFE,)
        return diagnostic.applicability in allowed


def reasons(diagnostic: Diagnostic, *, everything: bool) -> list[str]:
    """Return what supports and weakens a finding, a line each; by itself only the first that is in another file."""
    if everything:
        return [
            f"{'for' if reason.speaks_for else 'against'}: {_reason(diagnostic, reason)}"
            for reason in diagnostic.reasons
        ]
    return [_reason(diagnostic, dataclasses.replace(r, message=r.worded)) for r in diagnostic.elsewhere[:1]]


def _reason(diagnostic: Diagnostic, reason: LocatedReason) -> str:
    if reason.location is None:
        return reason.message
    name = one_line(diagnostic.filename_of(reason) or diagnostic.filename)
    place = f"{name}:{reason.location}" if reason.path is None else f"{name}:{reason.location.row}"
    return f"{place}: {reason.message}"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, in the singular or the plural."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def one_line(name: str) -> str:
    """Escape what would break a line or steer a terminal: names of files may hold anything."""
    return "".join(c if c.isprintable() or "\ud800" <= c <= "\udfff" else repr(c)[1:-1] for c in name)


@dataclass(frozen=True)
class Style:
    """How to write for the reader at pass."""

    color: bool = False
    """Whether escape sequences for colours are understood."""
    summary: bool = True
    """Whether the line on the whole run is wanted."""

    def bold(self, text: str) -> str:
        """Make a text stand out."""
        return self._escaped("1", text)

    def faint(self, text: str) -> str:
        """Make a text step back."""
        return self._escaped("2", text)

    def severe(self, severity: Severity, text: str) -> str:
        """Colour a text by how bad it is."""
        return self._escaped({"error": "1;31", "warning": "1;33", "note": "1;36"}[severity.value], text)

    def _escaped(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color else text


class Format(Protocol):
    """The shape of a format's module."""

    __doc__: str | None

    def write(self, report: Report, out: TextIO, style: Style) -> None:
        """Write all findings."""


class CountingFormat(Format, Protocol):
    """The shape of the module of a format that can show counts."""

    def write_statistics(self, report: Report, out: TextIO, style: Style) -> None:
        """Write how many findings each rule has, instead of the findings."""


def names() -> list[str]:
    """Return the names of all formats."""
    modules = (info.name for info in pkgutil.iter_modules(__path__))
    return sorted([*ALIASES, *(name.replace("_", "-") for name in modules if not name.startswith("_"))])


def load(name: str) -> Format:
    """Return the format of this name, which must be one of `names`."""
    module: Format = importlib.import_module(f"{__name__}.{ALIASES.get(name, name).replace('-', '_')}")
    return module


def counts(form: Format) -> TypeGuard[CountingFormat]:
    """Tell whether a format can show how many findings each rule has, instead of the findings."""
    return hasattr(form, "write_statistics")
