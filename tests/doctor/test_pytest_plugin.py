"""The pytest plugin: a test that compiles or traces more often than it may fails, and says which argument changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from jaxlint.doctor import events

TESTS = """\
import threading
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx


@jax.jit
def step(x):
    return x * 2


@partial(jax.jit, static_argnames="n")
def pool(x, n):
    return x.reshape(n, -1).sum()


@eqx.filter_jit
def filtered(x):
    return x * 2


@nnx.jit
def nnx_step(x):
    return x * 2


def afresh(x):
    return jax.jit(lambda y: y + 1)(x)


def test_shape(max_compiles):
    with max_compiles(1) as seen:
        step(np.ones(3))
        assert (seen.count, seen.traces) == (1, 1)
        step(np.ones(3))
        assert (seen.count, seen.traces) == (1, 1)
        step(np.ones(4))


def test_static(max_compiles):
    with max_compiles(1):
        pool(np.ones(4), 2)
        pool(np.ones(4), 4)


def test_equinox(max_compiles):
    with max_compiles(1):
        filtered(np.ones(4))
        filtered(np.ones(5))


def test_nnx(max_compiles):
    with max_compiles(1):
        nnx_step(np.ones(4))
        nnx_step(np.ones(5))


@pytest.mark.max_compiles(1)
def test_marked():
    for _ in range(3):
        afresh(np.ones(3))


def test_trace_alone(max_compiles):
    with max_compiles(0, traces=1):
        step.trace(np.ones(7))
        step.trace(np.ones(8))


def test_thread(max_compiles):
    with max_compiles(0):
        thread = threading.Thread(target=step, args=(np.ones(21),))
        thread.start()
        thread.join()


def test_eager(max_compiles):
    with max_compiles(0, eager=True):
        jnp.ones(34) * 2


def test_over_the_option():
    for n in range(4):
        step(np.ones(51 + n))


def test_raises_its_own(max_compiles):
    with max_compiles(0):
        step(np.ones(60))
        raise KeyError("its own")


def test_cached_passes(max_compiles):
    for function in step, filtered, nnx_step:
        function(jnp.ones(9))
    with max_compiles(0):
        for function in step, filtered, nnx_step:
            function(jnp.ones(9))
        jnp.ones(33) * 2


def test_within_the_option_passes():
    for n in range(3):
        step(np.ones(71 + n))


@pytest.mark.max_compiles(4)
def test_more_allowed_passes():
    for n in range(4):
        step(np.ones(81 + n))
"""

FAILURES = {
    "test_shape": "step: the shape of an argument changed\n  x: f32[4], before f32[3]",
    "test_static": "pool: the value of a static argument changed\n  argument 2: 4, before 2",
    "test_equinox": "filtered: the shape of an argument changed",
    "test_nnx": "nnx_step: the shape of an argument changed\n  x: f32[5], before f32[4]",
    "test_marked": "<lambda>: a new function object, defined on the same line as one compiled earlier",
    "test_trace_alone": "2 traces, at most 1 allowed",
    "test_thread": "1 compile, at most 0 allowed",
    "test_eager": "multiply: a single operation, outside any jitted function",
    "test_over_the_option": "4 compiles, at most 3 allowed",
    "test_raises_its_own": "KeyError: 'its own'",
}


def test_limits_name_what_changed_for_all_kinds_of_compiled_functions(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    options = ["-p", "jaxlint.pytest", "-p", "no:cacheprovider", "--jaxlint-max-compiles", "3", "-n", "2", "--tb=short"]
    # Under `jaxlint run`, so that the recorder and the plugin listen to the same jax.
    run = [sys.executable, "-m", "jaxlint", "run", "-q", "--python", sys.executable, "--record", "run.jsonl"]
    done = subprocess.run(
        [*run, "-m", "pytest", "-q", "-rA", "--strict-markers", *options],
        cwd=tmp_path,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{len(FAILURES)} failed, 3 passed" in done.stdout, done.stdout
    reports = done.stdout.split("\n____")
    for name, said in FAILURES.items():
        report = next(part for part in reports if f"___ {name} ___" in f"____{part}")
        plain = "\n".join(line.removeprefix("E").lstrip() for line in report.splitlines())
        for line in said.splitlines():
            assert line.lstrip() in plain, report
    passed = {line.rpartition("::")[2] for line in done.stdout.splitlines() if line.startswith("PASSED")}
    with (tmp_path / "run.jsonl").open(encoding="utf-8") as lines:
        misses = [event for event in events.read(lines) if isinstance(event, events.Miss)]
    # One thread runs no line of the tests: its target is a compiled function.
    assert {Path(miss.stack[0].file).name for miss in misses if miss.stack} == {"test_it.py"}
    assert passed == {"test_cached_passes", "test_within_the_option_passes", "test_more_allowed_passes"}


def test_nothing_is_there_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(request):\n    assert 'max_compiles' not in dir(request)\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--jaxlint-max-compiles", "3"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "unrecognized arguments: --jaxlint-max-compiles" in done.stderr


KEPT = """\
import jax
import numpy as np


@jax.jit
def step(x):
    return x * 2 + 1


def test_one():
    step(np.ones(3))


def test_two():
    for n in range(1, NUMBER):
        step(np.ones(n))


def test_nothing():
    assert np.ones(3).sum() == 3
"""


def test_a_committed_file_says_what_tests_compile(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "jaxlint.pytest", "-p", "no:cacheprovider", *arguments],
            cwd=tmp_path,
            env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )

    tests = tmp_path / "test_steps.py"
    tests.write_text(KEPT.replace("NUMBER", "3"))
    done = run("--jaxlint-update", "-n", "2")
    assert done.returncode == 0, done.stdout
    kept = json.loads((tmp_path / "jaxlint-compiles.json").read_text())["tests"]
    assert kept == {
        "test_steps.py::test_one": {"step": {"compiles": 1, "equations": 2}},
        "test_steps.py::test_two": {"step": {"compiles": 2, "equations": 2}},
    }
    # In any order, each alone.
    done = run("test_steps.py::test_two", "test_steps.py::test_one")
    assert done.returncode == 0, done.stdout
    tests.write_text(KEPT.replace("NUMBER", "4").replace("x * 2 + 1", "x * 2 + x * 3"))
    done = run()
    assert done.returncode == 1
    assert "step: 3 compiles, before 2" in done.stdout
    assert "step: 3 equations, before 2" in done.stdout
    assert "--jaxlint-update" in done.stdout
    assert "2 failed, 1 passed" in done.stdout
    assert run("--jaxlint-update", "test_steps.py::test_two").returncode == 0
    kept = json.loads((tmp_path / "jaxlint-compiles.json").read_text())["tests"]
    assert {name: found["step"]["compiles"] for name, found in kept.items()} == {
        "test_steps.py::test_one": 1,
        "test_steps.py::test_two": 3,
    }
