"""Objects that compile for themselves are made once: at module level, above the loop, or once for each argument."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.glance import CONSTRUCTORS
from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.cache_misses.factories import arguments_of, is_hashable, is_stable, lifted
from jaxlint.fixes.cache_misses.hoist import (
    headed,
    insert_definition,
    known_as,
    named,
    reads_what_changes,
    replace_maker,
)
from jaxlint.fixes.cache_misses.methods import bases_of, class_of_module
from jaxlint.fixes.moved_code.captures import check_argument, dotted, is_constant
from jaxlint.fixes.moved_code.made import Made, made_by_call
from jaxlint.fixes.moved_code.programs import CONTAINERS
from jaxlint.fixes.moved_code.reads import changed_names
from jaxlint.fixes.text.edits import offered
from jaxlint.fixes.text.inplace import changes, root_of
from jaxlint.fixes.text.moving import comments_in, indent_unit, removal, statement
from jaxlint.fixes.text.scopes import DEFS, all_arguments
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.instances import ShortLived
    from jaxlint.facts.module import ModuleFacts

_HOOKS = frozenset(
    "__new__ __init_subclass__ __del__ __enter__ __exit__ __setattr__ __delattr__ __getattr__ __getattribute__".split()
)
_CHEAP = frozenset("int float bool str tuple len min max super isinstance".split())
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def fixes(facts: ModuleFacts, instance: ShortLived) -> Iterator[Fix]:
    """Yield the ways to make an instance once, those that are only shown last."""
    builders = (at_module_level, above_the_loop, memoised)
    found = list(offered(*(functools.partial(build, facts, instance) for build in builders)))
    yield from sorted(found, key=lambda fix: fix.applicability is Applicability.DISPLAY)


def at_module_level(facts: ModuleFacts, instance: ShortLived) -> Fix | None:
    """Return the fix that makes an instance at module level, where its arguments are fixed.

    Raises:
        NoFixError: they are not, or the instance changes itself.
    """
    made = made_by_call(facts, instance.node, kept=True)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    call, cls = _call_of(made), _class_of(made)
    if scopes.captured(call) or not all(is_constant(a) or is_stable(scopes, a) for a in arguments_of(call)):
        raise NoFixError("what it is given may change")
    plain = _refuse_changes(made, cls)
    doubtful = reads_what_changes(made, call, cls)
    expression = statement(syntax, syntax.span(call), "", "", "    ", {})
    known = known_as(made, expression)
    if known is not None and known in changed_names(syntax):
        known = None
    name = known or draft.fresh(*named(made, made.name or _snake(cls.name)))
    gone: dict[ast.stmt, Span] = {}
    for load in replace_maker(draft, made, name, gone):
        draft.replace(load, name)
    if known is None:
        text = "\n".join(headed(made, gone, [syntax.span(call)], f"{name} = {expression}"))
        insert_definition(draft, scopes, call, scopes.module_names(call), text)
    for span in removal(syntax, gone):
        draft.delete(span)
    safe = plain and not doubtful and _is_cheap(made, cls)
    text = f"Create it once, at module level, as `{name}`" if known is None else f"Use `{known}`, which is equivalent"
    return draft.fix(
        Applicability.SAFE if safe else Applicability.UNSAFE, text, "" if safe else "no call may change the object"
    )


def above_the_loop(facts: ModuleFacts, instance: ShortLived) -> Fix | None:
    """Return the fix that makes an instance above the loop whose iterations all make the same.

    Raises:
        NoFixError: they do not, or the instance changes itself.
    """
    if not instance.in_loop:
        raise NoFixError("no loop")
    made = made_by_call(facts, instance.node, kept=True)
    _refuse_changes(made, _class_of(made))
    return lifted(made)


def memoised(facts: ModuleFacts, instance: ShortLived) -> Fix | None:
    """Return the fix that makes an instance once for each of the arguments that it is given.

    Raises:
        NoFixError: the instance changes itself, or is given what cannot be passed on.
    """
    made = made_by_call(facts, instance.node)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    call, cls = _call_of(made), _class_of(made)
    captured = scopes.captured(call)
    if not captured:
        raise NoFixError("it is always given the same")
    given = [argument for argument in arguments_of(call) if scopes.captured(argument)]
    if not all(isinstance(argument, ast.Name) for argument in given):
        raise NoFixError("an argument is computed")
    if any(not is_constant(a) and a not in given and not is_stable(scopes, a) for a in arguments_of(call)):
        raise NoFixError("what it is given may change")
    for name, loads in captured.items():
        scope = scopes.binder(name, scopes.of(loads[0]))
        if scope is None:
            raise NoFixError(f"{name} is not known")
        check_argument(made, name, scope)
    _refuse_changes(made, cls)
    reads_what_changes(made, call, cls)
    if comments_in(syntax, syntax.span(call)):
        raise NoFixError("a comment would be lost")
    factory = draft.fresh(f"_{_snake(cls.name)}", f"_cached_{_snake(cls.name)}")
    unit = indent_unit(syntax, made.function)
    parameters = ", ".join(captured)
    cache = f"@{draft.name('functools.lru_cache', call)}(maxsize=None, typed=True)"
    body = statement(syntax, syntax.span(call), "return ", unit, unit, {})
    insert_definition(draft, scopes, call, set(), f"{cache}\ndef {factory}({parameters}):\n{body}\n")
    draft.replace(call, f"{factory}({parameters})")
    sure = all(is_hashable(made, argument) for argument in given)
    message = f"Create it once per argument, in a cached `{factory}`"
    condition = "its arguments must be hashable, and no call may change the object"
    return draft.fix(Applicability.UNSAFE if sure else Applicability.DISPLAY, message, condition)


def _call_of(made: Made) -> ast.Call:
    call = made.maker
    if not isinstance(call, ast.Call) or any(isinstance(arg, ast.Starred) for arg in call.args):
        raise NoFixError("arguments by a star")
    if any(keyword.arg is None for keyword in call.keywords):
        raise NoFixError("arguments by a star")
    return call


def _class_of(made: Made) -> ast.ClassDef:
    func = _call_of(made).func
    return class_of_module(made.scopes, func.id if isinstance(func, ast.Name) else "")


def _snake(name: str) -> str:
    return _WORDS.sub("_", name.strip("_")).lower()


# What a class does


def _refuse_changes(made: Made, cls: ast.ClassDef) -> bool:
    """Refuse a class whose instances are not the same after they were used; tell whether nothing is unusual of it.

    Raises:
        NoFixError: it changes its instances, or makes them in its own way.
    """
    syntax = made.syntax
    for load in made.loads:
        above = syntax.parents[load]
        called = isinstance(above, ast.Call) and above.func is load
        if not called and not (isinstance(above, ast.Attribute) and isinstance(above.ctx, ast.Load)):
            raise NoFixError("the instance is changed, or passed on")
    return _refuse_changing_class(made, cls, set())


def _refuse_changing_class(made: Made, cls: ast.ClassDef, seen: set[ast.ClassDef]) -> bool:
    """Refuse a class that changes its instances, or keeps an instance of one that does."""
    scopes, plain = made.scopes, True
    if cls in seen:
        return plain
    seen.add(cls)
    for member in (cls, *bases_of(scopes, cls)):
        plain = plain and not member.decorator_list
        for decorator in member.decorator_list:
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            if dotted(scopes, func) != "dataclasses.dataclass":
                raise NoFixError(f"{member.name} is decorated")
        for method in member.body:
            if not isinstance(method, DEFS):
                continue
            plain = _check_method(made, method) and plain
            for kept in _classes_kept(made, method):
                plain = _refuse_changing_class(made, kept, seen) and plain
    return plain


def _classes_kept(made: Made, method: ast.AST) -> list[ast.ClassDef]:
    """Return the classes of the module of which a method makes instances."""
    names = {n.func.id for n in ast.walk(method) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    found = [bound for name in sorted(names) for bound in made.scopes.bindings(name, made.scopes.module)]
    return [bound for bound in found if isinstance(bound, ast.ClassDef)]


def _check_method(made: Made, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Refuse a method that changes its instance after it was made; tell whether it holds nothing that can change."""
    syntax = made.syntax
    if method.name in _HOOKS or any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(method)):
        raise NoFixError(f"{method.name} does more than compute")
    if _runs_once(made, method):
        values = [
            n.value for n in ast.walk(method) if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value is not None
        ]
        return not any(isinstance(value, CONTAINERS) for value in values)
    arguments = all_arguments(method.args)
    instance = arguments[0].arg if arguments else ""
    held = {
        target.id
        for node in ast.walk(method)
        if isinstance(node, ast.Assign)
        and any(isinstance(inner, ast.Name) and inner.id == instance for inner in ast.walk(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for value, _ in changes(ast.walk(method)):
        root = root_of(value)
        if not isinstance(root, ast.Name) or root.id in {instance, *held}:
            raise NoFixError(f"{method.name} changes the instance")
    if any(isinstance(n, ast.Attribute) and n.attr == "__dict__" for n in ast.walk(syntax.tree)):
        raise NoFixError("attributes are changed by their names")
    return True


def _runs_once(made: Made, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is the constructor, or is called by constructors alone."""
    if method.name in CONSTRUCTORS:
        return True
    uses = [n for n in ast.walk(made.syntax.tree) if isinstance(n, ast.Attribute) and n.attr == method.name]
    around = [next((a for a in made.syntax.around(use) if isinstance(a, DEFS)), None) for use in uses]
    return bool(uses) and all(function is not None and function.name in CONSTRUCTORS for function in around)


def _is_cheap(made: Made, cls: ast.ClassDef) -> bool:
    """Whether constructors do nothing but assign, so that it does not matter when they run."""
    makers = table(made.draft.facts.settings)
    for member in (cls, *bases_of(made.scopes, cls)):
        for method in member.body:
            if not isinstance(method, DEFS) or not _runs_once(made, method):
                continue
            for node in ast.walk(method):
                if isinstance(node, (ast.Raise, ast.Assert, ast.For, ast.While, ast.With, ast.Try)):
                    return False
                if not isinstance(node, ast.Call):
                    continue
                row = makers.get(dotted(made.scopes, node.func))
                plain = isinstance(node.func, ast.Name) and node.func.id in _CHEAP
                own = isinstance(node.func, ast.Attribute) and _is_own_constructor(node.func)
                if not plain and not own and not (row is not None and row.makes_callable):
                    return False
    return True


def _is_own_constructor(func: ast.Attribute) -> bool:
    """Whether it is `super().__init__`, or a method of the instance, which is looked at by itself."""
    base = func.value
    if isinstance(base, ast.Call):
        return isinstance(base.func, ast.Name) and base.func.id == "super" and func.attr in CONSTRUCTORS
    return isinstance(base, ast.Name) and base.id == "self"
