"""How long linting takes on two published packages, next to what it could be compared with: `make bench`.

    python bench/bench.py [--runs N] [--large]

Prints CPU seconds (user and system) of whole processes, each the median of N runs that take turns, so that a machine
that slows down slows all of them; how much longer the view of the project takes than each file alone, how long a run
takes that finds all in its cache, and with `--large` whether ten times the code takes ten times as long; and the
plugin's share of the time of a flake8 process, measured inside it, on these
packages and on code without JAX.

The packages are downloaded by pip into `bench/packages`, which git ignores; the code without JAX is the standard
library's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

PACKAGES = ("flax==0.12.8", "numpyro==0.22.0")
FOLDER = Path(__file__).parent / "packages"
LARGE = Path(__file__).parent / "large"
COPIES = 10
JAX_FREE = (
    *("asyncio", "concurrent", "email", "html", "http", "importlib", "json", "logging", "multiprocessing"),
    *("tkinter", "unittest", "urllib", "wsgiref", "xml", "xmlrpc"),
)

ALONE, COLD, WARM = "check --no-project", "check, nothing in the cache", "check, all in the cache"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPYCACHEPREFIX": str(Path(__file__).parent / "bytecode"),
}
"""As where jaxlint is installed: its modules are compiled to bytecode once, not in each process."""

PARSING, TEN = "LibCST parsing the same files", "check of ten copies"

LIBCST = """
import pathlib, sys
import libcst
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    libcst.parse_module(path.read_bytes())
"""

FLAKE8_ALONE = """
import importlib.metadata, sys
distributions = importlib.metadata.distributions
importlib.metadata.distributions = lambda: (d for d in distributions() if d.metadata["name"] != "flake8-jaxlint")
from flake8.main.cli import main
sys.exit(main(sys.argv[1:]))
"""

FLAKE8_SHARE = """
import sys, time
from flake8.main.cli import main
from jaxlint.doors.flake8 import Plugin
run, spent = Plugin.run, 0.0
def measured(self):
    global spent
    start = time.process_time()
    found = list(run(self))
    spent += time.process_time() - start
    return found
Plugin.run = measured
code = main(sys.argv[1:])
sys.stderr.write(f"{spent / time.process_time()}")
sys.exit(code)
"""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--large", action="store_true", help="measure ten copies of the packages as well")
    arguments = parser.parse_args()
    runs = arguments.runs
    download()
    python, tree = [sys.executable, "-c"], str(FOLDER)
    flake8 = ["--isolated", "--exit-zero", "--jobs", "1"]
    library = sysconfig.get_path("stdlib")
    jax_free = [str(Path(library, name)) for name in JAX_FREE if Path(library, name).is_dir()]
    check = [sys.executable, "-m", "jaxlint", "check", "-j1", "--isolated", "--exit-zero"]
    cache = ["--cache-dir", str(FOLDER.parent / "cache")]
    cpu_seconds([*check, *cache, tree])
    seconds = {
        ALONE: lambda: cpu_seconds([*check, "--no-cache", "--no-project", tree]),
        COLD: lambda: cpu_seconds([*check, "--no-cache", tree]),
        WARM: lambda: cpu_seconds([*check, *cache, tree]),
        PARSING: lambda: cpu_seconds([*python, LIBCST, tree]),
        "flake8 without the plugin": lambda: cpu_seconds([*python, FLAKE8_ALONE, *flake8, tree]),
    }
    shares = {
        "the plugin's share of flake8": lambda: share([*python, FLAKE8_SHARE, *flake8, tree]),
        "the same on code without JAX": lambda: share([*python, FLAKE8_SHARE, *flake8, *jax_free]),
    }
    if arguments.large:
        copy()
        seconds[TEN] = lambda: cpu_seconds([*check, "--no-cache", str(LARGE)])
    medians = measure({**seconds, **shares}, runs)
    files = list(FOLDER.rglob("*.py"))
    rows = sum(file.read_bytes().count(b"\n") for file in files)
    print(f"{', '.join(PACKAGES)}: {len(files)} files, {rows} rows; median of {runs} runs")
    for name in seconds:
        print(f"{name:<34}{medians[name]:8.2f} s")
    for name in shares:
        print(f"{name:<34}{medians[name]:8.3f}")
    parsing = medians[PARSING]
    ratios = {
        "alone, as a part of parsing": medians[ALONE] / parsing,
        "project, as a part of parsing": medians[COLD] / parsing,
        "warm, as a part of parsing": medians[WARM] / parsing,
        "project, as a part of alone": medians[COLD] / medians[ALONE],
    }
    if arguments.large:
        ratios["ten copies, as a part of ten runs"] = medians[TEN] / (COPIES * medians[COLD])
    for name, ratio in ratios.items():
        print(f"{name:<34}{ratio:8.3f}")


def copy() -> None:
    """Make copies of the packages, each in a folder of its own."""
    for number in range(COPIES):
        target = LARGE / f"copy{number}"
        if not target.exists():
            shutil.copytree(FOLDER, target, ignore=shutil.ignore_patterns("*.whl", "unpacked"))


def download() -> None:
    """Have pip download the packages, unless they are there, and unpack them."""
    wanted = "\n".join(PACKAGES)
    stamp = FOLDER / "unpacked"
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--only-binary", ":all:", "--dest", str(FOLDER), *PACKAGES], check=True)
    for wheel in FOLDER.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(FOLDER)
    stamp.write_text(wanted, "utf-8")


def measure(figures: dict[str, Callable[[], float]], runs: int) -> dict[str, float]:
    """Return the median of each figure; the figures take turns."""
    taken: dict[str, list[float]] = {name: [] for name in figures}
    for _ in range(runs):
        for name, figure in figures.items():
            taken[name].append(figure())
    return {name: statistics.median(values) for name, values in taken.items()}


def cpu_seconds(command: Sequence[str]) -> float:
    """Return the CPU seconds that a process and its children take.

    Raises:
        RuntimeError: it fails.
    """
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=ENVIRONMENT)
    after = os.times()
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.decode()[-2000:]}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def share(command: Sequence[str]) -> float:
    """Return the number that a process prints on its error stream.

    Raises:
        RuntimeError: it fails.
    """
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=ENVIRONMENT)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.decode()[-2000:]}")
    return float(done.stderr)


if __name__ == "__main__":
    main()
