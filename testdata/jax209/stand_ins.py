"""What stands in for jax where it is missing runs there alone: its lines have no marks, as jax never runs them."""

try:
    import jax
    import jax.numpy as jnp
    from jax import jit, lax

    HAS_JAX = True
except ImportError:
    import numpy as jnp

    HAS_JAX = False

    def jit(function):
        return function

    class lax:  # noqa: N801
        """Python does it."""

        @staticmethod
        def cond(pred, true_fun, false_fun, operand):
            return true_fun(operand) if pred else false_fun(operand)


@jit
def limited(x):
    return lax.cond(x.sum() > 1, lambda y: y / y.sum(), lambda y: y, x)


@jit
def clipped(x):
    total = jnp.sum(x)
    if HAS_JAX:
        return jnp.where(total > 1, x / total, x)
    else:
        return x / total if total > 1 else x


@jit
def halved(x):
    total = jnp.sum(x)
    if HAS_JAX:
        return x / 2 if total > 1 else x  # want: JAX209
    else:
        return x


try:
    from jax import no_such_transform as fresh
except ImportError:

    def fresh(function):
        """Jax is there, though an old one."""

        @jax.jit
        def inner(x):
            return function(x) if x.sum() > 1 else x  # want: JAX209

        return inner


fresh_sine = fresh(jnp.sin)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "limited": (x,),
        "clipped": (x,),
        "halved": (x,),
        "fresh.inner": lambda: fresh_sine(x),
    }
