"""Maps that stand in a program, or whose leaves are given to compiled functions."""

import functools

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax


def quantize(x):
    return jnp.round(x * jnp.max(jnp.abs(x)))


compiled_quantize = jax.jit(quantize)
TREE_MAP = jax.jit(jax.tree.map, static_argnums=0)


@jax.jit
def decorated(tree):
    return jax.tree.map(quantize, tree)


@functools.partial(jax.jit, static_argnames=("rate",))
def decorated_with_options(tree, rate):
    return jax.tree_util.tree_map(lambda x: x * rate, tree)


def plain(tree):
    return jax.tree.map(quantize, tree)


compiled_plain = jax.jit(plain)


def wrapped_again(tree):
    return jax.jit(_wrapped)(tree)


def _wrapped(tree):
    return jax.tree.map(quantize, tree)


def in_place(tree):
    return jax.jit(jax.tree.map, static_argnums=0)(quantize, tree)


def in_place_by_name(tree):
    return TREE_MAP(quantize, tree)


def leaf_by_leaf(tree):
    """One program for each shape of leaf, which is what the author chose."""
    return jax.tree.map(compiled_quantize, tree)


def leaf_by_leaf_in_place(tree):
    return jax.tree.map(jax.jit(quantize), tree)


def leaves_of_one_shape(tree):
    return jax.tree.map(compiled_quantize, tree)


def helper(tree):
    """Called by traced code only."""
    return jax.tree.map(lambda x: 0.5 * x + 1, tree)


def second_helper(tree):
    return helper(helper(tree))


@jax.jit
def caller(tree):
    return second_helper(tree)


def loss(tree):
    squares = jax.tree.map(lambda x: jnp.sum(x**2), tree)
    return sum(jax.tree.leaves(squares))


gradient = jax.jit(jax.grad(loss))


def body(tree, rate):
    return jax.tree.map(lambda x: x - rate * jnp.sin(x), tree), None


@jax.jit
def scanned(tree, rates):
    return lax.scan(body, tree, rates)[0]


def _half(_, t):
    return jax.tree.map(lambda x: 0.5 * x, t)


def looped(tree):
    """Loops of jax trace their bodies, wherever they stand."""

    return lax.fori_loop(0, 3, _half, tree)


def make_step(rate):
    @jax.jit
    def step(t):
        return jax.tree.map(lambda x: x - rate * jnp.tanh(x), t)

    return step


step = make_step(0.1)


class Model:
    def __init__(self):
        self.step = jax.jit(self._step)

    def _step(self, params, grads):
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


class Dense(nn.Module):
    @nn.compact
    def __call__(self, inputs):
        return jax.tree.map(nn.Dense(2), inputs)


dense = Dense()
_apply = jax.jit(dense.apply)


class Scale(eqx.Module):
    factor: jax.Array

    @eqx.filter_jit
    def __call__(self, tree):
        return jax.tree.map(lambda x: x * self.factor, tree)


@nnx.jit
def stateful(tree):
    return jax.tree.map(jnp.sin, tree)


def scale_by_two():
    """An optax update is traced with the step that holds it."""

    def update(updates, state, params=None):
        return jax.tree.map(lambda u: 2.0 * u, updates), state

    return optax.GradientTransformation(lambda params: optax.EmptyState(), update)


optimizer = scale_by_two()


@jax.jit
def optimised(grads):
    return optimizer.update(grads, optax.EmptyState())[0]


@jax.jit
def many_steps(tree):
    for _ in range(3):
        tree = jax.tree.map(lambda x: x - 0.1 * x, tree)
    return tree


def abstract(tree):
    """Asked for shapes only."""
    return jax.eval_shape(_shapes_of, tree)


def _shapes_of(tree):
    return jax.tree.map(lambda x: jnp.concatenate([x, x]), tree)


def reduced(tree):
    """A fold over leaves, not a map: its sums are few programs, and few of them differ."""
    return float(jax.tree.reduce(lambda total, x: total + jnp.sum(x), tree, 0.0))


def train(tree, rates):
    for _ in range(2):
        tree = compiled_plain(tree)
        tree = scanned(tree, rates)
    return caller(tree)


def jaxlint_examples():
    tree = {f"w{i}": jnp.full((i + 2, 3), 0.5) for i in range(4)}
    even = {"a": jnp.full((4, 3), 0.5), "b": jnp.full((4, 3), 0.5)}
    rates = jnp.ones(2)
    model = Model()
    scale = Scale(jnp.float32(2.0))
    params = dense.init(jax.random.key(0), even)
    return {
        "decorated": (tree,),
        "decorated_with_options": lambda: decorated_with_options(tree, rate=0.5),
        "plain": lambda: compiled_plain(tree),
        "_wrapped": lambda: wrapped_again(tree),
        "in_place": (tree,),
        "in_place_by_name": (tree,),
        "leaf_by_leaf": (tree,),
        "leaf_by_leaf_in_place": (tree,),
        "leaves_of_one_shape": (even,),
        "helper": lambda: caller(tree),
        "loss": lambda: gradient(tree),
        "body": lambda: scanned(tree, rates),
        "looped": (tree,),
        "make_step": lambda: step(tree),
        "Model._step": lambda: model.step(tree, tree),
        "Dense.__call__": lambda: _apply(params, even),
        "Scale.__call__": (scale, tree),
        "stateful": (tree,),
        "scale_by_two": lambda: optimised(tree),
        "many_steps": (tree,),
        "_shapes_of": lambda: abstract(tree),
        "reduced": (tree,),
    }
