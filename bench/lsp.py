"""How long an editor waits for `jaxlint lsp`: `make bench`.

    python bench/lsp.py [FOLDER]

The server is started on a folder (by default the packages that `bench.py` downloads, some 200 files), with a cache
that an earlier start has filled.  Measured are milliseconds: of the wall, for which the machine must be idle, and of
the server's processor, which a busy machine changes less.  They run from the start of the process to its answer, from
there to the first diagnostics of a file, each the median of five starts, also of a server that is made of the same
library and finds nothing, which no other could be quicker than; and from an edit to its diagnostics, the median of 50
edits, in a file of some 1,000 lines as it is, and with findings added.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.lsp.server import LanguageServer

FILE = Path("numpyro", "infer", "hmc.py")
EDITS = 50
STARTS = 5
SERVER = ("-m", "jaxlint", "lsp")
EMPTY = (os.path.abspath(__file__), "--empty")
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

    async def start(self, folder: Path, server: Sequence[str] = SERVER) -> None:
        """Start a server on a folder."""
        os.chdir(folder)
        await self.client.start_io(sys.executable, *server)
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

    @property
    def spent(self) -> float:
        """The milliseconds that the server has had of the processor; 0 where the system does not say."""
        process: Any = self.client._server
        try:
            tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6
        except OSError:
            return 0.0

    async def end(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


class Clock:
    """Takes the time of the wall and of a server, together."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._wall, self._spent = time.perf_counter(), 0.0

    def lap(self) -> tuple[float, float]:
        """Return the milliseconds of both since the last lap."""
        wall, spent = time.perf_counter(), self._editor.spent
        took = 1000 * (wall - self._wall), spent - self._spent
        self._wall, self._spent = wall, spent
        return took


def show(what: str, laps: Sequence[tuple[float, float]]) -> None:
    """Print the medians."""
    wall, spent = (statistics.median(times) for times in zip(*laps, strict=True))
    print(f"{what:70}{wall:6.0f} ms{spent:6.0f} ms of the processor")


async def starts(folder: Path, server: Sequence[str], name: str) -> None:
    """Measure how long a server takes until it shows something."""
    path = folder / FILE
    text = path.read_text(encoding="utf-8")
    ready, shown = [], []
    for _ in range(STARTS):
        editor = Editor()
        clock = Clock(editor)
        await editor.start(folder, server)
        ready.append(clock.lap())
        await editor.open(path, text)
        shown.append(clock.lap())
        await editor.end()
    show(f"{name}: from the start of the process to its answer", ready)
    show(f"{name}: from there to the first diagnostics", shown)


async def edits(folder: Path) -> None:
    """Measure how long it takes after an edit."""
    path = folder / FILE
    text = path.read_text(encoding="utf-8")
    editor = Editor()
    await editor.start(folder)
    await editor.open(path, text)
    await asyncio.sleep(10)  # the folder is read in the background
    for name, added in (("as it is", ""), ("with findings added", FOUND)):
        report = await editor.edit(path, 0 if not added else END, "import jax\n" + added)
        laps = []
        for number in range(EDITS):
            clock = Clock(editor)
            clock.lap()
            report = await editor.edit(path, text.count("\n") // 2, "\n" if number % 2 else "# x\n")
            laps.append(clock.lap())
        show(f"from an edit to its diagnostics, {name} ({len(report.items)} findings)", laps)
    await editor.end()


async def measure(folder: Path) -> None:
    """Measure, and print a table."""
    editor = Editor()
    await editor.start(folder)
    await editor.open(folder / FILE, (folder / FILE).read_text(encoding="utf-8"))
    await asyncio.sleep(30)  # the folder is read in the background
    await editor.end()
    await starts(folder, EMPTY, "a server that finds nothing")
    await starts(folder, SERVER, "jaxlint lsp")
    await edits(folder)


def serve_nothing() -> None:
    """Be a server that finds nothing."""
    server = LanguageServer("empty", "1")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(False, False))
    async def diagnostic(_: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return types.RelatedFullDocumentDiagnosticReport(items=[])

    server.start_io()


def main() -> None:
    """Measure."""
    if sys.argv[1:] == ["--empty"]:
        serve_nothing()
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as where jaxlint is installed
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1]).resolve()
    else:
        packages: Any = importlib.import_module("bench")
        packages.download()
        folder = packages.FOLDER.resolve()
    asyncio.run(measure(folder))


if __name__ == "__main__":
    main()
