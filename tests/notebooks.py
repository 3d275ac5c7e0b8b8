"""Notebooks for tests."""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Sequence
from typing import Any


def cell(source: str | list[str], kind: str = "code", **more: Any) -> dict[str, Any]:
    """Return a cell; a text becomes the list of lines that Jupyter writes."""
    lines = source.splitlines(keepends=True) if isinstance(source, str) else source
    extra: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, **extra, "metadata": {}, "source": lines, **more}


def notebook(*cells: str | dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Return a notebook; a text becomes a cell of code."""
    made = [cell(item) if isinstance(item, str) else item for item in cells]
    known = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, **metadata}
    return {"cells": made, "metadata": known, "nbformat": 4, "nbformat_minor": 5}


def dumps(document: Any, *, indent: int | str | None = 1, ascii: bool = False) -> str:  # noqa: A002
    """Return what Jupyter writes, or another program."""
    return json.dumps(document, indent=indent, ensure_ascii=ascii) + "\n"


def sources(text: str) -> list[str]:
    """Return the sources of the cells of a notebook."""
    return ["".join(item["source"]) for item in json.loads(text)["cells"]]


def split(text: str) -> list[str]:
    """Return a module in pieces, one for each of its statements, as somebody writes it in a notebook."""
    lines = text.splitlines(keepends=True)
    starts = [min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) for node in _body(text)]
    bounds = [0, *(start - 1 for start in dict.fromkeys(starts[1:])), len(lines)]
    return ["".join(lines[start:end]) for start, end in itertools.pairwise(bounds)]


def _body(text: str) -> Sequence[ast.stmt]:
    return ast.parse(text).body
