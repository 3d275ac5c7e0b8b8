"""Rewrites the code under test so that its calls can be told apart, without changing what it does or where it is.

A compile happens where a compiled object is *called*; what a finding names is where that object was *made*.  Between
the two lie assignments, attributes, containers, returns and callers.  Rather than guess at that path, every call in
the module is rewritten from `f(x)` to `made(callee(f, 17)(x))`.  Both hooks return what they are given: `callee` notes
which object is about to be called by which node, `made` notes where a compiled object first came into sight.  The call
itself still happens in the user's own frame, with its own range of lines and columns, so tracebacks, `super()`,
`locals()` and jax's idea of the calling line stay as they were.

The hooks live in `builtins`, where no namespace of the module shows them.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import functools
import itertools
import sys
import types
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import Any

from .observation import Place, Range

_CALLEE, _MADE, _REACH = "_jaxlint_callee_", "_jaxlint_made_", "_jaxlint_reach_"
_TURNS, _TURN = "_jaxlint_turns_", "_jaxlint_turn_"
_PART, _CAUGHT, _ENTER = "_jaxlint_part_", "_jaxlint_caught_", "_jaxlint_enter_"


def range_of(node: ast.expr | ast.stmt) -> Range:
    """Return where `node` is."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def innermost_statements(tree: ast.Module, lines: Iterable[int]) -> dict[int, ast.stmt]:
    """Return the smallest statement that covers each of some lines; none for lines between statements."""
    wanted, found = sorted(set(lines)), dict[int, ast.stmt]()
    for node in ast.walk(tree) if wanted else ():
        if not isinstance(node, ast.stmt):
            continue
        start, end = first_line(node), node.end_lineno or node.lineno
        for line in wanted[bisect.bisect_left(wanted, start) : bisect.bisect_right(wanted, end)]:
            if line not in found or start >= first_line(found[line]):
                found[line] = node
    return found


def parts_of(tree: ast.Module, where: Range) -> list[ast.expr | ast.stmt]:
    """Return what has to be evaluated for all of a place to have run: an expression, or the statements of a loop.

    That is the expression itself, with what in it Python may skip: an operand of `and` and `or`, a branch of
    `if ... else`, what a comprehension does with each item, the body of a lambda.  Of a loop or another compound
    statement it is every statement inside.
    """
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and range_of(node) == where and _is_value(node):
            found += [node, *(part for part in ast.walk(node) if part is not node and _is_optional(part, node))]
            break
        if isinstance(node, ast.stmt) and _covers(where, node):
            found += [inner for inner in ast.walk(node) if isinstance(inner, ast.stmt) and inner is not node] or [node]
            break
    return [part for part in found if isinstance(part, ast.expr | ast.stmt) and _is_value(part)]


def _covers(where: Range, node: ast.stmt) -> bool:
    """Tell whether a range is that of a statement, or begins where it does and is within its head."""
    body = getattr(node, "body", None)
    if range_of(node) == where:
        return True
    starts = range_of(node)[:2] == where[:2]
    return starts and isinstance(body, list) and bool(body) and where[2] < body[0].lineno


def _is_optional(part: ast.AST, whole: ast.AST) -> bool:
    """Tell whether a part of an expression may be skipped when the expression is evaluated."""
    for node in ast.walk(whole):
        left_out: Iterable[ast.AST] = ()
        match node:
            case ast.BoolOp():
                left_out = node.values[1:]
            case ast.IfExp():
                left_out = (node.body, node.orelse)
            case ast.Compare():
                left_out = node.comparators[1:]
            case ast.Lambda():
                left_out = (node.body,)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                left_out = (node.elt, *(test for generator in node.generators for test in generator.ifs))
            case ast.DictComp():
                left_out = (node.key, node.value)
        if part in left_out:
            return True
    return False


def _is_value(node: ast.expr | ast.stmt) -> bool:
    """Tell whether something can be told to have been evaluated without changing what it means."""
    if isinstance(node, ast.stmt):
        return not _must_be_first(node)
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, ast.Starred | ast.Slice)


class Instrumenter(ast.NodeTransformer):
    """Rewrites one module's tree in place.

    `watched` are the lines of which it shall be known how often they were about to run; `loops` the lines of loops
    (statements or comprehensions) whose iterations can be limited; `spans` the ranges of which it shall be known
    whether all of their parts ran; `entries` the functions and methods of module-level classes whose calls can be met.
    After `visit`, `calls` holds the original call nodes by number, `numbers` their numbers by range, and `parts` the
    ranges of the parts of each span.
    """

    def __init__(
        self,
        tree: ast.Module,
        watched: Iterable[int] = (),
        loops: Iterable[int] = (),
        spans: Iterable[Range] = (),
        entries: Iterable[str] = (),
    ) -> None:
        self.calls: list[ast.Call] = []
        self.numbers: dict[Range, int] = {}
        self._loops = frozenset(loops)
        self._reach: dict[ast.stmt, list[int]] = {}
        watched = list(watched)
        statements = innermost_statements(tree, watched)
        for line in watched:
            if line in statements:
                self._reach.setdefault(statements[line], []).append(line)
        self._entries = dict(_entered(tree, frozenset(entries)))
        self.parts: dict[Range, list[Range]] = {}
        self._parts: dict[ast.AST, str] = {}
        for span in spans:
            parts = parts_of(tree, span)
            self.parts[span] = [range_of(part) for part in parts]
            self._parts.update((part, key_of(range_of(part))) for part in parts)

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node, and tell of it when it is part of a span."""
        key = self._parts.get(node) if isinstance(node, ast.expr) else None
        result: ast.AST = super().visit(node)
        if key is None or not isinstance(result, ast.expr):
            return result
        return _hook(node, _PART, result, ast.Constant(key))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """Tell of what is caught."""
        self.generic_visit(node)
        where = node.body[0]
        node.body.insert(0, ast.copy_location(ast.Expr(_hook(where, _CAUGHT)), where))
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Number a call, and put `callee` around what it calls and `made` around the whole."""
        number = len(self.calls)
        self.calls.append(ast.Call(node.func, list(node.args), list(node.keywords)))
        self.numbers[range_of(node)] = number
        self.generic_visit(node)
        node.func = _hook(node.func, _CALLEE, node.func, ast.Constant(number))
        return _hook(node, _MADE, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rewrite what is in `node`, then its loops, decorators and blocks; leave annotations alone."""
        # `from __future__ import annotations` turns them back into text, and they hold no calls of interest.
        kept = {name: getattr(node, name) for name in ("annotation", "returns") if getattr(node, name, None)}
        for name in kept:
            setattr(node, name, None)
        super().generic_visit(node)
        for name, value in kept.items():
            setattr(node, name, value)
        self._hook_loop(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.decorator_list = list(self._decorators(node.decorator_list))
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, list(self._watched(block)))
        if node in self._entries and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            hook = ast.Expr(_hook(node.body[0], _ENTER, ast.Constant(self._entries[node])))
            # A docstring stays the first statement.
            node.body.insert(int(_must_be_first(node.body[0])), ast.copy_location(hook, node.body[0]))
        return node

    def _hook_loop(self, node: ast.AST) -> None:
        if isinstance(node, ast.For) and node.lineno in self._loops:
            node.iter = _hook(node.iter, _TURNS, node.iter, ast.Constant(node.lineno))
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            # The `for` may be on a later line than the comprehension.
            for number, generator in enumerate(node.generators):
                lines = {generator.target.lineno} | ({node.lineno} if number == 0 else set())
                for line in lines & self._loops if not generator.is_async else ():
                    generator.iter = _hook(generator.iter, _TURNS, generator.iter, ast.Constant(line))
        elif isinstance(node, ast.While) and node.lineno in self._loops:
            turn = _hook(node.test, _TURN, ast.Constant(node.lineno))
            node.test = ast.copy_location(ast.BoolOp(ast.And(), [turn, node.test]), node.test)

    @staticmethod
    def _decorators(decorators: Sequence[ast.expr]) -> Iterator[ast.expr]:
        """Put a `made` above each decorator: what it returns may be a compiled object."""
        for decorator in decorators:
            yield ast.copy_location(ast.Name(_MADE, ast.Load()), decorator)
            yield decorator

    def _watched(self, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if not _must_be_first(statement):
                for line in self._reach.get(statement, ()):
                    yield ast.copy_location(ast.Expr(_hook(statement, _REACH, ast.Constant(line))), statement)
                if statement in self._parts:
                    key = ast.Constant(self._parts[statement])
                    yield ast.copy_location(ast.Expr(_hook(statement, _PART, ast.Constant(None), key)), statement)
            yield statement


def _entered(tree: ast.Module, names: frozenset[str]) -> Iterator[tuple[ast.AST, str]]:
    """Yield the functions of these qualified names."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if prefix + child.name in names:
                    yield child, prefix + child.name
            elif isinstance(child, ast.ClassDef):
                pending.append((child, f"{prefix}{child.name}."))
            elif isinstance(child, ast.stmt | ast.ExceptHandler):
                pending.append((child, prefix))


def key_of(where: Range) -> str:
    """Return what a range is called where only text can be a key."""
    return ":".join(map(str, where))


def _must_be_first(statement: ast.stmt) -> bool:
    docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return docstring or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")


def is_hook(node: ast.Call) -> bool:
    """Tell whether a call is one of those that were put around others."""
    return isinstance(node.func, ast.Name) and node.func.id.startswith("_jaxlint_")


def _hook(where: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
    for node in (call, call.func, *(a for a in arguments if isinstance(a, ast.Constant))):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, where)
    return call


class Watch:
    """The run-time side of the rewriting: which compiled objects are alive, where they were made, who is called.

    `makings` counts, by the user frames at that moment, the compiled objects that were made, `calls` how often those
    made there were called.  It keeps no object alive: an equal bound method or partial that stays alive turns a cache
    miss into a hit.  `frames` gives the user frames of the calling thread, innermost first; `is_user` tells by its file
    name whether a module is the user's.
    """

    def __init__(
        self, frames: Callable[[types.FrameType | None], tuple[Place, ...]], is_user: Callable[[str], bool]
    ) -> None:
        self._frames = frames
        self._is_user = is_user
        self._kinds: dict[type, str] = {}
        self._made: dict[int, tuple[weakref.ref[Any], tuple[Place, ...]]] = {}
        self._new: set[int] = set()
        self._known: dict[int, types.FunctionType] = {}
        self._met: dict[int, types.FunctionType] = {}
        self.fresh: Counter[tuple[tuple[Place, ...], bool]] = Counter()
        self._called: dict[tuple[int, int], int] = {}
        self.makings: Counter[tuple[Place, ...]] = Counter()
        self.calls: Counter[tuple[Place, ...]] = Counter()
        self.reached: Counter[int] = Counter()
        self.evaluated: Counter[str] = Counter()
        self.eagerly: Counter[str] = Counter()
        self.is_eager: Callable[[], bool] = bool
        self.entered: Callable[[str, types.FrameType], None] | None = None
        self.describe: Callable[[BaseException], Any] = str
        self.caught: list[Any] = []
        self.turns: Counter[int] = Counter()
        self._tests: Counter[int] = Counter()
        self.limits: dict[int, int] = {}

    def install(self) -> None:
        """Make the hooks visible to rewritten code."""
        hooks = {_CALLEE: self.callee, _MADE: self.made, _REACH: self.reach, _TURNS: self.each, _TURN: self.turn}
        hooks |= {_PART: self.part, _CAUGHT: self.catch, _ENTER: self.enter}
        for name, hook in hooks.items():
            setattr(builtins, name, hook)

    def forget(self) -> None:
        """Forget the objects of the module before: where that had them from is no affair of the next one."""
        self._made.clear()
        self._known.clear()
        self._met.clear()

    def reset(self) -> None:
        """Forget counts and pending calls, not the objects nor the limits."""
        self._called.clear()
        # To hold on to a function iterations no cache miss into a hit, for no two are equal.
        self._known.update(self._met)
        self._met.clear()
        self._new.clear()
        self.fresh.clear()
        self.makings.clear()
        self.calls.clear()
        self.reached.clear()
        self.evaluated.clear()
        self.eagerly.clear()
        self.caught.clear()
        self.turns.clear()
        self._tests.clear()

    def callee(self, function: Any, number: int) -> Any:
        """Note that the calling frame's node `number` is about to call `function`."""
        key = (id(sys._getframe(1)), number)
        compiled = self.compiled(function)
        if compiled is None:
            self._called.pop(key, None)
        else:
            self._called[key] = id(compiled)
            if id(compiled) in self._made:
                self.calls[self._made[id(compiled)][1]] += 1
                if id(compiled) in self._new and self._is_new(getattr(compiled, "__wrapped__", None)):
                    self.fresh[self._made[id(compiled)][1], self.is_eager()] += 1
        if compiled is None and self._compiles(function):
            return functools.partial(self._given, function, sys._getframe(1))
        return function

    def _given(self, function: Any, frame: types.FrameType, /, *arguments: Any, **words: Any) -> Any:
        """Call a function of jax that compiles what it is given, and note whether that is new."""
        given = [*arguments, *words.values()]
        given += [item for value in given if isinstance(value, list | tuple) for item in value]
        inner = [value if self.compiled(value) is None else getattr(value, "__wrapped__", None) for value in given]
        new = [self._is_new(value) for value in inner if type(value) is types.FunctionType]
        if any(new):
            self.fresh[self._frames(frame), self.is_eager()] += 1
        return function(*arguments, **words)

    def _is_new(self, function: Any) -> bool:
        """Tell whether no earlier run has met a function."""
        if type(function) is not types.FunctionType:
            return False
        self._met[id(function)] = function
        return id(function) not in self._known

    @staticmethod
    def _compiles(function: Any) -> bool:
        """Tell whether a function of jax compiles, where nothing is traced, what it is given."""
        module = str(getattr(function, "__module__", ""))
        return getattr(function, "__name__", "") in _COMPILING and module.startswith("jax.")

    def made(self, result: Any) -> Any:
        """Note where a compiled object came into sight."""
        compiled = self.compiled(result)
        if compiled is not None:
            self._register(compiled, sys._getframe(1))
        elif isinstance(result, tuple | list | dict) and len(result) <= _CONTAINER:
            for item in result.values() if isinstance(result, dict) else result:
                compiled = self.compiled(item)
                if compiled is not None:
                    self._register(compiled, sys._getframe(1))
        return result

    def reach(self, line: int) -> None:
        """Count that a watched line is about to run."""
        self.reached[line] += 1

    def part(self, value: Any, key: str) -> Any:
        """Count that a part of a span was evaluated, and whether nothing was being traced then."""
        self.evaluated[key] += 1
        self.eagerly[key] += self.is_eager()
        return value

    def enter(self, name: str) -> None:
        """Tell whoever waits for a call of a function that one has begun."""
        if self.entered is not None:
            self.entered(name, sys._getframe(1))

    def catch(self) -> None:
        """Note the exception that the calling frame is handling."""
        error = sys.exc_info()[1]
        if error is not None and len(self.caught) < _CAUGHT_KEPT:
            # Not the exception itself, which would keep alive what its frames hold.
            self.caught.append(self.describe(error))

    def each(self, iterable: Iterable[Any], line: int) -> Iterator[Any]:
        """Pass on the items of a loop, no more than its limit if it has one; note how many there would be."""
        limit = self.limits.get(line)
        if limit is None:
            yield from iterable
            return
        # Making a list of a traced array would slice it as often as it is long.
        items = iterable if isinstance(iterable, Sized) else list(itertools.islice(iterable, _TURNS_LOOKED_AT))
        self.turns[line] = max(self.turns[line], len(items))
        yield from itertools.islice(iterable if items is iterable else items, limit)

    def turn(self, line: int) -> bool:
        """Tell whether a `while` loop may go on to test its condition."""
        self._tests[line] += 1
        return self._tests[line] <= self.limits.get(line, self._tests[line])

    def compiled(self, value: Any) -> Any:
        """Return the compiled object that calling `value` would call, or None."""
        for _ in range(_WRAPPINGS):
            kind = self._kinds.get(type(value)) or self._kind(type(value))
            if kind == "method":
                value = value.__func__
            elif kind == "partial":
                value = value.func
            elif kind == "function":
                return value if "lower" in value.__dict__ else None
            else:
                return value if kind == "compiled" else None
        return None

    def _kind(self, cls: type) -> str:
        if cls is types.FunctionType:
            kind = "function"
        elif cls is types.MethodType:
            kind = "method"
        elif issubclass(cls, functools.partial):
            kind = "partial"
        elif hasattr(cls, "__call__") and not issubclass(cls, type) and _is_compiled(cls):  # noqa: B004
            kind = "compiled"
        else:
            kind = "other"
        self._kinds[cls] = kind
        return kind

    def _register(self, compiled: Any, frame: types.FrameType) -> None:
        key = id(compiled)
        if key in self._made or self._is_of_library(compiled):
            return
        try:
            reference = weakref.ref(compiled, lambda _: self._made.pop(key, None))
        except TypeError:
            return
        self._made[key] = (reference, self._frames(frame))
        self._new.add(key)
        self.makings[self._made[key][1]] += 1

    def _is_of_library(self, compiled: Any) -> bool:
        """Tell whether a compiled object was not made, but looked up: a library has it under its own name."""
        module = sys.modules.get(str(getattr(compiled, "__module__", "")))
        file = getattr(module, "__file__", None)
        name = str(getattr(compiled, "__name__", ""))
        return bool(file) and not self._is_user(str(file)) and vars(module).get(name) is compiled

    def made_at(self, frame: types.FrameType, number: int, call: ast.Call) -> tuple[tuple[Place, ...], bool]:
        """Return where the compiled object was made that `frame` is calling, or passes to what it is calling.

        `number` and `call` name the call node that the frame is evaluating.  The second value tells whether the object
        itself is called.
        """
        found = self._made.get(self._called.get((id(frame), number), 0))
        if found:
            return found[1], True
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(argument, ast.Name):
                value = frame.f_locals.get(argument.id, frame.f_globals.get(argument.id))
                found = self._made.get(id(self.compiled(value)))
                if found:
                    return found[1], False
        return (), False


def _is_compiled(cls: type) -> bool:
    """Whether calling what this class makes calls a program; up to jax 0.5, `lower` belongs to each object."""
    return hasattr(cls, "lower") or hasattr(cls, "_cache_size")


_COMPILING = frozenset(("scan", "cond", "switch", "while_loop", "fori_loop", "map", "associative_scan"))
"""Functions of `jax.lax` that compile on each eager call in which what they are given is new."""
_CAUGHT_KEPT = 50
_TURNS_LOOKED_AT = 100_000
"""How many items of an iterator without a length are counted."""
_CONTAINER = 16
"""A factory that returns a bundle of compiled objects returns few."""
_WRAPPINGS = 4
"""How many bound methods and partials around a compiled object are looked through."""
