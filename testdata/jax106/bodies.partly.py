"""Control flow outside any trace, with bodies that are made each time and bodies that are not."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.lax import fori_loop


@jax.jit
def filtered(theta, observed):
    def step(state, y):
        return 0.9 * state + theta * y, -0.5 * (y - state) ** 2

    _, terms = lax.scan(step, 0.0, observed)
    return terms.sum()


def grid(thetas, observed):
    return [float(filtered(theta, observed)) for theta in thetas]


@jax.jit
def _settle_fori_loop(scale, x):
    return fori_loop(0, 5, lambda _, y: y - scale * jnp.sin(y), x)


def settle(x, rounds):
    """The body is made in the turn that uses it."""
    for scale in rounds:
        x = _settle_fori_loop(scale, x)
    return x


def _settle_once_made_body(_, y):
    return y - 0.1 * jnp.sin(y)


def settle_once_made(x, rounds):
    """Made above the loop: one compile a call of the function, not one a turn."""

    for _ in rounds:
        x = fori_loop(0, 5, _settle_once_made_body, x)
    return x


def _exported_cond(y):
    return y.sum() < 10.0


def _exported_body(y):
    return y * 1.5


def exported(x):
    return lax.while_loop(_exported_cond, _exported_body, x)


def _chosen_branch(y):
    return y + 1


def _chosen_branch_2(y):
    return y * 2


def chosen(index, x):
    return lax.switch(index, [_chosen_branch, _chosen_branch_2], x)


def _report_combine(a, b):
    return a + b


def report(x):
    """What `print` is given is no tracer; that it prints says that it is a run, of which there are few."""
    total = lax.reduce(x, 0.0, _report_combine, (0,))
    print(total)


def decay(rate, state, y):
    return state * rate + y, state


@jax.jit
def with_partial(rate, xs):
    return lax.scan(functools.partial(decay, rate), 0.0, xs)[0]


class Filter:
    def __init__(self, rate):
        self.rate = rate

    def step(self, state, y):
        return state * self.rate + y, state

    def apply(self, xs):
        return lax.scan(self.step, 0.0, xs)[0]


# Bodies that live on: eager calls hit the cache.


def module_step(state, y):
    return 0.5 * state + y, state


def module_body(_, y):
    return y * 0.5


def stable(xs):
    return lax.scan(module_step, 0.0, xs)[0]


def stable_in_loop(x, rounds):
    for _ in range(rounds):
        x = lax.fori_loop(0, 3, module_body, x)
    return x


def bounded(y):
    return y.sum() < 10.0


def grown(y):
    return y * 1.5


def stable_while(x):
    return lax.while_loop(bounded, grown, x)


halved = functools.partial(decay, 0.5)


def module_partial(xs):
    return lax.scan(halved, 0.0, xs)[0]


def summed(xs):
    """Compiles operation by operation, and finds these again."""
    return lax.associative_scan(lambda a, b: a + b, xs)


def windowed(x):
    return lax.reduce_window(x, 0.0, lax.add, (2,), (1,), "VALID")


def branch(flag, x):
    return lax.cond(flag, grown, jnp.negative, x)


def given(body, xs):
    """Whoever calls this makes the body."""
    return lax.scan(body, 0.0, xs)[0]


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
