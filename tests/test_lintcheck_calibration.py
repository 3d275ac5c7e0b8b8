"""What confidences hold: the linter's table, the page and the picture are made of the same figures."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from jaxlint.facts.evidence.calibration import said
from jaxlint.facts.evidence.confidence import Evidence, confidence, graded
from jaxlint.finding import Confidence
from jaxlint.rules import rules
from lintcheck import calibration, fit
from lintcheck.calibration import Counted

EXAMPLE = fit.Example("o/r", ("rule=JAX402", "grade=high"), True, "learn", right=True, level="medium")


def test_page_and_picture_are_those_of_the_table() -> None:
    table = calibration.read()
    assert calibration.PAGE.read_text("utf-8") == calibration.page(table)
    assert calibration.PICTURE.read_text("utf-8") == calibration.svg(table)
    assert calibration.TABLE.read_text("utf-8") == calibration.toml(table)
    ET.fromstring(calibration.svg(table))


def test_high_is_said_where_it_holds() -> None:
    for family, grades in calibration.read().items():
        counted = grades["high"]
        holds = counted.share >= calibration.HIGH and counted.interval[0] >= calibration.SURE
        code = next(code for code in rules() if fit.family_of(code) == family)
        assert said(code, Confidence.HIGH) is (Confidence.HIGH if holds else Confidence.MEDIUM), family


def test_a_rule_of_no_family_says_its_grade() -> None:
    for grade in Confidence:
        assert said("JAX901", grade) is grade
        assert said("", grade) is grade
    assert confidence(Evidence(error=True)) is Confidence.HIGH
    assert confidence(Evidence(traced=True), "JAX101") is None
    assert graded(Evidence(in_loop=True)) is Confidence.HIGH


def test_what_is_measured_is_what_the_evidence_says() -> None:
    wrong = dataclasses.replace(EXAMPLE, good=False, right=False)
    arguable = dataclasses.replace(EXAMPLE, right=False, features=("rule=JAX402",))
    table = calibration.measured([EXAMPLE, EXAMPLE, wrong, arguable])
    assert table["JAX402"] == {"high": Counted(3, 2, 0), "medium": Counted(1, 0, 1), "low": Counted()}
    assert table["JAX401"]["high"] == Counted()


@pytest.mark.parametrize(
    ("counted", "word"),
    [
        (Counted(100, 70, 26), "high"),
        (Counted(100, 70, 24), "medium"),
        (Counted(11, 11, 0), "medium"),
        (Counted(), "medium"),
    ],
)
def test_a_word_needs_figures(counted: Counted, word: str) -> None:
    assert calibration.said({"high": counted, "medium": Counted()}, "high") == word
    assert calibration.said({"high": counted, "medium": Counted()}, "medium") == "medium"


def test_intervals_narrow_with_what_was_read() -> None:
    few, many = Counted(10, 9, 0).interval, Counted(1000, 900, 0).interval
    assert few[0] < many[0] < 0.9 < many[1] < few[1] <= 1
    assert Counted().interval == (0.0, 1.0)


def test_a_sum_that_chooses_better_is_told() -> None:
    examples = [
        fit.Example(
            f"o/r{number % 40}",
            ("rule=JAX402", "told" if number % 2 else "untold"),
            bool(number % 2),
            "learn",
            right=bool(number % 2),
            level="high" if number % 3 else "low",
        )
        for number in range(240)
    ]
    text = fit.comparison(examples)
    (row,) = [line for line in text.splitlines() if line.startswith("| JAX402")]
    assert row.endswith("| yes |")
    assert fit.comparison(examples) == text
    assert fit.family_of("JAX108") == "JAX101 to 105, 108, 109"
    assert fit.family_of("JAX901") == "JAX901"
