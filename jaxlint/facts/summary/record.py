"""What one module tells the others: which functions and classes it has, what they call, pass on, wrap and return.

The record is plain data and depends on nothing but the text: not on where the file lies, nor on settings, nor on other
files.  `jaxlint.project` joins the records of all modules.

What an expression represents is a *reference*.  References are kept once, in a table, and name each other by number:

    ("f", n)         function n of the module; a `def` or a lambda
    ("c", n)         class n of the module
    ("x", name)      something imported, by its dotted name as the import spells it, or a builtin of a library
    ("*", name)      a name that only a star import can have bound
    ("p", n, name)   a parameter of function n
    ("s", n)         an instance of class n, perhaps of a subclass: `self`
    ("i", ref)       an instance of an annotated class, perhaps of a subclass
    ("u", n)         `super()` in class n
    ("a", ref, attr) an attribute
    ("?", attr)      an attribute of something unknown
    ("r", ref, args, static)
                     what a call gives; `args` are the arguments that may be functions, as (position or keyword, ref),
                     `static` the literal values of the keywords that name static arguments
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

Ref: TypeAlias = tuple[Any, ...]
Key: TypeAlias = int | str

LOOP = 1
"""A call is in a loop."""
HOST_LOOP = 2
"""A call is in a loop in which a program seems to spend its time."""

GUARDED = 4
"""Added where a test for tracers decides whether the call is reached."""

STEPS = 8
"""Added where a loop around the call does the same again in each iteration."""

OTHERS = 16
"""Added where the call may be of something else as well, as of `run = fast if compiled else slow`."""

NESTED = 32
"""Added where two or more loops around the call do the same again."""

RULES = "@rules"
"""The dotted name that represents `f.defvjp` and similar functions, all of whose arguments are traced."""


@dataclass(slots=True)
class FunctionRecord:
    """One `def` or lambda; function 0 is the module's own code.

    `outer` and `cls` are the numbers of what it is defined in, -1 for none.  `calls` holds (reference, 0 or LOOP
    or HOST_LOOP, and perhaps GUARDED, STEPS, OTHERS and NESTED, line); `passes` holds (callee, position or keyword,
    reference of the argument, line).
    `operations` is how many array operations a call dispatches for sure, those of functions of its module included.
    `once` is the mark `# jaxlint: once`; `mapped` says that it uses a named axis by its literal name, which only a
    mapped function has, `hosted` that it goes on with values that it reads from arrays.
    """

    name: str
    qualname: str
    outer: int = -1
    cls: int = -1
    params: list[str] = field(default_factory=list)
    decorators: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    calls: list[tuple[int, int, int]] = field(default_factory=list)
    passes: list[tuple[int, Key, int, int]] = field(default_factory=list)
    operations: int = 0
    once: bool = False
    mapped: bool = False
    hosted: bool = False
    row: int = 0

    @property
    def is_lambda(self) -> bool:
        """Whether it is a lambda."""
        return self.name == "<lambda>"


@dataclass(slots=True)
class ClassRecord:
    """One class; `attributes` holds what its methods assign to `self`, and what its body assigns or annotates.

    `made` names the attributes that the constructor assigns.  `by_value` says that its instances may equal one another,
    as a decorator or `__eq__` has it.
    """

    name: str
    qualname: str
    outer: int
    bases: list[int] = field(default_factory=list)
    methods: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, list[int]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    by_value: bool = False
    row: int = 0


@dataclass(slots=True)
class Exports:
    """The record of one module; `names` are those bound at its top level, `stars` the modules that it star-imports.

    `replaced` are the methods that an instance gets in wrapped form, `model.step = jax.jit(model.step)`.  `is_script`
    says that it tests `__name__`.
    """

    refs: list[Ref] = field(default_factory=list)
    names: dict[str, list[int]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    functions: list[FunctionRecord] = field(default_factory=list)
    classes: list[ClassRecord] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    is_script: bool = False

    def plain(self) -> list[Any]:
        """Return the record as lists, numbers and text, for JSON."""
        return [
            self.refs,
            self.names,
            self.stars,
            [[getattr(function, name) for name in _FUNCTION_FIELDS] for function in self.functions],
            [[getattr(cls, name) for name in _CLASS_FIELDS] for cls in self.classes],
            self.replaced,
            self.is_script,
        ]

    @classmethod
    def of_plain(cls, plain: list[Any]) -> Exports:
        """Return the record that `plain` gave.

        Raises:
            ValueError, TypeError: it is no such record.
        """
        refs, names, stars, functions, classes, replaced, is_script = plain
        return cls(
            [tuple(ref) for ref in refs],
            names,
            stars,
            [FunctionRecord(*values) for values in functions],
            [ClassRecord(*values) for values in classes],
            replaced,
            is_script,
        )


_FUNCTION_FIELDS = tuple(FunctionRecord.__dataclass_fields__)
_CLASS_FIELDS = tuple(ClassRecord.__dataclass_fields__)
