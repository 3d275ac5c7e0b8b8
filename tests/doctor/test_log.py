"""The command `jaxlint log`: logs in, a report on what to change out."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from jaxlint.doctor import events
from jaxlint.doctor.logfile import LogReader
from tests.doctor import logs
from tests.doors.conftest import Project, project

__all__ = ["project"]

NEWEST = logs.VERSIONS[-1]


def copy(project: Project, name: str, folder: str = "") -> Path:
    """Put a recorded program where the log may find it, and its log beside it."""
    shutil.copy(logs.LOGS / f"jax-{NEWEST}" / f"{name}.log", project.folder / f"{name}.log")
    return project.write(f"{folder}{name}.py", (logs.PROGRAMS / f"{name}.py").read_bytes())


def report(project: Project, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
    outcome = project.run("log", "--output-format", "json", *arguments, stdin=stdin)
    assert (outcome.code, outcome.err) == (0, "")
    data: dict[str, Any] = json.loads(outcome.out)
    return data


# --- findings and events side by side --------------------------------------------------------------------------------

EXPLAINED: dict[str, list[tuple[str, int, str | None]]] = {
    "nested_function": [("redefined-function", 11, "JAX101")],
    "fresh_callables": [
        ("redefined-function", 13, "JAX102"),
        ("redefined-function", 17, "JAX103"),
        ("redefined-function", 21, "JAX104"),
    ],
    "bound_methods": [("redefined-function", 17, "JAX105"), ("static-value", 29, None)],
    "training": [("redefined-function", 33, "JAX101"), ("shape", 33, None)],
    "persistent_cache": [("redefined-function", 14, "JAX102")],
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_explains_a_miss(project: Project, name: str) -> None:
    copy(project, name)
    data = report(project, f"{name}.log")
    found = {
        (miss["cause"], miss["site"]["line"], next((f["code"] for f in miss["findings"]), None))
        for miss in data["misses"]
        if miss["cause"] != "new-function" and miss["count"] > miss["inner"]
    }
    # A later rule may explain what none does now.
    assert {(cause, line) for cause, line, _ in found} == {(cause, line) for cause, line, _ in EXPLAINED[name]}
    assert {entry for entry in EXPLAINED[name] if entry[2]} <= found
    for miss in data["misses"]:
        assert miss["site"]["file"] == f"{name}.py"
        assert bool(miss["advice"]) == (not miss["findings"] and miss["cause"] != "new-function")


def test_what_a_decorated_function_cost_is_told_at_its_decorator(project: Project) -> None:
    copy(project, "training")
    data = report(project, "training.log")
    (miss,) = [m for m in data["misses"] if m["cause"] == "redefined-function"]
    assert (miss["site"]["line"], miss["definition"]["line"]) == (33, 27)
    assert [finding["location"]["row"] for finding in miss["findings"]] == [27]


def test_a_loop_that_was_written_out_is_one_large_program(project: Project) -> None:
    program = (
        "import jax\n\n\n@jax.jit\ndef relax(field):\n    for _ in range(3000):\n        field = 0.9 * field + 0.1\n"
        "    return field\n"
    )
    project.write("relax.py", program)
    # What an inner frame is to a log: a line of a program that is there.
    site, definition = events.Frame("relax.py", 11, "<module>"), events.Frame("relax.py", 4, "relax")
    happened: list[events.Event] = [
        events.Start(),
        events.Miss(function="relax", definition=definition, text="  never seen function:", stack=(site,)),
        events.TraceEnd(function="relax", seconds=1.0, stack=(site,)),
        events.Lowering(program="relax", seconds=1.0, stack=(site,)),
        events.Compile(program="relax", seconds=2.0, stack=(site,)),
        events.Equations(
            program="relax",
            definition=definition,
            samples=(events.Sample(5700, "mul", (events.Frame("relax.py", 7, "relax"),)), events.Sample(300, "add")),
        ),
    ]
    project.write("run.jsonl", "".join(events.dumps(event) + "\n" for event in happened))
    data = report(project, "run.jsonl")
    (suggestion,) = data["suggestions"]
    assert suggestion["title"] == "relax is one large program of 6,000 equations"
    assert [finding["code"] for finding in suggestion["findings"]] == ["JAX301"]
    assert suggestion["saving"] == pytest.approx(4.0 * 5699 / 6000)  # one iteration stays
    (function,) = data["functions"]
    assert function["equations"] == 6000
    assert function["equations_by_line"][0] == {"file": "relax.py", "line": 7, "function": "relax", "count": 5700}


def test_the_files_of_a_run_are_linted_with_what_the_others_of_its_folder_do(project: Project) -> None:
    project.write("lib.py", "import jax\n\n\ndef scaled(x):\n    return jax.jit(lambda y: y * 2)(x)\n")
    project.write("app.py", "from lib import scaled\n\nfor _ in range(100):\n    scaled(2.0)\n")
    frames = (events.Frame("lib.py", 5, "scaled"), events.Frame("app.py", 4, "<module>"))
    miss = events.Miss(
        function="<lambda>",
        definition=events.Frame("lib.py", 5, "<lambda>"),
        text="  never seen function",
        stack=frames,
    )
    compiled = events.Compile(program="<lambda>", seconds=1.0, stack=frames)
    project.write("run.jsonl", "".join(events.dumps(event) + "\n" for event in [events.Start(), miss, compiled] * 3))

    def both() -> tuple[set[str], set[str]]:
        joined = report(project, "run.jsonl")
        explaining = [miss["findings"] for miss in joined["misses"]]
        checked = json.loads(project.run("check", "--output-format", "json").out)
        return {f["code"] for found in explaining for f in found}, {f["code"] for f in checked}

    assert both() == ({"JAX102"}, {"JAX102"})
    # Traced by its caller, it compiles nothing by itself.
    project.write("fast.py", "import jax\nfrom lib import scaled\n\nfast = jax.jit(scaled)\n")
    project.write("app.py", "from fast import fast\n\nfor turn in range(9):\n    fast(turn)\n")
    assert both() == (set(), set())


def test_operations_without_a_place_may_come_of_a_finding(project: Project) -> None:
    copy(project, "eager_tree_map")
    data = report(project, "eager_tree_map.log")
    (flood,) = data["floods"]
    assert (flood["site"], flood["compiles"]) == (None, 9)
    assert [f["code"] for f in data["suggestions"][0]["possible_findings"]] == ["JAX401"]
    # Nobody can say that it did not show.
    assert data["unused"] == []
    assert data["unattributed"]["programs"] == 9
    assert data["unattributed"]["share"] == pytest.approx(1 - 0.27, abs=0.1)


def test_findings_that_did_not_show_come_last(project: Project) -> None:
    file = copy(project, "nested_function")
    later = "\n\ndef never(x):\n    return jax.jit(lambda y: y + 1)(x)\n"
    file.write_text(file.read_text() + later)
    data = report(project, "nested_function.log")
    assert [finding["code"] for finding in data["unused"]] == ["JAX102"]
    text = project.run("log", "nested_function.log").out
    assert text.index("JAX101") < text.index("did not show in this run") < text.index("JAX102")


def test_suggestions_are_ranked_by_what_they_save(project: Project) -> None:
    for name in ("training", "varying_arguments"):
        copy(project, name)
    data = report(project, "training.log", "varying_arguments.log")
    savings = [suggestion["saving"] for suggestion in data["suggestions"]]
    assert savings == sorted(savings, reverse=True)
    assert all(suggestion["saving"] <= suggestion["seconds"] for suggestion in data["suggestions"])
    assert data["totals"]["processes"] == 2


# --- files -----------------------------------------------------------------------------------------------------------


def test_files_of_another_machine_are_found_by_the_end_of_their_path(project: Project) -> None:
    copy(project, "nested_function", "project/")
    data = report(project, "nested_function.log")
    assert {miss["site"]["file"] for miss in data["misses"]} == {"project/nested_function.py"}
    assert data["missing_files"] == []


def test_files_that_are_not_here_are_told(project: Project) -> None:
    copy(project, "nested_function").unlink()
    data = report(project, "nested_function.log")
    assert data["missing_files"] == [{"filename": "/home/user/project/nested_function.py", "reason": "it is not here"}]
    assert all(miss["findings"] == [] for miss in data["misses"])


def test_a_file_that_is_not_what_ran_is_not_linted(project: Project) -> None:
    copy(project, "nested_function").write_text("import jax\n" * 20)
    (missing,) = report(project, "nested_function.log")["missing_files"]
    assert "not what ran" in missing["reason"]


def test_the_shape_of_the_json(project: Project) -> None:
    copy(project, "persistent_cache")
    data = report(project, "persistent_cache.log")
    assert list(data)[:5] == ["functions", "misses", "floods", "unattributed", "totals"]
    function = next(f for f in data["functions"] if f["name"] == "<lambda>")
    assert {key: function[key] for key in ("file", "line", "traces", "trace_events", "compiles", "cache_loads")} == {
        "file": "persistent_cache.py",
        "line": 14,
        "traces": 3,
        "trace_events": 3,
        "compiles": 1,
        "cache_loads": 2,
    }
    assert {"trace_seconds", "lowering_seconds", "compile_seconds", "equations"} <= set(function)
    keys = {"site", "definition", "cause", "evidence", "count", "seconds", "findings"}
    assert all(keys <= set(miss) for miss in data["misses"])


# --- input -----------------------------------------------------------------------------------------------------------


def test_gzip_stdin_and_folders(project: Project) -> None:
    plain = logs.text("training", NEWEST).encode()
    whole = report(project, str(logs.LOGS / f"jax-{NEWEST}" / "training.log"))
    project.write("run.log.gz", gzip.compress(plain))
    assert report(project, "run.log.gz") == whole
    assert report(project, "-", stdin=plain) == whole
    assert report(project, "-", stdin=gzip.compress(plain)) == whole
    folder = str(logs.LOGS / f"jax-{NEWEST}")
    dumped = report(project, str(logs.LOGS / f"jax-{NEWEST}" / "unrolled_loop.log"), folder)
    assert [function["equations"] for function in dumped["functions"]] == [160]


def test_what_cannot_be_read_is_told_and_the_rest_is_read(project: Project) -> None:
    copy(project, "nested_function")
    project.write("cut.log.gz", gzip.compress(logs.text("training", NEWEST).encode())[:500])
    project.write("bad.eqn_count_pprof", b"nonsense")
    project.write("bad.jsonl", '{"event": "start"}\n{"event": "compile", "seconds": "long"}\n'.replace(": ", ":", 1))
    (project.folder / "empty").mkdir()
    names = ("missing.log", "cut.log.gz", "bad.eqn_count_pprof", "bad.jsonl", "empty")
    outcome = project.run("log", "nested_function.log", *names)
    assert outcome.code == 2
    assert "pairwise" in outcome.out
    for name in names:
        assert name in outcome.err
    assert "cut.log.gz: it ends early" in outcome.err
    assert "line 2: compile.seconds: 'long' has the wrong type" in outcome.err
    outcome = project.run("log", "missing.log")
    assert (outcome.code, outcome.out) == (2, "")


def test_strict(project: Project) -> None:
    copy(project, "nested_function")
    assert project.run("log", "--strict", "nested_function.log").code == 0
    project.write("new.log", logs.text("training", NEWEST) + "Finished tracing step after some time\n")
    outcome = project.run("log", "new.log")
    assert (outcome.code, outcome.err) == (0, "")
    number = logs.text("training", NEWEST).count("\n") + 1
    assert re.search(rf"1 line looks? like jax's.*\n\s*new\.log:{number}: Finished tracing step", outcome.out)
    outcome = project.run("log", "--strict", "new.log")
    assert outcome.code == 2
    assert f"new.log:{number}" in outcome.err


def test_a_log_without_jax(project: Project) -> None:
    project.write("other.log", "epoch 1\n" * 1000)
    outcome = project.run("log", "other.log")
    assert outcome.code == 0
    assert "JAX_LOG_COMPILES=1" in outcome.out
    assert "nothing was read" in outcome.err
    data = json.loads(project.run("log", "--output-format", "json", "other.log").out)
    assert (data["functions"], data["totals"]["compiles"], data["unattributed"]["share"]) == ([], 0, 0)


# --- text ------------------------------------------------------------------------------------------------------------


def test_text_for_pipes_is_plain(project: Project) -> None:
    copy(project, "varying_arguments")
    text = project.run("log", "varying_arguments.log").out
    assert "\x1b" not in text
    assert all(len(line) <= 100 for line in text.splitlines())
    for part in (
        "12 compiles of 3 functions",
        "varying_arguments.py:30:5: histogram was compiled again for a new static value, 2 times",
        "30 | histogram(values, bins=bins)",
        "bins: 16, before 8",
        "and at line 26",
        "jax.export with symbolic shapes saves traces, but not compilations",
        "[histogram/1] [histogram/2]",
    ):
        assert part in " ".join(text.split()), part


def test_a_terminal_gets_colours(project: Project) -> None:
    copy(project, "varying_arguments")
    colored = project.run("log", "--color", "always", "varying_arguments.log").out
    assert "\x1b[1m" in colored
    plain = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert "histogram was compiled again" in " ".join(plain.split())


def test_a_report_imports_little(project: Project) -> None:
    copy(project, "nested_function")
    code = (
        "import sys; from jaxlint.doors.cli import main; main(['log', 'nested_function.log']); "
        "print([m for m in ('rich', 'jax', 'flake8') if m in sys.modules])"
    )
    assert project.spawn("-c", code).out.endswith("[]\n")


# --- verify ----------------------------------------------------------------------------------------------------------


def verified(project: Project, *arguments: str) -> list[dict[str, Any]]:
    outcome = project.run("verify", "--output-format", "json", *arguments)
    assert (outcome.code, outcome.err) == (1, "")
    results: list[dict[str, Any]] = json.loads(outcome.out)["results"]
    return results


def test_a_run_confirms_findings(project: Project) -> None:
    file = copy(project, "training")
    file.write_text(file.read_text() + "\n\ndef never(x):\n    return jax.jit(lambda y: y + 1)(x)\n")
    results = verified(project, "--from-run", "training.log", "training.py")
    assert [(r["code"], r["verdict"], r["tier"], r["confidence"]) for r in results] == [
        ("JAX101", "confirmed", "observed", "high"),
        ("JAX102", "not-run", None, "medium"),
    ]
    assert results[1]["reason"] == "the run compiled nothing here that this finding would explain"
    evidence = results[0]["evidence"]
    assert (evidence["calls"], evidence["traces"], evidence["compiles"], evidence["cache_loads"]) == (
        "observed",
        [3],
        [3],
        [0],
    )
    assert re.fullmatch(r"3 compiles, [\d.]+ m?s in this run", results[0]["reason"])


def test_a_run_that_says_nothing_of_a_file_is_told_from_one_that_came_to_it(project: Project) -> None:
    copy(project, "training")
    project.write("other.py", "import jax\n\n\ndef never(x):\n    return jax.jit(lambda y: y + 1)(x)\n")
    (result,) = (r for r in verified(project, "--from-run", "training.log", "--fail-on", "any", "other.py"))
    assert (result["verdict"], result["reason"]) == (
        "not-run",
        "the run compiled nothing from this file and may not have reached it",
    )
    file = project.write("training.py", "import jax\n\n\ndef never(x):\n    return jax.jit(lambda y: y + 1)(x)\n" * 9)
    assert file.exists()
    results = verified(project, "--from-run", "training.log", "--fail-on", "any", "training.py")
    assert {r["reason"] for r in results} == {"training.py is not what ran: its functions are at other lines"}


def test_a_run_raises_what_is_otherwise_not_shown(project: Project) -> None:
    """In a function that runs once a compiled object is fine, unless a run shows that it is not."""
    file = copy(project, "nested_function")
    once = file.read_text().replace("for _ in range(3):\n    energy(", "energy(").replace("energy(", "setup_energy(")
    file.write_text(once)
    project.write("nested_function.log", logs.text("nested_function", NEWEST).replace("(energy)", "(setup_energy)"))
    assert project.json("nested_function.py").findings == []
    (result,) = verified(project, "--from-run", "nested_function.log")
    assert (result["code"], result["confidence"]) == ("JAX101", "high")
    assert result["reason"].startswith("3 calls, 3 compiles, ")


def test_verify_takes_a_recording_and_says_what_it_cannot_read(project: Project) -> None:
    copy(project, "nested_function")
    project.write("broken.jsonl", '{"event":"compile","seconds":"long"}\n')
    outcome = project.run("verify", "--from-run", "broken.jsonl")
    assert (outcome.code, outcome.out) == (2, "")
    assert "broken.jsonl: line 1" in outcome.err
    assert project.run("verify", "--from-run", "nested_function.log", "--fix").code == 2
    assert project.run("verify", "--from-run", "nested_function.log", "--fail-on", "never").code == 0


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_bar_is_for_terminals_and_large_files() -> None:
    from jaxlint.doors.cli.log import Progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    bar = Progress(100_000_000, shown)
    bar.more(50_000_000)
    assert " 50% of 100 MB" in shown.getvalue()
    bar.end()
    assert shown.getvalue().endswith("\r\x1b[K")
    for out, size in ((io.StringIO(), 100_000_000), (Terminal(), 1000)):
        silent = Progress(size, out)
        silent.more(500)
        silent.end()
        assert out.getvalue() == ""


def test_what_was_read_before_ctrl_c_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    copy(project, "nested_function")

    read = LogReader.read

    def interrupted(reader: LogReader, stream: BinaryIO) -> Iterator[events.Event]:
        yield from read(reader, stream)
        raise KeyboardInterrupt

    monkeypatch.setattr(LogReader, "read", interrupted)
    outcome = project.run("log", "nested_function.log")
    assert outcome.code == 130
    assert "pairwise was compiled again" in outcome.out


def test_thousands_of_arguments_and_long_values_are_clipped(project: Project) -> None:
    long = "x" * 100_000
    miss = events.Miss(
        function="f",
        definition=events.Frame("/nowhere/a.py", 1, "f"),
        text=f"  for f defined at /nowhere/a.py:1\n  different input pytree:\n  * at input path [0][0], now {long} and "
        f"before {long}y, so they differ",
    )
    begun = events.LoweringBegin(program="f", types="(" + "ShapedArray(float32[8,8]), " * 5000 + ")")
    happened = [events.Start(), miss, begun, events.Compile(program="f", seconds=1.0)]
    project.write("r.jsonl", "".join(events.dumps(event) + "\n" for event in happened))
    outcome = project.run("log", "--output-format", "json", "r.jsonl")
    assert len(outcome.out) < 20_000
