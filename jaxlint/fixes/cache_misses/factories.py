"""Calling a factory of jitted functions once: at module level, cached, or above the loop."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import (
    headed,
    insert_definition,
    known_as,
    named,
    reads_what_changes,
    replace_maker,
)
from jaxlint.fixes.moved_code.captures import dotted, evidence, is_constant
from jaxlint.fixes.moved_code.made import Made, made_by
from jaxlint.fixes.text.moving import at_margin, indentation, removal, rows, statement
from jaxlint.fixes.text.scopes import COMPREHENSIONS, DEFS, FUNCTIONS, Scopes, all_arguments
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

_PREFIXES = ("make_", "build_", "create_", "get_", "new_", "compile_")
_HASHABLE = frozenset({"int", "float", "str", "bool", "bytes", "complex"})


def at_module_level(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that calls a factory once for all, where its arguments are fixed.

    Raises:
        NoFixError: they are not, or the factory is not visible of the module.
    """
    made = made_by(facts, site)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    maker = made.maker
    if not isinstance(maker, ast.Call) or scopes.captured(maker):
        raise NoFixError("the factory is given what changes")
    factory = _factory(scopes, maker)
    doubtful = reads_what_changes(made, maker)
    for node in ast.walk(maker):
        if isinstance(node, ast.Call) and node is not maker:
            raise NoFixError("an argument is computed")
    base = next(
        (factory.name.strip("_").removeprefix(p) for p in _PREFIXES if factory.name.startswith(p)), factory.name
    )
    base = made.name or base
    expression = statement(syntax, syntax.span(maker), "", "", "    ", {})
    known = known_as(made, expression)
    name = known or draft.fresh(*named(made, base))
    gone: dict[ast.stmt, Span] = {}
    for load in replace_maker(draft, made, name, gone):
        draft.replace(load, name)
    if known is None:
        text = "\n".join([*headed(made, gone, [syntax.span(maker)], f"{name} = {expression}")])
        insert_definition(draft, scopes, maker, scopes.module_names(maker), text)
    for span in removal(syntax, gone):
        draft.delete(span)
    safe = (
        _only_makes(facts, scopes, factory)
        and not doubtful
        and all(is_constant(a) or is_stable(scopes, a) for a in arguments_of(maker))
    )
    text = f"Call `{factory.name}` once, at module level" if known is None else f"Use `{known}`, which is equivalent"
    condition = "" if safe else f"`{factory.name}` must return the same at each call"
    return draft.fix(Applicability.SAFE if safe else Applicability.UNSAFE, text, condition)


def memoised(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that memoises a factory whose arguments can be hashed.

    Raises:
        NoFixError: nothing says that they can.
    """
    made = made_by(facts, site)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    maker = made.maker
    if not isinstance(maker, ast.Call):
        raise NoFixError("no call")
    factory = _factory(scopes, maker)
    if not isinstance(factory, ast.FunctionDef) or factory.decorator_list:
        raise NoFixError("a decorated factory")
    if not _only_makes(facts, scopes, factory):
        raise NoFixError("the factory does more than to make a function")
    doubtful = reads_what_changes(made, factory)
    for load in scopes.loads(factory.name, scopes.module):
        call = syntax.parents[load]
        if not isinstance(call, ast.Call) or call.func is not load:
            raise NoFixError("the factory is passed on")
        for argument in arguments_of(call):
            if not is_hashable(made, argument):
                raise NoFixError("an argument may not be hashable")
    parameters = all_arguments(factory.args)
    if any(a.annotation is not None and not _is_plain_type(a.annotation) for a in parameters):
        raise NoFixError("an argument may not be hashable")
    place = syntax.source.line_starts[syntax.source.position(syntax.start(factory))[0] - 1]
    draft.insert(place, f"@{draft.name('functools.lru_cache', place)}(maxsize=None, typed=True)\n", rank=2)
    return draft.fix(
        Applicability.UNSAFE,
        f"Cache `{factory.name}`, so that it compiles once per argument",
        "its arguments must be hashable and never change" + (", nor what it reads" if doubtful else ""),
    )


def above_the_loop(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that makes a jitted function above the loop whose iterations all make the same.

    Raises:
        NoFixError: they do not, or that cannot be told.
    """
    return lifted(made_by(facts, site))


def lifted(made: Made) -> Fix | None:
    """Return the fix that makes something above the loop whose iterations all make the same.

    Raises:
        NoFixError: they do not, or that cannot be told.
    """
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    if made.statement is None or made.name is None:
        raise NoFixError("it has no name of its own")
    loops = _loops(made)
    innermost = loops[0]
    nodes: list[ast.stmt] = [made.statement]
    target = made.maker.args[0] if isinstance(made.maker, ast.Call) and made.maker.args else None
    if isinstance(target, ast.Name):
        scope = scopes.binder(target.id, scopes.of(target))
        bindings = scopes.bindings(target.id, scope) if scope is not None else []
        if (
            len(bindings) == 1
            and isinstance(bindings[0], ast.FunctionDef)
            and innermost in set(syntax.around(bindings[0]))
        ):
            nodes.insert(0, bindings[0])
    names = {node.name for node in nodes if isinstance(node, DEFS)}
    for name, loads in scopes.captured(*nodes).items():
        scope = scopes.binder(name, scopes.of(loads[0]))
        if name in names or (name == made.name and isinstance(made.maker, DEFS)):
            continue
        if scope is None:
            raise NoFixError(f"{name} is not known")
        around = {outer for node in scopes.bindings(name, scope) for outer in syntax.around(node)}
        loops = [loop for index, loop in enumerate(loops) if around.isdisjoint(loops[: index + 1])]
        if not loops:
            raise NoFixError(f"{name} changes in the loop")
    if {syntax.parents[node] for node in nodes} != {innermost}:
        raise NoFixError("it is not created in each iteration")
    reads_what_changes(made, *nodes)
    loop = loops[-1]
    gone = {node: rows(syntax, node) for node in nodes}
    indent = indentation(syntax, loop)
    text = "".join(at_margin(syntax, gone[node], margin=indent).rstrip("\r\n") + "\n" for node in nodes)
    draft.insert(syntax.above(loop), text)
    for span in removal(syntax, gone):
        draft.delete(span)
    return draft.fix(Applicability.UNSAFE, "Create it once, above the loop", "no iteration may change what it reads")


def _loops(made: Made) -> list[ast.For | ast.While]:
    """Return the loops around a site within its function, innermost first."""
    found: list[ast.For | ast.While] = []
    for around in made.syntax.around(made.maker):
        if isinstance(around, (*FUNCTIONS, *COMPREHENSIONS)):
            break
        if isinstance(around, (ast.For, ast.While)):
            found.append(around)
    if not found:
        raise NoFixError("no loop")
    return found


def _factory(scopes: Scopes, maker: ast.Call) -> ast.FunctionDef:
    bindings = scopes.bindings(maker.func.id, scopes.module) if isinstance(maker.func, ast.Name) else []
    if len(bindings) != 1 or not isinstance(bindings[0], ast.FunctionDef) or bindings[0] not in scopes.module.body:
        raise NoFixError("no factory of the module")
    return bindings[0]


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return what a call is given, by position and by keyword."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def is_stable(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression is something imported, or a function or class of the module."""
    if dotted(scopes, node):
        return True
    bindings = scopes.bindings(node.id, scopes.module) if isinstance(node, ast.Name) else []
    return len(bindings) == 1 and isinstance(bindings[0], (*DEFS, ast.ClassDef))


def _only_makes(facts: ModuleFacts, scopes: Scopes, factory: ast.FunctionDef) -> bool:
    """Whether a factory's own code calls nothing but wrappers, reads no global that changes and writes nothing."""
    makers = table(facts.settings)
    work: list[ast.AST] = [*factory.body]
    while work:
        node = work.pop()
        if isinstance(node, ast.Call):
            row = makers.get(dotted(scopes, node.func))
            known = row is not None and row.makes_callable
            if not known and not _is_stable_factory(facts, scopes, node, factory):
                return False
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.With, ast.For, ast.While, ast.Raise, ast.Try, ast.Yield)):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, DEFS):
            work += node.decorator_list
        elif not isinstance(node, ast.Lambda):
            work += ast.iter_child_nodes(node)
    return True


def _is_stable_factory(facts: ModuleFacts, scopes: Scopes, call: ast.Call, factory: ast.FunctionDef) -> bool:
    try:
        inner = _factory(scopes, call)
    except NoFixError:
        return False
    return inner is not factory and _only_makes(facts, scopes, inner)


def is_hashable(made: Made, node: ast.expr) -> bool:
    """Whether an argument is a number, text or a function, as far as the text shows."""
    if is_constant(node) or is_stable(made.scopes, node):
        return True
    if not isinstance(node, ast.Name):
        return False
    scope = made.scopes.binder(node.id, made.scopes.of(node))
    if scope is None or isinstance(scope, ast.Module):
        return False
    bindings = made.scopes.bindings(node.id, scope)
    if all(isinstance(b, ast.arg) and b.annotation is not None and _is_plain_type(b.annotation) for b in bindings):
        return True
    if all(_loops_over_numbers(made.syntax, binding) for binding in bindings):
        return True
    return evidence(made, node.id, scope) in ("number", "option")


def _loops_over_numbers(syntax: Syntax, node: ast.AST) -> bool:
    parent = syntax.parents.get(node)
    if not isinstance(parent, (ast.For, ast.comprehension)) or parent.target is not node:
        return False
    return isinstance(parent.iter, (ast.Tuple, ast.List)) and all(is_constant(item) for item in parent.iter.elts)


def _is_plain_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _HASHABLE
