"""Runs that never were, of any size, for what reports on runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxlint.doctor import jsonform
from jaxlint.doctor.events import (
    Compile,
    Equations,
    Event,
    Finish,
    Frame,
    Lowering,
    LoweringBegin,
    Miss,
    PersistentCache,
    Sample,
    Start,
    TraceBegin,
    TraceEnd,
)
from jaxlint.doctor.join import join
from jaxlint.doctor.model import Builder

HOSTILE = "</script><script>broken=1</script><!--\u2028&amp;"
"""What must not end the data of a page, were it the name of a function."""
_OTHER = """\
  for step defined at here
  all previously seen cache keys differ. For the closest previous key:
  different input types:
  * at x, now f32[{n}] and before f32[1]"""
_NEW = """\
  never seen function:
    it id={n}"""
SOURCE = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    for _ in range(3000):
        x = x + 1.0
    return x


def scale(x):
    return jax.jit(lambda y: y * 2)(x)


def main(data):
    for x in data:
        scale(step(x))
    return jax.tree.map(lambda p: jnp.abs(p) * 2, data)
"""


def events(script: Path, programs: int) -> Iterator[Event]:
    """Yield a run of `script`, whose text is `SOURCE`: so many programs, of three kinds, in two processes."""
    file = str(script)
    main = Frame(file, 20, "main", 8, 20, 22)
    kinds = (
        ("step", Frame(file, 5, "step"), (Frame(file, 18, "main", 14, 18, 21),), _OTHER),
        ("<lambda>", Frame(file, 13, "<lambda>"), (Frame(file, 13, "scale", 11, 13, 38), main), _NEW),
        ("abs", None, (Frame(file, 19, "main.<locals>.<lambda>", 34, 19, 44), main), ""),
        (HOSTILE, Frame(file, 12, HOSTILE), (main,), _NEW),
    )
    versions = {"python": "3.11.7", "jax": "0.10.2"}
    yield Start(time=1000.0, process="1", arguments=("python", file), folder=str(script.parent), versions=versions)
    for number in range(programs):
        name, definition, stack, text = kinds[3 if number == 0 else number % 3]
        time = 1001.0 + number * 0.1
        common: dict[str, Any] = {"process": str(1 + number % 2), "thread": "main", "stack": stack}
        yield TraceBegin(time=time, function=name, **common)
        if definition is not None:
            text = text.replace("{n}", str(number + 2))
            yield Miss(time=time, function=name, definition=definition, text=text, **common)
        yield TraceEnd(time=time + 0.01, function=name, seconds=0.01, **common)
        types = f"(ShapedArray(float32[{number + 2}]),)"
        yield LoweringBegin(time=time + 0.01, program=name, types=types, **common)
        if number == 3:
            loop = Frame(file, 8, "step", 12, 8, 19)
            yield Equations(
                time=time + 0.02, program=name, definition=definition,
                samples=(Sample(3000, "add", (loop,)), Sample(2, "mul")), **common,
            )  # fmt: skip
        yield Lowering(time=time + 0.02, program=name, seconds=0.01, **common)
        if number % 10 == 9:
            yield PersistentCache(time=time + 0.08, program=name, outcome="hit", **common)
        yield Compile(time=time + 0.08, program=name, seconds=0.06, eager=definition is None, **common)
    yield Finish(time=1001.0 + programs * 0.1, process="1", seconds=1.0 + programs * 0.1, exit_code=0)


def told(folder: Path, programs: int) -> dict[str, Any]:
    """Return what a page shows of such a run; its script is written to `folder`."""
    script = folder / "script.py"
    script.write_text(SOURCE, encoding="utf-8")
    model = Builder().extend(events(script, programs)).model()
    return jsonform.to_json(join(model, str(folder), isolated=True), details=True)
