"""Functions without some of their statements: what is left to run where the code before a place cannot be run.

A place in a function often needs little of what is computed before it: the statement that reads the data, asks the
network or needs an hour can be skipped, if what it would have bound becomes a parameter.  What such a slice shows is
true of the function for some values of these names.  It says nothing where the statements skipped could decide
whether the place runs at all, because they look something up that an earlier call has stored; those are kept.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .instrument import first_line, is_hook

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Slice:
    """A function without the statements on some lines: as it is written, and as it is run.

    `lifted` are the names that the statements skipped would have bound, which are keyword-only parameters, and so are
    those of what some loops, on the lines `over`, take their items from.
    """

    node: Definition
    run: Definition
    lifted: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]
    over: tuple[int, ...] = ()

    def __str__(self) -> str:
        parts = [str(start) if start == end else f"{start} to {end}" for start, end in self.lines]
        said = [f"without line{'s' if len(parts) > 1 or ' ' in parts[0] else ''} {', '.join(parts)}"] if parts else []
        said += [f"the loop on line {line} over made-up items" for line in self.over]
        return ", ".join(said)


def lines_of(statement: ast.stmt) -> tuple[int, int]:
    """Return the first and the last line of a statement."""
    return first_line(statement), statement.end_lineno or statement.lineno


def without(
    written: Definition, instrumented: Definition, left_out: Sequence[ast.stmt], over: Sequence[int] = ()
) -> Slice | None:
    """Return a function without some of its statements; None where what they bind cannot be a parameter.

    The loops on the lines `over` are given what they take their items from.
    """
    lines = sorted({lines_of(statement) for statement in left_out})
    node, run = _removed(written, lines), _removed(instrumented, lines)
    if node is None or run is None:
        return None
    items = {line: name for line in over if (name := _given_items(node, line)) and _given_items(run, line)}
    known = {argument.arg for argument in _parameters(written)}
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    kept = _statements(node)
    lifted: dict[str, None] = {}
    for statement in left_out:
        before = {
            name
            for s in kept
            if s.lineno < statement.lineno
            for name in (_bound_in_head(s) if _holds(s, statement) else bound(s))
        }
        lifted.update(dict.fromkeys(name for name in bound(statement) if name in used - known - before))
    lifted.update(dict.fromkeys(items.values()))
    for function in (node, run):
        function.args.kwonlyargs += [ast.copy_location(ast.arg(name, None), function.body[0]) for name in lifted]
        function.args.kw_defaults += [None] * len(lifted)
        function.decorator_list = []
    return Slice(node, run, tuple(lifted), tuple(lines), tuple(items))


def _given_items(function: Definition, line: int) -> str:
    """Have the loop on a line take its items from a name, which is returned; empty where there is no such loop."""
    name = f"items_of_line_{line}"
    for node in ast.walk(function):
        if isinstance(node, ast.For) and node.lineno == line:
            node.iter = _replaced(node.iter, name)
            return name
    return ""


def _replaced(node: ast.expr, name: str) -> ast.expr:
    """Return an iterable with another one in its place, whatever counts its items, or watches over it, being kept."""
    given = ast.copy_location(ast.Name(name, ast.Load()), node)
    if not isinstance(node, ast.Call) or not node.args:
        return given
    function = node.func.args[0] if isinstance(node.func, ast.Call) and is_hook(node.func) else node.func
    if is_hook(node) or (isinstance(function, ast.Name) and function.id == "enumerate"):
        return ast.copy_location(
            ast.Call(node.func, [_replaced(node.args[0], name), *node.args[1:]], node.keywords), node
        )
    return given


def origins(function: Definition, line: int, among: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return those of some statements that last bind what the head of the statement on a line mentions."""
    statements = [s for s in _statements(function) if lines_of(s)[0] <= line <= lines_of(s)[1]]
    if not statements:
        return []
    found = {}
    for statement in sorted(among, key=first_line):
        if first_line(statement) < line:
            found.update(dict.fromkeys(bound(statement), statement))
    mentioned = _heads(max(statements, key=first_line))
    return list({id(found[name]): found[name] for name in sorted(mentioned) if name in found}.values())


def is_loop_head(function: Definition, line: int, around: int) -> bool:
    """Tell whether a line is the head of a `for` loop that holds another line."""
    return any(
        isinstance(node, ast.For) and _in_head(node, line) and first_line(node) <= line and _covers(node, around)
        for node in ast.walk(function)
    )


def candidates(function: Definition, line: int, *, whenever: bool = False) -> list[ast.stmt]:
    """Return the statements that may be skipped for a line to run, in order.

    They are on the way to the line, bind nothing but local names, and leave the function nowhere.  Where the line runs
    on a condition, what comes after it stays, and so does whatever the condition depends on, unless it is all the same
    `whenever` it runs.
    """
    path = list(_path(function, line))
    conditions = [] if whenever else list(_conditions(function, line))
    decisive = _closure(function, conditions, line)
    made = {name for block, index in path[-1:] for name in bound(block[index])}
    found = []
    for block, index in path:
        for number, statement in enumerate(block):
            if number == index or not _may_go(statement):
                continue
            if conditions and (number > index or _mentioned(statement) & decisive):
                continue
            if (
                not whenever
                and number > index
                and any(True for _ in _blocks(statement))
                and _mentioned(statement) & made
            ):
                # What is made at the place may be called in there.
                found += [s for s in _inner(statement) if _may_go(s) and not _mentioned(s) & made]
                continue
            found.append(statement)
    return sorted(found, key=first_line)


def is_conditional(tree: ast.AST, line: int) -> bool:
    """Tell whether a line runs in some calls of the outermost function around it and may not in others.

    Where it does in each, nothing that an earlier call has stored keeps a later one from running it.
    """
    function = _outermost(tree, line)
    if function is None:
        return False
    inner = [node for node in ast.walk(function) if isinstance(node, _SCOPES) and node is not function]
    # What decorates a function inside runs where that is defined.
    if any(node.lineno <= line and _covers(node, line) and not _is_handed(node, line) for node in inner):
        # Whether a function inside is called, and how often, is not to be seen here.
        return True
    return bool(list(_conditions(function, line)))


def _is_handed(node: ast.AST, line: int) -> bool:
    """Tell whether a function begins on a line and cannot be what the line is about: it hands nothing on itself."""
    if not isinstance(node, ast.Lambda) or node.lineno != line:
        return False
    calls = [n.func for n in ast.walk(node.body) if isinstance(n, ast.Call)]
    return not any(getattr(f, "attr", getattr(f, "id", "")) in _WRAPPERS for f in calls)


def bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the local names that a statement binds."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            pending += [inner.target for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)]
            continue
        pending += ast.iter_child_nodes(node)


def _bound_in_head(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a loop or a `with` binds itself."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr | ast.withitem):
            yield from (n.id for n in ast.walk(child) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _removed(function: Definition, lines: Sequence[tuple[int, int]]) -> Definition | None:
    """Return a copy of a function without the statements on these lines; None if nothing would be left."""
    copied = copy.deepcopy(function)
    for node in ast.walk(copied):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                left = [s for s in block if not any(a <= first_line(s) and lines_of(s)[1] <= b for a, b in lines)]
                setattr(node, name, left or ([ast.copy_location(ast.Pass(), block[0])] if name == "body" else []))
    return copied if copied.body else None


def _parameters(function: Definition) -> Iterator[ast.arg]:
    arguments = function.args
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _statements(function: Definition) -> list[ast.stmt]:
    return [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]


def _inner(statement: ast.stmt) -> list[ast.stmt]:
    return [node for node in ast.walk(statement) if isinstance(node, ast.stmt) and node is not statement]


def _holds(outer: ast.stmt, inner: ast.stmt) -> bool:
    return lines_of(outer)[0] <= lines_of(inner)[0] and lines_of(inner)[1] <= lines_of(outer)[1]


def _covers(node: ast.AST, line: int) -> bool:
    if isinstance(node, ast.stmt):
        start, end = lines_of(node)
        return start <= line <= end
    return isinstance(node, ast.expr) and node.lineno <= line <= (node.end_lineno or node.lineno)


def _outermost(tree: ast.AST, line: int) -> Definition | None:
    """Return the outermost function, or method of a class outside functions, around a line."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if _covers(child, line):
                    return child
            else:
                pending.append(child)
    return None


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def _path(function: Definition, line: int) -> Iterator[tuple[list[ast.stmt], int]]:
    """Yield the blocks of a function that a line is in, outermost first, and where in each; not those of others."""
    node: ast.AST = function
    while True:
        inner = next(
            ((block, number) for block in _blocks(node) for number, s in enumerate(block) if _covers(s, line)), None
        )
        if inner is None:
            return
        yield inner
        node = inner[0][inner[1]]
        if isinstance(node, _SCOPES):
            return


def _conditions(function: Definition, line: int) -> Iterator[ast.AST]:
    """Yield what decides whether a line of a function runs: tests around it, and exits before it."""
    for node in ast.walk(function):
        match node:
            case ast.If() | ast.While() if _covers(node, line) and not _in_head(node, line):
                yield node.test
            case ast.For() | ast.AsyncFor() if _covers(node, line) and not _in_head(node, line):
                if any(isinstance(part, ast.Compare | ast.comprehension | ast.BoolOp) for part in ast.walk(node.iter)):
                    yield node.iter
            case ast.Match() if _covers(node, line):
                yield node.subject
            case ast.Try() if any(h.lineno <= line <= (h.body[-1].end_lineno or 0) for h in node.handlers):
                # Whether it comes to a handler is up to what is tried.
                yield ast.Tuple([s for s in ast.walk(node) if isinstance(s, ast.expr)], ast.Load())
            case ast.IfExp() if _covers(node, line):
                yield node.test
            case ast.BoolOp() if _covers(node, line):
                yield node.values[0]
            case ast.comprehension() if node.ifs and any(_covers(test, line) for test in node.ifs):
                yield from node.ifs
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor() | ast.Try() | ast.With() | ast.Match():
                if lines_of(node)[1] < line and any(isinstance(n, _EXITS) for n in ast.walk(node)):
                    yield getattr(node, "test", None) or node


def _in_head(node: ast.stmt, line: int) -> bool:
    """Tell whether a line is in the head of a compound statement, which is evaluated in any case."""
    body: list[ast.stmt] = getattr(node, "body", [])
    return bool(body) and line < first_line(body[0])


def _closure(function: Definition, conditions: Iterable[ast.AST], line: int) -> set[str]:
    """Return the names that conditions depend on, through the statements before a line."""
    found = {name for condition in conditions for name in _mentioned(condition)}
    before = [s for s in _statements(function) if first_line(s) < line and not isinstance(s, _SCOPES)]
    while True:
        more = {name for s in before if set(bound(s)) & found for name in _heads(s)} - found
        if not more:
            return found
        found |= more


def _heads(statement: ast.stmt) -> set[str]:
    """Return the names that a statement mentions; of a compound one only those of its head."""
    if not any(True for _ in _blocks(statement)):
        return _mentioned(statement)
    parts = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt | ast.ExceptHandler)]
    return {name for part in parts for name in _mentioned(part)}


def _mentioned(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - _HARMLESS


def _may_go(statement: ast.stmt) -> bool:
    if isinstance(statement, _KEPT) or (isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Constant)):
        return False
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return False
    pending: list[tuple[ast.AST, bool]] = [(statement, False)]
    while pending:
        node, looping = pending.pop()
        if isinstance(
            node, ast.Return | ast.Yield | ast.YieldFrom | ast.Await | ast.Global | ast.Nonlocal | ast.Delete
        ):
            return False
        if isinstance(node, ast.Break | ast.Continue) and not looping:
            return False
        if isinstance(node, _SCOPES):
            continue
        pending += [(child, looping or isinstance(node, _LOOPS)) for child in ast.iter_child_nodes(node)]
    return True


_KEPT = (
    ast.Raise,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)
_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)
_WRAPPERS = frozenset(
    "jit vmap pmap grad value_and_grad filter_jit checkpoint remat partial shard_map scan cond switch while_loop"
    " fori_loop map associative_scan tree_map Partial jacfwd jacrev hessian vjp jvp linearize".split()
)
_HARMLESS = frozenset(("jax", "jnp", "np", "len", "int", "isinstance", "print", "range", "float", "bool", "str"))
"""Names that nothing a function does changes."""
