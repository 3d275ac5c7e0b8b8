"""Events travel as JSON lines: what is written is what is read."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint.doctor import events
from jaxlint.doctor.events import Equations, EventError, Frame, Miss, Sample, dumps, loads


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of([st.from_type(kind) for kind in events.KINDS.values()]))
def test_an_event_survives_its_line(event: events.Event) -> None:
    line = dumps(event)
    assert "\n" not in line
    # As text, in which one NaN is like another.
    assert repr(loads(line)) == repr(event)
    assert repr(loads(line.encode("utf-8", "surrogatepass"))) == repr(event)


def test_the_form_of_a_line() -> None:
    miss = Miss(
        function="f", definition=Frame("a.py", 3), text="never seen function", stack=(Frame("a.py", 7, "g", 4),)
    )
    assert json.loads(dumps(miss)) == {
        "event": "miss",
        "function": "f",
        "definition": {"file": "a.py", "line": 3},
        "text": "never seen function",
        "stack": [{"file": "a.py", "line": 7, "function": "g", "column": 4}],
    }


def test_keys_of_a_later_version_are_passed_over() -> None:
    line = '{"event": "compile", "program": "f", "memory": 3}'
    assert loads(line) == events.Compile(program="f")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not an event"),
        ('{"event": "explosion"}', "not an event"),
        ('{"event": "compile", "seconds": "3"}', "compile.seconds: '3' has the wrong type"),
        ('{"event": "compile", "stack": [{"file": "a.py"}]}', "line"),
        ('{"event": "persistent-cache", "outcome": "maybe"}', "wrong type"),
    ],
)
def test_what_is_no_event_is_said(line: str, reason: str) -> None:
    with pytest.raises(EventError, match=reason.replace("(", r"\(")):
        loads(line)
    with pytest.raises(EventError, match="line 2: "):
        list(events.read(["", line]))


def test_equations_are_counted() -> None:
    assert Equations(samples=(Sample(3, "add"), Sample(4, "mul"))).count == 7


def test_every_class_of_events_has_a_name_of_its_own() -> None:
    assert all(dataclasses.is_dataclass(kind) and key == kind.KIND for key, kind in events.KINDS.items())
    assert {kind.__name__ for kind in events.KINDS.values()} == {k.__name__ for k in events.Event.__subclasses__()}
