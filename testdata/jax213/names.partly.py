"""Names that jitted functions read while they are traced, and what binds them again."""

import functools

import jax
import jax.numpy as jnp

learning_rate = 0.1


@jax.jit
def step(w, g):
    return w - learning_rate * g


def trained(w, g, epochs):
    global learning_rate
    learning_rate = 0.1
    for _ in range(epochs):
        w = step(w, g)
        learning_rate *= 0.5
    return w


def given_rate(w, g, rate):
    return w - rate * g


given = jax.jit(given_rate)


def trained_with_argument(w, g, epochs):
    rate = 0.1
    for _ in range(epochs):
        w = given(w, g, rate)
        rate *= 0.5
    return w


def rebound_between(point):
    scale = 10.0

    def loss(x):
        return jnp.sum(x**2) * scale

    slope = jax.jit(jax.grad(loss))
    first = slope(point)
    scale = 20.0
    return first, slope(point)


@jax.jit
def _slope(point, scale):
    def loss(x):
        return jnp.sum(x**2) * scale

    return jax.grad(loss)(point)


def rebound_before(point):
    scale = 10.0
    if point.ndim == 1:
        scale = 20.0

    return _slope(point, scale), _slope(point, scale)


@jax.jit
def _scaled(x, scale):
    return x * scale


def rebound_after(point):
    scale = 10.0

    first, second = _scaled(point, scale), _scaled(point, scale)
    scale = 20.0
    return first, second, scale


def retraced(points):
    return [each(point) for point in points]


def each(point):
    """The function is a new one with each value."""

    @jax.jit
    def scaled(x):
        return x * scale

    scale = 2.0
    first = scaled(point)
    return first + scaled(point)


def not_jitted(point):
    scale = 10.0

    def loss(x):
        return jnp.sum(x**2) * scale

    slope = jax.grad(loss)
    first = slope(point)
    scale = 20.0
    return first, slope(point)


offset = None


@jax.jit
def shifted(x):
    return x - offset


def centred(batches):
    global offset
    out = []
    for batch in batches:
        if offset is None:
            offset = 1.0
        out.append(shifted(batch))
    return out


def swish(x):
    return x * jax.nn.sigmoid(x)


@jax.jit
def layer(x):
    return swish(x) + 1.0


before = layer(jnp.ones(3))
swish = jax.jit(swish)
after = layer(jnp.ones(3))

ticks = 0


@jax.jit
def ticked(x):
    global ticks
    ticks = ticks + 1
    return x + ticks


def three_ticks(x):
    return [ticked(x) for _ in range(3)]


traces = 0


@jax.jit
def counted(x):
    """How often it is traced is what the counter is for."""
    global traces
    traces += 1
    if traces > 2:
        print(f"traced {traces} times")
    return 2 * x


def three_counts(x):
    return [counted(x) for _ in range(3)]


width = 1


@jax.jit
def widened(x):
    return x * width


def cleared(x):
    global width
    first = widened(x)
    width = 2
    jax.clear_caches()
    return first, widened(x)


@jax.jit
def _shadowed_scaled(x):
    factor = 3.0
    return x * factor


def shadowed(x, factors):
    factor = 2.0

    out = []
    for factor in factors:
        out.append(_shadowed_scaled(x) + factor)
    return out


def drawn(key, n):
    @jax.jit
    def noisy(x):
        return x + jax.random.normal(key, x.shape)

    x = jnp.zeros(2)
    for _ in range(n):
        key, _ = jax.random.split(key)
        x = noisy(x)
    return x


@jax.jit
def _noisy(x, key):
    return x + jax.random.normal(key, x.shape)


def drawn_from_argument(key, n):
    x = jnp.zeros(2)
    for _ in range(n):
        key, noise = jax.random.split(key)
        x = _noisy(x, noise)
    return x


def constant_each_time(x, n):
    @functools.partial(jax.jit)
    def raised(x):
        return x + bias

    for _ in range(n):
        bias = 2.0
        x = raised(x)
    return x


def defined_again(x):
    size = 2.0

    @jax.jit
    def sized(x):
        return x * size

    def twice(x):
        return sized(x) + sized(x)

    first = twice(x)
    size = 3.0

    @jax.jit
    def sized(x):
        return x * size + 1

    return first + twice(x)


def jaxlint_examples():
    x = jnp.ones(3)
    return {
        "step": lambda: trained(x, x, 3),
        "trained": (x, x, 3),
        "trained_with_argument": (x, x, 3),
        "rebound_between": (x,),
        "rebound_before": (x,),
        "rebound_after": (x,),
        "retraced": ([x, x],),
        "each": (x,),
        "not_jitted": (x,),
        "shifted": lambda: centred([x, x]),
        "layer": (x,),
        "ticked": lambda: three_ticks(x),
        "counted": lambda: three_counts(x),
        "widened": lambda: cleared(x),
        "shadowed": (x, [1.0, 2.0]),
        "drawn": (jax.random.key(0), 3),
        "drawn_from_argument": (jax.random.key(0), 3),
        "constant_each_time": (x, 3),
        "defined_again": (x,),
    }
