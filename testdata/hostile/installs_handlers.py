"""Has every signal ignored."""

import signal

import jax


def act(x):
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    return jax.jit(lambda v: v + 1)(x)
