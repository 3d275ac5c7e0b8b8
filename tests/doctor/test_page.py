"""The page of a run and the forms for viewers: their data and structure.  `make test-page` opens the page."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from jaxlint.doctor import export, page
from tests.doctor import runs

PROGRAMS = 60


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return runs.told(tmp_path_factory.mktemp("run"), PROGRAMS)


class Page(HTMLParser):
    """What a browser sees of a page before its script runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)
        self.ids.extend(value for name, value in attrs if name == "id" and value)
        if tag == "script":
            self.scripts.append("")
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data


def test_the_page_holds_its_data_whatever_names_hold(data: dict[str, Any]) -> None:
    text = page.render(data)
    seen = Page(text)
    assert len(seen.scripts) == 2
    assert json.loads(seen.scripts[0]) == data
    assert runs.HOSTILE in {program["name"] for program in data["programs"]}
    assert len(set(seen.ids)) == len(seen.ids)
    # Whatever the script looks for is there.
    assert set(re.findall(r'\$\("(\w+)"\)', seen.scripts[1])) <= set(seen.ids)
    assert set(re.findall(r'\bfill\("(\w+)"', seen.scripts[1])) <= set(seen.ids)


def test_the_page_asks_nothing_of_any_network(data: dict[str, Any]) -> None:
    seen = Page(page.render(data))
    assert not [value for name, value in seen.attributes if name in ("src", "href", "srcset", "action", "style")]
    assert not {"link", "img", "iframe", "object", "base"} & set(seen.tags)
    policy = next(value for name, value in seen.attributes if name == "content" and value and "default-src" in value)
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|@import|url\(", page.render({"totals": {}}))


def test_a_page_replaces_an_older_one_or_leaves_it(data: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")
    file.chmod(0o640)
    page.write(file, data)
    assert file.read_text(encoding="utf-8") == page.render(data)
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(OSError, match="absent"):
        page.write(tmp_path / "absent" / "page.html", data)


def test_chrome_trace_has_each_program_and_its_phases_within(data: dict[str, Any], tmp_path: Path) -> None:
    export.write(tmp_path / "run.json", data)
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    whole = [event for event in slices if event["cat"] != "phase"]
    assert len(whole) == len(data["programs"]) == PROGRAMS
    assert {(event["pid"], event["tid"]) for event in slices} == {(1, 1), (2, 2)}
    for event in whole:
        inside = [
            part
            for part in slices
            if part["cat"] == "phase"
            and part["pid"] == event["pid"]
            and event["ts"] - 1 <= part["ts"]
            and part["ts"] + part["dur"] <= event["ts"] + event["dur"] + 1
        ]
        assert sum(part["dur"] for part in inside) == pytest.approx(event["dur"])
        assert [part["name"] for part in inside][:2] == ["trace", "lowering"]
    assert sum(event["dur"] for event in whole) / 1e6 == pytest.approx(data["totals"]["seconds"])
    assert sum(event["name"] == "load" for event in slices) == data["totals"]["cache_loads"] == PROGRAMS // 10
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == {"process 1", "process 2", "main"}


def test_speedscope_has_the_stacks_outermost_first(data: dict[str, Any], tmp_path: Path) -> None:
    export.write(tmp_path / "run.speedscope.json", data)
    form = json.loads((tmp_path / "run.speedscope.json").read_text())
    frames = form["shared"]["frames"]
    seconds, equations = form["profiles"]
    assert sum(seconds["weights"]) == pytest.approx(seconds["endValue"]) == pytest.approx(data["totals"]["seconds"])
    stacks = {tuple(frames[index]["name"] for index in sample) for sample in seconds["samples"]}
    assert ("main", "scale", "<lambda>", "compile") in stacks
    assert ([frames[i]["name"] for i in equations["samples"][0]], equations["weights"]) == (["step", "add"], [3000])


def test_what_would_be_obeyed_is_spelled_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jaxlint.doctor import text
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder
    from jaxlint.doctor.visible import visible

    assert (
        visible("a\x1b[31m\nb\t\u202ec\u2066\x9b\ud800\u00e9") == "a\\x1b[31m\\x0ab\t\\u202ec\\u2066\\x9b\\ud800\u00e9"
    )
    script = tmp_path / "script.py"
    script.write_text(runs.SOURCE, encoding="utf-8")
    hostile = "\x1b]0;owned\x07\u202enrut\nstep"
    changed: Any = dataclasses.replace
    happened = [
        changed(event, **{key: hostile}) if getattr(event, key, None) == "step" else event
        for event in runs.events(script, 12)
        for key in ["program" if hasattr(event, "program") else "function"]
    ]
    joined = join(Builder().extend(happened).model(), str(tmp_path), isolated=True)
    for color in (False, True):
        text.write(joined, sys.stdout, color=color)
        said = capsys.readouterr().out
        assert "\x1b]0" not in said
        assert not re.search("[\x07\u202e]", said)
        assert "\\u202e" in said


def test_lines_are_linked_where_a_setting_says_to_what(tmp_path: Path) -> None:
    from jaxlint.doctor import jsonform, links
    from jaxlint.doctor.join import join
    from jaxlint.doctor.model import Builder

    script = tmp_path / "a script.py"
    script.write_text(runs.SOURCE, encoding="utf-8")
    joined = join(Builder().extend(runs.events(script, 12)).model(), str(tmp_path), isolated=True)
    told = jsonform.to_json(joined, details=True, links="vscode")["links"]
    assert told == {"a script.py": f"vscode://file{tmp_path}/a%20script.py:{{line}}"}
    assert jsonform.to_json(joined, details=True)["links"] == {}
    # Not in a repository.
    assert links.addresses("github", str(tmp_path), ["a script.py"]) == {}
    for command in (
        ("init", "-q"),
        ("remote", "add", "origin", "git@github.com:some/thing.git"),
        ("add", "a script.py"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a"),
    ):
        subprocess.run(("git", "-C", str(tmp_path), *command), check=True)
    (found,) = links.addresses("github", str(tmp_path), ["a script.py", "other.py"]).items()
    assert re.fullmatch(r"https://github\.com/some/thing/blob/[0-9a-f]{40}/a%20script\.py#L\{line\}", found[1])
