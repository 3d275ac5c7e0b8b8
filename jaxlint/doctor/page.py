"""The report on a run as a page for the browser: one HTML file, which needs no network."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxlint.doctor.recording import replace

_ASSETS = "jaxlint.doctor.assets"
# What would end a script, or begin a comment in one, may be in names and lines of code.  JSON strings can say it so.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def write(path: Path, data: Mapping[str, Any]) -> None:
    """Write the page of a run, given as `jsonform.to_json(…, details=True)` gives it.

    Raises:
        OSError: the file cannot be written.
    """
    replace(path, [render(data)])


def render(data: Mapping[str, Any]) -> str:
    """Return the page as text."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for plain, escaped in _ESCAPES.items():
        told = told.replace(plain, escaped)
    page = _asset("page.html")
    for mark, text in (("STYLE", _asset("page.css")), ("SCRIPT", _asset("page.js")), ("DATA", told)):
        before, _, after = page.partition(f"/*{mark}*/")
        page = before + text + after
    return page


def _asset(name: str) -> str:
    return (importlib.resources.files(_ASSETS) / name).read_text(encoding="utf-8")
