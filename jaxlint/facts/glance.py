"""What `ast` alone tells of a test, a loop or a mapped function: whether a closer look at it can be worth its price.

Each answer errs on the side of the closer look, which the facts take.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from jaxlint.facts import arrays

SHORT = 8
"""A literal `range` of so many turns is right to unroll."""

DATA_LENGTHS = re.compile(
    r"(.*_)?(n|num|max|total|n_)?_?(steps?|epochs?|iters?|iterations?|frames?|seq(uence)?(_?len(gth)?)?|len(gth)?s?|"
    r"horizon|batch(_?size)?|batches|height|width|rounds?|rows?|cols?|columns?|pixels?|samples?|timesteps?|"
    r"time_?points?|tokens?|degrees?|sims?|simulations?|particles?|trajector(y|ies))(_.*)?|L|T|H|W|num_frames"
)
"""Names of bounds that grow with the data, from the unrolled loops that careful readers called bad."""

CONTROL_FLOW = frozenset({"scan", "cond", "switch", "while_loop", "fori_loop", "reduce"})
"""Functions that compile each new body which they are given outside a trace."""

SOLVERS = frozenset(
    {"lax.map", "cg", "gmres", "bicgstab", "minimize", "odeint", "piecewise", "pure_callback", "shard_map"}
)
"""Functions that compile on each call outside a trace, most of them whatever they are given."""

OPTIMISERS = frozenset(
    "minimize minimize_scalar root root_scalar least_squares fsolve brentq brenth bisect newton basinhopping shgo "
    "differential_evolution dual_annealing fmin fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_ncg fmin_powell fmin_tnc "
    "brute".split()
)
"""Functions of `scipy.optimize` that call what they are given again and again."""

_NUMBERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PYTHON_NUMBERS = frozenset(
    "len ndim rank isinstance int prod tuple id ord local_device_count device_count process_count".split()
)
"""Functions whose results are Python's numbers under trace as well."""


def compares_numbers(node: ast.expr) -> bool:
    """Whether a test orders values of which one is computed, as `x.sum() > y` and unlike `n > 1` or `x.ndim > 1`."""
    if isinstance(node, ast.BoolOp):
        return any(map(compares_numbers, node.values))
    if not isinstance(node, ast.Compare) or not any(isinstance(op, _NUMBERS) for op in node.ops):
        return False
    if any(isinstance(side, (ast.Tuple, ast.List)) for side in node.comparators):
        return False  # sequences of Python, such as versions
    for side in (node.left, *node.comparators):
        if (
            isinstance(side, ast.Constant)
            and isinstance(side.value, float)
            and not all(isinstance(other, ast.Constant) or _is_own(other) for other in (node.left, *node.comparators))
        ):
            return True
        if isinstance(side, ast.Subscript) and not (
            isinstance(side.value, ast.Attribute) and side.value.attr == "shape"
        ):
            return True
        if isinstance(side, ast.Call) and last_name(side.func) not in _PYTHON_NUMBERS:
            return True
    return False


def _is_own(node: ast.expr) -> bool:
    """Whether it is an attribute of `self`, of which nothing says that it is traced."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def last_name(node: ast.expr) -> str:
    """Return the name at the end of a dotted one; empty for other expressions."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def counts(node: ast.Call) -> list[ast.expr]:
    """Return the arguments of the `range` that a loop runs over, also within `enumerate`, `reversed` and the like."""
    if last_name(node.func) in ("range", "trange"):
        return node.args
    return [count for arg in node.args if isinstance(arg, ast.Call) for count in counts(arg)]


def is_rank(node: ast.expr) -> bool:
    """Whether a count is a number of dimensions, which is small."""
    return any("ndim" in last_name(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))


def may_be_long(node: ast.expr) -> bool:
    """Whether a count may be large: a number above 8, a constant of the module, or a name of something long."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value > SHORT
    if is_rank(node):
        return False
    names = [part.id if isinstance(part, ast.Name) else getattr(part, "attr", "") for part in ast.walk(node)]
    return any(name.isupper() or DATA_LENGTHS.fullmatch(name) or DATA_LENGTHS.fullmatch(name.lower()) for name in names)


def is_search(test: ast.expr) -> bool:
    """Whether a `while` walks a chain of objects or fills a list, as `while node is not None`; it counts nothing."""
    if isinstance(test, ast.BoolOp):
        return all(map(is_search, test.values))
    if isinstance(test, ast.UnaryOp):
        return is_search(test.operand)
    if isinstance(test, ast.Call):
        return last_name(test.func) in ("isinstance", "hasattr", "callable")
    if not isinstance(test, ast.Compare):
        return False
    if all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in test.ops):
        return True
    return isinstance(test.left, ast.Call) and last_name(test.left.func) == "len"


DATA = re.compile(
    r"(.*_)?(data(set|loader)?|loader|batch(es)?|iterator|stream|epochs?|episodes?|t?range_?|tqdm)(_.*)?", re.IGNORECASE
)
"""Names of what a program goes through for long."""


def is_host_loop(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a loop looks like one in which a program spends its time, and not one over a few parts of something."""
    if isinstance(loop, ast.While):
        return not is_search(loop.test)
    if isinstance(loop.iter, ast.Call) and (given := counts(loop.iter)):
        return any(map(may_be_long, given))
    names = [last_name(part) for part in ast.walk(loop.iter) if isinstance(part, (ast.Name, ast.Attribute))]
    return any(map(DATA.fullmatch, names))


_CONTEXTS = frozenset({ast.Load, ast.Store, ast.Del})


def walk(*nodes: ast.AST) -> list[ast.AST]:
    """Return nodes and all below them, constants aside, in no order; three times as fast as `ast.walk`."""
    stack, found = list(nodes), []
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind is ast.Constant:
            continue
        found.append(node)
        if kind is ast.Name:
            continue
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                stack.extend(part for part in value if isinstance(part, ast.AST))
            elif isinstance(value, ast.AST) and value.__class__ not in _CONTEXTS:
                stack.append(value)
    return found


_MANY = 100
_DEPTH = 3
_NO_OPERATION = frozenset({"isinstance", "hasattr", "getattr", "len", "type", "id", "callable", "print", "str", "repr"})
_ARRAY_METHODS = arrays.ARRAY_METHODS | arrays.UPDATES
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Operations:
    """Counts the array operations that a function does at most, as far as the text of the file tells.

    `modules` gives the dotted names that the file's imports bind, `functions` the definitions that a name may mean,
    None where it may mean anything, and `methods` are the names of all methods of the file.
    """

    def __init__(
        self,
        modules: Mapping[str, str],
        functions: Callable[[str], Collection[Definition] | None],
        methods: Collection[str],
    ) -> None:
        self._modules = modules
        self._functions = functions
        self._methods = methods

    def of(self, node: ast.expr, depth: int = _DEPTH) -> int:
        """Return how many operations a call of an expression does at most."""
        if isinstance(node, ast.Lambda):
            return self._in([node.body], depth)
        path, root = [], node
        while isinstance(root, ast.Attribute):
            path.append(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and root.id in self._modules:
            return int(arrays.is_array_function(".".join((self._modules[root.id], *reversed(path)))))
        if path:
            return _MANY if path[0] in self._methods else int(path[0] in _ARRAY_METHODS)
        return self._of_name(root.id, depth) if isinstance(root, ast.Name) else _MANY

    def _of_name(self, name: str, depth: int) -> int:
        if name in _NO_OPERATION:
            return 0
        found = self._functions(name) if depth > 0 else None
        if found is None:
            return _MANY
        bodies = ([node.body] if isinstance(node, ast.Lambda) else node.body for node in found)
        return max((self._in(body, depth - 1) for body in bodies), default=0)

    def _in(self, body: Sequence[ast.AST], depth: int) -> int:
        found = 0
        for node in (node for part in body for node in ast.walk(part)):
            match node:
                case ast.Call():
                    found += self.of(node.func, depth)
                case ast.Compare():
                    found += not any(isinstance(op, _IDENTITY) for op in node.ops)
                case ast.Subscript():
                    found += not (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str))
                case ast.UnaryOp():
                    found += not isinstance(node.op, ast.Not)
                case ast.BinOp() | ast.AugAssign():
                    found += 1
                case ast.Attribute():
                    found += node.attr in arrays.ARRAY_ATTRIBUTES
        return found


_KEYS = frozenset({"split", "fold_in", "PRNGKey", "key", "asarray", "array", "copy"})


class ArrayCode:
    """Tells which code may do operations on JAX arrays outside a trace, as far as the text of the file tells.

    `modules` gives the dotted names that the file's imports of JAX bind; `doers` are the functions and methods of the
    file that use any of them.
    """

    def __init__(self, modules: Mapping[str, str], doers: frozenset[str] = frozenset()) -> None:
        self._modules = modules
        self._doers = doers

    def names_in(self, parts: Sequence[ast.AST]) -> frozenset[str]:
        """Return the names that may hold an array in a piece of code."""
        found: set[str] = set()
        bindings: list[tuple[list[ast.expr], ast.expr]] = []
        for node in walk(*parts):
            match node:
                case ast.Assign():
                    bindings.append((node.targets, node.value))
                case ast.AugAssign() | ast.AnnAssign() | ast.NamedExpr() if node.value is not None:
                    bindings.append(([node.target], node.value))
                case ast.For() | ast.AsyncFor() | ast.comprehension():
                    bindings.append(([node.target], node.iter))
                case ast.arg(annotation=ast.expr()):
                    found.update([node.arg] if self._speaks_of_arrays(node.annotation) else [])
                case ast.Attribute(attr="at", value=ast.Name(id=name)):
                    found.add(name)
        before = -1
        while len(found) != before:
            before = len(found)
            for targets, value in bindings:
                names = [n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)]
                if not found.issuperset(names) and self._may_be_array(value, found):
                    found.update(names)
        return frozenset(found)

    def operations(self, loop: ast.AST, known: Collection[str]) -> int:
        """Return how many operations a turn of a loop may do; a function of the file counts as several."""
        body = [*loop.body] if isinstance(loop, (ast.For, ast.AsyncFor, ast.While)) else [loop]
        found = 0
        for node in walk(*body):
            match node:
                case ast.Call():
                    found += self._call(node, known)
                case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
                    found += self._may_be_array(one, known) or self._may_be_array(other, known)
                case ast.UnaryOp(operand=one) | ast.Subscript(value=one) | ast.Compare(left=one):
                    found += self._may_be_array(one, known)
        return found

    def _call(self, node: ast.Call, known: Collection[str]) -> int:
        func = node.func
        last, name = last_name(func), self._dotted(func)
        if name is not None:
            return int(arrays.is_array_function(name) and last not in _KEYS)
        if isinstance(func, ast.Call):
            return _SEVERAL if self._dotted(func.func) is not None else 0
        if last in self._doers or (isinstance(func, ast.Name) and last in known):
            return _SEVERAL
        methods = _ARRAY_METHODS if isinstance(func, ast.Attribute) else ()
        return int(last in methods and self._may_be_array(func, known))

    def _dotted(self, node: ast.expr) -> str | None:
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self._modules:
            return ".".join((self._modules[node.id], *reversed(path)))
        return None

    def _may_be_array(self, node: ast.AST, known: Collection[str]) -> bool:
        for part in walk(node):
            match part:
                case ast.Name(id=name) if name in known or name in self._doers:
                    return True
                case ast.Attribute(attr=name) if name == "at" or name in self._doers:
                    return True
                case ast.Call(func=func) if self._is_operation(func):
                    return True
        return False

    def _is_operation(self, func: ast.expr) -> bool:
        name = self._dotted(func)
        return name is not None and arrays.is_array_function(name)

    def does(self, calls: Iterable[ast.Call]) -> bool:
        """Whether one of the calls is of a function of JAX that does an operation."""
        return any(self._is_operation(call.func) for call in calls)

    @staticmethod
    def _speaks_of_arrays(node: ast.expr | None) -> bool:
        return node is not None and any(
            last_name(part) in arrays.ANNOTATIONS
            for part in ast.walk(node)
            if isinstance(part, (ast.Name, ast.Attribute))
        )


_SEVERAL = 2
