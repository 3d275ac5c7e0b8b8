"""Nothing is evaluated at import that was evaluated later, but what cannot raise, cannot differ and makes no array."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from jaxlint.facts.jax_api.wrappers import table
from jaxlint.fixes.checks import known
from jaxlint.fixes.moved_code.captures import dotted, is_constant
from jaxlint.fixes.text.scopes import DEFS, all_arguments, scopes_of
from jaxlint.fixes.text.syntax import Syntax

if TYPE_CHECKING:
    from jaxlint.facts.jax_api.wrappers import Wrapper
    from jaxlint.fixes.checks.change import Change

_CONDITIONS = (ast.If, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Match)
_TRIES = (ast.Try, ast.TryStar)
_WITHS = (ast.With, ast.AsyncWith)
_FAKES = frozenset({"fake_jit", "fake_pmap", "fake_pmap_and_jit"})
"""Names of what replaces wrappers for a while."""
_QUIET_MANAGERS = ("jax.", "contextlib.nullcontext", "contextlib.suppress", "time.", "numpy.")
_WITHOUT_EFFECT = frozenset({"range", "tuple", "frozenset", "slice"})
_NAMES = ("static_argnames", "donate_argnames")
_NUMBERS = ("static_argnums", "donate_argnums", "static_broadcasted_argnums", "nondiff_argnums")
_OPTIONS = {
    "jax.jit": (*_NAMES, *_NUMBERS[:2], "keep_unused", "inline"),
    "equinox.filter_jit": ("donate",),
    "jax.pmap": ("axis_name", "static_broadcasted_argnums", "donate_argnums", "in_axes", "out_axes"),
    "jax.vmap": ("in_axes", "out_axes", "axis_name", "axis_size"),
    "equinox.filter_vmap": ("in_axes", "out_axes", "axis_name", "axis_size"),
    "jax.checkpoint": ("prevent_cse", "static_argnums"),
    "jax.named_call": ("name",),
    "jax.numpy.vectorize": ("signature", "excluded"),
}
"""The options of wrappers that are read when the wrapper is called, and can be judged by their text."""
_OF_DERIVATIVES = ("argnums", "has_aux", "holomorphic", "allow_int", "reduce_axes")
_DERIVATIVES = ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "filter_grad", "filter_value_and_grad")
_CUSTOM = ("jax.custom_", "equinox.filter_custom_", "flax.nnx.custom_", "jax.experimental.checkify")
"""Wrappers whose functions get their rules later, or that are still to settle."""


def reason(change: Change) -> str:
    """Say what is evaluated at import after a fix that may not be; empty where there is nothing."""
    if not change.inserted and not change.decorated:
        return ""
    check = _AtImport(change)
    return check.of_place() or check.of_statements() or check.of_decorators()


class _AtImport:
    def __init__(self, change: Change) -> None:
        self._change = change
        self._syntax = change.syntax
        self._scopes = change.scopes
        self._functions = {node.name: node for node in change.inserted if isinstance(node, DEFS)}
        self._imports = imports_of(change.inserted)
        self._own = (
            set(self._functions)
            | set(self._imports)
            | {
                node.targets[0].id
                for node in change.inserted
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            }
        )

    # Where it was evaluated

    def of_place(self) -> str:
        """Say under what the code was evaluated that may make a difference."""
        if not self._change.inserted:
            return ""
        for node in (self._change.place, *self._change.gone):
            for around in self._syntax.around(node) if node is not None else ():
                if isinstance(around, _TRIES):
                    return "what it makes was made in a `try`"
                if isinstance(around, _WITHS) and not all(self._is_quiet(item) for item in around.items):
                    return f"what it makes was made in `with {ast.unparse(around.items[0])}`"
        return ""

    def _is_quiet(self, item: ast.withitem) -> bool:
        """Whether a context manager replaces nothing that the code reads, and stops no exception."""
        node = item.context_expr
        func = node.func if isinstance(node, ast.Call) else node
        if isinstance(node, ast.Name):
            scope = self._scopes.binder(node.id, self._scopes.of(node))
            bindings = self._scopes.bindings(node.id, scope) if scope is not None else []
            parent = self._syntax.parents.get(bindings[0]) if len(bindings) == 1 else None
            func = parent.value.func if isinstance(parent, ast.Assign) and isinstance(parent.value, ast.Call) else node
        name = dotted(self._scopes, func)
        if name == "contextlib.suppress":
            return False
        return name.startswith(_QUIET_MANAGERS) or (isinstance(func, ast.Name) and func.id == "open")

    # What is evaluated

    def of_statements(self) -> str:
        return next((found for node in self._change.inserted if (found := self._of_statement(node))), "")

    def of_decorators(self) -> str:
        for function, decorators in self._change.decorated:
            for decorator in decorators:
                if found := self._of_decorator(decorator, function):
                    return found
        return ""

    def _of_statement(self, node: ast.stmt) -> str:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return ""
        if isinstance(node, ast.FunctionDef):
            return self._of_definition(node)
        if isinstance(node, ast.Assign):
            return self.of(node.value)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return ""
        return f"`{_short(node)}` is evaluated when the module is imported"

    def _of_definition(self, node: ast.FunctionDef) -> str:
        for decorator in node.decorator_list:
            if found := self._of_decorator(decorator, node):
                return found
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None and (found := self.of(default)):
                return found
        if self._syntax.annotations_later:
            return ""
        annotations = [argument.annotation for argument in all_arguments(node.args)]
        return next((r for a in (*annotations, node.returns) if a is not None and (r := self._annotation(a))), "")

    def _of_decorator(self, node: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Say what is wrong with a decorator of a function."""
        if isinstance(node, ast.Call):
            row = self._wrapper(node.func)
            if row is not None and row.kind == "partial" and node.args:
                inner = self._wrapper(node.args[0])
                rest = node.args[1:]
            else:
                inner, rest = row, node.args
            if inner is not None and inner.makes_callable and not rest:
                return self._options(inner, node, [], function)
        row = self._wrapper(node)
        if row is None or not row.makes_callable or row.kind == "partial":
            return f"nothing shows that `{_short(node)}` remembers nothing"
        return self._custom(row) or self._name_or_attribute(node)

    def of(self, node: ast.expr) -> str:
        """Say what is wrong with evaluating an expression at import; empty where nothing is."""
        if is_constant(node):
            return ""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._name_or_attribute(node)
        if isinstance(node, ast.Tuple):
            return self._first(node.elts)
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand) if not isinstance(node.op, ast.Not) else self._refused(node)
        if isinstance(node, ast.BinOp) and _is_arithmetic(node):
            return ""
        if isinstance(node, ast.Lambda):
            return self._first([d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None])
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._refused(node)

    def _first(self, nodes: Iterable[ast.expr]) -> str:
        return next((found for node in nodes if (found := self.of(node))), "")

    def _refused(self, node: ast.AST) -> str:
        return f"`{_short(node)}` is evaluated when the module is imported"

    # Names

    def _name_or_attribute(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._name(node.id)
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return self._refused(node)
        if found := self._name(root.id):
            return found
        name = self._dotted(node)
        row = self._rows.get(name)
        if row is not None or known.exists(name) or name in attributes_at_import(self._syntax):
            return ""
        return f"`{_short(node)}` may not be there yet when the module is imported"

    def _name(self, name: str) -> str:
        if name in self._own:
            return ""
        bindings = self._scopes.bindings(name, self._scopes.module)
        if not bindings:
            return "" if hasattr(builtins, name) else f"`{name}` is not visible"
        for node in bindings:
            around = next((n for n in (node, *self._syntax.around(node)) if isinstance(n, (*_CONDITIONS, *DEFS))), None)
            if around is not None and around is not node:
                return f"`{name}` is bound under a condition"
        return ""

    def _dotted(self, node: ast.expr) -> str:
        """Return the full dotted name of something imported, by the names of the module."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        base = self._imports.get(node.id) or imported_as(self._syntax, node.id)
        return ".".join([base, *reversed(parts)]) if base else ""

    # Wrappers

    @functools.cached_property
    def _rows(self) -> dict[str, Wrapper]:
        return dict(table(self._change.facts.settings))

    def _wrapper(self, node: ast.expr) -> Wrapper | None:
        """Return the line of a documented wrapper, also by another name that the module has for it."""
        if isinstance(node, ast.Name) and node.id not in self._own and not imported_as(self._syntax, node.id):
            bindings = self._scopes.bindings(node.id, self._scopes.module)
            parent = self._syntax.parents.get(bindings[0]) if len(bindings) == 1 else None
            if isinstance(parent, ast.Assign) and isinstance(parent.value, (ast.Name, ast.Attribute)):
                return self._rows.get(dotted(self._scopes, parent.value))
        name = self._dotted(node)
        return self._rows.get(name) if name and name not in replaced(self._syntax) else None

    def _call(self, node: ast.Call) -> str:
        row = self._wrapper(node.func)
        if row is not None and row.makes_callable:
            return self._wrapped(row, node)
        if row is None and isinstance(node.func, ast.Name):
            if node.func.id in _WITHOUT_EFFECT and not self._scopes.bindings(node.func.id, self._scopes.module):
                return self._first([*node.args, *(keyword.value for keyword in node.keywords)])
            factory = self._factory(node.func.id)
            if factory is not None:
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                return self._first(given) or self._of_factory(factory)
            if self._is_frozen(node.func.id):
                return self._first([*node.args, *(keyword.value for keyword in node.keywords)])
        if known.makes_records(self._dotted(node.func)):
            return self._first([*node.args, *(keyword.value for keyword in node.keywords)])
        return self._refused(node)

    def _wrapped(self, row: Wrapper, node: ast.Call) -> str:
        """Say what is wrong with a call of a documented wrapper."""
        if not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
            return self._refused(node)
        target = node.args[0]
        if row.kind == "partial":
            inner = self._wrapper(target)
            if inner is not None and inner.makes_callable:
                return self._options(inner, node, node.args[1:], None)
            return self._first([target, *node.args[1:], *(keyword.value for keyword in node.keywords)])
        if isinstance(target, ast.Name) and target.id not in self._own and not self._may_be_called(target.id):
            return f"`{target.id}` may be no function"
        return self.of(target) or self._options(row, node, node.args[1:], self._target(target))

    def _may_be_called(self, name: str) -> bool:
        for bound in self._scopes.bindings(name, self._scopes.module):
            if isinstance(bound, (*DEFS, ast.ClassDef, ast.Import, ast.ImportFrom)):
                continue
            parent = self._syntax.parents.get(bound)
            if not isinstance(parent, ast.Assign) or not isinstance(
                parent.value, (ast.Lambda, ast.Call, ast.Attribute, ast.Name)
            ):
                return False
        return True

    def _target(self, node: ast.expr) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """Return the function whose parameters the options of a wrapper mention, None where it is not visible."""
        while isinstance(node, ast.Call) and node.args:
            row = self._wrapper(node.func)
            if row is None or not row.keeps_arguments:
                return None
            node = node.args[0]
        if isinstance(node, ast.Lambda):
            return node
        if not isinstance(node, ast.Name):
            return None
        if node.id in self._functions:
            return self._functions[node.id]
        bindings = self._scopes.bindings(node.id, self._scopes.module)
        return bindings[0] if len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef) else None

    def _custom(self, row: Wrapper) -> str:
        return f"the rules of `{row.name}` may come later" if row.name.startswith(_CUSTOM) else ""

    def _options(
        self,
        row: Wrapper,
        node: ast.Call,
        positional: list[ast.expr],
        target: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None,
    ) -> str:
        """Say what is wrong with the options of a wrapper: each must be one that it takes for certain."""
        if found := self._custom(row) or self._name_or_attribute(node.func):
            return found
        last = row.name.rpartition(".")[2]
        allowed = _OF_DERIVATIVES if last in _DERIVATIVES else _OPTIONS.get(row.name, ())
        allowed = allowed or (_OPTIONS["jax.vmap"] if last == "vmap" else ())
        if positional and (not allowed or len(positional) > 2 or row.compiles):
            return self._refused(node)
        if not all(_is_literal(value) for value in positional):
            return self._refused(node)
        for keyword in node.keywords:
            if keyword.arg not in allowed or not _is_literal(keyword.value):
                return f"the option `{_short(keyword)}` is evaluated when the module is imported"
            if keyword.arg in (*_NAMES, *_NUMBERS) and not _suits(keyword, target):
                return f"`{row.name}` may refuse `{_short(keyword)}`"
        return ""

    # Factories and frozen classes

    def _factory(self, name: str) -> ast.FunctionDef | None:
        bindings = self._scopes.bindings(name, self._scopes.module)
        node = bindings[0] if len(bindings) == 1 else None
        return node if isinstance(node, ast.FunctionDef) and not node.decorator_list else None

    def _of_factory(self, node: ast.FunctionDef) -> str:
        """Say what a factory does besides making functions."""
        return self._of_block(node.body, node)

    def _of_block(self, body: list[ast.stmt], node: ast.FunctionDef) -> str:
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            if isinstance(statement, ast.FunctionDef):
                if found := self._of_local(statement, node):
                    return found
            elif isinstance(statement, (ast.Return, ast.Assign)) and statement.value is not None:
                if found := self._local_expression(statement.value, node):
                    return found
            elif isinstance(statement, ast.If) and is_plain_test(statement.test):
                if found := self._of_block([*statement.body, *statement.orelse], node):
                    return found
            else:
                return f"`{node.name}` does more than to make a function"
        return ""

    def _of_local(self, node: ast.FunctionDef, factory: ast.FunctionDef) -> str:
        if not all(self._is_plain_wrapper(decorator) for decorator in node.decorator_list):
            return f"`{factory.name}` does more than to make a function"
        defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        return next((f for d in defaults if (f := self._local_expression(d, factory))), "")

    def _is_plain_wrapper(self, node: ast.expr) -> bool:
        func = node.func if isinstance(node, ast.Call) else node
        row = self._wrapper(func)
        plain = row is not None and row.makes_callable and not row.name.startswith(_CUSTOM)
        return plain and (not isinstance(node, ast.Call) or all(_is_literal(k.value) for k in node.keywords))

    def _local_expression(self, node: ast.expr, factory: ast.FunctionDef) -> str:
        """Say what is wrong with an expression in a factory: it holds nothing that could be changed."""
        if is_constant(node) or isinstance(node, (ast.Lambda, ast.Name)):
            return ""
        if isinstance(node, ast.Attribute):
            return self._name_or_attribute(node)
        if isinstance(node, ast.Call):
            row = self._wrapper(node.func)
            inner = self._factory(node.func.id) if isinstance(node.func, ast.Name) and row is None else None
            if inner is not None and inner is not factory:
                return self._of_factory(inner)
            if row is not None and row.makes_callable and not row.name.startswith(_CUSTOM):
                parts = [*node.args, *(k.value for k in node.keywords)]
                return next((f for part in parts if (f := self._local_expression(part, factory))), "")
        return f"`{factory.name}` makes `{_short(node)}`, which all callers would share"

    def _is_frozen(self, name: str) -> bool:
        from jaxlint.fixes.checks.state import is_frozen_class

        return is_frozen_class(self._syntax, name)

    # Annotations

    def _annotation(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return ""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._name_or_attribute(node)
        if isinstance(node, ast.Subscript):
            return self._annotation(node.value) or self._annotation(node.slice)
        if isinstance(node, (ast.Tuple, ast.List)):
            return next((found for part in node.elts if (found := self._annotation(part))), "")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts = (node.left, node.right)
            if not any(isinstance(part, ast.Constant) and part.value is not None for part in parts):
                return next((found for part in parts if (found := self._annotation(part))), "")
        return self._refused(node)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else text[:37] + "..."


def _is_literal(node: ast.expr) -> bool:
    return is_constant(node) or (isinstance(node, ast.List) and all(is_constant(item) for item in node.elts))


def _is_arithmetic(node: ast.expr) -> bool:
    """Whether an expression is arithmetic with numbers that cannot raise."""
    if isinstance(node, ast.BinOp):
        safe = isinstance(node.op, (ast.Add, ast.Sub, ast.Mult))
        return safe and _is_arithmetic(node.left) and _is_arithmetic(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex))


def _suits(keyword: ast.keyword, target: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None) -> bool:
    """Whether an option that names parameters, or counts them, is about parameters that there are."""
    if target is None:
        return False
    value = ast.literal_eval(keyword.value)
    given = list(value) if isinstance(value, (tuple, list)) else [value]
    arguments = target.args
    if keyword.arg in _NAMES:
        names = {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}
        return all(isinstance(name, str) and (name in names or arguments.kwarg is not None) for name in given)
    count = len(arguments.posonlyargs) + len(arguments.args)
    return all(type(number) is int and -count <= number < count for number in given)


def is_plain_test(node: ast.expr) -> bool:
    """Whether a test only compares names and constants."""
    if isinstance(node, ast.Compare):
        return all(is_plain_test(part) for part in (node.left, *node.comparators))
    return isinstance(node, (ast.Name, ast.Constant)) or (isinstance(node, ast.UnaryOp) and is_plain_test(node.operand))


def imports_of(nodes: Iterable[ast.stmt]) -> dict[str, str]:
    """Return what statements import, by the names that they bind."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                found[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom):
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return found


def imported_as(syntax: Syntax, name: str) -> str:
    """Return what a name of the module is imported as, empty for what is not imported."""
    for node in syntax.module_bindings.get(name, ()):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    return alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return f"{'.' * node.level}{node.module or ''}.{alias.name}"
    return ""


@functools.lru_cache(maxsize=4)
def attributes_at_import(syntax: Syntax) -> frozenset[str]:
    """Return the dotted names that the module itself evaluates in any case when it is imported."""
    scopes = scopes_of(syntax)
    found = {
        dotted(scopes, node)
        for part in _evaluated(syntax.tree.body, syntax)
        for node in ast.walk(part)
        if isinstance(node, ast.Attribute)
    }
    return frozenset(found - {""})


def _evaluated(body: Iterable[ast.stmt], syntax: Syntax) -> Iterator[ast.AST]:
    """Yield what the statements of a module or a class evaluate for certain, functions' bodies skipped."""
    for node in body:
        if isinstance(node, DEFS):
            yield from node.decorator_list
            yield from (d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)
            if not syntax.annotations_later:
                yield from (a.annotation for a in all_arguments(node.args) if a.annotation is not None)
                yield from [node.returns] if node.returns is not None else []
        elif isinstance(node, ast.ClassDef):
            yield from (*node.decorator_list, *node.bases)
            yield from _evaluated(node.body, syntax)
        elif isinstance(node, ast.Assign) and not any(
            isinstance(n, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.DictComp))
            for n in ast.walk(node.value)
        ):
            yield node.value


@functools.lru_cache(maxsize=4)
def replaced(syntax: Syntax) -> frozenset[str]:
    """Return the dotted names of imported things that the file replaces, for a while or for good."""
    scopes = scopes_of(syntax)
    found: set[str] = set()
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            base = dotted(scopes, node.value)
            found.add(f"{base}.{node.attr}" if base else "")
        elif isinstance(node, ast.Call):
            texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            bases = [dotted(scopes, a) for a in node.args]
            found.update(texts)
            found.update(f"{base}.{text}" for base in bases if base for text in texts)
            last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if last in _FAKES:
                found.update({"jax.jit", "jax.pmap"})
    return frozenset(found - {""})
