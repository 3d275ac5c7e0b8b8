"""Tries suggestions: the program runs again with one of them followed in its text, and what it compiles is counted."""

from __future__ import annotations

import ast
import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.diagnostic import LocatedFix
from jaxlint.doctor import launcher, recording
from jaxlint.doctor.join import Joined
from jaxlint.doctor.model import Builder, Model
from jaxlint.doctor.roots import Root
from jaxlint.doctor.sources import Sources, Text
from jaxlint.doctor.suggestions import Suggestion, Tried
from jaxlint.doctor.traceable import Module

MOST = 3
"""How many suggestions are tried."""
_PATIENCE = 3.0
_AT_LEAST = 60.0
_WRAPPERS = {
    "jax.jit": '__import__("jax").jit',
    "eqx.filter_jit": '__import__("equinox").filter_jit',
    "equinox.filter_jit": '__import__("equinox").filter_jit',
    "nnx.jit": '__import__("flax.nnx").nnx.jit',
}


@dataclass(frozen=True)
class Candidate:
    """The text of a file in which a suggestion is followed."""

    path: str
    text: str


def try_all(joined: Joined, command: Sequence[str], script: str | None, wall: float, most: int = MOST) -> Iterator[str]:
    """Try the first suggestions, each by itself, and yield a word on each before it runs.

    `script` is the file that `command` runs, None where it runs a module; `wall` is how long the program took.
    """
    tried = 0
    for number, suggestion in enumerate(joined.shown, 1):
        candidate = candidate_of(suggestion, joined.sources)
        if candidate is None:
            continue
        if tried == most:
            return
        tried += 1
        yield f"trying suggestion {number}: the program runs again"
        suggestion.tried = _try(candidate, joined, command, script, max(wall * _PATIENCE, _AT_LEAST))


def _try(candidate: Candidate, joined: Joined, command: Sequence[str], script: str | None, seconds: float) -> Tried:
    with launcher.recording_folder() as folder:
        environment = launcher.environment(folder, texts={candidate.path: candidate.text})
        runner = folder / "inject" / launcher.OVERLAY
        full = [command[0], str(runner), *command[1:]] if script is not None else list(command)
        try:
            done = subprocess.run(
                full,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Tried(failure=f"it did not end within {seconds:.0f} s")
        after = Builder().extend(recording.read(folder, {}).events).model()
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Tried(failure=next((line for line in reversed(lines) if ": " in line), f"exit code {done.returncode}"))
    return compared(joined.model, after)


def compared(before: Model, after: Model) -> Tried:
    """Say what two runs built, in the seconds of the first.

    What both built as often took as long, had the machine been as busy: that is what the second is measured by.
    """
    old, new = _by_name(before), _by_name(after)
    same = [name for name in old if name in new and old[name][0] == new[name][0]]
    kept, kept_after = sum(old[name][1] for name in same), sum(new[name][1] for name in same)
    pace = kept / kept_after if kept and kept_after else 1.0
    programs_before, programs_after = (sum(number for number, _ in of.values()) for of in (old, new))
    whole = sum(seconds for _, seconds in old.values())
    others = sum(seconds for name, (_, seconds) in new.items() if name not in same)
    return Tried(programs_before, programs_after, whole, kept + pace * others)


def _by_name(model: Model) -> dict[str, tuple[int, float]]:
    """Return how many programs there are of each name, and what they took."""
    found: dict[str, tuple[int, float]] = {}
    for function in model.functions:
        number, seconds = found.get(function.key.name, (0, 0.0))
        built = function.compiles + function.cache_loads
        found[function.key.name] = (number + built, seconds + function.cost.total)
    return found


# --- following a suggestion ------------------------------------------------------------------------------------------


def candidate_of(suggestion: Suggestion, sources: Sources) -> Candidate | None:
    """Return what following a suggestion makes of a file; None where it does not say how."""
    if suggestion.root is not None and suggestion.root.kind in ("function", "call"):
        return _compiled(suggestion.root, sources)
    for diagnostic in suggestion.findings:
        text = next((text for text in sources.texts if text.name == diagnostic.filename), None)
        fix = next((fix for fix in diagnostic.fixes if fix.applicability.value != "display"), None)
        if text is not None and fix is not None:
            return Candidate(text.path, _fixed(text, fix))
    return None


def _fixed(text: Text, fix: LocatedFix) -> str:
    source = text.source
    edits = [
        (
            source.offset(edit.location.line, edit.location.column),
            source.offset(edit.end_location.line, edit.end_location.column),
            edit.content,
        )
        for edit in fix.edits
    ]
    made = source.text
    for start, end, content in sorted(edits, reverse=True):
        made = made[:start] + content + made[end:]
    return made


def _compiled(root: Root, sources: Sources) -> Candidate | None:
    """Return the text in which the calls of a root are compiled, all of one file."""
    wrapper = _WRAPPERS.get(root.wrapper)
    site = root.site
    text = sources.text(site.file) if site is not None else None
    if wrapper is None or site is None or text is None:
        return None
    module = Module(text.source.text)
    calls = []
    for frame in root.sites:
        if frame.file == site.file:
            call = module.call(frame.line, frame.column, frame.end_line, frame.end_column)
            if isinstance(call, ast.Call):
                calls.append(call)
    if not calls:
        return None
    edits = []
    for call in calls:
        function = call.func
        edits.append((_offset(text, function.lineno, function.col_offset), f"{wrapper}("))
        edits.append((_offset(text, function.end_lineno or 0, function.end_col_offset or 0), f"{root.static})"))
    made = text.source.text
    for at, content in sorted(edits, key=lambda edit: -edit[0]):
        made = made[:at] + content + made[at:]
    return Candidate(text.path, made)


def _offset(text: Text, row: int, column: int) -> int:
    """Return the offset of a place as `ast` tells it: with a column in bytes."""
    before = text.source.line(row).encode("utf-8", "surrogatepass")[:column]
    return text.source.offset(row, 1) + len(before.decode("utf-8", "surrogatepass"))


def script_of(target: Sequence[str], module: bool) -> str | None:
    """Return the script that a command runs; None where it is a module or a command."""
    with contextlib.suppress(OSError):
        if not module and os.path.isfile(target[0]) and Path(target[0]).suffix == ".py":
            return target[0]
    return None
