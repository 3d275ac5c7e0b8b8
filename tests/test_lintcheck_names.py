"""What names are worth is measured where they are: on lines, in functions around them, in paths."""

from __future__ import annotations

from pathlib import Path

from lintcheck import names
from lintcheck.labels import Label


def label(line: int, verdict: str, context: str = "f", path: str = "a.py") -> Label:
    return Label("o/r", path, line, f"{line:012}", context, "JAX402", "learn", verdict)


def test_places_with_a_name_are_counted(tmp_path: Path) -> None:
    (tmp_path / "o__r").mkdir()
    (tmp_path / "o__r" / "a.py").write_text("for t in range(num_steps):\n    x = f(x)\n", "utf-8")
    (tmp_path / "o__r" / "n.ipynb.py").write_text("train_loader\n", "utf-8")
    rows = [
        label(1, "right", "init_state"),
        label(2, "wrong", "Test.test_it"),
        label(1, "arguable", "g", "n.ipynb"),
        label(9, "wrong", "g", "tests/gone.py"),
        label(2, "unread", "init_state"),
    ]
    lines = names.table(rows, tmp_path, {"o/r": "o__r"}).splitlines()
    told = {line.split(" | ")[0].strip("| "): line for line in lines[2:]}
    assert told["(all places)"] == "| (all places) |  | 2 | 4 | 50% |"
    assert told["DATA_LENGTHS"] == "| DATA_LENGTHS | line | 1 | 1 | 100% |"
    assert told["DATA"] == "| DATA | line | 2 | 2 | 100% |"
    assert told["SET_UP"] == "| SET_UP | function | 1 | 1 | 100% |"
    assert told["TEST_FUNCTIONS"] == "| TEST_FUNCTIONS | function | 0 | 1 | 0% |"
    assert told["TEST_FOLDERS"] == "| TEST_FOLDERS | path | 0 | 1 | 0% |"
    assert told["BASELINES"].endswith("| 0 | 0 | – |")  # noqa: RUF001
