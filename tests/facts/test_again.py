"""How often what compiles runs: loops that do the same again, loops over cases, runs, and functions that are given."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from jaxlint import Settings, Source
from jaxlint.facts.errors.staged import Usage
from jaxlint.facts.evidence.confidence import Doubt, Evidence, graded
from jaxlint.facts.incoming import CASES, STEPS
from jaxlint.facts.module import ModuleFacts
from jaxlint.facts.summary.exports import exports
from jaxlint.facts.syntax.tree import last_name
from jaxlint.facts.values.iterations import is_step_loop
from jaxlint.project import Project
from jaxlint.project.values import Module

LOOPS = [
    ("for _ in range(n): f()", True),
    ("for i in range(3): f()", True),
    ("for i in tqdm(range(n)): f()", True),
    ("for i in progress(range(n), total=n): f()", True),
    ("while not done: f()", True),
    ("for batch in loader: f()", True),
    ("for step, batch in enumerate(batches): f()", True),
    ("for i in range(len(batches)): f()", True),
    ("for level in levels: f()", False),
    ("for i, level in enumerate(levels): f()", False),
    ("for i in range(len(levels)): f()", False),
    ("for n in qubit_range: f()", False),
    ("for name, part in parts.items(): f()", False),
    ("for a, b in zip(surveys, functions): f()", False),
    ("for i, case in zip(range(3), cases): f()", False),
    ("for path in paths: f()", False),
    ("while node is not None: f()", False),
    ("while len(found) < 3: f()", False),
]


@pytest.mark.parametrize(("text", "expected"), LOOPS)
def test_what_counts_does_the_same_again_and_what_goes_through_things_does_not(text: str, *, expected: bool) -> None:
    facts = facts_of(f"def f(): pass\ndef g(n):\n    {text}")
    (site,) = facts.calls.of(facts.tree.functions[0])
    assert site.context.loop is not None
    assert is_step_loop(site.context.loop) is expected


LEAVING = [
    ("while True:\n        try:\n            return f()\n        except OSError:\n            pass", False),
    ("while n:\n        try:\n            with n:\n                f()\n            break\n        finally: n", False),
    ("while True:\n        try:\n            f()\n            if n: continue\n        finally: n\n        break", True),
    ("for _ in range(n):\n        try:\n            f()\n        except OSError:\n            break", True),
    ("while True:\n        f()\n        if n:\n            break", True),
    ("while True:\n        f()\n        if n:\n            continue\n        break", True),
    ("for _ in range(n):\n        while True:\n            f()\n            break", True),
]


@pytest.mark.parametrize(("text", "expected"), LEAVING)
def test_a_loop_that_only_tries_again_repeats_nothing(text: str, *, expected: bool) -> None:
    one = facts_of(f"def f(): pass\ndef g(n):\n    {text}")
    assert one.runs.is_repeated(one.tree.functions[0]) is expected


def facts_of(text: str, path: str = "module.py") -> ModuleFacts:
    source = Source.from_bytes(f"import jax\nimport jax.numpy as jnp\n{textwrap.dedent(text)}".encode(), path)
    return ModuleFacts.of(source, Settings())


SITE = """
def f(x):
    def g(v):
        return v + 1
    return jax.jit(g)(x)
"""


def evidence(text: str, path: str = "module.py") -> Evidence:
    facts = facts_of(text, path)
    return facts.evidence.site(facts.sites[0])


@pytest.mark.parametrize(
    "run",
    [
        "def train(x):\n    for _ in range(9): x = f(x)\n    return x",
        "def train(x):\n    while x.sum() < 1: x = f(x)",
        "def middle(x): return f(x)\ndef train(x, batches):\n    for batch in batches: middle(batch)",
        "def train(x, epochs):\n    for epoch in range(epochs): f(epoch)",
        "def train(x, cases):\n    for case in cases: x = f(x)",
    ],
)
def test_a_loop_that_does_the_same_again_repeats_it(run: str) -> None:
    assert evidence(SITE + run).repeated


@pytest.mark.parametrize(
    "run",
    [
        "def study(levels):\n    for level in levels: f(level)",
        "def study():\n    for depth in range(1, 6): f(depth)",
        "def study(levels): return [f(level) for level in levels]",
        "class Net:\n    def __init__(self, n):\n        self.parts = [f(1.0) for _ in range(n)]",
        "def restarted(x):\n    for _ in range(5): x = f(x)",
        "RESTARTS = 3\ndef restarted(x):\n    for _ in range(RESTARTS): x = f(x)",
    ],
)
def test_a_loop_over_cases_does_not(run: str) -> None:
    found = evidence(SITE + run)
    assert not found.repeated
    assert Doubt.CASES in found.doubts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(SITE, False, id="a value of its arguments"),
        pytest.param("def f(x):\n    y = jax.jit(lambda v: v)(x)\n    print(y)\n    return y", True, id="prints"),
        pytest.param("def f(x):\n    y = jax.jit(lambda v: v)(x)\n    save(y)", True, id="writes"),
        pytest.param("def f(n):\n    x = load(n)\n    return jax.jit(lambda v: v)(x)", True, id="reads"),
        pytest.param("def f():\n    return jax.jit(lambda v: v)(1)", True, id="always the same"),
        pytest.param(
            "class A:\n    @property\n    def f(self):\n        return jax.jit(lambda v: v)", False, id="a property"
        ),
        pytest.param(
            "def f(x, n):\n    for _ in range(n): x = step(x)\n    return jax.jit(lambda v: v)(x)",
            True,
            id="counts steps",
        ),
        pytest.param(
            "def f(text):\n    xs = []\n    for part in text:\n        xs.append(number(part))\n"
            "    return jax.jit(lambda v: v)(jnp.array(xs))",
            False,
            id="gathers its arguments",
        ),
        pytest.param(
            "def f(x):\n    assert_shape(x, 3)\n    return jax.jit(lambda v: v)(x)", False, id="checks its arguments"
        ),
    ],
)
def test_what_does_more_than_compute_a_value_is_a_run(text: str, *, expected: bool) -> None:
    assert (Doubt.UNREPEATED in evidence(text).doubts) is expected


@pytest.mark.parametrize("path", ["study.ipynb.py", "examples/study.py", "scripts/study.py"])
def test_nobody_imports_what_an_example_defines(path: str) -> None:
    assert Doubt.UNREPEATED in evidence(SITE, path).doubts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("def f(g, x): return jax.jit(jax.vmap(g))(x)", True, id="wrapped"),
        pytest.param("def f(g, x):\n    def h(v): return g(v)\n    return jax.jit(h)(x)", True, id="called"),
        pytest.param(
            "def f(g, x):\n    k = jax.grad(g)\n    def h(v): return k(v)\n    return jax.jit(h)(x)",
            True,
            id="called differentiated",
        ),
        pytest.param("def f(op, x): return jax.jit(jax.grad(getattr(jnp, op.name)))(x)", True, id="looked up"),
        pytest.param("def f(x): return jax.jit(jax.grad(getattr(jnp, NAME)))(x)", False, id="looked up by a constant"),
        pytest.param("def f(a, x): return jax.jit(lambda v: v * a)(x)", False, id="a number"),
        pytest.param("def f(m, x): return jax.jit(lambda v: m.apply(v))(x)", False, id="an object with a method"),
        pytest.param(
            "def make(g):\n    def f(x): return jax.jit(lambda v: g(v))(x)\n    return f", False, id="to the factory"
        ),
        pytest.param("def f(config, x): return jax.jit(make_train(config))(x)", True, id="what a factory is told of"),
        pytest.param("def f(g, x): return jax.jit(jax.vmap(solver(g)))(x)", True, id="what a factory is given"),
        pytest.param(
            "def f(g, x):\n    g = plain(g)\n    return jax.jit(jax.vmap(solver(g)))(x)", True, id="by another factory"
        ),
        pytest.param("def f(x): return jax.jit(make_train(CONFIG))(x)", False, id="a factory, told by the module"),
        pytest.param(
            "class A:\n    def f(self, x): return jax.jit(make_train(self))(x)",
            False,
            id="a factory, told by the instance",
        ),
    ],
)
def test_each_function_that_is_given_is_a_program_of_its_own(text: str, *, expected: bool) -> None:
    assert (Doubt.GIVEN in evidence(text).doubts) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(g, x): return jax.lax.fori_loop(0, 3, lambda i, v: g(v), x)", True),
        ("def f(a, x): return jax.lax.fori_loop(0, 3, lambda i, v: a * v, x)", False),
        ("def f(g, x):\n    while True: x = jax.lax.fori_loop(0, 3, lambda i, v: g(v), x)", False),
        ("def f(g, x): return jax.lax.fori_loop(0, 3, lambda i, v: g(v), x)\nx = 1\nwhile True: x = f(h, x)", False),
    ],
)
def test_a_loop_of_jax_that_runs_what_is_given_is_a_program_of_its_own(text: str, *, expected: bool) -> None:
    facts = facts_of(text)
    (site,) = facts.eager_sites.bodies
    assert (Doubt.GIVEN in facts.evidence.eager_site(site).doubts) is expected


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("def train(h, x):\n    for _ in range(9): x = f(h, x)", False),
        ("def train(x):\n    for _ in range(9):\n        def h(v): return v\n        f(h, x)", True),
        ("def train(x):\n    for _ in range(9): f(lambda v: v, x)", True),
    ],
)
def test_a_loop_gives_the_same_function_unless_it_defines_it(run: str, *, expected: bool) -> None:
    assert (Doubt.GIVEN in evidence(f"def f(g, x): return jax.jit(jax.vmap(g))(x)\n{run}").doubts) is expected


def test_what_the_caller_gives_is_the_same_in_each_iteration() -> None:
    found = evidence("def f(g, x):\n    for _ in range(9): x = jax.jit(jax.grad(g))(x)")
    assert found.in_loop
    assert Doubt.GIVEN not in found.doubts


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("config[k] = v", True),
        ("config['seed'] = v", True),
        ("config['seed'] = 1", False),
        ("other[k] = v", False),
    ],
)
def test_a_setting_that_differs_needs_a_program_each(body: str, *, expected: bool) -> None:
    text = (
        f"def f(config, found, x):\n    for k, v in found:\n        {body}\n        jax.jit(jax.vmap(make(config)))(x)"
    )
    assert (Doubt.OWN_PROGRAM in evidence(text).doubts) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def g(x): return f(x)", False),
        ("def g(x): return f(x)\ndef train(x): return h(g(x))", False),
        ("def train(x):\n    print(f(x))", True),
        ("def train(x):\n    y = f(x)\n    save(y)\n    return y\ndef main(x):\n    print(train(x))", True),
        ("def g(x): return f(x)\ndef train(x):\n    print(f(x))", False),
    ],
)
def test_a_calculation_that_only_runs_make_is_a_part_of_them(text: str, *, expected: bool) -> None:
    assert (Doubt.UNREPEATED in evidence(SITE + text).doubts) is expected


def test_a_project_that_does_not_repeat_a_function_says_so() -> None:
    once = "from lib import f\ndef g(x): return f(x)\n"
    for others, expected in (((), False), ((("other.py", "import json\n"),), False), ((("use.py", once),), True)):
        modules = [
            Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
            for name, content in (("lib.py", LIB), *others)
        ]
        incoming = Project(modules).incoming(0)
        facts = ModuleFacts.of(Source.from_bytes(LIB.encode(), "lib.py"), Settings(), incoming)
        assert (Doubt.UNREPEATED in facts.evidence.site(facts.sites[0]).doubts) is expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("model = Model(config)", True),
        ("size = config['n']\n        model = nets.Model(size)", True),
        ("model = Model(CONFIG)", False),
        ("model = jnp.asarray(config)", False),
        ("model = CONFIG", False),
    ],
)
def test_an_object_that_an_iteration_makes_needs_a_program_each(made: str, *, expected: bool) -> None:
    text = f"""
        def make_step(model):
            @jax.jit
            def step(x): return model.apply(x)
            return step

        def compare(configs, x):
            for config in configs:
                {made.replace(chr(10), chr(10) + "        ")}
                print(make_step(model)(x))
    """
    facts = facts_of(text)
    (site,) = facts.factory_calls
    assert (Doubt.OWN_PROGRAM in facts.evidence.site(site).doubts) is expected


def test_a_jaxpr_is_a_program_of_its_own() -> None:
    text = """
    def rule(eqn, args):
        jaxpr = eqn.params["jaxpr"]
        return jax.jit(jax.tree_util.Partial(evaluate, jaxpr.jaxpr))(args)
    """
    assert Doubt.OWN_PROGRAM in evidence(text).doubts


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for n in range(2, 9):\n        def g(v): return v[:n]\n        jax.jit(g)(x)", True),
        ("for n in range(2, 9):\n        m = 2**n\n        def g(v): return jnp.ones(m)\n        jax.jit(g)(x)", True),
        (("for n in range(2, 9):\n        def g(v):\n            for _ in range(n): v = 2 * v\n            return v\n"
         "        jax.jit(g)(x)"), True),
        ("for n in range(2, 9):\n        def g(v, m=n): return v[:m]\n        jax.jit(g)(x)", True),
        ("for n in range(2, 9):\n        def g(v): return grown(v, n)\n        jax.jit(g)(x)", True),
        ("for n in range(2, 9):\n        def g(v): return v * n\n        jax.jit(g)(x)", False),
        ("for n in range(2, 9):\n        def g(v): return v\n        jax.jit(g)(x)", False),
    ],
)  # fmt: skip
def test_a_size_that_differs_in_a_loop_needs_a_program_each(body: str, *, expected: bool) -> None:
    text = f"def grown(v, size): return v + jnp.ones(size)\ndef f(x):\n    {body}"
    assert (Doubt.OWN_PROGRAM in evidence(text).doubts) is expected


LIB = "import jax\ndef f(x):\n    return jax.jit(lambda v: v)(x)\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("train.py", "from lib import f\ndef train(x):\n    for _ in range(9): x = f(x)", STEPS),
        ("train.py", "from lib import f\ndef g(x): return f(x)\ndef train(x):\n    while True: g(x)", STEPS),
        ("train.py", "from lib import f\ndef train(x, epochs):\n    for epoch in range(epochs): f(epoch)", STEPS),
        ("study.py", "from lib import f\ndef study(levels):\n    for level in levels: f(level)", CASES),
        ("study.py", "from lib import f\ndef study():\n    for depth in range(1, 6): f(depth)", CASES),
        ("net.py", "from lib import f\nclass A:\n    def __init__(self, n):\n        for _ in range(n): f(1)", CASES),
        ("examples/study.py", "from lib import f\ndef study(levels):\n    for level in levels: f(level)", 0),
        ("examples/train.py", "from lib import f\ndef train(x):\n    for _ in range(9): x = f(x)", STEPS),
        ("use.py", "from lib import f\nf(1)", 0),
        (
            "use.py",
            "from lib import f\ndef g():\n    for _ in range(5):\n        try: return f(1)\n        except E: pass",
            0,
        ),
        ("use.py", "from lib import f\ndef g(h, n):\n    for _ in range(n): f(h)", STEPS),
        ("use.py", "from lib import f\ndef g(n):\n    for _ in range(n): f(lambda v: v)", CASES),
        (
            "use.py",
            "from lib import f\ndef g(n):\n    for _ in range(n):\n        def h(v): return v\n        f(h)",
            CASES,
        ),
        (
            "wrap.py",
            (
                "from lib import f\ndef logged(h):\n    def g(x): return h(x)\n    return g\n"
                "def other(x): return x\na, b = logged(f), logged(other)\n"
                "def train(x):\n    for _ in range(9): x = b(x)"
            ),
            0,
        ),
    ],
)
def test_a_project_tells_what_kind_of_loop_runs_a_function(path: str, text: str, expected: int) -> None:
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
        for name, content in (("lib.py", LIB), (path, text))
    ]
    outside = Project(modules).incoming(0).functions.get("f")
    assert (outside.again if outside is not None else 0) == expected


def test_the_body_of_a_loop_in_a_pallas_kernel_is_traced() -> None:
    text = """
    from jax.experimental import pallas as pl
    def kernel(x_ref, out_ref):
        def body(i, carry):
            return carry + x_ref[pl.ds(i, 1)]
        out_ref[0] = jax.lax.fori_loop(0, 2, body, 0.0)
    def host(x):
        def body(i, carry):
            return carry + x
        return jax.lax.fori_loop(0, 2, body, 0.0)
    """
    facts = facts_of(text)
    kernel, host = (f for f in facts.tree.functions if f.outer is None)
    assert facts.contexts.is_traced_only(kernel)
    assert not facts.contexts.is_traced_only(host)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def make(n):\n    def g(v): return v * n\n    return jax.jit(g)", True),
        ("@cache\ndef make(n):\n    def g(v): return v * n\n    return jax.jit(g)", False),
        (
            (
                "def make(n, kept):\n    made = kept.get(n)\n    if made is None:\n        def g(v): return v * n\n"
                "        made = kept[n] = jax.jit(g)\n    return made"
            ),
            False,
        ),
        (
            (
                "KEPT = {}\ndef make(n):\n    if n not in KEPT:\n        KEPT[n] = jax.jit(lambda v: v * n)\n"
                "    return KEPT[n]"
            ),
            False,
        ),
    ],
)
def test_a_factory_that_keeps_what_it_makes_is_none(text: str, *, expected: bool) -> None:
    facts = facts_of(f"from functools import cache\n{text}\ndef use(x, *kept): return make(2, *kept)(x)")
    assert bool(facts.factory_calls) is expected


def test_a_project_knows_a_memoised_factory() -> None:
    maker = "from functools import lru_cache\nimport jax\n{}def make(n):\n    return jax.jit(lambda v: v * n)\n"
    use = "from lib import make\ndef use(x): return make(2)(x)\n"
    for decorator, expected in (("", {"lib.make"}), ("@lru_cache(maxsize=None)\n", set())):
        modules = [
            Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
            for name, content in (("lib.py", maker.format(decorator)), ("use.py", use))
        ]
        assert Project(modules).incoming(1).factories == expected


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        (
            "for model in models:\n    def g(c, _): return model.step(c), c\n    jax.lax.scan(g, x, None, length=9)",
            True,
        ),
        (
            "for model in models:\n    def g(c, _): return model.step(c), c\n    jax.lax.scan(g, model.x, None, 9)",
            False,
        ),
        ("for rate in rates:\n    def g(c, _): return c * rate, c\n    jax.lax.scan(g, x, None, length=9)", False),
        ("for batch in batches:\n    def g(c, _): return step(c), c\n    jax.lax.scan(g, x, None, length=9)", False),
        ("for _ in range(n):\n    def g(c, _): return step(c), c\n    jax.lax.scan(g, x, None, length=9)", False),
        ("for name in names:\n    y = load(name)\n    jax.lax.scan(lambda c, v: (c, v * 2), 0, y)", False),
        (
            (
                "for part in parts:\n    if isinstance(part, Pair):\n        def g(c, _): return step(c), c\n"
                "        jax.lax.scan(g, part.x, None, length=9)"
            ),
            True,
        ),
    ],
)
def test_a_loop_that_gives_a_scan_no_data_goes_through_cases(loop: str, *, expected: bool) -> None:
    facts = facts_of(loop)
    (site,) = facts.eager_sites.bodies
    assert (Doubt.CASES in facts.evidence.eager_site(site).doubts) is expected


@pytest.mark.parametrize(("made", "expected"), [("np.asarray(b)", True), ("jnp.asarray(b)", False), ("np.pi", False)])
def test_who_converts_to_numpy_cannot_be_compiled_around_a_solver(made: str, *, expected: bool) -> None:
    text = f"""
    import numpy as np
    def f(operator, b):
        rhs = {made}
        return jax.scipy.sparse.linalg.cg(operator, rhs)
    for b in batches: f(operator, b)
    """
    facts = facts_of(text)
    (site,) = facts.eager_sites.solvers
    assert (Doubt.INTERRUPTED in facts.evidence.eager_site(site).doubts) is expected


UNROLLED = """
@jax.jit
def f(x, state):
    {}
    return x
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for t in range(x.shape[0]): state = state * 0.9 + x[t]", False),
        ("for t in range(x.shape[1]): state = state * 0.9 + x[:, t]", False),
        ("for t in range(x.shape[1]): state = state + x[:, t] * jnp.sin(state)", False),
        ("for t in range(x.shape[1]): state = state + x[:, t] * 2", True),
        ("for t in range(x.shape[1]): state = state.at[t % 2].add(x[:, t] * 2)", True),
        ("for t in range(x.shape[1]): state = state.at[t].set(x[:, t] * 2)", True),
        ("n_steps = x.shape[1]\n    for t in range(n_steps): state = state.at[t].set(x[:, t] * 2)", False),
        ("n_steps = x.shape[1]\n    for t in range(n_steps): state = state + x[:, t] * 2", True),
        ("for t in range(x.shape[1]): state = state.at[t].set(x[:, t] * state[t - 1])", False),
        ("out = []\n    for t in range(x.shape[1]): out.append(jnp.sin(x[:, t]) * 2)", True),
        ("for t in range(state.messages.shape[0]): x = x + state.messages[t] * 2", True),
        ("for t in range(x.shape[0]): state = state + x[t] * jnp.power(state, t)", True),
        ("for t in range(x.shape[0]): state = state + x[t] * state**t", True),
    ],
)
def test_what_is_long_is_the_first_axis_of_what_a_caller_gives_or_a_recursion(body: str, *, expected: bool) -> None:
    facts = facts_of(UNROLLED.format(body))
    large = [loop.large for loop in facts.data_loops]
    assert any(large) is not expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for k in range(n):\n        m = n - k\n        x = x[:m] + 1", True),
        ("for k in range(n):\n        x = x[:k] + 1", True),
        ("for k in range(n):\n        x = x[k : k + 3] + 1", False),
        ("for k in range(n):\n        x = x + x[k]", False),
    ],
)
def test_a_bound_that_is_computed_from_the_count_is_another_shape(body: str, *, expected: bool) -> None:
    facts = facts_of(f"@partial(jax.jit, static_argnames='n')\ndef f(x, n):\n    {body}\n    return x")
    assert facts.loops._is_ragged(facts.tree.loops[0]) is expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f(x)", False),
        ("with pytest.raises(jax.errors.TracerBoolConversionError): f(x)", True),
        ("with self.assertRaises(TypeError):\n    f(x)", True),
        ("try:\n    f(x)\nexcept jax.errors.TracerBoolConversionError:\n    pass", True),
        ("try:\n    f(x)\nexcept Exception:\n    pass", False),
        ("with jax.named_scope('f'): f(x)", False),
    ],
)
def test_an_error_that_is_expected_is_no_finding(call: str, *, expected: bool) -> None:
    facts = facts_of(f"@jax.jit\ndef f(x):\n    if x > 0: return x\n    return -x\n{call}")
    test = next(node for node in map(facts.tree.parent, facts.tree.loads["x"]) if isinstance(node, cst.Comparison))
    assert facts.evidence.error(test).traced is expected


def test_calls_of_wrappers_within_wrappers_are_calls_of_the_function() -> None:
    text = """
    class A:
        def __init__(self): self.step = jax.jit(jax.vmap(self._step))
        def _step(self, x, debug=False): return x
        def run(self, x): return self.step(x)
    """
    facts = facts_of(text)
    step = next(function for function in facts.tree.functions if function.name == "_step")
    (site,) = facts.calls.of(step)
    assert site.wrapped
    assert facts.staged.usage(step.parameters[2]) is Usage.OMITTED


KEPT = """
class Actor:
    def __init__(self): self.params = 1
    {asked}
class Agent:
    def __init__(self): self.actor = {made}
    @partial(jax.jit, static_argnums=0)
    def loss(self, x): return self.actor.score(x)
    def train(self, x):
        for _ in range(9):
            print(self.loss(x))
            self.actor.params = 2
"""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("def score(self, x): return x * self.params", "high"),
        ("def score(self, x): return x", None),
        ("@partial(jax.jit, static_argnums=0)\n    def score(self, x): return x", None),
        ("pass", "low"),
    ],
)
def test_a_method_that_does_not_read_what_changes_is_not_stale(asked: str, expected: str | None) -> None:
    facts = facts_of("from functools import partial\n" + KEPT.format(asked=asked, made="Actor()"))
    found = [graded(facts.evidence.stale(stale)) for stale in facts.stale.reads]
    assert [grade.label for grade in found if grade is not None] == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("head", "call", "expected"),
    [
        ("fast=True", "f(x)", True),
        ("fast=True", "f(x, fast=False)", False),
        ("fast=False", "f(x)", False),
        ("fast", "f(x, False)", False),
    ],
)
def test_what_a_flag_leaves_off_does_not_fail(head: str, call: str, *, expected: bool) -> None:
    text = f"""
    def f(x, {head}):
        if fast:
            return x
        else:
            return float(x)
    @jax.jit
    def g(x): return {call}
    """
    facts = facts_of(text)
    place = next(call for call in facts.tree.calls if last_name(call.func) == "float")
    assert (Doubt.OMITTED in facts.evidence.error(place).doubts) is expected


@pytest.mark.parametrize(("given", "expected"), [("n", True), ("n, steps", False)])
def test_the_elements_of_a_default_that_no_call_replaces_are_none_to_check(given: str, *, expected: bool) -> None:
    text = f"""
    def sparse(n, steps=[1, 10]):
        return [float(step) for step in steps]

    def run(n, steps):
        return jax.jit(sparse, static_argnums=0)({given})
    """
    facts = facts_of(text)
    place = next(call for call in facts.tree.calls if last_name(call.func) == "float")
    assert (Doubt.OMITTED in facts.evidence.error(place.args[0].value).doubts) is expected
