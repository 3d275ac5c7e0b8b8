"""What the child saw, as plain values that both processes share and that travel as JSON.

Lines are 1-based, columns 0-based UTF-8 bytes, as in Python's `ast` and code objects.
"""

from __future__ import annotations

from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class Event:
    """Something jax did, `count` times with the same name from the same place.

    `kind` is `compile` (a backend compile), `load` (the same, answered by the persistent cache), `trace` or `miss` (a
    tracing cache miss, which jax does not report for functions of its own or of flax).
    `stack` holds the user frames, innermost first.  `made` holds the user frames at the moment when the compiled
    object that was called came into being, innermost first; it is empty where no compiled object was called (an eager
    operation) or where it was made out of sight.
    """

    kind: str
    program: str
    stack: tuple[Place, ...]
    made: tuple[Place, ...] = ()
    count: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception: its type, its text, and the user frames it passed through, innermost first."""

    type: str
    message: str
    stack: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a target, or one execution of a module-level statement.

    `reached` tells how often each watched line was about to run.
    """

    events: tuple[Event, ...] = ()
    reached: Mapping[int, int] = field(default_factory=dict)
    failure: Failure | None = None
    seconds: float = 0.0


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
    A failing statement does not end the loading.  `reason` is set where nothing could be loaded at all.
    """

    statements: tuple[Statement, ...] = ()
    hook: Run = Run()
    examples: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def failure(self) -> Failure | None:
        """The first exception that loading met."""
        return next((s.run.failure for s in self.statements if s.run.failure), None)


@dataclass(frozen=True, slots=True)
class Observation:
    """The runs of one target, in order; `reason` says why there are none, or not all."""

    target: str
    runs: tuple[Run, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Growth:
    """How the programs of a target grow with the turns of one of its loops.

    `equations` maps a number of turns to the equations, in all programs made, that come from the lines of the loop;
    those of a compiled function called in it are counted once.  `turns` is how often the loop turns when it is let,
    None if that is not known (a `while` loop).  `reached` tells whether its first line, if it was watched, ran at all.
    `reason` says why nothing could be measured.
    """

    target: str
    equations: Mapping[int, int] = field(default_factory=dict)
    turns: int | None = None
    reached: bool = False
    reason: str | None = None


def to_json(value: Loaded | Observation | Growth) -> dict[str, Any]:
    """Return `value` as what `json.dumps` takes."""
    return asdict(value)


class _Reader:
    """Builds the values of this module from decoded JSON; raises KeyError or TypeError for anything else."""

    @classmethod
    def places(cls, data: list[dict[str, Any]]) -> tuple[Place, ...]:
        return tuple(Place(**item) for item in data)

    @classmethod
    def failure(cls, data: dict[str, Any] | None) -> Failure | None:
        return Failure(data["type"], data["message"], cls.places(data["stack"])) if data else None

    @classmethod
    def event(cls, data: dict[str, Any]) -> Event:
        stack, made = cls.places(data["stack"]), cls.places(data["made"])
        return Event(data["kind"], data["program"], stack, made, data["count"], data["seconds"])

    @classmethod
    def run(cls, data: dict[str, Any]) -> Run:
        return Run(
            events=tuple(cls.event(item) for item in data["events"]),
            reached={int(line): count for line, count in data["reached"].items()},
            failure=cls.failure(data["failure"]),
            seconds=data["seconds"],
        )

    @classmethod
    def loaded(cls, data: dict[str, Any]) -> Loaded:
        statements = tuple(Statement(s["line"], s["end_line"], cls.run(s["run"])) for s in data["statements"])
        return Loaded(statements, cls.run(data["hook"]), tuple(data["examples"]), data["reason"])

    @classmethod
    def observation(cls, data: dict[str, Any]) -> Observation:
        return Observation(data["target"], tuple(cls.run(item) for item in data["runs"]), data["reason"])

    @classmethod
    def growth(cls, data: dict[str, Any]) -> Growth:
        equations = {int(turns): count for turns, count in data["equations"].items()}
        return Growth(data["target"], equations, data["turns"], data["reached"], data["reason"])


loaded_from_json = _Reader.loaded
observation_from_json = _Reader.observation
growth_from_json = _Reader.growth
