"""Names of functions that matter, and what names tell of a loop."""

from __future__ import annotations

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


CONSTRUCTORS = ("__init__", "__post_init__", "__check_init__")
"""The methods that make an instance; Equinox calls the last one."""

CASES = frozenset({"zip", "product", "items", "keys", "values"})
"""Callables that go through parts and combinations of things, whatever counts among what they are given."""


def is_memoiser(name: str) -> bool:
    """Whether a decorator of that name keeps what a function gave."""
    return "cache" in name.lower() or "memo" in name.lower()


def is_stream(name: str) -> bool:
    """Whether something is named after what a program goes through for long; a range of values is a choice of cases."""
    return DATA.fullmatch(name) is not None and not RANGES.fullmatch(name)


def is_step_name(name: str) -> bool:
    """Whether something is named after steps, epochs and the like."""
    return DATA_LENGTHS.fullmatch(name.lower()) is not None
