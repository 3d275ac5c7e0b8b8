"""How a file writes a dotted name such as `functools.partial`, and the import that it takes, in the file's style."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from jaxlint.finding import Edit, Span
from jaxlint.fixes.text.syntax import NoFixError, Syntax


@dataclass(frozen=True, slots=True)
class Written:
    """A dotted name as this file writes it, and the edits that import it; none where it is imported already."""

    text: str
    edits: tuple[Edit, ...] = ()


_CUSTOMARY = {"jax.numpy": "jnp", "numpy": "np"}
"""The names under which modules are imported everywhere."""


def written(syntax: Syntax, dotted: str, place: int) -> Written:
    """Return how to write `dotted` at an offset.

    A name that is imported once, at the top level and above the top-level statement of the place, is used as it is.
    Otherwise a `from` import of the same module is extended, or an import is added among the others.

    Raises:
        NoFixError: every way to import it would use a name that the file has for something else.
    """
    known = _known(syntax, dotted, place)
    if known is not None:
        return Written(known)
    module, _, leaf = dotted.rpartition(".")
    line = next((node for node in _top_imports(syntax, place) if _is_from(node, module)), None)
    if isinstance(line, ast.ImportFrom) and leaf not in syntax.words:
        return Written(leaf, (_extended(syntax, line, leaf),))
    short = _CUSTOMARY.get(module)
    if short is not None and short not in syntax.words:
        return Written(f"{short}.{leaf}", (_added(syntax, f"import {module} as {short}", module, plain=True),))
    root = module.partition(".")[0]
    if root in syntax.module_bindings or root in _bound_elsewhere(syntax):
        raise NoFixError(f"{root} is bound to something else")
    if _prefers_from(syntax, module) and leaf not in syntax.words:
        return Written(leaf, (_added(syntax, f"from {module} import {leaf}", module, plain=False),))
    return Written(dotted, (_added(syntax, f"import {module}", module, plain=True),))


def _known(syntax: Syntax, dotted: str, place: int) -> str | None:
    best: tuple[int, str] | None = None
    for node in _top_imports(syntax, place):
        for bound, full in _imported(node):
            if dotted != full and not dotted.startswith(full + "."):
                continue
            if len(syntax.module_bindings[bound]) > _times(syntax, bound) or _shadowed(syntax, bound, place):
                continue
            if best is None or len(full) > best[0]:
                best = len(full), bound + dotted[len(full) :]
    return best[1] if best is not None else None


def _times(syntax: Syntax, bound: str) -> int:
    """How often imports alone bind a name: `import jax` and `import jax.numpy` both bind `jax`, to one thing."""
    nodes = syntax.module_bindings[bound]
    fulls = {full for node in nodes for name, full in _imported(node) if name == bound}
    return len(nodes) if len(fulls) == 1 and all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in nodes) else 1


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each name that an import binds, with the dotted name that it represents."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname is not None else (root, root)
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _top_imports(syntax: Syntax, place: int) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that have surely run when the top-level statement of a place runs."""
    for node in syntax.imports:
        if syntax.span(node).end > place:
            return
        yield node


def _shadowed(syntax: Syntax, name: str, place: int) -> bool:
    """Whether a function or class around the place binds the name for itself, or a comprehension does somewhere."""
    try:
        top = syntax.top(place)
    except NoFixError:
        return False
    return not isinstance(top, _IMPORTS) and name in syntax.bound_in(top)


_IMPORTS = (ast.Import, ast.ImportFrom)


def _bound_elsewhere(syntax: Syntax) -> frozenset[str]:
    """The names that functions and classes bind, parameters included."""
    found = set()
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, _IMPORTS):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    return frozenset(found)


# Where an import goes


def _is_from(node: ast.AST, module: str) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and node.level == 0
        and node.module == module
        and all(alias.name != "*" for alias in node.names)
    )


def _extended(syntax: Syntax, node: ast.ImportFrom, leaf: str) -> Edit:
    """Add a name to a `from` import, in its order if it is sorted, on a line of its own if the others have theirs."""
    names = [alias.name for alias in node.names]
    rows = [alias.lineno for alias in node.names]
    index = len(names)
    for key in (str, str.lower):
        if names == sorted(names, key=key):
            index = next((i for i, name in enumerate(names) if key(name) > key(leaf)), len(names))
            break
    own_rows = len(set(rows)) == len(rows) and rows[0] != node.lineno
    gap = " "
    if own_rows:
        begin = syntax.source.line_starts[rows[0] - 1]
        gap = syntax.source.newline + syntax.text[begin : syntax.span(node.names[0]).start]
    if index < len(names):
        place = syntax.span(node.names[index]).start
        return Edit(Span(place, place), f"{leaf},{gap}")
    place = syntax.span(node.names[-1]).end
    return Edit(Span(place, place), f",{gap}{leaf}")


def _prefers_from(syntax: Syntax, module: str) -> bool:
    """Whether the file imports names from the standard library rather than modules of it."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    nodes = [node for node in syntax.tree.body if isinstance(node, _IMPORTS)]
    froms = sum(isinstance(n, ast.ImportFrom) and _section(n) == 1 for n in nodes)
    plains = sum(isinstance(n, ast.Import) and _section(n) == 1 for n in nodes)
    return froms > plains


def _section(node: ast.Import | ast.ImportFrom) -> int:
    """0 for `__future__`, 1 for the standard library, 2 for installed packages, 3 for relative imports."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return 3
    module = _module(node)
    return 0 if module == "__future__" else _section_of(module)


def _section_of(module: str) -> int:
    return 1 if module.partition(".")[0] in sys.stdlib_module_names else 2


def _module(node: ast.Import | ast.ImportFrom) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name


def _head(syntax: Syntax) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports that the file starts with, behind its docstring."""
    found: list[ast.Import | ast.ImportFrom] = []
    for index, node in enumerate(syntax.tree.body):
        if isinstance(node, _IMPORTS):
            found.append(node)
        elif not (index == 0 and _is_docstring(node)):
            break
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _added(syntax: Syntax, line: str, module: str, *, plain: bool) -> Edit:
    """Insert an import as a line of its own, where isort would put it among imports that are sorted."""
    newline = syntax.source.newline
    head = _head(syntax)
    section = _section_of(module)
    same = [node for node in head if _section(node) == section]
    alike = [node for node in same if isinstance(node, ast.Import) is plain]
    follower = next((node for node in alike if _module(node) > module), None)
    if follower is None and not alike:
        follower = next((node for node in same if plain), None)
    if follower is not None:
        return _insert(_above(syntax, follower), line + newline)
    if same:
        return _below(syntax, (alike or same)[-1], line, blank=False)
    follower = next((node for node in head if _section(node) > section), None)
    if follower is not None:
        return _insert(_above(syntax, follower), line + newline * 2)
    body = syntax.tree.body
    if head or (body and _is_docstring(body[0])):
        return _below(syntax, (head or body)[-1 if head else 0], line, blank=True)
    return _insert(_above(syntax, body[0]), line + newline * 3)


def _above(syntax: Syntax, node: ast.stmt) -> int:
    """Return where to insert a line above a statement; comments that the file starts with stay where they are."""
    place = syntax.above(node)
    row = syntax.source.position(place)[0]
    if all(syntax.source.line(above).startswith("#") for above in range(1, row)):
        return syntax.source.line_starts[syntax.source.position(syntax.start(node))[0] - 1]
    return place


def _below(syntax: Syntax, node: ast.stmt, line: str, *, blank: bool) -> Edit:
    """Insert a line below a statement's last one."""
    newline = syntax.source.newline
    row = syntax.source.position(syntax.span(node).end)[0]
    rest = syntax.text[syntax.span(node).end : syntax.source.row_span(row).end]
    if ";" in rest.partition("#")[0]:
        raise NoFixError("the last import shares its line with another statement")
    gap = newline if blank else ""
    if row < len(syntax.source.line_starts):
        return _insert(syntax.source.line_starts[row], gap + line + newline)
    return _insert(len(syntax.text), newline + gap + line)


def _insert(place: int, text: str) -> Edit:
    return Edit(Span(place, place), text)
