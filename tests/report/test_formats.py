"""The output formats, on diagnostics of every shape."""

from __future__ import annotations

import dataclasses
import io
import json

import pytest

from jaxlint import report
from jaxlint.diagnostic import Diagnostic, LocatedFix
from jaxlint.finding import Applicability, Confidence, Edit, Finding, Fix, Impact, Related, Span
from jaxlint.report import Report, Style
from jaxlint.source import Source

TEXT = "import jax\n\n\ndef f(x):\n\tü = '三'; return jax.jit(\n\t\tlambda y: y)(x)\n"
START = TEXT.index("jax.jit")
SOURCE = Source(TEXT)
FINDING = Finding(
    code="JAX102",
    name="jit-of-lambda",
    message="compiles\nagain",
    span=Span(START, TEXT.index("(x)\n")),
    confidence=Confidence.HIGH,
    impact=Impact.EVERY_CALL,
    fingerprint="0123456789abcdef",
    related=(Related("`f` is here", Span(TEXT.index("f(x)"), TEXT.index("f(x)") + 1)),),
    fixes=(Fix(Applicability.SAFE, "mend it", (Edit(Span(START, START + 7), "jit"), Edit(Span(0, 0), "# x\n"))),),
)
DIAGNOSTIC = Diagnostic.of(FINDING, SOURCE, "a.py")


def written(name: str, *diagnostics: Diagnostic, statistics: bool = False, **style: bool) -> str:
    out = io.StringIO()
    form = report.load(name)
    write = form.write_statistics if statistics and report.counts(form) else form.write
    write(Report(diagnostics, files=3), out, Style(**style))
    return out.getvalue()


def test_text() -> None:
    assert written("text", DIAGNOSTIC) == (
        "a.py:5:18: JAX102 [*] compiles again\n"
        "  |\n"
        "5 |       ü = '三'; return jax.jit(\n"
        "  |  ______________________^\n"
        "6 | |         lambda y: y)(x)\n"
        "  | |____________________^\n"
        "  = a.py:4:5: `f` is here\n"
        "  = fix: mend it\n"
        "  = every-call, high confidence\n"
        "\n"
        "Found 1 finding (1 at high confidence) in 3 files.\n"
        "[*] 1 fixable with --fix.\n"
    )


def test_text_of_one_row_has_carets_below_it_whatever_stands_before() -> None:
    finding = dataclasses.replace(FINDING, span=Span(START, START + 7), related=(), fixes=(), impact=None)
    assert written("text", Diagnostic.of(finding, SOURCE, "a.py"), summary=False) == (
        "a.py:5:18: JAX102 compiles again\n  |\n5 | \tü = '三'; return jax.jit(\n  | \t" + " " * 17 + "^^^^^^^\n\n"
    )


def test_text_leaves_out_the_middle_of_long_code() -> None:
    source = Source("f(\n" + "".join(f"    {number},\n" for number in range(2, 20)) + ")\n")
    finding = dataclasses.replace(FINDING, span=Span(0, len(source.text) - 1), related=(), fixes=(), impact=None)
    assert written("text", Diagnostic.of(finding, source, "a.py"), summary=False) == (
        "a.py:1:1: JAX102 compiles again\n"
        "   |\n"
        " 1 |   f(\n"
        "   |  _^\n"
        " 2 | |     2,\n"
        " 3 | |     3,\n"
        " 4 | |     4,\n"
        "   | | ...\n"
        "19 | |     19,\n"
        "20 | | )\n"
        "   | |_^\n"
        "\n"
    )


def test_grouped() -> None:
    assert written("grouped", DIAGNOSTIC, DIAGNOSTIC, dataclasses.replace(DIAGNOSTIC, filename="b.py")) == (
        "a.py:\n"
        "  5:18  JAX102 [*] compiles again\n"
        "  5:18  JAX102 [*] compiles again\n"
        "\n"
        "b.py:\n"
        "  5:18  JAX102 [*] compiles again\n"
        "\n"
        "Found 3 findings (3 at high confidence) in 3 files.\n"
        "[*] 3 fixable with --fix.\n"
    )


def test_pylint_and_azure() -> None:
    assert written("pylint", DIAGNOSTIC).endswith("a.py:5: [JAX102] compiles again\n")
    nasty = dataclasses.replace(DIAGNOSTIC, message="a; b] 100%\nc", filename="/x/a;b].py")
    assert written("azure", nasty) == (
        "##vso[task.logissue type=warning;sourcepath=/x/a%3Bb%5D.py;linenumber=5;columnnumber=18;code=JAX102;]"
        "a; b] 100%AZP25%0Ac\n"
    )


def test_full_is_another_name_of_text() -> None:
    assert written("full", DIAGNOSTIC) == written("text", DIAGNOSTIC)


def test_text_is_quiet_and_coloured_on_demand() -> None:
    plain = written("text", DIAGNOSTIC, summary=False)
    assert "Found" not in plain
    colored = written("text", DIAGNOSTIC, summary=False, color=True)
    assert "\x1b[1;33mJAX102\x1b[0m" in colored


def test_text_shows_no_line_where_there_is_none_and_no_control_characters() -> None:
    empty = dataclasses.replace(DIAGNOSTIC, line="", excerpt=(), impact=None, related=(), fixes=())
    assert written("text", empty, summary=False) == "a.py:5:18: JAX102 compiles again\n\n"
    for line in ({"line": "\x1b[31m\x0c jax.jit()", "excerpt": ()}, {"excerpt": ((5, "\x1b[31m\x0c"), (6, ")"))}):
        nasty = dataclasses.replace(DIAGNOSTIC, **line)
        assert "\x1b" not in written("text", nasty)
        assert "\x0c" not in written("text", nasty)


def test_an_empty_span_has_a_caret() -> None:
    finding = dataclasses.replace(FINDING, span=Span(START, START), related=(), impact=None)
    assert written("text", Diagnostic.of(finding, SOURCE, "a.py"), summary=False).count("^") == 1


def test_concise() -> None:
    assert written("concise", DIAGNOSTIC, DIAGNOSTIC, summary=False) == "a.py:5:18: JAX102 [*] compiles again\n" * 2
    assert written("concise") == "Found nothing in 3 files.\n"


@pytest.mark.parametrize(
    ("kinds", "unsafe_fixes", "marks", "line"),
    [
        (["safe", "unsafe", ""], False, 1, "[*] 1 fixable with --fix (1 more with --unsafe-fixes)."),
        (["safe", "unsafe", "display"], True, 2, "[*] 2 fixable with --fix --unsafe-fixes."),
        (["unsafe"], False, 0, "1 fixable with --fix --unsafe-fixes."),
        (["display", ""], True, 0, ""),
    ],
)
def test_what_can_be_fixed_is_marked_and_counted(kinds: list[str], unsafe_fixes: bool, marks: int, line: str) -> None:
    found = tuple(
        dataclasses.replace(DIAGNOSTIC, fixes=(LocatedFix(Applicability(kind), "mend it", ()),) if kind else ())
        for kind in kinds
    )
    out = io.StringIO()
    report.load("concise").write(Report(found, files=1, unsafe_fixes=unsafe_fixes), out, Style())
    lines = out.getvalue().splitlines()
    assert sum(" [*] " in text for text in lines) == marks
    assert lines[len(kinds) + 1 :] == ([line] if line else [])


def test_json_lines_are_the_objects_of_json() -> None:
    lines = written("json-lines", DIAGNOSTIC, DIAGNOSTIC).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(written("json", DIAGNOSTIC, DIAGNOSTIC))
    assert written("json-lines") == ""
    (row,) = written("json-lines", DIAGNOSTIC, statistics=True).splitlines()
    assert json.loads(row) == {"code": "JAX102", "name": "jit-of-lambda", "count": 1}


def test_json_has_the_shape_that_programs_rely_on() -> None:
    (item,) = json.loads(written("json", DIAGNOSTIC))
    assert item == {
        "code": "JAX102",
        "name": "jit-of-lambda",
        "message": "compiles\nagain",
        "filename": "a.py",
        "cell": None,
        "location": {"row": 5, "column": 18},
        "end_location": {"row": 6, "column": 15},
        "noqa_row": 5,
        "impact": "every-call",
        "severity": "warning",
        "confidence": "high",
        "url": None,
        "fingerprint": "0123456789abcdef",
        "related": [{"message": "`f` is here", "filename": "a.py", "location": {"row": 4, "column": 5}}],
        "reasons": [],
        "fixes": [
            {
                "applicability": "safe",
                "message": "mend it",
                "edits": [
                    {
                        "content": "jit",
                        "location": {"row": 5, "column": 18},
                        "end_location": {"row": 5, "column": 25},
                    },
                    {
                        "content": "# x\n",
                        "location": {"row": 1, "column": 1},
                        "end_location": {"row": 1, "column": 1},
                    },
                ],
            }
        ],
    }


def test_json_of_nothing_is_an_empty_array() -> None:
    assert json.loads(written("json")) == []
    assert json.loads(written("json", statistics=True)) == []


def test_json_survives_any_encoding() -> None:
    odd = dataclasses.replace(DIAGNOSTIC, filename="\udcff三.py")
    text = written("json", odd)
    assert text.isascii()
    assert json.loads(text)[0]["filename"] == "\udcff三.py"


@pytest.mark.parametrize("name", ["text", "concise"])
def test_statistics_come_the_most_frequent_first(name: str) -> None:
    others = [dataclasses.replace(DIAGNOSTIC, code="JAX101", name="other")] * 10
    text = written(name, DIAGNOSTIC, *others, statistics=True, summary=False)
    assert text == "10  JAX101  other\n 1  JAX102  jit-of-lambda\n"


def test_every_format_says_what_it_is_for() -> None:
    assert report.DEFAULT in report.names()
    for name in report.names():
        assert report.load(name).__doc__
