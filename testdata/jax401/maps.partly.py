"""Array operations mapped over trees by code that is known to run outside any trace: leaf by leaf, op by op."""

import functools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from jax import tree_util
from jax.tree_util import tree_map


def quantize(x):
    return jnp.round(x * jnp.max(jnp.abs(x)))


@jax.jit
def blend(tree, other):
    return jax.tree.map(lambda x, y: x + y, tree, other)


@jax.jit
def descend(tree, grads):
    return jax.tree.map(lambda p, g: p - 0.1 * g, tree, grads)


@jax.jit
def _decay(tree):
    return jax.tree.map(lambda x: x * 0.1, tree)


def decayed(tree):
    return _decay(tree)


@jax.jit
def compressed(tree):
    return jax.tree.map(quantize, tree)


@jax.jit
def old_spelling(tree):
    return jax.tree_util.tree_map(quantize, tree)


@jax.jit
def imported_name(tree):
    return tree_map(quantize, tree)


@jax.jit
def imported_module(tree):
    return tree_util.tree_map(lambda x: jnp.sin(x) * 2, tree)


@jax.jit
def module_alias(tree):
    return jtu.tree_map(lambda x: jnp.sin(x) * 2, tree)


@jax.jit
def with_path(tree):
    return jtu.tree_map_with_path(lambda path, x: quantize(x), tree)


@jax.jit
def with_path_of_tree(tree):
    return jax.tree.map_with_path(lambda path, x: quantize(x), tree)


def zeros(tree):
    return jax.tree.map(jnp.zeros_like, tree)


def zeros_of_shapes(tree):
    return jax.tree.map(lambda s: jnp.zeros(s.shape), tree)


@jax.jit
def cast(tree):
    return jax.tree.map(lambda x: x.astype(jnp.bfloat16), tree)


@jax.jit
def first_rows(tree):
    return jax.tree.map(lambda x: x[0], tree)


@jax.jit
def copied(tree):
    return jax.tree.map(lambda x: x.copy(), tree)


@jax.jit
def flat(tree):
    return jax.tree.map(lambda x: x.reshape(-1), tree)


@jax.jit
def transposed(tree):
    return jax.tree.map(lambda x: x.T, tree)


@jax.jit
def _tree_stack(*trees):
    return jax.tree.map(lambda *xs: jnp.stack(xs), *trees)


def batched(trees):
    return _tree_stack(*trees)


@jax.jit
def totals(tree):
    return jax.tree.map(jnp.sum, tree)


@jax.jit
def _norm_tree(tree):
    return jax.tree.map(lambda x: jnp.sum(x**2), tree)


def norm(tree):
    return sum(jax.tree.leaves(_norm_tree(tree)))


@jax.jit
def repaired(tree):
    return jax.tree.map(lambda x: jnp.where(jnp.isnan(x), 0, x), tree)


@jax.jit
def _tree_quantize(tree):
    return jax.tree.map(quantize, tree)


def one_leaf(tree):
    return _tree_quantize({"w": tree["w0"]})


@jax.jit
def activated(tree):
    return jax.tree.map(jax.nn.relu, tree)


def means(tree):
    return jax.tree.map(lambda x: float(x.mean()), tree)


@jax.jit
def mapped_rows(tree):
    return jax.tree.map(jax.vmap(quantize), tree)


@jax.jit
def bound(tree, rate):
    return jax.tree.map(functools.partial(jnp.multiply, rate), tree)


@jax.jit
def _shrink(tree, rate):
    def shrink(x):
        return jnp.sign(x) * jnp.maximum(jnp.abs(x) - rate, 0.0)

    return jax.tree.map(shrink, tree)


def nested_function(tree, rate):
    return _shrink(tree, rate)


@jax.jit
def same_shapes(tree):
    """Leaves of one shape share their programs, of which there are still four."""
    return jax.tree.map(quantize, tree)


@jax.jit
def _update_params(params, other):
    return jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, params, other)


@jax.jit
def _tree_norm(tree):
    return jax.tree.map(jnp.linalg.norm, tree)


class Trainer:
    def __init__(self, params):
        self.params = params

    def synchronise(self, other):
        self.params = _update_params(self.params, other)

    def norms(self):
        return _tree_norm(self.params)


def make(count=2):
    return {f"w{i}": np.ones((i + 2, 3), np.float32) for i in range(count)}


def main():
    tree, other = make(), make()
    even = {"a": jnp.ones((4, 3)), "b": jnp.ones((4, 3))}
    for _ in range(100):
        print(blend(tree, other), descend(tree, other), decayed(tree), compressed(tree), same_shapes(even))
        print(old_spelling(tree), imported_name(tree), imported_module(tree), module_alias(tree))
        print(with_path(tree), with_path_of_tree(tree), zeros(tree), zeros_of_shapes(tree), cast(tree))
        print(first_rows(tree), copied(tree), flat(tree), transposed(tree), batched([tree, other]))
        print(totals(tree), norm(tree), repaired(tree), one_leaf(tree), activated(tree), means(tree))
        print(mapped_rows(tree), bound(tree, 0.5), nested_function(tree, 0.5))
    trainer = Trainer(tree)
    for _ in range(100):
        trainer.synchronise(other)
        print(trainer.norms())


def jaxlint_examples():
    tree = {name: jnp.asarray(value) for name, value in make().items()}
    larger = {name: jnp.asarray(value) for name, value in make(4).items()}
    even = {"a": jnp.ones((4, 3)), "b": jnp.ones((4, 3))}
    return {
        "blend": (tree, tree),
        "descend": (tree, tree),
        "decayed": (tree,),
        "compressed": (larger,),
        "old_spelling": (tree,),
        "imported_name": (tree,),
        "imported_module": (tree,),
        "module_alias": (tree,),
        "with_path": (tree,),
        "with_path_of_tree": (tree,),
        "zeros": (tree,),
        "zeros_of_shapes": (tree,),
        "cast": (tree,),
        "first_rows": (tree,),
        "copied": (tree,),
        "flat": (tree,),
        "transposed": (tree,),
        "batched": ([tree, tree],),
        "totals": (tree,),
        "norm": (tree,),
        "repaired": (tree,),
        "one_leaf": (tree,),
        "activated": (tree,),
        "means": (tree,),
        "mapped_rows": (tree,),
        "bound": (tree, 0.5),
        "nested_function": (tree, 0.5),
        "same_shapes": (even,),
        "Trainer.synchronise": (Trainer(tree), tree),
        "Trainer.norms": (Trainer(tree),),
    }
