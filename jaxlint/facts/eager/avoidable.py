"""Whether one program could hold what a loop does, and if not, what hinders it.

Python that needs the value of an array, a file that is read, shapes that differ from iteration to iteration: none of
these can be compiled.  What is only read at the end of an iteration, to be stored, told or tested for an error, hinders
nothing: the rest of the iteration can be compiled.
"""

from __future__ import annotations

import enum

import libcst as cst

from jaxlint.facts.eager.host_reads import Hosted
from jaxlint.facts.eager.operations import EagerArrays
from jaxlint.facts.jax_api.name_priors import FIGURES
from jaxlint.facts.syntax.tree import Loop
from jaxlint.facts.values.loops import Loops
from jaxlint.facts.values.varying import Varying


class Hindrance(enum.Enum):
    """What keeps an iteration from being a part of a compiled program."""

    SHAPES = "iterations have different shapes"
    VALUES = "Python or NumPy works on values between the array operations"
    OUTSIDE = "each iteration reads or writes a file, draws a figure, or waits for somebody"


_FILES = frozenset(
    "open File imread imopen load loadtxt genfromtxt fromfile memmap read_csv read_parquet read_json savez save "
    "savetxt savefig imsave imwrite append_data get_writer restore unlink mkdir makedirs dump to_csv input sleep Popen "
    "check_call check_output".split()
)
"""Functions and methods that read or write files, or wait."""


class Avoidable:
    """Answers for the loops of one module."""

    def __init__(self, loops: Loops, arrays: EagerArrays, hosted: Hosted, varying: Varying) -> None:
        self._loops = loops
        self._arrays = arrays
        self._hosted = hosted
        self._varying = varying

    def hindrances(self, loop: Loop) -> frozenset[Hindrance]:
        """Return what hinders the iterations of a loop from being one program, or a jitted function each."""
        found = set()
        parts = self._loops.parts_of_turn(loop)
        if self._varying.shapes_differ(loop):
            found.add(Hindrance.SHAPES)
        if self.is_interrupted(parts):
            found.add(Hindrance.VALUES)
        if any(self.goes_outside(part) for part in parts):
            found.add(Hindrance.OUTSIDE)
        return frozenset(found)

    def is_interrupted(self, parts: list[cst.CSTNode], fewest: int = 4) -> bool:
        """Whether hosted functions do most of the operations, or NumPy works on arrays between the operations."""
        operations = sum(self._arrays.operations(part) for part in parts)
        compilable = sum(self._hosted.compilable(part) for part in parts)
        return compilable < min(operations, fewest) or any(map(self._hosted.goes_through_numpy, parts))

    def goes_outside(self, part: cst.CSTNode) -> bool:
        """Whether a piece of code reads or writes a file, draws, or waits, whenever it runs."""
        for node in self._arrays.always(part):
            if isinstance(node, cst.Call) and self._is_outside(node):
                return True
            if isinstance(node, cst.With) and any(
                isinstance(item.item, cst.Call) and self._is_outside(item.item) for item in node.items
            ):
                return True
        return False

    def _is_outside(self, call: cst.Call) -> bool:
        owner: cst.BaseExpression = call.func
        while isinstance(owner, cst.Attribute):
            owner = owner.value
        if isinstance(call.func, cst.Attribute) and isinstance(owner, cst.Name) and FIGURES.fullmatch(owner.value):
            return True
        names = self._arrays.names_of(call)
        if any(name.startswith("jax.") for name in names) and not any(name.endswith(".save") for name in names):
            return False
        return self._arrays.calls_any(call, _FILES)
