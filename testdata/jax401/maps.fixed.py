"""The trees of maps.py handed to one program each."""

import jax
import jax.numpy as jnp


def quantize(x):
    return jnp.round(x * jnp.max(jnp.abs(x)))


@jax.jit
def blend(tree, other):
    return jax.tree.map(lambda x, y: x + y, tree, other)


@jax.jit
def descend(tree, grads):
    return jax.tree.map(lambda p, g: p - 0.1 * g, tree, grads)


@jax.jit
def compressed(tree):
    return jax.tree.map(quantize, tree)


def compressed_in_place(tree):
    """The mapped function is a static argument of one compiled tree.map."""
    return jax.jit(jax.tree.map, static_argnums=0)(quantize, tree)


def _compressed(tree):
    return jax.tree.map(quantize, tree)


def compressed_again(tree):
    return jax.jit(_compressed)(tree)


@jax.jit
def with_path(tree):
    return jax.tree.map_with_path(lambda path, x: quantize(x), tree)


@jax.jit
def zeros(tree):
    return jax.tree.map(jnp.zeros_like, tree)


@jax.jit
def _means(tree):
    return jax.tree.map(jnp.mean, tree)


def means(tree):
    return jax.tree.map(float, _means(tree))


class Trainer:
    def __init__(self, params):
        self.params = params

    def synchronise(self, other):
        self.params = _averaged(self.params, other)


@jax.jit
def _averaged(params, other):
    return jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, params, other)


def jaxlint_examples():
    tree = {f"w{i}": jnp.ones((i + 2, 3)) for i in range(2)}
    larger = {f"w{i}": jnp.ones((i + 2, 3)) for i in range(4)}
    return {
        "blend": (tree, tree),
        "descend": (tree, tree),
        "compressed": (larger,),
        "compressed_in_place": (tree,),
        "compressed_again": (tree,),
        "with_path": (tree,),
        "zeros": (tree,),
        "means": (tree,),
        "Trainer.synchronise": (Trainer(tree), tree),
    }
