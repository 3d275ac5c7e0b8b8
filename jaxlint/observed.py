"""What runs of the user's own showed: evidence that `jaxlint run` keeps, and that linting uses.

An entry is of a function, or of a statement of the module, as its text was when it ran: once that text is another, the
entry says nothing any more.  A finding that was seen to cost compiles is sure, one whose place ran and showed nothing
is not, and what a run showed that no rule can see in the text is a finding of its own.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxlint.digests import digest, digest_of
from jaxlint.finding import Confidence, Finding, Span

if TYPE_CHECKING:
    from jaxlint.config import Config
    from jaxlint.facts.incoming import Incoming
    from jaxlint.settings import Settings
    from jaxlint.source import Source

VERSION = 1
CACHE_FOLDER = ".jaxlint_cache"
NAME = "observed.json"
MODULE = "<module>"
_MONTHS = "January February March April May June July August September October November December".split()


def path_of(config: Config) -> str:
    """Return the absolute path of the file that holds what runs showed."""
    return config.observed or os.path.join(config.root, CACHE_FOLDER, NAME)


def day(date: str) -> str:
    """Return a date such as 2026-11-30 as people say it."""
    year, month, number = date.split("-")
    return f"{int(number)} {_MONTHS[int(month) - 1]} {year}"


# --- what an entry is of ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Region:
    """A function, or a statement of the module outside of functions: its name, its lines, and its text by a digest."""

    name: str
    first: int
    last: int
    digest: str

    @property
    def mark(self) -> list[str]:
        """What an entry knows it by."""
        return [self.name, self.digest]


class Regions:
    """The regions of a text; none where it does not parse."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self.all: list[Region] = []
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            tree = ast.parse(text)
            for statement in tree.body:
                self.all.append(self._region(MODULE, statement))
            self._walk(tree, "")

    def at(self, row: int) -> Region | None:
        """Return the innermost region around a line."""
        return next((region for region in reversed(self.all) if region.first <= row <= region.last), None)

    def of(self, mark: list[str]) -> Region | None:
        """Return the region that an entry is of; None where there is none of this name and text."""
        return next((region for region in self.all if region.mark == list(mark)), None)

    def _walk(self, node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self.all.append(self._region(prefix + child.name, child))
                inner = f"{prefix}{child.name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                inner = f"{prefix}{child.name}."
            self._walk(child, inner)

    def _region(self, name: str, node: ast.stmt) -> Region:
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        last = node.end_lineno or node.lineno
        text = "\n".join(line.rstrip() for line in self._lines[first - 1 : last])
        return Region(name, first, last, digest_of(text.encode("utf-8", "surrogatepass"))[:16])


# --- reading ---------------------------------------------------------------------------------------------------------


def read(path: str) -> dict[str, list[dict[str, Any]]]:
    """Return the entries of a file of evidence by the names of files; nothing where it is not there or is no such file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        status = os.stat(path)
    except OSError:
        return {}
    return _read(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=16)
def _read(path: str, _time: int, _size: int) -> dict[str, list[dict[str, Any]]]:
    with open(path, "rb") as file:
        data = file.read()
    try:
        made = json.loads(data)
        files = made["files"] if made["version"] == VERSION else {}
        return {str(name): list(entries) for name, entries in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def entries_of(config: Config, path: str) -> list[dict[str, Any]]:
    """Return what is known of a file, given by its absolute path."""
    with contextlib.suppress(OSError):
        return read(path_of(config)).get(config.name_of(path), [])
    return []


def key_of(config: Config, path: str) -> str:
    """Return a digest of what is known of a file; the empty text where nothing is."""
    entries = entries_of(config, path)
    return digest(json.dumps(entries, sort_keys=True)) if entries else ""


# --- using -----------------------------------------------------------------------------------------------------------


def linted(
    source: Source, config: Config, path: str, incoming: Incoming, *, fixes: bool = True
) -> tuple[list[Finding], Config]:
    """Lint a file in the light of what runs showed of it; nobody has to build `fixes` that are not shown.

    Returns the findings, and the configuration by which to choose what is shown: what was seen is shown although its
    rule is in preview.
    """
    from jaxlint.linter import fingerprinted, lint

    entries = entries_of(config, path)
    if not entries:
        return lint(source, config.settings, incoming, fixes=fixes), config
    settings = config.settings
    wide = _wide(settings)
    found = _Evidence(source, entries).judged(lint(source, wide, incoming, fixes=fixes), settings)
    return fingerprinted(source, found), dataclasses.replace(
        config, settings=dataclasses.replace(settings, preview=True)
    )


def _wide(settings: Settings) -> Settings:
    return dataclasses.replace(settings, preview=True, min_confidence=Confidence.LOW)


class _Evidence:
    """What is known of one file, as far as its text is still what ran."""

    def __init__(self, source: Source, entries: Iterable[Mapping[str, Any]]) -> None:
        self._source = source
        regions = Regions(source.text)
        self._known: dict[str, Mapping[str, Any]] = {}
        self._places: list[tuple[Region, Mapping[str, Any]]] = []
        for entry in entries:
            region = regions.of(entry["region"])
            if region is None or any(regions.of(mark) is None for mark in entry.get("with", ())):
                continue
            if "fingerprint" in entry:
                self._known[entry["fingerprint"]] = entry
            else:
                self._places.append((region, entry))

    def judged(self, found: list[Finding], settings: Settings) -> Iterator[Finding]:
        """Yield the findings, as sure as what was seen makes them, and those that a run alone shows."""
        from jaxlint.rules import rules

        rows: set[tuple[str, int]] = set()
        for finding in found:
            entry = self._known.get(finding.fingerprint)
            rule = rules().get(finding.code)
            if entry is None:
                if rule is None or settings.enabled(rule):
                    rows.add((finding.code, self._source.position(finding.span.start)[0]))
                    yield finding
                continue
            confidence = Confidence.HIGH if entry["seen"] else Confidence.LOW
            rows.add((finding.code, self._source.position(finding.span.start)[0]))
            message = f"{finding.message} ({entry['text']}, in the run of {day(entry['date'])})"
            yield dataclasses.replace(finding, confidence=confidence, message=message)
        for region, entry in self._places:
            made = self._made(region, entry)
            if made is not None and (made.code, self._source.position(made.span.start)[0]) not in rows:
                yield made

    def _made(self, region: Region, entry: Mapping[str, Any]) -> Finding | None:
        from jaxlint.rules import rules

        rule = rules().get(entry["code"])
        if rule is None:
            return None
        row, end = region.first + entry["row"], region.first + entry["end_row"]
        try:
            span = Span(self._source.offset(row, entry["column"]), self._source.offset(end, entry["end_column"]))
        except (IndexError, ValueError):
            return None
        context = "" if region.name == MODULE else region.name.replace(".<locals>", "")
        message = f"{entry['text']}, in the run of {day(entry['date'])}; {entry['advice']}"
        return Finding(rule.code, rule.name, message, span, Confidence.HIGH, rule.impact, context=context)
