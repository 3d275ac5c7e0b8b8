"""One walk over a file: parents, contexts, scopes, bindings, calls, loops, classes and functions.

This is the only place that visits nodes.  It is driven by hand over precomputed child fields, because LibCST's own
`visit` costs ten times as much and its metadata providers two to three parses each.  Everything else asks.

Nodes are kept by `id`: LibCST hashes nodes by identity through a Python-level method, and the tree keeps them alive.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

Branch = tuple[tuple[int, int], ...]
"""Which arm of which compound statements a statement is in, outermost first."""


@dataclass(slots=True, eq=False)
class Scope:
    """A Python scope.  `function` is the innermost function it belongs to, None at module and class level."""

    kind: str  # module, class, function, comprehension
    parent: Scope | None
    function: Function | None
    cls: Class | None
    qualname: str
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    @property
    def frame(self) -> Scope:
        """The scope whose statements run together with this one's: a comprehension belongs to its surroundings."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(slots=True, eq=False)
class Loop:
    """A `for` or `while` statement, or one `for` of a comprehension; `outer` is the loop around it, same function."""

    node: cst.For | cst.While | cst.CompFor
    outer: Loop | None
    context: Context

    @property
    def iterable(self) -> cst.BaseExpression | None:
        """What is iterated over; None for `while`."""
        return None if isinstance(self.node, cst.While) else self.node.iter

    @property
    def is_comprehension(self) -> bool:
        """Whether it is a `for` of a comprehension."""
        return isinstance(self.node, cst.CompFor)

    @property
    def around(self) -> Iterator[Loop]:
        """The loops around this one in the same function, innermost first."""
        loop = self.outer
        while loop is not None:
            yield loop
            loop = loop.outer

    def inside(self, other: Loop | None) -> bool:
        """Tell whether this loop is `other` or inside it; every loop is inside None."""
        loop: Loop | None = self
        while loop is not None:
            if loop is other:
                return True
            loop = loop.outer
        return other is None


@dataclass(slots=True, eq=False)
class Context:
    """Where a node is: scope, number of its statement in source order, branch and innermost loop."""

    scope: Scope
    order: int
    branch: Branch
    loop: Loop | None

    @property
    def function(self) -> Function | None:
        """The innermost function around the node."""
        return self.scope.function


@dataclass(slots=True, eq=False)
class Binding:
    """One way in which a name gets its value.

    `kind` is import, function, class, assign, unpack, parameter, loop, with or other.  `value` is the dotted name of an
    import, a `Function`, a `Class`, or the node that is assigned, unpacked or iterated over.
    """

    name: str
    kind: str
    value: str | Function | Class | cst.CSTNode | None
    context: Context
    index: int | None = None


@dataclass(slots=True, eq=False)
class Parameter:
    """A parameter of a function; `position` is None for keyword-only ones, `*args` and `**kwargs`."""

    function: Function
    name: str
    position: int | None
    annotation: cst.BaseExpression | None
    default: cst.BaseExpression | None
    star: str = ""


@dataclass(slots=True, eq=False)
class Function:
    """A `def` or a lambda; `context` is where it is defined, `cls` the class whose body that is."""

    node: cst.FunctionDef | cst.Lambda
    name: str
    context: Context
    cls: Class | None
    scope: Scope
    parameters: list[Parameter] = field(default_factory=list)
    decorators: list[cst.BaseExpression] = field(default_factory=list)
    returns: list[cst.BaseExpression] = field(default_factory=list)
    yields: bool = False

    @property
    def is_lambda(self) -> bool:
        """Whether it is a lambda."""
        return isinstance(self.node, cst.Lambda)

    @property
    def outer(self) -> Function | None:
        """The function that this one is defined in, None at module level and for methods of module-level classes."""
        return self.context.scope.function

    @property
    def qualname(self) -> str:
        """The qualified name within the module."""
        return self.scope.qualname

    @property
    def is_private(self) -> bool:
        """Whether its name, or that of what it is in, says that others do not call it."""
        return any(name.startswith("_") and not name.startswith("__") for name in self.qualname.split("."))

    @property
    def takes_any_name(self) -> bool:
        """Whether it has a `**kwargs`."""
        return any(parameter.star == "**" for parameter in self.parameters)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)


@dataclass(slots=True, eq=False)
class Class:
    """A class; `stores` holds what its methods assign to attributes of `self`, `fields` what its body annotates."""

    node: cst.ClassDef
    name: str
    context: Context
    scope: Scope
    bases: list[cst.BaseExpression] = field(default_factory=list)
    decorators: list[cst.BaseExpression] = field(default_factory=list)
    methods: dict[str, Function] = field(default_factory=dict)
    stores: dict[str, list[tuple[cst.BaseExpression, Context]]] = field(default_factory=dict)
    fields: dict[str, cst.BaseExpression] = field(default_factory=dict)


_SKIPPED = frozenset(
    "lpar rpar lbrace rbrace lbracket rbracket comma semicolon colon equal operator dot annotation returns "
    "type_parameters type_comment asynchronous star header footer leading_lines lines_after_decorators indent "
    "keyword first_colon second_colon posonly_ind conversion prefix start end trailing_whitespace leading_whitespace "
    "trailing_comma separator has_trailing_newline default_newline default_indent encoding".split()
)


def kinds(*classes: type[cst.CSTNode]) -> frozenset[type[cst.CSTNode]]:
    """Return a set to ask for the class of a node: `isinstance` is slow, as LibCST's classes are abstract ones."""
    return frozenset(classes)


class _Fields(dict[type[cst.CSTNode], tuple[str, ...]]):
    """The fields that may hold names, calls or statements, in source order, of each class of nodes."""

    def __missing__(self, kind: type[cst.CSTNode]) -> tuple[str, ...]:
        names = [] if kind in _LEAVES else [field.name for field in dataclasses.fields(kind)]
        self[kind] = tuple(n for n in names if n not in _SKIPPED and not n.startswith("whitespace"))
        return self[kind]


_LEAVES = kinds(cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary, cst.FormattedStringText)
_fields = _Fields()
_SEQUENCES = (list, tuple)
_NO_NODES = frozenset({type(None), str, bool, cst.MaybeSentinel})
"""What a field holds besides nodes and sequences of them."""


class _Children(dict[type[cst.CSTNode], Callable[[Any], list[cst.CSTNode]]]):
    """What gives the children of a node, for each class of nodes: those that are most common have their own."""

    def __missing__(self, kind: type[cst.CSTNode]) -> Callable[[Any], list[cst.CSTNode]]:
        names = _fields[kind]

        def find(node: Any) -> list[cst.CSTNode]:
            found: list[cst.CSTNode] = []
            for name in names:
                child = getattr(node, name)
                kind = child.__class__
                if kind in _SEQUENCES:
                    found.extend(child)
                elif kind not in _NO_NODES:
                    found.append(child)
            return found

        self[kind] = find
        return find


_children = _Children(
    {
        cst.Attribute: lambda node: [node.value, node.attr],
        cst.Call: lambda node: [node.func, *node.args],
        cst.Arg: lambda node: [node.value],
        cst.Index: lambda node: [node.value],
        cst.SubscriptElement: lambda node: [node.slice],
        cst.Subscript: lambda node: [node.value, *node.slice],
        cst.BinaryOperation: lambda node: [node.left, node.right],
        cst.Element: lambda node: [node.value],
        cst.Tuple: lambda node: list(node.elements),
        cst.Expr: lambda node: [node.value],
        cst.Assign: lambda node: [*node.targets, node.value],
        cst.AssignTarget: lambda node: [node.target],
        cst.SimpleStatementLine: lambda node: list(node.body),
        cst.IndentedBlock: lambda node: list(node.body),
    }
)


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the children that may hold code, in source order."""
    return _children[node.__class__](node)


def within(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all nodes in it, in no certain order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        kind = current.__class__
        if kind is not cst.Name:
            stack.extend(_children[kind](current))


DEFINITIONS = kinds(cst.FunctionDef, cst.ClassDef, cst.Lambda)
"""The nodes whose bodies do not run where they are."""


def running(*nodes: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield some nodes and those in them, in no certain order, but for what is in functions and classes."""
    stack = list(nodes)
    while stack:
        current = stack.pop()
        yield current
        kind = current.__class__
        if kind is not cst.Name and kind not in DEFINITIONS:
            stack.extend(_children[kind](current))


def same_code(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether two nodes are written alike, white space and parentheses aside."""
    stack = [(one, other)]
    while stack:
        first, second = stack.pop()
        if type(first) is not type(second):
            return False
        if isinstance(first, _WRITTEN) and first.value != second.value:  # type: ignore[attr-defined]
            return False
        for name in _TELLING:
            if type(getattr(first, name, None)) is not type(getattr(second, name, None)):
                return False
        if isinstance(first, cst.Arg) and not _same_argument(first, second):
            return False
        mine, others = list(children(first)), list(children(second))
        if len(mine) != len(others):
            return False
        stack.extend(zip(mine, others, strict=True))
    return True


def _same_argument(one: cst.Arg, other: Any) -> bool:
    names = [None if arg.keyword is None else arg.keyword.value for arg in (one, other)]
    return one.star == other.star and names[0] == names[1]


_WRITTEN = (cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary, cst.FormattedStringText)
_TELLING = ("operator", "asynchronous")


class Tree:
    """What the walk gathers; see the module's docstring."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.parents: dict[int, cst.CSTNode] = {}
        self.contexts: dict[int, Context] = {}
        self.module_scope = Scope("module", None, None, None, "")
        self.functions: list[Function] = []
        self.function_of: dict[int, Function] = {}
        self.classes: list[Class] = []
        self.calls: list[cst.Call] = []
        self.loops: list[Loop] = []
        self.loads: dict[str, list[cst.Name]] = defaultdict(list)
        self.expression_statements: list[cst.Expr] = []
        self.star_imports: list[str] = []
        self.left_before: dict[int, frozenset[int]] = {}
        """The statements of a block that follow a test for tracers which leaves it; `guards` keeps them here."""
        self.item_stores: dict[int, list[cst.Assign]] = defaultdict(list)
        """By the `id` of the function that runs them: the assignments to items of containers."""
        self._bodies: dict[int, list[cst.CSTNode]] = {}
        self._order = 0
        self._stack: list[tuple[cst.CSTNode, cst.CSTNode, Context]] = []
        self._walk(module)

    def close(self) -> None:
        """Break the circles of functions, classes and their scopes, which would keep all nodes alive."""
        items: list[Function | Class] = [*self.functions, *self.classes]
        for item in items:
            item.scope.bindings.clear()
            item.scope.function = item.scope.cls = None
            del item.node
        self.module_scope.bindings.clear()
        self._bodies.clear()

    # The walk

    def _walk(self, root: cst.Module) -> None:
        stack = self._stack
        parents, contexts, loads, handlers = self.parents, self.contexts, self.loads, _HANDLERS
        context = contexts[id(root)] = Context(self.module_scope, self._order, (), None)
        self._push(root, context, *root.body)
        pop, name = stack.pop, cst.Name
        while stack:
            node, parent, context = pop()
            key = id(node)
            parents[key] = parent
            contexts[key] = context
            kind = node.__class__
            if kind is name:
                loads[node.value].append(node)  # type: ignore[attr-defined, arg-type]
                continue
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node, context)
            else:
                stack.extend([(child, node, context) for child in reversed(children(node))])

    def _push(self, parent: cst.CSTNode, context: Context, *nodes: cst.CSTNode | None) -> None:
        """Visit `nodes` next, in the order given."""
        self._stack.extend((node, parent, context) for node in reversed(nodes) if node is not None)

    def _statement(self, context: Context, branch: Branch | None = None, loop: Loop | None = None) -> Context:
        self._order += 1
        return Context(context.scope, self._order, context.branch if branch is None else branch, loop or context.loop)

    def _bind(
        self,
        name: str,
        kind: str,
        value: str | Function | Class | cst.CSTNode | None,
        context: Context,
        index: int | None = None,
    ) -> None:
        scope = context.scope
        if kind != "loop" or scope.kind != "comprehension":
            scope = scope.frame  # a walrus in a comprehension binds outside
        if name in scope.globals:
            scope = self.module_scope
        elif name in scope.nonlocals:
            scope = self._nonlocal(name, scope)
        scope.bindings.setdefault(name, []).append(Binding(name, kind, value, context, index))

    @staticmethod
    def _nonlocal(name: str, scope: Scope) -> Scope:
        outer = scope.parent
        while outer is not None:
            if outer.kind == "function" and name in outer.bindings:
                return outer
            outer = outer.parent
        return scope

    def _bind_target(self, target: cst.CSTNode, kind: str, value: cst.CSTNode | None, context: Context) -> None:
        """Bind the names in an assignment target, and visit the rest of it."""
        if isinstance(target, cst.Name):
            self.contexts[id(target)] = context
            self._bind(target.value, kind, value, context)
        elif isinstance(target, (cst.Tuple, cst.List)):
            self._bind_elements(target, kind, value, context)
        elif isinstance(target, cst.StarredElement):
            self._bind_target(target.value, "other", None, context)
        else:
            if isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and value is not None:
                self._store_attribute(target, value, context)
            self._push(target, context, *children(target))

    def _bind_elements(
        self, target: cst.Tuple | cst.List, kind: str, value: cst.CSTNode | None, context: Context
    ) -> None:
        self.contexts[id(target)] = context
        literal: Sequence[cst.BaseElement] | None = None
        if (
            kind == "assign"
            and isinstance(value, (cst.Tuple, cst.List))
            and len(value.elements) == len(target.elements)
        ):
            literal = value.elements
        for index, element in enumerate(target.elements):
            self.parents[id(element)] = target
            self.parents[id(element.value)] = element
            self.contexts[id(element)] = context
            if isinstance(element, cst.StarredElement):
                self._bind_target(element.value, "other", None, context)
            elif literal is not None:
                self._bind_target(element.value, kind, literal[index].value, context)
            elif isinstance(element.value, cst.Name) and kind == "assign":
                self.contexts[id(element.value)] = context
                self._bind(element.value.value, "unpack", value, context, index)
            else:
                self._bind_target(element.value, "loop" if kind == "loop" else "other", value, context)

    def _store_attribute(self, target: cst.Attribute, value: cst.CSTNode, context: Context) -> None:
        function = context.function
        if function is None or function.cls is None or not function.parameters:
            return
        base = target.value
        if (
            isinstance(base, cst.Name)
            and base.value == function.parameters[0].name
            and isinstance(value, cst.BaseExpression)
        ):
            function.cls.stores.setdefault(target.attr.value, []).append((value, context))

    # Statements

    def _on_line(self, node: cst.SimpleStatementLine | cst.SimpleStatementSuite, context: Context) -> None:
        for small in reversed(node.body):
            self._stack.append((small, node, context))

    def _on_expr(self, node: cst.Expr, context: Context) -> None:
        self.expression_statements.append(node)
        self._push(node, self._statement(context), node.value)

    def _on_simple(self, node: cst.CSTNode, context: Context) -> None:
        self._push(node, self._statement(context), *children(node))

    def _on_assign(self, node: cst.Assign, context: Context) -> None:
        context = self._statement(context)
        self.contexts[id(node)] = context
        for target in node.targets:
            self.parents[id(target)] = node
            self.parents[id(target.target)] = target
            self._bind_target(target.target, "assign", node.value, context)
        if any(target.target.__class__ is cst.Subscript for target in node.targets) and context.scope.kind != "class":
            self.item_stores[id(context.function)].append(node)
        self._push(node, context, node.value)

    def _on_ann_assign(self, node: cst.AnnAssign, context: Context) -> None:
        context = self._statement(context)
        self.contexts[id(node)] = context
        self.parents[id(node.target)] = node
        if context.scope.cls is not None and isinstance(node.target, cst.Name):
            context.scope.cls.fields[node.target.value] = node.annotation.annotation
        if node.value is not None:
            self._bind_target(node.target, "assign", node.value, context)
            self._push(node, context, node.value)

    def _on_aug_assign(self, node: cst.AugAssign, context: Context) -> None:
        context = self._statement(context)
        self.contexts[id(node)] = context
        self.parents[id(node.target)] = node
        if isinstance(node.target, cst.Name):
            # `x += 1` reads x as well; the name's own node represents both.
            self._bind(node.target.value, "assign", node, context)
            self.loads[node.target.value].append(node.target)
            self.contexts[id(node.target)] = context
        else:
            self._push(node.target, context, *children(node.target))
        self._push(node, context, node.value)

    def _on_named_expr(self, node: cst.NamedExpr, context: Context) -> None:
        if isinstance(node.target, cst.Name):
            # Seen from the same statement on: the test that holds a walrus usually uses it.
            early = Context(context.scope, context.order - 1, context.branch, context.loop)
            self.contexts[id(node.target)] = context
            self._bind(node.target.value, "assign", node.value, early)
        self._push(node, context, node.value)

    def _on_import(self, node: cst.Import, context: Context) -> None:
        context = self._statement(context)
        for alias in node.names:
            dotted = alias.evaluated_name
            if alias.asname is not None:
                self._bind(alias.evaluated_alias or dotted, "import", dotted, context)
            else:
                self._bind(dotted.partition(".")[0], "import", dotted.partition(".")[0], context)

    def _on_import_from(self, node: cst.ImportFrom, context: Context) -> None:
        context = self._statement(context)
        module = "." * len(node.relative) + (_dotted(node.module) if node.module is not None else "")
        if isinstance(node.names, cst.ImportStar):
            self.star_imports.append(module)
            return
        for alias in node.names:
            dotted = f"{module}.{alias.evaluated_name}" if not module.endswith(".") else module + alias.evaluated_name
            self._bind(alias.evaluated_alias or alias.evaluated_name, "import", dotted, context)

    def _on_global(self, node: cst.Global, context: Context) -> None:
        context.scope.frame.globals.update(item.name.value for item in node.names)

    def _on_nonlocal(self, node: cst.Nonlocal, context: Context) -> None:
        context.scope.frame.nonlocals.update(item.name.value for item in node.names)

    def _on_return(self, node: cst.Return, context: Context) -> None:
        context = self._statement(context)
        if node.value is not None:
            if context.function is not None:
                context.function.returns.append(node.value)
            self._push(node, context, node.value)

    def _on_yield(self, node: cst.Yield, context: Context) -> None:
        if context.function is not None:
            context.function.yields = True
        self._push(node, context, *children(node))

    def _on_if(self, node: cst.If, context: Context) -> None:
        head = self._statement(context)
        items: list[tuple[cst.CSTNode, cst.CSTNode, Context]] = [(node.test, node, head)]
        for arm, part in enumerate((node.body, node.orelse)):
            if part is not None:
                branch = (*context.branch, (id(node), arm))
                items.append((part, node, Context(head.scope, head.order, branch, head.loop)))
        self._stack.extend(reversed(items))

    def _on_try(self, node: cst.Try | cst.TryStar, context: Context) -> None:
        key = id(node)
        body = Context(context.scope, context.order, (*context.branch, (key, 0)), context.loop)
        items: list[tuple[cst.CSTNode, cst.CSTNode, Context]] = [(node.body, node, body)]
        for number, handler in enumerate(node.handlers, 1):
            # Negative: unlike the arms of an `if`, a handler may follow the body.
            branch = (*context.branch, (key, -number))
            items.append((handler, node, Context(context.scope, context.order, branch, context.loop)))
        if node.orelse is not None:
            items.append((node.orelse, node, body))
        if node.finalbody is not None:
            items.append((node.finalbody, node, context))
        self._stack.extend(reversed(items))

    def _on_except(self, node: cst.ExceptHandler | cst.ExceptStarHandler, context: Context) -> None:
        context = self._statement(context)
        if node.name is not None and isinstance(node.name.name, cst.Name):
            self._bind(node.name.name.value, "other", None, context)
        self._push(node, context, node.type, node.body)

    def _on_with(self, node: cst.With, context: Context) -> None:
        context = self._statement(context)
        for item in node.items:
            if item.asname is not None:
                self._bind_target(item.asname.name, "with", item.item, context)
        self._push(node, context, *(item.item for item in node.items), node.body)

    def _on_for(self, node: cst.For, context: Context) -> None:
        head = self._statement(context)
        loop = Loop(node, context.loop, head)
        self.loops.append(loop)
        branch = (*context.branch, (id(node), 0))
        body = Context(head.scope, head.order, branch, loop)
        self.parents[id(node.target)] = node
        self._bind_target(node.target, "loop", node.iter, body)
        self._push(node, context, node.orelse)
        self._push(node, body, node.body)
        self._push(node, head, node.iter)

    def _on_while(self, node: cst.While, context: Context) -> None:
        head = self._statement(context)
        loop = Loop(node, context.loop, head)
        self.loops.append(loop)
        body = Context(head.scope, head.order, (*context.branch, (id(node), 0)), loop)
        self._push(node, context, node.orelse)
        self._push(node, body, node.test, node.body)

    def _on_match(self, node: cst.Match, context: Context) -> None:
        head = self._statement(context)
        items: list[tuple[cst.CSTNode, cst.CSTNode, Context]] = [(node.subject, node, head)]
        for arm, case in enumerate(node.cases):
            inside = Context(head.scope, head.order, (*context.branch, (id(node), arm)), context.loop)
            items.append((case, node, inside))
        self._stack.extend(reversed(items))

    def _on_match_capture(self, node: cst.MatchAs | cst.MatchStar, context: Context) -> None:
        if node.name is not None:
            self._bind(node.name.value, "other", None, context)
        self._push(node, context, getattr(node, "pattern", None))

    def _on_del(self, node: cst.Del, context: Context) -> None:
        # `del f` is no use of f.
        if not isinstance(node.target, (cst.Name, cst.Tuple)):
            self._push(node, self._statement(context), node.target)

    # Definitions

    def _on_function(self, node: cst.FunctionDef, context: Context) -> None:
        context = self._statement(context)
        self.contexts[id(node)] = context
        outer = context.scope
        cls = outer.cls if outer.kind == "class" else None
        name = node.name.value
        function = self._function(node, name, context, cls, f"{outer.qualname}.{name}" if outer.qualname else name)
        function.decorators.extend(item.decorator for item in node.decorators)
        self.parents[id(node.name)] = node
        self._bind(name, "function", function, context)
        if cls is not None:
            cls.methods.setdefault(name, function)
        self._parameters(function, node.params, context)
        body = Context(function.scope, self._order, (), None)
        for decorator in node.decorators:
            self.parents[id(decorator)] = node
            self.contexts[id(decorator)] = context
        self._push(node, body, node.body)
        for decorator in reversed(node.decorators):
            self._push(decorator, context, decorator.decorator)

    def _on_lambda(self, node: cst.Lambda, context: Context) -> None:
        outer = context.scope
        qualname = f"{outer.qualname}.<lambda>" if outer.qualname else "<lambda>"
        function = self._function(node, "<lambda>", context, None, qualname)
        function.returns.append(node.body)
        self._parameters(function, node.params, context)
        self._push(node, Context(function.scope, context.order, (), None), node.body)

    def _function(
        self, node: cst.FunctionDef | cst.Lambda, name: str, context: Context, cls: Class | None, qualname: str
    ) -> Function:
        scope = Scope("function", context.scope, None, None, qualname)
        function = Function(node, name, context, cls, scope)
        scope.function = function
        self.functions.append(function)
        self.function_of[id(node)] = function
        return function

    def _parameters(self, function: Function, params: cst.Parameters, context: Context) -> None:
        inner = Context(function.scope, context.order, (), None)
        for position, param in enumerate((*params.posonly_params, *params.params)):
            self._parameter(function, param, position, inner)
        if isinstance(params.star_arg, cst.Param):
            self._parameter(function, params.star_arg, None, inner, "*")
        for param in params.kwonly_params:
            self._parameter(function, param, None, inner)
        if params.star_kwarg is not None:
            self._parameter(function, params.star_kwarg, None, inner, "**")
        for parameter in reversed(function.parameters):
            if parameter.default is not None:
                self._push(function.node, context, parameter.default)

    def _parameter(
        self, function: Function, param: cst.Param, position: int | None, inner: Context, star: str = ""
    ) -> None:
        annotation = param.annotation.annotation if param.annotation is not None else None
        parameter = Parameter(function, param.name.value, position, annotation, param.default, star)
        self.parents[id(param)] = function.node
        function.parameters.append(parameter)
        function.scope.bindings.setdefault(parameter.name, []).append(
            Binding(parameter.name, "parameter", param, inner)
        )

    def _on_class(self, node: cst.ClassDef, context: Context) -> None:
        context = self._statement(context)
        self.contexts[id(node)] = context
        outer, name = context.scope, node.name.value
        scope = Scope("class", outer, outer.function, None, f"{outer.qualname}.{name}" if outer.qualname else name)
        cls = Class(node, name, context, scope)
        scope.cls = cls
        cls.bases.extend(arg.value for arg in node.bases if arg.star == "")
        cls.decorators.extend(item.decorator for item in node.decorators)
        self.classes.append(cls)
        self._bind(name, "class", cls, context)
        # A class body runs with its surroundings: loops around the class are loops around its statements.
        self._push(node, Context(scope, context.order, context.branch, context.loop), node.body)
        for arg in reversed((*node.bases, *node.keywords)):
            self._push(node, context, arg)
        for decorator in reversed(node.decorators):
            self.parents[id(decorator)] = node
            self._push(decorator, context, decorator.decorator)

    # Expressions

    def _on_attribute(self, node: cst.Attribute, context: Context) -> None:
        self._stack.append((node.value, node, context))

    def _on_arg(self, node: cst.Arg, context: Context) -> None:
        self._stack.append((node.value, node, context))

    def _on_call(self, node: cst.Call, context: Context) -> None:
        self.calls.append(node)
        self._stack.extend([(arg, node, context) for arg in reversed(node.args)])
        self._stack.append((node.func, node, context))

    def _on_leaf(self, node: cst.CSTNode, context: Context) -> None:
        pass

    def _on_comprehension(
        self, node: cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp, context: Context
    ) -> None:
        scope = Scope("comprehension", context.scope, context.scope.function, context.scope.cls, context.scope.qualname)
        inside = Context(scope, context.order, context.branch, context.loop)
        clause: cst.CompFor | None = node.for_in
        first = True
        pushed: list[tuple[cst.CSTNode, cst.CSTNode, Context]] = []
        while clause is not None:
            self.contexts[id(clause)] = inside
            self.parents[id(clause)] = node
            pushed.append((clause.iter, clause, context if first else inside))
            loop = Loop(clause, inside.loop, inside)
            self.loops.append(loop)
            inside = Context(scope, context.order, context.branch, loop)
            self.parents[id(clause.target)] = clause
            self._bind_target(clause.target, "loop", clause.iter, inside)
            pushed.extend((item.test, clause, inside) for item in clause.ifs)
            clause, first = clause.inner_for_in, False
        if isinstance(node, cst.DictComp):
            pushed += [(node.key, node, inside), (node.value, node, inside)]
        else:
            pushed.append((node.elt, node, inside))
        self._stack.extend(reversed(pushed))

    # Questions

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return the node that holds this one."""
        return self.parents.get(id(node))

    def context(self, node: cst.CSTNode) -> Context:
        """Return where a visited node is."""
        return self.contexts[id(node)]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes that hold this one, innermost first."""
        parents = self.parents
        current = parents.get(id(node))
        while current is not None:
            yield current
            current = parents.get(id(current))

    @functools.cached_property
    def calls_in_loops(self) -> dict[int, list[cst.Call]]:
        """By the `id` of a loop: the calls in it, those in loops within it included, in source order."""
        found: dict[int, list[cst.Call]] = defaultdict(list)
        for call in self.calls:
            loop = self.contexts[id(call)].loop
            while loop is not None:
                found[id(loop)].append(call)
                loop = loop.outer
        return found

    @property
    def is_script(self) -> bool:
        """Whether the module runs something by itself: it tests `__name__`."""
        return any(isinstance(self.parent(node), cst.Comparison) for node in self.loads.get("__name__", ()))

    def body(self, function: Function) -> list[cst.CSTNode]:
        """Return the nodes that run when a function runs, in source order; not those of functions defined in it."""
        found = self._bodies.get(id(function))
        if found is None:
            found = self._bodies[id(function)] = list(self._body(function))
        return found

    @staticmethod
    def _body(function: Function) -> Iterator[cst.CSTNode]:
        stack: list[cst.CSTNode] = [function.node.body]
        while stack:
            node = stack.pop()
            yield node
            kind = node.__class__
            if kind not in DEFINITIONS:
                if kind is not cst.Name:
                    stack.extend(reversed(_children[kind](node)))
            elif isinstance(node, (cst.FunctionDef, cst.ClassDef)):
                stack.extend(item.decorator for item in reversed(node.decorators))


def last_name(node: cst.CSTNode) -> str:
    """Return the last part of a dotted name, empty for anything else."""
    if type(node) is cst.Name:
        return node.value
    return node.attr.value if type(node) is cst.Attribute else ""


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


_HANDLERS: dict[type[cst.CSTNode], Callable[[Tree, Any, Context], None]] = {
    cst.SimpleStatementLine: Tree._on_line,
    cst.SimpleStatementSuite: Tree._on_line,
    cst.Expr: Tree._on_expr,
    cst.Assign: Tree._on_assign,
    cst.AnnAssign: Tree._on_ann_assign,
    cst.AugAssign: Tree._on_aug_assign,
    cst.NamedExpr: Tree._on_named_expr,
    cst.Import: Tree._on_import,
    cst.ImportFrom: Tree._on_import_from,
    cst.Global: Tree._on_global,
    cst.Nonlocal: Tree._on_nonlocal,
    cst.Return: Tree._on_return,
    cst.Yield: Tree._on_yield,
    cst.If: Tree._on_if,
    cst.Try: Tree._on_try,
    cst.TryStar: Tree._on_try,
    cst.ExceptHandler: Tree._on_except,
    cst.ExceptStarHandler: Tree._on_except,
    cst.With: Tree._on_with,
    cst.For: Tree._on_for,
    cst.While: Tree._on_while,
    cst.Match: Tree._on_match,
    cst.MatchAs: Tree._on_match_capture,
    cst.MatchStar: Tree._on_match_capture,
    cst.Del: Tree._on_del,
    cst.Assert: Tree._on_simple,
    cst.Raise: Tree._on_simple,
    cst.FunctionDef: Tree._on_function,
    cst.Lambda: Tree._on_lambda,
    cst.ClassDef: Tree._on_class,
    cst.Attribute: Tree._on_attribute,
    cst.Arg: Tree._on_arg,
    cst.Call: Tree._on_call,
    cst.ListComp: Tree._on_comprehension,
    cst.SetComp: Tree._on_comprehension,
    cst.DictComp: Tree._on_comprehension,
    cst.GeneratorExp: Tree._on_comprehension,
    cst.SimpleString: Tree._on_leaf,
    cst.Integer: Tree._on_leaf,
    cst.Float: Tree._on_leaf,
    cst.Pass: Tree._on_leaf,
    cst.Break: Tree._on_leaf,
    cst.Continue: Tree._on_leaf,
}
