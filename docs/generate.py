"""Write the parts of the documentation that the code knows best: `make docs`.

    python docs/generate.py           writes them
    python docs/generate.py --check   tells whether they are as they would be written, with exit code 1 if not

A rule's page is its docstring, with what `testdata/ground_truth.toml` measured of it; `jaxlint.schema.json` is built
from the keys of the configuration.  In the other files only what is between the two marks is written.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxlint.config import OPTIONS, Option
from jaxlint.doors.cli import COMMANDS
from jaxlint.finding import Impact
from jaxlint.report.json import FIELDS
from jaxlint.rules import Rule, rules
from jaxlint.rules.page import page, status
from jaxlint.schema import schema

DOCS = Path(__file__).parent
TRUTH = Path(__file__).parent.parent / "testdata" / "ground_truth.toml"
START = "<!-- written by `make docs` from here -->"
END = "<!-- to here -->"
_MOST_ROWS = 6
"""So many measured patterns are shown of a rule."""


def pages() -> dict[Path, str]:
    """Return the text that each written file should have."""
    known = rules()
    measured = _measured()
    parts = {
        "rules/index.md": _table(list(known.values())),
        "configuration.md": "\n".join(map(_option, OPTIONS.values())),
        "command.md": "\n".join(map(_command, COMMANDS)),
        "formats.md": _fields(),
    }
    return {
        **{DOCS / name: _between(DOCS / name, text) for name, text in parts.items()},
        DOCS / "jaxlint.schema.json": json.dumps(schema(), indent=2) + "\n",
        **{DOCS / "rules" / f"{code}.md": _page(rule, measured.get(code, [])) for code, rule in known.items()},
    }


def stale() -> list[Path]:
    """Return the files that are not as they should be, pages of rules that are gone included."""
    wanted = pages()
    changed = [file for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text]
    return changed + [file for file in sorted((DOCS / "rules").glob("*.md")) if file not in wanted]


def write() -> None:
    """Bring all files up to date."""
    wanted = pages()
    (DOCS / "rules").mkdir(exist_ok=True)
    for file in stale():
        if file in wanted:
            file.write_text(wanted[file], "utf-8", newline="\n")
        else:
            file.unlink()


def _between(file: Path, text: str) -> str:
    before, _, rest = file.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{text}\n{END}{after}"


def _table(known: list[Rule]) -> str:
    rows = ["| code | name | reports | impact | runs |", "|---|---|---|---|---|"]
    for rule in known:
        link = f"[{rule.code}]({rule.code}.md)"
        rows.append(f"| {link} | {rule.name} | {rule.summary} | {rule.impact or '–'} | {status(rule)} |")  # noqa: RUF001
    hidden = "\n".join(["```{toctree}", ":hidden:", "", *(rule.code for rule in known), "```"])
    return "\n".join(rows) + f"\n\n{hidden}\n"


def _measured() -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the ground truth in which each rule has a finding."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, row in tomllib.loads(TRUTH.read_text("utf-8")).items():
        how, _, code = str(row.get("say", "")).partition(" ")
        if name != "preludes" and how in ("fire", "off") and ("compiles" in row or "error" in row):
            found.setdefault(code, []).append(row)
    return found


def _page(rule: Rule, measured: list[dict[str, Any]]) -> str:
    """Return a rule's page, with a table of what its patterns compile, or raise."""
    text = page(rule)
    if not measured:
        return text
    rows = ["| pattern | compiles in three calls |", "|---|---|"]
    for row in measured[:_MOST_ROWS]:
        figure = f"raises `{row['error']}`" if "error" in row else row["compiles"].replace("/", ", ")
        rows.append(f"| {row['what']} | {figure} |")
    after = " With the fix, the second and the third call compile nothing." if rule.impact is Impact.EVERY_CALL else ""
    if any("+" in row for row in rows):
        after += " A `+` means that many or more."
    section = f"## Measured\nThe tests measure these patterns under JAX.{after}\n\n" + "\n".join(rows)
    head, separator, references = text.partition("\n## References\n")
    return f"{head}\n{section}\n{separator}{references}"


def _option(option: Option) -> str:
    return (
        f"### `{option.key}`\n\n{option.help}\n\n- type: {option.type}\n- default: `{option.default}`\n\n"
        f"```toml\n{option.example}\n```\n"
    )


def _command(name: str) -> str:
    """Return the section on a command: its description and a table of its options."""
    module = importlib.import_module(f"jaxlint.doors.cli.{name}")
    parser = argparse.ArgumentParser(prog=f"jaxlint {name}", description=module.__doc__, add_help=False)
    module.configure(parser)
    text = " ".join((parser.description or "").split())
    rows = [f"| {_written(action)} | {_help(action)} |" for action in _actions(parser)]
    table = "\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n" if rows else ""
    return f"### `jaxlint {name}`\n\n{text}\n\n{table}"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
            yield action


def _written(action: argparse.Action) -> str:
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    if action.choices is not None and not action.metavar:
        value = " or ".join(f"`{choice}`" for choice in action.choices)
    elif action.metavar is not None:
        shown = action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
        value = f"`{shown}`"
    else:
        value = "" if action.nargs == 0 else f"`{action.dest.upper()}`"
    return " ".join(filter(None, [names, value])).replace("|", "\\|")


def _help(action: argparse.Action) -> str:
    text = (action.help or "").replace("%%", "%")
    text = text.replace("%(default)s", str(action.default)).replace("%(prog)s", "jaxlint")
    return " ".join(text.split()).replace("|", "\\|")


def _fields() -> str:
    rows = [f"| `{name}` | {text} |" for name, text in FIELDS.items()]
    return "\n".join(["| key | what it holds |", "|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        for path in stale():
            print(f"{path.relative_to(DOCS.parent)} is not up to date: run `make docs`")
        sys.exit(bool(stale()))
    write()
