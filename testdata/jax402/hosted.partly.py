"""Turns in which Python or NumPy works on values between the operations, and loops around the loop that does the work."""

import jax
import jax.numpy as jnp
import numpy as np


def sampled(n):
    """What it gives depends on the values that it reads."""
    values = jnp.cos(3.0 * jnp.linspace(-1.0, 1.0, n)) * jnp.exp(jnp.linspace(0.0, 1.0, n))
    scale = float(jnp.max(jnp.abs(values)))
    if bool(jnp.all(jnp.abs(values[-2:]) < 1e-3 * scale)):
        return values[:-2], True
    return values, n > 40


def resolved(n):
    """No program can hold a turn: each asks for values, and has a length of its own."""
    done = False
    while not done:
        values, done = sampled(n)
        n = 2 * n
    return values


@jax.jit
def _compute_slopes(x):
    return jnp.outer(x, x) + jnp.eye(3) * jnp.sum(jnp.square(x))


def exchanged(x, n_steps):
    """NumPy solves between the array operations."""
    for _ in range(n_steps):
        slopes = _compute_slopes(x)
        moved = np.linalg.solve(np.asarray(slopes), np.ones(3))
        x = 0.5 * jnp.asarray(moved) + 0.1 * jnp.tanh(x)
    return x


def drawn(key, n_steps):
    """JAX gives nothing but random numbers."""
    state = np.zeros(3)
    for _ in range(n_steps):
        key, first, second = jax.random.split(key, 3)
        state = 0.9 * state + np.array(jax.random.normal(first, (3,))) * np.array(jax.random.uniform(second, (3,)))
    return state


def folded(n_steps):
    """Constants, also within a trace, on purpose."""
    tables = []
    for step in range(n_steps):
        with jax.ensure_compile_time_eval():
            tables.append(jnp.sin(step * jnp.arange(4.0)) + jnp.cos(step * jnp.arange(4.0)))
    return tables


@jax.jit
def _compute_unit(i):
    return jnp.zeros(3).at[i % 3].set(1.0)


def products(matrix, x, count):
    """A unit vector is made anew, and nothing says that there are many."""
    rows = []
    for i in range(count):
        unit = _compute_unit(i)
        rows.append(jnp.asarray(matrix @ unit) @ x)
    return rows


def clamped(x, metals):
    """Few by nature."""
    for i in range(len(metals)):
        x = x.at[i].set(jnp.maximum(jnp.tanh(x[i]) * 2.0, jnp.exp(x[i]) - 1.0))
    return x


@jax.jit
def _measured_last_step(x):
    return jnp.tanh(x) * 0.9 + jnp.sin(x) * 0.1


def measured_last(x, n_steps):
    """What is read last is no hindrance."""
    found = []
    for _ in range(n_steps):
        x = _measured_last_step(x)
        found.append(float(jnp.mean(jnp.square(x))))
    return x, found


def energy(x):
    return float(jnp.sum(jnp.square(x)) + jnp.sum(jnp.sin(x) * jnp.cos(x)))


def told(x, n_steps):
    """So it is in a helper."""
    for _ in range(n_steps):
        x = jnp.tanh(x) * 0.9
        print(energy(x) > 0)
    return x


def checked(x):
    """To end with an error by a value is no hindrance either."""
    if jnp.any(jnp.isnan(x)):
        raise FloatingPointError("no number")
    return jnp.tanh(x) * 0.9 + jnp.sin(x) * 0.1


def kept_finite(x, n_steps):
    for _ in range(n_steps):
        x = checked(x)
    return x


@jax.jit
def _one_epoch_step(x, batch):
    return x - 0.1 * jnp.tanh(x - batch) - 0.01 * jnp.sin(x) * jnp.cos(x) * jnp.exp(-x)


def one_epoch(x, batches):
    for batch in batches:
        x = _one_epoch_step(x, batch)
    return x


def by_epoch(x, batches, n_epochs):
    """The loop within does the work, in another function."""
    for _ in range(n_epochs):
        x = one_epoch(x, batches) * 0.99
        print(jnp.mean(x) > 0)
    return x


@jax.jit
def acted(seen):
    return jnp.tanh(seen)


class Pendulum:
    """It keeps its own state, on the host."""

    def __init__(self):
        self.angle = np.ones(3)

    def step(self, action):
        self.angle = self.angle * 0.9 + np.asarray(action)
        return self.angle, float(self.angle.sum())


def remembered(memory, action, seen, i):
    """All of it could be one program, whatever NumPy does around the call."""
    memory = memory.at[i % 4].set(jnp.sin(action) * 0.9 + jnp.cos(seen) * 0.1)
    return jnp.roll(memory, 1, axis=0)


def remembered_on_host(memory, action, seen, i):
    """It goes through NumPy itself."""
    kept = np.sort(np.asarray(jnp.sin(action) * 0.9))
    return memory.at[i % 4].set(kept + jnp.cos(seen) * jnp.tanh(kept))


fast_remembered = jax.jit(remembered)


def played(pendulum, memory, num_steps):
    seen = np.ones(3)
    for i in range(num_steps):
        action = np.array(acted(seen))
        seen, _ = pendulum.step(action)
        memory = remembered(memory, action, seen, i)
    return memory


def played_on_host(pendulum, memory, num_steps):
    seen = np.ones(3)
    for i in range(num_steps):
        action = np.array(acted(seen))
        seen, _ = pendulum.step(action)
        memory = remembered_on_host(memory, action, seen, i)
    return memory


def played_fast(pendulum, memory, num_steps):
    seen = np.ones(3)
    for i in range(num_steps):
        action = np.array(acted(seen))
        seen, _ = pendulum.step(action)
        memory = fast_remembered(memory, action, seen, i)
    return memory


def jaxlint_examples():
    x = jnp.linspace(0.1, 1.0, 3)
    return {
        "sampled": (12,),
        "resolved": (12,),
        "exchanged": (x, 12),
        "drawn": (jax.random.key(0), 12),
        "folded": (12,),
        "products": (jnp.ones((3, 3)), x, 12),
        "clamped": (x, ["iron", "lead"]),
        "measured_last": (x, 12),
        "energy": (x,),
        "told": (x, 12),
        "checked": (x,),
        "kept_finite": (x, 12),
        "one_epoch": (x, [x] * 12),
        "by_epoch": (x, [x] * 12, 12),
        "acted": (x,),
        "Pendulum.step": (Pendulum(), np.ones(3)),
        "remembered": (jnp.ones((4, 3)), x, x, 1),
        "remembered_on_host": (jnp.ones((4, 3)), x, x, 1),
        "played": (Pendulum(), jnp.ones((4, 3)), 12),
        "played_on_host": (Pendulum(), jnp.ones((4, 3)), 12),
        "played_fast": (Pendulum(), jnp.ones((4, 3)), 12),
    }
