"""The statements of a training step move from a loop to a jitted function above it.

The function takes what the loop changes, and returns what is read afterwards.  It is defined beside the loop, so that
it sees the model, the optimizer and the settings as the loop does; a step that sees nothing of the kind is defined at
module level, where it compiles once for all calls.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Parameter, within
from jaxlint.facts.values.lengths import calls_in
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.checks.eager import ROUNDING
from jaxlint.fixes.eager.reached import PURE_METHODS, Reached, changing_names, refuse_attribute, refuse_bound_elsewhere
from jaxlint.fixes.moved_code.captures import dotted, needed
from jaxlint.fixes.moved_code.made import refuse_dynamic_names
from jaxlint.fixes.moved_code.programs import (
    OF_ARRAYS,
    OF_TREES,
    Results,
    refuse_more_than_computing,
    refuse_what_is_new,
)
from jaxlint.fixes.moved_code.quiet import Quiet
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.edits import Draft, applied
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.moving import at_margin, indent_unit, indentation, returned, rows
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, Scope, scopes_of
from jaxlint.fixes.text.steps import facts_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.eager.steps import Step
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.names import Names
    from jaxlint.facts.syntax.tree import Function

_LOOPS = (ast.For, ast.While)
_FOREIGN = ("torch.", "torchvision.", "tensorflow.", "keras.")
"""Libraries whose arrays a jitted function does not take."""
_NAMES = ("step", "train_step", "update_step")


def compiled_step(facts: ModuleFacts, step: Step) -> Fix | None:
    """Return the fix that puts a loop's gradients and updates into a jitted function above the loop.

    Raises:
        NoFixError: the statements do more than compute arrays, or share what the loop changes in place.
    """
    moved = _Moved(facts, step)
    fix = moved.fix()
    text = applied(facts.source.text, fix)
    if needed(facts, text, moved.name):
        raise NoFixError("Python needs the value of an argument")
    after = facts_of(text, facts)
    refuse_what_is_new(facts, after)
    results = Results(after)
    gradients = {function.name for function in moved.differentiated}
    for function in after.tree.functions:
        concerned = function.name == moved.name or function.name in gradients
        if concerned and any(results.of(value) == "python" for value in function.returns):
            raise NoFixError("a result that is no array")
    return fix


class _Moved:
    """The statements on their way into a function; `name` is what it is called."""

    def __init__(self, facts: ModuleFacts, step: Step) -> None:
        self._facts = facts
        self._draft = draft = Draft(facts)
        self._syntax, self._scopes = draft.syntax, scopes_of(draft.syntax)
        self._refuse_foreign_data(step)
        *_, outermost = (step.loop, *step.loop.around)
        self._nodes: dict[Span, cst.CSTNode] = {}
        for node in within(outermost.node):
            if isinstance(node, cst.BaseExpression):
                self._nodes.setdefault(facts.span(node), node)
        loop = self._syntax.at(draft.span(step.loop.node), *_LOOPS)
        if not isinstance(loop, _LOOPS):
            raise NoFixError("a comprehension")
        self._frame = self._scopes.frame(loop)
        if isinstance(self._frame, ast.ClassDef):
            raise NoFixError("in the body of a class")
        refuse_dynamic_names(self._syntax, self._frame)
        self._run_loop, self._outermost = loop, self._outermost_loop(loop)
        self._run = self._statements(loop, step)
        self._inside = {inner for statement in self._run for inner in ast.walk(statement)}
        self._changing = changing_names(self._outermost)
        for statement in self._run:
            refuse_more_than_computing(self._syntax, statement)
            self._refuse_what_is_no_array(statement)
        self.sure = self._check_calls()
        given = list(dict.fromkeys(self._inputs()))
        results = list(self._outputs(given))
        carried = [name for name in given if name in results]
        self._given = carried + [name for name in given if name not in carried]
        self._results = carried + [name for name in results if name not in carried]
        if not self._given or not self._results:
            raise NoFixError("it takes nothing that changes, or nothing comes of it")
        for name in self._given:
            self._refuse_argument(name)
        self._refuse_shared_objects()
        self._of_module = self._sees_only_the_module()
        self.name = self._free_name()

    def _refuse_what_is_no_array(self, statement: ast.stmt) -> None:
        """Refuse what a jitted function returns otherwise: dictionaries, whose keys it sorts; lists that grow."""
        for node in ast.walk(statement):
            if isinstance(node, (ast.Dict, ast.DictComp, ast.NamedExpr)):
                raise NoFixError("it makes a dictionary, or names a part of an expression")
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            for bound in self._scopes.bindings(statement.target.id, self._frame):
                parent = self._syntax.parents[bound]
                value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
                if isinstance(value, (ast.List, ast.ListComp)) or _is_call_of(value, "list"):
                    raise NoFixError("a list changes in place")

    def _free_name(self) -> str:
        """Return a name that nothing in the function has; in a module, nothing in the file."""
        if self._frame is self._scopes.module:
            return self._draft.fresh(*_NAMES)
        if self._of_module and isinstance(self._frame, DEFS):
            return self._draft.fresh("_step", f"_{self._frame.name.strip('_')}_step")
        taken = {text for node in ast.walk(self._frame) for text in _names_of(node)}
        for name in _NAMES:
            if name not in taken:
                return name
        raise NoFixError("no name is free")

    # Which statements

    def _outermost_loop(self, loop: ast.For | ast.While) -> ast.For | ast.While:
        """Return the outermost loop around in the same function; what is defined in a loop is new in each iteration."""
        found = loop
        for around in self._syntax.around(loop):
            if around is self._frame or isinstance(around, FUNCTIONS):
                break
            if isinstance(around, _LOOPS):
                found = around
        return found

    def _statements(self, loop: ast.For | ast.While, step: Step) -> list[ast.stmt]:
        """Return the statements of the loop from its first part of a step to the last use of what comes of it."""
        parts = {self._draft.span(part) for part in self._facts.steps.parts(step.loop)}
        holds = [any(self._span(node) in parts for node in _own(statement)) for statement in loop.body]
        if True not in holds:
            raise NoFixError("the step is in a function that the loop calls")
        kinds = {self._facts.steps.part(part) for part in self._facts.steps.parts(step.loop)}
        if kinds == {"optax.apply_updates"}:
            raise NoFixError("one addition a leaf is no step")
        first, last = holds.index(True), len(holds) - 1 - holds[::-1].index(True)
        while last + 1 < len(loop.body) and self._continues(loop.body[first : last + 1], loop.body[last + 1]):
            last += 1
        while first and self._leads_to(loop.body[first - 1], loop.body[first : last + 1]):
            first -= 1
        run = loop.body[first : last + 1]
        if not all(isinstance(node, ast.FunctionDef) or _assigned(node) is not None for node in run):
            raise NoFixError("the step does more than assign names")
        return run

    def _span(self, node: ast.AST) -> Span | None:
        return self._syntax.span(node) if isinstance(node, ast.expr) else None

    def _continues(self, run: list[ast.stmt], statement: ast.stmt) -> bool:
        """Whether a statement makes the next value of something that the step reads, from what the step computes."""
        assigned = _assigned(statement)
        stored = {name for node in run for name in _assigned(node) or ()}
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        loads = _loads(statement)
        # A function that gets the gradient and a state returns the next state, which nothing else may read.
        read = {name for node in run for name in _loads(node)} | (loads if calls else set())
        return bool(assigned and assigned & read and stored & loads) and all(map(self._only_computes, calls))

    def _leads_to(self, statement: ast.stmt, run: list[ast.stmt]) -> bool:
        """Whether a statement defines a function, or computes a gradient, that the step goes on with."""
        loads = {name for node in run for name in _loads(node)}
        if isinstance(statement, ast.FunctionDef):
            return statement.name in loads
        calls = [self._node(node) for node in ast.walk(statement) if isinstance(node, ast.Call)]
        gradients = [
            call for call in calls if isinstance(call, cst.Call) and any(self._facts.steps.differentiated(call))
        ]
        return bool((_assigned(statement) or set()) & loads) and len(calls) == len(gradients) > 0

    def _only_computes(self, call: ast.Call) -> bool:
        """Whether a call is of JAX, or of visible functions that only compute."""
        names = self._facts.names.externals(self._node(call.func))
        if names:
            return all(name.startswith(("jax.", "optax.")) for name in names)
        node = self._node(call)
        callees = [function for function, _ in self._facts.calls.callees(node)] if isinstance(node, cst.Call) else []
        try:
            for function in callees:
                Quiet(self._facts).check_function(function)
        except NoFixError:
            return False
        return bool(callees) and all(function.cls is None for function in callees)

    def _node(self, node: ast.expr) -> cst.CSTNode:
        """Return the facts' node for an expression in the loop."""
        try:
            return self._nodes[self._syntax.span(node)]
        except KeyError:
            raise NoFixError("an expression that the facts do not have") from None

    # What it may do

    def _refuse_foreign_data(self, step: Step) -> None:
        """Refuse a loop over data of a library whose arrays are no arguments of a jitted function."""
        names = self._facts.names
        for loop in (step.loop, *step.loop.around):
            made = [] if loop.iterable is None else list(calls_in(loop.iterable))
            made += [call for value in _expressions(names, loop.iterable) for call in calls_in(value)]
            if any(name.startswith(_FOREIGN) for call in made for name in names.externals(call.func)):
                raise NoFixError("the data are arrays of another library")

    def _check_calls(self) -> bool:
        """Refuse calls that do more than compute; tell whether all of them are known to do no more."""
        quiet = Quiet(self._facts)
        start: list[Function] = []
        self.differentiated: list[Function] = []
        for call in (self._node(node) for node in self._inside if isinstance(node, ast.Call)):
            if not isinstance(call, cst.Call):
                raise NoFixError("a call that the facts do not have")
            differentiated = list(self._facts.steps.differentiated(call))
            self.differentiated += differentiated
            start += differentiated + [callee for callee, _ in self._facts.calls.callees(call)]
            if not differentiated and not self._facts.steps.part(call):
                quiet.check_call(call)
        if any(function.cls is not None for function in start):
            raise NoFixError("a method may read what changes")
        inside = {name for statement in self._run for name in _assigned(statement) or {statement.name}}  # type: ignore[attr-defined]
        changing = self._changing - {name for name in inside if not self._is_variable(name)}
        sure = Reached(self._facts, self._syntax, self._run, start).check(changing)
        return sure and quiet.sure

    def _refuse_shared_objects(self) -> None:
        """Refuse objects that the loop may change while the function keeps what it saw when it was traced."""
        used = {node.id for node in self._inside if isinstance(node, ast.Name)}
        for value, _ in changes(ast.walk(self._outermost)):
            root = root_of(value)
            if isinstance(root, ast.Name) and root.id in used:
                raise NoFixError(f"the loop changes {root.id} in place")
        kept = {name for name in used - set(self._given) if self._is_variable(name)}
        for node in self._inside:
            if isinstance(node, ast.Name) and node.id in kept and self._binder(node) not in self._inside:
                refuse_bound_elsewhere(self._syntax, node)
                refuse_attribute(self._syntax, node)
        for node in ast.walk(self._outermost):
            if node in self._inside or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            root = root_of(node.func)
            if isinstance(root, ast.Name) and root.id in kept and node.func.attr not in PURE_METHODS:
                raise NoFixError(f"a method may change {root.id}")

    def _sees_only_the_module(self) -> bool:
        """Whether the step, given its arguments, would mean the same in any call of the function around."""
        if not isinstance(self._frame, DEFS):
            return False
        own = {*self._given, *(name for node in self._run for name in _assigned(node) or {node.name})}  # type: ignore[attr-defined]
        read = [
            node
            for node in self._inside
            if isinstance(node, ast.Name) and self._binder(node) not in self._inside and node.id not in own
        ]
        if any(self._binder(node) not in (None, self._scopes.module) for node in read):
            return False
        try:
            return not refuse_or_doubt(self._facts, self._syntax, *read)
        except NoFixError:
            return False

    # What goes in and out

    def _binder(self, node: ast.Name) -> Scope | None:
        return self._scopes.binder(node.id, self._scopes.of(node))

    def _is_variable(self, name: str) -> bool:
        """Whether a name is bound to a value, not only to a function, class or module."""
        scope = self._scopes.binder(name, self._frame)
        if scope is None:
            return False
        fixed = (*DEFS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.alias)
        return not all(isinstance(bound, fixed) for bound in self._scopes.bindings(name, scope))

    def _inputs(self) -> Iterator[str]:
        """Yield the names whose values the loop changes, or that are known to be arrays, in the order of their use."""
        assigned: set[str] = set()
        for statement in self._run:
            for node in _in_order(statement):
                outside = self._binder(node)
                if outside is None or outside in self._inside or node.id in assigned:
                    continue
                reads = isinstance(node.ctx, ast.Load) or isinstance(statement, ast.AugAssign)
                if reads and self._is_argument(node):
                    yield node.id
            assigned |= _assigned(statement) or {statement.name}  # type: ignore[attr-defined]

    def _is_argument(self, node: ast.Name) -> bool:
        if node.id in self._changing:
            return True
        if not self._is_variable(node.id):
            return False
        return self._facts.eager_arrays.is_array(self._node(node)) or node.id in self._data

    @functools.cached_property
    def _data(self) -> set[str]:
        """The names that are passed to a differentiated function which computes with them as with arrays.

        A function keeps what it captures as a constant; data, which may be large, are better passed on.
        """
        found: set[str] = set()
        for call in (self._node(node) for node in self._inside if isinstance(node, ast.Call)):
            if not isinstance(call, cst.Call):
                continue
            for function in self._facts.steps.differentiated(call):
                for parameter in function.parameters:
                    given = argument_of(call, parameter, bound=False)
                    if isinstance(given, cst.Name) and self._computes_with(parameter):
                        found.add(given.value)
        return found

    def _computes_with(self, parameter: Parameter) -> bool:
        """Whether a parameter is an operand, is indexed or goes to functions of jax, and is nothing else."""
        scope = parameter.function.scope
        uses = [use for bound in scope.bindings.get(parameter.name, ()) for use in self._facts.names.uses(bound)]
        return bool(uses) and all(map(self._is_use_of_array, uses))

    def _is_use_of_array(self, use: cst.CSTNode) -> bool:
        above = self._facts.tree.parent(use)
        if isinstance(above, cst.Attribute):
            return above.attr.value in OF_ARRAYS
        if isinstance(above, cst.Arg):
            call = self._facts.tree.parent(above)
            names = self._facts.names.externals(call.func) if isinstance(call, cst.Call) else ()
            return bool(names) and all(name.startswith("jax.") for name in names)
        return isinstance(above, (cst.BinaryOperation, cst.UnaryOperation, cst.Subscript))

    def _outputs(self, given: list[str]) -> Iterator[str]:
        """Yield the names that are read after the run, or in the next iteration, as they are assigned."""
        for name in dict.fromkeys(name for node in self._run for name in sorted(_assigned(node) or ())):
            if self._scopes.binder(name, self._frame) is not self._frame:
                raise NoFixError(f"{name} belongs to another function")
            if name in given and self._counts(name):
                raise NoFixError(f"{name} is an integer of Python")
            if any(isinstance(bound, ast.Name) and isinstance(bound.ctx, ast.Del) for bound in self._uses(name)):
                raise NoFixError(f"{name} is deleted")
            outside = any(load not in self._inside for load in self._scopes.loads(name, self._frame))
            if outside or name in given:
                yield name
        for node in self._run:
            if isinstance(node, ast.FunctionDef) and any(
                load not in self._inside for load in self._scopes.loads(node.name, self._frame)
            ):
                raise NoFixError(f"{node.name} is used elsewhere in the loop")

    def _uses(self, name: str) -> Iterator[ast.Name]:
        for node in ast.walk(self._frame):
            if isinstance(node, ast.Name) and node.id == name:
                yield node

    def _counts(self, name: str) -> bool:
        """Whether a name starts as an integer, which Python may need behind the loop."""
        for bound in self._scopes.bindings(name, self._frame):
            parent = self._syntax.parents[bound]
            value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
            if isinstance(value, ast.Constant) and type(value.value) is int and parent not in self._inside:
                return True
        return False

    def _refuse_argument(self, name: str) -> None:
        """Refuse a name that is certainly no array: a function, an optimizer, the index into a list."""
        for bound in self._scopes.bindings(name, self._frame):
            parent = self._syntax.parents[bound]
            value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
            made = dotted(self._scopes, value.func) if isinstance(value, ast.Call) else ""
            if isinstance(bound, (*DEFS, ast.ClassDef)) or isinstance(value, ast.Lambda):
                raise NoFixError(f"{name} is no array")
            if made.startswith("optax.") and made not in OF_TREES:
                raise NoFixError(f"{name} is no array")
        for node in self._inside:
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                names = {inner.id for inner in ast.walk(node.slice) if isinstance(inner, ast.Name)}
                base = self._node(node.value)
                if name in names and not self._facts.eager_arrays.is_array(base):
                    raise NoFixError(f"{name} may index a list")

    # The edit

    def fix(self) -> Fix:
        """Return the fix.

        Raises:
            NoFixError: the statements share a line with others.
        """
        draft, syntax = self._draft, self._syntax
        unit, outer = indent_unit(syntax, self._outermost), indentation(syntax, self._outermost)
        outer = "" if self._of_module else outer
        first, last = self._run[0], self._run[-1]
        if syntax.source.position(syntax.start(first))[0] == self._run_loop.lineno:
            raise NoFixError("the body is on the line of the loop")
        span = Span(rows(syntax, first).start, rows(syntax, last).end)
        inner = indentation(syntax, first)
        results = ", ".join(self._results)
        ending = returned(syntax, last, self._results)
        text = at_margin(syntax, span, ending, outer + unit).rstrip("\r\n")
        if not ending:
            text += f"\n{outer}{unit}return {results}"
        signature = f"def {self.name}({', '.join(self._given)}):"
        jit = self._jit(syntax.top(span) if self._of_module else first)
        definition = f"{outer}@{jit}\n{outer}{signature}\n{text}\n"
        if self._of_module:
            draft.insert_above(first, definition)
        else:
            place = rows(syntax, self._outermost).start
            blank = 2 if self._frame is self._scopes.module else 1
            before = "\n" * max(blank - syntax.blank_rows_above(place), 0) if self._needs_blank(place) else ""
            draft.insert(place, before + definition + "\n" * blank)
        if first is self._run_loop.body[0]:
            head = self._run_loop.iter if isinstance(self._run_loop, ast.For) else self._run_loop.test
            span = Span(self._without_blank_lines(span.start, syntax.span(head).end), span.end)
        newline = "\n" if syntax.text[span.end - 1 : span.end] in ("\n", "\r") else ""
        draft.replace(span, f"{inner}{results} = {self.name}({', '.join(self._given)}){newline}")
        level = Applicability.UNSAFE if self.sure else Applicability.DISPLAY
        data = [f"`{name}`" for name in self._given]
        listed = data[0] if len(data) == 1 else f"{', '.join(data[:-1])} and {data[-1]}"
        condition = f"{ROUNDING}; {listed} must hold arrays"
        where = "module-level jitted function" if self._of_module else "jitted function"
        fix = draft.fix(level, f"Put the step into a {where} `{self.name}`", condition)
        if fix is None:
            raise NoFixError("nothing changes")
        return fix

    def _without_blank_lines(self, start: int, end: int) -> int:
        """Return where the blank lines above a place begin, no earlier than the line after `end`."""
        source = self._syntax.source
        row = source.position(start)[0]
        while source.line_starts[row - 2] > end and not source.line(row - 1).strip():
            row -= 1
        return source.line_starts[row - 1]

    def _needs_blank(self, place: int) -> bool:
        """Whether the line above is code of the same block, not the head of the block."""
        row = self._syntax.source.position(place)[0]
        above = self._syntax.source.line(row - 1).rstrip() if row > 1 else ""
        return not above.endswith(":")

    def _jit(self, place: ast.stmt) -> str:
        externals = {
            name
            for node in self._inside
            if isinstance(node, ast.Call)
            for name in self._facts.names.externals(self._node(node.func))
        }
        wrapper = "equinox.filter_jit" if any(name.startswith("equinox.") for name in externals) else "jax.jit"
        return self._draft.name(wrapper, place)


def _expressions(names: Names, node: cst.CSTNode | None) -> Iterator[cst.CSTNode]:
    """Yield the expressions that a name was assigned."""
    for value in names.values(node) if node is not None else ():
        if isinstance(value, Expression):
            yield value.node


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield what a statement evaluates itself, not what functions in it do."""
    work: list[ast.AST] = [statement]
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (*DEFS, ast.Lambda)):
            work.extend(ast.iter_child_nodes(node))


def _loads(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _in_order(statement: ast.stmt) -> list[ast.Name]:
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return sorted(names, key=lambda node: (node.lineno, node.col_offset))


def _is_call_of(node: ast.expr | None, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _names_of(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node reads or binds."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*DEFS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def _assigned(statement: ast.stmt) -> set[str] | None:
    """Return the names that a statement assigns; None where it does anything else."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.AnnAssign) and statement.value is not None):
        targets = [statement.target]
    else:
        return None
    names: set[str] = set()
    work: list[ast.expr] = list(targets)
    while work:
        target = work.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            work.extend(target.elts)
        elif isinstance(target, ast.Name):
            names.add(target.id)
        else:
            return None
    return names
