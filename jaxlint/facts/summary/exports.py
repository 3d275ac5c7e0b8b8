"""What one module tells the others: which functions and classes it has, what they call, pass on, wrap and return.

The record is made from `ast` alone, in one walk, and depends on nothing but the text: not on where the file lies, nor
on settings, nor on other files.  `jaxlint.project` joins the records of all modules.

What an expression represents is a *reference*.  References are kept once, in a table, and name each other by number:

    ("f", n)         function n of the module; a `def` or a lambda
    ("c", n)         class n of the module
    ("x", name)      something imported, by its dotted name as the import spells it, or a builtin of a library
    ("*", name)      a name that only a star import can have bound
    ("p", n, name)   a parameter of function n
    ("s", n)         an instance of class n, perhaps of a subclass: `self`
    ("i", ref)       an instance of an annotated class, perhaps of a subclass
    ("u", n)         `super()` in class n
    ("a", ref, attr) an attribute
    ("?", attr)      an attribute of something unknown
    ("r", ref, args, static)
                     what a call gives; `args` are the arguments that may be functions, as (position or keyword, ref),
                     `static` the literal values of the keywords that name static arguments
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from jaxlint.facts.jax_api import arrays
from jaxlint.facts.jax_api.glance import (
    counts,
    is_host_loop,
    is_memoiser,
    is_step_loop,
    is_step_name,
    last_name,
    names_many,
)
from jaxlint.facts.jax_api.wrappers import known_last_names

Ref: TypeAlias = tuple[Any, ...]
Key: TypeAlias = int | str

LOOP = 1
"""A call is in a loop."""
HOST_LOOP = 2
"""A call is in a loop in which a program seems to spend its time."""

GUARDED = 4
"""Added where a test for tracers decides whether the call is reached."""

STEPS = 8
"""Added where a loop around the call does the same again in each iteration."""

OTHERS = 16
"""Added where the call may be of something else as well, as of `run = fast if compiled else slow`."""

RULES = "@rules"
"""The dotted name that represents `f.defvjp` and similar functions, all of whose arguments are traced."""

_DEFINES_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap", "defpartial"})
CONSTRUCTORS = frozenset({"__init__", "__post_init__"})
"""The methods that make an instance."""

_DEPTH = 5
"""How many expressions within expressions a reference follows."""
_MOST = 4
"""How many values a name is taken to have."""

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


@dataclass(slots=True)
class FunctionRecord:
    """One `def` or lambda; function 0 is the module's own code.

    `outer` and `cls` are the numbers of what it is defined in, -1 for none.  `calls` holds (reference, 0 or LOOP
    or HOST_LOOP, and perhaps GUARDED, STEPS and OTHERS, line); `passes` holds (callee, position or keyword, reference
    of the argument, line).
    `operations` counts the calls of array functions, and the updates, that are written in it outside of any `if`.
    `once` is the mark `# jaxlint: once`; `mapped` says that it uses a named axis by its literal name, which only a
    mapped function has, `hosted` that it decides by the values of array operations what it does.
    """

    name: str
    qualname: str
    outer: int = -1
    cls: int = -1
    params: list[str] = field(default_factory=list)
    decorators: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    calls: list[tuple[int, int, int]] = field(default_factory=list)
    passes: list[tuple[int, Key, int, int]] = field(default_factory=list)
    operations: int = 0
    once: bool = False
    mapped: bool = False
    hosted: bool = False
    row: int = 0

    @property
    def is_lambda(self) -> bool:
        """Whether it is a lambda."""
        return self.name == "<lambda>"


@dataclass(slots=True)
class ClassRecord:
    """One class; `attributes` holds what its methods assign to `self`, and what its body assigns or annotates.

    `made` names the attributes that the constructor assigns.  `by_value` says that its instances may equal one another,
    as a decorator or `__eq__` has it.
    """

    name: str
    qualname: str
    outer: int
    bases: list[int] = field(default_factory=list)
    methods: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, list[int]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    by_value: bool = False
    row: int = 0


@dataclass(slots=True)
class Exports:
    """The record of one module; `names` are those bound at its top level, `stars` the modules that it star-imports.

    `replaced` are the methods that an instance gets in wrapped form, `model.step = jax.jit(model.step)`.  `is_script`
    says that it tests `__name__`.
    """

    refs: list[Ref] = field(default_factory=list)
    names: dict[str, list[int]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    functions: list[FunctionRecord] = field(default_factory=list)
    classes: list[ClassRecord] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    is_script: bool = False

    def plain(self) -> list[Any]:
        """Return the record as lists, numbers and text, for JSON."""
        return [
            self.refs,
            self.names,
            self.stars,
            [[getattr(function, name) for name in _FUNCTION_FIELDS] for function in self.functions],
            [[getattr(cls, name) for name in _CLASS_FIELDS] for cls in self.classes],
            self.replaced,
            self.is_script,
        ]

    @classmethod
    def of_plain(cls, plain: list[Any]) -> Exports:
        """Return the record that `plain` gave.

        Raises:
            ValueError, TypeError: it is no such record.
        """
        refs, names, stars, functions, classes, replaced, is_script = plain
        return cls(
            [tuple(ref) for ref in refs],
            names,
            stars,
            [FunctionRecord(*values) for values in functions],
            [ClassRecord(*values) for values in classes],
            replaced,
            is_script,
        )


_FUNCTION_FIELDS = tuple(FunctionRecord.__dataclass_fields__)
_CLASS_FIELDS = tuple(ClassRecord.__dataclass_fields__)


def exports(tree: ast.Module, once_rows: Collection[int] = ()) -> Exports:
    """Return the record of a module.

    Args:
        tree: the module, as `ast` parses it.
        once_rows: the lines that bear a `# jaxlint: once` mark.
    """
    return _Reader(tree, once_rows).record


class _Place(NamedTuple):
    """Where a node is; `cls` is the class whose body it is in, -1 for none.

    `prefix` begins the qualified names of what is defined there, `sure` says that no `if` is around it, `guarded`
    that one which asks for tracers does, `decides` that it is part of the test of one, or of a `while`.  `steps` holds
    for each loop around it that does the same again the names that it counts by, none where they count steps for sure.
    """

    function: int
    prefix: str
    cls: int
    loop: int
    sure: bool = True
    guarded: bool = False
    steps: tuple[frozenset[str], ...] = ()
    decides: bool = False


class _Reader:
    """Reads one module: first what is bound where, then what the calls refer to."""

    def __init__(self, tree: ast.Module, once_rows: Collection[int]) -> None:
        self.record = Exports()
        self._once_rows = once_rows
        self._numbers: dict[Ref, int] = {}
        self._scopes: list[dict[str, list[ast.expr | Ref | None]]] = []
        self._annotations: list[dict[str, ast.expr]] = []
        self._names: dict[tuple[int, str], tuple[int, ...]] = {}
        self._lambdas: dict[ast.Lambda, int] = {}
        self._calls: list[tuple[ast.Call, _Place, int]] = []
        self._returns: list[tuple[ast.expr, int]] = []
        self._decorators: list[tuple[ast.expr, int]] = []
        self._bases: list[tuple[ast.expr, int, int]] = []
        self._given: list[tuple[int, str, ast.expr | None]] = []
        self._stores: list[tuple[int, str, ast.expr, int, bool]] = []
        self._replaced: list[tuple[ast.expr, int]] = []
        self._stack: list[tuple[ast.AST, _Place]] = []
        self._wrappers = known_last_names()
        self.record.is_script = any(isinstance(node, ast.If) and _tests_name(node.test) for node in tree.body)
        self._function("", "", -1, -1)
        self._push(_Place(0, "", -1, loop=0), *tree.body)
        self._walk()
        self._resolve()

    # The walk

    def _function(self, name: str, qualname: str, outer: int, cls: int) -> int:
        self.record.functions.append(FunctionRecord(name, qualname, outer, cls))
        self._scopes.append({})
        self._annotations.append({})
        return len(self.record.functions) - 1

    def _walk(self) -> None:
        """Gather what is in the bodies that are waiting."""
        stack = self._stack
        pop, push, handlers, scopes = stack.pop, stack.append, _HANDLERS, self._scopes
        constant, name_, attribute, store = ast.Constant, ast.Name, ast.Attribute, ast.Store
        while stack:
            node, at = pop()
            kind = node.__class__
            while kind is attribute:
                node = node.value  # type: ignore[attr-defined]
                kind = node.__class__
            if kind is constant:
                continue
            if kind is name_:
                if node.ctx.__class__ is store and at.cls < 0:  # type: ignore[attr-defined]
                    scopes[at.function].setdefault(node.id, []).append(None)  # type: ignore[attr-defined]
                continue
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node, at)
                continue
            for name in _fields[kind]:
                value = getattr(node, name)
                if value.__class__ is list:
                    stack.extend([(item, at) for item in value if item is not None])
                elif value is not None:
                    push((value, at))

    def _push(self, at: _Place, *nodes: ast.AST | None) -> None:
        self._stack.extend((node, at) for node in nodes if node is not None)

    def _bind(self, name: str, value: ast.expr | Ref | None, at: _Place) -> None:
        if at.cls < 0:
            self._scopes[at.function].setdefault(name, []).append(value)
        elif isinstance(value, ast.expr):
            self._stores.append((at.cls, name, value, at.function, False))
        elif value is not None and value[0] != "f":
            self.record.classes[at.cls].attributes.setdefault(name, []).append(self._number(value))

    def _on_call(self, node: ast.Call, at: _Place) -> None:
        loop = at.loop + GUARDED * at.guarded + STEPS * (bool(at.steps) and self._is_alike(node, at))
        self._calls.append((node, at, loop))
        stack = self._stack
        stack.append((node.func, at))
        stack.extend([(arg, at) for arg in node.args])
        stack.extend([(keyword.value, at) for keyword in node.keywords])

    def _is_alike(self, node: ast.Call, at: _Place) -> bool:
        """Whether a loop around a call repeats it with alike arguments, and does not build the parts of an object."""
        if self.record.functions[at.function].name in CONSTRUCTORS:
            return False
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        if any(isinstance(arg, ast.Lambda) for arg in given):
            return False
        handed = {arg.id for arg in given if isinstance(arg, ast.Name)}
        return any(not names & handed for names in at.steps)

    def _on_if(self, node: ast.If, at: _Place) -> None:
        decides = not all(isinstance(part, ast.Raise) for part in node.body)
        self._push(at._replace(decides=True) if decides else at, node.test)
        guarded = at.guarded or _asks_for_tracers(node.test)
        self._push(at._replace(sure=False, guarded=guarded), *node.body, *node.orelse)

    def _on_assign(self, node: ast.Assign, at: _Place) -> None:
        self._push(at, node.value)
        for target in node.targets:
            self._assign(target, node.value, at)

    def _on_ann_assign(self, node: ast.AnnAssign, at: _Place) -> None:
        if node.value is not None:
            self._push(at, node.value)
            self._assign(node.target, node.value, at)
        target = node.target
        if at.cls >= 0 and isinstance(target, ast.Name):
            self._stores.append((at.cls, target.id, node.annotation, at.function, True))
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = self._self_of(target.value.id, at.function)
            if owner >= 0:
                self._stores.append((owner, target.attr, node.annotation, at.function, True))

    def _assign(self, target: ast.expr, value: ast.expr, at: _Place) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, value, at)
            return
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner = self._self_of(target.value.id, at.function)
            if owner >= 0:
                self._stores.append((owner, target.attr, value, at.function, False))
            elif isinstance(value, ast.Call):
                same = ast.unparse(target)
                self._replaced.extend((arg, at.function) for arg in value.args if ast.unparse(arg) == same)
        self._push(at, target)

    def _on_named(self, node: ast.NamedExpr, at: _Place) -> None:
        self._push(at, node.value)
        self._bind(node.target.id, node.value, at)

    def _on_return(self, node: ast.Return, at: _Place) -> None:
        if node.value is not None:
            self._push(at, node.value)
            self._returns.append((node.value, at.function))

    def _on_for(self, node: ast.For | ast.AsyncFor, at: _Place) -> None:
        self._push(at, node.target, node.iter, *node.orelse)
        self._push(self._inside(node, at), *node.body)

    def _on_while(self, node: ast.While, at: _Place) -> None:
        self._push(at, *node.orelse)
        inside = self._inside(node, at)
        self._push(inside._replace(decides=True), node.test)
        self._push(inside, *node.body)

    @staticmethod
    def _inside(node: ast.For | ast.AsyncFor | ast.While, at: _Place) -> _Place:
        """Return the place of a loop's body."""
        steps = (*at.steps, _counted(node)) if is_step_loop(node) else at.steps
        return at._replace(loop=max(at.loop, HOST_LOOP if is_host_loop(node) else LOOP), steps=steps)

    def _on_comprehension(self, node: Any, at: _Place) -> None:
        inside = at
        for clause in node.generators:
            self._push(inside, clause.target, clause.iter)
            steps = (*inside.steps, _counted(clause)) if is_step_loop(clause) else inside.steps
            inside = at._replace(loop=max(at.loop, LOOP), steps=steps)
            self._push(inside, *clause.ifs)
        if isinstance(node, ast.DictComp):
            self._push(inside, node.key, node.value)
        else:
            self._push(inside, node.elt)

    def _on_import(self, node: ast.Import, at: _Place) -> None:
        for alias in node.names:
            if alias.asname:
                self._bind(alias.asname, ("x", alias.name), at)
            else:
                first = alias.name.partition(".")[0]
                self._bind(first, ("x", first), at)

    def _on_import_from(self, node: ast.ImportFrom, at: _Place) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.record.stars.append(module)
                continue
            dotted = module + alias.name if module.endswith(".") else f"{module}.{alias.name}"
            self._bind(alias.asname or alias.name, ("x", dotted), at)

    def _on_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, at: _Place) -> None:
        qualname = at.prefix + node.name
        number = self._function(node.name, qualname, at.function, at.cls)
        self._bind(node.name, ("f", number), at)
        if at.cls >= 0:
            self.record.classes[at.cls].methods.setdefault(node.name, number)
        self._parameters(number, node.args, at)
        self.record.functions[number].once = node.lineno in self._once_rows
        self.record.functions[number].row = node.lineno
        for decorator in node.decorator_list:
            self._push(at, decorator)
            self._decorators.append((decorator, number))
        self._push(_Place(number, f"{qualname}.", -1, loop=0), *node.body)

    def _on_lambda(self, node: ast.Lambda, at: _Place) -> None:
        qualname = f"{at.prefix}<lambda>"
        number = self._function("<lambda>", qualname, at.function, -1)
        self._lambdas[node] = number
        self.record.functions[number].row = node.lineno
        self._parameters(number, node.args, at)
        self._returns.append((node.body, number))
        self._push(_Place(number, f"{qualname}.", -1, loop=0), node.body)

    def _parameters(self, number: int, args: ast.arguments, at: _Place) -> None:
        scope, annotations = self._scopes[number], self._annotations[number]
        self.record.functions[number].params.extend(arg.arg for arg in (*args.posonlyargs, *args.args))
        for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            scope[arg.arg] = [("p", number, arg.arg)]
            if arg.annotation is not None:
                annotations[arg.arg] = arg.annotation
        for star in (args.vararg, args.kwarg):
            if star is not None:
                scope[star.arg] = [None]
        self._push(at, *args.defaults, *args.kw_defaults)
        positional = [*args.posonlyargs, *args.args]
        given = [
            *zip(reversed(positional), reversed(args.defaults), strict=False),
            *zip(args.kwonlyargs, args.kw_defaults, strict=True),
        ]
        self._given.extend((number, arg.arg, value) for arg, value in given if value.__class__ in _FUNCTION_LIKE)

    def _on_class(self, node: ast.ClassDef, at: _Place) -> None:
        number = len(self.record.classes)
        qualname = at.prefix + node.name
        record = ClassRecord(node.name, qualname, at.function, by_value=_is_by_value(node), row=node.lineno)
        self.record.classes.append(record)
        self._bind(node.name, ("c", number), at)
        self._bases.extend((base, number, at.function) for base in node.bases)
        self._push(at, *node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords))
        self._push(_Place(at.function, f"{at.prefix}{node.name}.", number, at.loop, steps=at.steps), *node.body)

    def _self_of(self, name: str, function: int) -> int:
        """Return the class whose instance a name is: the first parameter of a method around; -1 for none."""
        current = function
        while current > 0:
            record = self.record.functions[current]
            if record.cls >= 0:
                return record.cls if record.params and record.params[0] == name else -1
            current = record.outer
        return -1

    # References

    def _number(self, ref: Ref) -> int:
        number = self._numbers.get(ref)
        if number is None:
            number = self._numbers[ref] = len(self.record.refs)
            self.record.refs.append(ref)
        return number

    def _resolve(self) -> None:
        record = self.record
        for name in self._scopes[0]:
            refs = self._name(name, 0)
            if refs:
                record.names[name] = list(refs)
        for node, function in self._returns:
            record.functions[function].returns.extend(self._expression(node, function))
        for node, function in self._decorators:
            outer = record.functions[function].outer
            record.functions[function].decorators.extend(self._expression(_decorator(node), outer))
        for node, number, function in self._bases:
            record.classes[number].bases.extend(self._expression(node, function))
        for number, name, node, function, is_annotation in self._stores:
            refs = self._annotated(node, function) if is_annotation else self._expression(_default(node), function)
            known = record.classes[number].attributes.setdefault(name, [])
            known.extend(ref for ref in refs if ref not in known and len(known) < _MOST)
            if record.functions[function].name in CONSTRUCTORS and name not in record.classes[number].made:
                record.classes[number].made.append(name)
        for node, function in self._replaced:
            record.replaced.extend(self._expression(node, function))
        for call, at, loop in self._calls:
            self._call(call, at, loop)
        for number, name, value in self._given:
            outer = max(record.functions[number].outer, 0)
            refs = self._expression(value, outer) if value is not None else ()
            callee = self._number(("f", number))
            record.functions[outer].passes.extend(
                (callee, name, ref, record.functions[number].row)
                for ref in refs
                if self._may_be_function(ref, is_wrapper=False)
            )

    def _name(self, name: str, function: int) -> tuple[int, ...]:
        """Return what a name represents where a function uses it."""
        key = (function, name)
        known = self._names.get(key)
        if known is not None:
            return known
        self._names[key] = ()
        current = function
        while True:
            values = self._scopes[current].get(name)
            if values is not None:
                found = self._values(values, current)
                break
            if current <= 0:
                found = (self._number(("*", name)),) if self.record.stars else ()
                break
            current = self.record.functions[current].outer
        self._names[key] = found
        return found

    def _values(self, values: list[ast.expr | Ref | None], function: int) -> tuple[int, ...]:
        found: dict[int, None] = {}
        for value in values:
            if value is None:
                continue
            if isinstance(value, tuple):
                found.update(dict.fromkeys(self._bound(value, function)))
            else:
                found.update(dict.fromkeys(self._expression(value, function)))
            if len(found) >= _MOST:
                break
        return tuple(found)

    def _bound(self, ref: Ref, function: int) -> tuple[int, ...]:
        if ref[0] == "x" and not self._matters(ref[1]) and not _may_hold_wrappers(ref[1]):
            return ()
        if ref[0] == "p":
            record = self.record.functions[function]
            if record.cls >= 0 and record.params[:1] == [ref[2]]:
                return (self._number(("s", record.cls)),)
            annotation = self._annotations[function].get(ref[2])
            if annotation is not None:
                found = self._annotated(annotation, record.outer)
                if found:
                    return found
        return (self._number(ref),)

    def _annotated(self, node: ast.expr, function: int) -> tuple[int, ...]:
        named = _class_in(node)
        if named is None:
            return ()
        refs = self._expression(named, function)
        return tuple(self._number(("i", ref)) for ref in refs if self.record.refs[ref][0] in ("x", "c"))

    def _expression(self, node: ast.expr, function: int, depth: int = _DEPTH) -> tuple[int, ...]:
        kind = node.__class__
        if kind is ast.Name:
            return self._name(node.id, function)  # type: ignore[attr-defined]
        if kind is ast.Attribute:
            return self._attribute(node, function, depth)  # type: ignore[arg-type]
        if depth <= 0:
            return ()
        if kind is ast.Call:
            return self._result(node, function, depth)  # type: ignore[arg-type]
        if kind is ast.Lambda:
            return (self._number(("f", self._lambdas[node])),) if node in self._lambdas else ()
        if kind is ast.IfExp:
            body, orelse = node.body, node.orelse  # type: ignore[attr-defined]
            return (*self._expression(body, function, depth - 1), *self._expression(orelse, function, depth - 1))
        if kind is ast.BoolOp:
            values = node.values  # type: ignore[attr-defined]
            return tuple(ref for value in values[:_MOST] for ref in self._expression(value, function, depth - 1))
        if kind is ast.NamedExpr:
            return self._expression(node.value, function, depth - 1)  # type: ignore[attr-defined]
        return ()

    def _attribute(self, node: ast.Attribute, function: int, depth: int) -> tuple[int, ...]:
        attr, value = node.attr, node.value
        if _is_super(value):
            owner = self._class_around(function)
            return (self._number(("a", self._number(("u", owner)), attr)),) if owner >= 0 else ()
        bases = self._expression(value, function, depth - 1) if depth > 0 else ()
        if not bases:
            if isinstance(value, ast.Name) and self._is_foreign_name(value.id, function):
                return ()
            return () if attr in _COMMON_METHODS else (self._number(("?", attr)),)
        found: dict[int, None] = {}
        for base in bases:
            ref = self.record.refs[base]
            if ref[0] == "x":
                found[self._number(("x", f"{ref[1]}.{attr}"))] = None
            elif ref[0] == "p" and attr in ("__func__", "__wrapped__", "func"):
                found[base] = None  # the function behind a bound method, a wrapped function or a partial
            elif ref[0] in ("p", "?"):
                if attr not in _COMMON_METHODS:
                    found[self._number(("?", attr))] = None
            else:
                found[self._number(("a", base, attr))] = None
        return tuple(found)

    def _is_foreign_name(self, name: str, function: int) -> bool:
        """Whether a name represents an imported module of no interest, so that its attributes are none either."""
        current = function
        while current >= 0:
            values = self._scopes[current].get(name)
            if values is not None:
                return any(isinstance(value, tuple) and value[0] == "x" for value in values)
            current = self.record.functions[current].outer
        return False

    def _class_around(self, function: int) -> int:
        current = function
        while current > 0:
            if self.record.functions[current].cls >= 0:
                return self.record.functions[current].cls
            current = self.record.functions[current].outer
        return -1

    def _result(self, node: ast.Call, function: int, depth: int) -> tuple[int, ...]:
        found = []
        for callee in self._expression(node.func, function, depth - 1):
            ref = self.record.refs[callee]
            if ref[0] == "x" and not self._matters(ref[1]):
                continue
            if ref[0] == "?":
                continue
            args = tuple(self._function_args(node, ref, function, depth - 1))
            found.append(self._number(("r", callee, args, _statics(node))))
        return tuple(found)

    def _function_args(self, node: ast.Call, callee: Ref, function: int, depth: int) -> Iterable[tuple[Key, int]]:
        """Yield the arguments that may be functions, by position or keyword."""
        is_wrapper = callee[0] in ("r", "x") and (callee[0] == "r" or self._is_wrapper(callee[1]))
        given: list[tuple[Key, ast.expr]] = list(enumerate(node.args[:8]))
        given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg is not None]
        for key, value in given:
            if value.__class__ is ast.Starred:
                break
            if value.__class__ in (ast.List, ast.Tuple) and is_wrapper:
                for item in value.elts[:8]:
                    for ref in self._expression(item, function, depth):
                        if self._may_be_function(ref, is_wrapper):
                            yield key, ref
                continue
            if value.__class__ not in _FUNCTION_LIKE:
                continue
            for ref in self._expression(value, function, depth):
                if self._may_be_function(ref, is_wrapper):
                    yield key, ref

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
            return dotted.rpartition(".")[2] in self._wrappers
        return True

    # Calls

    def _call(self, node: ast.Call, at: _Place, loop: int) -> None:
        function = at.function
        record = self.record.functions[function]
        func = node.func
        if func.__class__ is ast.Attribute:
            if func.attr in _DEFINES_RULES:
                rules, passed = self._number(("x", RULES)), self._function_args(node, ("r",), function, _DEPTH)
                record.passes.extend((rules, key, ref, node.lineno) for key, ref in passed)
                return
            record.operations += at.sure and func.attr in arrays.UPDATES and _is_update(func.value)
        callees = self._expression(func, function)
        loop += OTHERS * (len(callees) > 1)
        for callee in callees:
            ref = self.record.refs[callee]
            if ref[0] == "x":
                if arrays.is_operation(ref[1]):
                    record.operations += at.sure
                    record.hosted |= at.decides
                if ref[1] in arrays.COLLECTIVES and _names_axis(node):
                    record.mapped = True
                if not self._matters(ref[1]):
                    continue
            record.calls.append((callee, loop, node.lineno))
            if ref[0] != "?":
                passed = self._function_args(node, ref, function, _DEPTH)
                record.passes.extend((callee, key, argument, node.lineno) for key, argument in passed)


def _decorator(node: ast.expr) -> ast.expr:
    """Return what a decorator is known by: `lru_cache(maxsize=None)` does what `lru_cache` does."""
    return node.func if isinstance(node, ast.Call) and is_memoiser(last_name(node.func)) else node


def _counted(loop: ast.For | ast.AsyncFor | ast.While | ast.comprehension) -> frozenset[str]:
    """Return the names by which a loop counts, unless it counts steps by their name, and those of functions in it."""
    made = frozenset() if isinstance(loop, ast.comprehension) else frozenset(_defined(loop.body))
    if isinstance(loop, ast.While) or not isinstance(loop.iter, ast.Call):
        return made
    bounds = counts(loop.iter)
    if not bounds or any(map(names_many, bounds)):
        return made
    names = frozenset(part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name))
    return made if any(map(is_step_name, names)) else names | made


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names of the functions that some statements define, those in branches included."""
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, (ast.If, ast.With, ast.Try, ast.For, ast.While, ast.ExceptHandler)):
            for name in ("body", "orelse", "finalbody", "handlers"):
                work.extend(getattr(node, name, ()))


_FUNCTION_LIKE = frozenset({ast.Name, ast.Attribute, ast.Call, ast.Lambda, ast.IfExp})
_STATICS = frozenset({"static_argnums", "static_argnames", "static_broadcasted_argnums"})


def _statics(node: ast.Call) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
    found = []
    for keyword in node.keywords:
        if keyword.arg in _STATICS:
            value = keyword.value
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
            literals = tuple(p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, (int, str)))
            found.append((keyword.arg, literals))
    return tuple(found)


def _is_update(node: ast.expr) -> bool:
    """Whether it is `x.at[i]`."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "at"


def _class_in(node: ast.expr) -> ast.Name | ast.Attribute | None:
    """Return the one class that an annotation names, in quotes or perhaps as an alternative to None."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        return node
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        return ast.Name(node.value, ast.Load())
    if isinstance(node, ast.BinOp):
        parts = [part for part in (node.left, node.right) if not _is_none(part)]
        return _class_in(parts[0]) if len(parts) == 1 else None
    if isinstance(node, ast.Subscript):
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        return _class_in(node.slice) if name == "Optional" else None
    return None


def _names_axis(node: ast.Call) -> bool:
    """Whether an argument is a literal text, as the name of an axis is."""
    given = (*node.args, *(keyword.value for keyword in node.keywords))
    return any(isinstance(value, ast.Constant) and isinstance(value.value, str) for value in given)


def _is_by_value(node: ast.ClassDef) -> bool:
    names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    return bool(node.decorator_list) or not names.isdisjoint(("__eq__", "__hash__"))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _tests_name(node: ast.expr) -> bool:
    return "__name__" in _names_in(node)


def _asks_for_tracers(test: ast.expr) -> bool:
    """Whether a test mentions tracers or of concrete values."""
    return any("tracer" in name or "concrete" in name for name in map(str.lower, _names_in(test)))


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes in a piece of code; `ast.walk` takes three times as long."""
    stack = [node]
    while stack:
        current = stack.pop()
        kind = current.__class__
        if kind is ast.Name:
            yield current.id  # type: ignore[attr-defined]
            continue
        if kind is ast.Attribute:
            yield current.attr  # type: ignore[attr-defined]
        for name in _fields[kind]:
            value = getattr(current, name)
            if value.__class__ is list:
                stack.extend(part for part in value if part is not None)  # the keys of a dictionary in `{**other}`
            elif isinstance(value, ast.AST):
                stack.append(value)


def _default(node: ast.expr) -> ast.expr:
    """Return the default of a field that a class declares, as `field(default=f)` does."""
    if isinstance(node, ast.Call):
        return next((keyword.value for keyword in node.keywords if keyword.arg == "default"), node)
    return node


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _may_hold_wrappers(dotted: str) -> bool:
    """Whether a dotted name is a library, or a part of one, whose attributes include wrappers or array functions."""
    return dotted.partition(".")[0] in ("jax", "functools")


_SKIPPED = frozenset(
    "ctx op ops type_comment returns annotation kind type_ignores conversion type_params attr id arg name names".split()
)


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of nodes that may hold code."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        skipped = _SKIPPED | ({"value"} if kind is ast.MatchSingleton else set())
        skipped |= {"level", "module", "simple", "is_async", "rest", "kwd_attrs"}
        found = self[kind] = tuple(name for name in kind._fields if name not in skipped)
        return found


_fields = _Fields()


_HANDLERS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Call: _Reader._on_call,
    ast.If: _Reader._on_if,
    ast.Assign: _Reader._on_assign,
    ast.AnnAssign: _Reader._on_ann_assign,
    ast.NamedExpr: _Reader._on_named,
    ast.Return: _Reader._on_return,
    ast.For: _Reader._on_for,
    ast.AsyncFor: _Reader._on_for,
    ast.While: _Reader._on_while,
    ast.ListComp: _Reader._on_comprehension,
    ast.SetComp: _Reader._on_comprehension,
    ast.DictComp: _Reader._on_comprehension,
    ast.GeneratorExp: _Reader._on_comprehension,
    ast.Import: _Reader._on_import,
    ast.ImportFrom: _Reader._on_import_from,
    ast.FunctionDef: _Reader._on_function,
    ast.AsyncFunctionDef: _Reader._on_function,
    ast.Lambda: _Reader._on_lambda,
    ast.ClassDef: _Reader._on_class,
}
