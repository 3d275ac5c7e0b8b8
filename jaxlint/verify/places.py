"""Where a line of a module is: what starts on it, and what has to be called for it to run.

Works on the text alone.  Lines are 1-based, columns 0-based UTF-8 bytes, as the child reports them.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from jaxlint.verify.instrument import first_line, innermost_statements, parts_of, range_of
from jaxlint.verify.observation import Anchor, Range
from jaxlint.verify.slices import is_conditional

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Entry:
    """A function by its qualified name, and the first line of its body."""

    target: str
    line: int


class Places:
    """The places of one module.

    Raises:
        SyntaxError: the text is no Python.
    """

    def __init__(self, file: str, text: str | bytes) -> None:
        self._file = file
        self.text = text
        """The text, as it was given."""
        self._tree = ast.parse(text)

    def anchor(self, line: int) -> Anchor:
        """Return the anchor of a line; it has no ranges where nothing starts."""
        starting = [node for node in ast.walk(self._tree) if isinstance(node, ast.expr | ast.stmt)]
        ranges = {range_of(node) for node in starting if node.lineno == line and not _is_compound(node)}
        largest = [r for r in ranges if not any(_contains(other, r) for other in ranges if other != r)]
        tests = [node for node in starting if isinstance(node, ast.If | ast.While | ast.Assert) and node.lineno == line]
        return Anchor(self._file, tuple(sorted(largest)), tuple(map(range_of, tests)))

    def inside(self, line: int) -> Anchor:
        """Return the anchor of a line, with the function that the compiling wrapper on it is about."""
        anchor, wrapped = self.anchor(line), self._wrapped(line)
        body = () if wrapped is None else ((first_line(wrapped), 0, wrapped.end_lineno or wrapped.lineno, sys.maxsize),)
        return Anchor(anchor.file, (*anchor.ranges, *body), anchor.heads)

    def parts(self, span: Range) -> list[Range]:
        """Return the ranges of what has to be evaluated for all of a span to have run."""
        return [range_of(part) for part in parts_of(self._tree, span)]

    def around(self, line: int) -> tuple[int, int]:
        """Return the first and the last line of the innermost function around a line, or of the whole module."""
        functions = [node for node in ast.walk(self._tree) if isinstance(node, _Function)]
        holding = [f for f in functions if first_line(f) <= line <= (f.end_lineno or f.lineno)]
        inner = max(holding, key=first_line, default=None)
        return (1, sys.maxsize) if inner is None else (first_line(inner), inner.end_lineno or inner.lineno)

    @property
    def everything(self) -> Anchor:
        """An anchor that holds every place in the file."""
        return Anchor(self._file, ((1, 0, sys.maxsize, 0),))

    def with_classes(self, line: int) -> Anchor:
        """Return the anchor of a line, the classes of the module that it calls included, with their bases."""
        anchor = self.anchor(line)
        if not self.target(line):
            return anchor
        classes = {node.name: node for node in ast.walk(self._tree) if isinstance(node, ast.ClassDef)}
        pending = [
            node.func.id
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and node.lineno == line and isinstance(node.func, ast.Name)
        ]
        found: dict[str, Range] = {}
        while pending:
            name = pending.pop()
            if name in classes and name not in found:
                found[name] = range_of(classes[name])
                pending += [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
        return Anchor(anchor.file, tuple(sorted((*anchor.ranges, *found.values()))), anchor.heads)

    def target(self, line: int) -> str:
        """Return the qualified name of the outermost function around a line, or method of a module-level class.

        A decorator belongs to what it decorates.  At module level, and in the body of a class, the name is empty.
        """
        for node in self._definitions(self._tree.body, line):
            if isinstance(node, _Function):
                return node.name
            for inner in self._definitions(node.body, line):
                if isinstance(inner, _Function):
                    return f"{node.name}.{inner.name}"
        return ""

    def loop(self, line: int) -> int | None:
        """Return the last line of the loop or comprehension that starts on a line; None if there is none."""
        ends = [
            node.end_lineno or node.lineno
            for node in ast.walk(self._tree)
            if isinstance(node, ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
            and line in (node.lineno, *(g.target.lineno for g in getattr(node, "generators", ())))
        ]
        return max(ends, default=None)

    def is_conditional(self, line: int) -> bool:
        """Tell whether a line may run in one call of the function around it and not in another."""
        return is_conditional(self._tree, line)

    def defines(self, line: int) -> bool:
        """Tell whether a line is in a definition at module level, or decorates one."""
        return any(True for _ in self._definitions(self._tree.body, line))

    def users(self, line: int) -> tuple[str, ...]:
        """Return the functions that mention the class whose body, but none of its methods, a line is in."""
        classes = [n for n in self._tree.body if isinstance(n, ast.ClassDef) and n.lineno < line <= (n.end_lineno or 0)]
        if not classes or self.target(line):
            return ()
        found: dict[str, None] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and node.id == classes[0].name and self.target(node.lineno):
                found[self.target(node.lineno)] = None
        return tuple(found)

    def is_literal(self, line: int) -> bool:
        """Tell whether the loop that starts on a line is over a `range` of numbers, or of names of numbers."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.For) and node.lineno == line and isinstance(node.iter, ast.Call):
                constant = all(
                    isinstance(argument, ast.Constant) or getattr(argument, "id", None) in self._constants
                    for argument in node.iter.args
                )
                return constant and getattr(node.iter.func, "id", "") == "range"
        return False

    @cached_property
    def _constants(self) -> frozenset[str]:
        """The names that are bound once in the file, to a number at module level."""
        bound = Counter(
            node.id if isinstance(node, ast.Name) else node.arg
            for node in ast.walk(self._tree)
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        )
        return frozenset(
            target.id
            for node in self._tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name) and bound[target.id] == 1 and type(node.value.value) is int
        )

    @cached_property
    def bodies(self) -> frozenset[int]:
        """The first line of the body of each function."""
        return frozenset(self._first_body_line(node) for node in ast.walk(self._tree) if isinstance(node, _Function))

    def body(self, target: str) -> Entry | None:
        """Return the entry of a module-level function, method of a module-level class, or of what a name wraps."""
        wrapped = next((name for name in self._functions if target in self.wrappers(name)), target)
        for node in ast.walk(self._tree):
            if isinstance(node, _Function) and self.target(node.lineno) == wrapped:
                return Entry(target, self._first_body_line(node))
        return None

    def entry(self, line: int) -> Entry | None:
        """Return the function that the compiling wrapper on a line is about.

        That is the function it decorates, or that its first argument names, or that is defined right below it.
        """
        found = self._wrapped(line)
        return Entry(self.target(found.lineno) or found.name, self._first_body_line(found)) if found else None

    @cached_property
    def _functions(self) -> tuple[str, ...]:
        return tuple(node.name for node in self._tree.body if isinstance(node, _Function))

    def callers(self, target: str) -> tuple[str, ...]:
        """Return the functions and methods, as `target` gives them, that call a function or method by its last name.

        Those follow that only hand it on, to what may call it.
        """
        name = target.rpartition(".")[2]
        found: dict[str, None] = {}
        for only_calls in (True, False):
            for node in ast.walk(self._tree):
                mentioned = node.func if only_calls and isinstance(node, ast.Call) else node
                if only_calls and mentioned is node:
                    continue
                if name == getattr(mentioned, "id", getattr(mentioned, "attr", None)):
                    caller = self.target(node.lineno)  # type: ignore[attr-defined]
                    if caller:
                        found[caller] = None
        return tuple(found)

    def wrappers(self, target: str) -> tuple[str, ...]:
        """Return the module-level names that are assigned the result of a call that is given a function by its name."""
        found = []
        for node in self._tree.body:
            # A partial compiles nothing.
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and not _is_partial(node.value):
                handed = [argument.id for argument in node.value.args if isinstance(argument, ast.Name)]
                if target in handed:
                    found += [name.id for name in node.targets if isinstance(name, ast.Name)]
        return tuple(found)

    def names(self, line: int) -> frozenset[str]:
        """Return the names that what starts on a line mentions, and those of the functions around it."""
        found = {part for part in self.target(line).split(".") if part}
        found |= {
            n.name for n in self._tree.body if isinstance(n, ast.ClassDef) and n.lineno < line <= (n.end_lineno or 0)
        }
        for node in ast.walk(self._tree):
            if isinstance(node, _Function) and first_line(node) <= line <= (node.end_lineno or node.lineno):
                found.add(node.name)
                if line < node.body[0].lineno:
                    found.update(arg.arg for arg in node.args.args)  # of the decorators and the signature
            elif isinstance(node, ast.Name) and node.lineno == line:
                found.add(node.id)
        return frozenset(found)

    def _wrapped(self, line: int) -> _Function | None:
        functions = [node for node in ast.walk(self._tree) if isinstance(node, _Function)]
        for node in functions:
            if line in {decorator.lineno for decorator in node.decorator_list}:
                return node
        for call in ast.walk(self._tree):
            if isinstance(call, ast.Call) and call.lineno == line and call.args:
                name = getattr(call.args[0], "id", getattr(call.args[0], "attr", None))
                named = next((node for node in functions if node.name == name), None)
                if named:
                    return named
        statement = innermost_statements(self._tree, (line,)).get(line)
        following = self._following(statement) if isinstance(statement, ast.Expr) else None
        return following if isinstance(following, _Function) else None

    @staticmethod
    def _definitions(block: Sequence[ast.stmt], line: int) -> Iterator[_Definition]:
        """Yield the definition in a block, or under its `if`, `try`, `with` and loops, that covers a line."""
        pending = list(block)
        while pending:
            node = pending.pop()
            if not first_line(node) <= line <= (node.end_lineno or node.lineno):
                continue
            if isinstance(node, _Definition):
                yield node
            else:
                pending += (child for child in _children(node))

    def decorates(self, line: int) -> bool:
        """Tell whether a decorator of a module-level function starts on a line."""
        return any(
            isinstance(node, _Function) and line in {d.lineno for d in node.decorator_list}
            for node in self._definitions(self._tree.body, line)
        )

    @staticmethod
    def _first_body_line(node: _Function) -> int:
        body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        return first_line((body or node.body)[0])

    def _following(self, statement: ast.stmt) -> ast.stmt | None:
        for node in ast.walk(self._tree):
            block = getattr(node, "body", None)
            if isinstance(block, list) and statement in block:
                after = block[block.index(statement) + 1 :]
                return after[0] if after else None
        return None


def _is_partial(node: ast.Call) -> bool:
    return getattr(node.func, "id", getattr(node.func, "attr", "")) in ("partial", "Partial")


def _is_compound(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt) and any(True for _ in _children(node))


def _children(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements in the blocks of a statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from child.body


def _contains(outer: Range, inner: Range) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
