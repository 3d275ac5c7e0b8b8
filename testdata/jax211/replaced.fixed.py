import jax
import jax.numpy as jnp


class Returned:
    def __init__(self):
        self.weights = jnp.ones(3)

    def train(self, x):
        def loss(weights):
            return jnp.sum((weights * x) ** 2)

        self.weights = self.weights - 0.1 * jax.grad(loss)(self.weights)
        return self.weights


class ReturnedAtTimes:
    def __init__(self):
        self.weights = jnp.ones(3)

    def train(self, x, update):
        def loss(weights):
            return jnp.sum((weights * x) ** 2)

        gradients = jax.grad(loss)(self.weights)
        if update:
            self.weights = self.weights - 0.1 * gradients
        return self.weights * 2.0


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Returned.train": lambda: Returned().train(x),
        "ReturnedAtTimes.train": lambda: ReturnedAtTimes().train(x, update=False),
    }
