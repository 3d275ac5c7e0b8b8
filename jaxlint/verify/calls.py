"""Runs what calls the module under test, and keeps the arguments of the first call of each function asked for.

A run goes no further than it has to: the call that was looked for is stopped where it begins, before it does anything.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import json
import os
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import clock
from .search import deadline


class ReachedError(BaseException):
    """A call that was looked for has begun; no `Exception`, so that the code under test does not catch it."""


@dataclass
class Call:
    """Arguments that a function was called with, and where they are from.

    `traced` tells whether some were only known by shape and type, in whose place arrays of ones are kept.
    """

    positional: list[Any]
    words: dict[str, Any]
    source: str
    traced: bool = False


@dataclass
class Calls:
    """The calls of the functions in `wanted`, as they are met."""

    jax: Any
    wanted: frozenset[str]
    source: str = ""
    found: dict[str, Call] = field(default_factory=dict)

    @property
    def missing(self) -> frozenset[str]:
        """The functions of which nothing but traced calls is known."""
        return frozenset(name for name in self.wanted if name not in self.found or self.found[name].traced)

    def enter(self, name: str, frame: types.FrameType) -> None:
        """Keep the arguments of a frame that has just begun.

        Raises:
            ReachedError: they were wanted, and no better ones are to be expected.
        """
        if name not in self.missing:
            return
        positional, words = _arguments(frame)
        leaves, tree = self.jax.tree.flatten((positional, words))
        traced = any(isinstance(leaf, self.jax.core.Tracer) for leaf in leaves)
        if traced:
            if name in self.found:
                return
            with self.jax.ensure_compile_time_eval():
                leaves = [self._stand_in(leaf) for leaf in leaves]
            positional, words = self.jax.tree.unflatten(tree, leaves)
        self.found[name] = Call(positional, words, self.source, traced)
        if not traced:
            raise ReachedError(name)

    def _stand_in(self, leaf: Any) -> Any:
        if not isinstance(leaf, self.jax.core.Tracer):
            return leaf
        if self.jax.dtypes.issubdtype(leaf.dtype, self.jax.dtypes.prng_key):
            key = self.jax.random.key(0)
            return key if not leaf.shape else self.jax.random.split(key, leaf.shape)
        return self.jax.numpy.ones(leaf.shape, leaf.dtype)


def _arguments(frame: types.FrameType) -> tuple[list[Any], dict[str, Any]]:
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount
    names = code.co_varnames
    positional = [values[name] for name in names[:count]]
    words = {name: values[name] for name in names[count : count + code.co_kwonlyargcount]}
    rest = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        positional += values[names[rest]]
        rest += 1
    if code.co_flags & 0x08:
        words |= values[names[rest]]
    return positional, words


def run_all(calls: Calls, sources: Sequence[tuple[str, bool]], seconds: float, record: Callable[..., Any]) -> None:
    """Run files until all calls are found or time is up; `record` runs an action and takes whatever it raises."""
    end = clock.now() + seconds
    tests = [path for path, test in sources if test]
    if tests and importlib.util.find_spec("pytest") is not None:
        calls.source = os.path.basename(tests[0])
        record(lambda: _run_tests(calls, tests, end))
    for path, test in sources:
        left = end - clock.now()
        if not test and calls.missing and left > 0:
            calls.source = os.path.basename(path)
            record(lambda path=path, left=left: _run_file(path, min(left, _LONGEST_FILE)))


def run_docstrings(calls: Calls, module: types.ModuleType, seconds: float, record: Callable[..., Any]) -> None:
    """Run the examples in the docstrings of a module that mention what is looked for."""
    last = {name.rpartition(".")[2] for name in calls.wanted} | {name.partition(".")[0] for name in calls.wanted}
    holders = [module, *(value for value in vars(module).values() if _is_defined_in(value, module))]
    for holder in holders:
        text = getattr(holder, "__doc__", None)
        if not isinstance(text, str) or ">>>" not in text or not any(name in text for name in last):
            continue
        calls.source = "a docstring"
        names = dict(vars(module))

        def run(text: str = text, names: dict[str, Any] = names) -> None:
            with deadline(seconds):
                for example in doctest.DocTestParser().get_examples(text):
                    exec(compile(example.source, "<docstring>", "exec"), names)  # noqa: S102

        record(run)


def _is_defined_in(value: Any, module: types.ModuleType) -> bool:
    return getattr(value, "__module__", None) == module.__name__ and hasattr(value, "__doc__")


def _run_file(path: str, seconds: float) -> None:
    """Run a script or a notebook as the main program."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".ipynb"):
        cells = json.loads(text)["cells"]
        parts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        text = "\n".join(
            line for part in parts for line in part.splitlines() if not line.lstrip().startswith(("%", "!"))
        )
    names = {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__}
    with _as_main(path), deadline(seconds):
        exec(compile(text, path, "exec"), names)  # noqa: S102


@contextlib.contextmanager
def _as_main(path: str) -> Iterator[None]:
    before = sys.argv, list(sys.path)
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


def _run_tests(calls: Calls, paths: Sequence[str], end: float) -> None:
    pytest = importlib.import_module("pytest")
    options = [
        "-q",
        "-s",
        "--no-header",
        "--no-summary",
        "--assert=plain",
        "-o",
        "addopts=",
        "--continue-on-collection-errors",
    ]
    without = [part for name in ("cacheprovider", "faulthandler", "xdist", "jaxlint") for part in ("-p", f"no:{name}")]
    pytest.main([*options, *without, *paths], plugins=[_plugin(pytest, calls, end)])


def _plugin(pytest: Any, calls: Calls, end: float) -> Any:
    names = {part for target in calls.wanted for part in target.split(".")}

    def mentions(item: Any) -> bool:
        code = getattr(getattr(item, "function", None), "__code__", None)
        return code is not None and not names.isdisjoint((*code.co_names, *code.co_freevars))

    class Plugin:
        def pytest_collection_modifyitems(self, items: list[Any]) -> None:
            items.sort(key=lambda item: not mentions(item))

        @pytest.hookimpl(hookwrapper=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_call(self, item: Any) -> Iterator[None]:
            left = min(end - clock.now(), _LONGEST_TEST)
            calls.source = f"{item.name} in {os.path.basename(str(item.path))}"
            with deadline(max(left, 0.1)):
                yield

        def pytest_runtest_logfinish(self) -> None:
            if not calls.missing or clock.now() > end:
                pytest.exit("no more calls are looked for")

    return Plugin()


_LONGEST_TEST, _LONGEST_FILE = 8.0, 8.0
