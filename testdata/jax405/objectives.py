"""Optimisers of SciPy, and what they are given to call again and again."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from scipy import optimize
from scipy.optimize import minimize


def loss(weights, x=1.0):
    return jnp.sum((jnp.tanh(weights) - 0.5) ** 2) + 0.1 * jnp.sum(jnp.abs(weights)) * x


def price(rate):
    return jnp.mean(jnp.exp(-rate * jnp.arange(4.0)) / (1.0 + jnp.sqrt(rate))) + 0.01 * rate**2


fast_loss = jax.jit(loss)
fast_gradient = jax.jit(jax.grad(loss))
fast_both = jax.jit(jax.value_and_grad(loss))
fast_price = jax.jit(price)


def by_gradient(start):
    return minimize(fast_loss, start, jac=jax.grad(loss), method="L-BFGS-B").x  # want: JAX405


def by_bound_gradient(start):
    gradient = jax.grad(loss)
    gradient = functools.partial(gradient, x=0.5)
    return minimize(fast_loss, start, jac=gradient, method="L-BFGS-B").x  # want: JAX405


def by_value_and_gradient(start):
    return optimize.minimize(jax.value_and_grad(loss), start, jac=True, method="L-BFGS-B").x  # want: JAX405


def by_objective(start):
    return minimize(loss, start, method="Nelder-Mead", options={"maxiter": 20}).x  # want: JAX405


def implied(target):
    return optimize.brentq(lambda rate: float(price(rate)) - target, 0.01, 2.0)  # want: JAX405


def by_compiled_gradient(start):
    return minimize(fast_loss, start, jac=fast_gradient, method="L-BFGS-B").x  # ok: JAX405


def by_compiled_value_and_gradient(start):
    return minimize(fast_both, start, jac=True, method="L-BFGS-B").x  # ok: JAX405


def by_compiled_on_host(start):
    """It converts what the compiled function gives."""
    return minimize(lambda w: float(fast_loss(w)), start, method="Nelder-Mead", options={"maxiter": 9}).x  # ok: JAX405


def of_numpy(start):
    return minimize(lambda w: np.sum((np.tanh(w) - 0.5) ** 2) + np.abs(w).sum(), start, method="Powell").x  # ok: JAX405


def of_one_operation(start):
    """Hardly worth compiling."""
    return minimize(lambda w: float(jnp.sum(w)) ** 2, start, method="Nelder-Mead", options={"maxiter": 3}).x


def implied_compiled(target):
    return optimize.brentq(lambda rate: float(fast_price(rate)) - target, 0.01, 2.0)  # ok: JAX405


def unseen(objective, start):
    """Nothing says what it is given."""
    return minimize(objective, start, method="Nelder-Mead", options={"maxiter": 3}).x  # ok: JAX405


def improvement(point, scale):
    return jnp.sum(jnp.tanh(point * scale) * jnp.exp(-(point**2))) - 0.1 * jnp.sum(jnp.abs(point))


def improvement_on_host(point, scale):
    """It goes on with a value that it reads."""
    largest = float(jnp.max(jnp.abs(point)))
    return jnp.sum(jnp.tanh(point * scale) * jnp.exp(-(point**2))) * largest + jnp.sum(jnp.abs(point))


fast_improvement = jax.jit(improvement)


class Search:
    """All that make one give it a function that runs operation by operation."""

    def __init__(self, acquire, scale):
        self.acquire = acquire
        self.scale = scale

    def propose(self, start):
        def objective(point):
            return -self.acquire(point, self.scale)

        return minimize(objective, start, method="Nelder-Mead", options={"maxiter": 9}).x  # want: JAX405


class FastSearch:
    """One gives it a jitted function."""

    def __init__(self, acquire, scale):
        self.acquire = acquire
        self.scale = scale

    def propose(self, start):
        def objective(point):
            return self.acquire(point, self.scale)

        return minimize(objective, start, method="Nelder-Mead", options={"maxiter": 9}).x  # ok: JAX405


class SearchOnHost:
    """No program can hold what it is given."""

    def __init__(self, acquire, scale):
        self.acquire = acquire
        self.scale = scale

    def propose(self, start):
        def objective(point):
            return -self.acquire(point, self.scale)

        return minimize(objective, start, method="Nelder-Mead", options={"maxiter": 9}).x


class OpenSearch:
    """Nobody visible makes one with a function that is known."""

    def __init__(self, acquire, scale):
        self.acquire = acquire
        self.scale = scale

    def propose(self, start):
        def objective(point):
            return -self.acquire(point, self.scale)

        return minimize(objective, start, method="Nelder-Mead", options={"maxiter": 9}).x


def searched(start, acquire):
    found = [Search(improvement, 2.0).propose(start), Search(improvement, 3.0).propose(start)]
    found += [FastSearch(fast_improvement, 2.0).propose(start), SearchOnHost(improvement_on_host, 2.0).propose(start)]
    return [*found, OpenSearch(acquire, 2.0).propose(start)]


def jaxlint_examples():
    start = np.linspace(0.1, 1.0, 3)
    return {
        "by_gradient": (start,),
        "by_bound_gradient": (start,),
        "improvement": (start, 2.0),
        "improvement_on_host": (start, 2.0),
        "Search.propose": (Search(improvement, 2.0), start),
        "FastSearch.propose": (FastSearch(fast_improvement, 2.0), start),
        "SearchOnHost.propose": (SearchOnHost(improvement_on_host, 2.0), start),
        "OpenSearch.propose": (OpenSearch(improvement, 2.0), start),
        "searched": (start, fast_improvement),
        "by_value_and_gradient": (start,),
        "by_objective": (start,),
        "implied": (0.5,),
        "by_compiled_gradient": (start,),
        "by_compiled_value_and_gradient": (start,),
        "by_compiled_on_host": (start,),
        "of_numpy": (start,),
        "of_one_operation": (start,),
        "implied_compiled": (0.5,),
        "unseen": (np.sum, start),
    }
