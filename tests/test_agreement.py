"""A bounded share of `make agreement`: the same is found however it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from lintcheck import agreement

TESTDATA = Path(__file__).parent.parent / "testdata"


@pytest.mark.parametrize("folder", ["jax106", "jax402"])
def test_all_ways_of_asking_show_the_same(folder: str) -> None:
    assert list(agreement.differences(TESTDATA / folder)) == []


def test_what_one_way_does_not_show_is_told() -> None:
    found = frozenset({("a.py", 1, 1, "JAX102", "a message")})
    assert list(agreement._compared("a cold cache", frozenset(), found)) == [
        "not with a cold cache: a.py:1:1: JAX102 a message"
    ]
    assert list(agreement._compared("flake8", found, frozenset())) == ["only with flake8: a.py:1:1: JAX102 a message"]
