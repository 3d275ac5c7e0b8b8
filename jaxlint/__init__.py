"""jaxlint finds, proves and fixes the Python patterns that make JAX programs slow to trace and compile.

Use it as `lint(Source.from_bytes(data, path), Settings())`, which gives a list of `Finding`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxlint.finding import Confidence, Finding
    from jaxlint.linter import lint
    from jaxlint.settings import Settings
    from jaxlint.source import Source

__version__ = "0.1.0"
__all__ = ["Confidence", "Finding", "Settings", "Source", "__version__", "lint"]

_HOMES = {
    "Confidence": "finding",
    "Finding": "finding",
    "Settings": "settings",
    "Source": "source",
    "lint": "linter",
}


def __getattr__(name: str) -> Any:
    # Imported when first asked for: flake8 loads this package in every process, whatever it lints.
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"jaxlint.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
