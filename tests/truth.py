"""The rows of `testdata/ground_truth.toml`: what they say, what jaxlint finds in them, and what jax does with them."""

from __future__ import annotations

import ast
import functools
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from jaxlint import Confidence, Finding, Settings, Source, lint
from jaxlint.finding import Impact
from jaxlint.rules import rules
from tests.marks import TESTDATA, numbers

PATH = TESTDATA / "ground_truth.toml"
SECTIONS = ("1", "2", "3", "4", "5", "7", "8", "10", "11")
SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True, extend_select=("JAX9",))
FLOOD = 4
"""So many programs in the first call, and none later, are a flood of small ones."""
_LOOP = "for k in batches:"
"""What repeats the call of a row: that it is a loop is no matter of the row."""
_MEASURER = Path(__file__).with_name("measuring.py")

_SHOWN_AS = {
    Impact.EVERY_CALL: "again",
    Impact.PER_VALUE: "again",
    Impact.ERROR: "error",
    Impact.STALE: "stale",
    Impact.FIRST_CALL: "flood",
    Impact.UNCOMPILED: "flood",
}
"""How what a rule claims shows in the figures of a row."""


@dataclass(frozen=True)
class Said:
    """What is found in a row: `how` is fire, low, off or silent, `code` the rule, empty for silence."""

    how: str
    code: str = ""

    @classmethod
    def parse(cls, text: str) -> Said:
        """Read `fire JAX101`, `low JAX101`, `off JAX901` or `silent`; raises ValueError for other texts."""
        how, _, code = text.partition(" ")
        if (how in ("fire", "low", "off")) != bool(re.fullmatch(r"JAX\d{3}", code)) or (how != "silent" and not code):
            raise ValueError(f"{text!r} says nothing that can be found")
        return cls(how, code)

    def __str__(self) -> str:
        return f"{self.how} {self.code}".strip()


@dataclass(frozen=True)
class Row:
    """One row; the head of the file says what its columns mean."""

    id: str
    what: str
    say: str
    see: str = ""
    example: str = ""
    code: str = ""
    call: str = ""
    compiles: str = ""
    misses: str = ""
    error: str = ""
    stale: bool = False
    why: str = ""
    since: str = ""
    python: str = ""
    until: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def section(self) -> str:
        """The section that the row is in."""
        return self.id.partition(".")[0]

    @property
    def said(self) -> Said:
        """What jaxlint is to say of it."""
        return Said.parse(self.say)

    @property
    def file(self) -> str:
        """The file of testdata that it refers to."""
        return self.see.partition("::")[0]

    @property
    def target(self) -> str:
        """The function or class of that file."""
        return self.see.partition("::")[2]

    @property
    def cold(self) -> bool:
        """Whether the programs of its first call are counted from empty caches: those of a flood are."""
        first = self.compiles.partition("/")[0]
        return first.endswith("+") and int(first[:-1]) >= FLOOD

    def effects(self) -> set[str]:
        """Return what the figures show: again (later calls compile), flood (many in the first), error, stale."""
        first, *later = self.figures
        found = {
            "error": bool(self.error),
            "stale": self.stale,
            "again": any(later),
            "flood": first >= FLOOD and not any(later),
        }
        return {name for name, shows in found.items() if shows}

    @property
    def figures(self) -> list[int]:
        """The programs compiled in each call, at least."""
        return [int(figure.rstrip("+")) for figure in self.compiles.split("/") if figure] or [0]

    def differs(self) -> bool:
        """Tell whether what is said is not what shows; what is said at `low` differs from nothing.

        A rule that is off by default says what it says to those who ask: only what shows again, raises or is stale
        would be missed.
        """
        shown = self.effects()
        match self.said.how:
            case "low":
                return False
            case "off":
                return bool(shown - {"flood"})
            case "silent":
                return bool(shown)
        impact = rules()[self.said.code].impact
        if impact is Impact.PER_VALUE and self.figures[0] > 1:
            return False  # one call of it passes several values
        return impact is None or _SHOWN_AS[impact] not in shown

    def under(self, version: str) -> Row:
        """Return the row as measured with a version of jax: the first of `until` that is later applies."""
        for limit, changed in sorted(self.until.items(), key=lambda item: numbers(item[0])):
            if numbers(version) < numbers(limit):
                return replace(self, compiles=changed.get("compiles", ""), error=changed.get("error", ""), misses="")
        return self

    def exists(self, versions: Mapping[str, str]) -> bool:
        """Tell whether versions of `jax` and `python` have what the row is about."""
        ended = self.python and numbers(versions["python"]) >= numbers(self.python)
        return not ended and numbers(versions["jax"]) >= numbers(self.since)


@functools.cache
def table() -> dict[str, Any]:
    """Return the file as it is."""
    return tomllib.loads(PATH.read_text())


def rows() -> list[Row]:
    """Return the rows in the order of the file; raises TypeError for a column that is unknown."""
    known = {column.name for column in fields(Row)}
    found = []
    for name, columns in table().items():
        if name == "preludes":
            continue
        if not columns.keys() <= known:
            raise TypeError(f"row {name} has unknown columns: {sorted(columns.keys() - known)}")
        found.append(Row(id=name, **columns))
    return found


def source(row: Row) -> str:
    """Return the module of a row that has code of its own: the preludes, the code, and the loop that calls it."""
    preludes = table()["preludes"]
    parts = [preludes["all"], preludes.get(row.section, ""), row.code]
    if row.call:
        parts.append(f"def program(batches):\n    {_LOOP}\n        print({row.call})\n")
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


# --- what jaxlint says ------------------------------------------------------------------------------------------------


def found_in(row: Row) -> set[Said]:
    """Return what jaxlint says of a row: of its whole module, or of the function that it refers to."""
    if not row.see:
        module = Source(source(row), f"row_{row.id.replace('.', '_')}.py")
        inside = [found for found in lint(module, SETTINGS) if not module.text.startswith(_LOOP, found.span.start)]
    else:
        module, findings = _linted(row.file)
        lines = _lines(module.text, row.target, row.see)
        inside = [found for found in findings if module.position(found.span.start)[0] in lines]
    return set(map(_said, inside)) or {Said("silent")}


@functools.cache
def _linted(file: str) -> tuple[Source, list[Finding]]:
    text = Source.from_bytes((TESTDATA / file).read_bytes(), file)
    return text, lint(text, SETTINGS)


def _said(finding: Finding) -> Said:
    if rules()[finding.code].off_by_default:
        return Said("off", finding.code)
    return Said("low" if finding.confidence == Confidence.LOW else "fire", finding.code)


def _lines(text: str, target: str, see: str) -> range:
    """Return the lines of a function, class or variable of a module, the decorators included."""
    body: Iterable[ast.stmt] = ast.parse(text).body
    node: ast.stmt | None = None
    for name in target.split("."):
        node = next((statement for statement in body if name in _binds(statement)), None)
        if node is None:
            raise LookupError(f"there is no {see}")
        body = getattr(node, "body", [])
    assert node is not None
    decorators = getattr(node, "decorator_list", [])
    return range(min([node.lineno, *(d.lineno for d in decorators)]), (node.end_lineno or node.lineno) + 1)


def _binds(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


# --- what jax does ----------------------------------------------------------------------------------------------------


def measure(some: Iterable[Row], python: str = sys.executable) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Run rows in one process of an interpreter, and return its versions of `jax` and `python`, and their figures.

    Raises:
        subprocess.CalledProcessError: the process failed.
    """
    given = [
        {"id": row.id, "cold": row.cold, "explained": bool(row.misses)}
        | ({"file": row.file, "example": row.example or row.target} if row.see else {"source": source(row)})
        for row in some
    ]
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        request = json.dumps({"rows": given, "testdata": str(TESTDATA)})
        subprocess.run([python, str(_MEASURER), str(answer)], input=request, text=True, check=True)
        measured = json.loads(answer.read_text())
    return measured["versions"], measured["rows"]


def mismatch(row: Row, measured: Mapping[str, Any]) -> str:
    """Return how figures differ from those of a row, with what both are; empty where they agree."""
    problems = []
    if (measured["error"] or "") != row.error:
        text = f" ({measured['text']})" if measured["text"] else ""
        problems.append(f"expected {row.error or 'no exception'}, got {measured['error'] or 'none'}{text}")
    for column in ("compiles", "misses"):
        expected = getattr(row, column)
        if expected and not _matches(expected, measured[column]):
            problems.append(f"expected {column} {expected}, got {'/'.join(map(str, measured[column]))}")
    if row.stale and not measured["same"]:
        problems.append("expected the same result of each call, got different ones")
    return f"row {row.id}, {row.what}: {'; '.join(problems)}" if problems else ""


def _matches(expected: str, measured: list[int]) -> bool:
    figures = expected.split("/")
    return len(figures) == len(measured) and all(
        got >= int(figure[:-1]) if figure.endswith("+") else got == int(figure)
        for figure, got in zip(figures, measured, strict=True)
    )
