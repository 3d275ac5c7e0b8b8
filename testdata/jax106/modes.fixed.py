"""Bodies that one run makes once and gives to many loops; there are few runs."""

import jax
import jax.numpy as jnp


def _plain(state, _):
    return state - 0.1 * jnp.sin(state), None


def _damped(state, _):
    return 0.9 * state - 0.1 * jnp.sin(state), None


def trained(x, mode, chunks):
    for _ in range(chunks):
        if mode == "plain":
            x, _ = jax.lax.scan(_plain, x, None, length=3)
        else:
            x, _ = jax.lax.scan(_damped, x, None, length=3)
    if mode == "plain":
        x, _ = jax.lax.scan(_plain, x, None, length=2)
    return x


def main():
    x = jnp.ones(3)
    for mode in ("plain", "damped"):
        print(trained(x, mode, 12).sum() > 0)


@jax.jit
def smoothed(x, rate):
    def step(state, value):
        return state * rate + value, state

    return jax.lax.scan(step, 0.0, x)[1]


def run(n_steps=100):
    x = jnp.ones(3)
    for _ in range(n_steps):
        x = smoothed(x, 0.5)
    return x


if __name__ == "__main__":
    main()
    run()


def jaxlint_examples():
    x = jnp.ones(3)
    return {"trained": lambda: (trained(x, "plain", 2), trained(x, "damped", 2)), "smoothed": (x, 0.5), "run": (4,), "main": ()}
