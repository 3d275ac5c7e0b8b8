"""Eager control flow and solvers: their bodies move to module level, or the call becomes a part of a program."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Collection, Iterator, Set
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.hoist import (
    Built,
    check_code,
    helpers_of,
    insert_definition,
    moved_helpers,
    name_span,
    needed_at_once,
    reads_what_changes,
    settled,
)
from jaxlint.fixes.eager import compiling
from jaxlint.fixes.moved_code import programs
from jaxlint.fixes.moved_code.captures import Captured, Captures, captures, check_argument, dotted, is_constant
from jaxlint.fixes.moved_code.made import Made, made_by_call
from jaxlint.fixes.text import options
from jaxlint.fixes.text.edits import applied, offered
from jaxlint.fixes.text.moving import (
    at_margin,
    changed,
    comments_in,
    indent_unit,
    lambda_parts,
    removal,
    rows,
    statement,
    tokens_of,
)
from jaxlint.fixes.text.scopes import DEFS, FUNCTIONS, all_arguments
from jaxlint.fixes.text.steps import facts_of
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.eager.compile_sites import EagerSite
    from jaxlint.facts.module import ModuleFacts
    from jaxlint.facts.syntax.tree import Function

_ROLES = {
    "scan": ("step",),
    "fori_loop": ("body",),
    "while_loop": ("cond", "body"),
    "cond": ("if_true", "if_false"),
    "switch": ("branch",),
    "reduce": ("combine",),
    "piecewise": ("piece",),
    "odeint": ("derivative",),
    "pure_callback": ("on_host",),
}
"""What a function is to the one that it is given to: the name of one that has none."""
_LONGEST = 40
_OPTIONS = frozenset("method maxiter restart solve_method length reverse unroll batch_size mxstep dimensions".split())
"""Keywords of control flow and solvers that need a value of Python."""


def fixes(facts: ModuleFacts, site: EagerSite) -> Iterator[Fix]:
    """Yield the ways to make an eager call compile once, those that are only shown last."""
    builders = [hoisted] if site.target is not None else []
    # What the host is asked to compute must not capture what a program knows by name only.
    builders += [] if site.wrapped.wrapper.kind == "host" else [compiled_around, extracted]
    found = list(offered(*(functools.partial(build, facts, site) for build in builders)))
    yield from sorted(found, key=lambda fix: fix.applicability is Applicability.DISPLAY)


def compiled_around(facts: ModuleFacts, site: EagerSite) -> Fix | None:
    """Return the fix that compiles the function of the module around a call.

    Raises:
        NoFixError: it may do more than compute arrays from its arguments.
    """
    return compiling.enclosing_function(facts, site.node)


# The bodies at module level


def hoisted(facts: ModuleFacts, site: EagerSite) -> Fix | None:
    """Return the fix that moves the functions which a call is given to module level; they capture nothing.

    Raises:
        NoFixError: one of them does, or means something else there.
    """
    made = made_by_call(facts, site.node)
    syntax, scopes, draft = made.syntax, made.scopes, made.draft
    roles = _ROLES.get(site.name.rpartition(".")[2], ("function",))
    names = itertools.chain(roles, itertools.repeat(roles[-1]))
    gone: dict[ast.stmt, Span] = {}
    judged: list[ast.AST] = []
    moved: dict[ast.AST, str] = {}
    for target in site.wrapped.targets:
        node = syntax.at(facts.span(target), ast.expr)
        role = next(names)
        definition, around = _resolved(made, node)
        if definition is None or definition in moved:
            continue
        if isinstance(definition, DEFS):
            text, name = _definition(made, definition, gone)  # type: ignore[arg-type]
        else:
            base = role if around is None else around.targets[0].id  # type: ignore[attr-defined]
            text, name = _expression(made, definition, around, base, gone)
            if around is None:
                draft.replace(node, name)
        judged.append(definition)
        moved[definition] = name
        parts = [definition] if isinstance(definition, (*DEFS, ast.Lambda)) else []
        needed = set().union(*(needed_at_once(syntax, scopes, part) for part in parts))
        if not parts:
            needed = scopes.module_names(definition)
        insert_definition(draft, scopes, made.maker, needed, text)
    if not moved:
        raise NoFixError("nothing is made here")
    for span in removal(syntax, gone):
        draft.delete(span)
    doubtful = reads_what_changes(made, *judged)
    named = " and ".join(f"`{name}`" for name in moved.values())
    level = Applicability.UNSAFE if doubtful else Applicability.SAFE
    condition = "nothing may change what they read" if doubtful else ""
    return draft.fix(level, f"Move its arguments to module level, as {named}", condition)


def _resolved(made: Made, node: ast.AST) -> tuple[ast.AST | None, ast.Assign | None]:
    """Return the definition behind an argument, with the assignment that names it; None for what lives on."""
    scopes = made.scopes
    if isinstance(node, (ast.Lambda, ast.Call)):
        return node, None
    scope = scopes.binder(node.id, scopes.of(node)) if isinstance(node, ast.Name) else None
    if not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) and not scopes.captured(node):
            return None, None
        raise NoFixError("a method, or what a branch decides")
    if scope is None or scope is scopes.module:
        return None, None
    bindings = scopes.bindings(node.id, scope)
    if len(bindings) != 1:
        raise NoFixError(f"{node.id} is bound more than once")
    if isinstance(bindings[0], ast.arg):
        return None, None
    parent = made.syntax.parents[bindings[0]]
    if isinstance(bindings[0], ast.FunctionDef):
        return bindings[0], None
    if isinstance(parent, ast.Assign) and parent.targets == [bindings[0]]:
        return parent.value, parent
    raise NoFixError(f"{node.id} is not a visible function")


def _definition(made: Made, node: ast.FunctionDef, gone: dict[ast.stmt, Span]) -> tuple[str, str]:
    """Return a local function's text at module level, and its new name; its uses get it."""
    syntax, scopes, draft = made.syntax, made.scopes, made.draft
    check_code(syntax, node)
    helpers = _refuse_captures(made, node, gone)
    if scopes.bindings(node.name, scopes.of(node)) != [node]:
        raise NoFixError(f"{node.name} is bound more than once")
    name = _fresh(made, node.name)
    changes: dict[Span, str] = {name_span(syntax, node): name}
    inner = set(ast.walk(node))
    for load in scopes.loads(node.name, scopes.of(node)):
        if load in inner:
            changes[syntax.span(load)] = name
        else:
            draft.replace(load, name)
    gone[node] = rows(syntax, node)
    texts = moved_helpers(made, node, helpers, changes, gone)
    return "\n\n\n".join([*texts, at_margin(syntax, gone[node], changes)]), name


def _expression(
    made: Made, node: ast.AST, around: ast.Assign | None, base: str, gone: dict[ast.stmt, Span]
) -> tuple[str, str]:
    """Return the text of a lambda as a `def`, or of another expression as an assignment, and its new name."""
    syntax, scopes, draft = made.syntax, made.scopes, made.draft
    check_code(syntax, node)
    helpers = _refuse_captures(made, node, gone)
    if isinstance(node, ast.Call) and not _is_fixed(made, node):
        raise NoFixError("it is computed")
    name = _fresh(made, base)
    changes: dict[Span, str] = {}
    if around is not None:
        span = rows(syntax, around)
        if comments_in(syntax, span, syntax.span(node)):
            raise NoFixError("a comment would be lost")
        gone[around] = span
        for load in scopes.loads(base, scopes.of(around)):
            draft.replace(load, name)
    texts = moved_helpers(made, node, helpers, changes, gone)
    unit = indent_unit(syntax, made.function)
    if isinstance(node, ast.Lambda):
        parameters, body = lambda_parts(syntax, node)
        if comments_in(syntax, parameters):
            raise NoFixError("a comment among the parameters")
        head = " ".join(changed(syntax.text, parameters, changes).split())
        text = f"def {name}({head}):\n{statement(syntax, body, 'return ', unit, unit, changes)}"
    else:
        text = statement(syntax, syntax.span(node), f"{name} = ", "", unit, changes)
    return "\n\n\n".join([*texts, text]), name


def _refuse_captures(made: Made, node: ast.AST, gone: Collection[ast.stmt]) -> list[ast.FunctionDef]:
    """Return the local functions that a function uses, and refuse one that captures anything else."""
    helpers = helpers_of(made, node)
    if any(helper in gone for helper in helpers):
        raise NoFixError("two of them share a function")
    known = {helper.name for helper in helpers} | ({node.name} if isinstance(node, DEFS) else set())
    for part in (node, *helpers):
        if any(name not in known for name in made.scopes.captured(part)):
            raise NoFixError("it captures what the call may change")
    return helpers


def _is_fixed(made: Made, node: ast.Call) -> bool:
    """Whether a call makes a function of one of the module and of constants: `partial(f, 0.5)`, `checkpoint(f)`."""
    row = table(made.draft.facts.settings).get(dotted(made.scopes, node.func))
    if row is None or not row.makes_callable or row.compiles or not node.args:
        return False
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    return isinstance(node.args[0], (ast.Name, ast.Attribute)) and all(map(is_constant, given))


def _fresh(made: Made, base: str, *, alone: bool = True) -> str:
    """Return a new name, that of the function around before it unless `base` says enough `alone`."""
    base, words = base.strip("_"), made.function_name().split("_")
    base = "body" if base == words[-1] else base
    while len(words) > 1 and len("_".join([*words, base])) >= _LONGEST:
        words.pop(0)
    plain = [] if not alone or _says_nothing(base) else [f"_{base}"]
    return made.draft.fresh(*plain, "_".join(["", *filter(None, words), base]))


_ROLE_WORDS = frozenset(
    "body branch callback carry cond condition false fn fun func function inner iter loop scan step true".split()
) | {word for roles in _ROLES.values() for role in roles for word in role.split("_")}


def _says_nothing(name: str) -> bool:
    """Whether a name tells no more than what role a function has for the one that it is given to."""
    return all(word in _ROLE_WORDS or len(word) == 1 for word in name.split("_"))


# The call in a jitted function of the module


def extracted(facts: ModuleFacts, site: EagerSite) -> Fix | None:
    """Return the fix that moves a call, with the functions that it is given, to a jitted function of the module.

    Raises:
        NoFixError: what they capture cannot be arguments, or they may do more than compute.
    """
    fix = settled(facts, lambda statics: _extracted(facts, site, statics))
    if fix is not None:
        programs.refuse_what_is_new(facts, facts_of(applied(facts.source.text, fix), facts))
    return fix


def _extracted(facts: ModuleFacts, site: EagerSite, statics: Collection[str]) -> Built:
    made = made_by_call(facts, site.node)
    syntax, draft, call = made.syntax, made.draft, made.maker
    if not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args):
        raise NoFixError("arguments by a star")
    definitions = _definitions(made, call)
    _check(made, call, definitions)
    owners = _static_owners(facts, site, made)
    taken = captures(made, [call, *definitions], {*owners, *(_bound(node) for node in definitions)})
    taken.items = [*(Captured(name, name, [], evidence="option") for name in owners), *taken.items]
    _judge(taken, call, made, {facts.span(target) for target in site.wrapped.targets})
    _refuse_given(facts, site, taken, statics)
    base = site.name.rpartition(".")[2]
    if base == "shard_map":
        base = call.func.id.strip("_") if isinstance(call.func, ast.Name) else "mapped"
    name = _fresh(made, base, alone=False)
    unit = indent_unit(syntax, call)
    gone: dict[ast.stmt, Span] = {node: rows(syntax, node) for node in definitions}
    texts = []
    for node in sorted(definitions, key=lambda node: node.lineno):
        texts.append(at_margin(syntax, gone[node], taken.changes, unit).rstrip("\r\n") + "\n")
        if isinstance(node, ast.FunctionDef):
            texts.append("\n")
    body = statement(syntax, syntax.span(call), "return ", unit, unit, taken.changes)
    jit = draft.name("jax.jit", call)
    if statics:
        listed = options.listed([options.quoted(draft, static) for static in statics])
        jit = f"{draft.name('functools.partial', call)}({jit}, static_argnames={listed})"
    head = f"def {name}({', '.join(item.parameter for item in taken.items)}):"
    insert_definition(draft, made.scopes, call, set(), f"@{jit}\n{head}\n{''.join(texts)}{body}\n")
    draft.replace(call, f"{name}({', '.join(item.argument for item in taken.items)})")
    for span in removal(syntax, gone):
        draft.delete(span)
    reads_what_changes(made, call, *definitions)
    message = f"Run it in a module-level jitted function `{name}`"
    return Built(draft, name, taken, message, doubtful=True)


def _static_owners(facts: ModuleFacts, site: EagerSite, made: Made) -> list[str]:
    """Return the objects whose compiled methods are given: an object that is static there already may be it here.

    Raises:
        NoFixError: one is something else where the function is called.
    """
    found: dict[str, None] = {}
    for target in site.wrapped.targets:
        if not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
            continue
        name = target.value.value
        methods = [f for f in facts.tree.functions if f.cls is not None and f.name == target.attr.value]
        scope = made.scopes.binder(name, made.scopes.of(made.syntax.at(facts.span(target.value), ast.Name)))
        if methods and isinstance(scope, FUNCTIONS) and all(_has_static_instance(facts, m) for m in methods):
            check_argument(made, name, scope)
            found[name] = None
    return list(found)


def _has_static_instance(facts: ModuleFacts, method: Function) -> bool:
    wrapped = facts.compiled.wrapper_of(method)
    statics = facts.values.statics(wrapped, method) if wrapped is not None and method.parameters else None
    return statics is not None and method.parameters[0].name in statics


def _check(made: Made, call: ast.Call, definitions: Collection[ast.AST]) -> None:
    """Refuse what would mean something else in a function of the module."""
    syntax = made.syntax
    for node in (call, *definitions):
        check_code(syntax, node)
        programs.refuse_more_than_computing(syntax, node)
        if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            raise NoFixError("an expression that binds a name")
    whole = syntax.span(call)
    if any(whole.start <= span.start < whole.end for span in tokens_of(syntax).inner_rows.values()):
        raise NoFixError("a string of several lines would change")


def _refuse_given(facts: ModuleFacts, site: EagerSite, taken: Captures, statics: Collection[str]) -> None:
    """Refuse to pass on what visible callers give that no program takes, or that cannot be static."""
    function = facts.tree.context(site.node).function
    while function is not None:
        for parameter in function.parameters:
            passed = next((item for item in taken.items if item.argument == parameter.name), None)
            if passed is not None:
                programs.refuse_text(facts, parameter)
            if passed is not None and passed.parameter in statics:
                programs.refuse_unhashable(facts, parameter)
        function = function.outer


def _judge(taken: Captures, call: ast.Call, made: Made, functions: Set[Span]) -> None:
    """Note what the place of an argument says of what it is."""
    data = {made.syntax.span(part) for arg in call.args for part in _parts_of(arg)}
    asked = {made.syntax.span(keyword.value) for keyword in call.keywords if keyword.arg in _OPTIONS}
    for item in taken.items:
        item.called = item.called or not functions.isdisjoint(item.places)
        if not asked.isdisjoint(item.places):
            item.evidence = "option"
        elif not item.evidence and not data.isdisjoint(item.places):
            item.evidence = "data"


def _parts_of(node: ast.expr) -> list[ast.expr]:
    return [part for item in node.elts for part in _parts_of(item)] if isinstance(node, ast.Tuple) else [node]


def _bound(node: ast.FunctionDef | ast.Assign) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else node.targets[0].id  # type: ignore[attr-defined]


def _definitions(made: Made, call: ast.Call) -> list[ast.FunctionDef | ast.Assign]:
    """Return the local functions that a call uses, and that nothing else does.

    Raises:
        NoFixError: something else does.
    """
    scopes, syntax = made.scopes, made.syntax
    found: list[ast.FunctionDef | ast.Assign] = []
    work: list[ast.AST] = [call]
    while work:
        for name, loads in scopes.captured(work.pop()).items():
            scope = scopes.binder(name, scopes.of(loads[0]))
            bindings = scopes.bindings(name, scope) if scope is not None else []
            bound = bindings[0] if len(bindings) == 1 else None
            parent = syntax.parents[bound] if isinstance(bound, ast.Name) else None
            node: ast.AST | None = bound if isinstance(bound, ast.FunctionDef) else None
            if isinstance(parent, ast.Assign) and parent.targets == [bound] and _makes_function(parent.value):
                node = parent
            if isinstance(node, (ast.FunctionDef, ast.Assign)) and node not in found:
                found.append(node)
                work.append(node)
    inside = {inner for node in (call, *found) for inner in ast.walk(node)}
    for node in found:
        name = _bound(node)
        if any(load not in inside for load in scopes.loads(name, scopes.of(node))):
            raise NoFixError(f"{name} is used elsewhere too")
        if isinstance(node, ast.FunctionDef) and _captures_at_once(made, node):
            raise NoFixError("a default, decorator or annotation captures something")
    return found


def _makes_function(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        func = node.func
        return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) == "partial"
    return isinstance(node, ast.Lambda)


def _captures_at_once(made: Made, node: ast.FunctionDef) -> bool:
    parts: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    parts += node.decorator_list
    parts += [a.annotation for a in all_arguments(node.args) if a.annotation is not None]
    parts += [node.returns] if node.returns is not None else []
    return bool(made.scopes.captured(*parts))
