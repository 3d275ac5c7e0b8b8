"""Factories that are asked once, or whose product is kept."""

import functools

import jax
import jax.numpy as jnp


def make_step(rate):
    @jax.jit
    def step(x):
        return x - rate * x

    return step


def make_pair(rate):
    return jax.jit(lambda x: x * rate), jax.jit(lambda x: x / rate)


@functools.lru_cache(maxsize=None)
def make_cached(rate):
    return jax.jit(lambda x: x - rate * x)


_built = {}


def make_memoised(rate):
    if rate not in _built:
        _built[rate] = jax.jit(lambda x: x - rate * x)
    return _built[rate]


_one = None


def get_step():
    global _one
    if _one is None:
        _one = make_step(0.1)
    return _one


@jax.jit
def _stable(x):
    return x * 0.9


def get_stable():
    """Gives what the module holds."""
    return _stable


def make_plain(rate):
    """Compiles nothing."""
    def step(x):
        return x - rate * x

    return step


def make_partial_of_stable(rate):
    return functools.partial(_relax, rate=rate)


@jax.jit
def _relax(x, rate):
    return x - rate * x


STEP = make_step(0.1)
STEPS = {rate: make_step(rate) for rate in (0.1, 0.2)}
FORWARD, BACKWARD = make_pair(2.0)


def with_module_step(x):
    return STEP(x) + STEPS[0.2](x) + BACKWARD(FORWARD(x))


def cached(x):
    return make_cached(0.1)(x)


def cached_in_a_loop(x):
    for rate in (0.1, 0.2):
        x = make_cached(rate)(x)
    return x


def memoised(x):
    for rate in (0.1, 0.2):
        x = make_memoised(rate)(x)
    return x


def global_step(x):
    return get_step()(x)


def stable(x):
    for _ in range(3):
        x = get_stable()(x)
    return x


def plain(x):
    return make_plain(0.1)(x)


def plain_in_a_loop(x):
    for rate in (0.1, 0.2):
        x = make_plain(rate)(x)
    return x


def partial_of_stable(x):
    return make_partial_of_stable(0.1)(x)


class Trainer:
    def __init__(self, rate):
        self.step = make_step(rate)
        self.forward, self.backward = make_pair(rate)
        self.table = [make_step(r) for r in (rate, 2 * rate)]
        self._late = None

    def __call__(self, x):
        return self.backward(self.forward(self.step(x))) + self.table[0](x)

    def lazily(self, x):
        if self._late is None:
            self._late = make_step(0.3)
        return self._late(x)

    @functools.cached_property
    def slow(self):
        return make_step(0.01)

    def slowly(self, x):
        return self.slow(x)


def make_runner(rate):
    step = make_step(rate)

    def run_steps(x):
        for _ in range(3):
            x = step(x)
        return x

    return run_steps


def make_again(rate):
    return make_step(rate)


def make_table(rates):
    table = {}
    for rate in rates:
        table[rate] = make_step(rate)
    return table


def make_list(rates):
    steps = []
    for rate in rates:
        steps.append(make_step(rate))
    return steps


def default(x, step=make_step(0.1)):
    return step(x)


@jax.jit
def traced(x):
    return make_step(0.1)(x)


def helper(x):
    for rate in (0.1, 0.2):
        x = make_step(rate)(x)
    return x


compiled_helper = jax.jit(helper)


def train(x):
    for _ in range(3):
        x = STEP(x)
    return x


def init_state(x):
    return STEP(x)


def main():
    x = jnp.ones(3)
    x = STEP(x)
    for rate in (0.1, 0.2):
        x = make_step(rate)(x)
    return x


def test_step():
    assert make_step(0.5)(jnp.ones(2)).sum() == 1


first = make_step(0.2)(jnp.ones(2))


def lowered(x):
    return make_step(0.1).lower(x).as_text()


def unused(rate):
    make_step(rate)


def handed_on(x):
    return _apply(STEP, x)


def handed_to_a_loop(x):
    return _repeat(STEP, x)


def _apply(function, x):
    return function(x)


def _repeat(function, x):
    for _ in range(3):
        x = function(x)
    return x


def jaxlint_examples():
    x = jnp.ones(3)
    trainer = Trainer(0.1)
    run_steps, again, table, steps = make_runner(0.1), make_again(0.1), make_table([0.1]), make_list([0.1, 0.2])
    names = (
        "with_module_step", "cached", "cached_in_a_loop", "memoised", "global_step", "stable", "plain",
        "plain_in_a_loop", "partial_of_stable", "default", "traced", "train", "init_state", "lowered", "handed_on",
        "handed_to_a_loop",
    )  # fmt: skip
    return {name: (x,) for name in names} | {
        "get_step": lambda: get_step()(x),
        "Trainer.__call__": (trainer, x),
        "Trainer.lazily": (trainer, x),
        "Trainer.slow": lambda: trainer.slow(x),
        "Trainer.slowly": (trainer, x),
        "make_runner": lambda: run_steps(x),
        "make_again": lambda: again(x),
        "make_table": lambda: table[0.1](x),
        "make_list": lambda: [f(x) for f in steps],
        "helper": lambda: compiled_helper(x),
        "unused": (0.1,),
    }
