"""The protocol, from the start of a server to its end."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from jaxlint.doors.lsp.text import Text
from tests.doors.conftest import LAMBDA
from tests.doors.lsp.conftest import Editor, capabilities, editor, run, uri_of
from tests.notebooks import dumps, notebook

HARD = "import jax\r\n\r\n\r\ndef scale(x):\r\n    é = '😀\x0c\u2028'; return jax.jit(lambda y: y * 2)(x)  # 😀\r\n"
"""One finding, behind characters of several lengths, in a text whose lines end otherwise than Python's splitlines."""


def applied(text: str, edits: list[types.TextEdit], encoding: str) -> str:
    """Return a text after edits, as an editor makes them."""
    it = Text(text, encoding)
    places = sorted(((it.offset(e.range.start), it.offset(e.range.end), e.new_text) for e in edits), reverse=True)
    for start, end, new in places:
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_open_edit_pull_act_and_end(folder: Path, encoding: str) -> None:
    async def session() -> None:
        async with editor(folder, capabilities(encoding=encoding)) as it:
            uri = it.open(folder / "a.py", HARD)
            report = await it.pull(uri)
            (found,) = report.items
            text = Text(HARD, encoding)
            start = HARD.index("jax.jit(")
            assert found.range == text.range(start, HARD.index("(x)  #"))
            assert (found.code, found.source, found.severity) == ("JAX102", "jaxlint", types.DiagnosticSeverity.Warning)
            assert found.code_description is None  # the documentation has no address yet
            # Nothing has changed since.
            assert (await it.pull(uri, report.result_id)).kind == "unchanged"

            titles = [action.title for action in await it.actions(uri, found.range)]
            assert titles == [
                "Move it to module level as `_scale`",
                "Hide JAX102 on this line",
                "Explain JAX102 (jit-of-lambda)",
                "Verify JAX102: run the code around it under jax",
            ]
            fix, hide, *_ = await it.actions(uri, found.range, types.CodeActionKind.QuickFix)
            assert (fix.is_preferred, fix.edit, hide.edit) == (True, None, None)
            assert await it.actions(uri, types.Range(types.Position(0, 0), types.Position(1, 0))) == []
            fixed = applied(HARD, (await it.edits(fix))[uri], encoding)
            assert fixed == HARD.replace(
                "def scale", "@jax.jit\r\ndef _scale(y):\r\n    return y * 2\r\n\r\n\r\ndef scale"
            ).replace("jax.jit(lambda y: y * 2)", "_scale")
            hidden = applied(HARD, (await it.edits(hide))[uri], encoding)
            assert hidden == HARD.replace("# 😀", "# 😀  # noqa: JAX102")
            (everything,) = await it.actions(uri, found.range, "source.fixAll")
            assert everything.kind == "source.fixAll.jaxlint"
            assert applied(HARD, (await it.edits(everything))[uri], encoding) == fixed
            assert await it.actions(uri, found.range, "refactor") == []

            # The edit of a part, behind all that is hard to count.
            end = text.range(HARD.index("y * 2"), HARD.index("y * 2") + 5)
            it.change(uri, 2, types.TextDocumentContentChangePartial(end, "y + 😀1"))
            with pytest.raises(JsonRpcException, match="changed since"):
                await it.client.code_action_resolve_async(fix)
            it.change(uri, 3, types.TextDocumentContentChangePartial(text.range(0, 6), "IMPORT"))
            it.change(uri, 4, types.TextDocumentContentChangeWholeDocument(fixed))
            assert await it.found(uri) == []
            it.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
            assert await it.found(uri) == []

    run(session())


def test_what_is_shown_says_why_and_where_to_read_on(folder: Path) -> None:
    text = "import jax\n\n\ndef make():\n    return jax.jit(lambda y: y)\n\n\ndef use(x):\n    return make()(x)\n"

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            uri = it.open(folder / "a.py", text)
            (found,) = await it.found(uri)
            place = types.TextDocumentIdentifier(uri)
            for note in found.related_information or ():
                assert note.location.uri == uri
            hover = await it.client.text_document_hover_async(types.HoverParams(place, found.range.start))
            assert hover is not None
            assert found.message in hover.contents.value  # type: ignore[union-attr]
            assert f"**{found.code} " in hover.contents.value  # type: ignore[union-attr]
            nowhere = types.HoverParams(place, types.Position(0, 0))
            assert await it.client.text_document_hover_async(nowhere) is None
            page = await it.client.workspace_execute_command_async(
                types.ExecuteCommandParams("jaxlint.explain", [found.code])
            )
            assert str(page).startswith("# ")
            await it.until(lambda: bool(it.shown))

    run(session())


def test_a_reason_in_another_file_can_be_opened(folder: Path) -> None:
    (folder / "lib.py").write_text(LAMBDA)
    (folder / "main.py").write_text("from lib import scale\n\nfor _ in range(100):\n    scale(1)\n")

    async def session() -> None:
        async with editor(folder, capabilities(pull=False)) as it:
            uri = it.open(folder / "lib.py", LAMBDA)

            def published() -> list[types.Diagnostic]:
                return list(it.published[uri].diagnostics) if uri in it.published else []

            await it.until(lambda: any(item.related_information for item in published()))
            (found,) = published()
            places = [(note.location.uri, note.location.range.start.line) for note in found.related_information or ()]
            assert (uri_of(folder / "main.py"), 3) in places

    run(session())


def test_the_last_run_shows_at_its_lines(folder: Path) -> None:
    function = {"name": "scale", "file": "a.py", "line": 4, "eager": False, "compiles": 40, "cache_loads": 0}
    costs = {"trace_seconds": 1.0, "lowering_seconds": 0.5, "compile_seconds": 29.6}
    (folder / ".jaxlint_run.json").write_text(json.dumps({"functions": [{**function, **costs}]}))
    everything = types.Range(types.Position(0, 0), types.Position(9, 0))

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            uri = it.open(folder / "a.py", LAMBDA)
            params = types.InlayHintParams(types.TextDocumentIdentifier(uri), everything)
            (hint,) = await it.client.text_document_inlay_hint_async(params) or []
            assert (hint.label, hint.position) == ("compiled 40\N{MULTIPLICATION SIGN}, 31 s", types.Position(3, 13))
            it.settings = {"inlayHints": False}
            it.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await it.found(uri)
            while await it.client.text_document_inlay_hint_async(params):
                await asyncio.sleep(0.05)

    run(session())


async def until_found(it: Editor, uri: str, codes: list[str]) -> None:
    """Pull until something is found; the server has no reason to wait for it to be asked."""
    while [item.code for item in await it.found(uri)] != codes:
        await asyncio.sleep(0.05)


def test_settings_come_from_the_client_and_the_project(folder: Path) -> None:
    async def session() -> None:
        async with editor(folder, capabilities(), {"ignore": ["JAX102"]}) as it:
            uri = it.open(folder / "a.py", LAMBDA)
            await until_found(it, uri, [])
            it.settings = {}
            it.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await until_found(it, uri, ["JAX102"])
            (folder / "pyproject.toml").write_text('[tool.jaxlint]\nignore = ["JAX1"]\n')
            event = types.FileEvent(uri_of(folder / "pyproject.toml"), types.FileChangeType.Changed)
            it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await until_found(it, uri, [])
            # What is wrong is said, and nothing is found by chance.
            (folder / "pyproject.toml").write_text("[tool.jaxlint]\nignore = 1\n")
            it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await it.until(lambda: any("must be a list" in text for text in it.messages))
            it.settings = {"selct": ["JAX1"], "minConfidence": "sure"}
            it.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await it.until(
                lambda: any("jaxlint.selct: unknown setting; did you mean 'select'?" in m for m in it.messages)
            )
            await it.until(lambda: any("jaxlint.minConfidence" in text for text in it.messages))
            assert "workspace/didChangeWatchedFiles" in it.registered

    run(session())


CALLEE = "import jax\n\n\ndef scale(x):\n    return jax.jit(lambda y: y * 2)(x)\n"
MAIN = "from steps import scale\n\nscale(1)\n"


def test_what_other_files_say_counts_and_is_kept_up_to_date(folder: Path) -> None:
    """`scale` is called once, so its finding is low, until another file calls it in a loop."""
    (folder / "steps.py").write_text(CALLEE)
    (folder / "main.py").write_text(MAIN)

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            alone = it.open(folder.parent / "alone.py", CALLEE)
            before = [item.code for item in await it.found(alone)]
            uri = it.open(folder / "steps.py", CALLEE)
            await until_found(it, uri, [])
            assert before == ["JAX102"]
            main = it.open(folder / "main.py", MAIN)
            refreshed = it.refreshed
            loop = MAIN.replace("scale(1)", "for _ in range(100):\n    scale(1)")
            it.change(main, 2, types.TextDocumentContentChangeWholeDocument(loop))
            await until_found(it, uri, ["JAX102"])
            await it.until(lambda: it.refreshed > refreshed)
            # Closed without being saved, it is what it was.
            it.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(main)))
            await until_found(it, uri, [])
            # A file that is renamed is imported by another name.
            os.rename(folder / "main.py", folder / "other.py")
            (folder / "other.py").write_text(loop)
            rename = types.FileRename(uri_of(folder / "main.py"), uri_of(folder / "other.py"))
            it.client.workspace_did_rename_files(types.RenameFilesParams([rename]))
            await until_found(it, uri, ["JAX102"])
            event = types.FileEvent(uri_of(folder / "other.py"), types.FileChangeType.Deleted)
            it.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            await until_found(it, uri, ["JAX102"])  # nobody calls it now

    run(session())


def test_a_client_that_does_not_pull_is_told(folder: Path) -> None:
    async def session() -> None:
        async with editor(folder, capabilities(pull=False, lazy=False)) as it:
            uri = it.open(folder / "a.py", LAMBDA, version=7)
            await it.until(lambda: uri in it.published and bool(it.published[uri].diagnostics))
            (found,) = it.published[uri].diagnostics
            assert it.published[uri].version == 7
            fix = (await it.actions(uri, found.range))[0]
            assert fix.edit is not None
            for version in range(8, 20):
                it.change(uri, version, types.TextDocumentContentChangeWholeDocument("import jax\n" * version))
            await it.until(lambda: it.published[uri].version == 19)
            assert not it.published[uri].diagnostics
            it.change(uri, 20, types.TextDocumentContentChangeWholeDocument(LAMBDA))
            await it.until(lambda: it.published[uri].version == 20)
            it.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
            await it.until(lambda: not it.published[uri].diagnostics)

    run(session())


def cells(*sources: str) -> tuple[list[types.NotebookCell], list[types.TextDocumentItem]]:
    uris = [f"vscode-notebook-cell:/nb.ipynb#{number}" for number in range(len(sources))]
    made = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris]
    return made, [types.TextDocumentItem(uri, "python", 1, text) for uri, text in zip(uris, sources, strict=True)]


def test_a_notebook_is_synchronised_by_its_cells(folder: Path) -> None:
    body = LAMBDA.partition("\n\n\n")[2] + "\n\nfor _ in range(100):\n    scale(1.0)\n"
    listed, items = cells("import jax\n%load_ext x", "!ls", body)
    uri = uri_of(folder / "nb.ipynb")
    document = types.NotebookDocument(uri, "jupyter-notebook", 1, listed)
    change: Any = types.NotebookDocumentCellChanges

    def changed(it: Editor, version: int, cell_changes: types.NotebookDocumentCellChanges) -> None:
        it.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(version, uri),
                types.NotebookDocumentChangeEvent(cells=cell_changes),
            )
        )

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            it.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))
            last = items[2].uri
            assert await it.found(items[0].uri) == []
            (found,) = await it.found(last)
            assert (found.code, found.range.start) == ("JAX102", types.Position(1, 11))
            fix = (await it.actions(last, found.range))[0]
            edits = await it.edits(fix)
            assert list(edits) == [last]
            assert applied(body, edits[last], "utf-16").startswith("@jax.jit\ndef _scale")
            # What check says of the saved file is the same.
            # A cell is put in before it, and its text is changed.
            new = types.NotebookCell(types.NotebookCellKind.Code, "vscode-notebook-cell:/nb.ipynb#new")
            item = types.TextDocumentItem(new.document, "python", 1, "# flake8: noqa\n")
            splice = types.NotebookDocumentCellChangeStructure(types.NotebookCellArrayChange(1, 1, [new]), [item], [])
            changed(it, 2, change(structure=splice))
            await until_found(it, last, [])
            content = types.NotebookDocumentCellContentChanges(
                types.VersionedTextDocumentIdentifier(2, new.document),
                [types.TextDocumentContentChangeWholeDocument("y = 1")],
            )
            changed(it, 3, change(text_content=[content]))
            await until_found(it, last, ["JAX102"])
            it.client.notebook_document_did_close(
                types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(uri), [])
            )
            assert await it.found(last) == []

    run(session())


def test_a_finding_is_verified_on_demand(folder: Path) -> None:
    (folder / "a.py").write_text(LAMBDA)

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            uri = it.open(folder / "a.py", LAMBDA)
            (found,) = await it.found(uri)
            params = types.ExecuteCommandParams("jaxlint.verify", [uri, found.range.start.line + 1, found.code])
            result = await it.client.workspace_execute_command_async(params)
            assert result is not None
            assert result["verdict"] == "confirmed"
            await it.until(lambda: any("JAX102 confirmed" in text for text in it.messages))
            assert it.progress[0] == "begin"
            it.change(uri, 2, types.TextDocumentContentChangeWholeDocument(LAMBDA + "\n"))
            assert await it.client.workspace_execute_command_async(params) is None

    run(session())


def test_several_folders_have_their_own_configuration(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "jaxlint.toml").write_text('ignore = ["JAX102"]\n')

    async def session() -> None:
        async with editor(folder, capabilities(), {}, other) as it:
            assert [item.code for item in await it.found(it.open(folder / "a.py", LAMBDA))] == ["JAX102"]
            assert await it.found(it.open(other / "a.py", LAMBDA)) == []

    run(session())


def test_a_notebook_on_the_disk_says_what_it_calls(folder: Path) -> None:
    (folder / "steps.py").write_text(CALLEE)
    (folder / "run.ipynb").write_text(dumps(notebook("from steps import scale\nscale(1)")))

    async def session() -> None:
        async with editor(folder, capabilities()) as it:
            uri = it.open(folder / "steps.py", CALLEE)
            await until_found(it, uri, [])

    run(session())
