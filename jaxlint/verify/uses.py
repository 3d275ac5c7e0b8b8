"""How a function uses what it is given: what its text says about the arguments it can be called with.

Values are named by paths, as they would be written in the function: `x`, `cfg.width`, `params['w']`, `carry[0]`,
`batches[*]` for what a loop takes out, `init()` for what a call returns.  Works on the tree alone, runs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass
class Use:
    """What is done with one value."""

    attributes: dict[str, None] = field(default_factory=dict)
    """Its attributes that are read, in order."""
    keys: dict[str, None] = field(default_factory=dict)
    """The strings by which it is indexed."""
    items: int | None = None
    """Into how many names it is unpacked."""
    iterated: bool = False
    arguments: int | None = None
    """With how many arguments it is called; -1 where it is passed to what will call it."""
    results: int | None = None
    """Into how many names what it returns is unpacked."""
    texts: dict[str, None] = field(default_factory=dict)
    """The strings it is compared with."""
    numbers: dict[int, None] = field(default_factory=dict)
    """The integers it is compared with."""
    classes: dict[str, None] = field(default_factory=dict)
    """The text of the classes that it is asked to be of."""
    rank: int | None = None
    least_rank: int = 0
    size: bool = False
    """It is where Python or jax needs an integer: a length, an axis, a bound."""
    key: bool = False
    """It seeds jax's random numbers."""
    flag: bool = False
    """It is the whole condition of a branch."""
    index: bool = False
    """It is an index, or holds labels."""
    tree: bool = False
    """Functions of `jax.tree` take it apart."""
    scalar: bool = False
    """It, or what calling it gives, is differentiated, so a single number is due."""

    def merge(self, other: Use) -> None:
        """Add what another function does with the same value."""
        self.attributes.update(other.attributes)
        self.keys.update(other.keys)
        self.texts.update(other.texts)
        self.classes.update(other.classes)
        self.numbers.update(other.numbers)
        self.items = self.items if self.items is not None else other.items
        self.rank = self.rank if self.rank is not None else other.rank
        self.results = self.results if self.results is not None else other.results
        self.arguments = self.arguments if self.arguments is not None else other.arguments
        self.least_rank = max(self.least_rank, other.least_rank)
        for name in ("iterated", "size", "key", "flag", "index", "tree", "scalar"):
            setattr(self, name, getattr(self, name) or getattr(other, name))


def joined(*uses: Use) -> Use:
    """Return what several uses say together."""
    whole = Use()
    for use in uses:
        whole.merge(use)
    return whole


OMITTED, UNKNOWN = object(), object()
"""A parameter that a call does not give, and a value that is no literal."""


def _literal(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN
    return value if isinstance(value, bool | int | float | str | tuple) else UNKNOWN


Callee = tuple[Function, str, "Definitions"]
"""A function, the class that it is a method of, and the functions of its module."""


class Definitions:
    """The functions of a module by qualified name, and what each does with its parameters."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions: dict[str, Function] = {}
        self._known: dict[Function, FunctionUses] = {}
        self._attributes: dict[str, set[str]] = {}
        self._kept: dict[str, dict[str, Use]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self.elsewhere: Callable[[str, str], Callee | None] = lambda _name, _owner: None
        """What else knows the functions that are called here, by name and owner: those of the module's imports."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _tail(node.func):
                self._calls.setdefault(_tail(node.func), []).append(node)
        for statement in ast.walk(tree):
            if isinstance(statement, ast.ClassDef):
                self._attributes[statement.name] = {
                    node.attr
                    for node in ast.walk(statement)
                    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                }
                for inner in statement.body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                        self._functions[f"{statement.name}.{inner.name}"] = inner
        for statement in ast.walk(tree):
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._functions.setdefault(statement.name, statement)

    def get(self, name: str) -> Function | None:
        """Return the function of a qualified name."""
        return self._functions.get(name)

    def callee(self, name: str, owner: str) -> Callee | None:
        """Return the function that is called by a name, as it is written in a method of `owner` or in a function."""
        function = self.get(f"{owner}.{name[5:]}" if owner and name.startswith("self.") else name)
        return (function, owner, self) if function is not None else self.elsewhere(name, owner)

    def around(self, line: int) -> Function | None:
        """Return the smallest function that covers a line."""
        found = [f for f in self._functions.values() if f.lineno <= line <= (f.end_lineno or f.lineno)]
        return max(found, key=lambda function: function.lineno, default=None)

    def attributes(self, name: str) -> set[str]:
        """Return the attributes that the methods of a class assign."""
        return self._attributes.get(name, set())

    def storing(self, owner: str, attribute: str) -> list[str]:
        """Return the methods of a class, but for its constructor, that assign an attribute."""
        methods = [name for name in self._functions if name.startswith(f"{owner}.") and not name.endswith("__")]
        return [
            name.rpartition(".")[2]
            for name in methods
            for node in ast.walk(self._functions[name])
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == attribute
        ]

    def of_attributes(self, owner: str) -> dict[str, Use]:
        """Return what the methods of a class do with what its constructor is given, by the parameter's name.

        A parameter that is assigned to an attribute is used by the name of that; fields have the same name as both.
        """
        if owner not in self._kept:
            methods = [(n, f) for n, f in self._functions.items() if n.startswith(owner + ".") and n.count(".") == 1]
            names = {attribute: attribute for attribute in self.attributes(owner)}
            constructor = self._functions.get(f"{owner}.__init__")
            for node in ast.walk(constructor) if constructor is not None else ():
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                    targets = [t for t in node.targets if isinstance(t, ast.Attribute)]
                    names.update({target.attr: node.value.id for target in targets})
            found: dict[str, Use] = {}
            for _, method in methods:
                uses = self.uses(method, owner)
                for path in list(uses.paths):
                    attribute = path.removeprefix("self.")
                    if path.startswith("self.") and not set(attribute) & set(".[("):
                        name = names.get(attribute, attribute)
                        found[name] = joined(found.get(name, Use()), uses.of(path))
            self._kept[owner] = found
        return self._kept[owner]

    def literals(self, target: str) -> dict[str, list[object]]:
        """Return the literals that calls of a function give its parameters; an omitted one counts as `OMITTED`."""
        function = self._functions.get(target)
        if function is None or isinstance(function, ast.Lambda):
            return {}
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        keywords = [argument.arg for argument in function.args.kwonlyargs]
        bound = names[1:] if "." in target and names[:1] in (["self"], ["cls"]) else names
        found: dict[str, list[object]] = {}
        for call in self._calls.get(target.rpartition(".")[2], ()):
            if any(isinstance(argument, ast.Starred) for argument in call.args) or len(call.args) > len(bound):
                continue
            given = dict(zip(bound, call.args, strict=False))
            given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
            for name in (*bound, *keywords):
                value = OMITTED if name not in given else _literal(given[name])
                if value is not UNKNOWN and not any(value is v or value == v for v in found.get(name, ())):
                    found.setdefault(name, []).append(value)
        return found

    def uses(self, function: Function, owner: str = "") -> FunctionUses:
        """Return what a function does with its values; `owner` is the class that a method belongs to."""
        if function not in self._known:
            known = self._known[function] = FunctionUses(function)
            known.collect(self, owner)
        return self._known[function]


class FunctionUses:
    """What one function does with the values it knows by name."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._uses: dict[str, Use] = {}
        self._aliases: dict[str, str] = {}
        self._origins: dict[str, set[str]] = {}
        self._statements: list[ast.stmt] = []

    def of(self, path: str) -> Use:
        """Return what is done with the value at a path."""
        return self._uses.get(path) or Use()

    def add(self, path: str) -> Use:
        """Return the same, to be changed."""
        return self._uses.setdefault(path, Use())

    @property
    def paths(self) -> Iterable[str]:
        """All paths of which something is known."""
        return self._uses.keys()

    def collect(self, definitions: Definitions, owner: str) -> None:
        """Read the function's text."""
        for node in ast.walk(self._function):
            if isinstance(node, ast.stmt) and node is not self._function:
                self._statements.append(node)
            self._note_assignment(node)
        self._statements.sort(key=lambda s: (s.lineno, s.col_offset))
        for node in ast.walk(self._function):
            self._note(node)
            if isinstance(node, ast.Call):
                self._note_call(node)
        for node in ast.walk(self._function):
            if isinstance(node, ast.Call):
                self._note_callee(node, definitions, owner)

    # --- what a failure says ------------------------------------------------------------------------------------------

    def progress(self, line: int) -> int:
        """Return how many statements are before a line."""
        return sum(statement.lineno < line for statement in self._statements)

    def suspects(self, line: int) -> list[str]:
        """Return the paths that the statement on a line is made of, nearest first, and then where these come from."""
        statement = self._statement(line)
        if statement is None:
            return []
        # The head of a compound statement is what was being evaluated, not its body.
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.For | ast.AsyncFor):
            parts = [statement.iter]
        elif isinstance(statement, ast.If | ast.While):
            parts = [statement.test]
        elif isinstance(statement, ast.With):
            parts = [item.context_expr for item in statement.items]
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = [statement.args, *statement.decorator_list]
        direct: dict[str, None] = {}
        names: dict[str, None] = {}
        for part in parts:
            for node in ast.walk(part):
                path = self.resolve(node)
                if path:
                    direct[path] = None
                if isinstance(node, ast.Name):
                    names[node.id] = None
        derived: dict[str, None] = {}
        for name in names:
            for path in sorted(self._trace(name)):
                derived[path] = None
        return [*sorted(direct, key=len, reverse=True), *(path for path in derived if path not in direct)]

    def guards(self, line: int) -> list[str]:
        """Return the paths in the conditions under which a line is."""
        found: dict[str, None] = {}
        for node in ast.walk(self._function):
            if isinstance(node, ast.If | ast.While | ast.For) and node.lineno < line <= (node.end_lineno or 0):
                head = node.iter if isinstance(node, ast.For) else node.test
                for part in ast.walk(head):
                    path = self.resolve(part)
                    if path:
                        found[path] = None
            # An early return decides as well.
            early = isinstance(node, ast.If) and (node.end_lineno or 0) < line
            if early and any(isinstance(inner, ast.Return | ast.Raise) for inner in ast.walk(node)):
                paths = map(self.resolve, ast.walk(node.test))  # type: ignore[attr-defined]
                found.update(dict.fromkeys(filter(None, paths)))
        return list(found)

    def _statement(self, line: int) -> ast.stmt | None:
        found = None
        for statement in self._statements:
            if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                found = statement
        return found

    def _trace(self, name: str) -> set[str]:
        seen, pending, found = {name}, [name], set[str]()
        while pending:
            for path in self._origins.get(pending.pop(), ()):
                found.add(path)
                root = _root(path)
                if root not in seen:
                    seen.add(root)
                    pending.append(root)
        return found

    # --- reading --------------------------------------------------------------------------------------------------

    def resolve(self, node: ast.AST) -> str:
        """Return the path of an expression, in terms of what the function was given; empty if it is no path."""
        return self._aliased(_path(node))

    def _aliased(self, path: str) -> str:
        for _ in range(_ALIASES):
            root = _root(path)
            alias = self._aliases.get(root)
            if alias is None:
                break
            path = alias + path[len(root) :]
        return path

    def _note_assignment(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            self._loop(node.target, node.iter)
        elif isinstance(node, ast.FunctionDef) and node is not self._function:
            self._derive(node.name, node)

    def _loop(self, target: ast.expr, iterable: ast.expr) -> None:
        if isinstance(iterable, ast.Call) and _tail(iterable.func) == "zip" and isinstance(target, ast.Tuple):
            for part, source in zip(target.elts, iterable.args, strict=False):
                self._loop(part, source)
            return
        if isinstance(iterable, ast.Call) and _tail(iterable.func) == "enumerate" and isinstance(target, ast.Tuple):
            if iterable.args and len(target.elts) == 2:
                self._loop(target.elts[1], iterable.args[0])
            return
        if isinstance(iterable, ast.Call) and _tail(iterable.func) in _PASSING and len(iterable.args) == 1:
            self._loop(target, iterable.args[0])
            return
        base = (
            iterable.value
            if isinstance(iterable, ast.Subscript) and isinstance(iterable.slice, ast.Slice)
            else iterable
        )
        path = _path(base)
        for name in _names(target):
            self._derive(name, iterable)
        if path:
            self.add(path).iterated = True
            self._alias(target, f"{path}[*]")

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        for name in _names(target):
            self._derive(name, value)
        path = _path(value)
        if path and not (isinstance(target, ast.Name) and _root(path) == target.id):
            self._alias(target, path)

    def _alias(self, target: ast.expr, path: str) -> None:
        if isinstance(target, ast.Name):
            # The first assignment counts: what comes later is no longer what was given.
            if target.id not in self._parameters:
                self._aliases.setdefault(target.id, path)
        elif isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(part, ast.Starred) for part in target.elts):
                return
            use = self.add(path)
            if path.endswith(".shape"):
                self.add(path.removesuffix(".shape")).rank = len(target.elts)
                return
            use.items = len(target.elts)
            if path.endswith("()"):
                self.add(self._aliased(path[:-2])).results = len(target.elts)
            for number, part in enumerate(target.elts):
                self._alias(part, f"{path}[{number}]")

    @property
    def _parameters(self) -> frozenset[str]:
        arguments = self._function.args
        return frozenset(a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))

    def _derive(self, name: str, value: ast.AST) -> None:
        origins = self._origins.setdefault(name, set())
        for node in ast.walk(value):
            path = _path(node)
            if path and path != name:
                origins.add(path)

    def _note(self, node: ast.AST) -> None:  # noqa: C901
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            path = self.resolve(node.value)
            if path:
                self.add(path).attributes[node.attr] = None
        elif isinstance(node, ast.Subscript):
            path = self.resolve(node.value)
            if path:
                self._note_index(path, node)
            for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,):
                index = self.resolve(part)
                if index:
                    self.add(index).index = True
                if isinstance(part, ast.Slice):
                    for bound in filter(None, (part.lower, part.upper, part.step)):
                        if self.resolve(bound):
                            self.add(self.resolve(bound)).size = True
        elif isinstance(node, ast.Compare):
            path = self.resolve(_without_case(node.left))
            for other in node.comparators:
                for value in other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else (other,):
                    if path and isinstance(value, ast.Constant) and isinstance(value.value, str):
                        self.add(path).texts[value.value] = None
                    elif path and isinstance(value, ast.Constant) and type(value.value) is int:
                        self.add(path).numbers[value.value] = None
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            for part in _conditions(node.test):
                path = self.resolve(part)
                if path:
                    self.add(path).flag = True
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                if self.resolve(side):
                    use = self.add(self.resolve(side))
                    use.least_rank = max(use.least_rank, 1)

    def _note_index(self, path: str, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            self.add(path).keys[node.slice.value] = None
            return
        if path.endswith(".shape") and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            use = self.add(path.removesuffix(".shape"))
            number = node.slice.value
            use.least_rank = max(use.least_rank, number + 1 if number >= 0 else -number)
            return
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        taken = [p for p in parts if not (isinstance(p, ast.Constant) and p.value in (None, ...))]
        use = self.add(path)
        use.least_rank = max(use.least_rank, len(taken))

    def _note_call(self, node: ast.Call) -> None:
        path = self.resolve(node.func)
        if path:
            use = self.add(path)
            if use.arguments in (None, -1):
                use.arguments = len(node.args) + len(node.keywords)
        name, tail = _dotted(node.func), _tail(node.func)
        if name == "isinstance" and len(node.args) == 2 and (path := self.resolve(node.args[0])):
            kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            self.add(path).classes.update(dict.fromkeys(map(ast.unparse, kinds)))
        given = [self.resolve(argument) for argument in node.args]
        words = {keyword.arg: self.resolve(keyword.value) for keyword in node.keywords if keyword.arg}
        if "einsum" in tail and node.args and isinstance(node.args[0], ast.Constant):
            operands = str(node.args[0].value).partition("->")[0].split(",")
            for letters, operand in zip(operands, given[1:], strict=False):
                if operand and "." not in letters and self.of(operand).rank is None:
                    self.add(operand).rank = len(letters.strip())
        random = ".random." in f".{name}." or name.startswith(("random.", "jrandom.", "jr."))
        if random and tail not in ("key", "PRNGKey"):
            self._mark("key", [*given[:1], words.get("key", "")])
        if tail in _TREE and ("tree" in name or tail.startswith("tree_") or tail == "ravel_pytree"):
            self._mark("tree", given[0 if "map" not in tail else 1 :])
        if tail in _CALLERS and given and given[0]:
            use = self.add(given[0])
            if use.arguments is None:
                use.arguments = -1
            use.scalar = use.scalar or "grad" in tail
        if tail == "one_hot":
            self._mark("index", given[:1])
        self._note_sizes(node, tail, given, words)

    def _note_sizes(self, node: ast.Call, tail: str, given: list[str], words: dict[str, str]) -> None:
        self._mark("size", given if tail in _SIZES else given[1:] if tail in _SIZES_AFTER else [])
        for argument in node.args if tail in (*_SIZES, *_SIZES_AFTER) else ():
            if isinstance(argument, ast.Tuple):
                self._mark("size", map(self.resolve, argument.elts))
        self._mark("size", [path for word, path in words.items() if word in _SIZE_WORDS])

    def _mark(self, what: str, paths: Iterable[str]) -> None:
        for path in filter(None, paths):
            setattr(self.add(path), what, True)

    def _note_callee(self, node: ast.Call, definitions: Definitions, owner: str) -> None:
        """Take over what a visible function does with the values that it is passed."""
        name, given = _dotted(node.func), node.args
        if name.rpartition(".")[2] in ("partial", "Partial") and given:
            # What is passed now is used when it is called.
            name, given = _dotted(given[0]), given[1:]
        if not name and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "super()":
            name = SUPER + node.func.attr
        if not name:
            return
        found = definitions.callee(name, owner)
        if found is None:
            return
        function, its_owner, there = found
        if function is self._function or isinstance(function, ast.Lambda):
            return
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        if names[:1] == ["self"] and (name.startswith(("self.", SUPER)) or function.name == "__init__"):
            names = names[1:]
        handed = [*zip(names, given, strict=False)]
        handed += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        inner = there.uses(function, its_owner)
        for parameter, value in handed:
            path = self.resolve(value)
            if not path:
                continue
            for other in list(inner.paths):
                if other == parameter or other.startswith((parameter + ".", parameter + "[", parameter + "(")):
                    self.add(path + other[len(parameter) :]).merge(inner.of(other))


SUPER = "super()."
"""How the name of a method begins that the bases of a class have."""
_ALIASES = 6
_PASSING = ("tqdm", "list", "tuple", "iter", "track", "progress_bar")
"""What gives the items that it is given."""
_CASES = ("lower", "upper", "casefold", "strip", "rstrip", "lstrip")
_TREE = ("map", "tree_map", "tree_leaves", "leaves", "flatten", "tree_flatten", "ravel_pytree", "structure", "reduce")
_CALLERS = (
    *("grad", "value_and_grad", "jit", "vmap", "pmap", "checkpoint", "remat", "jacfwd", "jacrev", "hessian", "scan"),
    *("while_loop", "cond", "map", "partial", "filter_jit", "filter_grad", "filter_value_and_grad", "filter_vmap"),
)
_SIZES = ("range", "arange", "zeros", "ones", "empty", "eye", "full")
_SIZES_AFTER = ("split", "reshape", "one_hot", "top_k", "repeat", "tile", "roll", "fori_loop")
_SIZE_WORDS = (
    *("axis", "num", "length", "num_classes", "shape", "size", "total_repeat_length", "maxiter", "num_segments"),
    *("features", "unroll", "n"),
)


def _path(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _path(node.value)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        base = _path(node.value)
        if base and isinstance(node.slice.value, str):
            return f"{base}[{node.slice.value!r}]"
        if base and type(node.slice.value) is int and node.slice.value >= 0:
            return f"{base}[{node.slice.value}]"
    if isinstance(node, ast.Call):
        base = _path(node.func)
        return f"{base}()" if base else ""
    return ""


def _without_case(node: ast.expr) -> ast.expr:
    """Return the text of which an expression is the lower, upper or stripped version, or the expression."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CASES:
        node = node.func.value
    return node


def _root(path: str) -> str:
    for number, letter in enumerate(path):
        if letter in ".[(":
            return path[:number]
    return path


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _tail(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _names(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id


def _conditions(test: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of `and`, `or` and `not`."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _conditions(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _conditions(test.operand)
    else:
        yield test
