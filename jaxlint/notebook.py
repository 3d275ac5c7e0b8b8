"""Notebooks: what is in the cells of an `.ipynb` file, and the file's bytes after some cells were changed.

The cells of Python are one module to the linter, in their order.  Nothing is written but the sources of cells that
changed, in the way the file writes them; every other byte stays.
"""

from __future__ import annotations

import bisect
import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jaxlint import ipython

SUFFIX = ".ipynb"

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")
_POINTER = b"version https://git-lfs.github.com/spec/"
_PYTHON = ("python", "ipython", "xpython")
_OLDEST = 4


class NotebookError(Exception):
    """A file is no notebook that can be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One string of the JSON text: where it is, quotes included, and what it says."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class CodeCell:
    """A cell of Python: its number among all cells, from 1 on, and its source as the file holds it."""

    number: int
    pieces: tuple[Piece, ...]
    span: tuple[int, int]
    """Where the value of `source` is in the JSON text."""
    is_list: bool

    @property
    def source(self) -> str:
        """The code."""
        return "".join(piece.value for piece in self.pieces)


@dataclass(frozen=True)
class Document:
    """The JSON text of a notebook, and its cells of Python."""

    text: str
    bom: bool
    cells: tuple[CodeCell, ...]

    @classmethod
    def from_bytes(cls, data: bytes) -> Document:
        """Read a notebook.

        Raises:
            NotebookError: it is none.
        """
        if data.startswith(_POINTER):
            raise NotebookError("a Git LFS pointer, not a notebook; run `git lfs pull` to fetch it")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotebookError(f"not a notebook: {error}") from None
        bom = text.startswith("\ufeff")
        text = text.removeprefix("\ufeff")
        if not text.strip():
            # What editors create before anything is written.
            return cls(text, bom, ())
        try:
            return cls(text, bom, tuple(_Scan(text).code_cells()))
        except json.JSONDecodeError as error:
            raise NotebookError(f"not a notebook: its JSON is broken: {error}") from None
        except RecursionError:
            raise NotebookError("not a notebook: its JSON is nested too deeply") from None

    def with_sources(self, sources: Mapping[int, str]) -> bytes:
        """Return the bytes of the file in which some cells, by their numbers, have another source."""
        parts: list[str] = []
        place = 0
        for cell in self.cells:
            source = sources.get(cell.number, cell.source)
            if source != cell.source:
                parts += [self.text[place : cell.span[0]], self._value(cell, source)]
                place = cell.span[1]
        text = "".join([*parts, self.text[place:]])
        return (b"\xef\xbb\xbf" if self.bom else b"") + text.encode("utf-8", "surrogatepass")

    def row(self, cell: CodeCell, line: int) -> int:
        """Return the 1-based line of the file that holds a line of a cell, counted from 0."""
        ends = 0
        place = cell.span[0]
        for piece in cell.pieces:
            place = piece.start
            ends += piece.value.count("\n")
            if ends > line:
                break
        return bisect.bisect_right(self._line_starts, place)

    @functools.cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @functools.cached_property
    def _ascii(self) -> bool:
        """Whether the file escapes what is not ASCII; Jupyter does not."""
        return self.text.isascii() and "\\u" in self.text

    def _value(self, cell: CodeCell, source: str) -> str:
        """Return what to write for a source: strings that are still right stay as they are."""
        if not cell.is_list:
            return self._dumps(source)
        pieces = cell.pieces
        lines = source.split("\n")
        texts = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        same = _common(texts, [piece.value for piece in pieces])
        left = min(len(texts), len(pieces)) - same
        tail = min(left, _common(texts[::-1], [piece.value for piece in reversed(pieces)]))
        written = [self.text[piece.start : piece.end] for piece in pieces]
        middle = [self._dumps(text) for text in texts[same : len(texts) - tail]]
        strings = [*written[:same], *middle, *written[len(written) - tail :]]
        if not strings:
            return "[]"
        start, end = cell.span
        head, foot = self.text[start + 1 : pieces[0].start], self.text[pieces[-1].end : end - 1]
        between = self.text[pieces[0].end : pieces[1].start] if len(pieces) > 1 else "," + (head or " ")
        return f"[{head}{between.join(strings)}{foot}]"

    def _dumps(self, text: str) -> str:
        lone = any("\ud800" <= char <= "\udfff" for char in text)
        return json.dumps(text, ensure_ascii=self._ascii or lone)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items two lists have in common at their starts."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


class _Scan:
    """Reading the JSON text with the places of what matters."""

    def __init__(self, text: str) -> None:
        self._text = text

    def code_cells(self) -> Iterator[CodeCell]:
        """Yield the cells of Python.

        Raises:
            NotebookError: the text is JSON, but no notebook that can be read.
            json.JSONDecodeError: it is no JSON.
        """
        whole: dict[str, Any] = {}
        places: list[int] = []
        start = self._skip(0)
        if self._text[start : start + 1] != "{":
            _DECODER.decode(self._text)
            raise NotebookError("not a notebook: its JSON is no object")
        end = start
        for key, at, value, after in self._items(start):
            end = after
            whole[key] = value
            if key == "cells" and isinstance(value, list):
                places = list(self._elements(at))
        self._check_end(end)
        cells = whole.get("cells")
        if not isinstance(cells, list):
            if "worksheets" in whole or _is_older(whole.get("nbformat")):
                raise NotebookError(
                    "a notebook of a format before 4, which is not read; `jupyter nbconvert --to notebook` renews it"
                )
            raise NotebookError("not a notebook: it has no cells")
        if not _is_python(whole.get("metadata")):
            return
        for number, (cell, at) in enumerate(zip(cells, places, strict=True), 1):
            if isinstance(cell, dict) and cell.get("cell_type") == "code" and _has_python(cell):
                found = self._cell(number, at)
                if found is not None and is_python(found.source):
                    yield found

    def _check_end(self, end: int) -> None:
        """Refuse what follows the object, which closes behind `end`, the end of its last entry."""
        place = self._skip(self._text.index("}", self._skip(end)) + 1)
        if place != len(self._text):
            raise json.JSONDecodeError("Extra data", self._text, place)

    def _cell(self, number: int, start: int) -> CodeCell | None:
        cell = None
        for key, at, value, end in self._items(start):
            if key == "source" and isinstance(value, str):
                cell = CodeCell(number, (Piece(at, end, value),), (at, end), is_list=False)
            elif key == "source" and isinstance(value, list) and all(isinstance(item, str) for item in value):
                pieces = tuple(
                    Piece(at, _DECODER.raw_decode(self._text, at)[1], item)
                    for at, item in zip(self._elements(at), value, strict=True)
                )
                cell = CodeCell(number, pieces, (at, end), is_list=True)
        return cell

    def _items(self, start: int) -> Iterator[tuple[str, int, Any, int]]:
        """Yield key, place, value and end of each entry of an object."""
        place = self._skip(start + 1)
        while self._text[place : place + 1] != "}":
            if self._text[place : place + 1] != '"':
                raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self._text, place)
            key, place = _DECODER.raw_decode(self._text, place)
            place = self._skip(place)
            if self._text[place : place + 1] != ":":
                raise json.JSONDecodeError("Expecting ':' delimiter", self._text, place)
            at = self._skip(place + 1)
            value, end = _DECODER.raw_decode(self._text, at)
            yield key, at, value, end
            place = self._next(end, "}")

    def _elements(self, start: int) -> Iterator[int]:
        """Yield the place of each element of an array, which is known to be JSON."""
        place = self._skip(start + 1)
        while self._text[place] != "]":
            yield place
            _, end = _DECODER.raw_decode(self._text, place)
            place = self._next(end, "]")

    def _next(self, place: int, closing: str) -> int:
        """Return where the next entry is, or where the object or the array closes."""
        place = self._skip(place)
        char = self._text[place : place + 1]
        if char == closing:
            return place
        if char != ",":
            raise json.JSONDecodeError("Expecting ',' delimiter", self._text, place)
        place = self._skip(place + 1)
        if self._text[place : place + 1] == closing:
            raise json.JSONDecodeError("Illegal trailing comma", self._text, place)
        return place

    def _skip(self, place: int) -> int:
        match = _BLANK.match(self._text, place)
        return match.end() if match is not None else place


def is_python(source: str) -> bool:
    """Tell whether the source of a code cell is Python that shares the scope of the others."""
    magic = ipython.CELL_MAGIC.match(source)
    return magic is None or magic[1] in ipython.PYTHON_CELL_MAGICS


def _is_older(version: Any) -> bool:
    return isinstance(version, int) and version < _OLDEST


def _is_python(metadata: Any) -> bool:
    """Tell whether the kernel of a notebook runs Python, which it does where nothing is said."""
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(key) if isinstance(metadata, dict) else None
        language = said.get(name) if isinstance(said, dict) else None
        if isinstance(language, str) and language:
            return language.lower() in _PYTHON
    return True


def _has_python(cell: Mapping[str, Any]) -> bool:
    """Tell whether an editor that knows cells of several languages takes a cell for Python."""
    metadata = cell.get("metadata")
    editor = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = editor.get("languageId") if isinstance(editor, dict) else None
    return not isinstance(language, str) or language.lower() == "python"


def is_notebook(path: str) -> bool:
    """Tell whether a file is a notebook, by its name."""
    return path.endswith(SUFFIX)


def joined(sources: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the sources of cells as one text, each from the start of a line on, and where each is in there."""
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    place = 0
    for source in sources:
        places.append((place, place + len(source)))
        text = source if source.endswith(("\n", "\r")) else source + "\n"
        parts.append(text)
        place += len(text)
    return "".join(parts), places
