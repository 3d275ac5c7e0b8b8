"""`jaxlint run`: the program runs as it would alone, and what jax did is recorded, with the lines that led there."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxlint.doctor import events
from jaxlint.doctor.events import Compile, Equations, Event, Finish, Miss, Stage, Start, TraceEnd

SHOW = """\
import os, sys

print(sys.argv, __name__, __file__, __spec__ is None, __builtins__ is None, sys.path[0], sys.flags.interactive)
print("sitecustomize" in sys.modules)
print(sorted(set(globals()) - {"os", "sys"}))
print("to stderr", file=sys.stderr)


def end(how):
    if how == "raise":
        raise ValueError("a \\N{BULLET} b")
    if how == "exit":
        sys.exit(5)
    if how == "message":
        sys.exit("said at the end")
    if how == "hard":
        sys.stdout.flush()
        os._exit(7)
    if how == "interrupt":
        os.kill(os.getpid(), 2)
    if how == "kill":
        os.kill(os.getpid(), 15)


end(sys.argv[1])
"""


def alone(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python without jaxlint."""
    return _done(folder, (sys.executable, *arguments), environment)


def jaxlint_run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `jaxlint run -q`."""
    command = (sys.executable, "-m", "jaxlint", "run", "-q", "--python", sys.executable, *arguments)
    return _done(folder, command, {"PYTHONPATH": str(Path(__file__).parents[2]), **environment})


def _done(folder: Path, command: tuple[str, ...], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def recorded(file: Path) -> list[Event]:
    with file.open(encoding="utf-8") as lines:
        return list(events.read(lines))


def sites(file: Path, kind: type[Event], script: str = "script.py") -> list[tuple[int, int | None, int | None]]:
    """Return line, column and end column of the innermost frames of the events of a kind."""
    found = [event.site for event in recorded(file) if isinstance(event, kind)]
    return [(f.line, f.column, f.end_column) for f in found if f is not None and Path(f.file).name == script]


@pytest.mark.parametrize("how", ["raise", "exit", "message", "hard", "interrupt", "kill"])
def test_a_script_runs_as_it_does_alone(tmp_path: Path, how: str) -> None:
    (tmp_path / "script.py").write_text(SHOW, encoding="utf-8")
    before = alone(tmp_path, "script.py", how, "--report", "-m")
    after = jaxlint_run(tmp_path, "script.py", how, "--report", "-m")
    code = before.returncode
    assert (after.stdout, after.stderr) == (before.stdout, before.stderr)
    assert after.returncode == (code if code >= 0 else 128 - code)


def test_a_module_runs_as_it_does_alone(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tool.py").write_text(SHOW, encoding="utf-8")
    before = alone(tmp_path, "-m", "package.tool", "exit")
    after = jaxlint_run(tmp_path, "-m", "package.tool", "exit")
    assert (after.stdout, after.stderr, after.returncode) == (before.stdout, before.stderr, before.returncode)


def test_the_programs_own_sitecustomize_is_there(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.greeting = f'from {__name__} {__file__}'\n")
    (tmp_path / "script.py").write_text("import sys, sitecustomize\nprint(sys.greeting, sitecustomize.__file__)\n")
    paths = os.pathsep.join((str(own), str(Path(__file__).parents[2])))
    before = alone(tmp_path, "script.py", PYTHONPATH=paths)
    after = jaxlint_run(tmp_path, "script.py", PYTHONPATH=paths)
    assert "from sitecustomize" in before.stdout
    assert (after.stdout, after.returncode) == (before.stdout, 0), after.stderr


def test_both_streams_into_one_file_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys\nfor i in range(200):\n    print(i, flush=True)\n    print(i, file=sys.stderr)\n"
    )
    command = [sys.executable, "-m", "jaxlint", "run", "-q", "--python", sys.executable, str(tmp_path / "script.py")]
    with (tmp_path / "out").open("w") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=True, cwd=Path(__file__).parents[2])
    assert (tmp_path / "out").read_text().split() == [str(i) for i in range(200) for _ in range(2)]


def test_a_terminal_stays_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint(sys.stderr.isatty(), 'a\\tb', file=sys.stderr)\n")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "jaxlint", "run", "-q", "--python", sys.executable, str(script)]
    subprocess.run(command, stderr=theirs, check=True, cwd=Path(__file__).parents[2])
    os.close(theirs)
    said = os.read(ours, 1000)
    os.close(ours)
    assert said == b"True a\tb\r\n"


PROGRAM = """\
import logging
import logging.config
import sys

import jax
import jax.numpy as jnp

logging.basicConfig(level=logging.DEBUG, format="%(name)s %(levelname)s %(message)s")


def top(x, y):
    def dot(a, b):
        return jnp.einsum("...i,...i->...", a, b)

    return jax.jit(dot)(x, y)


@jax.jit
def unrolled(x):
    for _ in range(250):
        x = x + 1.0
    return x


x = jnp.ones((4, 8))
for _ in range(3):
    top(x, x)
logging.config.dictConfig({"version": 1, "disable_existing_loggers": True})
unrolled(x)
jax.config.update("jax_explain_cache_misses", True)
jnp.abs(
    x
)
jax.lax.scan(lambda c, y: (c + y, c), 0.0, jnp.arange(3.0))
print("the end")
raise ValueError("boom")
"""


def test_what_jax_does_is_recorded_and_printed_only_where_the_program_asks(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM)
    before = alone(tmp_path, "script.py")
    after = jaxlint_run(tmp_path, "--record", "run.jsonl", "script.py")
    assert (after.stdout, after.returncode) == (before.stdout, before.returncode) == ("the end\n", 1)
    assert _timeless(after.stderr) == _timeless(before.stderr)

    file = tmp_path / "run.jsonl"
    made = recorded(file)
    start, end = made[0], made[-1]
    assert isinstance(start, Start)
    assert start.versions.keys() == {"python", "jax", "jaxlib"}
    assert isinstance(end, Finish)
    assert end.exit_code == 1
    # The exact call, not the line alone; explanations come whatever the program does with logging and the flag.
    assert sites(file, Miss) == [(15, 11, 29)] * 3 + [(29, 0, 11), (34, 0, 59)]
    assert sites(file, Compile)[-6:] == [(15, 11, 29)] * 2 + [(29, 0, 11), (31, 0, 1), (34, 43, 58), (34, 0, 59)]
    compiles = [event for event in made if isinstance(event, Compile)]
    assert {c.program: c.eager for c in compiles} | {"ones": None} == {
        "broadcast_in_dim": True, "convert_element_type": True, "dot": False, "unrolled": False, "abs": True,
        "iota": True, "scan": False, "ones": None,
    }  # fmt: skip
    (large,) = [e for e in made if isinstance(e, Equations) and e.program == "unrolled"]
    (sample,) = large.samples
    assert (sample.count, sample.primitive, sample.stack[0].line) == (250, "add", 21)
    assert large.definition is not None
    assert large.definition.line == 18


def _timeless(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+|id=\d+|\d+\.\d+(e-\d+)?", "#", text)


CHILDREN = """\
import multiprocessing
import os
import subprocess
import sys
import threading

import jax


def work(n):
    jax.jit(lambda x: x * n)(2.0)


if __name__ == "__main__":
    # Once its threads run, jax does not survive a fork.
    pid = os.fork()
    if pid == 0:
        work(4)
        os._exit(0)
    os.waitpid(pid, 0)
    # The recording's descriptor is gone, and its number belongs to another file.
    os.closerange(3, 100)
    others = [open(f"other{i}", "w") for i in range(10)]
    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(3,))
    process.start()
    process.join()
    subprocess.run([sys.executable, "child.py"], check=True)
"""


def test_threads_and_children_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(CHILDREN)
    (tmp_path / "child.py").write_text("import jax\njax.jit(lambda x: x * 5)(2.0)\n")
    after = jaxlint_run(tmp_path, "--record", "run.jsonl", "script.py")
    assert after.returncode == 0, after.stderr
    compiles = [e for e in recorded(tmp_path / "run.jsonl") if isinstance(e, Compile) and e.program == "<lambda>"]
    assert [(Path(c.stack[0].file).name, c.stack[0].line) for c in compiles] == [
        ("script.py", 11), ("script.py", 11), ("script.py", 11), ("script.py", 11), ("child.py", 2),
    ]  # fmt: skip
    assert len({c.process for c in compiles}) == 4
    assert "main" not in {c.thread for c in compiles[1:3]}
    assert all((tmp_path / f"other{i}").read_text() == "" for i in range(10))


STOPPED = """\
import time
import jax

jax.jit(lambda x: x + 1)(1.0)
try:
    print("ready", flush=True)
    for _ in range(6000):  # a signal just before a blocking read would be heard only after it
        time.sleep(0.01)
except KeyboardInterrupt:
    print("tidy", flush=True)
    raise
"""


HEARING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, "-m", "jaxlint", *sys.argv[1:]])
"""
"""`jaxlint` that hears Ctrl-C, even if the tests are a job in the background, which ignores it."""


def test_ctrl_c_goes_to_the_program_and_the_report_covers_what_ran(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(STOPPED)
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HEARING,
            "run",
            "-q",
            "--python",
            sys.executable,
            "--record",
            "run.jsonl",
            "script.py",
        ],
        cwd=tmp_path,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # without a terminal that would send Ctrl-C to both
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (out, process.returncode) == (b"tidy\n", 130)
    assert err.endswith(b"KeyboardInterrupt\n")
    assert b"jaxlint" not in err
    assert sites(tmp_path / "run.jsonl", TraceEnd) == [(4, 0, 29)]


XLA = "I0610 23:33:55.090166    4242 deepsea_compiler_hlo_passes.cc:6157] HLO_PASSES stage duration: 5.4901s"


def test_lines_of_xla_are_recorded_while_the_user_sees_them(tmp_path: Path) -> None:
    said = f"import os\nos.write(2, b'{XLA[:40]}')\nos.write(2, b'{XLA[40:]}\\nother\\n')\n"
    (tmp_path / "script.py").write_text(f"{said}print(os.environ['TF_CPP_MIN_LOG_LEVEL'])\n")
    after = jaxlint_run(tmp_path, "--xla-log-level", "0", "--record", "run.jsonl", "script.py")
    assert (after.stdout, after.stderr) == ("0\n", f"{XLA}\nother\n")
    (stage,) = recorded(tmp_path / "run.jsonl")
    assert isinstance(stage, Stage)
    assert (stage.stage, stage.seconds) == ("HLO_PASSES", 5.4901)
    assert stage.process


def test_wrong_usage_is_said_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('ran')")
    for arguments, said in (
        (["missing.py"], "missing.py: there is no such file"),
        ([], "TARGET is missing"),
        (["--record", "nowhere/run.jsonl", "script.py"], "its folder does not exist"),
        (["--python", "nothing-like-it", "script.py"], "no Python interpreter nothing-like-it"),
    ):
        done = jaxlint_run(tmp_path, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr or "nothing-like-it" in done.stderr


def test_a_program_without_jax_leaves_an_empty_recording(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)")
    assert jaxlint_run(tmp_path, "--record", "run.jsonl", "script.py").returncode == 0
    assert recorded(tmp_path / "run.jsonl") == []


SILENT = """\
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


layer = Layer()
params = jax.jit(layer.init)(jax.random.key(0), np.ones((1, 4)))
for _ in range(3):
    jax.jit(layer.apply)(params, np.ones((2, 4)))
apply = jax.jit(layer.apply)
for n in (2, 5, 5):
    apply(params, np.ones((n, 4)))
for _ in range(3):
    jax.lax.map(lambda x: x + 1, np.ones(3))
jax.lax.map(lambda x: x + 2, np.ones(3))
for _ in range(3):
    jax.lax.scan(lambda c, x: (c, x + 2), 0.0, np.ones(3))
for _ in range(3):
    jax.jit(functools.partial(jax.tree.map, jnp.sin))({"a": np.ones(3)})
on_device = jax.device_put(np.ones(7), jax.devices()[0])
square = jax.jit(jax.numpy.square)
square(np.ones(7)), square(on_device)
"""


def test_misses_are_known_that_jax_does_not_explain(tmp_path: Path) -> None:
    """jax says nothing of functions of its own and of flax's, of lax.map, nor of partials of such."""
    (tmp_path / "script.py").write_text(SILENT)
    assert jaxlint_run(tmp_path, "--json", "run.json", "script.py").returncode == 0
    data = json.loads((tmp_path / "run.json").read_text())
    misses = sorted((m["site"]["line"], m["function"], m["cause"], m["count"]) for m in data["misses"])
    assert misses == [
        (16, "init", "new-function", 1),
        (18, "apply", "new-function", 1),
        (18, "apply", "redefined-function", 2),
        (21, "apply", "redefined-function", 1),
        (21, "apply", "shape", 1),
        (23, "scan", "new-function", 1),
        (23, "scan", "redefined-function", 2),
        (24, "scan", "new-function", 1),
        (26, "<lambda>", "new-function", 1),
        (26, "<lambda>", "redefined-function", 2),
        (28, "map", "new-function", 1),
        (28, "map", "redefined-function", 2),
    ]


LIB = """\
import jax


def run(f):
    def one_step(c, _):
        return f(c), None

    return jax.lax.scan(one_step, 1.0, None, length=3)


def apply(kernel, x):
    return jax.jit(lambda c: kernel(c))(x)
"""
TRUE_CAUSES = {
    # A trace that the cache holds, of a call within another program, is compiled for the first time.
    "@jax.jit\ndef inner(x):\n    return x * 2\njax.jit(lambda x: inner(x) + 1)(x)\ninner(x)\ninner(x[:2])\n": [
        ("<lambda>", "new-function", 1), ("inner", "new-function", 1), ("inner", "shape", 1),
    ],
    # The functions in a body were traced before, inside of another program.
    "def inner(x):\n    return jax.lax.while_loop(lambda c: c < 9.0, lambda c: c * 2.0, x)\n"
    "jax.jit(lambda x: inner(x) + 1.0)(1.0)\nlib.run(inner)\n": [
        ("<lambda>", "new-function", 1), ("scan", "new-function", 1),
    ],
    # Another batch is another program, and needs no trace.
    "f = jax.jit(lambda x: x * 2)\nfor n in (2, 3, 3):\n    jax.vmap(f)(np.ones(n, np.float32))\n": [
        ("<lambda>", "new-function", 1), ("<lambda>", "shape", 1),
    ],
    # Bodies that differ need programs of their own; the second time each of them is there already.
    "for f in (jnp.sin, jnp.cos, jnp.sin):\n    lib.run(lambda c, f=f: f(c))\n": [
        ("scan", "new-function", 2), ("scan", "redefined-function", 1),
    ],
    "for f in (jnp.sin, jnp.cos, jnp.sin):\n    lib.apply(f, 1.0)\n": [
        ("<lambda>", "new-function", 2), ("<lambda>", "redefined-function", 1),
    ],
    # Other functions of the same maker, of other shapes, are no calls of one function.
    "for f, n in ((jnp.sin, 2), (jnp.cos, 3), (jnp.tan, 4)):\n    lib.apply(f, np.ones(n, np.float32))\n": [
        ("<lambda>", "new-function", 3),
    ],
    # Nor are functions that are static arguments, unless they are equal in what they compute.
    "f = jax.jit(lambda g, a: g(a), static_argnums=0)\n"
    "for g in (lambda a: a * 2, lambda a: a + 1, lambda a: a * 3):\n    f(g, 1.0)\n": [
        ("<lambda>", "new-function", 2), ("<lambda>", "static-value", 1),
    ],
    # Nor are objects: those of another class compute something else.
    "class Add:\n    def __call__(self, a):\n        return a + 1\nclass Double(Add):\n    def __call__(self, a):\n"
    "        return a * 2\nf = jax.jit(lambda g, a: g(a), static_argnums=0)\n"
    "for g in (Add(), Double(), Double()):\n    f(g, 1.0)\n": [
        ("<lambda>", "new-function", 2), ("<lambda>", "static-value", 1),
    ],
    # What is defined anew for each shape has to be compiled for each.
    "for n in (2, 3, 2):\n    jax.jit(lambda a: a * 2)(np.ones(n, np.float32))\n": [
        ("<lambda>", "new-function", 1), ("<lambda>", "redefined-function", 1), ("<lambda>", "shape", 1),
    ],
    # The process goes on as another program, which knows nothing of what was compiled.
    "jax.jit(lambda x: x * 2)(1.0)\nif len(sys.argv) < 2:\n"
    "    os.execv(sys.executable, [sys.executable, __file__, 'again'])\n": [
        ("<lambda>", "new-function", 2),
    ],
}  # fmt: skip


def test_causes_are_true(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(LIB)
    for code, expected in TRUE_CAUSES.items():
        head = "import os, sys, jax, jax.numpy as jnp, numpy as np, lib\nx = np.ones(3, np.float32)\n"
        (tmp_path / "script.py").write_text(head + code)
        done = jaxlint_run(tmp_path, "--json", "run.json", "script.py")
        assert done.returncode == 0, done.stderr
        found: dict[tuple[str, str], int] = {}
        for miss in json.loads((tmp_path / "run.json").read_text())["misses"]:
            times = miss["compiles"]
            if times:
                program = miss["ids"][0][1:].rpartition("/")[0]
                found[program, miss["cause"]] = found.get((program, miss["cause"]), 0) + times
        assert sorted((*key, times) for key, times in found.items()) == expected, code


WEAK = """\
import equinox as eqx, jax, jax.numpy as jnp


class State(eqx.Module):
    count: jax.Array
    total: jax.Array


@eqx.filter_jit
def step(model, state, x):
    return State(state.count * jnp.float32(0.5) + x.sum(), state.total + x)


state = State(jnp.asarray(0.0), jnp.zeros(3))
for _ in range(3):
    state = step(None, state, jnp.ones(3))
"""


def test_a_weak_type_is_named_as_the_user_does_with_the_line_that_made_it(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(WEAK)
    assert jaxlint_run(tmp_path, "--json", "run.json", "script.py").returncode == 0
    data = json.loads((tmp_path / "run.json").read_text())
    (weak,) = [one for one in data["suggestions"] if "weak-type" in one["causes"]]
    assert weak["facts"] == [
        "state.count: f32[], before f32[] (weak)",
        "`state` was created at line 14: state = State(jnp.asarray(0.0), jnp.zeros(3))",
    ]


VALUES = """\
import typing

import jax
import jax.numpy as jnp
import numpy as np
import lib


class State(typing.NamedTuple):
    params: dict
    step: int


def step(state, size, rate, mode, config, names, flag, key, shape, nothing=None):
    return state.params["w"] * rate + size


def main():
    state = State({"w": jnp.ones(3)}, 0)
    size = 4
    key = jax.random.key(0)
    text = "later"
    print(step(state, size, 0.1, "mean", {"a": [1]}, ["a"], True, key, (2, 3)))
    text = np.array(["text"])
    del key
    lib.apply(jnp.sin, jnp.ones(7))
    print(jnp.ones(5) * 3, text)


main()
"""


def test_what_names_held_is_known(tmp_path: Path) -> None:
    library = tmp_path / "site-packages" / "lib.py"
    library.parent.mkdir()
    library.write_text("def apply(kernel, x, *, often=3):\n    return kernel(x) * 2\n")
    head = f"import sys\nsys.path.append({str(library.parent)!r})\n"
    (tmp_path / "script.py").write_text(head + VALUES)
    assert jaxlint_run(tmp_path, "--record", "run.jsonl", "script.py").returncode == 0
    held: dict[str, dict[str, str]] = {}
    for event in recorded(tmp_path / "run.jsonl"):
        if isinstance(event, events.Values):
            held.setdefault(event.definition.function, {}).update(event.values)
    assert held["step"] == {
        "state": "arrays",
        "size": "int",
        "rate": "float",
        "mode": "static",
        "config": "arrays",
        "names": "neither",
        "flag": "bool",
        "key": "array",
        "shape": "numbers",
        "nothing": "arrays",
    }
    assert held["main"] == {"state": "arrays", "size": "int", "key": "array", "text": "static"}
    assert held["<module>"] == dict.fromkeys(
        ("sys", "typing", "jax", "jnp", "np", "lib", "State", "step", "main"), "static"
    )
    assert held["apply"] == {"kernel": "static", "x": "array", "often": "int"}


TWICE = """\
import jax
import jax.numpy as jnp


def table():
    return jnp.arange(5) * 2


def loss(x):
    return (x * table()).sum()


x = jnp.ones(5)
jax.grad(loss)(x)


@jax.jit
def constant(x):
    with jax.ensure_compile_time_eval():
        y = jnp.tan(jnp.arange(7.0))
    return x + y[0]


constant(x)
"""


def test_whether_a_trace_was_under_way_is_known(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(TWICE)
    assert jaxlint_run(tmp_path, "--record", "run.jsonl", "script.py").returncode == 0
    traced: dict[int, set[bool | None]] = {}
    for event in recorded(tmp_path / "run.jsonl"):
        if isinstance(event, Compile) and event.eager:
            traced.setdefault(event.stack[0].line, set()).add(event.traced)
    assert traced[6] == traced[10] == {False}
    assert traced[20] == {True}


CELLS = (
    "import jax\nimport numpy as np\n%matplotlib inline\n",
    "def scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n",
    "# The cell of a title\n\nfor n in range(3):\n    scaled(1.0)\nprint('done')\n",
)


def test_a_notebook_runs_and_its_places_are_told_by_cells(tmp_path: Path) -> None:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}] + [
        {"cell_type": "code", "metadata": {}, "source": cell.splitlines(keepends=True), "outputs": [],
         "execution_count": None}
        for cell in CELLS
    ]  # fmt: skip
    notebook = {"cells": cells, "metadata": {"kernelspec": {"language": "python", "name": "python3"}}, "nbformat": 4,
                "nbformat_minor": 5}  # fmt: skip
    before = json.dumps(notebook)
    (tmp_path / "work.ipynb").write_text(before)
    command = (sys.executable, "-m", "jaxlint", "run", "--color", "never", "--json", "run.json", "--isolated")
    done = _done(tmp_path, (*command, "--python", sys.executable, "work.ipynb"), {"PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "work.ipynb:cell 3:2:12: <lambda> was compiled again for a new function object, 2 times" in done.stderr
    assert "work.ipynb:cell 3:2:12: JAX102" in done.stderr.replace("\n", "")
    data = json.loads((tmp_path / "run.json").read_text())
    (group,) = [miss for miss in data["misses"] if miss["cause"] == "redefined-function"]
    assert group["site"]["shown"] == "cell 3:2"
    assert [finding["code"] for finding in group["findings"]] == ["JAX102"]
    assert (tmp_path / "work.ipynb").read_text() == before


ROOT = Path(__file__).parents[2]
