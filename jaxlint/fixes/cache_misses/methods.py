"""Compiling a method once: as an attribute made in `__init__`, or as a function of the module."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.cache_misses.hoist import insert_definition, option_texts, reads_what_changes, wrapper_text
from jaxlint.fixes.moved_code.captures import dotted
from jaxlint.fixes.moved_code.made import Made, made_by
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.moving import indentation, rows
from jaxlint.fixes.text.scopes import DEFS, Scopes, all_arguments
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

_MUTATORS = frozenset(
    "append extend insert pop remove clear update add discard setdefault popitem sort reverse popleft appendleft "
    "__setitem__ __delitem__ fill write".split()
)
_HOOKS = frozenset(
    "__slots__ __setattr__ __getattr__ __getattribute__ __delattr__ __new__ __getstate__ __setstate__ __reduce__ "
    "__copy__ __deepcopy__ tree_flatten tree_unflatten".split()
)
"""What makes an attribute more than an attribute, or makes objects in other ways than by `__init__`."""
_COPIERS = ("copy.", "pickle.", "cloudpickle.", "dill.", "joblib.", "multiprocessing.")
"""Modules that make objects of objects: a jitted function cannot be pickled, and a copy keeps its original's."""
_GIVERS = ("numpy.random.", "random.", "itertools.", "time.")
"""Modules of objects that give another value each time."""
_PLAIN_BASES = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_HASHABLE = frozenset({"int", "float", "str", "bool", "complex", "bytes"})


def compiled_attribute(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that compiles a method in `__init__`, under an attribute that the site reads.

    Raises:
        NoFixError: the class is not visible, changes itself, or may be made in other ways than by its `__init__`.
    """
    made = made_by(facts, site)
    draft, syntax = made.draft, made.syntax
    maker = made.maker
    if not isinstance(maker, ast.Call) or len(maker.args) != 1:
        raise NoFixError("no call of the wrapper with the function alone")
    owner, name, reads = _owner(made, maker)
    own = site.target.root.cls.name if site.target.root is not None and site.target.root.cls is not None else ""
    known = _Class.of(syntax, made.scopes, own or _only_class_with(syntax, reads[-1].attr))
    init = known.init
    for read in reads:
        known.refuse_changes(read.attr)
        reads_what_changes(made, *known.methods(read.attr))
    instance = init.args.args[0].arg if init.args.args else ""
    if not instance or made.scopes.bindings(instance, init) != [init.args.args[0]]:
        raise NoFixError("the instance is bound again")
    text = _for_instance(made, maker, reads, instance)
    attribute = known.attribute_for(text, instance)
    if attribute is None:
        inside = any(member in set(syntax.around(maker)) for member in known.family)
        attribute = _fresh_attribute(made, name, private=inside)
        _add_to_init(made, known, f"{instance}.{attribute} = {text}")
    draft.replace(maker, f"{owner}.{attribute}")
    return draft.fix(
        Applicability.UNSAFE,
        f"Jit it once, in `__init__`, as `{instance}.{attribute}`",
        "no attribute that it reads may change afterwards",
    )


def _only_class_with(syntax: Syntax, method: str) -> str:
    """Return the name of the one class of the module that defines a method; empty where there is none, or several."""
    found = {
        node.name
        for node in ast.walk(syntax.tree)
        if isinstance(node, ast.ClassDef) and any(_name_of(statement) == method for statement in node.body)
    }
    return found.pop() if len(found) == 1 else ""


def _owner(made: Made, maker: ast.Call) -> tuple[str, str, list[ast.Attribute]]:
    """Return the name of the object whose methods an expression compiles, a name for the result, and the reads."""
    scopes, syntax = made.scopes, made.syntax
    captured = scopes.captured(maker)
    if len(captured) != 1:
        raise NoFixError("more than one thing is captured")
    owner, loads = next(iter(captured.items()))
    scope = scopes.binder(owner, scopes.of(loads[0]))
    if scope is None or not all(_is_given(syntax, node) for node in scopes.bindings(owner, scope)):
        raise NoFixError("the object may be as short-lived as the call")
    reads: list[ast.Attribute] = []
    for load in loads:
        read = syntax.parents[load]
        above = syntax.parents[read]
        if not isinstance(read, ast.Attribute) or (isinstance(above, ast.Call) and above.func is read):
            raise NoFixError("the object itself is used")
        if isinstance(above, ast.Attribute):
            raise NoFixError("an attribute of an attribute")
        reads.append(read)
    if scopes.captured(*(keyword.value for keyword in maker.keywords)):
        raise NoFixError("an option is captured")
    makers = [dotted(scopes, node.func) for node in ast.walk(maker.args[0]) if isinstance(node, ast.Call)]
    transforms = [last.rpartition(".")[2] for last in reversed(makers) if "artial" not in last]
    return owner, "_".join([reads[-1].attr.strip("_"), *transforms]), reads


def _is_given(syntax: Syntax, node: ast.AST) -> bool:
    """Whether a binding takes an object that somebody else made: a parameter, or what a loop goes over."""
    return isinstance(node, ast.arg) or isinstance(syntax.parents[node], (ast.For, ast.comprehension))


def _for_instance(made: Made, maker: ast.Call, reads: list[ast.Attribute], instance: str) -> str:
    """Return the expression with the instance's name in `__init__` for the object."""
    syntax = made.syntax
    start = syntax.span(maker).start
    code = syntax.code(maker)
    for read in sorted(reads, key=lambda node: -syntax.span(node).start):
        span = syntax.span(read.value)
        code = code[: span.start - start] + instance + code[span.end - start :]
    return " ".join(code.split())


def _fresh_attribute(made: Made, name: str, *, private: bool) -> str:
    taken = made.syntax.words
    for option in (f"_{name}", f"_compiled_{name}") if private else (f"compiled_{name}", f"jitted_{name}"):
        if option not in taken:
            return option
    raise NoFixError("no name for the attribute")


def _add_to_init(made: Made, known: _Class, line: str) -> None:
    """Add a statement to the end of `__init__`, or to its start where its end may not be reached or comes too late."""
    syntax = made.syntax
    init = known.init
    body = init.body
    first = body[0]
    docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    indent = indentation(syntax, first)
    early = any(isinstance(node, (ast.Return, ast.Yield, ast.Await)) for node in ast.walk(init)) or known.calls_itself()
    if early and not docstring:
        place = syntax.above(first)
        made.draft.insert(place, f"{indent}{line}\n")
        return
    after = first if early else body[-1]
    span = rows(syntax, after, comments=False)
    ends = syntax.text[span.end - 1 : span.end] in ("\n", "\r")
    made.draft.insert(span.end, f"{indent}{line}\n" if ends else f"\n{indent}{line}")


@dataclass(eq=False)
class _Class:
    """A class of the module whose instances are made by its own `__init__` alone."""

    syntax: Syntax
    scopes: Scopes
    node: ast.ClassDef
    init: ast.FunctionDef
    family: list[ast.ClassDef]
    """The class, its bases, and the classes that inherit from it."""

    @classmethod
    def of(cls, syntax: Syntax, scopes: Scopes, name: str) -> _Class:
        """Return the class of that name.

        Raises:
            NoFixError: it is not as simple as that.
        """
        node = class_of_module(scopes, name)
        bases = list(bases_of(scopes, node))
        heirs = [
            other
            for other in ast.walk(syntax.tree)
            if isinstance(other, ast.ClassDef)
            and other is not node
            and node in list(bases_of(scopes, other, strict=False))
        ]
        family = [node, *bases, *heirs]
        for member in family:
            if member.decorator_list or any(_name_of(statement) in _HOOKS for statement in member.body):
                raise NoFixError(f"{member.name} makes its instances in its own way")
        init = _init(node)
        if init is None:
            raise NoFixError(f"{name} has no __init__")
        for heir in heirs:
            own = _init(heir)
            if own is not None and not _calls_super(own):
                raise NoFixError(f"{heir.name} does not call the __init__ of {name}")
        for call in ast.walk(syntax.tree):
            if isinstance(call, ast.Attribute) and call.attr == "__dict__":
                raise NoFixError("attributes are changed by their names")
            if isinstance(call, ast.Name) and call.id == "vars":
                raise NoFixError("attributes are changed by their names")
            if isinstance(call, ast.expr) and dotted(scopes, call).startswith(_COPIERS):
                raise NoFixError("objects are copied or pickled here, and a jitted function with them")
            if isinstance(call, ast.Call) and "register" in dotted(scopes, call.func).rpartition(".")[2]:
                raise NoFixError("classes are registered as pytrees here")
        return cls(syntax, scopes, node, init, family)

    def methods(self, name: str) -> list[ast.FunctionDef]:
        """Return the methods of that name in the family."""
        return [m for member in self.family for m in member.body if isinstance(m, ast.FunctionDef) and m.name == name]

    def attribute_for(self, text: str, instance: str) -> str | None:
        """Return the attribute to which `__init__` assigns an expression already."""
        for statement in self.init.body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
            if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Attribute):
                continue
            same = " ".join(self.syntax.code(statement.value).split()) == text
            if same and isinstance(target.value, ast.Name) and target.value.id == instance:
                return target.attr
        return None

    def calls_itself(self) -> bool:
        """Whether `__init__` passes the instance on or calls its methods, which may need the attribute already."""
        instance = self.init.args.args[0].arg
        for load in self.scopes.loads(instance, self.init):
            parent = self.syntax.parents[load]
            if not isinstance(parent, ast.Attribute):
                return True
            above = self.syntax.parents[parent]
            if isinstance(above, ast.Call) and above.func is parent:
                return True
        return False

    def refuse_changes(self, name: str, seen: Collection[str] = ()) -> None:
        """Refuse a method that reads what changes after `__init__`: a jitted function keeps what it read first.

        Raises:
            NoFixError: it does, or it cannot be told.
        """
        methods = self.methods(name)
        if not methods:
            raise NoFixError(f"{name} is not a visible method")
        if any(self._changes(name)):
            raise NoFixError(f"{name} is replaced")
        for method in methods:
            if method.decorator_list:
                raise NoFixError(f"{name} is decorated")
            arguments = all_arguments(method.args)
            if not arguments:
                raise NoFixError(f"{name} takes no instance")
            for load in self.scopes.loads(arguments[0].arg, method):
                read = self.syntax.parents[load]
                if not isinstance(read, ast.Attribute) or not isinstance(read.ctx, ast.Load):
                    raise NoFixError(f"{name} passes the instance on, or changes it")
                if self.methods(read.attr):
                    if read.attr not in (*seen, name):
                        self.refuse_changes(read.attr, (*seen, name))
                else:
                    self._refuse_attribute(read)

    def _refuse_attribute(self, read: ast.Attribute) -> None:
        """Refuse an attribute that changes, or whose value does: it may give another value when it is read again."""
        node: ast.AST = read
        while isinstance(node, ast.Attribute):
            if any(self._changes(node.attr)):
                raise NoFixError(f"{node.attr} changes after __init__")
            node = self.syntax.parents[node]
        for value in self._values(read.attr):
            if isinstance(value, ast.Call) and dotted(self.scopes, value.func).startswith(_GIVERS):
                raise NoFixError(f"{read.attr} gives another value each time")
            refuse_changing_object(self.syntax, self.scopes, value)

    def _values(self, attribute: str) -> Iterator[ast.expr]:
        """Yield what is assigned to an attribute of that name."""
        for node in ast.walk(self.syntax.tree):
            if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Attribute) and target.attr == attribute for target in targets):
                yield node.value

    def _changes(self, attribute: str) -> Iterator[ast.AST]:
        """Yield what may change an attribute outside of an `__init__` of the family."""
        inits = {inner for member in self.family for init in [_init(member)] if init for inner in ast.walk(init)}
        for node in ast.walk(self.syntax.tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("setattr", "delattr")
            ):
                yield node
            if not isinstance(node, ast.Attribute) or node.attr != attribute or node in inits:
                continue
            if not isinstance(node.ctx, ast.Load):
                yield node
            above = self.syntax.parents[node]
            if isinstance(above, ast.keyword) and above.arg == "out":
                yield node
            if isinstance(above, ast.Assign) and above.value is node and self._changes_alias(above):
                yield node
            if isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load):
                yield node
            if isinstance(above, ast.Attribute) and (above.attr in _MUTATORS or not isinstance(above.ctx, ast.Load)):
                yield node

    def _changes_alias(self, assignment: ast.Assign) -> bool:
        """Whether the local names that an assignment binds are changed in place."""
        names = {target.id for target in assignment.targets if isinstance(target, ast.Name)}
        around = self.scopes.frame(assignment)
        roots = (root_of(value) for value, _ in changes(ast.walk(around)))
        return any(isinstance(root, ast.Name) and root.id in names for root in roots)


def class_of_module(scopes: Scopes, name: str) -> ast.ClassDef:
    """Return the class of the module of that name.

    Raises:
        NoFixError: there is none, or more than one.
    """
    bindings = scopes.bindings(name, scopes.module) if name else []
    if len(bindings) != 1 or not isinstance(bindings[0], ast.ClassDef) or bindings[0] not in scopes.module.body:
        raise NoFixError("the class is not visible")
    return bindings[0]


def bases_of(scopes: Scopes, node: ast.ClassDef, *, strict: bool = True) -> Iterator[ast.ClassDef]:
    """Yield the bases of a class, and theirs.

    Raises:
        NoFixError: it is `strict`, and one is not visible or there is a metaclass.
    """
    for base in node.bases:
        known = dotted(scopes, base.value if isinstance(base, ast.Subscript) else base)
        if known in _PLAIN_BASES or (isinstance(base, ast.Name) and base.id == "object"):
            continue
        try:
            found = class_of_module(scopes, base.id if isinstance(base, ast.Name) else "")
        except NoFixError:
            if strict:
                raise
            continue
        yield found
        yield from bases_of(scopes, found, strict=strict)
    if strict and node.keywords:
        raise NoFixError("a metaclass")


def _init(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)


def _name_of(node: ast.stmt) -> str:
    if isinstance(node, DEFS):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else ""


def _calls_super(init: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "__init__"
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "super"
        for statement in init.body
        for node in ast.walk(statement)
    )


def refuse_changing_object(syntax: Syntax, scopes: Scopes, node: ast.expr) -> None:
    """Refuse an object of which something visible says that it changes itself, or is changed.

    `node` is a name of the module, or the call of a class; what is not visible is not refused.

    Raises:
        NoFixError: it is refused.
    """
    if isinstance(node, ast.Name):
        for bound in scopes.bindings(node.id, scopes.module):
            parent = syntax.parents.get(bound)
            if isinstance(parent, ast.Assign) and isinstance(parent.value, ast.Call):
                refuse_changing_object(syntax, scopes, parent.value)
        for use in ast.walk(syntax.tree):
            written = isinstance(use, ast.Attribute) and not isinstance(use.ctx, ast.Load)
            if written and isinstance(use.value, ast.Name) and use.value.id == node.id:  # type: ignore[attr-defined]
                raise NoFixError(f"{node.id} changes")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        bindings = scopes.bindings(node.func.id, scopes.module)
        for cls in (bound for bound in bindings if isinstance(bound, ast.ClassDef)):
            methods = [m for m in cls.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("__")]
            for use in (inner for method in methods for inner in ast.walk(method)):
                if isinstance(use, ast.Attribute) and not isinstance(use.ctx, ast.Load):
                    raise NoFixError(f"{cls.name} changes itself")


# A frozen dataclass


def static_instance(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that compiles a frozen dataclass's method as a function of the module, the instance static.

    Raises:
        NoFixError: the class is no frozen dataclass with fields that can be hashed.
    """
    made = made_by(facts, site)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    maker = made.maker
    root = site.target.root
    target = maker.args[0] if isinstance(maker, ast.Call) and len(maker.args) == 1 else None
    if not isinstance(maker, ast.Call) or not isinstance(target, ast.Attribute) or root is None or root.cls is None:
        raise NoFixError("no method")
    node = class_of_module(scopes, root.cls.name)
    if not _is_frozen(scopes, node) or node.bases or maker.keywords:
        raise NoFixError("no frozen dataclass")
    method = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == target.attr), None)
    if method is None or method.decorator_list:
        raise NoFixError("no plain method")
    reads_what_changes(made, method)
    wrapper = wrapper_text(draft, site, maker.func, option_texts(draft, made), (), f"{node.name}.{target.attr}")
    name = draft.fresh(f"_{target.attr.strip('_')}", f"_{node.name.lower()}_{target.attr.strip('_')}")
    instance = draft.code(target.value)
    for name_, loads in scopes.captured(target.value).items():
        scope = scopes.binder(name_, scopes.of(loads[0]))
        if scope is None or not made.is_steady(name_, scope):
            raise NoFixError(f"{name_} may change")
    calls = made.known_calls()
    if len(calls) != 1 or made.name is not None:
        raise NoFixError("not called at once")
    call = calls[0]
    place = syntax.text.index("(", syntax.span(call.func).end) + 1
    draft.insert(place, f"{instance}, " if call.args or call.keywords else instance)
    draft.replace(maker, name)
    insert_definition(draft, scopes, maker, {node.name}, f"{name} = {wrapper[:-1]}, static_argnums=0)")
    return draft.fix(
        Applicability.UNSAFE,
        f"Jit `{node.name}.{target.attr}` once, with the instance static",
        "the instance must be hashable and must not change",
    )


def _is_frozen(scopes: Scopes, node: ast.ClassDef) -> bool:
    if len(node.decorator_list) != 1 or not isinstance(node.decorator_list[0], ast.Call):
        return False
    decorator = node.decorator_list[0]
    options = {k.arg: k.value.value for k in decorator.keywords if isinstance(k.value, ast.Constant)}
    if dotted(scopes, decorator.func) != "dataclasses.dataclass" or options.get("frozen") is not True:
        return False
    if options.get("eq", True) is not True:
        return False
    fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
    return all(isinstance(f.annotation, ast.Name) and f.annotation.id in _HASHABLE for f in fields) and not any(
        _name_of(statement) in ("__eq__", "__hash__") for statement in node.body
    )
