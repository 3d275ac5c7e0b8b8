"""The record of findings in published packages: verdicts stay with their findings, and samples are fair."""

from __future__ import annotations

import importlib
import re
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.doors.conftest import CLEAN, LAMBDA, NESTED

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def lintcheck() -> ModuleType:
    return importlib.import_module("lintcheck.lintcheck")


def test_a_run_writes_findings_keeps_verdicts_and_drops_what_is_gone(
    lintcheck: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {"lambdas/a.py": LAMBDA, "lambdas/b.py": CLEAN, "nested/sub/c.py": NESTED}.items():
        package, _, file = name.partition("/")
        target = tmp_path / "packages" / f"{package}==1.0" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (tmp_path / "packages.txt").write_text("# pins\nlambdas==1.0\nnested==1.0\n", "utf-8")
    monkeypatch.setattr(lintcheck, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["lintcheck.py"])
    lintcheck.main()
    rows = lintcheck.read(tmp_path / "findings.tsv")
    assert [(row.package, row.path, row.row, row.code, row.verdict) for row in rows] == [
        ("lambdas", "a.py", 5, "JAX102", "unread"),
        ("nested", "sub/c.py", 8, "JAX101", "unread"),
    ]
    assert "2 unread" in capsys.readouterr().out

    gone = replace(rows[0], path="gone.py")
    read = replace(rows[1], row=99, verdict="right", reason="each call compiles")
    lintcheck.write(tmp_path / "findings.tsv", [gone, read])
    monkeypatch.setattr(sys, "argv", ["lintcheck.py", "--sample", "9"])
    lintcheck.main()
    rows = lintcheck.read(tmp_path / "findings.tsv")
    assert [(row.path, row.row, row.verdict, row.reason) for row in rows] == [
        ("a.py", 5, "unread", ""),
        ("sub/c.py", 8, "right", "each call compiles"),
    ]
    assert "1 right, 0 arguable, 0 wrong, 1 unread, which is 1.00 right or arguable" in capsys.readouterr().out
    assert "| lambdas 1.0 | 11 | 909.09 | 1 | 0 | 0 | 0 | 1 |" in (tmp_path / "summary.md").read_text("utf-8")

    lintcheck.write(tmp_path / "findings.tsv", [replace(rows[0], verdict="wrong", reason="never called"), rows[1]])
    monkeypatch.setattr(sys, "argv", ["lintcheck.py", "--no-lint"])
    lintcheck.main()
    assert "1 right, 0 arguable, 1 wrong, 0 unread" in capsys.readouterr().out
    assert lintcheck.read(tmp_path / "findings.tsv")[0].verdict == "wrong"
    assert "public repositories" not in (tmp_path / "summary.md").read_text("utf-8")

    elsewhere = replace(rows[0], package="owner/name@0123456789ab", verdict="arguable", reason="called once")
    lintcheck.write(tmp_path / "repositories.tsv", [elsewhere])
    lintcheck.main()
    text = (tmp_path / "summary.md").read_text("utf-8").partition("1 public repositories")[2]
    assert "| JAX102 jit-of-lambda | stable | 2 | 0 | 1 | 1 | 0 |" in text


def test_a_sample_takes_few_of_a_package_and_hardly_changes_with_the_findings(lintcheck: ModuleType) -> None:
    rows = [
        lintcheck.Row(package, f"{number}.py", 1, "JAX101", "high", f"{number:016}")
        for package, size in [("big", 500), ("middle", 20), ("small", 3)]
        for number in range(size)
    ]
    drawn = lintcheck.sample(rows, 60, 0)
    assert Counter(row.package for row in drawn) == {"big": 5, "middle": 5, "small": 3}
    assert lintcheck.sample(rows, 60, 0) == drawn != lintcheck.sample(rows, 60, 1)
    assert len(lintcheck.sample(rows, 4, 0)) == 4
    without = lintcheck.sample([row for row in rows if row != drawn[0]], 60, 0)
    assert len(set(drawn) - set(without)) == 1


def test_a_verdict_that_is_none_is_refused(lintcheck: ModuleType, tmp_path: Path) -> None:
    row = lintcheck.Row("a", "a.py", 1, "JAX101", "high", "0", "rihgt")
    lintcheck.write(tmp_path / "findings.tsv", [row])
    with pytest.raises(SystemExit, match="'rihgt' is none of right, arguable, wrong, unread"):
        lintcheck.read(tmp_path / "findings.tsv")


def test_packages_are_downloaded_once(lintcheck: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def download(command: list[str], **_: Any) -> None:
        calls.append(command)
        folder = Path(command[command.index("--dest") + 1])
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "thing-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr("thing/a.py", LAMBDA)
            wheel.writestr("thing/data.bin", "x")

    monkeypatch.setattr(lintcheck.subprocess, "run", download)
    for _ in range(2):
        folder = lintcheck.download("thing==1.0", tmp_path)
        assert [str(file.relative_to(folder)) for file in folder.rglob("*.*")] == ["thing/a.py"]
    assert len(calls) == 1
    assert calls[0][-1] == "thing==1.0"


def test_what_is_committed_holds_together(lintcheck: ModuleType) -> None:
    pins = lintcheck.pins((ROOT / "lintcheck" / "packages.txt").read_text("utf-8"))
    assert all(pin.count("==") == 1 for pin in pins)
    names = {pin.partition("==")[0] for pin in pins}
    assert len(names) == len(pins)
    rows = lintcheck.read(ROOT / "lintcheck" / "findings.tsv")
    assert rows == sorted(rows)
    assert {row.package for row in rows} <= names
    elsewhere = lintcheck.read(ROOT / "lintcheck" / "repositories.tsv")
    assert elsewhere == sorted(elsewhere)
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{12}", row.package) for row in elsewhere)
    assert all(row.reason for row in rows if row.verdict != "unread")
    assert all(row.reason and row.verdict != "unread" for row in elsewhere)
