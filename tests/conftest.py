"""What all tests share."""

from __future__ import annotations

import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the interpreter be chosen whose jax the code under test runs with."""
    parser.addoption(
        "--python", default=sys.executable, help="interpreter of the environment with the jax to measure with"
    )


@pytest.fixture(scope="session")
def python(request: pytest.FixtureRequest) -> str:
    """Return the interpreter whose jax is measured."""
    return str(request.config.getoption("--python"))
