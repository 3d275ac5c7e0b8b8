"""Whether one program could hold what an eager loop does, and if not, what hinders it.

Python that needs the value of an array, a file that is read, an environment that keeps its own state, shapes that
differ from iteration to iteration: none of these can be compiled.  What is only read at the end of an iteration, to be
stored, told or tested for an error, hinders nothing: the rest of the iteration can be compiled.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.eager.operations import CallsBelow
from jaxlint.facts.jax_api.name_priors import FIGURES
from jaxlint.facts.syntax.tree import Function, Loop, within

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Hindrance(enum.Enum):
    """What keeps an iteration from being a part of a compiled program."""

    SHAPES = "iterations have different shapes"
    LENGTHS = "iterations make lists longer or shorter that index arrays; a mask of one length does not"
    VALUES = "Python or NumPy works on values between the array operations"
    OUTSIDE = "each iteration reads or writes a file, draws a figure, or waits for somebody"
    LIBRARY = "each iteration works with a library of the host"
    OBJECT = "each iteration steps an object of Python that keeps its own state, such as an environment"


_FILES = frozenset(
    "open File imread imopen load loadtxt genfromtxt fromfile memmap read_csv read_parquet read_json savez save "
    "savetxt savefig imsave imwrite append_data get_writer restore unlink mkdir makedirs dump to_csv input sleep Popen "
    "check_call check_output".split()
)
"""Functions and methods that read or write files, or wait."""
_HOST = frozenset(
    "requests urllib urllib3 httpx aiohttp socket subprocess mpi4py pandas polars xarray scipy sklearn skimage cv2 PIL "
    "imageio h5py netCDF4 petsc4py slepc4py matplotlib seaborn wordcloud networkx sympy".split()
)
"""Packages whose functions work on the host, or wait for others."""


class Avoidable:
    """Answers for the loops and the functions of one module."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._loops = facts.loops
        self._arrays = facts.eager_arrays
        self._hosted = facts.hosted
        self._varying = facts.varying
        self._lengthening = {
            id(function)
            for grown in facts.growing
            if grown.loop is None and (function := facts.tree.context(grown.node).function) is not None
        }
        self._jittable: dict[int, bool] = {}
        self._indexed = [grown.loop for grown in facts.growing if grown.by_index and grown.loop is not None]
        self._longer = CallsBelow(facts.eager_arrays, self._lengthens)
        self._objects = CallsBelow(facts.eager_arrays, self._steps_object)
        self._libraries = CallsBelow(facts.eager_arrays, self._is_of_host)

    def hindrances(self, loop: Loop) -> frozenset[Hindrance]:
        """Return what hinders the iterations of a loop from being one program, or a jitted function each."""
        found = set()
        parts = self._loops.parts_of_turn(loop)
        if any(inner.inside(loop) for inner in self._indexed):
            found.add(Hindrance.LENGTHS)
        if self._varying.shapes_differ(loop) or any(map(self._longer.has, parts)):
            found.add(Hindrance.SHAPES)
        if self.is_interrupted(parts):
            found.add(Hindrance.VALUES)
        if any(self.goes_outside(part) for part in parts):
            found.add(Hindrance.OUTSIDE)
        if any(map(self._libraries.has, parts)):
            found.add(Hindrance.LIBRARY)
        if any(map(self._objects.has, parts)):
            found.add(Hindrance.OBJECT)
        return frozenset(found)

    def jittable(self, node: cst.CSTNode) -> Function | None:
        """Return the outermost function around a place, if all that it does could be one program.

        A loop around the place would be unrolled, the instance of a method need not be a pytree, and `jax.jit` of a
        nested function makes a new one each time.
        """
        found, context = None, self._tree.context(node)
        while context.function is not None:
            if context.loop is not None:
                return None
            found = context.function
            context = found.context
        if found is None or found.is_lambda or found.cls is not None:
            return None
        key = id(found)
        if key not in self._jittable:
            sized = any(map(self._varying.is_sized_by_values, within(found.node.body)))
            self._jittable[key] = not sized and not self._hosted.is_hosted(found)
        return found if self._jittable[key] else None

    def steps_object(self, function: Function) -> bool:
        """Whether a function steps an object that keeps its own state, such as an environment, itself or by others."""
        return self._objects.has(function.node.body)

    def _lengthens(self, call: cst.Call) -> bool:
        """Whether a call makes an array of an object longer each time."""
        return any(id(function) in self._lengthening for function in self._arrays.callees(call))

    def _steps_object(self, call: cst.Call) -> bool:
        """Whether a call steps an object that keeps its own state: `obs, reward, done = env.step(action)`.

        What is functional gets its state as an argument, and gives the next one.
        """
        return (
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "step"
            and len(call.args) == 1
            and self._arrays.is_unseen(call)
            and self._gives_no_state(call)
        )

    def _gives_no_state(self, call: cst.Call) -> bool:
        """Whether what a call gives is kept, under other names than what it gets."""
        parent = self._tree.parent(call)
        if not isinstance(parent, cst.Assign):
            return False
        given, made = (
            {part.value for node in nodes for part in within(node) if isinstance(part, cst.Name)}
            for nodes in ([arg.value for arg in call.args], [target.target for target in parent.targets])
        )
        return given.isdisjoint(made)

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

    def _is_of_host(self, call: cst.Call) -> bool:
        """Whether a call is of a library that works on the host, for longer than a handful of operations takes."""
        return any(name.partition(".")[0] in _HOST for name in self._arrays.names_of(call))

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
