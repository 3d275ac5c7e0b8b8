"""The language server, driven by the client that pygls has."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

SECONDS = 120
"""How long to wait for what must come; nothing is timed."""


def run(session: Coroutine[Any, Any, None], seconds: float = SECONDS) -> None:
    """Run a session to its end, or fail where nothing happens any more."""
    asyncio.run(asyncio.wait_for(session, seconds))


def uri_of(path: Path) -> str:
    uri = from_fs_path(str(path))
    assert uri is not None
    return uri


def capabilities(*, pull: bool = True, encoding: str = "utf-16", lazy: bool = True) -> types.ClientCapabilities:
    """Return what an editor can do."""
    resolve = types.ClientCodeActionResolveOptions(properties=["edit"]) if lazy else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)]),
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            code_action=types.CodeActionClientCapabilities(data_support=lazy, resolve_support=resolve),
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            configuration=True,
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(True)
        ),
    )


class Editor:
    """An editor with a folder open."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.settings: dict[str, Any] = {}
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.shown: list[str] = []
        self.progress: list[str] = []
        self.refreshed = 0
        self.registered: list[str] = []
        self._changed = asyncio.Event()

    def listen(self) -> None:
        client = self.client

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self._changed.set()

        @client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)
        def refresh(_: None) -> None:
            self.refreshed += 1
            self._changed.set()

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._changed.set()

        @client.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(params.uri)
            self._changed.set()
            return types.ShowDocumentResult(success=True)

        @client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def create(_: types.WorkDoneProgressCreateParams) -> None:
            return None

        @client.feature(types.PROGRESS)
        def progress(params: types.ProgressParams) -> None:
            value: Any = params.value
            self.progress.append(value["kind"] if isinstance(value, dict) else value.kind)

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registered += [registration.method for registration in params.registrations]

        @client.feature(types.WORKSPACE_CONFIGURATION)
        def configuration(params: types.ConfigurationParams) -> list[Any]:
            return [self.settings for _ in params.items]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that the server tells."""
        while not holds():
            await self._changed.wait()
            self._changed.clear()

    def open(self, path: Path, text: str, version: int = 1) -> str:
        uri = uri_of(path)
        item = types.TextDocumentItem(uri, "python", version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, version: int, *changes: types.TextDocumentContentChangeEvent) -> None:
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await self.client.text_document_diagnostic_async(params)

    async def found(self, uri: str) -> list[types.Diagnostic]:
        return list((await self.pull(uri)).items)

    async def actions(self, uri: str, place: types.Range, *only: str) -> list[Any]:
        """Return what is offered; the client takes actions that run a command for commands."""
        context = types.CodeActionContext([], only=list(only) or None)
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
        return list(await self.client.text_document_code_action_async(params) or [])

    async def edits(self, action: types.CodeAction) -> dict[str, list[types.TextEdit]]:
        """Return the edits of an action, asked for if they are not there yet."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        assert action.edit.document_changes is not None
        changes: list[Any] = list(action.edit.document_changes)
        return {change.text_document.uri: list(change.edits) for change in changes}


@asynccontextmanager
async def editor(
    folder: Path, able: types.ClientCapabilities, settings: dict[str, Any] | None = None, *folders: Path
) -> AsyncIterator[Editor]:
    """Start a server for a folder, and end it."""
    client = LanguageClient("editor", "1")
    it = Editor(client, folder)
    it.settings = settings or {}
    it.listen()
    await client.start_io(sys.executable, "-m", "jaxlint", "lsp")
    try:
        opened = [types.WorkspaceFolder(uri_of(path), path.name) for path in (folder, *folders)]
        result = await client.initialize_async(types.InitializeParams(able, workspace_folders=opened))
        general: Any = able.general
        assert result.capabilities.position_encoding == general.position_encodings[0]
        client.initialized(types.InitializedParams())
        yield it
        await client.shutdown_async(None)
        client.exit(None)
    except BaseException:
        process: Any = client._server
        process.kill()
        raise
    finally:
        await client.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder that is a project."""
    (tmp_path / "pyproject.toml").write_text("[tool.jaxlint]\n")
    return tmp_path
