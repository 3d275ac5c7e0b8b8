"""Calls that compile by themselves where no trace surrounds them: control flow with a fresh body, and solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.cache_misses.targets import Target
from jaxlint.facts.context.wrapping import Wrapped
from jaxlint.facts.syntax.names import Expression, Value

if TYPE_CHECKING:
    from jaxlint.facts.module import ModuleFacts


@dataclass(frozen=True, slots=True, eq=False)
class EagerSite:
    """A call that compiles a program of its own when it runs eagerly.

    `target` is the fresh function that it is given, None where every call compiles whatever it is given.  `in_loop`
    says that each iteration of a loop compiles: the call is in one, and what it is given is made there as well.
    `shared` says that another call is given the same function, so that it may be compiled already.
    """

    node: cst.Call
    wrapped: Wrapped
    target: Target | None
    in_loop: bool
    shared: bool = False

    @property
    def name(self) -> str:
        """The function called, as a user would name it, such as `lax.scan`."""
        name = self.wrapped.wrapper.name
        return name.removeprefix("jax.") if name.startswith("jax.lax.") else name


class EagerSites:
    """Finds them; whether they do run eagerly is for `Eager` to say.

    `bodies` are those of `jax.lax` whose body is new, `solvers` all others.
    """

    def __init__(self, facts: ModuleFacts) -> None:
        self._tree = facts.tree
        self._names = facts.names
        self._wrappings = facts.wrappings
        self._targets = facts.all_sites.targets
        self.bodies: list[EagerSite] = []
        self.solvers: list[EagerSite] = []
        for wrapped in self._wrappings.all():
            if wrapped.wrapper.eager == "fresh":
                control_flow = wrapped.wrapper.name.startswith("jax.lax.")
                (self.bodies if control_flow else self.solvers).extend(self._body(wrapped))
            elif wrapped.wrapper.eager == "always":
                self.solvers.extend(self._solver(wrapped))
        roots = Counter(id(site.target.root) for site in self.bodies if site.target is not None and site.target.root)
        self.bodies = [
            replace(site, shared=site.target is not None and roots[id(site.target.root)] > 1) for site in self.bodies
        ]

    def _body(self, wrapped: Wrapped) -> Iterator[EagerSite]:
        if not isinstance(wrapped.node, cst.Call):
            return
        targets = [self._targets.of_argument(node, wrapped) for node in wrapped.targets]
        fresh = [target for target in targets if target.fresh]
        if not fresh:
            return
        context = self._tree.context(wrapped.node)
        # The surest of several decides: one new function is enough for a new program.
        target = min(fresh, key=lambda t: (not t.sure, not t.always))
        made_at = [t.made_at for t in fresh if t.made_at is not None]
        if all(made.function is not context.function for made in made_at):
            return  # made by a call around this one, which it outlives
        in_loop = context.loop is not None and any(made.loop is not None for made in made_at)
        yield EagerSite(wrapped.node, wrapped, target, in_loop)

    def _solver(self, wrapped: Wrapped) -> Iterator[EagerSite]:
        if wrapped.wrapper.makes_callable:
            for call in self._uses(wrapped):
                yield self._always(call, wrapped)
        elif isinstance(wrapped.node, cst.Call):
            yield self._always(wrapped.node, wrapped)

    def _always(self, call: cst.Call, wrapped: Wrapped) -> EagerSite:
        return EagerSite(call, wrapped, None, self._tree.context(call).loop is not None)

    def _uses(self, wrapped: Wrapped) -> Iterator[cst.Call]:
        """Yield the calls of what a `shard_map` makes."""
        made = wrapped.decorated or wrapped.node
        if wrapped.decorated is not None and len(self._wrappings.of_function(wrapped.decorated)) > 1:
            return  # another decorator compiles it, or may
        for call in self._tree.calls:
            values = self._names.values(call.func)
            is_made = any(made is (value.node if isinstance(value, Expression) else value) for value in values)
            if is_made and not any(map(self._is_compiled, values)):
                yield call

    def _is_compiled(self, value: Value) -> bool:
        """Whether a value is a jitted function: a name that is bound to both is called as the latter."""
        wrapped = self._wrappings.of(value.node) if isinstance(value, Expression) else None
        return wrapped is not None and wrapped.wrapper.compiles
