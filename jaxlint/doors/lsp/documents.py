"""What editors have open: files, and notebooks whose cells are documents of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsprotocol import types
from pygls.uris import to_fs_path

from jaxlint.doors.lsp.text import Text
from jaxlint.editing import Cell
from jaxlint.finding import Edit
from jaxlint.notebook import is_notebook
from jaxlint.source import Source


@dataclass(frozen=True)
class Part:
    """A document of the protocol: a file, or a cell; `number` is that of the cell among all cells."""

    uri: str
    text: Text
    version: int | None = None
    number: int = 1


@dataclass(frozen=True)
class Document:
    """A file that is open, as it was at one time; a later state of it is another object."""

    uri: str
    path: str
    parts: tuple[Part, ...]
    notebook: bool = False

    def source(self, name: str) -> Source:
        """Return what is linted, under the name that the core knows the file by."""
        if self.notebook:
            return Source.of_cells([(part.number, part.text.text) for part in self.parts], name)
        return Source.of_script(self.parts[0].text.text, name)

    def part(self, source: Source, offset: int) -> tuple[Part, int]:
        """Return the part that an offset of the source is in, and the offset where the part starts."""
        cell = source.cell_at(offset)
        if cell is None:
            return self.parts[0], 0
        return self._of_cell(cell), cell.start

    def located(self, source: Source, start: int, end: int) -> tuple[Part, types.Range]:
        """Return the part that a span of the source is in, and its range there."""
        part, first = self.part(source, start)
        return part, part.text.range(start - first, end - first)

    def edits(self, source: Source, edits: Sequence[Edit]) -> dict[str, tuple[Part, list[types.TextEdit]]]:
        """Return edits of the source by the documents that they are in."""
        found: dict[str, tuple[Part, list[types.TextEdit]]] = {}
        for edit in edits:
            part, place = self.located(source, edit.span.start, edit.span.end)
            found.setdefault(part.uri, (part, []))[1].append(types.TextEdit(place, edit.text))
        return found

    def _of_cell(self, cell: Cell) -> Part:
        return next(part for part in self.parts if part.number == cell.number)


class Documents:
    """All that is open, by the addresses of files and notebooks."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}
        self._cells: dict[str, str] = {}
        """Which notebook a cell is in."""
        self._kinds: dict[str, list[tuple[str, bool]]] = {}
        """Address of each cell of a notebook, and whether it is code."""

    def all(self) -> list[Document]:
        """Return all that is open."""
        return list(self._open.values())

    def of(self, uri: str) -> Document | None:
        """Return the file or the notebook with this address, or with a cell of this address."""
        return self._open.get(self._cells.get(uri, uri))

    def at(self, path: str) -> Document | None:
        """Return what is open of a file, by its absolute path."""
        return next((document for document in self._open.values() if document.path == path), None)

    def open(self, item: types.TextDocumentItem) -> Document | None:
        """Take a file that was opened; None if it is none that is linted."""
        path = to_fs_path(item.uri) or item.uri
        if item.language_id != "python" and not path.endswith((".py", ".pyi")):
            return None
        part = Part(item.uri, self._text(item.text), item.version)
        document = self._open[item.uri] = Document(item.uri, path, (part,))
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """Take changes of a file."""
        document = self._open.get(params.text_document.uri)
        if document is None:
            return None
        return self._change_part(document, document.uri, params.text_document.version, params.content_changes)

    def close(self, uri: str) -> Document | None:
        """Forget a file or a notebook, and return what was open."""
        for cell, _ in self._kinds.pop(uri, ()):
            self._cells.pop(cell, None)
        return self._open.pop(uri, None)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> Document | None:
        """Take a notebook that was opened; None if it is none that is linted."""
        uri = params.notebook_document.uri
        path = to_fs_path(uri) or uri
        document = self._open[uri] = Document(uri, path, (), notebook=True)
        self._kinds[uri] = []
        cells = params.notebook_document.cells
        return self._splice(document, 0, 0, cells, params.cell_text_documents)

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> Document | None:
        """Take changes of a notebook: of its cells, and of the text in them."""
        document = self._open.get(params.notebook_document.uri)
        cells = params.change.cells
        if document is None or cells is None:
            return document
        if cells.structure is not None:
            array = cells.structure.array
            opened = cells.structure.did_open or ()
            document = self._splice(document, array.start, array.delete_count, array.cells or (), opened)
        for content in cells.text_content or ():
            document = self._change_part(document, content.document.uri, content.document.version, content.changes)
        return document

    def _splice(
        self,
        document: Document,
        start: int,
        delete: int,
        cells: Sequence[types.NotebookCell],
        opened: Sequence[types.TextDocumentItem],
    ) -> Document:
        """Put cells in the place of others."""
        kinds = self._kinds[document.uri]
        for cell, _ in kinds[start : start + delete]:
            self._cells.pop(cell, None)
        kinds[start : start + delete] = [(cell.document, cell.kind == types.NotebookCellKind.Code) for cell in cells]
        known = {part.uri: part for part in document.parts}
        for item in opened:
            if item.language_id == "python":
                known[item.uri] = Part(item.uri, self._text(item.text), item.version)
        parts = []
        for number, (cell, is_code) in enumerate(kinds, 1):
            self._cells[cell] = document.uri
            if is_code and cell in known:
                parts.append(replace(known[cell], number=number))
        return self._put(replace(document, parts=tuple(parts)))

    def _change_part(
        self,
        document: Document,
        uri: str,
        version: int,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> Document:
        parts = []
        for part in document.parts:
            if part.uri == uri:
                text = part.text
                for change in changes:
                    text = text.changed(change)
                part = replace(part, text=text, version=version)  # noqa: PLW2901
            parts.append(part)
        return self._put(replace(document, parts=tuple(parts)))

    def _put(self, document: Document) -> Document:
        self._open[document.uri] = document
        return document

    def _text(self, text: str) -> Text:
        return Text(text, self.encoding)


def is_linted(path: str) -> bool:
    """Tell whether a file of a folder is linted, by its name."""
    return path.endswith(".py") or is_notebook(path)
