"""Public code that is drawn and read blind: keys outlive versions, draws are fair, and fits find what is there."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from argparse import Namespace
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lintcheck import evidence, field, fit, labels
from lintcheck.field import Candidate
from lintcheck.labels import Key, Known, Label
from tests.doors.conftest import CLEAN, LAMBDA

ROOT = Path(__file__).parent.parent
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import jax\n", "files = !ls\n"]},
        {"cell_type": "code", "source": "%%time\nx = 1\n"},
        {"cell_type": "code", "source": "if files % 10 == 0:\n    files = files % 3\n"},
        {"cell_type": "code", "source": LAMBDA},
    ]
}


def candidate(number: int, repository: str = "a/b", code: str = "JAX101", level: str = "low", **more: Any) -> Candidate:
    digest = labels.line_digest(f"{repository} {number}")
    path = f"{number}.py"
    return replace(
        Candidate(repository, path, number + 1, digest, "f", code, level, "a message", ("in_loop",), path), **more
    )


# --- recording -------------------------------------------------------------------------------------------------------


def test_candidates_are_recorded_with_their_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = tmp_path / "owner__name"
    code.mkdir()
    (code / "a.py").write_text(LAMBDA, "utf-8")
    (code / "b.py").write_text(CLEAN, "utf-8")
    (code / "c.py").write_text("import jax\nx = (\n", "utf-8")
    (tmp_path / "field.tsv").write_text(
        "source\tversion\tkind\ngithub:owner/name\tabc\tscript\npypi:gone\t1.0\tlibrary\n", "utf-8"
    )
    monkeypatch.setattr(field, "HERE", tmp_path)
    field.record(Namespace(folder=tmp_path))
    (found,) = field.read_candidates(tmp_path / "candidates.jsonl")
    assert (found.repository, found.path, found.line, found.code) == ("owner/name", "a.py", 5, "JAX102")
    assert found.context == "scale"
    assert found.digest == labels.line_digest("return jax.jit(lambda y: y * 2)(x)   ")
    assert evidence.MARK not in found.message
    assert found.evidence == tuple(sorted(found.evidence))
    assert found.shown == (found.confidence != "low")


def test_evidence_is_handed_on_only_within_the_block() -> None:
    from jaxlint import linter
    from jaxlint.source import Source

    with evidence.handed_on():
        (inside,) = linter.lint(Source(LAMBDA))
    (outside,) = linter.lint(Source(LAMBDA))
    message, context, told = evidence.split(inside.message)
    assert (message, context) == (outside.message, "scale")
    assert all(isinstance(word, str) for word in told)
    assert evidence.split(outside.message) == (outside.message, "", [])


def test_features_are_words() -> None:
    from jaxlint.facts.evidence.confidence import Doubt, Evidence

    found = evidence.features(Evidence(in_loop=True, doubts=frozenset({Doubt.FEW, Doubt.SIZE})))
    assert found == ["few", "in_loop", "size"]
    assert evidence.features(candidate(3)) == sorted(evidence.features(candidate(3)))
    assert "line=4" in evidence.features(candidate(3))
    assert evidence.features("none") == []


def test_a_notebook_becomes_a_script_and_keeps_its_path(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "owner__name"
    (source / ".git").mkdir(parents=True)
    (source / ".git" / "hook.py").write_text("", "utf-8")
    (source / "n.ipynb").write_text(json.dumps(NOTEBOOK), "utf-8")
    (source / "broken.ipynb").write_text("{", "utf-8")
    (source / "large.py").write_bytes(b"#" * field.LARGEST)
    field.keep_python(source, target)
    assert sorted(file.name for file in target.iterdir()) == ["broken.ipynb", "n.ipynb", "n.ipynb.py"]
    script = (target / "n.ipynb.py").read_text("utf-8")
    compile(script, "n.ipynb.py", "exec")
    assert "pass  # %matplotlib inline" in script
    assert "pass  # files = !ls" in script
    assert "if files % 10 == 0:" in script
    assert "%%time" not in script
    (found,) = field.candidates("owner/name", target, field.linted(target))
    assert (found.path, found.linted, found.code) == ("n.ipynb", "n.ipynb.py", "JAX102")


def test_what_is_pinned_is_brought_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> None:
        commands.append(command)
        if command[3] == "fetch" and "gone" in command[-2]:
            raise subprocess.CalledProcessError(128, command)
        if command[3] == "checkout":
            (Path(command[2]) / "a.py").write_text(LAMBDA, "utf-8")

    monkeypatch.setattr(field, "HERE", tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    (tmp_path / "field.tsv").write_text(
        "source\tversion\tkind\ngithub:owner/gone\tabc\tscript\ngithub:owner/name\tdef\tscript\n", "utf-8"
    )
    for _ in range(2):
        with pytest.raises(SystemExit, match="1 could not be had: github:owner/gone"):
            field.get(Namespace(folder=tmp_path / "code"))
    assert [path.name for path in (tmp_path / "code").iterdir()] == ["owner__name"]
    fetches = [command[-2:] for command in commands if command[3] == "fetch"]
    assert fetches.count(["https://github.com/owner/name", "def"]) == 1
    assert "owner/gone" in capsys.readouterr().err


# --- drawing ---------------------------------------------------------------------------------------------------------


def test_a_draw_takes_few_of_a_repository_and_what_is_rare_or_shown() -> None:
    common = [candidate(number, f"o/r{number % 40}", "JAX401") for number in range(4000)]
    rare = [candidate(number, f"o/r{number}", "JAX501") for number in range(3)]
    shown = [candidate(number, f"o/r{number % 40}", "JAX402", "high") for number in range(4000, 4060)]
    drawn = field.sample([*common, *rare, *shown], 200)
    assert len(drawn) == len(set(drawn)) == 200
    assert max(Counter(item.repository for item in drawn).values()) <= field.MOST_OF_A_REPOSITORY
    assert set(rare) <= set(drawn)
    assert set(shown) <= set(drawn)
    assert len(field.sample(common, 1000)) == 40 * field.MOST_OF_A_REPOSITORY
    assert field.sample(list(reversed(common)), 50) == field.sample(common, 50)
    copies = [replace(candidate(1), repository=f"o/r{number}") for number in range(9)]
    assert len(field.sample(copies, 9)) == 1


def test_sheets_are_blind_and_some_places_are_in_two(tmp_path: Path) -> None:
    drawn = [candidate(number, f"o/r{number // 8}", level="high") for number in range(800)]
    field.write_sheets(drawn, tmp_path)
    sheets = {int(file.stem): labels.objects(file) for file in (tmp_path / "sheets").iterdir()}
    assert all(len(sheet) <= field.SHEET for sheet in sheets.values())
    assert {tuple(place) for sheet in sheets.values() for place in sheet} == {
        ("id", "repository", "path", "line", "code", "message")
    }
    counted = Counter(place["id"] for sheet in sheets.values() for place in sheet)
    assert len(counted) == 800
    assert 0.13 < sum(count == 2 for count in counted.values()) / 800 < 0.17
    order = []
    for number, sheet in sorted(sheets.items()):
        assert len({place["id"] for place in sheet}) == len(sheet)
        (split,) = {labels.split_of(place["repository"]) for place in sheet}
        assert (split == "final") == (number >= field.FINAL_FROM)
        order.append(labels.SPLITS.index(split))
    assert order == sorted(order)


def test_a_second_draw_leaves_the_first_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field, "HERE", tmp_path)
    first = [candidate(number, "o/one") for number in range(5)]
    second = [candidate(number, "o/two") for number in range(5)]
    field.write_candidates(tmp_path / "candidates.jsonl", first)
    field.draw(Namespace(folder=tmp_path, size=100))
    before = {file.name: file.read_text("utf-8") for file in (tmp_path / "sheets").iterdir()}
    rows = [replace(row, verdict="wrong", reason="once") for row in labels.read(tmp_path / "labels.tsv")]
    labels.write(tmp_path / "labels.tsv", rows)
    field.write_candidates(tmp_path / "candidates.jsonl", [*first, *second, candidate(7, "o/one")])
    field.draw(Namespace(folder=tmp_path, size=100))
    after = {file.name: file.read_text("utf-8") for file in (tmp_path / "sheets").iterdir()}
    assert before.items() < after.items()
    rows = labels.read(tmp_path / "labels.tsv")
    assert Counter((row.repository, row.verdict) for row in rows) == {("o/one", "wrong"): 5, ("o/two", "unread"): 5}


def test_a_split_depends_on_the_name_alone() -> None:
    counted = Counter(labels.split_of(f"o/r{number}") for number in range(1000))
    assert 440 < counted["learn"] < 560
    assert 200 < counted["choose"] < 300
    assert labels.split_of("Owner/Name") == labels.split_of("owner/name")


# --- labels ----------------------------------------------------------------------------------------------------------


def label(number: int, verdict: str = "unread", **more: Any) -> Label:
    row = Label(
        "a/b", f"{number}.py", 1, "0" * 12, "f", "JAX101", "learn", verdict, reason="" if verdict == "unread" else "so"
    )
    return replace(row, **more)


def answer(row: Label, verdict: str, reason: str = "so  it\tis") -> dict[str, str]:
    return {"id": row.key.id, "verdict": verdict, "reason": reason}


def test_answers_are_merged_and_second_readings_kept_apart(tmp_path: Path) -> None:
    rows = [label(number) for number in range(3)]
    answers = {"03": [answer(rows[0], "wrong")], "01": [answer(rows[0], "right"), answer(rows[1], "arguable")]}
    merged = labels.merged(rows, answers)
    assert [(row.verdict, row.second, row.reason) for row in merged] == [
        ("right", "wrong", "so it is"),
        ("arguable", "", "so it is"),
        ("unread", "", ""),
    ]
    labels.write(tmp_path / "labels.tsv", reversed(merged))
    assert labels.read(tmp_path / "labels.tsv") == merged
    assert labels.merged(merged, answers) == merged


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([answer(label(0), "rihgt")], "needs one of right, arguable, wrong"),
        ([answer(label(0), "right", " ")], "and a reason"),
        ([answer(label(0), "right"), answer(label(0), "right")], "is answered twice"),
        ([answer(label(9), "right")], "nothing that was drawn"),
    ],
)
def test_answers_that_cannot_be_are_refused(answers: list[dict[str, str]], error: str) -> None:
    with pytest.raises(SystemExit, match=error):
        labels.merged([label(0)], {"00": answers})


def test_a_table_with_a_verdict_that_is_none_is_refused(tmp_path: Path) -> None:
    labels.write(tmp_path / "labels.tsv", [label(0, "rihgt")])
    with pytest.raises(SystemExit, match="'rihgt' is none of right, arguable, wrong, unread"):
        labels.read(tmp_path / "labels.tsv")
    labels.write(tmp_path / "labels.tsv", [label(0, split="test")])
    with pytest.raises(SystemExit, match="'test' is none of learn, choose, final"):
        labels.read(tmp_path / "labels.tsv")


def test_kappa_is_cohens() -> None:
    # The example of the textbooks: 50 grant proposals, two readers.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert labels.kappa(pairs) == pytest.approx(0.4)
    assert labels.kappa([("y", "y")]) is None
    assert labels.kappa([]) is None


def test_the_report_keeps_users_and_libraries_apart() -> None:
    rows = [
        label(0, "right", second="right"),
        label(1, "wrong", second="arguable"),
        label(2, "wrong", repository="l/l"),
    ]
    rows += [label(3), label(4, "arguable")]
    known = {
        rows[0].key: Known("high", True, False),
        rows[1].key: Known("low", False, False),
        rows[2].key: Known("high", True, True),
    }
    text = labels.report(rows, known, {"l/l": True})
    assert "5 places in 2 repositories were drawn, 4 are read." in text
    assert "2 were read twice; the readers agree on 1 (50%; Cohen's kappa" in text
    assert "| users' code, high | 1 | 1 | 0 | 0 | 0% |" in text
    assert "| users' code, none | 1 | 0 | 1 | 0 | 0% |" in text
    assert "| libraries, high | 1 | 0 | 0 | 1 | 100% |" in text
    assert "| all | 2 | 1 | 0 | 1 | 50% |" in text
    assert "## choose" not in text


# --- fitting ---------------------------------------------------------------------------------------------------------


def examples(count: int, seed: int) -> list[fit.Example]:
    """What is in a loop is good nine times in ten, what is a test once in ten, and noise says nothing."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        loop, noise = chance.random() < 0.5, chance.random() < 0.5
        good = chance.random() < (0.9 if loop else 0.1)
        features = ["rule=JAX101", "in_loop" if loop else "test", *(["noise"] if noise else [])]
        repository = f"o/r{number % 40}"
        made.append(fit.Example(repository, tuple(features), good, "learn" if number % 4 else "choose"))
    return made


def test_a_fit_finds_what_is_there() -> None:
    model = fit.fitted(examples(800, 0))
    assert model.penalty in fit.PENALTIES
    assert model.weights["in_loop"] > 1
    assert model.weights["test"] < -1
    assert abs(model.weights["noise"]) < 0.5
    assert "rule=JAX101" not in model.weights  # what all have says nothing
    assert 0.85 < model.probability(["in_loop"]) < 0.95
    assert model.probability(["never seen"]) == model.probability([])
    said = fit.held_out(examples(800, 0), model.penalty)
    assert all(0 < probability < 1 for probability in said)


def test_a_fit_copes_with_little() -> None:
    with pytest.raises(ValueError, match="nothing to fit to"):
        fit.fitted([])
    one = fit.with_penalty([fit.Example("o/r", ("a",), True, "learn")], 1.0)
    assert set(one.weights) == {fit.INTERCEPT}
    assert one.probability([]) > 0.9


def test_tables_say_what_was_said_and_measured() -> None:
    text = fit.table(examples(800, 1))
    assert "| in_loop | +" in text
    assert "learn, repositories left out: 600 examples" in text
    assert "choose: 200 examples" in text
    assert "| JAX1xx | 0.85 to 0.95 |" in text
    assert fit.table(examples(800, 1)) == text


# --- what is committed -----------------------------------------------------------------------------------------------


def test_what_is_committed_holds_together() -> None:
    sources = field.sources()
    names = [source.name for source in sources]
    assert len(sources) >= 300
    assert len(set(names)) == len(names)
    for source in sources:
        if source.source.startswith("github:"):
            assert len(source.version) == 40
    rows = labels.read(ROOT / "lintcheck" / "labels.tsv")
    assert rows == sorted(rows)
    assert {row.repository for row in rows} <= set(names)
    assert all(row.split == labels.split_of(row.repository) for row in rows)
    assert all(row.reason for row in rows if row.verdict != labels.UNREAD)
    assert len({row.key for row in rows}) == len(rows)
    assert max(Counter(row.repository for row in rows).values()) <= field.MOST_OF_A_REPOSITORY


def test_the_command_says_what_it_can_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["field.py", "--help"])
    with pytest.raises(SystemExit):
        field.main()
    out = capsys.readouterr().out
    assert all(action in out for action in field.ACTIONS)


def test_report_and_fit_read_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(field, "HERE", tmp_path)
    (tmp_path / "field.tsv").write_text("source\tversion\tkind\ngithub:o/r\tabc\tlibrary\n", "utf-8")
    found = [candidate(number, "o/r", level="high") for number in range(12)]
    field.write_candidates(tmp_path / "candidates.jsonl", found)
    rows = [replace(field.as_label(item), split="learn") for item in found]
    labels.write(tmp_path / "labels.tsv", rows)
    (tmp_path / "answers").mkdir()
    answers = [json.dumps(answer(row, "right" if index % 2 else "wrong")) for index, row in enumerate(rows)]
    (tmp_path / "answers" / "00.jsonl").write_text("\n".join(answers), "utf-8")
    field.merge(Namespace(folder=tmp_path))
    assert "12 of 12 are read, from 1 sheets" in capsys.readouterr().out
    field.report(Namespace(folder=tmp_path))
    assert "| libraries, high | 12 | 6 | 0 | 6 | 50% |" in (tmp_path / "labels.md").read_text("utf-8")
    field.fit_weights(Namespace(folder=tmp_path))
    assert "12 examples" in capsys.readouterr().out


def test_keys_do_not_depend_on_the_line() -> None:
    key = Key("a/b", "a.py", labels.line_digest("x = 1"), "f", "JAX101")
    assert label(0).key == label(0, line=9).key
    assert len(key.id) == 12
    assert key.id != replace(key, path="b.py").id
