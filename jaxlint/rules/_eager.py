"""What the rules on eager code that compiles share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.rules._short_lived import on_each_call

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.eager.compile_sites import EagerSite
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix


def when(facts: ModuleFacts, site: EagerSite) -> str:
    """Say how often a site runs, such as "in each iteration of the loop"."""
    if site.in_loop:
        return "in each iteration of the loop"
    return on_each_call(facts.tree.context(site.node).function)


def body(site: EagerSite) -> str:
    """Name the new function that a site is given, in parentheses; empty where it has no name."""
    root = site.target.root if site.target is not None else None
    return f" (`{root.name}`)" if root is not None and not root.is_lambda else ""


def instead(facts: ModuleFacts, site: EagerSite) -> str:
    """Say how to make a site part of a program that compiles once."""
    if site.wrapped.wrapper.kind == "host":
        # Under jit it would still capture what that traces, which the host cannot read.
        return "define the function at module level and pass what it closes over as arguments"
    enclosing = facts.avoidable.jittable(site.node)
    return f"jit `{enclosing.name}`" if enclosing is not None else "call it inside a jitted function"


def related(facts: ModuleFacts, site: EagerSite) -> tuple[tuple[cst.CSTNode, str], ...]:
    """Return where that function is defined."""
    root = site.target.root if site.target is not None else None
    if root is None or root.is_lambda:
        return ()
    return ((facts.name_node(root), f"`{root.name}` is defined here"),)


def fixes(facts: ModuleFacts, site: EagerSite) -> Iterator[Fix]:
    """Yield the ways to make a site compile once."""
    # Imported late, as most files have nothing to fix.
    from jaxlint.fixes.eager import bodies

    return bodies.fixes(facts, site)
