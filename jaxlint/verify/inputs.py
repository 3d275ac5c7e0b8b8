"""Makes values to call a function with: what each may be, from its type, its use and its name, and the value itself.

Every axis of every array has the same size, so that products, sums and concatenations fit and only ranks and types of
elements remain to be found.  Which of the choices for each value lets a function run is `search`'s to find out.
"""

from __future__ import annotations

import abc
import ast
import contextlib
import enum
import functools
import importlib
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from .standins import Stub
from .uses import OMITTED, SUPER, Callee, Definitions, FunctionUses, Use, joined

SIZE = 8
"""The size of every axis: even, and divisible by the integers that are given."""


class NoInputError(Exception):
    """A value cannot be made; the text says why, `path` which."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to fill a place: its kind, what the kind needs to know, and whether the code itself gives it."""

    kind: str
    data: Any = None
    given: bool = False
    free: bool = False
    """Nothing says how many axes it has."""

    @functools.cached_property
    def key(self) -> tuple[str, str]:
        """What tells it from others; a default may be an array, which is not equal to anything."""
        return self.kind, repr(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        if self.kind == "static":
            return repr(self.data)[:40]
        if self.kind == "made":
            return f"{self.data[0].__name__}.{self.data[1]}"
        if self.kind == "bare":
            return f"{self.data.__name__} without its constructor"
        if self.kind == "prepared":
            return f"{self.data[0].__name__} after {self.data[1]}"
        if self.kind == "library":
            return f"optax.{self.data.func.__name__}"
        if self.kind in ("instance", "function"):
            return getattr(self.data, "__name__", str(self.data))
        return self.kind


@dataclass
class Slot:
    """A place that a value is needed for."""

    choices: list[Choice]
    use: Use


@dataclass(frozen=True)
class State:
    """Which choice is taken for each path that does not take its first, and which axes have another size."""

    choices: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[tuple[str, int], int] = field(default_factory=dict)
    distinct: bool = False
    """Whether the numbers of an array, or of a sequence, differ, where they are all one otherwise."""
    scale: int = 1
    """How many times as long every axis is."""
    integers: int = 1
    """How many times as large every integer is."""
    rank: int | None = None
    """How many axes those arrays have of which nothing says it."""
    even: bool = False
    """Whether integers of which nothing is known are as large as axes are."""
    device: frozenset[str] = frozenset()
    """The paths of arrays that are of jax, where nothing says whether they are of NumPy."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from other states."""
        return (
            tuple(sorted(self.choices.items())),
            tuple(sorted(self.sizes.items())),
            self.distinct,
            self.scale,
            self.integers,
            self.rank,
            self.even,
            self.device,
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as what `json.dumps` takes."""
        return {
            "choices": dict(self.choices),
            "sizes": [[path, axis, size] for (path, axis), size in self.sizes.items()],
            "distinct": self.distinct,
            "rank": self.rank,
            "even": self.even,
            "device": sorted(self.device),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> State:
        """Return what `as_json` was called on."""
        sizes = {(path, axis): size for path, axis, size in data["sizes"]}
        return cls(
            data["choices"],
            sizes,
            data["distinct"],
            rank=data["rank"],
            even=data["even"],
            device=frozenset(data["device"]),
        )

    def choosing(self, changes: Mapping[str, int]) -> State:
        """Return the state with other choices."""
        return replace(self, choices={**self.choices, **changes})

    def sizing(self, path: str, axis: int, size: int) -> State:
        """Return the state with another size for one axis."""
        return replace(self, sizes={**self.sizes, (path, axis): size})


class Record:
    """A value with attributes that jax can take apart, as it can a state or a batch."""

    def __init__(self, make: Callable[[str], Any], values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self.__dict__["_make"] = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("replace", "_replace"):
            return self._changed
        value = self.__dict__[name] = self.__dict__["_make"](name)
        return value

    def __deepcopy__(self, memo: dict[int, Any]) -> Record:
        # Not what makes its attributes.
        return self._changed()

    def _changed(self, **changes: Any) -> Record:
        fields = {name: value for name, value in self.__dict__.items() if name != "_make"}
        return Record(self.__dict__["_make"], {**fields, **changes})


class Opaque:
    """A value with attributes, made when they are asked for."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self.__dict__["_make"] = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.__dict__[name] = self.__dict__["_make"](name)
        return value

    def __deepcopy__(self, memo: dict[int, Any]) -> Opaque:
        copied = Opaque(self.__dict__["_make"])
        copied.__dict__.update(self.__dict__)
        return copied


class Synthesis:
    """Knows the choices for every place in calls of one function of one module."""

    def __init__(
        self,
        jax: Any,
        module: types.ModuleType,
        definitions: Definitions,
        paused: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
        is_user: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.jax = jax
        self.paused = paused
        """Inside this, what is in for a function computes without being counted."""
        self.handed = False
        """Whether something that is in for a function was given one, or what is compiled of it."""
        self.host = False
        """Whether arrays that may be of NumPy are, with which nothing is run on a device."""
        self.module = module
        self.definitions = definitions
        self._arrays: dict[tuple[Any, ...], Any] = {}
        self._others: dict[str, Definitions] = {module.__name__: definitions}
        self._is_user = is_user
        definitions.elsewhere = functools.partial(self._callee, module)
        tree_util = jax.tree_util
        if Record not in _registered:
            _registered.add(Record)
            tree_util.register_pytree_node(Record, _flatten_record, _unflatten_record)
            tree_util.register_pytree_node(Model, lambda model: ((), model), lambda model, _: model)

    def array(self, shape: tuple[int, ...], dtype: str, *, distinct: bool = False) -> Any:
        """Return an array of ones, or of distinct numbers; zeros of an integer type, as they may be indices."""
        key = (shape, dtype, distinct)
        if key not in self._arrays:
            numpy = importlib.import_module("numpy")
            with self.jax.ensure_compile_time_eval():
                if dtype == "key":
                    value = self.jax.random.key(0)
                    value = value if not shape else self.jax.random.split(value, shape)
                elif dtype == "oldkey":
                    value = self.jax.random.PRNGKey(0)
                else:
                    make: Any = numpy.zeros if dtype.startswith("int") else numpy.ones
                    if distinct and dtype.startswith(("float", "bfloat", "int")):
                        make = _distinct
                    # NumPy knows the types of jax by their classes, not by their names.
                    value = self.jax.device_put(make(shape, self.jax.numpy.dtype(dtype)))
            self._arrays[key] = value
        return self._arrays[key]

    def on_host(self, value: Any) -> Any:
        """Return a value with arrays of NumPy in place of those of jax."""
        jax = self.jax

        def moved(leaf: Any) -> Any:
            known = isinstance(leaf, jax.Array) and not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
            return jax.device_get(leaf) if known else leaf

        return jax.tree.map(moved, value)

    def choices(
        self, name: str, use: Use, annotation: Any, default: Any, literals: Sequence[object] = ()
    ) -> list[Choice]:
        """Return what may fill a place, the likeliest first."""
        found: list[Choice] = []
        if default is not inspect.Parameter.empty:
            found.append(Choice("static", default, given=True))
        constants = [Choice("static", value, given=True) for value in literals if value is not OMITTED]
        # What all visible callers give something else for is not left at its default.
        found = found + constants if OMITTED in literals or not literals else constants + found
        if name == "init" and use.arguments is not None:
            # That of a model or an optimizer.
            found.append(Choice("function", "variables"))
        typed = self._by_type(annotation, use)
        if typed and typed[0].kind == "array" and (use.key or _KEY.match(name)):
            found += self._by_use(name, use)[:3]
        found += typed
        if not found or default is None:
            found += self._by_use(name, use)
        for text in use.classes:
            found += self._by_type(text, use)
        if default is not inspect.Parameter.empty and default is not None:
            found += self._by_use(name, use)[:4]
        found += _FALLBACKS if annotation in (None, inspect.Parameter.empty) or len(found) < 2 else []
        return list({choice.key: choice for choice in found}.values())

    # --- types ------------------------------------------------------------------------------------------------------

    def _by_type(self, annotation: Any, use: Use) -> list[Choice]:  # noqa: C901
        if isinstance(annotation, Stub) or annotation in (None, inspect.Parameter.empty, Any, object):
            return []
        if isinstance(annotation, str):
            text = annotation
            annotation = self._evaluated(text)
            if isinstance(annotation, str):
                return self._by_text(text, use)
        if isinstance(annotation, typing.TypeVar):
            bounds = annotation.__constraints__ or (annotation.__bound__,)
            return [choice for bound in bounds for choice in self._by_type(bound, use)]
        shape = getattr(annotation, "dims", None)
        if shape is not None and hasattr(annotation, "dtypes"):
            return self._jaxtyping(annotation, use)
        origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Literal:
            return [Choice("static", value) for value in inner]
        if origin in (typing.Union, types.UnionType):
            return [c for part in inner if part is not type(None) for c in self._by_type(part, use)]
        if origin is typing.Annotated:
            return self._by_type(inner[0], use)
        if origin is not None and isinstance(origin, type) and issubclass(origin, tuple):
            if inner[-1:] == (Ellipsis,):
                return [Choice("sequence", (tuple, inner[0], use.items or 2))]
            return [Choice("sequence", (tuple, inner, len(inner)))]
        if origin is not None and isinstance(origin, type) and issubclass(origin, list | _Sequence):
            return [Choice("sequence", (list, inner[0] if inner else None, use.items or 2))]
        if origin is not None and isinstance(origin, type) and issubclass(origin, dict | _Mapping):
            return [Choice("dict", tuple(use.keys) or ("a", "b"))]
        if origin is _Callable or annotation in (_Callable, typing.Callable):
            return _functions(use)
        if isinstance(annotation, type):
            return self._by_class(annotation, use)
        return self._by_text(str(annotation), use)

    def _by_class(self, cls: type, use: Use) -> list[Choice]:  # noqa: C901 (one case for each kind)
        if cls is bool:
            return _FLAGS
        if cls is int:
            return _INTEGERS
        if cls is float:
            return [Choice("static", 0.5), Choice("static", 1.0)]
        if cls.__name__ == "Rngs" and cls.__module__.startswith("flax"):
            return [Choice("factory", functools.partial(cls, 0))]
        if cls is str:
            return [Choice("static", text) for text in use.texts] or [Choice("static", "a")]
        if cls in (tuple, list):
            return [Choice("sequence", (cls, None, use.items or 2))]
        if cls is dict:
            return [Choice("dict", tuple(use.keys) or ("a", "b"))]
        if issubclass(cls, PurePath):
            return [Choice("static", cls("a"))]
        if issubclass(cls, enum.Enum):
            return [Choice("static", member) for member in list(cls)[:4]]
        if cls.__module__.split(".")[0] in ("jax", "jaxlib", "numpy", "jaxtyping", "chex"):
            return self._by_text(cls.__name__, use)
        if getattr(cls, "_is_protocol", False):
            return _functions(use) if use.arguments is not None else [Choice("opaque")]
        if cls.__module__.startswith("optax.") and cls.__name__.startswith("GradientTransformation"):
            return [*_optimizers(), *instances(cls)]
        called = [Choice("model")] if use.arguments is not None else []
        return [*instances(cls), *called, Choice("record"), Choice("opaque")]

    def definitions_of(self, value: type | types.FunctionType) -> Definitions:
        """Return the functions of the file that a class or function is defined in."""
        name = value.__module__
        if name not in self._others:
            tree = ast.Module([], [])
            module = sys.modules.get(name)
            with contextlib.suppress(OSError, SyntaxError, ValueError, TypeError):
                tree = ast.parse(Path(str(getattr(module, "__file__", None))).read_bytes())
            self._others[name] = Definitions(tree)
            if module is not None:
                self._others[name].elsewhere = functools.partial(self._callee, module)
        return self._others[name]

    def _callee(self, module: types.ModuleType, name: str, owner: str) -> Callee | None:
        """Return the function of the user's that a name means in a module, or in a method of one of its classes."""
        value: Any = module
        if name.startswith(("self.", SUPER)):
            cls = vars(module).get(owner)
            bases = cls.__mro__[name.startswith(SUPER) : -1] if isinstance(cls, type) else ()
            method = name.rpartition(".")[2]
            value = next((vars(base)[method] for base in bases if method in vars(base)), None)
        else:
            for part in name.split("."):
                value = inspect.getattr_static(value, part, None)
        if isinstance(value, type):
            value = next((vars(base)["__init__"] for base in value.__mro__[:-1] if "__init__" in vars(base)), None)
        function = inspect.unwrap(getattr(value, "__func__", value))
        if not isinstance(function, types.FunctionType) or not self._is_user(function.__code__.co_filename):
            return None
        definitions = self.definitions_of(function)
        node = definitions.get(function.__qualname__)
        return (node, function.__qualname__.rpartition(".")[0], definitions) if node is not None else None

    def method(self, cls: type, name: str) -> Callee | None:
        """Return the text of a method as instances of a class have it."""
        for base in cls.__mro__[:-1]:
            definitions = self.definitions_of(base)
            node = definitions.get(f"{base.__name__}.{name}")
            if node is not None or name in vars(base):
                return (node, base.__name__, definitions) if node is not None else None
        return None

    def setting(self, cls: type, attribute: str) -> list[str]:
        """Return the methods of a class that set an attribute that its constructor does not set."""
        bases = cls.__mro__[:-1]
        found = [name for base in bases for name in self.definitions_of(base).storing(base.__name__, attribute)]
        return list(dict.fromkeys(found))

    def kept(self, cls: type) -> dict[str, Use]:
        """Return what the methods of a class and its bases do with what its constructor is given."""
        found: dict[str, Use] = {}
        for base in cls.__mro__[:-1]:
            for name, use in self.definitions_of(base).of_attributes(base.__name__).items():
                found[name] = joined(found.get(name, Use()), use)
        return found

    def _by_text(self, text: str, use: Use) -> list[Choice]:
        match = re.search(r"\b(Float|Int|Bool|Shaped|Num|Real|Inexact|Key)\w*\[[^,\]]+,\s*['\"]([^'\"]*)['\"]\]", text)
        if match:
            dtype = {"Int": "int32", "Bool": "bool", "Key": "key"}.get(match[1], "float32")
            return [Choice("array", (len(match[2].split()), dtype))]
        if re.search(r"PRNGKey|KeyArray|PRNGSequence", text):
            return [Choice("array", (0, "key")), Choice("array", (0, "oldkey"))]
        if re.search(r"\bCallable\b|Fn\b|\bFunction\b", text):
            return _functions(use)
        if re.search(r"PyTree|ArrayTree|Params|ArrayLikeTree", text):
            return [Choice("dict", tuple(use.keys) or ("a", "b")), *self._by_use("", use)]
        if re.search(r"\b(Array|ndarray|ArrayLike|Tensor|Numeric|Scalar|DeviceArray)\b", text):
            return [c for c in self._by_use("", use) if c.kind == "array"] or _arrays(use)
        simple = {"int": int, "float": float, "bool": bool, "str": str}
        for word, cls in simple.items():
            if re.fullmatch(rf"(typing\.)?(Optional\[)?{word}\]?( ?\| ?None)?", text):
                return self._by_class(cls, use)
        return []

    def _jaxtyping(self, annotation: Any, use: Use) -> list[Choice]:
        words = str(getattr(annotation, "dtypes", ""))
        dtype = "int32" if "int" in words and "float" not in words else "bool" if "float" not in words else "float32"
        rank = sum(not word.startswith("*") and word != "..." for word in str(annotation.dim_str).split())
        sizes = tuple(int(word) if word.isdigit() else SIZE for word in str(annotation.dim_str).split())
        plain = len(sizes) == rank and "key" not in words
        array = Choice("array", (sizes if plain else rank, dtype if "key" not in words else "key"), given=plain)
        # What is asked for the length of something is an array only in name.
        return [*(_INTEGERS if use.size and dtype == "int32" and not rank else ()), array]

    def _evaluated(self, text: str) -> Any:
        try:
            return eval(text, dict(self.module.__dict__))
        except Exception:  # noqa: BLE001 (whatever the annotation does, its text is left)
            return text

    def _by_attributes(self, use: Use) -> list[Choice]:
        """Return the classes that the module defines or imports, and that have all the attributes that are used."""
        found = []
        classes = [value for value in list(vars(self.module).values()) if isinstance(value, type)]
        for value in sorted(classes, key=lambda cls: cls.__module__ != self.module.__name__):
            if value.__module__.split(".")[0] in _NOT_ASKED:
                continue
            known = set(dir(value)) | set(getattr(value, "__dataclass_fields__", ()))
            for base in value.__mro__[:-1]:
                known |= self.definitions_of(base).attributes(base.__name__)
            if known >= set(use.attributes):
                found += instances(value)
        return found[:_CLASSES]

    # --- uses and names -----------------------------------------------------------------------------------------------

    def _by_use(self, name: str, use: Use) -> list[Choice]:  # noqa: C901
        arrays = set(use.attributes) & ARRAY_ATTRIBUTES
        if use.texts:
            return [Choice("static", text) for text in use.texts]
        if _MODEL.match(name):
            made = _optimizers() if "update" in use.attributes else []
            return [*made, Choice("model"), *(_functions(use) if use.arguments is not None else []), Choice("opaque")]
        if use.arguments is not None or _FUNCTION.match(name):
            return _functions(use)
        flax = sys.modules.get("flax.nnx")
        if name == "rngs" and flax is not None:
            return [Choice("factory", functools.partial(flax.Rngs, 0))]
        if use.key or (_KEY.match(name) and not use.attributes):
            return [
                Choice("array", (0, "key")),
                Choice("array", (0, "oldkey")),
                Choice("array", (1, "key")),
                *_arrays(use)[:2],
            ]
        if use.keys:
            return [Choice("dict", tuple(use.keys))]
        if use.attributes and not arrays:
            return [*self._by_attributes(use), Choice("record"), Choice("opaque")]
        if use.items is not None and use.rank is None:
            return [Choice("sequence", (tuple, None, use.items)), *_arrays(use)[:2]]
        if use.tree:
            return [Choice("dict", ("a", "b")), *_arrays(use)]
        if use.rank is not None:
            # The name may have been given another value by then.
            return [*(Choice("array", (use.rank, kind)) for kind in ("float32", "int32")), *_arrays(use)]
        found = []
        if _SHAPE.match(name) and not arrays:
            found += [Choice("sequence", (tuple, int, count)) for count in (2, 3, 1, 4)]
        # What is indexed, multiplied as a matrix or iterated over is no number, whatever its name.
        number = not arrays and not use.iterated and not use.least_rank
        if (use.size and not arrays) or (number and _INTEGER.match(name)):
            found += _INTEGERS
        if (use.flag and not use.least_rank and not arrays) or _FLAG.match(name):
            found += _FLAGS
        if use.numbers and not arrays and not found:
            found += [Choice("static", number) for number in use.numbers]
        if use.iterated and not arrays:
            found += [Choice("array", (2, "float32")), Choice("sequence", (list, None, 2))]
        if _INDEX.match(name) or (use.index and not use.least_rank):
            found += [
                Choice("array", (1, "int32")),
                Choice("array", (0, "int32")),
                Choice("array", (2, "int32")),
                *_INTEGERS[:1],
            ]
        if number and _NUMBER.match(name):
            found += [Choice("static", 0.5)]
        if _TREE_NAME.match(name) and not arrays and not use.least_rank:
            found += [*_arrays(use)[:2], Choice("dict", ("a", "b"))]
        return found + _arrays(use)


class World:
    """The values of one try: makes what each path asks for, once, and notes what was asked."""

    def __init__(self, synthesis: Synthesis, slots: dict[str, Slot], state: State) -> None:
        self._synthesis = synthesis
        self._slots = slots
        self._state = state
        self.jax = synthesis.jax
        self._values: dict[str, Any] = {}
        self._uses: FunctionUses | None = None
        self.touched: dict[str, None] = {}

    def value(
        self,
        path: str,
        name: str,
        use: Use,
        annotation: Any = None,
        default: Any = inspect.Parameter.empty,
        literals: Sequence[object] = (),
    ) -> Any:
        """Return what is at a path.

        Raises:
            NoInputError: nothing can be made for it.
        """
        if path not in self._values:
            slot = self._slots.get(path)
            if slot is None:
                slot = Slot(self._synthesis.choices(name, use, annotation, default, literals), use)
                self._slots[path] = slot
                if _OWN in slot.choices and self._use(f"{path}()") != Use():
                    # How its result is used says what it gives.
                    slot.choices.sort(key=lambda choice: choice.kind == "function" and choice != _OWN)
            if not slot.choices:
                raise NoInputError(path, f"nothing can be made of {name}, which is abstract")
            self.touched[path] = None
            number = min(self._state.choices.get(path, 0), len(slot.choices) - 1)
            self._values[path] = self._make(path, slot.choices[number])
        return self._values[path]

    @property
    def synthesis(self) -> Synthesis:
        """What knows the choices."""
        return self._synthesis

    @property
    def is_varied(self) -> bool:
        """Whether numbers differ from each other."""
        return self._state.distinct

    def is_of_numpy(self, path: str) -> bool:
        """Tell whether the arrays at a path, of which nothing says what they are, are of NumPy."""
        return self._synthesis.host and not any(array.startswith(path) for array in self._state.device)

    def choice(self, path: str) -> Choice:
        """Return what was chosen for a path that was touched."""
        slot = self._slots[path]
        return slot.choices[min(self._state.choices.get(path, 0), len(slot.choices) - 1)]

    def made(self, path: str) -> Any:
        """Return the value that was made for a path, None where there is none."""
        return self._values.get(path)

    def call(
        self,
        path: str,
        function: Any,
        uses: FunctionUses | None,
        *,
        skip: int = 0,
        outer: FunctionUses | None = None,
        kept: Mapping[str, Use] | None = None,
        literals: Mapping[str, Sequence[object]] | None = None,
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments for a function, whose paths are `path` and a parameter's name.

        `uses` says what it does with them, and `kept` what methods do with what it keeps; `skip` skips so many
        parameters at the start, `literals` are what visible calls give for some.

        Raises:
            NoInputError: one cannot be made, or the function does not say what it takes.
        """
        parameters = _parameters(path, function)[skip:]
        self._uses = uses or self._uses
        positional: list[Any] = []
        words: dict[str, Any] = {}
        for parameter in parameters:
            use = uses.of(parameter.name) if uses else Use()
            place = f"{path}{parameter.name}"
            if kept and parameter.name in kept:
                use = joined(use, kept[parameter.name])
            if outer is not None:
                # What is kept as an attribute is used by the name of the attribute.
                use = joined(use, outer.of(place.replace(">", ".")))
            if parameter.kind is parameter.VAR_KEYWORD:
                inside = {key: f"{place}[{key!r}]" for key in use.keys}
                known_uses = {key: uses.of(f"{parameter.name}[{key!r}]") if uses else Use() for key in inside}
                words |= {key: self.value(inside[key], key, known_uses[key]) for key in inside}
                continue
            if parameter.kind is parameter.VAR_POSITIONAL:
                # Without any, what the function does with them would not show.
                if not positional and not words:
                    positional.append(self.value(place, parameter.name, Use()))
                continue
            known = (literals or {}).get(parameter.name, ())
            value = self.value(place, parameter.name, use, parameter.annotation, parameter.default, known)
            if parameter.kind is parameter.KEYWORD_ONLY:
                words[parameter.name] = value
            else:
                positional.append(value)
        return positional, words

    def _use(self, path: str) -> Use:
        return self._uses.of(path.rpartition(">")[2]) if self._uses is not None else Use()

    def _make(self, path: str, choice: Choice) -> Any:  # noqa: C901 (one case for each kind)
        match choice.kind:
            case "static":
                if self._state.even and choice == _INTEGERS[0] and not choice.given and path not in self._state.choices:
                    return SIZE * self._state.integers
                larger = self._state.integers != 1 and type(choice.data) is int
                return choice.data * self._state.integers if larger else choice.data
            case "array":
                rank, dtype = choice.data
                if choice.free and self._state.rank is not None and path not in self._state.choices:
                    rank = max(self._state.rank, self._slots[path].use.least_rank)
                shape = rank if isinstance(rank, tuple) else (SIZE,) * rank
                shape = tuple(self._state.sizes.get((path, axis), size) for axis, size in enumerate(shape))
                if self._state.scale != 1:
                    shape = tuple(size * self._state.scale if size > 1 else size for size in shape)
                return self._synthesis.array(shape, dtype, distinct=self._state.distinct)
            case "dict":
                return {key: self._part(f"{path}[{key!r}]", key) for key in choice.data}
            case "sequence":
                kind, inner, count = choice.data
                types_ = inner if isinstance(inner, tuple) else (inner,) * count
                if isinstance(inner, tuple) or kind is tuple:
                    return kind(self._part(f"{path}[{n}]", "", t) for n, t in enumerate(types_))
                items = [self._part(f"{path}[*]", "", t) for t in types_]
                if self._state.distinct and all(type(item) is int for item in items):
                    items = [item + number for number, item in enumerate(items)]
                return kind(items)
            case "record":
                names = [
                    n for n in self._use(path).attributes if n not in ("replace", "_replace") and not n.startswith("__")
                ]
                make = functools.partial(self.attribute, path)
                return Record(make, {name: make(name) for name in names})
            case "opaque":
                return Opaque(functools.partial(self.attribute, path))
            case "function":
                stand_in = _StandIn(self, path, choice.data)
                # Libraries ask for the attributes that functions have.
                return _as_function(stand_in)
            case "model":
                return Model(self, path, "same")
            case "factory" | "library":
                return choice.data()
            case "instance":
                return self._instance(path, choice.data)
            case "bare":
                return self._bare(path, choice.data)
            case "made":
                cls, name = choice.data
                return self._instance(path, cls, getattr(cls, name))
            case "prepared":
                return self._prepared(path, *choice.data)
        raise NoInputError(path, f"nothing can be made of {choice.kind}")

    def _part(self, path: str, name: str, annotation: Any = None) -> Any:
        return self.value(path, name, self._use(path), annotation)

    def attribute(self, path: str, name: str) -> Any:
        """Return the attribute of the value at a path."""
        return self.value(f"{path}.{name}", name, self._use(f"{path}.{name}"))

    def _bare(self, path: str, cls: type) -> Any:
        """Return an instance that nothing has initialised, whose attributes are made when they are asked for."""
        world = self

        def invented(instance: Any, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            value = world.attribute(path, name)
            value = world.synthesis.on_host(value) if world.is_of_numpy(f"{path}.{name}") else value
            object.__setattr__(instance, name, value)
            return value

        names = {"__getattr__": invented, "__module__": cls.__module__}
        kind = type(cls)(cls.__name__, (cls,), names)
        return object.__new__(kind)

    def _prepared(self, path: str, cls: type, name: str) -> Any:
        """Return an instance of which a method was called, which sets what others read."""
        instance, before = self._instance(path, cls), self._uses
        found = self._synthesis.method(cls, name)
        uses = found[2].uses(found[0], found[1]) if found is not None else None
        try:
            arguments, words = self.call(f"{path}>{name}>", getattr(instance, name), uses)
            getattr(instance, name)(*arguments, **words)
        except NoInputError:
            raise
        except Exception as error:
            raise NoInputError(path, f"{cls.__name__}.{name} raised {type(error).__name__}: {error}") from error
        finally:
            self._uses = before
        return instance

    def result(self, path: str) -> Any:
        """Return what calling the value at a path gives, as its use asks for."""
        place = f"{path}()"
        return self.value(place, "", self._use(place))

    def _instance(self, path: str, cls: type, make: Any = None) -> Any:
        """Return an instance of a class, made by its constructor or by a class method."""
        if inspect.isabstract(cls):
            raise NoInputError(path, f"{cls.__name__} is abstract")
        if path.count(">") > _NESTING:
            raise NoInputError(path, f"{cls.__name__} takes too much to make")
        before, owner = self._uses, cls.__name__
        found = self._synthesis.method(cls, "__init__")
        try:
            uses = found[2].uses(found[0], found[1]) if found is not None else None
            kept = self._synthesis.kept(cls)
            arguments, words = self.call(
                f"{path}>", make or cls, uses if make is None else None, outer=before, kept=kept
            )
            return (make or cls)(*arguments, **words)
        except NoInputError:
            raise
        except Exception as error:
            raise NoInputError(path, f"{owner} cannot be made: {type(error).__name__}: {error}") from error
        finally:
            self._uses = before


class _StandIn:
    """A function that does something simple with what it is given."""

    def __init__(self, world: World, path: str, kind: str) -> None:
        self.__name__ = re.sub(r"\W+", "_", path) or "f"
        self._world = world
        self._path = path
        self._kind = kind

    def __deepcopy__(self, memo: dict[int, Any]) -> _StandIn:
        return self

    def __call__(self, *arguments: Any, **words: Any) -> Any:
        synthesis = self._world.synthesis
        if any(map(_is_function, (*arguments, *words.values()))):
            synthesis.handed = True
        with synthesis.paused():
            return self._result(arguments, words)

    def _result(self, arguments: tuple[Any, ...], words: Mapping[str, Any]) -> Any:
        jax, numpy = self._world.jax, importlib.import_module("numpy")
        leaves = [
            leaf
            for leaf in jax.tree.leaves((arguments, words))
            # What is made up has every attribute.
            if isinstance(leaf, jax.Array | numpy.ndarray) and jax.dtypes.issubdtype(leaf.dtype, jax.numpy.number)
        ]
        total = sum((jax.numpy.sum(leaf) for leaf in leaves), start=jax.numpy.zeros(()))
        given = [*arguments, *words.values()]
        if self._kind == "own":
            return self._world.result(self._path)
        if self._kind == "variables":
            return {"params": self._world.synthesis.array((SIZE, SIZE), "float32")}
        if self._kind == "sum":
            return total
        first = given[0] if given else total
        if self._kind == "same":
            return first
        if self._kind == "all":
            return tuple(given)
        if self._kind == "last":
            return given[-1] if given else total
        if self._kind == "pair":
            return first, total
        if self._kind == "last pair":
            return (given[-1] if given else total), total
        return total, first


def _is_function(value: Any) -> bool:
    """Tell whether a value can be called and was not made up."""
    made_up = isinstance(value, _StandIn) or isinstance(getattr(value, "__wrapped__", None), _StandIn)
    return callable(value) and not isinstance(value, type) and not made_up


def _as_function(stand_in: _StandIn) -> Callable[..., Any]:
    @functools.wraps(stand_in)
    def function(*arguments: Any, **words: Any) -> Any:
        return stand_in(*arguments, **words)

    return function


class Model(_StandIn):
    """A function with attributes that jax can take for an argument, like a neural network of one of its libraries."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._world.attribute(self._path, name)


def _distinct(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return numbers between a half and one and a half, or indices of an axis, that differ; the same each time."""
    numpy = importlib.import_module("numpy")
    part = (numpy.arange(1, int(numpy.prod(shape)) + 1) * _GOLDEN) % 1.0
    return (part * SIZE if numpy.issubdtype(dtype, numpy.integer) else 0.5 + part).reshape(shape).astype(dtype)


def _parameters(path: str, function: Any) -> list[inspect.Parameter]:
    """Return what a function or class takes, with annotations evaluated where that goes; raises NoInputError."""
    asked, skipped = function, 0
    if isinstance(function, type) and type(function) is not type and "__init__" in _own(function):
        # Some libraries make instances by their metaclass, which says nothing of what they take.
        asked, skipped = function.__init__, 1  # type: ignore[misc]
    for evaluated in (True, False):
        try:
            parameters = list(inspect.signature(asked, eval_str=evaluated).parameters.values())[skipped:]
        except (TypeError, ValueError, NameError, AttributeError, SyntaxError):
            continue
        if hasattr(function, "init_with_output"):
            # Nobody but flax itself gives these.
            parameters = [parameter for parameter in parameters if parameter.name not in ("parent", "name")]
        return parameters
    raise NoInputError(path, "it does not say what arguments it takes")


def _own(cls: type) -> set[str]:
    return {name for base in cls.__mro__[:-1] for name in vars(base)}


def bare(cls: type) -> list[Choice]:
    """Return the way to make an instance without its constructor, where nothing but that gives it its attributes."""
    plain = type(cls) in (type, abc.ABCMeta) and "__getattr__" not in _own(cls) and "__new__" not in _own(cls)
    return [Choice("bare", cls)] if plain and not inspect.isabstract(cls) else []


def instances(cls: type) -> list[Choice]:
    """Return the ways to make an instance: the constructor, that of a subclass, or a class method made for it."""
    if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
        found: list[Choice] = []
        pending: list[type] = list(cls.__subclasses__())
        while pending and len(found) < _CLASSES:
            inner = pending.pop(0)
            pending += inner.__subclasses__()
            found += [] if inspect.isabstract(inner) else [Choice("instance", inner)]
        return found
    makers = [
        name
        for base in cls.__mro__[:-1]
        for name, value in vars(base).items()
        if isinstance(value, classmethod) and _MAKER.match(name)
    ]
    return [Choice("instance", cls), *(Choice("made", (cls, name)) for name in dict.fromkeys(makers[:3]))]


def _optimizers() -> list[Choice]:
    """Return an optimizer of optax, where the code imports that."""
    optax = sys.modules.get("optax")
    return [] if optax is None else [Choice("library", functools.partial(optax.adam, 1e-3))]


def _functions(use: Use) -> list[Choice]:
    kinds = ["same", "own", "sum", "pair", "all", "last", "riap", "last pair", "variables"]
    if use.results == 2:
        kinds = ["pair", "last pair", "own", "riap", "all", "same", "sum"]
    if use.scalar:
        kinds = ["sum", "riap", "same"]
    return [Choice("function", kind) for kind in kinds]


def _arrays(use: Use) -> list[Choice]:
    ranks = [rank for rank in (2, 1, 3, 4, 0) if rank >= use.least_rank] or [use.least_rank]
    found = [Choice("array", (rank, "float32"), free=number == 0) for number, rank in enumerate(ranks)]
    return found + [Choice("array", (rank, "int32")) for rank in ranks[:2]]


def _flatten_record(record: Record) -> tuple[tuple[Any, ...], Any]:
    jax = record.__dict__["_make"].func.__self__.jax
    fields = {name: value for name, value in record.__dict__.items() if name != "_make"}
    dynamic = {n: v for n, v in fields.items() if all(_is_array(leaf, jax) for leaf in jax.tree.leaves(v))}
    rest = {n: v for n, v in fields.items() if n not in dynamic}
    return tuple(dynamic.values()), _Rest(tuple(dynamic), rest, record.__dict__["_make"])


def _is_array(leaf: Any, jax: Any) -> bool:
    return isinstance(leaf, jax.Array | float | int) or hasattr(leaf, "dtype") or type(leaf) is object


def _unflatten_record(rest: _Rest, children: tuple[Any, ...]) -> Record:
    return Record(rest.make, {**dict(zip(rest.names, children, strict=True)), **rest.values})


@dataclass(frozen=True, eq=False)
class _Rest:
    """What of a record is no array; two are equal where they come from the same place."""

    names: tuple[str, ...]
    values: dict[str, Any]
    make: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rest) and self.names == other.names and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.names)


_registered: set[type] = set()
_GOLDEN = 0.6180339887
_CLASSES = 4
"""How many classes are tried for one value."""
_MAKER = re.compile(r"^(from_|create|make|init$|build|default|new|random)")
_NOT_ASKED = (
    "builtins",
    "typing",
    "jax",
    "jaxlib",
    "numpy",
    "collections",
    "abc",
    "enum",
    "functools",
    "pathlib",
    "chex",
)
_NESTING = 3
_Callable = typing.get_origin(Callable[..., Any])
_Mapping = typing.get_origin(Mapping[Any, Any])
_Sequence = typing.get_origin(typing.Sequence[Any])
_OWN = Choice("function", "own")
_INTEGERS = [Choice("static", 4), Choice("static", 2), Choice("static", SIZE), Choice("static", 1), Choice("static", 0)]
_FLAGS = [Choice("static", True), Choice("static", False)]
_FALLBACKS = [
    Choice("static", 4),
    Choice("static", 0.5),
    Choice("sequence", (tuple, None, 2)),
    Choice("dict", ("a", "b")),
    Choice("opaque"),
    Choice("function", "same"),
    Choice("function", "sum"),
    Choice("model"),
    Choice("array", (0, "key")),
    Choice("static", None),
    Choice("static", "a"),
]
_KEY = re.compile(r"^(rng|key|seed_?key|prng|rng_key|prng_key|.*_(key|rng))$")
_INTEGER = re.compile(
    r"^(n|k|num|num_.*|n_.*|size|.*_size|steps|length|.*_len|.*_length|depth|width|height|hidden|dim|.*_dim|heads?|patch"
    r"|stride|iters?|.*_iters?|max_.*|epochs|axis|order|degree|seed|.*_steps|L|N|T|capacity|features|channels)$"
)
_SHAPE = re.compile(r"^(shape|.*_shape|dims|resolution|grid_size)$")
_FLAG = re.compile(r"^(train(ing)?|is_.*|use_.*|deterministic|causal|keepdims|inplace|flag|with_.*|verbose|debug)$")
_NUMBER = re.compile(
    r"^(lr|eps|alpha|beta[12]?|b[12]|gamma|lam|tau|scale.*|rate|dt|t|temperature|decay|momentum|threshold|weight_decay"
    r"|step_size|learning_rate|sigma|factor|.*_rate|discount|epsilon)$"
)
_FUNCTION = re.compile(r"^(f|fn|func|fun|function|.*_fn|.*_fun|activation|act|loss_fn|apply|.*_function|callback)$")
_MODEL = re.compile(r"^(model|net|network|module|policy|critic|actor|encoder|decoder|optimi[sz]er|opt|tx)$")
_INDEX = re.compile(r"^(labels?|tokens?|idx|indices|.*_ids?|targets?|step|.*_idx|.*_indices)$")
_TREE_NAME = re.compile(r"^(params?|grads?|state|opt_state|variables|batch|carry|.*_params|weights|tree|m|v|mu|nu)$")
ARRAY_ATTRIBUTES = frozenset(
    "shape ndim dtype mean sum reshape transpose T max min astype at size std var argmax ravel flatten squeeze dot item"
    " tolist block_until_ready real imag conj prod cumsum argsort sort".split()
)
