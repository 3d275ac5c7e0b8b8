"""The places that make jitted functions: what they are given, how long the result lives and what becomes of it."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.cache_misses.fate import Fate, Fates, Kept
from jaxlint.facts.cache_misses.targets import NESTED_DEF, Target, Targets
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.incoming import COMPILED, Imported
from jaxlint.facts.jax_api.glance import is_memoiser
from jaxlint.facts.jax_api.wrappers import Wrapper
from jaxlint.facts.syntax.answers import Answers
from jaxlint.facts.syntax.names import Expression
from jaxlint.facts.syntax.tree import Class, Context, Function, last_name, same_code

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


class Lifetime(enum.Enum):
    """How often a site makes a new object."""

    MODULE = "module"
    CACHED = "cached"
    CALL = "call"
    ITERATION = "iteration"


@dataclass(frozen=True, slots=True, eq=False)
class CompileSite:
    """One place that makes a jitted function.

    `node` is where to report: the wrapper's call, the decorator, or the call of a factory.  `wrapper` is None for a
    factory's call, whose `factory` is the function that is called, and `maker` its name; a factory of another module of
    the project has the name only.
    """

    node: cst.BaseExpression
    context: Context
    target: Target
    lifetime: Lifetime
    fate: Fate
    wrapped: Wrapped | None = None
    factory: Function | None = None
    maker: str = ""

    @property
    def wrapper(self) -> Wrapper | None:
        """The wrapper that compiles."""
        return self.wrapped.wrapper if self.wrapped is not None else None

    @property
    def wraps_long_lived(self) -> bool:
        """Whether it is the wrapper alone that is new each time, over a function that is not (`nnx.jit(f)`)."""
        new_wrapper = self.wrapper is not None and self.wrapper.compares == "wrapper"
        return new_wrapper and isinstance(self.target.node, (cst.Name, cst.FunctionDef))

    @property
    def short_lived(self) -> bool:
        """Whether the jitted function dies with the call or the iteration that makes it."""
        return (
            self.target.fresh
            and self.lifetime in (Lifetime.CALL, Lifetime.ITERATION)
            and self.fate.kept in (Kept.CALLED, Kept.LOCAL, Kept.PASSED)
        )


class Sites:
    """All compile sites of a module: `sites` made by wrappers, `factory_calls` made by visible functions."""

    def __init__(self, facts: ModuleFacts) -> None:
        self._incoming = facts.incoming
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._calls = facts.calls
        self.fates = Fates(facts.tree, facts.names, facts.wrappings, facts.calls)
        self.targets = Targets(facts.tree, facts.names, facts.wrappings, facts.calls, facts.incoming)
        self._makers: Answers[bool] = Answers(facts.names.asking)
        self.targets.is_factory = self.makes_function
        self.sites = [site for wrapped in self._wrapped() if (site := self._site(wrapped)) is not None]
        self._compiling = {
            id(site.context.function)
            for site in self.sites
            if self._comes_new(site)
            and self._leaves(site)
            and site.lifetime is Lifetime.CALL
            and not (site.context.function is not None and self._keeps(site.context.function))
        }
        self._spread_factories()
        self.factory_calls = list(self._factory_calls())

    def makes_compiled(self, function: Function) -> bool:
        """Whether a function returns a jitted function that it has just made."""
        return id(function) in self._compiling

    def makes_function(self, function: Function) -> bool:
        """Whether a function returns a function that it has just made, compiled or not."""
        return self._makers.get(id(function), lambda: self._makes_function(function), cut=False)

    def _makes_function(self, function: Function) -> bool:
        return not self._is_memoised(function) and any(
            self._is_new(returned, function) for returned in function.returns
        )

    def is_cached(self, function: Function) -> bool:
        """Whether a function's results are cached: lru_cache, cache, cached_property and the like."""
        return any(is_memoiser(name.rpartition(".")[2]) for name in self._names.decorator_names(function))

    def _is_memoised(self, function: Function) -> bool:
        """Whether a function gives what it made before, by a decorator or by a container that it looks into."""
        return self.is_cached(function) or self._keeps(function)

    def _keeps(self, function: Function) -> bool:
        """Whether a function stores what it returns in a container that it returns from, `kept[key] = made`."""
        returned = [node.value for node in function.returns if isinstance(node, cst.Name)]
        looked_up = [node.value for node in function.returns if isinstance(node, cst.Subscript)]
        if not returned and not looked_up:
            return False
        for node in self._tree.item_stores.get(id(function), ()):
            stored = [t.target for t in node.targets if isinstance(t.target, cst.Subscript)]
            if not self._outlives(stored[0].value, function):
                continue
            named = [t.target for t in node.targets if isinstance(t.target, cst.Name)] + [node.value]
            if any(isinstance(part, cst.Name) and part.value in returned for part in named):
                return True
            if any(same_code(stored[0].value, container) for container in looked_up):
                return True
        return False

    def _outlives(self, container: cst.BaseExpression, function: Function) -> bool:
        """Whether a container is not one that a function has made itself, as a literal or by `dict()`."""
        made = [value.node for value in self._names.values(container) if isinstance(value, Expression)]
        return not any(_makes_container(node) and self._tree.context(node).function is function for node in made)

    def is_property(self, function: Function) -> bool:
        """Whether a function is a plain property, which runs on each access."""
        return any(name == "property" for name in self._names.decorator_names(function))

    def _is_new(self, node: cst.CSTNode, function: Function) -> bool:
        for value in self._names.values(node):
            if isinstance(value, Function) and value.outer is function:
                return True
            if isinstance(value, Expression) and isinstance(value.node, cst.Call):
                if self._tree.context(value.node).function is not function:
                    continue
                wrapped = self._wrappings.of(value.node)
                if wrapped is not None and wrapped.wrapper.makes_callable:
                    # jit(f) of a long-lived f is the same to the cache each time.
                    return not wrapped.wrapper.compiles or self.targets.of(wrapped).fresh
                if any(self.makes_function(callee) for callee, _ in self._calls.callees(value.node)):
                    return True
        return False

    def _wrapped(self) -> Iterator[Wrapped]:
        for function in self._tree.functions:
            compiling = [w for w in self._wrappings.of_function(function) if w.wrapper.compiles]
            yield from compiling[:1]
        for call in self._tree.calls:
            wrapped = self._wrappings.of(call)
            if wrapped is not None and wrapped.wrapper.compiles:
                yield wrapped

    def _site(self, wrapped: Wrapped) -> CompileSite | None:
        target = self.targets.of(wrapped)
        if wrapped.decorated is not None:
            context = wrapped.decorated.context
            fate = self.fates.of_function(wrapped.decorated)
        else:
            context = self._tree.context(wrapped.node)
            fate = self.fates.of_expression(wrapped.node)
        if fate.kept is Kept.WRAPPED:
            return None
        function = context.function
        if function is not None and fate.kept is Kept.RETURNED and self.is_property(function):
            fate = Fate(Kept.CALLED)
        return CompileSite(wrapped.node, context, target, self._lifetime(context, target), fate, wrapped)

    def _lifetime(self, context: Context, target: Target) -> Lifetime:
        made_at = target.made_at
        if context.function is not None and self.is_cached(context.function):
            return Lifetime.CACHED
        if made_at is not None and made_at.function is not context.function:
            return Lifetime.MODULE  # made by a call around this one: it outlives the site
        if context.loop is not None and made_at is not None and made_at.loop is not None:
            return Lifetime.ITERATION
        return Lifetime.MODULE if context.function is None else Lifetime.CALL

    @staticmethod
    def _comes_new(site: CompileSite) -> bool:
        return site.target.fresh and site.target.sure and site.target.always

    def _leaves(self, site: CompileSite) -> bool:
        """Whether the function that makes the object returns it, or returns a function that uses it."""
        if site.fate.kept is Kept.RETURNED:
            return True
        function = site.context.function
        if site.fate.kept is not Kept.CAPTURED or function is None:
            return False
        returned = {id(value) for node in function.returns for value in self._names.values(node)}
        return any(id(captor) in returned for captor in site.fate.captors)

    def _spread_factories(self) -> None:
        """A function that returns what a factory returns is a factory."""
        changed = True
        while changed:
            changed = False
            for function in self._tree.functions:
                if id(function) in self._compiling or self._is_memoised(function):
                    continue
                for returned in function.returns:
                    if isinstance(returned, cst.Call) and (
                        self._imported_factory(returned) is not None
                        or any(id(callee) in self._compiling for callee, _ in self._calls.callees(returned))
                    ):
                        self._compiling.add(id(function))
                        changed = True

    def _factory_calls(self) -> Iterator[CompileSite]:
        for call in self._tree.calls:
            imported = self._imported_factory(call)
            if imported is not None:
                yield from self._factory_call(call, None, imported.name)
                continue
            for site in self._calls.of_node.get(id(call), ()):
                if not self.makes_compiled(site.function) or self._guessed(call, site.function):
                    continue
                yield from self._factory_call(call, site.function, site.function.name)
                break

    def _factory_call(self, call: cst.Call, factory: Function | None, name: str) -> Iterator[CompileSite]:
        if any(isinstance(node, cst.Decorator) for node in self._tree.ancestors(call)):
            return  # a decorator of the project's own: it runs once for each def
        context = self._tree.context(call)
        target = Target(NESTED_DEF, call, context, root=factory)
        places = self._places(factory) if factory is not None else frozenset()
        fate = self.fates.of_holder(call, places) if places else self.fates.of_expression(call)
        if fate.kept is not Kept.WRAPPED:
            yield CompileSite(call, context, target, self._lifetime(context, target), fate, factory=factory, maker=name)

    def _places(self, factory: Function) -> frozenset[int | str]:
        """Return where in the tuple, record or dictionary that a factory returns the new functions are."""
        found: set[int | str] = set()
        for returned in factory.returns:
            for value in self._names.values(returned):
                if isinstance(value, Expression):
                    found.update(key for key, part in self._parts(value.node) if self._is_new(part, factory))
        return frozenset(found)

    def _parts(self, node: cst.CSTNode) -> Iterator[tuple[int | str, cst.BaseExpression]]:
        """Yield the parts of a literal tuple or dictionary, or of a record of a visible class, by index and name."""
        if isinstance(node, (cst.Tuple, cst.List)):
            yield from ((i, e.value) for i, e in enumerate(node.elements) if isinstance(e, cst.Element))
        elif isinstance(node, cst.Dict):
            for element in node.elements:
                if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
                    yield str(element.key.evaluated_value), element.value
        elif isinstance(node, cst.Call):
            for value in self._names.values(node.func):
                names = list(value.fields) if isinstance(value, Class) and not value.methods.get("__init__") else []
                for index, arg in enumerate(node.args):
                    if names and arg.keyword is not None:
                        yield arg.keyword.value, arg.value
                    elif index < len(names) and not arg.star:
                        yield names[index], arg.value
                        yield index, arg.value

    def _imported_factory(self, call: cst.Call) -> Imported | None:
        """Return what another module says of the callee, if whatever it may be gives what it has just compiled."""
        names = self._names.externals(call.func) if self._incoming.factories else ()
        found = [self._incoming.imports.get(name) for name in names]
        sure = bool(found) and all(imported is not None and imported.makes == COMPILED for imported in found)
        return found[0] if sure else None

    def _guessed(self, call: cst.Call, function: Function) -> bool:
        """Whether the call graph only guessed by the method's name."""
        return not any(value is function for value in self._names.values(call.func))


def _makes_container(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        return last_name(node.func) in ("dict", "list", "defaultdict", "zeros", "empty")
    return isinstance(node, (cst.Dict, cst.DictComp, cst.List, cst.ListComp))
