"""The files that a run was of, as they are now: where they are, what is on a line, how far a function goes."""

from __future__ import annotations

import ast
import functools
import os
import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from jaxlint.doctor.events import Frame
from jaxlint.source import Source, SourceError

_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3\.\d+[/\\]|^<")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FURTHEST = 40
"""How many lines the decorators of a function may take."""


@dataclass(frozen=True)
class Text:
    """One file."""

    path: str
    """Its absolute path."""
    name: str
    """What reports call it."""
    source: Source

    def line(self, row: int) -> str:
        """Return a line without blanks around; empty where there is no such line."""
        return self.source.line(row).strip() if 1 <= row <= len(self.source.line_starts) else ""

    @functools.cached_property
    def functions(self) -> dict[int, tuple[int, int]]:
        """For each line at which a function begins, decorators included: the line of its `def`, and its last line."""
        try:
            tree = ast.parse(self.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        found: dict[int, tuple[int, int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
                first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
                old = found.get(first, (node.lineno, 0))
                found[first] = (max(old[0], node.lineno), max(old[1], node.end_lineno or node.lineno))
        return found

    @property
    def loops(self) -> list[range]:
        """The lines of each Python loop, and of each comprehension."""
        return [rows for rows, _ in self._loops]

    @property
    def repeated(self) -> list[range]:
        """The lines that loops repeat which are statements."""
        return [rows for rows, is_statement in self._loops if is_statement]

    @functools.cached_property
    def _loops(self) -> list[tuple[range, bool]]:
        try:
            tree = ast.parse(self.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
        found: list[tuple[range, bool]] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.For | ast.While | ast.AsyncFor):
                first = node.body[0].lineno if isinstance(node, ast.For | ast.AsyncFor) else node.lineno
                found.append((range(first, (node.end_lineno or first) + 1), True))
            elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                found.append((range(node.lineno, (node.end_lineno or node.lineno) + 1), False))
        return found

    def is_definition(self, frame: Frame) -> bool:
        """Tell whether a function of this name can begin at this line."""
        name = _NAME.findall(frame.function.rsplit(".", 1)[-1])
        rows = range(frame.line, min(frame.line + _FURTHEST, len(self.source.line_starts)) + 1)
        if not name or "lambda" in frame.function:
            return "lambda" in self.line(frame.line)
        if frame.line in self.functions:
            row = self.functions[frame.line][0]
            return re.search(rf"\bdef {re.escape(name[-1])}\b", self.line(row)) is not None or "lambda" in self.line(
                row
            )
        return any(re.search(rf"\b{re.escape(name[-1])}\b", self.line(row)) for row in rows)


class Sources:
    """Finds files by the paths that a run tells.

    A run may have been somewhere else: a path that is not here is looked for below `folder` by its end, the longest
    that exists, as `project/train.py` of `/home/user/project/train.py`.
    """

    def __init__(self, folder: str | None = None) -> None:
        self.folder = os.path.abspath(folder or os.getcwd())
        """Its absolute path."""
        self._texts: dict[str, Text | None] = {}
        self._libraries = tuple(
            path + os.sep for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")} if path
        )
        self.missing: dict[str, str] = {}
        """By the path that the run tells: why a file cannot be shown."""

    def is_user(self, file: str) -> bool:
        """Tell whether a file is the user's, by its path: neither of Python nor of an installed package."""
        return bool(file) and not _LIBRARY.search(file) and not file.startswith(self._libraries)

    def text(self, file: str) -> Text | None:
        """Return a file; None where it is a library's, is not here, or cannot be read: `missing` says which."""
        if file not in self._texts:
            self._texts[file] = self._load(file) if self.is_user(file) else None
        return self._texts[file]

    @property
    def texts(self) -> list[Text]:
        """All files that were found."""
        return [text for text in self._texts.values() if text is not None]

    def line(self, frame: Frame) -> str:
        """Return what is at a place; empty where its file is not here."""
        text = self.text(frame.file)
        return text.line(frame.line) if text is not None else ""

    def column(self, frame: Frame) -> int | None:
        """Return the column of a place, 1-based and in code points, as all that people and programs are told."""
        if frame.column is None:
            return None
        text = self.text(frame.file)
        if text is None or not 1 <= frame.line <= len(text.source.line_starts):
            return frame.column + 1
        before = text.source.line(frame.line).encode("utf-8", "surrogatepass")[: frame.column]
        return len(before.decode("utf-8", "replace")) + 1

    def spot(self, file: str, line: int) -> str:
        """Return how to call a line of a file: in a notebook by cell and line, as a notebook shows them."""
        text = self._texts.get(file) or next((text for text in self.texts if text.name == file), None)
        if text is None or not text.source.cells or not 1 <= line <= len(text.source.line_starts):
            return str(line)
        source = text.source
        cell = source.cell_at(source.offset(line, 1))
        return str(line) if cell is None else f"cell {cell.number}:{line - source.position(cell.start)[0] + 1}"

    def name(self, file: str) -> str:
        """Return what to call a file."""
        text = self._texts.get(file)
        return text.name if text is not None else self.shown(file)

    def distrust(self, file: str, reason: str) -> None:
        """Have a file be missing from now on."""
        self._texts[file] = None
        self.missing[file] = reason

    def _load(self, file: str) -> Text | None:
        path = self.find(file)
        if path is None:
            self.missing[file] = "it is not here"
            return None
        try:
            source = Source.from_bytes(Path(path).read_bytes(), path)
        except (OSError, SourceError) as error:
            self.missing[file] = str(error)
            return None
        return Text(path, self.shown(path), source)

    def find(self, file: str) -> str | None:
        """Return the absolute path of a file by that which the run tells, None where it is not here."""
        path = os.path.join(self.folder, file)
        if os.path.isfile(path):
            return os.path.abspath(path)
        parts = (PureWindowsPath(file) if "\\" in file else PurePosixPath(file)).parts
        for number in range(1, len(parts)):
            path = os.path.join(self.folder, *parts[number:])
            if os.path.isfile(path):
                return os.path.abspath(path)
        return None

    def shown(self, path: str) -> str:
        """Return a path as reports show it: from the current folder on, where it is below it."""
        return os.path.relpath(path, self.folder) if path.startswith(self.folder + os.sep) else path
