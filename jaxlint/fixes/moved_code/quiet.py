"""Whether calls do no more than compute their results, as far as the source shows."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.syntax.tree import Function
from jaxlint.facts.values.values import Kind
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

_DEPTH = 4
_COMPUTING = (
    "jax.",
    "numpy.",
    "math.",
    "operator.",
    "functools.partial",
    "functools.reduce",
    "optax.",
    "einops.",
    "distrax.",
    "numpyro.distributions.",
    "tensorflow_probability.substrates.jax.",
)
_ACTING = ("jax.debug", "jax.experimental", "jax.device", "jax.block", "numpy.random", "numpy.save", "numpy.load")
_COMPUTING_THERE = ("jax.experimental.ode.", "jax.experimental.sparse.", "jax.experimental.shard_map.")
_ACTING_BUILTINS = frozenset("print open input next exec eval setattr delattr globals locals vars breakpoint".split())


class Quiet:
    """Sees to it that calls do no more than compute; `sure` is False once one is of what is not visible."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts
        self.sure = True

    def check_call(self, call: cst.Call) -> None:
        """Refuse a call that may do more than compute, doubt one of a library of which nothing is known.

        Raises:
            NoFixError: it is refused.
        """
        names = self._facts.names.externals(call.func)
        if names:
            for name in names:
                if name.startswith(_ACTING) and not name.startswith(_COMPUTING_THERE):
                    raise NoFixError("a call that does more than compute")
                if not name.startswith(_COMPUTING):
                    self.sure = False
            return
        callees = [function for function, _ in self._facts.calls.callees(call)]
        if callees:
            for function in callees:
                self.check_function(function, _DEPTH)
            return
        if self._is_builtin(call.func) or self._is_method_of_array(call.func) or self._is_static(call.func):
            return
        behind = self._facts.tracing.functions_behind(call.func) if isinstance(call.func, cst.Call) else []
        if not behind:
            raise NoFixError("a call of something that is not visible")
        for function in behind:
            self.check_function(function, _DEPTH)

    def _is_builtin(self, func: cst.BaseExpression) -> bool:
        if not isinstance(func, cst.Name) or self._facts.names.bindings(func):
            return False
        return hasattr(builtins, func.value) and func.value not in _ACTING_BUILTINS

    def _is_static(self, func: cst.BaseExpression) -> bool:
        """Whether it is a function that comes as a static argument."""
        return isinstance(func, cst.Name) and self._facts.values.kind(func) is Kind.STATIC

    def _is_method_of_array(self, func: cst.BaseExpression) -> bool:
        if not isinstance(func, cst.Attribute):
            return False
        return self._facts.values.is_update(func) or self._facts.values.kind(func.value).traced

    def check_function(self, function: Function, depth: int = _DEPTH) -> None:
        """Refuse a function that may do more than compute its result.

        Raises:
            NoFixError: it is refused.
        """
        if depth == 0 or function.yields or function.scope.globals or function.scope.nonlocals:
            raise NoFixError("a function that does more than compute")
        for node in self._facts.tree.body(function):
            if isinstance(node, cst.Expr) and not isinstance(node.value, cst.BaseString):
                raise NoFixError("a function that does more than compute")
            if isinstance(node, cst.AssignTarget) and isinstance(node.target, (cst.Attribute, cst.Subscript)):
                raise NoFixError("a function that stores into something")
            if isinstance(node, cst.AugAssign) and not isinstance(node.target, cst.Name):
                raise NoFixError("a function that stores into something")
            if isinstance(node, cst.Call):
                for callee, _ in self._facts.calls.callees(node):
                    self.check_function(callee, depth - 1)
