"""Prints the oldest versions of what jaxlint needs, as pip takes them: for `make test-floors`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]


def floors(requirements: list[str]) -> list[str]:
    """Return `name==version` for each `name>=version`.

    Raises:
        ValueError: a requirement is no such floor.
    """
    found = []
    for requirement in requirements:
        match = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
        if match is None:
            raise ValueError(f"{requirement}: not a floor")
        version = match[2] if match[2].count(".") > 1 else match[2] + ".0"
        found.append(f"{match[1]}=={version}")
    return found


if __name__ == "__main__":
    sys.stdout.write(" ".join(floors(PROJECT["dependencies"])) + "\n")
