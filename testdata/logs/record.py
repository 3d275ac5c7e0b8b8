"""Record the programs of this folder with one version of jax: python record.py PYTHON [PROGRAM ...]

PYTHON is the interpreter of an environment that has jax.  What it writes, stands in a folder that is named after the
version: for each program what jax says on the standard error stream, with neutral paths.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEUTRAL = "/home/user/project"
ENVIRONMENT = "/home/user/venv/lib/python3.11/site-packages"
FLAGS = {"JAX_PLATFORMS": "cpu", "JAX_LOG_COMPILES": "1", "JAX_EXPLAIN_CACHE_MISSES": "1"}
SETTINGS = ("JAX_", "XLA_", "TF_", "PYTHON")


def main(python: str, names: list[str]) -> None:
    """Record each program, or those that are named."""
    version = _output([python, "-c", "import jax; print(jax.__version__)"])
    packages = _output([python, "-c", "import pathlib, jax; print(pathlib.Path(jax.__file__).parents[1])"])
    folder = HERE / f"jax-{version}"
    folder.mkdir(exist_ok=True)
    for program in sorted((HERE / "programs").glob("*.py")):
        if not names or program.stem in names:
            text = record(python, program, packages, folder)
            (folder / f"{program.stem}.log").write_text(text, encoding="utf-8", newline="\n")
            print(version, program.stem, len(text))


def record(python: str, program: Path, packages: str, folder: Path) -> str:
    """Return what a run writes; equation counts of the unrolled loop go to `folder`, where jax can dump them."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(SETTINGS)} | FLAGS
    with tempfile.TemporaryDirectory() as scratch:
        if program.stem == "unrolled_loop":
            environment |= {"JAX_DUMP_IR_TO": f"{scratch}/dump", "JAX_DUMP_IR_MODES": "eqn_count_pprof"}
        # The program runs under a neutral path, which dumps hold in a form that cannot be edited.
        code = f"exec(compile(open({str(program)!r}).read(), '{NEUTRAL}/{program.name}', 'exec'))"
        done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, check=True)
        text = re.sub(re.escape(scratch) + r"\S*", "/tmp/scratch", done.stderr.replace(packages, ENVIRONMENT))
        for dump in sorted(Path(scratch).glob("dump/*relax.eqn_count_pprof")):
            dump.rename(folder / dump.name)
    return text


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
