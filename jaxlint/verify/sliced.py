"""Searches for arguments of what is left of a target when what fails in it is skipped.

What a search failed on says what to skip: the statement of the target that raised, or took too long, becomes
parameters for what it would have bound; a global name whose statement failed is given a value of the search's own.
Last of all everything goes that may go.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import clock, slices
from .instrument import first_line
from .recorder import Recorder
from .search import DeadlineError, Found, Piece, Search, Wanted
from .slices import Slice
from .standins import StubError
from .uses import Definitions


@dataclass
class Unit:
    """A statement at module level, as it is written and as it is run, to be called as a function."""

    written: ast.stmt
    run: Sequence[ast.stmt]
    guard: bool = False
    """Whether it is what runs where the module is the main program."""

    def as_function(self, *, run: bool) -> ast.FunctionDef:
        """Return a function of this body."""
        body = list(self.run) if run else [self.written]
        guard = body[-1]
        if self.guard and isinstance(guard, ast.If):
            body = [*body[:-1], *guard.body]
        nothing = ast.arguments([], [], None, [], [], None, [])
        return ast.copy_location(ast.FunctionDef(_STATEMENT, nothing, body, [], None, None), self.written)


@dataclass
class Sliced:
    """Looks for arguments of pieces of one target of a module.

    `written` and `run` are the function, without and with what watches over it; a `unit` is a statement at module level
    instead.  `lift` says which global names may be made up.  `kind` is what shall be seen of the place: `call`, what is
    compiled each time, `dispatch`, what is run one by one, or `grow`, the size of the program.
    """

    recorder: Recorder
    module: types.ModuleType
    path: str
    definitions: Definitions
    target: str
    written: slices.Definition
    run: slices.Definition
    lift: Mapping[str, bool]
    kind: str = "call"
    unit: bool = False
    reason: str = ""
    tries: int = 0
    _out: list[ast.stmt] = field(default_factory=list)
    _over: list[int] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)

    def find(self, wanted: Wanted, first: Search | None, tries: int, seconds: float) -> tuple[Search, Found] | None:
        """Return arguments, and the search that found them; `first` is one of the whole target, which failed."""
        if not self._can_be_sliced() or self._ends(first):
            return None
        end = clock.now() + seconds
        self._names = sorted(name for name in _read(self.written) if self.lift.get(name) and self._is_missing(name))
        # What is counted in a single call, or in its program, does not depend on when the place runs.
        known = slices.candidates(self.written, wanted.line, whenever=self.kind in ("dispatch", "grow"))
        failed = first
        for number in range(_STEPS):
            # A few tries tell what fails next, whatever the arguments.
            if failed is not None and not self._learn(failed, known, wanted) and not (number == 0 and self._names):
                break
            failed, found = self._search(wanted, _FEW, max(min(seconds * _SHARE, end - clock.now()), _LEAST))
            if failed is None or self._ends(failed):
                return None
            if found is not None:
                return failed, found
            if clock.now() > end:
                break
        before = [statement for statement in known if first_line(statement) < wanted.line]
        everything = list({*self._out, *before})
        for left_out, share in ((self._out, _HALF), (everything, 1.0)):
            left = (end - clock.now()) * share
            if left < 0 or (failed is not None and left_out is everything and "never ran" in failed.reason):
                return None
            self._out = left_out
            if left_out or self._over or self._names:
                failed, found = self._search(wanted, tries, max(left, _LAST))
                if failed is not None and found is not None:
                    return failed, found
            if set(everything) == set(self._out):
                break
        return None

    @staticmethod
    def _ends(failed: Search | None) -> bool:
        """Tell whether the code itself goes no further, with whatever arguments."""
        failure = failed.failure if failed is not None else None
        # That is how a parser ends a program that was not given the arguments it needs.
        usage = failure is not None and (failure.type, failure.message) == ("SystemExit", "2")
        return failure is not None and failure.type in _ENDS and not usage

    def _is_missing(self, name: str) -> bool:
        return name not in vars(self.module) or hasattr(vars(self.module)[name], "jaxlint_reason")

    def _can_be_sliced(self) -> bool:
        decorators = {ast.unparse(decorator) for decorator in self.written.decorator_list}
        own = any(isinstance(n, ast.Name) and n.id in ("super", "__class__", "locals") for n in ast.walk(self.written))
        # A loop is unrolled whatever it is traced by.
        plain = decorators <= _PLAIN or self.kind == "grow"
        return plain and not own and not isinstance(self.written, ast.AsyncFunctionDef)

    def _learn(self, failed: Search, known: Sequence[ast.stmt], wanted: Wanted) -> bool:
        """Take out what a search failed on; False if there is nothing to be done about it."""
        failure = failed.failure
        if failure is None:
            return False
        if failure.type == StubError.__name__:
            match = re.match(r"depends on (\w+)", failure.message)
            if match is not None and self.lift.get(match[1]) and match[1] not in self._names:
                self._names.append(match[1])
                return True
        match = _UNDEFINED.match(failure.message) if failure.type == "NameError" else None
        if match is not None and self.lift.get(match[1]) and match[1] not in self._names:
            self._names.append(match[1])
            return True
        first, last = slices.lines_of(self.written)
        lines = [p.line for p in failure.stack if p.file == self.path and first <= p.line <= last]
        if failure.type == DeadlineError.__name__:
            self.reason = failed.reason
        for line in lines[::-1]:
            at = [s for s in known if slices.lines_of(s)[0] <= line <= slices.lines_of(s)[1] and s not in self._out]
            if at:
                self._out.append(max(at, key=first_line))
                return True
        for line in lines[::-1]:
            # What cannot go itself may do with another value of what it depends on.
            before = slices.origins(self.written, line, [s for s in known if s not in self._out])
            if before:
                self._out += before
                return True
            if slices.is_loop_head(self.written, line, wanted.line) and line not in self._over:
                self._over.append(line)
                return True
        return False

    def _search(self, wanted: Wanted, tries: int, seconds: float) -> tuple[Search | None, Found | None]:
        piece = self._piece()
        if piece is None:
            return None, None
        search = Search(self.recorder, self.module, self.path, self.definitions, self.target, piece)
        found = search.find(wanted, tries, seconds)
        self.tries += search.tries
        if found is None and piece.host and _ON_HOST.search(search.reason):
            # The code itself takes it for an array of jax.
            piece = replace(piece, host=frozenset())
            search = Search(self.recorder, self.module, self.path, self.definitions, self.target, piece)
            found = search.find(wanted, tries, seconds)
            self.tries += search.tries
        self.reason = search.reason
        return search, found

    def _piece(self) -> Piece | None:
        """Return what is left of the target."""
        slice_ = slices.without(self.written, self.run, self._out, self._over)
        if slice_ is None:
            return None
        names = list(self._names)
        if self.unit:
            # There is nowhere but the module where its names could be.
            names += [name for name in slice_.lifted if name not in names]
        said = [str(slice_)] if self._out or self._over else []
        said += [f"with {', '.join(names)} made up"] if names else []
        try:
            function = self._compiled(slice_) if self._out or self._over or self.unit else None
        except Exception:  # noqa: BLE001 (a default value may be what failed)
            return None
        return Piece(slice_.node, function, tuple(names), " and ".join(said), self._on_host((*slice_.lifted, *names)))

    def _on_host(self, names: Sequence[str]) -> frozenset[str]:
        """Return the names that may represent arrays of NumPy, with which nothing is run on a device."""
        if self.kind != "dispatch":
            return frozenset()
        made = {name for statement in self._out if self._mentions_jax(statement) for name in slices.bound(statement)}
        return frozenset(names) - made

    def _mentions_jax(self, statement: ast.stmt) -> bool:
        values = vars(self.module)
        found = [values.get(node.id) for node in ast.walk(statement) if isinstance(node, ast.Name)]
        names = [getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in found]
        return any(str(name).partition(".")[0] in ("jax", "optax") for name in names)

    def _compiled(self, slice_: Slice) -> Any:
        if self.unit:
            code = compile(ast.Module(slice_.run.body, []), self.path, "exec", dont_inherit=True)
            return _Statement(code, vars(self.module))
        body: ast.stmt = slice_.run
        owner, _, name = self.target.rpartition(".")
        if owner:
            # Names that begin with two underscores are those of the class.
            body = ast.copy_location(ast.ClassDef(owner, [], [], [body], []), body)
        tree = ast.fix_missing_locations(ast.Module([body], []))
        names: dict[str, Any] = {}
        flags = 0
        if any(value is _annotations() for value in vars(self.module).values()):
            flags = _annotations().compiler_flag
        exec(compile(tree, self.path, "exec", flags, dont_inherit=True), vars(self.module), names)  # noqa: S102
        return vars(names[owner])[name] if owner else names[name]


class _Statement:
    """Runs a statement of a module when it is called."""

    def __init__(self, code: types.CodeType, names: dict[str, Any]) -> None:
        self._code, self._names = code, names

    def __call__(self) -> None:
        """Run it among the names of its module."""
        exec(self._code, self._names)  # noqa: S102


def _read(function: slices.Definition) -> set[str]:
    """Return the names that a function mentions and does not bind."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    stored = {name.id for name in names if isinstance(name.ctx, ast.Store)} if function.name != _STATEMENT else set()
    return {name.id for name in names if isinstance(name.ctx, ast.Load)} - stored


def _annotations() -> Any:
    return getattr(sys.modules.get("__future__"), "annotations", None)


def liftable(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds to what it computes: no imports, functions and classes."""
    if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(statement)):
        return
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.If | ast.Expr):
        yield from slices.bound(statement)


_ENDS = ("SystemExit", "KeyboardInterrupt", "NotImplementedError")
"""What is raised where nothing is meant to come after it."""
_STATEMENT = "<statement>"
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_PLAIN = frozenset(("staticmethod", "classmethod", "property", "override", "typing.override"))
"""Decorators that change nothing of what a function does."""
_STEPS, _FEW = 14, 6
"""How many single statements are left out before all are, and how many tries tell which is next."""
_SHARE, _HALF, _LEAST, _LAST = 0.3, 0.5, 0.5, 2.0
_ON_HOST = re.compile(r"numpy\.ndarray' object has no attribute|np\.ndarray' object has no attribute")
