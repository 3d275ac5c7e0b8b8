"""A class whose body never ends: it is given up, and what needs it with it."""

import jax


class Forever:
    while True:
        pass


def act(x):
    return jax.jit(lambda v: v + 1)(x)
