"""Which files differ from a git revision: what `--changed` of `check` and `verify` is about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from jaxlint.doors.cli import UsageError


def configure(parser: Any, more: str = "") -> None:
    """Add the option to a parser or a group of one, with more to say about it."""
    parser.add_argument(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="REV",
        help=f"only files that differ from this git revision, or from where this branch left it (default: HEAD){more}",
    )


def files(revision: str, paths: Sequence[str]) -> list[str]:
    """Return the Python files and notebooks under some paths that differ from a git revision, or are not tracked.

    Raises:
        UsageError: there is no repository, or no such revision.
    """
    import subprocess  # slow to load

    def git(*command: str) -> str:
        done = subprocess.run(["git", *command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(f"--changed: {(done.stderr.strip().splitlines() or ['git failed'])[-1]}")
        return done.stdout

    base = git("merge-base", revision, "HEAD").strip()
    top = git("rev-parse", "--show-toplevel").strip()
    names = git("-C", top, "diff", "--name-only", "-z", "--diff-filter=d", base).split("\0")
    names += git("-C", top, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    wanted = [os.path.join(os.path.realpath(path), "") for path in paths]
    found = [os.path.join(top, name) for name in dict.fromkeys(names) if name.endswith((".py", ".ipynb"))]
    return [
        os.path.relpath(file) for file in found if any((os.path.realpath(file) + os.sep).startswith(w) for w in wanted)
    ]
