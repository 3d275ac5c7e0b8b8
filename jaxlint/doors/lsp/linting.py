"""Linting what is open, with what the rest of its folder says about it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from jaxlint.baseline import BaselineError
from jaxlint.config import OPTIONS, Config, ConfigError, Finder, Layer
from jaxlint.digests import digest
from jaxlint.discovery import File, force_excluded
from jaxlint.doors.lsp.project import Project
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.finding import Finding, Place, Reason, Related, Span
from jaxlint.hints import did_you_mean

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic, LocatedReason, Location
    from jaxlint.doors.lsp.documents import Document
    from jaxlint.source import Source

_KEYS = ("select", "ignore", "extend-select", "extend-ignore", "min-confidence", "preview", "unsafe-fixes", "baseline")
"""The keys of the configuration that a client may set."""
_OWN = {"enable": bool, "configuration": str, "inlay-hints": bool, "run": str}
_CLIENTS = ("trace", "path")
"""Settings of the same name that are a client's own business."""
WAIT = 1.0
"""How many seconds to wait for a folder to be read before a file is seen alone for the time being."""


@dataclass(frozen=True)
class Options:
    """What a client asks for."""

    layer: Layer = field(default_factory=Layer)
    enable: bool = True
    configuration: str | None = None
    inlay_hints: bool = True
    run: str = ".jaxlint_run.json"
    """What `jaxlint run --json` wrote, relative to a folder of the workspace."""

    @classmethod
    def of(cls, given: Any) -> tuple[Options, list[str]]:
        """Read the settings that a client sends, and say what is wrong with them."""
        if not isinstance(given, dict):
            return cls(), []
        problems: list[str] = []
        layer: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for name, value in given.items():
            key = "".join(f"-{char.lower()}" if char.isupper() else char for char in name)
            if value is None or key in _CLIENTS:
                continue
            try:
                if key in _KEYS:
                    layer[key] = OPTIONS[key].parse(value, f"jaxlint.{name}")
                else:
                    own[key.replace("-", "_")] = _own(key, value, f"jaxlint.{name}")
            except ConfigError as error:
                problems.append(str(error))
        return cls(Layer(layer), **own), problems

    def finder(self, folder: str | None = None) -> Finder:
        """Return what finds the configuration of files; where there is none, paths are relative to the folder.

        Raises:
            ConfigError: the file that the client names cannot be used.
        """
        return Finder(file=self.configuration or None, over=[self.layer], root=folder)


def _own(key: str, value: Any, where: str) -> Any:
    if key not in _OWN:
        raise ConfigError(f"{where}: unknown setting; {did_you_mean(key, (*_KEYS, *_OWN), 'see the page on editors')}")
    if not isinstance(value, _OWN[key]):
        raise ConfigError(f"{where}: {value!r} must be {'a string' if _OWN[key] is str else 'true or false'}")
    return value


@dataclass(frozen=True)
class Result:
    """What was found in a state of a file; `findings` are those that are shown."""

    document: Document
    source: Source
    findings: tuple[Finding, ...]
    file: File
    id: str
    """The same for what is found out in the same way."""
    error: str | None = None
    has_fixes: bool = False


class Linter:
    """All folders of the workspace under one configuration; another configuration is another object."""

    def __init__(self, folders: list[str], options: Options) -> None:
        self.options = options
        self.problem: str | None = None
        try:
            self.finder = options.finder()
        except ConfigError as error:
            self.problem = str(error)
            options = replace(options, configuration=None)
            self.finder = options.finder()
        # The innermost folder is asked first.
        self.projects = [Project(folder, options.finder(folder)) for folder in sorted(folders, key=len, reverse=True)]
        self._results: dict[str, Result] = {}
        self._lock = threading.Lock()

    def project(self, path: str) -> Project | None:
        """Return the folder that a file is in."""
        return next((project for project in self.projects if project.holds(path)), None)

    def known(self, document: Document) -> Result | None:
        """Return what was found in exactly this state of a file, if it was linted."""
        result = self._results.get(document.uri)
        return result if result is not None and result.document is document else None

    def recall(self) -> None:
        """Look up what earlier sessions and runs found in the folders."""
        for project in self.projects:
            project.recall()

    def recalled(self, document: Document) -> Result | None:
        """Return what an earlier session or run found in a file, without fixes, as long as nothing else is known."""
        project = self.project(document.path)
        if project is None or project.loaded.is_set() or document.notebook or not self.options.enable:
            return None
        text = document.parts[0].text.text
        found = project.recalled(document.path, text)
        if found is None or self.known(document) is not None:
            return None
        config = project.finder.config(os.path.dirname(document.path))
        source = document.source(config.name_of(document.path))
        findings = tuple(_finding(diagnostic, source) for diagnostic in found)
        file = File(os.path.basename(document.path), document.path, config)
        return Result(document, source, findings, file, digest("recalled", text))

    def keep(self, document: Document) -> None:
        """Have a later session recall what was found in a file."""
        project, result = self.project(document.path), self.known(document)
        if project is not None and result is not None and result.error is None and not document.notebook:
            from jaxlint.diagnostic import Diagnostic

            found = [Diagnostic.of(replace(f, fixes=()), result.source, result.file.name) for f in result.findings]
            project.keep(document.path, document.parts[0].text.text, result.file.incoming, found)

    def lint(self, document: Document, is_current: Callable[[], bool] = lambda: True) -> Result | None:
        """Lint a state of a file; None if it is no longer the current one.  Takes its time."""
        project = self.project(document.path)
        if project is not None:
            project.loaded.wait(WAIT)
        with self._lock:
            if not is_current():
                return None
            incoming = project.incoming(document.path) if project is not None else NOTHING
            known = self.known(document)
            if known is not None and known.file.incoming.digest == incoming.digest:
                return known
            finder = project.finder if project is not None else self.finder
            result = self._results[document.uri] = self._lint(document, incoming, finder)
            return result

    def with_fixes(self, result: Result) -> Result:
        """Return a result whose findings have their fixes.  Takes its time."""
        from jaxlint.driver import shown_of

        if result.has_fixes or not result.findings:
            return result
        with self._lock:
            found = shown_of(result.source, result.file)
            result = replace(result, findings=tuple(found), has_fixes=True)
            if self.known(result.document) is not None:
                self._results[result.document.uri] = result
            return result

    def forget(self, uri: str) -> None:
        """Drop what is known of a file."""
        self._results.pop(uri, None)

    def _lint(self, document: Document, incoming: Incoming, finder: Finder) -> Result:
        from jaxlint.driver import shown_of

        path = os.path.abspath(document.path)
        texts = [part.text.text for part in document.parts]
        try:
            config = finder.config(os.path.dirname(path))
            file = File(os.path.basename(path), path, config, incoming=incoming)
            source = document.source(config.name_of(path))
            if not self.options.enable or force_excluded(path, config):
                return Result(document, source, (), file, digest("lsp", texts))
            # Fixes cost more than all the rest, and are wanted only where somebody asks for them.
            found = shown_of(source, file, fixes=False)
        except (ConfigError, BaselineError) as error:
            config = Config()
            source = document.source(path)
            return Result(document, source, (), File(path, path, config), digest("lsp", texts, str(error)), str(error))
        return Result(document, source, tuple(found), file, digest("lsp", texts, [repr(finding) for finding in found]))


def _finding(diagnostic: Diagnostic, source: Source) -> Finding:
    """Return a finding, but for its fixes, from what is shown of it."""

    def at(location: Location) -> int:
        return source.offset(location.row, location.column)

    def place(reason: LocatedReason) -> Span | Place | None:
        if reason.location is None or reason.path is not None:
            return Place(reason.path, reason.location.row) if reason.location and reason.path else None
        return Span(at(reason.location), at(reason.location))

    return Finding(
        code=diagnostic.code,
        name=diagnostic.name,
        message=diagnostic.message,
        span=Span(at(diagnostic.location), at(diagnostic.end_location)),
        confidence=diagnostic.confidence,
        impact=diagnostic.impact,
        fingerprint=diagnostic.fingerprint,
        related=tuple(Related(n.message, Span(at(n.location), at(n.location))) for n in diagnostic.related),
        reasons=tuple(Reason(r.message, r.speaks_for, place(r)) for r in diagnostic.reasons),
    )


def fixed(result: Result) -> Source | None:
    """Return the source with all safe fixes; None where there are none.  Takes its time."""
    from jaxlint.driver import shown, widest
    from jaxlint.fixes.engine.apply import mend, usable

    file = replace(result.file, config=replace(result.file.config, unsafe_fixes=False))
    if not any(usable(finding, unsafe=False) for finding in result.findings):
        return None
    every, trial = (widest(file.config, file.incoming, fixes=fixes) for fixes in (True, False))
    mended = mend(result.source, every, shown(file), trial=trial)
    return mended.source if mended.applied else None
