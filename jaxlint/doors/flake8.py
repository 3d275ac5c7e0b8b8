"""The flake8 plugin.

flake8 loads it in every process and calls it for every file, whatever is selected; so it imports nothing that flake8
has not imported itself until a file could hold a finding.  What `[tool.jaxlint]` says holds as on the command line, the
selection of rules and the baseline too; flake8 then picks from that by its own options, and hides by `noqa`.  A rule
that its options name by more than `JAX` runs whatever `[tool.jaxlint]` says of it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import jaxlint

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from jaxlint.config import Config, Finder
    from jaxlint.discovery import File
    from jaxlint.finding import Finding
    from jaxlint.settings import Settings
    from jaxlint.source import Source


class Plugin:
    """What flake8 makes for each file; `lines` are the file's, as flake8 read them."""

    name = "flake8-jaxlint"
    version = jaxlint.__version__

    _finder: ClassVar[Finder | None] = None
    _configs: ClassVar[dict[int, Config]] = {}
    _named: ClassVar[tuple[str, ...]] = ()

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        # flake8 tells plugins apart by the tree: who asks for it is called once for each file.
        self._tree = tree
        self._filename = filename
        self._lines = lines

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Start a run; flake8 calls this with its options, in each process."""
        cls._finder = None
        chosen = [*(getattr(options, "select", None) or ()), *(getattr(options, "extend_select", None) or ())]
        cls._named = tuple(code for code in chosen if code.startswith("JAX") and code != "JAX")

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Yield line (1-based), column (0-based, in code points), text and the plugin, for each finding.

        Never raises: an exception here would cost the user all output on all files.
        """
        try:
            yield from self._findings()
        except Exception as error:  # noqa: BLE001
            yield self._failure(f"jaxlint failed on this file: {type(error).__name__}: {error}; please report this")

    def _findings(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        from jaxlint.baseline import BaselineError
        from jaxlint.config import ConfigError
        from jaxlint.discovery import File
        from jaxlint.facts.incoming import NOTHING
        from jaxlint.observed import linted
        from jaxlint.source import Source

        path = os.path.abspath(self._filename)
        text = "".join(self._lines)
        try:
            config = self._config(os.path.dirname(path))
        except ConfigError as error:
            from jaxlint.linter import wanted
            from jaxlint.settings import Settings

            # Once for each file that would have been linted.
            if wanted(Source(text), Settings()):
                yield self._failure(str(error))
            return
        source = Source(text, config.name_of(path))
        source.keep_tree(self._tree)
        found, config = linted(source, config, path, NOTHING, fixes=False)
        if not found:
            return
        try:
            shown = self._shown(source, found, File(self._filename, path, config))
        except BaselineError as error:
            yield self._failure(f"baseline: {error}")
            return
        for finding in shown:
            if finding.code == "JAX001":
                # flake8 calls nobody on a file that Python cannot parse: only jaxlint fails to.
                yield self._failure(f"jaxlint cannot read this file: {finding.message}; please report this")
                continue
            row, column = source.position(finding.span.start)
            yield row, column - 1, _one_line(f"{finding.code} {finding.message}"), Plugin

    @staticmethod
    def _shown(source: Source, found: list[Finding], file: File) -> list[Finding]:
        """Return what is shown of what was found in a file."""
        from jaxlint.discovery import force_excluded
        from jaxlint.driver import shown

        return [] if force_excluded(file.path, file.config) else shown(file)(source, found)

    @classmethod
    def _config(cls, folder: str) -> Config:
        from jaxlint.config import Finder

        if cls._finder is None:
            cls._finder = Finder()
            cls._configs = {}
        config = cls._finder.config(folder)
        if id(config) not in cls._configs:
            # Kept, as the core keeps what it derives from settings by identity.
            settings = _naming(config.settings, cls._named)
            # Comments are flake8's business: it can be told to let them hide nothing.
            cls._configs[id(config)] = replace(config, settings=settings, noqa=False)
        return cls._configs[id(config)]

    @staticmethod
    def _failure(text: str) -> tuple[int, int, str, type[Plugin]]:
        return 1, 0, _one_line(f"JAX000 {text}"), Plugin


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _naming(settings: Settings, named: tuple[str, ...]) -> Settings:
    """Return settings in which rules that flake8's options name run, if no longer code says otherwise."""
    if not named:
        return settings
    return replace(
        settings,
        extend_select=(*settings.extend_select, *named),
        ignore=tuple(code for code in settings.ignore if code not in named),
        extend_ignore=tuple(code for code in settings.extend_ignore if code not in named),
    )
