"""How long an editor waits for `jaxlint lsp`: `make bench`.

    python bench/lsp.py [FOLDER]

The server is started on a folder (by default the packages that `bench.py` downloads, some 200 files), with a cache
that an earlier start has filled.  Measured are milliseconds of the wall, so the machine must be idle: from the start of
the process, and from the opening of a file, to its first diagnostics; and from an edit to its diagnostics, the median
of 50 edits, in a file of some 1,000 lines as it is, and with two findings added.
"""

from __future__ import annotations

import asyncio
import importlib
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

FILE = Path("numpyro", "infer", "hmc.py")
EDITS = 50
END = 1_000_000
"""A line behind the end of any file."""
FOUND = """

def scale_by_lambda(x):
    return jax.jit(lambda y: y * 2)(x)


def norms(xs):
    return [jax.jit(jax.grad(lambda z: (z**2).sum()))(x) for x in xs]
"""


class Editor:
    """A server, and what an editor says to it."""

    def __init__(self) -> None:
        self.client = LanguageClient("bench", "1")
        self.version = 1

    async def start(self, folder: Path) -> None:
        """Start the server on a folder."""
        await self.client.start_io(sys.executable, "-m", "jaxlint", "lsp")
        able = types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities())
        )
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
        await self.client.initialize_async(types.InitializeParams(able, workspace_folders=folders))
        self.client.initialized(types.InitializedParams())

    async def open(self, path: Path, text: str) -> Any:
        """Open a file, and return what is shown."""
        item = types.TextDocumentItem(path.as_uri(), "python", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.pull(path)

    async def edit(self, path: Path, line: int, text: str) -> Any:
        """Put a text before a line, and return what is shown."""
        self.version += 1
        place = types.Position(line, 0)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), text)
        document = types.VersionedTextDocumentIdentifier(self.version, path.as_uri())
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return await self.pull(path)

    async def pull(self, path: Path) -> Any:
        """Return what is shown of a file."""
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(path.as_uri()))
        return await self.client.text_document_diagnostic_async(params)

    async def end(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def measure(folder: Path) -> None:
    """Measure, and print a table."""
    path = folder / FILE
    text = path.read_text(encoding="utf-8")
    for warm in (False, True):
        start = time.perf_counter()
        editor = Editor()
        await editor.start(folder)
        opened = time.perf_counter()
        await editor.open(path, text)
        now = time.perf_counter()
        if warm:
            print(f"from the start of the process to the first diagnostics  {1000 * (now - start):6.0f} ms")
            print(f"from the opening of a file to its first diagnostics     {1000 * (now - opened):6.0f} ms")
        else:
            await asyncio.sleep(30)  # the folder is read in the background
            await editor.end()
    for name, added in (("as it is", ""), ("with two findings", FOUND)):
        report = await editor.edit(path, 0 if not added else END, "import jax\n" + added)
        spent = []
        for number in range(EDITS):
            start = time.perf_counter()
            report = await editor.edit(path, text.count("\n") // 2, "\n" if number % 2 else "# x\n")
            spent.append(time.perf_counter() - start)
        shown = f"{len(report.items)} findings"
        median = 1000 * statistics.median(spent)
        print(f"from an edit to its diagnostics, {name} ({shown}){'':<{40 - len(name + shown)}}{median:6.0f} ms")
    await editor.end()


def main() -> None:
    """Measure."""
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1]).resolve()
    else:
        packages: Any = importlib.import_module("bench")
        packages.download()
        folder = packages.FOLDER.resolve()
    asyncio.run(measure(folder))


if __name__ == "__main__":
    main()
