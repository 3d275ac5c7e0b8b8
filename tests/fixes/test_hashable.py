"""A static argument without a hash is mended only where the function does the same with what has one."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX202",))
HEAD = """
import dataclasses, functools, other
import jax
import jax.numpy as jnp

"""


def levels(code: str) -> list[str]:
    """Return how far the fixes of the one finding in code may be trusted."""
    found = lint(Source(HEAD + textwrap.dedent(code)), SETTINGS)
    assert [finding.code for finding in found] == ["JAX202"]
    return [fix.applicability.value for fix in found[0].fixes]


def of_list(body: str, given: str = "[2, 2]") -> list[str]:
    return levels(f"""
        @functools.partial(jax.jit, static_argnames="s")
        def f(x, s):
            return {body}
        def g(x, n):
            return f(x, {given})
        """)


@pytest.mark.parametrize("body", ["x.reshape(s)", "x[: len(s)]", "jnp.zeros(s) + x", "x * s[0]"])
def test_a_tuple_does_where_the_function_takes_any_sequence(body: str) -> None:
    assert of_list(body) == ["safe"]


@pytest.mark.parametrize("given", ["[n, 2]", "[x, 2]", "list(n)", "[k for k in n]", "sorted(n)", "[[n]]"])
def test_what_is_in_it_may_have_no_hash(given: str) -> None:
    assert of_list("x.reshape(s)", given) == ["unsafe"]


@pytest.mark.parametrize("body", ["x.reshape(s + [1])", "x[s]", "x if s == [2, 2] else -x", "isinstance(s, list)"])
def test_a_tuple_is_not_given_where_only_a_list_does(body: str) -> None:
    assert not of_list(body)


def test_a_function_in_sight_may_need_the_list() -> None:
    assert of_list("other.f(x, s)") == ["safe"]
    assert of_list("(lambda t: x.reshape(t))(s)") == ["unsafe"]


def of_class(fields: str, more: str = "", name: str = "_Spec", bases: str = "") -> list[str]:
    return levels(f"""
        @dataclasses.dataclass
        class {name}{bases}:
            {fields}
        @functools.partial(jax.jit, static_argnames="s")
        def f(x, s):
            return x * s.n
        def g(x):
            return f(x, {name}(2))
        {more}
        """)


def test_a_dataclass_that_nothing_changes_is_frozen() -> None:
    assert of_class("n: int") == ["safe"]
    assert of_class("n: int", name="Spec") == ["unsafe"]
    assert of_class("n: Number") == ["unsafe"]
    assert of_class("n: int", "def h(other):\n            other.n = 3") == ["unsafe"]


@pytest.mark.parametrize(
    ("fields", "more", "bases"),
    [
        ("n: list", "", ""),
        ("n: jax.Array", "", ""),
        ("n: 'list[int]'", "", ""),
        ("n: int", "", "(other.Base)"),
        ("n: int", "class Wider(_Spec):\n            pass", ""),
        ("n: int", "def h():\n            s = _Spec(2)\n            s.n = 3\n            return s", ""),
        ("n: int\n            def grow(self):\n                self.n += 1", "", ""),
    ],
)
def test_a_dataclass_that_is_changed_or_holds_what_has_no_hash_is_not(fields: str, more: str, bases: str) -> None:
    assert not of_class(fields, more, bases=bases)


def test_an_array_is_traced_where_its_values_are_not_needed() -> None:
    def of_array(body: str) -> list[str]:
        return of_list(body, "jnp.arange(2.0)")

    assert of_array("x @ s + s.shape[0] + s[0]") == ["unsafe"]
    assert not of_array("x if s[0] > 0 else -x")
    assert not of_array("x[: int(s[0])]")
