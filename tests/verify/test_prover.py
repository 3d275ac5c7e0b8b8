"""Whatever the code under test does, the prover answers, says why, and goes on with the next one."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxlint.verify.prover import LoadedModule, Prover, WorkerError

Load = Callable[[str], LoadedModule]

WELL_BEHAVED = """
    import jax
    import jax.numpy as jnp

    def scaled(x):
        return jax.jit(lambda y: 2 * y)(x)

    def jaxlint_examples():
        return {"scaled": (jnp.ones(3),)}
"""


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(timeout=60) as prover:
        yield prover


@pytest.fixture
def load(prover: Prover, tmp_path: Path) -> Iterator[Load]:
    def load(text: str) -> LoadedModule:
        path = tmp_path / "subject.py"
        path.write_text(textwrap.dedent(text))
        return prover.load(path)

    before = prover.timeout
    yield load
    prover.timeout = before


def compiles(module: LoadedModule, target: str) -> list[int]:
    seen = module.call(target)
    assert seen.reason is None
    return [sum(e.count for e in run.events if e.kind == "compile") for run in seen.runs]


def assert_goes_on(load: Load) -> None:
    assert compiles(load(WELL_BEHAVED), "scaled") == [1, 1, 1]


def test_events_carry_place_of_call_and_place_of_making(load: Load) -> None:
    module = load(
        """
        import jax
        import jax.numpy as jnp

        def make(factor):
            return jax.jit(
                lambda y: factor * y
            )

        def apply(function, x):
            return function(
                x)

        def both(x):
            return apply(make(2.0), x)

        def jaxlint_examples():
            return {"both": (jnp.ones(3),)}
        """
    )
    (event,) = (e for e in module.call("both").runs[2].events if e.kind == "compile")
    assert [(p.function, p.line, p.column, p.end_line, p.end_column) for p in event.stack] == [
        ("apply", 11, 11, 12, 10),
        ("both", 15, 11, 15, 30),
    ]
    assert [(p.function, p.line, p.column, p.end_line, p.end_column) for p in event.made] == [
        ("make", 6, 11, 8, 5),
        ("both", 15, 17, 15, 26),
    ]
    assert {p.file for p in (*event.stack, *event.made)} == {module.path}


def test_misses_and_traces_are_counted_where_they_happen(load: Load) -> None:
    run = load(WELL_BEHAVED).call("scaled").runs[1]
    told = [e for e in run.events if e.kind in ("compile", "trace", "miss")]
    assert {(e.kind, e.count, e.stack[0].line) for e in told} == {
        ("compile", 1, 6),
        ("trace", 1, 6),
        ("miss", 1, 6),
    }


def test_equal_objects_of_an_earlier_call_do_not_hide_a_miss(load: Load) -> None:
    module = load(
        """
        import jax
        import jax.numpy as jnp

        class Decay:
            def __init__(self):
                self.others = []

            def rate(self, x):
                return -x

            def step(self, x):
                return jax.jit(self.rate)(x)

            def remembered(self, x):
                loop = [self.rate]
                loop.append(loop)
                return jax.jit(self.rate)(x)

        def jaxlint_examples():
            return {"Decay.step": (Decay(), jnp.ones(2)), "Decay.remembered": (Decay(), jnp.ones(2))}
        """
    )
    assert compiles(module, "Decay.step") == [1, 1, 1]
    assert compiles(module, "Decay.remembered") == [1, 1, 1]


def test_caches_are_empty_for_each_target(load: Load) -> None:
    module = load(
        """
        import jax

        @jax.jit
        def square(x):
            return x * x

        def first():
            return square(2.0)

        def second():
            return square(3.0)
        """
    )
    assert compiles(module, "first") == [1, 0, 0]
    assert compiles(module, "second") == [1, 0, 0]


def test_prints_and_input_do_not_disturb_the_conversation(load: Load) -> None:
    module = load(
        """
        import os, sys

        print('{"id": 1, "loaded": null}')

        def noisy():
            for stream in (1, 2):
                os.write(stream, b'{"id": 2}\\n' * 20000)
            sys.stdout.write("no newline")
            return sys.stdin.read()
        """
    )
    seen = module.call("noisy")
    assert seen.reason is None
    assert [run.failure for run in seen.runs] == [None, None, None]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os; os._exit(7)", "the process ended with status 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "the process was ended by SIGSEGV"),
    ],
)
def test_end_of_the_process_is_told_and_mended(load: Load, body: str, reason: str) -> None:
    module = load(f"def ends():\n    {body}\n\ndef lives():\n    return 1\n")
    assert module.call("ends").reason == reason
    assert compiles(module, "lives") == [0, 0, 0]
    assert_goes_on(load)


def test_endless_loop_is_ended(load: Load, prover: Prover) -> None:
    module = load("def endless():\n    while True:\n        pass\n")
    prover.timeout = 0.5
    assert module.call("endless").reason == "took more than 0.5 s"
    prover.timeout = 60
    assert_goes_on(load)


def test_endless_loop_while_loading_is_ended(load: Load, prover: Prover) -> None:
    load(WELL_BEHAVED)
    prover.timeout = 0.5
    assert load("while True:\n    pass\n").loaded.reason == "took more than 0.5 s"
    prover.timeout = 60
    assert_goes_on(load)


def test_processes_left_behind_are_ended(load: Load, prover: Prover, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"import time; out = open({str(pipe)!r}, 'w'); print('up', file=out, flush=True); time.sleep(600)"
    module = load(f"import subprocess, sys\n\ndef leaves():\n    subprocess.Popen([sys.executable, '-c', {code!r}])\n")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert module.call("leaves", 1).reason is None
    select.select([reader], [], [], 60)
    assert os.read(reader, 10) == b"up\n"
    prover.close()
    select.select([reader], [], [], 60)
    assert os.read(reader, 10) == b""
    os.close(reader)
    assert_goes_on(load)


def test_fork_that_comes_back_answers_nothing(load: Load) -> None:
    module = load("import os\n\ndef forks():\n    os.fork()\n")
    assert module.call("forks", 1).reason is None
    assert_goes_on(load)


def test_exceptions_are_told_with_their_places(load: Load) -> None:
    module = load(
        """
        import jax

        @jax.jit
        def sign(x):
            if x > 0:
                return 1
            return -1

        def outer():
            return sign(1.0)

        def leaves():
            raise SystemExit(3)
        """
    )
    failure = module.call("outer").runs[0].failure
    assert failure is not None
    assert failure.type == "TracerBoolConversionError"
    assert [(place.function, place.line) for place in failure.stack] == [("sign", 6), ("outer", 11)]
    left = module.call("leaves").runs[0].failure
    assert left is not None
    assert left.type == "SystemExit"


def test_failing_statement_does_not_stop_loading(load: Load) -> None:
    module = load("import no_such_module\n\ndef fine():\n    return 1\n")
    assert module.loaded.failure is not None
    assert (module.loaded.failure.type, module.loaded.statements[0].line) == ("ModuleNotFoundError", 1)
    assert compiles(module, "fine") == [0, 0, 0]


def test_syntax_error_is_a_reason(load: Load) -> None:
    module = load("def broken(:\n")
    assert str(module.loaded.reason).startswith("SyntaxError")
    assert module.call("broken").reason == module.loaded.reason


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("def f(x):\n    return x\n", "f", "no example for f"),
        ("def f():\n    return 1\n", "g", "g is not defined at module level"),
        ("class C:\n    def m(self):\n        pass\n", "C.m", "no example for C.m"),
        (
            "def f(x):\n    return x\n\ndef jaxlint_examples():\n    return {'f': 1}\n",
            "f",
            "the example for f is neither a tuple of arguments nor callable",
        ),
        ("def jaxlint_examples():\n    return 1\n", "f", "jaxlint_examples() must return a dict whose keys are names"),
        (
            "def jaxlint_examples():\n    return 1 / 0\n",
            "f",
            "jaxlint_examples() raised ZeroDivisionError: division by zero",
        ),
    ],
)
def test_what_cannot_be_called_is_told(load: Load, text: str, target: str, reason: str) -> None:
    assert load(text).call(target).reason == reason


def test_kinds_of_examples(load: Load) -> None:
    module = load(
        """
        import functools
        import jax

        class Model:
            @property
            def fresh(self):
                return jax.jit(lambda x: x)(1.0)

            @functools.cached_property
            def kept(self):
                return jax.jit(lambda x: x)(1.0)

            @staticmethod
            def still():
                return jax.jit(lambda x: x)(1.0)

            @classmethod
            def cls(cls, x):
                return jax.jit(lambda x: x)(x)

        def generator():
            for _ in range(2):
                yield jax.jit(lambda x: x)(1.0)

        async def later():
            return jax.jit(lambda x: x)(1.0)

        def jaxlint_examples():
            model = Model()
            return {
                "Model.fresh": (model,),
                "Model.kept": (model,),
                "Model.still": (),
                "Model.cls": (1.0,),
            }
        """
    )
    expected = {
        "Model.fresh": [1, 1, 1],
        "Model.kept": [1, 0, 0],
        "Model.still": [1, 1, 1],
        "Model.cls": [1, 1, 1],
        "generator": [2, 2, 2],
        "later": [1, 1, 1],
    }
    assert {name: compiles(module, name) for name in expected} == expected


def test_module_level_statement_can_be_run_again(load: Load) -> None:
    module = load("import jax\n\ny = jax.jit(lambda x: x)(1.0)\n")
    seen = module.again(3)
    assert [sum(e.count for e in run.events if e.kind == "compile") for run in seen.runs] == [1, 1, 1]
    assert module.again(2).reason == "there is no statement on line 2"


def test_guarded_block_runs_as_main(load: Load) -> None:
    module = load("if __name__ == '__main__':\n    raise ValueError(__name__)\n")
    assert module.loaded.failure is not None
    assert module.loaded.failure.message == "__main__"


def test_settings_changed_by_one_module_do_not_reach_the_next(load: Load) -> None:
    load("import jax\njax.config.update('jax_enable_x64', True)\n")
    module = load("import jax\n\ndef wide():\n    assert jax.numpy.zeros(1, float).dtype == 'float32'\n")
    assert module.call("wide").runs[0].failure is None


def test_text_may_replace_the_file(prover: Prover, tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text("def f():\n    return 1\n")
    module = prover.load(path, source="def g():\n    raise KeyError('here')\n")
    failure = module.call("g").runs[0].failure
    assert failure is not None
    assert (failure.type, failure.stack[0].line, failure.stack[0].file) == ("KeyError", 2, str(path))


def test_interpreter_without_jax_is_told(tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text("")
    with pytest.raises(WorkerError, match="cannot be started"), Prover(python=str(tmp_path / "python")) as prover:
        prover.load(path)


def test_parent_never_imports_jax() -> None:
    code = "import sys, jaxlint.verify.proof; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
