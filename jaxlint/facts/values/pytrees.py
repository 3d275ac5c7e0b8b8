"""Which classes JAX can look into, and which are plain: an instance of a plain class is no argument of traced code."""

from __future__ import annotations

import re

import libcst as cst

from jaxlint.facts.syntax.names import Names
from jaxlint.facts.syntax.tree import Class, Tree, last_name

_PLAIN_BASES = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"})
_PLAIN_DECORATORS = frozenset({"dataclasses.dataclass", "typing.final", "functools.total_ordering"})
_OF_PYTREES = frozenset({"tree_flatten", "tree_unflatten", "tree_flatten_with_keys", "__init_subclass__"})
_ASKS_ONLY = frozenset(
    {"isinstance", "issubclass", "super", "cast", "type", "id", "repr", "print", "TypeVar", "hasattr"}
)


class Pytrees:
    """Tells plain classes of a module from those that may be pytrees."""

    def __init__(self, tree: Tree, names: Names, text: str = "") -> None:
        self._text = text
        self._tree = tree
        self._names = names
        self._plain: dict[int, bool] = {}

    def is_plain(self, cls: Class) -> bool:
        """Whether nothing may make instances pytrees: no base, decorator or registration, and no flattening method."""
        key = id(cls)
        if key not in self._plain:
            self._plain[key] = all(self._adds_nothing(item) for item in self._names.mro(cls))
        return self._plain[key]

    def _adds_nothing(self, cls: Class) -> bool:
        if not _OF_PYTREES.isdisjoint(cls.methods) or cls.node.keywords:
            return False
        if not _PLAIN_DECORATORS.issuperset(self._names.decorator_names(cls)):
            return False
        if not all(self._is_plain_base(base) for base in cls.bases):
            return False
        return len(cls.context.scope.bindings.get(cls.name, ())) == 1 and not (
            self._is_registered(cls) or self._is_handed_on(cls)
        )

    def _is_plain_base(self, base: cst.BaseExpression) -> bool:
        node = base.value if isinstance(base, cst.Subscript) else base
        if isinstance(node, cst.Name) and node.value == "object":
            return True
        values = self._names.values(node)
        return all(isinstance(value, Class) for value in values) or any(
            name in _PLAIN_BASES for name in self._names.externals(node)
        )

    def _is_registered(self, cls: Class) -> bool:
        """Whether a statement may register the class; the text is asked, as such statements may not be kept."""
        if "register" not in self._text and "pytree" not in self._text:
            return False
        listed = re.compile(rf"^(?!\s*class\b).*[(\[,]\s*{re.escape(cls.name)}\s*(?:[,)\]]|$)", re.MULTILINE)
        return any(
            not any(word in match[0] for word in ("isinstance", "issubclass", "super("))
            for match in listed.finditer(self._text)
        )

    def _is_handed_on(self, cls: Class) -> bool:
        """Whether the class itself is given to a function, or listed, which may be there to register it."""
        for use in self._tree.loads.get(cls.name, ()):
            if not isinstance(self._tree.parent(use), _GROUPS) or self._names.values(use) != (cls,):
                continue
            taker = next(around for around in self._tree.ancestors(use) if not isinstance(around, _GROUPS))
            asks = isinstance(taker, cst.Call) and last_name(taker.func) in _ASKS_ONLY
            if not asks and not isinstance(taker, cst.ClassDef):
                return True
        return False


_GROUPS = (cst.Arg, cst.Element, cst.DictElement, cst.Tuple, cst.List, cst.Set, cst.Dict)
"""What a class may be in on its way to a function."""
