"""The table of equations, compared with what JAX stages."""

from typing import Any

import pytest

from jaxlint.facts.jax_api.equations import EQUATIONS, equations_of

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

CALLS = {
    "jax.random.normal": lambda x: jax.random.normal(jax.random.key(0), x.shape),
    "jax.random.randint": lambda x: jax.random.randint(jax.random.key(0), x.shape, 0, 9),
    "jax.random.choice": lambda x: jax.random.choice(jax.random.key(0), x[0]),
    "jax.numpy.linalg.solve": lambda x: jnp.linalg.solve(x, x[0]),
    "jax.numpy.linalg.inv": jnp.linalg.inv,
    "jax.numpy.std": jnp.std,
    "jax.numpy.median": jnp.median,
    "jax.numpy.interp": lambda x: jnp.interp(x, x[0], x[0]),
    "jax.nn.softmax": jax.nn.softmax,
    "jax.scipy.linalg.expm": jax.scipy.linalg.expm,
    "jax.numpy.sin": jnp.sin,
}


@pytest.mark.parametrize("name", CALLS)
def test_table_is_near_what_jax_stages(name: str) -> None:
    counted = _count(jax.make_jaxpr(CALLS[name])(jnp.eye(4)).jaxpr)
    assert equations_of(name) / 3 <= counted <= equations_of(name) * 3 + 3


def test_only_what_is_many_is_listed() -> None:
    assert min(EQUATIONS.values()) > 1


def _count(program: Any) -> int:
    inner = [
        part
        for equation in program.eqns
        for value in equation.params.values()
        for part in (value if isinstance(value, tuple | list) else (value,))
        if hasattr(getattr(part, "jaxpr", part), "eqns")
    ]
    return len(program.eqns) + sum(_count(getattr(part, "jaxpr", part)) for part in inner)
