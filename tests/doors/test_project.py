"""What `jaxlint check FOLDER` knows of a file from the others: each project has its marks, as testdata has."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.doors.conftest import Project

_MARK = re.compile(r"#\s*(?P<kind>want|ok):\s*(?P<code>JAX\d{3})")

CLIP = """
    import jax
    import jax.numpy as jnp


    def clip(grads, limit):
        norm = jnp.sqrt(jnp.sum(jax.numpy.stack([jnp.sum(g**2) for g in jax.tree.leaves(grads)])))
        return jax.tree.map(lambda g: jnp.tanh(jnp.clip(0.5 * g / norm, -limit, limit)), grads)  # {mark}: JAX401
"""
STEP = """
    import jax


    def scaled(x):
        return jax.jit(lambda y: y * 2)(x)  # {mark}: JAX102
"""
MAKER = """
    import jax


    def make_step(rate):
        @jax.jit
        def step(x):
            return x - rate * x

        return step
"""
ROLLOUT = """
    import jax


    class Model:
        def roll(self, x):
            def step(carry, _):
                return carry * 0.5, carry

            return jax.lax.scan(step, x, None, length=9)[0]  # {mark}: JAX106
"""

TREE = """
    import jax
    import jax.numpy as jnp


    def price(x, n_steps):
        def body(i, values):
            return values * 0.99

        return jax.lax.fori_loop(0, n_steps, body, x)[0]  # {mark}: JAX106
"""
PRICES = """
    import jax.numpy as jnp
    from pkg.tree import price

    for n_steps in (10, 20, 40):
        print(float(price(jnp.ones(3), n_steps)))
"""


SWEEP = """
    import jax.numpy as jnp


    def swept(tensors, env, n_rows):
        for row in range(n_rows):  # {mark}: JAX402
            env = jnp.tanh(tensors[row] @ env) + jnp.exp(env).sum() * jnp.sin(env) - jnp.cos(env)
        return env
"""
SAMPLER = """
    from pkg import model


    def build(n_rows):
        def step(tensors, env):
            return model.swept(tensors, env, n_rows)

        return step
"""


def filled(text: str, mark: str) -> str:
    return text.replace("{mark}", mark)


PROJECTS: dict[str, dict[str, str]] = {
    "called after a test of a dictionary that takes over another": {
        "lib.py": filled(STEP, "ok"),
        "app.py": """
            import jax
            from lib import scaled

            def run(x, **options):
                if {**options, "fast": True}:
                    return jax.jit(scaled)(x)
        """,
    },
    "called by a nested function that is handed out": {
        "pkg/__init__.py": "",
        "pkg/model.py": filled(SWEEP, "ok"),
        "pkg/sampler.py": SAMPLER,
    },
    "called by a nested function that a program runs": {
        "pkg/__init__.py": "",
        "pkg/model.py": filled(SWEEP, "want"),
        "pkg/sampler.py": SAMPLER,
        "run.py": """
            import jax.numpy as jnp
            from pkg.sampler import build

            step = build(100)
            for _ in range(1000):
                print(float(step(jnp.ones((100, 3, 3)), jnp.ones(3)).sum()))
        """,
    },
    "traced by an importer": {
        "lib.py": filled(STEP, "ok"),
        "app.py": "import jax\nfrom lib import scaled\n\nfast = jax.jit(scaled)\n",
    },
    "traced by an importer, in a checkout with an __init__.py": {
        "my-agents/__init__.py": "",
        "my-agents/agents/__init__.py": "",
        "my-agents/agents/core.py": filled(STEP, "ok"),
        "my-agents/agents/run.py": "import jax\nfrom agents.core import scaled\n\nfast = jax.jit(scaled)\n",
    },
    "traced by a function that another traces": {
        "pkg/__init__.py": "",
        "pkg/a.py": filled(STEP, "ok"),
        "pkg/b.py": "from . import a\n\n\ndef middle(x):\n    return a.scaled(x)\n",
        "pkg/c.py": "import jax\nimport pkg.b as b\n\n\n@jax.jit\ndef outer(x):\n    return b.middle(x)\n",
    },
    "re-exported by the package": {
        "src/pkg/__init__.py": "from .core import *\n",
        "src/pkg/core.py": filled(STEP, "ok"),
        "src/pkg/sub/__init__.py": "",
        "src/pkg/sub/use.py": "import jax\nfrom .. import scaled as s\n\nfast = jax.jit(jax.vmap(s))\n",
    },
    "an override of what the base class traces": {
        "pkg/__init__.py": "",
        "pkg/base.py": """
            from functools import partial

            import jax


            class Base:
                @partial(jax.jit, static_argnames=("self",))
                def tell(self, x):
                    return self._tell(x)

                def _tell(self, x):
                    raise NotImplementedError
        """,
        "pkg/sub.py": """
            import jax

            from .base import Base


            class Sub(Base):
                def _tell(self, x):
                    @jax.jit
                    def inner(y):  # ok: JAX101
                        return y * 2

                    return inner(x)
        """,
    },
    "a module of flax by way of the project's base class": {
        "base.py": "import flax.linen as nn\n\n\nclass Layer(nn.Module):\n    width: int\n",
        "layers.py": """
            import jax

            from base import Layer


            class Doubled(Layer):
                def __call__(self, x):
                    return jax.jit(lambda y: y * 2)(x)  # ok: JAX102
        """,
    },
    "given to a function that compiles it": {
        "lib.py": filled(STEP, "ok"),
        "run.py": """
            import jax

            import lib


            def compiled(f):
                return jax.jit(f)


            fast = compiled(lib.scaled)
        """,
    },
    "called eagerly in the loop of a script": {
        "lib.py": filled(CLIP, "want"),
        "train.py": """
            import lib


            def main(loader):
                for batch in loader:
                    lib.clip(batch, 1.0)


            if __name__ == "__main__":
                main([])
        """,
    },
    "called eagerly by a method of an object that a script makes": {
        "agents/__init__.py": "",
        "agents/agent.py": """
            from .lib import clip


            class Agent:
                def update(self, grads):
                    return clip(grads, 1.0)
        """,
        "agents/lib.py": filled(CLIP, "want"),
        "main.py": """
            from agents.agent import Agent

            agent = Agent()
            while True:
                agent.update({})
        """,
    },
    "a console script starts it": {
        "pyproject.toml": '[project]\nname = "p"\n[project.scripts]\np = "p.cli:start"\n',
        "p/__init__.py": "",
        "p/cli.py": "from p.lib import clip\n\n\ndef start():\n    print(clip({}, 1.0))\n",
        "p/lib.py": filled(CLIP, "want"),
    },
    "both traced and eager": {
        "lib.py": filled(CLIP, "want"),
        "eager.py": "import lib\n\nfor _ in range(100):\n    lib.clip({}, 1.0)\n",
        "traced.py": "import jax\nimport lib\n\nfast = jax.jit(lib.clip)\n",
    },
    "a helper of the project compiles a bound method": {
        "pkg/__init__.py": "",
        "pkg/speed.py": """
            import functools

            import jax


            def speed_up(method, **options):
                def run(*args):
                    return method.__func__(method.__self__, *args)

                compiled = jax.jit(run, **options)

                @functools.wraps(method)
                def wrapper(*args):
                    return compiled(*args)

                return wrapper
        """,
        "pkg/model.py": filled(ROLLOUT, "ok"),
        "main.py": """
            from pkg.model import Model
            from pkg.speed import speed_up


            class Policy:
                def __init__(self, model: Model, plain=False):
                    self._roll = model.roll if plain else speed_up(model.roll)

                def act(self, x):
                    return self._roll(x)


            def main():
                policy = Policy(Model())
                while True:
                    print(policy.act(1.0))


            if __name__ == "__main__":
                main()
        """,
    },
    "a method that nobody compiles": {
        "pkg/__init__.py": "",
        "pkg/model.py": filled(ROLLOUT, "want"),
        "main.py": """
            from pkg.model import Model


            def main():
                model = Model()
                while True:
                    print(model.roll(1.0))


            if __name__ == "__main__":
                main()
        """,
    },
    "a scan with a new body under an eager vmap of another file": {
        "pkg/__init__.py": "",
        "pkg/model.py": filled(ROLLOUT, "want"),
        "main.py": """
            import jax
            import jax.numpy as jnp
            from pkg.model import Model


            def main():
                model = Model()
                while True:
                    print(jax.vmap(model.roll)(jnp.ones(4)))


            if __name__ == "__main__":
                main()
        """,
    },
    "perhaps traced, by the name of a method": {
        "lib.py": """
            import jax
            import jax.numpy as jnp


            class Optimizer:
                def update(self, grads):
                    for _ in range(100):
                        grads = jax.tree.map(lambda g: jnp.clip(g / 2, -1, 1), grads)  # ok: JAX401
                    return grads
        """,
        "step.py": "import jax\n\n\n@jax.jit\ndef step(optimizer, grads):\n    return optimizer.update(grads)\n",
    },
    "a test is no evidence of how it is used": {
        "lib.py": filled(CLIP, "ok"),
        "tests/test_lib.py": "import lib\n\n\ndef test_clip():\n    for _ in range(100):\n        lib.clip({}, 1.0)\n",
    },
    "run once by the program": {
        "lib.py": filled(STEP, "ok"),
        "app.py": "import lib\n\n\ndef main():\n    lib.scaled(1.0)\n",
    },
    "unrolled under a trace of another file": {
        "lib.py": """
            import jax.numpy as jnp


            def fill(x, n):
                out = jnp.zeros(n)
                for i in range(2000):  # want: JAX301
                    out = out.at[i].set(x[i] * 2)
                return out
        """,
        "app.py": "import jax\nimport lib\n\nfast = jax.jit(lib.fill, static_argnums=1)\n",
    },
    "a factory of another file": {
        "maker.py": MAKER,
        "remade.py": "from maker import make_step as new\n\n\ndef make_step(rate):\n    return new(rate)\n",
        "app.py": """
            import maker
            import remade


            def run_all(xs):
                for x in xs:
                    maker.make_step(0.1)(x)  # want: JAX108


            def once(x):
                return remade.make_step(0.1)(x)  # ok: JAX108


            def again(x):
                return remade.make_step(0.1)(x)  # want: JAX108


            def train(x, count):
                for _ in range(count):
                    x = again(x)
                return once(x)


            step = maker.make_step(0.1)  # ok: JAX108
        """,
    },
    "an object of another file": {
        "model.py": """
            class Model:
                def __init__(self):
                    self.kept = print

                def apply(self, x):
                    return x * 2


            model = Model()
        """,
        "app.py": """
            import jax

            from model import model


            def predict(x):
                return jax.jit(model.apply)(x)  # want: JAX105


            def serve(stream):
                for batch in stream:
                    predict(batch)


            def show(x):
                return jax.jit(model.kept)(x)  # ok: JAX105
        """,
    },
    "the default of a field": {
        "lib.py": filled(STEP, "ok"),
        "env.py": """
            import dataclasses

            import jax

            import lib


            @dataclasses.dataclass
            class Env:
                move: object = dataclasses.field(default=lib.scaled)

                def step(self, x):
                    return self.move(x)


            @jax.jit
            def run(env: Env, x):
                return env.step(x)
        """,
    },
    "modules of the same name in two folders": {
        "one/lib.py": filled(STEP, "ok"),
        "one/app.py": "import jax\nimport lib\n\nfast = jax.jit(lib.scaled)\n",
        "two/lib.py": filled(STEP, "want"),
        "two/app.py": "import lib\n\n\ndef use(x, count):\n    for _ in range(count): x = lib.scaled(x)\n",
    },
    "traced by tests alone, and run by a program": {
        "pkg/__init__.py": "",
        "pkg/tree.py": filled(TREE, "want"),
        "tests/test_tree.py": "import jax\nfrom pkg.tree import price\n\nfast = jax.jit(price, static_argnums=1)\n",
        "main.py": PRICES,
    },
    "traced by another part of the program as well": {
        "pkg/__init__.py": "",
        "pkg/tree.py": filled(TREE, "want"),
        "pkg/fast.py": "import jax\nfrom pkg.tree import price\n\nfast = jax.jit(price, static_argnums=1)\n",
        "main.py": PRICES,
    },
    "a helper that does the work of a loop": {
        "pkg/__init__.py": "",
        "pkg/buffer.py": """
            import jax
            import jax.numpy as jnp


            def add(buffer, at, x):
                return buffer.at[at].set(x).at[at + 1].set(jnp.mean(x)).at[at + 2].set(jnp.sum(x))


            def add_if_asked(buffer, at, x, asked):
                if asked:
                    return buffer.at[at].set(x).at[at + 1].set(jnp.mean(x)).at[at + 2].set(jnp.sum(x))
                return buffer


            @jax.jit
            def add_at_once(buffer, at, x):
                return add(buffer, at, x)
        """,
        "main.py": """
            import jax.numpy as jnp
            from pkg.buffer import add, add_at_once, add_if_asked


            def main(env, buffer, num_steps):
                for step in range(num_steps):
                    x = env.step(step)
                    buffer = add(buffer, step, x)  # want: JAX402
                    buffer = add_if_asked(buffer, step, x, False)  # ok: JAX402
                    buffer = add_at_once(buffer, step, x)  # ok: JAX402
                return buffer
        """,
    },
    "a class of another file that compiles in its constructor": {
        "workers.py": """
            from functools import partial

            import jax


            class Base:
                def __init__(self, rate):
                    self.rate = rate
                    self._step = jax.jit(self.step)
                    self.plain = self.step

                def step(self, x):
                    return x - self.rate * x

                def run(self, x):
                    return self._step(x)

                def describe(self):
                    return f"rate {self.rate}"


            class Worker(Base):
                def both(self, x):
                    return self.run(x) + self.run(2 * x)


            class Static:
                @partial(jax.jit, static_argnums=0)
                def step(self, x):
                    return 2 * x


            class Equal(Static):
                def __eq__(self, other):
                    return isinstance(other, Equal)

                def __hash__(self):
                    return 1


            @jax.jit
            def shared(x):
                return 2 * x


            class Shares:
                def __init__(self):
                    self._step = jax.jit(shared)

                def run(self, x):
                    return self._step(x)
        """,
        "pkg/__init__.py": "from workers import Worker\n",
        "app.py": """
            import workers
            from pkg import Worker
            from workers import Equal, Shares, Static

            kept = Worker(0.1)


            def epochs(xs):
                for x in xs:
                    Worker(0.1).both(x)  # want: JAX109


            def updated(x):
                worker = workers.Base(0.1)  # want: JAX109
                return worker.run(x)


            def doubled(x):
                return Static().step(x)  # want: JAX109


            def train(x, count):
                for _ in range(count):
                    x = doubled(updated(x))
                return x


            def again(xs):
                return [kept.run(x) for x in xs] + [Worker(0.1).describe()]  # ok: JAX109


            def by_value(x):
                return Equal().step(x)  # ok: JAX109


            def long_lived(x):
                return Shares().run(x)  # ok: JAX109


            def plainly(x):
                return Worker(0.1).plain(x)  # ok: JAX109


            def held(x):
                worker = Worker(0.1)  # ok: JAX109
                worker.run(x)
                return worker


            def main(x):
                print(Worker(0.1).run(x))
        """,
    },
    "a static argument of a function of another file": {
        "lib.py": """
            from functools import partial

            import jax
            import jax.numpy as jnp


            @partial(jax.jit, static_argnums=(1,))
            def padded(x, width, fill=0.0):
                return jnp.pad(x, width, constant_values=fill)


            powers = jax.jit(lambda x, n: x**n, static_argnames="n")
        """,
        "app.py": """
            import jax

            import lib
            from lib import padded as pad


            def widths(x, most):
                for width in range(most):
                    x = pad(x, width)  # want: JAX204
                return x


            def mapped(x, most):
                each = jax.vmap(lib.padded, in_axes=(0, None))
                return [each(x, width) for width in range(most)]  # want: JAX204


            def fills(x, most):
                for fill in range(most):
                    x = pad(x, 3, fill)  # ok: JAX204
                return x


            def few(x):
                return [pad(x, width) for width in (1, 2)]  # ok: JAX204


            def same(x, width):
                for _ in range(100):
                    x = lib.padded(x, width)  # ok: JAX204
                return x


            @jax.jit
            def compiled(x):
                for width in range(100):
                    x = lib.padded(x, width)  # ok: JAX204
                return x
        """,
    },
    "made anew in what another function calls in a loop": {
        "lib.py": """
            import jax


            class Search:
                def __init__(self, rate):
                    self.rate = rate

                def __call__(self, score, x):
                    @jax.jit  # want: JAX101
                    def step(x):
                        return x + self.rate * jax.grad(score)(x)

                    for _ in range(100):
                        x = step(x)
                    return x


            class Single:
                def __call__(self, score, x):
                    @jax.jit  # ok: JAX101
                    def step(x):
                        return x + jax.grad(score)(x)

                    for _ in range(100):
                        x = step(x)
                    return x


            def rounds(search, score, x, count):
                for _ in range(count):
                    x = search(score, x)
                return x


            def one(search, score, x):
                return search(score, x)
        """,
        "app.py": """
            from lib import *

            search = Search(0.1)
            print(rounds(search, sum, 1.0, 10))
            print(one(Single(), sum, 1.0))
        """,
    },
    "handed on by a method that an annotated object has called in a loop": {
        "solvers.py": """
            import jax

            from minimise import minimise


            class Solver:
                def solve(self, x):
                    raise NotImplementedError


            class Generic(Solver):
                def solve(self, x):
                    @jax.jit  # ok: JAX101
                    def objective(y):
                        return ((x - y) ** 2).sum()

                    return minimise(objective, x)


            class Other:
                def answer(self, x):
                    @jax.jit  # ok: JAX101
                    def objective(y):
                        return ((x - y) ** 2).sum()

                    return minimise(objective, x)
        """,
        "minimise.py": "def minimise(f, x):\n    return min(f(x), f(2 * x))\n",
        "admm.py": """
            from typing import Optional

            from solvers import Other, Solver


            class Outer:
                def __init__(self, solver: Optional[Solver] = None, other: "Other | None" = None):
                    self.solver = solver
                    self.other: Other = other

                def run(self, x):
                    for _ in range(100):
                        x = self.step(x)
                    return self.other.answer(x)

                def step(self, x):
                    return self.solver.solve(x)
        """,
    },
    "the named axis of a mapped function": {
        "lib.py": """
            import jax
            import jax.numpy as jnp


            def labels(x):
                found = jnp.zeros(x.shape)
                for row in range(x.shape[0]):  # want: JAX302
                    found = found.at[row, row].set(x[row, 0])
                return found


            def plain(x, name=None):
                if name is not None:
                    x = jax.lax.pmean(x, name)
                return jax.jit(lambda y: y * 2)(x)  # want: JAX102


            def settle(x, count):
                for _ in range(count):
                    x = plain(x)
                return x
        """,
        "loss.py": """
            import jax

            import lib


            def loss(x):
                x = jax.lax.all_gather(x, "batch")
                return jax.jit(lambda y: y.sum())(lib.labels(x))  # ok: JAX102
        """,
    },
    "an option of a compiled function": {
        "lib.py": """
            import jax
            import jax.numpy as jnp


            @jax.jit
            def edges(x, mode="zero"):
                return x * 2 if mode == "zero" else x  # want: JAX201


            @jax.jit
            def padded(x, mode="zero"):
                return x * 2 if mode == "zero" else x  # ok: JAX201
        """,
        "app.py": "import lib\n\n\ndef run(x):\n    return lib.padded(x)\n",
    },
    "a function of another file that decides by values": {
        "fits.py": """
            import jax.numpy as jnp


            def fitted(function, size):
                values = function(jnp.linspace(-1.0, 1.0, size))
                scale = jnp.max(jnp.abs(values)) + jnp.mean(jnp.square(values)) * jnp.sum(values)
                if bool(jnp.all(jnp.abs(values[-2:]) < scale)):
                    return values[:-2]
                return values


            def weighed(values, rate):
                scale = jnp.max(jnp.abs(values)) + jnp.mean(jnp.square(values)) * jnp.sum(values)
                if jnp.isnan(scale):
                    raise FloatingPointError("no number")
                return jnp.tanh(values) * rate + jnp.sin(values) * scale + jnp.cos(values)
        """,
        "main.py": """
            import jax.numpy as jnp

            from fits import fitted, weighed


            def main(values, n_steps=1000):
                for step in range(n_steps):  # want: JAX402
                    values = weighed(values, step) * 0.5
                for step in range(n_steps):  # ok: JAX402
                    values = values + fitted(jnp.sin, 8 + step)[0] * 0.5
                return values
        """,
    },
    "a guard before a call keeps traces out": {
        "checks.py": """
            import jax
            import jax.numpy as jnp


            def symmetric(apply, trials):
                worst, keys = jnp.zeros(()), jax.random.split(jax.random.key(0), trials)
                for i in range(1000):  # ok: JAX301, JAX302
                    x = jax.random.normal(keys[i], (4,))
                    worst = jnp.maximum(worst, jnp.vdot(x, apply(x)))
                return bool(worst < 1.0)


            def spread(apply, trials):
                worst, keys = jnp.zeros(()), jax.random.split(jax.random.key(0), trials)
                for i in range(1000):  # want: JAX301
                    x = jax.random.normal(keys[i], (4,))
                    worst = jnp.maximum(worst, jnp.vdot(x, apply(x)))
                return worst
        """,
        "solver.py": """
            import jax

            from checks import spread, symmetric


            @jax.jit
            def solved(x):
                if not isinstance(x, jax.core.Tracer):
                    symmetric(lambda y: y * 2, 64)
                return x / 2 + spread(lambda y: y * 2, 64)
        """,
    },
    "operators on arrays, in helpers as well, are operations": {
        "physics.py": """
            import jax


            def accelerated(x: jax.Array, v: jax.Array):
                return -x * 3.0 - v * 0.1 + x * x


            def moved(x: jax.Array, v: jax.Array, dt: float):
                v = v + accelerated(x, v) * dt
                return x + v * dt, v


            def summed(numbers: list[float], dt: float):
                return numbers[0] * dt + numbers[1] * dt + numbers[2] * dt + numbers[3] * dt
        """,
        "main.py": """
            import jax.numpy as jnp

            from physics import moved, summed


            def main():
                x, v = jnp.ones(100), jnp.zeros(100)
                for _ in range(5000):  # want: JAX402
                    x, v = moved(x, v, 0.01)
                for _ in range(5000):  # ok: JAX402
                    total = summed([1.0, 2.0, 3.0, 4.0], 0.01)
                return x, total


            main()
        """,
    },
    "what a mapped function captures keeps its value in the helpers of other files": {
        "weights.py": """
            import jax.numpy as jnp


            def kept(key, dead):
                alive = dead > 0
                return dead[alive].sum() * key  # ok: JAX208
        """,
        "main.py": """
            import jax

            from weights import kept


            def checked(key):
                if key < 0:  # want: JAX209
                    raise ValueError("a negative key")
                return key


            def sampled(keys, dead):
                return jax.vmap(lambda key: kept(checked(key), dead))(keys)
        """,
    },
    "imports that go round in a circle": {
        "a.py": "from b import *\nimport jax\n\n\ndef f(x):\n    return jax.jit(lambda y: y)(x)  # ok: JAX102\n",
        "b.py": "from a import *\nfrom c import g\n\nfast = g(f)\n",
        "c.py": "import a\nimport jax\n\n\ndef g(h):\n    return jax.jit(h)\n",
    },
}


def marked(project: Project, files: dict[str, str]) -> tuple[set[tuple[str, int, str]], set[tuple[str, int, str]]]:
    """Write the files; return the places that want a finding, and those that must have none."""
    places: dict[str, set[tuple[str, int, str]]] = {"want": set(), "ok": set()}
    for name, text in files.items():
        content = textwrap.dedent(text).lstrip("\n")
        project.write(name, content)
        for row, line in enumerate(content.splitlines(), 1):
            for mark in _MARK.finditer(line):
                places[mark["kind"]].add((name, row, mark["code"]))
    return places["want"], places["ok"]


def found(project: Project, *arguments: str) -> set[tuple[str, int, str]]:
    outcome = project.json(*arguments)
    assert outcome.err == ""
    return {(f["filename"], f["location"]["row"], f["code"]) for f in outcome.findings}


@pytest.mark.parametrize("name", PROJECTS)
def test_a_project(project: Project, name: str) -> None:
    want, ok = marked(project, PROJECTS[name])
    seen = found(project, "--preview")
    assert want <= seen
    assert not ok & seen
    # However many processes there are, and whether it was known.
    assert found(project, "--preview", "-j2", "--no-cache") == found(project, "--preview") == seen


def test_no_project_and_single_files_see_each_file_alone(project: Project) -> None:
    marked(project, PROJECTS["traced by an importer"])
    alone = {("lib.py", 5, "JAX102")}
    assert found(project) == set()
    assert found(project, "--no-project") == alone
    assert found(project, "lib.py", "app.py") == alone
    assert found(project, "lib.py", ".") == found(project, ".", "lib.py") == set()


def test_a_file_that_cannot_be_parsed_costs_only_itself(project: Project) -> None:
    marked(project, PROJECTS["traced by an importer"])
    project.write("broken.py", "import jax\nimport lib\njax.jit(\n")
    project.write("odd.py", b"# coding: nonsense\nimport jax\n")
    outcome = project.json()
    assert [(f["filename"], f["code"]) for f in outcome.findings] == [("broken.py", "JAX001"), ("odd.py", "JAX001")]
