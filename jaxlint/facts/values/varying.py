"""Which numbers change from iteration to iteration of a loop, and whether the shapes of its arrays change with them.

A number is kept as the sum of its terms: `i * width + 1` is one `i * width`.  What two numbers differ by is their
difference of terms, so that `x[i * width : (i + 1) * width]` is as long in each iteration, and `x[:i]` is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from jaxlint.facts.syntax.names import Expression, Names
from jaxlint.facts.syntax.tree import Loop, children, last_name

Terms = dict[str, int]
"""How often each term that changes is in a number; what does not change is skipped."""

_SIZED = {"linspace": 2, **dict.fromkeys(("zeros", "ones", "full", "empty", "eye", "identity", "tri"), 0)}
"""The functions that are told the size of what they make, with the position of that argument."""
_JOINS = frozenset({"concatenate", "concat", "append", "hstack", "vstack", "column_stack", "dstack", "pad"})
_CHOOSING = frozenset({"nonzero", "argwhere", "flatnonzero", "unique", "extract", "compress", "trim_zeros"})
"""The functions whose result is as long as the values say."""
_DEPTH = 12


class Varying:
    """Answers for one loop after another; `targets` are the names that a loop binds, `nodes` what an iteration runs."""

    def __init__(
        self,
        names: Names,
        targets: Callable[[Loop], set[str]],
        nodes: Callable[[Loop], Iterator[cst.CSTNode]],
        is_array: Callable[[cst.CSTNode], bool],
    ) -> None:
        self._names = names
        self._targets = targets
        self._nodes = nodes
        self._is_array = is_array
        self._known: dict[int, bool] = {}

    def shapes_differ(self, loop: Loop) -> bool:
        """Whether iterations work on arrays of different shapes, so that no one program holds all of them."""
        key = id(loop)
        if key not in self._known:
            self._known[key] = any(self._differs(node, loop) for node in self._nodes(loop))
        return self._known[key]

    def grows(self, loop: Loop) -> bool:
        """Whether an iteration makes an array longer that the next one goes on with: `x = jnp.append(x, y)`."""
        for node in self._nodes(loop):
            if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
                continue
            target, call = node.targets[0].target, node.value
            if not isinstance(target, cst.Name) or last_name(call.func) not in _JOINS - {"pad"}:
                continue
            if self._is_of_jax(call) and any(_mentions(arg.value, target.value) for arg in call.args):
                return not any(_is_cut(arg.value, target.value) for arg in call.args)
        return False

    def is_sized_by_values(self, node: cst.CSTNode) -> bool:
        """Whether an expression is an array that is as long as values say: `x[x > 0]`, `jnp.nonzero(x)`."""
        if isinstance(node, cst.Subscript):
            indices = (element.slice.value for element in node.slice if isinstance(element.slice, cst.Index))
            values = (value for index in indices for value in self._names.values(index))
            return any(isinstance(value, Expression) and isinstance(value.node, cst.Comparison) for value in values)
        return isinstance(node, cst.Call) and self._is_of_jax(node) and self._is_as_long_as_values_say(node)

    def _differs(self, node: cst.CSTNode, loop: Loop) -> bool:
        if isinstance(node, cst.Subscript):
            base = node.value
            if isinstance(base, cst.Attribute) and base.attr.value == "at":
                base = base.value
            if not self._is_array(base) and not self._reaches_jax(node):
                return False
            return any(self._changes_length(element.slice, loop) for element in node.slice)
        if isinstance(node, cst.Call) and self._is_of_jax(node):
            return self._makes_another_size(node, loop) or self._is_as_long_as_values_say(node)
        return False

    def _reaches_jax(self, node: cst.CSTNode) -> bool:
        """Whether a part of something, by itself or by the name that it gets, is given to a function of JAX."""
        parent = self._names.tree.parent(node)
        if isinstance(parent, cst.Arg):
            call = self._names.tree.parent(parent)
            return isinstance(call, cst.Call) and self._is_of_jax(call)
        if not isinstance(parent, cst.Assign) or not isinstance(parent.targets[0].target, cst.Name):
            return False
        uses = self._names.uses_of_target(parent.targets[0].target)
        return any(
            isinstance(arg := self._names.tree.parent(use), cst.Arg)
            and isinstance(call := self._names.tree.parent(arg), cst.Call)
            and self._is_of_jax(call)
            for use in uses
        )

    def _changes_length(self, index: cst.BaseSlice, loop: Loop) -> bool:
        if isinstance(index, cst.Index):
            return self._is_mask(index.value)
        if not isinstance(index, cst.Slice):
            return False
        lower = self._terms(index.lower, loop) if index.lower is not None else {}
        upper = self._terms(index.upper, loop) if index.upper is not None else {}
        return bool(_less(upper, lower))

    def _is_mask(self, index: cst.BaseExpression) -> bool:
        """Whether an index picks elements by a test of their values."""
        if isinstance(index, cst.UnaryOperation):
            return isinstance(index.operator, cst.BitInvert) and self._is_array(index.expression)
        return isinstance(index, cst.Comparison) and self._is_array(index)

    def _makes_another_size(self, call: cst.Call, loop: Loop) -> bool:
        name = last_name(call.func)
        placed = [arg.value for arg in call.args if arg.keyword is None]
        sizes: list[cst.BaseExpression] = [
            arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value in ("shape", "num", "N")
        ]
        if name == "arange" and placed:
            start = self._terms(placed[0], loop) if len(placed) > 1 else {}
            stop = self._terms(placed[1] if len(placed) > 1 else placed[0], loop)
            return bool(_less(stop, start))
        position = _SIZED.get(name)
        if position is not None and position < len(placed):
            sizes.append(placed[position])
        return any(self._terms(part, loop) for size in sizes for part in _parts(size))

    def _is_as_long_as_values_say(self, call: cst.Call) -> bool:
        name = last_name(call.func)
        if any(arg.keyword is not None and arg.keyword.value == "size" for arg in call.args):
            return False
        return name in _CHOOSING or (name == "where" and len(call.args) == 1)

    def _is_of_jax(self, call: cst.Call) -> bool:
        return any(name.startswith("jax.") for name in self._names.externals(call.func))

    # Terms

    def _terms(self, node: cst.CSTNode, loop: Loop, depth: int = _DEPTH) -> Terms:
        """Return what of a number changes from iteration to iteration; empty for one that stays."""
        if depth <= 0:
            return {}
        if isinstance(node, cst.Name):
            return self._of_name(node, loop, depth)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            return {term: -count for term, count in self._terms(node.expression, loop, depth - 1).items()}
        if isinstance(node, cst.BinaryOperation):
            return self._of_operation(node, loop, depth)
        if isinstance(node, cst.Call):
            return self._of_call(node, loop, depth)
        if isinstance(node, cst.Attribute):
            return {} if node.attr.value in ("shape", "size", "ndim") else self._whole(node, loop, depth)
        if isinstance(node, cst.Subscript):
            of_shape = isinstance(node.value, cst.Attribute) and node.value.attr.value == "shape"
            return {} if of_shape else self._whole(node, loop, depth)
        return {}

    def _of_name(self, node: cst.Name, loop: Loop, depth: int) -> Terms:
        inside = [b for b in self._names.bindings(node) if b.context.loop is not None and b.context.loop.inside(loop)]
        if node.value in self._targets(loop):
            return {node.value: 1}
        if not inside:
            return {}
        value = inside[0].value
        if len(inside) == 1 and inside[0].kind == "assign" and isinstance(value, cst.BaseExpression):
            return {} if _mentions(value, node.value) else self._terms(value, loop, depth - 1)
        if all(b.kind in ("unpack", "assign") and _is_of_shape(b.value) for b in inside):
            return {}
        return {node.value: 1}

    def _of_operation(self, node: cst.BinaryOperation, loop: Loop, depth: int) -> Terms:
        left, right = (self._terms(side, loop, depth - 1) for side in (node.left, node.right))
        if isinstance(node.operator, cst.Subtract) and self._is_length_of_element(node.right, loop, depth):
            return {_text(node): 1}  # what is missing of a size, as where each element is padded to it
        if isinstance(node.operator, cst.Add):
            return _less(left, {term: -count for term, count in right.items()})
        if isinstance(node.operator, cst.Subtract):
            return _less(left, right)
        if isinstance(node.operator, cst.Multiply) and not (left and right):
            terms, factor = (left, node.right) if left else (right, node.left)
            if isinstance(factor, cst.Integer):
                return {term: count * int(factor.value, 0) for term, count in terms.items()}
            return {f"{term}*{_text(factor)}": count for term, count in terms.items()}
        return {_text(node): 1} if left or right else {}

    def _is_length_of_element(self, node: cst.BaseExpression, loop: Loop, depth: int) -> bool:
        if not isinstance(node, cst.Call) or last_name(node.func) != "len" or not node.args:
            return False
        argument = node.args[0].value
        return isinstance(argument, cst.Name) and bool(self._of_name(argument, loop, depth - 1))

    def _of_call(self, node: cst.Call, loop: Loop, depth: int) -> Terms:
        name = last_name(node.func)
        if name == "len" or not isinstance(node.func, cst.Name):
            return {}
        found = [terms for arg in node.args if (terms := self._terms(arg.value, loop, depth - 1))]
        if not found:
            return {}
        # `min(start + width, n)` is shorter in the last iteration alone.
        if name in ("int", "min", "max") and all(terms == found[0] for terms in found):
            return found[0]
        return {_text(node): 1}

    def _whole(self, node: cst.CSTNode, loop: Loop, depth: int) -> Terms:
        """Return an expression as a term of its own where a part of it changes."""
        changes = any(
            isinstance(part, cst.Name) and self._of_name(part, loop, depth - 1) for part in _names_within(node)
        )
        return {_text(node): 1} if changes else {}


def _less(left: Terms, right: Terms) -> Terms:
    """Return the difference of two numbers, without the terms that cancel."""
    found = {term: left.get(term, 0) - right.get(term, 0) for term in (*left, *right)}
    return {term: count for term, count in found.items() if count}


def _parts(size: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(size, (cst.Tuple, cst.List)):
        return [element.value for element in size.elements]
    return [size]


def _is_of_shape(node: object) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "shape"


def _is_cut(node: cst.CSTNode, name: str) -> bool:
    """Whether a part of what a name holds is skipped, as a window that moves does: `x[1:]`."""
    if isinstance(node, cst.Subscript) and any(isinstance(element.slice, cst.Slice) for element in node.slice):
        return _mentions(node.value, name)
    return any(_is_cut(child, name) for child in children(node))


def _names_within(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    work = [node]
    while work:
        current = work.pop()
        yield current
        work.extend([current.value] if isinstance(current, cst.Attribute) else children(current))


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(isinstance(part, cst.Name) and part.value == name for part in _names_within(node))


def _text(node: cst.CSTNode) -> str:
    """Return an expression as text that is the same for the same expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)):
        return node.value
    if isinstance(node, cst.Attribute):
        return f"{_text(node.value)}.{node.attr.value}"
    operator = type(node.operator).__name__ if isinstance(node, (cst.BinaryOperation, cst.UnaryOperation)) else ""
    return f"{type(node).__name__}{operator}({','.join(map(_text, children(node)))})"
