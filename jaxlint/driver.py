"""From the bytes of a file to its diagnostics: what doors do around the core.

The flake8 door alone does without, as flake8 reads the files and knows what to hide.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.diagnostic import Diagnostic
from jaxlint.finding import Confidence, Finding, Span
from jaxlint.linter import lint
from jaxlint.noqa import Noqa
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
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
        source = Source.from_bytes(data, file.config.name_of(file.path))
        return _check(source, file)
    except SourceError as error:
        return (failure("JAX001", "syntax-error", str(error), file),)
    except Exception as error:  # noqa: BLE001
        # `lint` catches its own; this is for what stands around it.
        message = f"jaxlint failed on this file: {type(error).__name__}: {error}; please report this"
        return (failure("JAX000", "internal-error", message, file),)


def failure(code: str, name: str, message: str, file: File) -> Diagnostic:
    """Return a diagnostic that speaks of a file as a whole."""
    digest = hashlib.sha256(f"{code}\0{message}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    line = " ".join(message.split())
    finding = Finding(code, name, line, Span(0, 0), Confidence.HIGH, None, fingerprint=digest)
    return Diagnostic.of(finding, Source(""), file.name)


def _check(source: Source, file: File) -> tuple[Diagnostic, ...]:
    findings = lint(source, file.config.settings)
    if not findings:
        return ()
    noqa = Noqa(source)
    ignored = file.config.ignored(file.path)
    placed = (Diagnostic.of(finding, source, file.name) for finding in findings)
    return tuple(diagnostic for diagnostic in placed if not _is_hidden(diagnostic, noqa, ignored, file.config))


def _is_hidden(diagnostic: Diagnostic, noqa: Noqa, ignored: tuple[str, ...], config: Config) -> bool:
    code = diagnostic.code
    if code == "JAX000":
        # A failure that nobody sees looks like a clean file.
        return False
    if code == "JAX001":
        # The core reports it whatever is selected, as it runs no rule on such a file.
        settings = config.settings
        return noqa.whole_file or code.startswith((*settings.ignore, *settings.extend_ignore, *ignored))
    return code.startswith(ignored) or noqa.hides(code, diagnostic.location.row)
