"""A share of `make fuzz`: whatever is linted, nothing fails, and every place is inside of its file."""

from __future__ import annotations

import os
import random

import pytest

from jaxlint import Source, lint
from tests import fuzz
from tests.fixes.grammar import programs

SHARE = int(os.environ.get("JAXLINT_FUZZ_COUNT", "12"))
SEED = int(os.environ.get("JAXLINT_FUZZ_SEED", "0"))


def test_files_of_python_and_of_packages() -> None:
    files = [file for file in fuzz.library() if file.stat().st_size < 30_000]
    for file in random.Random(SEED).sample(files, min(SHARE * 4, len(files))):
        assert fuzz.broken(file.read_bytes()) == [], file


def test_damaged_testdata() -> None:
    for name, data in fuzz.mutations(random.Random(SEED), SHARE * 2):
        assert fuzz.broken(data) == [], name


def test_programs_by_a_grammar() -> None:
    for name, text in programs(SEED, SHARE):
        assert fuzz.broken(text.encode()) == [], name


@pytest.mark.parametrize("name", fuzz.MONSTERS)
def test_monsters(name: str) -> None:
    for size in (1, 12, 60):
        assert fuzz.broken(fuzz.MONSTERS[name](size).encode()) == [], size


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("one line", 60_000),
        ("parentheses", 20_000),
        ("attributes", 20_000),
        ("sums", 20_000),
        ("calls of calls", 20_000),
        ("functions that call each other", 1_000),
        ("functions that pass a value on", 1_500),
        ("strings side by side", 33_000),
        ("quotes that nothing closes", 200_000),
        ("aliases", 3_000),
    ],
)
def test_large_monsters(name: str, size: int) -> None:
    found = lint(Source(fuzz.MONSTERS[name](size), "a.py"), fuzz.EVERYTHING)
    assert "JAX000" not in [finding.code for finding in found]


@pytest.mark.parametrize("name", fuzz.MONSTERS)
def test_work_grows_as_the_text_does(name: str) -> None:
    assert fuzz.growth(name, 24) < 2.7  # two is linear, four quadratic
