"""Collecting parts in a list and joining them once, where a loop makes an array longer in each iteration."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.moving import comments_in, indentation
from jaxlint.fixes.text.scopes import FUNCTIONS, Scope, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.eager.growing import Growing
    from jaxlint.facts.module import ModuleFacts

_LOOPS = (ast.For, ast.While)


@dataclass(frozen=True)
class _Join:
    """`name = join([name, *parts], *options)`; `first` says that the name comes before the parts."""

    call: ast.Call
    statement: ast.Assign
    name: str
    parts: list[ast.expr]
    first: bool
    flat: bool


def joined_once(facts: ModuleFacts, growing: Growing) -> Fix | None:
    """Put the parts into a list in the loop, and join them behind it.

    Raises:
        NoFixError: the loop uses the array otherwise, or changes a part in place.
    """
    draft = Draft(facts)
    syntax, scopes = draft.syntax, scopes_of(draft.syntax)
    call = syntax.at(draft.span(growing.node), ast.Call)
    if not isinstance(call, ast.Call):
        raise NoFixError("not a call")
    join = _join(syntax, call, growing.name)
    scope = scopes.binder(join.name, scopes.of(call))
    if scope is None or scope is not scopes.frame(call):
        raise NoFixError("a name of another scope")
    loop = _loop(syntax, scopes, join, scope)
    _check(syntax, scopes, join, scope, loop)
    name = _local(syntax, scope, f"{join.name}_parts")
    margin = indentation(syntax, loop)
    row = syntax.source.line_starts[loop.lineno - 1]
    start = _ravel(draft, join, join.name)
    draft.insert(row, f"{margin}{name} = [{start}]\n")
    parts = [_ravel(draft, join, draft.code(part)) for part in join.parts]
    step = f"append({parts[0]})" if len(parts) == 1 else f"extend([{', '.join(parts)}])"
    draft.replace(join.statement, f"{name}.{step}")
    whole = name if join.first else f"{name}[::-1]"
    _insert_below(draft, loop, f"{margin}{join.name} = {_joining(draft, join, whole)}")
    return draft.fix(
        Applicability.UNSAFE, f"Join the parts of `{join.name}` once, after the loop", "all parts must have one type"
    )


def _join(syntax: Syntax, call: ast.Call, name: str) -> _Join:
    """Read the call.

    Raises:
        NoFixError: it joins something else besides, or with options that may change between iterations.
    """
    statement = syntax.parents[call]
    func = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not isinstance(statement, ast.Assign) or comments_in(syntax, syntax.span(statement)):
        raise NoFixError("not an assignment, or a comment would be lost")
    axis = [k for k in call.keywords if k.arg == "axis"]
    if len(axis) != len(call.keywords) or not all(_is_number(k.value) for k in axis):
        raise NoFixError("an option that is not known")
    if func == "append":
        if len(call.args) != 2:
            raise NoFixError("an option by position")
        both, flat = list(call.args), not axis
    else:
        given = call.args[0] if call.args else None
        if not isinstance(given, (ast.List, ast.Tuple)) or not all(_is_number(rest) for rest in call.args[1:]):
            raise NoFixError("the arrays are not written out")
        both, flat = list(given.elts), False
    places = [index for index, part in enumerate(both) if isinstance(part, ast.Name) and part.id == name]
    if len(both) < 2 or len(places) != 1 or any(isinstance(part, ast.Starred) for part in both):
        raise NoFixError("it joins the array with itself, or any number of parts")
    if places[0] == 0:
        return _Join(call, statement, name, both[1:], True, flat)
    if places[0] == len(both) - 1 and len(both) == 2:
        return _Join(call, statement, name, both[:1], False, flat)
    raise NoFixError("the array is between its parts")


def _listed(call: ast.Call) -> list[ast.expr]:
    """Return the arrays that a call joins, where they are written out."""
    first = call.args[0] if call.args else None
    return list(first.elts) if isinstance(first, (ast.List, ast.Tuple)) else list(call.args)


def _local(syntax: Syntax, scope: Scope, base: str) -> str:
    """Return a name that nothing in the function has."""
    words = {node.id for node in ast.walk(scope) if isinstance(node, ast.Name)}
    words |= {node.arg for node in ast.walk(scope) if isinstance(node, ast.arg)} if scope is not syntax.tree else set()
    name, number = base, 2
    while name in words:
        name, number = f"{base}_{number}", number + 1
    return name


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _loop(syntax: Syntax, scopes: Scopes, join: _Join, scope: Scope) -> ast.For | ast.While:
    """Return the outermost loop that uses the array for nothing but to make it longer."""
    own = {id(node) for node in (*join.statement.targets, *_listed(join.call)) if isinstance(node, ast.Name)}
    uses = [*scopes.loads(join.name, scope), *scopes.bindings(join.name, scope)]
    if scope is not syntax.tree and any(scopes.frame(use) is not scope for use in uses if isinstance(use, ast.Name)):
        raise NoFixError("another function uses the array, and may be called in the loop")
    found: ast.For | ast.While | None = None
    for node in syntax.around(join.statement):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            break
        if isinstance(node, (ast.Try, ast.TryStar)):
            raise NoFixError("what fails half-way may be used")
        if isinstance(node, _LOOPS):
            if node.orelse or any(id(use) not in own for use in uses if _is_in(syntax, use, node)):
                break
            found = node
    if found is None:
        raise NoFixError("the loop uses the array otherwise")
    return found


def _is_in(syntax: Syntax, node: ast.AST, outer: ast.AST) -> bool:
    return node is outer or any(around is outer for around in syntax.around(node))


def _check(syntax: Syntax, scopes: Scopes, join: _Join, scope: Scope, loop: ast.For | ast.While) -> None:
    before = syntax.text[syntax.source.line_starts[loop.lineno - 1] : syntax.span(loop).start]
    end = syntax.span(loop).end
    behind = syntax.text[end : _row_end(syntax, end)].strip()
    if before.strip() or (behind and not behind.startswith("#")):
        raise NoFixError("the loop shares a line")
    names = {node.id for part in join.parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    for value, _ in changes(ast.walk(loop)):
        root = root_of(value)
        if isinstance(root, ast.Name) and root.id in names:
            raise NoFixError("a part changes in place")
    if not any(getattr(node, "lineno", loop.lineno) < loop.lineno for node in scopes.bindings(join.name, scope)):
        raise NoFixError("the array has no visible start")


def _ravel(draft: Draft, join: _Join, text: str) -> str:
    """Return a part as `append` without an axis takes it: flat."""
    return f"{draft.name('jax.numpy.ravel', join.call)}({text})" if join.flat else text


def _joining(draft: Draft, join: _Join, parts: str) -> str:
    """Return the call that joins all parts, with the options of the one in the loop."""
    call = join.call
    func = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    name = draft.name("jax.numpy.concatenate", call) if func == "append" else draft.code(call.func)
    options = [] if func == "append" else [draft.code(rest) for rest in call.args[1:]]
    options += [f"axis={draft.code(keyword.value)}" for keyword in call.keywords]
    return f"{name}({', '.join([parts, *options])})"


def _row_end(syntax: Syntax, offset: int) -> int:
    """Return where the line of an offset ends, its line end included."""
    starts = syntax.source.line_starts
    row = syntax.source.position(offset)[0]
    return starts[row] if row < len(starts) else len(syntax.text)


def _insert_below(draft: Draft, loop: ast.For | ast.While, text: str) -> None:
    end = _row_end(draft.syntax, draft.span(loop).end)
    ended = draft.source.text[:end].endswith(("\n", "\r"))
    draft.insert(end, f"{text}\n" if ended else f"\n{text}")
