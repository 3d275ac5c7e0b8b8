"""Loops over arrays that staged code reads from around it: what an iteration computes is staged all the same."""

import jax
import jax.numpy as jnp
from jax import lax


def drained(queue, clerks: jax.Array):
    def step(queue, clerk):
        queue = queue.at[clerk].set(jnp.maximum(queue[clerk] - 1, 0))
        return queue, None

    queue = lax.scan(step, queue, clerks)[0]
    return queue


@jax.jit
def simulated(queue, clerks):
    def body(queue, _):
        return drained(queue, clerks), None

    return lax.scan(body, queue, None, length=10)[0]


class Bank:
    def served(self, queue, clerks: jax.Array):
        for clerk in clerks:
            queue = queue.at[clerk].set(jnp.maximum(queue[clerk] - 1, 0))
        return queue

    def step(self, queue):
        busy = jnp.nonzero(queue, size=queue.shape[0])[0]
        return lax.cond(queue.sum() > 3, lambda: self.served(queue, busy), lambda: queue)


def blended(x, parts: tuple[jax.Array, ...]):
    for part in parts:
        x = x + jnp.tanh(part) * x
    return x


@jax.jit
def mixed(x, parts):
    def body(x, _):
        return blended(x, parts), None

    return lax.scan(body, x, None, length=10)[0]


def reported(values: jax.Array):
    """Nothing stages this one."""
    for value in values:
        print(value)


def jaxlint_examples():
    x = jnp.ones(90)
    return {
        "drained": lambda: simulated(x, jnp.arange(90)),
        "simulated": (x, jnp.arange(90)),
        "Bank.served": lambda: Bank().step(x),
        "Bank.step": (Bank(), x),
        "blended": lambda: mixed(x, (x, x)),
        "mixed": (x, (x, x)),
        "reported": (x[:3],),
    }
