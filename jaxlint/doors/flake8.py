"""The flake8 plugin.

flake8 loads it in every process and calls it for every file, whatever is selected; so it imports nothing that flake8
has not imported itself until a file could hold a finding.  What to select, to ignore and to hide by `noqa` is flake8's
business; how rules judge is read from `[tool.jaxlint]`, as on the command line.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

import jaxlint

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from jaxlint.config import Config, Finder


class Plugin:
    """What flake8 makes for each file; `lines` are the file's, as flake8 read them."""

    name = "flake8-jaxlint"
    version = jaxlint.__version__

    _finder: ClassVar[Finder | None] = None
    _named: ClassVar[tuple[str, ...]] = ()

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:  # noqa: ARG002
        # The tree is asked for because flake8 tells plugins apart by it: who asks is called once for each file.
        self._filename = filename
        self._lines = lines

    @staticmethod
    def add_options(option_manager: Any) -> None:
        """Hide the rules that are off by default; flake8 calls this with its `OptionManager`."""
        option_manager.extend_default_ignore(["JAX9"])

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Start a run; flake8 calls this with its options, in each process."""
        cls._finder = None
        chosen = [*(getattr(options, "select", None) or ()), *(getattr(options, "extend_select", None) or ())]
        cls._named = tuple(code for code in chosen if code.startswith("JAX"))

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Yield row (1-based), column (0-based, in code points), text and the plugin, for each finding.

        Never raises: an exception here would cost the user all output on all files.
        """
        try:
            yield from self._findings()
        except Exception as error:  # noqa: BLE001
            yield self._failure(f"jaxlint failed on this file: {type(error).__name__}: {error}; please report this")

    def _findings(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        from jaxlint.config import ConfigError
        from jaxlint.linter import lint
        from jaxlint.source import Source

        path = os.path.abspath(self._filename)
        text = "".join(self._lines)
        try:
            config = self._config(os.path.dirname(path))
        except ConfigError as error:
            from jaxlint.facts.outline import may_matter
            from jaxlint.settings import Settings

            # Once for each file that would have been linted.
            if may_matter(Source(text), Settings()):
                yield self._failure(str(error))
            return
        source = Source(text, config.name_of(path))
        for finding in lint(source, config.settings):
            if finding.code == "JAX001":
                # flake8 calls nobody on a file that Python cannot parse: only jaxlint fails to.
                yield self._failure(f"jaxlint cannot read this file: {finding.message}; please report this")
                continue
            row, column = source.position(finding.span.start)
            yield row, column - 1, _one_line(f"{finding.code} {finding.message}"), Plugin

    @classmethod
    def _config(cls, folder: str) -> Config:
        from jaxlint.config import Finder, Layer

        if cls._finder is None:
            # All rules, since flake8 picks from what they find; those that are off by default where it names them.
            cls._finder = Finder(over=[Layer({"select": ("JAX", *cls._named)})])
        return cls._finder.config(folder)

    @staticmethod
    def _failure(text: str) -> tuple[int, int, str, type[Plugin]]:
        return 1, 0, _one_line(f"JAX000 {text}"), Plugin


def _one_line(text: str) -> str:
    return " ".join(text.split())
