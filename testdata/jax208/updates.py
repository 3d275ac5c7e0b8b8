"""Updates at a mask: jax looks for the places first, even to write the same number to all of them."""

import jax
import jax.numpy as jnp


@jax.jit
def cleared(x):
    return x.at[x < 0].set(0.0)  # want: JAX208


@jax.jit
def increased(x, mask):
    mask = mask & (x > 0)
    return x.at[mask].add(1.0)  # want: JAX208


@jax.jit
def repaired(x):
    return x.at[jnp.isnan(x)].set(jnp.nanmean(x))  # want: JAX208


@jax.jit
def padded(scores, lengths):
    pad = jnp.arange(scores.shape[1])[None, :] >= lengths[:, None]
    return jax.nn.softmax(scores.at[pad].set(-1e9), axis=-1)  # want: JAX208


@jax.jit
def rows_cleared(matrix):
    return matrix.at[matrix[:, 0] > 0].set(0.0)  # want: JAX208


@jax.jit
def columns_cleared(matrix):
    """The mask has the axes that the slice leaves."""
    return matrix.at[:1, matrix[0] > 0].set(0.0)  # want: JAX208


@jax.jit
def columns_of_another(matrix, other):
    return matrix.at[:1, other[0] > 0].set(0.0)  # want: JAX208


@jax.jit
def got(x):
    return x.at[x > 0].get()  # want: JAX208


@jax.jit
def by_index(x, indices, values):
    return x.at[indices].set(values)  # ok: JAX208


@jax.jit
def everywhere(x):
    return x.at[:].set(0.0).at[...].add(1.0)  # ok: JAX208


@jax.jit
def by_number(x, n):
    return x.at[n].set(0.0).at[-1].add(x[n] > 0)  # ok: JAX208


@jax.jit
def value_from_a_mask(x):
    """The mask is what is written, not where."""
    return x.at[0].set((x > 0).sum()).at[1:].min(jnp.where(x > 0, x, 0.0)[1:])  # ok: JAX208


def eager(x):
    """Outside a trace the places are found."""
    return x.at[x < 0].set(0.0)  # ok: JAX208


def report(x):
    print(eager(by_number(x, 1)))


def jaxlint_examples():
    x = jnp.arange(6.0) - 2
    return {
        "cleared": (x,),
        "increased": (x, x < 2),
        "repaired": (x,),
        "padded": (jnp.ones((2, 5)), jnp.array([3, 4])),
        "rows_cleared": (x.reshape(2, 3),),
        "columns_cleared": (x.reshape(2, 3),),
        "columns_of_another": (x.reshape(2, 3), x.reshape(2, 3)),
        "got": (x,),
        "by_index": (x, jnp.arange(2), jnp.ones(2)),
        "everywhere": (x,),
        "by_number": (x, 2),
        "value_from_a_mask": (x,),
        "eager": lambda: report(x),
    }
