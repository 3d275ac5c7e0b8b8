"""Numbers of Python that become traced: the variable of a loop that becomes one of JAX, and what is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.errors.demands import needed_arguments, needed_arguments_of_method
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.syntax.tree import Function, Parameter
from jaxlint.facts.values.values import Kind
from jaxlint.fixes.moved_code.shapes import mentions, nodes_in
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

MOST_INTEGER = 2**31 - 1
"""The largest integer that a traced loop variable can make; Python's own have no bound."""
_DEPTH = 4
_SMALL_POWER = 3
_LONGEST_POWER = 100


class Numbers:
    """Sees to it that numbers which become traced are used as arrays may be."""

    def __init__(self, facts: ModuleFacts, names: set[str], most: int, depth: int = _DEPTH) -> None:
        self._facts = facts
        self._names = names
        self._most = most
        self._depth = depth
        self.sure = True
        """Whether all that they index is known to be an array, and no list of them."""

    def check(self, root: cst.CSTNode) -> None:
        """Check all uses within a piece of code.

        Raises:
            NoFixError: Python needs the value of one.
        """
        for node in nodes_in(root):
            if isinstance(node, cst.Name) and node.value in self._names and self._facts.tree.parent(node) is not None:
                self._use(node)

    def _use(self, node: cst.CSTNode) -> None:
        child = node
        for parent in self._facts.tree.ancestors(node):
            if isinstance(parent, cst.BinaryOperation):
                if self._in_arithmetic(parent, child):
                    return
            elif isinstance(parent, cst.Comparison):
                if self._in_comparison(parent):
                    return
            elif isinstance(parent, cst.Subscript):
                if self._is_index(parent, child):
                    return
                raise NoFixError("the loop variable is an index into no array")
            elif isinstance(parent, cst.Arg):
                self._argument(parent)
                return
            elif isinstance(parent, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.AssignTarget)):
                return
            elif isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
                raise NoFixError("Python tests the loop variable")
            elif isinstance(parent, cst.Slice) or not isinstance(parent, _TRANSPARENT):
                raise NoFixError("the loop variable is needed in Python")
            child = parent

    def _in_comparison(self, node: cst.Comparison) -> bool:
        """Whether the result is an array already; refuses what only Python compares."""
        operands = [node.left, *(target.comparator for target in node.comparisons)]
        if len(operands) > 2 or isinstance(node.comparisons[0].operator, (cst.In, cst.NotIn, cst.Is, cst.IsNot)):
            raise NoFixError("Python compares the loop variable")
        return any(self._facts.values.kind(operand).traced for operand in operands)

    def _in_arithmetic(self, node: cst.BinaryOperation, child: cst.CSTNode) -> bool:
        """Whether the result is an array already; refuses what Python's integers can do and traced ones cannot."""
        other = node.left if child is node.right else node.right
        if self._facts.values.kind(other).traced:
            return True
        if isinstance(node.operator, (cst.Power, cst.LeftShift, cst.RightShift, cst.BitXor, cst.MatrixMultiply)):
            raise NoFixError("integers of Python have no bound")
        if isinstance(node.operator, cst.Multiply):
            factor = self._facts.constants.integer(other)
            factor = self._most if factor is None and mentions(other, self._names) else factor or 1
            if abs(factor) * self._most > MOST_INTEGER:
                raise NoFixError("integers of Python have no bound")
        return False

    def _is_index(self, node: cst.Subscript, child: cst.CSTNode) -> bool:
        if child is node.value:
            return False
        base = node.value
        if isinstance(base, cst.Attribute) and base.attr.value == "at":
            return True
        if not self._facts.values.kind(base).traced:
            return False
        for value in self._facts.names.values(base):
            if isinstance(value, Parameter) and _is_annotated_as_container(value):
                return False
        self.sure = self.sure and not self._may_be_list(base)
        return True

    def _may_be_list(self, node: cst.BaseExpression) -> bool:
        """Whether something visible takes what is indexed for a list of arrays, which no traced number indexes."""
        facts = self._facts
        if facts.values.kind(node) is Kind.ARRAY or facts.loops.is_used_as_array(node):
            return False
        for value in facts.names.values(node):
            if not isinstance(value, Parameter):
                continue
            bindings = value.function.scope.bindings.get(value.name, ())
            if any(self._walks_over(use) for binding in bindings for use in facts.names.uses(binding)):
                return True
            for site in facts.calls.of(value.function):
                given = argument_of(site.node, value, bound=site.bound)
                listed = facts.names.values(given) if given is not None else ()
                if any(isinstance(getattr(item, "node", None), (cst.List, cst.ListComp)) for item in listed):
                    return True
        return False

    def _walks_over(self, use: cst.Name) -> bool:
        """Whether Python counts the elements of a name, or goes over them."""
        parent = self._facts.tree.parent(use)
        if isinstance(parent, (cst.For, cst.CompFor)):
            return parent.iter is use
        call = self._facts.tree.parent(parent) if isinstance(parent, cst.Arg) else None
        func = call.func if isinstance(call, cst.Call) else None
        return isinstance(func, cst.Name) and func.value in ("len", "zip", "enumerate", "reversed", "list")

    def _argument(self, arg: cst.Arg) -> None:
        call = self._facts.tree.parent(arg)
        if not isinstance(call, cst.Call) or arg.star:
            raise NoFixError("the loop variable is needed in Python")
        names = self._facts.names.externals(call.func)
        if names:
            if any(not arrays.is_array_function(name) for name in names) or any(
                needed is arg.value for name in names for needed in needed_arguments(call, name)
            ):
                raise NoFixError("the loop variable is needed in Python")
            return
        func = call.func
        if isinstance(func, cst.Attribute) and (
            self._facts.values.is_update(func) or self._facts.values.kind(func.value).traced
        ):
            if any(needed is arg.value for needed in needed_arguments_of_method(call, func.attr.value)):
                raise NoFixError("the loop variable is needed in Python")
            return
        callees = self._facts.calls.callees(call)
        if not callees or self._depth == 0:
            raise NoFixError("the loop variable goes to what is not visible")
        for function, bound in callees:
            given = [p.name for p in function.parameters if argument_of(call, p, bound=bound) is arg.value]
            if not given:
                raise NoFixError("the loop variable goes to what is not visible")
            inner = Numbers(self._facts, set(given), self._most, self._depth - 1)
            for node in self._facts.tree.body(function):
                if isinstance(node, cst.Name) and node.value in given:
                    inner._use(node)
            self.sure = self.sure and inner.sure


_LARGE = 2**16
_REDUCING = (cst.Modulo, cst.FloorDivide, cst.BitAnd, cst.RightShift)


def unbounded(facts: ModuleFacts, function: Function) -> set[str]:
    """Return the parameters of which a function makes integers that Python holds, and traced ones may not.

    That is `2**n`, `n * 1000000007`, and `n * m % 7`: what goes beyond 32 bits fails in Python once it meets an array,
    but not what an operator makes small again before.
    """
    found = set[str]()
    for node in nodes_in(function.node.body):  # those of functions in it as well
        if not isinstance(node, cst.BinaryOperation):
            continue
        left, right, operator = _integer(facts, node.left), _integer(facts, node.right), node.operator
        if isinstance(operator, (cst.Power, cst.LeftShift)) and left is not None and right is None:
            found |= _arithmetic(function, node.right) or set()
        elif isinstance(operator, cst.Multiply) and max(abs(left or 0), abs(right or 0)) >= _LARGE:
            found |= _arithmetic(function, node.right if left is not None else node.left) or set()
        elif isinstance(operator, _REDUCING) and any(_grows(facts, part) for part in nodes_in(node.left)):
            found |= _arithmetic(function, node.left) or set()
    return found


def _integer(facts: ModuleFacts, node: cst.BaseExpression) -> int | None:
    """Return a constant, `10**9` included."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        base, power = facts.constants.integer(node.left), facts.constants.integer(node.right)
        if base is None or power is None or not 0 <= power < _LONGEST_POWER:
            return None
        return int(base**power)
    return facts.constants.integer(node)


def _grows(facts: ModuleFacts, node: cst.CSTNode) -> bool:
    """Whether a product or power of two unknown numbers is there, or a larger power of one."""
    if not isinstance(node, cst.BinaryOperation):
        return False
    sides = [_integer(facts, side) for side in (node.left, node.right)]
    if isinstance(node.operator, cst.Power):
        return sides[1] is None or sides[1] > _SMALL_POWER
    return isinstance(node.operator, (cst.Multiply, cst.LeftShift)) and sides == [None, None]


def _arithmetic(function: Function, node: cst.BaseExpression) -> set[str] | None:
    """Return the parameters in plain arithmetic of parameters and numbers, None where it is anything else."""
    if isinstance(node, cst.Name):
        return {node.value} if function.parameter(node.value) is not None else None
    if isinstance(node, cst.Integer):
        return set()
    if isinstance(node, cst.UnaryOperation):
        return _arithmetic(function, node.expression)
    if not isinstance(node, cst.BinaryOperation) or isinstance(node.operator, (cst.Divide, cst.MatrixMultiply)):
        return None
    sides = _arithmetic(function, node.left), _arithmetic(function, node.right)
    return None if sides[0] is None or sides[1] is None else sides[0] | sides[1]


_TRANSPARENT = (
    cst.Index,
    cst.SubscriptElement,
    cst.Element,
    cst.Tuple,
    cst.UnaryOperation,
    cst.ComparisonTarget,
)


def _is_annotated_as_container(parameter: Parameter) -> bool:
    node = parameter.annotation
    words = {inner.value for inner in nodes_in(node) if isinstance(inner, cst.Name)} if node is not None else set[str]()
    return not words.isdisjoint({"list", "dict", "tuple", "List", "Dict", "Tuple", "Sequence", "Mapping"})
