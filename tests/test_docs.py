"""The documentation and the examples say what is so."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from jaxlint import report
from jaxlint.config import OPTIONS, Finder
from jaxlint.diagnostic import Diagnostic
from jaxlint.discovery import discover
from jaxlint.doors.cli import check
from jaxlint.driver import check_file
from jaxlint.finding import Impact
from jaxlint.report import Style
from jaxlint.report.concise import headline
from jaxlint.rules import Rule, rules

ROOT = Path(__file__).parent.parent
SECTIONS = (
    "What it does",
    "Why it is slow|Why it fails|Why it is wrong",
    "Example",
    "Use instead",
    "When it stays silent",
    "Fix safety",
    "References",
)
RULES = [rule for rule in rules().values() if rule.impact is not None]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lint(name: str) -> tuple[Diagnostic, ...]:
    (file,) = discover([str(ROOT / name)], Finder(isolated=True)).files
    return check_file(file).diagnostics


def named(text: str) -> set[str]:
    """Return the codes that a text names; a dash between two numbers means those between as well."""
    found: set[str] = set()
    for first in re.findall(r"JAX(\d{3}(?:(?:\u2013|, | and )\d{3})*)", text):
        for part in re.split(", | and ", first):
            low, _, high = part.partition("\u2013")
            found |= {f"JAX{number}" for number in range(int(low), int(high or low) + 1)}
    return found & {rule.code for rule in RULES}


def test_the_readme_tells_which_rules_run_by_default() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    table = "".join(line for line in text.splitlines() if line.startswith("| JAX"))
    assert named(table) == {rule.code for rule in RULES if not rule.preview and not rule.off_by_default}
    sentence = re.search(r"(JAX[^.]*) are in preview", text)
    assert sentence is not None
    assert named(sentence[1]) == {rule.code for rule in RULES if rule.preview}


def test_the_written_parts_are_up_to_date() -> None:
    assert [str(path.relative_to(ROOT)) for path in generator().stale()] == []


def test_a_page_that_is_not_up_to_date_is_noticed_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator()
    (tmp_path / "rules").mkdir()
    for name in ("rules/index.md", "configuration.md", "command.md", "formats.md"):
        (tmp_path / name).write_text((ROOT / "docs" / name).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(module, "DOCS", tmp_path)
    module.write()
    assert module.stale() == []
    page = tmp_path / "rules" / "JAX102.md"
    assert page.read_text("utf-8") == (ROOT / "docs/rules/JAX102.md").read_text("utf-8")
    page.write_text("old", "utf-8")
    gone = tmp_path / "rules" / "JAX999.md"
    gone.write_text("old", "utf-8")
    assert module.stale() == [page, gone]
    module.write()
    assert module.stale() == []
    assert not gone.exists()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_s_page_has_all_sections(rule: Rule) -> None:
    headings = re.findall(r"^## (.*)$", rule.doc, re.MULTILINE)
    assert len(headings) == len(SECTIONS)
    assert all(re.fullmatch(wanted, heading) for wanted, heading in zip(SECTIONS, headings, strict=True))
    assert ("Why it is slow" in headings) == (rule.impact not in (Impact.ERROR, Impact.STALE))
    sections = re.split(r"^## .*$", rule.doc, flags=re.MULTILINE)
    assert all(section.strip() for section in sections)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_s_example_and_what_to_use_instead_are_code(rule: Rule) -> None:
    for section in ("Example", "Use instead"):
        text = rule.doc.partition(f"## {section}\n")[2].partition("\n## ")[0]
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        assert blocks, section
        for block in blocks:
            compile(block, section, "exec")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_named_like_its_file(rule: Rule) -> None:
    assert re.fullmatch(r"JAX\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    name = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    assert (ROOT / "jaxlint" / "rules" / f"{name}.py").exists()


def test_every_key_is_documented() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    assert re.findall(r"^### `(.*)`$", text, re.MULTILINE) == list(OPTIONS)


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)


def yaml_blocks() -> list[tuple[str, Any]]:
    """Return the first line and the content of each block of YAML in the documentation."""
    blocks = [
        block
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        for block in re.findall(r"^```ya?ml\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    return [(block.splitlines()[0], yaml.safe_load(block)) for block in blocks]


def commands_in(content: Any) -> Iterator[str]:
    """Yield the lines of all texts in a document."""
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for item in content:
            yield from commands_in(item)
    elif isinstance(content, str):
        yield from content.splitlines()


def test_the_workflows_in_the_documentation_are_complete_and_call_what_there_is() -> None:
    workflows = {first.removeprefix("# "): content for first, content in yaml_blocks() if first.startswith("# .")}
    files = {name for name in workflows if name.startswith(".github/workflows/")}
    assert len(files) == 5
    for name in files:
        # YAML 1.1, which GitHub does not read, takes `on` for a truth value.
        assert set(workflows[name]) == {"name", True, "permissions", "jobs"}
        for job in workflows[name]["jobs"].values():
            assert job["runs-on"]
            assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    formats = set()
    for content in workflows.values():
        for line in commands_in(content):
            if line.startswith("jaxlint check"):
                parser = argparse.ArgumentParser(exit_on_error=False)
                check.configure(parser)
                formats.add(parser.parse_args(shlex.split(re.sub(r"\$\{\{.*?\}\}", "1", line))[2:]).output_format)
    assert formats == {"github", "rdjson", "sarif", "gitlab", "junit", "json"}
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    (repository,) = workflows[".pre-commit-config.yaml"]["repos"]
    assert {hook["id"] for hook in repository["hooks"]} == set(hooks)
    for hook in hooks.values():
        parser = argparse.ArgumentParser(exit_on_error=False)
        check.configure(parser)
        parser.parse_args(shlex.split(hook["entry"])[2:])


def test_the_documentation_names_the_inputs_of_the_action() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    part = (ROOT / "docs" / "ci.md").read_text("utf-8").partition("## GitHub: the action")[2].partition("\n## ")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall("`(.*?)`", row)}
    assert named == inputs.keys() - {"token"}
    (used,) = (
        step["with"]
        for first, content in yaml_blocks()
        if first == "# .github/workflows/jaxlint-action.yml"
        for step in content["jobs"]["jaxlint"]["steps"]
        if "jaxlint@" in step.get("uses", "")
    )
    assert used.keys() <= inputs.keys()


def test_the_action_is_valid() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("kind", "start"), [("github-workflows", ".github/"), ("gitlab-ci", ".gitlab")])
def test_the_workflows_in_the_documentation_are_valid(kind: str, start: str, tmp_path: Path) -> None:
    files = []
    for number, (first, content) in enumerate(yaml_blocks()):
        if first.startswith(f"# {start}"):
            files.append(tmp_path / f"{number}.yml")
            # `on` again.
            files[-1].write_text(yaml.safe_dump(content).replace("\ntrue:", "\n'on':"), "utf-8")
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{kind}", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_output_format_is_documented() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8").partition("# Output formats")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall("`(.*?)`", row)) == report.names()


def test_the_demo_shows_each_rule() -> None:
    found = [finding.code for finding in lint("examples/train.py")]
    assert sorted(found) == sorted(rule.code for rule in RULES if not rule.preview and not rule.off_by_default)
    assert lint("examples/train_fixed.py") == ()
    for page, words in (("README.md", "all {} findings"), ("docs/comparison.md", "each of {} stable rules")):
        assert words.format(len(found)) in " ".join((ROOT / page).read_text("utf-8").split())


def test_the_finding_in_the_readme_is_one_of_the_demo_s() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text.partition("```text\n")[2].partition("```")[0]
    headlines = [headline(finding, Style(), fixable=True) for finding in lint("examples/train.py")]
    assert " ".join(shown.split()) in [line.removeprefix(f"{ROOT}{os.sep}") for line in headlines]


def test_the_demo_runs_and_fixing_it_changes_no_number() -> None:
    outputs = []
    for name in ("train", "train_fixed"):
        code = f"import {name}; {name}.main(steps=11)"
        environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT / "examples", env=environment, capture_output=True, check=True
        )
        outputs.append(done.stdout.decode().splitlines())
    assert outputs[0] == outputs[1]
    assert [line.split()[0] for line in outputs[0]] == ["0", "10", "mean"]
