"""The server, the command and flake8 say the same."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types

from tests import marks
from tests.doors.lsp.conftest import capabilities, editor, run, uri_of
from tests.notebooks import dumps, notebook, split

Place = tuple[str, int, int, str, str]
PLACE = "%(path)s\t%(row)d\t%(col)d\t%(code)s\t%(text)s"


def command(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


def checked(folder: Path, *arguments: str) -> set[Place]:
    out = command(folder, "jaxlint", "check", "--no-cache", "--output-format", "json", *arguments)
    found: list[dict[str, Any]] = json.loads(out)
    return {(f["filename"], f["location"]["row"], f["location"]["column"], f["code"], f["message"]) for f in found}


def served(opened: Path, folder: Path, files: Iterable[Path]) -> set[Place]:
    """Return what the server shows in some files below `folder`, with another folder open."""
    found: set[Place] = set()

    async def session() -> None:
        async with editor(opened, capabilities(encoding="utf-32")) as it:
            await it.client.text_document_diagnostic_async(_first(opened))
            for file in files:
                uri = it.open(file, file.read_bytes().decode())
                name = file.relative_to(folder).as_posix()
                for item in await it.found(uri):
                    start = item.range.start
                    found.add((name, start.line + 1, start.character + 1, str(item.code), item.message))

    run(session(), 900)
    return found


def _first(folder: Path) -> Any:
    return types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri_of(folder / "none.py")))


def test_all_say_the_same_of_testdata(tmp_path: Path) -> None:
    folder, other = tmp_path / "testdata", tmp_path / "other"
    other.mkdir()
    files = []
    for path in marks.files():
        copy = folder / path.parent.name / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        files.append(copy)
    (folder / "jaxlint.toml").write_text('select = ["JAX"]\npreview = true\n')
    alone = checked(folder, "--no-project", ".")
    assert alone
    flake8 = command(folder, "flake8", "--isolated", "--disable-noqa", "--select", "JAX", "--format", PLACE, ".")
    rows = [line.split("\t") for line in flake8.splitlines()]
    assert {(p.removeprefix("./"), int(r), int(c), code, text) for p, r, c, code, text in rows} == {
        (*place, " ".join(message.split())) for *place, message in alone
    }
    assert served(other, folder, files) == alone


def test_all_say_the_same_of_notebooks(tmp_path: Path) -> None:
    """The command, the server, and the command on the code of all cells in one file."""
    pasted, noted, other = (tmp_path / name for name in ("pasted", "noted", "other"))
    notebooks: dict[str, list[str]] = {}
    for folder in (pasted, noted, other):
        folder.mkdir()
        (folder / "jaxlint.toml").write_text('select = ["JAX"]\npreview = true\nmin-confidence = "low"\n')
    for path in {path.parent.name: path for path in marks.files()}.values():
        name = f"{path.parent.name}_{path.stem.replace('.', '_')}"
        cells = notebooks[name] = split(path.read_text("utf-8"))
        (pasted / f"{name}.py").write_text("".join(cells), "utf-8")
        (noted / f"{name}.ipynb").write_text(dumps(notebook(*cells)), "utf-8")
    out = command(noted, "jaxlint", "check", "--no-cache", "--no-project", "--output-format", "json", ".")
    found = {
        (f["filename"], f["cell"], f["location"]["row"], f["location"]["column"], f["code"], f["message"])
        for f in json.loads(out)
    }
    assert len({name for name, *_ in found}) > len(notebooks) / 2
    starts = {name: [0, *itertools.accumulate(c.count("\n") for c in cells)] for name, cells in notebooks.items()}
    assert checked(pasted, "--no-project", ".") == {
        (f"{stem}.py", starts[stem][cell - 1] + row, *rest)
        for name, cell, row, *rest in found
        for stem in (name.removesuffix(".ipynb"),)
    }
    assert served_notebooks(other, noted, notebooks) == found


def served_notebooks(opened: Path, folder: Path, notebooks: dict[str, list[str]]) -> set[tuple[object, ...]]:
    """Return what the server shows in notebooks, with another folder open."""
    found: set[tuple[object, ...]] = set()

    async def session() -> None:
        async with editor(opened, capabilities(encoding="utf-32")) as it:
            for name, cells in notebooks.items():
                uris = [f"vscode-notebook-cell:/{name}.ipynb#{number}" for number in range(len(cells))]
                listed = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris]
                items = [types.TextDocumentItem(u, "python", 1, text) for u, text in zip(uris, cells, strict=True)]
                at = uri_of(folder / f"{name}.ipynb")
                document = types.NotebookDocument(at, "jupyter-notebook", 1, listed)
                it.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
                for number, uri in enumerate(uris, 1):
                    for item in await it.found(uri):
                        start = item.range.start
                        place = (f"{name}.ipynb", number, start.line + 1, start.character + 1)
                        found.add((*place, item.code, item.message))

    run(session(), 900)
    return found
