"""A JSON schema of `[tool.jaxlint]`, from which editors complete and check the configuration.

It is made of the same lines as the loader, so it cannot know other keys than the loader does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from jaxlint import config
from jaxlint.facts.jax_api import wrappers
from jaxlint.rules import rules
from jaxlint.settings import Settings

_DIALECT = "http://json-schema.org/draft-07/schema#"


def schema() -> dict[str, Any]:
    """Return the schema of the table, as what JSON is made of."""
    return {
        "$schema": _DIALECT,
        "title": "jaxlint",
        "description": "The configuration of jaxlint: [tool.jaxlint] of pyproject.toml, the top level of jaxlint.toml.",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: _property(option) for key, option in config.OPTIONS.items()},
        "definitions": {"code": {"type": "string", "enum": _codes()}, "pattern": _PATTERN, "wrapper": _wrapper()},
    }


def _property(option: config.Option) -> dict[str, Any]:
    default = tomllib.loads(f"default = {option.default}")["default"]
    return {"description": option.help, "default": default, **_KINDS[option.parse]}


def _codes() -> list[str]:
    """Return the codes, all that they start with, and the word for all of them."""
    return ["ALL", *sorted({code[:length] for code in rules() for length in range(1, len(code) + 1)})]


def _list(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(item)}


def _wrapper() -> dict[str, Any]:
    """Return the schema of the columns of one wrapper."""
    columns: dict[str, dict[str, Any]] = {
        "like": {"description": "A known wrapper whose columns are taken over.", "enum": sorted(_known_wrappers())},
        "kind": {"enum": list(wrappers.KINDS)},
        "compares": {"enum": list(wrappers.COMPARES)},
        "traces": _list({"type": ["integer", "string"]}),
        "static": _list({"type": "string"}),
        "result": {"enum": list(wrappers.RESULTS)},
        "stages": {"type": "boolean"},
        "hides": {"type": "boolean"},
        "maps": {"type": "boolean"},
        "scalars": {"enum": list(wrappers.SCALARS)},
        "eager": {"enum": list(wrappers.EAGER)},
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {column: columns[column] for column in wrappers.COLUMNS},
    }


def _known_wrappers() -> Mapping[str, wrappers.Wrapper]:
    return wrappers.table(Settings())


# Not blank, and no comment.
_PATTERN = {"type": "string", "pattern": r"^(?!#)(?=.*\S)"}
_CODES = _list({"$ref": "#/definitions/code"})
_PATTERNS = {"$ref": "#/definitions/pattern"}

_KINDS: Mapping[Callable[[Any, str], Any], dict[str, Any]] = {
    config.parse_links: {"type": "string", "pattern": r"^$|^vscode$|^github$|:"},
    config.parse_codes: _CODES,
    config.parse_per_file_ignores: {
        "type": "object",
        "propertyNames": _PATTERNS,
        "additionalProperties": _CODES,
    },
    config.parse_confidence: {"enum": ["low", "medium", "high"]},
    config.parse_flag: {"type": "boolean"},
    config.parse_names: _list({"type": "string"}),
    config.parse_patterns: _list(_PATTERNS),
    config.parse_path: {"type": "string"},
    config.parse_count: {"type": "integer", "minimum": 1},
    config.parse_verify: {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "examples": {
                "description": "Python files whose function jaxlint_examples gives the arguments, by path patterns.",
                "type": "object",
                "propertyNames": _PATTERNS,
                "additionalProperties": {"type": "string"},
            }
        },
    },
    config.parse_wrappers: {"type": "object", "additionalProperties": {"$ref": "#/definitions/wrapper"}},
}
"""What each parser takes; a parser that is missing here is noticed as soon as the schema is made."""
