"""Steps of training in loops, eager and compiled."""

import jax
import jax.numpy as jnp
import optax


def loss(params, batch):
    return jnp.mean(jax.nn.relu(batch @ params) ** 2)


@jax.jit
def fast_loss(params, batch):
    return jnp.mean((batch @ params) ** 2)


def fit(params, batches):
    for batch in batches:  # want: JAX405
        gradients = jax.grad(loss)(params, batch)
        params = params - 0.1 * gradients
    return params


def by_helper(params, batches, tx):
    state = tx.init(params)
    for batch in batches:  # want: JAX405
        params, state = update(params, state, batch, tx)
    return params


def update(params, state, batch, tx):
    value, gradients = jax.value_and_grad(loss)(params, batch)
    changes, state = tx.update(gradients, state)
    return optax.apply_updates(params, changes), state


def of_a_closure(params, batches, scale):
    for batch in batches:  # want: JAX405
        params = params - 0.1 * jax.grad(lambda p: scale * loss(p, batch))(params)  # noqa: B023
    return params


def with_printing(params, batches):
    for batch in batches:  # want: JAX405
        params = verbose_update(params, batch)
    return params


def verbose_update(params, batch):
    value, gradients = jax.value_and_grad(loss)(params, batch)
    print(float(value))
    return params - 0.1 * gradients


@jax.jit
def compiled_step(params, batch):
    return params - 0.1 * jax.grad(loss)(params, batch)


def fit_compiled(params, batches):
    for batch in batches:  # ok: JAX405
        params = compiled_step(params, batch)
    return params


def attacked(image, steps):
    for _ in range(steps):  # want: JAX405 (low)
        image = image + 0.1 * jnp.sign(jax.grad(loss)(image, jnp.ones((2, 3))))
    return image


def descended(params, batch, steps):
    for number in range(steps):  # want: JAX405
        params = params - 0.1 * jax.grad(loss)(params, batch)
        if number % 100 == 0:
            print(number, loss(params, batch))
    return params


def waited(params, batch):
    for _ in range(20):  # ok: JAX405
        jax.block_until_ready(params)
    return params


def of_several(params, batches, seeds):
    return [fit(params + seed, batches) for seed in seeds]  # want: JAX402 (low)


def few_turns(params, batch):
    for _ in range(3):
        params = params - 0.1 * jax.grad(loss)(params, batch)
    return params


def by_compiled_step_of_helper(params, batches):
    for batch in batches:  # ok: JAX405
        params = helper(params, batch)
    return params


def helper(params, batch):
    return compiled_step(params, batch)


@jax.jit
def traced(params, batches):
    for index in range(20):  # ok: JAX405
        params = params - 0.1 * jax.grad(loss)(params, batches[index % 3])
    return params


def no_step(batches):
    total = 0.0
    for batch in batches:  # ok: JAX405
        total += batch.shape[0]
    return total


def outside(params, batches):
    gradients = jax.grad(loss)(params, batches[0])
    for batch in batches:  # ok: JAX405
        gradients = compiled_step(gradients, batch)
    return gradients


fast_gradient = jax.jit(jax.grad(loss))


def by_compiled_gradient(params, batches):
    for batch in batches:  # ok: JAX405
        params = fast_gradient(params, batch)
    return params


def by_update(params, batches):
    """The gradient is compiled, the update is not."""
    tx = optax.adam(0.1)
    state = tx.init(params)
    for batch in batches:  # want: JAX405
        changes, state = tx.update(fast_gradient(params, batch), state)
        params = params + changes
    return params


class State:
    """As flax's TrainState."""

    def __init__(self, params):
        self.params = params

    def apply_gradients(self, *, grads):
        return State(self.params - 0.1 * grads)


def by_state(params, batches):
    state = State(params)
    for batch in batches:  # want: JAX405
        state = state.apply_gradients(grads=fast_gradient(state.params, batch))
    return state.params


fast_update = jax.jit(optax.adam(0.1).update)


def by_compiled_update(params, batches):
    state = optax.adam(0.1).init(params)
    for batch in batches:  # ok: JAX405
        changes, state = fast_update(fast_gradient(params, batch), state)
        params = compiled_step(params, batch)
    return params


def counted(batches):
    """The update of a mapping."""
    seen = {}
    for number, batch in enumerate(batches):  # ok: JAX405
        seen.update({str(number): batch.shape}, last=number)
    return seen


def momentum(gradients, state):
    velocity, count = state
    velocity = 0.9 * velocity + gradients
    return -0.1 * velocity / (count + 1), (velocity, count + 1)


def by_momentum(params, batch, steps):
    """The update that is written by hand takes the gradient and its own state."""
    state = (jnp.zeros_like(params), 0)
    for _ in range(steps):  # want: JAX405 (low)
        gradients = jax.grad(loss)(params, batch)
        change, state = momentum(gradients, state)
        params = params + change
    return params


def init_each(params, batches):
    """Once, before anything begins."""
    found = []
    for batch in batches:
        found.append(jax.grad(loss)(params, batch))
    return found


def jaxlint_examples():
    params, batch = jnp.ones(3), jnp.ones((2, 3))
    batches = [batch] * 3
    return {
        "fit": (params, batches),
        "by_helper": (params, batches, optax.sgd(0.1)),
        "update": (params, optax.sgd(0.1).init(params), batch, optax.sgd(0.1)),
        "of_a_closure": (params, batches, 2.0),
        "with_printing": (params, batches),
        "verbose_update": (params, batch),
        "fit_compiled": (params, batches),
        "attacked": (params, 12),
        "descended": (params, batch, 12),
        "waited": (params, batch),
        "of_several": (params, batches, [0.0]),
        "few_turns": (params, batch),
        "by_compiled_step_of_helper": (params, batches),
        "traced": (params, jnp.stack(batches)),
        "no_step": (batches,),
        "outside": (params, batches),
        "by_compiled_gradient": (params, batches),
        "by_update": (params, batches),
        "by_state": (params, batches),
        "State.apply_gradients": lambda: State(params).apply_gradients(grads=params),
        "by_compiled_update": (params, batches),
        "counted": (batches,),
        "by_momentum": (params, batch, 12),
        "init_each": (params, batches),
    }
