"""What a function that compiles is for: a value of its arguments, or a run; and whether its caller gives the program.

A function that does nothing but compute a value from its arguments is called for values, again and again.  One that
loads, prints, writes or counts its steps is a run of something, of which a process has few.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jaxlint.facts.context.contexts import FunctionContexts
from jaxlint.facts.context.wrapping import Wrappings
from jaxlint.facts.jax_api.name_priors import OUTSIDE
from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Function, Parameter, Tree, last_name, within
from jaxlint.facts.values.iterations import is_step_loop

_DEEPEST = 3
_GATHERING = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "sort", "reverse"})
_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap"})
_JAXPRS = frozenset({"jaxpr", "jaxprs", "closed_jaxpr", "call_jaxpr", "eqn", "eqns"})


class Calculations:
    """Tells it of the functions of one module."""

    def __init__(self, tree: Tree, names: Names, wrappings: Wrappings, contexts: FunctionContexts) -> None:
        self._tree = tree
        self._names = names
        self._wrappings = wrappings
        self._contexts = contexts
        self._known: dict[int, bool] = {}

    def is_calculation(self, function: Function | None) -> bool:
        """Whether a function does nothing but compute a value from its arguments, as far as its own text shows."""
        if function is None:
            return False
        if id(function) not in self._known:
            self._known[id(function)] = self._only_computes(function)
        return self._known[id(function)]

    def _only_computes(self, function: Function) -> bool:
        if function.yields:
            return False
        if function.is_lambda:
            return True
        if not function.returns or not self._takes_data(function):
            return False
        return not any(map(self._acts, self._tree.body(function)))

    def _takes_data(self, function: Function) -> bool:
        """Whether a function takes more than its instance; a property is read for its value whenever somebody likes."""
        if "property" in self._names.decorator_names(function):
            return True
        first = 1 if function.cls is not None and "staticmethod" not in self._names.decorator_names(function) else 0
        return len(function.parameters) > first

    def _acts(self, node: cst.CSTNode) -> bool:
        """Whether a piece of code does something besides computing a value."""
        if isinstance(node, (cst.For, cst.While)):
            calls = (part for part in within(node.body) if isinstance(part, cst.Call))
            return is_step_loop(node) and not all(map(self._gathers, calls))
        if isinstance(node, (cst.Global, cst.Nonlocal, cst.Del)):
            return True
        if isinstance(node, cst.WithItem):
            called = node.item.func if isinstance(node.item, cst.Call) else node.item
            return not any(name.startswith("jax.") for name in self._names.externals(called))
        if isinstance(node, cst.Expr):
            value = node.value
            return isinstance(value, (cst.Call, cst.Await)) and not (self._checks(value) or self._gathers(value))
        return isinstance(node, cst.Call) and OUTSIDE.fullmatch(last_name(node.func)) is not None

    @staticmethod
    def _checks(node: cst.CSTNode) -> bool:
        """Whether a call looks at values and does nothing else."""
        name = last_name(node.func) if isinstance(node, cst.Call) else ""
        return name in _RULES or name.lstrip("_").startswith(("assert", "check_", "validate", "ensure", "require"))

    @staticmethod
    def _gathers(node: cst.CSTNode) -> bool:
        """Whether a call puts something into a list or a dictionary that has a name."""
        func = node.func if isinstance(node, cst.Call) else None
        return isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name) and func.attr.value in _GATHERING

    # Whose program it is

    def is_given(self, node: cst.CSTNode, root: Function | None, function: Function | None) -> bool:
        """Whether what is compiled runs a function that the caller of `function` gives: each is a program of its own.

        `node` is the expression that is compiled, `root` the function behind it.
        """
        around = set[int]()
        current = function
        while current is not None:
            around.add(id(current))
            # What a factory is given is the same in all calls of what it makes.
            current = None if self._contexts.travels(current) else current.outer
        seen = set[int]()
        return (
            self._gives(node, around, seen, _DEEPEST)
            or (root is not None and self._runs_given(root, around, seen, _DEEPEST))
            or self._is_made_of_given(node, around)
        )

    def _is_made_of_given(self, node: cst.CSTNode, around: set[int]) -> bool:
        """Whether a factory makes what is compiled, `jit(make_step(config))`, and is told of what by the caller."""
        seen = set[int]()
        work = [self.factory_call(node)]
        while work:
            made = work.pop()
            if made is None or id(made) in seen:
                continue
            seen.add(id(made))
            for value in (value for arg in made.args for value in self._names.values(arg.value)):
                if isinstance(value, Parameter) and id(value.function) in around and not self._is_instance(value):
                    return True
                if isinstance(value, Expression):
                    work.append(self.factory_call(value.node))
        return False

    def _is_instance(self, parameter: Parameter) -> bool:
        """Whether a parameter is the instance of a method."""
        return parameter.function.cls is not None and parameter.position == 0

    def factory_call(self, node: cst.CSTNode) -> cst.Call | None:
        """Return the call that makes the function behind an expression, through wrappers and names; None for others."""
        seen = set[int]()
        work = [node]
        while work:
            current = work.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            wrapped = self._wrappings.of(current) if isinstance(current, cst.Call) else None
            if wrapped is not None:
                work.extend(wrapped.targets if wrapped.wrapper.makes_callable else ())
            elif isinstance(current, cst.Call):
                return current
            elif isinstance(current, cst.Name):
                work.extend(v.node for v in self._names.values(current) if isinstance(v, Expression))
        return None

    def is_data(self, node: cst.CSTNode, depth: int = _DEEPEST) -> bool:
        """Whether an expression is made of a jaxpr: what is compiled is a program that somebody passes."""
        for part in within(node):
            name = last_name(part)
            if name in _JAXPRS:
                return True
            if isinstance(part, cst.Name) and depth > 0:
                made = (v.node for v in self._names.values(part) if isinstance(v, Expression) and v.node is not part)
                if any(self.is_data(other, depth - 1) for other in made):
                    return True
        return False

    def _gives(self, node: cst.CSTNode, around: set[int], seen: set[int], depth: int) -> bool:
        """Whether an expression of a function is, or wraps, what the caller gives."""
        if id(node) in seen or depth < 0:
            return False
        seen.add(id(node))
        for value in self._names.values(node):
            if isinstance(value, Parameter):
                if id(value.function) in around:
                    return True
            elif isinstance(value, Function):
                if id(value.outer) in around and self._runs_given(value, around, seen, depth):
                    return True
            elif isinstance(value, Expression) and isinstance(value.node, cst.Call):
                if self._looks_up(value.node, around):
                    return True
                wrapped = self._wrappings.of(value.node)
                targets = wrapped.targets if wrapped is not None else ()
                if any(self._gives(target, around, seen, depth - 1) for target in targets):
                    return True
        return False

    def _looks_up(self, call: cst.Call, around: set[int]) -> bool:
        """Whether a call looks a function up by a name that the caller gives: `getattr(jnp, name)`."""
        if last_name(call.func) != "getattr":
            return False
        names = (part for arg in call.args[1:] for part in within(arg.value) if isinstance(part, cst.Name))
        values = (value for name in names for value in self._names.values(name))
        return any(isinstance(value, Parameter) and id(value.function) in around for value in values)

    def _runs_given(self, function: Function, around: set[int], seen: set[int], depth: int) -> bool:
        """Whether a function that is defined in others calls what their callers give."""
        if id(function) in seen or depth < 0:
            return False
        seen.add(id(function))
        return any(self._gives(node, around, seen, depth - 1) for node in self._called(function))

    def _called(self, function: Function) -> Iterator[cst.CSTNode]:
        """Yield what a function, with those that it defines, calls by name or passes to a wrapper."""
        for node in within(function.node.body):
            if not isinstance(node, cst.Call):
                continue
            if isinstance(node.func, cst.Name):
                yield node.func
            wrapped = self._wrappings.of(node)
            if wrapped is not None:
                yield from wrapped.targets
