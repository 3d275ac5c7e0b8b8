"""Never comes back, and swallows every exception."""

import jax


def act(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
    return jax.jit(lambda v: v + 1)(x)
