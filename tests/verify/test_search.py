"""Arguments are found for code as it is written, modules are loaded as they are, and a miss is told, not guessed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify.judge import Judgement
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Prover

Judge = Callable[..., Judgement]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover() as prover:
        yield prover


@pytest.fixture
def judge(prover: Prover, tmp_path: Path) -> Judge:
    """Judges the line that carries the comment `# here`."""

    def judge(text: str, code: str = "JAX102", path: Path = tmp_path / "subject.py") -> Judgement:
        path.write_text("import jax\nimport jax.numpy as jnp\n" + textwrap.dedent(text))
        line = next(n for n, row in enumerate(path.read_text().splitlines(), 1) if row.endswith("# here"))
        return Proof(prover, path, {line}, budget=Budget()).judge(line, code)

    return judge


CLASS = """
class F:
    def __init__(self, width):
        self.w = jnp.ones((width, width))

    def apply(self, x):
        return jax.jit(lambda v: v @ self.w)(x)  # here
"""


@pytest.mark.parametrize(
    "text",
    [
        # uses
        "def f(params, x):\n    return jax.jit(lambda v: v @ params['w'] + params['b'])(x)  # here\n",
        "def f(ps, x):\n    for w, b in ps:\n        x = jax.jit(lambda v: v @ w + b)(x)  # here\n    return x\n",
        "def f(x):\n    b, t, d = x.shape\n    return jax.jit(lambda v: v.reshape(b * t, d))(x)  # here\n",
        "def f(q, k):\n    return jax.jit(lambda v: jnp.einsum('bhtd,bhsd->bhts', v, k))(q)  # here\n",
        "def f(x, mode):\n    if mode == 'max':\n        return jax.jit(lambda v: v.max())(x)  # here\n",
        "def f(cfg, x):\n    return jax.jit(lambda v: v * cfg.scale)(x)  # here\n",
        "def f(step, carry, xs):\n    carry, y = step(carry, xs)\n    return jax.jit(lambda v: v + 1)(y)  # here\n",
        # names
        "def f(key, x):\n    return jax.jit(lambda k: jax.random.normal(k, x.shape))(key)  # here\n",
        "def f(x, num_heads):\n    y = x.reshape(num_heads, -1)\n    return jax.jit(lambda v: v + 1)(y)  # here\n",
        "def f(weights, features):\n    for x in features:\n        jax.jit(lambda v: v @ weights)(x)  # here\n",
        # types
        "def f(x: jax.Array, n: int, flag: bool):\n    return jax.jit(lambda v: v[:n] if flag else v)(x)  # here\n",
        # a size that no other axis has
        "def f(r, v):\n    d = r + v[1:] - v[:-1]\n    return jax.jit(lambda u: u * 2)(d)  # here\n",
        # what needs values, is a method, or is given back
        "def f(x):\n    y = jax.jit(lambda v: v.sum())(x)  # here\n    return float(y)\n",
        "def f(n=2):\n    for x in range(n):\n        print(f'{jax.jit(lambda v: v + 1.0)(x):f}')  # here\n",
        "def f(x, to='a.txt'):\n    y = jax.jit(lambda v: v.sum())(x)  # here\n    print('{:f}'.format(y))\n",
        # what messages and comparisons ask for
        "def f(x):\n    def g(y):\n        return y[0, :, 0]\n    return jax.jit(lambda v: g(v))(x)  # here\n",
        "def f(x, n=jnp.ones(3)):\n    for _ in range(n + 0):\n        x = jax.jit(lambda v: v)(x)  # here\n",
        "def f(x, how):\n    assert how.lower() in ('mean', 'sum')\n    return jax.jit(lambda v: v)(x)  # here\n",
        CLASS,
        "def f(rate):\n    def g(x):\n        return jax.jit(lambda v: v * rate)(x)  # here\n    return g\n",
    ],
)
def test_arguments_are_found(judge: Judge, text: str) -> None:
    judgement = judge(text)
    assert judgement.shown is True, judgement.evidence


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            """
            class Line:
                def __init__(self, width):
                    assert width > 3
                    self.width = width

                def fit(self, x):
                    self.slope = x * self.width

                def predict(self, x):
                    return jax.jit(lambda v: v * self.slope)(x)  # here
            """,
            "Line after fit",
        ),
        (
            """
            import optax

            def step(params, grads, optimizer):
                updates, _ = optimizer.update(grads, optimizer.init(params), params)
                return jax.jit(lambda p, u: p + u)(params, updates)  # here
            """,
            "optax.adam",
        ),
        (
            """
            def f(x, n: int):
                if type(n) is not int or n < 19:
                    raise ValueError(f"n must be >= 19, got {n}")
                return jax.jit(lambda v: v * n)(x)  # here
            """,
            "n=19",
        ),
        (
            """
            import optax

            class Trainer:
                def __init__(self, optimizer: optax.GradientTransformation | None = None, seed=0):
                    self.optimizer = optimizer

                def step(self):
                    return lambda p: self.optimizer.update(p, self.optimizer.init(p), p)

                def fit(self, params):
                    step = self.step()
                    updates, _ = step(params)
                    return jax.jit(lambda v: v)(updates)  # here
            """,
            "optimizer=optax.adam",
        ),
        (
            """
            class Tokenizer:
                pad = 0

                def __init__(self, path):
                    open(path)

            def f(tokenizer: Tokenizer, text):
                ids = tokenizer(text)
                return jax.jit(lambda v: v + tokenizer.pad)(ids)  # here
            """,
            "tokenizer=model",
        ),
    ],
)
def test_arguments_are_what_users_and_messages_say(judge: Judge, text: str, made: str) -> None:
    judgement = judge(text)
    assert judgement.shown is True, judgement.evidence
    assert made in judgement.figures.inputs


@pytest.mark.parametrize(
    "text",
    [
        "from helper import size\ndef f(x, mode):\n    n = size(mode)\n    jax.jit(lambda v: v * n)(x)  # here\n",
        "import helper\nclass F(helper.Base):\n    def f(self, x):\n        jax.jit(lambda v: v * self.n)(x)  # here\n",
    ],
)
def test_what_other_modules_do_with_arguments_counts(judge: Judge, tmp_path: Path, text: str) -> None:
    helper = """
        def size(mode):
            if mode not in ("tall", "wide"):
                raise ValueError
            return len(mode)

        class Base:
            def __init__(self, mode):
                self.n = size(mode)
    """
    (tmp_path / "helper.py").write_text(textwrap.dedent(helper))
    judgement = judge(text)
    assert judgement.shown is True, judgement.evidence


def test_stable_code_is_refuted(judge: Judge) -> None:
    text = "import functools\n\n@functools.cache\ndef make(n):\n    return jax.jit(lambda v: v * n)  # here\n"
    judgement = judge(text + "\ndef f(x, n: int):\n    return make(n)(x)\n")
    assert (judgement.shown, judgement.figures.compiles) == (False, (1, 0, 0))
    text = "kept = {}\n\ndef f(x):\n    if 'g' not in kept:\n        kept['g'] = jax.jit(lambda v: v + 1)  # here\n"
    judgement = judge(text + "    return kept['g'](x)\n")
    assert (judgement.shown, judgement.tier) == (False, "concrete")


def test_errors_count_where_they_come_of_tracing(judge: Judge) -> None:
    assert judge("@jax.jit\ndef f(x, n: int):\n    return jnp.zeros(n) + x.sum()  # here\n", "JAX201").shown is True
    assert judge("@jax.jit\ndef f(x):\n    return x[x > 0]  # here\n", "JAX208").shown is True
    assert judge("@jax.jit\ndef f(x):\n    return jnp.where(x > 0, x, 0)  # here\n", "JAX208").shown is False
    assert judge("def f(x, n):\n    return jnp.zeros(n) + x  # here\n\ng = jax.jit(f)\n", "JAX201").shown is True
    judgement = judge("@jax.jit\ndef f(x):\n    return x @ jnp.ones((3, 5)) @ jnp.ones((4, 2))  # here\n", "JAX208")
    assert judgement.shown is None


def test_loops_are_traced(judge: Judge) -> None:
    body = "\n        x = jnp.sin(x) + i\n    return x\n"
    assert judge(f"@jax.jit\ndef f(x):\n    for i in range(400):  # here{body}", "JAX301").shown is True
    assert judge(f"@jax.jit\ndef f(x):\n    for i in range(8):  # here{body}", "JAX301").shown is False
    assert judge(f"@jax.jit\ndef f(x):\n    for i in range(len(x)):  # here{body}", "JAX302").shown is True
    guard = "    if len(x) > 40:\n        return jnp.cumsum(x)\n"
    judgement = judge(f"@jax.jit\ndef f(x):\n{guard}    for i in range(len(x)):  # here{body}", "JAX302")
    assert (judgement.shown, "much larger ones never come" in judgement.evidence) == (None, True)


def test_a_loop_at_module_level_is_run_where_it_stands(judge: Judge) -> None:
    text = "import numpy as np\n\nkept = np.zeros(3)\nfor i in range(3):\n    kept[i] = jnp.sin({}) + 1  # here\n"
    text = text.replace("  # here", "").replace("in range(3):", "in range(3):  # here") + "kept = jnp.asarray(kept)\n"
    assert judge(text.format("i"), "JAX402").shown is True
    assert judge(text.replace("jnp.sin({})", "i"), "JAX402").shown is False
    judgement = judge(text.format("nowhere"), "JAX402")
    assert (judgement.shown, "NameError: name 'nowhere'" in judgement.evidence) == (None, True)


def test_numbers_that_differ_are_tried_where_equal_ones_show_nothing(judge: Judge) -> None:
    text = "g = jax.jit(jnp.sin)\n\ndef f(ns: list[int]):\n    for n in ns:\n        g(jnp.zeros(({}, 2)))  # here\n"
    judgement = judge(text.format("n"), "JAX501")
    assert judgement.shown is True, judgement.evidence
    assert judge(text.format("3 + 0 * n"), "JAX501").shown is None


def test_callers_take_what_a_function_takes(judge: Judge) -> None:
    judgement = judge(
        """
        kept = jnp.ones((32, 64)), jnp.ones((64, 65_536))

        def loss(student, x):
            hidden = jnp.tanh(x @ kept[0])
            return jnp.sum((x @ student - hidden @ kept[1]) ** 2)  # here

        @jax.jit
        def step(student, x):
            return student - jax.grad(loss)(student, x)
        """,
        "JAX303",
    )
    assert (judgement.shown, judgement.figures.target) == (True, "step"), judgement.evidence


def test_what_jax_refuses_shows_an_error(judge: Judge) -> None:
    text = "class A:\n    @jax.jit  # here\n    def f(self, x):\n        return x\n\ndef g(x):\n    return A().f(x)\n"
    assert judge(text, "JAX212").shown is True


def test_what_fails_to_load_explains_itself(judge: Judge) -> None:
    text = "from no_such_package import helper\n\ndef f(x):\n    return jax.jit(helper(lambda v: v))(x)  # here\n"
    judgement = judge(text)
    assert judgement.shown is None
    assert "depends on no_such_package, which could not be loaded: No module named" in judgement.evidence
    assert judge(text.replace("helper(lambda v: v)", "lambda v: v")).shown is True


def test_only_what_defines_something_is_run(judge: Judge, tmp_path: Path) -> None:
    text = """
        print(open("no such file"))
        for _ in range(3):
            raise ValueError

        def f(x):
            return jax.jit(lambda v: v)(x)  # here

        if __name__ == "__main__":
            raise SystemExit
        try:
            raise KeyError
        except KeyError:
            SIZE = 3
    """
    assert judge(text).shown is True
    assert [path.name for path in tmp_path.iterdir()] == ["subject.py"]


def test_module_of_a_package_is_imported_as_such(judge: Judge, tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from .inner.subject import f\n")
    (package / "inner" / "__init__.py").write_text("")
    (package / "shared.py").write_text("FACTOR = 2.0\n")
    text = "from ..shared import FACTOR\n\ndef f(x):\n    return jax.jit(lambda v: v * FACTOR)(x)  # here\n"
    assert judge(text, path=package / "inner" / "subject.py").shown is True
    (package / "__init__.py").write_text("import no_such_package\n")
    assert judge(text, path=package / "inner" / "subject.py").shown is True


def test_line_that_nothing_reaches_is_not_run(judge: Judge) -> None:
    judgement = judge("def f(x):\n    if jax.device_count() > 4096:\n        return jax.jit(lambda v: v)(x)  # here\n")
    assert judgement.shown is None
    assert "never ran" in judgement.evidence


def test_attribute_of_an_unknown_object_proves_nothing(judge: Judge) -> None:
    judgement = judge("def f(thing, x):\n    return jax.jit(thing.apply)(x)  # here\n", "JAX105")
    assert judgement.shown is None
    assert "nothing visible shows what thing is" in judgement.evidence
