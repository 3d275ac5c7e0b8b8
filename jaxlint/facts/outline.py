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
import itertools
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jaxlint.facts.glance import (
    CONTROL_FLOW,
    SHORT,
    SOLVERS,
    ArrayCode,
    Definition,
    Operations,
    compares_numbers,
    counts,
    is_rank,
    is_search,
    last_name,
    may_be_long,
    walk,
)
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.finding import Confidence, Span
from jaxlint.settings import ENTRY_POINTS, Settings
from jaxlint.source import Source

LIBRARIES = ("jax", "flax", "equinox", "eqx", "haiku")
"""A file that mentions none of these, nor a configured wrapper's module, holds nothing to find."""

TRACE_WORDS = frozenset(
    "jit pmap pjit filter_jit filter_pmap vmap filter_vmap grad value_and_grad filter_grad filter_value_and_grad "
    "checkpoint remat scan while_loop fori_loop cond switch compact pallas_call Module "
    "psum pmean pmax pmin psum_scatter all_gather all_to_all ppermute pshuffle pswapaxes axis_index".split()
)
"""The identifiers by which code that runs under trace is marked."""

_HOST_WORDS = frozenset({"print", "item", "tolist", "plot", "imshow", "savefig", "scatter", "hist"})

TEST_WORDS = frozenset({"if"})
LOOP_WORDS = frozenset({"while", "range", "enumerate"})

_INDIRECT = 3
"""By how many calls a function of the file may be away from the operations that it does."""

_LOOP_KEYWORDS = frozenset({"for", "while"})

_WORD = re.compile(r"[^\W\d]\w*")


_BRACKETS = re.compile(
    r"""'''(?:\\.|[^\\])*?'''|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^\\\r\n'])*'|"(?:\\.|[^\\\r\n"])*"|#[^\r\n]*"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])""",
    re.DOTALL,
)

_LONE_BACKSLASH = re.compile(r"(?:\A|(?<=[\r\n]))([ \t\f]*)\\(\r\n|\r|\n)([ \t\f]*)")

MOST_BRACKETS = 200
"""Python's own limit on brackets within brackets."""

DEEPEST = 1000
"""How deep code may be nested: some way below the depth at which LibCST's parser overflows the stack, which nothing can
catch, and above all that Python's own limit on recursion lets pass, but for what `ast` keeps flat."""


class UnreadableError(Exception):
    """The text is not Python; `offset` is the place, in code points, where the parser gave up."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines that is parsed by itself: a top-level statement, or several that share a line.

    `pieces` are the spans of the source's text that it is made of; a class leaves out the methods that do not matter.
    """

    pieces: tuple[Span, ...]
    text: str

    @property
    def start(self) -> int:
        """The offset of its first character in the source."""
        return self.pieces[0].start


def may_matter(source: Source, settings: Settings, incoming: Incoming = NOTHING) -> bool:
    """Tell whether the text could hold a finding, judged by its words alone, and by who uses it."""
    if not incoming.telling and not _libraries(settings).search(source.text):
        return False
    triggers = _with_imported(_triggers(settings), incoming)
    words = set(_WORD.findall(source.text))
    if _has_any(triggers.words, words) or _has_any(triggers.eager, words):
        return True
    if triggers.array_loops and not words.isdisjoint(_LOOP_KEYWORDS):
        return True
    return not triggers.cues.isdisjoint(words) and (bool(incoming.traced) or not TRACE_WORDS.isdisjoint(words))


def outline(source: Source, settings: Settings, incoming: Incoming = NOTHING) -> list[Block]:
    """Return the blocks that matter, in the order of the text; an empty list means that nothing can be found.

    Where the running Python's `ast` does not know the syntax, the whole file is one block: LibCST may know it.

    Raises:
        UnreadableError: no parser can take the text: it holds what Python's source cannot, or is nested too deeply.
    """
    tree = _parse(source.text)
    if tree is None:
        return [_whole(source)]
    items = _items(source, tree)
    kept = _closure(items, _with_imported(_triggers(settings), incoming), incoming)
    chosen = [item for item in items if item in kept or (item.needed_by and item.needed_by in kept)]
    for item in chosen:
        if _may_nest_deeply(source.text[item.start : item.end]) and item.depth > DEEPEST:
            raise UnreadableError(_TOO_DEEP, source.line_starts[item.nodes[0].lineno - 1])
    return _blocks(source, chosen)


def blocks(source: Source) -> list[Block]:
    """Return all blocks of a file, from which `outline` chooses; joined, they are its text.

    Raises:
        UnreadableError: as for `outline`.
    """
    tree = _parse(source.text)
    return [_whole(source)] if tree is None else _blocks(source, _items(source, tree))


def whole(source: Source) -> Block:
    """Return the whole file as one block.

    Raises:
        UnreadableError: no parser can take the text; see `outline`.
    """
    tree = _parse(source.text)
    if tree is not None and _may_nest_deeply(source.text) and _depth(tree.body) > DEEPEST:
        raise UnreadableError(_TOO_DEEP, 0)
    return _whole(source)


def _whole(source: Source) -> Block:
    return Block((Span(0, len(source.text)),), source.text)


def _blocks(source: Source, items: list[_Item]) -> list[Block]:
    """Join the members of each class to one block."""
    found: list[Block] = []
    for _, group in itertools.groupby(items, key=lambda item: id(item.header or item)):
        pieces = tuple(Span(item.start, item.end) for item in group)
        found.append(Block(pieces, "".join(source.text[piece.start : piece.end] for piece in pieces)))
    return found


@functools.lru_cache(maxsize=8)
def _libraries_pattern(extra: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, (*LIBRARIES, *extra))))


def _libraries(settings: Settings) -> re.Pattern[str]:
    return _libraries_pattern(tuple(sorted({name.partition(".")[0] for name in settings.wrappers})))


@dataclass(frozen=True)
class Triggers:
    """What makes a statement matter: one of `words`, or one of `cues` where traced code in the file reaches it.

    Among the cues `LOOP_WORDS` stand for a loop whose turns cannot be counted on one hand, `TEST_WORDS` for a
    comparison of numbers that Python tests or indexes by.  A statement that uses only
    `eager` words matters where a caller of it loops or starts a program.  With `array_loops` a loop that does array
    operations matters, if it is long or may run eagerly; without `sure` in any case.
    """

    words: frozenset[str]
    cues: frozenset[str]
    eager: frozenset[str] = frozenset()
    array_loops: bool = False
    sure: bool = True

    @property
    def tests(self) -> bool:
        """Whether a test of data is a cue."""
        return not TEST_WORDS.isdisjoint(self.cues)

    @property
    def loops(self) -> bool:
        """Whether a long loop is a cue."""
        return not LOOP_WORDS.isdisjoint(self.cues)


# Keyed by identity: Settings holds a mapping, so it has no hash, and a run uses one object for all its files.
_known_triggers: dict[int, tuple[Settings, Triggers]] = {}


def _triggers(settings: Settings) -> Triggers:
    known = _known_triggers.get(id(settings))
    if known is not None and known[0] is settings:
        return known[1]
    from jaxlint.rules import rules

    enabled = [rule for rule in rules().values() if settings.enabled(rule)]
    sure = settings.min_confidence > Confidence.LOW
    triggers = Triggers(
        frozenset(word for rule in enabled for word in rule.words if not (sure and rule.eager_only))
        | {name.rpartition(".")[2] for name in settings.wrappers},
        frozenset(word for rule in enabled for word in rule.cues),
        frozenset(word for rule in enabled for word in rule.words if sure and rule.eager_only),
        any(rule.array_loops for rule in enabled),
        sure,
    )
    if len(_known_triggers) > 64:
        _known_triggers.clear()
    _known_triggers[id(settings)] = (settings, triggers)
    return triggers


def _with_imported(triggers: Triggers, incoming: Incoming) -> Triggers:
    """Add the names of functions of other modules that return what they have just compiled."""
    if not incoming.telling:
        return triggers
    names = frozenset(name.rpartition(".")[2] for name in incoming.telling)
    return Triggers(triggers.words | names, triggers.cues, triggers.eager)


def without_lone_backslashes(text: str) -> str:
    """Blank the rows that hold a backslash alone where that keeps the meaning.

    LibCST drops such a row at the start of a statement, so that all rows below count wrong, or takes it for an error.
    """
    if _LONE_BACKSLASH.search(text) is None:
        return text
    meaning = _meaning(text)
    # The first keeps columns too.  The second is for a row whose own indentation does not count, as that of the
    # backslash does.
    for replacement in (r"\1 \2\3", r"\2\1"):
        blanked = text
        while _LONE_BACKSLASH.search(blanked) is not None:
            blanked = _LONE_BACKSLASH.sub(replacement, blanked)
        if meaning is not None and _meaning(blanked) == meaning:
            return blanked
    return text


def _meaning(text: str) -> str | None:
    try:
        return ast.dump(python_tree(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def python_tree(text: str) -> ast.Module:
    """Parse with the running Python, without a word on the standard error stream.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse` does.
    """
    with warnings.catch_warnings():
        # An invalid escape in a linted string is not ours to print.
        warnings.simplefilter("ignore")
        return ast.parse(text)


_MOST_KEPT = 5_000_000
"""How many characters of text to keep the trees of, each of which takes some 25 bytes a character."""
_trees: dict[str, ast.Module] = {}


def keep_tree(text: str, tree: ast.Module) -> None:
    """Keep the tree of a text that is about to be linted, so that a project of moderate size is parsed but once."""
    if len(text) + sum(map(len, _trees)) <= _MOST_KEPT:
        _trees[text] = tree


def forget_trees() -> None:
    """Drop the trees that were kept and not asked for."""
    _trees.clear()


def _parse(text: str) -> ast.Module | None:
    """Return the tree, or None where only the syntax is at fault, so that another parser may take the text."""
    try:
        return _trees.pop(text, None) or python_tree(text)
    except SyntaxError:
        depth = 0
        for match in _BRACKETS.finditer(text):
            depth += (match["open"] is not None) - (match["close"] is not None)
            if depth > MOST_BRACKETS:
                raise UnreadableError(_TOO_DEEP, match.start()) from None
        return None
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeEncodeError) else 0
        raise UnreadableError("syntax error: a lone surrogate is no text", place) from None
    except ValueError as error:
        raise UnreadableError(f"syntax error: {error}", max(text.find("\0"), 0)) from None
    except (RecursionError, MemoryError):
        raise UnreadableError(_TOO_DEEP, 0) from None


_TOO_DEEP = "syntax error: nested too deeply to be parsed"


class Used(NamedTuple):
    """The names that an item loads, the attributes it reads of `self` or `cls`, and those of anything else.

    Attributes of imported modules are left out.
    """

    loads: frozenset[str]
    own: frozenset[str]
    others: frozenset[str]


class _Item:
    """A top-level statement, the head of a class, or a method; names are read on demand, because most are never asked.

    `header` is the head of the class for a method.  `needed_by` is the head for those methods without which the class
    would have no body, or would seem to compare otherwise.
    """

    __slots__ = ("__dict__", "end", "header", "imported", "needed_by", "nodes", "start", "words")

    def __init__(
        self, source: Source, start: int, end: int, nodes: list[ast.stmt], header: _Item | None = None
    ) -> None:
        self.start = start
        self.end = end
        self.nodes = nodes
        self.header = header
        self.needed_by: _Item | None = None
        self.imported: frozenset[str] = frozenset()
        self.words = frozenset(_WORD.findall(source.text, start, end))

    def _walked(self) -> list[ast.AST]:
        """The names, attributes, imports and loops of the code; the walk is what the outline's time goes to."""
        known: list[ast.AST] | None = self.__dict__.get("walked")
        if known is not None:
            return known
        found = [node for node in walk(*self._parts()) if node.__class__ in _NOTED]
        self.__dict__["walked"] = found
        return found

    @property
    def depth(self) -> int:
        """How deep its nodes nest once LibCST has parsed them."""
        return _depth(self._parts())

    def _parts(self) -> Iterator[ast.AST]:
        for statement in self.nodes:
            if self._is_head and isinstance(statement, ast.ClassDef):
                yield from (*statement.bases, *statement.keywords, *statement.decorator_list)
            else:
                yield statement

    @functools.cached_property
    def _is_head(self) -> bool:
        return len(self.nodes) == 1 and isinstance(self.nodes[0], ast.ClassDef) and self.__dict__.get("split", False)

    @functools.cached_property
    def used(self) -> Used:
        """The names that the code loads, and the attributes that it reads."""
        loads: set[str] = set()
        own: set[str] = set()
        others: set[str] = set()
        imported = self.imported
        for item in self._walked():
            if isinstance(item, ast.Name):
                loads.add(item.id)
            elif isinstance(item, ast.Attribute):
                base = item.value
                if isinstance(base, ast.Name) and base.id in ("self", "cls") and self.header is not None:
                    own.add(item.attr)
                    continue
                while isinstance(base, ast.Attribute):
                    base = base.value
                if not (isinstance(base, ast.Name) and base.id in imported):
                    others.add(item.attr)
        return Used(frozenset(loads), frozenset(own), frozenset(others))

    def uses_any(self, words: frozenset[str]) -> bool:
        """Whether one of the words is an identifier of the code, not only of a comment or a string."""
        if self.imports_only or not _has_any(words, self.words):
            return False
        for item in self._walked():
            if isinstance(item, ast.Name):
                if item.id in words:
                    return True
            elif isinstance(item, ast.Attribute):
                if item.attr in words or f"{last_name(item.value)}.{item.attr}" in words:
                    return True
            elif isinstance(item, ast.alias) and not words.isdisjoint(item.name.split(".")):
                return True
        return False

    def maps_arrays(self, words: frozenset[str], modules: Mapping[str, str], index: _Index) -> bool:
        """Whether one of the maps that go by `words` may do more than a single operation, or do it in a loop.

        `modules` gives the dotted names that the file's own names stand for.
        """
        nodes = walk(*self._parts())
        looped = {id(part) for loop in nodes if isinstance(loop, _LOOPS) for part in walk(loop)}
        operations = Operations(modules, functools.partial(_definitions, nodes, index), index.methods)
        return any(
            isinstance(node, ast.Call)
            and last_name(node.func) in words
            and (not node.args or operations.of(node.args[0]) > (id(node) not in looped))
            for node in nodes
        )

    def tests_data(self) -> bool:
        """Whether it tests, or indexes by, a comparison that may be one of arrays."""
        for item in self._walked():
            if isinstance(item, (ast.If, ast.IfExp, ast.Assert, ast.While)):
                if compares_numbers(item.test):
                    return True
            elif isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Compare):
                return True
        return False

    def loops_long(self) -> bool:
        """Whether it has a `while`, or a loop over a count that may be large or that arrays are indexed by."""
        if self.words.isdisjoint(LOOP_WORDS):
            return False
        indexed: set[str] | None = None
        for item in self._walked():
            if isinstance(item, ast.While):
                if not is_search(item.test):
                    return True
                continue
            if not isinstance(item, (ast.For, ast.AsyncFor, ast.comprehension)) or not isinstance(item.iter, ast.Call):
                continue
            if any(map(may_be_long, counts(item.iter))):
                return True
            if indexed is None:
                indexed = self._index_names()
            if any(map(is_rank, counts(item.iter))):
                continue
            if last_name(item.iter.func) in LOOP_WORDS and any(
                isinstance(part, ast.Name) and part.id in indexed for part in walk(item.target)
            ):
                return True
        return False

    @property
    def parts(self) -> list[ast.AST]:
        """Its nodes; of the head of a class what is not in its body."""
        return list(self._parts())

    @functools.cached_property
    def calls(self) -> list[ast.Call]:
        """The calls that it makes."""
        return [node for node in self._walked() if isinstance(node, ast.Call)]

    @property
    def updates(self) -> bool:
        """Whether it speaks of `x.at[...]`."""
        return "at" in self.words and any(isinstance(n, ast.Attribute) and n.attr == "at" for n in self._walked())

    @functools.cached_property
    def called(self) -> frozenset[str]:
        """The last names of what it calls."""
        return frozenset(last_name(call.func) for call in self.calls)

    def calls_with_new_function(self, words: frozenset[str]) -> bool:
        """Whether it calls one of the words with a function that it may just have made."""
        nodes = walk(*self._parts())
        made = {node.name for node in nodes if isinstance(node, _FUNCTIONS) and node not in self.nodes}
        made |= {
            target.id
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.Lambda, ast.Attribute))
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        return any(
            isinstance(node, ast.Call)
            and last_name(node.func) in words
            and any(
                _may_be_new(part, made)
                for arg in (*node.args, *(keyword.value for keyword in node.keywords))
                for part in _alternatives(arg)
            )
            for node in nodes
        )

    def loops_over_arrays(self, arrays_of: ArrayCode) -> list[ast.AST]:
        """Return the loops of which a turn may do more than one operation on arrays, and that have more than a few."""
        found: list[ast.AST] = []
        known: frozenset[str] | None = None
        for loop in self._walked():
            if isinstance(loop, _LOOPS) and not _is_brief(loop) and not _is_over_entries(loop):
                if known is None:
                    known = arrays_of.names_in(self.parts)
                if arrays_of.operations(loop, known) > 1:
                    found.append(loop)
        return found

    @property
    def is_compiled(self) -> bool:
        """Whether it is a function that a decorator compiles or traces."""
        return any(
            isinstance(part, (ast.Name, ast.Attribute)) and last_name(part) in TRACE_WORDS
            for node in self.nodes
            for decorator in getattr(node, "decorator_list", ())
            for part in walk(decorator)
        )

    def _index_names(self) -> set[str]:
        """The names that subscripts hold."""
        return {
            part.id
            for item in self._walked()
            if isinstance(item, ast.Subscript)
            for part in walk(item.slice)
            if isinstance(part, ast.Name)
        }

    @functools.cached_property
    def binds(self) -> frozenset[str]:
        """The module-level names that it binds; a dunder method goes by its class's name, which is how it is used."""
        found: set[str] = set()
        for node in self.nodes:
            if "global" in self.words:
                found.update(_globals(node))
            if self.header is not None and isinstance(node, _FUNCTIONS):
                if node.name.startswith("__"):
                    found.update(self.header.binds)
            elif self._is_head and isinstance(node, ast.ClassDef):
                found.add(node.name)
            else:
                found.update(_bound(node))
        return frozenset(found)

    @functools.cached_property
    def qualnames(self) -> frozenset[str]:
        """The functions and methods that it defines, as the module's own scope names them."""
        found: set[str] = set()
        for node in self.nodes:
            if isinstance(node, _FUNCTIONS):
                heads = self.header.nodes if self.header is not None else ()
                around = "".join(f"{head.name}." for head in heads if isinstance(head, ast.ClassDef))
                found.add(around + node.name)
            elif isinstance(node, ast.ClassDef) and not self._is_head:
                found.update(f"{node.name}.{part.name}" for part in node.body if isinstance(part, _FUNCTIONS))
        return frozenset(found)

    @functools.cached_property
    def methods(self) -> frozenset[str]:
        """The methods that it defines, dunder methods aside."""
        found: set[str] = set()
        for node in self.nodes:
            if self.header is not None and isinstance(node, _FUNCTIONS):
                found.add(node.name)
            elif isinstance(node, ast.ClassDef) and not self._is_head:
                found.update(part.name for part in node.body if isinstance(part, _FUNCTIONS))
        return frozenset(name for name in found if not name.startswith("__"))

    @functools.cached_property
    def members(self) -> frozenset[str]:
        """The attributes that it gives to objects: methods, class attributes, `self.x = ...`."""
        found = set(self.methods)
        if self.header is not None and not isinstance(self.nodes[0], _FUNCTIONS):
            found.update(name for node in self.nodes for name in _bound(node))
        if not self.words.isdisjoint(("self", "cls")):
            for item in self._walked():
                if isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Store):
                    found.add(item.attr)
        return frozenset(found)

    def shows_eagerness(self, names: frozenset[str], own: frozenset[str]) -> bool:
        """Whether it calls one of `names` at module level or in a loop, is an entry point, or marked to run once."""
        node = self.nodes[0]
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return not names.isdisjoint(self.called) and not names.isdisjoint(_called_at_once(self.nodes))
        if self.header is None and getattr(node, "name", "") in ENTRY_POINTS:
            return True
        if "once" in self.words:
            return True
        return any(_is_work(item) and _uses_within(item, names, own) for item in self._walked())

    @property
    def is_traced_by_library(self) -> bool:
        """Whether it is a method that a module's base class has traced."""
        node = self.nodes[0]
        return self.header is not None and isinstance(node, _FUNCTIONS) and node.name in ("__call__", "setup")

    @property
    def imports_only(self) -> bool:
        """Whether it only imports."""
        return all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in self.nodes)


_NESTING = re.compile(
    r"[(\[{.+\-*/%&|^@~<>=!\"']|\b(?:and|or|not|if|elif|else|for|while|with|try|lambda|await|in|is|def|class|match|case)\b"
)


def _may_nest_deeply(text: str) -> bool:
    """Whether a text holds as many of the tokens that nest as it takes; far cheaper than to walk its nodes."""
    return len(text) > DEEPEST and len(_NESTING.findall(text)) >= DEEPEST


def _depth(nodes: Iterable[ast.AST]) -> int:
    """How deep nodes nest for LibCST, which makes chains of some that `ast` keeps side by side."""
    deepest = 0
    stack = [(node, 1) for node in nodes]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, ast.BoolOp):
            depth += len(node.values)
        elif isinstance(node, ast.alias):
            depth += node.name.count(".")
        elif isinstance(node, ast.ImportFrom):
            depth += (node.module or "").count(".")
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IDENTITY = frozenset({"__eq__", "__hash__"})
"""Methods that say by being there or not what instances are equal to; they stay with their class."""
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)
_NOTED = frozenset(
    {ast.Name, ast.Attribute, ast.Call, ast.alias, ast.Global, ast.While, ast.For, ast.AsyncFor, ast.comprehension}
    | {ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp}
    | {ast.If, ast.IfExp, ast.Assert, ast.Subscript}
)


def _has_any(triggers: frozenset[str], words: Collection[str]) -> bool:
    """Whether a text's words hold a trigger; of `tree.map` they hold both parts."""
    if not triggers.isdisjoint(words):
        return True
    return any("." in trigger and all(part in words for part in trigger.split(".")) for trigger in triggers)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, *_COMPREHENSIONS)


def _called_at_once(nodes: Iterable[ast.AST]) -> set[str]:
    """The last names of what statements call, the bodies of functions that they define aside."""
    found, stack = set[str](), list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            continue
        if isinstance(node, ast.Call):
            found.add(last_name(node.func))
        stack.extend(ast.iter_child_nodes(node))
    return found


def _is_work(node: ast.AST) -> bool:
    """Whether it is a loop in which a program may spend its time; see `Loops.is_work` of the facts."""
    if isinstance(node, ast.While):
        return True
    if isinstance(node, (ast.For, ast.AsyncFor)):
        iterables = [node.iter]
    elif isinstance(node, _COMPREHENSIONS):
        iterables = [generator.iter for generator in node.generators]
    else:
        return False
    return not all(
        isinstance(i, ast.Call) and last_name(i.func) in ("items", "keys", "values", "zip") for i in iterables
    )


def _is_over_entries(loop: ast.AST) -> bool:
    """Whether a `for` goes through the entries of a mapping or the fields of a class; see `Loops.is_small`."""
    return (
        isinstance(loop, (ast.For, ast.AsyncFor))
        and isinstance(loop.iter, ast.Call)
        and last_name(loop.iter.func) in ("items", "fields")
    )


def _uses_within(node: ast.AST, names: frozenset[str], own: frozenset[str]) -> bool:
    """Whether code uses one of the names, or one of `own` as an attribute of `self`."""
    for item in walk(node):
        if isinstance(item, ast.Name) and item.id in names:
            return True
        if isinstance(item, ast.Attribute) and (
            item.attr in names
            or (item.attr in own and isinstance(item.value, ast.Name) and item.value.id in ("self", "cls"))
        ):
            return True
    return False


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for item in walk(node):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                yield item.id
            elif isinstance(item, (*_FUNCTIONS, ast.ClassDef)):
                yield item.name
            elif isinstance(item, ast.alias):
                yield item.asname or item.name.partition(".")[0]


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _definitions(nodes: list[ast.AST], index: _Index, name: str) -> list[Definition] | None:
    """Return the functions that a name may mean within an item of these nodes, None where it may mean another thing."""
    found: list[Definition] = []
    lambdas = set[int]()
    for node in (*nodes, *(node for item in index.binders.get(name, ()) for node in item.nodes)):
        if isinstance(node, _FUNCTIONS) and node.name == name:
            found.append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            if any(last_name(target) == name for target in node.targets):
                found.append(node.value)
                lambdas.update(map(id, node.targets))
        elif _stores(node, name) and id(node) not in lambdas:
            return None
    return found


def _imported(items: Iterable[_Item]) -> dict[str, str]:
    """The names that imports at module level bind, and the dotted names that they stand for."""
    found: dict[str, str] = {}
    for node in (node for item in items if item.imports_only for node in item.nodes):
        if isinstance(node, ast.Import):
            found.update((alias.asname, alias.name) for alias in node.names if alias.asname)
            found.update((alias.name.partition(".")[0],) * 2 for alias in node.names if not alias.asname)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            found.update((alias.asname or alias.name, f"{start}.{alias.name}") for alias in node.names)
    return found


def _globals(node: ast.stmt) -> Iterator[str]:
    for item in walk(node):
        if isinstance(item, ast.Global):
            yield from item.names


def _items(source: Source, tree: ast.Module) -> list[_Item]:
    """Split the text at the ends of top-level statements and methods; what stands before one belongs to it."""
    starts = source.line_starts
    end_of_text = len(source.text)

    def offset(row: int) -> int:
        return starts[row] if row < len(starts) else end_of_text

    items: list[_Item] = []
    start = 0
    groups = _by_rows(tree.body)
    for number, (_, last_row, nodes) in enumerate(groups, 1):
        end = offset(last_row) if number < len(groups) else end_of_text
        members = _members(nodes)
        if members is None:
            items.append(_Item(source, start, end, nodes))
        else:
            items.extend(_class_items(source, nodes[0], members, start, end, offset))
        start = end
    return items


def _by_rows(body: list[ast.stmt]) -> list[tuple[int, int, list[ast.stmt]]]:
    """Group statements that share a line; each group with its first and last row."""
    groups: list[tuple[int, int, list[ast.stmt]]] = []
    for node in body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        last = node.end_lineno or first
        if groups and first <= groups[-1][1]:
            before = groups.pop()
            groups.append((before[0], max(before[1], last), [*before[2], node]))
        else:
            groups.append((first, last, [node]))
    return groups


def _members(nodes: list[ast.stmt]) -> list[tuple[int, int, list[ast.stmt]]] | None:
    """Return the body of a class by rows, None where it cannot be taken apart."""
    if len(nodes) != 1 or not isinstance(nodes[0], ast.ClassDef):
        return None
    members = _by_rows(nodes[0].body)
    if members[0][0] <= nodes[0].lineno or not any(isinstance(group[2][0], _FUNCTIONS) for group in members):
        return None
    return members


def _class_items(
    source: Source,
    node: ast.stmt,
    members: list[tuple[int, int, list[ast.stmt]]],
    start: int,
    end: int,
    offset: Callable[[int], int],
) -> Iterator[_Item]:
    """The head of a class, which holds all that is no method, and its methods; the head comes first."""
    # The rows between the `class` line and the first member belong to that member, comments and all.
    first = members[0][0] - 1
    while first > 0 and offset(first - 1) > start and not source.text[offset(first - 1) : offset(first)].strip():
        first -= 1
    head = _Item(source, start, offset(first), [node])
    head.__dict__["split"] = True
    yield head
    has_body = False
    here = offset(first)
    for number, (_, last_row, nodes) in enumerate(members, 1):
        until = offset(last_row) if number < len(members) else end
        item = _Item(source, here, until, nodes, head)
        if not isinstance(nodes[0], _FUNCTIONS):
            item.needed_by = head
            has_body = True
        elif nodes[0].name in _IDENTITY or (number == len(members) and not has_body):
            item.needed_by = head
        yield item
        here = until


def _closure(items: list[_Item], triggers: Triggers, incoming: Incoming) -> set[_Item]:
    index = _Index(items)
    words = triggers.words | _aliases(items, triggers.words)
    seeds = {item for item in items if item.uses_any(words)}
    # A decorator that lost its `@` is an expression of its own, and means the `def` below.
    seeds |= {
        below for item, below in itertools.pairwise(items) if item in seeds and isinstance(item.nodes[-1], ast.Expr)
    }
    makers = frozenset(seeds)
    if triggers.cues:
        traced = {item for item in items if item.uses_any(TRACE_WORDS)}
        # A library's base class has its subclass's `__call__` traced, which bears no mark of its own.
        traced |= {item for item in items if item.header in traced and item.is_traced_by_library}
        if incoming.traced:
            traced |= {item for item in items if not incoming.traced.isdisjoint(item.qualnames)}
        cues = triggers.cues - LOOP_WORDS - TEST_WORDS
        seeds |= {i for i in index.down(traced) if i.uses_any(cues) or (triggers.loops and i.loops_long())}
        if triggers.tests:
            seeds |= {item for item in index.down(traced) if item.tests_data()}
    eager = frozenset(word.rpartition(".")[2] for word in triggers.eager)
    modules = _imported(items) if triggers.eager or triggers.array_loops else {}
    maps = {
        item
        for item in items
        if item.uses_any(triggers.eager)
        and _is_worth_a_look(item, triggers.eager, modules, index)
        and index.may_run_eagerly(item, eager, incoming.eager)
    }
    if triggers.array_loops and modules:
        maps |= _array_loops(items, modules, index, incoming, sure=triggers.sure)
    callers = index.up(seeds | maps)
    # What the seeds call may matter as much as they do, and so may whom compiled functions are handed on to; of other
    # callers only what their names stand for.
    called = index.down(seeds | index.up(set(makers))) | index.down(maps, functions=False) | index.called(maps)
    kept = callers | called | index.down(callers, functions=False)
    # Any name may come from a star import.
    return kept | {item for item in items if "*" in item.binds} if kept else kept


def _is_worth_a_look(item: _Item, words: frozenset[str], modules: Mapping[str, str], index: _Index) -> bool:
    """Whether one of the eager calls of an item may matter: a map of arrays, a body that may be new, a solver."""
    if item.uses_any(words & SOLVERS) or item.calls_with_new_function(words & CONTROL_FLOW):
        return True
    maps = words - SOLVERS - CONTROL_FLOW
    return item.uses_any(maps) and item.maps_arrays(frozenset(w.rpartition(".")[2] for w in maps), modules, index)


def _array_loops(
    items: list[_Item], modules: Mapping[str, str], index: _Index, incoming: Incoming, *, sure: bool
) -> set[_Item]:
    """The items with a loop that may do several array operations in each turn, where nothing compiles it."""
    of_jax = {name: module for name, module in modules.items() if module.partition(".")[0] == "jax"}
    if not of_jax:
        return set()
    plain = ArrayCode(of_jax)
    given = of_jax.keys() | {"at"}
    does = [item for item in items if not item.words.isdisjoint(given) and (item.updates or plain.does(item.calls))]
    doers = {name for item in does for name in (*item.binds, *item.methods)}
    for _ in range(_INDIRECT):
        doers |= {
            name
            for item in items
            if not item.words.isdisjoint(doers) and not item.called.isdisjoint(doers)
            for name in (*item.binds, *item.methods)
        }
    busy = incoming.busy
    doers |= {name for name, dotted in modules.items() if dotted in busy} if busy else set()
    code = ArrayCode(of_jax, frozenset(doers))
    found = set()
    for item in items:
        if item.words.isdisjoint(_LOOP_KEYWORDS) or item.is_compiled or item.imports_only:
            continue
        if item.words.isdisjoint(of_jax.keys()) and item.words.isdisjoint(doers):
            continue
        loops = item.loops_over_arrays(code)
        if not loops:
            continue
        shown = not all(isinstance(loop, (ast.For, ast.AsyncFor, ast.While)) for loop in loops)
        if not sure or item.loops_long() or index.may_run_eagerly(item, frozenset(), incoming.eager, shown=shown):
            found.add(item)
    return found


def _aliases(items: list[_Item], words: frozenset[str]) -> set[str]:
    """The names under which trigger words are imported."""
    return {
        alias.asname
        for item in items
        if "import" in item.words and not words.isdisjoint(item.words)
        for node in item.nodes
        for part in walk(node)
        if isinstance(part, (ast.Import, ast.ImportFrom))
        for alias in part.names
        if alias.asname and alias.name.rpartition(".")[2] in words
    }


class _Index:
    """Which items bind, and which use, a name.

    A method goes by its name alone, so a use counts only where it may mean that method: through `self` within the
    family of its class, elsewhere where just one class has a method of that name, or where an instance of a class of
    the file may be at hand.  The call graph of the facts resolves no more than that.
    """

    def __init__(self, items: list[_Item]) -> None:
        imported = frozenset(name for item in items if item.imports_only for name in item.binds)
        self.binders: dict[str, list[_Item]] = defaultdict(list)
        self.members: dict[str, list[_Item]] = defaultdict(list)
        self.users: dict[str, list[_Item]] = defaultdict(list)
        methods: Counter[str] = Counter()
        heads: dict[str, _Item] = {}
        instances: set[str] = set()
        for item in items:
            item.imported = imported
            for name in item.binds:
                self.binders[name].append(item)
            for name in item.members:
                self.members[name].append(item)
            for word in item.words:
                self.users[word].append(item)
            methods.update(item.methods)
            for node in item.nodes:
                if isinstance(node, ast.ClassDef):
                    heads[node.name] = item
                    instances.add(node.name)
                elif item.header is None and not isinstance(node, _DEFINITIONS):
                    instances.update(item.binds)
        self.methods = methods.keys()
        self._unique = frozenset(name for name, count in methods.items() if count == 1)
        self._instances = frozenset(instances)
        self._bases = {name: _base_names(item.nodes) & heads.keys() for name, item in heads.items()}
        self._families: dict[int, frozenset[str]] = {}
        # A class whose one method makes an instance may use it in any other.
        self._holders = {
            id(item.header) for item in items if item.header is not None and not self._instances.isdisjoint(item.words)
        }

    def _family(self, header: _Item) -> frozenset[str]:
        """The names of a class and its bases in the file."""
        found = self._families.get(id(header))
        if found is None:
            names, work = set[str](), [node.name for node in header.nodes if isinstance(node, ast.ClassDef)]
            while work:
                name = work.pop()
                if name not in names:
                    names.add(name)
                    work.extend(self._bases.get(name, ()))
            found = self._families[id(header)] = frozenset(names)
        return found

    def _may_mean(self, user: _Item, name: str, member: _Item) -> bool:
        """Whether an item that reads an attribute of that name may mean this member."""
        used = user.used
        if name in used.own and user.header is not None and member.header is not None:
            related = not self._family(user.header).isdisjoint(self._family(member.header))
            if related:
                return True
        if name not in used.others:
            return name in used.own and member.header is None
        if name in self._unique or name not in member.methods:
            return True
        return not self._instances.isdisjoint(used.loads) or id(user.header) in self._holders

    def up(self, items: set[_Item]) -> set[_Item]:
        """Add the callers of what the items define, and their callers, up to module level."""
        found, work = set(items), list(items)
        while work:
            item = work.pop()
            if item.imports_only:
                continue
            for name in item.binds:
                for user in self.users[name]:
                    if user not in found and name in user.used.loads:
                        found.add(user)
                        work.append(user)
            for name in item.methods:
                for user in self.users[name]:
                    if user not in found and self._may_mean(user, name, item):
                        found.add(user)
                        work.append(user)
        return found

    def called(self, items: set[_Item]) -> set[_Item]:
        """Return the functions of the module that the items load, and those that these load."""
        found, work = set[_Item](), items
        for _ in range(2):
            work = {
                other
                for item in work
                for name in item.used.loads
                for other in self.binders.get(name, ())
                if isinstance(other.nodes[0], _FUNCTIONS) and other.header is None
            }
            found |= work
        return found

    def may_run_eagerly(
        self, item: _Item, words: frozenset[str], elsewhere: frozenset[str], *, shown: bool = True
    ) -> bool:
        """Whether an item, or a caller of it, loops, starts a program or, if `shown`, gives a value to the host.

        `elsewhere` are the functions of which another module says so.
        """
        if shown and not item.words.isdisjoint(_HOST_WORDS):
            return True
        callers = self.up({item})
        if elsewhere and any(not elsewhere.isdisjoint(caller.qualnames) for caller in callers):
            return True
        methods = frozenset(name for caller in callers for name in caller.methods)
        names = frozenset(name for caller in callers for name in caller.binds) | (methods & self._unique) | words
        return any(caller.shows_eagerness(names, methods) for caller in callers)

    def down(self, items: set[_Item], *, functions: bool = True) -> set[_Item]:
        """Add what the items load, down to the imports; a method brings the head of its class.

        Without `functions`, those that are called are left out: imports, constants and heads of classes remain.
        """
        found, work = set(items), list(items)

        def add(item: _Item) -> None:
            if item not in found and (functions or not isinstance(item.nodes[0], _FUNCTIONS)):
                found.add(item)
                work.append(item)

        while work:
            item = work.pop()
            if item.header is not None:
                add(item.header)
            for name in item.used.loads:
                for other in self.binders.get(name, ()):
                    add(other)
            for name in item.used.own | item.used.others:
                for other in self.members.get(name, ()):
                    if other not in found and self._may_mean(item, name, other):
                        add(other)
        return found


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the expressions that an argument may be."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return list(node.elts) if isinstance(node, (ast.List, ast.Tuple)) else [node]


def _may_be_new(node: ast.expr, made: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in made
    return isinstance(node, (ast.Lambda, ast.Call, ast.Attribute))


def _is_brief(loop: ast.AST) -> bool:
    """Whether a `for` has a literal number of turns that one hand counts."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(loop.iter, ast.Call):
        return False
    numbers = [node.value if isinstance(node, ast.Constant) else None for node in loop.iter.args]
    is_range = last_name(loop.iter.func) == "range" and bool(numbers)
    return is_range and all(isinstance(number, int) and number <= SHORT for number in numbers)


def _base_names(nodes: list[ast.stmt]) -> set[str]:
    return {last_name(base) for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases}
