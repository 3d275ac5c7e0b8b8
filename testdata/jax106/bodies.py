"""Control flow outside any trace, with bodies that are made each time and bodies that are not."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.lax import fori_loop


def filtered(theta, observed):
    def step(state, y):
        return 0.9 * state + theta * y, -0.5 * (y - state) ** 2

    _, terms = lax.scan(step, 0.0, observed)  # want: JAX106
    return terms.sum()


def grid(thetas, observed):
    return [float(filtered(theta, observed)) for theta in thetas]  # want: JAX402 (low)


def settle(x, rounds):
    """The body is made in the turn that uses it."""
    for scale in rounds:
        x = fori_loop(0, 5, lambda _, y: y - scale * jnp.sin(y), x)  # want: JAX106
    return x


def settle_once_made(x, rounds):
    """Made above the loop: one compile a call of the function, not one a turn."""

    def body(_, y):
        return y - 0.1 * jnp.sin(y)

    for _ in rounds:
        x = fori_loop(0, 5, body, x)  # want: JAX106 (low)
    return x


def exported(x):
    return lax.while_loop(lambda y: y.sum() < 10.0, lambda y: y * 1.5, x)  # want: JAX106 (low)


def chosen(index, x):
    return lax.switch(index, [lambda y: y + 1, lambda y: y * 2], x)  # want: JAX106 (low)


def report(x):
    """What `print` is given is no tracer; that it prints says that it is a run, of which there are few."""
    total = lax.reduce(x, 0.0, lambda a, b: a + b, (0,))  # want: JAX106 (low)
    print(total)


def decay(rate, state, y):
    return state * rate + y, state


def with_partial(rate, xs):
    return lax.scan(functools.partial(decay, rate), 0.0, xs)[0]  # want: JAX106 (low)


class Filter:
    def __init__(self, rate):
        self.rate = rate

    def step(self, state, y):
        return state * self.rate + y, state

    def apply(self, xs):
        return lax.scan(self.step, 0.0, xs)[0]  # want: JAX106 (low)


# Bodies that live on: eager calls hit the cache.


def module_step(state, y):
    return 0.5 * state + y, state


def module_body(_, y):
    return y * 0.5


def stable(xs):
    return lax.scan(module_step, 0.0, xs)[0]  # ok: JAX106


def stable_in_loop(x, rounds):
    for _ in range(rounds):
        x = lax.fori_loop(0, 3, module_body, x)  # ok: JAX106
    return x


def bounded(y):
    return y.sum() < 10.0


def grown(y):
    return y * 1.5


def stable_while(x):
    return lax.while_loop(bounded, grown, x)  # ok: JAX106


halved = functools.partial(decay, 0.5)


def module_partial(xs):
    return lax.scan(halved, 0.0, xs)[0]  # ok: JAX106


def summed(xs):
    """Compiles operation by operation, and finds these again."""
    return lax.associative_scan(lambda a, b: a + b, xs)  # ok: JAX106


def windowed(x):
    return lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID")  # ok: JAX106


def branch(flag, x):
    return lax.cond(flag, grown, jnp.negative, x)  # ok: JAX106


def given(body, xs):
    """Whoever calls this makes the body."""
    return lax.scan(body, 0.0, xs)[0]  # ok: JAX106


def jaxlint_examples():
    xs = jnp.ones(4)
    return {
        "filtered": (0.5, xs),
        "grid": ([0.1, 0.2], xs),
        "settle": (xs, [0.1, 0.2]),
        "settle_once_made": (xs, [0.1, 0.2]),
        "exported": (xs,),
        "chosen": (1, xs),
        "report": (xs,),
        "with_partial": (0.5, xs),
        "Filter.apply": (Filter(0.5), xs),
        "stable": (xs,),
        "stable_in_loop": (xs, 3),
        "stable_while": (xs,),
        "module_partial": (xs,),
        "summed": (xs,),
        "windowed": (xs,),
        "branch": (True, xs),
        "given": (module_step, xs),
    }
