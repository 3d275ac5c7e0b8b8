"""What the other modules of a project say about one: who traces, loops over and eagerly calls its functions."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxlint.finding import Place

SURE = 2
ONCE = 1
CASES = 1
STEPS = 2
HIGH = 2
MADE = 1
COMPILED = 2
_SEVERAL = 5


@dataclass(frozen=True, slots=True)
class Outside:
    """What other modules do with one function.

    `traced`: 2 something traces it, 1 something may (a method of that name is called under trace), 0 nothing visible
    does; `compiled`, `staged` and `hidden` are those of `jaxlint.facts.context.tracing.Trace`.  `eager`: 2 a chain of
    plain calls starts at module level or where a program starts, 1 a Python loop calls it.  `repeated`: a call of it,
    perhaps by way of others, is in a loop that no trace surrounds.  `called`: 0 no call visible, 1 all calls run once,
    2 others.  `again`: STEPS a loop that runs it does the same in each iteration, CASES one in the library itself goes
    through a collection, 0 none is visible.  `unseen`: what calls it starts in a nested function that nothing visible
    calls, so that whoever gets that function may trace it.  `overridden`: another module has a subclass with a method
    of its own of that name, which `self.name(...)` may be a call of.  `beside`: the loops that run it again each run a
    function with a loop of its own as well, as that of an epoch is.  `tracer`, `runner`, `looper` and `caller`
    are places that show it: the wrapper where a trace starts, the call where the program starts, the call in the loop,
    a call.
    """

    traced: int = 0
    compiled: bool = False
    staged: bool = False
    hidden: bool = False
    eager: int = 0
    repeated: bool = False
    called: int = 0
    again: int = 0
    unseen: bool = False
    overridden: bool = False
    beside: bool = False
    tracer: Place | None = None
    runner: Place | None = None
    looper: Place | None = None
    caller: Place | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What something is that a module imports from another of the project.

    `kind` is function, instance, class or compiled.  `makes` says whether calling it gives a function that it has just
    made (MADE) or just compiled (COMPILED), `operations` how many array operations one call of it dispatches.
    `statics` are the names and positions of a jitted function's static arguments, `params` the names of its
    parameters.  `methods` are those of an instance's class, which Python binds again on each access.  `compiling` holds
    for each member of a class whose use compiles once an instance: its name, that of what is compiled, whether that is
    a method with a static instance.  `hosted` says that a function decides by values of array operations what it does.
    `at` is where it is defined.
    """

    kind: str
    name: str
    makes: int = 0
    operations: int = 0
    statics: tuple[int | str, ...] = ()
    params: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    compiling: tuple[tuple[str, str, bool], ...] = ()
    hosted: bool = False
    at: Place | None = None


@dataclass(frozen=True)
class Incoming:
    """What a project knows about one module; `imports` goes by the dotted name as the import spells it.

    `alone` says that no other module imports it or is imported by it, so that nobody can tell who calls what it
    defines.
    """

    functions: Mapping[str, Outside] = field(default_factory=dict)
    imports: Mapping[str, Imported] = field(default_factory=dict)
    alone: bool = True

    def plain(self) -> list[Any]:
        """Return it as lists, numbers and text, for JSON."""
        return [
            {name: list(dataclasses.astuple(outside)) for name, outside in sorted(self.functions.items())},
            {name: list(dataclasses.astuple(imported)) for name, imported in sorted(self.imports.items())},
            self.alone,
        ]

    @functools.cached_property
    def traced(self) -> frozenset[str]:
        """The functions that another module traces for sure."""
        return frozenset(name for name, outside in self.functions.items() if outside.traced == SURE)

    @functools.cached_property
    def eager(self) -> frozenset[str]:
        """The functions that another module runs eagerly, with evidence of it."""
        return frozenset(name for name, outside in self.functions.items() if outside.eager)

    @functools.cached_property
    def factories(self) -> frozenset[str]:
        """The imported functions that return a function which they have just compiled."""
        return frozenset(name for name, imported in self.imports.items() if imported.makes == COMPILED)

    @functools.cached_property
    def busy(self) -> frozenset[str]:
        """The imported functions that dispatch several array operations each time they run eagerly."""
        return frozenset(name for name, imported in self.imports.items() if imported.operations >= _SEVERAL)

    @functools.cached_property
    def telling(self) -> frozenset[str]:
        """The imported names by whose use alone something may be found: factories, jitted functions and classes."""
        static = (name for name, imported in self.imports.items() if imported.statics or imported.compiling)
        return self.factories | frozenset(static)

    @functools.cached_property
    def digest(self) -> str:
        """A text that differs where anything differs."""
        return hashlib.sha256(json.dumps(self.plain()).encode()).hexdigest()[:32]


NOTHING = Incoming()
"""What is known of a file that is looked at alone."""
