"""The marks in testdata: what each line is there to show.

`# want: JAX101`        a finding is due, and the effect shows under jax
`# want: JAX101 (low)`  the same, but due at low confidence only
`# ok: JAX101`          looks alike; the effect must not show, nor a finding at the default confidence
`# once: JAX101`        the effect would show if it were repeated, but it runs once; no finding, or a low one

A mark stands at the end of its line and may name several codes.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxlint import Confidence, Settings

TESTDATA = Path(__file__).resolve().parent.parent / "testdata"

_MARK = re.compile(r"#\s*(?P<kind>want|ok|once):\s*(?P<codes>[A-Z0-9,\s]+?)\s*(?P<low>\(low\))?\s*$")
_ALMOST = re.compile(r"#.*\bJAX\d{3}\b|#\s*(want|ok|once)\b\s*:")


@dataclass(frozen=True)
class Mark:
    path: Path
    line: int
    kind: str
    code: str
    low: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(TESTDATA.parent)}:{self.line}: {self.kind} {self.code}{' (low)' * self.low}"


def marks(path: Path) -> list[Mark]:
    """Return the marks of a file; raises ValueError for a comment that was probably meant to be one."""
    return list(_marks(path))


def _marks(path: Path) -> Iterator[Mark]:
    for token in tokenize.tokenize(io.BytesIO(path.read_bytes()).readline):
        if token.type != tokenize.COMMENT:
            continue
        # A mark may follow another comment on its line.
        match = _MARK.search(token.string[token.string.rindex("#") :])
        if match:
            for code in re.split(r"[,\s]+", match["codes"]):
                yield Mark(path, token.start[0], match["kind"], code, bool(match["low"]))
        elif _ALMOST.search(token.string):
            raise ValueError(f"{path}:{token.start[0]}: {token.string} is not a mark")


def settings(path: Path) -> Settings:
    """Return how a file is linted: at any confidence, by all rules that are on and by that of its own folder."""
    return Settings(min_confidence=Confidence.LOW, preview=True, extend_select=(path.parent.name.upper(),))


def there(path: Path, jax: str) -> list[Mark]:
    """Return the marks of a file that hold under a version of jax, by `testdata/versions.toml`."""
    since = _since(path)
    functions = {
        line: statement.name
        for statement in ast.parse(path.read_bytes()).body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
        for line in range(_first_line(statement), (statement.end_lineno or statement.lineno) + 1)
    }
    return [
        mark
        for mark in marks(path)
        if numbers(jax) >= max(since.get("*", ()), since.get(functions.get(mark.line, ""), ()))
    ]


def is_there(path: Path, jax: str) -> bool:
    """Tell whether a file as a whole can be run under a version of jax."""
    return numbers(jax) >= _since(path).get("*", ())


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, to compare it."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _since(path: Path) -> dict[str, tuple[int, ...]]:
    """Return from which version on the functions of a file show what their marks say; `*` is all of the file."""
    name = f"{path.parent.name}/{path.name}"
    return {
        function: numbers(entry["version"]) for entry in _versions()["since"] for function in entry["in"].get(name, [])
    }


@functools.cache
def _versions() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads((TESTDATA / "versions.toml").read_text())


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def stripped(path: Path) -> str:
    """Return the text of a file without its marks, and without the blanks before them."""
    lines = path.read_bytes().decode().split("\n")
    for token in tokenize.tokenize(io.BytesIO(path.read_bytes()).readline):
        if token.type == tokenize.COMMENT:
            start = token.string.rindex("#")
            if _MARK.search(token.string[start:]):
                row, column = token.start
                lines[row - 1] = lines[row - 1][: column + start].rstrip()
    return "\n".join(lines)


def files() -> list[Path]:
    """Return the files that carry marks."""
    return [path for path in sorted(TESTDATA.glob("jax*/*.py")) if path.name.count(".") == 1]


def goldens(*, partly: bool = False) -> list[Path]:
    """Return the files that must not show the effect, and, if asked for, those in which some of it is left."""
    names = ("*.fixed.py", "*.partly.py") if partly else ("*.fixed.py",)
    return sorted(path for name in names for path in TESTDATA.glob(f"jax*/{name}"))


def original(golden: Path) -> Path:
    """Return the file that a golden is the mended version of."""
    return golden.with_name(golden.name.partition(".")[0] + ".py")


def once_in(path: Path, code: str) -> set[str]:
    """Return the functions that bear a mark of running once: a fix of something else leaves the effect in them."""
    if not path.exists():
        return set()
    rows = {mark.line for mark in marks(path) if mark.kind == "once" and mark.code == code}
    found, work = set[str](), [("", node) for node in ast.parse(path.read_text("utf-8")).body]
    while work:
        prefix, node = work.pop()
        if isinstance(node, ast.ClassDef):
            work.extend((f"{prefix}{node.name}.", child) for child in node.body)
        elif isinstance(node, ast.FunctionDef) and any(node.lineno <= row <= (node.end_lineno or 0) for row in rows):
            found.add(f"{prefix}{node.name}")
    return found


def folders() -> list[Path]:
    """Return the folder of each rule."""
    return sorted(path for path in TESTDATA.glob("jax*") if path.is_dir())
