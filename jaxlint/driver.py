"""From the bytes of a file to its diagnostics and its fixed bytes: what doors do around the core.

The flake8 door alone does without, as flake8 reads the files and knows what to hide.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.checked import Change, Checked
from jaxlint.comments import mistaken
from jaxlint.diagnostic import Diagnostic
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.finding import Confidence, Finding, Span
from jaxlint.linter import deep_recursion, fingerprinted, lint, uncollected
from jaxlint.noqa import Noqa
from jaxlint.observed import linted
from jaxlint.settings import Settings
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jaxlint.config import Config
    from jaxlint.discovery import File
    from jaxlint.facts.summary.record import Exports


def check_file(file: File, *, fix: bool = False) -> Checked:
    """Lint one file, and fix its text if asked to.  Never raises: what goes wrong is in the result."""
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        return Checked(error=f"{file.name}: cannot be read: {error.strerror or error}")
    return check_bytes(data, file, fix=fix)


class _Kept:
    """The sources of files that were read for the project and are about to be linted, with the facts about them."""

    most = 4_000_000
    """How many characters of text to keep, with facts that take some 80 bytes a character."""

    def __init__(self) -> None:
        self._sources: dict[str, tuple[bytes, Source]] = {}
        self._size = 0

    def add(self, path: str, data: bytes, source: Source) -> bool:
        """Keep a source, if there are not too many already, and say whether it is kept."""
        if self._size + len(source.text) > self.most:
            return False
        self._size += len(source.text)
        self._sources[path] = data, source
        return True

    def take(self, path: str, data: bytes, name: str) -> Source | None:
        """Return the source of a file, unless it was not kept, or the file or its name is another now."""
        kept = self._sources.pop(path, None)
        if kept is None:
            return None
        self._size -= len(kept[1].text)
        return kept[1] if kept[0] == data and kept[1].path == name else None

    def clear(self) -> None:
        """Drop what nobody has asked for."""
        self._sources.clear()
        self._size = 0


kept = _Kept()


def read_exports(data: bytes, name: str = "<bytes>", *, keep_as: str = "") -> Exports | None:
    """Return what a file tells the others of its project, None where it cannot be parsed.

    With `keep_as`, the path of the file, its source is kept for linting it in this process.
    """
    try:
        source = Source.from_bytes(data, name)
    except SourceError:
        # Linting it says what is wrong with it.
        return None
    return exports_of(source, keep=bool(keep_as) and kept.add(keep_as, data, source))


def exports_of(source: Source, *, keep: bool = False) -> Exports | None:
    """Return the same for a text, whose facts are kept for linting it if that is asked for; see `read_exports`."""
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.summary.exports import exports
    from jaxlint.facts.syntax.parsing import UnreadableError

    try:
        with deep_recursion(), uncollected():
            facts = ModuleFacts.of(source, Settings())
            found = exports(facts)
    except (UnreadableError, RecursionError, MemoryError):
        return None
    if keep:
        source.keep_facts(facts)
    else:
        facts.close()
    return found


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
    name = file.config.name_of(file.path)
    try:
        source = kept.take(file.path, data, name) or Source.from_bytes(data, name)
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
