"""Where calls of a module's functions are written: tests, examples and scripts of its project.

Works on bytes alone.  What is found is run by the child, which keeps the arguments of the first call of each function.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_ROOTS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_LEFT_OUT = frozenset(("node_modules", "site-packages", "dist-packages", "build", "dist", "__pycache__", "venv", "env"))
_FILES = 3000
_LARGEST = 400_000
_KEPT = 6
"""How many files are worth running for one module."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may call what is looked for: `test` says whether pytest is to run it."""

    path: str
    test: bool


def sources(path: Path, targets: Iterable[str]) -> list[Source]:
    """Return the files, the likeliest first, that mention a module, and best also one of its functions or classes."""
    names = {part for target in targets for part in target.split(".") if not part.startswith("__")}
    words = sorted(names - _COMMON)
    root = project_of(path)
    module = path.parent.name if path.name == "__init__.py" else path.stem
    mentions = re.compile(rb"\b(" + ("|".join(map(re.escape, words)) or "(?!)").encode() + rb")\b")
    # A name is often imported from the package around its module.
    imports = re.compile(rb"\b(" + "|".join(map(re.escape, {module, *_packages(path)})).encode() + rb")\b")
    module_name = re.compile(rb"\b" + re.escape(module).encode() + rb"\b")
    found: list[tuple[tuple[int, int], Source]] = []
    for file in _files(root):
        if file == str(path):
            continue
        try:
            data = Path(file).read_bytes()
        except OSError:
            continue
        if len(data) <= _LARGEST and imports.search(data):
            hits = {match[1] for match in mentions.finditer(data)}
            rank = _rank(Path(file).relative_to(root), data)
            # What is internal is reached through what is not.
            near = bool(hits) or (rank in (0, 1) and module_name.search(data) is not None)
            if near and rank is not None:
                found.append(((-len(hits), rank), Source(file, rank == 0)))
    found.sort(key=lambda item: (*item[0], item[1].path))
    return [source for _, source in found[:_KEPT]]


def project_of(path: Path) -> Path:
    """Return the folder that holds the project of a file, or else the outermost package around it."""
    for parent in path.parents:
        if any((parent / name).exists() for name in _ROOTS):
            return parent
        if parent.name in ("site-packages", "dist-packages") or parent == Path.home():
            break
    folder = path.parent
    while (folder / "__init__.py").exists() and (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def is_test(path: Path) -> bool:
    """Tell whether a file holds tests, by its name or folder."""
    name = path.name
    return name.startswith(("test_", "conftest")) or name.endswith(("_test.py", "_tests.py")) or "tests" in path.parts


def kind_of(path: Path, function: str = "") -> str:
    """Return `test` or `benchmark` for code that is only that, by the names of its file and function; or nothing."""
    last = function.rpartition(".")[2]
    if is_test(path) or last.startswith("test"):
        return "test"
    words = (*path.parts, last)
    return "benchmark" if any(word.startswith(("bench", "perf_")) for word in words) else ""


def _packages(path: Path) -> Iterator[str]:
    folder = path.parent
    while (folder / "__init__.py").exists():
        yield folder.name
        folder = folder.parent


def _rank(path: Path, data: bytes) -> int | None:
    """Return how likely a file calls something, 0 first; None for one that only defines."""
    if is_test(path):
        return 0 if re.search(rb"^\s*(async )?def test|^class Test", data, re.MULTILINE) else None
    if path.suffix == ".ipynb" or {"examples", "example", "scripts", "docs", "tutorials"} & set(path.parts):
        return 1
    return 2 if b"__main__" in data else None


def _files(root: Path) -> Iterator[str]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        for name in sorted(names):
            if name.endswith((".py", ".ipynb")):
                count += 1
                if count > _FILES:
                    return
                yield os.path.join(folder, name)


def as_json(found: Sequence[Source]) -> list[list[object]]:
    """Return sources as what `json.dumps` takes."""
    return [[source.path, source.test] for source in found]


_COMMON = frozenset(
    ("main", "run", "step", "update", "init", "apply", "call", "forward", "get", "set", "train", "test")
)
"""Names that alone say nothing of what is called."""
