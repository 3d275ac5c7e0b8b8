"""Which functions of the user's could be traced as a whole, by their text: nothing in them needs a value, or acts.

A function is taken for traceable unless something in its own body says otherwise.  Functions that it calls, and that
ran, are asked by themselves.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Loop = ast.For | ast.AsyncFor | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_PURE = frozenset(
    """
    jax flax equinox haiku optax numpyro diffrax blackjax distrax chex einops lineax optimistix jaxtyping brax
    jaxopt rlax mctx jraph gpjax objax penzai mujoco jumanji gymnax pgx evosax evojax tensorflow_probability tinygp
    numpy scipy math functools itertools operator typing collections dataclasses types abc enum copy string re
    """.split()
)
"""Packages whose functions work on traced values, or compute with what a trace knows.  Others act on the world."""
_ACTS = frozenset({"print", "open", "input", "breakpoint", "exec", "eval", "exit", "quit", "next"})
_VALUES = frozenset({"float", "int", "bool", "complex", "str"})
_HOST_METHODS = frozenset({"item", "tolist", "block_until_ready", "__array__"})
_COMPILE = frozenset({"jit", "pmap", "filter_jit", "filter_pmap"})
_SIZES = frozenset(
    {"length", "shape", "axis", "axes", "num_classes", "total_repeat_length", "ndmin", "dtype", "unroll"}
)
_ARRAY_METHODS = frozenset(
    """
    all any argmax argmin argpartition argsort astype at choose clip compress conj conjugate copy cumprod cumsum dot
    diagonal flatten get items keys values item itemset max mean min nonzero prod ptp ravel repeat replace reshape
    round searchsorted sort squeeze std sum swapaxes take tobytes tolist trace transpose var view block_until_ready
    """.split()
)
"""Methods of arrays, and of the dictionaries and records that hold them."""
_STATIC = frozenset({"shape", "ndim", "dtype", "size", "itemsize", "weak_type"})
_SETS_UP = frozenset({"__init__", "setup", "__post_init__"})
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")


@dataclass(eq=False)
class Function:
    """A function, as the text of its file has it.  `obstacle` says why it cannot be traced; empty where it can."""

    name: str
    node: FunctionNode
    obstacle: str = ""
    options: list[str] = field(default_factory=list)
    """Parameters whose values decide what is computed, so that they have to be static."""
    objects: list[str] = field(default_factory=list)
    """Parameters of which methods are called: objects, or records of arrays."""
    owner: ast.ClassDef | None = None
    is_compiled: bool = False
    """Whether a decorator compiles it."""
    first: int = 0
    """Its first line, decorators included."""

    @property
    def parameters(self) -> list[str]:
        """The names of all parameters, in order."""
        arguments = self.node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        return [argument.arg for argument in named]


class Module:
    """The functions and calls of one file."""

    def __init__(self, text: str, is_seen: Callable[[str], bool] = lambda _: False) -> None:
        """Read a file; `is_seen` tells whether what a module does was seen in the run."""
        try:
            self.tree: ast.Module = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.tree = ast.Module([], [])
        self.is_seen = is_seen
        self.imports = dict(_imports(self.tree))
        self._functions: list[tuple[int, int, Function]] = []
        self._index(self.tree, None, [])
        self._calls: dict[tuple[int, int, int, int], ast.expr] | None = None
        self._discarded = {id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}

    def function(self, line: int, name: str) -> Function | None:
        """Return the innermost function around a line whose frame has this qualified name; None at module level."""
        short = name.rpartition(".")[2]
        while short in _COMPREHENSIONS:
            name = name.rpartition(".<locals>.")[0]
            short = name.rpartition(".")[2]
        best = None
        for first, last, function in self._functions:
            if first <= line <= last and (function.name == short or not short):
                best = function
        return best

    def call(self, line: int, column: int | None, end_line: int | None, end_column: int | None) -> ast.expr | None:
        """Return the expression at a place; None where there is none."""
        if column is None or end_line is None or end_column is None:
            return None
        if self._calls is None:
            self._calls = {
                (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0): node
                for node in ast.walk(self.tree)
                if isinstance(node, ast.expr)
            }
        return self._calls.get((line, column, end_line, end_column))

    def is_discarded(self, call: ast.expr) -> bool:
        """Tell whether nothing uses what a call gives: it is made for what it does."""
        return id(call) in self._discarded

    def named(self, name: str) -> Function | None:
        """Return the last function of a name."""
        return next((function for _, _, function in reversed(self._functions) if function.name == name), None)

    def made(self, variable: str, before: ast.expr, around: Function | None) -> ast.stmt | None:
        """Return the last statement that gives a variable its value before an expression, and does not hold it."""
        scope: ast.AST = around.node if around is not None else self.tree
        found = None
        for node in ast.walk(scope):
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.lineno >= before.lineno:
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            holds = any(part is before for part in ast.walk(node))
            if variable in names and not holds and (found is None or node.lineno > found.lineno):
                found = node
        return found

    def beside(self, call: ast.Call, around: Function | None, method: str) -> ast.Call | None:
        """Return another call in the same scope: that of a method of the object of which a call is."""
        return next(
            (
                node
                for node in _own(around.node if around is not None else self.tree)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(call.func, ast.Attribute)
                and node.func.attr == method
                and ast.dump(node.func.value) == ast.dump(call.func.value)
            ),
            None,
        )

    def results(self, call: ast.expr, around: Function | None) -> list[str]:
        """Return the names that are given what a call returns, and nothing else."""
        scope: ast.AST = around.node if around is not None else self.tree
        stored = [n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        assigned = (n for n in ast.walk(scope) if isinstance(n, ast.Assign) and n.value is call)
        targets = [target for node in assigned for target in node.targets]
        parts = [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
        return [part.id for part in parts if isinstance(part, ast.Name) and stored.count(part.id) == 1]

    def varies(self, value: ast.expr, around: Function | None) -> bool:
        """Tell whether an argument differs between the iterations of the loops around it."""
        scope: ast.AST = around.node if around is not None else self.tree
        names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        loops = (node for node in ast.walk(scope) if isinstance(node, _Loop) and _holds(node, value))
        return any(
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
            for loop in loops
            for node in ast.walk(loop)
        )

    def wrapper(self) -> str:
        """Return what compiles a function here: `jax.jit`, or that of the library whose models are passed."""
        packages = set(self.imports.values())
        if any(package == "equinox" or package.startswith("equinox.") for package in packages):
            return "eqx.filter_jit" if self.imports.get("eqx") == "equinox" else "equinox.filter_jit"
        if "flax.nnx" in packages:
            return "nnx.jit"
        return "jax.jit"

    def _index(self, node: ast.AST, owner: ast.ClassDef | None, above: list[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FunctionNode):
                name = "<lambda>" if isinstance(child, ast.Lambda) else child.name
                function = Function(name, child, owner=owner)
                function.obstacle = self.obstacle(function)
                decorators = [] if isinstance(child, ast.Lambda) else child.decorator_list
                first = min([child.lineno, *(decorator.lineno for decorator in decorators)])
                function.first = first
                function.is_compiled = any(map(self._compiles, decorators))
                self._functions.append((first, child.end_lineno or child.lineno, function))
                self._index(child, None, [*above, name])
            elif isinstance(child, ast.ClassDef):
                self._index(child, child, [*above, child.name])
            else:
                self._index(child, owner, above)

    def _compiles(self, decorator: ast.expr) -> bool:
        """Tell whether a decorator compiles, as `jax.jit`, `eqx.filter_jit(...)` and `partial(nnx.jit, ...)` do."""
        if isinstance(decorator, ast.Call):
            return any(map(self._compiles, [decorator.func, *decorator.args[:1]]))
        return self.qualified(decorator).rpartition(".")[2] in _COMPILE

    def obstacle(self, function: Function, static: frozenset[str] = frozenset()) -> str:
        """Say why a function cannot be traced of which these parameters are static; empty where it can."""
        return next(_Body(function, self, static).obstacles(), "")

    def makes_a_pytree(self, function: Function) -> bool:
        """Tell whether a class, of which this is the `__init__`, makes objects that jitted functions can return."""
        bases = function.owner.bases if function.owner is not None else []
        return any(self.qualified(base).startswith(("equinox.", "flax.nnx.", "flax.struct.")) for base in bases)

    def acts(self, name: str) -> bool:
        """Tell whether a dotted name is of a package that was imported here and acts outside of jax."""
        head = name.partition(".")[0]
        imported = any(head == package.partition(".")[0] for package in self.imports.values())
        return imported and bool(head) and head not in _PURE and not self.is_seen(name)

    def qualified(self, node: ast.expr) -> str:
        """Return the dotted name of an expression with what was imported in place; empty where it has none."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *parts])


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"


class _Body:
    """Looks for what keeps one function from being traced."""

    def __init__(self, function: Function, module: Module, static: frozenset[str]) -> None:
        self._function = function
        self._module = module
        self._static = static
        self._parameters = set(function.parameters)
        self._own = [*_own(function.node)]
        self._local = self._parameters | {
            node.id for node in self._own if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

    def obstacles(self) -> Iterator[str]:
        for node in self._own:
            if isinstance(node, ast.Yield | ast.YieldFrom):
                yield "it is a generator"
            elif isinstance(node, ast.Await):
                yield "it is asynchronous"
            elif isinstance(node, ast.Global | ast.Nonlocal):
                yield f"it assigns to `{node.names[0]}`, which is outside of it"
            elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
                yield from self._store(node)
            elif isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
                yield from self._test(node.test)
            elif isinstance(node, ast.Return) and node.value is not None and self._has_function(node.value):
                yield "it returns functions, which would keep what was traced"

    def _has_function(self, value: ast.expr) -> bool:
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
        made = {node.name for node in self._own if isinstance(node, ast.FunctionDef)}
        return any(isinstance(p, ast.Lambda) or (isinstance(p, ast.Name) and p.id in made) for p in parts)

    def _store(self, node: ast.Attribute | ast.Subscript) -> Iterator[str]:
        base: ast.expr = node
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id in self._local - self._parameters:
            return
        if self._function.name in _SETS_UP and isinstance(node, ast.Attribute):
            return
        yield f"it assigns to `{ast.unparse(node)}`, which outlives it"

    def _call(self, node: ast.Call) -> Iterator[str]:
        name = self._module.qualified(node.func)
        head = name.partition(".")[0]
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        self._decides(node)
        if isinstance(node.func, ast.Name) and name in _ACTS:
            yield f"it calls `{name}`"
        elif (name in _VALUES or name.startswith("numpy.")) and any(map(self._is_traced, given)):
            yield f"`{ast.unparse(node.func)}` needs a value"
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _HOST_METHODS:
            yield f"`.{node.func.attr}()` needs a value"
        elif self._is_imported(node.func) and head and head not in _PURE and not self._module.is_seen(name):
            yield f"it calls `{ast.unparse(node.func)}`, which acts outside of jax"

    def _decides(self, node: ast.Call) -> None:
        """Note the parameters that a call shows to be no arrays: objects with methods of their own, and sizes."""
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr not in _ARRAY_METHODS:
            self._option(called.value, self._function.objects)
        if isinstance(called, ast.Name) and called.id in ("range", "getattr"):
            for argument in node.args:
                self._option(argument, self._function.options)
        for keyword in node.keywords:
            if keyword.arg in _SIZES:
                self._option(keyword.value, self._function.options)

    def _option(self, node: ast.expr, found: list[str]) -> None:
        if isinstance(node, ast.Name) and node.id in self._parameters and node.id not in ("self", *found):
            found.append(node.id)

    def _is_imported(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self._module.imports and node.id not in self._local

    def _test(self, test: ast.expr) -> Iterator[str]:
        computed = {
            id(part)
            for node in _values(test)
            if isinstance(node, ast.Call) and not _is_builtin(node.func)
            for part in ast.walk(node)
        }
        for node in _values(test):
            if not isinstance(node, ast.Name) or node.id not in self._traced:
                continue
            if node.id not in self._parameters or id(node) in computed:
                yield f"`{ast.unparse(test)}` decides by a value"
            elif node.id not in ("self", *self._function.options):
                self._function.options.append(node.id)

    @functools.cached_property
    def _traced(self) -> set[str]:
        """The names that hold what is computed from the parameters."""
        traced = self._parameters - self._static
        for _ in range(3):
            before = len(traced)
            for node in self._own:
                if not isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
                    continue
                names = _values(node.value) if node.value is not None else ()
                if any(isinstance(name, ast.Name) and name.id in traced for name in names):
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    traced |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            if len(traced) == before:
                break
        return traced

    def _is_traced(self, node: ast.expr) -> bool:
        return any(isinstance(name, ast.Name) and name.id in self._traced for name in _values(node))


def _own(node: FunctionNode | ast.Module) -> Iterator[ast.AST]:
    """Yield what a function, or a module, does itself: not what functions within it do."""
    waiting: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while waiting:
        found = waiting.pop()
        yield found
        if not isinstance(found, FunctionNode | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(found))


def _holds(node: ast.AST, part: ast.AST) -> bool:
    return any(found is part for found in ast.walk(node))


def _is_builtin(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and hasattr(builtins, node.id)


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression whose values matter: not those of which a trace knows what is asked."""
    if isinstance(node, ast.Attribute) and (node.attr in _STATIC or isinstance(node.value, ast.Name)):
        # An attribute of an object may be a setting of it.
        return
    if isinstance(node, ast.Compare) and any(
        isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops
    ):
        return
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in ("len", "isinstance", "type", "callable", "hasattr"):
            return
        yield node
        # The object of a method is a value.
        called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        for part in [called, *node.args, *(keyword.value for keyword in node.keywords)]:
            yield from _values(part)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _values(child)
