"""Why the tracing cache missed: read from jax's explanation, and worked out again where that misleads.

jax compares with the closest previous key, and takes a difference of the context or of the structure for closer than
one of the types.  A function that was once called with another static value is then said, ever after, to differ in that
value, although a key with the value of now exists, and what is new is a shape.  Up to 0.5 a static value is not
explained at all.  And `seen another function defined on the same line` tells that the call site missed before, not that
a function was defined again.
"""

from __future__ import annotations

import enum
import functools
import re
from dataclasses import dataclass, field, replace
from typing import TypeVar

from jaxlint.doctor.events import Miss


class Cause(enum.StrEnum):
    """Why a function was traced."""

    NEW_FUNCTION = "new-function"
    """It was called for the first time."""
    REDEFINED_FUNCTION = "redefined-function"
    """A function that is defined at the same place was traced before, but is another object."""
    SHAPE = "shape"
    DTYPE = "dtype"
    WEAK_TYPE = "weak-type"
    STATIC_VALUE = "static-value"
    PYTREE = "pytree"
    """The structure of the arguments: lengths, keys, None for a value, a value by keyword that was by position."""
    CONTEXT = "context"
    """A setting of jax, or a context manager, that tracing depends on."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs from an earlier call; `path` names an argument, a path in the arguments, or a setting."""

    path: str
    now: str
    before: str

    def __str__(self) -> str:
        return f"{_argument(self.path)}: {_clipped(self.now)}, before {_clipped(self.before)}"


def _clipped(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 3] + "..."


_LONGEST = 120
_ROOT = re.compile(
    r"^(?:\[0\]|args)\[(?P<number>\d+)\](?P<below>.*)$|^(?:\[1\]|kwargs)\['(?P<name>\w+)'\](?P<rest>.*)$"
)


def _argument(path: str) -> str:
    """Return what to call a path: jax counts positional arguments under `[0]` or `args`, and has the others by name."""
    if path in ("[0]", "args", "[1]", "kwargs"):
        return "positional arguments" if path in ("[0]", "args") else "keyword arguments"
    found = _ROOT.match(path)
    if found is None:
        return path
    if found["name"]:
        return f"{found['name']}{found['rest']}"
    number = int(found["number"]) + 1
    return f"argument {number}" + (f", at {found['below']}" if found["below"] else "")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What jax says of a cache miss: which kinds of differences, and the differences themselves by kind."""

    never_seen: bool
    kinds: tuple[Cause, ...] = ()
    differences: tuple[tuple[Cause, Difference], ...] = ()

    def of(self, kind: Cause) -> list[Difference]:
        """Return the differences of a kind."""
        return [difference for of, difference in self.differences if of is kind]


_TYPES = Cause.SHAPE
"""Represents types of any kind until the differences are looked at."""

_KINDS = (
    (re.compile(r"^ *(?:\* key with )?different input types:|^ *never seen input type signature"), _TYPES),
    (
        re.compile(
            r"^ *(?:\* key with )?different input pytree:|^ *never seen input pytree|^ *never seen passing \d+ "
            r"|^ *\* key with different number of args and kwargs"
        ),
        Cause.PYTREE,
    ),
    (re.compile(r"^ *\* key with different (?:value of static|static_argnums)"), Cause.STATIC_VALUE),
    (re.compile(r"^ *(?:\* key with different t|t|T)racing context"), Cause.CONTEXT),
)
_AT = re.compile(
    r"^ *\* at (?:input path )?(?P<path>.*?), "
    r"(?:now (?P<now>.*) and before (?P<before>.*)|seen (?P<was>.*?),? but now given (?P<is>.*))$"
)
_SETTING = re.compile(r"^ *\* (?P<path>\w+) differs: now (?P<now>.*) and before (?P<before>.*)$")
_POSITION = re.compile(r"^ *(?P<path>\[\d+\]): now (?P<now>.*) and before (?P<before>.*?)(?:, and)?$")
_STATIC = re.compile(r"^ *now (?P<now>.*) and before (?P<before>.*)$")
_STATIC_NODE = re.compile(r"^<class '[\w.]*Static'> with pytree metadata Static\(val=(?P<value>.*)\)$", re.DOTALL)
_REASON = re.compile(r",\s+so (?!.*,\s+so ).*$")
_DOCS = re.compile(r"https://\S+$")


def explanation(miss: Miss) -> Explanation:
    """Read jax's explanation, in any of its dialects."""
    kinds: list[Cause] = []
    differences: list[tuple[Cause, Difference]] = []
    lines = _joined(miss.text)
    kind: Cause | None = None
    for line in lines:
        for pattern, this in _KINDS:
            if pattern.match(line):
                kind = this
                kinds.append(this)
        found = _difference(line, kind)
        if found is not None:
            differences.append(found)
    never_seen = any(line.lstrip().startswith("never seen function") for line in lines)
    kinds.extend(kind for kind, _ in differences if kind not in kinds)
    told = {kind for kind, _ in differences}
    if Cause.STATIC_VALUE in told and Cause.PYTREE not in told:
        # From 0.9 on static values are a part of the structure.
        kinds = [kind for kind in kinds if kind is not Cause.PYTREE]
    return Explanation(never_seen, tuple(dict.fromkeys(kinds)), tuple(differences))


def _joined(text: str) -> list[str]:
    """Return the lines, with those of values that take several put together."""
    lines: list[str] = []
    for line in text.split("\n"):
        last = lines[-1] if lines else ""
        if last.lstrip().startswith("* at ") and (_AT.match(last) is None or _is_open(last)):
            lines[-1] = f"{last} {line.strip()}"
        else:
            lines.append(line)
    return lines


def _is_open(text: str) -> bool:
    return any(text.count(left) > text.count(right) for left, right in ("()", "[]", "{}"))


def _difference(line: str, kind: Cause | None) -> tuple[Cause, Difference] | None:
    found = _SETTING.match(line) or (_POSITION.match(line) if kind is Cause.CONTEXT else None)
    if found is not None:
        return Cause.CONTEXT, Difference(found["path"], found["now"], found["before"])
    found = _AT.match(line)
    if found is not None:
        now, before = found["now"] or found["is"] or "", found["before"] or found["was"] or ""
        if kind is _TYPES:
            return _TYPES, Difference(found["path"], now, _DOCS.sub("", before))
        now, before = _REASON.sub("", now), _REASON.sub("", before)
        values = _STATIC_NODE.match(now), _STATIC_NODE.match(before)
        if values[0] and values[1]:
            return Cause.STATIC_VALUE, Difference(found["path"], values[0]["value"], values[1]["value"])
        return Cause.PYTREE, Difference(found["path"], now, before)
    found = _STATIC.match(line) if kind is Cause.STATIC_VALUE else None
    if found is not None:
        return Cause.STATIC_VALUE, Difference("static arguments", found["now"], found["before"])
    return None


# --- types of arguments ----------------------------------------------------------------------------------------------

_AVAL = re.compile(r"ShapedArray\((?P<dtype>[^\[\]()]+)\[(?P<shape>[^\]]*)\](?P<rest>[^()]*)\)")
_SHORT = re.compile(r"^(?P<dtype>[^\[\]]+)\[(?P<shape>[^\]]*)\](?:\{weak_type=(?P<weak>True|False)\})?")


@dataclass(frozen=True, slots=True)
class Type:
    """The type of one argument."""

    dtype: str
    shape: str
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.dtype}[{self.shape}]" + (" (weak)" if self.weak else "")


Signature = tuple[Type, ...]


def signature(types: str) -> Signature:
    """Read the types that jax prints of a program's arguments."""
    return tuple(_type(found[1], found[2], "weak_type=True" in found[3]) for found in _AVAL.finditer(types))


# A model has thousands of arguments of few types, and many signatures are remembered.
_type = functools.lru_cache(maxsize=4096)(Type)


def _changed(now: Type, before: Type) -> Cause | None:
    if now.shape != before.shape:
        return Cause.SHAPE
    if now.dtype != before.dtype:
        return Cause.DTYPE
    return Cause.WEAK_TYPE if now.weak != before.weak else None


_WORST = (Cause.SHAPE, Cause.DTYPE, Cause.WEAK_TYPE)


def _distance(now: Signature, before: Signature) -> int:
    weights = {None: 0, Cause.WEAK_TYPE: 1, Cause.DTYPE: 2, Cause.SHAPE: 3}
    return sum(weights[_changed(a, b)] for a, b in zip(now, before, strict=True))


# --- causes ----------------------------------------------------------------------------------------------------------

_KEPT = 64
"""How many signatures, and how many values of each kind, are remembered of a function."""
_KEPT_CURRENT = 1024


@dataclass(slots=True)
class History:
    """What a function was called with before, in one process.

    A function that is defined again goes on with the history of the one before; `current` holds the types that the
    present one was called with.
    """

    current: set[Signature] = field(default_factory=set)
    redefined: bool = False
    signatures: dict[Signature, None] = field(default_factory=dict)
    values: dict[tuple[Cause, str, str], None] = field(default_factory=dict)
    contexts: int = 0
    committed: str = ""
    """Which arguments of the last call were committed to devices (see `events.LoweringBegin`)."""

    def add(self, said: Explanation, types: Signature | None) -> None:
        """Remember what a call was like, and what it was compared with."""
        for kind, difference in said.differences:
            if kind is not _TYPES:
                _remember(self.values, (kind, difference.path, difference.now))
                _remember(self.values, (kind, difference.path, difference.before))
        self.contexts += Cause.CONTEXT in said.kinds
        if types is not None:
            _remember(self.signatures, types)
            if len(self.current) < _KEPT_CURRENT:
                self.current.add(types)

    def begin_again(self) -> None:
        """Go on with a new function that is defined at the same place."""
        self.redefined = True
        self.current.clear()

    def knows(self, kind: Cause, said: Explanation) -> bool:
        """Tell whether each value of a kind that jax calls different was there before."""
        differences = said.of(kind)
        if not differences:
            return kind is Cause.CONTEXT and self.contexts > 0
        return all((kind, difference.path, difference.now) in self.values for difference in differences)


_Key = TypeVar("_Key")


def _remember(kept: dict[_Key, None], key: _Key) -> None:
    kept[key] = None
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The cause of a miss; `changes` say what differs; `corrected` tells that jax's explanation says otherwise.

    `is_placed` tells that other arguments are committed to devices too, for which JAX compiles again.
    """

    cause: Cause
    changes: tuple[str, ...] = ()
    corrected: bool = False
    is_placed: bool = False


def cause(said: Explanation, types: Signature | None, history: History) -> Verdict:
    """Say why a known function was traced again.

    `types` are those of the arguments, None where they are not known: where a function is traced inside of another.
    """
    for kind in (Cause.CONTEXT, Cause.STATIC_VALUE, Cause.PYTREE):
        if kind in said.kinds and not history.knows(kind, said):
            return Verdict(kind, tuple(map(str, said.of(kind))))
    if types is not None and history.redefined and types in history.signatures and types not in history.current:
        # The function before it was compiled for this.
        return Verdict(Cause.REDEFINED_FUNCTION, corrected=True)
    if types is not None and history.signatures and types not in history.signatures:
        verdict = _by_types(said, types, history)
        if verdict is not None:
            return verdict
    for kind in said.kinds:
        if kind is _TYPES:
            return _as_explained(said)
        return Verdict(kind, tuple(map(str, said.of(kind))))
    if types is not None and types in history.signatures:
        # What a function is compiled for is its types, the structure, the context and the static values; up to 0.5
        # jax explains all of them but the last.
        return Verdict(Cause.STATIC_VALUE, ("the types of all arguments are those of an earlier call",))
    return Verdict(Cause.UNKNOWN)


def placed(verdict: Verdict, committed: str, history: History) -> Verdict:
    """Add to a verdict that other arguments are committed to devices than in the call before, and remember which."""
    before, history.committed = history.committed, committed
    if (
        verdict.cause in (Cause.NEW_FUNCTION, Cause.REDEFINED_FUNCTION)
        or len(before) != len(committed)
        or before == committed
    ):
        return verdict
    change = f"arguments committed to a device: {committed.count('1')} of {len(committed)}, before {before.count('1')}"
    return replace(verdict, changes=(change, *verdict.changes), is_placed=True)


def is_of_objects(verdict: Verdict) -> bool:
    """Tell whether the static values that differ are functions or objects, which are printed with an address."""
    return any(" at 0x" in change or "functools.partial(" in change for change in verdict.changes)


def another(types: Signature | None, history: History) -> Verdict:
    """Say why a function that is defined again was compiled for what none before it computes.

    It would have been, had it been defined once: for its types, or for what it closes over.
    """
    if types is None or not history.signatures or types in history.signatures:
        return Verdict(Cause.NEW_FUNCTION)
    return unexplained(types, history)


def unexplained(types: Signature, history: History) -> Verdict:
    """Say what a function was compiled for where jax explains nothing, from the types of its arguments alone."""
    if not history.signatures:
        return Verdict(Cause.NEW_FUNCTION)
    if types in history.signatures:
        return Verdict(Cause.UNKNOWN)
    if all(len(before) != len(types) for before in history.signatures):
        return Verdict(Cause.PYTREE, ("the number of arrays among the arguments",))
    verdict = _by_types(Explanation(False), types, history) or Verdict(Cause.UNKNOWN)
    return Verdict(verdict.cause, verdict.changes)


def _by_types(said: Explanation, types: Signature, history: History) -> Verdict | None:
    """Compare with the closest types that the function was called with before."""
    alike = [before for before in history.signatures if len(before) == len(types)]
    if not alike:
        return None
    before = min(alike, key=lambda old: _distance(types, old))
    changes = [(_changed(a, b), a, b) for a, b in zip(types, before, strict=True)]
    kinds = {kind for kind, _, _ in changes}
    worst = next(kind for kind in _WORST if kind in kinds)
    if _TYPES in said.kinds and _as_explained(said).cause is worst:
        return _as_explained(said)
    count = len(types)
    told = [
        f"argument {number} of {count}: {now}, before {old}"
        for number, (kind, now, old) in enumerate(changes, 1)
        if kind is not None
    ]
    return Verdict(worst, tuple(told[:_TOLD]), corrected=True)


_TOLD = 6


def _as_explained(said: Explanation) -> Verdict:
    """Take the types that jax tells."""
    kinds = set()
    told = []
    for difference in said.of(_TYPES):
        now, before = _SHORT.match(difference.now), _SHORT.match(difference.before)
        if now is None or before is None:
            continue
        kind = _changed(
            Type(now["dtype"], now["shape"], now["weak"] == "True"),
            Type(before["dtype"], before["shape"], before["weak"] == "True"),
        )
        if kind is not None:
            kinds.add(kind)
            told.append(str(difference).replace("{weak_type=True}", " (weak)").replace("{weak_type=False}", ""))
    worst = next((kind for kind in _WORST if kind in kinds), Cause.UNKNOWN)
    return Verdict(worst, tuple(told[:_TOLD]))
