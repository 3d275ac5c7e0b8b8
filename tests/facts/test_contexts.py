"""Contexts by themselves: who dispatches, transforms or stages the functions of a module."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Settings, Source
from jaxlint.facts.context.contexts import Contexts
from jaxlint.facts.module import ModuleFacts

EAGER, TRANSFORMED, STAGED, UNKNOWN = Contexts.EAGER, Contexts.TRANSFORMED, Contexts.STAGED, Contexts.UNKNOWN


def facts_of(text: str) -> ModuleFacts:
    source = Source.from_bytes(f"import jax\nimport jax.numpy as jnp\n{textwrap.dedent(text)}".encode(), "module.py")
    return ModuleFacts.of(source, Settings())


def contexts(text: str, name: str) -> Contexts:
    facts = facts_of(text)
    return facts.contexts.of(next(f for f in facts.tree.functions if f.qualname == name))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("def f(x): return x", UNKNOWN, id="nobody calls it"),
        pytest.param("def f(x): return x\nf(1)", EAGER, id="module level calls it"),
        pytest.param("@jax.jit\ndef f(x): return x\nf(1)", STAGED, id="a decorator compiles it"),
        pytest.param("def f(x): return x\njax.jit(f)(1)", STAGED, id="compiled on the spot"),
        pytest.param("def f(x): return x\njax.jit(f)(1)\nf(1)", STAGED | EAGER, id="both, and neither wins"),
        pytest.param("def f(x): return x\njax.vmap(f)(1)", TRANSFORMED, id="eager vmap"),
        pytest.param("def f(x): return x\njax.grad(f)(1)", TRANSFORMED, id="eager grad"),
        pytest.param("def f(x): return x\ng = jax.grad(f)\ng(1)", TRANSFORMED, id="eager grad by a name"),
        pytest.param("def f(x): return x\njax.vjp(f, 1)", TRANSFORMED, id="eager vjp"),
        pytest.param("def f(x): return x\njax.eval_shape(f, 1)", TRANSFORMED, id="only shapes"),
        pytest.param("def f(x): return x\njax.jit(jax.vmap(f))(1)", STAGED, id="a compiled vmap"),
        pytest.param(
            "def f(x): return x\ng = jax.grad(f)\n@jax.jit\ndef h(x): return g(x)\nh(1)", STAGED, id="under h"
        ),
        pytest.param("def f(x): return x\ng = jax.grad(f)", UNKNOWN, id="a gradient that nobody calls"),
        pytest.param("def f(c, x): return c, x\njax.lax.scan(f, 0, 1)", STAGED, id="the body of an eager scan"),
        pytest.param("def f(x): return x\njax.tree.map(f, [1])", EAGER, id="a map over leaves dispatches"),
        pytest.param(
            "def f(x): return x\ng = jax.jit(f) if FAST else f\ng(1)", STAGED, id="compiled unless an option says not"
        ),
        pytest.param(
            "def helper(h): return jax.jit(h)\ndef f(x): return x\nhelper(f)(1)", STAGED, id="a helper that compiles"
        ),
        pytest.param(
            """
            def helper(h):
                def run(x):
                    return h(x)
                return jax.jit(run)
            def f(x): return x
            helper(f)(1)
            """,
            STAGED,
            id="a helper that compiles what calls it",
        ),
        pytest.param(
            "def helper(h, flag):\n    return jax.jit(h) if flag else h\ndef f(x): return x\ng = helper(f, FLAG)\ng(1)",
            STAGED,
            id="a helper that compiles under a flag",
        ),
        pytest.param(
            """
            class Model:
                def __init__(self):
                    self.f = jax.jit(self.f)
            def main():
                Model().f(1)
            def f(x): return x
            """,
            UNKNOWN,
            id="another of the same name",
        ),
    ],
)
def test_contexts_of_a_function(text: str, expected: Contexts) -> None:
    assert contexts(text, "f") == expected


def test_a_method_that_the_constructor_compiles_is_staged_only() -> None:
    text = """
    class Model:
        def __init__(self):
            self.step = jax.jit(self.step)

        def step(self, x):
            return x

    def main():
        model = Model()
        model.step(1)

    main()
    """
    assert contexts(text, "Model.step") == STAGED


def test_what_a_transformed_function_calls_is_transformed() -> None:
    text = "def f(x): return x\ndef outer(x): return f(x)\nfor _ in range(9):\n    jax.vmap(lambda x: outer(x))(1)"
    assert contexts(text, "f") == TRANSFORMED
    assert contexts(text, "outer") == TRANSFORMED


def test_unknown_says_why() -> None:
    facts = facts_of("def f(x): return x\ng = jax.grad(f)")
    assert facts.contexts.known(facts.tree.functions[0]).reasons == ("what traces it may be compiled",)
