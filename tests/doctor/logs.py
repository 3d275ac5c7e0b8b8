"""The recorded logs, and models made of them."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

from jaxlint.doctor.logfile import LogReader
from jaxlint.doctor.model import Builder, Model

LOGS = Path(__file__).resolve().parents[2] / "testdata" / "logs"
PROGRAMS = LOGS / "programs"
VERSIONS = sorted(
    (folder.name.removeprefix("jax-") for folder in LOGS.glob("jax-*")), key=lambda v: [int(n) for n in v.split(".")]
)
NAMES = sorted(file.stem for file in PROGRAMS.glob("*.py"))


def text(name: str, version: str) -> str:
    return (LOGS / f"jax-{version}" / f"{name}.log").read_text(encoding="utf-8")


def read(*logs: str | bytes) -> tuple[Model, LogReader]:
    """Return the model of logs that are read one after the other, and the reader of the last."""
    builder = Builder()
    reader = LogReader()
    for log in logs:
        reader = LogReader("a.log")
        builder.extend(reader.read(io.BytesIO(log.encode() if isinstance(log, str) else log)))
    return builder.model(), reader


def functions(model: Model) -> Counter[tuple[str, int, int]]:
    """Name, row of the definition, and compiles with loads, of the functions that are no single operations."""
    return Counter(
        (function.key.name, function.key.line, function.compiles + function.cache_loads)
        for function in model.functions
        if not function.eager and function.compiles + function.cache_loads
    )


def causes(model: Model) -> Counter[tuple[str, int, str]]:
    """Function, row of the call, and cause of all misses but those within other traces."""
    counted: Counter[tuple[str, int, str]] = Counter()
    for group in model.misses:
        if group.count > group.inner:
            row = group.site.line if group.site is not None else 0
            counted[group.program or group.key.name, row, group.cause.value] += group.count - group.inner
    return counted


def operations(model: Model) -> int:
    return sum(function.compiles + function.cache_loads for function in model.functions if function.eager)
