"""Verdicts of earlier runs, by all that they depend on: the code, what is installed, and the finding.

What took too long, crashed or was interrupted is not kept: it may go otherwise the next time.
"""

from __future__ import annotations

import dataclasses
import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.cache import Cache, version
from jaxlint.digests import digest
from jaxlint.verify.judge import Evidence
from jaxlint.verify.sources import project_of
from jaxlint.verify.verdict import Result, Verdict

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic

_PASSING = (
    "took more than",
    "takes too long",
    "took too long",
    "the process",
    "MemoryError",
    "printed more",
    "started more",
)
"""Words of reasons that mention the machine as much as of the code."""
_FILES = 5000


class Remembered:
    """Reads verdicts from a cache, and keeps new ones until `close`."""

    def __init__(self, cache: Cache, python: str, timeout: float) -> None:
        self._cache = cache
        self._common = digest(version(cache), python, timeout, _installed(python))
        self._projects: dict[Path, str] = {}
        self._new: dict[str, Any] = {}

    def key(self, path: Path, diagnostic: Diagnostic, examples: str | None) -> str:
        """Return what a verdict is kept under."""
        project = project_of(path)
        if project not in self._projects:
            self._projects[project] = _state(project)
        given = "" if examples is None else _status(examples)
        where = (diagnostic.code, diagnostic.location.row, diagnostic.location.column, diagnostic.message)
        return digest("verdict", self._common, self._projects[project], str(path), _status(str(path)), given, *where)

    def get(self, key: str, diagnostic: Diagnostic) -> Result | None:
        """Return the result that a finding had."""
        value = self._cache.get([key]).get(key)
        return None if value is None else _result(diagnostic, value)

    def put(self, key: str, result: Result) -> None:
        """Keep a result, if it would be the same again."""
        if result.verdict is Verdict.NOT_RUN and any(word in result.reason for word in _PASSING):
            return
        self._new[key] = {
            "verdict": result.verdict.value,
            "reason": result.reason,
            "tier": result.tier,
            "evidence": dataclasses.asdict(result.evidence),
            "targets": list(result.targets),
        }

    def close(self) -> None:
        """Write what is new."""
        self._cache.put(self._new)
        self._new = {}


def _result(diagnostic: Diagnostic, value: Mapping[str, Any]) -> Result:
    measured: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in value["evidence"].items()}
    verdict, targets = Verdict(value["verdict"]), tuple(value["targets"])
    return Result(diagnostic, verdict, value["reason"], value["tier"], Evidence(**measured), targets)


def _status(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"


def _state(project: Path) -> str:
    """Return what changes when a Python file of a project does."""
    parts: list[str] = []
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in ("__pycache__", "node_modules"))
        parts += [f"{folder}/{n} {_status(os.path.join(folder, n))}" for n in sorted(names) if n.endswith(".py")]
        if len(parts) > _FILES:
            break
    return digest(*parts)


def _installed(python: str) -> str:
    """Return what changes when packages of an interpreter do."""
    if python == sys.executable:
        folders = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    else:
        folders = list(Path(os.path.abspath(python)).parent.parent.glob("lib*/python*/site-packages"))
    names = {entry.name for folder in folders if folder.is_dir() for entry in folder.glob("*.dist-info")}
    return digest(*sorted(names), os.path.realpath(python), os.environ.get("PYTHONPATH", ""))
