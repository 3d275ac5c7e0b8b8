"""From the bytes of a file to its diagnostics and its fixed bytes: what doors do around the core.

The flake8 door alone does without, as flake8 reads the files and knows what to hide.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.comments import mistaken
from jaxlint.diagnostic import Diagnostic
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.finding import Confidence, Finding, Span
from jaxlint.linter import fingerprinted, lint, uncollected
from jaxlint.noqa import Noqa
from jaxlint.observed import linted
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jaxlint.config import Config
    from jaxlint.discovery import File
    from jaxlint.facts.summary.exports import Exports
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


def check_file(file: File, *, fix: bool = False) -> Checked:
    """Lint one file, and fix its text if asked to.  Never raises: what goes wrong is in the result."""
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        return Checked(error=f"{file.name}: cannot be read: {error.strerror or error}")
    return check_bytes(data, file, fix=fix)


def read_exports(data: bytes, path: str = "<bytes>", *, keep: bool = False) -> Exports | None:
    """Return what a file tells the others of its project, None where it cannot be parsed.

    With `keep`, the tree is kept for linting the file in this process.
    """
    try:
        return exports_of(Source.from_bytes(data, path), keep=keep)
    except SourceError:
        # Linting it says what is wrong with it.
        return None


def exports_of(source: Source, *, keep: bool = False) -> Exports | None:
    """Return the same for a text; see `read_exports`."""
    from jaxlint.facts.summary.exports import exports
    from jaxlint.facts.syntax.parsing import keep_tree, python_tree

    try:
        with uncollected():
            tree = python_tree(source.text)
            if keep:
                keep_tree(source.text, tree)
            return exports(tree, source.once_rows)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def check_bytes(data: bytes, file: File, *, fix: bool = False) -> Checked:
    """Lint what is, or is about to be, in a file, and fix it if asked to.  Never raises."""
    try:
        return _checked(data, file, fix=fix)
    except Exception as error:  # noqa: BLE001
        # `lint` catches its own; this is for what is around it.
        message = f"jaxlint failed on this file: {type(error).__name__}: {error}; please report this"
        return Checked((failure("JAX000", "internal-error", message, file),))


def failure(code: str, name: str, message: str, file: File) -> Diagnostic:
    """Return a diagnostic that mentions a file as a whole."""
    source = Source("")
    (finding,) = fingerprinted(
        source, [Finding(code, name, " ".join(message.split()), Span(0, 0), Confidence.HIGH, None)]
    )
    return Diagnostic.of(finding, source, file.name)


def _checked(data: bytes, file: File, *, fix: bool) -> Checked:
    try:
        source = Source.from_bytes(data, file.config.name_of(file.path))
    except SourceError as error:
        hidden = _is_ignored("JAX001", file.config.ignored(file.path), file.config)
        return Checked(() if hidden else (failure("JAX001", "syntax-error", str(error), file),))
    findings = shown_of(source, file)
    change = _change(data, source, findings, file) if fix else None
    if change is not None:
        source = Source.from_bytes(change.after, source.path)
        findings = shown_of(source, file)
    diagnostics = tuple(Diagnostic.of(finding, source, file.name) for finding in findings)
    return Checked(diagnostics, change=change, warnings=tuple(mistaken(source)))


def shown_of(source: Source, file: File, *, fixes: bool = True) -> list[Finding]:
    """Return what the user is to see of what is in a file, and of what runs showed of it, with or without fixes.

    Raises:
        BaselineError: the baseline cannot be used.
    """
    found, config = linted(source, file.config, file.path, file.incoming, fixes=fixes)
    return shown(file if config is file.config else dataclasses.replace(file, config=config))(source, found)


def _change(data: bytes, source: Source, findings: Iterable[Finding], file: File) -> Change | None:
    """Return what fixing makes of a file; None where there is nothing to fix."""
    from jaxlint.fixes.engine import apply

    unsafe = file.config.unsafe_fixes
    if not any(apply.usable(finding, unsafe=unsafe) for finding in findings):
        return None
    every = widest(file.config, file.incoming)
    trial = widest(file.config, file.incoming, fixes=False)
    mended = apply.mend(source, every, shown(file), unsafe=unsafe, trial=trial)
    return Change(data, mended.source.data(), mended.applied, mended.dropped)


def widest(config: Config, incoming: Incoming = NOTHING, *, fixes: bool = True) -> Callable[[Source], list[Finding]]:
    """Return what lints as a fix is measured: all that is found at any confidence, selected or not.

    What the user is shown has its fixes, unless nobody asks for `fixes`.
    """
    settings = config.settings
    wide = dataclasses.replace(
        settings,
        select=("JAX", *settings.select),
        ignore=(),
        extend_ignore=(),
        min_confidence=Confidence.LOW,
    )
    return lambda source: lint(source, wide, incoming, fixes=fixes, fixes_from=settings.min_confidence)


def shown(file: File) -> Callable[[Source, Iterable[Finding]], list[Finding]]:
    """Return what picks, of the findings in a version of a file, those that the user is to see.

    It skips what is not selected or not sure enough, and what a comment, `per-file-ignores` or the baseline hides.

    Raises:
        BaselineError: the baseline cannot be used.
    """
    config = file.config
    ignored = config.ignored(file.path)
    known = _known(file)
    whole = ("JAX000", "JAX001")

    def show(source: Source, findings: Iterable[Finding]) -> list[Finding]:
        from jaxlint.rules import rules

        noqa = Noqa(source) if config.noqa else None
        return [
            _fixable(finding, config)
            for finding in findings
            if finding.confidence >= config.settings.min_confidence
            and (finding.code in whole or config.settings.enabled(rules()[finding.code]))
            and not _is_ignored(finding.code, ignored, config)
            and not (noqa is not None and _is_hidden(finding, source, noqa))
            and finding.fingerprint not in known
        ]

    return show


def _known(file: File) -> frozenset[str]:
    if file.config.baseline is None:
        return frozenset()
    from jaxlint import baseline

    return baseline.load(file.config.baseline).known(file.path)


def _fixable(finding: Finding, config: Config) -> Finding:
    """Take the fixes away that the configuration does not want."""
    if not finding.fixes or config.fixes(finding.code):
        return finding
    return dataclasses.replace(finding, fixes=())


def _is_ignored(code: str, ignored: tuple[str, ...], config: Config) -> bool:
    if code == "JAX000":
        # A failure that nobody sees looks like a clean file.
        return False
    if code == "JAX001":
        # The core reports it whatever is selected, as it runs no rule on such a file.
        ignored = (*ignored, *config.settings.ignore, *config.settings.extend_ignore)
    return code.startswith(ignored)


def _is_hidden(finding: Finding, source: Source, noqa: Noqa) -> bool:
    if finding.code in ("JAX000", "JAX001"):
        # They mention the whole file, whatever is on the line.
        return noqa.whole_file
    return noqa.hides(finding.code, source.position(finding.span.start)[0])
