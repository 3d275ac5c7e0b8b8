"""Bodies that one run makes once and gives to many loops; there are few runs."""

import jax
import jax.numpy as jnp


def trained(x, mode, chunks):
    def plain(state, _):
        return state - 0.1 * jnp.sin(state), None

    def damped(state, _):
        return 0.9 * state - 0.1 * jnp.sin(state), None

    for _ in range(chunks):
        if mode == "plain":
            x, _ = jax.lax.scan(plain, x, None, length=3)  # want: JAX106 (low)
        else:
            x, _ = jax.lax.scan(damped, x, None, length=3)  # want: JAX106 (low)
    if mode == "plain":
        x, _ = jax.lax.scan(plain, x, None, length=2)  # want: JAX106 (low)
    return x


def main():
    x = jnp.ones(3)
    for mode in ("plain", "damped"):
        print(trained(x, mode, 12).sum() > 0)


def smoothed(x, rate):
    def step(state, value):
        return state * rate + value, state

    return jax.lax.scan(step, 0.0, x)[1]  # want: JAX106


def run(n_steps=100):
    x = jnp.ones(3)
    for _ in range(n_steps):  # want: JAX402 (low)
        x = smoothed(x, 0.5)
    return x


if __name__ == "__main__":
    main()
    run()


def jaxlint_examples():
    x = jnp.ones(3)
    return {"trained": lambda: (trained(x, "plain", 2), trained(x, "damped", 2)), "smoothed": (x, 0.5), "run": (4,), "main": ()}
