"""Fits a small network to a noisy curve."""

import jax
import jax.numpy as jnp


def predict(params, x):
    hidden = jnp.tanh(x[:, None] * params["w1"] + params["b1"])
    return hidden @ params["w2"]


def loss(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def step(params, x, y, rate):
    gradients = jax.jit(jax.grad(loss))(params, x, y)
    return jax.tree.map(lambda p, g: p - rate * jnp.clip(g, -1.0, 1.0), params, gradients)


@jax.jit
def smooth(y):
    for i in range(1, 130):
        y = y.at[i].set(0.9 * y[i - 1] + 0.1 * y[i])
    return y


def main(steps=12):
    x = jnp.linspace(-1.0, 1.0, 130)
    y = smooth(jnp.sin(5.0 * x))
    params = {"w1": jnp.linspace(-2.0, 2.0, 16), "b1": jnp.zeros(16), "w2": jnp.full(16, 0.1)}
    for _ in range(steps):
        params = step(params, x, y, 0.05)
    print(f"loss {loss(params, x, y):.3f}")


if __name__ == "__main__":
    main()
