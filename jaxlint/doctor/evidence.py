"""Keeps what a run showed for those who lint: see `jaxlint.observed`, which reads it."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxlint import observed
from jaxlint.config import Finder
from jaxlint.doctor import observed as shown
from jaxlint.doctor import recording
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.events import Frame
from jaxlint.doctor.join import Joined
from jaxlint.doctor.model import MissGroup
from jaxlint.doctor.sources import Text
from jaxlint.doctor.text import seconds
from jaxlint.observed import Region, Regions

CODES = {Cause.SHAPE: "JAX501", Cause.WEAK_TYPE: "JAX502"}
"""What a run shows, whether or not the text does."""
_WHY = {Cause.SHAPE: "for new shapes", Cause.WEAK_TYPE: "for a weak type"}
_ADVICE = {
    Cause.SHAPE: "pad to a few fixed sizes (buckets) and mask",
    Cause.WEAK_TYPE: "pass an array of one dtype from the first call on: `jnp.asarray(x, dtype)`",
}
_MOST = 2000
"""How many entries are kept of one file."""
OFTEN = 3
"""How often a place was traced at least that never showed what a finding says of it."""
_EACH_CALL = frozenset("JAX101 JAX102 JAX103 JAX104 JAX105 JAX108".split())


def keep(joined: Joined, finder: Finder) -> list[str]:
    """Write what a run showed to the files that the configuration names; return what went wrong.

    What was known of other functions stays.
    """
    today = _date(joined)
    by_target: dict[str, dict[str, tuple[Regions, set[str], list[dict[str, Any]]]]] = {}
    for text in joined.sources.texts:
        config = finder.config(os.path.dirname(text.path))
        regions = Regions(text.source.text)
        touched = {region.name for frame in _frames(joined, text) if (region := regions.at(frame.line)) is not None}
        entries = [{**entry, "date": today} for entry in _entries(joined, text, regions)]
        by_target.setdefault(observed.path_of(config), {})[config.name_of(text.path)] = (regions, touched, entries)
    problems = []
    for target, files in by_target.items():
        try:
            _merge(target, files)
        except OSError as error:
            problems.append(f"{target}: what was seen cannot be kept: {error.strerror or error}")
    return problems


def _merge(target: str, files: dict[str, tuple[Regions, set[str], list[dict[str, Any]]]]) -> None:
    kept = dict(observed.read(target))
    for name, (regions, touched, entries) in files.items():
        old = [
            entry
            for entry in kept.get(name, ())
            if entry["region"][0] not in touched and regions.of(entry["region"]) is not None
        ]
        kept[name] = (entries + old)[:_MOST]
    data = {"version": observed.VERSION, "files": {name: made for name, made in sorted(kept.items()) if made}}
    if not data["files"] and not os.path.exists(target):
        return
    _make_folder(target)
    recording.replace(Path(target), [json.dumps(data, indent=1, sort_keys=True), "\n"])


def _make_folder(target: str) -> None:
    folder = os.path.dirname(target)
    if os.path.basename(folder) == observed.CACHE_FOLDER and not os.path.exists(folder):
        from jaxlint.cache import Cache

        # With what tells others to leave it alone.
        with contextlib.suppress(OSError):
            Cache(folder).close()
    os.makedirs(folder, exist_ok=True)


def _date(joined: Joined) -> str:
    start = joined.model.start
    time = start.time if start is not None and start.time else None
    moment = datetime.datetime.fromtimestamp(time) if time else datetime.datetime.now()
    return moment.date().isoformat()


def _frames(joined: Joined, text: Text) -> Iterator[Frame]:
    model = joined.model
    for group in model.misses:
        yield from (frame for frame in group.frames if joined.sources.text(frame.file) is text)
        if group.definition is not None and joined.sources.text(group.definition.file) is text:
            yield group.definition
    for flood in model.floods:
        yield from (frame for frame in flood.frames if joined.sources.text(frame.file) is text)


def _entries(joined: Joined, text: Text, regions: Regions) -> Iterator[dict[str, Any]]:
    seen = shown.observe(joined)
    for diagnostic in joined.found:
        if diagnostic.filename != text.name:
            continue
        region = regions.at(diagnostic.location.row)
        what = seen.get((text.path, diagnostic.fingerprint))
        if region is None:
            continue
        if what is not None and what.confirmed:
            reason = what.reason.removesuffix(" in this run").rstrip(",")
            groups = [g for g in joined.model.misses if any(d is diagnostic for d in joined.of_miss[id(g)])]
            marks = [mark for g in groups if (mark := _definition(joined, g, text, regions)) not in (None, region.mark)]
            common = {"fingerprint": diagnostic.fingerprint, "code": diagnostic.code}
            yield _entry(region, **common, seen=True, text=reason, **({"with": marks} if marks else {}))
        elif what is None and diagnostic.code in _EACH_CALL:
            rows = range(diagnostic.location.row, diagnostic.end_location.row + 1)
            traced, missed = _traced(joined, text, rows)
            if traced >= OFTEN and missed <= 1:
                reason = f"traced {traced} times and compiled no more than once"
                yield _entry(region, fingerprint=diagnostic.fingerprint, code=diagnostic.code, seen=False, text=reason)
    yield from _places(joined, text, regions)


def _traced(joined: Joined, text: Text, rows: range) -> tuple[int, int]:
    """Return how often jax looked for the trace of a call on some lines, and how often it had none."""
    model = joined.model
    traced = sum(n for (file, line), n in model.sites.items() if line in rows and joined.sources.text(file) is text)
    missed = sum(
        group.count
        for group in model.misses
        if group.site is not None and group.site.line in rows and joined.sources.text(group.site.file) is text
    )
    return traced, missed


def _places(joined: Joined, text: Text, regions: Regions) -> Iterator[dict[str, Any]]:
    """Yield what no finding represents."""
    for group in joined.model.misses:
        site = group.site
        code = CODES.get(group.cause)
        built = group.compiles + group.cache_loads
        if code is None or site is None or not built or joined.sources.text(site.file) is not text:
            continue
        if any(diagnostic.code == code for diagnostic in joined.of_miss[id(group)]):
            continue
        region = regions.at(site.line)
        if region is not None:
            yield _entry(
                region,
                code=code,
                row=site.line - region.first,
                column=joined.sources.column(site) or 1,
                end_row=(site.end_line or site.line) - region.first,
                end_column=_end_column(joined, site),
                text=_told(group, built),
                advice=_ADVICE[group.cause],
                **({"with": [mark]} if (mark := _definition(joined, group, text, regions)) is not None else {}),
            )


def _told(group: MissGroup, built: int) -> str:
    times = "again" if built == 1 else f"again {built} times"
    change = next(iter(group.changes), "")
    told = f"`{group.program or group.key.name}` was compiled {times} {_WHY[group.cause]}"
    return f"{told} ({change}), {seconds(group.cost.total)}" if change else f"{told}, {seconds(group.cost.total)}"


def _definition(joined: Joined, group: MissGroup, text: Text, regions: Regions) -> list[str] | None:
    """Return the mark of the function that was called, where it is defined in the same file."""
    definition = group.definition
    if definition is None or joined.sources.text(definition.file) is not text:
        return None
    region = regions.at(definition.line)
    return region.mark if region is not None else None


def _end_column(joined: Joined, site: Frame) -> int:
    last = Frame(site.file, site.end_line or site.line, column=site.end_column)
    column = joined.sources.column(last) if site.end_column is not None else None
    return column or (joined.sources.column(site) or 1)


def _entry(region: Region, **parts: Any) -> dict[str, Any]:
    return {"region": region.mark, **parts}
