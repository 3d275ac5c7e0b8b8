"""What recording a run costs it: `make bench`.

    python bench/run.py [--times N] [PROGRAM]

Prints how long the recorder takes for each thing that jax tells it, measured within a run of PROGRAM (default:
examples/slow_start.py), and its share of the run; then the processor time of the program alone and under `jaxlint run`,
turn about.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent

MEASURE = """\
import json
import runpy
import sys
import time

import jax

from jaxlint.doctor import recorder

spent = [0, 0.0, 0]


def timed(function):
    def call(*arguments, **details):
        spent[2] += 1
        start = time.perf_counter()
        try:
            return function(*arguments, **details)
        finally:
            spent[2] -= 1
            spent[0] += 1
            if not spent[2]:
                spent[1] += time.perf_counter() - start

    return call


for name in ("_on_duration", "_on_scalar", "_on_event", "take"):
    setattr(recorder.Recorder, name, timed(getattr(recorder.Recorder, name)))
file = recorder.File(sys.argv[1])
recorder.Recorder(file.write).install(jax)
start = time.perf_counter()
runpy.run_path(sys.argv[2], run_name="__main__")
json.dump({"calls": spent[0], "spent": spent[1], "run": time.perf_counter() - start}, sys.stderr)
"""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, metavar="N", help="turns (default: %(default)s)")
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "examples" / "slow_start.py")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        within(arguments.program, folder)
        record = ["-m", "jaxlint", "run", "-q", "--python", sys.executable, "--record", f"{folder}/run.jsonl"]
        alone, recorded = [], []
        for _ in range(arguments.times):
            alone.append(processor_time([str(arguments.program)]))
            recorded.append(processor_time([*record, str(arguments.program)]))
    print(f"alone:    {statistics.median(alone):.2f} s of processor time ({_spread(alone)})")
    print(f"recorded: {statistics.median(recorded):.2f} s, reading the recording included ({_spread(recorded)})")


def within(program: Path, folder: str) -> None:
    """Print what the recorder takes within a run."""
    command = [sys.executable, "-c", MEASURE, folder, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
    measured = json.loads(done.stderr.splitlines()[-1])
    each = measured["spent"] / measured["calls"] * 1e6
    share = measured["spent"] / measured["run"]
    print(f"within a run of {measured['run']:.1f} s: {measured['calls']} calls, {each:.0f} us each, {share:.2%} of it")


def processor_time(arguments: list[str]) -> float:
    """Return the processor time of a Python process and its children."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True, env=_environment())
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def _environment() -> dict[str, str]:
    return {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}


def _spread(figures: list[float]) -> str:
    return f"{min(figures):.2f} to {max(figures):.2f}"


if __name__ == "__main__":
    main()
