"""LibCST nodes for a file, built from what Python's own parser says of it.

LibCST's parser takes some six times as long as `ast`, nearly all of it for whitespace that no fact asks for.  So a file
is parsed by `ast`, once for everything that asks about it, and its nodes are built here as LibCST's, with all that the
visitor walks over and without whitespace and parentheses.  Where a node is in the text `ast` knows exactly.

A file whose syntax the running Python does not know is parsed by LibCST itself (`jaxlint.facts.syntax.parsing`).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from jaxlint.source import Source


class UnknownSyntaxError(Exception):
    """A node of `ast` that this module does not know."""


DEEPEST = 1000
"""How deep code may be nested; Python's own limit on recursion lets little more pass."""


class TooDeepError(Exception):
    """Code is nested deeper than `DEEPEST`."""


def _build(kind: type[cst.CSTNode], *fields: str) -> Callable[..., Any]:
    """Return what makes a node of a kind from the values of these fields.

    LibCST's constructors check whitespace, which takes ten times as long as all else; the checks are skipped with it.
    """
    new = object.__new__
    setters = [getattr(kind, name).__set__ for name in fields]
    if len(setters) == 1:
        (only,) = setters

        def one(value: object) -> cst.CSTNode:
            node = new(kind)
            only(node, value)
            return node

        return one
    if len(setters) == 2:
        first, second = setters

        def two(value: object, other: object) -> cst.CSTNode:
            node = new(kind)
            first(node, value)
            second(node, other)
            return node

        return two

    if len(setters) == 3:
        begin, middle, end = setters

        def three(value: object, other: object, last: object) -> cst.CSTNode:
            node = new(kind)
            begin(node, value)
            middle(node, other)
            end(node, last)
            return node

        return three

    def build(*values: object) -> cst.CSTNode:
        node = new(kind)
        for setter, value in zip(setters, values, strict=True):
            setter(node, value)
        return node

    return build


_name = _build(cst.Name, "value")
_attribute = _build(cst.Attribute, "value", "attr")
_call = _build(cst.Call, "func", "args")
_arg = _build(cst.Arg, "value", "keyword", "star")
_subscript = _build(cst.Subscript, "value", "slice")
_subscript_element = _build(cst.SubscriptElement, "slice")
_index = _build(cst.Index, "value", "star")
_slice = _build(cst.Slice, "lower", "upper", "step")
_binary = _build(cst.BinaryOperation, "left", "operator", "right")
_boolean = _build(cst.BooleanOperation, "left", "operator", "right")
_unary = _build(cst.UnaryOperation, "operator", "expression")
_comparison = _build(cst.Comparison, "left", "comparisons")
_comparison_target = _build(cst.ComparisonTarget, "operator", "comparator")
_if_exp = _build(cst.IfExp, "test", "body", "orelse")
_lambda = _build(cst.Lambda, "params", "body")
_parameters = _build(
    cst.Parameters, "params", "star_arg", "kwonly_params", "star_kwarg", "posonly_params", "posonly_ind"
)
_param = _build(cst.Param, "name", "annotation", "default", "star")
_annotation = _build(cst.Annotation, "annotation")
_tuple = _build(cst.Tuple, "elements")
_list = _build(cst.List, "elements")
_set = _build(cst.Set, "elements")
_element = _build(cst.Element, "value")
_starred = _build(cst.StarredElement, "value")
_dict = _build(cst.Dict, "elements")
_dict_element = _build(cst.DictElement, "key", "value")
_starred_dict = _build(cst.StarredDictElement, "value")
_list_comp = _build(cst.ListComp, "elt", "for_in")
_set_comp = _build(cst.SetComp, "elt", "for_in")
_generator = _build(cst.GeneratorExp, "elt", "for_in")
_dict_comp = _build(cst.DictComp, "key", "value", "for_in")
_comp_for = _build(cst.CompFor, "target", "iter", "ifs", "inner_for_in", "asynchronous")
_comp_if = _build(cst.CompIf, "test")
_await = _build(cst.Await, "expression")
_yield = _build(cst.Yield, "value")
_from = _build(cst.From, "item")
_named = _build(cst.NamedExpr, "target", "value")
_string = _build(cst.SimpleString, "value")
_integer = _build(cst.Integer, "value")
_float = _build(cst.Float, "value")
_imaginary = _build(cst.Imaginary, "value")
_ellipsis = _build(cst.Ellipsis)
_formatted = _build(cst.FormattedString, "parts", "start", "end")
_formatted_text = _build(cst.FormattedStringText, "value")
_formatted_expression = _build(cst.FormattedStringExpression, "expression", "format_spec", "conversion", "equal")

_module = _build(cst.Module, "body")
_line = _build(cst.SimpleStatementLine, "body")
_suite = _build(cst.SimpleStatementSuite, "body")
_block = _build(cst.IndentedBlock, "body")
_expr = _build(cst.Expr, "value")
_assign = _build(cst.Assign, "targets", "value")
_assign_target = _build(cst.AssignTarget, "target")
_ann_assign = _build(cst.AnnAssign, "target", "annotation", "value")
_aug_assign = _build(cst.AugAssign, "target", "operator", "value")
_return = _build(cst.Return, "value")
_del = _build(cst.Del, "target")
_raise = _build(cst.Raise, "exc", "cause")
_assert = _build(cst.Assert, "test", "msg")
_import = _build(cst.Import, "names")
_import_from = _build(cst.ImportFrom, "module", "names", "relative")
_import_alias = _build(cst.ImportAlias, "name", "asname")
_as_name = _build(cst.AsName, "name")
_type_alias = _build(cst.TypeAlias, "name", "value")
_global = _build(cst.Global, "names")
_nonlocal = _build(cst.Nonlocal, "names")
_name_item = _build(cst.NameItem, "name")
_function = _build(cst.FunctionDef, "name", "params", "body", "decorators", "returns", "asynchronous")
_class = _build(cst.ClassDef, "name", "body", "bases", "keywords", "decorators")
_decorator = _build(cst.Decorator, "decorator")
_if = _build(cst.If, "test", "body", "orelse")
_else = _build(cst.Else, "body")
_for = _build(cst.For, "target", "iter", "body", "orelse", "asynchronous")
_while = _build(cst.While, "test", "body", "orelse")
_with = _build(cst.With, "items", "body", "asynchronous")
_with_item = _build(cst.WithItem, "item", "asname")
_finally = _build(cst.Finally, "body")
_match = _build(cst.Match, "subject", "cases")
_match_case = _build(cst.MatchCase, "pattern", "guard", "body")
_match_value = _build(cst.MatchValue, "value")
_match_singleton = _build(cst.MatchSingleton, "value")
_match_list = _build(cst.MatchList, "patterns")
_match_element = _build(cst.MatchSequenceElement, "value")
_match_star = _build(cst.MatchStar, "name")
_match_mapping = _build(cst.MatchMapping, "elements", "rest")
_match_mapping_element = _build(cst.MatchMappingElement, "key", "pattern")
_match_class = _build(cst.MatchClass, "cls", "patterns", "kwds")
_match_keyword = _build(cst.MatchKeywordElement, "key", "pattern")
_match_as = _build(cst.MatchAs, "pattern", "name")
_match_or = _build(cst.MatchOr, "patterns")
_match_or_element = _build(cst.MatchOrElement, "pattern")
_PASS, _BREAK, _CONTINUE = (_build(kind) for kind in (cst.Pass, cst.Break, cst.Continue))

_OPERATORS: dict[type[ast.AST], cst.CSTNode] = {
    ast.Add: cst.Add(),
    ast.Sub: cst.Subtract(),
    ast.Mult: cst.Multiply(),
    ast.Div: cst.Divide(),
    ast.FloorDiv: cst.FloorDivide(),
    ast.Mod: cst.Modulo(),
    ast.Pow: cst.Power(),
    ast.MatMult: cst.MatrixMultiply(),
    ast.LShift: cst.LeftShift(),
    ast.RShift: cst.RightShift(),
    ast.BitOr: cst.BitOr(),
    ast.BitXor: cst.BitXor(),
    ast.BitAnd: cst.BitAnd(),
    ast.And: cst.And(),
    ast.Or: cst.Or(),
    ast.Not: cst.Not(),
    ast.UAdd: cst.Plus(),
    ast.USub: cst.Minus(),
    ast.Invert: cst.BitInvert(),
    ast.Eq: cst.Equal(),
    ast.NotEq: cst.NotEqual(),
    ast.Lt: cst.LessThan(),
    ast.LtE: cst.LessThanEqual(),
    ast.Gt: cst.GreaterThan(),
    ast.GtE: cst.GreaterThanEqual(),
    ast.Is: cst.Is(),
    ast.IsNot: cst.IsNot(),
    ast.In: cst.In(),
    ast.NotIn: cst.NotIn(),
}
_ASSIGNING: dict[type[ast.AST], cst.CSTNode] = {
    ast.Add: cst.AddAssign(),
    ast.Sub: cst.SubtractAssign(),
    ast.Mult: cst.MultiplyAssign(),
    ast.Div: cst.DivideAssign(),
    ast.FloorDiv: cst.FloorDivideAssign(),
    ast.Mod: cst.ModuloAssign(),
    ast.Pow: cst.PowerAssign(),
    ast.MatMult: cst.MatrixMultiplyAssign(),
    ast.LShift: cst.LeftShiftAssign(),
    ast.RShift: cst.RightShiftAssign(),
    ast.BitOr: cst.BitOrAssign(),
    ast.BitXor: cst.BitXorAssign(),
    ast.BitAnd: cst.BitAndAssign(),
}
"""Operators are shared: nothing asks where they are."""

_new, _NAME, _set_name = object.__new__, cst.Name, vars(cst.Name)["value"].__set__
_ASYNC = cst.Asynchronous()
_DOT = cst.Dot()
_STAR = cst.ImportStar()
_BARE_STAR = cst.ParamStar()
_NO_STAR = cst.MaybeSentinel.DEFAULT
_COMPOUND = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor, ast.While),
    *(ast.With, ast.AsyncWith, ast.Try, ast.Match),
    *((ast.TryStar,) if hasattr(ast, "TryStar") else ()),
)


class Builder:
    """Builds the nodes of one file.

    Attributes:
        origins: for the `id` of each node that has one, the node of `ast` that says where it is.  The name of an
            attribute, a parameter, an argument or a definition has that of what it names.
    """

    def __init__(self, source: Source) -> None:
        self.origins: dict[int, ast.AST] = {}
        self._text = source.text
        self._starts = source.line_starts
        self._depth = 0
        self._string: ast.AST | None = None

    def module(self, tree: ast.Module) -> cst.Module:
        """Return the nodes of a file.

        Raises:
            UnknownSyntaxError: the tree holds a node that this module does not know.
            TooDeepError: the code is nested deeper than `DEEPEST`.
        """
        module: cst.Module = _module(self._statements(tree.body))
        return module

    def _at(self, node: Any, origin: ast.AST) -> Any:
        self.origins[id(node)] = self._string or origin
        return node

    # Statements

    def _statements(self, body: list[ast.stmt]) -> list[cst.CSTNode]:
        """Return statements; simple ones that share a line are one statement to LibCST."""
        found: list[cst.CSTNode] = []
        small: list[cst.CSTNode] = []
        last = 0
        for node in body:
            if isinstance(node, _COMPOUND):
                found.append(self._node(node))
                last = 0
                continue
            if node.lineno == last:
                small.append(self._node(node))
            else:
                small = [self._node(node)]
                found.append(_line(small))
            last = node.end_lineno or 0
        return found

    def _body(self, body: list[ast.stmt]) -> cst.CSTNode:
        first = body[0]
        start = self._starts[first.lineno - 1]
        made: cst.CSTNode
        if isinstance(first, _COMPOUND) or self._text[start : start + first.col_offset].isspace():
            made = _block(self._statements(body))
        else:
            made = _suite([self._node(node) for node in body])
        return made

    def _node(self, node: Any) -> Any:
        kind = node.__class__
        if kind is ast.Name:
            made = _new(_NAME)
            _set_name(made, node.id)
            self.origins[id(made)] = self._string or node
            return made
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise UnknownSyntaxError(kind.__name__)
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeepError
        made = handler(self, node)
        self._depth -= 1
        self.origins[id(made)] = self._string or node
        return made

    def _maybe(self, node: Any) -> Any:
        return None if node is None else self._node(node)

    def _on_expr(self, node: ast.Expr) -> Any:
        return _expr(self._node(node.value))

    def _on_assign(self, node: ast.Assign) -> Any:
        targets = [self._at(_assign_target(self._node(target)), target) for target in node.targets]
        return _assign(targets, self._node(node.value))

    def _on_ann_assign(self, node: ast.AnnAssign) -> Any:
        return _ann_assign(self._node(node.target), self._annotated(node.annotation), self._maybe(node.value))

    def _annotated(self, node: ast.expr | None) -> Any:
        return None if node is None else self._at(_annotation(self._node(node)), node)

    def _on_aug_assign(self, node: ast.AugAssign) -> Any:
        return _aug_assign(self._node(node.target), _ASSIGNING[node.op.__class__], self._node(node.value))

    def _on_return(self, node: ast.Return) -> Any:
        return _return(self._maybe(node.value))

    def _on_delete(self, node: ast.Delete) -> Any:
        if len(node.targets) == 1:
            return _del(self._node(node.targets[0]))
        return _del(_tuple([_element(self._node(target)) for target in node.targets]))

    def _on_raise(self, node: ast.Raise) -> Any:
        return _raise(self._maybe(node.exc), self._from(node.cause))

    def _from(self, node: ast.expr | None) -> Any:
        return None if node is None else self._at(_from(self._node(node)), node)

    def _on_assert(self, node: ast.Assert) -> Any:
        return _assert(self._node(node.test), self._maybe(node.msg))

    def _on_import(self, node: ast.Import) -> Any:
        return _import([self._alias(alias) for alias in node.names])

    def _on_import_from(self, node: ast.ImportFrom) -> Any:
        module = None if node.module is None else self._dotted(node.module, node)
        star = len(node.names) == 1 and node.names[0].name == "*"
        names = _STAR if star else [self._alias(alias) for alias in node.names]
        return _import_from(module, names, (_DOT,) * node.level)

    def _alias(self, node: ast.alias) -> Any:
        asname = None if node.asname is None else _as_name(self._at(_name(node.asname), node))
        return self._at(_import_alias(self._dotted(node.name, node), asname), node)

    def _dotted(self, name: str, origin: ast.AST) -> Any:
        first, *rest = name.split(".")
        made = self._at(_name(first), origin)
        for part in rest:
            made = self._at(_attribute(made, self._at(_name(part), origin)), origin)
        return made

    def _on_global(self, node: ast.Global) -> Any:
        return _global([_name_item(self._at(_name(name), node)) for name in node.names])

    def _on_nonlocal(self, node: ast.Nonlocal) -> Any:
        return _nonlocal([_name_item(self._at(_name(name), node)) for name in node.names])

    def _on_pass(self, _: ast.Pass) -> Any:
        return _PASS()

    def _on_break(self, _: ast.Break) -> Any:
        return _BREAK()

    def _on_continue(self, _: ast.Continue) -> Any:
        return _CONTINUE()

    def _on_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        asynchronous = _ASYNC if node.__class__ is ast.AsyncFunctionDef else None
        return _function(
            self._at(_name(node.name), node),
            self._arguments(node.args),
            self._body(node.body),
            self._decorators(node.decorator_list),
            self._annotated(node.returns),
            asynchronous,
        )

    def _on_class(self, node: ast.ClassDef) -> Any:
        bases = [self._argument(base) for base in node.bases]
        keywords = [self._keyword(keyword) for keyword in node.keywords]
        decorators = self._decorators(node.decorator_list)
        return _class(self._at(_name(node.name), node), self._body(node.body), bases, keywords, decorators)

    def _decorators(self, nodes: list[ast.expr]) -> list[cst.CSTNode]:
        return [self._at(_decorator(self._node(node)), node) for node in nodes]

    def _arguments(self, node: ast.arguments) -> Any:
        plain = [*node.posonlyargs, *node.args]
        defaults = [*(None,) * (len(plain) - len(node.defaults)), *node.defaults]
        made = [self._parameter(arg, default) for arg, default in zip(plain, defaults, strict=True)]
        first = len(node.posonlyargs)
        star: Any = _NO_STAR
        if node.vararg is not None:
            star = self._parameter(node.vararg, None, "*")
        elif node.kwonlyargs:
            star = _BARE_STAR
        named = [self._parameter(arg, default) for arg, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        rest = None if node.kwarg is None else self._parameter(node.kwarg, None, "**")
        return _parameters(made[first:], star, named, rest, made[:first], _NO_STAR)

    def _parameter(self, node: ast.arg, default: ast.expr | None, star: str = "") -> Any:
        name = self._at(_name(node.arg), node)
        return self._at(_param(name, self._annotated(node.annotation), self._maybe(default), star), node)

    def _on_if(self, node: ast.If) -> Any:
        return _if(self._node(node.test), self._body(node.body), self._orelse(node.orelse))

    def _orelse(self, body: list[ast.stmt]) -> Any:
        if not body:
            return None
        first = body[0]
        # An `elif` has nothing but white space before it, of which each character is one byte.
        if self._text.startswith("elif", self._starts[first.lineno - 1] + first.col_offset):
            return self._node(first)
        return _else(self._body(body))

    def _on_for(self, node: ast.For | ast.AsyncFor) -> Any:
        return _for(
            self._node(node.target),
            self._node(node.iter),
            self._body(node.body),
            self._orelse(node.orelse),
            _ASYNC if node.__class__ is ast.AsyncFor else None,
        )

    def _on_while(self, node: ast.While) -> Any:
        return _while(self._node(node.test), self._body(node.body), self._orelse(node.orelse))

    def _on_with(self, node: ast.With | ast.AsyncWith) -> Any:
        items = [self._with_item(item) for item in node.items]
        return _with(items, self._body(node.body), _ASYNC if node.__class__ is ast.AsyncWith else None)

    def _with_item(self, node: ast.withitem) -> Any:
        asname = None if node.optional_vars is None else _as_name(self._node(node.optional_vars))
        return self._at(_with_item(self._node(node.context_expr), asname), node.context_expr)

    def _on_try(self, node: Any) -> Any:
        star = node.__class__ is not ast.Try
        handlers = [self._handler(handler, star=star) for handler in node.handlers]
        final = _finally(self._body(node.finalbody)) if node.finalbody else None
        build = _try_star if star else _try
        return build(self._body(node.body), handlers, self._orelse(node.orelse), final)

    def _handler(self, node: ast.ExceptHandler, *, star: bool) -> Any:
        name = None if node.name is None else _as_name(self._at(_name(node.name), node))
        build = _handler_star if star else _handler
        return self._at(build(self._body(node.body), self._maybe(node.type), name), node)

    def _on_match(self, node: ast.Match) -> Any:
        return _match(self._node(node.subject), [self._case(case) for case in node.cases])

    def _case(self, node: ast.match_case) -> Any:
        made = _match_case(self._node(node.pattern), self._maybe(node.guard), self._body(node.body))
        return self._at(made, node.pattern)

    def _on_match_value(self, node: ast.MatchValue) -> Any:
        return _match_value(self._node(node.value))

    def _on_match_singleton(self, node: ast.MatchSingleton) -> Any:
        return _match_singleton(self._at(_name(str(node.value)), node))

    def _on_match_sequence(self, node: ast.MatchSequence) -> Any:
        return _match_list([self._pattern_element(pattern) for pattern in node.patterns])

    def _pattern_element(self, node: ast.pattern) -> Any:
        made = self._node(node)
        return made if isinstance(node, ast.MatchStar) else self._at(_match_element(made), node)

    def _on_match_star(self, node: ast.MatchStar) -> Any:
        return _match_star(None if node.name is None else self._at(_name(node.name), node))

    def _on_match_mapping(self, node: ast.MatchMapping) -> Any:
        elements = [
            self._at(_match_mapping_element(self._node(key), self._node(pattern)), pattern)
            for key, pattern in zip(node.keys, node.patterns, strict=True)
        ]
        return _match_mapping(elements, None if node.rest is None else self._at(_name(node.rest), node))

    def _on_match_class(self, node: ast.MatchClass) -> Any:
        patterns = [self._pattern_element(pattern) for pattern in node.patterns]
        named = [
            self._at(_match_keyword(self._at(_name(key), pattern), self._node(pattern)), pattern)
            for key, pattern in zip(node.kwd_attrs, node.kwd_patterns, strict=True)
        ]
        return _match_class(self._node(node.cls), patterns, named)

    def _on_match_as(self, node: ast.MatchAs) -> Any:
        return _match_as(self._maybe(node.pattern), None if node.name is None else self._at(_name(node.name), node))

    def _on_match_or(self, node: ast.MatchOr) -> Any:
        return _match_or([self._at(_match_or_element(self._node(pattern)), pattern) for pattern in node.patterns])

    # Expressions

    def _on_attribute(self, node: ast.Attribute) -> Any:
        attr = _name(node.attr)
        self.origins[id(attr)] = node
        return _attribute(self._node(node.value), attr)

    def _on_call(self, node: ast.Call) -> Any:
        args = [self._argument(arg) for arg in node.args]
        if node.keywords:
            args.extend(self._keyword(keyword) for keyword in node.keywords)
            if any(arg.__class__ is ast.Starred for arg in node.args):
                # Positional arguments with a star may follow a keyword.
                args.sort(key=lambda arg: _start(self.origins[id(arg)]))
        return _call(self._node(node.func), args)

    def _argument(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Starred):
            return self._at(_arg(self._node(node.value), None, "*"), node)
        return self._at(_arg(self._node(node), None, ""), node)

    def _keyword(self, node: ast.keyword) -> Any:
        if node.arg is None:
            return self._at(_arg(self._node(node.value), None, "**"), node)
        return self._at(_arg(self._node(node.value), self._at(_name(node.arg), node), ""), node)

    def _on_subscript(self, node: ast.Subscript) -> Any:
        inner = node.slice
        parts = [inner]
        if isinstance(inner, ast.Tuple) and inner.elts and not self._has_parentheses(inner):
            parts = inner.elts
        return _subscript(self._node(node.value), [self._slice_element(part) for part in parts])

    def _slice_element(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            made = _slice(self._maybe(node.lower), self._maybe(node.upper), self._maybe(node.step))
        elif isinstance(node, ast.Starred):
            made = _index(self._node(node.value), "*")
        else:
            made = _index(self._node(node), None)
        return self._at(_subscript_element(self._at(made, node)), node)

    def _has_parentheses(self, node: ast.Tuple) -> bool:
        """Whether a tuple in a subscript has parentheses of its own: `x[(1, 2)]` and not `x[(1), (2)]`."""
        code = text_of(self._text, self._starts, node)
        if not code.startswith("("):
            return False
        try:
            inner = ast.parse(f"[{code}]", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return True
        # In brackets a tuple with parentheses is one element, and one without is several.
        return isinstance(inner, ast.List) and len(inner.elts) == 1 and isinstance(inner.elts[0], ast.Tuple)

    def _on_binary(self, node: ast.BinOp) -> Any:
        return _binary(self._node(node.left), _OPERATORS[node.op.__class__], self._node(node.right))

    def _on_boolean(self, node: ast.BoolOp) -> Any:
        return self._joined([self._node(value) for value in node.values], _OPERATORS[node.op.__class__])

    def _joined(self, values: list[Any], operator: cst.CSTNode) -> Any:
        """Join operands that are side by side for `ast`: as LibCST does, or in halves where they are many."""
        if len(values) > _SIDE_BY_SIDE:
            half = len(values) // 2
            return _boolean(self._joined(values[:half], operator), operator, self._joined(values[half:], operator))
        made = values[0]
        for value in values[1:]:
            made = _boolean(made, operator, value)
        return made

    def _on_unary(self, node: ast.UnaryOp) -> Any:
        return _unary(_OPERATORS[node.op.__class__], self._node(node.operand))

    def _on_compare(self, node: ast.Compare) -> Any:
        targets = [
            self._at(_comparison_target(_OPERATORS[operator.__class__], self._node(other)), other)
            for operator, other in zip(node.ops, node.comparators, strict=True)
        ]
        return _comparison(self._node(node.left), targets)

    def _on_if_exp(self, node: ast.IfExp) -> Any:
        return _if_exp(self._node(node.test), self._node(node.body), self._node(node.orelse))

    def _on_lambda(self, node: ast.Lambda) -> Any:
        return _lambda(self._arguments(node.args), self._node(node.body))

    def _on_tuple(self, node: ast.Tuple) -> Any:
        return _tuple([self._element(part) for part in node.elts])

    def _on_list(self, node: ast.List) -> Any:
        return _list([self._element(part) for part in node.elts])

    def _on_set(self, node: ast.Set) -> Any:
        return _set([self._element(part) for part in node.elts])

    def _element(self, node: ast.expr) -> Any:
        made = _starred(self._node(node.value)) if isinstance(node, ast.Starred) else _element(self._node(node))
        self.origins[id(made)] = node
        return made

    def _on_starred(self, node: ast.Starred) -> Any:
        return _starred(self._node(node.value))

    def _on_dict(self, node: ast.Dict) -> Any:
        return _dict([self._dict_element(key, value) for key, value in zip(node.keys, node.values, strict=True)])

    def _dict_element(self, key: ast.expr | None, value: ast.expr) -> Any:
        if key is None:
            return self._at(_starred_dict(self._node(value)), value)
        return self._at(_dict_element(self._node(key), self._node(value)), value)

    def _on_list_comp(self, node: ast.ListComp) -> Any:
        return _list_comp(self._node(node.elt), self._clauses(node.generators))

    def _on_set_comp(self, node: ast.SetComp) -> Any:
        return _set_comp(self._node(node.elt), self._clauses(node.generators))

    def _on_generator(self, node: ast.GeneratorExp) -> Any:
        return _generator(self._node(node.elt), self._clauses(node.generators))

    def _on_dict_comp(self, node: ast.DictComp) -> Any:
        return _dict_comp(self._node(node.key), self._node(node.value), self._clauses(node.generators))

    def _clauses(self, nodes: list[ast.comprehension]) -> Any:
        made = None
        for node in reversed(nodes):
            tests = [self._at(_comp_if(self._node(test)), test) for test in node.ifs]
            target, iterable = self._node(node.target), self._node(node.iter)
            made = self._at(_comp_for(target, iterable, tests, made, _ASYNC if node.is_async else None), node)
        return made

    def _on_await(self, node: ast.Await) -> Any:
        return _await(self._node(node.value))

    def _on_yield(self, node: ast.Yield) -> Any:
        return _yield(self._maybe(node.value))

    def _on_yield_from(self, node: ast.YieldFrom) -> Any:
        return _yield(self._from(node.value))

    def _on_named(self, node: ast.NamedExpr) -> Any:
        return _named(self._node(node.target), self._node(node.value))

    def _on_constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, (str, bytes)):
            return _string(repr(value))
        if value is None or isinstance(value, bool):
            return _name(str(value))
        if value is ...:
            return _ellipsis()
        if isinstance(value, int):
            return _integer(hex(value) if value > _LONG else repr(value))
        text = repr(value).replace("inf", "1e999")
        return _float(text) if isinstance(value, float) else _imaginary(text)

    def _on_formatted(self, node: Any) -> Any:
        outer = self._string
        if not _PLACES_IN_STRINGS and outer is None:
            self._string = node
        made = _formatted(self._parts(node.values), 'f"', '"')
        self._string = outer
        return made

    def _on_type_alias(self, node: Any) -> Any:
        return _type_alias(self._node(node.name), self._node(node.value))

    def _parts(self, nodes: list[ast.expr]) -> list[cst.CSTNode]:
        return [self._part(node) for node in nodes]

    def _part(self, node: ast.expr) -> Any:
        if isinstance(node, _INTERPOLATIONS):
            spec = node.format_spec
            inner = self._parts(spec.values) if isinstance(spec, ast.JoinedStr) else None
            return self._at(_formatted_expression(self._node(node.value), inner, None, None), node)
        if isinstance(node, ast.Constant):
            return self._at(_formatted_text(str(node.value)), node)
        return self._at(_formatted_expression(self._node(node), None, None, None), node)


_PLACES_IN_STRINGS = sys.version_info >= (3, 12)
"""Whether `ast` knows where the expressions in an f-string are; where it does not, they are where the string is."""

_INTERPOLATIONS: Any = (ast.FormattedValue, *((ast.Interpolation,) if hasattr(ast, "Interpolation") else ()))

_SIDE_BY_SIDE = 64
"""How many operands of `and` may be nested; more are none that somebody wrote."""

_LONG = 10**18
"""Python writes longer numbers in decimal only up to a limit."""

_handler = _build(cst.ExceptHandler, "body", "type", "name")
_handler_star = _build(cst.ExceptStarHandler, "body", "type", "name")
_try = _build(cst.Try, "body", "handlers", "orelse", "finalbody")
_try_star = _build(cst.TryStar, "body", "handlers", "orelse", "finalbody")


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def text_of(text: str, starts: Sequence[int], node: ast.AST) -> str:
    """Return the text of a node as it is written; `starts` are the offsets at which lines start."""
    begin = offset(text, starts, node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return text[begin : offset(text, starts, node.end_lineno, node.end_col_offset)]  # type: ignore[attr-defined]


def offset(text: str, starts: Sequence[int], row: int, column: int) -> int:
    """Return the offset of a place that `ast` gives: the line 1-based, the column 0-based in bytes of UTF-8."""
    start = starts[row - 1]
    if text.isascii():  # which Python remembers: looking at the line itself would take as long as the line is
        return start + column
    before = text[start : start + column]
    if not before.isascii():
        column = len(before.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
    return start + column


_HANDLERS: dict[type[ast.AST], Callable[[Builder, Any], Any]] = {
    ast.Expr: Builder._on_expr,
    ast.Assign: Builder._on_assign,
    ast.AnnAssign: Builder._on_ann_assign,
    ast.AugAssign: Builder._on_aug_assign,
    ast.Return: Builder._on_return,
    ast.Delete: Builder._on_delete,
    ast.Raise: Builder._on_raise,
    ast.Assert: Builder._on_assert,
    ast.Import: Builder._on_import,
    ast.ImportFrom: Builder._on_import_from,
    ast.Global: Builder._on_global,
    ast.Nonlocal: Builder._on_nonlocal,
    ast.Pass: Builder._on_pass,
    ast.Break: Builder._on_break,
    ast.Continue: Builder._on_continue,
    ast.FunctionDef: Builder._on_function,
    ast.AsyncFunctionDef: Builder._on_function,
    ast.ClassDef: Builder._on_class,
    ast.If: Builder._on_if,
    ast.For: Builder._on_for,
    ast.AsyncFor: Builder._on_for,
    ast.While: Builder._on_while,
    ast.With: Builder._on_with,
    ast.AsyncWith: Builder._on_with,
    ast.Try: Builder._on_try,
    **({ast.TryStar: Builder._on_try} if hasattr(ast, "TryStar") else {}),
    ast.Match: Builder._on_match,
    ast.MatchValue: Builder._on_match_value,
    ast.MatchSingleton: Builder._on_match_singleton,
    ast.MatchSequence: Builder._on_match_sequence,
    ast.MatchStar: Builder._on_match_star,
    ast.MatchMapping: Builder._on_match_mapping,
    ast.MatchClass: Builder._on_match_class,
    ast.MatchAs: Builder._on_match_as,
    ast.MatchOr: Builder._on_match_or,
    ast.Attribute: Builder._on_attribute,
    ast.Call: Builder._on_call,
    ast.Subscript: Builder._on_subscript,
    ast.BinOp: Builder._on_binary,
    ast.BoolOp: Builder._on_boolean,
    ast.UnaryOp: Builder._on_unary,
    ast.Compare: Builder._on_compare,
    ast.IfExp: Builder._on_if_exp,
    ast.Lambda: Builder._on_lambda,
    ast.Tuple: Builder._on_tuple,
    ast.List: Builder._on_list,
    ast.Set: Builder._on_set,
    ast.Starred: Builder._on_starred,
    ast.Dict: Builder._on_dict,
    ast.ListComp: Builder._on_list_comp,
    ast.SetComp: Builder._on_set_comp,
    ast.GeneratorExp: Builder._on_generator,
    ast.DictComp: Builder._on_dict_comp,
    ast.Await: Builder._on_await,
    ast.Yield: Builder._on_yield,
    ast.YieldFrom: Builder._on_yield_from,
    ast.NamedExpr: Builder._on_named,
    ast.Constant: Builder._on_constant,
    ast.JoinedStr: Builder._on_formatted,
}
if hasattr(ast, "TypeAlias"):
    _HANDLERS[ast.TypeAlias] = Builder._on_type_alias
if hasattr(ast, "TemplateStr"):
    _HANDLERS[ast.TemplateStr] = Builder._on_formatted
