"""Makes the record of a module (`record`): what the tree holds, and what the facts about it say, as references."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.tracing import BEHIND, names_axis
from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.frameworks import DEFINES_RULES
from jaxlint.facts.jax_api.glance import CONSTRUCTORS, is_memoiser
from jaxlint.facts.jax_api.wrappers import known_last_names
from jaxlint.facts.summary.record import (
    GUARDED,
    HOST_LOOP,
    LOOP,
    NESTED,
    OTHERS,
    RULES,
    STEPS,
    ClassRecord,
    Exports,
    FunctionRecord,
    Key,
    Ref,
)
from jaxlint.facts.syntax import guards
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.retries import is_retry
from jaxlint.facts.syntax.tree import (
    Binding,
    Class,
    Context,
    Function,
    Loop,
    Tree,
    kinds,
    last_name,
    same_code,
)
from jaxlint.facts.values.iterations import counted_by, is_handed, is_host_loop, is_step_loop

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts

_DEPTH = 5
"""How many expressions within expressions a reference follows."""
_MOST = 4
"""How many values a name is taken to have."""
_MOST_ARGUMENTS = 8

_FOREIGN = frozenset(sys.stdlib_module_names) | {
    *("numpy", "scipy", "pandas", "matplotlib", "torch", "tensorflow", "absl", "tqdm", "wandb", "pytest", "yaml"),
    *("chex", "jaxtyping", "beartype", "typing_extensions", "einops", "h5py", "sklearn", "seaborn", "requests"),
}
"""Modules that hold nothing of the project and trace nothing."""

_CONTAINER_METHODS = frozenset(
    "append extend insert pop remove clear copy items keys values get setdefault update join split strip format "
    "startswith endswith lower upper replace encode decode write read close flush tolist item set add subtract "
    "multiply mul divide power min max".split()
)
_COMMON_METHODS = (_CONTAINER_METHODS | arrays.ARRAY_METHODS) - {"update", "get", "copy", "apply", "add"}
"""Methods of arrays, containers and text: of something unknown, they say nothing."""


def exports(facts: ModuleFacts) -> Exports:
    """Return the record of a module, by the facts about it alone."""
    return _Recorder(facts).record


class _Recorder:
    """Writes the record of one module: what the tree holds, and what names mean there, as references."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._facts = facts
        self._tree = tree = facts.tree
        self._names = facts.names
        self._numbers: dict[Ref, int] = {}
        self._bound: Answers[tuple[int, ...]] = Answers(self._names.asking)
        self._function_numbers = {id(function): number for number, function in enumerate(tree.functions, 1)}
        self._class_numbers = {id(cls): number for number, cls in enumerate(tree.classes)}
        self._loops: dict[int, tuple[int, tuple[frozenset[str], ...]]] = {}
        self._defined = _defined_in_loops(tree)
        self._wrappers = known_last_names()
        functions = [FunctionRecord("", ""), *(self._function(function) for function in tree.functions)]
        classes = [self._class(cls) for cls in tree.classes]
        self.record = Exports([], {}, list(tree.star_imports), functions, classes, is_script=tree.is_script)
        self._references()

    def _function(self, function: Function) -> FunctionRecord:
        row = self._facts.places.row(function.node)
        return FunctionRecord(
            function.name,
            function.qualname,
            self._number_of(function.outer),
            self._class_numbers[id(function.cls)] if function.cls is not None else -1,
            [parameter.name for parameter in function.parameters if parameter.position is not None],
            once=row in self._facts.source.once_rows,
            row=row,
        )

    def _class(self, cls: Class) -> ClassRecord:
        outer, row = self._number_of(cls.context.function), self._facts.places.row(cls.node)
        methods = {name: self._number_of(method) for name, method in cls.methods.items()}
        by_value = bool(cls.decorators) or not methods.keys().isdisjoint(("__eq__", "__hash__"))
        return ClassRecord(cls.name, cls.scope.qualname, outer, methods=methods, by_value=by_value, row=row)

    def _number_of(self, function: Function | None) -> int:
        return self._function_numbers[id(function)] if function is not None else 0

    def _references(self) -> None:
        record, tree = self.record, self._tree
        for name, bindings in tree.module_scope.bindings.items():
            if refs := self._of_bindings(bindings):
                record.names[name] = list(refs)
        for number, function in enumerate(tree.functions, 1):
            written = record.functions[number]
            written.operations = self._facts.own_arrays.of_function(function)
            written.hosted = bool(written.operations) and self._facts.hosted.is_hosted(function)
            written.returns.extend(ref for node in function.returns for ref in self._expression(node))
            written.decorators.extend(ref for node in function.decorators for ref in self._expression(_decorator(node)))
        for cls, written_class in zip(tree.classes, record.classes, strict=True):
            written_class.bases.extend(ref for base in cls.bases for ref in self._expression(base))
            self._attributes(cls, written_class)
        for call in tree.calls:
            self._call(call)
        for number, function in enumerate(tree.functions, 1):
            self._defaults(number, function)

    def _attributes(self, cls: Class, record: ClassRecord) -> None:
        for name, bindings in cls.scope.bindings.items():
            for binding in bindings:
                if binding.kind == "assign" and isinstance(binding.value, cst.BaseExpression):
                    _add(record, name, self._expression(_default(binding.value)))
                elif binding.kind in ("import", "class"):
                    _add(record, name, self._of_binding(binding))
        for name, annotation in cls.fields.items():
            _add(record, name, self._annotated(annotation, cls.context))
        for name, stores in cls.stores.items():
            for value, context in stores:
                _add(record, name, self._expression(_default(value)))
                if context.function is not None and context.function.name in CONSTRUCTORS and name not in record.made:
                    record.made.append(name)

    def _defaults(self, number: int, function: Function) -> None:
        """Note what the parameters of a function are given where a call leaves them out."""
        callee = self._number(("f", number))
        around = self.record.functions[self._number_of(function.outer)]
        for parameter in function.parameters:
            if parameter.default.__class__ in _FUNCTION_LIKE:
                around.passes.extend(
                    (callee, parameter.name, ref, self.record.functions[number].row)
                    for ref in self._expression(parameter.default)
                    if self._may_be_function(ref, is_wrapper=False)
                )

    # Calls

    def _call(self, node: cst.Call) -> None:
        context, row, func = self._tree.context(node), self._facts.places.row(node), node.func
        record = self.record.functions[self._number_of(context.function)]
        self.record.replaced.extend(self._replaced(node))
        if isinstance(func, cst.Attribute) and func.attr.value in DEFINES_RULES:
            rules, passed = self._number(("x", RULES)), self._function_args(node, ("r",), _DEPTH)
            record.passes.extend((rules, key, ref, row) for key, ref in passed)
            return
        callees = self._expression(func)
        around = self._around(node, context, several=len(callees) > 1) if callees else 0
        for callee in callees:
            ref = self.record.refs[callee]
            if ref[0] == "x":
                record.mapped |= ref[1] in arrays.COLLECTIVES and names_axis(node)
                if not self._matters(ref[1]):
                    continue
            record.calls.append((callee, around, row))
            if ref[0] != "?":
                record.passes.extend(
                    (callee, key, argument, row) for key, argument in self._function_args(node, ref, _DEPTH)
                )

    def _replaced(self, node: cst.Call) -> Iterator[int]:
        """Yield the methods of an instance, `self` aside, that are assigned again in the form that a call gives."""
        parent = self._tree.parent(node)
        targets = [item.target for item in parent.targets] if isinstance(parent, cst.Assign) else []
        for target in targets:
            if isinstance(target, cst.Attribute) and any(same_code(arg.value, target) for arg in node.args):
                refs = [(number, self.record.refs[number]) for number in self._expression(target)]
                yield from (number for number, ref in refs if ref[0] != "a" or self.record.refs[ref[1]][0] != "s")

    def _around(self, node: cst.Call, context: Context, *, several: bool) -> int:
        """Return what is around a call, as records write it."""
        level, steps = self._loop(context.loop)
        again = bool(steps) and self._is_alike(node, context.function, steps)
        guarded = guards.keeps_traces_out(self._tree, node)
        return level + GUARDED * guarded + STEPS * again + OTHERS * several + NESTED * (len(steps) > 1)

    def _loop(self, loop: Loop | None) -> tuple[int, tuple[frozenset[str], ...]]:
        """Return 0, LOOP or HOST_LOOP, and for each loop that does the same again the names that it counts by.

        The functions that are made in the loop are among the names.
        """
        if loop is None:
            return 0, ()
        known = self._loops.get(id(loop))
        if known is None and is_retry(loop):
            known = self._loops[id(loop)] = self._loop(loop.outer)
        if known is None:
            level, steps = self._loop(loop.outer)
            if is_step_loop(loop):
                steps = (*steps, counted_by(loop) | self._defined[id(loop)])
            known = self._loops[id(loop)] = max(level, HOST_LOOP if is_host_loop(loop) else LOOP), steps
        return known

    @staticmethod
    def _is_alike(node: cst.Call, function: Function | None, steps: Iterable[frozenset[str]]) -> bool:
        """Whether a loop around a call repeats it with alike arguments, and does not build the parts of an object."""
        if function is not None and function.name in CONSTRUCTORS:
            return False
        if any(isinstance(arg.value, cst.Lambda) for arg in node.args):
            return False
        return any(not is_handed(node, names) for names in steps)

    # References

    def _number(self, ref: Ref) -> int:
        number = self._numbers.get(ref)
        if number is None:
            number = self._numbers[ref] = len(self.record.refs)
            self.record.refs.append(ref)
        return number

    def _expression(self, node: cst.BaseExpression, depth: int = _DEPTH, at: Context | None = None) -> tuple[int, ...]:
        """Return what an expression represents; `at` is where an annotation is, which the tree does not hold."""
        kind = node.__class__
        if kind is cst.Name:
            bindings = self._bindings(node, at)  # type: ignore[arg-type]
            if not bindings and self._tree.star_imports:
                return (self._number(("*", node.value)),)  # type: ignore[attr-defined]
            return self._of_bindings(bindings)
        if kind is cst.Attribute:
            return self._attribute(node, depth, at)  # type: ignore[arg-type]
        if depth <= 0:
            return ()
        if kind is cst.Call:
            return self._result(node, depth)  # type: ignore[arg-type]
        if kind is cst.Lambda:
            function = self._tree.function_of.get(id(node))
            return (self._number(("f", self._number_of(function))),) if function is not None else ()
        if kind is cst.IfExp:
            return self._either(node.body, node.orelse, depth)  # type: ignore[attr-defined]
        if kind is cst.BooleanOperation:
            return self._either(node.left, node.right, depth)  # type: ignore[attr-defined]
        if kind is cst.NamedExpr:
            return self._expression(node.value, depth - 1)  # type: ignore[attr-defined]
        return ()

    def _either(self, one: cst.BaseExpression, other: cst.BaseExpression, depth: int) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*self._expression(one, depth - 1), *self._expression(other, depth - 1))))

    def _bindings(self, node: cst.Name, at: Context | None) -> list[Binding]:
        return self._names.bindings(node) if at is None else self._names.bindings_at(node.value, at)

    def _of_bindings(self, bindings: Iterable[Binding]) -> tuple[int, ...]:
        found: dict[int, None] = {}
        for binding in bindings:
            found.update(dict.fromkeys(self._bound.get(id(binding), lambda: self._of_binding(binding), ())))  # noqa: B023
            if len(found) >= _MOST:
                break
        return tuple(found)

    def _of_binding(self, binding: Binding) -> tuple[int, ...]:
        value = binding.value
        if isinstance(value, str):
            return (self._number(("x", value)),) if self._matters(value) or _may_hold_wrappers(value) else ()
        if isinstance(value, Function):
            return (self._number(("f", self._number_of(value))),)
        if isinstance(value, Class):
            return (self._number(("c", self._class_numbers[id(value)])),)
        if binding.kind == "assign" and isinstance(value, cst.BaseExpression):
            return self._expression(value)
        function = binding.context.function
        if binding.kind == "parameter" and function is not None:
            return self._of_parameter(function, binding.name)
        return ()

    def _of_parameter(self, function: Function, name: str) -> tuple[int, ...]:
        parameter = function.parameter(name)
        if parameter is None or parameter.star:
            return ()
        if function.cls is not None and parameter.position == 0:
            return (self._number(("s", self._class_numbers[id(function.cls)])),)
        found = self._annotated(parameter.annotation, function.context) if parameter.annotation is not None else ()
        return found or (self._number(("p", self._number_of(function), name)),)

    def _annotated(self, node: cst.BaseExpression, at: Context) -> tuple[int, ...]:
        named = _class_in(node)
        refs = self._expression(named, at=at) if named is not None else ()
        return tuple(self._number(("i", ref)) for ref in refs if self.record.refs[ref][0] in ("x", "c"))

    def _attribute(self, node: cst.Attribute, depth: int, at: Context | None) -> tuple[int, ...]:
        attr, value = node.attr.value, node.value
        if _is_super(value):
            owner = self._class_around(node)
            return (self._number(("a", self._number(("u", owner)), attr)),) if owner >= 0 else ()
        bases = self._expression(value, depth - 1, at) if depth > 0 else ()
        if not bases:
            if isinstance(value, cst.Name) and any(b.kind == "import" for b in self._bindings(value, at)):
                return ()  # a module of no interest
            return () if attr in _COMMON_METHODS else (self._number(("?", attr)),)
        found: dict[int, None] = {}
        for base in bases:
            ref = self.record.refs[base]
            if ref[0] == "x":
                found[self._number(("x", f"{ref[1]}.{attr}"))] = None
            elif ref[0] == "p" and attr in BEHIND:
                found[base] = None
            elif ref[0] in ("p", "?"):
                if attr not in _COMMON_METHODS:
                    found[self._number(("?", attr))] = None
            else:
                found[self._number(("a", base, attr))] = None
        return tuple(found)

    def _class_around(self, node: cst.CSTNode) -> int:
        function = self._tree.context(node).function
        while function is not None and function.cls is None:
            function = function.outer
        return self._class_numbers[id(function.cls)] if function is not None else -1

    def _result(self, node: cst.Call, depth: int) -> tuple[int, ...]:
        found = []
        for callee in self._expression(node.func, depth - 1):
            ref = self.record.refs[callee]
            if ref[0] == "?" or (ref[0] == "x" and not self._matters(ref[1])):
                continue
            args = tuple(self._function_args(node, ref, depth - 1))
            found.append(self._number(("r", callee, args, self._statics(node))))
        return tuple(found)

    def _function_args(self, node: cst.Call, callee: Ref, depth: int) -> Iterable[tuple[Key, int]]:
        """Yield the arguments that may be functions, by position or keyword."""
        is_wrapper = callee[0] == "r" or (callee[0] == "x" and self._is_wrapper(callee[1]))
        for key, value in _given(node):
            if is_wrapper and isinstance(value, (cst.List, cst.Tuple)):
                values = [element.value for element in value.elements[:_MOST_ARGUMENTS]]
            else:
                values = [value] if value.__class__ in _FUNCTION_LIKE else []
            for part in values:
                for ref in self._expression(part, depth):
                    if self._may_be_function(ref, is_wrapper):
                        yield key, ref

    def _statics(self, node: cst.Call) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
        found = []
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value in _STATICS:
                value = self._facts.constants.of(arg.value)
                parts = value if isinstance(value, tuple) else (value,)
                literals = tuple(part for part in parts if isinstance(part, (int, str)))
                found.append((arg.keyword.value, literals))
        return tuple(found)

    def _may_be_function(self, number: int, is_wrapper: bool) -> bool:
        ref = self.record.refs[number]
        tag = ref[0]
        if tag in ("f", "c", "*"):
            return True
        if tag == "x":
            return self._matters(ref[1])
        if tag == "r":
            return is_wrapper or bool(ref[2]) or self._is_class(self.record.refs[ref[1]])
        if tag == "a":
            base = self.record.refs[ref[1]]
            own = base[0] == "s" and ref[2] in self.record.classes[base[1]].methods
            return is_wrapper or own or base[0] == "i"
        return is_wrapper

    @staticmethod
    def _is_class(ref: Ref) -> bool:
        """Whether a reference is a class, one that is imported judged by its CapWords name."""
        if ref[0] == "c":
            return True
        last = str(ref[1]).rpartition(".")[2].lstrip("_") if ref[0] in ("x", "*") else ""
        return last[:1].isupper() and not last.isupper()

    def _is_wrapper(self, dotted: str) -> bool:
        return dotted.rpartition(".")[2] in self._wrappers

    def _matters(self, dotted: str) -> bool:
        """Whether something imported may be of the project, or wraps functions."""
        root = dotted.partition(".")[0]
        if root == "functools":
            return dotted == "functools.partial"
        if root in _FOREIGN:
            return False
        if root == "jax":
            return self._is_wrapper(dotted)
        return True


def _add(record: ClassRecord, name: str, refs: Iterable[int]) -> None:
    """Note what an attribute of a class may be."""
    known = record.attributes.setdefault(name, [])
    known.extend(ref for ref in refs if ref not in known and len(known) < _MOST)


def _given(node: cst.Call) -> Iterator[tuple[Key, cst.BaseExpression]]:
    """Yield the arguments of a call by position or keyword, up to `*args`, after which positions are not known."""
    for position, arg in enumerate(node.args):
        if arg.keyword is not None:
            yield arg.keyword.value, arg.value
        elif arg.star == "*":
            return
        elif not arg.star and position < _MOST_ARGUMENTS:
            yield position, arg.value


def _decorator(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return what a decorator is known by: `lru_cache(maxsize=None)` does what `lru_cache` does."""
    return node.func if isinstance(node, cst.Call) and is_memoiser(last_name(node.func)) else node


def _defined_in_loops(tree: Tree) -> dict[int, frozenset[str]]:
    """Return the names of the functions that each loop makes, by the `id` of the loop."""
    found: dict[int, set[str]] = {id(loop): set() for loop in tree.loops}
    for function in tree.functions:
        loop = function.context.loop
        while loop is not None and not function.is_lambda and function.cls is None:
            found[id(loop)].add(function.name)
            loop = loop.outer
    return {key: frozenset(names) for key, names in found.items()}


_FUNCTION_LIKE = kinds(cst.Name, cst.Attribute, cst.Call, cst.Lambda, cst.IfExp)
_STATICS = frozenset({"static_argnums", "static_argnames", "static_broadcasted_argnums"})


def _class_in(node: cst.BaseExpression) -> cst.Name | cst.Attribute | None:
    """Return the one class that an annotation names, in quotes or perhaps as an alternative to None."""
    if isinstance(node, (cst.Name, cst.Attribute)):
        return node
    if isinstance(node, cst.SimpleString):
        text = node.evaluated_value
        return cst.Name(text) if isinstance(text, str) and text.isidentifier() else None
    if isinstance(node, cst.BinaryOperation):
        parts = [part for part in (node.left, node.right) if last_name(part) != "None"]
        return _class_in(parts[0]) if len(parts) == 1 else None
    if isinstance(node, cst.Subscript) and last_name(node.value) == "Optional":
        index = node.slice[0].slice
        return _class_in(index.value) if isinstance(index, cst.Index) else None
    return None


def _default(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return the default of a field that a class declares, as `field(default=f)` does."""
    if isinstance(node, cst.Call):
        return next((arg.value for arg in node.args if arg.keyword and arg.keyword.value == "default"), node)
    return node


def _is_super(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "super"


def _may_hold_wrappers(dotted: str) -> bool:
    """Whether a dotted name is a library, or a part of one, whose attributes include wrappers or array functions."""
    return dotted.partition(".")[0] in ("jax", "functools")
