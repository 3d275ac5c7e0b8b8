"""Public code that was chosen by name alone: what the linter says of it, drawn and read blind.

    python -m lintcheck.field get FOLDER         brings what field.tsv pins: packages by pip, repositories by git
    python -m lintcheck.field record FOLDER      lints what is there, and writes FOLDER/candidates.jsonl
    python -m lintcheck.field draw FOLDER        draws from the candidates, writes labels.tsv and FOLDER/sheets
    python -m lintcheck.field merge FOLDER       takes FOLDER/answers into labels.tsv
    python -m lintcheck.field report FOLDER      writes labels.md from labels.tsv and FOLDER/candidates.jsonl
    python -m lintcheck.field fit FOLDER         fits weights to the labels of the learning half
    python -m lintcheck.field calibrate FOLDER   writes what confidences hold: calibration.toml, docs/reliability.md
    python -m lintcheck.field names FOLDER       measures what names of functions and variables are worth

Nothing of it is installed, imported or run, and none of it is committed.  In FOLDER, a repository `owner/name` has the
folder `owner__name`, a package `name` the folder `pypi__name`.  Of a notebook, the code cells are linted as a script
beside it, `name.ipynb.py`; a candidate there is recorded with the path of the notebook.

A candidate is whatever a rule finds, at any confidence, preview included.  `draw` takes at most eight of a repository,
and of rules and confidences in turn, so that the rare ones are among them.  Which part of the set a repository is in
(half to learn from, a quarter to choose by, a quarter that is opened once) depends on its name.  A sheet shows neither
the confidence nor the evidence, and some places are in two sheets.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jaxlint.rules import rules
from jaxlint.rules.page import status
from lintcheck import calibration, evidence, fit, labels, names
from lintcheck.labels import Key, Known, Label
from lintcheck.lintcheck import download

HERE = Path(__file__).parent
LARGEST = 2**20
"""Files beyond this many bytes are data."""
MOST_OF_A_REPOSITORY = 8
PHASES = ((True, 6, 3), (False, MOST_OF_A_REPOSITORY, 3), (False, MOST_OF_A_REPOSITORY, MOST_OF_A_REPOSITORY))
"""How to draw, one after the other: only what is shown by default, or all; how many of a repository; and how many of
one rule in it, as those are mostly right together or wrong together."""
SHEET = 60
TWICE = 0.15
FINAL_FROM = 80
"""The number of the first sheet that is opened once."""
_MAGIC = re.compile(r"^(\s*)([%!?].*|\w+\s*=\s*[%!].*)")


@dataclass(frozen=True)
class Source:
    """A line of field.tsv: `github:owner/name` with a commit, or `pypi:name` with a version, and what it is."""

    source: str
    version: str
    kind: str

    @property
    def name(self) -> str:
        """The repository's name, or `pypi/name`."""
        return self.source.removeprefix("github:").replace("pypi:", "pypi/")

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return self.name.replace("/", "__")


@dataclass(frozen=True)
class Candidate:
    """What a rule finds at one place, and what it rests on."""

    repository: str
    path: str
    line: int
    digest: str
    context: str
    code: str
    confidence: str
    message: str
    evidence: tuple[str, ...]
    linted: str
    """The file that was linted, which for a notebook is the script beside it."""

    @property
    def key(self) -> Key:
        """What the place is known by."""
        return Key(self.repository, self.path, self.digest, self.context, self.code)

    @property
    def shown(self) -> bool:
        """Whether a user who set nothing sees it."""
        return self.confidence != "low" and self.code in rules() and status(rules()[self.code]) == "stable"


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=sorted(ACTIONS))
    parser.add_argument("folder", type=Path, help="where the code is, or goes")
    parser.add_argument("--size", type=int, default=1600, metavar="N", help="how many to draw (default: %(default)s)")
    arguments = parser.parse_args()
    ACTIONS[arguments.action](arguments)


def sources(file: Path | None = None) -> list[Source]:
    """Read the list of what is pinned."""
    with (file or HERE / "field.tsv").open(encoding="utf-8", newline="") as text:
        return [Source(**row) for row in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)]


# --- getting ---------------------------------------------------------------------------------------------------------


def get(arguments: argparse.Namespace) -> None:
    """Bring what is not there yet; what cannot be had is said, and left out."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for source in sources():
        target = arguments.folder / source.folder
        if target.exists():
            continue
        try:
            with tempfile.TemporaryDirectory(dir=arguments.folder) as work:
                keep_python(fetched(source, Path(work)), target)
        except subprocess.CalledProcessError as error:
            failed.append(source.source)
            print(f"{source.source}: {error}", file=sys.stderr)
    if failed:
        sys.exit(f"{len(failed)} could not be had: {', '.join(failed)}")


def fetched(source: Source, work: Path) -> Path:
    """Return a folder with the files of a source."""
    if source.source.startswith("pypi:"):
        return download(f"{source.name.removeprefix('pypi/')}=={source.version}", work)
    git = ["git", "-C", str(work)]
    # The commit alone: histories are long.
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run(
        [*git, "fetch", "--quiet", "--depth", "1", f"https://github.com/{source.name}", source.version], check=True
    )
    subprocess.run([*git, "checkout", "--quiet", "FETCH_HEAD"], check=True)
    return work


def keep_python(folder: Path, target: Path) -> None:
    """Copy the Python files and the notebooks of a folder, and write a script beside each notebook."""
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".py", ".ipynb") or file.is_symlink() or not file.is_file():
            continue
        if ".git" in file.relative_to(folder).parts or file.stat().st_size >= LARGEST:
            continue
        copy = part / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        if file.suffix == ".ipynb":
            script = cells(file.read_bytes())
            if script:
                copy.with_name(f"{copy.name}.py").write_text(script, "utf-8")
    part.rename(target)


def cells(notebook: bytes) -> str:
    """Return the code cells of a notebook as a script; what only IPython understands does nothing there."""
    try:
        found = json.loads(notebook)["cells"]
    except (ValueError, KeyError, TypeError):
        return ""
    parts = []
    for cell in found:
        text = "".join(cell.get("source", ""))
        if cell.get("cell_type") == "code" and not text.lstrip().startswith("%%"):
            parts.append("# %%\n" + "\n".join(_MAGIC.sub(r"\1pass  # \2", line) for line in text.split("\n")) + "\n")
    return "\n".join(parts)


# --- recording -------------------------------------------------------------------------------------------------------


def record(arguments: argparse.Namespace) -> None:
    """Lint what is there, and write down every candidate."""
    here = [source for source in sources() if (arguments.folder / source.folder).is_dir()]
    found: list[Candidate] = []
    with evidence.handed_on():
        for source in here:
            folder = arguments.folder / source.folder
            found += candidates(source.name, folder, linted(folder))
    write_candidates(arguments.folder / "candidates.jsonl", found)
    print(f"{len(found)} candidates in {len(here)} of {len(sources())} sources")


def linted(folder: Path) -> list[dict[str, Any]]:
    """Return what `jaxlint check` finds in a folder as one project, at any confidence, with evidence.

    Raises:
        SystemExit: the linter failed.
    """
    from jaxlint.doors.cli import main as jaxlint

    options = ["--isolated", "--no-cache", "--preview", "--min-confidence", "low", "--output-format", "json"]
    # Their scripts have the lines that a label is known by.
    options += ["--extend-exclude", "*.ipynb"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        # What hands on the evidence is in this process only.
        code = jaxlint(["check", *options, "--jobs", "1", "."])
    if code not in (0, 1, 2) or err.getvalue():
        sys.exit(f"{folder}: jaxlint check ended with {code}\n{err.getvalue()}")
    found: list[dict[str, Any]] = json.loads(out.getvalue())
    for finding in found:
        if finding["code"] == "JAX000":
            print(f"{folder}/{finding['filename']}: {finding['message']}", file=sys.stderr)
    return found


def candidates(repository: str, folder: Path, findings: Iterable[dict[str, Any]]) -> Iterator[Candidate]:
    """Yield a candidate for each finding of a rule, the first one of those that are known by the same."""
    seen: set[Key] = set()
    lines: dict[str, list[str]] = {}
    for finding in findings:
        path, line = Path(finding["filename"]).as_posix(), finding["location"]["row"]
        if finding["code"] in ("JAX000", "JAX001"):
            continue
        if path not in lines:
            lines[path] = (folder / path).read_text("utf-8", "replace").splitlines()
        text = lines[path][line - 1] if line <= len(lines[path]) else ""
        message, context, told = evidence.split(finding["message"])
        shown = path.removesuffix(".py") if path.endswith(".ipynb.py") else path
        candidate = Candidate(
            repository,
            shown,
            line,
            labels.line_digest(text),
            context,
            finding["code"],
            finding["confidence"],
            message,
            tuple(told),
            path,
        )
        if candidate.key not in seen:
            seen.add(candidate.key)
            yield candidate


def write_candidates(file: Path, found: Iterable[Candidate]) -> None:
    """Write candidates, one JSON object a line."""
    part = file.with_name(f".{file.name}.part")
    part.write_text("".join(json.dumps(asdict(candidate)) + "\n" for candidate in found), "utf-8")
    os.replace(part, file)


def read_candidates(file: Path) -> list[Candidate]:
    """Read what `write_candidates` wrote."""
    return [Candidate(**{**row, "evidence": tuple(row["evidence"])}) for row in labels.objects(file)]


# --- drawing ---------------------------------------------------------------------------------------------------------


def draw(arguments: argparse.Namespace) -> None:
    """Draw, and write sheets and the table of labels.

    What was drawn before stays, and so does its sheet: only repositories that nothing was drawn of are drawn from.
    """
    table = HERE / "labels.tsv"
    before = labels.read(table) if table.exists() else []
    known = {row.repository for row in before}
    found = read_candidates(arguments.folder / "candidates.jsonl")
    drawn = sample([item for item in found if item.repository not in known], arguments.size - len(before))
    write_sheets(drawn, arguments.folder)
    labels.write(table, [*before, *map(as_label, drawn)])
    print(f"{len(drawn)} drawn, {len(before) + len(drawn)} in all")


def as_label(candidate: Candidate) -> Label:
    """Return the label of a place that nobody has read."""
    return Label(
        candidate.repository,
        candidate.path,
        candidate.line,
        candidate.digest,
        candidate.context,
        candidate.code,
        labels.split_of(candidate.repository),
    )


def sample(found: Sequence[Candidate], size: int) -> list[Candidate]:
    """Draw candidates, of rules and confidences in turn, those that are shown by default first.

    Lines that are the same in several repositories are copies, of which one is enough.  The order depends on the
    candidates alone.
    """
    strata: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    copies: set[tuple[str, str, str]] = set()
    for candidate in sorted(found, key=lambda candidate: candidate.key.id):
        copy = (candidate.code, candidate.digest, candidate.context)
        if copy not in copies:
            copies.add(copy)
            strata[candidate.code, candidate.confidence].append(candidate)
    drawn: list[Candidate] = []
    taken: Counter[str] = Counter()
    alike: Counter[tuple[str, str]] = Counter()
    for shown_only, most, most_alike in PHASES:
        left = {
            stratum: [item for item in reversed(members) if item.shown or not shown_only]
            for stratum, members in sorted(strata.items())
        }
        chosen = set(drawn)
        while any(left.values()) and len(drawn) < size:
            for members in left.values():
                while members and len(drawn) < size:
                    candidate = members.pop()
                    rule = candidate.repository, candidate.code
                    if candidate not in chosen and taken[candidate.repository] < most and alike[rule] < most_alike:
                        drawn.append(candidate)
                        taken[candidate.repository] += 1
                        alike[rule] += 1
                        break
    return drawn


def write_sheets(drawn: Sequence[Candidate], folder: Path) -> None:
    """Write sheets of places without confidence and evidence, those to learn from first."""
    sheets = folder / "sheets"
    sheets.mkdir(parents=True, exist_ok=True)
    for split in labels.SPLITS:
        numbers = (
            number
            for number in itertools.count(FINAL_FROM if split == "final" else 0)
            if not (sheets / f"{number:02}.jsonl").exists()
        )
        here = [item for item in drawn if labels.split_of(item.repository) == split]
        for number, places in zip(numbers, dealt(here), strict=False):
            lines = [json.dumps(_place(candidate, folder)) + "\n" for candidate in places]
            (sheets / f"{number:02}.jsonl").write_text("".join(lines), "utf-8")


def dealt(drawn: Sequence[Candidate]) -> list[list[Candidate]]:
    """Deal places out to sheets, some of them to two."""
    shuffled = sorted(drawn, key=lambda candidate: _shuffled("deal", candidate))
    twice = sorted(drawn, key=lambda candidate: _shuffled("twice", candidate))[: round(len(drawn) * TWICE)]
    count = max(1, -(-(len(drawn) + len(twice)) // SHEET))
    sheet_of = {candidate.key: index % count for index, candidate in enumerate(shuffled)}
    sheets: list[list[Candidate]] = [[] for _ in range(count)]
    for candidate in shuffled:
        sheets[sheet_of[candidate.key]].append(candidate)
    for candidate in twice if count > 1 else []:
        others = [index for index in range(count) if index != sheet_of[candidate.key]]
        sheets[min(others, key=lambda index: len(sheets[index]))].append(candidate)
    return [
        sorted(sheet, key=lambda candidate, number=number: _shuffled(str(number), candidate))  # type: ignore[misc]
        for number, sheet in enumerate(sheets)
        if sheet
    ]


def _shuffled(seed: str, candidate: Candidate) -> bytes:
    return hashlib.sha256(f"{seed}\0{candidate.key.id}".encode()).digest()


def _place(candidate: Candidate, folder: Path) -> dict[str, Any]:
    code = folder.resolve() / candidate.repository.replace("/", "__")
    return {
        "id": candidate.key.id,
        "repository": candidate.repository,
        "path": str(code / candidate.linted),
        "line": candidate.line,
        "code": candidate.code,
        "message": candidate.message,
    }


# --- what readers said -----------------------------------------------------------------------------------------------


def merge(arguments: argparse.Namespace) -> None:
    """Take the answers into the table."""
    table = HERE / "labels.tsv"
    answers = {file.stem: labels.objects(file) for file in sorted((arguments.folder / "answers").glob("*.jsonl"))}
    rows = labels.merged(labels.read(table), answers)
    labels.write(table, rows)
    print(f"{sum(row.verdict != labels.UNREAD for row in rows)} of {len(rows)} are read, from {len(answers)} sheets")


def report(arguments: argparse.Namespace) -> None:
    """Write the page about the labels."""
    rows = labels.read(HERE / "labels.tsv")
    libraries = {source.name: source.kind == "library" for source in sources()}
    known = {
        candidate.key: Known(candidate.confidence, candidate.shown, libraries.get(candidate.repository, False))
        for candidate in read_candidates(arguments.folder / "candidates.jsonl")
    }
    text = labels.report(rows, known, libraries)
    (HERE / "labels.md").write_text(text, "utf-8", newline="\n")
    print(labels.agreement([row for row in rows if row.verdict != labels.UNREAD]))


def fit_weights(arguments: argparse.Namespace) -> None:
    """Fit, and print weights, the reliability of what they say, and whether they choose better than the linter."""
    examples = read_examples(arguments.folder)
    print(fit.table(examples))
    print(fit.comparison(examples))


def read_examples(folder: Path) -> list[fit.Example]:
    """Return the candidates that were read, with what was said of them."""
    rows = {row.key: row for row in labels.read(HERE / "labels.tsv") if row.verdict != labels.UNREAD}
    return [
        fit.Example(
            repository=candidate.repository,
            features=(f"rule={candidate.code}", *candidate.evidence),
            good=rows[candidate.key].verdict != "wrong",
            split=rows[candidate.key].split,
            right=rows[candidate.key].verdict == "right",
            level=candidate.confidence,
        )
        for candidate in read_candidates(folder / "candidates.jsonl")
        if candidate.key in rows
    ]


def calibrate(arguments: argparse.Namespace) -> None:
    """Write what confidences hold: the table that the linter takes its words from, and the page that shows it."""
    examples = read_examples(arguments.folder)
    table = calibration.measured(examples)
    calibration.write(table)
    print(calibration.page(table))


def measure_names(arguments: argparse.Namespace) -> None:
    """Print what names are worth, for `jaxlint/facts/jax_api/name_priors.py`."""
    folders = {source.name: source.folder for source in sources()}
    print(names.table(labels.read(HERE / "labels.tsv"), arguments.folder, folders))


ACTIONS = {
    "get": get,
    "record": record,
    "draw": draw,
    "merge": merge,
    "report": report,
    "fit": fit_weights,
    "names": measure_names,
    "calibrate": calibrate,
}

if __name__ == "__main__":
    main()
