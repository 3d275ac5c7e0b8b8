"""What a session shows before it has read anything: what an earlier one, or the command, found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from jaxlint.doors.cli import main as command
from jaxlint.doors.lsp.documents import Document, Part
from jaxlint.doors.lsp.linting import Linter, Options, Result
from jaxlint.doors.lsp.text import Text
from tests.doors.lsp.conftest import capabilities, editor, run, uri_of

LIBRARY = "import jax\n\n\ndef scale(x):\n    é = '😀'; return jax.jit(lambda y: y * 2)(x)\n"
MAIN = "from library import scale\n\nfor _ in range(100):\n    scale(1)\n"


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "library.py").write_text(LIBRARY, encoding="utf-8")
    (folder / "main.py").write_text(MAIN)
    return folder


def opened(folder: Path, text: str = LIBRARY) -> Document:
    path = folder / "library.py"
    return Document(uri_of(path), str(path), (Part(uri_of(path), Text(text), 1),))


def recalled(folder: Path, document: Document, options: Options | None = None) -> Result | None:
    linter = Linter([str(folder)], options or Options())
    linter.recall()
    return linter.recalled(document)


def linted(folder: Path, document: Document) -> tuple[Linter, Result]:
    linter = Linter([str(folder)], Options())
    for project in linter.projects:
        project.load()
    result = linter.lint(document)
    assert result is not None
    return linter, result


def test_what_the_command_found_is_recalled(files: Path) -> None:
    document = opened(files)
    assert recalled(files, document) is None
    assert command(["check", str(files)]) == 1
    known = recalled(files, document)
    assert known is not None
    _, result = linted(files, document)
    assert [replaced(finding) for finding in known.findings] == [replaced(finding) for finding in result.findings]
    assert any(reason.at is not None for finding in known.findings for reason in finding.reasons)


def replaced(finding: object) -> tuple[object, ...]:
    """Return what editors are shown of a finding, whose notes and reasons are places, not spans."""
    it: Any = finding
    starts = [getattr(reason.at, "start", reason.at) for reason in it.reasons]
    return (it.code, it.message, it.span, it.confidence, it.fingerprint, [r.message for r in it.reasons], starts)


def test_what_a_session_found_is_recalled_by_the_next(files: Path) -> None:
    document = opened(files)
    linter, result = linted(files, document)
    linter.keep(document)
    known = recalled(files, document)
    assert known is not None
    assert [finding.message for finding in known.findings] == [finding.message for finding in result.findings]
    # The command, which offers fixes, does not take it for its own.
    assert command(["check", "--fix", str(files)]) == 0
    assert "@jax.jit" in (files / "library.py").read_text(encoding="utf-8")


def test_nothing_is_recalled_once_something_has_changed(files: Path) -> None:
    assert command(["check", str(files)]) == 1
    assert recalled(files, opened(files, LIBRARY + "\n")) is None
    off, problems = Options.of({"enable": False})
    assert (problems, recalled(files, opened(files), off)) == ([], None)
    ignoring, _ = Options.of({"ignore": ["JAX102"]})
    assert recalled(files, opened(files), ignoring) is None
    # Another file may tell this one something else.
    (files / "main.py").write_text(MAIN.replace("for _ in range(100):\n    ", ""))
    assert recalled(files, opened(files)) is None
    (files / "main.py").write_text(MAIN)
    assert recalled(files, opened(files)) is not None
    (files / "pyproject.toml").write_text('[tool.jaxlint]\nrun-once-functions = ["scale"]\n')
    assert recalled(files, opened(files)) is None


def test_what_differs_from_the_disk_is_not_kept(files: Path) -> None:
    document = opened(files, LIBRARY + "\n")
    linter, _ = linted(files, document)
    linter.keep(document)
    (files / "library.py").write_text(LIBRARY + "\n", encoding="utf-8")
    assert recalled(files, document) is None
    linter.keep(document)
    assert recalled(files, document) is not None


def test_a_broken_cache_is_done_without(files: Path) -> None:
    (files / ".jaxlint_cache").write_text("")
    assert recalled(files, opened(files)) is None


def test_a_session_shows_the_same_before_and_after_it_has_read_the_folder(files: Path) -> None:
    seen: list[list[types.Diagnostic]] = []

    async def session(*, recalls: bool) -> None:
        async with editor(files, capabilities(pull=False)) as it:
            uri = it.open(files / "library.py", LIBRARY)

            def is_shown() -> bool:
                diagnostics = it.published[uri].diagnostics if uri in it.published else ()
                # Nothing is recalled in the first session: what other files tell comes once they are read.
                return any(recalls or diagnostic.related_information for diagnostic in diagnostics)

            await it.until(is_shown)
            published = it.published[uri]
            seen.append(list(published.diagnostics))
            if recalls:
                await it.until(lambda: it.published[uri] is not published)
                seen.append(list(it.published[uri].diagnostics))
            saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
            it.client.text_document_did_save(saved)

    run(session(recalls=False))
    run(session(recalls=True))
    run(session(recalls=True))
    assert len(seen) == 5
    assert all(shown == seen[0] for shown in seen)


def test_without_configuration_the_cache_is_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / "library.py").write_text(LIBRARY, encoding="utf-8")
    (project / "main.py").write_text(MAIN)
    monkeypatch.chdir(elsewhere)
    linter, _ = linted(project, opened(project))
    linter.keep(opened(project))
    assert list(elsewhere.iterdir()) == []
    monkeypatch.chdir(project)
    assert command(["check", "."]) == 1
    assert recalled(project, opened(project)) is not None
