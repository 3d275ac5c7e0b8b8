"""What a name or an expression represents: imports with their aliases, local rebinding, conditional definitions.

The answer is always a list, because `try: from jax import jit` / `except: jit = None` and `f = a if x else b` have
several; it is in source order, so that findings do not depend on hashing.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import libcst as cst

from jaxlint.facts.jax_api.arrays import ANNOTATIONS
from jaxlint.facts.syntax.answers import Answers, Asking
from jaxlint.facts.syntax.tree import Binding, Branch, Class, Context, Function, Parameter, Scope, Tree, kinds


@dataclass(frozen=True, slots=True)
class External:
    """Something imported, by its dotted name as the importing statement spells it."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """An expression that no name explains further: a call, a literal, an attribute of something unknown."""

    node: cst.CSTNode


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """Element `index` of what `node` unpacks to."""

    node: cst.CSTNode
    index: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A loop variable: one element of what `node` iterates over."""

    node: cst.CSTNode
    binding: Binding


Value: TypeAlias = External | Function | Class | Parameter | Expression | Item | Element

_EXPLAINED = kinds(cst.Name, cst.Attribute, cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.NamedExpr)
"""The classes of expressions that represent others."""

MOST = 64
"""How many values one expression is taken to have, and how many of the assignments that reach it say what it holds."""


class Names:
    """Resolves the names of one module's tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.asking = Asking()
        self._values: Answers[tuple[Value, ...]] = Answers(self.asking)
        self._ordered: dict[int, tuple[list[Binding], list[int]]] = {}
        self._uses: dict[str, dict[int, list[cst.Name]]] = {}
        self._orders: Answers[list[Class]] = Answers(self.asking)
        self._base_names: Answers[tuple[str, ...]] = Answers(self.asking)
        self.given_class: Callable[[Parameter], Class | None] | None = None
        """Tells the class of what all visible calls give to a parameter, once the calls are known."""

    # Bindings

    def scope_of(self, name: str, scope: Scope) -> Scope | None:
        """Return the scope in which `name`, used in `scope`, is bound; None for builtins and unknown names."""
        current: Scope | None = scope
        first = True
        while current is not None:
            if name in current.globals:
                return self.tree.module_scope if name in self.tree.module_scope.bindings else None
            # Methods do not see the names of their class.
            if name in current.bindings and (first or current.kind != "class"):
                return current
            first = first and current.kind == "comprehension"
            current = current.parent
        return None

    def bindings(self, node: cst.Name) -> list[Binding]:
        """Return the bindings that may reach a name where it is used, in source order.

        Within one function the bindings before the use count, back to one that no branch can bypass, and those later
        in a loop around both; from an inner function every binding counts.
        """
        context = self.tree.contexts.get(id(node))
        return self.bindings_at(node.value, context) if context is not None else []

    def bindings_at(self, name: str, context: Context) -> list[Binding]:
        """Return the bindings that may reach `name` at a place; see `bindings`."""
        scope = self.scope_of(name, context.scope)
        if scope is None:
            return []
        found = scope.bindings[name]
        if len(found) == 1 or scope.frame is not context.scope.frame:
            return found
        found, orders = self._in_order(found)
        place, branch = bisect.bisect_left(orders, context.order), context.branch
        reaching: list[Binding] = []
        certain: Context | None = None
        for index in range(place - 1, -1, -1):
            arms = found[index].context.branch
            if arms and branch and arms[0][0] == branch[0][0] and _exclusive(arms, branch):
                continue
            reaching.append(found[index])
            if branch[: len(arms)] == arms:
                certain = found[index].context
                break
        carried: list[Binding] = []
        # What an iteration leaves behind is bound again in the next iteration before the use.
        if context.loop is not None and (certain is None or certain.loop is not context.loop):
            again = certain.loop if certain is not None else None
            carried = [
                binding
                for binding in itertools.islice(found, place, None)
                if (loop := binding.context.loop) is not None
                and context.loop.inside(loop)
                and (again is None or not again.inside(loop))
            ]
        return [*reversed(reaching), *carried] or found

    def _in_order(self, found: list[Binding]) -> tuple[list[Binding], list[int]]:
        """Return the bindings of a name in the order of their statements, and that order."""
        known = self._ordered.get(id(found))
        if known is None:
            ordered = sorted(found, key=lambda binding: binding.context.order)
            known = self._ordered[id(found)] = ordered, [binding.context.order for binding in ordered]
        return known

    def uses(self, binding: Binding) -> list[cst.Name]:
        """Return the loads that a binding may reach, in source order, those in inner functions included."""
        uses = self._uses.get(binding.name)
        if uses is None:
            uses = self._uses[binding.name] = {}
            for node in self.tree.loads.get(binding.name, ()):
                for reaching in self.bindings(node):
                    uses.setdefault(id(reaching), []).append(node)
        return uses.get(id(binding), [])

    def uses_of_target(self, target: cst.Name) -> list[cst.Name]:
        """Return the loads that may read what a statement binds to one of its targets, in source order."""
        context = self.tree.context(target)
        bindings = context.scope.frame.bindings.get(target.value, ())
        return [use for binding in bindings if binding.context.order == context.order for use in self.uses(binding)]

    # Values

    def values(self, node: cst.CSTNode) -> tuple[Value, ...]:
        """Return what an expression may represent: an `Expression` of itself where nothing more is known."""
        key = id(node)
        known = self._values.known(key)
        if known is not None:
            return known
        if node.__class__ not in _EXPLAINED:
            known = (Expression(node),)
            self._values.keep(key, known)
            return known
        # A name that is defined through itself (`f = jit(f)` in a loop) represents itself there.
        return self._values.get(key, lambda: self._resolve(node), (Expression(node),))

    def externals(self, node: cst.CSTNode) -> tuple[str, ...]:
        """Return the dotted names that an expression may represent."""
        return tuple([value.name for value in self.values(node) if value.__class__ is External])

    @functools.cached_property
    def called(self) -> dict[str, list[int]]:
        """The dotted names of what calls may run, each with the numbers of the calls among those of the tree."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, call in enumerate(self.tree.calls):
            for name in dict.fromkeys(self.externals(call.func)):
                found[name].append(number)
        return found

    def calls_of(self, wanted: Callable[[str], bool]) -> list[cst.Call]:
        """Return the calls that may run an imported function of a wanted name, in source order."""
        numbers = {number for name, found in self.called.items() if wanted(name) for number in found}
        return [self.tree.calls[number] for number in sorted(numbers)]

    def functions(self, node: cst.CSTNode) -> tuple[Function, ...]:
        """Return the visible functions that an expression may represent."""
        return tuple([value for value in self.values(node) if value.__class__ is Function])

    def _resolve(self, node: cst.CSTNode) -> tuple[Value, ...]:
        if type(node) is cst.Name:
            return self._resolve_name(node)
        if type(node) is cst.Attribute:
            return self._resolve_attribute(node)
        if isinstance(node, cst.Lambda):
            function = self.tree.function_of.get(id(node))
            return (function,) if function is not None else (Expression(node),)
        if isinstance(node, cst.IfExp):
            return _unique((*self.values(node.body), *self.values(node.orelse)))
        if isinstance(node, cst.BooleanOperation):
            return _unique((*self.values(node.left), *self.values(node.right)))
        if isinstance(node, cst.NamedExpr):
            return self.values(node.value)
        return (Expression(node),)

    def _resolve_name(self, node: cst.Name) -> tuple[Value, ...]:
        if node.value in _KEYWORDS:
            return (Expression(node),)
        found = self.bindings(node)
        if not found:
            stars = self.tree.star_imports
            conventional = _CONVENTIONS.get(node.value)
            if not stars and conventional is not None and conventional not in self._imported:
                return (External(conventional),)
            return tuple(External(f"{module}.{node.value}") for module in stars) or (Expression(node),)
        if len(found) == 1:
            return self._of_binding(found[0], node)
        return _unique(value for binding in found for value in self._of_binding(binding, node))

    @functools.cached_property
    def _imported(self) -> frozenset[str]:
        """What the file imports at its top level, under whatever names."""
        bindings = itertools.chain.from_iterable(self.tree.module_scope.bindings.values())
        return frozenset(binding.value for binding in bindings if isinstance(binding.value, str))

    def _of_binding(self, binding: Binding, node: cst.Name) -> tuple[Value, ...]:
        value = binding.value
        if isinstance(value, str):
            return (External(value),)
        if isinstance(value, (Function, Class)):
            return (value,)
        if binding.kind == "assign" and value is not None:
            return self.values(value)
        if binding.kind == "unpack" and value is not None:
            return (Item(value, binding.index),)
        if binding.kind == "loop" and value is not None:
            return (Element(value, binding),)
        if binding.kind == "parameter":
            function = binding.context.scope.function
            parameter = function.parameter(binding.name) if function is not None else None
            if parameter is not None:
                return (parameter,)
        return (Expression(node),)

    def _resolve_attribute(self, node: cst.Attribute) -> tuple[Value, ...]:
        name = node.attr.value
        found: list[Value] = []
        for base in self.values(node.value):
            if isinstance(base, External):
                found.append(External(f"{base.name}.{name}"))
                continue
            members: Sequence[Value] = ()
            cls = self.instance_class(base)
            if cls is not None or isinstance(base, Class):
                members = self.members(cls or base, name, of_class=cls is None)  # type: ignore[arg-type]
            found.extend(members or (Expression(node),))
        return _unique(found)

    # What runs without jax

    def needs_no_jax(self, context: Context) -> bool:
        """Whether a place is in an `except` that runs where jax is missing, or in a function of one."""
        current: Context | None = context
        while self._arms_without_jax and current is not None:
            if not self._arms_without_jax.isdisjoint(current.branch):
                return True
            current = current.function.context if current.function is not None else None
        return False

    @functools.cached_property
    def _arms_without_jax(self) -> frozenset[tuple[int, int]]:
        """The handlers that bind something else to the name by which their `try` imports jax, `jax.numpy` or `jit`.

        All versions of jax have these three; for others a handler may be there for versions that have them not.
        """
        found = set[tuple[int, int]]()
        for bindings in self.tree.module_scope.bindings.values():
            imported = {arm for b in bindings if b.value in _IN_ALL_VERSIONS for arm in b.context.branch}
            for binding in bindings if imported else ():
                node, arm = binding.context.branch[-1] if binding.context.branch else (0, 0)
                if arm < 0 and (node, 0) in imported and not self._is_of_jax(binding):
                    found.add((node, arm))
        return frozenset(found)

    def _is_of_jax(self, binding: Binding) -> bool:
        value = binding.value
        imported = (value,) if isinstance(value, str) else ()
        names = self.externals(value) if isinstance(value, cst.CSTNode) else imported
        return any(name.partition(".")[0] == "jax" for name in names)

    # Classes

    def instance_class(self, value: Value) -> Class | None:
        """Return the visible class that a value is an instance of: `self`, `Class(...)`, an annotated parameter."""
        if isinstance(value, Parameter):
            function = value.function
            if function.cls is not None and value.position == 0 and not self.is_static(function):
                return None if self.is_classmethod(function) else function.cls
            if value.annotation is not None and isinstance(value.annotation, (cst.Name, cst.Attribute)):
                return self._annotated(value)
            return self.given_class(value) if self.given_class is not None else None
        if value.__class__ is Expression and value.node.__class__ is cst.Call:
            for callee in self.values(value.node.func):
                if isinstance(callee, Class):
                    return callee
        return None

    def _annotated(self, parameter: Parameter) -> Class | None:
        annotation = parameter.annotation
        if isinstance(annotation, cst.Name):
            scope = self.scope_of(annotation.value, parameter.function.context.scope)
            for binding in scope.bindings[annotation.value] if scope is not None else ():
                if isinstance(binding.value, Class):
                    return binding.value
        return None

    def annotation_names(self, parameter: Parameter) -> tuple[str, ...]:
        """Return the dotted names that a parameter's annotation may represent, as written where they are not visible.

        Of `Float[Array, "n"]` that is what `Float` represents.
        """
        node = parameter.annotation.value if isinstance(parameter.annotation, cst.Subscript) else parameter.annotation
        attributes = ""
        while isinstance(node, cst.Attribute):
            attributes = f".{node.attr.value}{attributes}"
            node = node.value
        if not isinstance(node, cst.Name):
            return ()
        scope = self.scope_of(node.value, parameter.function.context.scope)
        values = [binding.value for binding in scope.bindings[node.value]] if scope is not None else []
        imported = tuple(f"{value}{attributes}" for value in values if isinstance(value, str))
        return imported or (f"{node.value}{attributes}",)

    def is_annotated_array(self, parameter: Parameter) -> bool:
        """Whether a parameter's annotation says that it is an array of JAX, and not one of NumPy."""
        names = self.annotation_names(parameter)
        return any(name.rpartition(".")[2] in ANNOTATIONS for name in names) and not any(
            name.startswith("numpy.") for name in names
        )

    def mro(self, cls: Class) -> list[Class]:
        """Return the class and its visible bases, nearest first."""
        return self._orders.get(id(cls), lambda: self._order(cls), [cls])

    def _order(self, cls: Class) -> list[Class]:
        order: dict[int, Class] = {}
        work = deque([cls])
        while work:
            current = work.popleft()
            if id(current) in order:
                continue
            known = self._orders.known(id(current)) if not work else None
            if known is not None:
                for item in known:
                    order.setdefault(id(item), item)
                break
            order[id(current)] = current
            for base in current.bases:
                work.extend(value for value in self.values(base) if isinstance(value, Class))
        return list(order.values())

    def base_names(self, cls: Class) -> tuple[str, ...]:
        """Return the dotted names of all imported bases, those of visible bases included."""
        return self._base_names.get(id(cls), lambda: self._bases_of(cls), ())

    def _bases_of(self, cls: Class) -> tuple[str, ...]:
        bases = [value for base in cls.bases for value in self.values(base)]
        own = [value.name for value in bases if isinstance(value, External)]
        inherited = [name for value in bases if isinstance(value, Class) for name in self.base_names(value)]
        return tuple(dict.fromkeys((*own, *inherited)))

    def method(self, cls: Class, name: str) -> Function | None:
        """Return the method of that name, looked up through the visible bases."""
        return next((c.methods[name] for c in self.mro(cls) if name in c.methods), None)

    def stores(self, cls: Class, name: str) -> list[tuple[cst.BaseExpression, Context]]:
        """Return what methods assign to `self.name`, through the visible bases."""
        return [store for c in self.mro(cls) for store in c.stores.get(name, ())]

    def members(self, cls: Class, name: str, *, of_class: bool = False) -> tuple[Value, ...]:
        """Return what `instance.name` (or `cls.name`) may represent: a method, and what is assigned to it."""
        found: list[Value] = []
        if not of_class:
            for value, _ in self.stores(cls, name):
                found.extend(self.values(value))
        for item in self.mro(cls):
            if name in item.methods:
                found.append(item.methods[name])
                break
            if name in item.scope.bindings:
                for binding in item.scope.bindings[name]:
                    if binding.kind == "assign" and isinstance(binding.value, cst.CSTNode):
                        found.extend(self.values(binding.value))
                break
        return _unique(found)

    def decorator_names(self, function: Function | Class) -> list[str]:
        """Return the dotted names of the decorators, or of what they call; builtins by their bare name."""
        found: list[str] = []
        for decorator in function.decorators:
            node: cst.BaseExpression = decorator.func if isinstance(decorator, cst.Call) else decorator
            names = self.externals(node)
            found.extend(names)
            if not names and isinstance(node, cst.Name):
                found.append(node.value)
            elif not names and isinstance(node, cst.Attribute):
                found.append(f"?.{node.attr.value}")
        return found

    def is_static(self, function: Function) -> bool:
        """Whether a method is a staticmethod."""
        return "staticmethod" in self.decorator_names(function)

    def is_classmethod(self, function: Function) -> bool:
        """Whether a method is a classmethod."""
        return "classmethod" in self.decorator_names(function)


_IN_ALL_VERSIONS = ("jax", "jax.numpy", "jax.jit")
_KEYWORDS = frozenset({"True", "False", "None"})
_CONVENTIONS = {
    "jax": "jax",
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "jit": "jax.jit",
    "vmap": "jax.vmap",
    "grad": "jax.grad",
    "np": "numpy",
    "partial": "functools.partial",
}
"""What names represent that nothing in a file binds, as in one cut out of a notebook: nothing else has them.

A file that imports the same under another name does not mean it by these.
"""


def _exclusive(one: Branch, other: Branch) -> bool:
    """Whether two places are in different arms of one statement, so that one cannot follow the other."""
    for (node, arm), (other_node, other_arm) in zip(one, other, strict=False):
        if node != other_node:
            return False
        if arm != other_arm:
            # The handlers of a `try`, counted downwards, follow its body.
            return not (arm == 0 and other_arm < 0)
    return False


def _unique(values: Iterable[Value]) -> tuple[Value, ...]:
    seen: dict[object, Value] = {}
    for value in values:
        key: object = value
        if isinstance(value, Expression):
            key = ("expression", id(value.node))
        elif isinstance(value, Item):
            key = ("item", id(value.node), value.index)
        elif isinstance(value, Element):
            key = ("element", id(value.binding))
        elif isinstance(value, External):
            key = value.name
        seen.setdefault(key, value)
        if len(seen) >= MOST:
            break
    return tuple(seen.values())
