"""What is known of a place whatever rule reports it: who runs its function, what is around it, and how much it does.

The confidence of a finding does not know of these: they are what a sum of fitted weights would have beside the evidence
that rules give, and `fit.py` says whether such a sum does better than the evidence alone.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.contexts import Contexts
from jaxlint.facts.jax_api.name_priors import SET_UP, TRAINING
from jaxlint.facts.syntax.tree import Context, Function

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Mark(enum.Enum):
    """A fact about a place, in a few words."""

    STARTS = "a program starts with its function"
    ONCE = "its function runs once"
    CALLED_IN_LOOP = "its function is called in a loop"
    LOOP_AROUND = "a loop is around it"
    BESIDE_COMPILED = "the loop calls jitted functions as well"
    CALLS_COMPILED = "its function calls jitted functions as well"
    SCRIPT = "the file runs as a script"
    NOTEBOOK = "it is in a notebook"
    NOT_CALLED = "nothing in its file calls its function"
    CALLED_OFTEN = "several places call its function"
    EAGER = "a program runs it by plain calls"
    NESTED = "its function is defined in another"
    JITS = "the file jits something"
    OPERATIONS_1 = "it dispatches one operation at most"
    OPERATIONS_10 = "it dispatches ten operations or more"
    OPERATIONS_20 = "it dispatches twenty operations or more"
    HOSTED = "its function needs values in Python"
    NAMED_STEP = "its function has the name of a step"
    NAMED_SET_UP = "its function has the name of a set-up"
    NAMED_JUDGING = "its function has the name of a test or an evaluation"


_STEPS = re.compile(
    r"(.*_)?(step|update|predict|apply|forward|solve|rollout|sample|loss|call|simulate|evolve|iterate|infer|generate|"
    r"propagate)(_.*)?"
)
_JUDGES = re.compile(
    r"(.*_)?(eval|evaluate|evaluation|test|validate|validation|check|metrics?|benchmark|compare|demo|example)(_.*)?"
)
_NOTEBOOKS = (".ipynb", ".ipynb.py")


class Marks:
    """Tells the marks of places."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts

    def of(self, node: cst.CSTNode) -> frozenset[Mark]:
        """Return the marks of a place."""
        context = self._facts.tree.context(node)
        found = self._of_file() | self._of_work(node, context)
        if context.loop is not None:
            found.add(Mark.LOOP_AROUND)
        if context.function is None:
            found |= {Mark.EAGER} if context.loop is not None else {Mark.EAGER, Mark.STARTS}
        else:
            found |= self._of_function(context.function)
        return frozenset(found)

    def _of_file(self) -> set[Mark]:
        facts = self._facts
        found = {Mark.SCRIPT} if facts.tree.is_script else set[Mark]()
        if facts.source.path.endswith(_NOTEBOOKS):
            found.add(Mark.NOTEBOOK)
        if any(wrapped.wrapper.compiles for wrapped in facts.wrappings.all()):
            found.add(Mark.JITS)
        return found

    def _of_function(self, function: Function) -> set[Mark]:
        facts = self._facts
        outermost = function
        while outermost.outer is not None:
            outermost = outermost.outer
        tests = {
            Mark.STARTS: facts.contexts.is_entry(function),
            Mark.EAGER: Contexts.EAGER in facts.contexts.of(function),
            Mark.ONCE: facts.runs.called_once(function) or facts.is_run_once(function),
            Mark.CALLED_IN_LOOP: facts.runs.is_repeated(function),
            Mark.NESTED: outermost is not function,
            Mark.NOT_CALLED: not facts.calls.of(outermost),
            Mark.CALLED_OFTEN: len(facts.calls.of(outermost)) > 1,
            Mark.HOSTED: facts.hosted.is_hosted(function),
            Mark.CALLS_COMPILED: not function.is_lambda and facts.eager_arrays.calls_compiled(function.node.body),
        }
        name = outermost.name.lower().strip("_")
        tests[Mark.NAMED_STEP] = _STEPS.fullmatch(name) is not None or TRAINING.search(name) is not None
        tests[Mark.NAMED_SET_UP] = SET_UP.match(name) is not None
        tests[Mark.NAMED_JUDGING] = _JUDGES.fullmatch(name) is not None
        return {mark for mark, holds in tests.items() if holds}

    def _of_work(self, node: cst.CSTNode, context: Context) -> set[Mark]:
        """Return what a place, or an iteration of the loop that it is, does, and the loop around it."""
        facts = self._facts
        whole = facts.tree.parent(node) if isinstance(node, cst.CompFor) else node
        part = whole.body if isinstance(whole, (cst.For, cst.While)) else whole
        loops = [part] if isinstance(whole, (cst.For, cst.While)) else []
        if context.loop is not None and not isinstance(context.loop.node, cst.CompFor):
            loops.append(context.loop.node.body)
        operations = facts.eager_arrays.operations(part) if part is not None else 0
        tests = {
            Mark.OPERATIONS_1: operations <= 1,
            Mark.OPERATIONS_10: operations >= 10,
            Mark.OPERATIONS_20: operations >= 20,
            Mark.BESIDE_COMPILED: any(facts.eager_arrays.calls_compiled(loop) for loop in loops if loop is not None),
        }
        return {mark for mark, holds in tests.items() if holds}
