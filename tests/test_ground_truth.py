"""Every row of the ground truth holds twice: jaxlint says what the row says, and jax does what it claims."""

from __future__ import annotations

import pytest

from tests import truth
from tests.truth import Row

MOST_DIFFERENT = 0.15


@pytest.mark.parametrize("section", truth.SECTIONS)
def test_jaxlint_says_what_the_rows_say(section: str) -> None:
    problems = []
    for row in _rows(section):
        found = truth.found_in(row)
        if found != {row.said}:
            got = ", ".join(sorted(map(str, found)))
            problems.append(f"row {row.id}, {row.what}: expected {row.said}, got {got}")
    assert not problems, "\n" + "\n".join(problems)


def test_jax_does_what_the_rows_claim(python: str) -> None:
    versions, measured = truth.measure(truth.rows(), python)
    there = [row.under(versions["jax"]) for row in truth.rows() if row.exists(versions)]
    problems = list(filter(None, (truth.mismatch(row, measured[row.id]) for row in there)))
    assert not problems, f"\nunder jax {versions['jax']}:\n" + "\n".join(problems)


def test_few_rows_differ_and_each_says_why() -> None:
    rows = truth.rows()
    different = [row for row in rows if row.differs()]
    assert not [row.id for row in different if not row.why], "rows that differ without a reason"
    assert not [row.id for row in rows if row.why and row not in different], "reasons of rows that do not differ"
    assert len(different) <= MOST_DIFFERENT * len(rows)


@pytest.mark.parametrize("row", truth.rows(), ids=lambda row: row.id)
def test_rows_are_complete(row: Row) -> None:
    assert row.section in truth.SECTIONS
    assert row.what
    assert bool(row.see) != bool(row.code or row.call), "a row refers to testdata, or has code of its own"
    assert row.error or row.compiles
    assert all(changed.get("why") for changed in row.until.values()), "what differs by version says why"


def _rows(section: str) -> list[Row]:
    return [row for row in truth.rows() if row.section == section]
