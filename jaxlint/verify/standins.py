"""What replaces what could not be loaded: it says so where its value would matter.

Names whose own statement failed become a `Stub`, which fails in every use.  A package that is not installed is replaced
by an `AbsentModule`: what is only called, kept or passed on (a logger, a progress bar, a base class) does nothing, and
what the code would compute with, iterate over or decide by raises StubError, so that no verdict depends on it.
"""

from __future__ import annotations

import ast
import importlib.abc
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

NOT_LOADED = "which could not be loaded"


class StubError(Exception):
    """The code used what a statement that failed, or a package that is not installed, should have defined."""


@dataclass
class Notes:
    """What was done with absent packages lately."""

    used: set[str] = field(default_factory=set)
    """Which of them were used."""
    handed: bool = False
    """Whether one was passed a function, which it might keep."""
    hashed: bool = False
    """Whether one of their objects was hashed, of which nobody knows what it is equal to."""

    def begin(self) -> None:
        """Forget what was used and hashed: a run begins."""
        self.used.clear()
        self.hashed = False


NOTES = Notes()


class Stub:
    """Replaces what a failing statement should have defined; using it says which and why."""

    def __init__(self, name: str, reason: str) -> None:
        self.jaxlint_name = name
        self.jaxlint_reason = reason

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise StubError(f"depends on {self.jaxlint_name}, {NOT_LOADED}: {self.jaxlint_reason}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(f"{self.jaxlint_name}.{name}", self.jaxlint_reason)

    def __getitem__(self, key: object) -> Any:
        # Annotations are evaluated where a function is defined.
        return self

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,) if all(isinstance(base, Stub) for base in bases) else ()

    __call__ = __iter__ = __len__ = __bool__ = __float__ = __int__ = __index__ = __enter__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _fail
    __rmatmul__ = __pow__ = __rpow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __array__ = _fail
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __abs__ = __complex__ = __round__ = _fail


class Absent(Stub):
    """Something of a package that is not installed: what it is called with has no effect."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "aval":
            raise AttributeError(name)
        # By this, arrays are told from what is none.
        return self._fail() if name == "dtype" else self._part(f".{name}")

    def __call__(self, *arguments: Any, **words: Any) -> Any:
        """Do nothing; a decorator that only hands the function on returns it."""
        self._note()
        if self.jaxlint_name in _TRANSPARENT and len(arguments) == 1 and not words and callable(arguments[0]):
            return arguments[0]
        if self.jaxlint_name in _PROGRESS and arguments:
            items = range(*arguments) if self.jaxlint_name.endswith("range") else arguments[0]
            return AbsentBar(items, self._part("()"))
        NOTES.handed = NOTES.handed or any(isinstance(v, _FUNCTIONS) for v in (*arguments, *words.values()))
        return self._part("()")

    def __getitem__(self, key: object) -> Any:
        return self._part("[...]")

    def __setitem__(self, key: object, value: object) -> None:
        self._note()

    def __enter__(self) -> Any:
        self._note()
        return self._part("()")

    def __exit__(self, *_: object) -> None:
        pass

    def __instancecheck__(self, instance: object) -> bool:
        # Where the package is not there, nothing but what represents it can be of one of its classes.
        self._note()
        return bool(self._fail()) if isinstance(instance, Absent | AbsentBase) else False

    def __subclasscheck__(self, cls: type) -> bool:
        self._note()
        return bool(self._fail()) if issubclass(cls, Absent | AbsentBase) else False

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(base for base in bases if isinstance(base, Absent))
        return (AbsentBase,) if first is self else ()

    def __hash__(self) -> int:
        NOTES.hashed = True
        return id(self)

    def __eq__(self, other: object) -> bool:
        if other is None or isinstance(other, type) or type(other).__module__ == "typing":
            # As annotations are compared, whose classes are the same only if they are one.
            return False
        return self is other or bool(self._fail())

    def __str__(self) -> str:
        return f"<{self.jaxlint_name}>"

    def __format__(self, spec: str) -> str:
        return str(self)

    def _note(self) -> None:
        NOTES.used.add(self.jaxlint_name.partition(".")[0])

    def _part(self, suffix: str) -> Absent:
        self._note()
        return Absent(self.jaxlint_name[:_LONGEST] + suffix, self.jaxlint_reason)

    __contains__ = __next__ = __await__ = __and__ = __rand__ = __xor__ = __invert__ = Stub._fail


class AbsentBase:
    """The base class of a class whose own base is not installed; its attributes are as absent as that."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take whatever the base class would take."""

    def __init_subclass__(cls, **_: Any) -> None:
        """Take whatever the base class would take."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{type(self).__name__}.{name}", "its base class is not installed")._part("")


class AbsentBar:
    """A progress bar of a package that is not installed: it gives the items that it was given."""

    def __init__(self, items: Any, bar: Absent) -> None:
        self._items, self._bar = items, bar

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._bar, name)


class AbsentModule(types.ModuleType):
    """A module of a package that is not installed."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__all__: list[str] = []
        self.__dict__["_jaxlint_reason"] = reason

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        NOTES.used.add(self.__name__.partition(".")[0])
        return Absent(f"{self.__name__}.{name}", self.__dict__["_jaxlint_reason"])


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a package that nobody else finds, where the user's code imports it and cannot do without.

    `is_user` tells by its file name whether code is the user's; `trees` has the parsed text of files that are not as
    they are on disk.  What the code imports in a `try` that handles the failure is left to fail.
    """

    def __init__(self, is_user: Callable[[str], bool], trees: dict[str, ast.Module]) -> None:
        self._is_user = is_user
        self._trees = trees
        self._guarded: dict[str, list[range]] = {}
        self.names: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Return a spec for a module of a package that is not there."""
        top, _, rest = name.partition(".")
        if top in sys.builtin_module_names or top in sys.stdlib_module_names or _is_of_jax(top):
            return None
        if rest and top not in self.names:
            return None
        if not self._is_needed(sys._getframe(1)):
            return None
        self.names.add(name)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """Return what replaces the module."""
        return AbsentModule(spec.name, f"No module named {spec.name.partition('.')[0]!r}")

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""

    def _is_needed(self, frame: types.FrameType | None) -> bool:
        """Tell whether code of the user's imports something by a statement, and nothing handles that it is missing."""
        while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        if frame is None or not self._is_user(frame.f_code.co_filename):
            return False
        while frame is not None:
            file = frame.f_code.co_filename
            if self._is_user(file) and any(frame.f_lineno in lines for lines in self._guards(file)):
                return False
            frame = frame.f_back
        return True

    def _guards(self, file: str) -> list[range]:
        """Return the lines of a file where a failing import is handled."""
        if file not in self._guarded:
            tree = self._trees.get(file)
            try:
                tree = tree or ast.parse(Path(file).read_bytes())
            except (OSError, SyntaxError, ValueError):
                tree = ast.Module([], [])
            self._guarded[file] = [lines for node in ast.walk(tree) for lines in _guarded_by(node)]
        return self._guarded[file]

    def close(self) -> None:
        """Take out of this process what was found."""
        for name in self.names:
            sys.modules.pop(name, None)
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def _guarded_by(node: ast.AST) -> list[range]:
    """Return the lines in which a statement handles that a module is missing."""
    if isinstance(node, ast.Try):
        caught = {name for handler in node.handlers for name in _names(handler.type)}
    elif isinstance(node, ast.With):
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        caught = {name for call in calls for argument in call.args for name in _names(argument)}
    else:
        return []
    if not caught & _HANDLING:
        return []
    return [range(node.body[0].lineno, (node.body[-1].end_lineno or node.body[-1].lineno) + 1)]


def _names(node: ast.expr | None) -> list[str]:
    if node is None:
        return ["BaseException"]
    return [
        n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)
    ]


def _is_of_jax(name: str) -> bool:
    """Tell whether a package is of those that compile, or have compiled, what they are given."""
    return "jax" in name or name in _COMPILING


_FUNCTIONS = (types.FunctionType, types.MethodType)
_HANDLING = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_LONGEST = 120
_PROGRESS = frozenset(
    (
        *(f"tqdm.{module}{name}" for module in ("", "auto.", "notebook.", "rich.") for name in ("tqdm", "trange")),
        "rich.progress.track",
    )
)
"""Progress bars over the items that are passed first."""
_TRANSPARENT = frozenset(
    (
        *("hydra.main()", "gin.configurable", "gin.configurable()", "pyrallis.wrap()", "draccus.wrap()"),
        *("click.command()", "click.group()", "click.option()", "click.argument()", "typer.Typer().command()"),
        *("beartype.beartype", "typeguard.typechecked"),
    )
)
"""Decorators that call the function as it is, each time that they are called."""
_COMPILING = frozenset(
    "flax optax haiku equinox numpyro chex distrax rlax brax orbax diffrax optimistix lineax objax trax elegy treex"
    " penzai levanter evosax gymnax jumanji mctx pgx ott netket numba tensorflow_probability dynamax".split()
)
