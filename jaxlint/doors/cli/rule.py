"""Explain a rule: what it reports, why that is slow, what to write instead, and when it stays silent."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from jaxlint import terminal
from jaxlint.doors.cli import UsageError, colors, fail
from jaxlint.hints import did_you_mean
from jaxlint.rules import Rule, rules
from jaxlint.rules.page import page, status


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint rule`."""
    parser.add_argument("rule", nargs="?", metavar="CODE|NAME", help="the rule to explain")
    parser.add_argument("--all", action="store_true", help="list all rules, one per line")
    parser.add_argument(
        "--output-format",
        choices=("text", "markdown", "json"),
        default="text",
        help="text is rendered on a terminal, and Markdown elsewhere (default: %(default)s)",
    )
    colors.configure(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one rule's page, or the list of rules; return the exit code.

    Raises:
        UsageError: neither a rule nor `--all` is given, or both.
    """
    if (arguments.rule is not None) == arguments.all:
        raise UsageError("name one rule, or give --all")
    if arguments.all:
        chosen = list(rules().values())
    else:
        rule = _find(arguments.rule)
        if rule is None:
            names = [name for rule in rules().values() for name in (rule.code, rule.name)]
            hint = did_you_mean(arguments.rule, names, "`jaxlint rule --all` lists all")
            return fail(f"there is no rule {arguments.rule!r}; {hint}")
        chosen = [rule]
    if arguments.output_format == "json":
        objects = [_object(rule) for rule in chosen]
        sys.stdout.write(json.dumps(objects if arguments.all else objects[0], indent=2) + "\n")
    elif arguments.all:
        sys.stdout.writelines(_line(rule) + "\n" for rule in chosen)
    elif arguments.output_format == "text" and sys.stdout.isatty():
        lines = terminal.markdown(page(chosen[0]), color=colors.wanted(arguments.color))
        sys.stdout.writelines(line + "\n" for line in lines)
    else:
        sys.stdout.write(page(chosen[0]))
    return 0


def _find(text: str) -> Rule | None:
    wanted = text.strip()
    known = rules()
    return known.get(wanted.upper()) or next((r for r in known.values() if r.name == wanted.lower()), None)


def _line(rule: Rule) -> str:
    kind = status(rule)
    return f"{rule.code}  {rule.name}: {rule.summary}" + (f" [{kind}]" if kind != "stable" else "")


def _object(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "impact": rule.impact,
        "severity": rule.impact.severity if rule.impact is not None else "error",
        "status": status(rule),
        "since": rule.since,
        "url": rule.url,
        "page": page(rule),
    }
