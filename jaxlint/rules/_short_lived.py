"""What the rules on short-lived jitted functions share: which sites they report, and how they say when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules import Report

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Function
    from jaxlint.finding import Fix

WORDS = frozenset({"jit", "pjit", "pmap", "filter_jit", "filter_pmap"})
"""The identifiers by which jit and similar wrappers are written."""


def sites(facts: ModuleFacts, *kinds: str) -> Iterator[CompileSite]:
    """Yield the sites whose target is of one of `kinds` and whose jitted function does not outlive its call."""
    for site in facts.sites:
        if site.target.kind in kinds and site.short_lived:
            yield site


def report(facts: ModuleFacts, site: CompileSite, message: str) -> Report:
    """Return a finding at a site, with the place where the jitted function is defined."""
    related = []
    root = site.target.root
    if root is not None and not root.is_lambda and root.node is not site.node:
        related.append((facts.name_node(root), f"`{root.name}` is defined here"))
    return Report(site.node, message, facts.evidence.site(site), tuple(related), lambda: fixes(facts, site))


def fixes(facts: ModuleFacts, site: CompileSite) -> Iterator[Fix]:
    """Yield the ways to create the jitted function once."""
    # Imported late, as most files have nothing to fix.
    from jaxlint.fixes.cache_misses import hoist

    return hoist.fixes(facts, site)


def when(facts: ModuleFacts, site: CompileSite) -> str:
    """Say how often a site runs, such as "in each iteration of the loop"."""
    from jaxlint.facts.cache_misses.sites import Lifetime

    if site.lifetime is Lifetime.ITERATION:
        return "in each iteration of the loop"
    function = site.context.function
    if function is not None and facts.is_property(function):
        return f"each time `{function.name}` is read"
    return on_each_call(function)


def on_each_call(function: Function | None) -> str:
    """Say that something happens whenever a function runs."""
    if function is None:
        return "each time this runs"
    return "on each call" if function.is_lambda else f"on each call of `{function.name}`"


def or_jit_enclosing(facts: ModuleFacts, site: CompileSite) -> str:
    """Suggest to jit the enclosing function, where one program can hold it.

    A loop that calls the jitted one would unroll, and an optimizer of SciPy runs on the host.
    """
    often = site.fate.looped or site.fate.called_often
    enclosing = None if often else facts.avoidable.jittable(site.node)
    return f", or jit `{enclosing.name}`" if enclosing is not None else ""


def wrapper(site: CompileSite) -> str:
    """Return the wrapper as the user would name it, such as `jax.jit`."""
    if site.wrapper is None:
        return "the factory"
    return site.wrapper.name.removeprefix("flax.").replace("equinox.", "eqx.")
