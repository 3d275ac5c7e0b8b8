"""NumPy on what `jax.vjp`, `jax.jvp`, `jax.linearize` and `jax.jacfwd` trace."""

import jax
import jax.numpy as jnp
import numpy as np

WEIGHTS = np.arange(3.0)


def product(x, y):
    return np.sin(x) * y  # want: JAX210


def pulled_back(x):
    out, back = jax.vjp(product, x, x)
    return back(out)


def doubled(x):
    return np.concatenate([x, x])  # want: JAX210


def pushed_forward(x):
    return jax.jvp(doubled, (x,), (x,))


def tripled(x):
    return np.concatenate([x, x, x])  # want: JAX210


def linear(x):
    return jax.linearize(tripled, x)


def stacked(x):
    return np.stack([x, x])  # want: JAX210


def jacobian(x):
    return jax.jacfwd(stacked)(x)


def weighted(x):
    """What NumPy is given is captured, and has its value."""
    return x * np.sin(WEIGHTS)  # ok: JAX210


def pulled_back_weighted(x):
    return jax.vjp(weighted, x)


def shaped(x):
    return x / np.sqrt(np.prod(x.shape))  # ok: JAX210


def linear_shaped(x):
    return jax.linearize(shaped, x)


def summed(x):
    """NumPy calls the method of the traced array."""
    return np.sum(x)  # ok: JAX210


def pulled_back_summed(x):
    return jax.vjp(summed, x)


def with_power(x, power=2):
    return x ** np.abs(power)  # ok: JAX210


def pulled_back_power(x):
    """The default is a number of Python."""
    return jax.vjp(with_power, x)


def numeric(x):
    return jnp.sum(x**2)


def checked(x):
    """The function runs by itself as well, and NumPy is given what it returns."""
    _, back = jax.vjp(numeric, x)
    return np.asarray(back(1.0)[0])  # ok: JAX210


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "product": lambda: pulled_back(x),
        "pulled_back": (x,),
        "doubled": lambda: pushed_forward(x),
        "pushed_forward": (x,),
        "tripled": lambda: linear(x),
        "linear": (x,),
        "stacked": lambda: jacobian(x),
        "jacobian": (x,),
        "weighted": lambda: pulled_back_weighted(x),
        "pulled_back_weighted": (x,),
        "shaped": lambda: linear_shaped(x),
        "linear_shaped": (x,),
        "summed": lambda: pulled_back_summed(x),
        "pulled_back_summed": (x,),
        "with_power": lambda: pulled_back_power(x),
        "pulled_back_power": (x,),
        "checked": (x,),
    }
