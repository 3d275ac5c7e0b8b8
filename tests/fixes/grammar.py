"""A grammar of programs that fixes could break: guards, aliases, custom derivatives, state, an order of import.

`programs(seed, count)` gives the same programs for the same seed.  Each prints the results and the gradients of a
function, changes what it may have read, and prints them again.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = """\
import contextlib
import functools
from typing import NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
"""


@dataclass(frozen=True)
class State:
    """Something of the module that the code reads: how it is made, read, and changed in the middle of the program."""

    setup: str
    read: str
    change: str = "pass"


STATES = (
    State("", "2.0"),
    State("SCALE = 2.0", "SCALE"),
    State("SCALE = 2.0", "SCALE", 'globals()["SCALE"] = 3.0'),
    State("SCALE = 2.0\n\n\ndef change():\n    global SCALE\n    SCALE = 3.0", "SCALE", "change()"),
    State("SCALES = [2.0]", "SCALES[0]", "SCALES[0] = 3.0"),
    State("SCALES = [2.0]\nALIAS = SCALES", "SCALES[0]", "ALIAS[0] = 3.0"),
    State("SCALES = {'k': 2.0}\n\n\ndef scale():\n    return SCALES['k']", "scale()", "SCALES.update(k=3.0)"),
    State("class Config:\n    scale = 2.0\n\n\nconfig = Config", "Config.scale", "config.scale = 3.0"),
    State("class Config:\n    scale = 2.0\n\n\nCONFIG = Config()", "CONFIG.scale", "setattr(CONFIG, 'scale', 3.0)"),
    State("class Pair(NamedTuple):\n    scale: float = 2.0\n\n\nPAIR = Pair()", "PAIR.scale"),
    State("WEIGHTS = np.full(1, 2.0)", "WEIGHTS[0]", "np.copyto(WEIGHTS, 3.0)"),
    State("WEIGHTS = jnp.full((), 2.0)", "WEIGHTS"),
    State("def scale():\n    return scale.k\n\n\nscale.k = 2.0", "scale()", "scale.k = 3.0"),
    State("scale = functools.partial(max, 2.0)", "scale(1.0)"),
    State("def scale(memo=[2.0]):\n    return memo[0]", "scale()", "scale.__defaults__[0][0] = 3.0"),
    State("def scale():\n    return float(np.float32(2.0))", "scale()", 'mock.patch(f"{__name__}.scale", lambda: 3.0)'),
)
EXPRESSIONS = (
    "v * {read}",
    "jnp.sin(v) * {read}",
    "v ** 2 + {read}",
    "jnp.where(v > 0, v * {read}, 0.0)",
    "jax.nn.relu(v) + {read} * v",
)
MAKERS = (
    "@jax.jit\ndef f(v):\n    return {body}\nreturn f(x)",
    "@functools.partial(jax.jit, static_argnames=('n',))\ndef f(v, n=2):\n    return n * {body}\nreturn f(x)",
    "@functools.partial(jax.jit, static_argnames=('m',))\ndef f(v, n=2):\n    return n * {body}\nreturn f(x)",
    "def f(v):\n    return {body}\nreturn jax.jit(f)(x)",
    "def f(v):\n    return {body}\nf = jax.jit(f)\nreturn f(x)",
    "def f(v):\n    return {body}\ng = jax.jit(jax.value_and_grad(f))\nreturn sum(g(x))",
    "return jax.jit(lambda v: {body})(x)",
    "return jax.jit(lambda v, t=jnp.ones(()): t * {body})(x)",
    "f = lambda v: {body}\nreturn jax.jit(jax.grad(f))(x)",
    "def f(v):\n    return {body}\nf.k = 2.0\nreturn jax.jit(f)(x) * f.k",
    "def f(v):\n    return f.k * {body}\nf.k = len(SEEN) + 1.0\nreturn jax.jit(f)(x)",
    (
        "@jax.custom_vjp\ndef f(v):\n    return {body}\nn = len(SEEN) + 1.0\n"
        "f.defvjp(lambda v: (f(v), None), lambda _, g: (n * g,))\nreturn jax.jit(jax.grad(f))(x)"
    ),
    (
        "@jax.custom_jvp\ndef f(v):\n    return {body}\nn = len(SEEN) + 1.0\n"
        "f.defjvps(lambda t, ans, v: n * t)\nreturn jax.jit(jax.grad(f))(x)"
    ),
    "def f(v):\n    return {body}\nKEPT.append(f)\nreturn jax.jit(f)(x) + len(set(KEPT))",
    "def body(i, v):\n    return {body}\nreturn jax.lax.fori_loop(0, 2, body, x)",
    "def body(v, _):\n    return {body}, None\nreturn jax.lax.scan(body, x, None, length=2)[0]",
    "def f(v, n):\n    return n * {body}\nreturn jax.jit(functools.partial(f, n=len(SEEN) + 1))(x)",
    "def f(v):\n    print('traced')\n    return {body}\nreturn jax.jit(f)(x)",
    "return make()(x)",
    "return sum(jax.tree.leaves(jax.tree.map(lambda v: {body}, [x, x])))",
    "return jax.jit(jax.vmap(lambda v: {body}))(jnp.stack([x, x])).sum()",
    "return jax.jit(jax.vmap(jax.nn.brand_new))(x) if hasattr(jax.nn, 'brand_new') else x",
    "@remembering\ndef f(v):\n    return {body}\nreturn jax.jit(f)(x)",
)
FACTORIES = (
    "def f(v):\n    return {body}\nreturn jax.jit(f)",
    "calls = []\ndef f(v):\n    calls.append(1)\n    return {body} * len(calls)\nreturn jax.jit(f)",
    "key = jnp.ones(())\nreturn jax.jit(lambda v: key * {body})",
    "@jax.jit\ndef f(v):\n    return {body}\nf_again = f\nreturn f_again",
)
GUARDS = (
    "{code}",
    "{code}",
    "if x is not None:\n    {code}",
    "try:\n    {code}\nexcept (ValueError, TypeError):\n    return 0.0 * x",
    "with contextlib.nullcontext():\n    {code}",
    "with mock.patch('jax.jit', lambda f, **_: f):\n    {code}",
    "with jax.default_matmul_precision('float32'):\n    {code}",
    "if not hasattr(jax, 'brand_new'):\n    {code}\nreturn jax.brand_new(x)",
)
_REMEMBERING = """
def remembering(f):
    seen = []

    def inner(v):
        seen.append(1)
        return f(v) * len(seen)

    return inner
"""
_MAIN = """
def show():
    SEEN.append(1)
    for argument in (jnp.float32(1.5), 2.0):
        try:
            print(np.asarray(compute(argument)).tolist())
        except Exception as error:
            print(type(error).__name__)
    try:
        print(np.asarray(jax.grad(compute)(1.5)).tolist())
    except Exception as error:
        print(type(error).__name__)


if __name__ == "__main__":
    show()
    {change}
    show()
"""


def program(choose: random.Random) -> str:
    """Return a program that the grammar gives."""
    state = choose.choice(STATES)
    body = choose.choice(EXPRESSIONS).format(read=state.read)
    code = choose.choice(MAKERS).format(body=body)
    guard = choose.choice(GUARDS)
    indent = next(line for line in guard.split("\n") if "{code}" in line).partition("{")[0]
    guarded = guard.replace(f"{indent}{{code}}", textwrap.indent(code, indent))
    factory = choose.choice(FACTORIES).format(body=body)
    parts = [
        _HEAD,
        "SEEN = []\nKEPT = []\n",
        state.setup,
        _REMEMBERING,
        f"\ndef make():\n{textwrap.indent(factory, '    ')}\n",
        f"\ndef compute(x):\n{textwrap.indent(guarded, '    ')}\n",
        _MAIN.format(change=state.change),
    ]
    return "\n".join(parts)


def programs(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Yield programs with their names."""
    for number in range(count):
        yield f"{seed}-{number}", program(random.Random(f"{seed} {number}"))
