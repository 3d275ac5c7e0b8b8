"""The errors that JAX's documentation lists: each is found before the run, or there is a reason why none can."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.rules import _staged

PATH = Path(__file__).parent.parent / "testdata" / "errors.toml"
PRELUDE = """from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
"""
SETTINGS = Settings(preview=True, min_confidence=Confidence.MEDIUM)

_RUN = """
import json, sys
import jax.errors
rows = json.load(sys.stdin)
raised = []
for row in rows:
    names = {}
    try:
        exec(row["code"], names)
        eval(row["call"], names)
    except Exception as error:
        raised.append([cls.__name__ for cls in type(error).__mro__])
    else:
        raised.append([])
listed = [name for name, value in vars(jax.errors).items() if isinstance(value, type) and issubclass(value, Exception)]
print(json.dumps({"listed": listed, "raised": raised}))
"""

NEEDED = {
    "shape": "jnp.zeros(x)",
    "size": "jnp.nonzero(jnp.ones(3), size=x)",
    "range": "range(x)",
    "index": "[1, 2, 3, 4][x]",
    "key": "{3: 1}[x]",
    "dtype": "jnp.zeros(3, x)",
    "format": "f'{x:.2f}'",
    "text": "'mean'.startswith(x)",
    "static": "jax.jit(lambda n: n, static_argnums=0)(x)",
    "test": "1 if x else 2",
    "order": "max(x, 1)",
    "conversion": "float(x)",
    "call": "x()",
}
"""For each demand that a message names an exception of, or might: an expression that makes it of a traced `x`."""


def rows() -> list[dict[str, Any]]:
    return list(tomllib.loads(PATH.read_text("utf-8"))["error"])


def programs() -> list[dict[str, Any]]:
    return [row for row in rows() if "finds" in row]


def _told(programs: list[dict[str, str]]) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-c", _RUN], input=json.dumps(programs), capture_output=True, text=True, check=True
    )
    return dict(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize("row", programs(), ids=lambda row: f"{row['name']}, {row['what']}")
def test_each_is_found_before_the_run(row: dict[str, Any]) -> None:
    found = lint(Source(PRELUDE + row["code"]), SETTINGS)
    assert {finding.code for finding in found} == {row["finds"]}


def test_each_is_raised_and_all_are_listed() -> None:
    told = _told([{"code": PRELUDE + row["code"], "call": row["call"]} for row in programs()])
    for row, raised in zip(programs(), told["raised"], strict=True):
        assert row["name"] in raised, f"{row['what']}: {raised[:1]}"
    assert set(told["listed"]) <= {row["name"] for row in rows()}


def test_what_no_rule_finds_has_a_reason() -> None:
    assert all(bool(row.get("why")) != bool(row.get("finds")) for row in rows())


def test_the_exceptions_that_messages_name_are_raised() -> None:
    given = [{"code": PRELUDE, "call": f"jax.jit(lambda x: {text})(3)"} for text in NEEDED.values()]
    told = _told(given)
    for use, raised in zip(NEEDED, told["raised"], strict=True):
        named = _staged.raises(use).removeprefix("JAX raises ")
        assert named in [*raised, "an error"], f"{use}: {raised[:1]}"
    assert {use for use in _staged.NEEDS if _staged.raises(use) != "JAX raises an error"} <= set(NEEDED)
