"""A file that was read: its nodes in a tree, and where they are in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.facts.syntax.parsing import Places, parse
from jaxlint.facts.syntax.tree import Tree

if TYPE_CHECKING:
    from jaxlint.source import Source


@dataclass(frozen=True, slots=True)
class Code:
    """What is read of a file once, for its record and for its facts."""

    tree: Tree
    places: Places

    @classmethod
    def of(cls, source: Source) -> Code:
        """Return what was read of a file already, and is not kept any longer, or read it.

        Raises:
            UnreadableError: the text is not Python.
        """
        known = source.take_code()
        if known is not None:
            return known
        module, places = parse(source)
        return cls(Tree(module), places)
