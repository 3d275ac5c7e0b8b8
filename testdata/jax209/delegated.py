"""A wrapper's method hands on to the object that it keeps: what is traced there is not the wrapper's own method."""

import jax
import jax.numpy as jnp


class Plain:
    """Moves a state."""

    def advance(self, state):
        """Moves it."""
        return state + 1.0


class Recorder:
    """Keeps another object, compiles its step, and runs on the host."""

    def __init__(self, inner):
        self._inner = inner
        self._state = jnp.zeros(3)
        self.ended = 0

        def fast(state):
            return self._inner.advance_state(state)

        self._fast = jax.jit(fast)

    def advance_state(self, action):
        """Runs eagerly."""
        self._state = self._fast(self._state)
        if jnp.any(self._state > 2):  # ok: JAX209
            self.ended += 1
        return self._state + action


class Inner:
    """What is kept."""

    def __init__(self, plain):
        self.plain = plain

    def __getattr__(self, name):
        return self.plain.advance


def jaxlint_examples():
    """What to call."""
    return {"Recorder.advance_state": (Recorder(Inner(Plain())), 1.0)}
