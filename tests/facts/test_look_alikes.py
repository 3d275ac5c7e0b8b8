"""Small modules beside what they look like: what contexts, bounds and quantities leave alone, and what they do not."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.finding import Confidence

SPLIT = """
def split(data, share):
    n = data[0].shape[0]
    kept = int(n * share)
    return jax.tree.map(lambda x: jnp.sin(jnp.take(x, jnp.arange(kept), axis=0)) * 2 / 3, data)
"""
FIT = """
def fitted(n, steps):
    x = jnp.ones((8, n))

    @jax.jit
    def fit(w):
        return w - 0.1 * x.T @ (x @ w)

    return fit(jnp.zeros(n))
"""
GROWN = """
def run(x, n_rounds):
    data = x
    for _ in range(n_rounds):
        {}
        data = jnp.concatenate([data, model(x)])
    return data
"""
LOSS = """
def drift(params, batch):
    total = 0.0
    for t in range(batch.shape[1]):
        total = total + jnp.mean((batch[:, t] @ params - jnp.tanh(batch[:, t])) ** 2)
    return total
"""

ROLLOUT = """
def rollout(env, obs, key, n_steps):
    for _ in range(n_steps):
        key, sub = jax.random.split(key)
        noise = jnp.log(jax.random.uniform(sub, (4,)))
        action = jnp.argmax(jnp.tanh(obs) * jnp.sin(obs) + jnp.cos(obs) * noise)
        {}
    return obs
"""
EPOCHS = """
class Trainer:
    def step(self, batch):
        self.state, loss = self.model.train_step(self.state, batch)
        return loss

    def fit(self, data, key, n_epochs, n_batches):
        for _ in range(n_epochs):
            order = jax.random.permutation(key, 9)
            x, y = data[0][order] * 2 + 1, jnp.sin(jnp.cos(data[1][order]))
            for i in range(n_batches):
                loss = {}
"""
PROGRAM = """
@jax.jit
def epoch(state, batches):
    return {}

def fit(state, data, key, n_epochs):
    for _ in range(n_epochs):
        order = jax.random.permutation(key, 9)
        x, y, z = jnp.asarray(data[0])[order], jnp.asarray(data[1])[order], jnp.asarray(data[2])[order]
        state = epoch(state, (x * 2, y + 1, z - 1))
    return state
"""
GROWING = """
class Process:
    def update(self, x):
        k = jnp.exp(-(self.x - x) ** 2) + jnp.sin(x)
        self.{} = jnp.concatenate([self.x, jnp.reshape(x, (1,))])
        return jnp.sum(k * k + 1)

def main(process: Process, stream):
    for x in stream:
        process.update(jnp.asarray(x))
"""
FITTED = """
from scipy.optimize import minimize

def refined(x):
    return {}

def main(x, n_steps):
    for _ in range(n_steps):
        x = refined(jnp.sin(x) * 2 + jnp.cos(x) - jnp.tanh(x) / 3)
    return x
"""
TABLE = """
import pandas as pd

def main(x, n_steps):
    for i in range(n_steps):
        x = jnp.sin(x) * 2 + jnp.cos(x) - jnp.tanh(x) / 3
        {}
    return x
"""
MADE = """
solve = {}

def main(x, n_steps):
    for _ in range(n_steps):
        x = solve(jnp.sin(x) * 2 + jnp.cos(x) - 1)
    return x
"""
COILS = """
def field(coils, r):
    total = jnp.zeros_like(r)
    for coil in coils:
        for _ in range(5):
            total = total + jnp.sin(r * coil.a) / (jnp.cos(r) + 2) - jnp.sqrt(r * coil.b + 1) * jnp.exp(-(r**2))
    return total
"""

SILENT = {
    "steps an environment": (ROLLOUT.format("obs, reward, done, info = env.step(action)"), "rollout(E, O, K, 9)"),
    "steps an environment, in a helper": (
        ROLLOUT.format("obs = after(env, action)") + "\ndef after(env, a):\n    t = env.step(a)\n    return t.obs\n",
        "rollout(E, O, K, N)",
    ),
    "a step that is not visible does the work": (EPOCHS.format("self.step((x, y))"), "Trainer().fit(D, K, 9, 9)"),
    "a program with a loop does the work": (
        PROGRAM.format("jax.lax.scan(lambda s, b: (s + b[0], None), state, batches)[0]"),
        "fit(S, D, K, N)",
    ),
    "a solver in a helper does the work": (FITTED.format("jnp.asarray(minimize(abs, x).x)"), "main(X, N)"),
    "a solver that a condition chooses does the work": (
        FITTED.format("jnp.asarray(minimize(abs, x).x) if FAST else minimize(abs, -x).x"),
        "main(X, N)",
    ),
    "what a function out of sight made does the work": (
        "from lib import wrapped\n" + MADE.format("wrapped(P)"),
        "main(X, N)",
    ),
    "works with a table": (TABLE.format("pd.DataFrame(x).to_numpy()"), "main(X, N)"),
    "of each of a few parts": (COILS, "for _ in range(30): field(COILS, R)"),
    "split a few times": (SPLIT, "for _ in range(30): split((np.ones((9, 2)), np.ones(9)), 0.5)"),
    "split once": (SPLIT, "split((np.ones((9, 2)), np.ones(9)), 0.5)"),
    "initialised once": (
        "def zeros(tree): return jax.tree.map(lambda p: jnp.zeros_like(p) + 1e-3 * p, tree)",
        "zeros({})",
    ),
    "axis numbers": (
        "def later(axes): return jax.tree.map(lambda axis: axis + 1, axes)",
        "for _ in range(99): later({})",
    ),
    "axis numbers, backwards": (
        "def from_end(axes, n): return jax.tree.map(lambda a: (a - 1, a // 2), axes)",
        "for _ in range(99): from_end({}, 3)",
    ),
    "paths": (
        "def names(tree): return jax.tree.map_with_path(lambda path, leaf: path[0], tree)",
        "for _ in range(99): names({})",
    ),
    "placed on devices": (
        "def spread(tree, s): return jax.tree.map(lambda x: jax.device_put(jnp.stack(list(x)) * 2, s), tree)",
        "for _ in range(99): spread({}, None)",
    ),
    "taken from a device": (
        "def first(tree): return jax.tree.map(lambda x: x.addressable_shards[0].data.squeeze(0) * 2, tree)",
        "for _ in range(99): first({})",
    ),
    "each size has a program": (FIT, "for n in range(2, 40, 2): fitted(n, 9)"),
    "each size, by another name": (FIT, "def sweep():\n    for size in range(40): print(fitted(size, 3))\nsweep()"),
    "each size, through a helper": (
        FIT + "\ndef other(width):\n    return fitted(width, 3)\n",
        "for width in range(4, 400, 4): other(width)",
    ),
    "clears the caches": (FIT, "for _ in range(9):\n    jax.clear_caches()\n    fitted(4, 3)"),
    "chosen by name": (LOSS + "\ndef get(kind):\n    return drift if kind == 'drift' else None\n", ""),
    "in a registry": (LOSS + "\nLOSSES = {'drift': drift}\n", ""),
    "in a tuple": (LOSS + "\nLOSSES = (drift, 0.5)\n", ""),
    "handed to a library": (LOSS + "\nimport lib\nlib.register(drift)\n", ""),
    "padded anew": (
        """
def padded(rows):
    out = []
    for row in rows:
        if row is None:
            p = jnp.zeros((0, 4))
        else:
            p = row
        p = jnp.concatenate([p, jnp.zeros((8 - len(p), 4))])
        out.append(p)
    return out
""",
        "for _ in range(99): padded([jnp.ones((2, 4))] * 50)",
    ),
    "started anew": (
        """
def framed(rows):
    for row in rows:
        p = jnp.asarray(row)
        p = jnp.concatenate([jnp.zeros(2), p])
        print(p.sum())
""",
        "for _ in range(99): framed(list(range(50)))",
    ),
    "objects": (
        """
class Sum:
    def __init__(self, models):
        self.models = models
        self.size = len(models)

    def values(self):
        x = jnp.array([])
        for i in range(self.size):
            x = jnp.concatenate([x, self.models[i].values() * 2])
        return x
""",
        "Sum([]).values()",
    ),
    "way points": (
        """
def path(corners):
    parts = []
    for i in range(len(corners) - 1):
        parts.append(corners[i] * 0.5 + corners[i + 1] * 0.5 + jnp.sin(corners[i]))
    return parts
""",
        "path(jnp.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]))",
    ),
    "a model is fitted beside what grows": (GROWN.format("model = fit(x)"), "run(jnp.ones(3), int(input()))"),
}
FOUND = {
    "a model is fitted to what grows": (
        GROWN.format("scaled = data / 2; model = fit(scaled)"),
        "run(jnp.ones(3), int(input()))",
        "JAX404",
    ),
    "a list that an iteration changes is an index": (
        """
def sampled(x, n_steps):
    members = []
    for i in range(n_steps):
        members.append(i)
        x = jnp.sin(x) * jnp.cos(x) + jnp.exp(-x) / (1 + jnp.sum(x[members]))
    return x
""",
        "sampled(jnp.ones(9), int(input()))",
        "JAX402",
    ),
    "what grows is all there is": (GROWN.format("model = jnp.tanh"), "run(jnp.ones(3), int(input()))", "JAX404"),
    "a functional environment": (
        ROLLOUT.format("obs, reward = env.step(obs, action)"),
        "rollout(E, O, K, N)",
        "JAX402",
    ),
    "a program without a loop": (PROGRAM.format("state + batches[0]"), "fit(S, D, K, N)", "JAX402"),
    "no solver in a helper": (FITTED.format("jnp.asarray(x) * 2"), "main(X, N)", "JAX402"),
    "what jax made": (MADE.format("jax.vmap(lambda x: x + 1)"), "main(X, N)", "JAX402"),
    "no table": (TABLE.format("pass"), "main(X, N)", "JAX402"),
    "a map in each iteration": (SPLIT, "for _ in range(99): split((np.ones((9, 2)), np.ones(9)), 0.5)", "JAX401"),
    "a rate is no size": (
        "def fitted(rate):\n    return jax.jit(lambda w: w - rate * w)(jnp.ones(3))",
        "for _ in range(40): fitted(0.5)",
        "JAX102",
    ),
    "a body that is new under an eager grad": (
        """
def energy(x):
    def step(c, _):
        return c * x, c
    return jax.lax.scan(step, 1.0, None, length=5)[0]
""",
        "for _ in range(99): jax.grad(energy)(0.5)",
        "JAX106",
    ),
    "dispatched under an eager vmap": (
        """
def clean(m):
    for i in range(300):
        m = m.at[i].set(m[i] / m[i - 1] + jnp.sin(m[i]))
    return m
""",
        "for _ in range(99): jax.vmap(clean)(jnp.ones((2, 300)))",
        "JAX402",
    ),
}


def codes(text: str, main: str) -> set[str]:
    """Return the codes found at the default confidence."""
    calls = textwrap.indent(main, "    ") if main else "    pass"
    whole = (
        f"import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n{text}\n\nif __name__ == '__main__':\n{calls}\n"
    )
    return {finding.code for finding in lint(Source.from_bytes(whole.encode(), "module.py"), Settings())}


def test_a_method_that_makes_an_array_longer_needs_a_program_each_time() -> None:
    assert codes(GROWING.format("x"), "main(Process(), STREAM)") == {"JAX404"}
    assert codes(GROWING.format("y"), "main(Process(), STREAM)") == {"JAX402"}


@pytest.mark.parametrize("name", SILENT)
def test_it_is_left_alone(name: str) -> None:
    assert codes(*SILENT[name]) == set()


@pytest.mark.parametrize("name", FOUND)
def test_it_is_found(name: str) -> None:
    text, main, code = FOUND[name]
    assert code in codes(text, main)


@pytest.mark.parametrize(
    ("decorator", "found"), [("", ["JAX202"]), ("@beartype.beartype", ["JAX202"]), ("@nj.pure", [])]
)
def test_what_an_unknown_decorator_makes_takes_what_nobody_knows(decorator: str, found: list[str]) -> None:
    text = f"""
import jax
import jax.numpy as jnp
import beartype
import ninjax as nj


{decorator}
def program(mode, x):
    return x if mode else 2 * x


fast = jax.jit(program, static_argnames=["mode"])


def run(x):
    return fast(jnp.ones(3), x)
"""
    assert [finding.code for finding in lint(Source(text, "a.py"), Settings())] == found


@pytest.mark.parametrize(
    ("kept", "called", "found"),
    [
        ("", "self.up(self.down(x))", ["JAX405"]),
        ("", "self.decode(self.encode(x))", ["JAX405"]),
        ("", "self.scaled(self.shifted(x))", []),
        ("@eqx.filter_jit", "self.up(self.down(x))", []),
    ],
)
def test_a_model_calls_modules_that_it_keeps(kept: str, called: str, found: list[str]) -> None:
    text = f"""
import equinox as eqx
import jax.numpy as jnp


class Model(eqx.Module):
    up: eqx.nn.Linear
    down: eqx.nn.Linear

    def encode(self, x):
        return self.up(x)

    def decode(self, x):
        return self.down(x)

    def scaled(self, x):
        return 2.0 * x

    def shifted(self, x):
        return x - 1.0

    {kept}
    def __call__(self, x):
        return {called}


def evaluated(batches, key):
    model = Model(eqx.nn.Linear(3, 3, key=key), eqx.nn.Linear(3, 3, key=key))
    total = 0.0
    for batch in batches:
        total += float(jnp.mean(model(batch)))
    return total
"""
    assert [finding.code for finding in lint(Source(text, "a.py"), Settings())] == found


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("score(xs)", "low"),
        ("score(xs).block_until_ready()", "low"),
        ("jax.block_until_ready(score(xs))", "low"),
        ("print(score(xs))", "medium"),
        ("y = score(xs)", "medium"),
    ],
)
def test_who_discards_what_a_jitted_function_gives_only_times_it(use: str, expected: str) -> None:
    text = f"""
import jax
import jax.numpy as jnp

@jax.jit
def score(xs):
    total = 0.0
    for i in range(xs.shape[0]):
        total = jnp.tanh(total + xs[i] @ xs[i])
    return total

def run(xs):
    score(xs)
    for _ in range(50):
        {use}
"""
    source = Source.from_bytes(text.encode(), "m.py")
    found = lint(source, Settings(min_confidence=Confidence.LOW))
    assert [item.confidence.label for item in found if item.code == "JAX302"] == [expected]


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ("", ["JAX210"]),
        ("import jax", ["JAX210"]),
        ("import numpy as np", ["JAX210"]),
        ("import numpy as onp", []),
    ],
)
def test_an_unbound_name_is_not_what_the_file_imports_under_another_name(imports: str, expected: list[str]) -> None:
    text = f"{imports}\n\ndef areas(points):\n    return jax.vmap(lambda p: np.cross(p[0], p[1]))(points)\n"
    found = lint(Source.from_bytes(text.encode(), "m.py"), Settings())
    assert [item.code for item in found if item.code == "JAX210"] == expected
