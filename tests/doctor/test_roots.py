"""What to change is told of the outermost call that could be one program, and not of each line that it leads to."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest

from jaxlint.doctor import events
from jaxlint.doctor.events import Compile, Event, Frame, LoweringBegin, TraceEnd
from tests.doors.conftest import Project, project

__all__ = ["project"]


def operation(name: str, stack: tuple[Frame, ...], shape: str = "3", seconds: float = 0.1) -> Iterator[Event]:
    """Yield what an operation gives that runs outside of any compiled function."""
    yield TraceEnd(function=name, seconds=0.0, stack=stack)
    yield LoweringBegin(program=name, types=f"(ShapedArray(float32[{shape}]),)", stack=stack)
    yield Compile(program=name, seconds=seconds, eager=True, stack=stack)


def at(code: str, text: str, function: str = "<module>", file: str = "train.py") -> Frame:
    """Return the frame of an expression; `function` is the qualified name of what is around."""
    start = code.rindex(text)
    line = code.count("\n", 0, start) + 1
    column = start - (code.rfind("\n", 0, start) + 1)
    return Frame(file, line, function, column, line, column + len(text))


def suggestions(project: Project, code: str, happened: list[Event], **files: str) -> list[dict[str, Any]]:
    project.write("train.py", code)
    for name, text in files.items():
        project.write(f"{name}.py", text)
    lines = "".join(events.dumps(event) + "\n" for event in [events.Start(), *happened])
    project.write("run.jsonl", lines)
    outcome = project.run("log", "--isolated", "--output-format", "json", "run.jsonl")
    assert outcome.code == 0, outcome.err
    found: list[dict[str, Any]] = json.loads(outcome.out)["suggestions"]
    return found


ACCURACY = """\
import jax.numpy as jnp


def predict(params, x):
    return jnp.tanh(x @ params)


def accuracy(params, x, y, mode="mean"):
    good = predict(params, x) == y
    if mode == "mean":
        return jnp.mean(good)
    return good


def main(params, batches):
    for x, y in batches:
        print(accuracy(params, x, y, mode="mean"))
        print(accuracy(params, x[:2], y[:2]))


main(1, [])
"""


def test_operations_of_helpers_are_told_of_the_call_that_could_be_one_program(project: Project) -> None:
    main = at(ACCURACY, "main(1, [])")
    calls = [
        at(ACCURACY, 'accuracy(params, x, y, mode="mean")', "main"),
        at(ACCURACY, "accuracy(params, x[:2], y[:2])", "main"),
    ]
    happened: list[Event] = []
    for call in calls:
        helper = at(ACCURACY, "predict(params, x)", "accuracy")
        for name in ("dot", "tanh"):
            happened += operation(name, (at(ACCURACY, "jnp.tanh(x @ params)", "predict"), helper, call, main))
        happened += operation("mean", (at(ACCURACY, "jnp.mean(good)", "accuracy"), call, main))
    (found,) = suggestions(project, ACCURACY, happened)
    assert found["title"] == "`accuracy` runs operation by operation: 6 programs, where one would be enough"
    assert found["site"]["line"] == 17
    assert [site["line"] for site in found["other_sites"]] == [18]
    assert "where it is defined" in found["advice"]
    assert '`accuracy = jax.jit(accuracy, static_argnames="mode")`' in found["advice"]


LIBRARY = """\
import flax.linen as nn
import jax


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


def main(x):
    model = Model()
    params = model.init(jax.random.key(0), x)
    print(params)


main(1)
"""


def test_what_a_library_calls_is_told_of_the_call_of_the_library(project: Project) -> None:
    main = at(LIBRARY, "main(1)")
    init = at(LIBRARY, "model.init(jax.random.key(0), x)", "main")
    inner = at(LIBRARY, "nn.Dense(3)(x)", "Model.__call__")
    happened = [e for name in ("dot_general", "add", "mul") for e in operation(name, (inner, init, main))]
    (found,) = suggestions(project, LIBRARY, happened)
    assert found["title"].startswith("`model.init` runs operation by operation: 3 programs")
    assert "jax.jit(model.init)" in found["advice"]


def test_what_acts_or_needs_values_is_not_told_to_be_compiled(project: Project) -> None:
    """Each of these bodies has one reason that no trace gets through."""
    bodies = {
        "print(x)": "print",
        "self.x = x": "outlives",
        "float(x)": "needs a value",
        "x.item()": "needs a value",
        "np.asarray(x)": "needs a value",
        "time.sleep(1)": "acts outside of jax",
        "global z": "outside of it",
        "yield x": "generator",
        "if jnp.any(x > 0): x = -x": "decides by a value",
        "return lambda: x": "returns functions",
    }
    for body, reason in bodies.items():
        code = (
            "import time\nimport jax.numpy as jnp\nimport numpy as np\n\n\ndef work(self, x):\n"
            f"    {body}\n    return jnp.sin(x) + jnp.cos(x) + 1\n\n\nprint(work(None, 2.0))\n"
        )
        call = at(code, "work(None, 2.0)")
        happened = [
            e
            for name, text in (("sin", "jnp.sin(x)"), ("cos", "jnp.cos(x)"), ("add", "jnp.sin(x) + jnp.cos(x)"))
            for e in operation(name, (at(code, text, "work"), call))
        ]
        (found,) = suggestions(project, code, happened)
        assert found["title"].startswith("3 operations were compiled one by one"), body
        assert reason in found["advice"], body


def test_settings_and_shapes_are_no_values(project: Project) -> None:
    for body in (
        "assert x.ndim == 1",
        "if x.shape[0] > 3: x = x[:3]",
        "y = [0]; y[0] = x",
        "n = len(x)",
        "if x is None: return 0",
        "s = np.sqrt(x.shape[0])",
        "s = math.sqrt(3)",
        "y = helpers.prepare(x)",
    ):
        code = (
            "import math\nimport jax.numpy as jnp\nimport numpy as np\nimport helpers\n\n\ndef work(x):\n"
            f"    {body}\n    return jnp.sin(x) + jnp.cos(x) + 1\n\n\nprint(work(2.0))\n"
        )
        call = at(code, "work(2.0)")
        happened = [
            e
            for name, text in (("sin", "jnp.sin(x)"), ("cos", "jnp.cos(x)"), ("add", "jnp.sin(x) + jnp.cos(x)"))
            for e in operation(name, (at(code, text, "work"), call))
        ]
        (found,) = suggestions(project, code, happened, helpers="def prepare(x):\n    return x\n")
        assert found["title"].startswith("`work` runs operation by operation"), body


GROWING = """\
import jax.numpy as jnp


def step(history):
    return jnp.exp(history) + 1


def run(history):
    for i in range(6):
        history = jnp.append(history, step(history)[-1])


run(jnp.ones(1))
"""


def test_shapes_that_grow_are_told_once_and_are_not_to_be_compiled(project: Project) -> None:
    call = at(GROWING, "run(jnp.ones(1))")
    happened: list[Event] = []
    for size in range(1, 7):
        inner = at(GROWING, "step(history)", "run")
        happened += operation("exp", (at(GROWING, "jnp.exp(history)", "step"), inner, call), str(size))
        happened += operation("add", (at(GROWING, "jnp.exp(history) + 1", "step"), inner, call), str(size))
        happened += operation("append", (at(GROWING, "jnp.append(history, step(history)[-1])", "run"), call), str(size))
    (found,) = suggestions(project, GROWING, happened)
    assert found["title"] == "shapes grow, and 18 programs were compiled for 6 sizes"
    assert found["saving"] == pytest.approx(1.8 * 5 / 6)
    assert "pad" in found["advice"] or found["findings"]


def test_leaves_of_a_tree_do_not_grow(project: Project) -> None:
    code = "import jax\nimport jax.numpy as jnp\n\njax.tree.map(lambda x: jnp.abs(x) * 2, {'a': 1})\n"
    lambda_ = at(code, "jnp.abs(x)", "<lambda>")
    call = at(code, "jax.tree.map(lambda x: jnp.abs(x) * 2, {'a': 1})")
    happened = [e for size in range(1, 6) for e in operation("abs", (lambda_, call), str(size))]
    (found,) = suggestions(project, code, happened)
    assert "grow" not in found["title"]


def test_a_program_saves_no_more_of_an_operation_than_what_any_program_costs(project: Project) -> None:
    """A random number takes long to compile within a larger program, too."""
    call = at(ACCURACY, "accuracy(params, x[:2], y[:2])", "main")
    inner = at(ACCURACY, "jnp.mean(good)", "accuracy")
    happened = [e for n in range(8) for e in operation(f"op{n}", (inner, call), seconds=0.1)]
    happened += operation("_normal", (inner, call), seconds=5.0)
    (found,) = suggestions(project, ACCURACY, happened)
    assert found["seconds"] == pytest.approx(5.8)
    assert found["saving"] == pytest.approx(0.8)
    assert any("random" in fact for fact in found["facts"])


def test_a_large_program_without_a_loop_of_the_users_is_no_suggestion(project: Project) -> None:
    code = "import jax\n\n\n@jax.jit\ndef model(x):\n    return x * 2\n\n\nfor x in (1, 2):\n    model(x)\n"
    site = at(code, "model(x)\n"[:-1])
    samples = (events.Sample(3000, "mul", (Frame("train.py", 6, "model"),)),)
    definition = Frame("train.py", 4, "model")
    happened: list[Event] = [
        events.Miss(function="model", definition=definition, text="  never seen function:", stack=(site,)),
        TraceEnd(function="model", seconds=1.0, stack=(site,)),
        events.Equations(program="model", definition=definition, samples=samples),
        Compile(program="model", seconds=5.0, stack=(site,)),
    ]
    assert suggestions(project, code, happened) == []


def test_a_short_loop_of_large_iterations_is_not_unrolled(project: Project) -> None:
    """Four layers of nine products each are 36 equations of one kind; forty of one are as many iterations."""
    code = (
        "import jax\n\n\n@jax.jit\ndef model(x, layers):\n    for layer in layers:\n        x = layer(x)\n"
        "    return x\n\n\nmodel(1, [])\n"
    )
    site, line = at(code, "model(1, [])"), (Frame("train.py", 7, "model"),)
    definition = Frame("train.py", 4, "model")

    def told(**counts: int) -> list[dict[str, Any]]:
        samples = tuple(events.Sample(count, name, line) for name, count in counts.items())
        return suggestions(
            project,
            code,
            [
                events.Miss(function="model", definition=definition, text="  never seen function:", stack=(site,)),
                TraceEnd(function="model", seconds=1.0, stack=(site,)),
                events.Equations(program="model", definition=definition, samples=(*samples, events.Sample(900, "mul"))),
                Compile(program="model", seconds=5.0, stack=(site,)),
            ],
        )

    assert told(mul=36, add=44, dot=52) == []
    (found,) = told(mul=120, add=80, add_any=39)
    assert found["title"].startswith("model is one large program of 1,139 equations")
    assert found["saving"] == pytest.approx(6.0 * (239 - 5) / 1139)


def test_small_ones_are_summed_up_and_no_more_than_ten_are_shown(project: Project) -> None:
    code = "import jax.numpy as jnp\n\n\n" + "".join(
        f"def f{n}(x):\n    return jnp.sin(x)\n\n\nf{n}(2.0)\n" for n in range(14)
    )
    happened: list[Event] = []
    for n in range(14):
        call = at(code, f"f{n}(2.0)")
        inner = Frame("train.py", call.line - 3, f"f{n}", 11, call.line - 3, 21)
        seconds = 1.0 if n < 11 else 0.01
        happened += [e for k in range(3) for e in operation(f"op{k}", (inner, call), seconds=seconds)]
    assert len(suggestions(project, code, happened)) == 14
    told = " ".join(project.run("log", "--isolated", "run.jsonl").out.split())
    assert " 10. " in told
    assert " 11. " not in told
    assert told.count("3.00 s, of which up to 2.00 s could be saved") == 1
    assert "and 3 smaller, which would save up to" in told


def test_objects_that_act_on_the_world_are_not_to_be_compiled(project: Project) -> None:
    code = (
        "import jax.numpy as jnp\nimport matplotlib.pyplot as plt\n\n\ndef show(x):\n    figure = plt.figure()\n"
        "    axes = figure.add_subplot(111)\n\n    def draw():\n        axes.contour(jnp.sin(x), jnp.cos(x))\n\n"
        "    draw()\n"
        "\n\nshow(1)\n"
    )
    stack = (
        at(code, "axes.contour(jnp.sin(x), jnp.cos(x))", "show.<locals>.draw"),
        at(code, "draw()", "show"),
        at(code, "show(1)"),
    )
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert found["title"].startswith("3 operations were compiled one by one")


def test_functions_that_are_passed_are_static(project: Project) -> None:
    code = (
        "import jax.numpy as jnp\nimport equal\n\n\ndef double(x):\n    return x * 2\n\n\n"
        "def main(tree):\n    print(equal.mapped(double, tree))\n\n\nmain(1)\n"
    )
    stack = (at(code, "x * 2", "double"), at(code, "equal.mapped(double, tree)", "main"), at(code, "main(1)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened, equal="def mapped(f, tree):\n    return f(tree)\n")
    assert "jax.jit(equal.mapped, static_argnums=0)" in found["advice"]


def test_what_is_computed_while_a_function_is_traced_is_not_to_be_compiled(project: Project) -> None:
    code = (
        "import equinox as eqx\nimport jax.numpy as jnp\n\n\ndef table(n):\n    return jnp.sin(n) + jnp.cos(n)\n\n\n"
        "@eqx.filter_jit\ndef step(x):\n    return x + table(3)\n\n\nfor _ in range(3):\n    step(1)\n"
    )
    stack = (at(code, "jnp.sin(n)", "table"), at(code, "table(3)", "step"), at(code, "step(1)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert found["title"].startswith("3 operations were compiled one by one")
    assert "while a function is traced" in found["advice"]
    # The run knows better: it may have been called where nothing is traced.
    alone = [dataclasses.replace(e, traced=False) if isinstance(e, Compile) else e for e in happened]
    (found,) = suggestions(project, code, alone)
    assert "while a function is traced" not in found["advice"]


def test_loops_that_compile_again_within_a_call_are_told_of_the_call(project: Project) -> None:
    code = (
        "import jax.numpy as jnp\nimport optax\n\noptimizer = optax.lbfgs()\n\n\n"
        "def main(state, g):\n    for _ in range(9):\n"
        "        u, state = optimizer.update(g, state)\n        print(u)\n\n\nmain(1, 2)\n"
    )
    stack = (at(code, "optimizer.update(g, state)", "main"), at(code, "main(1, 2)"))
    body = Frame("/usr/lib/python3/site-packages/optax/search.py", 9, "body")
    happened: list[Event] = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    for number in range(5):
        happened += [
            events.Miss(
                function="body", definition=body, text=f"  never seen function:\n    body id={number}", stack=stack
            ),
            TraceEnd(function="while", seconds=0.1, stack=stack),
            LoweringBegin(program="while", types="(ShapedArray(float32[]),)", stack=stack),
            Compile(program="while", seconds=1.0, stack=stack),
        ]
    (found,) = suggestions(project, code, happened)
    assert found["title"].startswith("`optimizer.update` runs operation by operation: 3 programs")
    assert found["facts"][0] == "while in it compiled again, 4 times"
    assert found["saving"] == pytest.approx(4.4 + 0.2)


def test_a_loop_that_each_call_compiles_once_is_not_saved(project: Project) -> None:
    """What two calls run is compiled by whichever is first; each is there once, so none saves anything alone."""
    code = "import blackjax\n\nfirst = blackjax.fit(1)\nsecond = blackjax.init(2)\n"
    body = Frame("/usr/lib/python3/site-packages/blackjax/fit.py", 9, "body")
    calls = (at(code, "blackjax.fit(1)"), at(code, "blackjax.init(2)"))
    happened: list[Event] = [e for name in ("a", "b", "c") for e in operation(name, (calls[0],))]
    for number, call in enumerate(calls):
        text = f"  never seen function:\n    body id={number}"
        happened += [
            events.Miss(function="body", definition=body, text=text, stack=(call,)),
            TraceEnd(function="scan", seconds=0.1, stack=(call,)),
            LoweringBegin(program="scan", types="(ShapedArray(float32[]),)", stack=(call,)),
            Compile(program="scan", seconds=1.0, stack=(call,)),
        ]
    (fit,) = suggestions(project, code, happened)
    assert fit["title"].startswith("`blackjax.fit` runs operation by operation: 3 programs")
    assert fit["saving"] == 0
    assert fit["obstacle"].startswith("`blackjax.init` at line 4 runs the same operations")
    assert (fit["shown"], fit["costly"]) == (False, True)
    looped = code.replace("second = blackjax.init(2)", "for n in (1, 2):\n    second = blackjax.init(2)")
    stack = (at(looped, "blackjax.init(2)"),)
    moved = [dataclasses.replace(event, stack=stack) if event.stack == (calls[1],) else event for event in happened]
    again, fit = suggestions(project, looped, [*moved, *moved[-4:]])
    assert again["title"] == "`blackjax.init` compiles scan again, 2 times"
    assert again["saving"] == pytest.approx(1.1)
    assert fit["saving"] == 0


def test_apply_runs_what_init_runs(project: Project) -> None:
    """Jitted alone, `init` saves nothing: `apply` compiles its operations then."""
    happened = [
        e
        for name in ("a", "b", "c")
        for e in operation(name, (at(LIBRARY, "model.init(jax.random.key(0), x)", "main"),))
    ]
    (found,) = suggestions(project, LIBRARY, happened)
    assert found["saving"] > 0
    applied = LIBRARY.replace("print(params)", "print(model.apply(params, x))")
    (found,) = suggestions(project, applied, happened)
    assert found["saving"] == 0
    assert found["obstacle"].startswith("`model.apply` at line 14 runs the same operations")
    jitted = applied.replace("model.apply(params", "jax.jit(model.apply)(params")
    (found,) = suggestions(project, jitted, happened)
    assert found["saving"] > 0


def test_objects_and_sizes_are_static(project: Project) -> None:
    code = (
        "import jax\nimport jax.numpy as jnp\n\n\n"
        "def fit(optimizer, params, steps):\n    state = optimizer.init(params)\n"
        "    return jax.lax.scan(lambda c, _: (c, state), params, length=steps)\n\n\n"
        "print(fit(object(), jnp.ones(2), 100))\n"
    )
    stack = (at(code, "optimizer.init(params)", "fit"), at(code, "fit(object(), jnp.ones(2), 100)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert 'jax.jit(fit, static_argnames=("optimizer", "steps"))' in found["advice"]


def test_a_call_whose_result_nothing_uses_is_made_for_what_it_does(project: Project) -> None:
    code = (
        "import jax.numpy as jnp\nfrom numpyro.infer import MCMC, NUTS\n\n\n"
        "def model(x):\n    return jnp.sin(x) * 2\n\n\n"
        "mcmc = MCMC(NUTS(model))\nmcmc.run(3)\nprint(mcmc)\n"
    )
    stack = (at(code, "jnp.sin(x)", "model"), at(code, "mcmc.run(3)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert found["title"] == "`mcmc.run` runs operation by operation: 3 programs, inside the library"


GIVEN = """\
import jax.numpy as jnp


def step(state, batch, width, mode):
    state = state.updated(batch)
    return jnp.sin(state) * width, mode


def main(state, batches, config):
    for i, batch in enumerate(batches):
        state, info = step(state, batch, config.width, config.mode)
        print(info)
        state, info = step(state, batch, i, config.mode)


main(1, [2], 3)
"""


def seen(code: str, function: str, **values: str) -> Event:
    """Return what tells that the names of a function were seen to hold these."""
    name = function.rpartition(".")[2]
    line = 1 if function == "<module>" else code[: code.index(f"def {name}(")].count("\n") + 1
    return events.Values(definition=Frame("train.py", line, function), values=values)


def of_step(call: str, *more: Event) -> list[Event]:
    stack = (at(GIVEN, "jnp.sin(state)", "step"), at(GIVEN, call, "main"), at(GIVEN, "main(1, [2], 3)"))
    return [*more, *(e for name in ("a", "b", "c") for e in operation(name, stack))]


def test_what_the_run_saw_decides_what_is_static(project: Project) -> None:
    """A record of arrays has methods, and is traced all the same; a number that stays the same may be a size."""
    held = seen(GIVEN, "step", state="arrays", batch="array", width="int", mode="static")
    (found,) = suggestions(project, GIVEN, of_step("step(state, batch, config.width, config.mode)", held))
    assert found["static"] == ["width", "mode"]
    assert 'jax.jit(step, static_argnames=("width", "mode"))' in found["advice"]
    (found,) = suggestions(project, GIVEN, of_step("step(state, batch, i, config.mode)", held))
    assert found["static"] == ["mode"]


def test_what_a_jitted_function_cannot_take_or_return_is_not_to_be_compiled(project: Project) -> None:
    first = "step(state, batch, config.width, config.mode)"
    unhashable = seen(GIVEN, "step", state="arrays", mode="neither")
    (found,) = suggestions(project, GIVEN, of_step(first, unhashable))
    assert found["kind"] == "body"
    code = "import jax.numpy as jnp\nimport game\n\n\nname = game.play(3)\nworld = game.World(3)\n"
    for call, title in (("game.play(3)", "`game.play` runs"), ("game.World(3)", "`game.World` runs")):
        happened = [e for name in ("a", "b", "c") for e in operation(name, (at(code, call),))]
        known = events.Miss(function="f", definition=Frame("/site-packages/game/a.py", 1, "f"), text=" never seen")
        (found,) = suggestions(project, code, [known, *happened])
        assert found["kind"] == "call"
        values = seen(code, "<module>", name="static", world="neither")
        (found,) = suggestions(project, code, [known, values, *happened])
        assert found["kind"] == "library"
        assert found["title"].startswith(title)
        assert found["saving"] == 0
        assert "persistent cache" in found["advice"]


def test_arrays_that_decide_keep_a_function_from_being_traced(project: Project) -> None:
    code = (
        "import jax.numpy as jnp\n\n\ndef clip(x, most):\n    if most > 0:\n        return jnp.sin(x)\n"
        "    return x\n\n\ndef main(x):\n    print(clip(x, x[0]))\n\n\nmain(1)\n"
    )
    stack = (at(code, "jnp.sin(x)", "clip"), at(code, "clip(x, x[0])", "main"), at(code, "main(1)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, [seen(code, "clip", x="array", most="float"), *happened])
    assert 'jax.jit(clip, static_argnames="most")' in found["advice"]
    (found,) = suggestions(project, code, [seen(code, "clip", x="array", most="array"), *happened])
    assert found["kind"] == "body"
    assert "`clip` cannot be jitted as a whole: the value of `most` decides" in found["advice"]


def test_a_library_call_made_for_what_it_does_is_told_as_such(project: Project) -> None:
    code = "from numpyro.infer import MCMC\n\nmcmc = MCMC(1)\nmcmc.run(3)\nprint(mcmc)\n"
    happened = [e for name in ("a", "b", "c") for e in operation(name, (at(code, "mcmc.run(3)"),))]
    (found,) = suggestions(project, code, happened)
    assert found["title"] == "`mcmc.run` runs operation by operation: 3 programs, inside the library"
    told = " ".join(project.run("log", "--isolated", "run.jsonl").out.split())
    assert told.startswith("3 compiles of 0 functions")
    assert "Nothing here is worth changing: 0.30 s of 0.30 s are first compiles, most of them of a and b." in told
    assert "but it changes or makes an object, so it cannot be jitted from here" in told


def test_positions_and_names_are_both_told(project: Project) -> None:
    code = "import jax.numpy as jnp\nimport haiku\n\nprint(haiku.run('a', 1, mode='b'))\n"
    happened = [e for name in ("a", "b", "c") for e in operation(name, (at(code, "haiku.run('a', 1, mode='b')"),))]
    (found,) = suggestions(project, code, happened)
    assert 'jax.jit(haiku.run, static_argnums=0, static_argnames="mode")' in found["advice"]


def test_a_finding_explains_what_its_own_stack_led_to(project: Project) -> None:
    """A helper's line is shared by all that call it; a finding on one of the callers is about that one."""
    code = (
        "import jax.numpy as jnp\n\n\ndef helper(x):\n    return jnp.sin(x) + 1\n\n\n"
        "def main(xs):\n    first = helper(xs)\n    total = jnp.zeros(3)\n    for x in xs:\n"
        "        total = total + jnp.tan(x) * jnp.cos(helper(x))\n    return first, total\n\n\nmain(1)\n"
    )
    inner = at(code, "jnp.sin(x)", "helper")
    main = at(code, "main(1)")
    calls = (at(code, "helper(xs)", "main"), at(code, "helper(x)", "main"))
    happened = [e for call in calls for name in ("a", "b", "c") for e in operation(name, (inner, call, main))]
    (found,) = suggestions(project, code, happened)
    assert [finding["code"] for finding in found["findings"]] == ["JAX402"]
    (found,) = suggestions(project, code, happened[: len(happened) // 2])
    assert found["findings"] == []


def test_a_function_that_a_library_creates_is_not_the_users_to_move(project: Project) -> None:
    code = "import dynamax\n\nfor rate in (1, 2):\n    dynamax.fit(rate)\n"
    site = at(code, "dynamax.fit(rate)")
    definition = Frame("/usr/lib/python3/site-packages/dynamax/ssm.py", 9, "loss")
    happened: list[Event] = []
    for number in range(2):
        text = f"  never seen function:\n    loss id={number}"
        happened += [
            events.Miss(function="loss", definition=definition, text=text, stack=(site,)),
            TraceEnd(function="loss", seconds=0.1, stack=(site,)),
            LoweringBegin(program="loss", types="(ShapedArray(float32[]),)", stack=(site,)),
            Compile(program="loss", seconds=1.0, stack=(site,)),
        ]
    (found,) = suggestions(project, code, happened)
    assert found["causes"] == ["redefined-function"]
    assert found["advice"].startswith("The library creates this function on each call")


def test_what_a_librarys_function_compiles_at_another_call_is_a_first_compile(project: Project) -> None:
    """Two calls for different structures need two programs; a call in a loop, for another one each time, does not."""
    definition = Frame("/usr/lib/python3/site-packages/diffrax/solve.py", 9, "solve")
    different = (
        "  for solve defined at /usr/lib/python3/site-packages/diffrax/solve.py:9\n  all previously seen cache keys "
        "differ. For the closest previous key:\n  different input pytree:\n  * at terms, now tuple of length {} and "
        "before tuple of length 1, so the lengths do not match"
    )

    def compiled(text: str, site: Frame) -> list[Event]:
        return [
            events.Miss(function="solve", definition=definition, text=text, stack=(site,)),
            TraceEnd(function="solve", seconds=0.1, stack=(site,)),
            LoweringBegin(program="solve", types="(ShapedArray(float32[]),)", stack=(site,)),
            Compile(program="solve", seconds=1.0, stack=(site,)),
        ]

    code = "import diffrax\n\ny = diffrax.solve(1)\nz = diffrax.solve((2, 3))\n"
    first = compiled("  never seen function:\n    solve id=1", at(code, "diffrax.solve(1)"))
    assert suggestions(project, code, first + compiled(different.format(2), at(code, "diffrax.solve((2, 3))"))) == []
    looped = "import diffrax\n\ny = diffrax.solve(1)\nfor n in (2, 3, 4):\n    z = diffrax.solve((0,) * n)\n"
    site = at(looped, "diffrax.solve((0,) * n)")
    again = [event for n in (2, 3, 4) for event in compiled(different.format(n), site)]
    (found,) = suggestions(project, looped, first + again)
    assert found["causes"] == ["pytree"]
    assert found["saving"] == pytest.approx(3.3 * 2 / 3)


def test_another_cause_beside_the_one_that_jax_explains_is_told_as_well(project: Project) -> None:
    """One dtype is not enough where arguments are committed to a device in one of the calls."""
    code = "import jax\n\n\n@jax.jit\ndef step(x):\n    return x\n\n\nfor x in (1, 2.0):\n    step(x)\n"
    site = at(code, "step(x)")
    definition = Frame("train.py", 4, "step")
    new = "  never seen function:\n    step id=1"
    dtype = (
        "  for step defined at train.py:4\n  all previously seen cache keys differ. For the closest previous key:\n"
        "  different input types:\n  * at x, now f32[3] and before i32[3]"
    )

    def calls(*committed: str) -> list[Event]:
        happened: list[Event] = []
        for text, kind, placed in zip((new, dtype), ("int32", "float32"), committed, strict=True):
            types = f"(ShapedArray({kind}[3]),)"
            happened += [
                events.Miss(function="step", definition=definition, text=text, stack=(site,)),
                TraceEnd(function="step", seconds=0.1, stack=(site,)),
                LoweringBegin(program="step", types=types, committed=placed, stack=(site,)),
                Compile(program="step", seconds=1.0, stack=(site,)),
            ]
        return happened

    (found,) = suggestions(project, code, calls("0", "1"))
    assert found["causes"] == ["dtype"]
    assert found["facts"][0] == "arguments committed to a device: 1 of 1, before 0"
    assert found["advice"].endswith("before the first call: jax.device_put(x, device).")
    for same in (("1", "1"), ("", "")):
        (found,) = suggestions(project, code, calls(*same))
        assert "committed" not in json.dumps(found)


def test_a_loop_in_a_call_is_no_function_of_the_file(project: Project) -> None:
    """It is told of the line that calls it, where no function of its name begins; the file is what ran all the same."""
    code = "from numpyro.infer import MCMC, Predictive\n\nmcmc = MCMC(1)\nmcmc.run(3)\nprint(Predictive(1)(2))\n"
    call = at(code, "Predictive(1)(2)")
    happened: list[Event] = [
        events.Miss(
            function="scan",
            definition=Frame("train.py", call.line, "scan"),
            text="  never seen function:\n    scan",
            stack=(call,),
        ),
        TraceEnd(function="scan", seconds=0.1, stack=(call,)),
        Compile(program="scan", seconds=0.1, stack=(call,)),
    ]
    happened += [e for name in ("a", "b", "c") for e in operation(name, (at(code, "mcmc.run(3)"),))]
    (found,) = suggestions(project, code, happened)
    assert found["title"] == "`mcmc.run` runs operation by operation: 3 programs, inside the library"


def test_a_run_of_which_nothing_matters_says_so(project: Project) -> None:
    code = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.sin(x)\n\n\nprint(f(2.0))\n"
    stack = (at(code, "jnp.sin(x)", "f"), at(code, "f(2.0)"))
    happened: list[Event] = [e for name in ("a", "b", "c") for e in operation(name, stack, seconds=0.001)]
    large = Frame("train.py", 4, "large")
    happened += [
        events.Miss(function="large", definition=large, text="  never seen function:", stack=(stack[1],)),
        TraceEnd(function="large", seconds=1.0, stack=(stack[1],)),
        Compile(program="large", seconds=5.0, stack=(stack[1],)),
    ]
    suggestions(project, code, happened)
    told = project.run("log", "--isolated", "run.jsonl").out
    assert "Nothing here is worth changing: 6.00 s of 6.00 s are first compiles, most of them of large and a." in told
    assert "and 1 smaller, which would save up to 2 ms together" in told
    assert "What to change" not in told


def test_what_a_mutating_call_of_a_library_runs_of_the_users_is_told_of_that_call(project: Project) -> None:
    code = (
        "import numpyro\nimport jax.numpy as jnp\nfrom numpyro.infer import MCMC\n\n\n"
        "def model(x):\n    y = numpyro.sample('y', x)\n    return y\n\n\nmcmc = MCMC(model)\nmcmc.run(3)\n"
    )
    stack = (at(code, "numpyro.sample('y', x)", "model"), at(code, "mcmc.run(3)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert (found["kind"], found["site"]["line"]) == ("library", 12)


def test_sizes_that_decide_are_no_obstacle_where_they_are_static(project: Project) -> None:
    code = (
        "import equinox as eqx\nimport jax.numpy as jnp\n\n\ndef patches(x, shape, size):\n"
        "    height, width = shape\n    if height % size:\n        x = x[1:]\n    return jnp.sin(x)\n\n\n"
        "print(patches(1.0, (2, 3), 4))\n"
    )
    stack = (at(code, "jnp.sin(x)", "patches"), at(code, "patches(1.0, (2, 3), 4)"))
    happened = [e for name in ("a", "b", "c") for e in operation(name, stack)]
    (found,) = suggestions(project, code, happened)
    assert found["kind"] == "body"
    held = seen(code, "patches", x="array", shape="numbers", size="int")
    (found,) = suggestions(project, code, [held, *happened])
    assert "eqx.filter_jit(patches)" in found["advice"]
    plain = code.replace("import equinox as eqx\n", "import optax\n")
    (found,) = suggestions(project, plain, [held, *happened])
    assert 'jax.jit(patches, static_argnames=("shape", "size"))' in found["advice"]


def test_what_a_librarys_function_was_given_is_known(project: Project) -> None:
    code = "import dynamax\nimport optax\n\nhmm = dynamax.HMM()\nprint(hmm.fit_sgd([1], 5, optimizer=optax.sgd(0.1)))\n"
    call = at(code, "hmm.fit_sgd([1], 5, optimizer=optax.sgd(0.1))")
    known = events.Miss(function="f", definition=Frame("/site-packages/dynamax/a.py", 1, "f"), text=" never seen")
    definition = Frame("/lib/site-packages/dynamax/ssm.py", 7, "SSM.fit_sgd")
    values = {"self": "static", "params": "arrays", "steps": "int", "optimizer": "static", "key": "array"}
    happened = [e for name in ("a", "b", "c") for e in operation(name, (call,))]
    (found,) = suggestions(project, code, [known, *happened])
    assert found["static"] == []
    (found,) = suggestions(project, code, [known, events.Values(definition=definition, values=values), *happened])
    assert 'jax.jit(hmm.fit_sgd, static_argnames=("steps", "optimizer"))' in found["advice"]
