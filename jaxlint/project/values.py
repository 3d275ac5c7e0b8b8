"""What the references of all modules represent, looked up through imports, classes and what functions return."""

from __future__ import annotations

import contextlib
import functools
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from jaxlint.facts.incoming import COMPILED, MADE
from jaxlint.facts.jax_api.frameworks import BOUND_ONLY, COMPACT, MODULE_BASES, is_module_base
from jaxlint.facts.jax_api.glance import CONSTRUCTORS, is_memoiser
from jaxlint.facts.jax_api.wrappers import Wrapper, table
from jaxlint.facts.summary.record import RULES, ClassRecord, Exports, FunctionRecord, Key
from jaxlint.finding import Place
from jaxlint.notebook import is_notebook
from jaxlint.project.layout import Layout
from jaxlint.settings import Settings

Value: TypeAlias = tuple[Any, ...]
"""What a reference represents, over the whole project:

("f", function), ("c", class), ("i", class, whether perhaps of a subclass), ("m", module), ("p", function, name),
("o", class, name) for a method of that name in any subclass, ("x", dotted name, statics) for what is outside the
project, ("w", wrapper, targets, statics) for what a wrapper makes.
"""
_PLAIN_BASES = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol"})
_MOST_CALLED = 4
_MOST_VALUES = 16
_MOST_DEEP = 40


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the project: its absolute path, its name from the configuration's folder on, its record."""

    path: str
    name: str
    exports: Exports
    settings: Settings


class Values:
    """The values of references.  Functions and classes go by numbers that count through all modules.

    `first` and `first_class` are the numbers with which those of each module begin; `module_of` and `classes` lead
    back, `methods` gives the methods of a name.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.layout = Layout([module.path for module in modules])
        self.tables = [table(module.settings) for module in modules]
        self.functions: list[FunctionRecord] = []
        self.module_of: list[int] = []
        self.first: list[int] = []
        self.classes: list[tuple[int, int]] = []
        self.first_class: list[int] = []
        for number, module in enumerate(modules):
            self.first.append(len(self.functions))
            self.first_class.append(len(self.classes))
            self.functions.extend(module.exports.functions)
            self.module_of.extend([number] * len(module.exports.functions))
            self.classes.extend((number, index) for index in range(len(module.exports.classes)))
        self._memo: dict[tuple[int, int], tuple[Value, ...]] = {}
        self._imports: dict[tuple[str, str], tuple[Value, ...]] = {}
        self._orders: dict[int, list[int]] = {}
        self._paths: dict[tuple[int, int], str | None] = {}
        self._busy: set[object] = set()
        self._depth = 0
        self._subclasses: dict[int, list[int]] = {}
        self._subclasses = self._find_subclasses()
        # What was found on the way lacks the methods of subclasses.
        self._memo.clear()
        self._imports.clear()
        self.methods = self._find_methods()

    @functools.cached_property
    def joined(self) -> frozenset[int]:
        """The modules that import another one of the project, or that another one imports."""
        found = set[int]()
        for number, module in enumerate(self.modules):
            folder = self.layout.folder_of[number]
            dotted = {ref[1] for ref in module.exports.refs if ref[0] == "x"}
            for name in (*dotted, *module.exports.stars):
                others = [other for other, _ in self.layout.modules(name, folder)[:1] if other != number]
                if others:
                    found.update((number, *others))
        return frozenset(found)

    # What references represent

    def evaluate(self, module: int, ref: int) -> tuple[Value, ...]:
        """Return what a reference of a module represents, over the whole project."""
        key = (module, ref)
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy or self._depth > _MOST_DEEP:
            return ()
        self._busy.add(key)
        self._depth += 1
        found = tuple(dict.fromkeys(self._evaluate(module, self.modules[module].exports.refs[ref])))[:_MOST_VALUES]
        self._depth -= 1
        self._busy.discard(key)
        self._memo[key] = found
        return found

    def _evaluate(self, module: int, ref: tuple[Any, ...]) -> Iterator[Value]:
        tag = ref[0]
        if tag == "f":
            yield ("f", self.first[module] + ref[1])
        elif tag == "c":
            yield ("c", self.first_class[module] + ref[1])
        elif tag == "x":
            yield from self._external(module, ref[1])
        elif tag == "*":
            yield from self._starred(module, ref[1])
        elif tag == "p":
            yield ("p", self.first[module] + ref[1], ref[2])
        elif tag == "s":
            yield ("i", self.first_class[module] + ref[1], True)
        elif tag == "i":
            yield from (("i", value[1], True) for value in self.evaluate(module, ref[1]) if value[0] == "c")
        elif tag == "a":
            yield from self._attribute(module, ref[1], ref[2])
        elif tag == "r":
            for callee in self.evaluate(module, ref[1]):
                yield from self._result(module, callee, ref)

    def _external(self, module: int, dotted: str) -> tuple[Value, ...]:
        if dotted in self.tables[module] or dotted in MODULE_BASES or dotted == RULES:
            return (("x", dotted, ()),)
        folder = self.layout.folder_of[module]
        key = (folder, dotted)
        known = self._imports.get(key)
        if known is None:
            if key in self._busy:
                return ()
            self._busy.add(key)
            known = self._imports[key] = self._find(dotted, folder)
            self._busy.discard(key)
        return known

    def _find(self, dotted: str, folder: str) -> tuple[Value, ...]:
        candidates = self.layout.modules(dotted, folder)
        if not candidates:
            return (("x", dotted, ()),)
        number, parts = candidates[0]
        if not parts:
            # `from package import name`: what the package binds hides the module of that name.
            for other, rest in candidates[1:2]:
                found = [value for value in self._member(other, rest) if value[0] != "m"]
                if found:
                    return tuple(found)
            return (("m", number),)
        for number, parts in candidates:
            found = self._member(number, parts)
            if found:
                return tuple(found)
        return ()

    def _member(self, module: int, parts: Sequence[str]) -> list[Value]:
        """Return what a dotted path below a module represents."""
        if not parts:
            return [("m", module)]
        values = self._named(module, parts[0])
        for part in parts[1:]:
            values = [found for value in values for found in self._of_value(value, part)]
        return values

    def _named(self, module: int, name: str) -> list[Value]:
        exports = self.modules[module].exports
        refs = exports.names.get(name)
        if refs:
            return [value for ref in refs for value in self.evaluate(module, ref)]
        return list(self._starred(module, name)) if exports.stars else []

    def _starred(self, module: int, name: str) -> Iterator[Value]:
        key = ("star", module, name)
        if key in self._busy:
            return
        self._busy.add(key)
        folder = self.layout.folder_of[module]
        for star in self.modules[module].exports.stars:
            for number, parts in self.layout.modules(star, folder)[:1]:
                if not parts and number != module:
                    yield from self._named(number, name)
        self._busy.discard(key)

    def _attribute(self, module: int, base: int, name: str) -> Iterator[Value]:
        exports = self.modules[module].exports
        if exports.refs[base][0] == "u":
            cls = self.first_class[module] + exports.refs[base][1]
            for item in self.order(cls)[1:]:
                method = self.class_record(item).methods.get(name)
                if method is not None:
                    yield ("f", self.first[self.classes[item][0]] + method)
                    return
            return
        for value in self.evaluate(module, base):
            yield from self._of_value(value, name)

    def _of_value(self, value: Value, name: str) -> Iterable[Value]:
        tag = value[0]
        if tag == "m":
            found = self._named(value[1], name)
            if found:
                return found
            path = self.modules[value[1]].path
            return self._find(f".{name}", self.layout.folder_of[value[1]]) if path.endswith("__init__.py") else ()
        if tag == "x":
            return (("x", f"{value[1]}.{name}", ()),)
        if tag == "c":
            return self._of_class(value[1], name)
        if tag == "i":
            return self.member_of_instance(value[1], name, value[2])
        return ()

    def _of_class(self, cls: int, name: str) -> list[Value]:
        for item in self.order(cls):
            module = self.classes[item][0]
            record = self.class_record(item)
            if name in record.methods:
                return [("f", self.first[module] + record.methods[name])]
            if name in record.attributes:
                return [value for ref in record.attributes[name] for value in self.evaluate(module, ref)]
        return []

    def member_of_instance(self, cls: int, name: str, perhaps_sub: bool) -> list[Value]:
        """Return what an attribute of an instance represents; `perhaps_sub` says that it may be of a subclass."""
        found: list[Value] = []
        for item in self.order(cls):
            refs = self.class_record(item).attributes.get(name, ())
            found.extend(value for ref in refs for value in self.evaluate(self.classes[item][0], ref))
        method = self.method(cls, name)
        if method is not None:
            found.append(("f", method))
        if perhaps_sub and next(self.overrides(cls, name), None) is not None:
            found.append(("o", cls, name))
        return found

    def _result(self, module: int, callee: Value, ref: tuple[Any, ...]) -> Iterator[Value]:
        tag = callee[0]
        if tag == "c":
            yield ("i", callee[1], False)
        elif tag == "x":
            yield from self._wrapped(module, callee, ref)
        elif tag == "f":
            for value in self.returned(callee[1]):
                yield from self._substituted(module, value, callee[1], ref)

    def _wrapped(self, module: int, callee: Value, ref: tuple[Any, ...]) -> Iterator[Value]:
        wrapper = self.tables[module].get(callee[1])
        if wrapper is None:
            return
        statics = (*callee[2], *_flat(ref[3]))
        targets = tuple(value for arg in self._traced_args(wrapper, ref[2]) for value in self.evaluate(module, arg))
        if wrapper.kind == "partial":
            # A partial represents the function that it is given, and so does a partial of a wrapper.
            yield from ((*value[:2], statics) if value[0] == "x" else value for value in targets)
        elif not ref[2]:
            yield ("x", callee[1], statics)
        elif wrapper.makes_callable:
            yield ("w", wrapper, targets, statics)

    @staticmethod
    def _traced_args(wrapper: Wrapper, args: Iterable[tuple[Key, int]]) -> Iterator[int]:
        places = traced_places(wrapper.traces)
        yield from (arg for key, arg in args if str(key) in places)

    def returned(self, function: int) -> tuple[Value, ...]:
        """Return what a function returns."""
        key = ("returned", function)
        if key in self._busy or self._depth > _MOST_DEEP:
            return ()
        self._busy.add(key)
        module = self.module_of[function]
        found = [value for ref in self.functions[function].returns[:8] for value in self.evaluate(module, ref)]
        self._busy.discard(key)
        return tuple(found)

    def _substituted(self, module: int, value: Value, function: int, ref: tuple[Any, ...]) -> Iterator[Value]:
        """Put the arguments of a call in the place of the parameters in what the function returns."""
        if value[0] == "p" and value[1] == function:
            yield from self._argument(module, function, value[2], ref[2])
        elif value[0] == "w" and any(target[0] == "p" and target[1] == function for target in value[2]):
            targets = tuple(new for target in value[2] for new in self._substituted(module, target, function, ref))
            yield ("w", value[1], targets, value[3])
        else:
            yield value

    def _argument(self, module: int, function: int, name: str, args: Iterable[tuple[Key, int]]) -> Iterator[Value]:
        for key, arg in args:
            if key == name or self.parameter(function, key) == name:
                yield from self.evaluate(module, arg)

    def parameter(self, function: int, key: Key) -> str | None:
        """Return the name of the parameter that an argument of a call is given to."""
        if isinstance(key, str):
            return key
        record = self.functions[function]
        position = key + (record.cls >= 0)
        return record.params[position] if position < len(record.params) else None

    def place(self, module: int, row: int, told: int) -> Place | None:
        """Return a line of one module as another is told of it; None for a notebook, whose lines are its cells'."""
        key = (module, told)
        if key not in self._paths:
            self._paths[key] = self._path(self.modules[module].path, os.path.dirname(self.modules[told].path))
        path = self._paths[key]
        return Place(path, row) if path is not None else None

    @staticmethod
    def _path(path: str, folder: str) -> str | None:
        if is_notebook(path):
            return None
        with contextlib.suppress(ValueError):  # on another drive
            path = os.path.relpath(path, folder)
        return path.replace(os.sep, "/")

    # Classes

    def class_record(self, cls: int) -> ClassRecord:
        """Return the record of a class."""
        module, index = self.classes[cls]
        return self.modules[module].exports.classes[index]

    def bases(self, cls: int) -> list[Value]:
        """Return what the bases of a class represent."""
        module = self.classes[cls][0]
        return [value for ref in self.class_record(cls).bases for value in self.evaluate(module, ref)]

    def order(self, cls: int) -> list[int]:
        """Return a class and its bases in the project, nearest first."""
        known = self._orders.get(cls)
        if known is not None:
            return known
        key = ("order", cls)
        if key in self._busy:
            return [cls]
        self._busy.add(key)
        found: dict[int, None] = {}
        work = [cls]
        while work:
            current = work.pop(0)
            if current not in found:
                found[current] = None
                work.extend(value[1] for value in self.bases(current) if value[0] == "c")
        self._busy.discard(key)
        self._orders[cls] = list(found)
        return self._orders[cls]

    def method(self, cls: int, name: str) -> int | None:
        """Return the method of that name, looked up through the bases in the project."""
        for item in self.order(cls):
            index = self.class_record(item).methods.get(name)
            if index is not None:
                return self.first[self.classes[item][0]] + int(index)
        return None

    def overrides(self, cls: int, name: str) -> Iterator[int]:
        """Yield the methods of that name in the subclasses of a class."""
        work, seen = list(self._subclasses.get(cls, ())), set[int]()
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            index = self.class_record(current).methods.get(name)
            if index is not None:
                yield self.first[self.classes[current][0]] + int(index)
            work.extend(self._subclasses.get(current, ()))

    def _find_subclasses(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for cls in range(len(self.classes)):
            for value in self.bases(cls):
                if value[0] == "c":
                    found[value[1]].append(cls)
        return found

    def _find_methods(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for cls, (module, _) in enumerate(self.classes):
            for name, index in self.class_record(cls).methods.items():
                found[name].append(self.first[module] + index)
        return found

    @functools.cached_property
    def traced_by_libraries(self) -> list[tuple[int, int]]:
        """The methods that the base class of a library has traced, each with the class that says so."""
        found = []
        for cls, (module, _) in enumerate(self.classes):
            bases = {item: [value[1] for value in self.bases(item) if value[0] == "x"] for item in self.order(cls)}
            says = next((item for item, names in bases.items() if any(map(is_module_base, names))), None)
            if says is None:
                continue
            bound = any(name.endswith(BOUND_ONLY) for names in bases.values() for name in names)
            for name, index in self.class_record(cls).methods.items():
                function = self.first[module] + index
                within = bound and not name.startswith("__") and self.functions[function].params[:1] == ["self"]
                if name in ("__call__", "setup") or within or self._is_compact(function):
                    found.append((function, says))
        return found

    def _is_compact(self, function: int) -> bool:
        module = self.module_of[function]
        refs = self.modules[module].exports.refs
        decorators = (refs[ref] for ref in self.functions[function].decorators)
        return any(ref[0] == "x" and ref[1].rpartition(".")[2] in COMPACT for ref in decorators)

    def compiled_by(self, function: int) -> tuple[int | str, ...] | None:
        """Return the static arguments of a function that a decorator compiles, None where none does."""
        module = self.module_of[function]
        for ref in self.functions[function].decorators:
            for value in self.evaluate(module, ref):
                if value[0] == "x":
                    wrapper = self.tables[module].get(value[1])
                    if wrapper is not None and wrapper.compiles:
                        return tuple(value[2])
        return None

    def compiling(self, cls: int) -> dict[str, tuple[str, bool]]:
        """Return what a use of each member of an instance compiles, once for each instance.

        By the member's name: the attribute that the constructor gives a newly jitted function, or the method that is
        compiled with a static instance (True), perhaps one that the member calls.
        """
        found: dict[str, tuple[str, bool]] = {}
        calls: dict[str, set[str]] = {}
        for item in reversed(self.order(cls)):
            module, record = self.classes[item][0], self.class_record(item)
            for name in record.made:
                if any(self._is_compiled_here(module, ref) for ref in record.attributes[name]):
                    found[name] = (name, False)
            for name, index in record.methods.items():
                function = self.first[module] + index
                calls[name] = self._members_run(function)
                found.pop(name, None)
                if self._has_static_instance(function) and self._is_by_identity(cls):
                    found[name] = (name, True)
        if found:
            for _ in range(_MOST_CALLED):
                found.update(
                    (name, found[next(iter(used & found.keys()))])
                    for name, used in calls.items()
                    if name not in found and used & found.keys()
                )
        return {name: member for name, member in found.items() if name not in CONSTRUCTORS}

    def _members_run(self, function: int) -> set[str]:
        """Return the names of the members of its own instance that a method calls, or passes to others."""
        record = self.functions[function]
        refs = self.modules[self.module_of[function]].exports.refs
        used = [refs[ref] for ref, _, _ in record.calls] + [refs[arg] for _, _, arg, _ in record.passes]
        return {ref[2] for ref in used if ref[0] == "a" and refs[ref[1]][0] == "s"}

    def _has_static_instance(self, function: int) -> bool:
        statics, params = self.compiled_by(function), self.functions[function].params
        return bool(statics and params) and (0 in statics or params[0] in statics)  # type: ignore[operator]

    def _is_by_identity(self, cls: int) -> bool:
        """Whether instances are equal to nothing but themselves, as far as the project shows."""
        return not any(self.class_record(item).by_value for item in self.order(cls)) and all(
            value[0] == "c" or (value[0] == "x" and value[1] in _PLAIN_BASES)
            for item in self.order(cls)
            for value in self.bases(item)
        )

    def _is_compiled_here(self, module: int, number: int) -> bool:
        """Whether a reference of a constructor is a function that it has just made and compiled."""
        ref = self.modules[module].exports.refs[number]
        if ref[0] == "f":
            function = self.first[module] + ref[1]
            return self._is_in_constructor(function) and self.compiled_by(function) is not None
        if ref[0] != "r":
            return False
        for callee in self.evaluate(module, ref[1]):
            wrapper = self.tables[module].get(callee[1]) if callee[0] == "x" else None
            if wrapper is not None and wrapper.compiles and wrapper.compares != "pytree":
                return any(self._is_new(module, arg) for arg in self._traced_args(wrapper, ref[2]))
            return callee[0] == "f" and self.makes(callee[1]) == COMPILED
        return False

    def _is_new(self, module: int, number: int) -> bool:
        """Whether a reference of a constructor is a function that it makes: its own, a transform, a bound method."""
        ref = self.modules[module].exports.refs[number]
        if ref[0] == "f":
            return self._is_in_constructor(self.first[module] + ref[1])
        if ref[0] == "a":
            found = self.evaluate(module, number)
            return bool(found) and all(value[0] in ("f", "o") for value in found) and self._is_of_self(module, ref)
        if ref[0] != "r":
            return False
        for callee in self.evaluate(module, ref[1]):
            wrapper = self.tables[module].get(callee[1]) if callee[0] == "x" else None
            if wrapper is not None:
                return wrapper.makes_callable and not wrapper.compiles
            return callee[0] == "f" and bool(self.makes(callee[1]))
        return False

    def _is_of_self(self, module: int, ref: tuple[Any, ...]) -> bool:
        refs = self.modules[module].exports.refs
        base = refs[ref[1]]
        if base[0] != "s":
            return False
        record = self.class_record(self.first_class[module] + base[1])
        index = record.methods.get(ref[2])
        return index is None or self.functions[self.first[module] + index].params[:1] == ["self"]

    def _is_in_constructor(self, function: int) -> bool:
        outer = self.functions[function].outer
        if outer <= 0:
            return False
        record = self.functions[self.first[self.module_of[function]] + outer]
        return record.cls >= 0 and record.name in CONSTRUCTORS

    def makes(self, function: int) -> int:
        """Return whether a call gives a function that it has just made (MADE) or just compiled (COMPILED)."""
        key = ("factory", function)
        if key in self._busy or self._is_memoised(function):
            return 0
        self._busy.add(key)
        module = self.module_of[function]
        found = min((self._newness(module, ref, function) for ref in self.functions[function].returns), default=0)
        self._busy.discard(key)
        return found

    def _is_memoised(self, function: int) -> bool:
        refs = self.modules[self.module_of[function]].exports.refs
        return any(is_memoiser(str(refs[ref][-1])) for ref in self.functions[function].decorators)

    def _newness(self, module: int, number: int, function: int) -> int:
        """Return whether a reference is a function that `function` creates again, and whether it is compiled."""
        ref = self.modules[module].exports.refs[number]
        if ref[0] == "f":
            inner = self.first[module] + ref[1]
            if self.first[module] + self.functions[inner].outer != function:
                return 0
            return MADE if self.compiled_by(inner) is None else COMPILED
        if ref[0] != "r":
            return 0
        for callee in self.evaluate(module, ref[1]):
            if callee[0] == "f":
                return self.makes(callee[1])
            wrapper = self.tables[module].get(callee[1]) if callee[0] == "x" else None
            if wrapper is None or not wrapper.makes_callable:
                continue
            if not wrapper.compiles:
                return MADE  # a partial and a transform are objects of their own
            args = list(self._traced_args(wrapper, ref[2]))
            return COMPILED if args and all(self._newness(module, arg, function) for arg in args) else 0
        return 0


@functools.lru_cache(maxsize=256)
def traced_places(traces: tuple[int | str, ...]) -> frozenset[str]:
    """Return the positions and keywords, as text, by which a wrapper takes what it traces."""
    return frozenset(str(place).removeprefix("list:") for place in traces)


def _flat(statics: Iterable[tuple[str, Iterable[int | str]]]) -> tuple[int | str, ...]:
    return tuple(value for _, values in statics for value in values)
