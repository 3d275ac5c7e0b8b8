"""A pytest plugin: tests that compile, or trace again, more often than they may, fail and say which argument changed.

It is loaded where it is asked for only: with `-p jaxlint.pytest`, or `pytest_plugins = ["jaxlint.pytest"]` in the
`conftest.py` at the root.  docs/pytest.md shows how to use it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from jaxlint.doctor import causes, dialects
from jaxlint.doctor.recorder import Recorder, when_imported
from jaxlint.doctor.recording import replace

_MARKER = "max_compiles"


class TooManyCompiles(AssertionError):  # noqa: N818  (a failed assertion, as pytest shows it)
    """A block compiled or traced more often than it may; the text says what, where and why."""


class Compiled(NamedTuple):
    """One compile: the function's name, the line that called it, and what made jax compile it, as far as known.

    `cause` is one of the words of `jaxlint run --json`; `changes` say which argument differs from which earlier call.
    `eager` tells whether it was a single operation outside of any jitted function.
    """

    function: str
    file: str
    line: int
    cause: str
    changes: tuple[str, ...]
    seconds: float
    eager: bool


@dataclass
class Compiles:
    """What happened in a block so far: the compiles in order, and how often functions were traced."""

    compiles: list[Compiled] = field(default_factory=list)
    traces: int = 0
    eager: bool = False
    equations: dict[str, int] = field(default_factory=dict)
    """Of how many equations the programs of each function were, at most."""
    told: list[str] = field(default_factory=list)
    """What is known of the traces, a line or more each."""

    @property
    def count(self) -> int:
        """How many programs were compiled, or loaded from the persistent cache.

        Those of single operations outside of jitted functions count only if the block was asked to.
        """
        return len(self.counted)

    @property
    def counted(self) -> list[Compiled]:
        """The compiles that count."""
        return [compiled for compiled in self.compiles if self.eager or not compiled.eager]


@contextlib.contextmanager
def max_compiles(limit: int, *, traces: int | None = None, eager: bool = False) -> Iterator[Compiles]:
    """Fail where the block compiles more than `limit` programs, or traces more often.

    What is compiled by `jax.jit`, `nnx.jit`, `eqx.filter_jit` and others counts alike, in all threads of the process.

    Args:
        limit: how many compiles are allowed; what the persistent cache holds counts too.
        traces: how many traces are allowed, if that is another number.
        eager: count the programs of single operations outside of jitted functions as well.  How many there are
            depends on what ran before.

    Raises:
        TooManyCompiles: in the end, if there were more, and the block raised nothing itself.
    """
    __tracebackhide__ = True
    _watch.begin()
    seen = Compiles(eager=eager)
    _watch.blocks.append(seen)
    try:
        yield seen
    finally:
        _watch.blocks.remove(seen)
    allowed = limit if traces is None else traces
    if seen.count > limit or seen.traces > allowed:
        raise TooManyCompiles(_told(seen, limit, allowed))


def _told(seen: Compiles, limit: int, traces: int) -> str:
    said = []
    if seen.count > limit:
        said.append(f"{_times(seen.count, 'compile')}, at most {limit} allowed")
    if seen.traces > traces:
        said.append(f"{_times(seen.traces, 'trace')}, at most {traces} allowed")
    lines = ["; ".join(said)]
    for one in seen.counted:
        what = _EAGER if one.eager else _WORDS.get(one.cause, one.cause)
        lines.append(f"  {_short(one.file)}:{one.line}: {one.function}: {what}")
        lines.extend(f"    {change}" for change in one.changes)
    if seen.count <= limit:
        lines.extend(seen.told)
    return "\n".join(lines)


def _times(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _short(file: str) -> str:
    short = os.path.relpath(file) if file else "?"
    return file if short.startswith(os.pardir) else short


_EAGER = "a single operation, outside any jitted function"
_WORDS = {
    "new-function": "compiled for the first time",
    "redefined-function": "a new function object, defined on the same line as one compiled earlier; create it once",
    "shape": "the shape of an argument changed",
    "dtype": "the type of an argument changed",
    "weak-type": "an argument changed between a Python number and an array of the same type",
    "static-value": "the value of a static argument changed",
    "pytree": "the structure of the arguments changed",
    "context": "a setting of jax changed",
    "unknown": "compiled; jax does not say why",
}


# --- what jax says ----------------------------------------------------------------------------------------------------


@dataclass
class _Thread:
    """What a thread is in the middle of."""

    misses: list[str] = field(default_factory=list)
    traced: int = 0
    types: str = ""
    uncounted: bool = False


class _Watch:
    """Follows what jax does in this process, once the first block begins."""

    def __init__(self) -> None:
        self.blocks: list[Compiles] = []
        self._begun = False
        self._stacks: dict[int, list[Any]] = {}
        self._threads: dict[str, _Thread] = {}
        self._histories: dict[tuple[str, int, str], causes.History] = {}
        self._objects: set[tuple[str, int, str]] = set()

    def begin(self) -> None:
        """Listen to jax, now or when it is imported."""
        if not self._begun:
            self._begun = True
            when_imported(Recorder(self._take).install)

    def _take(self, line: dict[str, Any]) -> None:
        kind = line["kind"]
        if kind == "stack":
            self._stacks[line["id"]] = line["frames"]
            return
        thread = self._threads.setdefault(line["thread"], _Thread())
        if kind == "miss":
            thread.misses.append(line["text"])
            thread.uncounted = True
        elif kind == "trace" and thread.uncounted:
            self._traced(thread)
        elif kind == "lowering-begin":
            thread.types = line["types"]
        elif kind == "equations":
            name = line["name"].removeprefix("jit(").removesuffix(")")
            for block in self.blocks:
                block.equations[name] = max(block.equations.get(name, 0), line["total"])
        elif kind == "compile":
            self._compiled(thread, line)

    def _traced(self, thread: _Thread) -> None:
        told = []
        miss = dialects.miss_of_record(thread.misses[-1]) if thread.uncounted else None
        if miss is not None:
            site = f"{_short(miss.site.file)}:{miss.site.line}" if miss.site else "?"
            told.append(f"  {site}: {miss.function} traced")
            told.extend(f"    {change}" for _, change in causes.explanation(miss).differences)
        thread.uncounted = False
        thread.traced += 1
        for block in self.blocks:
            block.traces += 1
            block.told.extend(told)

    def _compiled(self, thread: _Thread, line: dict[str, Any]) -> None:
        eager = bool(line.get("eager"))
        if thread.uncounted or (not eager and not thread.traced):
            # jax does not explain each miss, and up to 0.8 explains it when the trace is over.
            self._traced(thread)
        frames = self._stacks.get(line["stack"], [])
        file, line_number = (frames[0][0], frames[0][2]) if frames else ("", 0)
        name = line["name"].removeprefix("jit(").removesuffix(")")
        verdict = causes.Verdict(causes.Cause.UNKNOWN) if eager else self._why(thread, name, line.get("definition"))
        for block in self.blocks:
            block.compiles.append(
                Compiled(name, file, line_number, str(verdict.cause), verdict.changes, line["seconds"], eager)
            )
        thread.misses.clear()
        thread.traced = 0

    def _why(self, thread: _Thread, name: str, definition: list[Any] | None) -> causes.Verdict:
        place = (definition[0], definition[1], name) if definition else ("", 0, name)
        known = place in self._histories
        history = self._histories.setdefault(place, causes.History())
        misses = [miss for miss in map(dialects.miss_of_record, thread.misses) if miss is not None]
        own = next((miss for miss in misses if miss.function.rpartition(".")[2] == name), None)
        miss = own or (misses[0] if misses else None)
        said = causes.explanation(miss) if miss is not None else causes.Explanation(never_seen=not known)
        types = causes.signature(thread.types)
        if not said.never_seen:
            verdict = causes.cause(said, types, history)
        elif not known:
            verdict = causes.Verdict(causes.Cause.NEW_FUNCTION)
        else:
            verdict = causes.Verdict(causes.Cause.REDEFINED_FUNCTION)
        history.add(said, types)
        return verdict


_watch = _Watch()


# --- pytest -----------------------------------------------------------------------------------------------------------


_FILE = "jaxlint-compiles.json"
_PROPERTY = "jaxlint"


class CompilesChanged(AssertionError):  # noqa: N818  (a failed assertion, as pytest shows it)
    """A test compiles otherwise than the committed file says; the text says what differs."""


class _Kept:
    """The committed file: which functions each test compiles, how often, and of how many equations.

    jax's caches are cleared before each test, so that this does not depend on which tests ran before.
    """

    def __init__(self, path: Path, update: bool) -> None:
        self.path = path
        self.update = update
        self.data: dict[str, Any] = {"jax": _jax_version(), "tests": {}}
        self.ran: dict[str, dict[str, Any]] = {}
        if path.exists():
            try:
                self.data = json.loads(path.read_text("utf-8"))
                self.tests: dict[str, dict[str, Any]] = dict(self.data["tests"])
            except (ValueError, KeyError, TypeError):
                raise pytest.UsageError(f"{path}: this is no file of --jaxlint-update") from None
        else:
            self.tests = {}

    def check(self, name: str, seen: Compiles) -> dict[str, Any]:
        """Compare what a test did with the file, and return what it did.

        Raises:
            CompilesChanged: they differ, and the file is not to be updated.
        """
        __tracebackhide__ = True
        did = _functions(seen)
        if not self.update:
            same_jax = self.data.get("jax") == _jax_version()
            lines = list(_differences(self.tests.get(name, {}), did, same_jax))
            if lines:
                where = f"{self.path.name} says otherwise; --jaxlint-update takes what is so now"
                raise CompilesChanged("\n".join([where, *(f"  {line}" for line in lines)]))
        return did

    def write(self, root: Path) -> None:
        """Write what the tests that ran did; the others stay as they are, unless their file is gone."""
        tests = {name: did for name, did in self.tests.items() if (root / name.partition("::")[0]).exists()}
        tests.update(self.ran)
        tests = {name: did for name, did in sorted(tests.items()) if did}
        text = json.dumps({"jax": _jax_version(), "tests": tests}, indent=1) + "\n"
        if not self.path.exists() or self.path.read_text("utf-8") != text:
            replace(self.path, [text])


def _functions(seen: Compiles) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in seen.compiles:
        if not one.eager:
            entry = found.setdefault(one.function, {"compiles": 0, "equations": seen.equations.get(one.function)})
            entry["compiles"] += 1
    return dict(sorted(found.items()))


def _differences(before: dict[str, Any], after: dict[str, Any], same_jax: bool) -> Iterator[str]:
    nothing = {"compiles": 0, "equations": None}
    for name in sorted({*before, *after}):
        old, new = before.get(name, nothing), after.get(name, nothing)
        if old["compiles"] != new["compiles"]:
            yield f"{name}: {_times(new['compiles'], 'compile')}, before {old['compiles']}"
        elif same_jax and old["equations"] != new["equations"]:
            # Another jax writes the same in other equations.
            yield f"{name}: {new['equations']} equations, before {old['equations']}"


def _jax_version() -> str:
    import importlib.metadata

    try:
        return importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        return ""


_KEPT = pytest.StashKey[_Kept]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    group = parser.getgroup("jaxlint")
    group.addoption(
        "--jaxlint-max-compiles",
        type=_number,
        metavar="N",
        help="fail each test that compiles, or traces, more than N functions; "
        f"@pytest.mark.{_MARKER}(N) allows another number",
    )
    group.addoption(
        "--jaxlint-file",
        metavar="FILE",
        help="compare what each test compiles, and of how many equations, with this file, which is to be committed "
        f"(default: {_FILE} in the root directory, if it is there)",
    )
    group.addoption("--jaxlint-update", action="store_true", help="write that file instead")


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(limit, *, traces=None, eager=False): fail if the test compiles, or traces, more functions",
    )
    update = config.getoption("--jaxlint-update")
    path = Path(config.rootpath, config.getoption("--jaxlint-file") or _FILE)
    if update or config.getoption("--jaxlint-file") or path.exists():
        config.stash[_KEPT] = _Kept(path, update)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take what a test did from its report, which comes from another process under pytest-xdist."""
    for name, value in report.user_properties:
        if name == _PROPERTY and _collecting:
            _collecting[0].ran[report.nodeid] = json.loads(str(value))


_collecting: list[_Kept] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect what tests do, where the file is to be written."""
    kept = session.config.stash.get(_KEPT, None)
    _collecting[:] = [kept] if kept is not None and kept.update and not hasattr(session.config, "workerinput") else []


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the file."""
    for kept in _collecting:
        kept.write(session.config.rootpath)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a test that has a limit, or is in the committed file; its fixtures do not count."""
    __tracebackhide__ = True
    marker = item.get_closest_marker(_MARKER)
    limit = item.config.getoption("--jaxlint-max-compiles")
    kept = item.config.stash.get(_KEPT, None)
    if marker is None and limit is None and kept is None:
        return (yield)
    with contextlib.ExitStack() as stack:
        if kept is not None:
            seen = stack.enter_context(_watched())
        if marker is not None:
            stack.enter_context(max_compiles(*marker.args, **marker.kwargs))
        elif limit is not None:
            stack.enter_context(max_compiles(limit))
        result = yield
    if kept is not None:
        did = kept.check(item.nodeid, seen)
        if kept.update:
            item.user_properties.append((_PROPERTY, json.dumps(did)))
    return result


@contextlib.contextmanager
def _watched() -> Iterator[Compiles]:
    """Watch a block that begins with nothing compiled."""
    _watch.begin()
    jax = sys.modules.get("jax")
    if jax is not None:
        jax.clear_caches()
    seen = Compiles()
    _watch.blocks.append(seen)
    try:
        yield seen
    finally:
        _watch.blocks.remove(seen)


@pytest.fixture(name="max_compiles")
def _max_compiles() -> Any:
    """The context manager `jaxlint.pytest.max_compiles`."""
    return max_compiles
