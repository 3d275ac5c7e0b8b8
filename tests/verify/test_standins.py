"""What is not installed may be called and kept, but nothing is decided by it; old names mean what they meant."""

from __future__ import annotations

import ast
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.config import Finder
from jaxlint.discovery import discover
from jaxlint.driver import check_file
from jaxlint.verify.judge import Judgement
from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Prover
from jaxlint.verify.renamed import USED, Renamed
from jaxlint.verify.standins import NOTES, Absent, AbsentFinder, StubError
from jaxlint.verify.verifier import Job, verify_file

Judge = Callable[..., Judgement]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(timeout=30) as prover:
        yield prover


@pytest.fixture
def judge(prover: Prover, tmp_path: Path) -> Judge:
    """Judges the line that carries the comment `# here`."""

    def judge(text: str, code: str = "JAX102") -> Judgement:
        path = tmp_path / "subject.py"
        path.write_text("import jax\nimport jax.numpy as jnp\n" + textwrap.dedent(text))
        line = next(n for n, row in enumerate(path.read_text().splitlines(), 1) if row.endswith("# here"))
        return Proof(prover, path, {line}, budget=Budget(tries=80, seconds=3.0)).judge(line, code)

    return judge


def run(text: str, file: str, names: dict[str, object]) -> None:
    exec(compile(text, file, "exec"), names)  # noqa: S102


def thing() -> Absent:
    return Absent("nsp.thing", "No module named 'nsp'")


def test_what_is_only_called_does_nothing() -> None:
    one = thing()
    with one.open("a", mode="w") as file:
        file["x"] = f"{one.value:.3f}"
    assert not isinstance(3, one.Tensor)

    class Data(one.Dataset, name="data"):  # type: ignore[misc, name-defined, call-arg]
        def __init__(self) -> None:
            super().__init__(self, 3)

    assert isinstance(Data().logger, Absent)
    assert {one.Tensor, None}  # as a type in an annotation
    assert one.Tensor not in (None, object)


@pytest.mark.parametrize(
    "use",
    [
        bool,
        len,
        iter,
        float,
        sum,
        lambda one: one + 1,
        lambda one: 1 in one,
        lambda one: one == 1,
        lambda one: one != 1,
        lambda one: one < 1,
        lambda one: 7 % one,
        lambda one: one.dtype,
        lambda one: isinstance(one, one.Tensor),
        lambda one: one.__array__(),
    ],
)
def test_its_value_is_not_known(use: Callable[[Absent], object]) -> None:
    with pytest.raises(StubError, match=r"depends on nsp.thing.*, which could not be loaded: No module named 'nsp'"):
        use(thing())


def test_progress_bars_give_what_they_are_given() -> None:
    bar = Absent("tqdm.auto.tqdm", "No module named 'tqdm'")([1, 2])
    assert list(bar) == [1, 2]
    assert len(bar) == 2
    bar.set_description("x")
    assert list(Absent("tqdm.trange", "")(2, 4)) == [2, 3]


def test_what_is_done_with_it_is_noted() -> None:
    NOTES.begin()
    NOTES.handed = False
    thing()(3)
    assert (NOTES.used, NOTES.handed, NOTES.hashed) == ({"nsp"}, False, False)
    thing()(lambda: 3)
    hash(thing())
    assert (NOTES.handed, NOTES.hashed) == (True, True)


def test_only_what_cannot_be_done_without_is_found() -> None:
    text = "try:\n    import nsp.a\nexcept ImportError:\n    pass\nimport contextlib\n"
    text += "with contextlib.suppress(ImportError):\n    import nsp.b\n"
    finder = AbsentFinder(lambda file: file == "<subject>", {"<subject>": ast.parse(text)})
    sys.meta_path.append(finder)
    try:
        run(text, "<subject>", {})
        assert not finder.names
        run("\n" * 9 + "import nsp.c as c\nfrom nsp import d\nassert c.x.y is not d", "<subject>", {})
        assert finder.names == {"nsp", "nsp.c"}
        for name in ("no_such_jax", "jax.no_such", "json.no_such"):
            with pytest.raises(ImportError):
                run("\n" * 9 + f"import {name}", "<subject>", {})
        with pytest.raises(ImportError):
            run("import no_such", "<library>", {})
    finally:
        finder.close()
    assert "nsp" not in sys.modules


def test_loggers_and_base_classes_need_not_be_installed(judge: Judge) -> None:
    text = """
        from typing import Optional
        import no_such_package as nsp
        from no_such_package import Module, Writer

        class Trainer(Module):
            def __init__(self, path: Optional[nsp.Path] = None):
                super().__init__(path)
                self.writer = Writer(path)

            def step(self, x):
                self.writer.add({"x": x})
                with nsp.no_grad():
                    return jax.jit(lambda v: v * 2)(x)  # here
    """
    assert judge(text).shown, judge(text).evidence


@pytest.mark.parametrize(
    "text",
    [
        # It decides whether the place runs.
        """
        def f(x):
            if nsp.cuda.is_available():
                return jax.jit(lambda v: v * 2)(x)  # here
            return x
        """,
        # It is what the function is, or what is made of it.
        """
        @nsp.remembered
        def f(x):
            return jax.jit(lambda v: v * 2)(x)  # here
        """,
        """
        def f(x):
            return nsp.remembered(jax.jit(lambda v: v * 2))(x)  # here
        """,
        # It may hold the function of an earlier call.
        """
        def f(x):
            found = nsp.find("f")
            if found is None:
                return jax.jit(lambda v: v * 2)(x)  # here
            return x
        """,
    ],
)
def test_what_is_not_installed_decides_nothing(judge: Judge, text: str) -> None:
    judgement = judge("import no_such_package as nsp\n" + textwrap.dedent(text))
    assert judgement.shown is None, judgement.evidence


def test_nothing_is_said_of_what_depends_on_what_it_is_equal_to(judge: Judge) -> None:
    text = """
        import functools
        import no_such_package as nsp

        @functools.partial(jax.jit, static_argnums=0)
        def run(config, x):
            return x * 2

        def f(x):
            return run(nsp.Config(3), x)  # here
    """
    assert judge(text, "JAX203").shown is None


def test_old_names_mean_what_they_meant(prover: Prover, tmp_path: Path) -> None:
    text = """
        import jax
        import jax.numpy as jnp
        import numpy as np
        from jax.config import config
        from jax.experimental import optimizers
        config.update("jax_enable_x64", False)

        def f(tree):
            return jax.tree_map(lambda v: jnp.sin(v) * np.float(2) + 1, tree)
    """
    path = tmp_path / "subject.py"
    path.write_text(textwrap.dedent(text))
    (tmp_path / "jaxlint.toml").write_text('min-confidence = "low"\n')
    (file,) = discover([str(path)], Finder()).files
    (result,) = verify_file(prover, Job(path, check_file(file).diagnostics), Budget())
    assert result.verdict.value == "confirmed"
    assert "with a replacement for `jax.experimental.optimizers`, which this version does not have" in result.reason


def test_libraries_get_the_same_names_as_ever() -> None:
    renamed = Renamed(lambda file: file == "<subject>")
    try:
        names: dict[str, object] = {"numpy": sys.modules["numpy"]}
        run("kind = numpy.float", "<subject>", names)
        assert names["kind"].__name__ == "float"  # type: ignore[attr-defined]
        assert list(USED) == ["numpy.float"]
        with pytest.raises(AttributeError):
            run("kind = numpy.float", "<library>", names)
    finally:
        renamed.close()
    with pytest.raises(AttributeError):
        run("kind = numpy.float", "<subject>", names)


def test_what_follows_the_place_may_fail(judge: Judge) -> None:
    loop = """
        def f(x):
            for _ in range(20):{here}
                x = jnp.tanh(x) * 2 + jnp.sin(x)
            {after}
            return x
    """
    failing = 'open("no/such/file")'
    assert judge(loop.format(here="  # here", after=failing), "JAX402").shown
    # Here the loop itself goes no further.
    assert judge(loop.format(here="  # here", after="    " + failing), "JAX402").shown is None


def test_bare_calls_fill_what_the_module_holds(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "near_by.py").write_text("SCALE = 2\n")
    text = f"""
        import argparse
        import sys
        sys.path.append({str(tmp_path / "lib")!r})
        from near_by import SCALE
        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=4)
        args = parser.parse_args()
        SIZES = []
        SIZES.append(args.width)

        def f(x):
            assert SIZES == [4]
            return jax.jit(lambda v: v * SCALE)(x)  # here
    """
    assert judge(text).shown, judge(text).evidence


def test_what_is_made_at_the_place_is_called_after_it(judge: Judge) -> None:
    text = """
        import functools
        import no_such_package as nsp
        from tqdm import trange

        def returns(n):
            env = nsp.Env()
            run = jax.jit(functools.partial(jnp.dot))  # here
            for _ in trange(n):
                states = jnp.asarray([env.reset()])
                out = run(states, jnp.ones(8))
            return out
    """
    assert judge(text, "JAX103").shown, judge(text, "JAX103").evidence


def test_the_cpu_is_there_for_all_devices(judge: Judge) -> None:
    text = """
        DEVICE = jax.devices("gpu")[0]

        def f(x):
            return jax.jit(lambda v: v * 2)(jax.device_put(x, DEVICE))  # here
    """
    assert judge(text).shown, judge(text).evidence


def test_loops_whose_result_is_needed_whole_are_measured_at_two_sizes(judge: Judge) -> None:
    text = """
        @jax.jit
        def f(x):
            rows = []
            for row in x:  # here
                rows.append(jnp.sin(row) * 2)
            return jnp.stack(rows) - x
    """
    assert judge(text, "JAX302").shown, judge(text, "JAX302").evidence


def test_what_is_passed_to_a_loop_of_jax_compiles_where_that_is(judge: Judge) -> None:
    text = """
        def f(x):
            @jax.jit
            def step(carry, _):
                return carry * 2, None

            x, _ = jax.lax.scan(step, x, None, length=3)  # here
            return x
    """
    assert judge(text, "JAX106").shown, judge(text, "JAX106").evidence
    outside = textwrap.dedent(text).replace("        return carry * 2, None\n", "")
    outside = outside.replace("    @jax.jit\n    def step(carry, _):\n", "")
    kept = "@jax.jit\ndef step(carry, _):\n    return carry * 2, None\n" + outside
    assert not judge(kept, "JAX106").shown


def test_what_is_made_up_can_be_copied_and_unpacked(judge: Judge) -> None:
    text = """
        import copy

        def f(model, config, x):
            kept = copy.deepcopy(model.hyper)
            config = {**config, "more": 1}
            if kept.flag:
                x = x * kept.scale
            return jax.jit(lambda v: v * 2)(x)  # here
    """
    assert judge(text).shown, judge(text).evidence


def test_assertions_say_what_they_want(judge: Judge) -> None:
    text = """
        def f(points, x):
            assert points.shape[1] == 3
            return jax.jit(lambda v: v * 2)(points) + x  # here
    """
    assert judge(text).shown, judge(text).evidence
    text = """
        class Options:
            def __init__(self, scale: float):
                self.scale = scale

            def factor(self):
                return self.scale * 2

        def f(options, x):
            if not isinstance(options, Options):
                raise TypeError("no options")
            return jax.jit(lambda v: v * 2)(x * options.factor())  # here
    """
    assert judge(text).shown, judge(text).evidence


def test_keywords_that_are_read_are_given(judge: Judge) -> None:
    text = """
        def f(x, **rest):
            y = x * rest["scale"] + rest["more"].sum()
            return jax.jit(lambda v: v * 2)(y)  # here
    """
    assert judge(text).shown, judge(text).evidence


def test_objects_are_made_anew_after_they_were_traced(judge: Judge) -> None:
    text = """
        class Rows:
            def __init__(self, first):
                self.rows = first

            def add(self, row):
                self.rows = jnp.concatenate([self.rows, row])  # here
                return self.rows.sum()
    """
    judgement = judge(text, "JAX404")
    assert judgement.shown, judgement.evidence


def test_functions_that_fail_under_trace_are_new_all_the_same(judge: Judge) -> None:
    text = """
        def f(x):
            @jax.jit  # here
            def inner(v):
                raise ValueError("some other shape")

            return inner(x)
    """
    assert judge(text, "JAX101").shown, judge(text, "JAX101").evidence
    kept = text.replace("return inner", "return KEPT.setdefault(0, inner)").replace(
        "def f", "KEPT = {}\n\n        def f"
    )
    assert judge(kept, "JAX101").shown is None


def test_a_cell_is_read_by_itself(prover: Prover, tmp_path: Path) -> None:
    cells = ["import jax\nf = jax.jit(abs)", "%matplotlib inline\nx = = 2"]
    notebook = {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in cells],
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = tmp_path / "notes.ipynb"
    path.write_text(json.dumps(notebook))
    (file,) = discover([str(path)], Finder()).files
    results = list(verify_file(prover, Job(path, check_file(file).diagnostics), Budget()))
    assert [(r.diagnostic.code, r.verdict.value) for r in results] == [("JAX001", "confirmed")]
