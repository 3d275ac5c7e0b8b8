"""A compile site as a fix sees it: the expression that makes the jitted function, and where that is used."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.scopes import COMPREHENSIONS, DEFS, FUNCTIONS, Scope, Scopes, scopes_of
from jaxlint.fixes.text.syntax import NoFixError, Syntax

if TYPE_CHECKING:
    import libcst as cst

    from jaxlint.facts.cache_misses.sites import CompileSite
    from jaxlint.facts.module import ModuleFacts

LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)


@dataclass(eq=False)
class Made:
    """What makes a jitted function, and its uses.

    `maker` is the call that makes it, or the `def` that a decorator compiles.  `name` is the local name that it is
    bound to, by `statement` where that does nothing else, and `loads` are that name's.  `calls` are its calls, None
    where something else than a call uses it.  `function` is the innermost function around it.  `rebound` is the `def`
    whose name is bound again to its compiled version: `step = jax.jit(step)`.
    """

    draft: Draft
    scopes: Scopes
    maker: ast.expr | ast.FunctionDef | ast.AsyncFunctionDef
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    name: str | None = None
    statement: ast.stmt | None = None
    loads: list[ast.Name] = field(default_factory=list)
    calls: list[ast.Call] | None = None
    rebound: ast.FunctionDef | ast.AsyncFunctionDef | None = None

    @property
    def syntax(self) -> Syntax:
        """The file's tree."""
        return self.draft.syntax

    @property
    def start(self) -> int:
        """Where the object is made."""
        return self.syntax.span(self.maker).start

    @property
    def end(self) -> int:
        """Where the last use of the object ends."""
        return max(self.syntax.span(node).end for node in (self.maker, *self.loads, *(self.calls or ())))

    def known_calls(self) -> list[ast.Call]:
        """Return the calls of the object.

        Raises:
            NoFixError: it is used in other ways too, or not at all.
        """
        if not self.calls:
            raise NoFixError("not every use is a call")
        return self.calls

    def is_only_binding(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether a local function's name represents nothing else, but for its compiled version."""
        others = [other for other in self.scopes.bindings(node.name, self.scopes.of(node)) if other is not node]
        return not others or (self.rebound is node and len(others) == 1)

    def function_name(self) -> str:
        """Return the name of the innermost `def` around the site."""
        for node in (self.function, *self.syntax.around(self.function)):
            if isinstance(node, DEFS):
                return node.name.strip("_")
        return "compiled"

    def owner(self) -> Scope:
        """Return the scope that the maker's local name belongs to."""
        return self.scopes.frame(self.maker)

    def is_steady(self, name: str, scope: Scope) -> bool:
        """Whether a captured name keeps its value from the making of the object to the last call of it."""
        for node in self.scopes.bindings(name, scope):
            if isinstance(node, ast.arg):
                continue
            if isinstance(node, (ast.Global, ast.Nonlocal)) or self.scopes.frame(node) is not _frame(scope, self):
                return False
            if self.comes_between(node):
                return False
        return True

    def comes_between(self, node: ast.AST) -> bool:
        """Whether something runs after the making of the object and before the last call of it."""
        first, last = self.start, self.end
        place = self.syntax.span(node).start
        if first < place <= last or (first == place and not isinstance(node, DEFS)):
            return True
        for loop in self.syntax.around(node):
            if isinstance(loop, FUNCTIONS):
                break
            if isinstance(loop, LOOPS) and self._holds_use(loop) and not self._holds(loop, self.maker):
                return True
        return False

    def _holds(self, outer: ast.AST, node: ast.AST) -> bool:
        return any(around is outer for around in self.syntax.around(node))

    def _holds_use(self, loop: ast.AST) -> bool:
        return any(self._holds(loop, use) for use in (*self.loads, *(self.calls or ())))


def _frame(scope: Scope, made: Made) -> Scope:
    while isinstance(scope, COMPREHENSIONS):
        scope = made.scopes.frame(scope)
    return scope


def made_by(facts: ModuleFacts, site: CompileSite) -> Made:
    """Read a compile site.

    Raises:
        NoFixError: it is in no function, or in code whose names cannot be followed.
    """
    draft = Draft(facts)
    syntax = draft.syntax
    scopes = scopes_of(syntax)
    node = syntax.at(facts.span(site.node), ast.expr)
    maker: ast.expr | ast.FunctionDef | ast.AsyncFunctionDef = node  # type: ignore[assignment]
    parent = syntax.parents[node]
    if isinstance(parent, DEFS) and node in parent.decorator_list:
        maker = parent
    function = scopes.frame(maker)
    if not isinstance(function, FUNCTIONS):
        raise NoFixError("not in a function")
    refuse_dynamic_names(syntax, function)
    made = Made(draft, scopes, maker, function)
    if isinstance(maker, DEFS):
        if scopes.bindings(maker.name, function) != [maker]:
            raise NoFixError("the name is bound more than once")
        made.name, made.statement = maker.name, maker
    elif isinstance(parent, ast.Call) and parent.func is maker:
        made.calls = [parent]
    else:
        _find_name(made, parent)
    if made.name is not None:
        within = set(ast.walk(maker)) if made.rebound is not None else set()
        made.loads = [load for load in scopes.loads(made.name, function) if load not in within]
        parents = [syntax.parents[load] for load in made.loads]
        if all(isinstance(p, ast.Call) and p.func is load for p, load in zip(parents, made.loads, strict=True)):
            made.calls = [p for p in parents if isinstance(p, ast.Call)]
    return made


def made_by_call(facts: ModuleFacts, node: cst.Call, *, kept: bool = False) -> Made:
    """Read a call whose result is used at once, by whatever is around it, or `kept` under a local name.

    Raises:
        NoFixError: it is in no function, or in code whose names cannot be followed.
    """
    draft = Draft(facts)
    syntax = draft.syntax
    scopes = scopes_of(syntax)
    call = syntax.at(facts.span(node), ast.Call)
    function = scopes.frame(call)
    if not isinstance(call, ast.Call) or not isinstance(function, FUNCTIONS):
        raise NoFixError("not in a function")
    refuse_dynamic_names(syntax, function)
    made = Made(draft, scopes, call, function, calls=[call])
    if kept:
        _find_name(made, syntax.parents[call])
        made.loads = scopes.loads(made.name, function) if made.name is not None else []
    return made


def _find_name(made: Made, parent: ast.AST) -> None:
    """Note the local name that the maker's value alone is bound to."""
    target = None
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
    elif isinstance(parent, ast.AnnAssign):
        target = parent.target
    if not isinstance(target, ast.Name) or not isinstance(parent, ast.stmt):
        return
    others = [node for node in made.scopes.bindings(target.id, made.function) if node is not target]
    if not others:
        made.name, made.statement = target.id, parent
    elif len(others) == 1 and isinstance(others[0], DEFS) and _is_bound_again(made, others[0], target.id, parent):
        made.name, made.statement, made.rebound = target.id, parent, others[0]


def _is_bound_again(made: Made, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, statement: ast.stmt) -> bool:
    """Whether a function's name represents its compiled version wherever else it is used."""
    syntax = made.syntax
    if syntax.parents[node] is not syntax.parents[statement] or syntax.span(node).end > syntax.span(statement).start:
        return False
    within = set(ast.walk(made.maker))
    end = syntax.span(statement).end
    return all(load in within or syntax.span(load).start >= end for load in made.scopes.loads(name, made.function))


def refuse_dynamic_names(syntax: Syntax, function: ast.AST) -> None:
    """Refuse code whose names cannot be followed.

    Raises:
        NoFixError: something in the outermost function around it looks names up at run time.
    """
    outermost = function
    for around in syntax.around(function):
        if isinstance(around, FUNCTIONS):
            outermost = around
    if outermost in syntax.looking_up:
        raise NoFixError("names are looked up at run time")
