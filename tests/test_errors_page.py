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


def rows() -> list[dict[str, Any]]:
    return list(tomllib.loads(PATH.read_text("utf-8"))["error"])


def programs() -> list[dict[str, Any]]:
    return [row for row in rows() if "finds" in row]


@pytest.mark.parametrize("row", programs(), ids=lambda row: f"{row['name']}, {row['what']}")
def test_each_is_found_before_the_run(row: dict[str, Any]) -> None:
    found = lint(Source(PRELUDE + row["code"]), SETTINGS)
    assert {finding.code for finding in found} == {row["finds"]}


def test_each_is_raised_and_all_are_listed() -> None:
    given = json.dumps([{"code": PRELUDE + row["code"], "call": row["call"]} for row in programs()])
    run = subprocess.run([sys.executable, "-c", _RUN], input=given, capture_output=True, text=True, check=True)
    told = json.loads(run.stdout.splitlines()[-1])
    for row, raised in zip(programs(), told["raised"], strict=True):
        assert row["name"] in raised, f"{row['what']}: {raised[:1]}"
    assert set(told["listed"]) <= {row["name"] for row in rows()}


def test_what_no_rule_finds_has_a_reason() -> None:
    assert all(bool(row.get("why")) != bool(row.get("finds")) for row in rows())
