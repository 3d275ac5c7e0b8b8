"""From the bytes of a file to its diagnostics: what doors do around the core.

The flake8 door alone does without, as flake8 reads the files and knows what to hide.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.diagnostic import Diagnostic
from jaxlint.finding import Confidence, Finding, Span
from jaxlint.linter import fingerprinted, lint
from jaxlint.noqa import Noqa
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jaxlint.config import Config
    from jaxlint.discovery import File


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of one file: diagnostics in the order of their places, or the reason why it could not be read."""

    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None


def check_file(file: File) -> Checked:
    """Lint one file.  Never raises: what goes wrong is in the result."""
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        return Checked(error=f"{file.name}: cannot be read: {error.strerror or error}")
    return Checked(check_bytes(data, file))


def check_bytes(data: bytes, file: File) -> tuple[Diagnostic, ...]:
    """Lint what stands, or is about to stand, in a file.  Never raises."""
    try:
        return tuple(_shown(data, file))
    except Exception as error:  # noqa: BLE001
        # `lint` catches its own; this is for what stands around it.
        message = f"jaxlint failed on this file: {type(error).__name__}: {error}; please report this"
        return (failure("JAX000", "internal-error", message, file),)


def failure(code: str, name: str, message: str, file: File) -> Diagnostic:
    """Return a diagnostic that speaks of a file as a whole."""
    source = Source("")
    (finding,) = fingerprinted(
        source, [Finding(code, name, " ".join(message.split()), Span(0, 0), Confidence.HIGH, None)]
    )
    return Diagnostic.of(finding, source, file.name)


def _shown(data: bytes, file: File) -> Iterator[Diagnostic]:
    """Yield what neither a comment nor `per-file-ignores` hides."""
    ignored = file.config.ignored(file.path)
    try:
        source = Source.from_bytes(data, file.config.name_of(file.path))
    except SourceError as error:
        if not _is_ignored("JAX001", ignored, file.config):
            yield failure("JAX001", "syntax-error", str(error), file)
        return
    noqa = Noqa(source)
    for finding in lint(source, file.config.settings):
        diagnostic = Diagnostic.of(finding, source, file.name)
        if not _is_ignored(finding.code, ignored, file.config) and not _is_hidden(diagnostic, noqa):
            yield diagnostic


def _is_ignored(code: str, ignored: tuple[str, ...], config: Config) -> bool:
    if code == "JAX000":
        # A failure that nobody sees looks like a clean file.
        return False
    if code == "JAX001":
        # The core reports it whatever is selected, as it runs no rule on such a file.
        ignored = (*ignored, *config.settings.ignore, *config.settings.extend_ignore)
    return code.startswith(ignored)


def _is_hidden(diagnostic: Diagnostic, noqa: Noqa) -> bool:
    if diagnostic.code in ("JAX000", "JAX001"):
        # They speak of the whole file, whatever stands on the row.
        return noqa.whole_file
    return noqa.hides(diagnostic.code, diagnostic.location.row)
