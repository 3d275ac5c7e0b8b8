"""Programs in which a fix that is careless would change something: what belongs to a function, what runs at import,
what is shared, what types go in and out."""

from __future__ import annotations

import textwrap

_HEAD = "import functools\nfrom unittest import mock\n\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n"

_BODIES = {
    # What belongs to one function object.
    "custom_vjp with rules that capture": """
        def scaled(x, scale):
            @jax.custom_vjp
            def f(x):
                return x * 1.0
            def forward(x):
                return x * 1.0, None
            def backward(_, g):
                return (g * scale,)
            f.defvjp(forward, backward)
            return jax.jit(jax.grad(f))(x)
        print([float(scaled(1.0, s)) for s in (1.0, 2.0)])
        """,
    "custom_jvp with a decorated rule": """
        def scaled(x, scale):
            @jax.custom_jvp
            def f(x):
                return jnp.sin(x)
            @f.defjvp
            def rule(primals, tangents):
                return f(primals[0]), scale * tangents[0]
            return jax.jit(jax.grad(f))(x)
        print([float(scaled(1.0, s)) for s in (1.0, 2.0)])
        """,
    "custom_vjp by assignment": """
        def scaled(x, scale):
            def plain(x):
                return x * 1.0
            f = jax.custom_vjp(plain)
            f.defvjp(lambda x: (x, None), lambda _, g: (g * scale,))
            g = jax.jit(jax.value_and_grad(f))
            return g(x)[1]
        print([float(scaled(1.0, s)) for s in (1.0, 2.0)])
        """,
    "custom_jvp with defjvps, jitted by a decorator": """
        def scaled(x, scale):
            @jax.jit
            @jax.custom_jvp
            def f(x):
                return x * x
            f.__wrapped__.defjvps(lambda t, ans, x: scale * t)
            return jax.grad(f)(x)
        print([float(scaled(1.0, s)) for s in (1.0, 2.0)])
        """,
    "an attribute set on a loop body": """
        def compute(x, k):
            def body(i, v):
                return v + body.k
            body.k = k
            return jax.lax.fori_loop(0, 3, body, x)
        print([float(compute(1.0, k)) for k in (1.0, 2.0)])
        """,
    "an attribute set by setattr": """
        def compute(x, k):
            def f(v):
                return v * f.k
            setattr(f, "k", k)
            return jax.jit(f)(x)
        print([float(compute(1.0, k)) for k in (1.0, 2.0)])
        """,
    "an attribute set through a helper": """
        def tagged(f, k):
            f.k = k
            return f
        def compute(x, k):
            def f(v):
                return v + getattr(f, "k", 0.0)
            tagged(f, k)
            return jax.jit(f)(x)
        print([float(compute(1.0, k)) for k in (1.0, 2.0)])
        """,
    "a registry that compares functions": """
        SEEN = []
        def note(f):
            SEEN.append(f)
            return f
        def compute(x):
            def f(v):
                return v + 1
            note(f)
            return jax.jit(f)(x)
        compute(1.0), compute(1.0)
        print(len(SEEN), SEEN[0] is SEEN[1])
        """,
    "a compiled function that is returned too": """
        def compute(x):
            @jax.jit
            def f(v):
                return v + 1
            return f(x), f
        a, b = compute(1.0), compute(2.0)
        print(float(a[0]), a[1] is b[1])
        """,
    "a decorator that counts": """
        def counted(f):
            calls = []
            @functools.wraps(f)
            def inner(v):
                calls.append(1)
                return f(v) * len(calls)
            return inner
        def compute(x):
            @jax.jit
            @counted
            def f(v):
                return v + 1
            return f(x)
        print([float(compute(x)) for x in (1.0, 2, np.float32(3.0))])
        """,
    "a memo on a local helper": """
        def compute(x):
            @functools.lru_cache(maxsize=None)
            def helper(n):
                print("computed", n)
                return n * 2
            @jax.jit
            def f(v):
                return v * helper(3)
            return f(x)
        compute(1.0), compute(2.0)
        """,
    # What runs at import.
    "a wrapper that is patched in a with": """
        def plain(f):
            return lambda *a: ("plain", f(*a))
        def compute(x):
            with mock.patch("jax.jit", plain):
                @jax.jit
                def f(x):
                    return x + 1
                return f(x)
        print(compute(1.0))
        """,
    "a wrapper that is patched by the caller": """
        def compute(x):
            @jax.jit
            def f(x):
                return x + 1
            return f(x)
        with mock.patch("jax.jit", lambda f: lambda v: ("plain", f(v))):
            print(compute(1.0))
        """,
    "a wrapper that is patched by a decorator": """
        @mock.patch.object(jax, "vmap", lambda f: f)
        def compute(x):
            return jax.jit(jax.vmap(jnp.cumsum))(x)
        print(compute(jnp.ones((2, 2))))
        """,
    "a wrapper that is replaced and put back": """
        def compute(x):
            before, jax.jit = jax.jit, lambda f: lambda v: ("plain", f(v))
            try:
                return jax.jit(lambda v: v + 1)(x)
            finally:
                jax.jit = before
        print(compute(1.0))
        """,
    "a context manager of the file": """
        import contextlib
        @contextlib.contextmanager
        def replaced():
            before = jax.jit
            setattr(jax, "jit", lambda f: lambda v: ("plain", f(v)))
            yield
            setattr(jax, "jit", before)
        def compute(x):
            with replaced():
                return jax.jit(lambda v: v + 1)(x)
        print(compute(1.0))
        """,
    "an option that is refused in a try": """
        def check(x):
            try:
                return jax.jit(lambda x, n: x * n, static_argnames="m")(x, 2)
            except ValueError:
                return "refused"
        print(check(1.0))
        """,
    "an option that the caller expects to be refused": """
        def check(x):
            @functools.partial(jax.jit, static_argnums=5)
            def f(x):
                return x
            return f(x)
        try:
            print(check(1.0))
        except Exception as error:
            print("refused")
        """,
    "no function is compiled in a test of errors": """
        THREE = 3
        def bad():
            return jax.jit(THREE)(1.0)
        try:
            bad()
        except TypeError:
            print("refused")
        """,
    "a transform with an option that is refused": """
        def bad(x):
            return jax.jit(jax.vmap(jnp.sin, in_axes=[0]))(x)
        try:
            print(bad(jnp.ones(2)))
        except (TypeError, ValueError):
            print("refused")
        """,
    "an attribute behind hasattr": """
        def compute(x):
            if hasattr(jax.nn, "brand_new"):
                return jax.jit(jax.vmap(jax.nn.brand_new))(x)
            return x
        print(compute(1.0))
        """,
    "an attribute behind a version": """
        NEW = tuple(map(int, jax.__version__.split(".")[:2])) > (99, 0)
        def compute(x):
            return jax.jit(jax.grad(jnp.brand_new))(x) if NEW else x
        print(compute(1.0))
        """,
    "an attribute that the caller guards": """
        def newer(x):
            return jax.jit(jax.vmap(jax.lax.brand_new))(x)
        print(newer(1.0) if hasattr(jax.lax, "brand_new") else 1.0)
        """,
    "an attribute in a hint": """
        def compute(x):
            if not hasattr(jnp, "brand_new"):
                return x
            @jax.jit
            def f(v: jnp.brand_new):
                return v + 1
            return f(x)
        print(compute(1.0))
        """,
    "an optional import": """
        try:
            from not_installed import loss
        except ImportError:
            loss = None
        def compute(x):
            if loss is None:
                return x
            return jax.jit(jax.grad(loss))(x)
        print(compute(1.0))
        """,
    "an optional import without another value": """
        try:
            import not_installed
        except ImportError:
            pass
        def compute(x):
            return jax.jit(jax.grad(not_installed.loss))(x)
        try:
            compute(1.0)
        except NameError:
            print("missing")
        """,
    "a name that is bound under a condition": """
        FAST = False
        if FAST:
            def loss(v):
                return v * v
        def compute(x):
            return jax.jit(jax.grad(loss))(x) if FAST else x
        print(compute(1.0))
        """,
    "a name that is bound later": """
        def compute(x):
            return jax.jit(jax.grad(loss))(x)
        def setup():
            global loss
            loss = lambda v: v * v
        setup()
        print(compute(1.0))
        """,
    "an array in a partial": """
        @functools.partial(jax.jit, static_argnames=("fn",))
        def app(x, fn):
            return fn(x)
        def compute(x):
            return app(x, functools.partial(jnp.multiply, jnp.arange(3)))
        jax.config.update("jax_enable_x64", True)
        print(compute(3).dtype)
        """,
    "an array in a default": """
        def compute(x):
            return jax.jit(lambda v, t=jnp.arange(3): v + t)(x)
        jax.config.update("jax_enable_x64", True)
        print(compute(3).dtype)
        """,
    "an array in a default of a helper": """
        def compute(x):
            def helper(v, t=jnp.ones(2)):
                return v + t
            @jax.jit
            def f(v):
                return helper(v) * 2
            return f(x)
        jax.config.update("jax_enable_x64", True)
        print(compute(3.0).dtype)
        """,
    "devices in an option": """
        def compute(x):
            return jax.jit(lambda v: v + 1, device=jax.devices()[0])(x)
        def main():
            try:
                print(compute(1.0))
            except TypeError:
                print("no such option")
        main()
        """,
    "a key in a closure of a factory": """
        def make():
            key = jax.random.PRNGKey(0)
            return jax.jit(lambda x: x + jax.random.normal(key))
        def compute(x):
            return make()(x)
        jax.config.update("jax_enable_x64", True)
        print(compute(1.0).dtype)
        """,
    # What is shared.
    "an object behind an alias": """
        class Registry:
            def __init__(self):
                self.items = {}
            def set(self, k, v):
                self.items[k] = v
        REG = Registry()
        ALIAS = REG
        def compute(x):
            return jax.jit(lambda x: x * ALIAS.items.get("k", 1.0))(x)
        first = float(compute(1.0))
        REG.set("k", 4.0)
        print([first, float(compute(1.0))])
        """,
    "an object that a function is given": """
        class State:
            k = 1.0
        STATE = State()
        def bump(state):
            state.k += 1.0
        def compute(x):
            @jax.jit
            def f(v):
                return v * STATE.k
            return f(x)
        out = []
        for _ in range(2):
            out.append(float(compute(1.0)))
            bump(STATE)
        print(out)
        """,
    "a global that is written by its name": """
        SCALE = 1.0
        def set_scale(value):
            globals()["SCALE"] = value
        def compute(x):
            return jax.jit(lambda v: v * SCALE)(x)
        first = float(compute(1.0))
        set_scale(3.0)
        print(first, float(compute(1.0)))
        """,
    "a global that is patched by its name": """
        SCALE = 1.0
        def compute(x):
            return jax.jit(lambda v: v * SCALE)(x)
        first = float(compute(1.0))
        import sys
        setattr(sys.modules.get("__main__") or sys.modules[__name__], "SCALE", 3.0)
        with mock.patch.dict(compute.__globals__, SCALE=4.0):
            print(first, float(compute(1.0)))
        """,
    "an array of NumPy behind another name": """
        WEIGHTS = np.ones(3)
        VIEW = WEIGHTS[:]
        def compute(x):
            return jax.jit(lambda v: jnp.sum(v * WEIGHTS))(x)
        first = float(compute(1.0))
        VIEW[:] = 2.0
        print(first, float(compute(1.0)))
        """,
    "a class attribute through an alias": """
        class Config:
            scale = 1.0
        config = Config
        def compute(x):
            return jax.jit(lambda v: v * Config.scale)(x)
        first = float(compute(1.0))
        config.scale = 2.0
        print(first, float(compute(1.0)))
        """,
    "a factory with state": """
        def make():
            state = {"n": 0}
            def f(x):
                state["n"] += 1
                return x + state["n"]
            return jax.jit(f)
        def compute(xs):
            out = []
            for x in xs:
                out.append(float(make()(x)))
            return out
        print(compute([1.0, jnp.float32(2.0), 3]))
        """,
    "a factory with a list of what it was asked": """
        def make(scale=2.0):
            log = []
            @jax.jit
            def f(x):
                log.append(x)
                return x * scale + len(log)
            return f
        def compute(x):
            return float(make()(x))
        print(compute(1.0), compute(2), compute(jnp.int32(3)))
        """,
    "a factory that counts itself": """
        import itertools
        COUNT = itertools.count(1)
        def make():
            n = next(COUNT)
            return jax.jit(lambda x: x * n)
        def compute(x):
            return float(make()(x))
        print(compute(1.0), compute(1.0))
        """,
    "a factory that hands its function on": """
        def make():
            def f(x):
                return x + 1.0
            g = jax.jit(f)
            g.used = 0
            return g
        def compute(x):
            g = make()
            g.used += 1
            return float(g(x)), g.used
        try:
            print(compute(1.0), compute(1.0))
        except AttributeError:
            print("no attributes")
        """,
    "a star import below": """
        tau = 1.0
        def compute(x):
            return jax.jit(lambda v: v * tau)(x)
        print(compute(1.0))
        from math import *
        print(compute(1.0))
        """,
    "a global that is written into the names of the module": """
        tau = 1.0
        def compute(x):
            return jax.jit(lambda v: v * tau)(x)
        print(compute(1.0))
        locals()["tau"] = 2.0
        print(compute(1.0))
        """,
    "a global that a text binds": """
        tau = 1.0
        def compute(x):
            return jax.jit(lambda v: v * tau)(x)
        print(compute(1.0))
        eval("(tau := 3.0)")
        print(compute(1.0))
        """,
    "an array that is deleted": """
        W = jnp.ones(3)
        def compute(x):
            return jax.jit(lambda v: v * W)(x)
        print(compute(1.0))
        W.delete()
        print(compute(1.0))
        """,
    "leaves of which only asarray makes arrays": """
        def total(tree):
            return jax.tree.map(lambda v: jnp.sum(jnp.asarray(v)), tree)
        print(total([range(3)]))
        """,
    "the name of a static lambda": """
        @functools.partial(jax.jit, static_argnums=1)
        def apply(x, f):
            return f(x)
        def run(x):
            f = lambda v: v + 1
            return apply(x, f), f.__qualname__
        print(run(1.0))
        """,
    "types that are mapped beside arrays": """
        def restored(params, types):
            for _ in range(3):
                params = jax.tree.map(jnp.astype, params, types)
            return params
        print(restored({"a": jnp.ones(2)}, {"a": jnp.dtype("int32")}))
        """,
    "a derivative by the first argument": """
        @jax.jit
        def root(x, z):
            return x * z
        for _ in range(3):
            print(root(x=1.0, z=2.0))
        print(jax.jacrev(root)(1.0, 2.0))
        """,
    "a static argument that collects": """
        class Log(list):
            __hash__ = object.__hash__
        @functools.partial(jax.jit, static_argnames=("log",))
        def step(x, log):
            log.append(1)
            return x * len(log)
        def compute(x):
            return float(step(x, log=Log()))
        print(compute(1.0), compute(2))
        """,
    "a default that collects": """
        def compute(x):
            def f(v, seen=[]):
                seen.append(1)
                return v * len(seen)
            return float(jax.jit(f)(x))
        print(compute(1.0), compute(2))
        """,
    "a helper that remembers": """
        def helper(v, memo={}):
            memo[len(memo)] = 1
            return v * len(memo)
        def compute(x):
            return float(jax.jit(lambda v: helper(v))(x))
        print(compute(1.0), compute(2.0))
        """,
    "a function of the module with an attribute": """
        def scaled(v):
            return v * scaled.k
        scaled.k = 1.0
        def compute(x):
            return float(jax.jit(jax.grad(scaled))(x))
        first = compute(1.0)
        alias = scaled
        alias.k = 5.0
        print(first, compute(1.0))
        """,
    # Types.
    "a pytree compared with an attribute": """
        class Item:
            def __init__(self, v):
                self.v = v
            def is_traced(self):
                return isinstance(self.v, jax.core.Tracer)
            def __eq__(self, other):
                return self.v == other.v
            def __hash__(self):
                return 1
        jax.tree_util.register_pytree_node(Item, lambda b: ((b.v,), None), lambda _, c: Item(c[0]))
        class Meta(type):
            def __new__(mcs, name, bases, body):
                for number, (key, value) in enumerate(list(body.items())):
                    if isinstance(value, str) and key[0] != "_":
                        body[key] = Item(number)
                return super().__new__(mcs, name, bases, dict(body))
        class Enumeration(metaclass=Meta):
            pass
        class A(Enumeration):
            x = "foo"
            y = "bar"
        @jax.jit
        def compute(a):
            assert a.is_traced()
            return a == A.x
        print(bool(compute(A.x)), bool(compute(A.y)))
        """,
    "a module of the name that a tree would get": """
        from jax import tree
        def stacked(values):
            def twice(n):
                return tree.map(lambda v: jnp.stack([v, v]), n)
            print(twice(values))
        for n in range(3):
            stacked({"a": jnp.ones(2) * n})
        """,
    "a tree with an array for static data": """
        class Grid:
            def __init__(self, v, names):
                self.v, self.names = v, names
        jax.tree_util.register_pytree_node(Grid, lambda g: ((g.v,), g.names), lambda a, c: Grid(c[0], a))
        def square(t):
            return jax.tree.map(lambda x: jnp.square(x), t)
        print(square(Grid(jnp.ones(2), np.arange(3))).v, square(Grid(jnp.ones(2), np.arange(3))).v)
        """,
    "a registered class with a list for static data": """
        @jax.tree_util.register_pytree_node_class
        class Grid:
            def __init__(self, v, names):
                self.v, self.names = v, names
            def tree_flatten(self):
                return (self.v,), self.names
            @classmethod
            def tree_unflatten(cls, names, children):
                return cls(*children, names)
        def square(t):
            return jax.tree.map(jnp.square, t)
        for _ in range(2):
            print(square(Grid(jnp.ones(2), ["a"])).v)
        """,
    "rounding in the last digits": """
        def update(params, grads):
            return jax.tree.map(lambda p, g: p - 0.1 * g / (1.0 + jnp.sqrt(jnp.abs(g))), params, grads)
        tree = {"a": jnp.linspace(0.1, 3.0, 1001), "b": jnp.linspace(1.0, 9.0, 77)}
        print(jax.tree.map(lambda x: np.asarray(x).tobytes().hex(), update(tree, tree)))
        """,
    "a number of repetitions": """
        def copies(tree, n):
            out = jax.tree.map(lambda x: jnp.stack([x] * n), tree)
            return out
        print(copies({"a": jnp.ones(2)}, 3)["a"].shape)
        """,
    "operations that are watched": """
        def logs(tree):
            return jax.tree.map(lambda x: jnp.log(x), tree)
        jax.config.update("jax_debug_nans", True)
        try:
            print(logs([jnp.array(-1.0)]))
        except FloatingPointError:
            print("not a number")
        """,
    "a list for a static argument whose error is expected": """
        @functools.partial(jax.jit, static_argnames=("axes",))
        def total(x, axes):
            return jnp.sum(x, axis=axes)
        def compute(x):
            try:
                return total(x, axes=[0])
            except (ValueError, TypeError):
                return "refused"
        print(compute(jnp.ones((2, 2))))
        """,
    "the names of a function": """
        def compute(x):
            def f(v):
                return v + 1
            return float(jax.jit(f)(x)), "f" in dir()
        print(compute(1.0))
        """,
    "a global that exec binds": """
        exec("K = 1.0")
        def compute(x):
            return float(jax.jit(lambda v: v * K)(x))
        first = compute(1.0)
        exec("K = 3.0", compute.__globals__)
        print(first, compute(1.0))
        """,
    "text in a result": """
        jax.jit
        def report(x):
            return {"name": "sine", "value": jnp.sin(x)}
        print(report(1.0)["name"])
        """,
    "a number in a result": """
        jax.jit
        def report(x):
            return jnp.sin(x), 3
        print(report(1.0)[1])
        """,
    "a staticmethod below a wrapper": """
        class Net:
            jax.jit
            @staticmethod
            def forward(x):
                return jnp.sin(x)
        print(Net.forward(1.0))
        """,
    "a classmethod below a wrapper": """
        class Net:
            jax.jit
            @classmethod
            def forward(cls, x):
                return jnp.sin(x)
        print(Net.forward(1.0))
        """,
    "a property below a wrapper": """
        class Net:
            jax.jit
            @property
            def one(self):
                return jnp.ones(1)
        print(Net().one)
        """,
    "a method that does not use its instance": """
        class Net:
            jax.jit
            def forward(self, x):
                return jnp.sin(x)
        print(Net().forward(1.0))
        """,
    "an error that is expected": """
        @jax.jit
        def power(x, n):
            out = 1.0
            for _ in range(n):
                out = out * x
            return out
        def check():
            try:
                return power(2.0, 3)
            except Exception as error:
                return type(error).__name__
        print(check())
        """,
    "a misspelt option whose error is expected": """
        def check():
            try:
                @functools.partial(jax.jit, static_argnames=("lenght",))
                def f(x, length):
                    return x + jnp.ones(length)
                return f(1.0, length=2)
            except Exception as error:
                return type(error).__name__
        print(check())
        """,
    # Who sees that a function has another name, or that the module has one more.
    "a name that a helper prints": """
        def timed(f, x):
            print("calling", f.__name__)
            return f(x)
        def compute(x):
            @jax.jit
            def step(v):
                return v + 1
            return float(timed(step, x))
        print(compute(1.0))
        """,
    "functions that are collected at import": """
        def compute(x):
            @jax.jit
            def f(v):
                return v + 1
            return float(f(x))
        TABLE = sorted(name for name, value in list(globals().items()) if callable(value))
        def other():
            return TABLE
        print(other(), compute(1.0))
        """,
    "functions in a traceback": """
        import sys
        import traceback
        def compute(x):
            @jax.jit
            def f(v):
                raise KeyError("no")
            try:
                return f(x)
            except KeyError:
                return [row.name for row in traceback.extract_tb(sys.exc_info()[2]) if row.filename == __file__]
        print(compute(1.0))
        """,
    "a name that belongs to its class": """
        def _Net__loss(v):
            return v * 2.0
        def __loss(v):
            return v * 50.0
        class Net:
            def compute(self, x):
                return float(jax.jit(jax.grad(__loss))(x))
        print(Net().compute(1.0))
        """,
    # What is replaced.
    "a function of a library that is patched": """
        def compute(x):
            @jax.jit
            def f(v):
                return jnp.sin(v)
            return float(f(x))
        first = compute(1.0)
        with mock.patch.object(jnp, "sin", jnp.cos):
            print(first, compute(1.0))
        """,
    "a function of a library that is assigned": """
        import math
        def compute(x):
            return float(jax.jit(jax.grad(lambda v: v * math.floor(2.5)))(x))
        first, before = compute(1.0), math.floor
        math.floor = lambda v: 9.0
        print(first, compute(1.0))
        math.floor = before
        """,
    "an imported name that is bound by its text": """
        from jax.numpy import sin
        def compute(x):
            def f(v):
                return sin(v)
            return float(jax.jit(jax.vmap(f))(x)[0])
        first = compute(jnp.ones(1))
        globals()["sin"] = jnp.cos
        print(first, compute(jnp.ones(1)))
        """,
    "a frozen object that is set all the same": """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Options:
            scale: float = 1.0
        OPTIONS = Options()
        def compute(x):
            return float(jax.jit(lambda v: v * OPTIONS.scale)(x))
        first = compute(1.0)
        object.__setattr__(OPTIONS, "scale", 4.0)
        print(first, compute(1.0))
        """,
    "a class that is changed, whose objects are frozen": """
        from typing import NamedTuple
        class Options(NamedTuple):
            scale: float = 2.0
        OPTIONS = Options()
        def compute(x):
            return float(jax.jit(lambda v: v * OPTIONS.scale)(x))
        first = compute(1.0)
        Options.scale = property(lambda options: 9.0)
        print(first, compute(1.0))
        """,
    "a partial whose state is set": """
        scaled = functools.partial(jnp.multiply, 2.0)
        def compute(x):
            return float(jax.jit(lambda v: scaled(v))(x))
        first = compute(1.0)
        scaled.__setstate__((jnp.multiply, (9.0,), {}, {}))
        print(first, compute(1.0))
        """,
    "a compiled function that reads what changes": """
        SCALE = [1.0]
        @functools.partial(jax.jit, static_argnames="fn")
        def apply(x, fn):
            return fn(x) * SCALE[0]
        def compute(x):
            return float(apply(x, fn=lambda v: v + 1))
        first = compute(1.0)
        SCALE[0] = 3.0
        print(first, compute(1.0))
        """,
    "a compiled function that notes its traces": """
        SEEN = []
        @functools.partial(jax.jit, static_argnames="fn")
        def apply(x, fn):
            SEEN.append(fn)
            return fn(x)
        def compute(x):
            return float(apply(x, fn=lambda v: v + 1))
        print(compute(1.0), compute(1.0), len(SEEN))
        """,
    # Who catches an error.
    "an error that a decorator catches": """
        def guarded(function):
            def inner(*given):
                try:
                    return function(*given)
                except Exception as error:
                    return type(error).__name__
            return inner
        @guarded
        @jax.jit
        def power(x, n):
            for _ in range(n):
                x = x * 2
            return x
        print(power(1.0, 3))
        """,
    "an error that a manager of the file catches": """
        class Catching:
            def __enter__(self):
                return self
            def __exit__(self, kind, error, trace):
                print(kind and kind.__name__)
                return True
        @jax.jit
        def power(x, n):
            for _ in range(n):
                x = x * 2
            return x
        def compute():
            with Catching():
                power(1.0, 3)
        compute()
        """,
    "an error that a future keeps": """
        from concurrent.futures import ThreadPoolExecutor
        @jax.jit
        def power(x, n):
            for _ in range(n):
                x = x * 2
            return x
        def compute():
            with ThreadPoolExecutor(1) as pool:
                return pool.submit(power, 1.0, 3).exception()
        print(type(compute()).__name__)
        """,
    "an error that a return in `finally` drops": """
        @jax.jit
        def power(x, n):
            for _ in range(n):
                x = x * 2
            return x
        def compute():
            done = False
            try:
                power(1.0, 3)
                done = True
            finally:
                return done
        print(compute())
        """,
    "an error that an example shows": """
        import doctest
        @jax.jit
        def power(x, n):
            '''Double.

            >>> power(1.0, 3)
            Traceback (most recent call last):
            ...
            jax.errors.TracerIntegerConversionError: ...
            '''
            for _ in range(n):
                x = x * 2
            return x
        def failures():
            flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
            runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
            for example in doctest.DocTestFinder().find(power, "power", globs={"power": power}):
                runner.run(example, out=lambda text: None)
            return runner.failures
        print(failures())
        """,
    "an error that a helper catches": """
        @jax.jit
        def power(x, n):
            for _ in range(n):
                x = x * 2
            return x
        def outcome(call):
            try:
                return float(call())
            except Exception as error:
                return type(error).__name__
        thrice = functools.partial(power, n=3)
        def compute():
            print(outcome(lambda: thrice(1.0)))
        compute()
        """,
}


def _program(body: str) -> str:
    """Return a file whose last statements run only as a script."""
    lines = textwrap.dedent(body).strip("\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line and not line[0].isspace()]
    last = max((i for i in starts if lines[i].startswith(("def ", "class ", "@"))), default=-1)
    first = next(i for i in starts if i > last)
    main = [f"    {line}" if line else line for line in lines[first:]]
    return "\n".join([_HEAD, *lines[:first], 'if __name__ == "__main__":', *main, ""])


PROGRAMS = {name: _program(body) for name, body in _BODIES.items()}
