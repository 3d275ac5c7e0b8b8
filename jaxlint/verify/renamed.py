"""Names that jax and NumPy once had for what they call otherwise today, for code that has not followed.

Where the code under test asks a module for such a name, it is given what it meant, and that is noted.  Libraries get
the same answer as ever.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import sys
import types
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from typing import Any

USED: set[str] = set()
"""The names that were asked for since the module under test was loaded."""


class Renamed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the user's code, told by the name of its file, names that are no longer there, until `close`."""

    def __init__(self, is_user: Callable[[str], bool]) -> None:
        self._is_user = is_user
        self._before: list[tuple[types.ModuleType, Any]] = []
        self._modules: list[str] = []
        USED.clear()
        sys.meta_path.append(self)
        for owner, names in _NAMES.items():
            module = sys.modules.get(owner)
            if module is not None:
                self._before.append((module, vars(module).get("__getattr__")))
                vars(module)["__getattr__"] = self._getter(module, names)
        if "jax.config" not in sys.modules:
            # To import it would put it in the place of the object of that name.
            sys.modules["jax.config"] = _copy("jax.config", "jax.config")
            self._modules.append("jax.config")

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Return a spec for a module that has another name today."""
        return ModuleSpec(name, self) if name in _MODULES else None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """Return a module with what the one of today has."""
        USED.add(spec.name)
        self._modules.append(spec.name)
        return _copy(spec.name, _MODULES[spec.name])

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""

    def _getter(self, module: types.ModuleType, names: dict[str, str]) -> Callable[[str], Any]:
        before = vars(module).get("__getattr__")

        def found(name: str) -> Any:
            if name in names and self._is_user(sys._getframe(1).f_code.co_filename):
                with contextlib.suppress(ImportError, AttributeError):
                    value = _found(names[name])
                    USED.add(f"{module.__name__}.{name}")
                    return value
            if before is None:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return before(name)

        return found

    def close(self) -> None:
        """Take it all back."""
        for module, before in self._before:
            vars(module).pop("__getattr__", None)
            if before is not None:
                vars(module)["__getattr__"] = before
        for name in self._modules:
            sys.modules.pop(name, None)
            owner, _, last = name.rpartition(".")
            if name in _MODULES:
                vars(sys.modules[owner]).pop(last, None)
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._before, self._modules = [], []


def _found(name: str) -> Any:
    owner, _, last = name.rpartition(".")
    module = importlib.import_module(owner)
    try:
        return getattr(module, last)
    except AttributeError:
        return importlib.import_module(name)


def _copy(name: str, source: str) -> types.ModuleType:
    """Return a module of another name with what one has; `jax.config` is no module any more, but has an object."""
    module = types.ModuleType(name)
    value = _found(source)
    if isinstance(value, types.ModuleType):
        vars(module).update({n: v for n, v in vars(value).items() if not n.startswith("__")})
    else:
        vars(module)[source.rpartition(".")[2]] = value
    return module


_TREE = ("flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten")
_NAMES = {
    "jax": {
        **{f"tree_{name}": f"jax.tree_util.tree_{name}" for name in _TREE},
        "tree_multimap": "jax.tree_util.tree_map",
        "host_id": "jax.process_index",
        "host_count": "jax.process_count",
        "linear_util": "jax.extend.linear_util",
    },
    "jax.tree_util": {"tree_multimap": "jax.tree_util.tree_map"},
    "jax.random": {"KeyArray": "jax.Array", "PRNGKeyArray": "jax.Array"},
    "jax.numpy": {
        "DeviceArray": "jax.Array",
        "product": "jax.numpy.prod",
        "cumproduct": "jax.numpy.cumprod",
        "alltrue": "jax.numpy.all",
        "sometrue": "jax.numpy.any",
        "in1d": "jax.numpy.isin",
        "trapz": "jax.numpy.trapezoid",
        "row_stack": "jax.numpy.vstack",
        "round_": "jax.numpy.round",
    },
    "jax.nn": {"normalize": "jax.nn.standardize"},
    "jax.experimental": {
        "stax": "jax.example_libraries.stax",
        "optimizers": "jax.example_libraries.optimizers",
    },
    "numpy": {
        "float": "builtins.float",
        "int": "builtins.int",
        "object": "builtins.object",
        "str": "builtins.str",
        "complex": "builtins.complex",
        "float_": "numpy.float64",
        "NaN": "numpy.nan",
        "Inf": "numpy.inf",
        "product": "numpy.prod",
        "cumproduct": "numpy.cumprod",
        "alltrue": "numpy.all",
        "sometrue": "numpy.any",
        "in1d": "numpy.isin",
        "trapz": "numpy.trapezoid",
        "row_stack": "numpy.vstack",
    },
}
_MODULES = {
    "jax.experimental.stax": "jax.example_libraries.stax",
    "jax.experimental.optimizers": "jax.example_libraries.optimizers",
    "jax.linear_util": "jax.extend.linear_util",
}
