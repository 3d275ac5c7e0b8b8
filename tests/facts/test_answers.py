"""Names, wrappers and factories that are defined through themselves: an end, the same one whoever asks first."""

from __future__ import annotations

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.facts.syntax.answers import Answers, Asking
from tests.facts.test_contexts import facts_of

HEAD = "import jax\n"
CALLER = "def f(x):\n    for _ in x:\n        {}(x)\n"

ENDLESS = {
    "name": "f = jax.jit(f)\na = b = a\nx = x.y = x\n",
    "class": "class A(B): pass\nclass B(A):\n    def m(self): return jax.jit(self.q)(1)\n",
    "factories": "def a():\n    return b()\ndef b():\n    return a()\n" + CALLER.format("jax.jit(a())"),
    "wrappers": "def a(f):\n    return b(f)\ndef b(f):\n    return a(f)\n@a\n@b\ndef c(x):\n    return jax.jit(c)(x)\n",
    "decorators": "@f\ndef f(x):\n    return jax.jit(f)(x)\n",
    "every name by every other": "def f(x):\n  for _ in x:\n"
    + "".join(f"    a{i} = " + " or ".join(f"a{j}" for j in range(25)) + "\n" for i in range(25))
    + "    jax.jit(a1)(x)\n",
    "two ways at each step": "def f(x):\n    g0 = jax.jit(lambda y: y)\n"
    + "".join(f"    g{i} = g{i - 1} or g{i - 1}\n" for i in range(1, 60))
    + "    return g59(x)\n",
    "many branches": "def f(x, a, b):\n"
    + "    if x: a, b = b or a, a or b\n    if x: a = b\n    if x: b = a\n" * 60
    + "    return jax.jit(a)(x)\n",
    "long line of factories": CALLER.format("jax.jit(g999())")
    + "".join(f"def g{i}():\n    return g{i - 1}()\n" for i in range(999, 0, -1)),
    "long line of wrappers": "def f(x):\n    return w999(lambda y: y)(x)\n"
    + "".join(f"def w{i}(g):\n    return w{i - 1}(g)\n" for i in range(999, 0, -1))
    + "w0 = jax.jit\n",
    "long line of receivers": "def f(x):\n    h0(jax.jit(lambda y: y))\n"
    + "".join(f"def h{i}(g):\n    return h{i + 1}(g)\n" for i in range(500)),
    "long line of classes": "class A0: pass\n"
    + "".join(f"class A{i}(A{i - 1}): pass\n" for i in range(1, 500))
    + "def f(x):\n    a = A499()\n    return jax.jit(a.m)(x)\n",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_definitions_through_themselves_end(kind: str) -> None:
    codes = {finding.code for finding in lint(Source(HEAD + ENDLESS[kind], "a.py"), Settings())}
    assert "JAX000" not in codes
    assert "JAX001" not in codes


def ask(graph: dict[str, str], values: dict[str, int], *order: str) -> list[frozenset[int]]:
    """Collect what each of `order` reaches in a graph, in that order."""
    answers: Answers[frozenset[int]] = Answers(Asking())

    def reach(node: str) -> frozenset[int]:
        own = frozenset({values[node]})
        return answers.get(node, lambda: own.union(*(reach(other) for other in graph[node])), own)

    return [reach(node) for node in order]


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    graph, values = {"a": "b", "b": "ac", "c": "a"}, {"a": 1, "b": 2, "c": 3}
    assert ask(graph, values, "a", "b", "c") == [frozenset({1, 2, 3})] * 3
    assert ask(graph, values, "c", "b", "a") == [frozenset({1, 2, 3})] * 3


def test_an_answer_that_lacks_none_but_its_own_is_found_once() -> None:
    """Names that each are computed from themselves and from the one before, as in loops that follow each other."""
    answers: Answers[int] = Answers(Asking())
    found: list[int] = []

    def reach(node: int) -> int:
        def find() -> int:
            found.append(node)
            return 1 + max(reach(node), reach(node - 1) if node else 0)

        return answers.get(node, find, 0)

    assert [reach(node) for node in (40, 20)] == [41, 21]
    assert sorted(found) == list(range(41))


def test_no_star_import_binds_a_keyword() -> None:
    """`from shapes import *` may bind `size`, but never `False`."""
    facts = facts_of("from shapes import *\nflag = False\nif flag: f(size)")
    call = facts.tree.calls[0]
    assert facts.constants.is_dead(call)
    assert facts.names.externals(call.args[0].value) == ("shapes.size",)


def test_a_wrapper_in_an_arm_that_no_constant_takes_fails_nowhere() -> None:
    text = HEAD + "def f(x): return x\nFAST = {}\nif FAST: f = jax.jit(f, static_argnames='n')\n"
    assert [len(lint(Source(text.format(fast)), Settings())) for fast in ("False", "True")] == [0, 1]
