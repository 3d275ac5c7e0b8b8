"""The view of a project: the records of all its modules joined, so that each can be told what the others do with it.

The join follows calls, arguments and wrappers over the borders of files to a fixed point, as `jaxlint.facts` does
within one file, and keeps for each function what comes from elsewhere.  It opens no file and imports none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from jaxlint.facts.incoming import Imported, Incoming, Outside
from jaxlint.finding import Place
from jaxlint.project.graph import Graph
from jaxlint.project.values import Module, Value, Values

__all__ = ["Module", "Project"]

_LINEN = frozenset({"flax.linen.Module", "flax.linen.module.Module"})
_DESCRIBED = frozenset("icwf")
_MOST_CALLED = 4
_MANY = 100


class Project:
    """The joined records.

    Args:
        modules: the files, each with its record.
        entries: console scripts, as dotted names of functions (`package.module:main`).
    """

    def __init__(self, modules: Sequence[Module], entries: Iterable[str] = ()) -> None:
        self._modules = modules
        self._values = Values(modules)
        self._graph = Graph(self._values, entries)
        self._hosted: dict[tuple[int, int], bool] = {}

    def incoming(self, module: int) -> Incoming:
        """Return what the others say about one module, by its number."""
        first = self._values.first[module]
        functions: dict[str, Outside] = {}
        for index, record in enumerate(self._modules[module].exports.functions):
            outside = self._graph.outside(first + index) if index and not record.is_lambda else None
            if outside is not None:
                functions.setdefault(record.qualname, outside)
        imports = self._imported(module)
        return Incoming(functions, imports, alone=module not in self._values.joined)

    # What modules import

    def _imported(self, module: int) -> dict[str, Imported]:
        found: dict[str, Imported] = {}
        exports = self._modules[module].exports
        for number, ref in enumerate(exports.refs):
            if ref[0] not in ("x", "*"):
                continue
            values = self._values.evaluate(module, number)
            if len(values) == 1 and values[0][0] in _DESCRIBED:
                imported = self._describe(values[0])
                if imported is not None:
                    imported = dataclasses.replace(imported, at=self._defined_at(values[0], module))
                    # A name that a star import binds may be of any of them, and is looked for in each.
                    spelled = [ref[1]] if ref[0] == "x" else [_below(star, ref[1]) for star in exports.stars]
                    found.update(dict.fromkeys(spelled, imported))
        return found

    def _defined_at(self, value: Value, told: int) -> Place | None:
        """Return where what a module imports is defined."""
        known = self._values
        if value[0] == "w":
            value = next((target for target in value[2] if target[0] == "f"), value)
        if value[0] in ("i", "c"):
            return known.place(known.classes[value[1]][0], known.class_record(value[1]).row, told)
        if value[0] == "f":
            return known.place(known.module_of[value[1]], known.functions[value[1]].row, told)
        return None

    def _describe(self, value: Value) -> Imported | None:
        if value[0] == "i":
            return Imported(
                "instance", str(self._values.class_record(value[1]).name), methods=self._bound_anew(value[1])
            )
        if value[0] == "c":
            compiling = self._values.compiling(value[1])
            members = tuple((name, member, static) for name, (member, static) in sorted(compiling.items()))
            return Imported("class", self._values.class_record(value[1]).name, compiling=members) if members else None
        if value[0] == "w" and value[1].compiles:
            targets = [target for target in value[2] if target[0] == "f"]
            params = self._values.functions[targets[0][1]].params if targets else []
            return Imported("compiled", "", statics=tuple(value[3]), params=tuple(params))
        if value[0] == "w" and value[1].kind == "transform":
            found = [self.operations(target[1]) for target in value[2] if target[0] == "f"]
            operations = min(min(found, default=0), _MANY)
            return Imported("function", "", operations=operations) if operations else None
        if value[0] != "f":
            return None
        record = self._values.functions[value[1]]
        compiled = self._values.compiled_by(value[1])
        if compiled is not None:
            # Of a method, nothing here says whether its instance is bound already.
            params = tuple(record.params) if record.cls < 0 else ()
            return Imported("compiled", record.name, statics=compiled, params=params)
        makes, operations = self._values.makes(value[1]), self.operations(value[1])
        if not makes and not operations:
            return None
        hosted = self.is_hosted(value[1])
        params = tuple(record.params)
        return Imported("function", record.name, makes, min(operations, _MANY), params=params, hosted=hosted)

    def _bound_anew(self, cls: int) -> tuple[str, ...]:
        """Return the methods of a class that no attribute hides and that are bound to the instance."""
        found: set[str] = set()
        stored: set[str] = set()
        for item in self._values.order(cls):
            record = self._values.class_record(item)
            stored.update(record.attributes)
            for name, index in record.methods.items():
                function = self._values.first[self._values.classes[item][0]] + index
                if not self._values.functions[function].decorators:
                    found.add(name)
            if any(value[0] == "x" and value[1] in _LINEN for value in self._values.bases(item)):
                found |= {"apply", "init"}
        return tuple(sorted(found - stored))

    def is_hosted(self, function: int, depth: int = _MOST_CALLED) -> bool:
        """Whether a function, or one that it calls, decides by values of array operations what it does."""
        key = (function, depth)
        if depth <= 0:
            return False
        if key not in self._hosted:
            edges = self._graph.calls.get(function, ())
            self._hosted[key] = self._values.compiled_by(function) is None and (
                self._values.functions[function].hosted
                or any(e.target < len(self._values.functions) and self.is_hosted(e.target, depth - 1) for e in edges)
            )
        return self._hosted[key]

    def operations(self, function: int, depth: int = _MOST_CALLED) -> int:
        """Return how many array operations one call of a function dispatches, helpers included; 0 if it is compiled."""
        if depth <= 0 or self._values.compiled_by(function) is not None:
            return 0
        known = self._values
        total = known.functions[function].operations
        for edge in self._graph.calls.get(function, ()):
            if edge.target < len(known.functions) and total < _MANY:
                here = known.module_of[edge.target] == known.module_of[function]
                counted = known.functions[edge.target].operations if here else 0
                total += max(self.operations(edge.target, depth - 1) - counted, 0)
        return total


def _below(module: str, name: str) -> str:
    """Return the dotted name of a member, as an import of it alone would spell it."""
    return module + name if module.endswith(".") else f"{module}.{name}"
