"""Caches that a loop empties, and clearing that costs nothing or is meant."""

import gc
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    return 0.9 * x + 1


@jax.jit
def evaluated(x):
    return x.sum()


def cleared_after_each(xs):
    for x in xs:
        step(x)
        jax.clear_caches()  # want: JAX406


def cleared_before(x):
    i = 0
    while i < 3:
        gc.collect()
        jax.clear_caches()  # want: JAX406
        x = step(x)
        i += 1
    return x


def cleared_one(xs):
    for x in xs:
        step(x)
        step.clear_cache()  # want: JAX406


def one_epoch(xs):
    return [step(x) for x in xs]


def by_helper(xs):
    for _ in range(3):
        one_epoch(xs)
        jax.clear_caches()  # want: JAX406


def cleared_at_the_end(xs):
    for x in xs:
        step(x)
    jax.clear_caches()  # once: JAX406


def cleared_now_and_then(xs):
    for i, x in enumerate(xs):
        step(x)
        if i % 4 == 3:
            jax.clear_caches()  # once: JAX406


def sampled(x):
    y = step(x)
    jax.clear_caches()  # once: JAX406
    return y


def sampled_now_and_then(xs):
    for i, x in enumerate(xs):
        step(x)
        if i % 4 == 3:
            sampled(x)


def cleared_among_operations(xs):
    """What single operations compile is small, and their number is that of the operations."""
    found = []
    for x in xs:
        found.append(jnp.tanh(x))
        jax.clear_caches()  # once: JAX406
    return found


def timed(xs):
    """How long compiling takes is what is asked."""
    taken = []
    for x in xs[:1]:
        jax.clear_caches()  # once: JAX406
        start = time.perf_counter()
        step(x).block_until_ready()
        taken.append(time.perf_counter() - start)
    return taken


def cleared_another(xs):
    for x in xs:
        step(x)
        evaluated.clear_cache()  # ok: JAX406


def nothing_compiled(paths):
    for path in paths:
        print(path)
        jax.clear_caches()  # ok: JAX406


class Session:
    """Its method has the name alone."""

    def clear_cache(self):
        self.cache = {}


def of_another_kind(xs, session):
    for x in xs:
        session.clear_cache()  # ok: JAX406
        step(x)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "cleared_after_each": ([x, x],),
        "cleared_before": (x,),
        "cleared_one": ([x, x],),
        "by_helper": ([x, x],),
        "cleared_at_the_end": ([x, x],),
        "cleared_now_and_then": ([x, x, x, x],),
        "sampled": (x,),
        "sampled_now_and_then": ([x, x, x, x],),
        "cleared_among_operations": ([x, x],),
        "timed": ([x],),
        "cleared_another": ([x, x],),
        "nothing_compiled": (["a"],),
        "of_another_kind": ([x, x], Session()),
    }
