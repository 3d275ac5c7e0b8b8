"""Something traces these, or they run once."""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax


@jax.jit
def compiled(x):
    return lax.fori_loop(0, 5, lambda _, y: y * 0.5, x)


def helper(x):
    """Its caller is compiled."""

    def body(_, y):
        return y * 0.5

    return lax.fori_loop(0, 5, body, x)


@jax.jit
def uses_helper(x):
    return helper(x) + 1


def batched(xs):
    def one(x):
        return lax.scan(lambda s, y: (s + y, s), 0.0, x)[0]

    return one(xs)


fast_batched = jax.jit(batched)


class Cell(nn.Module):
    @nn.compact
    def __call__(self, xs):
        return self.unrolled(xs) + nn.Dense(4)(xs)

    def unrolled(self, xs):
        return lax.scan(lambda s, y: (s + y, s), 0.0, xs)[1]


def make_solver(rate):
    @jax.jit
    def solve(x):
        return lax.fori_loop(0, 5, lambda _, y: y - rate * y, x)

    return solve


SOLVER = make_solver(0.5)


class Rollout:
    def __init__(self, gain):
        self.gain = gain

    def run(self, xs):
        return lax.scan(lambda s, y: (s + self.gain * y, s), 0.0, xs)[1]


ROLLOUT = Rollout(0.5)
ROLLOUT.run = jax.jit(ROLLOUT.run)


def rollouts(batches):
    for xs in batches:
        print(ROLLOUT.run(xs).sum())


START = lax.fori_loop(0, 3, lambda _, y: y + 1.0, 0.0)


def _main_step(s, y):
    return (s + y, s)


def main():
    warm = lax.scan(_main_step, 0.0, jnp.ones(3))[0]
    print(warm)


def jaxlint_examples():
    x = jnp.ones(4)
    cell = Cell()
    params = cell.init(jax.random.key(0), x)
    apply = jax.jit(cell.apply)
    return {
        "compiled": (x,),
        "helper": lambda: uses_helper(x),
        "uses_helper": (x,),
        "batched": lambda: fast_batched(x),
        "Cell.unrolled": lambda: apply(params, x),
        "make_solver": lambda: SOLVER(x),
        "Rollout.run": lambda: rollouts([x, x + 1]),
        "main": (),
    }
