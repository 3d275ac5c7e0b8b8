"""Fixes keep to the line length of the project."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from jaxlint import Settings, Source, lint
from jaxlint.config import Finder
from jaxlint.finding import Applicability, Edit, Fix, Span
from jaxlint.fixes.text.edits import applied
from jaxlint.fixes.text.wrapping import broken, wrapped

BROKEN = {
    "a short line stays": ("x = f(a, b)", 88, ["x = f(a, b)"]),
    "arguments on one line of their own": (
        "    result = compute(first_argument, second_argument)",
        40,
        ["    result = compute(", "        first_argument, second_argument", "    )"],
    ),
    "arguments on a line each": (
        "result = compute(first_argument, second_argument, third_argument)",
        30,
        ["result = compute(", "    first_argument,", "    second_argument,", "    third_argument,", ")"],
    ),
    "parameters of a lambda stay together": (
        "step = jax.jit(lambda state, batch: update(state, batch), donate_argnums=0)",
        70,
        ["step = jax.jit(", "    lambda state, batch: update(state, batch), donate_argnums=0", ")"],
    ),
    "a decorator": (
        '@functools.partial(jax.jit, static_argnames=("length", "reverse"))',
        50,
        ["@functools.partial(", '    jax.jit, static_argnames=("length", "reverse")', ")"],
    ),
    "commas and brackets in text": (
        'x = call("a, (b", other)',
        18,
        ["x = call(", '    "a, (b", other', ")"],
    ),
    "a head of a function": (
        "def _loss(params, batch, rate, momentum):",
        30,
        ["def _loss(", "    params,", "    batch,", "    rate,", "    momentum,", "):"],
    ),
    "what has no brackets stays": ("x = first_value + second_value", 20, ["x = first_value + second_value"]),
    "a comment stays": ("x = compute(first, second)  # why", 20, ["x = compute(first, second)  # why"]),
}


@pytest.mark.parametrize(("line", "length", "lines"), BROKEN.values(), ids=BROKEN)
def test_lines_are_broken_at_brackets(line: str, length: int, lines: list[str]) -> None:
    assert broken(line, length) == lines
    if lines != [line] and not line.startswith(("@", "def")):
        assert ast.dump(ast.parse("\n".join(lines).strip())) == ast.dump(ast.parse(line.strip()))


CODE = """import jax

def f(x):
    return jax.jit(jax.vmap(jax.value_and_grad(loss_of_all), in_axes=(0, None)))(x, x)

def loss_of_all(a, b):
    return a * b
"""


@pytest.mark.parametrize("length", [60, 79, 88, 120])
def test_fixes_keep_to_the_length(length: int) -> None:
    (finding,) = lint(Source(CODE), Settings(line_length=length))
    text = applied(CODE, finding.fixes[0])
    new = [line for line in text.split("\n") if line not in CODE.split("\n")]
    assert max(map(len, new)) <= length
    ast.parse(text)


def test_lines_that_become_one_are_broken_again() -> None:
    text = "def f(x):\n    y = x\n    z = g(\n        y,\n    )\n    return z\n"
    call = "g(" + ", ".join(f"argument_{number}" for number in range(8)) + ")"
    one = Edit(Span(text.index("g("), text.index(")\n    return") + 1), call)
    start = text.index("    y = x")
    whole = Edit(Span(start, text.index("    z")), f"    y = {call}\n")
    for edit in (one, whole):
        fix = wrapped(Source(text), Fix(Applicability.SAFE, "", (edit,)), 60)
        new = applied(text, fix)
        assert max(map(len, new.splitlines())) <= 60
        plain = applied(text, Fix(Applicability.SAFE, "", (edit,)))
        assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(plain))


FILES = {
    "ruff": ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", 100),
    "ruff in a file of its own": ("ruff.toml", "line-length = 99\n", 99),
    "black": ("pyproject.toml", "[tool.black]\nline-length = 79\n", 79),
    "flake8": ("setup.cfg", "[flake8]\nmax-line-length = 110\n", 110),
    "pycodestyle": ("tox.ini", "[pycodestyle]\nmax_line_length = 120\n", 120),
    "editors": (".editorconfig", "root = true\n[*]\nmax_line_length = 90\n[*.py]\nmax_line_length = 101\n", 101),
    "other languages": (".editorconfig", "[*.md]\nmax_line_length = 90\n", 88),
    "nothing": ("pyproject.toml", "[tool.ruff.lint]\nselect = []\n", 88),
    "no number": ("pyproject.toml", '[tool.ruff]\nline-length = "wide"\n', 88),
    "no TOML": ("ruff.toml", "line-length = = 3\n", 88),
}


@pytest.mark.parametrize(("name", "text", "length"), FILES.values(), ids=FILES)
def test_the_length_is_the_project_s(name: str, text: str, length: int, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    inner = tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    assert Finder().config(str(inner)).settings.line_length == length
    assert Finder(isolated=True).config(str(inner)).settings.line_length == 88
