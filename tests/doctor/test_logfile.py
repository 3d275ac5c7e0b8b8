"""Logs as they come: cut, shuffled, mixed, with whatever a launcher, a handler or a cluster puts before a line."""

from __future__ import annotations

import datetime
import json
import random
import re
import tracemalloc

import pytest

from jaxlint.doctor import dialects, logfile
from jaxlint.doctor.events import Compile, Event, Fingerprint, Miss, Stage, TraceEnd
from jaxlint.doctor.logfile import LogReader
from tests.doctor import logs

NEWEST = logs.VERSIONS[-1]


def events_of(log: str) -> list[Event]:
    import io

    return list(LogReader("a.log").read(io.BytesIO(log.encode())))


# --- heads -----------------------------------------------------------------------------------------------------------

MISS = (
    "TRACING CACHE MISS at train.py:65:8 (Layer.__call__):\n"
    "  never seen function:\n"
    "    einsum id=5539 defined at dot.py:229\n"
)
HEADS = {
    "": ("", ""),
    "WARNING:jax._src.interpreters.partial_eval:": ("", ""),
    "W0610 23:49:11.800984 partial_eval.py:2179] ": ("", ""),
    "W0610 23:49:11.800984 140022074448992 partial_eval.py:2179] ": ("", "140022074448992"),
    "WARNING:2026-11-29 17:38:52,365:jax._src.pjit:1346: ": ("", ""),
    "2026-11-29 17:38:52,365 - jax._src.pjit - WARNING - ": ("", ""),
    "[2026-11-29 17:38:52] WARNING ": ("", ""),
    "[rank3]: W0610 23:49:11.800984 partial_eval.py:2179] ": ("rank3", ""),
    "worker-0 | 2026-11-29T17:38:52.365Z WARNING ": ("worker-0", ""),
    "(train pid=812, ip=10.0.0.7) WARNING:jax._src.pjit:": ("train pid=812, ip=10.0.0.7", ""),
    "Nov 29 17:38:52 node7 python[4211]: ": ("node7 python[4211", ""),
}


@pytest.mark.parametrize("head", HEADS)
def test_what_stands_before_a_message(head: str) -> None:
    mark = head if head.startswith(("[rank3]", "worker-0", "(train", "Nov")) else ""
    mark = re.split(r"W0610|2026-|WARNING", mark)[0]
    lines = MISS.splitlines()
    log = "\n".join([head + lines[0], *(mark + line for line in lines[1:])])
    log += f"\n{head}Finished XLA compilation of jit(einsum) in 0.25 sec\n"
    miss, compiled = events_of(log)
    assert isinstance(miss, Miss)
    assert isinstance(compiled, Compile)
    assert (miss.process, miss.thread) == (compiled.process, compiled.thread) == HEADS[head]
    assert (miss.function, miss.definition and miss.definition.line) == ("einsum", 229)
    assert miss.site is not None
    assert (miss.site.file, miss.site.line, miss.site.column, miss.site.function) == (
        "train.py",
        65,
        8,
        "Layer.__call__",
    )
    assert compiled.seconds == 0.25


def test_times() -> None:
    logged = datetime.datetime(2026, 11, 29, 17, 38, 52, 365000, tzinfo=datetime.UTC)
    head = dialects.head("WARNING:2026-11-29 17:38:52,365:jax._src.pjit:1346: ")
    assert head.time == pytest.approx(logged.timestamp())
    earlier, later = (dialects.head(f"W0610 23:49:{second} pxla.py:7] ").time for second in ("11.5", "12.75"))
    assert earlier is not None
    assert later is not None
    assert later - earlier == pytest.approx(1.25)
    assert dialects.head("I0000 00:00:1764437932.125   77 service.cc:152] ").time == 1764437932.125
    assert dialects.head("").time is None


WRAPPED = {
    "colours": lambda line: f"\x1b[33;1m{line}\x1b[0m",
    "progress": lambda line: f"Epoch 3:  12%|#2   | 3/25 [00:01<00:09, 2.1it/s]\r\x1b[K{line}",
    "windows": lambda line: f"{line}\r",
    "docker": lambda line: json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-11-29T17:38:52.365Z"}),
}


@pytest.mark.parametrize("version", ["0.5.3", "0.7.2", NEWEST])
@pytest.mark.parametrize("how", WRAPPED)
def test_lines_within_lines(how: str, version: str) -> None:
    alone, _ = logs.read(logs.text("varying_arguments", version))
    lines = map(WRAPPED[how], logs.text("varying_arguments", version).splitlines())
    model, reader = logs.read("\n".join(lines))
    assert logs.causes(model) == logs.causes(alone)
    assert (model.totals.processes, model.unknown, reader.cut) == (1, 0, 0)


def test_structured_logs_hold_records_of_several_lines() -> None:
    alone, _ = logs.read(logs.text("training", NEWEST))
    records = re.split(r"\n(?! )", logs.text("training", NEWEST).rstrip("\n"))
    lines = [
        json.dumps({"insertId": f"x{number}", "severity": "WARNING", "message": record, "rank": rank})
        for number, record in enumerate(records)
        for rank in (0, 1)
    ]
    model, _ = logs.read("\n".join(lines))
    assert model.totals.processes == 2
    assert logs.causes(model) == {key: 2 * count for key, count in logs.causes(alone).items()}


def test_a_bar_before_a_message_is_no_process() -> None:
    lines = [
        f"Epoch {n}:  1{n}%|#   | {n}/25 [00:0{n}<00:09, 2.{n}it/s]{line}"
        for n, line in enumerate(MISS.split("\n")[:1])
    ]
    (miss,) = events_of("\n".join(lines + MISS.splitlines()[1:]))
    assert miss.process == ""


# --- messages --------------------------------------------------------------------------------------------------------


def test_lines_of_xla() -> None:
    log = (
        "I0610 23:32:22.510689 isa_program_util_common.cc:346] (HLO module jit_iota): Executable fingerprint:abc\n"
        "I0610 23:33:55.090166 deepsea_compiler_hlo_passes.cc:6157] HLO_PASSES stage duration: 5.4901s\n"
        "I0610 23:33:58.089845 deepsea_compiler_backend.cc:1491] CODE_GENERATION stage duration: 434.59ms\n"
        "I0610 23:33:59.678832 deepsea_compiler_base.cc:984] END_TO_END stage duration: 1m2.5s\n"
        "2026-11-29 17:38:52.1: E external/xla/slow_operation_alarm.cc:73] \n"
        "[Compiling module jit_step] Very slow compile? If you want to file a bug, ...\n"
        "I0000 00:00:1764437932.125   77 service.cc:152] XLA service 0x55 initialized for platform Host\n"
    )
    found = events_of(log)
    assert [type(event) for event in found] == [Fingerprint, Stage, Stage, Stage, Stage]
    assert isinstance(found[0], Fingerprint)
    assert found[0].program == "iota"
    stages = [(event.stage, event.seconds, event.program) for event in found[1:] if isinstance(event, Stage)]
    assert stages == [
        ("HLO_PASSES", 5.4901, ""),
        ("CODE_GENERATION", pytest.approx(0.43459), ""),
        ("END_TO_END", 62.5, ""),
        (dialects.SLOW_COMPILE, 0.0, "step"),
    ]


def test_seconds_of_any_form() -> None:
    found = events_of(
        "Finished tracing + transforming f for pjit in 2.384185791015625e-06 sec\n"
        "Finished tracing + transforming <lambda> for pmap in 0.5 sec\n"
        "Finished tracing + transforming a for b in 3 sec\n"
    )
    assert [(event.function, event.seconds) for event in found if isinstance(event, TraceEnd)] == [
        ("f", 2.384185791015625e-06),
        ("<lambda>", 0.5),
        ("a", 3.0),
    ]


@pytest.mark.parametrize("number", ["1.0.0", "1e999", "9" * 5000, "nan", "-5", "1e"])
def test_what_is_no_number_is_not_understood(number: str) -> None:
    log = f"Finished XLA compilation of jit(f) in {number} sec\nFinished XLA compilation of jit(g) in 0.5 sec\n"
    log += MISS.replace(":65:8", f":{number}:{number}").replace(":229", f":{number}")
    assert [event.seconds for event in events_of(log) if isinstance(event, Compile)] == [0.5]


def test_flood_of_fingerprints_is_counted_where_jax_says_nothing() -> None:
    line = "I0610 23:32:22.5 isa_program_util_common.cc:346] (HLO module jit_{}): Executable fingerprint:1\n"
    model, _ = logs.read("".join(line.format(name) for name in ("convert_element_type", "iota", "add", "add", "step")))
    assert model.totals.fingerprints == model.totals.compiles == 5
    (flood,) = model.floods
    assert flood.operations == {"add": 2, "convert_element_type": 1, "iota": 1}


def test_values_that_take_several_lines() -> None:
    log = (
        "TRACING CACHE MISS at a.py:3 (f):\n"
        "  for g defined at a.py:1\n"
        "  all previously seen cache keys differ. For the closest previous key:\n"
        "  different input pytree:\n"
        "  * at input path [0][1], now <class 'jax._src.tree_util.Static'> with pytree metadata "
        "Static(val=array([[1, 2],\n"
        "       [3, 4]])) and before <class 'jax._src.tree_util.Static'> with pytree metadata Static(val=array([[1,\n"
        " 2]])), so the pytree node metadata does not match\n"
        "Finished XLA compilation of jit(g) in 1 sec\n"
    )
    model, reader = logs.read(log)
    (group,) = model.misses
    assert (group.cause.value, model.unknown, reader.cut) == ("static-value", 0, 0)
    assert list(group.changes) == ["argument 2: array([[1, 2], [3, 4]]), before array([[1, 2]])"]


# --- mixed, cut and shuffled -----------------------------------------------------------------------------------------


def interleaved(parts: list[list[str]], seed: int) -> list[str]:
    """Mix lines at random, keeping the order within each part."""
    rng = random.Random(seed)
    order = [number for number, part in enumerate(parts) for _ in part]
    rng.shuffle(order)
    iterators = [iter(part) for part in parts]
    return [next(iterators[number]) for number in order]


@pytest.mark.parametrize("version", ["0.4.38", "0.7.2", NEWEST])
@pytest.mark.parametrize("name", ["varying_arguments", "training", "eager_scan"])
def test_processes_of_one_log_are_told_apart(name: str, version: str) -> None:
    alone, _ = logs.read(logs.text(name, version))
    lines = logs.text(name, version).splitlines()
    marks = ("[rank0]: ", "[rank1]: ", "[rank12]: ")
    mixed = interleaved([[mark + line for line in lines] for mark in marks], seed=7)
    model, reader = logs.read("\n".join(mixed) + "\n")
    assert (model.totals.processes, model.unknown, reader.cut) == (3, 0, 0)
    assert logs.causes(model) == {key: 3 * count for key, count in logs.causes(alone).items()}
    assert logs.functions(model) == {(name, row, 3 * n): 1 for name, row, n in logs.functions(alone)}
    assert model.totals.cost.total == pytest.approx(3 * alone.totals.cost.total)


def test_several_logs_are_several_processes() -> None:
    import io

    from jaxlint.doctor.model import Builder

    builder = Builder()
    for process in ("a.log", "b.log"):
        builder.extend(LogReader("x", process).read(io.BytesIO(logs.text("training", NEWEST).encode())))
    model = builder.model()
    assert model.totals.processes == 2
    assert logs.causes(model)["step", 33, "new-function"] == 2


@pytest.mark.parametrize("version", logs.VERSIONS)
@pytest.mark.parametrize("name", ["varying_arguments", "training"])
def test_other_text_is_passed_over(name: str, version: str) -> None:
    alone, _ = logs.read(logs.text(name, version))
    others = ["epoch 3: loss 0.25", "    indented = [1,", "Finished epoch 2 in 3 sec", "", "\ttab", "Compiling assets"]
    # Whole records are written at once; lines of others come between them.
    records = re.split(r"\n(?! |where weak|weak_type=|See https|explanation un)", logs.text(name, version).rstrip("\n"))
    rng = random.Random(3)
    mixed = [line for record in records for line in (record, *rng.sample(others, 2))]
    model, reader = logs.read("\n".join(mixed))
    assert model.unknown == 0
    assert reader.cut == 0
    assert logs.causes(model) == logs.causes(alone)
    assert logs.functions(model) == logs.functions(alone)


@pytest.mark.parametrize("version", ["0.4.30", "0.8.2", NEWEST])
def test_a_log_that_is_cut_anywhere(version: str) -> None:
    whole = logs.text("varying_arguments", version).encode()
    compiles = [match.end() for match in re.finditer(rb"Finished XLA compilation of \S+ in [\d.]+ sec", whole)]
    rng = random.Random(1)
    for _ in range(40):
        start, end = sorted(rng.sample(range(len(whole)), 2))
        model, _ = logs.read(whole[start:end])
        within = sum(start <= position - 60 and position < end for position in compiles)
        assert within <= model.totals.compiles <= within + 2
        # At most the first line; the last is known to be cut.
        assert model.unknown <= 1


@pytest.mark.parametrize("version", logs.VERSIONS)
def test_lines_in_any_order_lose_no_compile(version: str) -> None:
    alone, _ = logs.read(logs.text("training", version))
    lines = logs.text("training", version).splitlines()
    for seed in range(3):
        random.Random(seed).shuffle(lines)
        model, _ = logs.read("\n".join(lines))
        assert model.totals.compiles == alone.totals.compiles
        assert model.totals.cost.compile == pytest.approx(alone.totals.cost.compile)
        assert model.totals.cost.lowering == pytest.approx(alone.totals.cost.lowering)


def test_two_handlers_tell_one_thing() -> None:
    single = logs.text("training", "0.5.3")
    lines = []
    for record in re.split(r"\n(?=WARNING)", single.rstrip("\n")):
        lines += [record, re.sub(r"^WARNING:.*?:\d+: ", "", record)]
    model, _ = logs.read("\n".join(lines))
    alone, _ = logs.read(single)
    assert logs.causes(model) == logs.causes(alone)
    assert model.totals.cost.total == pytest.approx(alone.totals.cost.total)


def test_what_is_not_understood_is_told() -> None:
    log = (
        "Finished tracing step for jit after a while\n"
        "WARNING:jax._src.dispatch:Something new about programs\n"
        "TRACING CACHE MISS at a.py:3 (f):\n"
        "  for g defined at a.py:1\n"
        "  jax has found a reason that nobody thought of\n"
        "W0610 23:49:11.8 pxla.py:12] Compiled differently\n"
        "WARNING:jax._src.xla_bridge:An NVIDIA GPU may be present\n"
        "finished tracing the outline\n"
    )
    model, _ = logs.read(log)
    assert [(example.number, example.file) for example in model.unknown_examples] == [
        (1, "a.log"),
        (2, "a.log"),
        (5, "a.log"),
        (6, "a.log"),
    ]


def test_a_part_without_its_first_line_is_told() -> None:
    _, reader = logs.read("  never seen function:\n    f id=3 defined at a.py:3\nhello\n")
    assert reader.cut == 1
    model, reader = logs.read("WARNING:jax._src.interpreters.pxla:Compiling jit(step) with global shapes and ty")
    assert (reader.cut, model.unknown) == (1, 0)


def test_bytes_that_are_no_text() -> None:
    model, _ = logs.read(b"\xff\xfe\x00 Finished XLA compilation of jit(\xe9) in 1 sec\r\n" + b"\x00" * 100)
    assert model.totals.compiles == 1


def test_memory_does_not_grow_with_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    class Repeated:
        """A log that goes on, without being held."""

        def __init__(self, text: bytes, times: int) -> None:
            self._text, self._times = text, times

        def read(self, _: int, /) -> bytes:
            self._times -= 1
            return self._text if self._times >= 0 else b""

    monkeypatch.setattr(logfile, "BLOCK", 1 << 14)
    monkeypatch.setattr("jaxlint.doctor.model.KEPT_PROGRAMS", 100)
    from jaxlint.doctor.model import Builder

    text = "".join(logs.text(name, NEWEST) for name in logs.NAMES).encode() + b"other text\n" * 2000
    peaks = []
    for times in (1, 5, 60):
        tracemalloc.start()
        Builder().extend(LogReader().read(Repeated(text, times))).model()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The first fills caches; what is collected when makes some difference.
    assert peaks[2] < 2 * peaks[1]
