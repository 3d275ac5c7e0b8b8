"""Bodies that take something from the call: their functions are compiled, or the call moves to a compiled one."""

import functools

import jax
import jax.numpy as jnp


def leapfrog(position, momentum, grad_fn, n_steps, eps):
    """A function among the arguments can only be static."""

    def body(_, state):
        q, p = state
        p = p - eps * grad_fn(q)
        return q + eps * p, p

    return jax.lax.fori_loop(0, n_steps, body, (position, momentum))  # want: JAX106 (low)


def reset_when_far(state, action, key):
    moved = state + action
    far = jnp.any(jnp.abs(moved) > 5.0)
    return jax.lax.cond(far, lambda: jax.random.uniform(key, state.shape), lambda: moved)  # want: JAX106 (low)


def decayed(xs, kind="sum"):
    """So can a text."""

    def step(carry, x):
        value = carry + x if kind == "sum" else jnp.maximum(carry, x)
        return value * xs[0], value

    return jax.lax.scan(step, xs[0], xs)[1]  # want: JAX106 (low)


class Smoother:
    """The instance is no argument of a program; what is read from it is."""

    def __init__(self, mixing, n_iter):
        self.mixing = mixing
        self.n_iter = n_iter

    def run(self, x, bias):
        def body(_, x):
            return (1 - self.mixing) * x + self.mixing * jnp.cos(x + bias)

        return jax.lax.fori_loop(0, self.n_iter, body, x)  # want: JAX106 (low)


def reported(xs, gains):
    """It prints, so only the loop itself can be compiled."""
    for gain in gains:

        def step(total, x):
            # One term.
            return total + gain * x, total

        total, _ = jax.lax.scan(step, 0.0, xs)  # want: JAX106
        print(f"{float(total):.3f}")


class Walk:
    """Its compiled method has the instance static, so that any program may."""

    def __init__(self, width):
        self.width = width

    @functools.partial(jax.jit, static_argnames="self")
    def step(self, position, _):
        return position + self.width, position


def walked(walk, position, rounds):
    for _ in range(rounds):
        position, places = jax.lax.scan(walk.step, position, None, length=4)  # want: JAX106
        print(places.mean())
    return position


def jaxlint_examples():
    x = jnp.ones(3)
    key = jax.random.key(0)
    return {
        "leapfrog": (x, x, jnp.sin, 5, 0.1),
        "reset_when_far": (x, x, key),
        "decayed": (x,),
        "Smoother.run": (Smoother(0.5, 3), x, 0.1),
        "reported": (x, [0.5, 2.0]),
        "walked": (Walk(0.5), x, 20),
    }
