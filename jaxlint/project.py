"""The view of a project: the records of all its modules joined, so that each can be told what the others do with it.

The join follows calls, arguments and wrappers over the borders of files to a fixed point, as `jaxlint.facts` does
within one file, and keeps for each function what comes from elsewhere.  It opens no file and imports none.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from jaxlint.facts import surroundings
from jaxlint.facts.exports import HOST_LOOP, RULES, Exports, FunctionRecord, Key
from jaxlint.facts.incoming import COMPILED, MADE, NOTHING, Imported, Incoming, Outside
from jaxlint.facts.wrappers import Wrapper, table
from jaxlint.layout import Layout
from jaxlint.settings import ENTRY_POINTS, Settings

Value: TypeAlias = tuple[Any, ...]
"""What a reference stands for, over the whole project:

("f", function), ("c", class), ("i", class, whether perhaps of a subclass), ("m", module), ("p", function, name),
("o", class, name) for a method of that name in any subclass, ("x", dotted name, statics) for what is outside the
project, ("w", wrapper, targets, statics) for what a wrapper makes.
"""

_UNTRACED_KINDS = ("partial", "host", "map-leaves", "register")
_MODULE_BASES = frozenset(
    {"flax.linen.Module", "flax.nnx.Module", "flax.experimental.nnx.Module", "haiku.Module", "equinox.Module"}
)
_MODULE_ENDINGS = (".nn.Module", ".linen.Module", ".nnx.Module", ".hk.Module")
_LINEN = frozenset({"flax.linen.Module", "flax.linen.module.Module"})
_COMPACT = frozenset({"compact", "nowrap", "transparent"})
_MOST_VALUES = 16
_MOST_DEEP = 40
_MOST_CALLED = 4
_MANY = 100


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the project: its absolute path, its name from the configuration's folder on, its record."""

    path: str
    name: str
    exports: Exports
    settings: Settings


class Trace(NamedTuple):
    """How sure it is that a function is traced (2 sure, 1 perhaps), and whether compiled and staged."""

    level: int
    compiled: bool
    staged: bool


class _Edge(NamedTuple):
    """A call: the node that is called, and the loop that the call stands in (0, LOOP or HOST_LOOP)."""

    target: int
    loop: int


class Project:
    """The joined records.  Functions, parameters and names of methods are nodes of one graph, by number.

    A parameter stands for the functions that it is given; a name of methods for those of all subclasses of a class.

    Args:
        modules: the files, each with its record.
        entries: console scripts, as dotted names of functions (`package.module:main`).
    """

    def __init__(self, modules: Sequence[Module], entries: Iterable[str] = ()) -> None:
        self._modules = modules
        self._layout = Layout([module.path for module in modules])
        self._tables = [table(module.settings) for module in modules]
        self._functions: list[FunctionRecord] = []
        self._module_of: list[int] = []
        self._first: list[int] = []
        self._classes: list[tuple[int, int]] = []
        self._first_class: list[int] = []
        for number, module in enumerate(modules):
            self._first.append(len(self._functions))
            self._first_class.append(len(self._classes))
            self._functions.extend(module.exports.functions)
            self._module_of.extend([number] * len(module.exports.functions))
            self._classes.extend((number, index) for index in range(len(module.exports.classes)))
        self._memo: dict[tuple[int, int], tuple[Value, ...]] = {}
        self._imports: dict[tuple[str, str], tuple[Value, ...]] = {}
        self._orders: dict[int, list[int]] = {}
        self._busy: set[object] = set()
        self._depth = 0
        self._entries = set(entries)
        self._subclasses: dict[int, list[int]] = {}
        self._subclasses = self._find_subclasses()
        # What was found on the way lacks the methods of subclasses.
        self._memo.clear()
        self._imports.clear()
        self._methods = self._find_methods()
        self._graph = _Graph(self)

    def incoming(self, module: int) -> Incoming:
        """Return what the others say about one module, by its number."""
        first = self._first[module]
        functions: dict[str, Outside] = {}
        for index, record in enumerate(self._modules[module].exports.functions):
            outside = self._graph.outside(first + index) if index and not record.is_lambda else None
            if outside is not None:
                functions.setdefault(record.qualname, outside)
        imports = self._imported(module)
        return Incoming(functions, imports) if functions or imports else NOTHING

    # What references stand for

    def evaluate(self, module: int, ref: int) -> tuple[Value, ...]:
        """Return what a reference of a module stands for, over the whole project."""
        key = (module, ref)
        known = self._memo.get(key)
        if known is not None:
            return known
        if key in self._busy or self._depth > _MOST_DEEP:
            return ()
        self._busy.add(key)
        self._depth += 1
        found = tuple(dict.fromkeys(self._evaluate(module, self._modules[module].exports.refs[ref])))[:_MOST_VALUES]
        self._depth -= 1
        self._busy.discard(key)
        self._memo[key] = found
        return found

    def _evaluate(self, module: int, ref: tuple[Any, ...]) -> Iterator[Value]:
        tag = ref[0]
        if tag == "f":
            yield ("f", self._first[module] + ref[1])
        elif tag == "c":
            yield ("c", self._first_class[module] + ref[1])
        elif tag == "x":
            yield from self._external(module, ref[1])
        elif tag == "*":
            yield from self._starred(module, ref[1])
        elif tag == "p":
            yield ("p", self._first[module] + ref[1], ref[2])
        elif tag == "s":
            yield ("i", self._first_class[module] + ref[1], True)
        elif tag == "i":
            yield from (("i", value[1], True) for value in self.evaluate(module, ref[1]) if value[0] == "c")
        elif tag == "a":
            yield from self._attribute(module, ref[1], ref[2])
        elif tag == "r":
            for callee in self.evaluate(module, ref[1]):
                yield from self._result(module, callee, ref)

    def _external(self, module: int, dotted: str) -> tuple[Value, ...]:
        if dotted in self._tables[module] or dotted in _MODULE_BASES or dotted == RULES:
            return (("x", dotted, ()),)
        folder = self._layout.folder_of[module]
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
        candidates = self._layout.modules(dotted, folder)
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
        """Return what a dotted path below a module stands for."""
        if not parts:
            return [("m", module)]
        values = self._named(module, parts[0])
        for part in parts[1:]:
            values = [found for value in values for found in self._of_value(value, part)]
        return values

    def _named(self, module: int, name: str) -> list[Value]:
        exports = self._modules[module].exports
        refs = exports.names.get(name)
        if refs:
            return [value for ref in refs for value in self.evaluate(module, ref)]
        return list(self._starred(module, name)) if exports.stars else []

    def _starred(self, module: int, name: str) -> Iterator[Value]:
        key = ("star", module, name)
        if key in self._busy:
            return
        self._busy.add(key)
        folder = self._layout.folder_of[module]
        for star in self._modules[module].exports.stars:
            for number, parts in self._layout.modules(star, folder)[:1]:
                if not parts and number != module:
                    yield from self._named(number, name)
        self._busy.discard(key)

    def _attribute(self, module: int, base: int, name: str) -> Iterator[Value]:
        exports = self._modules[module].exports
        if exports.refs[base][0] == "u":
            cls = self._first_class[module] + exports.refs[base][1]
            for item in self.order(cls)[1:]:
                method = self._record(item).methods.get(name)
                if method is not None:
                    yield ("f", self._first[self._classes[item][0]] + method)
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
            path = self._modules[value[1]].path
            return self._find(f".{name}", self._layout.folder_of[value[1]]) if path.endswith("__init__.py") else ()
        if tag == "x":
            return (("x", f"{value[1]}.{name}", ()),)
        if tag == "c":
            return self._of_class(value[1], name)
        if tag == "i":
            return self._of_instance(value[1], name, value[2])
        return ()

    def _of_class(self, cls: int, name: str) -> list[Value]:
        for item in self.order(cls):
            module = self._classes[item][0]
            record = self._record(item)
            if name in record.methods:
                return [("f", self._first[module] + record.methods[name])]
            if name in record.attributes:
                return [value for ref in record.attributes[name] for value in self.evaluate(module, ref)]
        return []

    def _of_instance(self, cls: int, name: str, perhaps_sub: bool) -> list[Value]:
        found: list[Value] = []
        for item in self.order(cls):
            refs = self._record(item).attributes.get(name, ())
            found.extend(value for ref in refs for value in self.evaluate(self._classes[item][0], ref))
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
        wrapper = self._tables[module].get(callee[1])
        if wrapper is None:
            return
        statics = (*callee[2], *_flat(ref[3]))
        targets = tuple(value for arg in self._traced_args(wrapper, ref[2]) for value in self.evaluate(module, arg))
        if wrapper.kind == "partial":
            # A partial stands for the function that it is given, and so does a partial of a wrapper.
            yield from ((*value[:2], statics) if value[0] == "x" else value for value in targets)
        elif not ref[2]:
            yield ("x", callee[1], statics)
        elif wrapper.makes_callable:
            yield ("w", wrapper, targets, statics)

    @staticmethod
    def _traced_args(wrapper: Wrapper, args: Iterable[tuple[Key, int]]) -> Iterator[int]:
        places = {str(place).removeprefix("list:") for place in wrapper.traces}
        yield from (arg for key, arg in args if str(key) in places)

    def returned(self, function: int) -> tuple[Value, ...]:
        """Return what a function returns."""
        key = ("returned", function)
        if key in self._busy or self._depth > _MOST_DEEP:
            return ()
        self._busy.add(key)
        module = self._module_of[function]
        found = [value for ref in self._functions[function].returns[:8] for value in self.evaluate(module, ref)]
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
        record = self._functions[function]
        position = key + (record.cls >= 0)
        return record.params[position] if position < len(record.params) else None

    # Classes

    def _record(self, cls: int) -> Any:
        module, index = self._classes[cls]
        return self._modules[module].exports.classes[index]

    def bases(self, cls: int) -> list[Value]:
        """Return what the bases of a class stand for."""
        module = self._classes[cls][0]
        return [value for ref in self._record(cls).bases for value in self.evaluate(module, ref)]

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
            index = self._record(item).methods.get(name)
            if index is not None:
                return self._first[self._classes[item][0]] + int(index)
        return None

    def overrides(self, cls: int, name: str) -> Iterator[int]:
        """Yield the methods of that name in the subclasses of a class."""
        work, seen = list(self._subclasses.get(cls, ())), set[int]()
        while work:
            current = work.pop()
            if current in seen:
                continue
            seen.add(current)
            index = self._record(current).methods.get(name)
            if index is not None:
                yield self._first[self._classes[current][0]] + int(index)
            work.extend(self._subclasses.get(current, ()))

    def _find_subclasses(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for cls in range(len(self._classes)):
            for value in self.bases(cls):
                if value[0] == "c":
                    found[value[1]].append(cls)
        return found

    def _find_methods(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for cls, (module, _) in enumerate(self._classes):
            for name, index in self._record(cls).methods.items():
                found[name].append(self._first[module] + index)
        return found

    @functools.cached_property
    def traced_by_libraries(self) -> list[tuple[int, int]]:
        """The methods that the base class of a library has traced, each with the class that says so."""
        found = []
        for cls, (module, _) in enumerate(self._classes):
            order = self.order(cls)
            says = next((item for item in order if any(_is_module_base(value) for value in self.bases(item))), None)
            if says is None:
                continue
            for name, index in self._record(cls).methods.items():
                function = self._first[module] + index
                if name in ("__call__", "setup") or self._is_compact(function):
                    found.append((function, says))
        return found

    def _is_compact(self, function: int) -> bool:
        module = self._module_of[function]
        refs = self._modules[module].exports.refs
        decorators = (refs[ref] for ref in self._functions[function].decorators)
        return any(ref[0] == "x" and ref[1].rpartition(".")[2] in _COMPACT for ref in decorators)

    # What modules import

    def _imported(self, module: int) -> dict[str, Imported]:
        found: dict[str, Imported] = {}
        for number, ref in enumerate(self._modules[module].exports.refs):
            if ref[0] != "x":
                continue
            values = self.evaluate(module, number)
            if len(values) == 1:
                imported = self._describe(values[0])
                if imported is not None:
                    found[ref[1]] = imported
        return found

    def _describe(self, value: Value) -> Imported | None:
        if value[0] == "i":
            return Imported("instance", str(self._record(value[1]).name), methods=self._bound_anew(value[1]))
        if value[0] == "w" and value[1].compiles:
            targets = [target for target in value[2] if target[0] == "f"]
            params = self._functions[targets[0][1]].params if targets else []
            return Imported("compiled", "", statics=tuple(value[3]), params=tuple(params))
        if value[0] != "f":
            return None
        record = self._functions[value[1]]
        compiled = self.compiled_by(value[1])
        if compiled is not None:
            return Imported("compiled", record.name, statics=compiled, params=tuple(record.params))
        makes, operations = self.makes(value[1]), self.operations(value[1])
        if not makes and not operations:
            return None
        return Imported("function", record.name, makes, min(operations, _MANY), params=tuple(record.params))

    def _bound_anew(self, cls: int) -> tuple[str, ...]:
        """Return the methods of a class that no attribute hides and that are bound to the instance."""
        found: set[str] = set()
        stored: set[str] = set()
        for item in self.order(cls):
            record = self._record(item)
            stored.update(record.attributes)
            for name, index in record.methods.items():
                function = self._first[self._classes[item][0]] + index
                if not self._functions[function].decorators:
                    found.add(name)
            if any(value[0] == "x" and value[1] in _LINEN for value in self.bases(item)):
                found |= {"apply", "init"}
        return tuple(sorted(found - stored))

    def compiled_by(self, function: int) -> tuple[int | str, ...] | None:
        """Return the static arguments of a function that a decorator compiles, None where none does."""
        module = self._module_of[function]
        for ref in self._functions[function].decorators:
            for value in self.evaluate(module, ref):
                if value[0] == "x":
                    wrapper = self._tables[module].get(value[1])
                    if wrapper is not None and wrapper.compiles:
                        return tuple(value[2])
        return None

    def operations(self, function: int, depth: int = _MOST_CALLED) -> int:
        """Return how many array operations one call of a function dispatches, helpers included; 0 if it is compiled."""
        if depth <= 0 or self.compiled_by(function) is not None:
            return 0
        total = self._functions[function].operations
        for edge in self._graph.calls.get(function, ()):
            if edge.target < len(self._functions) and total < _MANY:
                total += self.operations(edge.target, depth - 1)
        return total

    def makes(self, function: int) -> int:
        """Return whether a call gives a function that it has just made (MADE) or just compiled (COMPILED)."""
        key = ("factory", function)
        if key in self._busy or self._is_memoised(function):
            return 0
        self._busy.add(key)
        module = self._module_of[function]
        found = min((self._newness(module, ref, function) for ref in self._functions[function].returns), default=0)
        self._busy.discard(key)
        return found

    def _is_memoised(self, function: int) -> bool:
        refs = self._modules[self._module_of[function]].exports.refs
        names = (str(refs[ref][-1]).lower() for ref in self._functions[function].decorators)
        return any("cache" in name or "memo" in name for name in names)

    def _newness(self, module: int, number: int, function: int) -> int:
        """Return whether a reference is a function that `function` makes anew, and whether it is compiled."""
        ref = self._modules[module].exports.refs[number]
        if ref[0] == "f":
            inner = self._first[module] + ref[1]
            if self._first[module] + self._functions[inner].outer != function:
                return 0
            return MADE if self.compiled_by(inner) is None else COMPILED
        if ref[0] != "r":
            return 0
        for callee in self.evaluate(module, ref[1]):
            if callee[0] == "f":
                return self.makes(callee[1])
            wrapper = self._tables[module].get(callee[1]) if callee[0] == "x" else None
            if wrapper is None or not wrapper.makes_callable:
                continue
            if not wrapper.compiles:
                return MADE  # a partial and a transform are objects of their own
            args = list(self._traced_args(wrapper, ref[2]))
            return COMPILED if args and all(self._newness(module, arg, function) for arg in args) else 0
        return 0


class _Graph:
    """Who calls, passes on and wraps whom; and what follows from it, to a fixed point."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._functions = project._functions
        self._module_of = list(project._module_of)
        self._count = len(self._functions)
        self.calls: dict[int, list[_Edge]] = defaultdict(list)
        self._callers: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._guesses: dict[int, list[str]] = defaultdict(list)
        self._parameters: dict[tuple[int, str], int] = {}
        self._virtual: dict[tuple[int, str], int] = {}
        self._parameter_calls: dict[int, list[int]] = defaultdict(list)
        self._given: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._wrapped: dict[int, list[tuple[Wrapper, int]]] = defaultdict(list)
        self._nested: dict[int, list[int]] = defaultdict(list)
        self._host: set[int] = set()
        self._escapes: dict[int, set[int]] = defaultdict(set)
        for function in range(self._count):
            self._read(function)
        self._traces: dict[int, Trace] = {}
        self._from_elsewhere: dict[int, Trace] = {}
        self._sources: dict[str, tuple[Trace, list[int]]] = {}
        self._work: list[int] = []
        self._trace()
        self._tests = [self._is_test(function) for function in range(self._count)]
        self._tests += [False] * (len(self._module_of) - self._count)
        self._eager: dict[int, int] = {}
        self._repeated: set[int] = set()
        self._spread_eagerness()
        self._once: dict[int, bool] = {}
        self._guessed = self._guessed_names()

    # Edges

    def _read(self, function: int) -> None:
        project, module = self._project, self._module_of[function]
        record = self._functions[function]
        first = project._first[module]
        refs = project._modules[module].exports.refs
        if record.outer > 0:
            self._nested[first + record.outer].append(function)
        for ref, loop in record.calls:
            values = project.evaluate(module, ref)
            for value in values:
                self._call(function, value, loop)
            attribute = refs[ref][-1] if refs[ref][0] in ("a", "?") else None
            if attribute is not None and (not values or all(value[0] in ("x", "p") for value in values)):
                self._guesses[function].append(attribute)
        for callee, key, arg in record.passes:
            for value in project.evaluate(module, callee):
                self._pass(function, value, key, project.evaluate(module, arg))
        around = first + record.outer if record.outer > 0 else first
        for ref in record.decorators:
            for value in project.evaluate(module, ref):
                self._pass(around, value, 0, (("f", function),))

    def _call(self, function: int, value: Value, loop: int) -> None:
        project = self._project
        if value[0] == "f":
            self._edge(function, value[1], loop)
        elif value[0] == "c":
            for name in ("__init__", "__post_init__"):
                method = project.method(value[1], name)
                if method is not None:
                    self._edge(function, method, loop)
        elif value[0] == "i":
            for found in project._of_instance(value[1], "__call__", value[2]):
                if found[0] in ("f", "o"):
                    self._call(function, found, loop)
        elif value[0] == "o":
            self._edge(function, self._any_of(value[1], value[2]), loop)
        elif value[0] == "p":
            self._parameter_calls[function].append(self._parameter(value[1], value[2]))

    def _edge(self, caller: int, callee: int, loop: int) -> None:
        self.calls[caller].append(_Edge(callee, loop))
        self._callers[callee].append((caller, loop))

    def _any_of(self, cls: int, name: str) -> int:
        """Return the node that stands for a method of that name in whatever subclass an instance is of."""
        key = (cls, name)
        node = self._virtual.get(key)
        if node is None:
            node = self._virtual[key] = len(self._module_of)
            self._module_of.append(_NOWHERE)
            for method in self._project.overrides(cls, name):
                self._edge(node, method, 0)
        return node

    def _parameter(self, function: int, name: str) -> int:
        key = (function, name)
        node = self._parameters.get(key)
        if node is None:
            node = self._parameters[key] = len(self._module_of)
            self._module_of.append(self._module_of[function])
        return node

    def _pass(self, function: int, callee: Value, key: Key, values: Iterable[Value]) -> None:
        project, module = self._project, self._module_of[function]
        if callee[0] == "x":
            if callee[1] == RULES:
                self._wraps(function, _RULES, values)
                return
            wrapper = project._tables[module].get(callee[1])
            if wrapper is not None and str(key) in {str(p).removeprefix("list:") for p in wrapper.traces}:
                self._wraps(function, wrapper, values)
            return
        target = callee[1] if callee[0] == "f" else None
        if callee[0] == "c":
            target = project.method(callee[1], "__init__")
        elif callee[0] == "i":
            target = project.method(callee[1], "__call__")
        if target is None:
            return
        name = project.parameter(target, key)
        if name is None:
            return
        parameter = self._parameter(target, name)
        for value in values:
            for behind in self._behind(value):
                self._given[parameter].append((behind, module))
                self._escapes[behind].add(module)

    def _wraps(self, function: int, wrapper: Wrapper, values: Iterable[Value]) -> None:
        for value in values:
            for target in self._behind(value):
                if wrapper.kind == "host":
                    self._host.add(target)
                elif wrapper.kind not in _UNTRACED_KINDS:
                    self._wrapped[function].append((wrapper, target))
                self._escapes[target].add(self._module_of[function])

    def _behind(self, value: Value) -> Iterator[int]:
        """Yield the nodes behind a function that is passed on or wrapped."""
        if value[0] == "f":
            yield value[1]
        elif value[0] == "p":
            yield self._parameter(value[1], value[2])
        elif value[0] == "w":
            for target in value[2]:
                yield from self._behind(target)
        elif value[0] == "i":
            for found in self._project._of_instance(value[1], "__call__", value[2]):
                if found[0] in ("f", "o"):
                    yield from self._behind(found)
        elif value[0] == "o":
            yield self._any_of(value[1], value[2])

    # Traces

    def _trace(self) -> None:
        for function, wrapped in list(self._wrapped.items()):
            for wrapper, target in wrapped:
                self._mark(target, Trace(2, wrapper.compiles, wrapper.stages), self._module_of[function])
        for function, cls in self._project.traced_by_libraries:
            self._mark(function, Trace(2, False, False), self._project._classes[cls][0])
        while self._work:
            node = self._work.pop()
            self._spread(node, self._traces[node])

    def _mark(self, node: int, trace: Trace, source: int) -> None:
        if node in self._host:
            return
        if source != self._module_of[node] and trace > self._from_elsewhere.get(node, _UNTRACED):
            self._from_elsewhere[node] = trace
        if trace > self._traces.get(node, _UNTRACED):
            self._traces[node] = trace
            self._work.append(node)

    def _spread(self, node: int, trace: Trace) -> None:
        module = self._module_of[node]
        if node >= self._count:
            for function, giver in self._given.get(node, ()):
                self._mark(function, trace, module if module != self._module_of[function] else giver)
        for edge in self.calls.get(node, ()):
            self._mark(edge.target, trace, module)
        for nested in self._nested.get(node, ()):
            self._mark(nested, trace, module)
        perhaps = Trace(1, trace.compiled, trace.staged)
        for parameter in self._parameter_calls.get(node, ()):
            self._mark(parameter, perhaps, module)
        for wrapper, target in self._wrapped.get(node, ()):
            inner = Trace(2, trace.compiled or wrapper.compiles, trace.staged or wrapper.stages)
            self._mark(target, inner, module)
        for name in self._guesses.get(node, ()):
            self._guess(name, perhaps, module)

    def _guess(self, name: str, trace: Trace, source: int) -> None:
        """Mark all methods of a name; what two modules say is as much as what all say."""
        methods = self._project._methods.get(name)
        if not methods:
            return
        known, sources = self._sources.get(name, (_UNTRACED, []))
        if trace <= known and (source in sources or len(sources) >= 2):
            return
        best = max(trace, known)
        sources = sources if source in sources or len(sources) >= 2 else [*sources, source]
        self._sources[name] = (best, sources)
        for method in methods:
            other = next((s for s in sources if s != self._module_of[method]), sources[0])
            self._mark(method, best, other)

    # Eagerness

    def _is_test(self, function: int) -> bool:
        module = self._project._modules[self._module_of[function]]
        if surroundings.is_test_file(module.name, module.settings):
            return True
        first = self._project._first[self._module_of[function]]
        current = function
        while current > first:
            record = self._functions[current]
            if surroundings.is_test_name(record.name):
                return True
            if record.cls >= 0 and surroundings.is_test_class(module.exports.classes[record.cls].name):
                return True
            current = first + record.outer
        return False

    def _runs_once(self, function: int) -> bool:
        """Whether a function runs once per process; module level does."""
        record = self._functions[function]
        if not record.name:
            return True
        module = self._project._modules[self._module_of[function]]
        return record.once or module.settings.is_run_once(record.name)

    def _is_entry(self, function: int) -> bool:
        """Whether a program starts here, so that nothing traces it."""
        record = self._functions[function]
        if not record.name:
            return True
        if record.outer > 0 or record.cls >= 0:
            return False
        module = self._project._modules[self._module_of[function]]
        if self._project._entries:
            dotted = self._project._layout.dotted_name(module.path)
            if f"{dotted}:{record.name}" in self._project._entries:
                return True
        starts = module.exports.is_script or record.name.lstrip("_") in ENTRY_POINTS
        return starts and self._runs_once(function)

    def _spread_eagerness(self) -> None:
        work = [f for f in range(self._count) if not self._tests[f] and f not in self._traces and self._is_entry(f)]
        entries = set(work)
        work += [f for f in self.calls if not self._tests[f] and f not in self._traces and f not in entries]
        self._eager.update(dict.fromkeys(entries, 2))
        while work:
            function = work.pop()
            level = self._eager.get(function, 0)
            repeated = function in self._repeated
            for target, loop in self.calls.get(function, ()):
                if target in self._traces or target in self._host:
                    continue
                reached = 2 if level == 2 else 1 if loop == HOST_LOOP or level == 1 else 0
                again = (repeated or loop) and target not in self._repeated
                if reached > self._eager.get(target, 0) or again:
                    self._eager[target] = max(reached, self._eager.get(target, 0))
                    if repeated or loop:
                        self._repeated.add(target)
                    if not self._tests[target]:
                        work.append(target)

    def _guessed_names(self) -> dict[str, set[int]]:
        """The names of methods that are called on unknown objects, with up to two modules that do."""
        found: dict[str, set[int]] = defaultdict(set)
        for function, names in self._guesses.items():
            if self._tests[function]:
                continue
            for name in names:
                if len(found[name]) < 2:
                    found[name].add(self._module_of[function])
        return found

    def is_once(self, function: int) -> bool:
        """Whether calls of a function are in sight and each of them runs once."""
        if function >= self._count:
            callers = self._callers.get(function, ())
            return bool(callers) and all(not loop and self.is_once(caller) for caller, loop in callers)
        if self._runs_once(function):
            return True
        known = self._once.get(function)
        if known is None:
            self._once[function] = False
            callers = [(caller, loop) for caller, loop in self._callers.get(function, ()) if not self._tests[caller]]
            guessed = self._functions[function].cls >= 0 and self._guessed.get(self._functions[function].name)
            known = bool(callers) and not guessed and not self._escapes.get(function)
            known = known and all(not loop and self.is_once(caller) for caller, loop in callers)
            self._once[function] = known
        return known

    # What comes from elsewhere

    def outside(self, function: int) -> Outside | None:
        """Return what other modules do with a function, None for nothing."""
        module = self._module_of[function]
        trace = self._from_elsewhere.get(function, _UNTRACED)
        eager, repeated, called = 0, False, 0
        for caller, loop in self._callers.get(function, ()):
            if self._module_of[caller] == module or self._tests[caller]:
                continue
            called = max(called, 1 if not loop and self.is_once(caller) else 2)
            if caller in self._traces:
                continue
            eager = max(eager, self._level(caller, loop))
            repeated = repeated or bool(loop) or caller in self._repeated
        record = self._functions[function]
        guessed = self._guessed.get(record.name, set()) if record.cls >= 0 else set()
        if guessed - {module} or self._escapes.get(function, set()) - {module}:
            called = 2
        if trace == _UNTRACED and not (eager or repeated or called):
            return None
        return Outside(trace.level, trace.compiled, trace.staged, eager, repeated, called)

    def _level(self, caller: int, loop: int) -> int:
        level = self._eager.get(caller, 0)
        return 2 if level == 2 else 1 if loop == HOST_LOOP or level == 1 else 0


_NOWHERE = -1
"""The module of a node that belongs to none, so that whatever it says comes from elsewhere."""
_UNTRACED = Trace(0, False, False)
_RULES = Wrapper(RULES, "control-flow", stages=False)


def _flat(statics: Iterable[tuple[str, Iterable[int | str]]]) -> tuple[int | str, ...]:
    return tuple(value for _, values in statics for value in values)


def _is_module_base(value: Value) -> bool:
    return value[0] == "x" and (value[1] in _MODULE_BASES or value[1].endswith(_MODULE_ENDINGS))
