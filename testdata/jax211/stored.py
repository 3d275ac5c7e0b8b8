"""Traced values that are stored where they outlive their trace, and state that goes in and comes out."""

import functools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SEEN = []
CACHE = {}
LOG = []
COUNTS = []
total = jnp.zeros(3)
calls = 0


class Model:
    def __init__(self, w):
        self.w = w

    @partial(jax.jit, static_argnums=0)
    def step(self, grad):
        self.w = self.w - 0.1 * grad  # want: JAX211

    def fitted(self, grad):
        self.step(grad)
        return self.w + 1.0


class Normaliser:
    def __init__(self):
        self.mean = jnp.zeros(3)
        self.apply = jax.jit(self._apply)

    def _apply(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x  # want: JAX211
        return x - self.mean

    def report(self):
        return self.mean * 2.0


class Borrowed:
    """Puts back what it had."""

    def __init__(self, w):
        self.w = w

    def total(self, x):
        return (self.w * x).sum()

    def total_with(self, w, x):
        kept = self.w
        self.w = w  # ok: JAX211
        found = self.total(x)
        self.w = kept
        return found


borrowed = Borrowed(jnp.ones(3))
slope = jax.jit(jax.grad(borrowed.total_with))


class Fitted:
    def __init__(self):
        self.last = None

    def loss(self, w):
        self.last = jnp.sin(w)  # want: JAX211
        return self.last.sum()

    def slope(self, w):
        found = jax.grad(self.loss)(w)
        return found + self.last


fitted = Fitted()
fitted_slope = jax.jit(jax.grad(fitted.loss))


class Device:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def sample(self, p):
        self.key, sub = jax.random.split(self.key)  # want: JAX211
        return jax.random.bernoulli(sub, p, (4,))


device = Device(0)


@jax.jit
def circuit(angle):
    return jnp.mean(device.sample(jnp.sin(angle) ** 2))


@jax.jit
def correlated(angles):
    return device.sample(angles[0]) == device.sample(angles[1])


@jax.jit
def added(x):
    global total
    total = total + x  # want: JAX211
    return x


@jax.jit
def collected(x):
    SEEN.append(x * 2)  # want: JAX211
    return x


@jax.jit
def remembered(x):
    CACHE["last"] = x.sum()  # want: JAX211
    return x


@jax.jit
def watched(xs):
    history = []

    def body(carry, x):
        carry = carry + x
        history.append(carry)  # want: JAX211
        return carry, x

    lax.scan(body, 0.0, xs)
    return jnp.stack(history)


def counter():
    last = jnp.zeros(())

    @jax.jit
    def seen(x):
        nonlocal last
        last = x.sum()  # want: JAX211
        return x

    def latest():
        return last + 1.0

    return seen, latest


SUMMED, LATEST = counter()


@jax.tree_util.register_pytree_node_class
class Counter:
    def __init__(self, n):
        self.n = n

    def tree_flatten(self):
        return (self.n,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)

    @jax.jit
    def add(self, x):
        self.n = self.n + x  # want: JAX211
        return x

    @jax.jit
    def added(self, x):
        """The new object is the result."""
        self.n = self.n + x  # ok: JAX211
        return self

    @jax.jit
    def moved(self, x):
        return Counter(self.n + x)  # ok: JAX211

    def value(self):
        return self.n


class Grid:
    def __init__(self, n):
        self.n = n
        self.spacing  # asked for before anything is traced

    @functools.cached_property
    def points(self):
        return jnp.linspace(0.0, 1.0, self.n)  # want: JAX211

    @functools.cached_property
    def spacing(self):
        return jnp.float32(1.0) / self.n  # ok: JAX211

    @functools.cached_property
    def known(self):
        return np.linspace(0.0, 1.0, self.n)  # ok: JAX211


grid = Grid(3)


@jax.jit
def on_grid(x):
    return x * grid.points + grid.spacing + grid.known


def shown(x):
    y = on_grid(x)
    return y + grid.points


@functools.lru_cache
def frequencies(n):
    return jnp.arange(n) / n  # want: JAX211


@jax.jit
def rotated(x):
    return x * jnp.cos(frequencies(3))


@jax.jit
def turned(x):
    return x * jnp.sin(frequencies(3))


def mapped(xs):
    """What `vmap` hands over is traced as well."""

    def keep(x):
        MAPPED["last"] = x * 2  # want: JAX211
        return x

    jax.vmap(keep)(xs)
    return MAPPED["last"] + 1.0


MAPPED = {}


class Tally:
    """What Python counts is no tracer."""

    def __init__(self, n):
        self.n = n
        self.traces = 0
        self.names = []

    @partial(jax.jit, static_argnums=0)
    def apply(self, x):
        self.traces += 1  # ok: JAX211
        self.shape = x.shape  # ok: JAX211
        self.names.append(str(x.dtype))  # ok: JAX211
        return x * self.n


class Scratch:
    """An object that the traced code makes, and drops."""

    def __init__(self, x):
        self.x = x  # ok: JAX211
        self.parts = []

    def add(self, y):
        self.x = self.x + y  # ok: JAX211
        self.parts.append(self.x)  # ok: JAX211
        return self


@jax.jit
def by_scratch(x):
    scratch = Scratch(x)
    scratch.add(2 * x).add(x)
    scratch.extra = x.sum()  # ok: JAX211
    return scratch.x + scratch.extra + sum(scratch.parts)


@jax.jit
def by_list(x):
    parts = []
    table = {}
    for i in range(3):
        parts.append(x * i)  # ok: JAX211
        table[i] = x + i  # ok: JAX211

    def double():
        parts.append(2 * x)  # ok: JAX211

    double()
    return jnp.stack(parts) + table[0]


@jax.jit
def by_argument(state, x):
    """The dictionary is the trace's own copy, and comes out again."""
    state["x"] = state["x"] + x  # ok: JAX211
    return state


@jax.jit
def traced_times(x):
    global calls
    calls += 1  # ok: JAX211
    LOG.append("traced")  # ok: JAX211
    return x


@jax.jit
def logged(x):
    jax.debug.callback(lambda value: COUNTS.append(np.asarray(value)), x)  # ok: JAX211
    return x


class Stepper:
    """State goes in and comes out; the object is changed outside of the trace."""

    def __init__(self, w):
        self.w = w
        self.step = jax.jit(self._step)

    def _step(self, w, grad):
        new = w - 0.1 * grad
        return new

    def fitted(self, grad):
        self.w = self.step(self.w, grad)  # ok: JAX211
        return self.w


class Averager:
    """Nothing traces the method."""

    def __init__(self):
        self.mean = jnp.zeros(3)
        self.history = []

    def update(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x  # ok: JAX211
        self.history.append(self.mean)  # ok: JAX211
        return self.mean


@jax.jit
def guarded(x):
    y = x * 2
    if not isinstance(y, jax.core.Tracer):
        LOG.append(y)  # ok: JAX211
    return y


@jax.jit
def shadowed(x):
    total = x.sum()  # ok: JAX211
    return x / total


class Wrapped:
    """Its method has the name of another object's, which the compiled function calls."""

    def __init__(self, inner):
        self.inner = inner
        self.state = jnp.zeros(3)
        self._advance = jax.jit(lambda state: self.inner.advance(state))

    def advance(self):
        self.state, done = self._advance(self.state), False  # ok: JAX211
        return done


class Inner:
    def advance(self, state):
        return state + 1


features = None


@jax.jit
def penalised(x):
    """Uses a global name as a variable of its own, and of a function in it."""
    global features
    features = jnp.sin(x)  # ok: JAX211
    features = jax.lax.stop_gradient(features)  # ok: JAX211

    def loss(w):
        return jnp.sum((w - features) ** 2)

    return jax.grad(loss)(x)


@functools.lru_cache
def table(n):
    return np.arange(n)  # ok: JAX211


@jax.jit
def looked_up(x):
    return x * table(3)


def jaxlint_examples():
    x = jnp.arange(3.0)
    return {
        "Model.step": lambda model=Model(x): model.fitted(x),
        "Normaliser._apply": lambda made=Normaliser(): (made.apply(x), made.report()),
        "Borrowed.total_with": lambda: (slope(x, x), borrowed.w + 1),
        "Fitted.loss": lambda: fitted_slope(x) + fitted.last,
        "Device.sample": lambda: (circuit(0.5), correlated(x)),
        "added": lambda: (added(x), total + 1),
        "collected": lambda: (collected(x), SEEN[0] + 1),
        "remembered": lambda: (remembered(x), CACHE["last"] + 1),
        "watched": (x,),
        "counter": lambda: (SUMMED(x), LATEST()),
        "Counter.add": lambda: (lambda counter: (counter.add(1.0), counter.value()))(Counter(1.0)),
        "Counter.added": lambda: Counter(1.0).added(1.0).value(),
        "Counter.moved": lambda: Counter(1.0).moved(1.0).value(),
        "Grid.points": lambda: shown(x),
        "Grid.spacing": lambda: Grid(3).spacing,
        "Grid.known": lambda: Grid(3).known,
        "frequencies": lambda: (rotated(x), turned(x)),
        "mapped": (x,),
        "Tally.apply": lambda tally=Tally(3): tally.apply(x),
        "Scratch": lambda: by_scratch(x),
        "Scratch.__init__": lambda: by_scratch(x),
        "Scratch.add": lambda: by_scratch(x),
        "by_scratch": (x,),
        "by_list": (x,),
        "by_argument": ({"x": x}, x),
        "traced_times": (x,),
        "logged": (x,),
        "Stepper.fitted": lambda stepper=Stepper(x): stepper.fitted(x).shape,
        "Averager.update": lambda: Averager().update(x),
        "guarded": (x,),
        "shadowed": (x,),
        "Wrapped.advance": lambda wrapped=Wrapped(Inner()): wrapped.advance(),
        "table": lambda: looked_up(x),
        "penalised": (x,),
    }
