"""The gotchas of jax's guide on slow compilation, as scripts: a run of each names the line, the cause and the cure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "testdata" / "guide"

# Of each suggestion: line, part of the title, causes, finding with the row it is on, and part of what it says to do.
Expected = tuple[int, str, list[str], str | None, str]
EXPECTED: dict[str, list[Expected]] = {
    "nested_function": [
        (9, "custom_einsum was compiled again", ["redefined-function"], "JAX101 9", "Define and jit it once")
    ],
    "lambda_and_partial": [
        (12, "<lambda> was compiled again", ["redefined-function"], "JAX102 12", "pass what differs"),
        (16, "add_multiply was compiled again", ["redefined-function"], "JAX103 16", "pass what differs"),
    ],
    "eager_tree_map": [
        (
            13,
            "`jax.tree.map` runs operation by operation: 20 programs",
            [],
            "JAX401 13",
            "jax.jit(jax.tree.map, static_argnums=0)",
        )
    ],
    "unrolled_loop": [(12, "one large program of 2,000 equations", ["new-function"], "JAX301 7", "jax.lax.scan")],
    "varying_shapes": [
        (16, "step was compiled again for a new shape, 3 times", ["shape"], None, "Pad to a few fixed sizes"),
        (19, "step was compiled again for a new dtype", ["dtype"], None, "Convert the argument to one dtype"),
    ],
    "fixed": [],
}


def ran(script: Path, folder: Path) -> dict[str, Any]:
    """Run a script under `jaxlint run` and return what it found, as JSON."""
    command = [sys.executable, "-m", "jaxlint", "run", "--isolated", "--python", sys.executable, "--json"]
    done = subprocess.run(
        [*command, str(folder / "run.json"), str(script)],
        cwd=ROOT,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=True,
    )
    data: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    for suggestion in data["suggestions"]:
        assert suggestion["title"].split(",")[0] in " ".join(done.stderr.split())
    return data


def test_each_of_the_scripts_is_tried() -> None:
    assert {file.stem for file in GUIDE.glob("*.py")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_gotcha_is_explained(name: str, tmp_path: Path) -> None:
    data = ran(GUIDE / f"{name}.py", tmp_path)
    found = sorted(data["suggestions"], key=lambda suggestion: int(suggestion["site"]["line"]))
    assert len(found) == len(EXPECTED[name])
    for suggestion, (line, title, causes, finding, cure) in zip(found, EXPECTED[name], strict=True):
        assert (suggestion["site"]["file"], suggestion["site"]["line"]) == (f"testdata/guide/{name}.py", line)
        assert title in suggestion["title"]
        assert suggestion["causes"] == causes
        assert [f"{f['code']} {f['location']['row']}" for f in suggestion["findings"]] == ([finding] if finding else [])
        assert cure in suggestion["advice"]
        assert 0 < suggestion["saving"] <= suggestion["seconds"] <= data["totals"]["seconds"]
    # All seconds belong to a line, and all traces have a cause.
    assert data["unattributed"]["share"] == 0
    assert "unknown" not in {miss["cause"] for miss in data["misses"]}


def test_seconds_of_misses_floods_and_functions_add_up(tmp_path: Path) -> None:
    data = ran(GUIDE / "varying_shapes.py", tmp_path)
    parts = sum(part["seconds"] for part in (*data["misses"], *data["floods"]))
    phases = ("trace_seconds", "lowering_seconds", "compile_seconds")
    functions = sum(function[phase] for function in data["functions"] for phase in phases)
    assert parts == pytest.approx(data["totals"]["seconds"])
    assert functions == pytest.approx(data["totals"]["seconds"])
    assert {miss["site"]["line"]: miss["changes"] for miss in data["misses"] if miss["cause"] == "shape"} == {
        16: ["batch: f32[16,4], before f32[8,4]", "batch: f32[24,4], before f32[16,4]"],
        18: ["batch: f32[2,4], before f32[16,4]"],
    }
