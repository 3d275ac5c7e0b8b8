"""What the child saw, as plain values that both processes share and that travel as JSON.

Lines are 1-based, columns 0-based UTF-8 bytes, as in Python's `ast` and code objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """One frame of user code: the range of the expression it was evaluating, and the function it belongs to."""

    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int


Range = tuple[int, int, int, int]
"""Line, column, end line, end column of a node."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Ranges of a file: what starts on a line, be it simple statements or parts of compound ones.

    `heads` are the ranges of compound statements that start there: where a test is turned into a truth value, Python
    tells the place of all of its statement.
    """

    file: str
    ranges: tuple[Range, ...]
    heads: tuple[Range, ...] = ()

    def holds(self, place: Place) -> bool:
        """Tell whether a place lies within one of the ranges."""
        start, end = (place.line, place.column), (place.end_line, place.end_column)
        if place.file == self.file and (*start, *end) in self.heads:
            return True
        return place.file == self.file and any(
            (line, column) <= start and end <= (end_line, end_column)
            for line, column, end_line, end_column in self.ranges
        )


@dataclass(frozen=True, slots=True)
class Event:
    """Something jax did, `count` times with the same name from the same place.

    `kind` is `compile` (a backend compile), `load` (the same, answered by the persistent cache), `trace`, `miss` (a
    tracing cache miss, which jax does not report for functions of its own or of flax); or, of the code under test,
    `made` (a compiled object came into being) and `call` (one was called whose creation is visible); or `constant` (a
    program was lowered that holds arrays as constants), whose `count` are the bytes; or, where they are counted,
    `dispatch` (a single operation was run) and `program` (a function that the user had compiled was); or `fresh` (a
    function that no earlier run had met was passed to be compiled; `called` then tells whether nothing was traced).
    `stack` holds the user frames, innermost first.  `made` holds the user frames at the moment when the compiled
    object that was called came into being, innermost first; it is empty where no compiled object was called (an eager
    operation) or where its creation is not visible.  `called` tells whether the innermost frame of the module called
    that object itself, rather than a method of it or something that it was passed to.
    """

    kind: str
    program: str
    stack: tuple[Place, ...]
    made: tuple[Place, ...] = ()
    called: bool = False
    count: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception: its type, its text, and the user frames it passed through, innermost first.

    `traced` tells whether it is one of those that come of tracing: of a value that is not there yet, or of an argument
    that cannot be traced or hashed.
    """

    type: str
    message: str
    stack: tuple[Place, ...] = ()
    traced: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a target, or one execution of a module-level statement.

    `reached` tells how often each watched line was about to run; `evaluated` how often each part of a span ran to its
    end, and `eagerly` how often of these nothing was being traced, by the range (`instrument.key_of`).  `caught` are
    exceptions that the code under test handled itself.  `absent` are packages that are not installed and were used all
    the same, `hashed` tells whether something of one was hashed (`standins`), and `renamed` are the names that were
    asked for since the module was loaded and that this version has no longer (see `renamed`).
    """

    events: tuple[Event, ...] = ()
    reached: Mapping[int, int] = field(default_factory=dict)
    evaluated: Mapping[str, int] = field(default_factory=dict)
    eagerly: Mapping[str, int] = field(default_factory=dict)
    caught: tuple[Failure, ...] = ()
    failure: Failure | None = None
    seconds: float = 0.0
    absent: tuple[str, ...] = ()
    hashed: bool = False
    renamed: tuple[str, ...] = ()


def comes_from(event: Event, anchor: Anchor | None) -> bool:
    """Tell whether an event comes from a place; any does where there is no anchor.

    It does if the compiled object that was called was made there, wherever it was called; for an event that no
    compiled object visible caused, or one that was only passed to a function, if the place was being evaluated.
    """
    if anchor is None or any(map(anchor.holds, event.made)):
        return True
    return not (event.made and event.called) and any(map(anchor.holds, event.stack))


def is_done(run: Run, line: int, anchor: Anchor, pieces: Sequence[str]) -> bool:
    """Tell whether a run that failed did so after all of a place had run.

    That is where it failed elsewhere, or where the first of what makes up the place, as the body of a loop does, had
    begun once more.
    """
    if run.failure is None or run.failure.type in _ENDED or not run.reached.get(line):
        return False
    if not all(run.evaluated.get(piece) for piece in pieces):
        return False
    again = bool(pieces) and run.evaluated[pieces[0]] > 1
    return again or not any(map(anchor.holds, run.failure.stack))


_ENDED = ("EnoughError", "DeadlineError")
"""How runs end that were not let go on."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A module-level statement, by its first and last line (decorators included), and what loading it did."""

    line: int
    end_line: int
    run: Run


@dataclass(frozen=True, slots=True)
class Loaded:
    """A module after loading: its statements in order (those that did something), and its examples.

    `hook` is the call of the function that gives the examples, `examples` are the names it gives examples for.
    A failing statement does not end the loading.  `reason` is set where nothing could be loaded at all; `switched_off`
    says how the module keeps jax from compiling.
    """

    statements: tuple[Statement, ...] = ()
    hook: Run = Run()
    examples: tuple[str, ...] = ()
    reason: str | None = None
    switched_off: str = ""

    @property
    def failure(self) -> Failure | None:
        """The first exception that loading met."""
        return next((s.run.failure for s in self.statements if s.run.failure), None)


@dataclass(frozen=True, slots=True)
class Observation:
    """The runs of one target, in order; `reason` says why there are none, or not all.

    `inputs` says what it was called with, where that was not an example.
    """

    target: str
    runs: tuple[Run, ...] = ()
    reason: str | None = None
    inputs: str = ""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Arguments that were found for a target: a text for them, and whether they work under abstract evaluation only.

    `mode` is `abstract`, or `concrete` where the function needs values.  `compiled` tells whether the target is itself
    a compiled object, `opaque` names the arguments of which nothing is known but their attributes.  `state`
    is where the search ended, for another one to begin with.  `given` tells whether all of them come from the code,
    none being invented.  `sliced` says what of the code was skipped, or made up, for the place to run.  `reason` is
    set where none were found.
    """

    target: str
    text: str = ""
    mode: str = "abstract"
    tries: int = 0
    seconds: float = 0.0
    compiled: bool = False
    opaque: tuple[str, ...] = ()
    given: bool = False
    state: Mapping[str, Any] = field(default_factory=dict)
    sliced: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """How the programs of a target grow with the iterations of one of its loops.

    `equations` maps a number of iterations to the equations, in all programs made, that come from the lines of the
    loop; those of a jitted function called in it are counted once.  `turns` is how often the loop runs when it is let,
    None if that is not known (a `while` loop).  `slow` counts those that take much longer to compile than others (see
    `recorder`), at the highest number of iterations.  `reached` tells whether its first line, if it was watched, ran at
    all. `reason` says why nothing could be measured.  `sizes` are the iterations and equations of the whole loop with
    the arguments found, with larger ones, if there are more of both then, and with much larger ones that do not come to
    the loop any more.
    """

    target: str
    equations: Mapping[int, int] = field(default_factory=dict)
    turns: int | None = None
    reached: bool = False
    reason: str | None = None
    slow: int = 0
    inputs: str = ""
    sizes: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array, or other value, in what a target gives: `values` are its numbers, flat, or one text."""

    type: str
    shape: tuple[int, ...] = ()
    weak_type: bool = False
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What a target gives: how its values are nested, and the values.  `reason` says why there is nothing."""

    structure: str = ""
    leaves: tuple[Leaf, ...] = ()
    reason: str | None = None


def to_json(value: Loaded | Observation | Growth | Inputs | Output) -> dict[str, Any]:
    """Return `value` as what `json.dumps` takes."""
    return asdict(value)


class _Reader:
    """Builds the values of this module from decoded JSON; raises KeyError or TypeError for anything else."""

    @classmethod
    def places(cls, data: list[dict[str, Any]]) -> tuple[Place, ...]:
        return tuple(Place(**item) for item in data)

    @classmethod
    def failure(cls, data: dict[str, Any] | None) -> Failure | None:
        if data is None:
            return None
        return Failure(data["type"], data["message"], cls.places(data["stack"]), data["traced"])

    @classmethod
    def event(cls, data: dict[str, Any]) -> Event:
        stack, made = cls.places(data["stack"]), cls.places(data["made"])
        return Event(data["kind"], data["program"], stack, made, data["called"], data["count"], data["seconds"])

    @classmethod
    def run(cls, data: dict[str, Any]) -> Run:
        return Run(
            events=tuple(cls.event(item) for item in data["events"]),
            reached={int(line): count for line, count in data["reached"].items()},
            evaluated=data["evaluated"],
            eagerly=data["eagerly"],
            caught=tuple(filter(None, map(cls.failure, data["caught"]))),
            failure=cls.failure(data["failure"]),
            seconds=data["seconds"],
            absent=tuple(data["absent"]),
            hashed=data["hashed"],
            renamed=tuple(data["renamed"]),
        )

    @classmethod
    def loaded(cls, data: dict[str, Any]) -> Loaded:
        statements = tuple(Statement(s["line"], s["end_line"], cls.run(s["run"])) for s in data["statements"])
        return Loaded(statements, cls.run(data["hook"]), tuple(data["examples"]), data["reason"], data["switched_off"])

    @classmethod
    def observation(cls, data: dict[str, Any]) -> Observation:
        runs = tuple(cls.run(item) for item in data["runs"])
        return Observation(data["target"], runs, data["reason"], data["inputs"])

    @classmethod
    def output(cls, data: dict[str, Any]) -> Output:
        leaves = tuple(
            Leaf(leaf["type"], tuple(leaf["shape"]), leaf["weak_type"], tuple(leaf["values"]))
            for leaf in data["leaves"]
        )
        return Output(data["structure"], leaves, data["reason"])

    @classmethod
    def inputs(cls, data: dict[str, Any]) -> Inputs:
        return Inputs(**{**data, "opaque": tuple(data["opaque"])})

    @classmethod
    def growth(cls, data: dict[str, Any]) -> Growth:
        equations = {int(turns): count for turns, count in data["equations"].items()}
        names = ("turns", "reached", "reason", "slow", "inputs")
        sizes = tuple((iterations, count) for iterations, count in data["sizes"])
        return Growth(data["target"], equations, sizes=sizes, **{name: data[name] for name in names})


loaded_from_json = _Reader.loaded
observation_from_json = _Reader.observation
growth_from_json = _Reader.growth
inputs_from_json = _Reader.inputs
output_from_json = _Reader.output
