"""What the rules on short-lived compiled functions share: which sites they report, and how they say when."""

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
"""The identifiers by which compile wrappers are written."""


def sites(facts: ModuleFacts, *kinds: str) -> Iterator[CompileSite]:
    """Yield the sites whose target is of one of `kinds` and whose compiled function dies with its call or turn."""
    for site in facts.sites:
        if site.target.kind in kinds and site.short_lived:
            yield site


def report(facts: ModuleFacts, site: CompileSite, what: str, instead: str) -> Report:
    """Word a finding: `what` is made anew, so it compiles again each time; `instead` is what to write."""
    message = f"{what}, so it compiles again {when(facts, site)} and its programs fill memory; {instead}"
    related = []
    root = site.target.root
    if root is not None and not root.is_lambda and root.node is not site.node:
        related.append((facts.name_node(root), f"`{root.name}` is defined here"))
    return Report(site.node, message, facts.evidence.site(site), tuple(related), lambda: fixes(facts, site))


def fixes(facts: ModuleFacts, site: CompileSite) -> Iterator[Fix]:
    """Yield the ways to make the compiled function once."""
    # Not before there is something to mend: most files never get here.
    from jaxlint.fixes import hoist

    return hoist.fixes(facts, site)


def when(facts: ModuleFacts, site: CompileSite) -> str:
    """Say how often a site runs, such as "in every turn of the loop"."""
    from jaxlint.facts.cache_misses.sites import Lifetime

    if site.lifetime is Lifetime.ITERATION:
        return "in every turn of the loop"
    function = site.context.function
    if function is not None and facts.is_property(function):
        return f"each time `{function.name}` is read"
    return on_each_call(function)


def on_each_call(function: Function | None) -> str:
    """Say that something happens whenever a function runs."""
    if function is None:
        return "each time this runs"
    return "on each call" if function.is_lambda else f"on each call of `{function.name}`"


def wrapper(site: CompileSite) -> str:
    """Return the wrapper as the user would name it, such as `jax.jit`."""
    if site.wrapper is None:
        return "the factory"
    return site.wrapper.name.removeprefix("flax.").replace("equinox.", "eqx.")
