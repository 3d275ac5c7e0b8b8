"""The labelled set: what was drawn from the candidates, what readers said of it, and how far they agree.

`labels.tsv` has one row for each place that was drawn, whether or not it has been read.  A label is known by what
outlives a change of the linter and of other lines: the repository, the path, the text of the line, the qualified name
around it, and the rule.  How sure the linter is stays out of it: that is recorded anew for each version.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

VERDICTS = ("right", "arguable", "wrong")
UNREAD = "unread"
SPLITS = ("learn", "choose", "final")


@dataclass(frozen=True, order=True)
class Key:
    """What a candidate is known by, from one version of the linter to the next."""

    repository: str
    path: str
    digest: str
    context: str
    code: str

    @property
    def id(self) -> str:
        """A short name that tells nothing."""
        return hashlib.sha256("\0".join(astuple(self)).encode()).hexdigest()[:12]


@dataclass(frozen=True, order=True)
class Label:
    """A place that was drawn, and what its readers said."""

    repository: str
    path: str
    line: int
    digest: str
    context: str
    code: str
    split: str
    verdict: str = UNREAD
    second: str = ""
    """The verdict of the second reader, where there was one."""
    reason: str = ""

    @property
    def key(self) -> Key:
        """What the place is known by."""
        return Key(self.repository, self.path, self.digest, self.context, self.code)


def line_digest(text: str) -> str:
    """Return what stands for the text of a line, its indentation left out."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogateescape")).hexdigest()[:12]


def split_of(repository: str) -> str:
    """Return the part of the set that a repository belongs to, by a hash of its name alone."""
    quarter = hashlib.sha256(repository.lower().encode()).digest()[0] // 64
    return ("learn", "learn", "choose", "final")[quarter]


def read(file: Path) -> list[Label]:
    """Read the table of labels.

    Raises:
        SystemExit: a row has a verdict or a split that is none.
    """
    with file.open(encoding="utf-8", newline="") as text:
        table = csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = [Label(line=int(record.pop("line")), **record) for record in table]
    for row in rows:
        for verdict in (row.verdict, row.second or UNREAD):
            if verdict not in (*VERDICTS, UNREAD):
                sys.exit(f"{file}: {row.path}:{row.line}: {verdict!r} is none of {', '.join(VERDICTS)}, {UNREAD}")
        if row.split not in SPLITS:
            sys.exit(f"{file}: {row.path}:{row.line}: {row.split!r} is none of {', '.join(SPLITS)}")
    return rows


def write(file: Path, rows: Iterable[Label]) -> None:
    """Write the table of labels, sorted."""
    lines = ["\t".join(field.name for field in fields(Label))]
    lines += ["\t".join(map(str, astuple(row))) for row in sorted(rows)]
    part = file.with_name(f".{file.name}.part")
    part.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
    os.replace(part, file)


def objects(file: Path) -> list[dict[str, Any]]:
    """Read a file with one JSON object a line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


# --- merging ---------------------------------------------------------------------------------------------------------


def merged(rows: Iterable[Label], answers: Mapping[str, Sequence[dict[str, str]]]) -> list[Label]:
    """Return the labels with what was answered.

    Args:
        rows: the labels.
        answers: the answers of each sheet, by its name.  A place that is in two sheets was read twice: the verdict is
            that of the sheet whose name comes first.

    Raises:
        SystemExit: an answer is about nothing that was drawn, has no verdict or no reason, or comes twice in a sheet.
    """
    told: dict[str, list[dict[str, str]]] = defaultdict(list)
    for sheet, given in sorted(answers.items()):
        seen: set[str] = set()
        for answer in given:
            name = answer.get("id", "")
            if answer.get("verdict") not in VERDICTS or not answer.get("reason", "").strip():
                sys.exit(f"{sheet}: {name}: an answer needs one of {', '.join(VERDICTS)}, and a reason")
            if name in seen:
                sys.exit(f"{sheet}: {name}: is answered twice")
            seen.add(name)
            told[name].append(answer)
    result = []
    for row in rows:
        readings = told.pop(row.key.id, [])
        if len(readings) > 2:
            sys.exit(f"{row.key.id}: is in {len(readings)} sheets")
        result.append(_with_readings(row, readings))
    if told:
        sys.exit(f"answers about nothing that was drawn: {', '.join(sorted(told)[:5])}")
    return result


def _with_readings(row: Label, readings: Sequence[dict[str, str]]) -> Label:
    if not readings:
        return row
    first = readings[0]
    second = readings[1]["verdict"] if len(readings) > 1 else row.second
    return replace(row, verdict=first["verdict"], reason=" ".join(first["reason"].split()), second=second)


# --- agreement -------------------------------------------------------------------------------------------------------


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of two readings, None where it is not defined."""
    if not pairs:
        return None
    total = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    agreed = sum(one == other for one, other in pairs) / total
    chance = sum(first[verdict] * second[verdict] for verdict in first) / total**2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


# --- the report ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """What a run of the linter, and the list of sources, say about a label."""

    confidence: str
    shown: bool
    library: bool


def report(rows: Sequence[Label], known: Mapping[Key, Known], libraries: Mapping[str, bool]) -> str:
    """Return the page about the labels.

    Args:
        rows: the labels.
        known: what a run of the linter says now about the candidates.
        libraries: whether a repository is a library.
    """
    done = [row for row in rows if row.verdict != UNREAD]
    parts = [
        "# The labelled set\n\n",
        "Written by `python -m lintcheck.field report`; [labels.tsv](labels.tsv) has each place.\n\n",
        f"{len(rows)} places in {len({row.repository for row in rows})} repositories were drawn, ",
        f"{len(done)} are read. ",
        f"{agreement(done)}\n",
    ]
    kinds = {"users' code": False, "libraries": True}
    for split in SPLITS:
        here = [row for row in done if row.split == split]
        if not here:
            continue
        parts += [f"\n## {split}\n\n", _head("kind, confidence")]
        for kind, library in kinds.items():
            mine = [row for row in here if libraries.get(row.repository, False) == library]
            parts += _by_confidence(kind, mine, known)
        parts += ["\n", _head("shown by default")]
        shown = [row for row in here if row.key in known and known[row.key].shown]
        parts += [_row(code, part) for code, part in _by_code(shown)]
        parts += [_row("all", shown), "\n", _head("rule, confidence")]
        for code, part in _by_code(here):
            parts += _by_confidence(code, part, known)
    return "".join(parts)


def agreement(rows: Sequence[Label]) -> str:
    """Return in a sentence how far two readers agree."""
    pairs = [(row.verdict, row.second) for row in rows if row.second]
    if not pairs:
        return "None was read twice."
    same = sum(one == other for one, other in pairs)
    value = kappa(pairs)
    wrong = kappa([(str(one == "wrong"), str(other == "wrong")) for one, other in pairs])
    told = ", ".join(
        f"{name} {'undefined' if number is None else f'{number:.2f}'}"
        for name, number in (("Cohen's kappa", value), ("of wrong against the rest", wrong))
    )
    return f"{len(pairs)} were read twice; the readers agree on {same} ({same / len(pairs):.0%}; {told})."


def _by_code(rows: Sequence[Label]) -> list[tuple[str, list[Label]]]:
    return [(code, [row for row in rows if row.code == code]) for code in sorted({row.code for row in rows})]


def _by_confidence(name: str, rows: Sequence[Label], known: Mapping[Key, Known]) -> list[str]:
    lines = []
    for level in ("high", "medium", "low", "none"):
        part = [row for row in rows if _confidence(row, known) == level]
        if part:
            lines.append(_row(f"{name}, {level}", part))
    return lines


def _confidence(row: Label, known: Mapping[Key, Known]) -> str:
    return known[row.key].confidence if row.key in known else "none"


def _head(name: str) -> str:
    return f"| {name} | read | right | arguable | wrong | wrong, share |\n|---|---:|---:|---:|---:|---:|\n"


def _row(name: str, rows: Sequence[Label]) -> str:
    counted = Counter(row.verdict for row in rows)
    share = f"{counted['wrong'] / len(rows):.0%}" if rows else "–"  # noqa: RUF001
    cells = [name, str(len(rows)), *(str(counted[verdict]) for verdict in VERDICTS), share]
    return f"| {' | '.join(cells)} |\n"
