"""Fixes that would change what a program does are not offered, or not as safe ones."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX1",))
HEAD = "import itertools, os, random, time\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"
APPLIED = ("safe", "unsafe")


def levels(code: str, head: str = HEAD) -> list[str]:
    """Return how far the fixes of what is found in code may be trusted, those left out that are only shown."""
    findings = lint(Source(head + textwrap.dedent(code)), SETTINGS)
    assert findings
    found = [fix.applicability.value for finding in findings for fix in finding.fixes]
    return [level for level in found if level in APPLIED]


GIVES_ANOTHER_VALUE = {
    "a helper reads a global that a function binds again": """
        SCALE = 1.0
        def scaled(y):
            return y * SCALE
        def set_scale(value):
            global SCALE
            SCALE = value
        def f(x):
            @jax.jit
            def g(y):
                return scaled(y)
            return g(x)
        """,
    "a transform of a function that reads it": """
        SCALE = 1.0
        def loss(y):
            return (y * SCALE).sum()
        def set_scale(value):
            global SCALE
            SCALE = value
        def f(x):
            return jax.jit(jax.grad(loss))(x)
        """,
    "an attribute of an object of the module, which a function stores": """
        class Settings:
            scale = 1.0
        settings = Settings()
        def double():
            settings.scale *= 2
        def f(x):
            return jax.jit(lambda y: y * settings.scale)(x)
        """,
    "an attribute of a class": """
        class Settings:
            scale = 1.0
        def double():
            Settings.scale = 2.0
        def f(x):
            return jax.jit(lambda y: y * Settings.scale)(x)
        """,
    "an array that is changed in place": """
        WEIGHTS = np.ones(3)
        def reset():
            WEIGHTS[:] = 0
        def f(x):
            return jax.jit(lambda y: y * WEIGHTS)(x)
        """,
    "random numbers of NumPy": """
        def f(x):
            return jax.jit(lambda y: y + np.random.rand())(x)
        """,
    "a generator of the module": """
        RNG = np.random.default_rng(0)
        def f(x):
            return jax.jit(lambda y: y + RNG.normal())(x)
        """,
    "a clock": """
        def f(x):
            @jax.jit
            def g(y):
                return y + time.time()
            return g(x)
        """,
    "the environment": """
        def f(x):
            @jax.jit
            def g(y):
                return y * float(os.environ.get("SCALE", "1"))
            return g(x)
        """,
    "an iterator": """
        COUNT = itertools.count()
        def f(x):
            return jax.jit(lambda y: y + next(COUNT))(x)
        """,
    "a default that is computed": """
        COUNT = itertools.count()
        def f(x):
            @jax.jit
            def g(y, k=COUNT.__next__()):
                return y + k
            return g(x)
        """,
    "a decorator that counts": """
        COUNT = itertools.count(1)
        def numbered(function):
            k = next(COUNT)
            return lambda y: function(y) * k
        def f(x):
            @jax.jit
            @numbered
            def g(y):
                return y
            return g(x)
        """,
    "the variable of a loop of the module": """
        def f(x):
            return jax.jit(lambda y: y * K)(x)
        for K in range(3):
            print(f(jnp.ones(2)))
        """,
    "a function that is defined in each turn": """
        for k in (2, 3):
            def f(x):
                @jax.jit
                def g(y):
                    return y * k
                return g(x)
            print(f(jnp.ones(2)))
        """,
    "a captured list that changes before the second call": """
        def f(x):
            weights = [1.0, 2.0]
            @jax.jit
            def g(y):
                return y * weights[0]
            a = g(x)
            weights[0] = 5.0
            return a, g(x)
        """,
    "a captured array that changes in the loop": """
        def f(x, n):
            w = np.ones(3)
            g = jax.jit(lambda y: y * w)
            for i in range(n):
                w[i] = 0
                x = g(x)
            return x
        """,
    "a property that counts": """
        class Model:
            n = 0
            @property
            def k(self):
                self.n += 1
                return float(self.n)
            def f(self, x):
                return jax.jit(lambda y: y * self.k + self.k)(x)
        """,
}


@pytest.mark.parametrize("code", GIVES_ANOTHER_VALUE.values(), ids=GIVES_ANOTHER_VALUE)
def test_what_gives_another_value_each_time_is_not_compiled_once(code: str) -> None:
    """A function that is compiled once keeps what it read when it was traced."""
    assert levels(code) == []


MAY_DO_MORE = {
    "it prints": """
        def f(x):
            @jax.jit
            def g(y):
                print("tracing")
                return y + 1
            return g(x)
        """,
    "a decorator out of sight": """
        from tracing import counted
        def f(x):
            @jax.jit
            @counted
            def g(y):
                return y + 1
            return g(x)
        """,
    "a helper reads a container": """
        SCALES = {"a": 1.0}
        def scaled(y):
            return y * SCALES["a"]
        def f(x):
            return jax.jit(lambda y: scaled(y))(x)
        """,
    "a default that is shared then": """
        def f(x):
            @jax.jit
            def g(y, seen=[]):
                return y + len(seen)
            return g(x)
        """,
    "an object whose class changes it": """
        class Meter:
            def __init__(self):
                self.value = 1.0
            def count(self):
                self.value += 1
        METER = Meter()
        def f(x):
            return jax.jit(lambda y: y * METER.value)(x)
        """,
}


@pytest.mark.parametrize("code", MAY_DO_MORE.values(), ids=MAY_DO_MORE)
def test_what_may_do_more_than_compute_needs_judgement(code: str) -> None:
    """What is done once, no longer on each call, is for the user to judge."""
    assert set(levels(code)) == {"unsafe"}


NOT_BOUND_YET = {
    "imported in the same block": """
        if True:
            import jax
            def f(x):
                def g(y): return y + 1
                return jax.jit(g)(x)
        """,
    "imported where a branch is taken": """
        HAS_JAX = True
        if HAS_JAX:
            import jax
        def f(x):
            return jax.jit(lambda y: y + 1)(x)
        """,
    "missing where the import fails": """
        try:
            import jax
        except ImportError:
            jax = None
        def f(x):
            return jax.jit(lambda y: y + 1)(x)
        """,
    "bound to something else later": """
        from jax import jit
        def f(x):
            return jit(lambda y: y + 1)(x)
        def jit(function):
            return function
        """,
}


@pytest.mark.parametrize("code", NOT_BOUND_YET.values(), ids=NOT_BOUND_YET)
def test_the_wrapper_must_be_there_where_the_definition_goes(code: str) -> None:
    """What runs when the module is imported uses no name that may be missing then."""
    assert levels(code, head="") == []


def test_a_definition_goes_below_the_import_that_it_needs() -> None:
    """The import may stand below the function that uses it."""
    text = "def f(x):\n    return jax.jit(lambda y: y + 1)(x)\n\n\nimport jax\n"
    (finding,) = lint(Source(text), SETTINGS)
    fixed = text
    for edit in sorted(finding.fixes[0].edits, key=lambda edit: -edit.span.start):
        fixed = fixed[: edit.span.start] + edit.text + fixed[edit.span.end :]
    assert fixed.index("import jax") < fixed.index("@jax.jit")


def test_no_call_is_given_a_keyword_twice() -> None:
    """A captured name may be a keyword that a call passes already."""
    code = """
        def f(x, c):
            @jax.jit
            def g(y, **options):
                return y + c + options["c"]
            return g(x, c=3)
        """
    assert levels(code) == []


def test_a_loop_stays_where_a_function_reads_what_it_assigns() -> None:
    """In a function of its own the body would assign another variable."""
    code = """
        @jax.jit
        def f(x):
            def doubled():
                return x * 2
            for i in range(1000):
                x = x * 0.9 + jnp.sin(x) + doubled()
            return x
        """
    findings = lint(Source(HEAD + textwrap.dedent(code)), Settings(select=("JAX301",)))
    assert [finding.fixes for finding in findings] == [()]


def test_a_choice_between_tuples_is_no_choice_between_arrays() -> None:
    """`jnp.where` takes arrays."""
    code = """
        @jax.jit
        def f(x):
            return x, x + 1 if x > 0 else (x - 1, x)

        @jax.jit
        def g(x):
            return (x, x + 1) if x > 0 else (x - 1, x)
        """
    findings = lint(Source(HEAD + textwrap.dedent(code)), Settings(select=("JAX209",)))
    assert [finding.fixes for finding in findings] == [(), ()]


MAPPED = {
    "a global that a function binds again": """
        RATE = 0.1
        def decay():
            global RATE
            RATE *= 0.5
        def updated(p):
            return p - RATE * jnp.sin(p)
        """,
    "an attribute that a function stores": """
        class Settings:
            rate = 0.1
        def decay():
            Settings.rate *= 0.5
        def updated(p):
            return p - Settings.rate * jnp.sin(p)
        """,
    "random numbers of NumPy": """
        def updated(p):
            return p - np.random.rand() * jnp.sin(p)
        """,
}


@pytest.mark.parametrize("code", MAPPED.values(), ids=MAPPED)
def test_a_function_over_leaves_that_reads_what_changes_is_not_compiled(code: str) -> None:
    """The same holds of the function that a `tree.map` maps."""
    loop = """
        def train(params):
            for _ in range(100):
                params = jax.tree.map(updated, params)
            return params
        """
    text = HEAD + textwrap.dedent(code) + textwrap.dedent(loop)
    findings = lint(Source(text), Settings(select=("JAX401",), min_confidence=Confidence.LOW))
    assert [finding.fixes for finding in findings] == [()]


CHANGES_AN_INSTANCE = {
    "by its dictionary": "def change(self, **new):\n        self.__dict__.update(new)",
    "under another name": "def change(self, new):\n        k = self.k\n        k['w'] = new",
    "as an output of NumPy": "def change(self):\n        np.add(self.k, 1, out=self.k)",
    "in a copy": "def change(self):\n        return copy.copy(self)",
    "in an object that it holds": "def change(self, settings):\n        settings.scale = 2",
}


def compiled_method(change: str, value: str = "k") -> list[str]:
    """Return the fixes of a method that is compiled on each call, beside one that changes the instance."""
    code = f"""
import copy
class Model:
    def __init__(self, k):
        self.k = {value}
    def step(self, x):
        return x * self.k.scale
    def run(self, x):
        return jax.jit(self.step)(x)
    {change}
"""
    return levels(code)


@pytest.mark.parametrize("change", CHANGES_AN_INSTANCE.values(), ids=CHANGES_AN_INSTANCE)
def test_a_method_of_what_changes_is_not_compiled_in_its_init(change: str) -> None:
    """It would keep what it read first."""
    assert compiled_method(change) == []


def test_a_method_that_reads_a_generator_is_not_compiled_in_its_init() -> None:
    """A generator of random numbers is another one after each call."""
    assert compiled_method("pass", "np.random.default_rng(k)") == []


def test_a_method_of_what_stays_is_compiled_in_its_init() -> None:
    """What only `__init__` assigns stays."""
    assert compiled_method("def change(self):\n        return Model(2 * self.k)") == ["unsafe"]
