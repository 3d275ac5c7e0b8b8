"""The server itself: what editors ask and tell, and what they are told."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from jaxlint import __version__
from jaxlint.config import FILE_NAMES
from jaxlint.doors.lsp import actions
from jaxlint.doors.lsp.documents import Document, Documents, is_linted
from jaxlint.doors.lsp.linting import Linter, Options, Result
from jaxlint.doors.lsp.runs import Runs
from jaxlint.finding import Place, Reason
from jaxlint.rules import rules
from jaxlint.rules.page import page

DEBOUNCE = 0.2
"""How many seconds of quiet to wait for before what depends on a file is looked at again."""
AFTER = 0.02
"""How many seconds what is known already has for itself, at the start."""
_WATCHED = ("**/*.py", "**/*.ipynb", "**/.jaxlint_cache/*.json", *(f"**/{name}" for name in FILE_NAMES))
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType(notebook_type="jupyter-notebook"),
            cells=[types.NotebookCellLanguage(language="python")],
        )
    ],
    save=False,
)

log = logging.getLogger(__name__)
T = TypeVar("T")


class Session:
    """One client, from its start to its end."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.documents = Documents()
        self.folders: list[str] = []
        self.options = Options()
        self.linter = Linter([], self.options)
        self.runs = Runs([], self.options.run)
        # One thread each: linting must not wait for a folder that is read for the first time.
        self._linting = ThreadPoolExecutor(1, "lint")
        self._reading = ThreadPoolExecutor(1, "read")
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._kept: dict[str, tuple[str, str]] = {}
        """The last result of each file that was kept for later sessions."""
        self._published: dict[str, set[str]] = {}
        self._said: set[str] = set()
        self._ready = asyncio.Event()
        """Set once it is known how the client wants to have it."""
        self._recalled: Future[None] = Future()
        """Done once what earlier sessions found in the folders has been looked up."""

    # --- start and end ---------------------------------------------------------------------------------------------

    def initialize(self, params: types.InitializeParams) -> None:
        """Take what the client says of itself."""
        encoding = self.server.workspace.position_encoding
        self.documents.encoding = str(getattr(encoding, "value", encoding))
        uris = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
        self.folders = [path for uri in uris if uri and (path := to_fs_path(uri))]
        given = params.initialization_options
        self._configure(given.get("settings", given) if isinstance(given, dict) else None)

    async def initialized(self) -> None:
        """Ask for what can only be asked for now, and read the folders."""
        capabilities = self.server.client_capabilities.workspace
        watched = capabilities and capabilities.did_change_watched_files
        if watched and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self._start(self._register(registration))
        try:
            if not await self._ask_for_configuration():
                self._restart()
        finally:
            self._ready.set()

    async def _register(self, registration: types.Registration) -> None:
        await self.server.client_register_capability_async(types.RegistrationParams([registration]))

    def shutdown(self) -> None:
        """Let go of everything."""
        for task in (*self._tasks.values(), *self._background):
            task.cancel()
        for executor in (self._linting, self._reading):
            executor.shutdown(wait=False, cancel_futures=True)

    # --- configuration ---------------------------------------------------------------------------------------------

    def _configure(self, given: Any) -> None:
        self.options, problems = Options.of(given)
        for problem in problems:
            self._say(problem, types.MessageType.Error)

    async def _ask_for_configuration(self) -> bool:
        """Ask the client for its settings, if it can be asked; return whether it gave some."""
        capabilities = self.server.client_capabilities.workspace
        if not (capabilities and capabilities.configuration):
            return False
        try:
            items = [types.ConfigurationItem(section="jaxlint")]
            (given,) = await self.server.workspace_configuration_async(types.ConfigurationParams(items))
        except (JsonRpcException, ValueError, TypeError) as error:
            log.warning("no settings from the client: %s", error)
            return False
        if not isinstance(given, dict):
            return False
        self._configure(given)
        self._restart()
        return True

    async def configuration_changed(self, settings: Any) -> None:
        """Take new settings, which some clients send and some are asked for."""
        if await self._ask_for_configuration():
            return
        if isinstance(settings, dict) and isinstance(settings.get("jaxlint"), dict):
            self._configure(settings["jaxlint"])
        self._restart()

    def folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Take folders that were opened and closed."""
        gone = {to_fs_path(folder.uri) for folder in event.removed}
        added = [path for folder in event.added if (path := to_fs_path(folder.uri))]
        self.folders = [*(folder for folder in self.folders if folder not in gone), *added]
        self._restart()

    def _restart(self) -> None:
        """Forget what was found under another configuration, and read the folders."""
        self.linter = linter = Linter(self.folders, self.options)
        self.runs = Runs(self.folders, self.options.run)
        if linter.problem is not None:
            self._say(linter.problem, types.MessageType.Error)
        self._recalled = self._reading.submit(linter.recall)
        self._start(self._load(linter))
        for document in self.documents.all():
            self._later(document, 0)

    async def _load(self, linter: Linter) -> None:
        await asyncio.wrap_future(self._recalled)
        # What is known is shown first: all else takes its time, and keeps the processor from it.
        await asyncio.sleep(AFTER)
        self._linting.submit(_warm)
        for project in linter.projects:
            await self._in(self._reading, project.load)
            for warning in project.warnings:
                self._say(warning, types.MessageType.Warning)
            for document in self.documents.all():
                if project.holds(document.path):
                    await self._in(self._reading, lambda at=document: _update(linter, at))  # type: ignore[misc]
        if linter is self.linter:
            self.refresh(self.documents.all())
            for document in self.documents.all():
                if await self.result(document.uri) is not None:
                    self.keep(self.documents.of(document.uri))

    # --- what is open ----------------------------------------------------------------------------------------------

    def opened(self, document: Document | None) -> None:
        """Look at what was opened at once."""
        if document is not None:
            self._later(document, 0)

    def changed(self, document: Document | None) -> None:
        """Look at what was changed once there is a pause."""
        if document is not None:
            self._later(document, DEBOUNCE)

    def closed(self, document: Document | None) -> None:
        """From now on the file is what is on the disk."""
        if document is None:
            return
        task = self._tasks.pop(document.uri, None)
        if task is not None:
            task.cancel()
        self.linter.forget(document.uri)
        for uri in self._published.pop(document.uri, set()):
            self._publish(uri, [], None)
        self._start(self._disk_changed([document.path], []))

    def _later(self, document: Document, delay: float) -> None:
        task = self._tasks.pop(document.uri, None)
        if task is not None:
            task.cancel()
        self._tasks[document.uri] = asyncio.ensure_future(self._settled(document.uri, delay))

    async def _settled(self, uri: str, delay: float) -> None:
        """Show what there is to say of a file, and then of those that it concerns."""
        await asyncio.sleep(delay)
        if not self._pulls:
            await self._push(uri)
        document = self.documents.of(uri)
        if document is not None:
            linter = self.linter
            concerned = await self._in(self._reading, lambda: _update(linter, document))
            self._refresh_paths(concerned)

    # --- files on the disk -----------------------------------------------------------------------------------------

    async def files_changed(self, changes: Iterable[types.FileEvent]) -> None:
        """Take what the client saw happen to files."""
        changed: list[str] = []
        gone: list[str] = []
        for change in changes:
            path = to_fs_path(change.uri) or ""
            name = os.path.basename(path)
            if name in FILE_NAMES or path.endswith(".json"):
                self._restart()
                return
            if is_linted(path):
                (gone if change.type == types.FileChangeType.Deleted else changed).append(path)
        await self._disk_changed(changed, gone)

    async def renamed(self, files: Iterable[types.FileRename]) -> None:
        """Take files that were renamed."""
        files = list(files)
        gone = [path for file in files if (path := to_fs_path(file.old_uri))]
        await self._disk_changed([path for file in files if (path := to_fs_path(file.new_uri))], gone)

    async def _disk_changed(self, changed: list[str], gone: list[str]) -> None:
        linter = self.linter
        opened = {document.path for document in self.documents.all()}

        def look() -> list[str]:
            concerned: list[str] = []
            for path in (*changed, *gone):
                project = linter.project(path)
                if project is not None and project.loaded.is_set() and path not in opened:
                    concerned += project.update(path) if path in changed else project.remove(path)
            return concerned

        self._refresh_paths(await self._in(self._reading, look))

    # --- results ---------------------------------------------------------------------------------------------------

    async def result(self, uri: str) -> Result | None:
        """Return what is found in a file, as it is once that is known; None if it is not open."""
        await self._ready.wait()
        while (document := self.documents.of(uri)) is not None:
            linter, at = self.linter, document

            def lint(linter: Linter = linter, at: Document = at) -> Result | None:
                return linter.lint(at, lambda: self.documents.of(uri) is at and linter is self.linter)

            result = await self._in(self._linting, lint)
            if result is not None:
                if result.error is not None:
                    self._say(result.error, types.MessageType.Error)
                return result
        return None

    async def _shown(self, uri: str) -> Result | None:
        """Return what to show of a file: what an earlier session found in it, until it has been looked at."""
        await self._ready.wait()
        await asyncio.wrap_future(self._recalled)
        document = self.documents.of(uri)
        recalled = self.linter.recalled(document) if document is not None else None
        if recalled is not None:
            return recalled
        result = await self.result(uri)
        if result is not None:
            self.keep(result.document)
        return result

    def keep(self, document: Document | None) -> None:
        """Have later sessions recall what was found in a file, unless it differs from that on the disk."""
        linter = self.linter
        result = linter.known(document) if document is not None else None
        if document is not None and result is not None:
            key = (result.id, result.file.incoming.digest)
            if self._kept.get(document.uri) != key:
                self._kept[document.uri] = key
                self._start(self._in(self._reading, lambda: linter.keep(document)))

    def saved(self, document: Document | None) -> None:
        """Take it that a file is on the disk as it is in the editor."""
        if document is not None:
            self._kept.pop(document.uri, None)
            self.keep(document)

    async def report(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """Answer a client that asks for what to show in a document."""
        uri = params.text_document.uri
        result = await self._shown(uri)
        if result is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        if params.previous_result_id == result.id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result.id)
        items = actions.diagnostics(result, result.document).get(uri, [])
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result.id)

    async def _push(self, uri: str) -> None:
        result = await self._shown(uri)
        if result is None:
            return
        shown = actions.diagnostics(result, result.document)
        for gone in self._published.get(uri, set()).difference(shown):
            self._publish(gone, [], None)
        self._published[uri] = set(shown)
        for part in result.document.parts:
            self._publish(part.uri, shown[part.uri], part.version)

    def _publish(self, uri: str, found: list[types.Diagnostic], version: int | None) -> None:
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _refresh_paths(self, paths: list[str]) -> None:
        wanted = set(paths)
        documents = [document for document in self.documents.all() if document.path in wanted]
        if documents:
            self.refresh(documents)

    def refresh(self, documents: Iterable[Document]) -> None:
        """Have the client show what is to be said of some files now."""
        workspace = self.server.client_capabilities.workspace
        if not self._pulls:
            for document in documents:
                self._start(self._push(document.uri))
        elif workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self._start(self._ask(self.server.workspace_diagnostic_refresh_async))
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self._start(self._ask(self.server.workspace_inlay_hint_refresh_async))

    async def _ask(self, request: Callable[[None], Any]) -> None:
        with contextlib.suppress(JsonRpcException):
            await request(None)

    @property
    def _pulls(self) -> bool:
        """Whether the client asks for what to show, and need not be told."""
        text = self.server.client_capabilities.text_document
        return bool(text and text.diagnostic)

    # --- what editors offer on a finding ---------------------------------------------------------------------------

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the actions for a range."""
        result = await self.result(params.text_document.uri)
        if result is None:
            return []
        linter = self.linter

        def offered() -> list[types.CodeAction]:
            here = any(actions.at(result, params.text_document.uri, params.range))
            return self._offering(linter.with_fixes(result) if here else result).offered(params)

        return await self._in(self._linting, offered)

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edits.

        Raises:
            JsonRpcException: the file has changed since the action was offered.
        """
        data = action.data if isinstance(action.data, dict) else {}
        if "id" not in data:
            return action
        result = await self.result(data["uri"])
        if result is None or result.id != data["id"]:
            code = types.LSPErrorCodes.ContentModified.value
            raise JsonRpcException("the file has changed since this was offered", code)
        linter = self.linter
        return await self._in(self._linting, lambda: self._offering(linter.with_fixes(result)).resolved(action))

    def _offering(self, result: Result) -> actions.Actions:
        capabilities = self.server.client_capabilities
        edits = capabilities.workspace and capabilities.workspace.workspace_edit
        action = capabilities.text_document and capabilities.text_document.code_action
        support = action.resolve_support if action else None
        lazy = bool(action and action.data_support and support and "edit" in support.properties)
        return actions.Actions(result, versioned=bool(edits and edits.document_changes), lazy=lazy)

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return what is to be said of a place."""
        uri = params.text_document.uri
        result = await self.result(uri)
        if result is None:
            return None
        here = types.Range(params.position, params.position)
        found = list(actions.at(result, uri, here))
        if not found:
            return None
        seen = self.runs.seen(result.document.path) if not result.document.notebook else {}
        texts = []
        for finding, _ in found:
            rule = rules()[finding.code]
            code = f"[{finding.code}]({rule.url})" if rule.url else finding.code
            text = f"**{code} {finding.name}**: {rule.summary}\n\n{finding.message}"
            notes = [f"- line {result.source.place(note.span.start)[1]}: {note.message}" for note in finding.related]
            notes += [f"- {_told(reason, result)}" for reason in finding.reasons]
            rows = [
                result.source.position(span.start)[0] for span in (finding.span, *(n.span for n in finding.related))
            ]
            notes += [f"- last run: `{seen[row].name}` {seen[row]}" for row in dict.fromkeys(rows) if row in seen]
            about = f"{finding.impact}, {finding.confidence.label} confidence" if finding.impact else ""
            texts.append("\n\n".join(filter(None, [text, "\n".join(notes), about])))
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(texts)), found[0][1])

    async def hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        """Return what the last run compiled, at the ends of lines."""
        await self._ready.wait()
        document = self.documents.of(params.text_document.uri)
        if document is None or document.notebook or not self.options.inlay_hints:
            return []
        text = document.parts[0].text
        found = []
        for row, seen in sorted(self.runs.seen(document.path).items()):
            if params.range.start.line <= row - 1 <= params.range.end.line:
                end = text.position(text.offset(types.Position(row - 1, 2**31 - 1)))
                found.append(
                    types.InlayHint(end, str(seen), tooltip=f"`{seen.name}` in the last run", padding_left=True)
                )
        return found

    # --- commands --------------------------------------------------------------------------------------------------

    async def explain(self, code: str) -> str:
        """Show the page of a rule, and return it."""
        text = page(rules()[code])
        window = self.server.client_capabilities.window
        if window and window.show_document and window.show_document.support:
            folder = Path(tempfile.gettempdir(), f"jaxlint-{__version__}-{os.getpid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            file = folder / f"{code}.md"
            file.write_text(text, "utf-8")
            uri = from_fs_path(str(file)) or ""
            self._start(self._show(uri))
        else:
            self._say(text, types.MessageType.Info, again=True)
        return text

    async def _show(self, uri: str) -> None:
        with contextlib.suppress(JsonRpcException):
            await self.server.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))

    async def verify(self, uri: str, line: int, code: str) -> dict[str, Any] | None:
        """Run the code around a finding under jax, and show and return what came of it."""
        document = self.documents.of(uri)
        if document is None or document.notebook:
            return None
        if not await self._in(self._linting, lambda: _is_saved(document)):
            self._say("Save the file first: verify runs what is on the disk.", types.MessageType.Warning, again=True)
            return None
        token = str(uuid.uuid4())
        name = os.path.basename(document.path)
        async with self._progress(token, f"Verifying {code} in {name}, line {line}"):
            command = ("verify", document.path, "--only", f"{document.path}:{line}", "--output-format", "json")
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "jaxlint", *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=os.path.dirname(document.path),
            )
            try:
                out, err = await process.communicate()
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        try:
            results = json.loads(out)["results"]
        except (ValueError, KeyError, TypeError):
            said = err.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
            self._say(f"verify failed: {said[-1]}", types.MessageType.Error, again=True)
            return None
        found: dict[str, Any] | None = next((item for item in results if item["code"] == code), None)
        if found is None:
            self._say(f"verify: no {code} in line {line}", types.MessageType.Warning, again=True)
            return None
        self._say(f"{code} {found['verdict']}: {found['reason']}", types.MessageType.Info, again=True)
        return found

    @contextlib.asynccontextmanager
    async def _progress(self, token: str, title: str) -> Any:
        """Show that something is under way, where the client can."""
        window = self.server.client_capabilities.window
        progress = self.server.work_done_progress
        shown = bool(window and window.work_done_progress)
        if shown:
            await progress.create_async(token)
            progress.begin(token, types.WorkDoneProgressBegin(title))
        try:
            yield
        finally:
            if shown:
                progress.end(token, types.WorkDoneProgressEnd())

    # --- helpers ---------------------------------------------------------------------------------------------------

    async def _in(self, executor: Executor, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(executor, do)

    def _start(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("jaxlint failed; please report this", exc_info=task.exception())

    def _say(self, text: str, kind: types.MessageType, *, again: bool = False) -> None:
        """Show a message, but once if it is not asked for again."""
        if again or text not in self._said:
            self._said.add(text)
            self.server.window_show_message(types.ShowMessageParams(kind, f"jaxlint: {text}"))


def _told(reason: Reason, result: Result) -> str:
    """Say what supports a finding or against it, with its line."""
    at = reason.at
    if isinstance(at, Place):
        return f"{at.path}, line {at.row}: {reason.worded}"
    return reason.worded if at is None else f"line {result.source.place(at.start)[1]}: {reason.worded}"


def _warm() -> None:
    """Load what linting needs, before anybody waits for it."""
    from jaxlint.linter import lint
    from jaxlint.source import Source

    lint(Source("import jax\n\n\ndef f(x):\n    return jax.jit(lambda y: y)(x)\n"))


def _update(linter: Linter, document: Document) -> list[str]:
    """Tell the folder of a file how it is in the editor, and return whom that concerns."""
    project = linter.project(document.path)
    if project is None or not project.loaded.is_set():
        return []
    return project.update(document.path, document.source(document.path))


def _is_saved(document: Document) -> bool:
    from jaxlint.source import Source, SourceError

    try:
        return Source.from_bytes(Path(document.path).read_bytes()).text == document.parts[0].text.text
    except (OSError, SourceError):
        return False


def create() -> LanguageServer:
    """Return a server that is ready to be started."""
    server = LanguageServer("jaxlint", __version__, notebook_document_sync=_NOTEBOOKS)
    session = Session(server)
    _take_documents(server, session)
    _take_workspace(server, session)
    _answer(server, session)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.initialize(params)

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await session.initialized()

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None = None) -> None:
        session.shutdown()

    return server


def _take_documents(server: LanguageServer, session: Session) -> None:
    documents = session.documents

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        session.opened(documents.open(params.text_document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        session.changed(documents.change(params))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.saved(documents.of(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(documents.close(params.text_document.uri))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open_notebook(params: types.DidOpenNotebookDocumentParams) -> None:
        session.opened(documents.open_notebook(params))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change_notebook(params: types.DidChangeNotebookDocumentParams) -> None:
        session.changed(documents.change_notebook(params))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close_notebook(params: types.DidCloseNotebookDocumentParams) -> None:
        session.closed(documents.close(params.notebook_document.uri))


def _take_workspace(server: LanguageServer, session: Session) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        await session.configuration_changed(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session.folders_changed(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        await session.files_changed(params.changes)

    filters = [types.FileOperationFilter(types.FileOperationPattern(pattern)) for pattern in ("**/*.py", "**/*.ipynb")]

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, types.FileOperationRegistrationOptions(filters))
    async def did_rename_files(params: types.RenameFilesParams) -> None:
        await session.renamed(params.files)


def _answer(server: LanguageServer, session: Session) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="jaxlint"),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return await session.report(params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await session.code_actions(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        return await session.resolve(action)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await session.hover(params)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        return await session.hints(params)

    @server.command(actions.EXPLAIN)
    async def explain(code: str) -> str:
        return await session.explain(code)

    @server.command(actions.VERIFY)
    async def verify(uri: str, line: int, code: str) -> dict[str, Any] | None:
        return await session.verify(uri, line, code)
