"""What fails before a place may be left out, but never what could decide whether the place runs, or what it is."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify import slices
from jaxlint.verify.judge import Judgement
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Prover

Judge = Callable[..., Judgement]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(timeout=30) as prover:
        yield prover


@pytest.fixture
def judge(prover: Prover, tmp_path: Path) -> Judge:
    """Judges the line that carries the comment `# here`."""

    def judge(text: str, code: str = "JAX102") -> Judgement:
        path = tmp_path / "subject.py"
        path.write_text("import functools\nimport jax\nimport jax.numpy as jnp\n" + textwrap.dedent(text))
        line = next(n for n, row in enumerate(path.read_text().splitlines(), 1) if row.endswith("# here"))
        return Proof(prover, path, {line}, budget=Budget(tries=80, seconds=3.0)).judge(line, code)

    return judge


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # A file that is not there, and another one after the place.
        (
            "JAX102",
            """
            def train(path):
                with open("no/such/file") as file:
                    data = jnp.array([float(row) for row in file])
                loss = jax.jit(lambda v: v.sum())(data)  # here
                with open(path / "no" / "log", "w") as log:
                    log.write(str(loss))
                return loss
            """,
        ),
        # Something that takes an hour.
        (
            "JAX106",
            """
            def simulate(steps):
                start = jnp.zeros(3)
                for _ in range(10**12):
                    start = start + 0.0
                return jax.lax.scan(lambda c, _: (c + 1, c), start, None, length=3)  # here
            """,
        ),
        # An instance whose constructor needs the network.
        (
            "JAX102",
            """
            class Client:
                def __init__(self, address):
                    raise ConnectionError(address)

                def ask(self, x):
                    return jax.jit(lambda v: v * self.scale)(x)  # here
            """,
        ),
        # The data of a script.
        (
            "JAX402",
            """
            images = jnp.asarray(open("no/such/file").read())
            for _ in range(20):
                images = jnp.tanh(images) * 2 + jnp.sin(images)  # here
            """,
        ),
        # What a program does where it is the main one.
        (
            "JAX402",
            """
            if __name__ == "__main__":
                images = jnp.asarray(open("no/such/file").read())
                for _ in range(20):
                    images = jnp.tanh(images) * 2 + jnp.sin(images)  # here
            """,
        ),
        # A text that an exception names.
        (
            "JAX106",
            """
            def solve(x, method):
                step = {"euler": 1.0, "heun": 2.0}.get(method)
                if step is None:
                    raise ValueError(f"Unknown method {method!r}; choose from {('euler', 'heun')}")
                return jax.lax.scan(lambda c, _: (c * step, c), x, None, length=3)  # here
            """,
        ),
        # A name that a function reads and that could not be made.
        (
            "JAX102",
            """
            scale = float(open("no/such/file").read())

            def scaled(x):
                return jax.jit(lambda v: v * scale)(x)  # here
            """,
        ),
        # A function that nothing made up suits, and that is new in each call.
        (
            "JAX106",
            """
            def f(carry, xs):
                def body(c, x):
                    return c.first @ x.second, c.third + x.fourth.fifth(c)

                return jax.lax.scan(body, carry, xs)  # here
            """,
        ),
        (
            "JAX101",
            """
            def f(x):
                def inner(v):
                    raise ValueError("some other shape")

                return jax.jit(inner)(x)  # here
            """,
        ),
        # An exception that is handled in silence.
        (
            "JAX102",
            """
            def try_it(x):
                try:
                    with open("no/such/file") as file:
                        y = x + float(file.read())
                    return jax.jit(lambda v: v + 1)(y)  # here
                except OSError:
                    return None
            """,
        ),
        # What is read from a loader that is not installed, and what a loop takes its items from directly.
        (
            "JAX402",
            """
            from no_such_package.data import Loader

            def total(path):
                loader, x = Loader(path), jnp.zeros(())
                for batch in loader:
                    x = jnp.sin(x) + jnp.cos(batch.mean()) * 2  # here
                return x
            """,
        ),
        (
            "JAX402",
            """
            import no_such_package as nsp

            def total(path):
                x = jnp.zeros(())
                for number, batch in enumerate(nsp.Loader(path)):
                    x = jnp.sin(x) + jnp.cos(batch.mean()) * number  # here
                return x
            """,
        ),
        # Whether it comes there does not matter for what it does there.
        (
            "JAX402",
            """
            def main(path):
                config = open("no/such/file").read()
                if config.verbose:
                    x = jnp.zeros(3)
                    for _ in range(20):
                        x = jnp.tanh(x) * 2 + jnp.sin(x)  # here
                    return x
            """,
        ),
        # Arguments that a program needs and is not given.
        (
            "JAX402",
            """
            import argparse

            def main():
                parser = argparse.ArgumentParser()
                parser.add_argument("path")
                args = parser.parse_args()
                x = jnp.zeros(3)
                for _ in range(args.steps):
                    x = jnp.tanh(x) * 2 + jnp.sin(x)  # here
                return x
            """,
        ),
        # An error in a function that the code itself compiles.
        (
            "JAX209",
            """
            def train(path):
                with open("no/such/file") as file:
                    data = jnp.asarray(file.read())

                @jax.jit
                def step(x):
                    if x.sum() > 0:  # here
                        return x * 2
                    return x

                return step(data)
            """,
        ),
        # A global name of a block that is not run.
        (
            "JAX402",
            """
            def f(x):
                for _ in range(20):
                    x = jnp.tanh(x) * scale + jnp.sin(x)  # here
                return x

            if __name__ == "__main__":
                raise SystemExit
                scale = 2.0
            """,
        ),
    ],
)
def test_what_fails_is_left_out(judge: Judge, code: str, text: str) -> None:
    judgement = judge(text, code)
    assert judgement.shown, judgement.evidence


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # What is left out would have found what an earlier call has kept.
        (
            "JAX102",
            """
            KEPT = {}

            def f(x, name):
                found = KEPT[open("no/such/file").read()]
                if found is None:
                    found = jax.jit(lambda v: v + 1)  # here
                    KEPT[name] = found
                return found(x)
            """,
        ),
        (
            "JAX102",
            """
            KEPT = {}

            def f(x):
                with open("no/such/file") as file:
                    name = file.read()
                if name in KEPT:
                    return KEPT[name]
                KEPT[name] = jax.jit(lambda v: v + 1)(x)  # here
                return KEPT[name]
            """,
        ),
        # What comes after it keeps the next call from coming here, and fails with what was made up.
        (
            "JAX102",
            """
            def f(kept, name, x):
                if name not in kept:
                    y = jax.jit(lambda v: v + 1)(x)  # here
                    kept[name] = y
                return kept[name]
            """,
        ),
        # What is not known keeps what it is given.
        (
            "JAX102",
            """
            def f(kept, x):
                run = kept.first(jax.jit(lambda v: v + 1))  # here
                return run(x)
            """,
        ),
        # Nothing made up suits the function, of which only the first is ever compiled, or which is always the same.
        (
            "JAX101",
            """
            KEPT = {}

            def f(x):
                def inner(v):
                    raise ValueError("some other shape")

                return KEPT.setdefault("f", jax.jit(inner))(x)  # here
            """,
        ),
        (
            "JAX101",
            """
            def inner(v):
                raise ValueError("some other shape")

            def f(x):
                return jax.jit(inner)(x)  # here
            """,
        ),
        (
            "JAX101",
            """
            @functools.cache
            def make(scale):
                def inner(v):
                    raise ValueError("some other shape")

                return inner

            def f(x):
                return jax.jit(make(2.0))(x)  # here
            """,
        ),
        (
            "JAX101",
            """
            @jax.jit
            def f(x):
                def inner(v):
                    raise ValueError("some other shape")

                return jax.jit(inner)(x)  # here
            """,
        ),
        # Nothing ever comes to the place.
        (
            "JAX102",
            """
            def f(x):
                raise NotImplementedError("use g")
                return jax.jit(lambda v: v + 1)(x)  # here
            """,
        ),
        (
            "JAX102",
            """
            def gone(name):
                raise NotImplementedError(name)

            def f(x):
                gone("f")
                return jax.jit(lambda v: v + 1)(x)  # here
            """,
        ),
        # The function is remembered, whatever is in it.
        (
            "JAX102",
            """
            @functools.cache
            def f(size):
                with open("no/such/file") as file:
                    y = jnp.ones(size) * float(file.read())
                return jax.jit(lambda v: v + 1)(y)  # here
            """,
        ),
        # Nothing says that the work of what is not known is done one by one.
        (
            "JAX402",
            """
            def f(step, x):
                for _ in range(20):
                    x = step(x)  # here
                return x
            """,
        ),
        # What an instance holds may be of NumPy, or a list of two.
        (
            "JAX402",
            """
            class Reader:
                def __init__(self, path):
                    self.rows = open(path).readlines()

                def total(self):
                    total = 0.0
                    for row in self.rows:
                        total = total + row * 2 - row.mean()  # here
                    return total
            """,
        ),
        (
            "JAX302",
            """
            class Layers:
                def __init__(self, path):
                    self.layers = load(path)

                def __call__(self, x):
                    for layer in self.layers:  # here
                        x = jnp.tanh(x @ layer) + x
                    return x
            """,
        ),
        # A name that nothing binds, and a value that decides what a condition says in a traced function.
        (
            "JAX402",
            """
            def f(x):
                for _ in range(20):
                    x = jnp.tanh(x) * sclae + jnp.sin(x)  # here
                return x
            """,
        ),
        (
            "JAX209",
            """
            def f(x):
                with open("no/such/file") as file:
                    config = file.read()
                if config.flag > 0:  # here
                    return x * 2
                return x
            """,
        ),
        # What is read may be of NumPy.
        (
            "JAX402",
            """
            def f():
                with open("no/such/file", "rb") as file:
                    rows = decode(file.read())
                total = 0.0
                for row in rows:
                    total = total + row * 2 - row.mean()  # here
                return total
            """,
        ),
    ],
)
def test_what_could_decide_is_not(judge: Judge, code: str, text: str) -> None:
    judgement = judge(text, code)
    assert not judgement.shown, judgement.evidence


def test_it_says_what_was_left_out(judge: Judge) -> None:
    judgement = judge("""
        def f(x):
            y = x + float(open("no/such/file").read())
            return jax.jit(lambda v: v + 1)(y)  # here
    """)
    assert judgement.shown
    assert judgement.figures.inputs.endswith("(without line 6)")


FUNCTION = """
def f(x, flag):
    a = load(x)
    b = a * 2
    if flag:
        return b
    c = b + 1
    for row in c:
        d = row + 1
        use(d, row)
    return c
"""


def test_candidates() -> None:
    tree = ast.parse(FUNCTION)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    # An exit that `flag` decides on lies before the loop; what follows it is kept.
    assert [s.lineno for s in slices.candidates(function, 10)] == [3, 4, 7, 9]
    assert slices.is_conditional(tree, 10)
    assert not slices.is_conditional(tree, 4)
    (left_out,) = (s for s in slices.candidates(function, 4) if s.lineno == 3)
    piece = slices.without(function, function, [left_out])
    assert piece is not None
    assert piece.lifted == ("a",)
    assert "load" not in ast.unparse(piece.run)


def test_a_function_that_is_handed_on_is_no_condition() -> None:
    tree = ast.parse("""
def f(x):
    @jax.jit
    def inner(v):
        return jax.jit(v)
    a = jax.jit(lambda v: v.sum())(x)
    b = later(lambda v: jax.jit(v)(x))
    return inner(a)
""")
    assert [slices.is_conditional(tree, line) for line in (3, 5, 6, 7)] == [False, True, False, True]
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    # What calls what is made at the place stays; in a loop, all others may go.
    text = "def f(x):\n    g = make(x)\n    for row in x:\n        row = load(row)\n        use(g, row)\n"
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert [s.lineno for s in slices.candidates(function, 2)] == [4]
