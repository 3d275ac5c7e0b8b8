"""Each effect is told from what looks like it, and a place that decides nothing is never called innocent."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify.judge import Judgement
from jaxlint.verify.proof import Proof, effect_of
from jaxlint.verify.prover import Prover

Judge = Callable[..., Judgement]


EXAMPLE = """

def jaxlint_examples():
    return {"f": (jnp.ones(3),)}
"""


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


@pytest.fixture
def judge(prover: Prover, tmp_path: Path) -> Judge:
    """Judges the line that carries the comment `# here`."""

    def judge(code: str, text: str, *, again: bool = False, example: str = EXAMPLE) -> Judgement:
        path = tmp_path / "subject.py"
        path.write_text("import jax\nimport jax.numpy as jnp\n" + textwrap.dedent(text) + example)
        line = next(n for n, row in enumerate(path.read_text().splitlines(), 1) if row.endswith("# here"))
        return Proof(prover, path, {line}).judge(line, code, again=again)

    return judge


def test_compile_is_laid_to_where_the_object_was_made(judge: Judge) -> None:
    text = """
        def f(x):
            first = jax.jit(lambda v: v + 1){here}
            second = _stable
            {other}
            return first(x) + second(x)

        _stable = jax.jit(lambda v: v + 2)
    """
    here = text.format(here="  # here", other="pass")
    assert judge("JAX102", here).shown is True
    there = text.format(here="", other="third = jax.jit(_stable)  # here")
    assert judge("JAX102", there).shown is False


def test_line_that_never_runs_is_not_innocent(judge: Judge) -> None:
    text = """
        def f(x):
            if x is None:
                return jax.jit(lambda v: v + 1)(x)  # here
            return x
    """
    judgement = judge("JAX102", text)
    assert judgement.shown is None
    assert "never ran" in judgement.evidence


def test_later_calls_must_agree(judge: Judge) -> None:
    text = """
        kept = []

        def f(x):
            kept.append(jax.jit(lambda v: v + 1) if len(kept) < 2 else kept[-1])  # here
            return kept[-1](x)
    """
    judgement = judge("JAX102", text)
    assert judgement.shown is None
    assert "1/1/0" in judgement.evidence


def test_failing_call_decides_nothing(judge: Judge) -> None:
    text = """
        def f(x):
            y = jax.jit(lambda v: v + 1)(x)  # here
            raise ValueError(y)
    """
    assert judge("JAX102", text).shown is None


def test_module_that_fails_to_load_decides_nothing(judge: Judge) -> None:
    text = """
        import no_such_module

        def f(x):
            return jax.jit(lambda v: v + 1)(x)  # here
    """
    judgement = judge("JAX102", text)
    assert judgement.shown is None
    assert "line 4: ModuleNotFoundError" in judgement.evidence


def test_module_level_place_is_judged_by_one_loading_or_by_repeating_it(judge: Judge) -> None:
    text = "y = jax.jit(lambda v: v + 1)(1.0)  # here\n"
    assert judge("JAX102", text, example="").shown is False
    assert judge("JAX102", text, again=True, example="").shown is True
    assert (
        judge("JAX102", "for _ in range(2):\n    y = jax.jit(lambda v: v + 1)(1.0)  # here\n", example="").shown is True
    )


def test_exception_counts_at_its_innermost_user_frame(judge: Judge) -> None:
    text = """
        @jax.jit
        def g(x):
            if x.sum() > 0:{inner}
                return x
            return -x

        def f(x):
            return g(x){outer}

        def jaxlint_examples():
            return {{"f": (jnp.ones(3),), "g": (jnp.ones(3),)}}
    """
    assert judge("JAX209", text.format(inner="  # here", outer=""), example="").shown is True
    judgement = judge("JAX209", text.format(inner="", outer="  # here"), example="")
    assert judgement.shown is None
    assert "raises at line 6: TracerBoolConversionError" in judgement.evidence


def test_exception_at_a_decorator_is_judged(judge: Judge) -> None:
    text = """
        import functools

        @functools.partial(jax.jit, static_argnames=("m",))  # here
        def g(x, n):
            return x

        def f(x):
            return x
    """
    assert judge("JAX206", text).shown is True
    assert judge("JAX206", text.replace('"m"', '"n"')).shown is False


@pytest.mark.parametrize(
    ("body", "shown", "evidence"),
    [
        ("for i in range(200):  # here\n        x = jnp.sin(x) * i + 1", True, "600 in 200 iterations"),
        ("for i in range(8):  # here\n        x = jnp.sin(x) * i + 1", False, "24 in 8 iterations"),
        ("for _, i in zip(range(300), range(400)):  # here\n        x = jnp.sin(x) * i", True, "600 in 300 iterations"),
        ("for i in range(900):  # here\n        y = float(i)", False, "0 equations per iteration"),
        ("x = sum(  # here\n        jnp.sin(x) * i\n        for i in range(300))", True, "in 300 iterations"),
        ("for row in x:  # here\n        x = x + row", False, "only 3 iterations"),
        ("n = 0\n    while n < 900:  # here\n        n, x = n + 1, jnp.sin(x)", True, "a loop of unknown length"),
        ("for i in range(400):  # here\n        x = helper(x)", False, "400 in 400 iterations"),
    ],
)
def test_loops_are_judged_by_how_their_programs_grow(judge: Judge, body: str, shown: bool, evidence: str) -> None:
    text = f"""
@jax.jit
def helper(x):
    return jnp.sin(x) * 2 + 1 - x

@jax.jit
def f(x):
    {body}
    return x
"""
    judgement = judge("JAX301", text)
    assert judgement.shown is shown
    assert evidence in judgement.evidence


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("jax.tree.map(lambda w: w * 2 + 1, tree)", True),
        ("jax.tree.map(halve, tree)", True),
        ("jax.tree.map(lambda w: w.shape, tree)", False),
        ("compiled(tree)", False),
    ],
)
def test_first_call_is_judged_by_its_programs(judge: Judge, body: str, shown: bool) -> None:
    text = f"""
        def halve(w):
            return jnp.abs(w) / 2

        compiled = jax.jit(lambda tree: jax.tree.map(halve, tree))

        def f(tree):
            return {body}  # here

        def jaxlint_examples():
            return {{"f": ([jnp.ones(3), jnp.ones(4)],)}}
    """
    assert judge("JAX401", text, example="").shown is shown


def test_code_without_an_effect_is_an_error() -> None:
    with pytest.raises(LookupError, match="JAX999"):
        effect_of("JAX999")


def test_what_a_library_has_is_not_made_where_it_is_looked_up(judge: Judge) -> None:
    looked_up = """
        def f(x):
            return getattr(jnp, "sin")(x)  # here
    """
    loop = """
        def f(x):
            for _ in range(12):  # here
                x = jnp.sin(x) * 0.5
            return x
    """
    alone = judge("JAX402", loop)
    assert alone.shown is True
    judge("JAX104", looked_up)
    assert judge("JAX402", loop) == alone
