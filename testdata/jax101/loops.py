"""Functions made and compiled in every turn of a loop, and loops that only look so."""

import jax
import jax.numpy as jnp


def anneal(energy, temperatures):
    """Each temperature bakes its own acceptance rule and uses it once."""
    accepted = []
    for temperature in temperatures:
        @jax.jit  # want: JAX101
        def acceptance(e):
            return jnp.exp(-e / temperature)

        accepted.append(acceptance(energy))
    return accepted


def polish(x, tolerance):
    """A while loop that rebuilds the update."""
    rounds = 0
    while rounds < 3 and jnp.abs(x).max() > tolerance:
        def shrink(v):
            return 0.5 * v

        x = jax.jit(shrink)(x)  # want: JAX101
        rounds += 1
    return x


def sweep(grid, initial):
    """The object is reused inside, but a new one is made in each turn of the outer loop."""
    results = []
    for rate in grid:
        def relax(v):
            return v - rate * v

        step = jax.jit(relax)  # want: JAX101
        state = initial
        for _ in range(4):
            state = step(state)
        results.append(state)
    return results


def horizons(x):
    """A comprehension is a loop as well."""
    def discounted(n):
        def inner(v):
            return v * 0.9**n

        return inner(x)

    return [discounted(n) for n in range(3)]  # ok: JAX101


def until_converged(x):
    for _ in range(3):
        if x.sum() > 0:
            @jax.jit  # want: JAX101
            def damp(v):
                return v * 0.1

            x = damp(x)
    return x


def wrapped_again(x):
    """One function, wrapped in each turn: one compile a call, as for any object reused in a loop."""
    def drift(v):
        return v + 0.1

    for _ in range(3):
        x = jax.jit(drift)(x)  # want: JAX101 (low)
    return x


def made_above(x):
    @jax.jit  # want: JAX101 (low)
    def drift(v):
        return v + 0.1

    for _ in range(5):
        x = drift(x)
    return x


def made_above_nested_loops(x):
    def drift(v):
        return v + 0.1

    step = jax.jit(drift)  # want: JAX101 (low)
    while x.sum() < 3:
        for _ in range(5):
            x = step(x)
    return x


def in_a_comprehension(parts):
    @jax.jit  # want: JAX101 (low)
    def norm(v):
        return jnp.sqrt(jnp.sum(v * v))

    return [norm(part) for part in parts]


def in_a_generator(parts):
    @jax.jit  # want: JAX101 (low)
    def norm(v):
        return jnp.sqrt(jnp.sum(v * v))

    for part in parts:
        yield norm(part)


def first_and_last(x):
    @jax.jit  # want: JAX101
    def norm(v):
        return jnp.sqrt(jnp.sum(v * v))

    before = norm(x)
    after = norm(x * 2)
    return after - before


@jax.jit
def _relax(v, rate):
    return v - rate * v


def sweep_with_argument(grid, initial):
    results = []
    for rate in grid:
        state = initial
        for _ in range(4):
            state = _relax(state, rate)  # ok: JAX101
        results.append(state)
    return results


def _drift(v):
    return v + 0.1


def named_in_a_loop(x):
    """A function of the module may be wrapped as often as one likes."""
    for _ in range(3):
        x = jax.jit(_drift)(x)  # ok: JAX101
    return x


def python_inside(x):
    for _ in range(3):
        def label(v):
            return float(v) > 0

        if label(x.sum()):  # ok: JAX101
            x = x - 1
    return x


for _scale in (1.0, 2.0, 3.0):
    @jax.jit  # want: JAX101
    def _scaled(v):
        return v * _scale

    _scaled(jnp.ones(2))


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "anneal": (x, [1.0, 2.0]),
        "polish": (x, 1e-3),
        "sweep": ([0.1, 0.2], x),
        "horizons": (x,),
        "until_converged": (x,),
        "wrapped_again": (x,),
        "made_above": (x,),
        "made_above_nested_loops": (jnp.zeros(3),),
        "in_a_comprehension": ([x, x],),
        "in_a_generator": ([x, x],),
        "first_and_last": (x,),
        "sweep_with_argument": ([0.1, 0.2], x),
        "named_in_a_loop": (x,),
        "python_inside": (x,),
    }
