"""Python asked to decide on numbers that are known only when the program runs."""

import jax
import jax.numpy as jnp


@jax.jit
def rectified(x):
    return jnp.where(x.sum() > 0, x, -x)


@jax.jit
def converged(x):
    residual = jnp.linalg.norm(x)
    while residual > 0.1:
        x = 0.5 * x
        residual = jnp.linalg.norm(x)
    return x


@jax.jit
def finite(x):
    if jnp.any(jnp.isnan(x)):
        raise ValueError("not finite")
    return x


@jax.jit
def not_nan(x):
    return x if not jnp.any(jnp.isnan(x)) else -x


@jax.jit
def positive(x):
    assert (x > 0).all()
    return jnp.log(x)


@jax.jit
def clipped(x, norm, limit):
    scale = limit / norm if norm > limit else 1.0
    return scale * x


@jax.jit
def truth_of_a_small_array(x):
    return jnp.where(x, x, x + 1)


@jax.jit
def truth_of_an_array(x):
    return jnp.where(x, 1.0, 0.0)


@jax.jit
def kept(xs):
    return [v for v in xs if v > 0]


@jax.jit
def inside(x, low, high):
    return x if low.mean() < x.mean() < high.mean() else 0 * x


@jax.jit
def first_true(x, y):
    return x.any() and y


@jax.jit
def second_true(x, y):
    return x.all() or y


@jax.jit
def negated(x):
    return not x.any()


@jax.jit
def accepted(key, energy, proposal):
    """Metropolis, as one would write it in numpy."""
    delta = proposal - energy
    if delta < 0 or jax.random.uniform(key) < jnp.exp(-delta):
        return proposal
    return energy


@jax.jit
def bracketed(x):
    if x.min() < 0:
        x = x - x.min()
    elif x.max() > 1:
        x = x / x.max()
    return x


@jax.jit
def sign_of(x):
    match jnp.sign(x.sum()).astype(int):
        case 1:
            return x
        case _:
            return -x


@jax.jit
def any_negative(xs):
    return jnp.float32(any(v < 0 for v in xs))


@jax.jit
def larger(a, b):
    return jnp.maximum(a, b)


@jax.jit
def lowest_loss(losses):
    return min(losses)


@jax.jit
def ranked(scores):
    return sorted(scores)


def reflect(x, wall):
    """A helper without a decorator, traced by its caller."""
    if x.max() > wall:
        return 2 * wall - x
    return x


@jax.jit
def advance(x, v):
    return reflect(x + v, 1.0)


def step(carry, x):
    if carry.sum() > x:
        carry = carry - x
    return carry, x


def scanned(xs):
    return jax.lax.scan(step, xs[:1], xs)


def penalty(w):
    norm = jnp.sum(w**2)
    return jnp.where(norm > 1.0, norm, 0.0 * norm)


slope = jax.jit(jax.grad(penalty))


def per_row(row):
    if row[0] > row[1]:
        return row[0]
    return row[1]


rows = jax.vmap(per_row)


class Regulator:
    def __init__(self, gain):
        self.gain = gain
        self.act = jax.jit(self._act)

    def _act(self, error):
        command = self.gain * error
        if command > 1.0:
            command = 1.0
        return command


def jaxlint_examples():
    x, key = jnp.arange(4.0), jax.random.key(0)
    return {
        "rectified": (x,),
        "converged": (x,),
        "finite": (x,),
        "not_nan": (x,),
        "positive": (x + 1,),
        "clipped": (x, 2.0, 1.0),
        "truth_of_a_small_array": (jnp.ones(1),),
        "truth_of_an_array": (x,),
        "kept": (x,),
        "inside": (x, x, x),
        "first_true": (x, x),
        "second_true": (x, x),
        "negated": (x,),
        "accepted": (key, 1.0, 2.0),
        "bracketed": (x,),
        "sign_of": (x,),
        "any_negative": (x,),
        "larger": (1.0, 2.0),
        "lowest_loss": (x,),
        "ranked": (x,),
        "reflect": lambda: advance(x, x),
        "step": lambda: scanned(x),
        "penalty": lambda: slope(x),
        "per_row": lambda: rows(x.reshape(2, 2)),
        "Regulator._act": lambda made=Regulator(2.0): made.act(1.0),
    }
