"""The tables that come with jaxlint: TOML that is written line by line, each value as JSON has it but for its keys.

So a run needs no parser of TOML, which takes as long to load and to read them as a small file takes to lint.
"""

from __future__ import annotations

import json
import pkgutil
import re
from typing import Any

_HEAD = re.compile(r'\[(?:"(?P<quoted>[^"]+)"|(?P<dotted>[\w.]+))\]')
_LINE = re.compile(r'(?:"(?P<quoted>[^"]+)"|(?P<bare>\w+)) = (?P<value>.+)')
_KEY = re.compile(r"([{,] )(\w+) = ")


def read(package: str, name: str) -> dict[str, Any]:
    """Return what is in a file of tables beside a module.

    Raises:
        ValueError: a line is none that is read here.
    """
    whole: dict[str, Any] = {}
    table = whole
    for line in (pkgutil.get_data(package, name) or b"").decode().splitlines():
        if not line or line.startswith("#"):
            continue
        head = _HEAD.fullmatch(line)
        if head is not None:
            table = whole
            for part in [head["quoted"]] if head["quoted"] else head["dotted"].split("."):
                table = table.setdefault(part, {})
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{name}: {line!r} is none of the lines that such a table has")
        table[match["quoted"] or match["bare"]] = json.loads(_KEY.sub(r'\1"\2": ', match["value"]))
    return whole
