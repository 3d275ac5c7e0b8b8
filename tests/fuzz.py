"""Code that nobody wrote for jaxlint: what others wrote, damaged testdata, programs by a grammar, and monsters.

    python -m tests.fuzz [--seed N] [--count N] [--files N] [FOLDER...]

lints the files of Python's library with its tests, of the installed packages and of the folders (or N of them), then N
mutations of testdata and N programs; it prints what broke a promise, and ends with 1 if something did: `make fuzz`.  A
small share of the same runs with the tests.
"""

from __future__ import annotations

import argparse
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

from jaxlint import Settings, Source, lint
from jaxlint.driver import read_exports
from jaxlint.finding import Confidence, Finding
from jaxlint.source import SourceError
from tests.fixes.grammar import programs
from tests.marks import TESTDATA

EVERYTHING = Settings(select=("JAX", "JAX9"), preview=True, min_confidence=Confidence.LOW)
LARGEST = 400_000
"""Bytes of the largest file of others that is taken: those beyond are tables."""


def broken(data: bytes, name: str = "a.py") -> list[str]:
    """Return which promises linting some bytes breaks: no failure, places inside of the file, the same every time."""
    try:
        source = Source.from_bytes(data, name)
    except SourceError:
        return []  # it is said, and nothing is linted
    found = lint(source, EVERYTHING)
    problems = [finding.message for finding in found if finding.code == "JAX000"]
    problems += [f"{finding.code} is outside of the file" for finding in found if not _inside(finding, source)]
    if lint(Source.from_bytes(data, name), EVERYTHING) != found:
        problems.append("a second run finds something else")
    read_exports(data, name)
    return problems


def _inside(finding: Finding, source: Source) -> bool:
    spans = [
        finding.span,
        *(note.span for note in finding.related),
        *(edit.span for fix in finding.fixes for edit in fix.edits),
    ]
    return all(0 <= span.start <= span.end <= len(source.text) for span in spans)


def library(*folders: Path) -> list[Path]:
    """Return the Python files of Python's library, of the installed packages and of some folders."""
    roots = [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib")), *folders]
    files = {file for root in roots for file in root.rglob("*.py") if file.is_file()}
    return sorted(file for file in files if file.stat().st_size <= LARGEST)


def mutations(choose: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield damaged files of testdata, each with a name."""
    files = sorted(TESTDATA.rglob("*.py"))
    for number in range(count):
        file = choose.choice(files)
        data = bytearray(file.read_bytes())
        for _ in range(choose.randint(1, 4)):
            data = choose.choice(_DAMAGES)(data, choose)
        yield f"{number}: {file.name}", bytes(data)


_Damage = Callable[[bytearray, random.Random], bytearray]
_PIECES = (
    b"(",
    b")",
    b"[",
    b"'''",
    b"\\\n",
    b"\n",
    b"    ",
    b"\t",
    b":",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\x0c",
)
_WORDS = (
    b"yield ",
    b"await ",
    b"lambda: ",
    b"*",
    b"**",
    b"not ",
    b"del ",
    b"global x\n",
    b"async ",
    b"match x:\n",
    b"#",
)


def _insert(data: bytearray, choose: random.Random) -> bytearray:
    at = choose.randrange(len(data) + 1)
    return data[:at] + choose.choice(_PIECES + _WORDS) + data[at:]


def _delete(data: bytearray, choose: random.Random) -> bytearray:
    at = choose.randrange(len(data) + 1)
    return data[:at] + data[at + choose.choice((1, 1, 5, 80)) :]


def _cut(data: bytearray, choose: random.Random) -> bytearray:
    return data[: choose.randrange(len(data) + 1)]


def _swap_lines(data: bytearray, choose: random.Random) -> bytearray:
    lines = data.split(b"\n")
    one, other = choose.randrange(len(lines)), choose.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return bytearray(b"\n".join(lines))


def _drop_line(data: bytearray, choose: random.Random) -> bytearray:
    lines = data.split(b"\n")
    del lines[choose.randrange(len(lines))]
    return bytearray(b"\n".join(lines))


def _repeat_lines(data: bytearray, choose: random.Random) -> bytearray:
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    return bytearray(b"\n".join([*lines[:at], *lines[at : at + 8] * choose.choice((2, 9)), *lines[at + 8 :]]))


def _indent(data: bytearray, choose: random.Random) -> bytearray:
    lines = data.split(b"\n")
    at = choose.randrange(len(lines))
    under = choose.choice((b"if x:", b"class A:", b"async def f(self):", b"for x in y:", b"with a as b:", b"try:"))
    return bytearray(b"\n".join([*lines[:at], under, *(b"    " + line for line in lines[at:])]))


def _rename(data: bytearray, choose: random.Random) -> bytearray:
    names = (b"jax", b"jnp", b"jit", b"self", b"x", b"def", b"return", b"for", b"lambda", b"import", b"=", b"range")
    return data.replace(choose.choice(names), choose.choice(names), choose.choice((1, 3, -1)))


_DAMAGES: tuple[_Damage, ...] = (
    *(_insert, _insert, _delete, _cut, _swap_lines, _drop_line, _repeat_lines, _indent, _rename),
)

_HEAD = "import jax\nimport jax.numpy as jnp\n\n\n"
MONSTERS: dict[str, Callable[[int], str]] = {
    "lines under a jit": lambda n: _HEAD + "@jax.jit\ndef f(x):\n" + "    x = x + 1\n" * n + "    return x\n",
    "plain lines": lambda n: _HEAD + "".join(f"x{i} = [{i}]\n" for i in range(n)) + "f = jax.jit(lambda y: y)\n",
    "one line": lambda n: _HEAD + "x = [" + "1, " * n + "]\ndef f(z):\n    return jax.jit(lambda y: y)(z)\n",
    "functions that call each other": lambda n: (
        _HEAD
        + "".join(f"def f{i}(x, n):\n    return f{(i + 1) % n}(x, n) + f{i // 2}(x, n)\n\n\n" for i in range(n))
        + "g = jax.jit(f0)\n"
    ),
    "methods that call each other": lambda n: (
        _HEAD
        + "class A:\n"
        + "".join(f"    def f{i}(self, x):\n        return self.f{(i + 1) % n}(x)\n\n" for i in range(n))
        + "    @jax.jit\n    def g(self, x):\n        return self.f0(x)\n"
    ),
    "statements of one line": lambda n: _HEAD + "f = jax.jit(abs); " * n + "\n",
    "strings side by side": lambda n: _HEAD + "x = (\n" + '"a"\n' * n + ")\nf = jax.jit(lambda y: y)\n",
    "functions that pass a value on": lambda n: (
        _HEAD
        + "def f0(x):\n    return -x if x > 0 else x\n\n\n"
        + "".join(f"def f{i + 1}(x):\n    return f{i}(x)\n\n\n" for i in range(n))
        + f"g = jax.jit(f{n})\n"
    ),
    "jits in a function": lambda n: _HEAD + "def f(x):\n" + "    x = jax.jit(lambda y: y)(x)\n" * n + "    return x\n",
    "cases": lambda n: (
        _HEAD
        + "def f(x, k):\n    match k:\n"
        + "".join(f"        case {i}:\n            return jax.jit(lambda y: y)(x)\n" for i in range(n))
    ),
    "loops under a jit": lambda n: (
        _HEAD
        + "@jax.jit\ndef f(x):\n"
        + "    for i in range(5000):\n        x = jnp.sin(x) + i\n" * n
        + "    return x\n"
    ),
    "quotes that nothing closes": lambda n: _HEAD + "f = jax.jit(lambda y: y)\nx = '" + "\\'" * n + "\n",
    "branches": lambda n: _HEAD + "@jax.jit\ndef f(x):\n" + "    if x > 0:\n        x = -x\n" * n + "    return x\n",
    "parentheses": lambda n: _HEAD + "f = jax.jit(lambda y: y)\nx = " + "(" * n + "1" + ")" * n + "\n",
    "attributes": lambda n: _HEAD + "f = jax.jit(lambda y: y)\nx = f" + ".b" * n + "\n",
    "sums": lambda n: _HEAD + "f = jax.jit(lambda y: y)\nx = 1" + " + 1" * n + "\n",
    "calls of calls": lambda n: _HEAD + "f = jax.jit(lambda y: y)\nx = f" + "(1)" * n + "\n",
    "nested loops": lambda n: (
        _HEAD
        + "def f(x):\n"
        + "".join(f"{'    ' * (i + 1)}for a{i} in x:\n" for i in range(n))
        + "    " * (n + 1)
        + "jnp.sin(x)\n"
    ),
    "nested functions": lambda n: (
        _HEAD
        + "".join(f"{'    ' * i}def f{i}(x):\n" for i in range(n))
        + "    " * n
        + "return jax.jit(lambda y: y)(x)\n"
    ),
    "jits of lambdas": lambda n: (
        _HEAD + "".join(f"def f{i}(x):\n    return jax.jit(lambda y: y)(x)\n\n\n" for i in range(n))
    ),
    "eager loops": lambda n: (
        _HEAD
        + "".join(f"def f{i}(x):\n    for y in x:\n        print(jnp.sin(y) + jnp.cos(y))\n\n\n" for i in range(n))
    ),
    "imports": lambda n: (
        _HEAD + "".join(f"from jax import numpy as n{i}\n" for i in range(n)) + "f = jax.jit(lambda y: y)\n"
    ),
    "aliases": lambda n: (
        _HEAD + "f0 = jax.jit\n" + "".join(f"f{i + 1} = f{i}\n" for i in range(n)) + f"g = f{n}(lambda y: y)\n"
    ),
    "subclasses": lambda n: (
        _HEAD
        + "class A0:\n    pass\n\n\n"
        + "".join(f"class A{i + 1}(A{i}):\n    pass\n\n\n" for i in range(n))
        + f"def f(x):\n    return jax.jit(A{n}().g)(x)\n"
    ),
}
"""Programs of any size in which one thing is many, by what that is."""


def work(text: str) -> int:
    """Return how many functions are called to lint a text: the same on every machine, unlike seconds."""
    number = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    source = Source(text, "a.py")
    sys.setprofile(count)
    try:
        lint(source, EVERYTHING)
    finally:
        sys.setprofile(None)
    return number


def growth(name: str, size: int) -> float:
    """Return how much more work comes with the second doubling of a monster than with the first.

    Two, if work grows as the text does; four, if it grows as its square.  What every text costs is left out by that.
    """
    build = MONSTERS[name]
    work(build(2))  # what is kept from then on
    first, second, third = (work(build(size * times)) for times in (1, 2, 4))
    return (third - second) / max(1, second - first)


def main() -> int:
    """Lint all of it; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--files", type=int)
    parser.add_argument("folders", nargs="*", type=Path)
    arguments = parser.parse_args()
    bad = 0

    def check(name: str, data: bytes) -> None:
        nonlocal bad
        for problem in broken(data):
            bad += 1
            sys.stdout.write(f"{name}: {problem}\n")
            sys.stdout.flush()

    files = library(*arguments.folders)
    if arguments.files is not None:
        files = random.Random(arguments.seed).sample(files, min(arguments.files, len(files)))
    for file in files:
        check(str(file), file.read_bytes())
    for name, data in mutations(random.Random(arguments.seed), arguments.count):
        check(name, data)
    for name, text in programs(arguments.seed, arguments.count):
        check(name, text.encode())
    sys.stdout.write(f"{len(files)} files, {arguments.count} mutations and as many programs: {bad} problems\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
