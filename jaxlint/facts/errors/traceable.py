"""Whether code does as well with a traced value as with one of Python: what need not be static.

Everything that is not known to take a traced value counts as in need of a Python value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.errors.demands import use_of_argument, use_of_method_argument
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Function, Parameter
from jaxlint.facts.values.values import Kind

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


_BOUNDS = {"jax.lax.fori_loop": (0, 1, 3, "lower", "upper", "init_val")}
"""Arguments of control flow that may be traced numbers."""
_SEQUENCES = (cst.List, cst.Tuple, cst.Set, cst.Dict, cst.BaseString, cst.ListComp)
_ORDERINGS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual)
_SIGNS = (cst.Minus, cst.Plus)
_DEEPEST = 5


class Traceable:
    """Follows values of parameters through the visible code."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self._tracing = facts.tracing
        self._constants = facts.constants
        self._values = facts.values

    def parameter(self, parameter: Parameter, *, array: bool = False) -> bool:
        """Whether a parameter may be traced as well; `array` says that its value is an array, else it is a number."""
        return not parameter.star and _Flow(self, array=array).of_parameter(parameter, [])

    def use(self, node: cst.CSTNode) -> bool:
        """Whether a number that an expression gives may be traced at the place of the expression."""
        return _Flow(self, array=False).of(node, [])


class _Flow:
    """One question; `sites` are the calls by which a function was entered, innermost last."""

    def __init__(self, owner: Traceable, *, array: bool) -> None:
        self._tree = owner._tree
        self._names = owner._names
        self._wrappings = owner._wrappings
        self._calls = owner._calls
        self._tracing = owner._tracing
        self._constants = owner._constants
        self._values = owner._values
        self._array = array
        self._busy: set[int] = set()

    def of_parameter(self, parameter: Parameter, sites: list[cst.Call]) -> bool:
        if id(parameter) in self._busy:
            return True
        self._busy.add(id(parameter))
        bindings = parameter.function.scope.bindings.get(parameter.name, ())
        uses = [use for binding in bindings if binding.kind == "parameter" for use in self._names.uses(binding)]
        return bool(uses) and all(self.of(use, sites) for use in uses)

    def of(self, node: cst.CSTNode, sites: list[cst.Call]) -> bool:
        """Whether the value of a node may be traced where it is."""
        parent = self._tree.parent(node)
        if isinstance(parent, (cst.BinaryOperation, cst.Comparison, cst.UnaryOperation)):
            return self._of_operand(node, parent, sites)
        if isinstance(parent, cst.ComparisonTarget):
            above = self._tree.parent(parent)
            return isinstance(above, cst.Comparison) and self._of_operand(node, above, sites)
        if isinstance(parent, cst.IfExp):
            return parent.test is not node and self.of(parent, sites)
        if isinstance(parent, cst.Arg):
            return self._of_argument(parent, node, sites)
        if isinstance(parent, (cst.Element, cst.Tuple, cst.List)):
            return self._of_item(parent, sites)
        if isinstance(parent, (cst.Assign, cst.AnnAssign, cst.AugAssign)):
            return self._of_assigned(parent, node, sites)
        if isinstance(parent, (cst.Return, cst.Lambda)):
            return self._of_returned(node, sites)
        if isinstance(parent, cst.Index):
            return self._of_index(parent)
        return self._array and self._of_array(node, parent, sites)

    def _of_operand(
        self,
        node: cst.CSTNode,
        parent: cst.BinaryOperation | cst.Comparison | cst.UnaryOperation,
        sites: list[cst.Call],
    ) -> bool:
        if isinstance(parent, cst.UnaryOperation):
            return isinstance(parent.operator, _SIGNS) and self.of(parent, sites)
        if isinstance(parent, cst.BinaryOperation):
            others: list[cst.CSTNode] = [parent.right if node is parent.left else parent.left]
        else:
            if not all(isinstance(target.operator, _ORDERINGS) for target in parent.comparisons):
                return False
            others = [part for part in (parent.left, *(t.comparator for t in parent.comparisons)) if part is not node]
        if any(self._is_sequence(other) for other in others):
            return False
        if any(self._values.kind(other) is Kind.ARRAY for other in others):
            return True  # an array comes of it in any case
        return self.of(parent, sites)

    def _is_sequence(self, node: cst.CSTNode) -> bool:
        if isinstance(self._constants.of(node), (str, tuple)):
            return True
        return any(
            isinstance(value, Expression) and isinstance(value.node, _SEQUENCES) for value in self._names.values(node)
        )

    def _of_item(self, node: cst.CSTNode, sites: list[cst.Call]) -> bool:
        """An element of a tuple or a list that is returned, or passed to a function of arrays."""
        while isinstance(node, (cst.Element, cst.Tuple, cst.List)):
            above = self._tree.parent(node)
            if isinstance(above, cst.Arg):
                return self._of_argument(above, node, sites)
            if isinstance(above, (cst.Return, cst.Lambda)):
                return self._of_returned(node, sites)
            if above is None:
                return False
            node = above
        return False

    def _of_argument(self, arg: cst.Arg, node: cst.CSTNode, sites: list[cst.Call]) -> bool:
        call = self._tree.parent(arg)
        if arg.star or not isinstance(call, cst.Call):
            return False
        position = call.args.index(arg)
        if arg.keyword is None and any(other.star for other in call.args[:position]):
            return False
        place = position if arg.keyword is None else arg.keyword.value
        found = self._calls.of_node.get(id(call), ())
        if found and not isinstance(node, (cst.Tuple, cst.List)):
            return len(found) == 1 and self._of_callee(
                found[0].function, call, place, bound=found[0].bound, sites=sites
            )
        names = self._names.externals(call.func)
        if names:
            return all(self._takes_traced(name, place) for name in names)
        if isinstance(call.func, cst.Attribute):
            method = call.func.attr.value
            known = method in arrays.ARRAY_METHODS or method in arrays.UPDATES
            return known and not use_of_method_argument(method, place)
        builtin = isinstance(call.func, cst.Name) and call.func.value == "abs" and not self._names.bindings(call.func)
        return builtin and self.of(call, sites)

    def _takes_traced(self, name: str, place: int | str) -> bool:
        if place in _BOUNDS.get(name, ()):
            return True
        return arrays.makes_array(name) and not use_of_argument(name, place)

    def _of_callee(
        self, function: Function, call: cst.Call, place: int | str, *, bound: bool, sites: list[cst.Call]
    ) -> bool:
        if len(sites) >= _DEEPEST or any(wrapped.wrapper.compiles for wrapped in self._wrappings.of_function(function)):
            return False
        if isinstance(place, str):
            parameter = function.parameter(place)
        else:
            number = place + bound
            parameter = next((p for p in function.parameters if p.position == number), None)
        return parameter is not None and not parameter.star and self.of_parameter(parameter, [*sites, call])

    def _of_assigned(self, statement: cst.CSTNode, node: cst.CSTNode, sites: list[cst.Call]) -> bool:
        scope = self._tree.context(node).scope.frame
        for bindings in scope.bindings.values():
            for binding in bindings:
                if binding.kind == "assign" and (binding.value is node or binding.value is statement):
                    if id(binding) in self._busy:
                        return True
                    self._busy.add(id(binding))
                    return all(self.of(use, sites) for use in self._names.uses(binding))
        return False

    def _of_returned(self, node: cst.CSTNode, sites: list[cst.Call]) -> bool:
        """What a jitted function, or the body of a control flow, returns is an array in any case."""
        if sites:
            return self.of(sites[-1], sites[:-1])
        function = self._tree.context(node).function
        return function is not None and bool(self._tracing.direct(function))

    def _of_index(self, index: cst.Index) -> bool:
        """An index of an array, alone or beside others; those of lists and dictionaries are for Python to know."""
        element = self._tree.parent(index)
        subscript = self._tree.parent(element) if element is not None else None
        if not isinstance(subscript, cst.Subscript):
            return False
        value = subscript.value
        if isinstance(value, cst.Attribute) and value.attr.value == "at":
            return True
        return self._values.kind(value) is Kind.ARRAY or self._is_used_as_array(value)

    def _is_used_as_array(self, node: cst.BaseExpression) -> bool:
        """Whether a parameter is used elsewhere in its function as arrays alone are."""
        for value in self._names.values(node):
            if not isinstance(value, Parameter):
                return False
            bindings = value.function.scope.bindings.get(value.name, ())
            uses = [use for binding in bindings for use in self._names.uses(binding)]
            if not any(self._says_array(use) for use in uses):
                return False
        return True

    def _says_array(self, use: cst.CSTNode) -> bool:
        parent = self._tree.parent(use)
        if isinstance(parent, cst.Attribute):
            known = arrays.ARRAY_ATTRIBUTES | arrays.ATTRIBUTES_OF_PYTHON | arrays.ARRAY_METHODS
            return parent.attr.value in known
        return isinstance(parent, cst.BinaryOperation)

    def _of_array(self, node: cst.CSTNode, parent: cst.CSTNode | None, sites: list[cst.Call]) -> bool:
        """What arrays alone can do, which they can do under trace as well."""
        if isinstance(parent, cst.Attribute) and parent.value is node:
            name = parent.attr.value
            call = self._tree.parent(parent)
            if name in arrays.ARRAY_METHODS and isinstance(call, cst.Call) and call.func is parent:
                return self.of(call, sites)
            return name in arrays.ATTRIBUTES_OF_PYTHON or (name in arrays.ARRAY_ATTRIBUTES and self.of(parent, sites))
        if isinstance(parent, cst.Subscript) and parent.value is node:
            parts = [element.slice for element in parent.slice]
            mask = any(isinstance(part, cst.Index) and isinstance(part.value, cst.Comparison) for part in parts)
            return not mask and self.of(parent, sites)
        return False
