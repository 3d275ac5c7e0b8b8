"""The cost ladder's cheap steps: does a file matter at all, and which of its top-level statements do?

A mature JAX library has some 14 candidate sites in 100,000 lines, and LibCST parses 14,000 lines a second where `ast`
parses 93,000; nearly all time would go into proving files boring.  So a file is first searched for words, then split
by `ast`, and only the statements that matter are handed to LibCST.

A statement matters if it uses a trigger word, if a statement that matters loads what it binds, or if it loads what a
statement that matters binds: the evidence for and against a finding stands in callers that hold no trigger word.
"""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from jaxlint.settings import Settings
from jaxlint.source import Source

LIBRARIES = ("jax", "flax", "equinox", "eqx", "haiku")
"""A file that mentions none of these, nor a configured wrapper's module, holds nothing to find."""

_WORD = re.compile(r"[^\W\d]\w*")


class UnreadableError(Exception):
    """The text is not Python; `offset` is the place, in code points, where the parser gave up."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines that holds one top-level statement, or several that share a line."""

    start: int
    text: str


def may_matter(source: Source, settings: Settings) -> bool:
    """Tell whether the text could hold a finding, judged by its words alone."""
    if not _libraries(settings).search(source.text):
        return False
    # Faster than the loop over `_trigger_words` for the file that has none, which is the common one.
    return not _trigger_words(settings).isdisjoint(_WORD.findall(source.text))


def outline(source: Source, settings: Settings) -> list[Block]:
    """Return the blocks that matter, in the order of the text; an empty list means that nothing can be found.

    Where the running Python's `ast` does not know the syntax, the whole file is one block: LibCST may know it.
    """
    tree = _parse(source.text)
    if tree is None:
        return [Block(0, source.text)]
    statements = list(_statements(source, tree))
    kept = _closure(statements, _trigger_words(settings))
    return [Block(s.start, source.text[s.start : s.end]) for s in statements if s in kept]


def blocks(source: Source) -> list[Block]:
    """Return all blocks of a file; joined, they are its text.  (What `outline` chooses from.)"""
    tree = _parse(source.text)
    if tree is None:
        return [Block(0, source.text)]
    return [Block(s.start, source.text[s.start : s.end]) for s in _statements(source, tree)]


@functools.lru_cache(maxsize=8)
def _libraries_pattern(extra: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, (*LIBRARIES, *extra))))


def _libraries(settings: Settings) -> re.Pattern[str]:
    return _libraries_pattern(tuple(sorted({name.partition(".")[0] for name in settings.wrappers})))


# Keyed by identity: Settings holds a mapping, so it has no hash, and a run uses one object for all its files.
_words_by_settings: dict[int, tuple[Settings, frozenset[str]]] = {}


def _trigger_words(settings: Settings) -> frozenset[str]:
    known = _words_by_settings.get(id(settings))
    if known is not None and known[0] is settings:
        return known[1]
    from jaxlint.rules import rules

    words = {word for rule in rules().values() if settings.enabled(rule) for word in rule.words}
    words |= {name.rpartition(".")[2] for name in settings.wrappers}
    if len(_words_by_settings) > 64:
        _words_by_settings.clear()
    _words_by_settings[id(settings)] = (settings, frozenset(words))
    return frozenset(words)


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            # An invalid escape in a linted string is not ours to print.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Statement:
    """A block with its `ast` nodes; names are read on demand, because most statements are never asked."""

    __slots__ = ("__dict__", "end", "nodes", "start", "words")

    def __init__(self, start: int, end: int, nodes: list[ast.stmt], words: frozenset[str]) -> None:
        self.start = start
        self.end = end
        self.nodes = nodes
        self.words = words

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """Every identifier that the code uses: names, attributes, imported names."""
        found: set[str] = set()
        for node in self.nodes:
            for item in ast.walk(node):
                if isinstance(item, ast.Name):
                    found.add(item.id)
                elif isinstance(item, ast.Attribute):
                    found.add(item.attr)
                elif isinstance(item, ast.alias):
                    found.update(item.name.split("."))
        return frozenset(found)

    @functools.cached_property
    def binds(self) -> frozenset[str]:
        """The names that other statements may know this one's work by: module names, methods, imports."""
        found: set[str] = set()
        for node in self.nodes:
            found.update(_bound(node))
        return frozenset(found)

    @property
    def imports_only(self) -> bool:
        return all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in self.nodes)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield node.name
        yield from _globals(node)
    elif isinstance(node, ast.ClassDef):
        yield node.name
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and not item.name.startswith("__"):
                yield item.name
        yield from _globals(node)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for item in ast.walk(node):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                yield item.id
            elif isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield item.name
            elif isinstance(item, ast.alias):
                yield item.asname or item.name.partition(".")[0]


def _globals(node: ast.stmt) -> Iterator[str]:
    for item in ast.walk(node):
        if isinstance(item, ast.Global):
            yield from item.names


def _statements(source: Source, tree: ast.Module) -> Iterator[_Statement]:
    """Split the text at the ends of top-level statements; what stands before one belongs to it."""
    starts = source.line_starts
    groups: list[tuple[int, list[ast.stmt]]] = []
    for node in tree.body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        if groups and first <= groups[-1][0]:
            groups[-1][1].append(node)
            groups[-1] = (max(groups[-1][0], node.end_lineno or first), groups[-1][1])
        else:
            groups.append((node.end_lineno or first, [node]))
    start = 0
    for number, (last_row, nodes) in enumerate(groups, 1):
        end = starts[last_row] if last_row < len(starts) and number < len(groups) else len(source.text)
        yield _Statement(start, end, nodes, frozenset(_WORD.findall(source.text, start, end)))
        start = end


def _closure(statements: list[_Statement], triggers: frozenset[str]) -> set[_Statement]:
    triggers = triggers | {
        alias.asname
        for statement in statements
        if not triggers.isdisjoint(statement.words)
        for node in statement.nodes
        for item in ast.walk(node)
        if isinstance(item, (ast.Import, ast.ImportFrom))
        for alias in item.names
        if alias.asname and alias.name.rpartition(".")[2] in triggers
    }
    binders: dict[str, list[_Statement]] = defaultdict(list)
    users: dict[str, list[_Statement]] = defaultdict(list)
    for statement in statements:
        for name in statement.binds:
            binders[name].append(statement)
        for word in statement.words:
            users[word].append(statement)
    work = [
        s
        for s in statements
        if not s.imports_only and not triggers.isdisjoint(s.words) and not triggers.isdisjoint(s.names)
    ]
    kept = set(work)
    # Callers of what matters, and their callers, up to module level.
    while work:
        statement = work.pop()
        if statement.imports_only:
            continue
        for name in statement.binds:
            for user in users[name]:
                if user not in kept and name in user.names:
                    kept.add(user)
                    work.append(user)
    # What all of these load, down to the imports.
    work = list(kept)
    while work:
        for name in work.pop().names:
            for binder in binders.get(name, ()):
                if binder not in kept:
                    kept.add(binder)
                    work.append(binder)
    return kept
