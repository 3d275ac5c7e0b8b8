"""The array code of a loop's iteration moves to a jitted function of the module; the loop itself stays Python's."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.tree import within
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import check_code, insert_definition, reads_what_changes
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.eager import compiling
from jaxlint.fixes.moved_code import programs
from jaxlint.fixes.moved_code.captures import Captured, Captures, is_constant, needed, of_name
from jaxlint.fixes.moved_code.made import Made, refuse_dynamic_names
from jaxlint.fixes.moved_code.shapes import mentions
from jaxlint.fixes.text import options
from jaxlint.fixes.text.edits import Draft, applied, offered
from jaxlint.fixes.text.inplace import changes
from jaxlint.fixes.text.moving import at_margin, indent_unit, indentation, returned, rows
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scope, scopes_of
from jaxlint.fixes.text.steps import facts_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.eager.array_loops import EagerLoop
    from jaxlint.facts.module import ModuleFacts

_FEWEST = 2
"""Operations from which on it is worth a function."""
_MOST = 7
"""A function of more arguments is better written by hand."""
_UNBOUND = (ast.Mult, ast.Pow, ast.LShift)
_GROWING = frozenset("concatenate append stack vstack hstack dstack column_stack insert delete resize".split())
"""Functions whose results may have another shape in each iteration."""


def fixes(facts: ModuleFacts, loop: EagerLoop) -> Iterator[Fix]:
    """Yield the ways to compile what a loop does, those that are only shown last."""
    builders = (
        lambda: compiling.enclosing_function(facts, loop.loop.node, loop=loop.loop),
        lambda: compiled_turn(facts, loop),
    )
    yield from sorted(offered(*builders), key=lambda fix: fix.applicability is Applicability.DISPLAY)


def compiled_turn(facts: ModuleFacts, loop: EagerLoop) -> Fix | None:
    """Return the fix that moves what an iteration computes to a jitted function of the module.

    Raises:
        NoFixError: it does more than assign arrays to names, or needs values of Python that change between iterations.
    """
    fix = _Turn(facts, loop, ()).fix()
    turn = _Turn(facts, loop, ())
    statics = turn.statics(needed(facts, applied(facts.source.text, fix), turn.name))
    turn = _Turn(facts, loop, statics)
    fix = turn.fix()
    after = facts_of(applied(facts.source.text, fix), facts)
    programs.refuse_what_is_new(facts, after)
    function = next(f for f in after.tree.functions if f.name == turn.name and f.outer is None)
    sure = programs.Program(after, function).check() and not turn.taken.unsure
    sure = sure and turn.indexes_arrays and not turn.starts_weak
    level = Applicability.UNSAFE if sure else Applicability.DISPLAY
    return Fix(level, fix.message, fix.edits, fix.condition)


class _Turn:
    """A run of statements of a loop's body on its way to a function."""

    def __init__(self, facts: ModuleFacts, loop: EagerLoop, statics: Collection[str]) -> None:
        self._facts = facts
        self._statics = statics
        self._draft = draft = Draft(facts)
        self._syntax, self._scopes = draft.syntax, scopes_of(draft.syntax)
        node = self._syntax.at(draft.span(loop.loop.node), ast.For, ast.While)
        if not isinstance(node, (ast.For, ast.While)):
            raise NoFixError("a comprehension")
        self._loop = node
        self._changing = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        lines = self._lines(loop.loop.node)
        self.indexes_arrays = all(self._indexes_arrays(line) for line in lines)
        """Whether what numbers of an iteration index is known to be an array, and no list of them."""
        self._run = [self._syntax.at(draft.span(line), ast.stmt) for line in lines]
        self._frame = self._scopes.frame(node)
        if isinstance(self._frame, ast.ClassDef):
            raise NoFixError("in the body of a class")
        refuse_dynamic_names(self._syntax, self._frame)
        for statement in self._run:
            check_code(self._syntax, statement)
            programs.refuse_more_than_computing(self._syntax, statement)
            if any(isinstance(inner, (ast.NamedExpr, ast.Lambda)) for inner in ast.walk(statement)):
                raise NoFixError("it defines more than names of arrays")
        self._inside = {inner for statement in self._run for inner in ast.walk(statement)}
        self.taken = Captures()
        self.starts_weak = False
        """Whether a number of Python starts what iterations pass on as arrays, which makes a program of its own."""
        self._given = list(self._inputs())
        self._results = list(self._outputs())
        grown = {ast.unparse(value) for value, _ in changes(ast.walk(node))}
        if grown.intersection(self._given):
            raise NoFixError("what iterations change in place may differ in structure")
        for name in self._given:
            self._refuse_growing_number(name)
        if not self._results or len(self._given) > _MOST:
            raise NoFixError("nothing comes of it, or it takes too many arguments")
        self.name = draft.fresh(*self._names())

    def _names(self) -> Iterator[str]:
        """Yield names for the function: by what alone it computes, else by the function around."""
        if len(self._results) == 1 and self._results[0] not in self._given:
            yield f"_compute_{self._results[0].strip('_')}"
        around = f"_{self._made().function_name()}" if isinstance(self._frame, FUNCTIONS) else ""
        yield f"{around}_iteration" if around.endswith("step") else f"{around}_step"

    def _made(self) -> Made:
        head = self._loop.iter if isinstance(self._loop, ast.For) else self._loop.test
        return Made(self._draft, self._scopes, head, self._frame)  # type: ignore[arg-type]

    # Which statements

    def _lines(self, node: cst.CSTNode) -> list[cst.SimpleStatementLine]:
        """Return the longest run of assignments, by what they dispatch, without what is Python's at its ends."""
        best: list[cst.SimpleStatementLine] = []
        most = 0
        body = node.body.body  # type: ignore[attr-defined]
        for plain, group in itertools.groupby(body, key=self._is_assignment):
            lines = list(group) if plain else []
            counts = [self._facts.eager_arrays.operations(line) for line in lines]
            first = next((index for index, count in enumerate(counts) if count), 0)
            last = next((index for index in range(len(counts), 0, -1) if counts[index - 1]), 0)
            if sum(counts) > most:
                best, most = lines[first:last], sum(counts)
        rest = sum(self._facts.eager_arrays.operations(statement) for statement in body) - most
        if most < _FEWEST or rest > most:
            raise NoFixError("too little of it is array code alone")
        return best

    def _is_assignment(self, node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
            return False
        small = node.body[0]
        if isinstance(small, cst.AugAssign):
            targets: list[cst.BaseExpression] = [small.target]
        elif isinstance(small, cst.Assign):
            targets = [target.target for target in small.targets]
        else:
            return False
        names = [part for target in targets for part in _targets(target)]
        return all(isinstance(name, cst.Name) for name in names) and not self._does_more(small)

    def _does_more(self, node: cst.CSTNode) -> bool:
        """Whether a statement calls what is compiled already, or what is not visible."""
        calls = [inner for inner in within(node) if isinstance(inner, cst.Call)]
        arrays = self._facts.eager_arrays
        if arrays.calls_compiled(node):
            return True
        for call in calls:
            method = isinstance(call.func, cst.Attribute) and arrays.is_array(call.func.value)
            if arrays.is_unseen(call) and not method and not self._facts.values.is_update(call.func):
                return True
            for name in self._facts.names.externals(call.func):
                if not name.startswith("jax.") or name.rpartition(".")[2] in _GROWING:
                    return True
        return False

    def _indexes_arrays(self, node: cst.CSTNode) -> bool:
        for inner in within(node):
            if not isinstance(inner, cst.Subscript) or len(inner.slice) > 1 or not mentions(inner, self._changing):
                continue
            base = inner.value
            known = self._facts.eager_arrays.is_array(base) or self._facts.loops.is_used_as_array(base)
            if not known and not (isinstance(base, cst.Attribute) and base.attr.value == "at"):
                return False
        return True

    def _refuse_growing_number(self, name: str) -> None:
        """Refuse a number of Python's that each iteration makes larger than any traced integer may be.

        Raises:
            NoFixError: it is one.
        """
        for node in ast.walk(self._loop):
            if node in self._inside:
                continue
            if isinstance(node, ast.AugAssign):
                grows = isinstance(node.op, _UNBOUND) and _is_named(node.target, name)
            elif isinstance(node, ast.Assign):
                parts = list(ast.walk(node.value))
                grows = any(isinstance(part, ast.BinOp) and isinstance(part.op, _UNBOUND) for part in parts)
                grows = grows and _is_named(node.targets[0], name) and any(_is_named(part, name) for part in parts)
            else:
                continue
            if grows and not self._is_data(name):
                raise NoFixError(f"integers of Python have no bound, and {name} may be one")

    # What goes in and out

    def _inputs(self) -> Iterator[str]:
        """Yield what is taken from outside, as a call passes it."""
        assigned: set[str] = set()
        read: dict[str, Scope] = {}
        for statement in self._run:
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            for node in sorted(names, key=lambda node: (node.lineno, node.col_offset)):
                reads = isinstance(node.ctx, ast.Load) or isinstance(statement, ast.AugAssign)
                scope = self._scopes.binder(node.id, self._scopes.of(node))
                if reads and node.id not in assigned and scope is not None and self._is_variable(node, scope):
                    read.setdefault(node.id, scope)
            assigned |= {n.id for n in names if isinstance(n.ctx, ast.Store) and self._scopes.of(n) is self._frame}
        identifiers = {node.id for node in self._inside if isinstance(node, ast.Name)}
        for name, scope in read.items():
            items = list(self._items(name, scope, identifiers, carried=name in assigned))
            self.taken.items += items
            yield from (item.argument for item in items)

    def _items(self, name: str, scope: Scope, identifiers: set[str], *, carried: bool) -> Iterator[Captured]:
        if any(isinstance(bound, (*DEFS, ast.ClassDef)) for bound in self._scopes.bindings(name, scope)):
            raise NoFixError(f"{name} is a function or a class")
        uses = [node for node in self._inside if isinstance(node, ast.Name) and node.id == name]
        for use in uses if carried else ():
            above = self._syntax.parents[use]
            if isinstance(above, ast.Attribute) and above.attr not in programs.OF_ARRAYS:
                raise NoFixError(f"{name} is an object")
        for bound in self._scopes.bindings(name, scope):
            self._check_binding(name, bound, carried=carried)
        loads = sorted((n for n in uses if isinstance(n.ctx, ast.Load)), key=lambda n: (n.lineno, n.col_offset))
        for item in of_name(self._made(), name, scope, loads, identifiers):
            item.evidence = item.evidence or ("data" if self._is_data(name) else "")
            yield item

    def _check_binding(self, name: str, bound: ast.AST, *, carried: bool) -> None:
        """Refuse what has another shape in each iteration; note what starts as a number of Python."""
        parent = self._syntax.parents[bound]
        if not isinstance(parent, ast.Assign) or bound in self._inside:
            return
        self.starts_weak = self.starts_weak or (carried and is_constant(parent.value))
        for part in ast.walk(parent.value):
            func = part.func if isinstance(part, ast.Call) else None
            called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if called in _GROWING and name in self._changing:
                raise NoFixError(f"{name} changes shape between iterations")
            names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} if isinstance(part, ast.Slice) else set()
            if names & self._changing:
                raise NoFixError(f"{name} changes shape between iterations")

    def _is_variable(self, name: ast.Name, scope: Scope) -> bool:
        """Whether the function cannot see a name's value: one of the function around, or a variable of the module."""
        if scope in self._inside:
            return False
        if scope is not self._scopes.module:
            return True
        bindings = self._scopes.bindings(name.id, scope)
        if any(not isinstance(bound, ast.Name) for bound in bindings):
            return False
        parent = self._syntax.parents[bindings[0]]
        plain = isinstance(parent, ast.Assign) and isinstance(parent.value, (ast.Constant, ast.UnaryOp))
        return len(bindings) > 1 or not plain

    def _is_data(self, name: str) -> bool:
        """Whether the run makes a name an array, so that it is one in the next iteration."""
        arrays = self._facts.eager_arrays
        for node in self._facts.tree.loads.get(name, ()):
            if any(binding.value is not None and arrays.is_array(node) for binding in self._facts.names.bindings(node)):
                return True
        return False

    def _outputs(self) -> Iterator[str]:
        """Yield the names that are read behind the run, or in the next iteration, as they are assigned."""
        stores = [n for n in self._inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        stores.sort(key=lambda node: (node.lineno, node.col_offset))
        names = dict.fromkeys(n.id for n in stores if self._scopes.of(n) is self._frame)
        for name in names:
            scope: Scope | None = self._scopes.binder(name, self._frame)
            if scope is not self._frame:
                raise NoFixError(f"{name} belongs to another function")
            if any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del) for n in self._scopes.bindings(name, scope)):
                raise NoFixError(f"{name} is deleted")
            outside = any(load not in self._inside for load in self._scopes.loads(name, self._frame))
            if outside or name in self._given:
                yield name

    # The edit

    def statics(self, uses: dict[str, set[str]]) -> tuple[str, ...]:
        """Return the parameters that must be static.

        Raises:
            NoFixError: one changes between iterations, and would compile a program for each.
        """
        statics = self.taken.statics(uses)
        for item in self.taken.items:
            if item.parameter in statics and item.argument.partition(".")[0] in self._changing:
                raise NoFixError(f"Python needs {item.argument}, which changes between iterations")
        return statics

    def fix(self) -> Fix:
        """Return the fix with the static arguments that are known.

        Raises:
            NoFixError: what the code reads may change, or cannot be moved.
        """
        draft, syntax = self._draft, self._syntax
        unit = indent_unit(syntax, self._loop)
        first, last = self._run[0], self._run[-1]
        span = Span(rows(syntax, first).start, rows(syntax, last).end)  # type: ignore[arg-type]
        inner = indentation(syntax, first)
        if syntax.source.position(syntax.span(first).start)[0] == self._loop.lineno:
            raise NoFixError("the body is on the line of the loop")
        ending = returned(syntax, last, self._results)
        text = at_margin(syntax, span, {**self.taken.changes, **ending}, unit).rstrip("\r\n")
        results = ", ".join(self._results)
        if not ending:
            text += f"\n{unit}return {results}"
        jit = draft.name("jax.jit", first)
        if self._statics:
            listed = options.listed([options.quoted(draft, static) for static in self._statics])
            jit = f"{draft.name('functools.partial', first)}({jit}, static_argnames={listed})"
        head = f"def {self.name}({', '.join(item.parameter for item in self.taken.items)}):"
        reads_what_changes(self._made(), *self._judged())
        insert_definition(draft, self._scopes, first, set(), f"@{jit}\n{head}\n{text}\n")
        newline = "\n" if syntax.text[span.end - 1 : span.end] in ("\n", "\r") else ""
        draft.replace(span, f"{inner}{results} = {self.name}({', '.join(self._given)}){newline}")
        fix = draft.fix(
            Applicability.UNSAFE, f"Compute an iteration in a module-level jitted function `{self.name}`", ROUNDING
        )
        if fix is None:
            raise NoFixError("nothing changes")
        return fix

    def _judged(self) -> list[ast.AST]:
        """Return the names that the function sees as they are: functions, imports, constants."""
        own = {n.id for n in self._inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        given = {given.partition(".")[0] for given in self._given}
        return [n for n in self._inside if isinstance(n, ast.Name) and n.id not in own | given]


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _targets(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from _targets(element.value if isinstance(element, cst.Element) else element)  # type: ignore[arg-type]
    else:
        yield node
