"""A Python loop under trace becomes one of jax: `fori_loop` where it counts, `scan` where it walks over an array.

The body stays as it is written and becomes that of a local function.  What it passes between iterations must be plain:
names, bound before the loop, whose values keep their shape as far as the source shows.
"""

from __future__ import annotations

import ast
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.tree import Binding, Context, kinds
from jaxlint.facts.values.values import Kind
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.moved_code.counters import MOST_INTEGER, Numbers
from jaxlint.fixes.moved_code.programs import given_in_sight
from jaxlint.fixes.moved_code.quiet import Quiet
from jaxlint.fixes.moved_code.shapes import CHANGED, SCALAR, UNKNOWN, Shapes, mentions, nodes_in
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.moving import rows
from jaxlint.fixes.text.scopes import scopes_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.values.loops import Unrolled

_LONG = 10_000
"""How many iterations a loop is taken to have whose number is not known."""
_DEPTH = 4
_NO_ARRAYS = kinds(
    *(cst.List, cst.Dict, cst.Set, cst.Tuple, cst.ListComp, cst.DictComp, cst.SetComp, cst.Lambda),
    *(cst.SimpleString, cst.FormattedString, cst.ConcatenatedString),
)
_OPENS = re.compile(r":\s*(#.*)?$")
_WORD = re.compile(r"[^\W\d]\w*")


def as_jax_loop(facts: ModuleFacts, unrolled: Unrolled) -> Fix | None:
    """Write a loop as `jax.lax.fori_loop` or `jax.lax.scan`.

    Raises:
        NoFixError: its iterations pass on more than plain values, need their number in Python, or do more than compute.
    """
    trace = facts.tracing.trace(unrolled.function)
    if trace is None or not (trace.hidden and trace.staged) or facts.staged.runs_eagerly_too(unrolled.function):
        raise NoFixError("it may run outside any trace, where its body would compile again on each call")
    turns = _turns(facts, unrolled)
    body = _Body(facts, unrolled, turns)
    carry = body.carry()
    draft = Draft(facts)
    _write(draft, unrolled, turns, carry)
    name = turns.function.rpartition(".")[2]
    level = Applicability.UNSAFE if body.plausible else Applicability.DISPLAY
    return draft.fix(level, f"Rewrite the loop with `jax.lax.{name}`", ROUNDING)


# Iterations


@dataclass
class _Turns:
    """How a loop runs: the function of jax that does so, and what it is given.

    `variable` is the loop's own variable; `counts` says that it is a number, which `fori_loop` passes on as an array.
    `arguments` are before the body's function (`fori_loop`) or after the carry (`scan`).  `last` is the statement
    that counts, which goes.
    """

    function: str
    variable: str
    arguments: tuple[str, ...]
    counts: bool
    read: tuple[cst.CSTNode, ...]
    last: cst.SimpleStatementLine | None = None
    test: cst.BaseExpression | None = None
    """What is asked before each iteration of `while_loop`, which has no loop variable."""


def _turns(facts: ModuleFacts, unrolled: Unrolled) -> _Turns:
    node = unrolled.loop.node
    if isinstance(node, cst.While):
        return _turns_of_while(facts, unrolled, node)
    if not isinstance(node, cst.For) or node.asynchronous is not None or node.orelse is not None:
        raise NoFixError("not a plain loop")
    if not isinstance(node.target, cst.Name):
        raise NoFixError("more than one loop variable")
    iterable, variable = node.iter, node.target.value
    if isinstance(iterable, cst.Call) and isinstance(iterable.func, cst.Name) and iterable.func.value == "range":
        if facts.names.bindings(iterable.func):
            raise NoFixError("range is something else")
        arguments = [arg.value for arg in iterable.args if arg.keyword is None and not arg.star]
        if len(arguments) != len(iterable.args) or len(arguments) not in (1, 2):
            raise NoFixError("it counts in steps")
        if unrolled.trips is None and unrolled.bound not in ("shape", "static"):
            raise NoFixError("its bound may be traced")
        code = [facts.code(argument) for argument in arguments]
        limits = (code[0], code[1]) if len(code) == 2 else ("0", code[0])
        return _Turns("jax.lax.fori_loop", variable, limits, counts=True, read=tuple(arguments))
    if facts.values.kind(iterable) is Kind.ARRAY or unrolled.bound == "array":
        return _Turns("jax.lax.scan", variable, (facts.code(iterable),), counts=False, read=(iterable,))
    raise NoFixError("what it walks over may be no array")


def _turns_of_while(facts: ModuleFacts, unrolled: Unrolled, node: cst.While) -> _Turns:
    """Read `while n < LIMIT` whose last statement is `n += 1`."""
    test, last = node.test, node.body.body[-1]
    if node.orelse is None and facts.values.kind(test).traced and not isinstance(test, cst.BooleanOperation):
        return _Turns("jax.lax.while_loop", "", (), counts=False, read=(), test=test)
    if node.orelse is not None or not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        raise NoFixError("not a plain loop")
    counter, limit = test.left, test.comparisons[0].comparator
    if not isinstance(counter, cst.Name) or not isinstance(last, cst.SimpleStatementLine) or len(last.body) != 1:
        raise NoFixError("it does not count")
    step = last.body[0]
    counts = (
        isinstance(step, cst.AugAssign)
        and isinstance(step.target, cst.Name)
        and step.target.value == counter.value
        and isinstance(step.operator, cst.AddAssign)
        and facts.constants.integer(step.value) == 1
    )
    if not counts or (unrolled.trips is None and unrolled.bound not in ("shape", "static")):
        raise NoFixError("it does not count up by one")
    starts = [b for b in facts.names.bindings(counter) if b.value is not step]
    if not starts or any(
        not isinstance(b.value, cst.CSTNode) or facts.constants.integer(b.value) is None for b in starts
    ):
        raise NoFixError("it does not start at a number")
    code = facts.code(limit)
    operator = test.comparisons[0].operator
    if isinstance(operator, cst.LessThanEqual):
        code = str(int(code) + 1) if code.isdecimal() else f"{code} + 1"
    elif not isinstance(operator, cst.LessThan):
        raise NoFixError("it does not count up")
    return _Turns("jax.lax.fori_loop", counter.value, (counter.value, code), counts=True, read=(limit,), last=last)


# The body


@dataclass
class _Flow:
    """What is known at a place of the body: the names that are surely assigned by then."""

    assigned: set[str] = field(default_factory=set)


class _Body:
    """The body of a loop: what it passes between iterations, and whether JAX can run it."""

    def __init__(self, facts: ModuleFacts, unrolled: Unrolled, turns: _Turns) -> None:
        self.facts = facts
        node = unrolled.loop.node
        if not isinstance(node, (cst.For, cst.While)):
            raise NoFixError("a comprehension")
        self.node = node
        self.unrolled = unrolled
        self.turns = turns
        self._keeps_shapes = True
        self._quiet = Quiet(facts)
        self._written: dict[str, list[cst.CSTNode]] = {}
        self._places: dict[tuple[str, int], int] = {}
        """Which element of an unpacked value a name gets."""
        self._early: set[str] = set()
        self._block(self.node.body, _Flow())
        if turns.test is not None:
            self._read(turns.test, _Flow())

    @property
    def plausible(self) -> bool:
        """Whether nothing visible argues against the values keeping their shape, and all that is called is known."""
        return self._keeps_shapes and self._quiet.sure

    def carry(self) -> list[str]:
        """Return the names that go between iterations, in the order in which they are assigned.

        Raises:
            NoFixError: one of them is no plain value.
        """
        variable = self.turns.variable
        if variable in self._written:
            raise NoFixError("the loop variable is assigned")
        if any(mentions(node, set(self._written)) for node in self.turns.read):
            raise NoFixError("the bound is assigned in the body")
        if self.turns.test is not None:
            after = False
        elif self.turns.last is None or not isinstance(self.node, cst.While):
            after = self._is_used_after(self._bindings(variable))
        else:
            after = self._is_used_after(self.facts.names.bindings_at(variable, self._inside()))
        if after:
            raise NoFixError("the loop variable is used behind the loop")
        carried = []
        for name in self._written:
            late = self._is_used_after(self._bindings(name))
            if name in self._early or late:
                self._check_start(name)
                carried.append(name)
        if not carried:
            raise NoFixError("nothing is carried between iterations")
        known = {name: name for name in carried}
        if self.turns.counts:
            known[variable] = SCALAR
        shapes = Shapes(self.facts, known)
        for name in carried:
            self._check_shape(name, shapes)
        if self.turns.counts:
            self._check_numbers(carried)
        return carried

    # Statements

    def _block(self, block: cst.BaseSuite, flow: _Flow) -> None:
        if not isinstance(block, cst.IndentedBlock):
            raise NoFixError("the body is on the line of the loop")
        for statement in block.body:
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    if statement is not self.turns.last:
                        self._small(small, flow)
            elif isinstance(statement, cst.If):
                self._if(statement, flow)
            elif isinstance(statement, cst.For):
                self._inner_loop(statement, flow)
            elif isinstance(statement, cst.FunctionDef):
                self._inner_function(statement, flow)
            else:
                raise NoFixError("the body holds more than assignments")

    def _small(self, node: cst.BaseSmallStatement, flow: _Flow) -> None:
        if isinstance(node, cst.Pass) or (isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString)):
            return
        if isinstance(node, cst.Assign):
            self._read(node.value, flow)
            for target in node.targets:
                self._write(target.target, node.value, flow)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self._read(node.value, flow)
            self._write(node.target, node.value, flow)
        elif isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
            self._read(node.value, flow)
            if node.target.value not in flow.assigned:
                self._early.add(node.target.value)
            self._write(node.target, node, flow)
        else:
            raise NoFixError("the body does more than assign")

    def _if(self, node: cst.If, flow: _Flow) -> None:
        self._read(node.test, flow)
        if not self.facts.values.kind(node.test).known or mentions(node.test, {self.turns.variable, *self._written}):
            raise NoFixError("a test whose result may change between iterations")
        first, second = _Flow(set(flow.assigned)), _Flow(set(flow.assigned))
        self._block(node.body, first)
        if isinstance(node.orelse, cst.If):
            self._if(node.orelse, second)
        elif node.orelse is not None:
            self._block(node.orelse.body, second)
        flow.assigned = first.assigned & second.assigned

    def _inner_loop(self, node: cst.For, flow: _Flow) -> None:
        if node.orelse is not None or node.asynchronous is not None or not isinstance(node.target, cst.Name):
            raise NoFixError("a loop within the loop that is not plain")
        self._read(node.iter, flow)
        inner = _Flow({*flow.assigned, node.target.value})
        loop = next(loop for loop in self.facts.tree.loops if loop.node is node)
        trips, _ = self.facts.loops.trips(loop)
        if trips is None or mentions(node.iter, {self.turns.variable}):
            raise NoFixError("an inner loop of unknown length")
        if self._is_used_after(self._bindings(node.target.value), node):
            raise NoFixError("a loop variable is used behind its loop")
        self._block(node.body, inner)
        if trips > 0:
            flow.assigned |= inner.assigned

    def _inner_function(self, node: cst.FunctionDef, flow: _Flow) -> None:
        """A function that each iteration defines for itself, such as an iteration of a loop of jax."""
        if node.decorators or node.asynchronous is not None or self._is_used_after(self._bindings(node.name.value)):
            raise NoFixError("a function that is used behind the loop")
        function = self.facts.tree.function_of[id(node)]
        if function.scope.nonlocals or function.scope.globals:
            raise NoFixError("a function that does more than compute")
        known = _Flow({*flow.assigned, *function.scope.bindings})
        self._read(node.body, known)
        self._read(node.params, known)
        flow.assigned.add(node.name.value)

    def _write(self, target: cst.BaseExpression, value: cst.CSTNode, flow: _Flow) -> None:
        if isinstance(target, cst.Name):
            scope = self.unrolled.function.scope
            if target.value in scope.globals or target.value in scope.nonlocals:
                raise NoFixError("a name of another scope is assigned")
            self._written.setdefault(target.value, []).append(value)
            flow.assigned.add(target.value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            literal = value if isinstance(value, (cst.Tuple, cst.List)) else None
            if literal is not None and len(literal.elements) != len(target.elements):
                literal = None
            for index, element in enumerate(target.elements):
                if isinstance(element, cst.StarredElement):
                    raise NoFixError("a starred target")
                if literal is not None:
                    self._write(element.value, literal.elements[index].value, flow)
                elif isinstance(element.value, cst.Name):
                    self._write(element.value, value, flow)
                    self._places[element.value.value, id(value)] = index
                else:
                    raise NoFixError("a target within a target")
        else:
            raise NoFixError("the body stores into something")

    def _read(self, node: cst.CSTNode, flow: _Flow) -> None:
        for inner in nodes_in(node):
            if isinstance(inner, cst.Name) and inner.value not in flow.assigned:
                self._early.add(inner.value)
            elif isinstance(inner, (cst.NamedExpr, cst.Await, cst.Yield)):
                raise NoFixError("an expression that does more than compute")
            elif isinstance(inner, cst.Call):
                self._quiet.check_call(inner)

    # Names

    def _inside(self) -> Context:
        return self.facts.tree.context(self.node.body)

    def _bindings(self, name: str) -> list[Binding]:
        """Return the bindings of a name that the loop makes."""
        scope = self.facts.names.scope_of(name, self.unrolled.loop.context.scope)
        if scope is None:
            return []
        return [
            binding
            for binding in scope.bindings[name]
            if binding.context.loop is not None and binding.context.loop.inside(self.unrolled.loop)
        ]

    def _is_used_after(self, bindings: list[Binding], node: cst.CSTNode | None = None) -> bool:
        """Whether what bindings in the loop leave is read outside of it."""
        return any(not self._holds(node or self.node, use) for b in bindings for use in self.facts.names.uses(b))

    def _holds(self, outer: cst.CSTNode, use: cst.CSTNode) -> bool:
        return any(around is outer for around in self.facts.tree.ancestors(use))

    def _before(self, name: str) -> list[Binding]:
        """Return the bindings that a name may have when the loop starts."""
        context = self.unrolled.loop.context
        found = self.facts.names.bindings_at(name, context)
        return [b for b in found if b.context.loop is None or not b.context.loop.inside(self.unrolled.loop)]

    def _check_start(self, name: str) -> None:
        """Refuse a name that may have no value, or one that is no array, when the loop starts."""
        found = self._before(name)
        here = self.unrolled.loop.context
        certain = [b for b in found if here.branch[: len(b.context.branch)] == b.context.branch]
        if not certain or any(b.context.function is not self.unrolled.function for b in found):
            raise NoFixError("a name has no value before the loop")
        for binding in found:
            value = binding.value
            if binding.kind == "parameter":
                parameter = self.unrolled.function.parameter(name)
                if parameter is None or parameter.star or not self.facts.values.parameter(parameter).traced:
                    self._keeps_shapes = False
                continue
            if binding.kind not in ("assign", "unpack") or not isinstance(value, cst.CSTNode):
                raise NoFixError("a name is bound by no assignment")
            if binding.kind == "assign" and _is_no_array(value):
                raise NoFixError("a container is carried between iterations")

    def _check_shape(self, name: str, shapes: Shapes) -> None:
        starts = [b.value for b in self._before(name) if isinstance(b.value, cst.CSTNode)]
        scalar = bool(starts) and all(shapes.of(value) == SCALAR for value in starts)
        parameter = self.unrolled.function.parameter(name)
        starts += given_in_sight(self.facts, parameter) if parameter is not None else ()
        for value in self._written[name]:
            shape = shapes.of(value, self._places.get((name, id(value))))
            if shape == CHANGED or (shape == SCALAR and not scalar):
                raise NoFixError("its shape changes")
            if shape == UNKNOWN or (scalar and shape not in (SCALAR, name)):
                self._keeps_shapes = False
            if (name, id(value)) not in self._places:
                self._check_type(value, starts, shapes)

    def _check_type(self, value: cst.CSTNode, starts: list[cst.CSTNode], shapes: Shapes) -> None:
        """Doubt a value that is surely of another type than the one with which the name starts."""
        types, other = [shapes.type_of(start) for start in starts], shapes.type_of(value)
        starts_whole = any(kind and not shapes.is_number(start) for kind, start in zip(types, starts, strict=True))
        complex_numbers = shapes.is_complex(value) and not all(map(shapes.is_complex, starts))
        if (other and {*types} != {other}) or (starts_whole and shapes.is_fraction(value)) or complex_numbers:
            self._keeps_shapes = False
        if isinstance(value, cst.Call) and shapes.converts(value):
            self._keeps_shapes = False

    # The loop variable

    def _check_numbers(self, carried: list[str]) -> None:
        """Refuse uses of the loop variable, and of numbers made of it, that need its value in Python."""
        numbers = {self.turns.variable}
        for _ in range(len(self._written) + 1):
            for name, values in self._written.items():
                known = all(self.facts.values.kind(value).known for value in values)
                if known and (name in carried or any(mentions(value, numbers) for value in values)):
                    numbers.add(name)
        for name in numbers - {self.turns.variable}:
            if self._is_used_after(self._bindings(name)):
                raise NoFixError("a number of Python's is used behind the loop")
            if name in carried and not all(self._is_counted(name, value) for value in self._written[name]):
                raise NoFixError("integers of Python have no bound")
        for statement in self.node.body.body:
            if statement is not self.turns.last:
                used = Numbers(self.facts, numbers, self.unrolled.trips or _LONG)
                used.check(statement)
                self._keeps_shapes = self._keeps_shapes and used.sure

    def _is_counted(self, name: str, value: cst.CSTNode) -> bool:
        """Whether a number of Python's grows by a constant in each iteration, so that a traced integer holds it."""
        if isinstance(value, cst.AugAssign):
            plain, amount = isinstance(value.operator, (cst.AddAssign, cst.SubtractAssign)), value.value
        elif isinstance(value, cst.BinaryOperation) and isinstance(value.left, cst.Name) and value.left.value == name:
            plain, amount = isinstance(value.operator, (cst.Add, cst.Subtract)), value.right
        else:
            return False
        constant = self.facts.constants.integer(amount)
        return plain and constant is not None and abs(constant) * (self.unrolled.trips or _LONG) < MOST_INTEGER


def _is_no_array(node: cst.CSTNode) -> bool:
    return node.__class__ in _NO_ARRAYS or (isinstance(node, cst.Name) and node.value in ("None", "True", "False"))


# The edit


def _write(draft: Draft, unrolled: Unrolled, turns: _Turns, carry: list[str]) -> None:
    syntax, source = draft.syntax, draft.source
    node = syntax.at(draft.span(unrolled.loop.node), ast.For, ast.While)
    if not isinstance(node, (ast.For, ast.While)):
        raise NoFixError("not a loop")
    _refuse_closures(draft, node)
    span = draft.span(node)
    head = _head(draft, node)
    indent = source.line(node.lineno)[: source.position(span.start)[1] - 1]
    first = node.body[0]
    inner = source.line(first.lineno)[: source.position(draft.span(first).start)[1] - 1]
    if indent.strip() or inner.strip() or first.lineno == source.position(head.end)[0]:
        raise NoFixError("the loop shares a line with another statement")
    function = turns.function
    step = _local_name(draft, unrolled, "step")
    single = len(carry) == 1
    held = carry[0] if single else _local_name(draft, unrolled, "carry")
    names = ", ".join(carry)
    if turns.test is not None:
        parameters, returned = held, names
        again = _local_name(draft, unrolled, "unfinished")
        call = f"({again}, {step}, {names if single else f'({names})'})"
    elif turns.counts:
        parameters = f"{turns.variable}, {held}"
        call = f"({', '.join(turns.arguments)}, {step}, {names if single else f'({names})'})"
        returned = names
    else:
        parameters = f"{held}, {turns.variable}"
        call = f"({step}, {names if single else f'({names})'}, {turns.arguments[0]})[0]"
        returned = f"{names}, None" if single else f"({names}), None"
    asked = ""
    if turns.test is not None:
        unpacked = "" if single else f"{inner}{names} = {held}\n"
        asked = f"def {again}({held}):\n{unpacked}{inner}return {_on_one_row(draft, turns.test)}\n\n{indent}"
    draft.replace(head, f"{asked}def {step}({parameters}):")
    if not single:
        row_end = source.row_span(source.position(head.end)[0]).end
        draft.insert(row_end, f"\n{inner}{names} = {held}")
    # Comments that end the block stay in it.
    end = source.row_span(source.position(rows(syntax, node).end - 1)[0]).end
    name = draft.name(function, node)
    text = f"{inner}return {returned}\n\n{indent}{names} = {name}{call}"
    if turns.last is not None:
        last = draft.span(turns.last)
        row = source.row_span(source.position(last.end)[0])
        beside = source.text[last.end : row.end].strip()
        if row.end != end or (beside and not beside.startswith("#")):
            raise NoFixError("more beside the statement that counts")
        comment = f"{inner}{beside}\n" if beside else ""
        draft.replace(Span(last.start - len(inner), row.end), comment + text)
    else:
        draft.insert(end, f"\n{text}")
    above = syntax.above(node)
    before = source.line(source.position(above)[0] - 1).strip()
    if before and not _OPENS.search(before):
        draft.insert(above, "\n")


def _on_one_row(draft: Draft, node: cst.CSTNode) -> str:
    code = draft.code(node)
    if "\n" in code or "\r" in code:
        raise NoFixError("a test of several lines")
    return code


def _refuse_closures(draft: Draft, node: ast.For | ast.While) -> None:
    """Refuse where a function around the loop's body reads what the body assigns, which is then another variable."""
    scopes = scopes_of(draft.syntax)
    inside = set(ast.walk(node))
    function = scopes.frame(node)
    for name in {inner.id for inner in inside if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)}:
        if any(load not in inside for load in scopes.loads_of_others(name, function)):
            raise NoFixError(f"a function reads {name}, which the loop assigns")


def _local_name(draft: Draft, unrolled: Unrolled, base: str) -> str:
    """Return a name that nothing in the outermost function around the loop uses, not even a word of its comments."""
    function = unrolled.function
    while function.outer is not None:
        function = function.outer
    words = set(_WORD.findall(draft.code(function.node)))
    return next(
        name for number in itertools.count(1) if (name := f"{base}_{number}" if number > 1 else base) not in words
    )


def _head(draft: Draft, node: ast.For | ast.While) -> Span:
    """Return the span of a loop's head, the colon included."""
    start = draft.span(node).start
    end = draft.span(node.iter if isinstance(node, ast.For) else node.test).end
    match = re.compile(r"[\s)]*:").match(draft.source.text, end)
    if match is None:
        raise NoFixError("the loop's head holds a comment")
    return Span(start, match.end())
