"""What grows from call to call, and by way of lists; and what keeps its length."""

import jax
import jax.numpy as jnp
import numpy as np


class Model:
    def __init__(self, x):
        self.x = jnp.zeros((0, 3))
        self.x = jnp.concatenate([self.x, x])
        self.recent = x
        self.last = x
        self.on_host = np.asarray(x)

    def add(self, x):
        """Each call makes it longer."""
        self.x = jnp.concatenate((self.x, x), axis=0)
        return jnp.sum(self.x)

    def add_recent(self, x):
        """A window."""
        self.recent = jnp.concatenate([self.recent[1:], x[:1]])
        return jnp.sum(self.recent)

    def add_last(self, x):
        """Cut to a length again."""
        self.last = jnp.concatenate([self.last, x])
        self.last = self.last[-2:]
        return jnp.sum(self.last)

    def add_on_host(self, x):
        self.on_host = np.concatenate([self.on_host, np.asarray(x)])
        return self.on_host.sum()

    def both(self, x):
        """Under another name."""
        joined = jnp.concatenate([self.recent, x])
        return jnp.sum(joined)


def stacked(x, n_steps):
    """All that is there, in each turn."""
    history = []
    for step in range(n_steps):
        history.append(x * step)
        mean = jnp.mean(jnp.stack(history))
    return mean


def joined_thrice(x):
    """Few lengths, as the code shows."""
    joined = x
    joined_parts = [joined]
    for _ in range(3 * 3):
        joined_parts.append(x)
    joined = jnp.concatenate(joined_parts)
    return joined


def joined_chunks(x, size):
    """A few lengths, of which each took a whole chunk."""
    joined = jnp.zeros((0,))
    joined_parts = [joined]
    for chunk in range(x.shape[0] // size):
        part = x[chunk * size : (chunk + 1) * size]
        joined_parts.append(jnp.cumsum(part) * part)
    joined = jnp.concatenate(joined_parts)
    return joined


def joined_elements(x):
    joined = jnp.zeros((0,))
    joined_parts = [joined]
    for i in range(x.shape[0]):
        joined_parts.append(jnp.cumsum(x)[i : i + 1] * x[:1])
    joined = jnp.concatenate(joined_parts)
    return joined


def stacked_after(x, n_steps):
    history = []
    for step in range(n_steps):
        history.append(x * step)
    return jnp.mean(jnp.stack(history))


def stacked_in_batches(x, n_steps):
    """Emptied as soon as it is full."""
    batch, means = [], []
    for step in range(n_steps):
        batch.append(x * step)
        if len(batch) == 4:
            means.append(jnp.mean(jnp.stack(batch)))
            batch.clear()
    return means


def stacked_anew(rows, n_steps):
    """A list of its own in each turn."""
    means = []
    for _ in range(n_steps):
        parts = []
        for row in rows:
            parts.append(row)
        means.append(jnp.mean(jnp.stack(parts)))
    return means


def clusters(x, labels, n_steps):
    """Who belongs to a cluster changes, and with it the size of what is summed."""
    members = [[] for _ in range(2)]
    total = jnp.zeros(2)
    for step in range(n_steps):
        members[labels[step]].append(step)
        for cluster in range(2):
            total = total.at[cluster].set(jnp.sum(x[members[cluster][:],]))
    return total


def picked(x, n_steps):
    """A list of one length."""
    chosen, total = [0, 1, 2], 0.0
    for step in range(n_steps):
        chosen[step % 3] = step
        total += float(jnp.sum(x[jnp.asarray(chosen)]))
    return total


def added(method, x):
    model = Model(x)
    for _ in range(3):
        getattr(model, method)(x)
    return model


def jaxlint_examples():
    x = jnp.ones((2, 3))
    line = jnp.linspace(0.1, 1.0, 12)
    return {
        "Model.add": lambda: added("add", x),
        "Model.add_recent": lambda: added("add_recent", x),
        "Model.add_last": lambda: added("add_last", x),
        "Model.add_on_host": lambda: added("add_on_host", x),
        "Model.both": lambda: added("both", x),
        "stacked": (line, 4),
        "joined_thrice": (line,),
        "joined_chunks": (line, 3),
        "joined_elements": (line,),
        "stacked_after": (line, 4),
        "stacked_in_batches": (line, 9),
        "stacked_anew": ([line, line], 3),
        "clusters": (line, [0, 1, 0, 0, 1, 0], 6),
        "picked": (line, 4),
    }
