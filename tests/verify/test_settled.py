"""A refutation needs proof: all of the place ran, where it counts, on what the code gives; a dispatch is no compile."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.config import Finder
from jaxlint.discovery import discover
from jaxlint.driver import check_file
from jaxlint.finding import Confidence
from jaxlint.verify import judge
from jaxlint.verify.observation import Anchor, Event, Failure, Observation, Place, Run
from jaxlint.verify.proof import Budget
from jaxlint.verify.prover import Prover
from jaxlint.verify.verdict import Result
from jaxlint.verify.verifier import Job, verify_file

Verify = Callable[[str], dict[int, Result]]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


@pytest.fixture
def verify(prover: Prover, tmp_path: Path) -> Verify:
    """Gives the results of all findings, whatever their confidence, by the line they are on."""

    def verify(text: str) -> dict[int, Result]:
        path = tmp_path / "subject.py"
        path.write_text("import jax\nimport jax.numpy as jnp\n\n" + textwrap.dedent(text))
        (tmp_path / "jaxlint.toml").write_text('min-confidence = "low"\npreview = true\n')
        (file,) = discover([str(path)], Finder()).files
        assert file.config.settings.min_confidence == Confidence.LOW
        results = verify_file(prover, Job(path, check_file(file).diagnostics), Budget())
        return {result.diagnostic.location.row: result for result in results}

    return verify


def test_the_expression_has_to_run_not_its_line(verify: Verify) -> None:
    results = verify("""
        @jax.jit
        def wide(x):
            if x.shape[0] > 100 and x.sum() > 0:
                return x * 2
            return x

        @jax.jit
        def named(x, mode):
            y = x * 2 if x.ndim == 1 and mode > 0 else x
            return y

        @jax.jit
        def deep(x):
            return [v for v in (x,) if x.shape[0] == 321 and v.sum() > 0]

        @jax.jit
        def never(x):
            if x.shape[0] == x.shape[0] + 1 and x.sum() > 0:
                return x * 2
            return x
    """)
    verdicts = {result.diagnostic.line.strip(): result for result in results.values()}
    assert {line: result.verdict for line, result in verdicts.items() if "never" not in line} == {
        "if x.shape[0] > 100 and x.sum() > 0:": "confirmed",
        "y = x * 2 if x.ndim == 1 and mode > 0 else x": "confirmed",
        "return [v for v in (x,) if x.shape[0] == 321 and v.sum() > 0]": "confirmed",
        "if x.shape[0] == x.shape[0] + 1 and x.sum() > 0:": "not-run",
    }
    assert "not all of it ran" in verdicts["if x.shape[0] == x.shape[0] + 1 and x.sum() > 0:"].reason


def test_dispatches_count_whether_or_not_they_compile(verify: Verify) -> None:
    results = verify("""
        def newton(x, iters=100):
            y = jnp.exp(-x) + jnp.sin(x) * x
            for _ in range(iters):
                y = jnp.exp(-y) + jnp.sin(y) * y
            return y

        def twice(x, y):
            a = jax.tree.map(lambda u, v: u + 2.0 * v, x, y)
            return jax.tree.map(lambda u, v: u + 2.0 * v, a, y)
    """)
    assert {result.verdict for result in results.values()} == {"confirmed"}
    assert next(r for r in results.values() if r.diagnostic.code == "JAX402").evidence.dispatches == (500,)


def test_invented_arguments_for_which_nothing_has_to_be_done_refute_nothing(verify: Verify) -> None:
    results = verify("""
        def half(tree):
            return jax.tree.map(lambda x: x.astype(jnp.float32), tree)

        def odd(tree):
            return jax.tree.map(lambda x: x * 2 if x.ndim == 17 else x, tree)
    """)
    assert [result.verdict for result in results.values()] == ["confirmed", "not-run"]
    assert "not all of it ran" in list(results.values())[1].reason


def test_where_nothing_of_jax_ran_nothing_is_refuted(verify: Verify) -> None:
    results = verify("""
        def step(params, grads):
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

        def jaxlint_examples():
            return {"step": ({"w": 1.0}, {"w": 2.0})}
    """)
    (result,) = [result for result in results.values() if result.diagnostic.code == "JAX401"]
    assert result.verdict == "not-run"
    assert "nothing of JAX ran there" in result.reason


def test_arrays_of_unknown_objects_are_of_jax_where_they_have_to_be(verify: Verify) -> None:
    results = verify("""
        class Store:
            def __init__(self, path):
                self.data = open(path).read()

            def reset(self):
                return jax.tree.map(lambda x: x.at[0].set(0.0) * 2, self.data)

            def doubled(self):
                return jax.tree.map(lambda x: x * 2 + 1, self.data)
    """)
    assert [result.verdict for result in results.values()] == ["confirmed", "not-run"]


def test_what_was_handled_in_silence_refutes_nothing(verify: Verify) -> None:
    results = verify("""
        def f(x, fails):
            for _ in range(100):
                try:
                    if fails:
                        raise ValueError
                    x = jnp.sin(x) * 2
                except ValueError:
                    x = x.copy()
            return x

        def jaxlint_examples():
            return {"f": (jnp.ones(3), True)}
    """)
    assert {result.verdict for result in results.values()} == {"not-run"}


def test_what_ran_only_under_trace_says_nothing_of_eager_code(verify: Verify) -> None:
    results = verify("""
        def scaled(x):
            for _ in range(200):
                x = jnp.sin(x) * 2
            return x

        def jaxlint_examples():
            return {"scaled": lambda: jax.jit(globals()["scaled"])(jnp.ones(3))}
    """)
    (result,) = [result for result in results.values() if result.diagnostic.code == "JAX402"]
    assert result.verdict == "not-run"
    assert "while being traced" in result.reason


def test_what_a_call_compiled_before_it_was_stopped_counts() -> None:
    anchor = Anchor("a.py", ((3, 0, 5, 0),))
    place = Place("a.py", "f", 4, 0, 4, 9)
    grown = tuple(Event("compile", "jit(concatenate)", (place,)) for _ in range(3))
    for events, kind, shown in (
        (grown, "DeadlineError", True),
        (grown, "ValueError", None),
        ((), "DeadlineError", None),
    ):
        run = Run(events, failure=Failure(kind, "took more than 3 s"))
        assert judge.per_shape(Observation("f", (run,)), anchor).shown is shown


def test_loops_at_module_level_count_dispatches_too(verify: Verify) -> None:
    results = verify("""
        x = jnp.ones(3)
        y = jnp.sin(x) * 2 + x
        for _ in range(300):
            y = jnp.sin(y) * 2 + y
    """)
    (result,) = [result for result in results.values() if result.diagnostic.code == "JAX402"]
    assert result.verdict == "confirmed"
    assert "operations here one by one" in result.reason
