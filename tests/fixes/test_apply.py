"""Applying fixes: what goes together, what is tried next, and what is not trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from jaxlint.finding import Applicability, Confidence, Edit, Finding, Fix, Impact, Span
from jaxlint.fixes.engine.apply import Mended, mend
from jaxlint.source import Source

SAFE, UNSAFE, DISPLAY = Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY
Ways = Mapping[str, Sequence[tuple[Applicability, str]]]
"""For each bad word, what to put in its place; a `^` sets off what goes to the start of the text."""


def found(source: Source, ways: Ways) -> list[Finding]:
    """Find the words in capitals; a `LOW` one is of low confidence."""
    return [
        Finding(
            code="JAX101" if match[0].startswith("A") else "JAX102",
            name="word",
            message=match[0],
            span=Span(*match.span()),
            confidence=Confidence.LOW if "LOW" in match[0] else Confidence.HIGH,
            impact=Impact.EVERY_CALL,
            fixes=tuple(
                fix(applicability, text, Span(*match.span())) for applicability, text in ways.get(match[0], ())
            ),
        )
        for match in re.finditer(r"\b[A-Z]+\b", source.text)
    ]


def fix(applicability: Applicability, text: str, span: Span) -> Fix:
    first, hat, rest = text.rpartition("^")
    edits = (Edit(Span(0, 0), first),) if hat else ()
    return Fix(applicability, text, (*edits, Edit(span, rest)))


def mended(text: str, ways: Ways, *, unsafe: bool = False, rounds: int = 100) -> Mended:
    return mend(Source(text), lambda source: found(source, ways), lambda _, all_: all_, unsafe=unsafe, rounds=rounds)


def test_all_that_go_together_are_applied() -> None:
    result = mended("a = A\nb = B\n", {"A": [(SAFE, "1")], "B": [(SAFE, "2")]})
    assert result.source.text == "a = 1\nb = 2\n"
    assert [(applied.code, applied.row) for applied in result.applied] == [("JAX101", 1), ("JAX102", 2)]
    assert not result.findings
    assert not result.dropped


def test_unsafe_fixes_are_for_those_who_ask_and_suggestions_for_nobody() -> None:
    ways = {"A": [(DISPLAY, "1"), (UNSAFE, "2"), (SAFE, "3")], "B": [(UNSAFE, "4")], "C": [(DISPLAY, "5")]}
    assert mended("x = A, B, C\n", ways).source.text == "x = 3, B, C\n"
    assert mended("x = A, B, C\n", ways, unsafe=True).source.text == "x = 2, 4, C\n"


def test_fixes_that_touch_each_other_take_turns() -> None:
    # Both insert at the start; the text of the second finding is as it was.
    result = mended("x = A\ny = B\n", {"A": [(SAFE, "one = 1\n^one")], "B": [(SAFE, "two = 2\n^two")]})
    assert result.source.text == "two = 2\none = 1\nx = one\ny = two\n"
    assert [applied.row for applied in result.applied] == [1, 3]


def test_fixes_that_bring_the_same_new_name_take_turns() -> None:
    ways = {"A": [(SAFE, "(lambda new: new)")], "B": [(SAFE, "(lambda new: new + 1)")]}
    assert [a.row for a in mended("x = A\ny = B\n", ways, rounds=1).applied] == [1]
    assert [a.row for a in mended("x = A\ny = B\n", ways).applied] == [1, 2]
    assert [a.row for a in mended("new = 0\nx = A\ny = B\n", ways, rounds=1).applied] == [2, 3]


@pytest.mark.parametrize(
    ("text", "bad", "reason"),
    [
        ("x = A\n", "(", "the fixed text does not compile: '(' was never closed (<fixed>, line 1)"),
        ("x = A\n", "(yield)", "the fixed text does not compile: 'yield' outside function (<fixed>, line 1)"),
        ("x = A\n", "A", "JAX101 would still be found"),
        ("x = A\n", "AA", "JAX101 would be found that was not there"),
        ("x = A\n", "B", "JAX102 would be found that was not there"),
        ("x = (1, # why\nA)\n", "2", None),
    ],
)
def test_a_fix_that_does_harm_is_dropped_and_the_next_is_tried(text: str, bad: str, reason: str | None) -> None:
    result = mended(text, {"A": [(SAFE, bad)]})
    if reason is not None:
        assert result.source.text == text
        assert [dropped.reason for dropped in result.dropped] == [reason]
    result = mended(text, {"A": [(SAFE, bad), (SAFE, "3")]})
    assert result.source.text == text.replace("A", bad if reason is None else "3")
    assert not result.dropped


def test_a_fix_that_loses_a_comment_is_dropped() -> None:
    text = "x = (A)  # why\n"
    whole = Fix(SAFE, "all", (Edit(Span(0, len(text) - 1), "x = 1"),))

    def lint(source: Source) -> list[Finding]:
        at = source.text.find("A")
        if at < 0:
            return []
        return [Finding("JAX101", "word", "A", Span(at, at + 1), Confidence.HIGH, Impact.ERROR, fixes=(whole,))]

    result = mend(Source(text), lint, lambda _, all_: all_)
    assert result.source.text == text
    assert [dropped.reason for dropped in result.dropped] == ["it would lose a comment: # why"]


def test_another_rule_may_say_that_what_is_left_is_likely_fine() -> None:
    assert mended("x = A\n", {"A": [(SAFE, "BLOW")]}).source.text == "x = BLOW\n"
    # Not twice for one finding, and not for one that was likely fine itself.
    assert mended("x = A\n", {"A": [(SAFE, "[BLOW, BLOW]")]}).source.text == "x = A\n"
    assert mended("x = ALOW\n", {"ALOW": [(SAFE, "BLOW")]}).source.text == "x = ALOW\n"


def test_a_finding_must_not_become_surer() -> None:
    result = mended("x = BLOW\ny = A\n", {"A": [(SAFE, "0")], "BLOW": [(SAFE, "BB")]})
    assert result.source.text == "x = BLOW\ny = 0\n"
    assert [dropped.reason for dropped in result.dropped] == ["JAX102 would be found that was not there"]


def test_one_bad_fix_does_not_hold_up_the_others() -> None:
    result = mended("x = A\ny = B\nz = C\n", {"A": [(SAFE, "1")], "B": [(SAFE, ")")], "C": [(SAFE, "3")]})
    assert result.source.text == "x = 1\ny = B\nz = 3\n"
    assert [(dropped.code, dropped.row) for dropped in result.dropped] == [("JAX102", 2)]


def test_what_is_not_chosen_is_left_alone() -> None:
    ways = {"A": [(SAFE, "1")], "B": [(SAFE, "2")]}
    result = mend(
        Source("x = A, B\n"),
        lambda source: found(source, ways),
        lambda _, all_: [f for f in all_ if f.code == "JAX102"],
    )
    assert result.source.text == "x = A, 2\n"
    assert [finding.message for finding in result.findings] == ["A"]


def test_rounds_are_bound() -> None:
    ways = {"A" * n: [(SAFE, f"v{n}^v{n}")] for n in range(1, 9)}
    text = "".join(f"x = {'A' * n}\n" for n in range(1, 9))
    result = mended(text, ways, rounds=3)
    assert len(result.applied) == 3
    assert {dropped.reason for dropped in result.dropped} == {"there were still fixes to apply after 3 rounds"}
    assert len(result.dropped) == 5


def test_a_text_that_the_encoding_cannot_hold_is_not_written() -> None:
    source = Source("# coding: latin-1\nx = A\n", encoding="latin-1")
    ways = {"A": [(SAFE, "'λ'"), (SAFE, "'é'")]}
    result = mend(source, lambda source: found(source, ways), lambda _, all_: all_)
    assert result.source.text == "# coding: latin-1\nx = 'é'\n"
