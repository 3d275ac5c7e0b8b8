"""What `--fix --unsafe-fixes` makes of the files in testdata; run as a script, it writes it down.

Where it mends all that it finds in `shapes.py`, the result is `shapes.fixed.py`; where something is left, it is
`shapes.partly.py`, and `shapes.fixed.py` is mended by hand.
"""

from __future__ import annotations

import functools
from pathlib import Path

from jaxlint import Confidence, Settings, Source, lint
from jaxlint.fixes.engine.apply import Mended, mend
from tests import marks

SETTINGS = Settings(min_confidence=Confidence.LOW, preview=True)


def fixed(text: str, path: Path) -> Mended:
    """Apply all fixes to a text for a file, to what is found at any confidence."""
    source, settings = Source(text, f"{path.parent.name}/{path.name}"), marks.settings(path)
    return mend(source, lambda source: lint(source, settings), lambda _, found: found, unsafe=True)


@functools.cache
def fixed_file(path: Path) -> Mended:
    """Apply all fixes to a file without its marks."""
    return fixed(marks.stripped(path), path)


def golden(path: Path, result: Mended) -> Path:
    """Return where the result for a file is written down."""
    return path.with_suffix(".partly.py" if result.findings else ".fixed.py")


def main() -> None:
    """Write all goldens."""
    for path in marks.files():
        result = fixed_file(path)
        path.with_suffix(".partly.py").unlink(missing_ok=True)
        if result.applied:
            golden(path, result).write_bytes(result.source.text.encode())


if __name__ == "__main__":
    main()
