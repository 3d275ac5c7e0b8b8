"""What the fixes of eager control flow, solvers, instances and loops make of code, and what they leave alone."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.finding import Finding
from jaxlint.fixes.text.edits import applied

CODES = ("JAX106", "JAX107", "JAX109", "JAX207", "JAX402", "JAX404", "JAX405")
SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, select=CODES)
HEAD = "import functools, random, time\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import lax\n"


def found(code: str) -> list[Finding]:
    """Return what is found in code below the usual imports."""
    return lint(Source(HEAD + textwrap.dedent(code)), SETTINGS)


def mended(code: str, number: int = 0) -> tuple[str, str]:
    """Return the code with a fix of its first finding made, and how far that may be trusted."""
    text = HEAD + textwrap.dedent(code)
    fix = lint(Source(text), SETTINGS)[0].fixes[number]
    return applied(text, fix).replace(HEAD, "", 1), fix.applicability.value


MADE = {
    "bodies that capture nothing move, with the helpers that they use and their comments": (
        """

        def settled(x):
            def half(v):
                return v * 0.5

            # Until it is small.
            def small(v):
                return v.sum() > 1.0

            return lax.while_loop(small, lambda v: half(v), x)
        """,
        "unsafe",
        """

        # Until it is small.
        def _small(v):
            return v.sum() > 1.0


        def _half(v):
            return v * 0.5


        def _settled_body(v):
            return _half(v)


        def settled(x):
            return lax.while_loop(_small, _settled_body, x)
        """,
    ),
    "a partial of constants becomes an assignment": (
        """

        def decay(rate, carry, x):
            return carry * rate + x, x


        def settled(xs):
            return lax.scan(functools.partial(decay, 0.5), 0.0, xs)[0]
        """,
        "safe",
        """

        def decay(rate, carry, x):
            return carry * rate + x, x


        _settled_step = functools.partial(decay, 0.5)


        def settled(xs):
            return lax.scan(_settled_step, 0.0, xs)[0]
        """,
    ),
    "what Python needs is static, texts and functions without being asked for": (
        """

        def run(xs, act=jnp.tanh, mode="add", size: int = 3):
            def step(carry, x):
                return carry + act(x) * jnp.ones(size), x

            return lax.scan(step, jnp.zeros(size), xs)[0] if mode == "add" else xs
        """,
        "unsafe",
        """

        @functools.partial(jax.jit, static_argnames=("act", "mode", "size"))
        def run(xs, act=jnp.tanh, mode="add", size: int = 3):
            def step(carry, x):
                return carry + act(x) * jnp.ones(size), x

            return lax.scan(step, jnp.zeros(size), xs)[0] if mode == "add" else xs
        """,
    ),
    "a function that does more is left, and the call is compiled": (
        """

        class Model:
            def fit(self, xs):
                self.seen = len(xs)

                def error(x):
                    return (x - self.target) ** 2

                return lax.map(error, xs)
        """,
        "unsafe",
        """

        @jax.jit
        def _fit_map(target, xs):
            def error(x):
                return (x - target) ** 2

            return lax.map(error, xs)


        class Model:
            def fit(self, xs):
                self.seen = len(xs)

                return _fit_map(self.target, xs)
        """,
    ),
    "a nest of loops turns from the inside out": (
        """

        def table(x, size: int):
            out = jnp.zeros((size, size))
            for i in range(size):
                for j in range(size):
                    out = out.at[i, j].set(jnp.exp(x[i] - x[j]) * 2)
            return out
        """,
        "unsafe",
        """

        @functools.partial(jax.jit, static_argnames="size")
        def table(x, size: int):
            out = jnp.zeros((size, size))

            def step_2(i, out):
                def step(j, out):
                    out = out.at[i, j].set(jnp.exp(x[i] - x[j]) * 2)
                    return out

                out = lax.fori_loop(0, size, step, out)
                return out

            out = lax.fori_loop(0, size, step_2, out)
            return out
        """,
    ),
    "a loop that a value ends": (
        """

        def settle(x, tolerance):
            change = jnp.inf
            while change > tolerance:
                new = x - 0.5 * jnp.sin(x)
                change = jnp.max(jnp.abs(new - x))
                x = new
            return x


        def main(starts):
            return [settle(x, 0.1) for x in starts]
        """,
        "unsafe",
        """

        @jax.jit
        def settle(x, tolerance):
            change = jnp.inf

            def unfinished(carry):
                change, x = carry
                return change > tolerance

            def step(carry):
                change, x = carry
                new = x - 0.5 * jnp.sin(x)
                change = jnp.max(jnp.abs(new - x))
                x = new
                return change, x

            change, x = lax.while_loop(unfinished, step, (change, x))
            return x


        def main(starts):
            return [settle(x, 0.1) for x in starts]
        """,
    ),
    "a loop that does more stays, and what a turn computes is compiled": (
        """

        class Fit:
            def go(self, x, n_steps):
                for n in range(n_steps):
                    # Half of it.
                    y = jnp.sin(x) * self.rate
                    x = x + 0.1 * y
                    self.seen.append(n)
                    if jnp.max(y) > 10:
                        break
                return x
        """,
        "unsafe",
        """

        @jax.jit
        def _go_step(x, rate):
            # Half of it.
            y = jnp.sin(x) * rate
            x = x + 0.1 * y
            return y, x


        class Fit:
            def go(self, x, n_steps):
                for n in range(n_steps):
                    y, x = _go_step(x, self.rate)
                    self.seen.append(n)
                    if jnp.max(y) > 10:
                        break
                return x
        """,
    ),
    "a short loop stays": (
        """

        def smooth(x):
            for _ in range(20):
                x = 0.5 * x + 0.5 * jnp.roll(x, 1)
            return x


        def main(starts):
            return [smooth(x) for x in starts]
        """,
        "unsafe",
        """

        @jax.jit
        def smooth(x):
            for _ in range(20):
                x = 0.5 * x + 0.5 * jnp.roll(x, 1)
            return x


        def main(starts):
            return [smooth(x) for x in starts]
        """,
    ),
    "an instance that is known already": (
        """

        class Gain:
            def __init__(self, gain):
                self.apply = jax.jit(lambda x: x * gain)

        DOUBLE = Gain(2.0)


        def run(x):
            gain = Gain(2.0)
            return gain.apply(x)
        """,
        "safe",
        """

        class Gain:
            def __init__(self, gain):
                self.apply = jax.jit(lambda x: x * gain)

        DOUBLE = Gain(2.0)


        def run(x):
            return DOUBLE.apply(x)
        """,
    ),
}


@pytest.mark.parametrize(("before", "level", "after"), MADE.values(), ids=MADE)
def test_what_the_preferred_fix_makes(before: str, level: str, after: str) -> None:
    assert mended(before) == (textwrap.dedent(after), level)


LEFT = {
    "a body reads a global that a function binds again": """
        SCALE = 1.0
        def set_scale(value):
            global SCALE
            SCALE = value
        def f(xs):
            return lax.scan(lambda c, x: (c + x * SCALE, c), 0.0, xs)[0]
        """,
    "a body keeps a record": """
        LOG = []
        def f(xs):
            def body(c, x):
                LOG.append(1)
                return c + x, c
            return lax.scan(body, 0.0, xs)[0]
        """,
    "a body changes its instance": """
        class A:
            def go(self, xs):
                def body(c, x):
                    self.n += 1
                    return c + x, c
                return lax.scan(body, 0.0, xs)[0]
        """,
    "a body changes a name of the function": """
        def f(xs):
            count = 0
            def body(c, x):
                nonlocal count
                count += 1
                return c + x, c
            return lax.scan(body, 0.0, xs)[0] * count
        """,
    "a default that is computed when the body is made": """
        K = 1.0
        def f(xs):
            def body(c, x, k=random.random()):
                return c + x * k, c
            return lax.scan(body, 0.0, xs)[0]
        """,
    "a function of the instance, which may be replaced": """
        class Env:
            def roll(self, s, actions):
                return lax.scan(lambda c, a: (self.dynamics(c, a), c), s, actions)[0]
        """,
    "an array that changes in place": """
        WEIGHTS = np.ones(3)
        def reset():
            WEIGHTS[:] = 0
        def f(xs):
            return lax.map(lambda v: v * WEIGHTS[0], xs)
        """,
    "a callback that captures something": """
        def f(x, k):
            shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
            return jax.pure_callback(lambda v: np.asarray(v) * k, shape, x)
        """,
    "what a loop goes over may be the keys of a mapping": """
        def f(params, x):
            for k in params:
                x = lax.cond(x.sum() > 0, lambda y: y * params[k], lambda y: y, x)
                print(k)
            return x
        """,
    "a caller gives a list where a static argument is needed": """
        def f(xs, axes):
            print(xs)
            return lax.scan(lambda c, x: (c + x.sum(axes), c), 0.0, xs)[0]
        def g(xs):
            return f(xs, [0])
        """,
    "an instance that counts its calls": """
        class Counter:
            def __init__(self, gain):
                self.calls = 0
                self._apply = jax.jit(lambda x: x * gain)
            def __call__(self, x):
                self.calls += 1
                return self._apply(x) * self.calls
        def f(x):
            return Counter(2.0)(x)
        """,
    "an instance that keeps what it saw, by another name": """
        class Seen:
            def __init__(self, gain):
                self.seen = []
                self._apply = jax.jit(lambda x: x * gain)
            def __call__(self, x):
                seen = self.seen
                seen.append(x)
                return self._apply(x) * len(self.seen)
        def f(x):
            return Seen(2.0)(x)
        """,
    "an instance that keeps an object which changes": """
        class Count:
            def __init__(self):
                self.calls = 0
            def next(self):
                self.calls += 1
                return self.calls
        class Gain:
            def __init__(self, gain):
                self.count = Count()
                self._apply = jax.jit(lambda x: x * gain)
            def __call__(self, x):
                return self._apply(x) * self.count.next()
        def f(x):
            return Gain(2.0)(x)
        """,
    "a class that counts its instances": """
        class Made:
            made = 0
            def __init__(self, gain):
                Made.made += 1
                self._apply = jax.jit(lambda x: x * gain)
            def __call__(self, x):
                return self._apply(x)
        def f(x):
            return Made(2.0)(x)
        """,
    "an instance that is changed where it is used": """
        class Gain:
            def __init__(self, gain):
                self.offset = 0.0
                self._apply = jax.jit(lambda x: x * gain)
            def __call__(self, x):
                return self._apply(x) + self.offset
        def f(x):
            gain = Gain(2.0)
            gain.offset = 1.0
            return gain(x)
        """,
    "a turn whose shape is its own": """
        def f(x, n_steps):
            for n in range(1, n_steps):
                part = x[:n]
                spread = jnp.max(part) - jnp.min(part)
                print(spread)
        """,
    "a turn that is given what grows": """
        def f(x, n_steps):
            seen = [x]
            for n in range(n_steps):
                mean = jnp.mean(jnp.stack(seen), axis=0)
                x = x - 0.1 * jnp.sin(mean)
                seen.append(x)
            return x
        """,
    "a turn that is given an array that grows": """
        def f(x, n_steps):
            seen = x
            for n in range(n_steps):
                mean = jnp.mean(seen, axis=0)
                x = x - 0.1 * jnp.sin(mean)
                seen = jnp.concatenate([seen, x])
                print(n)
            return x
        """,
    "a turn that Python needs the number of": """
        def f(x, n_steps):
            for n in range(1, n_steps):
                part = jnp.sin(x) * jnp.ones(n)
                total = jnp.sum(part) + 1.0
                print(total)
        """,
    "a turn that indexes what may be a list": """
        def f(params, x, n_steps):
            for n in range(n_steps):
                x = jnp.tanh(jnp.dot(params[n], x)) + 1.0
                print(x)
        """,
    "a turn that starts with a number of Python, and so has two programs": """
        def f(xs):
            total = 0.0
            for x in xs:
                total = total + jnp.sum(jnp.sin(x)) * 0.5
                print(total)
        """,
    "a turn that is given an integer which outgrows any traced one": """
        def f(n_steps):
            total, k = jnp.zeros(()), 1
            for _ in range(n_steps):
                k = k * 3
                total = total + jnp.sin(k % 7) + jnp.cos(total)
                print(total)
        """,
    "a turn that makes an integer which no traced one can hold": """
        def f(x, n_steps):
            for n in range(n_steps):
                x = x + jnp.sin(x) * (2**n % 7)
                print(x)
            return x
        """,
    "a turn that makes a large product": """
        def f(x, n_steps, factor):
            for n in range(n_steps):
                x = x + jnp.sin(x) * (n * factor % 7)
                print(x)
            return x
        """,
    "a turn that compares twice": """
        def f(x, n_steps):
            for n in range(n_steps):
                x = x + jnp.sin(x) * (0 < n < 7)
                print(x)
            return x
        """,
    "a function that makes an integer which no traced one can hold": """
        def f(x, seed):
            print(x)
            return jax.lax.map(lambda v: v * (seed * 1000000007 % 97), x)
        """,
    "an array that grows before the eyes of another function": """
        def f(n):
            out = jnp.zeros(1)
            def size():
                return out.shape[0]
            sizes = 0
            for i in range(n):
                out = jnp.append(out, i)
                sizes += size()
            return out, sizes
        """,
    "a gradient that comes with a text": """
        def loss(w, x):
            return jnp.sum((x * w) ** 2), {"name": "l2"}
        def f(w, x):
            for _ in range(100):
                grads, aux = jax.grad(loss, has_aux=True)(w, x)
                w = w - 0.1 * grads
            print(aux["name"])
            return w
        """,
    "a loop over what may be no array": """
        def f(signals):
            total = 0.0
            for signal in signals:
                total = total + jnp.sum(signal * 0.5)
            return float(total)
        """,
}


@pytest.mark.parametrize("code", LEFT.values(), ids=LEFT)
def test_what_would_mean_something_else_is_left(code: str) -> None:
    findings = found(code)
    assert findings
    assert [fix.message for finding in findings for fix in finding.fixes if fix.applicability.value != "display"] == []


COMPILED_WHOLE = "Jit `f`"

NOT_AS_A_WHOLE = {
    "a result that is no array": "def f(xs):\n    return lax.map(lambda v: v * xs[0], xs), 3\n",
    "a text in the result": "def f(xs):\n    return {'a': lax.map(lambda v: v * xs[0], xs), 'name': 'x'}\n",
    "a function as the result": "def f(xs):\n    y = lax.map(lambda v: v * xs[0], xs)\n    return lambda v: v + y\n",
    "an argument that is changed": "def f(out, xs):\n    out['y'] = lax.map(lambda v: v * xs[0], xs)\n    return out\n",
    "a list that grows": "def f(out, xs):\n    out.append(lax.map(lambda v: v * xs[0], xs))\n    return out[-1]\n",
    "a test of a value": "def f(xs):\n    y = lax.map(lambda v: v * xs[0], xs)\n    return xs if xs.sum() > 1 else y\n",
    "NumPy": "def f(xs):\n    xs = np.asarray(xs) * 2\n    return lax.map(lambda v: v * xs[0], xs)\n",
    "random numbers": "def f(xs):\n    s = np.random.rand()\n    return lax.map(lambda v: v * s, xs)\n",
    "a print": "def f(xs):\n    print(1)\n    return lax.map(lambda v: v * xs[0], xs)\n",
    "a generator": "def f(xs):\n    yield lax.map(lambda v: v * xs[0], xs)\n",
    "arguments without names": "def f(xs, **k):\n    return lax.map(lambda v: v * k['a'], xs)\n",
    "an object": "def f(cfg, xs):\n    return lax.map(lambda v: v * cfg.rate, xs)\n",
    "a model": "def f(model, p, xs):\n    return lax.map(lambda v: model.apply(p, v), xs)\n",
    "a parameter that nothing reads": "def f(xs, name):\n    return lax.map(lambda v: v * xs[0], xs)\n",
    "itself": "def f(xs, n):\n    return lax.map(lambda v: v * xs[0], xs) if n == 0 else f(xs, n - 1)\n",
    "a decorated function": "@functools.cache\ndef f(xs):\n    return lax.map(lambda v: v * xs[0], xs)\n",
    "a dictionary with a text": (
        "def f(p, xs):\n    return lax.map(lambda v: v * p['w'], xs)\n"
        "def g(xs):\n    return f({'w': 2.0, 'name': 'x'}, xs)\n"
    ),
    "a loop over many": (
        "def f(rows):\n    total = 0.0\n    for row in rows:\n"
        "        total += lax.map(lambda v: v * row[0], row).sum()\n    return total\n"
    ),
}


@pytest.mark.parametrize("code", NOT_AS_A_WHOLE.values(), ids=NOT_AS_A_WHOLE)
def test_a_function_that_does_more_than_compute_is_not_compiled(code: str) -> None:
    findings = found(code)
    assert findings
    fixes = [fix for finding in findings for fix in finding.fixes if fix.message.startswith(COMPILED_WHOLE)]
    assert all(fix.applicability.value == "display" for fix in fixes)


def test_what_does_more_than_compute_when_the_body_is_traced_is_not_safe() -> None:
    code = """
        def f(xs):
            def body(c, x):
                print("traced")
                return c + x, c
            return lax.scan(body, 0.0, xs)[0]
        """
    assert mended(code)[1] == "unsafe"


def test_a_constructor_that_computes_is_not_run_at_import_unasked() -> None:
    code = """
        class Table:
            def __init__(self, size):
                self.table = jnp.arange(size)
                self._apply = jax.jit(lambda x: x + self.table)
            def __call__(self, x):
                return self._apply(x)
        def f(x):
            return Table(3)(x)
        """
    assert mended(code)[1] == "unsafe"


def test_what_is_annotated_as_a_function_is_static() -> None:
    text, level = mended("""
        from typing import Callable

        def advance(state, rate, dt):
            return state + rate(dt)

        def evolve(state, rate: Callable[[float], float], dt: float):
            state = lax.fori_loop(0, 3, lambda _, state: advance(state, rate, dt), state)
            print(state)
            return state
        """)
    assert level == "unsafe"
    assert '@functools.partial(jax.jit, static_argnames="rate")' in text
