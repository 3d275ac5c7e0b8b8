"""What jax and XLA write into a log, by version: one line, or one record of several lines, to one event.

The wording differs between jax 0.4.30 and 0.10: 0.10 says `Finished tracing f for jit`, what came before says
`Finished tracing + transforming f for pjit`; up to 0.6 the line `Compiling f` lacks the `jit()`; and a cache miss is
explained in three ways, up to 0.5, from 0.6 to 0.8, and from 0.9 on.  What is before a message is whatever the
handler, the launcher and the cluster put there.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jaxlint.doctor import events
from jaxlint.doctor.events import Event, Frame

_NUMBER = r"\d{1,15}(?:\.\d{0,20})?(?:e[+-]?\d{1,2})?"
"""A number that is finite: a log may hold anything."""
_SECONDS = rf"(?P<seconds>{_NUMBER}) sec\b"
_PLACE = r"(?P<file>.*?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?"

Made = tuple[type[Event], dict[str, Any]]
"""The class of an event, and its fields."""

_Make = Callable[[dict[str, str]], Made | None]


@dataclass(frozen=True, slots=True)
class Head:
    """What is before a message, taken apart.

    `process` is what is left when times, levels, names of loggers and places in sources are taken away: the mark of a
    launcher, a host, a process id; empty where nothing is left.
    """

    process: str = ""
    thread: str = ""
    time: float | None = None


# --- messages --------------------------------------------------------------------------------------------------------


def _trace(found: dict[str, str]) -> Made:
    return events.TraceEnd, {"function": found["name"], "seconds": float(found["seconds"])}


def _lowering_begin(found: dict[str, str]) -> Made:
    return events.LoweringBegin, {"program": events.name(found["name"]), "types": found["types"]}


def _lowering(found: dict[str, str]) -> Made:
    return events.Lowering, {"program": events.name(found["name"]), "seconds": float(found["seconds"])}


def _compile(found: dict[str, str]) -> Made:
    return events.Compile, {"program": events.name(found["name"]), "seconds": float(found["seconds"])}


def _stored(outcome: str) -> _Make:
    def make(found: dict[str, str]) -> Made:
        return events.PersistentCache, {
            "program": _module(found.get("module")),
            "outcome": outcome,
            "key": found.get("key") or "",
            "reason": (found.get("reason") or "").strip(),
        }

    return make


def _stage(found: dict[str, str]) -> Made:
    unit = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "m": 60.0, "h": 3600.0}
    total = sum(float(number) * unit[name] for number, name in _DURATION.findall(found["duration"]))
    return events.Stage, {"stage": found["stage"], "seconds": total, "program": _module(found.get("module"))}


def _fingerprint(found: dict[str, str]) -> Made:
    return events.Fingerprint, {"program": _module(found["module"])}


def _slow(found: dict[str, str]) -> Made:
    return events.Stage, {"stage": SLOW_COMPILE, "program": _module(found["module"])}


def _nothing(_: dict[str, str]) -> None:
    return None


def _module(name: str | None) -> str:
    return (name or "").removeprefix("jit_")


SLOW_COMPILE = "SLOW_COMPILE"
"""The stage, without a duration, that XLA's alarm of a very slow compile means."""

_DURATION = re.compile(rf"({_NUMBER})\s*(ms|us|µs|ns|s|m|h)")

_MESSAGES: tuple[tuple[str, str, _Make], ...] = (
    # The word that the line must hold, the message, and what becomes of it.
    ("Finished tracing", rf"Finished tracing(?: \+ transforming)? (?P<name>.+?)(?: for \w+)? in {_SECONDS}", _trace),
    (
        "Finished jaxpr to MLIR",
        rf"Finished jaxpr to MLIR module conversion (?P<name>.+?) in {_SECONDS}",
        _lowering,
    ),
    ("Finished XLA compilation", rf"Finished XLA compilation of (?P<name>.+?) in {_SECONDS}", _compile),
    (
        "Compiling ",
        (
            r"Compiling (?P<name>.+?)(?: for(?: .{1,200}? mesh)?)? with global shapes and types (?P<types>.*?)"
            r"\.(?: +Argument mapping: |\s*$)"
        ),
        _lowering_begin,
    ),
    (
        "Compiling ",
        r"Compiling (?P<name>.+?) \(\d+\) for (?:\d+ devices with )?args (?P<types>.*?)\.(?: \(num_replicas=\d+|\s*$)",
        _lowering_begin,
    ),
    # The first words of a cache miss are in `MISS` below.
    (
        "ersistent compilation cache",
        r"Persistent compilation cache hit for '(?P<module>[^']*)'(?: with key '?(?P<key>[^']*)'?)?",
        _stored("hit"),
    ),
    (
        "PERSISTENT COMPILATION CACHE MISS",
        r"PERSISTENT COMPILATION CACHE MISS for '(?P<module>[^']*)'(?: with key '?(?P<key>[^']*)'?)?",
        _stored("miss"),
    ),
    (
        "ersistent compilation cache",
        r"Writing (?P<module>\S+) to persistent compilation cache with key '?(?P<key>[^']*)'?",
        _stored("write"),
    ),
    (
        "Not writing persistent cache entry",
        (
            r"Not writing persistent cache entry(?: for '(?P<module>[^']*)')?(?: with key '?(?P<key>[^']*?)'?)? "
            r"(?P<reason>(?:since|because) .*)"
        ),
        _stored("skipped"),
    ),
    (
        "stage duration",
        r"(?:\(HLO module (?P<module>[^)]*)\):? *)?(?P<stage>[A-Z][A-Z0-9_]+) stage duration: (?P<duration>\d\S*)",
        _stage,
    ),
    ("xecutable fingerprint", r"\(HLO module (?P<module>[^)]*)\):? *Executable fingerprint", _fingerprint),
    ("Very slow compile", r"\[Compiling module (?P<module>\S+?)\] Very slow compile", _slow),
    # What says nothing about cost, or what another line says as well.
    ("ersistent compilation cache", r"Initialized persistent compilation cache at ", _nothing),
    ("persistent compilation cache", r"(?:Error (?:reading|writing)|Using) persistent compilation cache", _nothing),
    ("PERSISTENT CACHE", r"PERSISTENT CACHE (?:WRITE with key|MISS for PGLE)", _nothing),
    ("_get_cache: ", r"_get_cache: Unsupported runtime", _nothing),
    ("_get_cache_key", r"get_cache_key", _nothing),
    ("get_cache_key", r"get_cache_key hash", _nothing),
    ("Dump", r"Dump(?:ing|ed) (?:jaxpr|eqn count pprof|the module)\b.* to ", _nothing),
    ("Compiling module", r"Compiling module:? ?\S+[,.]? ", _nothing),
)

_PATTERNS = tuple((word, re.compile(pattern), make) for word, pattern, make in _MESSAGES)

MARKS = (
    "Finished ",
    "ompil",
    "TRACING CACHE MISS",
    "PERSISTENT ",
    "persistent cache",
    "stage duration",
    "xecutable fingerprint",
    "jax._src.",
    "dispatch.py:",
    "pjit.py:",
    "pxla.py:",
    "partial_eval.py:",
    "  never seen ",
    " previously seen cache keys",
)
"""A line without any of these is none of jax's or XLA's, unless it goes on with what a line before it began.

Few, because each costs a search through all of a log; what they find too much costs a look at one line.
"""


def message(text: str) -> tuple[int, Made | None] | None:
    """Read a line that holds one whole message.

    Returns where in the line the message begins, and what event it is (None for a message that says nothing about
    cost); or None where the line holds no message that is known.
    """
    for word, pattern, make in _PATTERNS:
        if word in text:
            found = pattern.search(text)
            if found is not None:
                return found.start(), make(found.groupdict())
    return None


# --- cache misses ----------------------------------------------------------------------------------------------------

MISS_MARK = "TRACING CACHE MISS"

MISS = re.compile(
    rf"TRACING CACHE MISS at (?:(?P<unknown>unknown)|{_PLACE} \((?P<function>.*)\)|)"
    rf"(?: costing (?P<cost>{_NUMBER}) ms)?(?P<after> because)?:\s*$"
)
"""The first line of a cache miss.  Up to 0.8 it ends in `because:` and comes when the trace is over."""

_NEVER_SEEN = re.compile(r"^\s*(?P<name>\S.*?) id=\d+(?: defined at (?P<file>.*?):(?P<line>\d{1,9}))?\s*$")
_SEEN = re.compile(r"^  for (?P<name>\S.*?)(?: defined at (?P<file>.*?):(?P<line>\d{1,9}))?\s*$")

_CONTINUED = re.compile(
    r"^(?:"
    r"  never seen (?:function:|passing \d+ positional|input pytree|input type signature)"
    r"|    \S.* id=\d+(?: defined at .*:\d+)?$"
    r"|  for \S.*$"
    r"|  but seen another function defined on the same line"
    r"|  being re-defined repeatedly, preventing caching\?"
    r"|  all previously seen cache keys "
    r"|  closest seen "
    r"|  tracing context doesn't match"
    r"|  compare to tuple returned by config|    compare to tuple returned by"
    r"|  Tracing context doesn't match|  Debug info doesn't match|  different input (?:pytree|types):"
    r"|  cache miss explanation unavailable"
    r"| *\* (?:at |key with |\w+ differs: |number of tracing context )"
    r"|explanation unavailable!|    explanation unavailable!"
    r"| *where weak_type=True often means| *weak_type=False means| *See https://\S*type_promotion"
    r"|    .*"
    r")"
)
"""How the lines after the first may begin.  Four blanks always go on: what is there are values of the user's."""

_LOOSE = re.compile(r"^  (?:\S)")
"""A line that goes on with a record if nothing else explains it, in words that are not known."""


def continues(line: str) -> bool:
    """Tell whether a line can only be a part of a cache miss, in words that are known."""
    return _CONTINUED.match(line) is not None


def body_starts(line: str) -> list[int]:
    """Return where, behind the mark of a launcher, a part of a cache miss may begin."""
    return [found.start() for found in _BODY_START.finditer(line)][:_STARTS]


_BODY_START = re.compile(r" {2,}(?=\S)|\bexplanation unavailable!|\bwhere weak_type|\bweak_type=False|\bSee https:")
_STARTS = 4


def may_continue(line: str) -> bool:
    """Tell whether a line that follows a cache miss looks as if it belonged to it."""
    return _LOOSE.match(line) is not None


_BODY = (
    "  never seen ",
    "  but seen another function defined",
    "  being re-defined repeatedly",
    "  all previously seen cache keys",
    "  different input pytree:",
    "  different input types:",
)


def is_body(line: str) -> bool:
    """Tell whether a line is one of those that only cache misses have, wherever it is."""
    return line.startswith(_BODY)


def miss(lines: list[str]) -> events.Miss | None:
    """Read the lines of a cache miss, the first from `TRACING CACHE MISS` on; None where the first is no such line.

    What is missing, as in a log that was cut, is left empty.
    """
    found = MISS.search(lines[0])
    if found is None:
        return None
    function, definition = "", None
    for line, following in zip(lines[1:], [*lines[2:], ""], strict=False):
        match = None
        if line.startswith("  never seen function:"):
            match = _NEVER_SEEN.match(following)
        elif line.startswith("  for "):
            match = _SEEN.match(line)
        if match is not None:
            function = match["name"]
            definition = Frame(match["file"], int(match["line"]), function) if match["file"] else None
            break
    site: tuple[Frame, ...] = ()
    if found["line"]:
        column = found["column"]
        frame = Frame(found["file"], int(found["line"]), found["function"] or "", int(column) if column else None)
        site = (frame,)
    return events.Miss(
        function=function,
        definition=definition,
        text="\n".join(line.rstrip() for line in lines[1:]),
        seconds=float(found["cost"]) / 1e3 if found["cost"] else None,
        traced=found["after"] is not None,
        stack=site,
    )


def miss_of_record(text: str) -> events.Miss | None:
    """Read the text of one log record; None where it is no cache miss."""
    return miss(text.split("\n")) if text.startswith("TRACING CACHE MISS at ") else None


# --- lines within lines ----------------------------------------------------------------------------------------------

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_TEXTS = ("message", "msg", "log", "textPayload", "MESSAGE", "text", "event", "content", "line")
_TIMES = ("timestamp", "time", "@timestamp", "ts", "asctime")
_NAMES = (
    "rank process pid process_id process_index pod pod_name host hostname container instance _PID _HOSTNAME task_index"
).split()
_CRI = re.compile(r"^(?P<time>\d{4}-\d\d-\d\dT\S+) (?:stdout|stderr) (?P<tag>[FP])(?::\S*)? ?")
_BORDERS = re.compile("[\u2500-\u257f]")
_ALIGNED = re.compile(r"^ +(?=\d+ ?[:|>] )")
"""What is before a rank that has fewer digits than others."""
_MEMBER = re.compile(r'^\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*)?(?P<value>"(?:[^"\\]|\\.)*")\s*,?\s*$')


def unwrapped(line: str) -> list[str]:
    """Return the lines that a line of a log represents: without colours, and what a structured log holds in JSON."""
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    # What a progress bar wrote before it, it wrote over.
    line = line.rstrip("\r").rsplit("\r", 1)[-1]
    line = _ALIGNED.sub("", line)
    if _BORDERS.search(line):
        # A cell of a table.
        line = _BORDERS.sub("", line).rstrip()
    start = line.lstrip()[:1]
    if start in ("{", '"') or (start == "[" and line.lstrip()[1:2] in ("{", '"')):
        return _of_json(line)
    found = _CRI.match(line)
    return [f"{found['time']} {line[found.end() :]}"] if found is not None else [line]


def _of_json(line: str) -> list[str]:
    try:
        data = json.loads(line.strip().rstrip(","))
    except ValueError:
        return _of_member(line)
    found = list(texts_of(data))
    return found or ([data] if isinstance(data, str) else [line])


def _of_member(line: str) -> list[str]:
    """Return the text of one line of a JSON value that is printed over several."""
    found = _MEMBER.match(line)
    if found is None:
        return [line]
    text: str = json.loads(found["value"], strict=False)
    return text.rstrip("\n").split("\n")


def texts_of(data: Any, time: str = "", name: str = "") -> Iterator[str]:
    """Yield the lines that are said in a JSON value, which may hold others, each with its time and process before it.

    Whatever a collector calls the key: known ones first, then any text that holds a word of jax's.
    """
    if isinstance(data, str):
        yield from data.rstrip("\n").split("\n")
    if isinstance(data, list):
        for part in data:
            yield from texts_of(part, time, name)
        return
    if not isinstance(data, dict):
        return
    time = next((str(data[key]) for key in _TIMES if isinstance(data.get(key), str | int | float)), time)
    name = " ".join(_named(data)) or name
    texts = [data[key] for key in _TEXTS if isinstance(data.get(key), str)]
    texts = [text for text in texts if any(mark in text for mark in MARKS)] or texts[:1]
    if not texts:
        texts = [text for text in data.values() if isinstance(text, str) and any(mark in text for mark in MARKS)]
    inner = [part for part in data.values() if isinstance(part, dict | list)]
    if texts:
        name = name or " ".join(found for part in inner if isinstance(part, dict) for found in _named(part))
        # As a launcher puts it.
        mark = (f"{time} " if _ISO.search(time) else "") + (f"[{name}]: " if name else "")
        yield from (mark + text for text in texts[0].rstrip("\n").split("\n"))
        if any(mark in texts[0] for mark in MARKS):
            return
    for part in inner:
        yield from texts_of(part, time, name)


def _named(data: dict[str, Any]) -> list[str]:
    """Return what names the process in an object, or in those that label it."""
    own = [str(data[key]) for key in _NAMES if isinstance(data.get(key), str | int)]
    labels = (data.get(key) for key in ("labels", "resource", "kubernetes", "extra"))
    return own + [found for part in labels if isinstance(part, dict) for found in _named(part)]


# --- what is before a message ------------------------------------------------------------------------------------

_ABSL = re.compile(
    r"\b[IWEFD](?P<month>\d\d)(?P<day>\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:\.\d+)?)"
    r"(?: +(?P<thread>\d+))? +[\w./+-]+:\d+\] ?"
)
_EPOCH = re.compile(r"\b[IWEF]0000 00:00:(?P<epoch>\d{1,12}\.\d{1,9}) +(?P<thread>\d+) [\w./+-]+:\d+\] ?")
_ISO = re.compile(
    r"\[?(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)[T ](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:[.,]\d+)?)"
    r"(?:Z|[+-]\d\d:?\d\d)?\]?"
)
_CLOCK = re.compile(r"\b(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:[.,]\d+)?)\b")
_CLOCKS = (("0000 00:00:", _EPOCH), ("] ", _ABSL), ("-", _ISO), (":", _CLOCK))
_NOISE = re.compile(
    r"\bjax(?:lib)?(?:\._?\w+)+(?::\d+)?|\b(?:WARNING|WARN|DEBUG|INFO|ERROR)\b|[\w./+-]*\w\.(?:py|cc|h):\d+\]?"
    r"|\b\d\d/\d\d/\d{2,4}\b|\b[A-Z][a-z]{2} +\d{1,2}\b|\b[IWEF]\b(?= )",
)
_EDGES = " \t:-|>,;[](){}<`#*"


LOOKED_FOR = (
    "`Finished tracing f for jit in 0.1 sec`",
    "`Compiling jit(f) with global shapes and types`",
    "`Finished XLA compilation of jit(f) in 0.1 sec`",
    "`TRACING CACHE MISS at file:line`",
    "XLA's `HLO_PASSES stage duration: 0.1s`",
)
"""What a log was searched for, as people are told where nothing was found."""


def head(text: str) -> Head:
    """Take apart what is before a message on its line."""
    if not text or text.isspace():
        return _NO_HEAD
    time, thread = None, ""
    # The program and what collects its log may both tell the time; the program's is the last of a form.
    for word, pattern in _CLOCKS:
        found = pattern.search(text) if word in text else None
        while found is not None:
            if time is None or pattern is _ISO:
                time, thread = _time(found.groupdict()), found.groupdict().get("thread") or thread
            text = text[: found.start()] + " " + text[found.end() :]
            found = pattern.search(text)
    return Head(_process(text), thread, time)


_NO_HEAD = Head()


@functools.lru_cache(maxsize=4096)
def _process(text: str) -> str:
    if _BAR.search(text):
        return ""
    return " ".join(_NOISE.sub(" ", text).split()).strip(_EDGES)


_BAR = re.compile(r"\d+%\||\bit/s\b|\bs/it\b")
"""What progress bars write at the beginning of a line that a message then goes on with."""


@functools.lru_cache(maxsize=64)
def _day(year: int, month: int, day: int) -> float:
    import datetime

    try:
        return datetime.datetime(year, month, day, tzinfo=datetime.UTC).timestamp()
    except ValueError:
        return 0.0


def _time(found: dict[str, str | None]) -> float:
    """Return seconds since the epoch; the year, and the day, count as 1970's first where the line does not tell."""
    if found.get("epoch"):
        return float(found["epoch"] or 0)
    second = float((found["second"] or "0").replace(",", "."))
    clock = int(found["hour"] or 0) * 3600 + int(found["minute"] or 0) * 60 + second
    day = _day(int(found.get("year") or 1970), int(found.get("month") or 1), int(found.get("day") or 1))
    return day + clock


# --- what only looks like one of them --------------------------------------------------------------------------------

_OURS = re.compile(
    r"\bFinished (?:tracing|jaxpr to MLIR|XLA compilation)\b|\bTRACING CACHE MISS\b|\bCompiling (?:jit|pmap)\("
    r"|\bwith global shapes and types\b|\bPERSISTENT COMPILATION CACHE\b|\b[Pp]ersistent compilation cache (?:hit|miss)"
    r"|\bNot writing persistent cache entry\b|\bstage duration: |\b[Ee]xecutable fingerprint"
    # Loggers that mention compiling and of nothing else, as Python and as absl name them.
    r"|\bjax\._src\.(?:dispatch|pjit|interpreters\.pxla|interpreters\.partial_eval|compiler|compilation_cache)\b"
    r"|[IWEFD]\d{4} \d\d:\d\d:\d\d\S* +(?:\d+ +)?(?:dispatch|pjit|pxla|partial_eval|compiler|compilation_cache)\.py:\d"
)


def looks_like_ours(line: str) -> bool:
    """Tell whether a line that is not understood looks as if jax or XLA had written it about compiling."""
    return _OURS.search(line) is not None
