"""Contexts by themselves: who dispatches, transforms or stages the functions of a module."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Settings, Source
from jaxlint.facts.context.contexts import Contexts
from jaxlint.facts.evidence.confidence import Doubt
from jaxlint.facts.incoming import HIGH, NOTHING, Incoming
from jaxlint.facts.module import ModuleFacts
from jaxlint.facts.summary.exports import exports
from jaxlint.project import Project
from jaxlint.project.values import Module

EAGER, TRANSFORMED, STAGED, UNKNOWN = Contexts.EAGER, Contexts.TRANSFORMED, Contexts.STAGED, Contexts.UNKNOWN


def facts_of(text: str, incoming: Incoming = NOTHING) -> ModuleFacts:
    source = Source.from_bytes(f"import jax\nimport jax.numpy as jnp\n{textwrap.dedent(text)}".encode(), "module.py")
    return ModuleFacts.of(source, Settings(), incoming)


def contexts(text: str, name: str) -> Contexts:
    facts = facts_of(text)
    return facts.contexts.of(next(f for f in facts.tree.functions if f.qualname == name))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("def f(x): return x", UNKNOWN, id="nobody calls it"),
        pytest.param("def f(x): return x\nf(1)", EAGER, id="module level calls it"),
        pytest.param("@jax.jit\ndef f(x): return x\nf(1)", STAGED, id="a decorator compiles it"),
        pytest.param("def f(x): return x\njax.jit(f)(1)", STAGED, id="compiled on the spot"),
        pytest.param("def f(x): return x\njax.jit(f)(1)\nf(1)", STAGED | EAGER, id="both, and neither wins"),
        pytest.param("def f(x): return x\njax.vmap(f)(1)", TRANSFORMED, id="eager vmap"),
        pytest.param("def f(x): return x\njax.grad(f)(1)", TRANSFORMED, id="eager grad"),
        pytest.param("def f(x): return x\ng = jax.grad(f)\ng(1)", TRANSFORMED, id="eager grad by a name"),
        pytest.param("def f(x): return x\njax.vjp(f, 1)", TRANSFORMED, id="eager vjp"),
        pytest.param("def f(x): return x\njax.eval_shape(f, 1)", TRANSFORMED, id="only shapes"),
        pytest.param("def f(x): return x\njax.jit(jax.vmap(f))(1)", STAGED, id="a compiled vmap"),
        pytest.param(
            "def f(x): return x\ng = jax.grad(f)\n@jax.jit\ndef h(x): return g(x)\nh(1)", STAGED, id="under h"
        ),
        pytest.param("def f(x): return x\ng = jax.grad(f)", UNKNOWN, id="a gradient that nobody calls"),
        pytest.param("def f(c, x): return c, x\njax.lax.scan(f, 0, 1)", STAGED, id="the body of an eager scan"),
        pytest.param("def f(x): return x\njax.tree.map(f, [1])", EAGER, id="a map over leaves dispatches"),
        pytest.param(
            "def f(x): return x\ng = jax.jit(f) if FAST else f\ng(1)", STAGED, id="compiled unless an option says not"
        ),
        pytest.param(
            "def f(x): return x\ndef fast(x): return jax.jit(f)(x)\ng = fast if FAST else f\ng(1)",
            STAGED,
            id="run by what compiles it unless an option says not",
        ),
        pytest.param(
            "def helper(h): return jax.jit(h)\ndef f(x): return x\nhelper(f)(1)", STAGED, id="a helper that compiles"
        ),
        pytest.param(
            """
            def helper(h):
                def run(x):
                    return h(x)
                return jax.jit(run)
            def f(x): return x
            helper(f)(1)
            """,
            STAGED,
            id="a helper that compiles what calls it",
        ),
        pytest.param(
            "def helper(h, flag):\n    return jax.jit(h) if flag else h\ndef f(x): return x\ng = helper(f, FLAG)\ng(1)",
            STAGED,
            id="a helper that compiles under a flag",
        ),
        pytest.param(
            """
            class Model:
                def __init__(self):
                    self.f = jax.jit(self.f)
            def main():
                Model().f(1)
            def f(x): return x
            """,
            UNKNOWN,
            id="another of the same name",
        ),
    ],
)
def test_contexts_of_a_function(text: str, expected: Contexts) -> None:
    assert contexts(text, "f") == expected


def test_a_method_that_the_constructor_compiles_is_staged_only() -> None:
    text = """
    class Model:
        def __init__(self):
            self.step = jax.jit(self.step)

        def step(self, x):
            return x

    def main():
        model = Model()
        model.step(1)

    main()
    """
    assert contexts(text, "Model.step") == STAGED


def test_what_a_transformed_function_calls_is_transformed() -> None:
    text = "def f(x): return x\ndef outer(x): return f(x)\nfor _ in range(9):\n    jax.vmap(lambda x: outer(x))(1)"
    assert contexts(text, "f") == TRANSFORMED
    assert contexts(text, "outer") == TRANSFORMED


def test_unknown_says_why() -> None:
    facts = facts_of("def f(x): return x\ng = jax.grad(f)")
    assert facts.contexts.known(facts.tree.functions[0]).reasons == ("what traces it may be compiled",)


def test_what_a_subclass_runs_instead_is_not_run() -> None:
    text = """
    class Sampler:
        def sweep(self, x): return x
        def chain(self, x): return jax.jit(self.sweep)(x)
        def sample(self, x): return self.sweep(x)
    {}
    def main(sampler: Sampler):
        print(sampler.sample(1))
    if __name__ == "__main__":
        main(make())
    """
    assert contexts(text.format(""), "Sampler.sweep") == STAGED | EAGER
    own = "class Slow(Sampler):\n        def sweep(self, x): return x"
    assert contexts(text.format(own), "Sampler.sweep") == STAGED


BASE = """
import jax
class Solver:
    def __post_init__(self):
        if self.jit:
            self.update = jax.jit(self.update)
    def update(self, x): raise NotImplementedError
    def run(self, x):
        for _ in range(9): x = self.update(x)
        return x
"""
NEWTON = "from base import Solver\nclass Newton(Solver):\n    def update(self, x): return x\n"
OTHER = "from base import Solver\nclass Other(Solver):\n    def update(self, x): return x\n"
MAIN = "from newton import Newton\nif __name__ == '__main__':\n    print(Newton().run(1))\n"


def test_an_attribute_of_the_instance_hides_the_method() -> None:
    """What a base class compiles in its constructor is what all calls of that name run."""
    for base, eager in ((BASE, 0), (BASE.replace("self.update = jax.jit(self.update)", "pass"), HIGH)):
        outside = told(("newton.py", NEWTON), ("base.py", base), ("main.py", MAIN)).functions["Newton.update"]
        assert outside.eager == eager


@pytest.mark.parametrize(
    ("body", "traced"),
    [
        ("return jax.lax.psum(x, 'i')", True),
        ("return jax.lax.psum(x, axis)", True),
        ("return x if axis is None else jax.lax.psum(x, axis)", False),
        ("if axis is not None:\n        x = jax.lax.psum(x, axis)\n    return x", False),
        ("if axis is None:\n        return x\n    return jax.lax.psum(x, axis)", False),
        ("if axis is None:\n        axis = 'i'\n    return jax.lax.psum(x, axis)", True),
    ],
)
def test_a_function_that_always_uses_a_named_axis_is_mapped(body: str, *, traced: bool) -> None:
    facts = facts_of(f"def f(x, axis=None):\n    {body}")
    assert facts.tracing.is_traced(facts.tree.functions[0]) is traced


@pytest.mark.parametrize(
    ("text", "traced"),
    [
        ("def f(x): return x\nfast = jax.jit(f)", True),  # other modules may call it
        ("def f(x): return x\nfast = jax.jit(f)\nprint(f(1))", False),
        ("def f(x): return x\nfast = jax.jit(f)\nprint(f(1), fast(1))", True),
        ("def f(x): return x\ndef g(x):\n    fast = jax.jit(f)\n    return x", False),
        ("def f(x): return x\ndef g(x):\n    fast = jax.jit(f)\n    return fast(x)", True),
        ("def g(x):\n    @jax.jit\n    def f(x): return x\n    return x", False),
        ("def g(x):\n    @jax.jit\n    def f(x): return x\n    return f", True),
        ("def f(x): return x\nif False: print(jax.jit(f)(1))", False),
        ("def f(x): return x\nprint(jax.jit(f)(1) if True else f(1))", True),
    ],
)
def test_a_wrapper_that_nothing_uses_traces_nothing(text: str, *, traced: bool) -> None:
    facts = facts_of(text)
    function = next(function for function in facts.tree.functions if function.name == "f")
    assert facts.tracing.is_traced(function) is traced


def test_an_instance_may_have_the_compiled_form_of_a_method() -> None:
    """After `model.run = jax.jit(model.run)`, whoever calls `run` of that instance runs the compiled one."""
    model = "class Model:\n    def run(self, x): return x\n"
    loop = "def fit(model: Model):\n    for x in range(99): model.run(x)\n"
    main = "import jax\nfrom model import Model\nfrom fit import fit\nif __name__ == '__main__':\n    model = Model()\n"
    main += "    {}\n    fit(model)\n"
    for kept, eager in (("model.run = jax.jit(model.run)", 0), ("fast = jax.jit(model.run)", HIGH)):
        files = (("model.py", model), ("fit.py", "from model import Model\n" + loop), ("main.py", main.format(kept)))
        assert told(*files).functions["Model.run"].eager == eager


def test_a_call_of_one_of_several_is_not_of_what_is_compiled() -> None:
    model = (
        "import jax\ndef infer(x): return x\n@jax.jit\ndef _compiled(x): return infer(x)\n"
        "def fast(x): return _compiled(x)\n"
    )
    run = "from model import infer, fast\nif __name__ == '__main__':\n    run = {}\n    print(run(1))\n"
    for text, eager in (("infer", HIGH), ("fast if FAST else infer", 0)):
        assert told(("model.py", model), ("run.py", run.format(text))).functions["infer"].eager == eager


def test_the_main_block_of_a_library_shows_what_it_does() -> None:
    """A loop in the main block of a module that others use repeats nothing of theirs."""
    text = "def step(x): return jax.lax.scan(lambda c, t: (c + x, c), x, None, 3)[0]\n"
    text += "if __name__ == '__main__':\n    for i in range(99): print(step(i))\n"
    user = "import jax\nfrom env import step\nprint(jax.jit(step)(1.0))\n"
    loop = "from env import step\nif __name__ == '__main__':\n    for i in range(99): print(step(i))\n"
    for files, shown in (([], False), ([user], True), ([loop], False)):
        others = [(f"{number}.py", other) for number, other in enumerate(files)]
        facts = facts_of(text, told(("env.py", f"import jax\n{text}"), *others))
        (site,) = facts.eager_sites.bodies
        assert (Doubt.SHOWN in facts.evidence.eager_site(site).doubts) is shown


def test_a_project_tells_that_a_method_is_overridden_elsewhere() -> None:
    incoming = told(("base.py", BASE), ("newton.py", NEWTON), ("other.py", OTHER))
    assert incoming.functions["Solver.update"].overridden
    assert "Solver.run" not in incoming.functions


@pytest.mark.parametrize(
    ("body", "call", "expected"),
    [
        ("jax.lax.cond(x > 0, lambda v: v * x, lambda v: v, x)", "jax.vmap(f)(xs)", True),
        ("jax.lax.switch(x, [lambda v: v * x, lambda v: v], x)", "jax.vmap(f)(xs)", True),
        ("jax.lax.cond(x > 0, lambda v: v * x, lambda v: v, x)", "jax.vmap(jax.grad(f))(xs)", True),
        ("jax.lax.cond(x > 0, lambda v: v * x, lambda v: v, x)", "jax.grad(f)(xs)", False),
        ("jax.lax.cond(x > 0, lambda v: v * x, lambda v: v, x)", "f(xs)", False),
        ("jax.lax.cond(FLAG > 0, lambda v: v * x, lambda v: v, x)", "jax.vmap(f)(xs)", False),
        ("jax.lax.fori_loop(0, 3, lambda i, v: v * x, x)", "jax.vmap(f)(xs)", False),
    ],
)
def test_under_vmap_a_cond_selects(body: str, call: str, *, expected: bool) -> None:
    """Measured with jax 0.10.2: after the first call, nothing compiles where `vmap` maps over the predicate."""
    facts = facts_of(f"FLAG = jnp.ones(())\ndef f(x): return {body}\nfor xs in batches: print({call})")
    (site,) = facts.eager_sites.bodies
    assert facts.evidence.eager_site(site).traced is expected


def told(*files: tuple[str, str]) -> Incoming:
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(text), Settings())), Settings())
        for name, text in files
    ]
    return Project(modules).incoming(0)
