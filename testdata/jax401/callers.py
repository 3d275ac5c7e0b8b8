"""What the callers tell: known to run eagerly, called again and again, or called by nobody in sight."""

import jax
import jax.numpy as jnp
import numpy as np


def exported(tree):
    """Whoever imports this may well compile it."""
    return jax.tree.map(lambda x: jnp.tanh(x) * 2, tree)  # want: JAX401 (low)


def averaged(first, second):
    return jax.tree.map(lambda a, b: 0.5 * (a + b), first, second)  # want: JAX401 (low)


def clipped(tree, limit):
    return jax.tree.map(lambda g: jnp.clip(g, -limit, limit), tree)  # want: JAX401 (low)


def ignores_its_caller(tree):
    """Its only caller is called by nobody."""
    return jax.tree.map(jnp.square, tree)  # want: JAX401 (low)


def only_caller(tree):
    return ignores_its_caller(tree)


def in_its_own_loop(trees):
    """A loop hurts either way."""
    total = 0.0
    for tree in trees:
        tree = jax.tree.map(lambda x: jnp.sin(x) * 2, tree)  # want: JAX401 (low)
        total = total + len(tree)
    return total


def moved(tree, rate):
    return jax.tree.map(lambda x: x - rate * jnp.sign(x), tree)  # want: JAX401 (low)


def polish(tree, rates):
    for rate in rates:
        tree = moved(tree, rate)
    return tree


def logged(tree):
    sums = jax.tree.map(jnp.sum, tree)  # want: JAX401 (low)
    print({name: float(value) for name, value in sums.items()})


def measured(tree):
    """What `float` is given is no tracer."""
    return float(sum(jax.tree.leaves(jax.tree.map(lambda x: jnp.vdot(x, x), tree))))  # want: JAX401 (low)


class Ema:
    def __init__(self, decay):
        self.decay = decay

    def update(self, average, params):
        return jax.tree.map(lambda a, p: self.decay * a + (1 - self.decay) * p, average, params)  # want: JAX401 (low)


def setup_state(tree):
    """It runs once, but in a library its callers may trace it; the flood is that of the first call."""
    return jax.tree.map(jnp.zeros_like, tree)  # want: JAX401 (low)


def train(tree, batches):
    momentum = jax.tree.map(lambda x: 0.0 * x + 1.0, tree)  # want: JAX401 (low)
    for batch in batches:
        tree = compiled_step(tree, momentum, batch)
    return tree


@jax.jit
def compiled_step(tree, momentum, batch):
    return jax.tree.map(lambda p, m: p - batch * m, tree, momentum)  # ok: JAX401


PARAMS = {f"w{i}": np.ones((i + 2, 3), np.float32) for i in range(4)}


def initialise(tree):
    return jax.tree.map(lambda x: jnp.asarray(x) * 0.1 + 1.0, tree)  # want: JAX401 (low)


STATE = initialise(PARAMS)


def jaxlint_examples():
    tree = {f"w{i}": jnp.full((i + 2, 3), 0.5) for i in range(4)}
    return {
        "exported": (tree,),
        "averaged": (tree, tree),
        "clipped": (tree, 1.0),
        "ignores_its_caller": (tree,),
        "in_its_own_loop": ([tree],),
        "moved": (tree, 0.1),
        "logged": (tree,),
        "measured": (tree,),
        "Ema.update": (Ema(0.9), tree, tree),
        "setup_state": (tree,),
        "train": (tree, [1.0, 2.0]),
        "compiled_step": (tree, tree, 1.0),
        "initialise": (PARAMS,),
    }
