"""A file's text, as the core sees it: decoded once, with what is needed to write it back and to talk about places.

`Source` knows no door: `noqa` comments are read in `jaxlint.noqa`, the `# jaxlint: once` mark here, because it
changes what is found.
"""

from __future__ import annotations

import ast
import bisect
import codecs
import functools
import io
import itertools
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from jaxlint import editing, ipython
from jaxlint.editing import Cell, EditError
from jaxlint.finding import Edit, Span
from jaxlint.notebook import Document, NotebookError, is_notebook, is_python, joined

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.ipython import Hidden

# Python's own line ends.  Form feed, U+2028 and U+0085 end no line, so str.splitlines would count wrong.
_NEWLINE = re.compile(r"\r\n|\r|\n")
_ONCE = re.compile(r"#\s*jaxlint:\s*once\b")


class SourceError(Exception):
    """The bytes cannot be decoded as Python source; the text of the exception says why and where."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the file that is not linted: the offset where it starts, and why."""

    offset: int
    message: str


@dataclass(frozen=True)
class Source:
    """The text of one Python file, or of the cells of a notebook.

    `path` is only a name: it decides nothing but whether the file counts as a test or a notebook, and is never opened.
    `text` has no byte order mark and keeps its line ends.  It is Python: what is `hidden` in it is for IPython, and
    `written` has it as it is in the file.
    """

    text: str
    path: str = "<string>"
    encoding: str = "utf-8"
    bom: bool = False
    cells: tuple[Cell, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    problems: tuple[Problem, ...] = ()
    document: Document | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_bytes(cls, data: bytes, path: str = "<bytes>") -> Source:
        """Decode a file as Python would: byte order mark, then coding cookie, then UTF-8.

        A file whose name is that of a notebook is read as one; a script may hold lines that are for IPython.

        Raises:
            SourceError: the cookie names no encoding, or the bytes are not in it; or it is no notebook.
        """
        if is_notebook(path):
            try:
                document = Document.from_bytes(data)
            except NotebookError as error:
                raise SourceError(str(error)) from None
            cells = [(cell.number, cell.source) for cell in document.cells]
            return replace(cls.of_cells(cells, path), bom=document.bom, document=document)
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            bom = data.startswith(codecs.BOM_UTF8)
            text = data.decode(encoding)
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise SourceError(f"cannot be decoded: {error}") from None
        if bom:
            encoding = "utf-8"
            text = text.removeprefix("\ufeff")
        return cls.of_script(text, path, encoding, bom=bom)

    @classmethod
    def of_script(cls, text: str, path: str, encoding: str = "utf-8", *, bom: bool = False) -> Source:
        """Return the source of a script; where lines of it are for IPython, they are hidden, and a problem says so."""
        source = cls(text, path, encoding, bom)
        if not ipython.may_hold(text) or source.parses():
            return source
        text, hidden = ipython.hide_in_script(text)
        if not hidden:
            return source
        source = cls(text, path, encoding, bom, hidden=hidden)
        rows = _listed([source.position(item.start)[0] for item in hidden])
        message = f"not Python but IPython: {rows}; the rest of the file is linted"
        return replace(source, problems=(Problem(hidden[0].start, message),))

    @classmethod
    def of_cells(cls, cells: Sequence[tuple[int, str]], path: str) -> Source:
        """Return the source that the cells of a notebook make up, given by their numbers and sources.

        Those that are not Python are skipped; those that Python refuses are blank, and a problem says why.
        """
        python = [cell for cell in cells if is_python(cell[1])]
        shown = [ipython.hide(source, commands=True) for _, source in python]
        text, places = joined(source for source, _ in shown)
        problems: list[Problem] = []
        if not ipython.parses(text):
            broken = {n: why for n, (source, _) in enumerate(shown) if (why := ipython.syntax_error(source))}
            problems = [Problem(places[n][0] + offset, message) for n, (offset, message) in broken.items()]
            shown = [ipython.blank(python[n][1]) if n in broken else item for n, item in enumerate(shown)]
            text, places = joined(source for source, _ in shown)
        numbered = tuple(Cell(number, *place) for (number, _), place in zip(python, places, strict=True))
        hidden = tuple(
            replace(item, start=start + item.start)
            for (start, _), (_, items) in zip(places, shown, strict=True)
            for item in items
        )
        return cls(text, path, cells=numbered, hidden=hidden, problems=tuple(problems))

    @functools.cached_property
    def tree(self) -> ast.Module:
        """What the running Python's parser makes of the text, which is not printed on if it has something to warn of.

        Raises:
            SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
        """
        with warnings.catch_warnings():
            # An invalid escape in a linted string is not ours to print.
            warnings.simplefilter("ignore")
            return ast.parse(self.text)

    def parses(self) -> bool:
        """Tell whether the running Python takes the text."""
        try:
            return self.tree is not None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False

    def keep_tree(self, tree: ast.Module) -> None:
        """Take over a tree of the text that somebody has already, so that it is not parsed again."""
        vars(self)["tree"] = tree

    def forget_tree(self) -> None:
        """Let go of the tree, which takes some 25 bytes a character."""
        vars(self).pop("tree", None)

    def keep_facts(self, facts: ModuleFacts) -> None:
        """Keep what was found out about the text, some 80 bytes a character, for the next who asks."""
        vars(self)["facts"] = facts

    def take_facts(self) -> ModuleFacts | None:
        """Return what was kept, if anything was, and let go of it."""
        facts: ModuleFacts | None = vars(self).pop("facts", None)
        return facts

    def to_bytes(self, text: str) -> bytes:
        """Encode `text` the way this file was encoded, byte order mark included."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode(self.encoding)

    def data(self) -> bytes:
        """Return what is in the file, with this text.

        Raises:
            UnicodeError: the encoding of the file cannot hold the text.
        """
        if self.document is None:
            return self.to_bytes(self.written)
        return self.document.with_sources(dict(self.sources()))

    def sources(self) -> list[tuple[int, str]]:
        """Return the number and the code of each cell."""
        return [(cell.number, self.written[cell.start : cell.end]) for cell in self.cells]

    @functools.cached_property
    def written(self) -> str:
        """The text with what is hidden in it as it is in the file."""
        if not self.hidden:
            return self.text
        parts: list[str] = []
        place = 0
        for item in self.hidden:
            parts += [self.text[place : item.start], item.text]
            place = item.end
        return "".join([*parts, self.text[place:]])

    def edited(self, edits: Iterable[Edit]) -> Source:
        """Return the source after edits that do not overlap.

        Raises:
            EditError: an edit reaches from one cell into another, or changes what is hidden.
        """
        # Stable, so that of two insertions at one place the first stays first.
        ordered = sorted(edits, key=lambda edit: edit.span)
        text = editing.spliced(self.text, ordered)
        if not self.cells and not self.hidden:
            return replace(self, text=text)
        editing.check_hidden(self.text, self.hidden, ordered)
        moved = editing.Moved(ordered)
        return replace(
            self,
            text=text,
            cells=editing.edited_cells(self.text, self.cells, self.hidden, ordered, text),
            hidden=tuple(replace(item, start=moved(item.start)) for item in self.hidden),
            problems=tuple(replace(problem, offset=moved(problem.offset)) for problem in self.problems),
        )

    def placed(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
        """Return edits as they are made in the file; None where they cannot be."""
        if not self.cells and not self.hidden:
            return edits
        starts = {cell.start for cell in self.cells}
        # Blank lines set code apart from what is above; above the first line of a cell there is nothing.
        edits = tuple(
            replace(edit, text=edit.text.lstrip("\r\n") or edit.text) if edit.span.start in starts else edit
            for edit in edits
        )
        try:
            self.edited(edits)
        except EditError:
            return None
        return edits

    def place(self, offset: int) -> tuple[int | None, int]:
        """Return the number of the cell that an offset is in, None where there is none, and the line in the cell."""
        row = self.position(offset)[0]
        cell = self.cell_at(offset)
        return (None, row) if cell is None else (cell.number, row - self.position(cell.start)[0] + 1)

    def cell_at(self, offset: int) -> Cell | None:
        """Return the cell that an offset is in; None where there are no cells."""
        number = bisect.bisect_right(self.cells, offset, key=lambda cell: cell.start)
        return self.cells[max(number - 1, 0)] if self.cells else None

    def row_of(self, row: int, cell: int | None) -> int:
        """Return the line of the text that is a 1-based line of a cell, given by its number.

        Raises:
            IndexError: there is no such cell.
        """
        if cell is None:
            return row
        places = [item.start for item in self.cells if item.number == cell]
        return self.position(places[0])[0] + row - 1

    def row_in_file(self, cell: Cell, row: int) -> int | None:
        """Return the line of the file that holds a 1-based line of a cell; None where there is no file."""
        if self.document is None:
            return None
        found = next(item for item in self.document.cells if item.number == cell.number)
        return self.document.row(found, row - 1)

    @functools.cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts; as many entries as there are lines, at least one."""
        if "\r" in self.text:
            return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]
        return [0, *itertools.accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])]

    @functools.cached_property
    def newline(self) -> str:
        r"""The line end to use for new lines: the first one in the file, `\n` where there is none."""
        match = _NEWLINE.search(self.text)
        return match.group() if match else "\n"

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both 1-based, the column in code points."""
        row = bisect.bisect_right(self.line_starts, offset)
        return row, offset - self.line_starts[row - 1] + 1

    def offset(self, row: int, column: int) -> int:
        """Return the offset of a 1-based line and column (code points)."""
        return self.line_starts[row - 1] + column - 1

    def line(self, row: int) -> str:
        """Return the text of a 1-based line without its line end."""
        end = self.line_starts[row] if row < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[row - 1] : end].rstrip("\r\n")

    def written_line(self, row: int) -> str:
        """Return a 1-based line as it is in the file, without its line end."""
        start = self.line_starts[row - 1]
        return self.written[start : start + len(self.line(row))] if self.hidden else self.line(row)

    def row_span(self, row: int) -> Span:
        """Return the span of a 1-based line without its line end."""
        start = self.line_starts[row - 1]
        return Span(start, start + len(self.line(row)))

    @functools.cached_property
    def once_rows(self) -> frozenset[int]:
        """The lines that carry a `# jaxlint: once` comment: the code there runs once per process."""
        if "jaxlint" not in self.text:
            return frozenset()
        return frozenset(row for row in range(1, len(self.line_starts) + 1) if _ONCE.search(self.line(row)))


# --- what is hidden --------------------------------------------------------------------------------------------------


def _listed(rows: Sequence[int]) -> str:
    """Return lines for readers: `line 3`, `lines 3, 5 and 7-9`."""
    runs: list[list[int]] = []
    for row in dict.fromkeys(rows):
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    if len(texts) == 1:
        return f"{'line' if len(runs[0]) == 1 else 'lines'} {texts[0]}"
    return f"lines {', '.join(texts[:-1])} and {texts[-1]}"
