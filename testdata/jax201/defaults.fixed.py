"""Options with a default: an omitted default is never traced, so what counts is whether anybody passes it."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnames="training")
def dropout(x, training=False):
    return 0.5 * x if training else x


def fit(x):
    return dropout(x, training=True)


@partial(jax.jit, static_argnames="training")
def layer(x, training=False):
    """Everybody leaves it out."""
    return 0.5 * x if training else x


def infer(x):
    return layer(x) + layer(2 * x)


@partial(jax.jit, static_argnames="width")
def stem(x, width=3):
    return jnp.zeros(width) + x.sum()


def stems(x):
    return stem(x), stem(-x)


@partial(jax.jit, static_argnames="axis")
def pooled(x, axis=0):
    """Nobody in sight calls it: the option fails for everyone who uses it."""
    return x.mean(axis=axis)


@partial(jax.jit, static_argnames="passes")
def smoothed(x, passes: int = 2):
    for _ in range(passes):
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


def blurred(x, passes=2):
    for _ in range(passes):
        x = 0.5 * (x + jnp.roll(x, 1))
    return x


@partial(jax.jit, static_argnames="passes")
def blurred_twice(x, passes=2):
    """Hands on an option of its own, which nobody in sight gives it."""
    return blurred(blurred(x, passes), passes)


@partial(jax.jit, static_argnames="passes")
def sharpened(x, passes=2):
    """Hands on an option that all who are in sight leave out."""
    return x - widened(x, passes)


def widened(x, passes=2):
    return jnp.pad(x, passes)[passes:][: len(x)]


def sharp(x):
    return sharpened(x)


@jax.jit
def scaled(x, centre: bool = True):
    if centre is True and x.ndim:
        x = x - x.mean()
    return x


@partial(jax.jit, static_argnames="n")
def tail(x, n=2, fill=0.0):
    """One of the two options is passed, by position; the other is data."""
    x = x + fill
    return x[n:]


def last_items(x):
    return tail(x, 3)


@partial(jax.jit, static_argnames=("width",))
def static_with_default(x, width=3):
    return jnp.zeros(width) + x.sum()


def plain(x, width=3):
    return jnp.zeros(width) + x.sum()


plain_compiled = jax.jit(plain, static_argnums=1)


@partial(jax.jit, static_argnames="mode")
def mode_by_default(x, mode="edge"):
    """A text that everybody leaves out is as good as a constant."""
    return jnp.pad(x, 1, mode=mode)


def edges(x):
    return mode_by_default(x)


@jax.jit
def of_optional(x, mask=None):
    if mask is None:
        return x
    return jnp.where(mask, x, 0)


def of_optional_twice(x):
    return of_optional(x) + of_optional(x, x > 0)


@partial(jax.jit, static_argnames=("axis", "keepdims"))
def keyword_only(x, *, axis: int = 0, keepdims: bool = False):
    return x.sum(axis=axis, keepdims=keepdims)


@partial(jax.jit, static_argnames="dtype")
def dtype_by_default(x, dtype=jnp.float32):
    return x.astype(dtype)


@partial(jax.jit, static_argnames="activation")
def activation_by_default(x, activation=jnp.tanh):
    return activation(x)


def defaults(x):
    return keyword_only(x), dtype_by_default(x), activation_by_default(x)


def jaxlint_examples():
    x = jnp.arange(6.0)
    return {
        "dropout": lambda: fit(x),
        "layer": lambda: infer(x),
        "stem": lambda: stems(x),
        "pooled": (x, 0),
        "smoothed": (x, 3),
        "blurred": lambda: blurred_twice(x, 3),
        "widened": lambda: sharp(x),
        "scaled": (x,),
        "tail": lambda: last_items(x),
        "static_with_default": lambda: (
            static_with_default(x),
            static_with_default(x, 4),
            static_with_default(x, width=5),
        ),
        "plain": lambda: (plain_compiled(x), plain_compiled(x, 4)),
        "mode_by_default": lambda: edges(x),
        "of_optional": lambda: of_optional_twice(x),
        "keyword_only": lambda: defaults(x),
        "dtype_by_default": lambda: defaults(x),
        "activation_by_default": lambda: defaults(x),
    }
