"""Moving an expression that makes a jitted function to module level: transforms, partials, bound methods."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxlint.facts.errors.demands import use_of_argument
from jaxlint.facts.jax_api.wrappers import table
from jaxlint.finding import Span
from jaxlint.fixes.cache_misses.hoist import (
    MAPPING,
    POSITIONAL_OPTIONS,
    Built,
    add_arguments,
    call_wrapper,
    check_code,
    headed,
    insert_definition,
    keywords,
    known_as,
    message,
    named,
    needed_at_once,
    option_texts,
    pass_captured,
    reads_what_changes,
    rename,
    replace_maker,
    resolved,
    wrapper_text,
)
from jaxlint.fixes.cache_misses.methods import refuse_changing_object
from jaxlint.fixes.moved_code.captures import (
    ARRAY_MODULES,
    Captured,
    Captures,
    captures,
    check_argument,
    dotted,
    evidence,
    is_constant,
    parameter_role,
)
from jaxlint.fixes.moved_code.made import LOOPS, Made, made_by
from jaxlint.fixes.text.moving import at_margin, changed, comments_in, indent_unit, removal, rows, statement
from jaxlint.fixes.text.scopes import DEFS, all_arguments
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

_LONGEST = 30
"""Of a longer name only the function's own and the outermost transform are taken."""
_SHORT = {"checkpoint": "remat", "vmap": "vmapped", "filter_vmap": "vmapped"}


@dataclass
class Pieces:
    """What an expression is made of besides module-level names: local names that represent functions.

    `inlined` says what represents each use of a name that is assigned a function, `assignments` are those
    assignments, `definitions` the local functions.
    """

    inlined: dict[Span, ast.expr] = field(default_factory=dict)
    values: list[ast.expr] = field(default_factory=list)
    assignments: dict[ast.stmt, Span] = field(default_factory=dict)
    definitions: list[ast.FunctionDef] = field(default_factory=list)


def built(facts: ModuleFacts, site: CompileSite, statics: Collection[str]) -> Built:
    """Return the draft that makes what a site compiles once.

    Raises:
        NoFixError: that may change what the code does.
    """
    made = made_by(facts, site)
    if not isinstance(made.maker, ast.Call) or site.wrapped is None:
        raise NoFixError("no call")
    target = made.syntax.at(facts.span(site.wrapped.targets[0]), ast.expr)
    pieces = Pieces()
    _take_apart(made, made.maker, pieces)
    pieces.definitions.sort(key=lambda node: node.lineno)
    names = {node.name for node in pieces.definitions} | _assigned(pieces)
    taken = captures(made, [made.maker, *pieces.values, *pieces.definitions], names)
    if not taken.items:
        for node in (inner for part in (made.maker, *pieces.values) for inner in ast.walk(part)):
            if isinstance(node, ast.Attribute):
                refuse_changing_object(made.syntax, made.scopes, node.value)
        return _whole(made, site, pieces)
    if site.wrapper is not None and site.wrapper.name in MAPPING:
        raise NoFixError("the wrapper would map over what is captured")
    if keywords(site) & POSITIONAL_OPTIONS:
        raise NoFixError("an option has one entry for each argument")
    if not pieces.definitions:
        bound = _partial(made, target)
        if bound is not None:
            return _bound(made, site, bound, pieces, statics)
    return _outlined(made, site, target, pieces, taken, statics)


def _assigned(pieces: Pieces) -> set[str]:
    return {
        node.targets[0].id
        for node in pieces.assignments
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _take_apart(made: Made, node: ast.AST, pieces: Pieces) -> None:
    """Gather the local names in an expression that represent functions, and what those are made of."""
    for name, loads in made.scopes.captured(node).items():
        for load in loads:
            definition, assignment = resolved_or_none(made, load)
            if isinstance(definition, DEFS):
                if not isinstance(definition, ast.FunctionDef):
                    raise NoFixError("async")
                if definition not in pieces.definitions:
                    pieces.definitions.append(definition)
                    _take_apart(made, definition, pieces)
            elif (
                isinstance(definition, ast.expr) and assignment is not None and _can_be_inlined(made, load, definition)
            ):
                scope = made.scopes.binder(name, made.scopes.of(load))
                if scope is None or not made.is_steady(name, scope):
                    raise NoFixError(f"{name} may change")
                _take_apart(made, definition, pieces)
                if definition not in pieces.values:
                    pieces.values.append(definition)
                pieces.inlined[made.syntax.span(load)] = definition
                pieces.assignments[assignment] = rows(made.syntax, assignment)
                called = made.syntax.parents[load]
                if isinstance(definition, ast.Lambda) and isinstance(called, ast.Call) and called.func is load:
                    raise NoFixError(f"{name} would be written out where it is called")


def _written_out(made: Made, pieces: Pieces, changes: Mapping[Span, str]) -> dict[Span, str]:
    """Return `changes` with those that put functions in the place of local names."""

    def text(value: ast.expr) -> str:
        span = made.syntax.span(value)
        inner = {
            place: text(other)
            for place, other in pieces.inlined.items()
            if span.start <= place.start and place.end <= span.end
        }
        return " ".join(changed(made.syntax.text, span, {**changes, **inner}).split("\n"))

    return {**changes, **{place: text(value) for place, value in pieces.inlined.items() if place not in changes}}


def resolved_or_none(made: Made, load: ast.Name) -> tuple[ast.AST | None, ast.stmt | None]:
    """Return what a local name represents, None where it has several values or is a parameter."""
    try:
        return resolved(made, load)
    except NoFixError:
        return None, None


def _can_be_inlined(made: Made, load: ast.Name, value: ast.expr) -> bool:
    """Whether a local name may be written out: it holds a function, or an object that only gives its method."""
    scope = made.scopes.binder(load.id, made.scopes.of(load))
    uses = [made.syntax.parents[use] for use in made.scopes.loads(load.id, scope)] if scope is not None else []
    if _is_function(made, value):
        if any(isinstance(use, ast.Attribute) for use in uses):
            raise NoFixError(f"{load.id} is used as an object")
        return True
    object_only = all(isinstance(use, ast.Attribute) for use in uses)
    if not isinstance(value, ast.Call) or made.scopes.captured(value) or not object_only:
        return False
    name = dotted(made.scopes, value.func) or (value.func.id if isinstance(value.func, ast.Name) else "")
    last = name.rpartition(".")[2]
    linen = name.startswith("flax.linen.") or _is_linen(made, value.func)
    return last[:1].isupper() and not last.isupper() and (linen or len(uses) == 1)


def _is_linen(made: Made, node: ast.expr) -> bool:
    """Whether a class of the module is a Flax linen module, which never changes."""
    bindings = made.scopes.bindings(node.id, made.scopes.module) if isinstance(node, ast.Name) else []
    return any(
        isinstance(bound, ast.ClassDef) and any(dotted(made.scopes, b).startswith("flax.linen.") for b in bound.bases)
        for bound in bindings
    )


def _is_function(made: Made, node: ast.expr) -> bool:
    """Whether an expression makes a function: a lambda, a partial, or what a transform returns."""
    if isinstance(node, ast.Lambda):
        return True
    if not isinstance(node, ast.Call):
        return False
    row = table(made.draft.facts.settings).get(dotted(made.scopes, node.func))
    return row is not None and row.makes_callable


# Without captured values


def _whole(made: Made, site: CompileSite, pieces: Pieces) -> Built:
    """Move the whole expression, and the functions that it uses."""
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    maker = made.maker
    if isinstance(maker, DEFS):
        raise NoFixError("no call")
    doubtful = reads_what_changes(made, maker, *pieces.values, *pieces.definitions)
    doubtful = _is_doubtful(made, [maker, *pieces.values]) or doubtful
    gone: dict[ast.stmt, Span] = {}
    changes: dict[Span, str] = {}
    needed = _names_at_once(made, [maker, *pieces.values])
    for definition in pieces.definitions:
        check_code(syntax, definition)
        new = draft.fresh(*named(made, definition.name))
        rename(made, definition, new, changes, pieces.definitions)
        gone[definition] = rows(syntax, definition)
        needed |= needed_at_once(syntax, scopes, definition)
    moved = [*gone.values(), syntax.span(maker)]
    changes = _written_out(made, pieces, changes)
    texts = [at_margin(syntax, gone[node], changes) for node in pieces.definitions]
    expression = statement(syntax, syntax.span(maker), "", "", "    ", changes)
    known = known_as(made, expression, *gone.values(), *pieces.assignments.values())
    name = known or draft.fresh(*_bases(made, site))
    outside = replace_maker(draft, made, name, gone)
    for load in outside:
        draft.replace(load, name)
    _drop_unused(made, pieces, gone)
    texts.append("\n".join(headed(made, gone, moved, f"{name} = {expression}")))
    if known is None:
        insert_definition(draft, scopes, maker, needed, "\n\n\n".join(text.rstrip("\n") for text in texts))
    for span in removal(syntax, gone):
        draft.delete(span)
    return Built(draft, name, Captures(), message(name, Captures()), doubtful=doubtful)


def _drop_unused(made: Made, pieces: Pieces, gone: dict[ast.stmt, Span]) -> None:
    """Remove the assignments whose name nothing uses any more."""
    inside = {inner for node in (made.maker, *pieces.values) for inner in ast.walk(node)}
    for node, span in pieces.assignments.items():
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            loads = made.scopes.loads(node.targets[0].id, made.scopes.frame(node))
            if all(load in inside for load in loads):
                gone[node] = span


def _bases(made: Made, site: CompileSite) -> list[str]:
    """Return names for the new function, the best first: its own, or that of the function behind it."""
    around = made.function_name()
    if made.name is not None and (len(made.name) > 1 or site.target.root is None or site.target.root.is_lambda):
        name = made.name.strip("_")
        return named(made, name)
    target = made.maker.args[0] if isinstance(made.maker, ast.Call) and made.maker.args else None
    if isinstance(target, ast.Name) and made.scopes.captured(target):
        name = target.id.strip("_")
        return named(made, name)
    root = site.target.root
    parts = [root.name.strip("_")] if root is not None and not root.is_lambda and not root.name.startswith("__") else []
    node: ast.expr | None = target
    transforms: list[str] = []
    while isinstance(node, ast.Call):
        last = dotted(made.scopes, node.func).rpartition(".")[2]
        if last and last not in ("partial", "Partial") and not last[:1].isupper():
            transforms.append(_SHORT.get(last, last))
        node = node.args[0] if node.args else None
    if not parts and isinstance(node, (ast.Name, ast.Attribute)):
        parts = [node.id if isinstance(node, ast.Name) else node.attr]
    if not parts or parts == [""]:
        parts = [around]
    name = "_".join([part.strip("_") for part in parts] + transforms[::-1])
    if len(name) > _LONGEST:
        name = "_".join([parts[-1].strip("_"), *transforms[:1]])
    return named(made, name if len(name) <= _LONGEST else parts[-1])


def _names_at_once(made: Made, nodes: list[ast.expr]) -> set[str]:
    """Return the module's names that expressions use when they are evaluated, those in lambdas skipped."""
    later = {
        inner
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Lambda)
        for inner in ast.walk(part.body)
    }
    scopes = made.scopes
    names = [inner for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name) and inner not in later]
    return {inner.id for inner in names if scopes.binder(inner.id, scopes.of(inner)) is scopes.module}


def _is_doubtful(made: Made, nodes: list[ast.expr]) -> bool:
    """Whether an expression does more than to make functions of functions, or reads what may change."""
    rows_ = table(made.draft.facts.settings)
    for inner in (inner for node in nodes for inner in ast.walk(node)):
        call = isinstance(inner, ast.Call) and dotted(made.scopes, inner.func) not in rows_
        read = isinstance(inner, ast.Attribute) and not dotted(made.scopes, inner)
        if (call or read) and not any(isinstance(around, ast.Lambda) for around in made.syntax.around(inner)):
            return True
    return False


# A partial


@dataclass
class _Partial:
    """`partial(function, *positional, **named)`, those inside of it included."""

    function: ast.expr
    positional: list[ast.expr]
    named: dict[str, ast.expr]


def _partial(made: Made, target: ast.AST) -> _Partial | None:
    """Read a partial over something of the module; None for anything else."""
    node, _ = resolved_or_none(made, target) if isinstance(target, ast.Name) else (target, None)
    if not isinstance(node, ast.Call):
        return None
    row = table(made.draft.facts.settings).get(dotted(made.scopes, node.func))
    if row is None or row.kind != "partial" or not node.args:
        return None
    inner = _partial(made, node.args[0])
    function = inner.function if inner is not None else node.args[0]
    positional = [*(inner.positional if inner is not None else ()), *node.args[1:]]
    named = dict(inner.named) if inner is not None else {}
    for keyword in node.keywords:
        if keyword.arg is None or any(isinstance(argument, ast.Starred) for argument in positional):
            return None
        named[keyword.arg] = keyword.value
    if inner is None and (made.scopes.captured(function) or not isinstance(function, (ast.Name, ast.Attribute))):
        return None
    return _Partial(function, positional, named)


def _bound(made: Made, site: CompileSite, bound: _Partial, pieces: Pieces, statics: Collection[str]) -> Built:
    """Compile the function behind a partial, and pass what was bound."""
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    maker = made.maker
    if not isinstance(maker, ast.Call) or (bound.positional and keywords(site) - {"static_argnames"}):
        raise NoFixError("an option counts the arguments")
    taken = _bound_values(made, bound)
    reads_what_changes(made, bound.function)
    gone: dict[ast.stmt, Span] = {}
    known: str | None = None
    wrapped = ""
    compiled = _is_compiled(draft.facts, made, bound.function)
    code = draft.code(bound.function)
    if compiled and not keywords(site):
        name = code
    else:
        wrapped = wrapper_text(draft, site, maker.func, option_texts(draft, made), statics, code)
        known = known_as(made, wrapped, *pieces.assignments.values())
        name = known or draft.fresh(*_bases(made, site))
    for load in replace_maker(draft, made, name, gone):
        draft.replace(load, name)
    _drop_unused(made, pieces, gone)
    if name == code and any(comments_in(syntax, span) for span in (syntax.span(maker), *gone.values())):
        raise NoFixError("a comment has nowhere to go")
    if name != code and known is None:
        names = _names_at_once(made, [bound.function, maker.func, *(k.value for k in maker.keywords)])
        text = "\n".join(headed(made, gone, (), f"{name} = {wrapped}"))
        insert_definition(draft, scopes, maker, names, text)
    for call in made.known_calls():
        if any(keyword.arg in bound.named or keyword.arg is None for keyword in call.keywords):
            raise NoFixError("a bound argument is given again")
        if bound.positional:
            first = ", ".join(draft.code(node) for node in bound.positional)
            start = _first_argument(made, call)
            draft.insert(start, f"{first}, " if call.args or call.keywords or bound.named else first)
        if bound.named:
            given = ", ".join(f"{key}={draft.code(node)}" for key, node in bound.named.items())
            add_arguments(draft, syntax, call, given)
    for span in removal(syntax, gone):
        draft.delete(span)
    passed = ", ".join(f"`{draft.code(node)}`" for node in (*bound.positional, *bound.named.values()))
    text = f"Call `{name}`" if name == code else f"Jit `{code}` once, as `{name}`"
    return Built(draft, _behind(made, bound.function) or "", taken, f"{text}, and pass it {passed}", doubtful=True)


def _first_argument(made: Made, call: ast.Call) -> int:
    return made.syntax.text.index("(", made.syntax.span(call.func).end) + 1


def _behind(made: Made, function: ast.expr) -> str | None:
    """Return the name of the visible `def` that a name of the module represents."""
    node = _module_definition(made, function)
    return node.name if node is not None else None


def _module_definition(made: Made, function: ast.expr) -> ast.FunctionDef | None:
    if not isinstance(function, ast.Name):
        return None
    bindings = made.scopes.bindings(function.id, made.scopes.module)
    return bindings[0] if len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef) else None


def _is_compiled(facts: ModuleFacts, made: Made, function: ast.expr) -> bool:
    """Whether a function of the module is compiled where it is defined."""
    node = _module_definition(made, function)
    if node is not None:
        return any(_compiles(facts, made, decorator) for decorator in node.decorator_list)
    if isinstance(function, ast.Name):
        bindings = made.scopes.bindings(function.id, made.scopes.module)
        parent = made.syntax.parents[bindings[0]] if len(bindings) == 1 else None
        return (
            isinstance(parent, ast.Assign)
            and isinstance(parent.value, ast.Call)
            and _compiles(facts, made, parent.value)
        )
    return False


def _compiles(facts: ModuleFacts, made: Made, node: ast.expr) -> bool:
    func = node.func if isinstance(node, ast.Call) else node
    row = table(facts.settings).get(dotted(made.scopes, func))
    if row is not None and row.kind == "partial" and isinstance(node, ast.Call) and node.args:
        return _compiles(facts, made, node.args[0])
    return row is not None and row.compiles


def _bound_values(made: Made, bound: _Partial) -> Captures:
    """Return the bound values as arguments of the function behind the partial."""
    definition = _module_definition(made, bound.function)
    names = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)] if definition is not None else []
    found = Captures()
    pairs: list[tuple[int | str, ast.expr]] = [*enumerate(bound.positional), *bound.named.items()]
    several = len(made.known_calls()) > 1 or any(_in_loop_apart(made, call) for call in made.known_calls())
    for key, node in pairs:
        if several and not _is_plain(node):
            raise NoFixError("what is bound would be computed again")
        for name, loads in made.scopes.captured(node).items():
            scope = made.scopes.binder(name, made.scopes.of(loads[0]))
            if scope is None:
                raise NoFixError(name)
            check_argument(made, name, scope)
        parameter = (names[key] if key < len(names) else "") if isinstance(key, int) else key
        constant = is_constant(node)
        item = Captured(parameter, made.draft.code(node), [], constant=constant and bool(parameter))
        role = ""
        if definition is not None:
            role = parameter_role(made.scopes, made.syntax, definition, key)
            if role == "object":
                raise NoFixError("a method of what is bound is called")
            item.called, item.evidence = role == "call", "option" if role == "test" else role
        else:
            item.evidence = _external_role(made, bound.function, key)
        if isinstance(node, ast.Name):
            scope = made.scopes.binder(node.id, made.scopes.of(node))
            known = evidence(made, node.id, scope) if scope is not None and scope is not made.scopes.module else ""
            if role == "test" and known not in ("number", "option"):
                raise NoFixError(f"Python needs the value of {node.id}, which may be an array")
            item.evidence = item.evidence if item.evidence == "option" else known or item.evidence
            item.given = all(isinstance(b, ast.arg) for b in made.scopes.bindings(node.id, scope)) if scope else True
        elif not item.evidence and not is_constant(node) and not isinstance(node, ast.Attribute):
            item.evidence = "data"
        found.items.append(item)
        if not parameter and item.evidence == "option":
            raise NoFixError("an option by position")
    return found


def _external_role(made: Made, function: ast.expr, key: int | str) -> str:
    name = dotted(made.scopes, function)
    if not name.startswith(ARRAY_MODULES):
        return ""
    return "option" if use_of_argument(name, key) else "data"


def _is_plain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) or is_constant(node)


def _in_loop_apart(made: Made, call: ast.Call) -> bool:
    """Whether a call is in a loop that the object is made outside of."""
    around = set(made.syntax.around(made.maker))
    return any(isinstance(loop, LOOPS) and loop not in around for loop in made.syntax.around(call))


# With captured values


def _outlined(
    made: Made, site: CompileSite, target: ast.AST, pieces: Pieces, taken: Captures, statics: Collection[str]
) -> Built:
    """Compile a new function that gets what was captured, makes the transformed function and calls it."""
    draft, syntax, scopes = made.draft, made.syntax, made.scopes
    inside = {inner for node in (made.maker, *pieces.values, *pieces.definitions) for inner in ast.walk(node)}
    for definition in pieces.definitions:
        check_code(syntax, definition)
        loads = [load for load in scopes.loads(definition.name, scopes.of(definition)) if load not in made.loads]
        if not made.is_only_binding(definition) or any(load not in inside for load in loads):
            raise NoFixError(f"{definition.name} is used elsewhere too")
    if isinstance(target, ast.Name) and not pieces.inlined:
        raise NoFixError("nothing to outline")
    reads_what_changes(made, made.maker, *pieces.values, *pieces.definitions)
    name = draft.fresh(*_bases(made, site))
    parameters, call_text = _shape(made, site, taken, pieces)
    gone: dict[ast.stmt, Span] = {node: rows(syntax, node) for node in pieces.definitions}
    changes = _written_out(made, pieces, taken.changes)
    unit = indent_unit(syntax, made.function)
    wrapper_line = "@" + call_wrapper(draft, made, site, statics)
    moved = [*gone.values(), syntax.span(target)]
    body = [at_margin(syntax, gone[node], changes, unit).rstrip("\n") + "\n" for node in pieces.definitions]
    expression = statement(syntax, syntax.span(target), "return ", unit, unit, changes)
    by_keyword = "static_argnums" in keywords(site)
    head = ", ".join([*parameters, *(item.parameter for item in taken.items)])
    for load in replace_maker(draft, made, name, gone):
        draft.replace(load, name)
    pass_captured(draft, made, taken, by_keyword=by_keyword or any(call.keywords for call in made.known_calls()))
    _drop_unused(made, pieces, gone)
    above = headed(made, gone, moved, wrapper_line)
    text = "\n".join([*above, f"def {name}({head}):", *body, f"{expression}({call_text})"])
    wrapper = made.maker.func if isinstance(made.maker, ast.Call) else made.maker
    insert_definition(draft, scopes, made.maker, scopes.module_names(wrapper), text)
    for span in removal(syntax, gone):
        draft.delete(span)
    return Built(draft, name, taken, message(name, taken), doubtful=True)


def _shape(made: Made, site: CompileSite, taken: Captures, pieces: Pieces) -> tuple[list[str], str]:
    """Return parameters for what the calls pass, and the arguments that pass it on.

    Raises:
        NoFixError: the calls differ, or pass what cannot be counted.
    """
    shapes = set()
    for call in made.known_calls():
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            raise NoFixError("a call with * or **")
        shapes.add((len(call.args), tuple(keyword.arg or "" for keyword in call.keywords)))
    if len(shapes) != 1:
        raise NoFixError("calls that differ")
    count, given = shapes.pop()
    taken_names = {item.parameter for item in taken.items}
    used = {
        node.id
        for part in (made.maker, *pieces.values, *pieces.definitions)
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
    }
    root = site.target.root
    wanted = [p.name for p in root.parameters if p.position is not None] if root is not None else []
    first = made.known_calls()[0]
    passed = [node.id if isinstance(node, ast.Name) else "" for node in first.args]
    found: list[str] = []
    for index in range(count):
        options = [passed[index], wanted[index] if index < len(wanted) else "", f"arg{index}", f"arg{index}_"]
        for option in options:
            own = option in taken_names or option in found or option in given
            if option and not own and (option not in used or option in _own_locals(made, pieces)):
                found.append(option)
                break
        else:
            raise NoFixError("no name for a parameter")
    keywords_ = [key for key in given if key]
    if taken_names & set(keywords_):
        raise NoFixError("a keyword is captured too")
    call_text = ", ".join([*found, *(f"{key}={key}" for key in keywords_)])
    return [*found, *keywords_], call_text


def _own_locals(made: Made, pieces: Pieces) -> set[str]:
    """The names that moved functions bind for themselves: a parameter of the same name does not disturb them."""
    found = set()
    for part in (made.maker, *pieces.values, *pieces.definitions):
        for node in ast.walk(part):
            if isinstance(node, (*DEFS, ast.Lambda)):
                found |= {argument.arg for argument in all_arguments(node.args)}
    module = {
        node.id
        for part in (made.maker, *pieces.values, *pieces.definitions)
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
        and made.scopes.binder(node.id, made.scopes.of(node)) in (made.scopes.module, None)
    }
    return found - module
