"""Path patterns, in the grammar of .gitignore: what `exclude`, `per-file-ignores` and .gitignore files are made of."""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pathspec


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns that belong together, and the folder they are relative to.

    A pattern without a slash matches at any depth, one with a slash from `root` on, and what matches a folder matches
    all that is in it.  A later pattern that starts with `!` takes back what an earlier one matched.
    """

    root: str
    """An absolute path."""
    lines: tuple[str, ...]

    def verdict(self, path: str, *, folder: bool = False) -> bool | None:
        """Tell whether the patterns match a path: yes, taken back by a `!`, or (None) nothing to say.

        Args:
            path: an absolute path; one outside `root` matches nothing.
            folder: whether it is a folder; some patterns, those with a slash at the end, match nothing else.
        """
        if not self.lines:
            return None
        relative = relative_path(path, self.root)
        if relative is None or relative == ".":
            return None
        return _compiled(self.lines).check_file(relative + "/" if folder else relative).include

    def match(self, path: str, *, folder: bool = False) -> bool:
        """Tell whether the patterns match an absolute path; see `verdict`."""
        return bool(self.verdict(path, folder=folder))


def relative_path(path: str, root: str) -> str | None:
    """Return an absolute `path` seen from the folder `root`, with forward slashes; None if it is not in there."""
    if path == root:
        return "."
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not path.startswith(prefix):
        return None
    relative = path[len(prefix) :]
    return relative if os.sep == "/" else relative.replace(os.sep, "/")


def is_valid(line: str) -> bool:
    """Tell whether a line can be understood and is a pattern, neither blank nor a comment."""
    import pathspec

    try:
        spec = pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return any(pattern.include is not None for pattern in spec.patterns)


@functools.lru_cache(maxsize=1024)
def _compiled(lines: tuple[str, ...]) -> pathspec.GitIgnoreSpec:
    # Imported late: most files named by hand, as an editor or pre-commit names them, meet no pattern at all.
    import pathspec

    try:
        spec = pathspec.GitIgnoreSpec.from_lines(lines)
    except ValueError:
        # git skips a line that it cannot read, and so does this; the configuration refuses one earlier.
        spec = pathspec.GitIgnoreSpec.from_lines([line for line in lines if is_valid(line)])
    return pathspec.GitIgnoreSpec([_patient(pattern) for pattern in spec.patterns])


_STAR = "[^/]*"
"""What a `*` is in the expressions that pathspec makes of patterns."""


def _patient(pattern: Any) -> Any:
    """Return a pattern that takes time in proportion to the path, however many stars it has.

    What comes between two stars may be taken where it is first found: that leaves most to the stars behind it.  So
    nothing has to be tried again, which is what an atomic group says.
    """
    first, *between = (pattern.regex.pattern if pattern.regex is not None else "").split(_STAR)
    if len(between) < 3:
        return pattern
    last = between.pop()
    atomic = "".join(_STAR + part if "(" in part else f"(?>{_STAR}?{part})" for part in between)
    return type(pattern)(re.compile(f"{first}{atomic}{_STAR}{last}"), pattern.include)
