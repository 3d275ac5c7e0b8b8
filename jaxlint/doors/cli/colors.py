"""Whether output is coloured: what `--color` and the environment say, for all commands alike."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO


def configure(parser: Any) -> None:
    """Add the option to a parser or a group of one."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="(default: auto, on a terminal only; NO_COLOR and FORCE_COLOR are respected)",
    )


def wanted(choice: str, out: TextIO | None = None) -> bool:
    """Tell whether to write colours to `out` (default: standard output), for what `--color` says."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return (out or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
