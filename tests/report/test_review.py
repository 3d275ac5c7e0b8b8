"""The review formats, against the schemas and the rules of those that read them."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import ntpath
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import xmlschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from jaxlint import report
from jaxlint.config import Config
from jaxlint.diagnostic import Diagnostic
from jaxlint.discovery import File
from jaxlint.driver import failure
from jaxlint.finding import Applicability, Confidence, Edit, Finding, Fix, Impact, Related, Span
from jaxlint.report import Report, Style
from jaxlint.report._places import Places
from jaxlint.rules import rules
from jaxlint.source import Source

SCHEMAS = Path(__file__).parents[2] / "testdata" / "schemas"
TEXT = "import jax\n\n\ndef f(x):\n\tü = '三'; return jax.jit(\n\t\tlambda y: y)(x)\n"
SOURCE = Source(TEXT)
START = TEXT.index("jax.jit")
HOIST = (Edit(Span(START, START + 7), "jit"), Edit(Span(11, 11), "from jax import jit\n"))
RENAME = (Edit(Span(START, START + 3), "jx"), Edit(Span(7, 10), "jax as jx"))
FINDING = Finding(
    code="JAX102",
    name="jit-of-lambda",
    message="`f | g` compiles <again>\n100%0A, :: ]]> \x00",
    span=Span(START, TEXT.index("(x)\n")),
    confidence=Confidence.HIGH,
    impact=Impact.EVERY_CALL,
    fingerprint="0123456789abcdef",
    related=(Related("`f` is here", Span(TEXT.index("f(x)"), TEXT.index("f(x)") + 1)),),
    fixes=(
        Fix(Applicability.UNSAFE, "import it", HOIST),
        Fix(Applicability.SAFE, "another\nway", (*HOIST[:1], Edit(Span(11, 11), "import jax.jit as jit\n"))),
        Fix(Applicability.SAFE, "other lines", RENAME),
        Fix(Applicability.DISPLAY, "think", ()),
    ),
)
NAMES = (
    "a.py",
    "dir/ü 三%,:|`*#?.py",
    "line\nend\r.py",
    "byte\udcff.py",
    "C:\\dir\\b.py",
    "/elsewhere/c.py",
    "<stdin>",
)
FAILURE = failure("JAX000", "internal-error", "jaxlint failed: 100%\n", File("d.py", "/d.py", Config()))
SYNTAX = failure("JAX001", "syntax-error", "does not parse", File("e.py", "/e.py", Config()))
NASTY = (
    *(Diagnostic.of(FINDING, SOURCE, name) for name in NAMES),
    dataclasses.replace(
        Diagnostic.of(FINDING, SOURCE, "a.py"), code="JAX206", impact=Impact.ERROR, confidence=Confidence.LOW
    ),
    dataclasses.replace(
        Diagnostic.of(FINDING, SOURCE, "a.py"), code="JAX401", impact=Impact.FIRST_CALL, message="\udcff", fixes=()
    ),
    FAILURE,
    SYNTAX,
)


def written(name: str, diagnostics: tuple[Diagnostic, ...], folder: str) -> str:
    out = io.StringIO()
    report.load(name).write(Report(diagnostics, files=3, folder=folder), out, Style())
    # What a pipe may be asked to carry.
    return out.getvalue().encode("utf-8").decode()


def schema(name: str) -> Any:
    content = json.loads((SCHEMAS / name).read_text("utf-8"))
    validator = jsonschema.validators.validator_for(content)
    return validator(content, format_checker=validator.FORMAT_CHECKER)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "src").mkdir()
    return str(tmp_path / "project" / "src")


def each_has_its_text(found: list[str]) -> bool:
    return len(found) == len(NASTY) and all(text.strip() for text in found)


# --- SARIF -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("diagnostics", [(), NASTY], ids=["nothing", "nasty"])
def test_sarif_is_valid(diagnostics: tuple[Diagnostic, ...], folder: str) -> None:
    log = json.loads(written("sarif", diagnostics, folder))
    schema("sarif-schema-2.1.0.json").validate(log)
    (run,) = log["runs"]
    listed = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in listed] == list(rules())
    for rule in listed:
        # What GitHub asks for.
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert "security-severity" not in rule["properties"]
        assert rule["id"] in rule["help"]["markdown"]
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
    for result, diagnostic in zip(run["results"], diagnostics, strict=True):
        assert listed[result["ruleIndex"]]["id"] == result["ruleId"] == diagnostic.code
        assert result["partialFingerprints"] == {"jaxlint/v1": diagnostic.fingerprint}
    assert run["invocations"][0]["executionSuccessful"] == (FAILURE not in diagnostics)


def test_sarif_names_files_from_the_root_of_the_repository_on(folder: str) -> None:
    (run,) = json.loads(written("sarif", NASTY[: len(NAMES)], folder))["runs"]
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]]
    for name, place in zip(NAMES, places, strict=True):
        if name.startswith("/"):
            assert place == {"uri": "file:///elsewhere/c.py"}
        else:
            assert place["uriBaseId"] == "%SRCROOT%"
            assert unquote_to_bytes(place["uri"]) == os.fsencode(f"src/{name}")
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", place["uri"])
    absolute = dataclasses.replace(NASTY[0], filename=str(Path(folder, "x.py")))
    (run,) = json.loads(written("sarif", (absolute,), folder))["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/x.py"


def test_sarif_s_fixes_say_what_the_edits_do(folder: str) -> None:
    (run,) = json.loads(written("sarif", NASTY[:1], folder))["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    (result,) = run["results"]
    fixes = result["fixes"]
    described = [fix["description"]["text"] for fix in fixes]
    assert described == ["import it (unsafe: it may change what the code does)", "another\nway", "other lines"]
    for fix, original in zip(fixes, FINDING.fixes, strict=False):
        (change,) = fix["artifactChanges"]
        edits = [
            Edit(
                Span(
                    SOURCE.offset(region["startLine"], region["startColumn"]),
                    SOURCE.offset(region["endLine"], region["endColumn"]),
                ),
                replacement["insertedContent"]["text"],
            )
            for replacement in change["replacements"]
            for region in [replacement["deletedRegion"]]
        ]
        assert edits == list(original.edits)


# --- reviewdog -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("diagnostics", [(), NASTY], ids=["nothing", "nasty"])
def test_rdjson_and_rdjsonl_are_valid_and_say_the_same(diagnostics: tuple[Diagnostic, ...], folder: str) -> None:
    result = json.loads(written("rdjson", diagnostics, folder))
    schema("reviewdog-DiagnosticResult.json").validate(result)
    lines = [json.loads(line) for line in written("rdjsonl", diagnostics, folder).splitlines()]
    for line in lines:
        schema("reviewdog-Diagnostic.json").validate(line)
        # Its parser refuses what is no UTF-8.
        json.dumps(line, ensure_ascii=False).encode()
    assert [{**item, "source": result["source"]} for item in result["diagnostics"]] == lines
    assert not diagnostics or each_has_its_text([line["message"] for line in lines])


def test_rdjson_names_files_from_the_folder_on_and_counts_bytes(folder: str) -> None:
    outside = dataclasses.replace(NASTY[0], filename="../top.py")
    items = json.loads(written("rdjson", (NASTY[0], outside, NASTY[5]), folder))["diagnostics"]
    assert [item["location"]["path"] for item in items] == ["a.py", "../top.py", "/elsewhere/c.py"]
    before = len("\tü = '三'; return ".encode())
    assert items[0]["location"]["range"] == {
        "start": {"line": 5, "column": before + 1},
        "end": {"line": 6, "column": len("\t\tlambda y: y)") + 1},
    }


def test_suggestions_are_whole_lines_and_those_of_one_finding_replace_the_same(folder: str) -> None:
    (item,) = json.loads(written("rdjson", NASTY[:1], folder))["diagnostics"]
    # The third replaces other lines; the fourth is none to apply.
    assert len(item["suggestions"]) == 2
    assert "import it (unsafe: it may change what the code does)" in item["message"]
    for suggestion, fix in zip(item["suggestions"], FINDING.fixes, strict=False):
        assert suggestion["range"] == {"start": {"line": 2}, "end": {"line": 5}}
        assert with_lines(TEXT, 2, 5, suggestion["text"]) == applied(TEXT, fix.edits)


def with_lines(text: str, first: int, last: int, new: str | None) -> str:
    lines = text.splitlines(keepends=True)
    kept = re.search(r"[\r\n]*\Z", lines[last - 1])
    middle = [] if new is None else [new + (kept.group() if kept else "")]
    return "".join([*lines[: first - 1], *middle, *lines[last:]])


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


LINES = st.lists(st.sampled_from(["a", "é = 1", "", "\tb"]), min_size=1, max_size=6)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # how busy the machine is proves nothing
@given(LINES, st.booleans(), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=3), LINES, st.data())
def test_the_lines_of_a_fix_come_to_the_same_as_its_edits(
    lines: list[str], ended: bool, spans: list[tuple[int, int]], new: list[str], data: st.DataObject
) -> None:
    text = "\n".join(lines) + "\n" * ended
    edits: list[Edit] = []
    free = 0
    for start, length in sorted(spans):
        low, high = min(max(start, free), len(text)), min(max(start, free) + length, len(text))
        if low < free:
            continue
        edits.append(Edit(Span(low, high), "\n".join(new) + "\n" * data.draw(st.booleans())))
        free = high + 1
    finding = dataclasses.replace(
        FINDING, span=Span(0, 0), related=(), fixes=(Fix(Applicability.SAFE, "", tuple(edits)),)
    )
    (fix,) = Diagnostic.of(finding, Source(text), "a.py").fixes
    if fix.lines is None:
        assert not edits or not text
        return
    shown = with_lines(text, fix.lines.first, fix.lines.last, fix.lines.text)
    # A line end at the end of the file is nothing that whole lines can say.
    assert shown.rstrip("\n") == applied(text, tuple(edits)).rstrip("\n")


# --- GitHub ----------------------------------------------------------------------------------------------------------


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands as GitHub's runner does: split, then undo the escapes, the percent sign last."""
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        assert match is not None, line
        properties = dict(pair.split("=", 1) for pair in match[2].split(","))
        undo = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]
        for escape, char in undo:
            properties = {key: value.replace(escape, char) for key, value in properties.items()}
        message = match[3]
        for escape, char in [undo[0], undo[1], undo[4]]:
            message = message.replace(escape, char)
        found.append((match[1], properties, message))
    return found


def test_annotations_survive_the_runner_s_parser(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    found = commands(written("github", NASTY[: len(NAMES) - 1], folder))
    for (name, properties, message), filename in zip(found, NAMES, strict=False):
        assert name == "warning"
        where = filename if filename.startswith("/") else f"src/{filename}"
        assert properties["file"] == where.replace("\udcff", "?")
        assert properties["title"] == "JAX102 jit-of-lambda"
        assert (properties["line"], properties["endLine"]) == ("5", "6")
        assert "col" not in properties
        assert message == f"{FINDING.message}\nfix: {FINDING.fixes[0].described}"
    assert written("github", (), folder) == ""


def test_the_worst_annotations_come_first_and_many_are_summed_up(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    found = [name for name, _, _ in commands(written("github", NASTY, folder))]
    assert found == sorted(found, key=["error", "warning", "notice"].index)
    many = tuple(dataclasses.replace(NASTY[0], filename=f"{number}.py") for number in range(11))
    *annotations, (name, _, message) = commands(written("github", many, folder))
    assert len(annotations) == 11
    assert name == "notice"
    assert "Found 11 findings" in message


def test_the_summary_of_the_step_is_added_to(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    written("github", NASTY, folder)
    assert summary.read_text("utf-8") == "before\n" + written("markdown", NASTY, folder)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    *_, (name, _, message) = commands(written("github", NASTY[:1], folder))
    assert name == "warning"
    assert "cannot be written" in message


def test_markdown_is_a_table_whose_cells_say_what_they_should(folder: str) -> None:
    rows = cells(written("markdown", NASTY, folder))
    assert len(rows) == len(NASTY) + 1
    assert rows[1] == [
        "src/a.py:5",
        "JAX102",
        "f | g compiles <again> 100%0A, :: ]]> \N{REPLACEMENT CHARACTER}",
        "high",
    ]
    assert rows[3][0] == r"src/line\nend\r.py:5"
    assert cells(written("markdown", (), folder)) == []
    many = written("markdown", (NASTY[0],) * 501, folder)
    assert len(cells(many)) == 501
    assert "1 finding more" in many


def cells(text: str) -> list[list[str]]:
    """Return the texts of the cells of a table, as a parser of Markdown sees them."""
    rows: list[list[str]] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for token, inline in itertools.pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        if token.type in ("td_open", "th_open"):
            assert not any(child.type == "html_inline" for child in inline.children or ())
            rows[-1].append("".join(child.content for child in inline.children or ()))
    return rows


# --- GitLab, JUnit ---------------------------------------------------------------------------------------------------


def test_gitlab_is_valid_and_each_fingerprint_is_unique(folder: str) -> None:
    assert json.loads(written("gitlab", (), folder)) == []
    items = json.loads(written("gitlab", NASTY[: len(NAMES)], folder))
    for item in items:
        schema("gitlab-codequality.json").validate(item)
        assert item["severity"] in ("info", "minor", "major", "critical", "blocker")
        json.dumps(item, ensure_ascii=False).encode()
    assert set(Counter(item["fingerprint"] for item in items).values()) == {1}
    assert items[0]["location"]["path"] == "src/a.py"
    assert items[0]["location"]["lines"] == {"begin": 5, "end": 6}
    moved = dataclasses.replace(NASTY[0], location=NASTY[0].end_location)
    assert json.loads(written("gitlab", (moved,), folder))[0]["fingerprint"] == items[0]["fingerprint"]


@pytest.mark.parametrize("diagnostics", [(), NASTY], ids=["nothing", "nasty"])
def test_junit_is_valid(diagnostics: tuple[Diagnostic, ...], folder: str) -> None:
    text = written("junit", diagnostics, folder)
    assert text.isascii()
    xmlschema.XMLSchema(SCHEMAS / "jenkins-junit-10.xsd").validate(text)
    suites = ET.fromstring(text)
    failed = [*suites.iter("failure"), *suites.iter("error")]
    assert len(list(suites.iter("testcase"))) == max(1, len(diagnostics))
    assert len(failed) == len(diagnostics)
    assert len(list(suites.iter("error"))) == sum(diagnostic.impact is None for diagnostic in diagnostics)
    assert int(suites.get("failures", "")) + int(suites.get("errors", "")) == len(failed)
    if diagnostics:
        assert [suite.get("name") for suite in suites][1] == "src/dir/ü 三%,:|`*#?.py"
        assert failed[0].get("message") == "`f | g` compiles <again> 100%0A, :: ]]> \N{REPLACEMENT CHARACTER}"


# --- names of files --------------------------------------------------------------------------------------------------


def test_names_of_files_on_windows() -> None:
    places = Places("C:\\project\\src", "C:\\project", ntpath)
    assert places.in_repository("a\\b.py") == "src/a/b.py"
    assert places.in_repository("C:\\project\\c.py") == "c.py"
    assert places.in_repository("D:\\c.py") is None
    assert places.shown("D:\\x\\c.py") == "D:/x/c.py"
    assert places.from_folder("C:\\project\\c.py") == "../c.py"
    assert places.from_folder("a\\b.py") == "a/b.py"


def test_names_of_files_through_links(tmp_path: Path) -> None:
    real = tmp_path / "real"
    (real / "src").mkdir(parents=True)
    (real / "src" / "a.py").touch()
    (tmp_path / "link").symlink_to(real)
    places = Places(str(real / "src"), str(real))
    assert places.in_repository(str(tmp_path / "link" / "src" / "a.py")) == "src/a.py"
    assert places.from_folder(str(tmp_path / "link" / "src" / "a.py")) == "a.py"


def test_without_a_repository_names_start_at_the_folder(tmp_path: Path) -> None:
    assert Places(str(tmp_path)).in_repository("a/b.py") == "a/b.py"
    assert Places(str(tmp_path), str(tmp_path)).shown("../b.py") == str(tmp_path.parent / "b.py")
