"""Losses that are evaluated beside a jitted step, and Jacobians that an iteration goes on with."""

import jax
import jax.numpy as jnp


def loss(params, x, y):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    return jnp.mean((jnp.tanh(hidden @ params["v"]) - y) ** 2)


@jax.jit
def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value


fast_loss = jax.jit(loss)


def fit(params, batches):
    """The step is compiled, what is told of it is not."""
    losses = []
    for x, y in batches:
        params, _ = step(params, x, y)
        losses.append(float(loss(params, x, y)))
    return params, losses


def validated(params, batches):
    total = 0.0
    for x, y in batches:
        values = jax.vmap(loss, in_axes=(None, 0, 0))(params, x, y)
        total += float(jnp.mean(values))
    return total


def fit_and_tell(params, batches):
    losses = []
    for x, y in batches:
        params, value = step(params, x, y)
        losses.append(float(value))
    return params, losses


def validated_by_compiled_loss(params, batches):
    total = 0.0
    for x, y in batches:
        total += float(fast_loss(params, x, y))
    return total


def fit_and_tell_now_and_then(params, batches):
    for number, (x, y) in enumerate(batches):
        params, _ = step(params, x, y)
        if number % 100 == 99:
            print(number, loss(params, x, y))
    return params


def fit_by_epochs(params, batches, n_epochs):
    """Once for all batches."""
    for _ in range(n_epochs):
        for x, y in batches:
            params, _ = step(params, x, y)
        print(loss(params, *batches[0]))
    return params


def small_loss(params, x):
    return jnp.mean((x - params) ** 2)


@jax.jit
def small_step(params, x):
    return params - 0.1 * jax.grad(small_loss)(params, x)


def fit_small(params, xs):
    """Its loss is three operations."""
    for x in xs:
        params = small_step(params, x)
        print(small_loss(params, x))
    return params


def residual(x):
    return jnp.tanh(x) - jnp.flip(x) ** 2


@jax.jit
def _step(x):
    return x - jnp.linalg.solve(jax.jacfwd(residual)(x), residual(x))


def solved(x, n_steps):
    for number in range(n_steps):
        x = _step(x)
        print(number, float(x[0]))
    return x


@jax.jit
def newton_step(x):
    return x - jnp.linalg.solve(jax.jacfwd(residual)(x), residual(x))


def solved_by_step(x, n_steps):
    for _ in range(n_steps):
        x = newton_step(x)
    return x


@jax.jit
def solved_at_once(x):
    return jax.lax.fori_loop(0, 12, lambda _, x: newton_step(x), x)


def jaxlint_examples():
    params = {"w": jnp.ones((3, 2)), "b": jnp.zeros(2), "v": jnp.ones((2, 1))}
    batches = [(jnp.ones((4, 3)), jnp.ones((4, 1)))] * 12
    return {
        "loss": (params, *batches[0]),
        "step": (params, *batches[0]),
        "fit": (params, batches),
        "validated": (params, [(jnp.ones((2, 4, 3)), jnp.ones((2, 4, 1)))] * 12),
        "fit_and_tell": (params, batches),
        "validated_by_compiled_loss": (params, batches),
        "fit_and_tell_now_and_then": (params, batches),
        "fit_by_epochs": (params, batches, 2),
        "small_loss": (jnp.ones(3), jnp.zeros(3)),
        "fit_small": (jnp.ones(3), [jnp.zeros(3)] * 12),
        "residual": (jnp.array([0.3, 0.4]),),
        "solved": (jnp.array([0.3, 0.4]), 12),
        "solved_by_step": (jnp.array([0.3, 0.4]), 12),
        "solved_at_once": (jnp.array([0.3, 0.4]),),
    }
