"""`jaxlint run --try`: a suggestion is followed in a copy of the text, and what that saves is measured."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doctor.test_run import jaxlint_run

HELPER = """\
import jax.numpy as jnp


def norm(x, mode="l2"):
    if mode == "l2":
        return jnp.sqrt(jnp.sum(jnp.square(x) + 1.0)) / jnp.maximum(jnp.mean(jnp.abs(x)), 1e-3)
    return jnp.sum(jnp.abs(x))
"""
MAIN = """\
import sys

import jax.numpy as jnp
import numpy as np

import helper


def bad(x):
    y = x[x > 0]
    return (jnp.sin(y) + jnp.cos(y) + jnp.tan(y)) / jnp.sqrt(jnp.exp(y) * jnp.log(y) - jnp.abs(y))


def outer(x):
    return helper.norm(x, mode="l2") + helper.norm(x[:2], "l2")


def main(n):
    w = np.ones((3, 3), np.float32)
    print(outer(w), bad(w).shape, __file__, sys.argv, __name__)


if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


def test_what_following_saves_is_measured_and_no_file_is_changed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "main.py").write_text(MAIN)
    done = jaxlint_run(tmp_path, "--try", "--isolated", "--json", "run.json", "main.py", "3")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("main.py") == 2  # the program is heard once
    data = json.loads((tmp_path / "run.json").read_text())
    tried = {one["title"].partition("`")[2].partition("`")[0]: one["tried"] for one in data["suggestions"]}
    before = data["totals"]["compiles"]
    assert tried["outer"]["programs_before"] == before
    assert tried["outer"]["programs_after"] <= before - 8
    assert tried["outer"]["failure"] == ""
    assert "NonConcreteBooleanIndexError" in tried["bad"]["failure"]
    assert (tmp_path / "main.py").read_text() == MAIN
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".py") == ["helper.py", "main.py"]
