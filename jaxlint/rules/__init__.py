"""The rules, one file each; this registry is all that the rest of jaxlint knows of them.

A rule's file is named `jaxNNN_its_name.py`, has its page as docstring, a `RULE` and a function `check`.  Nothing else
has to be touched to add one.  Rules ask facts and never import LibCST: so `jaxlint rule CODE` starts fast, and the
flake8 plugin loads nothing heavy.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from jaxlint.finding import Impact

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.evidence.confidence import Evidence
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.finding import Fix

HOME = ""
"""The address of the published documentation, which `make site` builds, with a slash at its end.

It is the one place that knows the address.  While it is empty, output has no links to pages; `jaxlint rule CODE` prints
the page of a rule, and SARIF and editors show it themselves.
"""


@dataclass(frozen=True)
class Rule:
    """What is known of a rule without running it.

    A file can have a finding of the rule only if it holds one of `words`, or one of `cues` and something that is
    traced, or, with `array_loops`, any loop; see `jaxlint.triage`.
    `off_by_default` rules run only where their code is selected by name.
    """

    code: str
    name: str
    summary: str
    impact: Impact | None
    since: str
    words: frozenset[str] = frozenset()
    cues: frozenset[str] = frozenset()
    preview: bool = False
    off_by_default: bool = False
    array_loops: bool = False
    doc: str = field(default="", compare=False, repr=False)

    @property
    def url(self) -> str | None:
        """The address of the rule's page, None while the documentation is not published."""
        return f"{HOME}rules/{self.code}.html" if HOME else None


@dataclass(frozen=True)
class Report:
    """What a rule yields: a place (a LibCST node of the facts), what to say of it, and what supports it.

    `fixes` is asked only where the finding is shown, and gives the ways to fix it, the preferred one first.
    """

    node: cst.CSTNode
    message: str
    evidence: Evidence
    related: tuple[tuple[cst.CSTNode, str], ...] = ()
    fixes: Callable[[], Iterable[Fix]] = tuple


class RuleModule(Protocol):
    """The shape of a rule's file."""

    RULE: Rule

    def check(self, facts: ModuleFacts) -> Iterator[Report]:
        """Yield what the rule has to say about a module."""


@functools.cache
def modules() -> Mapping[str, RuleModule]:
    """Return every rule's module by code, in the order of the codes."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if re.fullmatch(r"jax\d{3}_\w+", info.name))
    loaded = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return MappingProxyType({module.RULE.code: module for module in loaded})


def rules() -> dict[str, Rule]:
    """Return every rule by code, in the order of the codes."""
    return {code: module.RULE for code, module in modules().items()}
