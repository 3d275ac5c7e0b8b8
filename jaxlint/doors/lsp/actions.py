"""What an editor offers on a finding: its fixes, hiding it, its rule's page, and running the code around it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from jaxlint.doors.lsp.documents import Document, Part
from jaxlint.doors.lsp.linting import Result, fixed
from jaxlint.editing import has_magic
from jaxlint.finding import Applicability, Edit, Finding, Fix, Place, Severity, Span
from jaxlint.noqa import Noqa
from jaxlint.rules import rules
from jaxlint.source import Source

SOURCE = "jaxlint"
FIX_ALL = "source.fixAll.jaxlint"
KINDS: list[types.CodeActionKind | str] = [types.CodeActionKind.QuickFix, FIX_ALL]
EXPLAIN = "jaxlint.explain"
VERIFY = "jaxlint.verify"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_UNUSED = ("JAX403",)
"""What these rules report has no effect, which editors show by fading it."""
_WHOLE = ("JAX000", "JAX001")
_OFFERED = (Applicability.SAFE, Applicability.UNSAFE)


def diagnostics(result: Result, document: Document) -> dict[str, list[types.Diagnostic]]:
    """Return what an editor shows, by the documents that make up the file; each has an entry."""
    shown: dict[str, list[types.Diagnostic]] = {part.uri: [] for part in document.parts}
    for finding in result.findings:
        part, place = document.located(result.source, finding.span.start, finding.span.end)
        shown[part.uri].append(diagnostic(result, finding, place))
    return shown


def diagnostic(result: Result, finding: Finding, place: types.Range) -> types.Diagnostic:
    """Return what an editor shows of a finding at this place."""
    related = []
    for note in finding.related:
        part, where = result.document.located(result.source, note.span.start, note.span.end)
        related.append(types.DiagnosticRelatedInformation(types.Location(part.uri, where), note.message))
    for reason in finding.reasons:
        at = _location(reason.at, result) if reason.at is not None else None
        if at is not None:
            related.append(types.DiagnosticRelatedInformation(at, reason.worded))
    url = rules()[finding.code].url
    return types.Diagnostic(
        range=place,
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=url) if url else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNUSED else None,
        related_information=related or None,
        data={"fingerprint": finding.fingerprint, "confidence": finding.confidence.label},
    )


def _location(at: Span | Place, result: Result) -> types.Location | None:
    """Return a place as editors know it; None where the other file has no name to open it by."""
    if isinstance(at, Place):
        path = os.path.normpath(os.path.join(os.path.dirname(result.document.path), at.path))
        line = types.Position(at.row - 1, 0)
        return types.Location(Path(path).as_uri(), types.Range(line, line)) if os.path.isabs(path) else None
    part, where = result.document.located(result.source, at.start, at.end)
    return types.Location(part.uri, where)


def at(result: Result, uri: str, place: types.Range) -> Iterator[tuple[Finding, types.Range]]:
    """Yield the findings in a document that a range touches, with their own."""
    for finding in result.findings:
        part, where = result.document.located(result.source, finding.span.start, finding.span.end)
        if part.uri == uri and _before(where.start, place.end) and _before(place.start, where.end):
            yield finding, where


def _before(one: types.Position, other: types.Position) -> bool:
    return (one.line, one.character) <= (other.line, other.character)


class Actions:
    """The code actions for one request.

    Args:
        result: what was found in the file, in the state that the editor has.
        versioned: whether the client takes edits that name the version of the document.
        lazy: whether the client asks for the edits of an action once it is chosen.
    """

    def __init__(self, result: Result, *, versioned: bool, lazy: bool) -> None:
        self._result = result
        self._versioned = versioned
        self._lazy = lazy

    def offered(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return what to offer."""
        only = params.context.only
        uri = params.text_document.uri
        found: list[types.CodeAction] = []
        if _wanted(types.CodeActionKind.QuickFix, only):
            for finding, where in at(self._result, uri, params.range):
                found += self._of_finding(finding, where, uri)
        if only and _wanted(FIX_ALL, only):
            action = types.CodeAction(
                "Fix all that jaxlint can fix safely",
                kind=FIX_ALL,
                data={"uri": uri, "id": self._result.id, "all": True},
            )
            found.append(action if self._lazy else self.resolved(action))
        return found

    def resolved(self, action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edits.  For all fixes it takes its time."""
        data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}
        if data.get("all"):
            source = fixed(self._result)
            action.edit = self._workspace_edit(_difference(self._result, source)) if source is not None else None
            return action
        finding = next((f for f in self._result.findings if f.fingerprint == data.get("fingerprint")), None)
        if finding is not None and data.get("hide"):
            action.edit = self._edit(self._hiding(finding))
        elif finding is not None and "fix" in data:
            action.edit = self._edit(finding.fixes[data["fix"]].edits)
        return action

    def _of_finding(self, finding: Finding, where: types.Range, uri: str) -> Iterator[types.CodeAction]:
        shown = [diagnostic(self._result, finding, where)]
        preferred = True
        for number, fix in enumerate(finding.fixes):
            if fix.applicability not in _OFFERED or not fix.edits or not self._fits(fix):
                continue
            safe = fix.applicability is Applicability.SAFE
            yield self._action(fix.described, shown, safe and preferred, finding, fix=number)
            preferred = preferred and not safe
        if finding.code not in _WHOLE:
            yield self._action(f"Hide {finding.code} on this line", shown, False, finding, hide=True)
        yield types.CodeAction(
            f"Explain {finding.code} ({finding.name})",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=shown,
            command=types.Command("Explain", EXPLAIN, arguments=[finding.code]),
        )
        if finding.code not in _WHOLE and not self._result.document.notebook:
            yield types.CodeAction(
                f"Verify {finding.code}: run the code around it under jax",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=shown,
                command=types.Command("Verify", VERIFY, arguments=[uri, where.start.line + 1, finding.code]),
            )

    def _action(
        self, title: str, shown: list[types.Diagnostic], preferred: bool, finding: Finding, **how: Any
    ) -> types.CodeAction:
        data = {"uri": self._result.document.uri, "id": self._result.id, "fingerprint": finding.fingerprint, **how}
        action = types.CodeAction(
            title, kind=types.CodeActionKind.QuickFix, diagnostics=shown, is_preferred=preferred or None, data=data
        )
        return action if self._lazy else self.resolved(action)

    def _fits(self, fix: Fix) -> bool:
        """Tell whether an editor can make a fix: nothing may come before the magic of a cell."""
        source = self._result.source
        magic = {cell.start for cell in source.cells if has_magic(cell, source.hidden)}
        return all(edit.span.start not in magic or edit.span.start < edit.span.end for edit in fix.edits)

    def _hiding(self, finding: Finding) -> Sequence[Edit]:
        source = self._result.source
        row = source.position(finding.span.start)[0]
        return Noqa(source).adding({row: {finding.code}})

    def _edit(self, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        return self._workspace_edit(self._result.document.edits(self._result.source, edits))

    def _workspace_edit(self, edits: dict[str, tuple[Part, list[types.TextEdit]]]) -> types.WorkspaceEdit:
        if not self._versioned:
            return types.WorkspaceEdit(changes={uri: listed for uri, (_, listed) in edits.items()})
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, part.version), list(listed))
                for uri, (part, listed) in edits.items()
            ]
        )


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Tell whether a client asks for a kind of actions: a kind holds all that start with it."""
    if not only:
        return True
    return any(
        kind == wanted or kind.startswith(f"{wanted}.") for wanted in (str(getattr(o, "value", o)) for o in only)
    )


def _difference(result: Result, after: Source) -> dict[str, tuple[Part, list[types.TextEdit]]]:
    """Return the edits that make the documents of a file what they are after fixing, line by line."""
    document = result.document
    texts = dict(after.sources()) if document.notebook else {document.parts[0].number: after.written}
    found: dict[str, tuple[Part, list[types.TextEdit]]] = {}
    for part in document.parts:
        old, new = part.text.text, texts.get(part.number, part.text.text)
        if old != new:
            found[part.uri] = (
                part,
                list(_line_edits(part, old.splitlines(keepends=True), new.splitlines(keepends=True))),
            )
    return found


def _line_edits(part: Part, old: list[str], new: list[str]) -> Iterator[types.TextEdit]:
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for tag, first, last, low, high in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield types.TextEdit(part.text.range(starts[first], starts[last]), "".join(new[low:high]))
