"""How the work of linting grows with the size of monsters, and the seconds: `python bench/growth.py [SIZE]`.

Work is function calls, which are the same on every machine: a second doubling that costs twice the first is linear,
four times is quadratic.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from jaxlint import Source, lint
from tests import fuzz


def seconds(text: str) -> float:
    """Return the CPU seconds that linting a text takes."""
    start = time.process_time()
    lint(Source(text, "a.py"), fuzz.EVERYTHING)
    return time.process_time() - start


def main() -> None:
    """Print a line for each monster."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"| {size} | growth of work | seconds at N, 2N, 4N |\n|---|--:|---|")
    for name, build in fuzz.MONSTERS.items():
        times = " / ".join(f"{seconds(build(size * more)):.2f}" for more in (1, 2, 4))
        print(f"| {name} | {fuzz.growth(name, size):.1f} | {times} |", flush=True)


if __name__ == "__main__":
    main()
