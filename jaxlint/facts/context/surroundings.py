"""Which files and functions are tests, benchmarks or examples, by their names."""

from __future__ import annotations

from pathlib import PurePath

from jaxlint.facts.jax_api.name_priors import TEST_CLASSES, TEST_FILES, TEST_FOLDERS, TEST_FUNCTIONS
from jaxlint.settings import Settings

_EXAMPLE_FOLDERS = frozenset(
    "example examples doc docs tutorial tutorials demo demos notebook notebooks script scripts tool tools".split()
)


def is_test_file(path: str, settings: Settings) -> bool:
    """Tell whether a file holds tests or benchmarks, by its path from the project's folder on."""
    pure = PurePath(path)
    if TEST_FILES.fullmatch(pure.name) or any(TEST_FOLDERS.fullmatch(part) for part in pure.parts[:-1]):
        return True
    return any(pure.match(pattern) for pattern in settings.test_paths)


def is_example_file(path: str) -> bool:
    """Tell whether a file shows or serves a library, and is no part of it: examples, documentation, scripts."""
    pure = PurePath(path)
    return is_notebook_file(path) or any(part.lower() in _EXAMPLE_FOLDERS for part in pure.parts[:-1])


def is_notebook_file(path: str) -> bool:
    """Tell whether a file is a notebook, or a script that was made of one."""
    return ".ipynb" in PurePath(path).suffixes


def is_test_name(name: str) -> bool:
    """Tell whether a function is a test by its name."""
    return TEST_FUNCTIONS.fullmatch(name) is not None


def is_test_class(name: str) -> bool:
    """Tell whether a class holds tests by its name."""
    return TEST_CLASSES.fullmatch(name) is not None
