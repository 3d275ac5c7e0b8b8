"""Which files and functions are tests or benchmarks, by their names."""

from __future__ import annotations

import re
from pathlib import PurePath

from jaxlint.settings import Settings

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "bench", "benchmark", "benchmarks"})
_TEST_FILE = re.compile(
    r"(test_.*|.*_test|tests?|_*testing|conftest|bench_.*|.*_bench|benchmarks?|benchmark_.*|.*_benchmark|"
    r"(.*_)?repro(_.*)?)\.py"
)
_TEST_CLASS = re.compile(r"_*(Test.*|.*Tests?|.*TestCase)")


def is_test_file(path: str, settings: Settings) -> bool:
    """Tell whether a file holds tests or benchmarks, by its path from the project's folder on."""
    pure = PurePath(path)
    if _TEST_FILE.fullmatch(pure.name) or any(part in _TEST_FOLDERS for part in pure.parts[:-1]):
        return True
    return any(pure.match(pattern) for pattern in settings.test_paths)


def is_test_name(name: str) -> bool:
    """Tell whether a function is a test by its name."""
    return name.lstrip("_").startswith("test")


def is_test_class(name: str) -> bool:
    """Tell whether a class holds tests by its name."""
    return _TEST_CLASS.fullmatch(name) is not None
