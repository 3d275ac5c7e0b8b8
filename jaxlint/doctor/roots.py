"""The places to change: calls below which everything could be one compiled program, found from recorded stacks.

Operations that run one by one are told by the line that dispatched them, which is often deep in a model.  What has to
change is further out: the outermost call of a function that could be traced as a whole.
"""

from __future__ import annotations

import ast
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jaxlint.doctor import causes
from jaxlint.doctor.events import Frame
from jaxlint.doctor.model import CONTROL, Flood, Key, MissGroup, Model, Operation
from jaxlint.doctor.sources import Sources
from jaxlint.doctor.traceable import Function, Module

GROWN = 4
"""Of how many sizes, each larger than the one before by as much, something grows."""

WHILE_TRACED = "what is computed here comes of no traced argument, and a trace around it is under way"
_MADE_OF = 4
"""How many steps are gone from an object to what it was made by."""
Kind = Literal["function", "call", "body", "library", "growth", "unknown"]


@dataclass(eq=False)
class Root:
    """Operations that one change takes care of.

    `kind` says what is to be compiled: a `function` of the user's, a `call` of a library's, a part of a `body`.  Of a
    `library` are those of a call that no jitted function can be put around: it changes an object, or makes one.
    `growth` is for shapes that grow, and `unknown` for operations of which no line is known.  `name` is what to
    compile; `options` are the parameters that must be static, by name or position, `obstacle` is why the function
    around cannot be compiled.
    """

    kind: Kind
    site: Frame | None
    name: str = ""
    wrapper: str = "jax.jit"
    options: list[str] = field(default_factory=list)
    obstacle: str = ""
    sites: dict[Frame, None] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    sizes: tuple[int, ...] = ()
    saving: float = 0.0
    again: list[MissGroup] = field(default_factory=list)
    """Operations with functions in them, as loops, that are compiled again on each call."""
    loops: set[Key] = field(default_factory=set)
    """The functions of such operations whose first compile is in here too."""
    akin: list[tuple[str, int]] = field(default_factory=list)
    """Other calls, and their lines, that would compile its operations, were it jitted alone: they run the same."""
    is_method: bool = False
    processes: int = 1
    """In how many processes this happened, alike in each."""

    @property
    def static(self) -> str:
        """How the wrapper is told of the options: `, static_argnames="mode"`."""
        if self.wrapper.endswith("filter_jit"):
            return ""
        numbers = [int(option) for option in self.options if option.isdigit()]
        names = [option for option in self.options if not option.isdigit()]
        told = (("static_argnums", numbers), ("static_argnames", names))
        return "".join(f", {parameter}={_one_or_all(values)}" for parameter, values in told if values)

    @property
    def programs(self) -> int:
        """How many programs there are."""
        return sum(operation.count for operation in self.operations)

    @property
    def seconds(self) -> float:
        """What they cost."""
        return sum(o.cost.total for o in self.operations) + sum(group.cost.total for group in self.again)


@dataclass(eq=False, slots=True)
class _Step:
    """One frame of a stack, with the function that it is in; frames of comprehensions are skipped."""

    frame: Frame
    module: Module
    function: Function | None
    file: str


def price(operations: Iterable[Operation]) -> float:
    """Return what a program costs whatever it computes, in this run: the cheap quarter of its operations costs less.

    One program of all of them has to compile what each computes, and saves no more than this of each.
    """
    costs = sorted(operation.cost.total / operation.count for operation in operations if operation.count)
    return costs[len(costs) // 4] if costs else 0.0


def find(model: Model, sources: Sources) -> list[Root]:
    """Return what to compile as a whole, for all operations that ran one by one, the largest saving first."""
    operations = [operation for flood in model.floods for operation in flood.programs.values()]
    each = price(operations)
    roots = _Roots(model, sources)
    growing, rest = _growing(operations, sources)
    loops = [group for group in model.misses if group.program in CONTROL and group.stack and group.compiles]
    found = [*roots.grown(growing), *roots.pooled(rest, loops)]
    flood_of = {id(operation): flood for flood in model.floods for operation in flood.programs.values()}
    for root in found:
        root.processes = len(_processes(root, flood_of)) or 1
        if root.kind == "growth":
            root.saving = root.seconds * (1 - 1 / len(root.sizes))
        elif root.kind != "library" and not root.akin:
            # Of a body one statement is one change.
            lines = _by_line(root) if root.kind == "body" else {root.site: root.operations}
            kept = 0.0 if root.kind == "unknown" else each
            savings = {at: sum(min(o.cost.total, each * o.count) for o in line) - kept for at, line in lines.items()}
            root.site = max(savings, key=lambda at: savings[at], default=root.site)
            root.saving = max(savings.get(root.site, 0.0), 0.0)
        # Once each has to be compiled.
        kept_of = {id(group): 0 if group.key in root.loops and not root.akin else 1 for group in root.again}
        root.saving += sum(group.cost.total * (1 - kept_of[id(group)] / group.compiles) for group in root.again)
        root.saving /= root.processes
    return sorted(found, key=lambda root: -root.saving)


def _by_line(root: Root) -> dict[Frame | None, list[Operation]]:
    """Return the operations of a body by their lines, each told by its first place."""
    lines: dict[object, tuple[Frame | None, list[Operation]]] = {}
    for operation in root.operations:
        at = next((frame for frame in operation.stack if frame in root.sites), None)
        lines.setdefault((at.file, at.line) if at is not None else None, (at, []))[1].append(operation)
    return dict(lines.values())


def _processes(root: Root, flood_of: dict[int, Flood]) -> set[tuple[str, str]]:
    found = [flood_of[id(operation)].processes for operation in root.operations]
    return set().union(*found, *(group.processes for group in root.again))


def _known(made: dict[object, Root], key: object, root: Root) -> Root:
    """Return the root that is known by a key, with the place of another that is the same."""
    known = made.setdefault(key, root)
    if root.site is not None:
        known.sites[root.site] = None
    return known


class _Roots:
    """Finds the roots of stacks."""

    def __init__(self, model: Model, sources: Sources) -> None:
        self._sources = sources
        self._modules: dict[str, Module | None] = {}
        self._values = model.values
        self._obstacles: dict[int, str] = {}
        self._arguments: dict[str, dict[str, str]] = {}
        """What the functions of libraries were given, by their names; none where several have the name."""
        for (file, name, _), held in model.values.items():
            if not sources.is_user(file):
                self._arguments[name] = {} if name in self._arguments else held
        self._packages = {_package(function.key.file) for function in model.functions}
        self._loops = self._functions_that_loop(model)
        self._compiled = {(function.key.file, function.key.line) for function in model.functions if function.compiles}

    def pooled(self, operations: list[Operation], loops: Sequence[MissGroup] = ()) -> list[Root]:
        """Return the roots of operations, each of them in one; of loops, those that compile again in one."""
        made = self._looping(loops)
        for operation in operations:
            key, root = self._root(operation)
            _known(made, key, root).operations.append(operation)
        for key, root in list(made.items()):
            # One call of a library's that runs two operations is not worth a program of its own.
            if root.kind == "call" and root.programs < 3 and not root.again:
                del made[key]
                for operation in root.operations:
                    _known(made, *self._body(operation)).operations.append(operation)
        for root in made.values():
            costs: dict[Frame, float] = {}
            parts = [(o.stack, o.cost.total) for o in root.operations]
            parts += [(group.stack, group.cost.total) for group in root.again]
            for stack, seconds in parts:
                for frame in stack:
                    if frame in root.sites:
                        costs[frame] = costs.get(frame, 0.0) + seconds
            root.site = max(costs, key=lambda frame: costs[frame], default=root.site)
            root.akin += self._applied(root)
        return list(made.values())

    def _applied(self, root: Root) -> Iterator[tuple[str, int]]:
        """Yield the call of `apply` beside one of `init`, which flax and haiku run by applying."""
        if root.site is None or root.kind != "call" or not root.name.endswith(".init"):
            return
        (step,) = self._chain((root.site,))
        call = _call(step)
        other = step.module.beside(call, step.function, "apply") if call is not None else None
        if other is not None:
            yield ast.unparse(other.func), other.lineno

    def _looping(self, loops: Iterable[MissGroup]) -> dict[object, Root]:
        """Return the roots, by their keys, in which loops compile again, or are the first of several."""
        made: dict[object, Root] = {}
        found = [(group, *self._root(Operation(group.program, "", group.stack))) for group in loops]
        found = [entry for entry in found if entry[2].kind in ("function", "call")]
        begun: dict[Key, tuple[object, Root]] = {}
        for group, key, root in found:
            if group.cause is causes.Cause.NEW_FUNCTION:
                begun.setdefault(group.key, (key, root))
        for group, key, root in found:
            if group.cause is not causes.Cause.REDEFINED_FUNCTION:
                continue
            first, other = begun.get(group.key, (None, root))
            # What one call compiles several times, one program has several times too.
            if (first == key or group.compiles > 1) and not runs_once(group.stack, self._sources):
                _known(made, key, root).again.append(group)
                made[key].loops.update([group.key] if first == key else [])
            if first not in (None, key):
                _known(made, first, other).akin.append((root.name, root.site.line if root.site is not None else 0))
        return made

    def grown(self, operations: list[tuple[Operation, tuple[int, ...]]]) -> list[Root]:
        """Return one root for what grows under the same outermost function."""
        made: dict[object, list[tuple[Operation, tuple[int, ...]]]] = {}
        for operation, sizes in operations:
            last = operation.stack[-1] if operation.stack else None
            made.setdefault((last.file, last.function) if last is not None else None, []).append((operation, sizes))
        roots = []
        for part in made.values():
            stacks = [operation.stack for operation, _ in part]
            common = [frames[0] for frames in zip(*(s[::-1] for s in stacks), strict=False) if len(set(frames)) == 1]
            site = common[-1] if common else stacks[0][0] if stacks[0] else None
            sizes = max((sizes for _, sizes in part), key=len)
            root = Root("growth", site, sizes=sizes, operations=[operation for operation, _ in part])
            root.sites = dict.fromkeys(stack[0] for stack in stacks if stack)
            roots.append(root)
        return roots

    # --- one stack -------------------------------------------------------------------------------------------------

    def _root(self, operation: Operation) -> tuple[object, Root]:
        if not operation.stack:
            return None, Root("unknown", None)
        chain = self._chain(operation.stack)
        if self._is_traced(operation, chain):
            return self._body(operation)
        best = 0
        for number in range(1, len(chain)):
            inner = chain[number - 1]
            if inner.function is None or self._obstacle(inner):
                break
            if self._gives_something(chain[number], inner) and not _is_of_the_world(chain[number]):
                best = number
        if best:
            return self._of_function(chain[best], chain[best - 1])
        for number in range(len(chain) - 1, 0, -1):
            # What a library calls is not the user's to compile.
            inside, step = chain[number - 1].function, chain[number]
            call = _call(step)
            if call is not None and inside is not None and not _is_named(call, inside) and _is_for_effect(step):
                return self._within(step)
        step = chain[0]
        call = _call(step)
        called = call.func if call is not None else None
        name = step.module.qualified(called.func if isinstance(called, ast.Call) else called) if called else ""
        known = name.startswith(("jax.", "numpy."))
        if call is None or not name or known or name.partition(".")[0] in _SHOWING or _is_of_the_world(step):
            return self._body(operation)
        if _is_for_effect(step) or not self._returns(step):
            return self._within(step)
        if step.module.is_discarded(call) or not self._takes(step, None):
            return self._body(operation)
        text = ast.unparse(call.func)
        root = Root("call", step.frame, text, step.module.wrapper(), self._options(step, None))
        return ("call", step.file, step.frame.line, text), root

    def _within(self, step: _Step) -> tuple[object, Root]:
        call = _call(step)
        text = ast.unparse(call.func) if call is not None else ""
        return ("library", step.file, step.frame.line, text), Root("library", step.frame, text)

    def _of_function(self, outer: _Step, inner: _Step) -> tuple[object, Root]:
        function = inner.function
        call = _call(outer)
        text = ast.unparse(call.func) if call is not None else function.name if function is not None else ""
        assert function is not None  # noqa: S101  (the caller looked)
        wrapper = inner.module.wrapper()
        if function.name == "__init__" and call is not None:
            root = Root("call", outer.frame, text, wrapper, self._options(outer, inner))
            return ("call", outer.file, outer.frame.line, text), root
        if call is not None and not _is_named(call, function):
            # A library's function called it: that is what is to be compiled.
            root = Root("call", outer.frame, text, wrapper, self._options(outer, None))
            return ("call", outer.file, outer.frame.line, text), root
        root = Root("function", outer.frame, function.name, wrapper, self._options(outer, inner))
        root.is_method = function.owner is not None
        return ("function", inner.file, function.node.lineno, function.name), root

    def _body(self, operation: Operation) -> tuple[object, Root]:
        chain = self._chain(operation.stack)
        step = chain[0]
        name = step.function.name if step.function is not None else ""
        obstacle = self._obstacle(step) if step.function is not None else ""
        traced = self._is_traced(operation, chain)
        if traced:
            obstacle = WHILE_TRACED
        root = Root("body", step.frame, name, step.module.wrapper(), obstacle=obstacle)
        return ("body", step.file, name, traced), root

    def _gives_something(self, outer: _Step, inner: _Step) -> bool:
        """Tell whether a call can be compiled: it is given something, and what it makes can be returned."""
        call = _call(outer)
        if call is None or inner.function is None or outer.module.is_discarded(call):
            return False
        called = inner if _is_named(call, inner.function) else None
        if not self._takes(outer, called) or not self._returns(outer):
            return False
        if inner.function.name == "__init__":
            return inner.module.makes_a_pytree(inner.function)
        return bool(call.args or call.keywords or isinstance(call.func, ast.Attribute))

    def _obstacle(self, step: _Step) -> str:
        function = step.function
        if function is None:
            return "it is the program itself"
        if (step.file, function.node.lineno) in self._loops:
            return "its loop calls jitted functions"
        if function.name == "main":
            return "it is the program itself"
        known = self._obstacles.get(id(function))
        if known is None:
            held = self._held(step)
            decides = next((name for name in function.options if held.get(name) == "array"), "")
            kinds = _STATIC if step.module.wrapper() == "jax.jit" else _STATIC | {"float"}
            static = frozenset(name for name in function.parameters if held.get(name) in kinds)
            known = f"the value of `{decides}` decides" if decides else step.module.obstacle(function, static)
            self._obstacles[id(function)] = known
        return known

    # --- what is passed ----------------------------------------------------------------------------------------------

    def _held(self, step: _Step) -> dict[str, str]:
        """Return what the names of a function, or of a module, were seen to hold."""
        function = step.function
        name, line = (function.name, function.first) if function is not None else ("<module>", 0)
        return self._values.get((step.file, name, line), {})

    def _given(self, outer: _Step, inner: _Step | None) -> Iterator[tuple[str, ast.expr, str]]:
        """Yield the arguments of a call: name, or number where no name is known, expression, and what it was.

        `inner` is in the function that is called, None where it is a library's.
        """
        call = _call(outer)
        if call is None:
            return
        function = inner.function if inner is not None else None
        called = ast.unparse(call.func).rpartition(".")[2]
        within = self._held(inner) if inner is not None else self._arguments.get(called, {})
        names = function.parameters if function is not None else list(within)
        if names[:1] in (["self"], ["cls"]):
            names = names[1:]
        names = names or list(map(str, range(len(call.args))))
        around = self._held(outer)
        passed = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords if k.arg)]
        for name, value in passed:
            yield name, value, within.get(name) or (around.get(value.id, "") if isinstance(value, ast.Name) else "")

    def _takes(self, outer: _Step, inner: _Step | None) -> bool:
        """Tell whether a jitted function can take what a call was given; other wrappers than `jax.jit` take more."""
        given = self._given(outer, inner)
        return outer.module.wrapper() != "jax.jit" or not any(kind == "neither" for _, _, kind in given)

    def _returns(self, outer: _Step) -> bool:
        """Tell whether a jitted function can return what a call returned."""
        call = _call(outer)
        if call is None or outer.module.wrapper() != "jax.jit":
            return True
        held = self._held(outer)
        return not any(held.get(n) in ("static", "neither") for n in outer.module.results(call, outer.function))

    def _options(self, outer: _Step, inner: _Step | None) -> list[str]:
        """Return the arguments of a call that must be static: flags, objects, and what the function decides by.

        Integers are traced only where they differ between calls: they may be sizes.
        """
        function = inner.function if inner is not None else None
        decide = function.options if function is not None else []
        objects = function.objects if function is not None else []
        found = []
        for name, value, kind in self._given(outer, inner):
            text = name in decide or _is_option(value, outer.module)
            if kind in ("int", "numbers"):
                is_static = text or not outer.module.varies(value, outer.function)
            elif kind:
                is_static = kind in ("static", "neither", "bool") or (text and kind == "float")
            else:
                is_static = text or name in objects
            if is_static:
                found.append(name)
        return found if function is None else [name for name in function.parameters if name in found]

    def _is_traced(self, operation: Operation, chain: list[_Step]) -> bool:
        """Tell whether a function around was being traced; where a log does not say, whether one is compiled."""
        return any(map(self._is_compiled, chain)) if operation.traced is None else operation.traced

    def _is_compiled(self, step: _Step) -> bool:
        function = step.function
        return function is not None and (function.is_compiled or (step.file, function.first) in self._compiled)

    def _chain(self, stack: tuple[Frame, ...]) -> list[_Step]:
        chain: list[_Step] = []
        for frame in stack:
            module = self._module(frame.file)
            function = module.function(frame.line, frame.function)
            if chain and function is not None and chain[-1].function is function and _is_comprehension(chain[-1].frame):
                continue
            chain.append(_Step(frame, module, function, frame.file))
        return chain

    def _module(self, file: str) -> Module:
        module = self._modules.get(file)
        if module is None:
            text = self._sources.text(file)
            module = self._modules[file] = Module(text.source.text if text is not None else "", self._is_seen)
        return module

    def _is_seen(self, name: str) -> bool:
        """Tell whether a module, or what is imported of it, is of the project, or of a package that jax traced."""
        parts = name.lstrip(".").split(".")
        if name.startswith(".") or parts[0] in self._packages:
            return True
        folder = self._sources.folder
        return any(os.path.isfile(os.path.join(folder, *parts[:n]) + ".py") for n in range(1, len(parts) + 1)) or (
            os.path.isdir(os.path.join(folder, parts[0]))
        )

    def _functions_that_loop(self, model: Model) -> set[tuple[str, int]]:
        """Return the functions of which a loop calls jitted functions: steps of training, say."""
        found = set()
        for frame in {frame for group in model.misses if group.compiles for frame in group.frames}:
            module = self._module(frame.file)
            function = module.function(frame.line, frame.function)
            if function is not None and not isinstance(function.node, ast.Lambda):
                loops = (node for node in ast.walk(function.node) if isinstance(node, ast.For | ast.While))
                if any(loop.lineno <= frame.line <= (loop.end_lineno or 0) for loop in loops):
                    found.add((frame.file, function.node.lineno))
        return found


def _one_or_all(values: list[int] | list[str]) -> str:
    return repr(values[0] if len(values) == 1 else tuple(values)).replace("'", '"')


_STATIC = frozenset({"bool", "int", "numbers", "static", "neither"})
"""What a name held (see `events.Values`) that a jitted function has no need to trace."""
_SHOWING = frozenset({"print", "matplotlib", "wandb", "logging", "float", "int", "bool", "str", "repr"})


def _package(file: str) -> str:
    """Return the installed package that a file is of; empty where it is of none."""
    found = _INSTALLED.search(file)
    return found["package"] if found is not None else ""


_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\](?P<package>\w+)")


def _is_comprehension(frame: Frame) -> bool:
    return frame.function.endswith(("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"))


def _call(step: _Step) -> ast.Call | None:
    frame = step.frame
    found = step.module.call(frame.line, frame.column, frame.end_line, frame.end_column)
    return found if isinstance(found, ast.Call) else None


def _is_named(call: ast.Call, function: Function) -> bool:
    """Tell whether a call is of a function, and not of a library's that calls it."""
    return function.name in ("__init__", ast.unparse(call.func).rpartition(".")[2])


def _is_for_effect(step: _Step) -> bool:
    """Tell whether a call is of a method that changes its object, as nothing uses its result; nnx jits such."""
    call = _call(step)
    if call is None or not step.module.is_discarded(call) or step.module.wrapper() == "nnx.jit":
        return False
    return isinstance(call.func, ast.Attribute)


def _is_of_the_world(step: _Step) -> bool:
    """Tell whether a call is a method of an object that was made by a package which acts outside of jax."""
    call = _call(step)
    node: ast.expr | None = call.func if call is not None else None
    for _ in range(_MADE_OF):
        name = step.module.qualified(node) if node is not None else ""
        if step.module.acts(name):
            return True
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name) or call is None:
            return False
        made = step.module.made(node.id, call, step.function) or step.module.made(node.id, call, None)
        value = made.value if isinstance(made, ast.Assign | ast.AnnAssign) else None
        node = value.func if isinstance(value, ast.Call) else None
    return False


def _is_option(node: ast.expr, module: Module) -> bool:
    """Tell whether an argument is text, a flag or a function."""
    if isinstance(node, ast.Name):
        return module.named(node.id) is not None or module.qualified(node).startswith(("jax.", "numpy."))
    return isinstance(node, ast.Lambda) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bool))


# --- what grows ------------------------------------------------------------------------------------------------------


def _growing(
    operations: list[Operation], sources: Sources
) -> tuple[list[tuple[Operation, tuple[int, ...]]], list[Operation]]:
    """Part operations into those of which one line ran the same for shapes that grow, with their sizes, and others."""
    alike: dict[object, list[Operation]] = {}
    for operation in operations:
        alike.setdefault((operation.stack, operation.name), []).append(operation)
    growing: list[tuple[Operation, tuple[int, ...]]] = []
    rest: list[Operation] = []
    for group in alike.values():
        if not _is_repeated(group[0].stack, sources):
            # The leaves of a tree, say.
            rest += group
            continue
        grown = list(_grown(sorted(group, key=lambda operation: operation.number)))
        growing += grown
        kept = {id(operation) for operation, _ in grown}
        rest += [operation for operation in group if id(operation) not in kept]
    return growing, rest


def _is_repeated(stack: tuple[Frame, ...], sources: Sources) -> bool:
    """Tell whether a Python loop led there."""
    texts = ((sources.text(frame.file), frame.line) for frame in stack)
    return any(text is not None and any(line in rows for rows in text.repeated) for text, line in texts)


def runs_once(stack: tuple[Frame, ...], sources: Sources) -> bool:
    """Tell whether a stack is there once in a run: no loop led to it, and the user's own lines call each other."""
    texts = [(sources.text(frame.file), frame) for frame in stack]
    if not texts or any(text is None or any(frame.line in rows for rows in text.loops) for text, frame in texts):
        return False
    calls = itertools.pairwise(stack)
    return all(inner.function.rpartition(".")[2] in sources.line(outer) for inner, outer in calls)


def _grown(operations: list[Operation]) -> Iterator[tuple[Operation, tuple[int, ...]]]:
    """Yield those of the same operation whose sizes grow by as much each time."""
    by_form: dict[object, list[tuple[Operation, tuple[int, ...]]]] = {}
    for operation in operations:
        types = causes.signature(operation.types)
        shapes = [tuple(filter(None, of.shape.split(","))) for of in types]
        if all(size.isdigit() for shape in shapes for size in shape):
            form = tuple((of.dtype, of.weak, len(shape)) for of, shape in zip(types, shapes, strict=True))
            by_form.setdefault(form, []).append((operation, tuple(int(size) for shape in shapes for size in shape)))
    for members in by_form.values():
        if len(members) < GROWN:
            continue
        columns = list(zip(*(sizes for _, sizes in members), strict=True))
        steps = [{after - before for before, after in itertools.pairwise(column)} for column in columns]
        moving = [number for number, step in enumerate(steps) if step != {0}]
        if moving and all(len(steps[number]) == 1 and min(steps[number]) > 0 for number in moving):
            for operation, _ in members:
                yield operation, columns[moving[0]]
