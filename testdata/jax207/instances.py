"""What compiled methods read of an instance that changes."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np


class Pendulum:
    """A static `self`, changed in the loop that calls the compiled method."""

    def __init__(self, length):
        self.length = length
        self.rate = 0.1

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, angle):
        return angle - self.rate * jnp.sin(angle) / self.length  # want: JAX207

    def settle(self, angle, turns):
        for _ in range(turns):
            angle = self.step(angle)
            self.rate *= 0.5
        return angle


class Adaptive:
    """A bound method that is compiled once; it is given what it reads."""

    def __init__(self, dt):
        self.dt = dt
        self._step_fast = jax.jit(self._step)

    def _step(self, u, dt):
        moved = u + dt * jnp.cos(u)
        return moved - self.dt * u  # want: JAX207

    def step(self, u):
        u = self._step_fast(u, self.dt)
        self.dt = self.dt * 0.5
        return u


class Noisy:
    """A switch that is turned behind the back of the compiled method."""

    def __init__(self):
        self.training = True

    @functools.partial(jax.jit, static_argnames="self")
    def forward(self, x):
        return self._scaled(x) + 1.0

    def _scaled(self, x):
        return x * 2.0 if self.training else x  # want: JAX207

    def switch(self, training):
        self.training = training


class Equal:
    """Comparing by value does not help: the key holds the instance that was changed."""

    def __init__(self, gain):
        self.gain = gain

    def __hash__(self):
        return hash(self.gain)

    def __eq__(self, other):
        return isinstance(other, Equal) and self.gain == other.gain

    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x):
        return x * self.gain  # want: JAX207


def louder(x):
    filter_ = Equal(1.0)
    quiet = filter_.apply(x)
    filter_.gain = 2.0
    return quiet, filter_.apply(x)


class Grown:
    """Changed in place."""

    def __init__(self):
        self.weights = [1.0]
        self._total = jax.jit(lambda x: x * sum(self.weights))  # want: JAX207

    def add_weight(self, x, weight):
        before = self._total(x)
        self.weights.append(weight)
        return before, self._total(x)


class Gradients:
    """Behind a transform."""

    def __init__(self):
        self.scale = 1.0
        self._gradient = jax.jit(jax.grad(self._loss))

    def _loss(self, w):
        return self.scale * w**2  # want: JAX207

    def both(self, w):
        one = self._gradient(w)
        self.scale = 3.0
        return one, self._gradient(w)


class Fitted:
    """What fills the instance in comes first, as its name says; a second time it would be stale."""

    def __init__(self):
        self.mean = 0.0

    @functools.partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x - self.mean  # want: JAX207 (low)

    def fit(self, x):
        self.mean = float(np.mean(x))
        return self


# Nothing changes, or nothing that the compiled method reads.


class Counter:
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.rate  # ok: JAX207

    def run(self, x):
        self.calls += 1
        return self.step(x)


class Passed:
    """It changes, and is an argument."""

    def __init__(self):
        self.rate = 0.1

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x, rate):
        return x * rate  # ok: JAX207

    def run(self, x):
        x = self.step(x, self.rate)
        self.rate *= 0.5
        return self.step(x, self.rate)


class Built:
    """Changed by what the constructor calls, and by nobody else."""

    def __init__(self, sizes):
        self._build(sizes)

    def _build(self, sizes):
        self.total = 0
        for size in sizes:
            self.total = self.total + size

    @functools.partial(jax.jit, static_argnums=0)
    def scaled(self, x):
        return x * self.total  # ok: JAX207


class Lazy:
    """Filled in once, before it is read."""

    def __init__(self):
        self._table = None

    @property
    def table(self):
        if self._table is None:
            self._table = np.arange(3.0)
        return self._table

    @functools.partial(jax.jit, static_argnums=0)
    def _looked_up(self, x):
        return x + self._table  # ok: JAX207

    def looked_up(self, x):
        return self._looked_up(x) if self.table is not None else x


class Renewed:
    """Who changes it compiles anew."""

    def __init__(self, dt):
        self.dt = dt
        self._fast = jax.jit(self._step)

    def _step(self, x):
        return x + self.dt  # ok: JAX207

    def set_dt(self, dt):
        self.dt = dt
        self._fast = jax.jit(self._step)

    def both(self, x):
        one = self._fast(x)
        self.set_dt(2.0)
        return one, self._fast(x)


class Remembering:
    """What is looked up once is remembered; what is remembered does not change."""

    def __init__(self):
        self.known = {}
        self._fast = jax.jit(self._scale)

    def factor(self, key):
        if key not in self.known:
            self.known[key] = len(key) + 0.5
        return self.known[key]  # ok: JAX207

    def _scale(self, x):
        return x * self.factor("abc")

    def both(self, x):
        return self._fast(x), self.factor("de"), self._fast(x)


class Emptied:
    """Who changes it empties the cache."""

    def __init__(self, dt):
        self.dt = dt

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x + self.dt  # ok: JAX207

    def both(self, x):
        one = self.step(x)
        self.dt = 2.0
        jax.clear_caches()
        return one, self.step(x)


@dataclasses.dataclass(frozen=True)
class Frozen:
    """A changed copy is another instance."""

    rate: float

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.rate  # ok: JAX207

    def both(self, x):
        return self.step(x), dataclasses.replace(self, rate=3.0).step(x)


@jax.tree_util.register_pytree_node_class
class Tree:
    """A pytree: its fields are traced."""

    def __init__(self, rate):
        self.rate = rate

    def tree_flatten(self):
        return (self.rate,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

    @jax.jit
    def step(self, x):
        return x * self.rate  # ok: JAX207

    def both(self, x):
        one = self.step(x)
        self.rate = 3.0
        return one, self.step(x)


class Prepared:
    """Changed before the first call alone."""

    def __init__(self):
        self.rate = 0.1

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.rate  # ok: JAX207


def prepared(x):
    model = Prepared()
    model.rate = 0.5
    return model.step(x), model


def prepared_each(x, rates):
    models = []
    for rate in rates:
        model = Prepared()
        model.rate = rate
        x = model.step(x)
        models.append(model)
    return x


class Eager:
    """Nothing is compiled but what is given all of it."""

    def __init__(self):
        self.rate = 0.1
        self._scale = jax.jit(_scaled)

    def step(self, x):
        self.rate *= 0.5
        return self._scale(x, self.rate)  # ok: JAX207


def _scaled(x, rate):
    return x * rate


class Recompiled:
    """Compiled where it is used, which is slow and right."""

    def __init__(self):
        self.rate = 0.1

    def _step(self, x):
        return x * self.rate  # ok: JAX207

    def both(self, x):
        one = jax.jit(self._step)(x)  # want: JAX105
        self.rate = 0.5
        return one, jax.jit(self._step)(x)  # want: JAX105


class Said:
    """Read for a message alone."""

    def __init__(self):
        self.name = "first"

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        message = f"{self.name}: one axis"  # ok: JAX207
        if x.ndim != 1:
            raise ValueError(message)
        return x * 2.0

    def rename(self, x):
        one = self.step(x)
        self.name = "second"
        return one, self.step(x)


def _made(cls, *args):
    return cls(*args)


def _switched(x):
    model = _made(Noisy)
    one = model.forward(x)
    model.switch(training=False)
    return one, model.forward(x)


def _fitted_twice(x):
    model = _made(Fitted)
    results = [getattr(model, name)(x + turn) for turn in range(2) for name in ("fit", "predict")]
    return results[1], results[3]


def _moved(x):
    model = _made(Adaptive, 0.5)
    return model.step(model.step(x))


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Pendulum.settled": lambda: _made(Pendulum, 1.0).settle(x, 3),
        "Adaptive.twice": lambda: _moved(x),
        "Noisy.switched": lambda: _switched(x),
        "Equal.louder": lambda: louder(x),
        "louder": (x,),
        "Grown.grown": lambda: _made(Grown).add_weight(x, 2.0),
        "Gradients.changed": lambda: _made(Gradients).both(1.5),
        "Fitted.twice": lambda: _fitted_twice(x),
        "Counter.twice": lambda: _twice(_made(Counter, 2.0), x),
        "Passed.once": lambda: _made(Passed).run(x),
        "Built.once": lambda: _made(Built, [1, 2]).scaled(x),
        "Lazy.twice": lambda: _looked_up_twice(x),
        "Renewed.changed": lambda: _made(Renewed, 1.0).both(x),
        "Remembering.both": lambda: _made(Remembering).both(x),
        "Emptied.changed": lambda: _made(Emptied, 1.0).both(x),
        "Frozen.changed": lambda: _made(Frozen, 1.0).both(x),
        "Tree.changed": lambda: _made(Tree, 1.0).both(x),
        "Prepared.changed": lambda: (prepared(x), prepared_each(x, [1.0, 2.0])),
        "prepared": (x,),
        "prepared_each": (x, [1.0, 2.0]),
        "Eager.twice": lambda: _stepped_twice(x),
        "Recompiled.changed": lambda: _made(Recompiled).both(x),
        "Said.changed": lambda: _made(Said).rename(x),
    }


def _twice(model, x):
    return model.run(model.run(x))


def _looked_up_twice(x):
    model = _made(Lazy)
    return model.looked_up(x), model.looked_up(x)


def _stepped_twice(x):
    model = _made(Eager)
    return model.step(x), model.step(x)
