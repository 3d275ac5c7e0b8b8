"""Moving a short-lived jitted function to module level, where it is made once."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Applicability, Fix, Span
from jaxlint.fixes.moved_code.captures import Captures, captures, dotted, needed
from jaxlint.fixes.moved_code.made import Made, made_by
from jaxlint.fixes.moved_code.reads import refuse_or_doubt
from jaxlint.fixes.text.edits import Draft, applied, offered
from jaxlint.fixes.text.inplace import root_of
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
from jaxlint.fixes.text.scopes import DEFS, Scopes, all_arguments
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    from collections.abc import Callable

    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

MAPPING = frozenset({"jax.pmap", "equinox.filter_pmap", "flax.nnx.pmap"})
"""Wrappers that map over the first axis of each argument, so that one more argument means something else."""
POSITIONAL_OPTIONS = frozenset({"in_shardings", "in_axes", "in_axis_resources", "abstracted_axes"})
"""Options with one entry for each argument."""
_OWN_STATICS = frozenset({"equinox.filter_jit"})
"""Wrappers that need not be told what is static."""
_LONGEST = 40
"""Rather a number behind a name than a longer one."""
_SAY_NOTHING = frozenset("fn fun func function inner wrapped wrapper".split())
"""Names that say nothing without that of the function around."""
_MARKS = re.compile(r"#\s*(noqa|type:|pylint:|pyright:|fmt:|ruff:|pragma|want:|ok:|once:)")
"""Comments that mention the line that they are on."""

_UNCHANGED = "what it reads must not change between calls"


def fixes(facts: ModuleFacts, site: CompileSite) -> Iterator[Fix]:
    """Yield the ways to make the jitted function of a site once."""
    # Here, because they build upon this module.
    from jaxlint.fixes.cache_misses import enclosing, factories, methods

    builders = [
        hoisted,
        enclosing.compiled_instead,
        methods.compiled_attribute,
        methods.static_instance,
        factories.above_the_loop,
    ]
    if site.factory is not None:
        builders = [factories.at_module_level, factories.memoised, factories.above_the_loop]
    found = list(offered(*(functools.partial(build, facts, site) for build in builders)))
    yield from sorted(found, key=lambda fix: fix.applicability is Applicability.DISPLAY)


def hoisted(facts: ModuleFacts, site: CompileSite) -> Fix | None:
    """Return the fix that moves what a site compiles to module level.

    Raises:
        NoFixError: that may change what the code does.
    """
    made = made_by(facts, site)
    if site.wrapped is None:
        raise NoFixError("a factory")
    if isinstance(made.maker, DEFS):
        return settled(facts, lambda statics: _definition(facts, site, made.maker, statics))  # type: ignore[arg-type]
    target = made.syntax.at(facts.span(site.wrapped.targets[0]), ast.expr)
    definition, _ = resolved(made, target)
    if isinstance(definition, DEFS):
        return settled(facts, lambda statics: _definition(facts, site, definition, statics))
    if isinstance(definition, ast.Lambda):
        return settled(facts, lambda statics: _lambda(facts, site, definition, statics))
    # Here, because it builds upon this module.
    from jaxlint.fixes.cache_misses import expressions

    return settled(facts, lambda statics: expressions.built(facts, site, statics))


@dataclass
class Built:
    """A draft, and what its new function gets as arguments.

    `behind` is the `def` whose parameters those are, empty where it is not visible; `doubtful` says that there is more
    to judge than arguments.
    """

    draft: Draft
    behind: str
    captures: Captures
    message: str
    doubtful: bool = False


def settled(facts: ModuleFacts, build: Callable[[Collection[str]], Built]) -> Fix | None:
    """Build a fix, and build it again with the arguments made static that Python turns out to need."""
    built = build(())
    taken = built.captures
    fix = _fix(built)
    if fix is not None and taken.items:
        uses = needed(facts, applied(facts.source.text, fix), built.behind) if built.behind else {}
        statics = taken.statics(uses)
        if statics:
            fix = _fix(build(statics))
    if fix is not None and taken.unsure:
        return replace(fix, applicability=Applicability.DISPLAY)
    return fix


def _fix(built: Built) -> Fix | None:
    safe = built.captures.constant and not built.doubtful
    return built.draft.fix(
        Applicability.SAFE if safe else Applicability.UNSAFE, built.message, "" if safe else _UNCHANGED
    )


def resolved(made: Made, target: ast.AST) -> tuple[ast.AST, ast.stmt | None]:
    """Return what a local name represents, with the assignment that binds it; anything else is returned as it is."""
    if not isinstance(target, ast.Name):
        return target, None
    scopes = made.scopes
    scope = scopes.binder(target.id, scopes.of(target))
    if scope is None or scope is scopes.module:
        return target, None
    bindings = scopes.bindings(target.id, scope)
    if made.rebound is not None and made.rebound in bindings:
        return made.rebound, None
    if len(bindings) != 1:
        raise NoFixError(f"{target.id} is bound more than once")
    if isinstance(bindings[0], DEFS):
        return bindings[0], None
    parent = made.syntax.parents[bindings[0]]
    if isinstance(parent, ast.Assign) and parent.targets == [bindings[0]]:
        return parent.value, parent
    raise NoFixError(f"{target.id} is not a visible function")


# Functions and lambdas


def _definition(
    facts: ModuleFacts,
    site: CompileSite,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    statics: Collection[str],
    reused: str | None = None,
) -> Built:
    made = made_by(facts, site)
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    check_code(syntax, node)
    helpers = helpers_of(made, node)
    taken = _captures(made, site, node, helpers)
    loads = scopes.loads(node.name, scopes.of(node))
    if not made.is_only_binding(node):
        raise NoFixError(f"{node.name} is bound more than once")
    name = reused or draft.fresh(*named(made, node.name))
    changes = dict(taken.changes)
    changes[name_span(syntax, node)] = name
    by_keyword = _add_parameters(syntax, node, taken, changes, made, site)
    inner = set(ast.walk(node))
    changes.update({syntax.span(load): name for load in loads if load in inner})
    gone: dict[ast.stmt, Span] = {node: rows(syntax, node)}
    texts = moved_helpers(made, node, helpers, changes, gone)
    above: list[str] = []
    if made.maker is node:
        decorator = syntax.at(facts.span(site.node), ast.expr)
        changes[syntax.span(decorator)] = wrapper_text(draft, site, decorator, [], statics)  # type: ignore[arg-type]
        outside = [load for load in loads if load not in inner]
    else:
        outside = _only_use(made, loads, inner) if made.rebound is not node else []
        if outside:
            _keep_wrapping(draft, made, name, outside, taken)
        else:
            wrapper = "@" + call_wrapper(draft, made, site, statics)
            moved = [gone[part] for part in gone]
            outside = replace_maker(draft, made, name, gone)
            above = headed(made, gone, moved, wrapper)
    for load in outside:
        draft.replace(load, name)
    pass_captured(draft, made, taken, by_keyword=by_keyword)
    text = at_margin(syntax, gone[node], changes)
    if above:
        start = re.search(r"^(@|async\b|def\b)", text, re.MULTILINE)
        place = start.start() if start is not None else 0
        text = text[:place] + "\n".join(above) + "\n" + text[place:]
    needed_ = set().union(*(needed_at_once(syntax, scopes, part) for part in (node, *helpers)), wrapper_names(made))
    if reused is None and not helpers and (known := same_definition(made, text)) is not None:
        return _definition(facts, site, node, statics, known)
    if reused is None:
        insert_definition(draft, scopes, node, needed_, "\n\n\n".join([*texts, text]))
    for span in removal(syntax, gone):
        draft.delete(span)
    said = message(name, taken, reused=reused is not None)
    return Built(draft, name, taken, said, doubtful=reads_what_changes(made, node, *helpers))


def same_definition(made: Made, text: str) -> str | None:
    """Return the name of a function of the module, above the place, that a definition would only repeat."""
    nodes = ast.parse(text).body
    if len(nodes) != 1 or not isinstance(nodes[0], ast.FunctionDef) or "#" in text:
        return None
    wanted = ast.dump(nodes[0].args)  # it is called with keywords
    known = (node.name for node in made.scopes.repeated(text, made.maker) if ast.dump(node.args) == wanted)
    return next(known, None)


def helpers_of(made: Made, node: ast.AST) -> list[ast.FunctionDef]:
    """Return the local functions that a function uses, and those that they use, in the order of the text."""
    found: dict[ast.FunctionDef, None] = {}
    work = [node]
    while work:
        for name, loads in made.scopes.captured(work.pop()).items():
            scope = made.scopes.binder(name, made.scopes.of(loads[0]))
            bindings = made.scopes.bindings(name, scope) if scope is not None else []
            helper = bindings[0] if len(bindings) == 1 else None
            if isinstance(helper, ast.FunctionDef) and helper is not node and helper not in found:
                check_code(made.syntax, helper)
                found[helper] = None
                work.append(helper)
    return sorted(found, key=lambda helper: helper.lineno)


def moved_helpers(
    made: Made,
    node: ast.AST,
    helpers: list[ast.FunctionDef],
    changes: dict[Span, str],
    gone: dict[ast.stmt, Span],
) -> list[str]:
    """Give local functions that move along their new names, and return their texts."""
    for helper in helpers:
        rename(made, helper, made.draft.fresh(*named(made, helper.name)), changes, [node, *helpers])
        gone[helper] = rows(made.syntax, helper)
    return [at_margin(made.syntax, gone[helper], changes).rstrip("\n") for helper in helpers]


def rename(made: Made, node: ast.FunctionDef, new: str, changes: dict[Span, str], moved: Iterable[ast.AST]) -> None:
    """Give a local function a new name, in what is moved by `changes` and in what stays."""
    scopes, syntax = made.scopes, made.syntax
    if not made.is_only_binding(node):
        raise NoFixError(f"{node.name} is bound more than once")
    changes[name_span(syntax, node)] = new
    inside = {inner for part in (*moved, made.maker) for inner in ast.walk(part)}
    for load in scopes.loads(node.name, scopes.of(node)):
        changes[syntax.span(load)] = new
        if load not in inside:
            made.draft.replace(load, new)


def _lambda(
    facts: ModuleFacts, site: CompileSite, node: ast.Lambda, statics: Collection[str], reused: str | None = None
) -> Built:
    made = made_by(facts, site)
    draft, syntax = made.draft, made.syntax
    check_code(syntax, node)
    helpers = helpers_of(made, node)
    taken = _captures(made, site, node, helpers)
    gone: dict[ast.stmt, Span] = {}
    base = made.name or _called_by(made, node) or made.function_name()
    parent = syntax.parents[node]
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) and parent is not made.statement:
        base = parent.targets[0].id
        if len(made.scopes.loads(base, made.scopes.of(parent))) == 1:
            gone[parent] = rows(syntax, parent)
    name = reused or draft.fresh(*named(made, base))
    parameters, body = lambda_parts(syntax, node)
    changes = dict(taken.changes)
    by_keyword = _add_parameters(syntax, node, taken, changes, made, site)
    if comments_in(syntax, parameters):
        raise NoFixError("a comment among the parameters")
    head = " ".join(changed(syntax.text, parameters, changes).split())
    texts = moved_helpers(made, node, helpers, changes, gone)
    moved = [syntax.span(node), *gone.values()] if helpers else [syntax.span(node)]
    wrapper = "@" + call_wrapper(draft, made, site, statics)
    for use in replace_maker(draft, made, name, gone):
        draft.replace(use, name)
    pass_captured(draft, made, taken, by_keyword=by_keyword)
    unit = indent_unit(syntax, made.function)
    body_text = statement(syntax, body, "return ", unit, unit, changes)
    above = headed(made, gone, moved, wrapper)
    text = "\n".join([*above, f"def {name}({head}):", body_text])
    parts: list[ast.FunctionDef | ast.Lambda] = [node, *helpers]
    needed_ = set().union(*(needed_at_once(syntax, made.scopes, part) for part in parts), wrapper_names(made))
    if reused is None and not helpers and (known := same_definition(made, text)) is not None:
        return _lambda(facts, site, node, statics, known)
    if reused is None:
        insert_definition(draft, made.scopes, node, needed_, "\n\n\n".join([*texts, text]))
    for span in removal(syntax, gone):
        draft.delete(span)
    said = message(name, taken, reused=reused is not None)
    return Built(draft, name, taken, said, doubtful=reads_what_changes(made, node, *helpers))


def _called_by(made: Made, node: ast.Lambda) -> str:
    """Return the name of the function that is all that a lambda calls with what it is given; empty otherwise."""
    func = node.body.func if isinstance(node.body, ast.Call) else None
    own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    if func is None or not any(isinstance(part, ast.Name) and part.id in own for part in node.body.args):  # type: ignore[attr-defined]
        return ""
    root = root_of(func)
    takes_functions = dotted(made.scopes, func) in table(made.draft.facts.settings)
    if takes_functions or not isinstance(root, ast.Name) or root.id in own:
        return ""
    return func.attr if isinstance(func, ast.Attribute) else root.id


def reads_what_changes(made: Made, *nodes: ast.AST) -> bool:
    """Whether code reads what may change, or does more than compute: compiled once, it does so when it is traced first.

    Raises:
        NoFixError: it reads what does change.
    """
    return refuse_or_doubt(made.draft.facts, made.syntax, *nodes)


def named(made: Made, name: str) -> list[str]:
    """Return private names to choose from for something of that name, the best one first."""
    return names_in(name, made.function_name())


def names_in(name: str, around: str) -> list[str]:
    """Return private names to choose from for what a function defines under a name, the best one first."""
    name, around = name.strip("_"), around.strip("_")
    longer = f"_{around}_{name}"
    if around in name or len(longer) > _LONGEST:
        return [f"_{name}"]
    return [longer] if name in _SAY_NOTHING or len(name) == 1 else [f"_{name}", longer]


def message(name: str, taken: Captures, *, reused: bool = False) -> str:
    """Say what a fix does."""
    what = f"Use `{name}`, which is equivalent" if reused else f"Move it to module level as `{name}`"
    passed = [f"`{item.argument}`" for item in taken.items]
    if not passed:
        return what
    listed = f"{', '.join(passed[:-1])} and {passed[-1]} as arguments" if passed[1:] else f"{passed[0]} as an argument"
    return f"{what}, with {listed}"


def _captures(made: Made, site: CompileSite, node: ast.AST, helpers: list[ast.FunctionDef]) -> Captures:
    """Return what a function captures, refusing what arguments cannot represent."""
    scopes = made.scopes
    known = {helper.name for helper in helpers} | ({node.name} if isinstance(node, DEFS) else set())
    taken = captures(made, [node], known)
    if any(name not in known for helper in helpers for name in scopes.captured(helper)):
        raise NoFixError("a function that it uses captures something")
    for load in (load for loads in scopes.captured(node).values() for load in loads):
        if load.id not in known and not any(around is node for around in _scopes_around(scopes, load)):
            raise NoFixError("a default, decorator or annotation captures something")
    if taken.items:
        if site.wrapper is not None and site.wrapper.name in MAPPING:
            raise NoFixError("the wrapper would map over what is captured")
        given = {arg.keyword.value for arg in site.wrapped.arguments if arg.keyword is not None}  # type: ignore[union-attr]
        if given & POSITIONAL_OPTIONS:
            raise NoFixError("an option has one entry for each argument")
    return taken


def _scopes_around(scopes: Scopes, node: ast.AST) -> Iterator[ast.AST]:
    scope = scopes.of(node)
    while scope is not scopes.module:
        yield scope
        scope = scopes.of(scope)


def check_code(syntax: Syntax, node: ast.AST) -> None:
    """Refuse code that means something else at module level."""
    in_class = any(isinstance(around, ast.ClassDef) for around in syntax.around(node))
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFunctionDef)):
            raise NoFixError("global, nonlocal, yield or await")
        name = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
        if name in ("super", "__class__") or (in_class and name.startswith("__") and not name.endswith("__")):
            raise NoFixError("the name belongs to the class around")


def name_span(syntax: Syntax, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
    """Return the span of the name that a `def` binds."""
    start = syntax.span(node).start
    match = re.compile(r"(?:async\s+)?def\s+").match(syntax.text, start)
    if match is None or not syntax.text.startswith(node.name, match.end()):
        raise NoFixError("no name after def")
    return Span(match.end(), match.end() + len(node.name))


# Parameters and arguments


def _add_parameters(
    syntax: Syntax,
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    taken: Captures,
    changes: dict[Span, str],
    made: Made,
    site: CompileSite,
) -> bool:
    """Add parameters for what is captured; tell whether calls must name them."""
    if not taken.items:
        return False
    arguments = node.args
    names = ", ".join(item.parameter for item in taken.items)
    if arguments.posonlyargs and not arguments.args:
        raise NoFixError("positional-only parameters")
    positional = [*arguments.posonlyargs, *arguments.args]
    keyword_only = arguments.vararg is not None or bool(arguments.kwonlyargs) or bool(arguments.defaults)
    written = [argument for argument in all_arguments(arguments) if argument is not arguments.kwarg]
    if not written:
        place, text = _first_place(syntax, node), names + (", " if arguments.kwarg is not None else "")
    else:
        place = _end_of_argument(syntax, arguments, written[-1])
        star = "*, " if keyword_only and arguments.vararg is None and not arguments.kwonlyargs else ""
        text = f", {star}{names}"
    changes[Span(place, place)] = text
    if keyword_only or "static_argnums" in keywords(site):
        return True
    return not all(
        len(call.args) == len(positional)
        and not call.keywords
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
        for call in made.known_calls()
    )


def keywords(site: CompileSite) -> set[str]:
    """Return the names of the options that the wrapper is given."""
    arguments = site.wrapped.arguments if site.wrapped is not None else ()
    return {argument.keyword.value for argument in arguments if argument.keyword is not None}


def _first_place(syntax: Syntax, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> int:
    if isinstance(node, ast.Lambda):
        return lambda_parts(syntax, node)[0].end
    if getattr(node, "type_params", None):
        raise NoFixError("type parameters")
    return syntax.text.index("(", name_span(syntax, node).end) + 1


def _end_of_argument(syntax: Syntax, arguments: ast.arguments, argument: ast.arg) -> int:
    default = None
    positional = [*arguments.posonlyargs, *arguments.args]
    if argument in positional:
        index = positional.index(argument) - len(positional)
        default = arguments.defaults[index] if -index <= len(arguments.defaults) else None
    elif argument in arguments.kwonlyargs:
        default = arguments.kw_defaults[arguments.kwonlyargs.index(argument)]
    if default is None:
        return syntax.span(argument).end
    if syntax.text[: syntax.span(default).start].rstrip().endswith("("):
        raise NoFixError("a default in brackets")
    return syntax.span(default).end


def pass_captured(draft: Draft, made: Made, taken: Captures, *, by_keyword: bool) -> None:
    """Add what was captured to the arguments of each call."""
    if not taken.items:
        return
    syntax = made.syntax
    given = ", ".join(f"{item.parameter}={item.argument}" if by_keyword else item.argument for item in taken.items)
    names = {item.parameter for item in taken.items}
    if any(keyword.arg in names for call in made.known_calls() for keyword in call.keywords):
        raise NoFixError("a call passes a keyword of that name")
    for call in made.known_calls():
        add_arguments(draft, syntax, call, given)


def add_arguments(draft: Draft, syntax: Syntax, call: ast.Call, given: str) -> None:
    """Add arguments to the end of a call.

    Raises:
        NoFixError: its end holds a comment, or its only argument is a bare generator.
    """
    if len(call.args) == 1 and isinstance(call.args[0], ast.GeneratorExp) and not call.keywords:
        raise NoFixError("a bare generator is the only argument")
    inner = [*call.args, *(keyword.value for keyword in call.keywords)]
    end = syntax.span(call).end - 1
    last = max((syntax.span(node).end for node in inner), default=syntax.span(call.func).end)
    if comments_in(syntax, Span(last, end)):
        raise NoFixError("a comment ends the call")
    place = last + len(syntax.text[last:end].rstrip())
    before = syntax.text[place - 1]
    if not inner:
        draft.insert(place, given)
    else:
        draft.insert(place, f" {given}," if before == "," else f", {given}")


# The wrapper


def call_wrapper(draft: Draft, made: Made, site: CompileSite, statics: Collection[str]) -> str:
    """Return the decorator that does what the site's call of the wrapper does.

    Raises:
        NoFixError: its options are not known at the place of the decorator.
    """
    maker = made.maker
    if not isinstance(maker, ast.Call):
        raise NoFixError("no call")
    return wrapper_text(draft, site, maker.func, option_texts(draft, made), statics)


def option_texts(draft: Draft, made: Made) -> list[str]:
    """Return the options of the wrapper's call.

    Raises:
        NoFixError: they hold something that is captured, or are given by position.
    """
    maker = made.maker
    if not isinstance(maker, ast.Call) or len(maker.args) > 1 or any(isinstance(a, ast.Starred) for a in maker.args):
        raise NoFixError("options by position")
    options = [keyword for keyword in maker.keywords if keyword.arg not in ("fun", "f")]
    if made.scopes.captured(maker.func, *(keyword.value for keyword in options)):
        raise NoFixError("an option is captured")
    return [draft.code(keyword) for keyword in options]


def wrapper_text(
    draft: Draft,
    site: CompileSite,
    wrapper: ast.expr,
    options: list[str],
    statics: Collection[str],
    target: str | None = None,
) -> str:
    """Return a wrapper with options, as an expression that takes the function alone, or as its call on `target`."""
    options = [" ".join(option.split()) for option in options]
    code = draft.code(wrapper)
    if statics and not (site.wrapper is not None and site.wrapper.name in _OWN_STATICS):
        if isinstance(wrapper, ast.Call):
            code = _with_statics(draft, wrapper, statics)
        else:
            given = next((option for option in options if option.startswith("static_argnames=")), None)
            if given is not None:
                options.remove(given)
                statics = [*_literal_names(ast.parse(given.partition("=")[2], mode="eval").body), *statics]
            options.append(f"static_argnames={_names_text(draft, statics)}")
    if target is not None:
        return f"{code}({', '.join([target, *options])})"
    if not options:
        return code
    partial = draft.name("functools.partial", draft.span(wrapper).start)
    return f"{partial}({code}, {', '.join(options)})"


def _with_statics(draft: Draft, wrapper: ast.Call, statics: Collection[str]) -> str:
    """Return the text of `partial(jax.jit, ...)` or `jax.jit(...)` with more static arguments."""
    code = draft.code(wrapper)
    known = next((keyword for keyword in wrapper.keywords if keyword.arg == "static_argnames"), None)
    if known is None:
        return code[:-1].rstrip().rstrip(",") + f", static_argnames={_names_text(draft, statics)})"
    names = _names_text(draft, [*_literal_names(known.value), *statics])
    start = draft.span(wrapper).start
    value = draft.span(known.value)
    return code[: value.start - start] + names + code[value.end - start :]


def _literal_names(node: ast.expr) -> list[str]:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise NoFixError("static names that are no literal") from None
    names: list[str] = [value] if isinstance(value, str) else list(value) if isinstance(value, (tuple, list)) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise NoFixError("static names that are no literal")
    return names


def _names_text(draft: Draft, names: Collection[str]) -> str:
    quote = "'" if draft.source.text.count("'") > draft.source.text.count('"') else '"'
    quoted = [f"{quote}{name}{quote}" for name in names]
    return quoted[0] if len(quoted) == 1 else f"({', '.join(quoted)})"


# The site


def _only_use(made: Made, loads: list[ast.Name], inner: Collection[ast.AST]) -> list[ast.Name]:
    """Return the other uses of a jitted function's name than that it is compiled."""
    within = set(ast.walk(made.maker))
    return [load for load in loads if load not in inner and load not in within]


def _keep_wrapping(draft: Draft, made: Made, name: str, outside: list[ast.Name], taken: Captures) -> None:
    """Leave the wrapper where it is: over a function of the module it may be written as often as one likes."""
    if taken.items:
        raise NoFixError("the function is used without the wrapper too")
    for load in made.scopes.loads(outside[0].id, made.scopes.binder(outside[0].id, made.scopes.of(outside[0]))):  # type: ignore[arg-type]
        if load not in outside and any(load is node for node in ast.walk(made.maker)):
            draft.replace(load, name)


def replace_maker(draft: Draft, made: Made, name: str, gone: dict[ast.stmt, Span]) -> list[ast.Name]:
    """Put the new name where the jitted function was made; return the uses of the old name, if it goes."""
    if made.name is not None and made.statement is not None:
        gone[made.statement] = rows(made.syntax, made.statement)
        return made.loads
    draft.replace(made.maker, name)
    return []


def headed(made: Made, gone: Mapping[ast.stmt, Span], moved: Collection[Span], line: str) -> list[str]:
    """Return the first lines of a definition: the comments of what is removed and not `moved`, and then `line`.

    A comment that speaks to a tool, such as `# noqa`, goes to the end of the line.
    """
    syntax = made.syntax
    found: list[str] = []
    spans = [syntax.span(made.maker), *gone.values()]
    for comment in tokens_of(syntax).comments:
        inside = any(span.start <= comment.start < span.end for span in spans)
        if inside and not any(span.start <= comment.start < span.end for span in moved):
            found.append(syntax.text[comment.start : comment.end])
    marks = "".join(f"  {comment}" for comment in found if _MARKS.match(comment))
    return [*(comment for comment in found if not _MARKS.match(comment)), line + marks]


# The place


def needed_at_once(
    syntax: Syntax, scopes: Scopes, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
) -> set[str]:
    """Return the module's names that the definition itself uses: in decorators, defaults and annotations."""
    parts: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    if isinstance(node, DEFS):
        parts += node.decorator_list
        if not syntax.annotations_later:
            parts += [a.annotation for a in all_arguments(node.args) if a.annotation is not None]
            parts += [node.returns] if node.returns is not None else []
    return scopes.module_names(*parts)


def wrapper_names(made: Made) -> set[str]:
    """Return the module's names that the wrapper and its options use."""
    maker = made.maker
    return made.scopes.module_names(maker.func, *maker.keywords) if isinstance(maker, ast.Call) else set()


def insert_definition(draft: Draft, scopes: Scopes, node: ast.AST, names: Collection[str], text: str) -> None:
    """Insert a definition above the top-level statement around a node, or below the last name that it needs.

    Raises:
        NoFixError: a name may represent something else there.
    """
    syntax = draft.syntax
    top = syntax.top(syntax.span(node))
    start = syntax.start(top)
    latest: ast.stmt | None = None
    for name in names:
        bindings = scopes.bindings(name, scopes.module)
        tops = [syntax.top(syntax.span(binding)) for binding in bindings]
        imported = all(isinstance(binding, (ast.Import, ast.ImportFrom)) for binding in bindings)
        if not bindings or (len(bindings) > 1 and not imported) or top in tops or not _is_bound(syntax, bindings):
            raise NoFixError(f"{name} may mean something else at module level")
        for other in tops:
            if syntax.span(other).start > start and (
                latest is None or syntax.span(other).start > syntax.span(latest).start
            ):
                latest = other
    if latest is None:
        draft.insert_above(node, text)
        return
    body = syntax.tree.body
    between = body[body.index(top) : body.index(latest) + 1]
    if not all(_is_quiet(draft.facts, scopes, between_) for between_ in between):
        raise NoFixError("code in between may call it")
    end = rows(syntax, latest).end
    draft.insert(end, "\n\n" + text.rstrip("\n") + "\n")


def _is_bound(syntax: Syntax, bindings: list[ast.AST]) -> bool:
    """Whether a name of the module is bound for sure, not only where a branch is taken."""
    if len(bindings) > 1:
        return True
    around = list(syntax.around(bindings[0]))
    return not any(isinstance(node, (ast.If, ast.ExceptHandler, ast.For, ast.While, ast.Match)) for node in around)


def known_as(made: Made, text: str, *dropped: Span) -> str | None:
    """Return the name that the module has for an expression already, where it is bound above the place.

    None where a comment is in what goes with it, the spans that are `dropped` included: a definition of its own
    takes the comment along.
    """
    syntax = made.syntax
    gone = [syntax.span(made.maker), *dropped]
    gone += [rows(syntax, made.statement)] if made.name is not None and made.statement is not None else []
    if any(comments_in(syntax, span) for span in gone):
        return None
    start = made.syntax.start(made.syntax.top(made.start))
    wanted = "".join(text.split())
    for node in made.syntax.tree.body:
        if made.syntax.span(node).end > start:
            break
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name):
            continue
        if "".join(made.syntax.code(node.value).split()) != wanted:
            continue
        hidden = made.scopes.binder(target.id, made.scopes.of(made.maker)) is not made.scopes.module
        if made.scopes.bindings(target.id, made.scopes.module) == [target] and not hidden:
            return target.id
    return None


def _is_quiet(facts: ModuleFacts, scopes: Scopes, node: ast.stmt) -> bool:
    """Whether a top-level statement runs no function of the module."""
    if isinstance(node, (*DEFS, ast.ClassDef)):
        return not node.decorator_list or not any(isinstance(d, ast.Call) for d in node.decorator_list)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    makers = table(facts.settings)
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and all(
        (row := makers.get(dotted(scopes, call.func))) is not None and row.makes_callable for call in calls
    )
