"""The report on a run for people: what to change, the largest saving first, then tables.

Plain text goes to pipes and files.  A terminal gets the same in colours, in lines that fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from jaxlint import terminal
from jaxlint.doctor import advice
from jaxlint.doctor.join import Joined
from jaxlint.doctor.model import Cost, Function, Model
from jaxlint.doctor.suggestions import Suggestion
from jaxlint.doctor.visible import visible

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.doctor.events import Frame

ROWS = 15
WIDTH = 100
_FILES = 5
_DIVERGENCES = 5
_NAMED = 4


@dataclass(frozen=True)
class Notes:
    """What reading the events came with: see `logfile.LogReader`."""

    lines: int = 0
    passed_over: int = 0
    cut: int = 0


def write(joined: Joined, out: TextIO, *, color: bool = False, notes: Notes | None = None) -> None:
    """Write the report."""
    writer = _Colored(out) if color else _Plain(out)
    model = joined.model
    writer.heading(_overview(model))
    if not model.functions:
        writer.text("There is no trace, lowering or compile.  JAX_LOG_COMPILES=1 makes jax log them, and")
        writer.text("JAX_EXPLAIN_CACHE_MISSES=1 why; `jaxlint run` needs neither.")
    _write_divergences(joined, writer)
    _write_suggestions(joined, writer)
    if model.functions:
        writer.heading("Functions")
        writer.table(("seconds", "traces", "compiles", "loads", "equations", "function"), list(_functions(joined)))
    phases = list(_phases(model))
    if phases:
        writer.heading("XLA's stages")
        writer.table(("seconds", "times", "stage"), phases)
    for line in _remarks(joined, notes or Notes()):
        writer.text(line)
    _write_unused(joined, writer)


def _overview(model: Model) -> str:
    totals = model.totals
    cost = totals.cost
    functions = sum(not f.eager for f in model.functions if f.compiles or f.cache_loads)
    parts = [f"{_count(totals.compiles, 'compile')} of {_count(functions, 'function')}"]
    operations = sum(f.compiles + f.cache_loads for f in model.functions if f.eager)
    if operations:
        parts.append(f"{operations} of them of single operations")
    if totals.cache_loads:
        parts.append(f"{_count(totals.cache_loads, 'load')} from the persistent cache")
    text = ", ".join(parts)
    text += f": {seconds(cost.total)} (tracing {seconds(cost.trace)}, lowering {seconds(cost.lowering)}, "
    text += f"XLA {seconds(cost.compile)})"
    if totals.wall:
        text += f" of {seconds(totals.wall)}"
    if totals.processes > 1:
        text += f", in {totals.processes} processes"
    if cost.total:
        text += f"; {model.attributed:.0%} of it is known by line"
    return text + "."


def _write_divergences(joined: Joined, writer: _Plain) -> None:
    found = joined.model.divergences
    if not found:
        return
    writer.heading("Not all processes compiled the same, which is the usual cause of a hang")
    for one in found[:_DIVERGENCES]:
        where = f" at {place(one.site, joined)}" if one.site is not None else ""
        types = f" for {one.types[:200]}" if one.types else ""
        counts = sorted(one.counts.items(), key=lambda item: (len(item[1]), item[0]))
        told = "; ".join(f"{_times(number)} in {_some(names)}" for number, names in counts)
        writer.text(f"  {one.name}{where}{types}: {told}")
    if len(found) > _DIVERGENCES:
        writer.text(f"  and {len(found) - _DIVERGENCES} more programs")


def _times(number: int) -> str:
    return "never" if number == 0 else "once" if number == 1 else f"{number} times"


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{len(names)} processes ({shown}, ...)"


def _write_suggestions(joined: Joined, writer: _Plain) -> None:
    if not joined.suggestions:
        if joined.model.functions:
            writer.heading("Nothing was compiled twice, and nothing ran operation by operation.")
        return
    shown = joined.shown
    if shown:
        writer.heading("What to change, the largest saving first")
        for number, suggestion in enumerate(shown, 1):
            writer.suggestion(number, suggestion, joined)
    else:
        writer.heading(nothing(joined))
    rest, told = joined.rest, joined.costly
    if told:
        writer.heading("What costs much and would save little")
    for suggestion in told:
        where, cost = place(suggestion.site, joined), seconds(suggestion.seconds)
        writer.text(f"  {where}: {suggestion.title}; {cost}, {_why_not(suggestion)}")
    if len(rest) > len(told):
        saved = seconds(sum(max(suggestion.worth, 0.0) for suggestion in rest[len(told) :]))
        writer.text(f"and {len(rest) - len(told)} smaller, which would save up to {saved} together")


def nothing(joined: Joined) -> str:
    """Say that nothing is worth a change, and what the seconds are."""
    model = joined.model
    total = model.totals.cost.total
    first = total - sum(max(suggestion.worth, 0.0) for suggestion in joined.suggestions)
    names = [function.key.name for function in model.functions if function.compiles or function.cache_loads]
    most = f", most of them of {' and '.join(dict.fromkeys(names[:2]))}" if names else ""
    text = f"Nothing here is worth changing: {seconds(first)} of {seconds(total)} are first compiles{most}."
    return text if model.totals.persistent or model.totals.cache_loads else f"{text}  {advice.PERSISTENT}"


def _why_not(suggestion: Suggestion) -> str:
    if suggestion.tried is not None:
        return _saving(suggestion)
    if suggestion.obstacle:
        return f"but {suggestion.obstacle}"
    return f"of which up to {seconds(suggestion.saving)} could be saved"


def _write_unused(joined: Joined, writer: _Plain) -> None:
    if joined.unused:
        writer.heading(f"{_count(len(joined.unused), 'finding')} in these files did not show in this run")
        for diagnostic in joined.unused[:ROWS]:
            writer.text(f"  {_at(diagnostic, joined)}: {diagnostic.code} {diagnostic.name}")
        if len(joined.unused) > ROWS:
            writer.text(f"  and {len(joined.unused) - ROWS} more, which `jaxlint check` shows")


def _functions(joined: Joined) -> Iterator[tuple[str, ...]]:
    functions = [f for f in joined.model.functions if f.compiles or f.cache_loads or f.traces or f.cost.total]
    for function in functions[:ROWS]:
        yield (
            seconds(function.cost.total),
            "-" if function.traces is None else str(function.traces),
            str(function.compiles),
            str(function.cache_loads),
            "-" if function.equations is None else f"{function.equations:,}",
            _named(function, joined),
        )
    rest = functions[ROWS:]
    if rest:
        yield (
            seconds(sum(f.cost.total for f in rest)),
            str(sum(f.traces or 0 for f in rest)),
            str(sum(f.compiles for f in rest)),
            str(sum(f.cache_loads for f in rest)),
            "",
            f"{len(rest)} more",
        )


def _named(function: Function, joined: Joined) -> str:
    if function.key.file:
        key = function.key
        return f"{key.name} ({joined.sources.name(key.file)}:{joined.sources.spot(key.file, key.line)})"
    return f"{function.key.name} (an operation)" if function.eager else function.key.name


def _phases(model: Model) -> Iterator[tuple[str, ...]]:
    for stage, (count, total) in sorted(model.totals.stages.items(), key=lambda item: -item[1][1]):
        yield seconds(total), str(count), stage


def _remarks(joined: Joined, notes: Notes) -> Iterator[str]:
    model = joined.model
    totals = model.totals
    stages = totals.stages
    whole, passes = stages.get("END_TO_END", (0, 0.0))[1], stages.get("HLO_PASSES", (0, 0.0))[1]
    if whole >= 1 and passes > whole / 2:
        yield (
            "HLO_PASSES took more than half of XLA's time: programs are large, as of Python loops that were written "
            "out.  JAX_DUMP_IR_MODES=eqn_count_pprof counts their equations by line; give the folder to `jaxlint log`."
        )
    for name, count in totals.slow_compiles.most_common(3):
        yield f"XLA's alarm of a very slow compile: {name}, {count}x"
    if totals.fingerprints > totals.compiles / 2 and totals.fingerprints >= 10:
        yield (
            f"XLA logged {totals.fingerprints} executables.  Many that are named after operations mean that code runs "
            "outside of jax.jit."
        )
    if totals.persistent:
        told = ", ".join(f"{count} {_OUTCOMES[outcome]}" for outcome, count in sorted(totals.persistent.items()))
        yield f"Persistent cache: {told}.  A load saves the compile, not the trace."
    for reason, (count, cost) in model.unattributed.items():
        if cost.total >= 0.005 * totals.cost.total or count >= 10:
            yield f"Not known by line: {seconds(cost.total)} in {_count(count, 'program')}: {reason}."
    missing = list(joined.sources.missing.items())
    for file, reason in missing[:_FILES]:
        yield f"{file}: not shown, and not linted: {reason}."
    if len(missing) > _FILES:
        yield f"and {len(missing) - _FILES} more files that are not here or not what ran"
    yield from joined.errors
    if notes.cut:
        yield f"{_count(notes.cut, 'record')} of cache misses were cut: the log lacks a part of them."
    if model.unknown:
        verb = "looks" if model.unknown == 1 else "look"
        yield f"{_count(model.unknown, 'line')} {verb} like jax's or XLA's and could not be understood, such as:"
        for example in model.unknown_examples[:3]:
            yield f"  {example.file}:{example.number}: {example.text[:160]}"


_OUTCOMES = {"hit": "hits", "miss": "misses", "write": "writes", "skipped": "programs not kept"}


def finding_line(diagnostic: Diagnostic, joined: Joined) -> str:
    """Return one line on a finding that explains something."""
    return f"{_at(diagnostic, joined)}: {diagnostic.code} {diagnostic.message}"


def fix_line(diagnostic: Diagnostic) -> str | None:
    """Return what fixes a finding; None where no fix is known."""
    if not diagnostic.fixes:
        return None
    from jaxlint.finding import Confidence
    from jaxlint.rules import rules

    fix = diagnostic.fixes[0]
    if fix.applicability.value not in ("safe", "unsafe"):
        return f"{fix.message} (by hand)"
    command = "jaxlint check --fix" + " --unsafe-fixes" * (fix.applicability.value == "unsafe")
    # Only what `check` shows is fixed.
    command += " --preview" * rules()[diagnostic.code].preview
    command += " --min-confidence low" * (diagnostic.confidence < Confidence.MEDIUM)
    return f"{fix.message} (`{command}` does it)"


def _at(diagnostic: Diagnostic, joined: Joined) -> str:
    row = joined.sources.spot(diagnostic.filename, diagnostic.location.row)
    return f"{diagnostic.filename}:{row}:{diagnostic.location.column}"


def place(site: Frame | None, joined: Joined) -> str:
    """Return a place as reports show it, the column 1-based."""
    if site is None:
        return "(no line is known)"
    column = joined.sources.column(site)
    return f"{joined.sources.name(site.file)}:{joined.sources.spot(site.file, site.line)}" + (
        f":{column}" if column is not None else ""
    )


def seconds(number: float) -> str:
    """Return a duration as people read it."""
    if number >= 100:
        return f"{number:,.0f} s"
    return f"{number:.1f} s" if number >= 10 else f"{number:.2f} s" if number >= 0.095 else f"{number * 1e3:.0f} ms"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _cost(cost: Cost) -> str:
    return f"tracing {seconds(cost.trace)}, lowering {seconds(cost.lowering)}, XLA {seconds(cost.compile)}"


def _details(suggestion: Suggestion, joined: Joined) -> Iterator[tuple[str, str]]:
    """Yield the lines below a suggestion's title, each with its kind."""
    tried = suggestion.tried
    if tried is not None:
        yield (
            "fact",
            (
                f"tried: {tried.failure}"
                if tried.failure
                else f"tried: {tried.programs_before} programs became {tried.programs_after}, "
                f"{seconds(tried.seconds_before)} became {seconds(tried.seconds_after)}"
            ),
        )
    idents = [ident for group in suggestion.misses for ident in group.ids]
    yield "cost", _cost(suggestion.cost) + (f"; {' '.join(idents[:4])}" if idents else "")
    site = suggestion.site
    if site is not None:
        line = joined.sources.line(site)
        if line:
            yield "code", f"{joined.sources.spot(site.file, site.line)} | {line}"
    others = suggestion.other_sites
    if others:
        named = f"{joined.sources.name(others[0].file)}:" if site is None or others[0].file != site.file else "line "
        rows = ", ".join(
            joined.sources.spot(other.file, other.line) if other.file == others[0].file else place(other, joined)
            for other in others[:6]
        )
        yield "fact", f"and at {named}{rows}" + (f" and {len(others) - 6} more lines" if len(others) > 6 else "")
    for fact in suggestion.facts[:4]:
        yield "fact", fact
    for diagnostic in suggestion.findings[:2]:
        yield "finding", finding_line(diagnostic, joined)
        fix = fix_line(diagnostic)
        if fix is not None:
            yield "fix", f"fix: {fix}"
    for diagnostic in suggestion.possible[:3]:
        yield "finding", f"may come of {_at(diagnostic, joined)}: {diagnostic.code} {diagnostic.name}"
    if tried is not None and tried.failure:
        yield "advice", "It cannot be compiled as it is: what needs values, or acts, has to move out of it first."
    elif not suggestion.findings or (suggestion.root is not None and suggestion.root.kind in ("function", "call")):
        yield "advice", suggestion.advice


def _saving(suggestion: Suggestion) -> str:
    tried = suggestion.tried
    if tried is not None:
        if tried.failure:
            return "tried, and it failed"
        saved = tried.saved
        return f"tried: saves {seconds(saved)}" if saved > 0 else f"tried: costs {seconds(-saved)} more"
    if suggestion.saving < 0.0005:
        return "saves a part of its seconds" if suggestion.seconds >= 0.0005 else "saves next to nothing here"
    return f"saves up to {seconds(suggestion.saving)}"


class _Plain:
    """Writes text without any escape sequence."""

    width = WIDTH

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = False

    def styled(self, text: str, *styles: str) -> str:  # noqa: ARG002  (for those who know styles)
        """Return a text in some styles."""
        return text

    def heading(self, text: str) -> None:
        """Write a line that begins a part."""
        self._out.write("\n" if self._begun else "")
        self.text(text, styles=(terminal.BOLD,))
        self._begun = True

    def text(self, text: str, indent: str = "", styles: Sequence[str] = ()) -> None:
        """Write a paragraph; blanks that it starts with indent all its lines."""
        text = visible(text)
        first = indent + " " * (len(text) - len(text.lstrip(" ")))
        for line in terminal.wrapped(text.strip(), first, width=self.width):
            self._out.write(self.styled(line, *styles) + "\n")

    def suggestion(self, number: int, suggestion: Suggestion, joined: Joined) -> None:
        """Write what to change, with its details."""
        self._out.write("\n")
        self._title(number, place(suggestion.site, joined), suggestion.title, _saving(suggestion))
        for kind, text in _details(suggestion, joined):
            if kind in ("code", "cost"):
                self._out.write(f"   {self.styled(visible(text), *_STYLES[kind])}\n")
            else:
                self.text(text, "   ", _STYLES[kind])

    def _title(self, number: int, where: str, title: str, saving: str) -> None:
        self.text(f"{number}. {where}: {title}; {saving}")

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write lines below a header; the last column is text, the others are numbers."""
        rows = [[visible(cell) for cell in row] for row in rows]
        widths = [max(len(row[number]) for row in (header, *rows)) for number in range(len(header))]
        for row in (header, *rows):
            cells = [
                cell if number == len(row) - 1 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            line = "  ".join(cells).rstrip()
            self._out.write((self.styled(line, terminal.BOLD) if row is header else line) + "\n")


_STYLES: dict[str, tuple[str, ...]] = {
    "cost": (terminal.DIM,),
    "code": (terminal.CYAN,),
    "fact": (),
    "finding": (terminal.YELLOW,),
    "fix": (terminal.GREEN,),
    "advice": (terminal.GREEN,),
}


class _Colored(_Plain):
    """Writes with colours, as wide as the terminal."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(out)
        self.width = terminal.columns()

    def styled(self, text: str, *styles: str) -> str:
        """Return a text in some styles."""
        return terminal.styled(text, *styles)

    def _title(self, number: int, where: str, title: str, saving: str) -> None:
        # Lines are broken by what is seen; then the place and the saving stand out, where they are whole on a line.
        where, saving = visible(where), visible(saving)
        for line in terminal.wrapped(f"{number}. {where}: {visible(title)}; {saving}", width=self.width):
            shown = line.replace(where, self.styled(where, terminal.BOLD, terminal.CYAN), 1)
            if shown.endswith(saving):
                shown = shown.removesuffix(saving) + self.styled(saving, terminal.BOLD, terminal.RED)
            self._out.write(shown + "\n")
