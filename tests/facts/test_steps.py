"""Steps of training that nothing compiles: in loops, deep in what they call, and in loops of other files."""

from __future__ import annotations

import textwrap

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.facts.evidence.confidence import Doubt
from jaxlint.facts.module import ModuleFacts
from jaxlint.facts.summary.exports import exports
from jaxlint.facts.values.iterations import is_reached_rarely
from jaxlint.finding import Confidence
from jaxlint.project import Project
from jaxlint.project.values import Module
from tests.facts.test_contexts import facts_of

LOSS = """
def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)
"""


def found(text: str) -> list[tuple[str, str]]:
    """Return the codes and confidences of the findings about eager loops and steps."""
    source = Source.from_bytes(f"import jax, optax\nimport jax.numpy as jnp\n{textwrap.dedent(text)}".encode(), "m.py")
    return [
        (finding.code, finding.confidence.label)
        for finding in lint(source, Settings(min_confidence=Confidence.LOW))
        if finding.code in ("JAX402", "JAX405")
    ]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("i % 100 == 0", True),
        ("(i + 1) % every == 0", True),
        ("not i % every", True),
        ("verbose and i % every == 0", True),
        ("i == 0", True),
        ("i == n - 1", True),
        ("now", True),
        ("i % every == 0 or i == n - 1", True),
        ("i % 2 == 0", False),
        ("i % every != 0", False),
        ("i > 100", False),
        ("verbose", False),
        ("i % every == 0 or verbose", False),
    ],
)
def test_few_iterations_get_past_a_test(test: str, *, expected: bool) -> None:
    facts = facts_of(f"""
    def f(n, every, verbose):
        for i in range(n):
            now = i % every == 0
            if {test}:
                g(i)
    """)
    call = next(call for call in facts.tree.calls if facts.code(call) == "g(i)")
    assert is_reached_rarely(facts.names, call, facts.tree.loops[0]) is expected


MODEL = """
def fit(model, key, batches, steps):
    params = model.init(key, batches[0])
    for i, batch in enumerate(batches):
        {}
        print(x)
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = model.apply(params, batch)", [("JAX405", "medium")]),
        ("x = other.apply(fn, batch)", []),
        ("x = other.apply(params, batch)", [("JAX405", "medium")]),
        ("x = other.apply(params)", []),
        ("params = other.apply(params, grads)", []),
        ("params, state = other.apply(params, batch, state)", []),
        ("model.apply = jax.jit(model.apply); x = model.apply(params, batch)", []),
        ("x = model.apply(params, batch) if i % 100 == 0 else 0", []),
        ("x = model.apply(params, batch) if i > 100 else 0", [("JAX405", "medium")]),
    ],
)
def test_what_has_parameters_of_a_key_is_a_model(body: str, expected: list[tuple[str, str]]) -> None:
    assert found(MODEL.format(body)) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("state.apply_fn({'params': state.params}, batch)", ["JAX405"]),
        ("state.apply_fn(params=state.params, x=batch)", ["JAX405"]),
        ("state.apply_fn(lambda x: x.astype(float))", []),
        ("state.apply_fn(jnp.sqrt)", []),
        ("state.apply_fn(scaled, batch)", []),
    ],
)
def test_a_train_state_applies_its_model_to_variables_and_an_input(call: str, expected: list[str]) -> None:
    text = f"""
def scaled(x):
    return 2 * x

def fit(state, batches):
    for batch in batches:
        print({call})
"""
    assert [code for code, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("jax.grad(lambda h: loss(h, x))(jnp.asarray(1.0))", []),
        ("jax.grad(lambda h: loss(h, x))(jnp.asarray(params))", []),
        ("jax.grad(lambda h: loss(h, x))(jnp.asarray(self.params))", ["JAX405"]),
        ("jax.grad(loss)(x, params)", []),
        ("jax.grad(loss)(params, x)", []),
        ("nnx.grad(lambda m: loss(m, x))(params)", ["JAX405"]),
    ],
)
def test_a_gradient_at_points_of_its_own_is_no_step(call: str, expected: list[str]) -> None:
    text = f"""{LOSS}
from flax import nnx
class Check:
    def run(self, points, params):
        for x in points:
            print({call})
"""
    assert [code for code, _ in found(text) if code == "JAX405"] == expected


@pytest.mark.parametrize(("steps", "rounds", "expected"), [(30, 1, "low"), (300, 1, "high"), (30, 20, "high")])
def test_few_steps_in_all_are_no_matter(steps: int, rounds: int, expected: str) -> None:
    loss = f"def loss(params, batch):\n    return jnp.mean({'jnp.sin(batch @ params) + ' * rounds}0.0)\n"
    text = f"""{loss}
params = jnp.ones(3)
for _ in range({steps}):
    params = params - 0.1 * jax.grad(loss)(params, jnp.ones((2, 3)))
"""
    assert ("JAX405", expected) in found(text)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [("range(n)", "low"), ("tqdm(range(n))", "medium"), ("trange(n)", "medium")],
)
def test_a_progress_bar_shows_that_a_loop_runs_on_the_host(bound: str, expected: str) -> None:
    text = f"""
from flax import nnx
from tqdm import tqdm, trange
class Sampler:
    def __init__(self, model: nnx.Module):
        self.model = model

    def sampled(self, x, n):
        for i in {bound}:
            x = x - self.model(x, i) / n
        return x
"""
    assert found(text) == [("JAX405", expected)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("x = x + self.model(x)", "JAX405"),
        ("x = x + jax.vmap(self.model)(x)", "JAX405"),
        ("x = x + jax.jit(self.model)(x)", ""),
        ("x = x + self.scale(x)", ""),
    ],
)
def test_what_is_declared_to_be_a_module_is_a_model(statement: str, expected: str) -> None:
    text = f"""
import equinox as eqx
class Sampler:
    def __init__(self, model: eqx.Module, scale):
        self.model, self.scale = model, scale

    def sampled(self, x, n):
        for _ in range(n):
            {statement}
            print(x)
"""
    assert "".join(code for code, _ in found(text)) == expected


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("net", "net(x[: net.length])", ["JAX405"]),
        ("net", "net(x, mask=x)", ["JAX405"]),
        ("net", "net(x[: net.width])", []),
        ("net", "net(x, scale=x)", []),
        ("net", "net(x)", []),
        ("net: Callable", "net(x, mask=x)", []),
        ("net", "jax.jit(net)(x, mask=x)", []),
    ],
)
def test_what_is_used_as_a_module_of_the_file_is_one(parameter: str, value: str, expected: list[str]) -> None:
    text = f"""
from typing import Callable
from flax import nnx

class Net(nnx.Module):
    def __init__(self, length, rngs):
        self.length = length
        self.one, self.two = nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x, mask=None):
        return self.two(self.one(x))

def generated({parameter}, x, n):
    for _ in range(n):
        x = {value}
        print(int(jnp.argmax(x)))
    return x
"""
    assert [code for code, _ in found(text) if code == "JAX405"] == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("print(jax.vmap(jax.grad(loss), in_axes=(None, 0))(params, xs))", set()),
        ("params = params - jax.vmap(jax.grad(loss), in_axes=(None, 0))(params, xs).mean(0)", {"JAX405"}),
        ("total += jax.grad(loss)(params, xs)", {"JAX405"}),
        ("total = jax.tree.map(jnp.add, total, jax.grad(loss)(params, xs))", {"JAX405"}),
        ("total += jax.grad(loss)(xs, params)", {"JAX402"}),
        ("params = params - jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))(params, xs).mean(0)", set()),
    ],
)
def test_gradients_at_several_points_are_no_step(statement: str, expected: set[str]) -> None:
    text = f"""{LOSS}
def fitted(params, batches, total):
    for xs in batches:
        {statement}
"""
    assert {code for code, _ in found(text)} == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[loss(params, x) for x in batches]", ["JAX405"]),
        ("[loss(x, batches[0]) for x in points]", []),
        ("[loss(params, batches[0]) + x for x in points]", []),
    ],
)
def test_points_of_a_plot_are_no_evaluation(value: str, expected: list[str]) -> None:
    text = f"""
def loss(params, batch):
    return jnp.mean((jnp.tanh(batch @ params) - jnp.sin(batch @ params)) ** 2)

gradient = jax.jit(jax.grad(loss))

def shown(params, batches, points):
    print({value})
"""
    assert [code for code, _ in found(text) if code == "JAX405"] == expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [("", {"JAX405"}), ("jitted", set())],
)
def test_a_gradient_of_what_has_arguments_bound_is_a_step(of: str, expected: set[str]) -> None:
    text = f"""
from functools import partial
def loss(params, batch, scale):
    return jnp.mean((batch @ params) ** 2) * scale

jitted = jax.jit(loss)

def fit(params, batches):
    scaled = partial({of or "loss"}, scale=2.0)
    for batch in batches:
        params = params - 0.1 * jax.grad(scaled)(params, batch)
    return params
"""
    assert {code for code, _ in found(text) if code == "JAX405"} == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("y = model.apply(params, x)", ["JAX405"]), ("_ = model.apply(params, x)", []), ("model.apply(params, x)", [])],
)
def test_what_is_discarded_is_measured(statement: str, expected: list[str]) -> None:
    text = f"""
def run(model, params, batches):
    for x in batches:
        {statement}
        print(x)
"""
    assert [code for code, _ in found(text) if code == "JAX405"] == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [("state, reward, done = env.step(state, action)", ["JAX405"]), ("obs, reward, done = env.step(action)", [])],
)
def test_a_loss_that_steps_an_environment_is_no_step(step: str, expected: list[str]) -> None:
    text = f"""
def loss(params, env, state):
    total, obs = 0.0, state
    for _ in range(20):
        action = jnp.tanh(obs @ params)
        {step}
        total = total + reward
    return total

def train(params, env, state, n):
    for _ in range(n):
        grads = jax.grad(loss)(params, env, state)
        params = params - 0.1 * grads
    return params
"""
    assert [code for code, _ in found(text) if code == "JAX405"] == expected


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("if jnp.abs(v) < tol: break", "low"),
        ("error = float(jnp.abs(v))\n        if error < tol: break", "low"),
        ("if int(jnp.argmax(v)) == 0: break", "medium"),
        ("v = v + 1", "medium"),
    ],
)
def test_a_bound_is_no_count_where_an_error_ends_the_loop(test: str, expected: str) -> None:
    text = f"""
def solved(x, n_steps, tol):
    for _ in range(n_steps):
        v = jnp.sin(x) + jnp.cos(x) * jnp.exp(x) - x
        {test}
        x = jnp.where(v > 0, x, v) + jnp.tanh(v)
    return x

if __name__ == "__main__":
    print(solved(jnp.ones(3), int(input()), 0.1))
"""
    assert found(text) == [("JAX402", expected)]


@pytest.mark.parametrize(("passes", "expected"), [(12, "low"), (40, "high")])
def test_few_passes_of_a_model_are_no_matter(passes: int, expected: str) -> None:
    text = f"""
def told(model, params, x):
    for _ in range({passes}):
        x = model.apply(params, x)
        print(x)

if __name__ == "__main__":
    told(MODEL, PARAMS, jnp.ones(3))
"""
    assert found(text) == [("JAX405", expected)]


@pytest.mark.parametrize(
    ("work", "turns", "expected"),
    [("program(x)", 400, "low"), ("jnp.abs(x)", 400, "medium"), ("program(x)", 4000, "medium")],
)
def test_operations_beside_a_long_program_count_where_they_are_many(work: str, turns: int, expected: str) -> None:
    text = f"""
@jax.jit
def program(x):
    return jax.lax.fori_loop(0, 5000, lambda i, x: x * 0.5, x)

def run(x):
    for _ in range({turns}):
        x = {work}
        x = jnp.where(x > 0, jnp.sin(x) + jnp.cos(x) * jnp.exp(x), x) + jnp.tanh(x) * jnp.log(x)
    return x

if __name__ == "__main__":
    print(run(jnp.ones(3)))
"""
    assert found(text) == [("JAX402", expected)]


@pytest.mark.parametrize(("decorator", "expected"), [("@jax.jit", "apply_updates"), ("", "value_and_grad")])
def test_a_gradient_of_a_call_of_a_jitted_function_is_compiled(decorator: str, expected: str) -> None:
    text = f"""
import jax, optax
import jax.numpy as jnp
{decorator}
def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)

def fit(params, opt_state, optimizer, batches):
    for batch in batches:
        value, grads = jax.value_and_grad(lambda p: loss(p, batch))(params)
        updates, opt_state = optimizer.update(grads, opt_state)
        params = optax.apply_updates(params, updates)
        print(value)
    return params
"""
    (step,) = facts_of(text).steps.training
    assert step.what.endswith(expected)


@pytest.mark.parametrize(
    ("head", "operations", "expected"),
    [
        ("def f(x, n_steps):\n    for i in range(n_steps):", 2, "low"),
        ("def f(x, n_steps):\n    for i in range(n_steps):", 3, "medium"),
        ("def f(x, n_samples):\n    for i in range(0, n_samples, 64):", 9, "low"),
        ("def f(x, n_samples):\n    for i in trange(0, n_samples, 64):", 9, "low"),
        ("def f(x, n):\n    for i in range(x.shape[0]):", 9, "low"),
        ("def f(x, n):\n    for i in range(x.shape[0]):", 10, "medium"),
        ("def _f(x, n):\n    for i in range(x.shape[0]):", 10, "low"),
        ("def f(x, n):\n    for i in range(n):", 70, "low"),
        ("def f(x, n):\n    for i in range(n):", 80, "medium"),
        ("def f(x, n=800):\n    for i in range(n):", 3, "low"),
        ("def f(x, n=800):\n    for i in range(n):", 4, "medium"),
    ],
)
def test_what_is_visible_of_the_iterations_adds_up(head: str, operations: int, expected: str) -> None:
    text = f"""
{head}
        x = {"jnp.sin(" * operations}x{")" * operations}
    return x

print({head[4 : head.index("(")]}(jnp.ones(int(input())), int(input())))
"""
    assert found(text) == [("JAX402", expected)]


@pytest.mark.parametrize(
    ("test", "after", "expected"),
    [
        ("x.ndim > 1", "x = x + 1", "medium"),
        ("x.ndim > 1", "raise ValueError(x)", "low"),
        ("i % 100 == 0", "x = x + 1", "low"),
    ],
)
def test_what_runs_again_may_be_reached_rarely(test: str, after: str, expected: str) -> None:
    text = f"""
def told(x, i):
    if {test}:
        for k in range(12):
            x = jnp.sin(x) * k + jnp.cos(x)
        {after}
    return x

i = 0
while True:
    X = told(X, i)
    i += 1
"""
    assert found(text) == [("JAX402", expected)]


@pytest.mark.parametrize(("steps", "expected"), [(30, "low"), (300, "high")])
def test_few_evaluations_in_all_are_no_matter(steps: int, expected: str) -> None:
    text = f"""
def loss(params, batch):
    return jnp.mean((jnp.tanh(batch @ params) - jnp.sin(batch @ params)) ** 2)

gradient = jax.jit(jax.grad(loss))
params = jnp.ones(3)
for _ in range({steps}):
    params = params - gradient(params, jnp.ones((2, 3)))
    print(loss(params, jnp.ones((2, 3))))
"""
    assert ("JAX405", expected) in found(text)


def test_one_pass_beside_a_long_program_is_little() -> None:
    text = """
@jax.jit
def epoch(params, xs):
    return jax.lax.scan(lambda p, x: (p - 0.1 * x, None), params, xs)[0]

def main(network, params, xs):
    for _ in range(500):
        params = epoch(params, xs)
        print(network.apply(params, xs[0]))
"""
    assert found(text) == [("JAX405", "low")]


def test_a_step_is_found_two_calls_deep() -> None:
    text = f"""{LOSS}
class Agent:
    def update(self, batch):
        self._actor(batch)
        return self.params

    def _actor(self, batch):
        gradients = jax.grad(loss)(self.params, batch)
        self.params = self.params - 0.1 * gradients

def main(agent, batches):
    for batch in batches:
        print(agent.update(batch))
"""
    assert found(text) == [("JAX405", "high")]


AGENT = """
import lib
import jax
import jax.numpy as jnp
import optax

def loss(params, batch):
    return jnp.mean((batch @ params) ** 2)

class Agent:
    {}
    def update(self, batch):
        value, gradients = jax.value_and_grad(loss)(self.params, batch)
        changes, self.state = self.tx.update(gradients, self.state)
        self.params = optax.apply_updates(self.params, changes)
        return value
"""
RUN = "from agent import Agent\nagent = Agent()\n{}"


def test_a_gradient_of_what_no_program_can_hold_is_no_step() -> None:
    text = AGENT.format("").replace("jnp.mean", "lib.solved")
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
        for name, content in (("agent.py", text), ("run.py", RUN.format("for batch in batches: agent.update(batch)")))
    ]
    facts = ModuleFacts.of(Source.from_bytes(text.encode(), "agent.py"), Settings(), Project(modules).incoming(0))
    assert [step.what for step in facts.steps.called] == ["optax.apply_updates"]


@pytest.mark.parametrize("call", ["np.exp(x)", "math.exp(x)", "lib.solved(x)", "float(x)", "np.asarray(x)"])
def test_an_objective_that_works_outside_jax_is_none_to_compile(call: str) -> None:
    text = """
    import math
    import lib
    import numpy as np
    from scipy.optimize import minimize

    def cost(x):
        return jnp.sum(jnp.sin(x) * jnp.cos(x) + jnp.tanh(x) - 2 * {})

    minimize(cost, np.ones(3))
    """
    assert found(text.format("jnp.exp(x)")) == [("JAX405", "high")]
    assert found(text.format(call)) == []


def test_an_objective_that_makes_numbers_of_its_results_has_a_part_to_compile() -> None:
    text = """
    import numpy as np
    from scipy.optimize import minimize

    def cost(x):
        value = jnp.sum(jnp.sin(x) * jnp.cos(x) + jnp.tanh(x) - 2)
        slope = float(jnp.sum(x))
        return {}

    minimize(cost, np.ones(3))
    """
    (returned,) = facts_of(text.format("float(value), slope")).steps.objectives
    assert returned.converts
    assert not facts_of(text.format("value * jnp.exp(slope)")).steps.objectives
    (plain,) = facts_of(text.replace("float", "").format("value, slope")).steps.objectives
    assert not plain.converts


EPOCH = """
def trained(other, n):
    for step in range(n):
        other.advance(n)

"""


@pytest.mark.parametrize(
    ("decorator", "run", "expected"),
    [
        ("", "for batch in batches: agent.update(batch)", ["update"]),
        ("", "while True: agent.update(next(data))", ["update"]),
        ("", "agent.update(batch)", []),
        ("", "for name in names: agent.update(name)", []),
        ("", EPOCH + "for epoch in range(n):\n    trained(other, n)\n    agent.update(n)", []),
        (
            "",
            EPOCH + "for epoch in range(n):\n    trained(other, n)\n    for batch in batches: agent.update(batch)",
            ["update"],
        ),
        ("@jax.jit", "for batch in batches: agent.update(batch)", []),
        ("", "import jax\nstep = jax.jit(agent.update)\nfor batch in batches: step(batch)", []),
    ],
)
def test_a_step_is_found_that_loops_of_other_files_run(decorator: str, run: str, expected: list[str]) -> None:
    text = AGENT.format(decorator)
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
        for name, content in (("agent.py", text), ("run.py", RUN.format(run)))
    ]
    facts = ModuleFacts.of(Source.from_bytes(text.encode(), "agent.py"), Settings(), Project(modules).incoming(0))
    assert [step.function.name for step in facts.steps.called] == expected
    assert [step.what for step in facts.steps.called] == ["jax.value_and_grad"] * len(expected)


@pytest.mark.parametrize(
    ("run", "expected"),
    [("from lib import field\nfield(x)", True), ("from lib import field\nfor x in data: field(x)", False)],
)
def test_some_hundred_operations_in_a_call_count_unless_it_is_the_only_one(run: str, *, expected: bool) -> None:
    text = """
import jax.numpy as jnp

def field(x):
    for i in range(100):
        x = jnp.sin(x) * 2 + jnp.cos(x) - 1
    return x
"""
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
        for name, content in (("lib.py", text), ("run.py", run))
    ]
    facts = ModuleFacts.of(Source.from_bytes(text.encode(), "lib.py"), Settings(), Project(modules).incoming(0))
    (loop,) = facts.eager_loops
    assert (Doubt.UNCOUNTED in facts.evidence.eager_loop(loop).doubts) is expected


TRAINER = """
def fit(params, batches, fast, every):
    def step(params, batch):
        return params - 0.1 * jax.grad(loss)(params, batch)

    def shown(i, params, batch):
        if i % every == 0:
            print(model.apply({{'params': params}}, batch))

    {before}
    for i, batch in enumerate(batches):
        {body}
    return params
"""


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("pass", "params = step(params, batch)", ["JAX405"]),
        ("step = jax.jit(step)", "params = step(params, batch)", []),
        ("if fast: step = jax.jit(step)", "params = step(params, batch)", []),
        ("pass", "shown(0, params, batch)", []),
        ("pass", "shown(i, params, batch)", []),
        ("pass", "print(model.apply({'params': params}, batch))", ["JAX405"]),
    ],
)
def test_what_some_way_compiles_or_few_calls_reach_is_no_step(before: str, body: str, expected: list[str]) -> None:
    text = LOSS + TRAINER.format(before=before, body=body)
    assert [code for code, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("first", "decorator", "expected"),
    [
        ("from functools import partial", "@partial(jax.pmap, axis_name='b')", []),
        ("from helpers import *", "@partial(jax.pmap, axis_name='b')", []),
        ("from helpers import *", "", ["JAX405"]),
    ],
)
def test_a_decorator_that_another_file_brings_may_compile(first: str, decorator: str, expected: list[str]) -> None:
    text = f"""
{first}

{decorator}
def step(state, batch):
    return state.apply_fn({{'params': state.params}}, batch)

def fit(state, batches):
    for batch in batches:
        print(step(state, batch))
"""
    assert [code for code, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("layer.apply({'params': params[f'layer_{i}']}, x)", []),
        ("layer.apply({'params': params}, x[i])", ["JAX405"]),
    ],
)
def test_a_loop_over_layers_is_one_pass(call: str, expected: list[str]) -> None:
    text = f"def run(layer, params, x, n):\n    for i in range(n):\n        x = {call}\n        print(x)\n"
    assert [code for code, _ in found(text)] == expected


UPDATED = """
@jax.jit
def loss(params, x=0.0):
    return jnp.mean((params - x) ** 2)

def fit(params, optimizer, n, batches):
    state = optimizer.init(params)
    fixed = jnp.ones(3)
    {before}
    for i in {loop}:
        {body}
        updates, state = optimizer.update(grads, state)
        params = optax.apply_updates(params, updates)
        print(params)
    return params
"""


@pytest.mark.parametrize(
    ("before", "loop", "body", "expected"),
    [
        ("pass", "range(n)", "grads = jax.grad(loss)(params)", "low"),
        ("pass", "range(n)", "grads = jax.grad(loss)(params, fixed)", "low"),
        ("pass", "range(n)", "value, grads = jax.value_and_grad(loss)(params); params = params + 0", "low"),
        ("pass", "range(n)", "grads = jax.grad(other)(params)", "high"),
        ("pass", "batches", "grads = jax.grad(loss)(params, i)", "low"),
        ("pass", "range(n)", "grads = self.compiled(params, batches[i])", "low"),
        ("step = jax.jit(jax.grad(loss))", "range(n)", "grads = step(params, batches[i])", "low"),
        ("step = jax.jit(jax.grad(loss))", "range(n)", "grads = step(params)", "low"),
        ("weights = model.init(params, fixed)", "range(n)", "grads = jax.grad(loss)(params)", "high"),
    ],
)
def test_an_update_beside_a_compiled_gradient_is_little_where_no_network_is_trained(
    before: str, loop: str, body: str, expected: str
) -> None:
    text = UPDATED.format(before=before, loop=loop, body=body)
    levels = [level for code, level in found(text) if code == "JAX405"]
    assert levels in ([expected], ["medium"] if expected == "high" else [])
    if levels and expected == "low":
        for imported in ("from flax import linen as nn", "import haiku as hk", "from jax import nn"):
            assert "low" not in [level for code, level in found(f"{imported}\n{text}") if code == "JAX405"]


@pytest.mark.parametrize(
    ("timed", "expected"),
    [("jax.grad(loss)", "low"), ("jax.jit(jax.grad(loss))", ""), ("jax.grad(other)", "high")],
)
def test_the_half_of_a_comparison_that_nothing_compiles_is_there_to_be_timed(timed: str, expected: str) -> None:
    text = f"""
import time
def loss(params):
    return jnp.sum(jnp.sin(params) * jnp.cos(params) + jnp.tan(params) ** 2)

def other(params):
    return jnp.sum(jnp.sin(params) * jnp.cos(params) + jnp.tan(params) ** 2)

fast, slow = jax.jit(jax.grad(loss)), {timed}
params = jnp.ones(3)
start = time.time()
for i in range(1000):
    params = params - 0.1 * slow(params)
print(time.time() - start)
"""
    assert "".join(level for code, level in found(text) if code == "JAX405") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("jnp.mean(rho) / limit - 1.0", True),
        ("network(rho)", False),
        ("jnp.mean(jnp.sin(rho) * jnp.cos(rho)) / limit - 1.0", False),
    ],
)
def test_the_gradient_of_few_operations_is_little_in_loops_of_other_files(value: str, *, expected: bool) -> None:
    text = f"""
import jax
import jax.numpy as jnp

def constraint(rho, limit, network=None):
    def computed(rho):
        return {value}

    c, dc = jax.value_and_grad(computed)(rho)
    return c, dc
"""
    run = "from lib import constraint\nfor rho in data: print(constraint(rho, 0.5))"
    modules = [
        Module(f"/p/{name}", name, exports(ModuleFacts.of(Source(content), Settings())), Settings())
        for name, content in (("lib.py", text), ("run.py", run))
    ]
    facts = ModuleFacts.of(Source.from_bytes(text.encode(), "lib.py"), Settings(), Project(modules).incoming(0))
    (step,) = facts.steps.called
    assert (Doubt.FEW in facts.evidence.called_step(step).doubts) is expected
