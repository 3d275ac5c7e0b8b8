"""Join the JSON or SARIF of several runs, such as the shards of one, into what a single run would have written."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jaxlint.doors.cli import fail, warn


class _MergeError(Exception):
    """A file cannot be joined with the others; the text says which and why."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `jaxlint merge`."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="what `check` wrote with --output-format json, json-lines or sarif"
    )
    parser.add_argument("--output-file", metavar="FILE", help="write to a file instead of standard output")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")


def run(arguments: argparse.Namespace) -> int:
    """Join, write, and return the exit code: that of a single run."""
    try:
        texts = [(file, _text(file)) for file in arguments.files]
        documents = [_parsed(file, text) for file, text in texts]
        sarif = [isinstance(document, dict) for document in documents]
        if len(set(sarif)) > 1:
            one, other = arguments.files[sarif.index(True)], arguments.files[sarif.index(False)]
            raise _MergeError(f"{one} is SARIF and {other} is JSON: merge joins files of one kind")
        text, found, failed = _of_sarif(documents) if sarif[0] else _of_json(documents)
    except _MergeError as error:
        return fail(str(error))
    if arguments.output_file is None:
        sys.stdout.write(text)
    else:
        try:
            Path(arguments.output_file).write_text(text, "utf-8", newline="\n")
        except OSError as error:
            return fail(f"--output-file: {arguments.output_file}: {error.strerror or error}")
    return 2 if failed else int(found and not arguments.exit_zero)


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8")
    except OSError as error:
        raise _MergeError(f"{file}: cannot be read: {error.strerror or error}") from error
    except UnicodeError as error:
        raise _MergeError(f"{file}: {_KINDS}: it is not UTF-8") from error


_KINDS = "merge joins what `check --output-format` json, json-lines and sarif write, and this is neither"


def _parsed(file: str, text: str) -> Any:
    """Return a list of findings, or a SARIF log.

    Raises:
        _MergeError: it is neither.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = _lines(text)
    if isinstance(document, dict) and set(document) >= {"code", "filename", "location"}:
        document = [document]  # one line of JSON lines
    if isinstance(document, list) and all(_is_finding(item) for item in document):
        return document
    if isinstance(document, dict) and isinstance(document.get("runs"), list) and document.get("version") == "2.1.0":
        return document
    hint = ""
    if isinstance(document, dict) and "diagnostics" in document:
        hint = " (rdjson: give reviewdog one file after the other)"
    if isinstance(document, dict) and "results" in document:
        hint = " (the results of `verify`: each belongs to the run that it was made in)"
    if text.lstrip().startswith("<"):
        hint = " (JUnit: whatever shows it takes several files)"
    if isinstance(document, list) and document and isinstance(document[0], dict) and "check_name" in document[0]:
        hint = " (GitLab joins the reports of several jobs by itself)"
    raise _MergeError(f"{file}: {_KINDS}{hint}")


def _lines(text: str) -> Any:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _is_finding(item: Any) -> bool:
    return isinstance(item, dict) and set(item) >= {"code", "filename", "location", "fingerprint"}


def _of_json(documents: Sequence[list[dict[str, Any]]]) -> tuple[str, bool, bool]:
    """Return the text, whether something was found, and whether a run failed."""
    import io

    from jaxlint.report.json import dump_array

    findings = _distinct([finding for document in documents for finding in document])
    findings.sort(key=lambda finding: str(finding["filename"]).replace("\\", "/").split("/"))
    out = io.StringIO()
    dump_array(findings, out)
    return out.getvalue(), bool(findings), any(finding["code"] == "JAX000" for finding in findings)


def _of_sarif(documents: Sequence[dict[str, Any]]) -> tuple[str, bool, bool]:
    """Return the same of SARIF: one run for each version of jaxlint that wrote a part."""
    runs: dict[str, dict[str, Any]] = {}
    for document in documents:
        for part in document["runs"]:
            tool = json.dumps(part.get("tool"), sort_keys=True)
            known = runs.setdefault(tool, {**part, "results": [], "invocations": []})
            known["results"] += part.get("results", [])
            known["invocations"] += part.get("invocations", [])
    if len(runs) > 1:
        warn("the files were written by different tools or versions: each keeps a run of its own")
    for merged in runs.values():
        merged["results"] = sorted(_distinct(merged["results"]), key=_uri)
        merged["invocations"] = _distinct(merged["invocations"])
    whole = {**documents[0], "runs": list(runs.values())}
    results = [result for merged in runs.values() for result in merged["results"]]
    failed = any(result.get("ruleId") == "JAX000" for result in results)
    return json.dumps(whole) + "\n", bool(results), failed


def _uri(result: dict[str, Any]) -> list[str]:
    try:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    except (KeyError, IndexError, TypeError):
        return []
    return unquote(str(uri)).split("/")


def _distinct(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return items without those that are the same as an earlier one: shards may overlap."""
    return list({json.dumps(item, sort_keys=True): item for item in reversed(items)}.values())[::-1]
