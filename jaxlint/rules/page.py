"""A rule's page, in Markdown: what `jaxlint rule` prints, the documentation holds and editors link to."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.rules import Rule


def page(rule: Rule) -> str:
    """Return the page of a rule, made of its docstring and of what the registry knows."""
    # The docstring's first line says again what the summary says.
    _, _, body = inspect.cleandoc(rule.doc).partition("\n")
    return f"# {rule.name} ({rule.code})\n\n{_sentence(rule.summary)}\n\n{_facts(rule)}\n\n{body.strip()}\n"


def status(rule: Rule) -> str:
    """Return in a word when a rule runs: `stable`, `preview` or `off by default`."""
    if rule.off_by_default:
        return "off by default"
    return "preview" if rule.preview else "stable"


def _facts(rule: Rule) -> str:
    facts = [f"Since {rule.since}", status(rule)]
    if rule.impact is not None:
        facts += [f"impact: {rule.impact}", f"severity: {rule.impact.severity}"]
    return " · ".join(facts)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:] if not text.startswith(("jax", "flax")) else text
    return text if text.endswith(".") else text + "."
