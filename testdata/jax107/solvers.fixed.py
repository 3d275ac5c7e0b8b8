"""The same, each within a function that is compiled once."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.ode import odeint
from jax.scipy.optimize import minimize
from jax.scipy.sparse.linalg import cg


def moment(frame):
    return jnp.mean(frame) + jnp.std(frame)


@jax.jit
def moments(frames):
    return lax.map(moment, frames)


def daily(days):
    for frames in days:
        print(moments(frames))


@jax.jit
def solved(b):
    return cg(lambda x: x * jnp.arange(1.0, 1.0 + x.shape[0]), b)[0]


@jax.jit
def least(x):
    return minimize(lambda v: jnp.sum((v - 3.0) ** 2), x, method="BFGS").fun


def fitted(x):
    return float(least(x))


@jax.jit
def damped_orbit(y, times, rate):
    return odeint(lambda y, t: -rate * y * t, y, times)


def in_place(frames):
    return jax.jit(lax.map, static_argnums=0)(moment, frames)


def jaxlint_examples():
    x = jnp.arange(1.0, 4.0)
    frames = jnp.ones((2, 3))
    return {
        "daily": ([frames, frames],),
        "solved": (x,),
        "fitted": (x,),
        "damped_orbit": (x, jnp.linspace(0.0, 1.0, 3), 0.5),
        "in_place": (frames,),
    }
