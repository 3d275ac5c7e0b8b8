"""The wrapper table: what each function that takes a function does with it.  The data is `wrappers.toml`."""

from __future__ import annotations

import functools
import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jaxlint.settings import Settings

KINDS = ("compile", "transform", "control-flow", "inspect", "partial", "register", "host", "map-leaves")
COMPARES = ("identity", "equality", "pytree", "wrapper")
RESULTS = ("callable", "value", "pair", "record")
SCALARS = ("static", "traced")
EAGER = ("never", "fresh", "always")
COLUMNS = ("like", "kind", "compares", "traces", "static", "result", "stages", "hides", "maps", "scalars", "eager")
"""The columns that `[tool.jaxlint.wrappers."dotted.name"]` may have; `like` names a known wrapper whose columns are
taken over where they are not given."""

_STAGING_KINDS = ("compile", "control-flow")
_HIDING_KINDS = (*_STAGING_KINDS, "inspect")
_CALLABLE_KINDS = ("compile", "transform", "partial")


class WrapperError(ValueError):
    """A configured wrapper cannot be used; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """One line of the table; `wrappers.toml` says what the columns mean."""

    name: str
    kind: str
    compares: str = "identity"
    traces: tuple[int | str, ...] = (0,)
    static: tuple[str, ...] = ()
    result: str = "value"
    stages: bool = True
    hides: bool = True
    maps: bool = False
    scalars: str = "traced"
    eager: str = "never"

    @property
    def library(self) -> str:
        """The first part of the dotted name."""
        return self.name.partition(".")[0]

    @property
    def compiles(self) -> bool:
        """Whether it makes a jitted function."""
        return self.kind == "compile"

    @property
    def keeps_arguments(self) -> bool:
        """Whether the function that it makes takes the same arguments as the one that it is given."""
        return self.compiles or self.name in _KEEPING_ARGUMENTS

    @property
    def traces_numbers(self) -> bool:
        """Whether Python numbers among what the function is given are traced as well, unless they are static.

        `grad` and `vmap` leave those as they are that they neither differentiate by nor map over.
        """
        if self.library != "jax" or not self.hides:
            return False
        return self.kind in ("compile", "control-flow") or self.name in _TRACING_NUMBERS

    @property
    def differentiates(self) -> str:
        """By which arguments it differentiates unless it is told otherwise: the `first`, `all` of them, or none."""
        return "first" if self.name in _BY_FIRST else "all" if self.name in _BY_ALL else ""

    @property
    def hides_captured(self) -> bool:
        """Whether arrays that the function captures lose their values as well, and not only what it is given."""
        return self.stages or (self.hides and not self.maps)

    @property
    def makes_callable(self) -> bool:
        """Whether a call gives a function that represents the one it was given."""
        return self.result == "callable"


_BY_FIRST = frozenset(f"jax.{name}" for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian"))
_BY_ALL = frozenset({"jax.vjp", "jax.jvp", "jax.linearize"})
_TRACING_NUMBERS = frozenset({"jax.checkpoint", "jax.eval_shape", "jax.make_jaxpr"})
_KEEPING_ARGUMENTS = frozenset(
    f"jax.{name}"
    for name in ("grad", "value_and_grad", "vmap", "checkpoint", "hessian", "jacfwd", "jacrev", "named_call")
)


def table(settings: Settings) -> Mapping[str, Wrapper]:
    """Return every known wrapper by each of its dotted names, the configured ones included.

    Raises:
        WrapperError: a configured wrapper has an unknown column value, or is `like` something unknown.
    """
    known = _built_in()
    if not settings.wrappers:
        return known
    merged = dict(known)
    for name, columns in settings.wrappers.items():
        merged[name] = _configured(name, columns, known)
    return merged


@functools.cache
def known_last_names() -> frozenset[str]:
    """Return the last part of the dotted name of each wrapper that comes with jaxlint."""
    return frozenset(name.rpartition(".")[2] for name in _built_in())


@functools.cache
def _built_in() -> Mapping[str, Wrapper]:
    found: dict[str, Wrapper] = {}
    data = pkgutil.get_data(__name__, "wrappers.toml") or b""
    for name, columns in tomllib.loads(data.decode()).items():
        for alias in (name, *columns.get("aliases", ())):
            found[alias] = _wrapper(name, columns)
    return found


def _wrapper(name: str, columns: Mapping[str, Any]) -> Wrapper:
    kind = columns["kind"]
    return Wrapper(
        name=name,
        kind=kind,
        compares=columns.get("compares", "identity"),
        traces=tuple(columns.get("traces", (0,))),
        static=tuple(columns.get("static", ())),
        result=columns.get("result", "callable" if kind in _CALLABLE_KINDS else "value"),
        stages=columns.get("stages", kind in _STAGING_KINDS),
        hides=columns.get("hides", columns.get("stages", kind in _HIDING_KINDS)),
        maps=columns.get("maps", False),
        scalars=columns.get("scalars", "traced"),
        eager=columns.get("eager", "never"),
    )


def _configured(name: str, columns: Mapping[str, Any], known: Mapping[str, Wrapper]) -> Wrapper:
    base: dict[str, Any] = {}
    like = columns.get("like")
    if like is not None:
        if like not in known:
            raise WrapperError(f"wrapper {name!r} is like {like!r}, which is not a known wrapper")
        row = known[like]
        base = {key: getattr(row, key) for key in COLUMNS if key != "like"}
    base.update({key: value for key, value in columns.items() if key != "like"})
    base.setdefault("kind", "compile")
    for key, allowed in (
        ("kind", KINDS),
        ("compares", COMPARES),
        ("result", RESULTS),
        ("scalars", SCALARS),
        ("eager", EAGER),
    ):
        if key in base and base[key] not in allowed:
            raise WrapperError(f"wrapper {name!r}: {key} is {base[key]!r}, must be one of {', '.join(allowed)}")
    return _wrapper(name, base)
