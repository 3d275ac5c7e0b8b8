"""`jaxlint verify`: what it prints, what it exits with, and what it says when it cannot run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from jaxlint.doors.cli import main, verify
from jaxlint.verify import cards
from jaxlint.verify.verdict import Result

TRUE = """
import jax

def scaled(x, factor):
    return jax.jit(lambda y: factor * y)(x)
"""
UNKNOWN = """
import jax

def made(x):
    raise ValueError(x)
    return jax.jit(lambda y: y)(x)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify, "_OFTEN", 1e9)
    (tmp_path / "true.py").write_text(TRUE)
    (tmp_path / "unknown.py").write_text(UNKNOWN)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_cards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--color", "never"]) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("true.py:5:12: JAX102 ")
    assert lines[1] == ("  | confirmed: compiles again on each call of scaled (3 synthetic calls: 1/1/1 traces)")
    assert lines[2] == "  | called scaled with x=float32[8,8], factor=0.5"
    assert lines[4].startswith("unknown.py:6:12: JAX102 ")
    assert lines[5] == (
        "  | not-run: no arguments found for made: line 5: ValueError: [[1. 1. 1. 1. 1. 1. 1. 1.]; "
        "jaxlint_examples() can say what to call it with"
    )
    assert lines[-1] == "Verified 2 findings: 1 confirmed, 0 refuted, 1 not-run."
    assert err.startswith("jaxlint: running the code of 2 files (true.py, unknown.py) under jax ")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("project")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--output-format", "json", "--fail-on", "never"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["summary"] == {"confirmed": 1, "refuted": 0, "not-run": 1}
    first, second = shown["results"]
    assert (first["code"], first["verdict"], first["tier"]) == ("JAX102", "confirmed", "abstract")
    assert first["evidence"] == {
        "calls": "synthetic",
        "target": "scaled",
        "inputs": "x=float32[8,8], factor=0.5",
        "traces": [1, 1, 1],
    }
    assert (second["verdict"], second["tier"], second["evidence"]) == ("not-run", None, {})
    assert second["reason"].startswith("no arguments found for made: line 5: ValueError")


@pytest.mark.usefixtures("project")
def test_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--only", "unknown.py:6", "--fail-on", "any", "-q"]) == 1
    assert "true.py" not in capsys.readouterr().out
    assert main(["verify", "--only", "true.py:2"]) == 0
    out, err = capsys.readouterr()
    assert out == "Verified 0 findings: 0 confirmed, 0 refuted, 0 not-run.\n"
    assert err.startswith("jaxlint: warning: --only: true.py:2: check finds nothing there")
    for line in ("0", "99999"):
        with pytest.raises(SystemExit):
            main(["verify", "--only", f"true.py:{line}"])
        assert f"--only: true.py:{line}: the file has 5 lines" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_the_same_is_said_of_the_configuration_as_by_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--select", "JAX101", "--ignore", "JAX101", "true.py"]) == 0
    assert "no rule runs" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_an_example_of_the_module_s_own_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    Path("unknown.py").write_text(
        UNKNOWN.replace("raise", "if x: raise") + "\ndef jaxlint_examples():\n    return {'made': (0.0,)}\n"
    )
    assert main(["verify", "unknown.py", "--color", "never"]) == 1
    assert "confirmed" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_examples_may_stand_in_another_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("unknown.py").write_text(UNKNOWN.replace("raise", "if x: raise"))
    Path("jaxlint.toml").write_text("[verify.examples]\n'unkn*.py' = 'given.py'\n")
    Path("given.py").write_text("def jaxlint_examples(module):\n    return {module.made.__name__: (0.0,)}\n")
    assert main(["verify", "unknown.py", "--color", "never"]) == 1
    assert "confirmed" in capsys.readouterr().out
    Path("given.py").write_text("")
    assert main(["verify", "unknown.py", "--color", "never"]) == 0
    assert "given.py cannot be used: AttributeError" in capsys.readouterr().out


MENDABLE = """
import jax

@jax.jit
def total(x, axis):
    return x.sum(axis=axis)

@jax.jit
def widened(x, axis, keep: bool):
    return x.sum(axis=axis, keepdims=keep)
"""


def test_fix_applies_what_is_proven(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "mendable.py"
    file.write_text(MENDABLE)
    (project / "jaxlint.toml").write_text("[verify.examples]\n'mendable.py' = 'given.py'\n")
    # A list has no hash: to make the axis static breaks this call.
    (project / "given.py").write_text(
        "import jax.numpy as jnp\n\n\ndef jaxlint_examples():\n"
        "    x = jnp.ones((2, 3))\n    return {'total': (x, [0]), 'widened': (x, 0, True)}\n"
    )
    assert main(["verify", "mendable.py", "--fix", "--color", "never"]) == 1
    out, err = capsys.readouterr()
    assert file.read_text() == MENDABLE.replace("@jax.jit\ndef widened", "@STATIC\ndef widened").replace(
        "import jax\n", "import functools\n\nimport jax\n"
    ).replace("STATIC", 'functools.partial(jax.jit, static_argnames=("axis", "keep"))')
    cards = [card.splitlines()[2:] for card in out.split("\n\n")[:3]]
    assert cards[0][0] == "  | not fixed: Make `axis` static"
    assert cards[0][1].startswith("  | it does not hold: the fixed code fails: total raised")
    assert cards[1] == ["  | fixed: Make `axis` static", "  | the results are the same"]
    assert cards[2] == ["  | fixed: Make `keep` static", "  | the results are the same"]
    assert out.endswith("Verified 3 findings: 3 confirmed, 0 refuted, 0 not-run. Fixed 2.\n")
    assert err.count("\n") == 1


def test_fix_verdicts_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "mendable.py"
    file.write_text(MENDABLE)
    file.chmod(0o444)
    assert main(["verify", "mendable.py", "--fix", "--output-format", "json"]) == 2
    out, err = capsys.readouterr()
    assert err.endswith("jaxlint: error: mendable.py: not fixed: it is read-only\n")
    assert file.read_text() == MENDABLE
    assert not any("fix_verdict" in result for result in json.loads(out)["results"])
    file.chmod(0o644)
    assert main(["verify", "mendable.py", "--fix", "--output-format", "json"]) == 0
    verdicts = [result["fix_verdict"] for result in json.loads(capsys.readouterr().out)["results"]]
    assert [(v["verdict"], v["applied"], v["applicability"], v["same_output"]) for v in verdicts] == [
        ("confirmed", True, "safe", True)
    ] * 3
    assert all("exception" in verdict["before"] and "exception" not in verdict["evidence"] for verdict in verdicts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "train.py"], "--only: 'train.py' is not FILE:LINE"),
        (["-"], "verify runs files, not standard input"),
        (["--timeout", "0"], "S must be a number of seconds above zero, not '0'"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_missing_path_is_no_silence(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "true.py").unlink()
    assert main(["verify", "gone.py"]) == 2
    assert "gone.py" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_without_jax_it_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # An interpreter that sees no installed packages.
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    assert main(["verify", "true.py", "--python", str(bare)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{bare} has no jax" in err
    assert "pip install 'flake8-jaxlint[verify]'" in err


@pytest.mark.usefixtures("project")
def test_interpreter_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "true.py", "--python", "no-such-python"]) == 2
    assert "no-such-python cannot be started" in capsys.readouterr().err


def test_bar_on_a_terminal_only() -> None:
    class Screen:
        def __init__(self, terminal: bool) -> None:
            self.text, self._terminal = "", terminal

        def isatty(self) -> bool:
            return self._terminal

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            pass

    for terminal in (True, False):
        screen = Screen(terminal)
        progress = verify.Progress(2, screen)
        progress.more(1)
        progress.end()
        assert ("1/2 findings" in screen.text) is terminal
        assert screen.text.endswith("\r\x1b[K") is terminal


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("form", ["sarif", "rdjson", "markdown"])
def test_verdicts_are_in_reports_for_reviewers(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--output-format", form, "true.py"]) == 1
    out = capsys.readouterr().out
    if form == "markdown":
        assert "| confidence | verdict |" in out
        assert "**confirmed**: traces per call of scaled: 1/1/1 |" in out
        return
    shown = json.loads(out)
    if form == "rdjson":
        assert "\n\nconfirmed: traces per call of scaled: 1/1/1" in shown["diagnostics"][0]["message"]
        return
    (result,) = shown["runs"][0]["results"]
    assert result["properties"]["verdict"] == "confirmed"
    assert result["message"]["text"].endswith(" (confirmed: traces per call of scaled: 1/1/1)")


def test_verdicts_are_remembered_until_something_changes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "true.py"]) == 1
    first, err = capsys.readouterr()
    assert "running the code of 1 file" in err
    assert main(["verify", "true.py"]) == 1
    again, err = capsys.readouterr()
    assert (again, err) == (first, "")
    (project / "other.py").write_text("x = 1\n")
    assert main(["verify", "true.py"]) == 1
    assert "running the code of 1 file" in capsys.readouterr().err
    assert main(["verify", "true.py", "--no-cache"]) == 1
    assert "running the code of 1 file" in capsys.readouterr().err


def test_interrupted_runs_keep_their_verdicts(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "zzz.py").write_text((project / "true.py").read_text())
    kept = cards.write_card

    def interrupt(result: Result, *rest: Any) -> None:
        kept(result, *rest)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(cards, "write_card", interrupt)
    assert main(["verify", "true.py", "zzz.py"]) == 130
    out, err = capsys.readouterr()
    assert "confirmed" in out
    assert out.endswith("Verified 1 finding: 1 confirmed, 0 refuted, 0 not-run.\n")
    assert err.endswith("interrupted: 1 of 2 findings have a verdict\n")


def test_what_other_files_say_counts_where_they_are_not_asked_about(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*command: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *command], check=True, cwd=project)

    price = """
        import jax

        def price(x, n_steps):
            def body(i, values):
                return values * 0.99

            return jax.lax.fori_loop(0, n_steps, body, x)[0]
    """
    calls = """
        import jax.numpy as jnp
        from tree import price

        for n_steps in (10, 20, 40):
            print(float(price(jnp.ones(3), n_steps)))
    """
    (project / "prices.py").write_text(textwrap.dedent(calls))
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    (project / "tree.py").write_text(textwrap.dedent(price))
    for asked in (["--only", "tree.py:8"], ["--changed"]):
        assert main(["verify", *asked]) == 1
        out = capsys.readouterr().out
        assert "tree.py:8:12: JAX106" in out
        assert out.endswith("Verified 1 finding: 1 confirmed, 0 refuted, 0 not-run.\n")


def test_only_changed_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*command: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *command], check=True, cwd=project)

    with pytest.raises(SystemExit):
        main(["verify", "--changed"])
    assert "--changed: fatal: not a git repository" in capsys.readouterr().err
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    assert main(["verify", "--changed"]) == 0
    assert "Verified 0 findings" in capsys.readouterr().out
    (project / "new.py").write_text((project / "true.py").read_text())
    assert main(["verify", "--changed", "HEAD", "."]) == 1
    assert "new.py:5:12" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["verify", "--changed", "nowhere"])
    assert "--changed: fatal: Not a valid object name nowhere" in capsys.readouterr().err


def test_a_card_says_no_figures_where_what_is_compiled_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    inner = "    def inner(v):\n        raise ValueError('some other shape')\n\n"
    (tmp_path / "a.py").write_text(f"import jax\n\n\ndef f(x):\n{inner}    return jax.jit(inner)(x)\n")
    assert main(["verify", "--color", "never", "a.py"]) == 1
    assert "  | confirmed: each call of f has jax compile a function here that is new\n" in capsys.readouterr().out
