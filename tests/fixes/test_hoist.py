"""What the fixes of short-lived compiled functions make of code, and what they leave alone."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.finding import Applicability, Finding
from jaxlint.fixes.cache_misses import hoist
from jaxlint.fixes.text.edits import applied

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=("JAX1",))
HEAD = "import jax\nimport jax.numpy as jnp\n"


def found(code: str) -> list[Finding]:
    """Return what is found in code below the usual imports."""
    return lint(Source(HEAD + textwrap.dedent(code)), SETTINGS)


def mended(code: str, applicability: str) -> str:
    """Return the code with the preferred fix of its first finding made, without the imports of jax."""
    text = HEAD + textwrap.dedent(code)
    finding = lint(Source(text), SETTINGS)[0]
    assert finding.fixes
    assert finding.fixes[0].applicability.value == applicability
    return applied(text, finding.fixes[0]).replace(HEAD, "", 1)


MADE_ONCE = {
    "nothing but what is moved changes": (
        "safe",
        '''

        # The helpers.


        # Of the model.
        @decorated
        def f(x):   # odd  spacing
            # First.
            @jax.jit
            # Second.
            def step(v):
                """Doc.

                More.
                """
                text = """
                kept
                """
                return v + len(text)  # why
                # last

            y = step(x)
            return  y+step (y)
        ''',
        '''

        # The helpers.


        # First.
        @jax.jit
        # Second.
        def _step(v):
            """Doc.

            More.
            """
            text = """
                kept
                """
            return v + len(text)  # why
            # last


        # Of the model.
        @decorated
        def f(x):   # odd  spacing
            y = _step(x)
            return  y+_step (y)
        ''',
    ),
    "a comment goes where its code goes": (
        "safe",
        """


        def f(x):
            y = x + 1
            # Compile it.
            step = jax.jit(lambda v: v * 2)  # noqa: E731

            # Run it.
            return step(y)
        """,
        """


        # Compile it.
        @jax.jit  # noqa: E731
        def _step(v):
            return v * 2


        def f(x):
            y = x + 1

            # Run it.
            return _step(y)
        """,
    ),
    "the compiled version may take over the name": (
        "safe",
        """


        def f(x):
            def helper(v):
                return v + 1

            def step(v):
                return helper(v) * 2

            step = jax.jit(step)
            return step(x)
        """,
        """


        def _helper(v):
            return v + 1


        @jax.jit
        def _step(v):
            return _helper(v) * 2


        def f(x):
            return _step(x)
        """,
    ),
    "a constant that is captured stays one": (
        "safe",
        """


        def f(x):
            n = 3
            return jax.jit(lambda v: v[:n])(x)
        """,
        """
        import functools




        @functools.partial(jax.jit, static_argnames="n")
        def _f(v, n):
            return v[:n]


        def f(x):
            n = 3
            return _f(x, n)
        """,
    ),
    "data becomes an argument, what Python needs a static one": (
        "unsafe",
        """
        from functools import partial


        def f(x, scale, width):
            @partial(jax.jit, static_argnames=("k",))
            def step(v, k=1):
                return jnp.pad(v * scale, width) * k

            return step(x)
        """,
        """
        from functools import partial


        @partial(jax.jit, static_argnames=("k", "width"))
        def _step(v, k=1, *, scale, width):
            return jnp.pad(v * scale, width) * k


        def f(x, scale, width):
            return _step(x, scale=scale, width=width)
        """,
    ),
    "an object gives what is read of it": (
        "unsafe",
        """


        class A:
            def __init__(self, k):
                self.k = k

            def f(self, x):
                return jax.jit(lambda v: v * self.k)(x)
        """,
        """


        @jax.jit
        def _f(v, k):
            return v * k


        class A:
            def __init__(self, k):
                self.k = k

            def f(self, x):
                return _f(x, self.k)
        """,
    ),
    "a definition goes below what it needs": (
        "safe",
        """


        def f(x):
            return jax.jit(jax.grad(g))(x)


        def g(x):
            return x * x


        for _ in range(3):
            y = f(1.0)
        """,
        """


        def f(x):
            return _g_grad(x)


        def g(x):
            return x * x


        _g_grad = jax.jit(jax.grad(g))


        for _ in range(3):
            y = f(1.0)
        """,
    ),
    "what the module has is used": (
        "safe",
        """


        def g(x):
            return x * x


        gradient = jax.jit(jax.grad(g))


        def f(x):
            return jax.jit(jax.grad( g ))(x)
        """,
        """


        def g(x):
            return x * x


        gradient = jax.jit(jax.grad(g))


        def f(x):
            return gradient(x)
        """,
    ),
    "a transform of a closure is made in a function of its own": (
        "unsafe",
        """


        def f(x, y):
            def loss(v):
                return jnp.sum((v - y) ** 2)

            return jax.jit(jax.grad(loss))(x + 1)
        """,
        """


        @jax.jit
        def _loss_grad(v, y):
            def loss(v):
                return jnp.sum((v - y) ** 2)

            return jax.grad(loss)(v)


        def f(x, y):
            return _loss_grad(x + 1, y)
        """,
    ),
    "what a partial binds is passed": (
        "unsafe",
        """


        def hill(x, k, mode):
            return x / k if mode == "fast" else x * k


        def f(x, k, mode):
            step = jax.jit(jax.tree_util.Partial(hill, x, mode=mode))
            return step(k)
        """,
        """


        def hill(x, k, mode):
            return x / k if mode == "fast" else x * k


        _step = jax.jit(hill, static_argnames="mode")


        def f(x, k, mode):
            return _step(x, k, mode=mode)
        """,
    ),
    "a method is compiled in the constructor": (
        "unsafe",
        """


        class A:
            def __init__(self, k):
                self.k = k

            def g(self, x):
                return x * self.k

            def f(self, x):
                return jax.jit(self.g)(x)
        """,
        """


        class A:
            def __init__(self, k):
                self.k = k
                self._g = jax.jit(self.g)

            def g(self, x):
                return x * self.k

            def f(self, x):
                return self._g(x)
        """,
    ),
    "a factory is asked once": (
        "safe",
        """


        def make_step(rate):
            return jax.jit(lambda x: x * rate)


        def f(x):
            for _ in range(3):
                x = make_step(0.1)(x)
            return x
        """,
        """


        def make_step(rate):
            return jax.jit(lambda x: x * rate)


        _step = make_step(0.1)


        def f(x):
            for _ in range(3):
                x = _step(x)
            return x
        """,
    ),
    "or above the loops that do not change it": (
        "unsafe",
        """


        def make_step(rate):
            return jax.jit(lambda x: x * rate)


        def f(x, rate):
            for _ in range(3):
                # All day.
                while x.sum() < 9:
                    step = make_step(rate)
                    x = step(x)
            return x
        """,
        """


        def make_step(rate):
            return jax.jit(lambda x: x * rate)


        def f(x, rate):
            step = make_step(rate)
            for _ in range(3):
                # All day.
                while x.sum() < 9:
                    x = step(x)
            return x
        """,
    ),
}


@pytest.mark.parametrize("case", MADE_ONCE)
def test_it_is_made_once(case: str) -> None:
    applicability, before, after = MADE_ONCE[case]
    assert mended(before, applicability).lstrip("\n") == textwrap.dedent(after).lstrip("\n")


COMPILED_INSTEAD = {
    "a lambda that is called at once is written out": (
        """


        def f(x, scale, /, width=2):
            return jax.jit(lambda v: jnp.pad(v * scale, width))(x)
        """,
        """


        @functools.partial(jax.jit, static_argnames="width")
        def f(x, scale, /, width=2):
            return jnp.pad(x * scale, width)
        """,
    ),
    "a decorator moves out": (
        """


        # Of old.
        def f(x, y):
            @jax.jit
            def step(v):
                return v + y

            return step(x)
        """,
        """


        # Of old.
        @jax.jit
        def f(x, y):
            def step(v):
                return v + y

            return step(x)
        """,
    ),
    "the compiled version no longer takes over the name": (
        """


        def f(x, y):
            def step(v):
                return v + y

            step = jax.jit(step)
            return step(x)
        """,
        """


        @jax.jit
        def f(x, y):
            def step(v):
                return v + y

            return step(x)
        """,
    ),
}


@pytest.mark.parametrize("case", COMPILED_INSTEAD)
def test_the_function_around_may_be_compiled_instead(case: str) -> None:
    before, after = COMPILED_INSTEAD[case]
    text = HEAD + textwrap.dedent(before)
    fix = next(fix for fix in lint(Source(text), SETTINGS)[0].fixes if fix.message == "Jit `f` itself")
    assert fix.applicability is Applicability.UNSAFE
    assert applied(text, fix).removeprefix("import functools\n\n") == HEAD + textwrap.dedent(after)


def test_what_may_be_data_or_an_option_is_only_shown() -> None:
    (finding,) = found("def f(x, thing):\n    return jax.jit(lambda v: out_of_sight(v, thing))(x)\n")
    assert [fix.applicability for fix in finding.fixes] == [Applicability.DISPLAY]


LEFT_ALONE = {
    "a counter": """
        def f(x):
            n = 0
            def step(v):
                nonlocal n
                n += 1
                return v
            return jax.jit(step)(x)
        """,
    "a captured value that changes before the last call": """
        def f(x):
            k = 1.0
            step = jax.jit(lambda v: v * k)
            y = step(x)
            k = 2.0
            return y + step(x)
        """,
    "a captured value that a loop changes": """
        def f(x, rates):
            k = rates[0]
            step = jax.jit(lambda v: v * k)
            for k in rates:
                x = step(x)
            return x
        """,
    "a private name of a class": """
        class A:
            def f(self, x):
                return jax.jit(lambda v: v * self.__k)(x)
        """,
    "the class around": """
        class A(B):
            def f(self, x):
                return jax.jit(lambda v: super().g(v))(x)
        """,
    "a method of what is captured": """
        def f(x, model):
            return jax.jit(lambda v: model.predict(v))(x)
        """,
    "a function that is captured and new each time": """
        def f(x):
            update = make()
            return jax.jit(lambda v: update(v))(x)
        """,
    "a default that captures": """
        def f(x, n):
            return jax.jit(lambda v, k=n: v * k)(x)
        """,
    "a name that a global statement binds again": """
        K = 1.0
        def set_k(k):
            global K
            K = k
        def f(x):
            return jax.jit(lambda v: v * K)(x)
        """,
    "names that are looked up": """
        def f(x):
            step = jax.jit(lambda v: v * 2)
            return step(x) + eval("x")
        """,
    "a wrapper that maps over all arguments": """
        def f(x, k):
            return jax.pmap(lambda v: v * k)(x)
        """,
    "options that count the arguments": """
        def f(x, k):
            return jax.jit(lambda v: v * k, in_shardings=(None,))(x)
        """,
    "one of two definitions": """
        def f(x, deep):
            if deep:
                def step(v):
                    return v * 2
            else:
                def step(v):
                    return v * 3
            return jax.jit(step)(x)
        """,
    "a method of a class that changes itself": """
        class A:
            def __init__(self):
                self.k = 1.0
            def g(self, x):
                return x * self.k
            def set_k(self, k):
                self.k = k
            def f(self, x):
                return jax.jit(self.g)(x)
        """,
    "a method of an object that dies with the call": """
        class A:
            def __init__(self, k):
                self.k = k
            def g(self, x):
                return x * self.k
        def f(x, k):
            a = A(k)
            return jax.jit(a.g)(x)
        """,
    "a rule that is added afterwards": """
        def g(x):
            return x * x
        def f(x):
            rule = jax.custom_jvp(g)
            rule.defjvp(lambda p, t: (g(*p), t[0]))
            return jax.jit(rule)(x)
        """,
    "an integer that no traced one can hold": """
        def f(x, k):
            @jax.jit
            def g(y):
                return y * (k * 10**9 % 7)
            return g(x)
        """,
    "a comment that would have nowhere to go": """
        import functools
        @jax.jit
        def g(k, x):
            return x * k
        def f(x, k):
            # The gain.
            scaled = functools.partial(g, k)
            return jax.jit(scaled)(x)
        """,
    "a memoised factory whose argument may be an array": """
        def make_step(rate):
            return jax.jit(lambda x: x * rate)
        def f(x, rates):
            for rate in rates:
                x = make_step(rate)(x)
            return x
        """,
}


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_it_is_left_alone(case: str) -> None:
    findings = found(LEFT_ALONE[case])
    assert findings
    assert not any(fix.applicability is not Applicability.DISPLAY for fix in findings[0].fixes)


def test_a_builder_that_fails_leaves_its_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("the builder")

    monkeypatch.setattr(hoist, "hoisted", fails)
    findings = found("def f(x):\n    return jax.jit(lambda v: v * 2)(x)\n")
    assert [finding.code for finding in findings] == ["JAX000", "JAX102"]
    assert "the builder" in findings[0].message
    assert not findings[1].fixes
