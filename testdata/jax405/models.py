"""Models whose class no name shows, run in each step of an environment, and gradients of single examples."""

import jax
import jax.numpy as jnp
import numpy as np


class Dense:
    """A model as flax's are: its parameters are given to `apply`."""

    def init(self, key, x):
        return {"w": jax.random.normal(key, (x.shape[-1], 2)), "b": jnp.zeros(2)}

    def apply(self, params, x):
        return jnp.tanh(jnp.tanh(x @ params["w"] + params["b"]) @ params["w"].T @ params["w"])


class Table:
    """What applies a function has a method of that name as well."""

    def __init__(self, columns):
        self.columns = columns

    def apply(self, function, axis):
        return [function(column) for column in self.columns]


KINDS = {"dense": Dense, "table": Table}


class Environment:
    def __init__(self):
        self.left = 12

    def reset(self):
        self.left = 12
        return np.ones(3, np.float32)

    def step(self, action):
        self.left -= 1
        return np.ones(3, np.float32) * action, 1.0, self.left == 0


def played(env, kind, params):
    network = KINDS[kind]()
    x, done, total = env.reset(), False, 0.0
    while not done:  # want: JAX405
        action = int(jnp.argmax(network.apply(params, x)))
        x, reward, done = env.step(action)
        total += reward
    return total


class Agent:
    def __init__(self, kind, params):
        self.network = KINDS[kind]()
        self.network_params = params

    def select(self, x):
        logits = self.network.apply(self.network_params, x)
        return jnp.argmax(logits)

    def play(self, env, n_steps):
        x, total = env.reset(), 0.0
        for _ in range(n_steps):  # want: JAX405
            x, reward, done = env.step(self.select(x).item())
            total += reward
            if done:
                break
        return total


class CompiledAgent:
    """Its model is compiled where it is made."""

    def __init__(self, kind, params):
        self.actor = KINDS[kind]()
        self.actor.apply = jax.jit(self.actor.apply)
        self.params = params

    def play(self, env, n_steps):
        x, total = env.reset(), 0.0
        for _ in range(n_steps):  # ok: JAX405
            logits = self.actor.apply(self.params, x)
            x, reward, _ = env.step(int(np.asarray(logits).argmax()))
            total += reward
        return total


class AgentOfStep:
    """The function around the model is compiled."""

    def __init__(self, kind, params):
        self.model = KINDS[kind]()
        self.params = params
        self.choose = jax.jit(lambda params, x: jnp.argmax(self.model.apply(params, x)))

    def play(self, env, n_steps):
        x, total = env.reset(), 0.0
        for _ in range(n_steps):  # ok: JAX405
            x, reward, _ = env.step(int(self.choose(self.params, x)))
            total += reward
        return total


def in_a_program(kind, params, xs):
    model = KINDS[kind]()

    @jax.jit  # want: JAX101
    def total(params, xs):
        def body(carry, x):
            return carry + model.apply(params, x).sum(), None

        return jax.lax.scan(body, 0.0, xs)[0]

    return total(params, xs)


def of_a_table(kind, columns, n_steps):
    """What is given is a function."""
    table = KINDS[kind](columns)
    total = 0.0
    for _ in range(n_steps):  # ok: JAX405
        total += table.apply(np.sum, 0)[0]
    return total


def few_steps(env, kind, params):
    network = KINDS[kind]()
    x, total = env.reset(), 0.0
    for _ in range(3):
        x, reward, _ = env.step(int(jnp.argmax(network.apply(params, x))))
        total += reward
    return total


class Optimizer:
    def apply(self, params, grads):
        return {name: value - 0.1 * grads[name] for name, value in params.items()}


OPTIMIZERS = {"sgd": Optimizer}


@jax.jit
def gradient(params, x):
    return jax.grad(lambda p: jnp.sum((x @ p["w"] + p["b"]) ** 2))(params)


def with_own_optimizer(params, xs, name):
    """It is no model."""
    opt = OPTIMIZERS[name]()
    for x in xs:
        grads = gradient(params, x)
        params = opt.apply(params, grads)
    return params


def make_loss(kind, x, y):
    network = KINDS[kind]()

    def of(params):
        return jnp.mean((network.apply(params, x) - y) ** 2)

    return of


def validated(kind, params, batches):
    """What a function has made and returned runs a model."""
    total = 0.0
    for x, y in batches:  # want: JAX405
        loss_of = make_loss(kind, x, y)
        total += float(loss_of(params))
    return total


def make_run(kind):
    network = KINDS[kind]()

    @jax.jit
    def run(params, x, y):
        return jnp.mean((network.apply(params, x) - y) ** 2)

    return run


RUN = make_run("dense")


def make_evaluation(kind, *, jit=True):
    """An option decides."""
    network = KINDS[kind]()

    def evaluated(params, x, y):
        return jnp.mean((network.apply(params, x) - y) ** 2)

    if jit:
        return jax.jit(evaluated)
    return evaluated


EVALUATED = make_evaluation("dense")


def validated_by_option(params, batches):
    total = 0.0
    for x, y in batches:  # ok: JAX405
        total += float(EVALUATED(params, x, y))
    return total


def validated_by_run(params, batches):
    total = 0.0
    for x, y in batches:  # ok: JAX405
        total += float(RUN(params, x, y))
    return total


def loss(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) - y) ** 2)


def by_example(params, batches):
    """The gradient of each example, and their mean."""
    for x, y in batches:  # want: JAX405
        values, grads = jax.vmap(jax.value_and_grad(loss), in_axes=(None, 0, 0))(params, x, y)
        params = {name: value - 0.1 * grads[name].mean(0) for name, value in params.items()}
        print(float(values.mean()))
    return params


gradients_by_example = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))


def by_example_of_module(params, batches):
    for x, y in batches:  # want: JAX405
        grads = gradients_by_example(params, x, y)
        params = {name: value - 0.1 * grads[name].mean(0) for name, value in params.items()}
    return params


fast_gradients = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))


@jax.jit
def step_by_example(params, x, y):
    grads = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(params, x, y)
    return {**params, "w": params["w"] - 0.1 * grads["w"].mean(0)}


def by_compiled_step(params, batches):
    for x, y in batches:  # ok: JAX405
        params = step_by_example(params, x, y)
    return params


def slopes_by_example(params, batches):
    """Nothing goes on with them."""
    found = []
    for x, y in batches:  # ok: JAX405
        found.append(fast_gradients(params, x, y)["w"])
    return found


PARAMS = Dense().init(jax.random.key(0), jnp.ones(3))
AGENT = AgentOfStep("dense", PARAMS)
COMPILED = CompiledAgent("dense", PARAMS)


def jaxlint_examples():
    params = PARAMS
    xs = jnp.ones((12, 3))
    batches = [(jnp.ones((4, 3)), jnp.ones((4, 2)))] * 12
    return {
        "played": (Environment(), "dense", params),
        "Agent.select": lambda: Agent("dense", params).select(jnp.ones(3)),
        "Agent.play": (Agent("dense", params), Environment(), 12),
        "CompiledAgent.play": lambda: COMPILED.play(Environment(), 12),
        "AgentOfStep.play": lambda: AGENT.play(Environment(), 12),
        "in_a_program": lambda: in_a_program("dense", params, xs),
        "of_a_table": ("table", [np.ones(3)], 12),
        "few_steps": (Environment(), "dense", params),
        "Optimizer.apply": lambda: Optimizer().apply(params, params),
        "gradient": (params, xs[0]),
        "with_own_optimizer": (params, xs, "sgd"),
        "make_loss": lambda: make_loss("dense", *batches[0])(params),
        "validated": ("dense", params, batches),
        "make_run": lambda: RUN(params, *batches[0]),
        "make_evaluation": lambda: EVALUATED(params, *batches[0]),
        "validated_by_option": (params, batches),
        "validated_by_run": (params, batches),
        "by_example": (params, batches),
        "by_example_of_module": (params, batches),
        "by_compiled_step": (params, batches),
        "slopes_by_example": (params, batches),
        "Dense.init": lambda: Dense().init(jax.random.key(0), jnp.ones(3)),
        "Dense.apply": lambda: Dense().apply(params, jnp.ones(3)),
        "Environment.reset": lambda: Environment().reset(),
        "Environment.step": lambda: Environment().step(1),
        "loss": (params, *batches[0]),
    }
