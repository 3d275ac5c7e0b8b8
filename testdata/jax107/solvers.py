"""What compiles on every eager call, whatever function it is given."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
from jax import lax
from jax.experimental.ode import odeint
from jax.scipy.optimize import minimize
from jax.scipy.sparse.linalg import cg
from jax.sharding import PartitionSpec

MESH = jax.sharding.Mesh(jax.devices()[:1], "x")
SPEC = PartitionSpec("x")


def moment(frame):
    return jnp.mean(frame) + jnp.std(frame)


def daily(days):
    for frames in days:
        print(lax.map(moment, frames))  # want: JAX107


def exported(frames):
    return lax.map(moment, frames)  # want: JAX107 (low)


def stretched(x):
    return x * jnp.arange(1.0, 1.0 + x.shape[0])


def solved(b):
    x, _ = cg(stretched, b)  # want: JAX107
    return x


def all_solved(rows):
    return [solved(row) for row in rows]


def distance(x):
    return jnp.sum((x - 3.0) ** 2)


def fitted(x):
    return float(minimize(distance, x, method="BFGS").fun)  # want: JAX107 (low)


def falling(y, t):
    return -y * t


def orbit(y, times):
    """A function that lives on."""
    return odeint(falling, y, times)  # ok: JAX107


def damped_orbit(y, times, rate):
    return odeint(lambda y, t: -rate * y * t, y, times)  # want: JAX107 (low)


def folded(x):
    return jnp.piecewise(x, [x < 0.0, x >= 0.0], [lambda v: -v, lambda v: v * 2])  # want: JAX107 (low)


def folded_by_functions(x):
    return jnp.piecewise(x, [x < 0.0, x >= 0.0], [jnp.negative, doubled])  # ok: JAX107


def host_sort(x):
    return np.sort(x)


def sorted_on_host(x):
    return jax.pure_callback(host_sort, jax.ShapeDtypeStruct(x.shape, x.dtype), x)  # ok: JAX107


def scaled_on_host(x, factor):
    return jax.pure_callback(lambda v: v * factor, jax.ShapeDtypeStruct(x.shape, x.dtype), x)  # want: JAX107 (low)


def doubled(x):
    return x * 2.0


sharded = jax.shard_map(doubled, mesh=MESH, in_specs=SPEC, out_specs=SPEC)


def spread(x):
    """Made once, and yet it compiles on each call."""
    return sharded(x)  # want: JAX107 (low)


def main():
    frames = jnp.ones((2, 3))
    print(lax.map(moment, frames))  # once: JAX107


# Within a compiled function they are a part of its program.


@jax.jit
def compiled_map(frames):
    return lax.map(moment, frames)  # ok: JAX107


@jax.jit
def compiled_solve(b):
    return cg(stretched, b)[0]  # ok: JAX107


@jax.jit
def compiled_fit(x):
    return minimize(distance, x, method="BFGS").x  # ok: JAX107


compiled_spread = jax.jit(sharded)


def spread_compiled(x):
    return compiled_spread(x)  # ok: JAX107


def helper(frames):
    return lax.map(moment, frames)  # ok: JAX107


@jax.jit
def uses_helper(frames):
    return helper(frames) + 1.0


def in_place(frames):
    return jax.jit(lax.map, static_argnums=0)(moment, frames)  # ok: JAX107


def steps(x):
    """Numbers in place of functions."""
    return jnp.piecewise(x, [x < 0.0, x >= 0.0], [0.0, 1.0])  # ok: JAX107


def by_scipy(x):
    return scipy.optimize.minimize(lambda v: float(np.sum((v - 3.0) ** 2)), np.asarray(x)).x  # ok: JAX107


def listed(values):
    """Python's own map."""
    return list(map(moment, values))  # ok: JAX107


def mapped(tree):
    return jax.tree.map(np.negative, tree)  # ok: JAX107


@functools.partial(jax.jit, static_argnames="count")
def repeated(x, count):
    return lax.map(doubled, jnp.stack([x] * count))  # ok: JAX107


def jaxlint_examples():
    x = jnp.arange(1.0, 4.0)
    frames = jnp.ones((2, 3))
    return {
        "daily": ([frames],),
        "exported": (frames,),
        "solved": (x,),
        "all_solved": ([x],),
        "fitted": (x,),
        "orbit": (x, jnp.linspace(0.0, 1.0, 3)),
        "damped_orbit": (x, jnp.linspace(0.0, 1.0, 3), 0.5),
        "folded_by_functions": (x,),
        "scaled_on_host": (x, np.float32(2.0)),
        "folded": (x,),
        "sorted_on_host": (x,),
        "spread": (x,),
        "main": (),
        "compiled_map": (frames,),
        "compiled_solve": (x,),
        "compiled_fit": (x,),
        "spread_compiled": (x,),
        "helper": lambda: uses_helper(frames),
        "uses_helper": (frames,),
        "in_place": (frames,),
        "steps": (x,),
        "by_scipy": (x,),
        "listed": ([x],),
        "mapped": ([x],),
        "repeated": (x, 2),
    }
