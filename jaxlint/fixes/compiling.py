"""Compiling a function of the module: what Python needs becomes static, Python's loops become those of jax.

Offered where the function does nothing but compute arrays from its arguments, as far as the source shows.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts import arrays
from jaxlint.facts.names import Expression, External, Item
from jaxlint.facts.tree import Class, Function, Loop, Parameter
from jaxlint.facts.values import argument_of
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes import loops, options, statics
from jaxlint.fixes.edits import Draft
from jaxlint.fixes.inplace import root_of
from jaxlint.fixes.moving import indentation
from jaxlint.fixes.quiet import Quiet
from jaxlint.fixes.reads import refuse_or_doubt
from jaxlint.fixes.scopes import DEFS, scopes_of
from jaxlint.fixes.steps import Steps
from jaxlint.fixes.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.loops import Unrolled
    from jaxlint.facts.module import ModuleFacts

_ROUNDS = 8
_SHORT = 32
"""A loop of at most so many turns may be unrolled, and of at most so many equations:"""
_LIGHT = 300
_DEPTH = 4
_REFUSED = (
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.With,
    ast.Try,
    ast.TryStar,
    ast.ClassDef,
    ast.Delete,
    ast.Match,
)
_DYNAMIC = frozenset(
    {"locals", "vars", "exec", "eval", "globals", "print", "input", "open", "setattr", "delattr", "id"}
)
_GROWING = frozenset({"append", "extend", "insert", "update", "add", "setdefault", "pop", "reverse", "sort"})
_CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_TEXT = frozenset({"str", "Callable", "Literal", "type", "Type"})
"""Annotations of what can be no argument of a program but a static one."""
_OF_ARRAYS = arrays.ARRAY_ATTRIBUTES | arrays.ARRAY_METHODS | arrays.ATTRIBUTES_OF_PYTHON


def enclosing_function(facts: ModuleFacts, node: cst.CSTNode, *, loop: Loop | None = None) -> Fix | None:
    """Return the fix that compiles the function of the module around a place.

    Args:
        facts: the module's.
        node: the place.
        loop: a loop that must not be unrolled.

    Raises:
        NoFixError: the function may do more than compute arrays from its arguments, or it would become too long a
            program.
    """
    function = _outermost(facts, node)
    if function is None:
        raise NoFixError("in no function of the module")
    return _Compiling(facts, function).fix(loop)


def _outermost(facts: ModuleFacts, node: cst.CSTNode) -> Function | None:
    function = facts.tree.context(node).function
    while function is not None and function.outer is not None:
        function = function.outer
    return function


def named(facts: ModuleFacts, name: str) -> Function:
    """Return the function of the module of that name.

    Raises:
        NoFixError: there is none, or more than one.
    """
    found = [f for f in facts.tree.functions if f.outer is None and f.cls is None and f.name == name]
    if len(found) != 1:
        raise NoFixError(f"{name} is defined more than once")
    return found[0]


class _Compiling:
    """One function on its way to a compiled one."""

    def __init__(self, facts: ModuleFacts, function: Function) -> None:
        self._before = facts
        self._name = function.name
        draft = Draft(facts)
        syntax, scopes = draft.syntax, scopes_of(draft.syntax)
        if function.is_lambda or function.cls is not None or function.outer is not None:
            raise NoFixError("not a function of the module")
        node = syntax.at(draft.span(function.node), *DEFS)
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or syntax.parents[node] is not syntax.tree:
            raise NoFixError("not a plain function")
        if node.args.vararg is not None or node.args.kwarg is not None or not function.parameters:
            raise NoFixError("any number of arguments, or none")
        if scopes.bindings(node.name, scopes.module) != [node]:
            raise NoFixError("its name stands for something else too")
        refuse_more_than_computing(syntax, node)
        refuse_or_doubt(facts, syntax, node)
        for call in ast.walk(node):
            own = isinstance(call, ast.Name) and call.id == node.name
            if own and scopes.binder(node.name, scopes.of(call)) is scopes.module:
                raise NoFixError("it calls itself")
        if syntax.text[: syntax.span(node).start].rpartition("\n")[2].strip():
            raise NoFixError("the function shares a row")
        self._sure = True
        self._before_loops = [loop for loop in facts.tree.loops if _is_in(loop.context.function, function)]
        self._static = list(self._never_traced(function))
        self._steps = self._decorated()

    def _decorated(self) -> Steps:
        """Return the text with the function compiled, as far as its static arguments are known."""
        draft = Draft(self._before)
        function = named(self._before, self._name)
        node = draft.syntax.at(draft.span(function.node), ast.FunctionDef)
        jit = draft.name("jax.jit", node)
        if self._static:
            names = [parameter.name for parameter in function.parameters if parameter.name in self._static]
            listed = options.listed([options.quoted(draft, name) for name in names])
            jit = f"{draft.name('functools.partial', node)}({jit}, static_argnames={listed})"
        draft.insert(draft.span(node).start, f"@{jit}\n{indentation(draft.syntax, node)}")
        steps = Steps(self._before)
        steps.take(draft.fix(Applicability.UNSAFE, ""))
        return steps

    @property
    def _facts(self) -> ModuleFacts:
        return self._steps.facts

    @property
    def _function(self) -> Function:
        return named(self._facts, self._name)

    def fix(self, loop: Loop | None) -> Fix | None:
        """Return the fix, with a loop turned that must not stay."""
        long = None if loop is None else next(i for i, other in enumerate(self._before_loops) if other is loop)
        self._make_static()
        turned = self._turn_loops(long)
        refuse_what_is_new(self._before, self._facts)
        self._check_code()
        self._check_parameters()
        self._check_results()
        level = Applicability.UNSAFE if self._sure else Applicability.DISPLAY
        return self._steps.fix(level, self._message(turned))

    def _message(self, turned: list[str]) -> str:
        names = [p.name for p in self._function.parameters if p.name in self._static]
        static = f", with {_and(names)} static" if names else ""
        loop = f", with its loop as {_and(list(dict.fromkeys(turned)))}" if turned else ""
        return f"Compile `{self._name}`{static}{loop}"

    # Static arguments

    def _never_traced(self, function: Function) -> Iterator[str]:
        """Yield the parameters that can only be static: texts and functions, by annotation, default or a caller."""
        facts = self._before
        for parameter in function.parameters:
            words = _words(parameter.annotation)
            default = parameter.default
            static = bool(words & _TEXT) or (default is not None and self._is_no_data(default))
            given = list(given_in_sight(facts, parameter))
            refuse_text(facts, parameter)
            static = static or any(self._is_no_data(node) for node in given)
            static = static or (bool(given) and all(isinstance(facts.constants.of(node), bool) for node in given))
            if static:
                refuse_unhashable(facts, parameter)
                yield parameter.name

    def _is_no_data(self, node: cst.CSTNode) -> bool:
        facts = self._before
        if isinstance(facts.constants.of(node), str) or isinstance(node, cst.BaseString):
            return True
        values = facts.names.values(node)
        return any(
            isinstance(v, (Function, Class)) or (isinstance(v, External) and _is_function(v.name)) for v in values
        )

    def _make_static(self) -> None:
        """Name the parameters static whose values Python needs, as JAX201 does."""
        for _ in range(_ROUNDS):
            function, facts = self._function, self._facts
            names: list[str] = []
            for demand, parameter in facts.staged.missing_statics:
                if not any(_is_in(outer, function) for outer in (parameter.function, demand.function)):
                    continue
                names += statics.names_to_add(facts, demand, parameter, function)
            if not names:
                return
            for name in names:
                parameter = function.parameter(name)  # type: ignore[assignment]
                if parameter is None or self._is_data(parameter):
                    raise NoFixError(f"Python needs the value of {name}, which is data")
            self._static += names
            self._steps = self._decorated()
        raise NoFixError("more static arguments than anybody would name")

    def _is_data(self, parameter: Parameter) -> bool:
        """Whether something shows that a parameter holds arrays, which cannot be static."""
        function = self._function
        if _words(parameter.annotation) & arrays.ANNOTATIONS:
            return True
        for binding in function.scope.bindings.get(parameter.name, ()):
            for use in self._facts.names.uses(binding):
                above = self._facts.tree.parent(use)
                if isinstance(above, cst.Attribute) and above.value is use and above.attr.value in _OF_ARRAYS:
                    return True
        return False

    # Loops

    def _loops(self) -> list[Loop]:
        function = self._function
        return [loop for loop in self._facts.tree.loops if _is_in(loop.context.function, function)]

    def _turn_loops(self, long: int | None) -> list[str]:
        """Turn loops into those of jax that would make too long a program; `long` is the number of one that does."""
        found: list[str] = []
        for _ in range(_ROUNDS):
            own = self._loops()
            unrolled = {id(item.loop): item for item in self._facts.loops.unrolled}
            wanted = [
                loop
                for index, loop in enumerate(own)
                if (index == long and not self._is_short(unrolled.get(id(loop))))
                or (id(loop) in unrolled and not self._may_stay(unrolled[id(loop)]))
            ]
            if not wanted:
                return found
            # Innermost first: then the loop around it has one array operation in its place.
            loop = next(one for one in wanted if not any(one in other.around for other in wanted))
            if id(loop) not in unrolled:
                raise NoFixError("nothing is known of the loop")
            fix = loops.as_jax_loop(self._facts, unrolled[id(loop)])
            if fix is None:
                raise NoFixError("the loop stays as it is")
            self._sure = self._sure and fix.applicability is not Applicability.DISPLAY
            self._steps.take(fix)
            found.append("`" + fix.message.partition("`")[2])
            turned = own.index(loop)
            if long is not None:
                long = None if turned == long else long - (turned < long)
        raise NoFixError("more loops than anybody would turn")

    @staticmethod
    def _is_short(unrolled: Unrolled | None) -> bool:
        return (
            unrolled is not None
            and unrolled.trips is not None
            and unrolled.trips <= _SHORT
            and unrolled.total.equations <= _LIGHT
        )

    def _may_stay(self, unrolled: Unrolled) -> bool:
        if unrolled.trips is None:
            return self._facts.loops.is_small(unrolled.loop)
        return self._is_short(unrolled)

    # What must hold in the end

    def _own(self) -> list[Function]:
        function = self._function
        return [other for other in self._facts.tree.functions if _is_in(other, function)]

    def _check_code(self) -> None:
        """Refuse calls that do more than compute, or that take values out of the program."""
        facts, quiet = self._facts, Quiet(self._facts)
        for function in self._own():
            for node in facts.tree.body(function):
                if not isinstance(node, cst.Call):
                    continue
                if isinstance(node.func, cst.Attribute) and node.func.attr.value in _GROWING and self._is_list(node):
                    continue
                if facts.values.is_update(node.func):
                    continue
                wrapped = facts.wrappings.of(node)
                if wrapped is not None and wrapped.wrapper.kind == "host":
                    raise NoFixError("it asks the host to compute")
                for name in facts.names.externals(node.func):
                    host = name.startswith(("numpy.", "scipy.", "math."))
                    if host and not all(facts.values.kind(arg.value).known for arg in node.args):
                        raise NoFixError(f"{name} computes outside of jax")
                quiet.check_call(node)
        self._sure = self._sure and quiet.sure

    def _is_list(self, call: cst.Call) -> bool:
        """Whether a method is called of a list or a dictionary that the function has made."""
        func = call.func
        values = self._facts.names.values(func.value) if isinstance(func, cst.Attribute) else ()
        return bool(values) and all(
            isinstance(v, Expression) and isinstance(v.node, (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp))
            for v in values
        )

    def _check_parameters(self) -> None:
        """Refuse a parameter that may be anything, doubt one that looks like an object."""
        function, facts = self._function, self._facts
        for parameter in function.parameters:
            if not facts.values.parameter(parameter).traced:
                continue
            uses = [u for b in function.scope.bindings.get(parameter.name, ()) for u in facts.names.uses(b)]
            if not uses and not _words(parameter.annotation) & arrays.ANNOTATIONS:
                raise NoFixError("a parameter may be anything")
            for use in uses:
                above = facts.tree.parent(use)
                if isinstance(above, cst.Attribute) and above.value is use and above.attr.value not in _OF_ARRAYS:
                    self._sure = self._sure and self._is_record(parameter)

    def _is_record(self, parameter: Parameter) -> bool:
        """Whether a parameter's annotation is a class in sight whose instances are trees."""
        if parameter.annotation is None:
            return False
        for value in self._facts.names.values(parameter.annotation):
            if not isinstance(value, Class):
                return False
            known = {*self._facts.names.base_names(value), *self._facts.names.decorator_names(value)}
            if not any(
                name.endswith(("NamedTuple", "struct.dataclass", "register_pytree_node_class")) for name in known
            ):
                return False
        return True

    def _check_results(self) -> None:
        """Refuse results that are no arrays; doubt those of which nothing is known."""
        returns = self._function.returns
        if not returns:
            raise NoFixError("it returns nothing")
        results = Results(self._facts)
        for node in returns:
            given = results.of(node)
            if given == "python":
                raise NoFixError("a result that is no array")
            self._sure = self._sure and given == "arrays"


def given_in_sight(facts: ModuleFacts, parameter: Parameter) -> Iterator[cst.BaseExpression]:
    """Yield what callers in sight give for a parameter."""
    for site in facts.calls.of(parameter.function):
        given = argument_of(site.node, parameter, bound=site.bound)
        if given is not None:
            yield given


def refuse_unhashable(facts: ModuleFacts, parameter: Parameter) -> None:
    """Refuse to make a parameter static for which a caller in sight gives a list or a dictionary.

    Raises:
        NoFixError: one does.
    """
    for given in given_in_sight(facts, parameter):
        for value in facts.names.values(given):
            if isinstance(value, Expression) and isinstance(value.node, (cst.List, cst.Dict, cst.Set)):
                raise NoFixError("a caller gives what cannot be hashed")


def refuse_text(facts: ModuleFacts, parameter: Parameter) -> None:
    """Refuse a parameter for which a caller in sight gives a list or a dictionary that holds more than arrays.

    Raises:
        NoFixError: one does.
    """
    if any(_holds_text(facts, node) for node in given_in_sight(facts, parameter)):
        raise NoFixError(f"{parameter.name} holds more than arrays")


def _holds_text(facts: ModuleFacts, node: cst.CSTNode) -> bool:
    """Whether an expression is a list or a dictionary with a text in it, which no program takes."""
    for value in facts.names.values(node):
        inner = value.node if isinstance(value, Expression) else None
        parts = inner.elements if isinstance(inner, (cst.List, cst.Tuple, cst.Dict)) else ()
        if any(isinstance(element.value, cst.BaseString) for element in parts):
            return True
    return False


class Results:
    """What expressions of a compiled function give: `arrays`, `python`, or empty where nothing is known."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts

    def of(self, node: cst.CSTNode, depth: int = _DEPTH) -> str:
        """Return what an expression gives, trees of arrays being arrays."""
        parts = _parts(node)
        if parts is not None:
            return _worst([self.of(part, depth) for part in parts if not _is_none(part)])
        if isinstance(node, cst.IfExp):
            return _worst([self.of(node.body, depth), self.of(node.orelse, depth)])
        kind = self._facts.values.kind(node)
        if kind.traced:
            return "arrays"
        if kind.known:
            return "python"
        if depth == 0:
            return ""
        if isinstance(node, cst.Call):
            callees = [function for function, _ in self._facts.calls.callees(node)]
            found = [self.of(value, depth - 1) for function in callees for value in function.returns]
            return _worst(found) if found else self._of_call(node)
        if isinstance(node, (cst.Attribute, cst.Subscript)):
            made = not any(isinstance(v, Parameter) for v in self._facts.names.values(node.value))
            return "arrays" if made and self.of(node.value, depth - 1) == "arrays" else ""
        found = []
        for value in self._facts.names.values(node):
            inner = value.node if isinstance(value, (Expression, Item)) else None
            found.append(self.of(inner, depth - 1) if inner is not None and inner is not node else "")
        return _worst(found) if found else ""

    def _of_call(self, node: cst.Call) -> str:
        """Return what a call gives of something that is not in sight: jax computes with arrays."""
        made = self._facts.wrappings.of(node)
        if made is not None and made.wrapper.makes_callable:
            return "python"
        inner = self._facts.wrappings.of(node.func) if isinstance(node.func, cst.Call) else None
        if inner is not None and inner.wrapper.makes_callable and inner.wrapper.library == "jax":
            return "arrays"
        names = self._facts.names.externals(node.func)
        return "arrays" if names and all(name.startswith("jax.") for name in names) else ""


def _parts(node: cst.CSTNode) -> list[cst.BaseExpression] | None:
    if isinstance(node, (cst.Tuple, cst.List)) and node.elements:
        return [element.value for element in node.elements]
    if isinstance(node, cst.Dict) and node.elements:
        return [element.value for element in node.elements]
    if isinstance(node, (cst.ListComp, cst.GeneratorExp)):
        return [node.elt]
    return None


def _worst(found: list[str]) -> str:
    return "python" if "python" in found or not found else "" if "" in found else "arrays"


def _is_none(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"


def _is_function(name: str) -> bool:
    return arrays.is_array_function(name) or name.startswith(("numpy.", "math.", "operator."))


def _is_in(function: Function | None, outer: Function) -> bool:
    while function is not None:
        if function is outer:
            return True
        function = function.outer
    return False


def _words(node: cst.BaseExpression | None) -> set[str]:
    """Return the names in an annotation."""
    if node is None:
        return set()
    found, work = set(), [node]
    while work:
        current = work.pop()
        if isinstance(current, cst.Name):
            found.add(current.value)
        elif isinstance(current, cst.SimpleString):
            found.update(str(current.evaluated_value).replace("[", ".").replace("]", ".").replace("|", ".").split("."))
        work.extend(current.children)  # type: ignore[arg-type]
    return found


def _and(names: Collection[str]) -> str:
    quoted = [name if name.startswith("`") else f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def refuse_more_than_computing(syntax: Syntax, function: ast.AST) -> None:
    """Refuse code that acts on anything but what it makes itself.

    Raises:
        NoFixError: it does.
    """
    scopes, own = scopes_of(syntax), set(ast.walk(function))
    for node in own:
        if isinstance(node, _REFUSED):
            raise NoFixError(f"{type(node).__name__}: it may do more than compute")
        if isinstance(node, ast.Name) and node.id in _DYNAMIC and scopes.binder(node.id, scopes.of(node)) is None:
            raise NoFixError(f"{node.id} does more than compute")
        if isinstance(node, ast.Expr) and not _is_text_or_growing(syntax, node, own):
            raise NoFixError("a statement that does more than compute")
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            root = root_of(node)
            if isinstance(node, ast.Attribute) or not isinstance(root, ast.Name) or not _is_own(syntax, root, own):
                raise NoFixError("it stores into something")


def _is_text_or_growing(syntax: Syntax, node: ast.Expr, own: Collection[ast.AST]) -> bool:
    """Whether a statement is a text, or lets a list grow that the code has made."""
    value = node.value
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    base = value.func.value
    return value.func.attr in _GROWING and isinstance(base, ast.Name) and _is_own(syntax, base, own)


def _is_own(syntax: Syntax, name: ast.Name, own: Collection[ast.AST]) -> bool:
    """Whether a name stands for nothing but containers that the code makes."""
    scopes = scopes_of(syntax)
    scope = scopes.binder(name.id, scopes.of(name))
    if scope is None or scope not in own or scope is not scopes.frame(name):
        return False
    for bound in scopes.bindings(name.id, scope):
        parent = syntax.parents[bound]
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        empty = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "dict")
        if value is None or not (isinstance(value, _CONTAINERS) or empty):
            return False
    return True


# What must not be new


def refuse_what_is_new(before: ModuleFacts, after: ModuleFacts) -> None:
    """Refuse a change with which more fails under trace, or more loops are unrolled, than before.

    Raises:
        NoFixError: that is so.
    """
    for count in (_failing, _long):
        if count(after) > count(before):
            raise NoFixError("more would fail under trace, or be unrolled")


@functools.lru_cache(maxsize=4)
def _failing(facts: ModuleFacts) -> int:
    staged = facts.staged
    return (
        len(staged.missing_statics) + len(staged.data_in_python) + len(staged.data_shapes) + len(facts.wrong_arguments)
    )


@functools.lru_cache(maxsize=4)
def _long(facts: ModuleFacts) -> int:
    return len(facts.long_loops) + len(facts.data_loops)
