"""Names of functions that matter, and what `ast` alone tells of a loop."""

from __future__ import annotations

import ast

from jaxlint.facts.jax_api.name_priors import DATA, DATA_LENGTHS, RANGES

SHORT = 8
"""A literal `range` of so many iterations is right to unroll."""

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


def is_memoiser(name: str) -> bool:
    """Whether a decorator of that name keeps what a function gave."""
    return "cache" in name.lower() or "memo" in name.lower()


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


def is_host_loop(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether a loop looks like one in which a program spends its time, and not one over a few parts of something."""
    if isinstance(loop, ast.While):
        return not is_search(loop.test)
    if isinstance(loop.iter, ast.Call) and (given := counts(loop.iter)):
        return any(map(may_be_long, given))
    return any(map(DATA.fullmatch, _names(loop.iter)))


CASES = frozenset({"zip", "product", "items", "keys", "values"})
"""Callables that go through parts and combinations of things, whatever counts among what they are given."""


def is_step_loop(loop: ast.For | ast.AsyncFor | ast.While | ast.comprehension) -> bool:
    """Whether each iteration does the same again: the loop counts, waits, or goes through a stream of data.

    A loop over a collection goes through cases: levels, files, strategies, each of which may need a program of its own.
    """
    if isinstance(loop, ast.While):
        return not is_search(loop.test)
    if isinstance(loop.iter, ast.Call):
        if last_name(loop.iter.func) in CASES:
            return False
        if given := counts(loop.iter):
            return not any(_is_length_of_cases(count) for count in given)
    return any(map(is_stream, _names(loop.iter)))


def _names(node: ast.expr) -> list[str]:
    return [last_name(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]


def _is_length_of_cases(count: ast.expr) -> bool:
    """Whether a count is `len(x)` of what is no stream of data."""
    if not isinstance(count, ast.Call) or last_name(count.func) != "len" or len(count.args) != 1:
        return False
    return not is_stream(last_name(count.args[0]))


def is_stream(name: str) -> bool:
    """Whether something is named after what a program goes through for long; a range of values is a choice of cases."""
    return DATA.fullmatch(name) is not None and not RANGES.fullmatch(name)


def names_many(count: ast.expr) -> bool:
    """Whether a count is named after steps, epochs and the like; a number alone may count cases."""
    keys = [part.value for part in ast.walk(count) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(is_step_name(name) for name in (*_names(count), *keys))


def is_step_name(name: str) -> bool:
    """Whether something is named after steps, epochs and the like."""
    return DATA_LENGTHS.fullmatch(name.lower()) is not None
