"""Why a function was traced again, where jax's explanation misleads and where it does not."""

from __future__ import annotations

import dataclasses

from jaxlint.doctor import causes
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Compile, Event, Frame, LoweringBegin, Miss, TraceEnd
from jaxlint.doctor.model import Builder, Model

F = Frame("a.py", 1, "f")
SITE = (Frame("a.py", 9, "<module>", 4),)
NEVER = "  never seen function:\n    f id=1 defined at a.py:1"
CLOSEST = "  for f defined at a.py:1\n  all previously seen cache keys differ. For the closest previous key:\n"


def call(text: str, types: str, function: str = "f", site: tuple[Frame, ...] = SITE) -> list[Event]:
    """Return what a call gives that misses, as jax 0.10 tells it."""
    definition = Frame("a.py", 1, function)
    return [
        Miss(function=function, definition=definition, text=text, stack=site),
        TraceEnd(function=function, seconds=0.5),
        LoweringBegin(program=function, types=types),
        Compile(program=function, seconds=1.0),
    ]


def array(*types: str) -> str:
    return "(" + ", ".join(f"ShapedArray({text})" for text in types) + ",)"


def model(*calls: list[Event]) -> Model:
    return Builder().extend(event for events in calls for event in events).model()


def found(*calls: list[Event]) -> list[str]:
    """Return the causes in the order of the programs."""
    return [program.cause.value if program.cause else "-" for program in model(*calls).programs]


def static(now: str, before: str) -> str:
    node = "<class 'jax._src.tree_util.Static'> with pytree metadata Static(val={})"
    return (
        f"{CLOSEST}  different input pytree:\n  * at input path [1]['n'], now {node.format(now)} and before "
        f"{node.format(before)}, so the pytree node metadata does not match"
    )


def test_a_static_value_that_was_there_before_is_not_the_cause() -> None:
    assert found(
        call(NEVER, array("float32[4]")),
        call(static("2", "1"), array("float32[4]")),
        call(static("2", "1"), array("float32[5]")),
        call(static("3", "1"), array("float32[5]")),
    ) == ["new-function", "static-value", "shape", "static-value"]


def test_a_context_that_was_there_before_is_not_the_cause() -> None:
    context = f"{CLOSEST}  Tracing context doesn't match, e.g. due to config or context manager.\n"
    flag = context + "  * jax_enable_x64 differs: now {} and before {}"
    assert found(
        call(NEVER, array("float32[4]")),
        call(flag.format("True", "False"), array("float64[4]")),
        call(flag.format("False", "True"), array("float32[5]")),
        call(flag.format("False", "True"), array("int32[4]")),
    ) == ["new-function", "context", "shape", "dtype"]
    # 0.9 does not say what differs.
    assert found(
        call(NEVER, array("float32[4]")), call(context, array("float32[4]")), call(context, array("float32[5]"))
    ) == ["new-function", "context", "shape"]


def test_the_closest_types_are_compared() -> None:
    types = (
        f"{CLOSEST}  different input types:\n  * at x, now f32[]{{weak_type=True}} and before f32[4]{{weak_type=False}}"
    )
    made = model(
        call(NEVER, array("float32[4]")),
        call(types, array("float32[]")),
        call(types, array("float32[], weak_type=True")),
    )
    assert [program.cause for program in made.programs] == ["new-function", "shape", "weak-type"]
    weak = next(group for group in made.misses if group.cause == "weak-type")
    assert weak.corrected
    assert list(weak.changes) == ["argument 1 of 1: float32[] (weak), before float32[]"]


def test_another_function_of_one_call_site_is_no_redefinition() -> None:
    """jax says `defined on the same line` of any second function that misses at a call site."""
    hint = (
        "\n  but seen another function defined on the same line; maybe the function is\n  being re-defined repeatedly"
    )
    second = NEVER.replace("f id=1 defined at a.py:1", "g id=2 defined at a.py:1") + hint
    assert found(call(NEVER, array("float32[4]")), call(second, array("float32[4]"), "g")) == ["new-function"] * 2


def test_an_id_that_comes_again_is_another_function_all_the_same() -> None:
    assert found(*[call(NEVER, array("float32[4]"))] * 3) == [
        "new-function",
        "redefined-function",
        "redefined-function",
    ]


def test_two_bodies_of_one_line_are_one_miss_of_their_operation() -> None:
    body = Miss(
        function="<lambda>",
        definition=Frame("a.py", 9, "<lambda>"),
        text=NEVER.replace("f id", "<lambda> id"),
        stack=SITE,
    )
    once: list[Event] = [
        body,
        body,
        TraceEnd(function="while", seconds=0.1),
        LoweringBegin(program="while", types=array("float32[]")),
        Compile(program="while", seconds=1.0),
    ]
    made = model(once, once, once)
    assert [(group.cause.value, group.count, group.compiles) for group in made.misses] == [
        ("redefined-function", 2, 2),
        ("new-function", 1, 1),
    ]
    assert made.attributed == 1


def test_a_compile_without_a_trace_is_told_as_such() -> None:
    """As for an argument that is on another device: nothing in the log says so."""
    again: list[Event] = [
        TraceEnd(function="f", seconds=0.001),
        LoweringBegin(program="f", types=array("float32[4]")),
        Compile(program="f", seconds=1.0),
    ]
    made = model(call(NEVER, array("float32[4]")), again)
    assert [program.cause for program in made.programs] == ["new-function", "unknown"]
    group = next(group for group in made.misses if group.cause == "unknown")
    assert "without a new trace" in group.evidence
    assert made.attributed < 1


def test_what_is_static_is_known_by_elimination_up_to_0_5() -> None:
    text = "  for f defined at a.py:1\nexplanation unavailable! please open an issue at https://github.com/jax-ml/jax"
    assert found(
        call(NEVER, array("float32[4]")), call(text, array("float32[4]")), call(text, array("float32[5]"))
    ) == [
        "new-function",
        "static-value",
        "shape",
    ]


def test_paths_are_told_as_arguments() -> None:
    text = (
        f"{CLOSEST}  different input pytree:\n"
        "  * at input path [0][1]['w'], now <class 'tuple'> and before <class 'NoneType'>, so their types differ\n"
        "  * at input path [1]['mode'], now tuple of length 1 and before tuple of length 2, so they differ\n"
        "  * at input path [0], now tuple of length 1 and before tuple of length 2, so the lengths do not match"
    )
    said = causes.explanation(Miss(function="f", text=text))
    assert [str(difference) for _, difference in said.differences] == [
        "argument 2, at ['w']: <class 'tuple'>, before <class 'NoneType'>",
        "mode: tuple of length 1, before tuple of length 2",
        "positional arguments: tuple of length 1, before tuple of length 2",
    ]


def test_functions_of_one_name_within_each_other_are_told_apart() -> None:
    """jax tells that the outer one was traced; a miss of before is of a trace that failed."""
    never = "  never seen function:\n    <lambda> id=1"
    inner, outer = Frame("lib.py", 3, "<lambda>"), Frame("a.py", 1, "<lambda>")

    def step(start: float) -> list[Event]:
        return [
            Miss(time=start + 0.1, function="<lambda>", definition=outer, text=never, stack=SITE),
            Miss(time=start + 0.2, function="<lambda>", definition=inner, text=never, stack=SITE),
            TraceEnd(time=start + 1.0, function="<lambda>", seconds=1.0),
            LoweringBegin(time=start + 1.0, program="<lambda>", types=array("float32[3]")),
            Compile(time=start + 2.0, program="<lambda>", seconds=1.0),
        ]

    failed = Miss(time=0.5, function="<lambda>", definition=inner, text=never, stack=SITE)
    for events in ([step(1.0), step(5.0)], [[failed], step(1.0), step(5.0)]):
        made = model(*events)
        assert [program.key.file for program in made.programs] == ["a.py", "a.py"]
        assert [program.cause for program in made.programs] == [Cause.NEW_FUNCTION, Cause.REDEFINED_FUNCTION]
    untimed = [[dataclasses.replace(event, time=None) for event in events] for events in (step(1.0), step(5.0))]
    assert [program.key.file for program in model(*untimed).programs] == ["a.py", "a.py"]


def test_threads_and_processes_have_histories_of_their_own() -> None:
    one = call(NEVER, array("float32[4]"))
    other = [dataclasses.replace(event, process="2") for event in one]
    assert found(one, other) == ["new-function", "new-function"]
    mixed = [event for pair in zip(one, other, strict=True) for event in pair]
    assert found(mixed, mixed) == ["new-function", "new-function", "redefined-function", "redefined-function"]


def test_operations_are_floods_by_line() -> None:
    def operation(name: str, line: int, shape: str) -> list[Event]:
        stack = (Frame("a.py", line, "quantize"), Frame("a.py", 40, "<module>"))
        return [
            TraceEnd(function=name, seconds=0.1, stack=stack),
            LoweringBegin(program=name, types=array(f"float32[{shape}]"), stack=stack),
            Compile(program=name, seconds=0.4, eager=True, stack=stack),
        ]

    made = model(
        *(operation(name, line, shape) for shape in "345" for name, line in (("abs", 3), ("max", 3), ("mul", 4)))
    )
    assert [(flood.site.line, flood.compiles) for flood in made.floods if flood.site] == [(3, 6), (4, 3)]
    assert made.attributed == 1
    assert made.totals.cost.total == 4.5


def test_what_the_function_before_was_compiled_for_is_lost_with_it() -> None:
    """A second shape would be no cause if the function had not been defined anew."""
    types = f"{CLOSEST}  different input types:\n  * at x, now f32[{{}}] and before f32[4]"
    assert found(
        call(NEVER, array("float32[4]")),
        call(types.format(5), array("float32[5]")),
        call(NEVER, array("float32[4]")),
        call(types.format(5), array("float32[5]")),
        call(types.format(6), array("float32[6]")),
    ) == ["new-function", "shape", "redefined-function", "redefined-function", "shape"]


def test_threads_that_build_the_same_program_are_told_apart() -> None:
    one = call(NEVER, array("float32[4]"))
    other = call(f"{CLOSEST}  different input types:\n  * at x, now f32[5] and before f32[4]", array("float32[5]"))
    mixed = [
        dataclasses.replace(event, thread=str(number))
        for pair in zip(one, other, strict=True)
        for number, event in enumerate(pair)
    ]
    made = model(mixed)
    assert [(program.cause, program.types, program.cost.total) for program in made.programs] == [
        ("new-function", array("float32[4]"), 1.5),
        ("shape", array("float32[5]"), 1.5),
    ]
