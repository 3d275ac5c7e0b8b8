"""What the callers tell: known to run eagerly, called again and again, or called by nobody in sight."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def exported(tree):
    """Whoever imports this may well compile it."""
    return jax.tree.map(lambda x: jnp.tanh(x) * 2, tree)


@jax.jit
def averaged(first, second):
    return jax.tree.map(lambda a, b: 0.5 * (a + b), first, second)


@jax.jit
def clipped(tree, limit):
    return jax.tree.map(lambda g: jnp.clip(g, -limit, limit), tree)


@jax.jit
def ignores_its_caller(tree):
    """Its only caller is called by nobody."""
    return jax.tree.map(jnp.square, tree)


def only_caller(tree):
    return ignores_its_caller(tree)


@jax.jit
def _update_tree(tree):
    return jax.tree.map(lambda x: jnp.sin(x) * 2, tree)


def in_its_own_loop(trees):
    """A loop hurts either way."""
    total = 0.0
    for tree in trees:
        tree = _update_tree(tree)
        total = total + len(tree)
    return total


@jax.jit
def moved(tree, rate):
    return jax.tree.map(lambda x: x - rate * jnp.sign(x), tree)


def polish(tree, rates):
    for rate in rates:
        tree = moved(tree, rate)
    return tree


@jax.jit
def _tree_sum(tree):
    return jax.tree.map(jnp.sum, tree)


def logged(tree):
    sums = _tree_sum(tree)
    print({name: float(value) for name, value in sums.items()})


@jax.jit
def _tree_vdot(tree):
    return jax.tree.map(lambda x: jnp.vdot(x, x), tree)


def measured(tree):
    """What `float` is given is no tracer."""
    return float(sum(jax.tree.leaves(_tree_vdot(tree))))


@jax.jit
def _update_leaves(average, params, decay):
    return jax.tree.map(lambda a, p: decay * a + (1 - decay) * p, average, params)


class Ema:
    def __init__(self, decay):
        self.decay = decay

    def update(self, average, params):
        return _update_leaves(average, params, self.decay)


def setup_state(tree):
    """It runs once, but in a library its callers may trace it; the flood is that of the first call."""
    return jax.tree.map(jnp.zeros_like, tree)


@jax.jit
def _compute_momentum(tree):
    return jax.tree.map(lambda x: 0.0 * x + 1.0, tree)


def train(tree, batches):
    momentum = _compute_momentum(tree)
    for batch in batches:
        tree = compiled_step(tree, momentum, batch)
    return tree


@jax.jit
def compiled_step(tree, momentum, batch):
    return jax.tree.map(lambda p, m: p - batch * m, tree, momentum)


PARAMS = {f"w{i}": np.ones((i + 2, 3), np.float32) for i in range(4)}


@jax.jit
def initialise(tree):
    return jax.tree.map(lambda x: jnp.asarray(x) * 0.1 + 1.0, tree)


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
