"""How long `jaxlint log` takes on a large log, and how much memory.

    python bench/log.py [MEGABYTES]

Two logs are made of the recorded ones in testdata: one of that size (default: 1000) with a line of jax's in a hundred,
as a long run has, and one of a tenth of it with no other lines, as no run has.  Seconds are those of the
processor, and the ratios are to `wc -l` and `grep -c` on the same file, which has been read once before.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = sorted((ROOT / "testdata" / "logs").glob("jax-*/*.log"))
OTHERS = [
    "I1129 17:38:52.365123 140022074448992 train.py:212] step {n}: loss 0.{n} grad_norm 1.{n} examples/s 51{n}",
    "2026-11-29 17:38:52,365 - trainer - INFO - checkpoint written to /tmp/checkpoints/{n}",
    "epoch {n}: 100%|##########| 512/512 [00:31<00:00, 16.3it/s]",
]


def mixed(share: float) -> Iterator[str]:
    """Yield records without end; of its lines, this share is jax's."""
    rng = random.Random(0)
    while True:
        for log in LOGS:
            lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
            others = int(len(lines) * (1 / share - 1))
            yield "".join(lines)
            yield "".join(rng.choice(OTHERS).format(n=rng.randrange(10**6)) + "\n" for _ in range(others))


def make(path: Path, megabytes: int, share: float) -> None:
    """Write a log of this size."""
    with path.open("w", encoding="utf-8") as out:
        written = 0
        for text in mixed(share):
            written += out.write(text)
            if written >= megabytes * 1_000_000:
                return


def timed(command: list[str], path: Path) -> tuple[float, int]:
    """Return how many seconds of a processor a command took, and its memory in megabytes at the most."""
    # Not to /dev/null: grep stops at its first match then.
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([*command, str(path)], stdout=out, cwd=path.parent)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, _megabytes(usage)


def _megabytes(usage: resource.struct_rusage) -> int:
    return usage.ru_maxrss // (1024 if sys.platform != "darwin" else 1024**2)


def main(megabytes: int) -> None:
    """Measure and print."""
    tool = [sys.executable, "-m", "jaxlint", "log", "--isolated"]
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'log':32} {'seconds':>8} {'memory':>8} {'wc -l':>8} {'grep -c':>8}")
        for share, size in ((0.01, megabytes), (1.0, megabytes // 10)):
            name = f"{size} MB, {share:.0%} of its lines jax's"
            path = Path(folder, "run.log")
            make(path, size, share)
            timed(["wc", "-l"], path)
            count, _ = timed(["wc", "-l"], path)
            search, _ = timed(["grep", "-c", "Finished XLA compilation"], path)
            seconds, memory = timed(tool, path)
            print(f"{name:32} {seconds:8.1f} {memory:5} MB {seconds / count:7.1f}x {seconds / search:7.1f}x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
