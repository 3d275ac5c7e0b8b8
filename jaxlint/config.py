"""The configuration: `[tool.jaxlint]` of a pyproject.toml, jaxlint.toml, and what the command line lays over them.

Every key is one line of `OPTIONS`, which `jaxlint config` and the documentation print as well.  A key, a code or a
value that is not known is an error that names the nearest known one, never a setting without effect.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from jaxlint.finding import Confidence
from jaxlint.hints import did_you_mean
from jaxlint.line_length import configured
from jaxlint.patterns import Patterns, is_valid, relative_path
from jaxlint.settings import RUN_ONCE_FUNCTIONS, Settings

FILE_NAMES = (".jaxlint.toml", "jaxlint.toml", "pyproject.toml")
"""The names of configuration files; in one folder, the first wins."""

DEFAULT_EXCLUDE = (
    "__pycache__",
    "__pypackages__",
    ".#*",
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""What a walk through a folder skips, unless `exclude` says otherwise; `.#*` are locks that editors leave."""


_T = TypeVar("_T")


class ConfigError(Exception):
    """The configuration or an option cannot be used; the text says where, why, and what may have been meant."""


@dataclass(frozen=True)
class Config:
    """All that is configured for the files of a folder: the core's settings, and what only doors need."""

    settings: Settings = field(default_factory=Settings)
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    verify_examples: tuple[tuple[Patterns, str], ...] = ()
    exclude: tuple[Patterns, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    fixable: tuple[str, ...] = ("JAX",)
    unfixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    baseline: str | None = None
    """The absolute path of the file of known findings."""
    observed: str | None = None
    """The absolute path of the file that runs leave their evidence in; None for the one in the cache folder."""
    source_links: str = ""
    """What a line of source is linked to on pages: `vscode`, `github`, or an address with `{path}` and `{line}`."""
    noqa: bool = True
    """Whether `noqa` comments hide findings."""
    root: str = field(default_factory=os.getcwd)
    """The folder that files are named after: that of the configuration file, else the current one."""
    file: str | None = None
    warnings: tuple[str, ...] = ()

    def name_of(self, path: str) -> str:
        """Return the name that the core knows a file by: from `root` on, so that no door and no folder changes it.

        Args:
            path: an absolute path, or anything that is no path (`<stdin>`).
        """
        return relative_path(path, self.root) or path

    def ignored(self, path: str) -> tuple[str, ...]:
        """Return the codes and prefixes that `per-file-ignores` hides in the file at an absolute path."""
        return tuple(code for patterns, codes in self.per_file_ignores if _matches(patterns, path) for code in codes)

    def fixes(self, code: str) -> bool:
        """Tell whether findings of this code may be fixed; the longer prefix wins, and `unfixable` on a tie."""
        wanted = max((len(prefix) for prefix in self.fixable if code.startswith(prefix)), default=-1)
        return wanted > max((len(prefix) for prefix in self.unfixable if code.startswith(prefix)), default=-1)

    def examples(self, path: str) -> str | None:
        """Return the absolute path of the file that gives examples for the file at an absolute path, if one does."""
        return next((file for patterns, file in self.verify_examples if _matches(patterns, path)), None)

    def values(self) -> dict[str, Any]:
        """Return the value in force of each key of `OPTIONS`, made of what JSON has too."""
        values: dict[str, Any] = {}
        for key in OPTIONS:
            name = key.replace("-", "_")
            value = getattr(self.settings if hasattr(self.settings, name) else self, name, None)
            if isinstance(value, Confidence):
                value = value.label
            values[key] = value
        values["per-file-ignores"] = {patterns.lines[0]: codes for patterns, codes in self.per_file_ignores}
        values["verify"] = {"examples": {patterns.lines[0]: file for patterns, file in self.verify_examples}}
        values["exclude"] = [line for patterns in self.exclude for line in patterns.lines]
        values["baseline"] = self.baseline or ""
        values["observed"] = self.observed or ""
        # They are in `exclude` by now.
        del values["extend-exclude"]
        return values


def _matches(patterns: Patterns, path: str) -> bool:
    if len(patterns.lines) == 1 and patterns.lines[0].startswith("!"):
        # On its own it can take nothing back, so it represents all other files, as elsewhere in the field.
        return not Patterns(patterns.root, (patterns.lines[0][1:],)).match(path)
    return patterns.match(path)


# --- options ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """One key of the configuration."""

    key: str
    type: str
    """What values look like, for readers."""
    default: str
    """The default as TOML."""
    help: str
    example: str
    parse: Callable[[Any, str], Any]
    """Checks a TOML value and gives what is stored; takes the value and where it is, raises `ConfigError`."""


def parse_codes(value: Any, where: str) -> tuple[str, ...]:
    """Check a list of codes and prefixes.

    Raises:
        ConfigError: it is no list of strings, or a code is the start of no rule's.
    """
    from jaxlint.rules import rules

    known = rules()
    codes: list[str] = []
    for code in _strings(value, where):
        codes += _every_code() if code == "ALL" else [code]
    for code in codes:
        if not code or not any(rule.startswith(code) for rule in known):
            raise ConfigError(f"{where}: no rule's code starts with {code!r}; {_code_meant(code)}")
    return tuple(codes)


def _every_code() -> list[str]:
    """Return prefixes that name all rules, those that are off by default too."""
    from jaxlint.rules import rules

    return sorted({code[:4] for code in rules()})


def _code_meant(text: str) -> str:
    from jaxlint.rules import rules

    known = rules()
    names = {rule.name: rule.code for rule in known.values()}
    if text in names:
        return f"did you mean {names[text]!r}?"
    prefixes = {code[:length] for code in known for length in (3, 4)}
    return did_you_mean(text, [*known, *sorted(prefixes)], "`jaxlint rule --all` lists all")


def parse_per_file_ignores(value: Any, where: str) -> dict[str, tuple[str, ...]]:
    """Check a table from path patterns to codes.

    Raises:
        ConfigError: it is no such table, or holds a code that `parse_codes` refuses.
    """
    table = _table(value, where)
    return {
        pattern: parse_codes(codes, f"{where}.{pattern!r}") for pattern, codes in table.items() if _glob(pattern, where)
    }


def parse_verify(value: Any, where: str) -> dict[str, str]:
    """Check the table of `jaxlint verify`, and return what gives the examples for which files.

    Raises:
        ConfigError: a key is not known, or a value is no table from path patterns to files.
    """
    table = _table(value, where)
    for key in table:
        if key != "examples":
            raise ConfigError(f"{where}: unknown key {key!r}; {_meant(key, ('examples',))}")
    here = f"{where}.examples"
    files = _table(table.get("examples", {}), here)
    for pattern, file in files.items():
        _glob(pattern, here)
        if not isinstance(file, str):
            raise ConfigError(f"{here}.{pattern!r}: {_shown(file)} must be a string")
    return files


def parse_patterns(value: Any, where: str) -> tuple[str, ...]:
    """Check a list of path patterns.

    Raises:
        ConfigError: it is no list of strings, or a string is no pattern.
    """
    return tuple(pattern for pattern in _strings(value, where) if _glob(pattern, where))


def parse_confidence(value: Any, where: str) -> Confidence:
    """Check the name of a confidence.

    Raises:
        ConfigError: it is none.
    """
    for confidence in Confidence:
        if confidence.label == value:
            return confidence
    raise ConfigError(f"{where}: {_shown(value)} is none of 'low', 'medium', 'high'")


def parse_count(value: Any, where: str) -> int:
    """Check a whole number above zero.

    Raises:
        ConfigError: it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"{where} must be a whole number above zero, not {value!r}")
    return value


def parse_path(value: Any, where: str) -> str:
    """Check the path of a file; the empty one represents none.

    Raises:
        ConfigError: it is no string.
    """
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {_shown(value)} must be a string")
    return value


def parse_links(value: Any, where: str) -> str:
    """Check what lines of source are linked to.

    Raises:
        ConfigError: it is neither a known word nor an address with both of its parts.
    """
    if value in ("", "vscode", "github"):
        return str(value)
    if not isinstance(value, str) or not all(part in value for part in ("{path}", "{line}", ":")):
        raise ConfigError(
            f"{where}: {_shown(value)} is none of 'vscode', 'github', an address with {{path}} and {{line}}"
        )
    return value


def parse_wrappers(value: Any, where: str) -> dict[str, dict[str, Any]]:
    """Check the lines that are added to the table of wrappers.

    Raises:
        ConfigError: a column or its value is not known.
    """
    from jaxlint.facts.jax_api import wrappers

    rows: dict[str, dict[str, Any]] = {}
    for name, columns in _table(value, where).items():
        here = f'{where}."{name}"'
        rows[name] = _table(columns, here)
        for column, cell in rows[name].items():
            if column not in wrappers.COLUMNS:
                raise ConfigError(f"{here}: unknown key {column!r}; {_meant(column, wrappers.COLUMNS)}")
            wanted, holds = _WRAPPER_CELLS.get(column, _TEXT)
            if not holds(cell):
                raise ConfigError(f"{here}.{column}: {_shown(cell)} must be {wanted}")
    try:
        wrappers.table(Settings(wrappers=rows))
    except wrappers.WrapperError as error:
        raise ConfigError(f"{where}: {error}") from error
    return rows


def _list_of(*kinds: type) -> Callable[[Any], bool]:
    # Not by isinstance, for which a truth value is a number.
    return lambda cell: isinstance(cell, list) and all(type(item) in kinds for item in cell)


_TEXT: tuple[str, Callable[[Any], bool]] = ("a string", lambda cell: isinstance(cell, str))
_WRAPPER_CELLS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "traces": ("a list of numbers and strings", _list_of(int, str)),
    "static": ("a list of strings", _list_of(str)),
    "stages": ("true or false", lambda cell: isinstance(cell, bool)),
    "hides": ("true or false", lambda cell: isinstance(cell, bool)),
    "maps": ("true or false", lambda cell: isinstance(cell, bool)),
}


def parse_names(value: Any, where: str) -> tuple[str, ...]:
    """Check a list of patterns for names.

    Raises:
        ConfigError: it is no list of strings.
    """
    return tuple(_strings(value, where))


def parse_flag(value: Any, where: str) -> bool:
    """Check a truth value.

    Raises:
        ConfigError: it is none.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{where}: {_shown(value)} must be true or false")
    return value


def _toml_list(values: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


OPTIONS: Mapping[str, Option] = {
    option.key: option
    for option in (
        Option(
            "select",
            "list of codes",
            '["JAX"]',
            "The rules that run, by code or prefix of a code. A rule that is off by default runs only if more than "
            "`JAX` of its code is given. If both `select` and `ignore` name a rule, the longer prefix wins, and "
            "`ignore` if they are equally long.",
            'select = ["JAX1", "JAX403"]',
            parse_codes,
        ),
        Option(
            "ignore",
            "list of codes",
            "[]",
            "The rules that do not run, by code or prefix of a code. JAX000 cannot be ignored.",
            'ignore = ["JAX105"]',
            parse_codes,
        ),
        Option(
            "extend-select",
            "list of codes",
            "[]",
            "Rules that run in addition to those of `select`.",
            'extend-select = ["JAX403"]',
            parse_codes,
        ),
        Option(
            "extend-ignore",
            "list of codes",
            "[]",
            "Rules that do not run, in addition to those of `ignore`.",
            'extend-ignore = ["JAX105"]',
            parse_codes,
        ),
        Option(
            "per-file-ignores",
            "table from path patterns to lists of codes",
            "{}",
            "The rules whose findings are hidden in matching files. A pattern that starts with `!` matches all files "
            "that the rest of it does not match.",
            '[tool.jaxlint.per-file-ignores]\n"benchmarks/" = ["JAX1"]',
            parse_per_file_ignores,
        ),
        Option(
            "min-confidence",
            "`low`, `medium` or `high`",
            '"medium"',
            "The lowest confidence that is reported.",
            'min-confidence = "high"',
            parse_confidence,
        ),
        Option(
            "preview",
            "true or false",
            "false",
            "Whether rules in preview run, which are still being evaluated on real code.",
            "preview = true",
            parse_flag,
        ),
        Option(
            "fixable",
            "list of codes",
            '["JAX"]',
            "The rules whose fixes are offered and applied, by code or prefix of a code.",
            'fixable = ["JAX1"]',
            parse_codes,
        ),
        Option(
            "unfixable",
            "list of codes",
            "[]",
            "The rules whose fixes are neither offered nor applied. If both `fixable` and `unfixable` name a rule, "
            "the longer prefix wins, and `unfixable` if they are equally long.",
            'unfixable = ["JAX401"]',
            parse_codes,
        ),
        Option(
            "unsafe-fixes",
            "true or false",
            "false",
            "Whether `--fix` also applies unsafe fixes.",
            "unsafe-fixes = true",
            parse_flag,
        ),
        Option(
            "baseline",
            "path of a file",
            '""',
            "A file of known findings, which are not reported, as `jaxlint check --write-baseline` writes it; "
            "relative to the configuration file. Empty: none.",
            'baseline = "jaxlint-baseline.json"',
            parse_path,
        ),
        Option(
            "observed",
            "path of a file",
            '""',
            "The file in which `jaxlint run` records what it saw of each function, for `check` and flake8, which use "
            "it while the source of the function is the same; relative to the configuration file. Name one to commit "
            "it. Empty: a file in the cache folder.",
            'observed = "jaxlint-observed.json"',
            parse_path,
        ),
        Option(
            "source-links",
            "`vscode`, `github` or an address with `{path}` and `{line}`",
            '""',
            "Where the source lines on the page of `jaxlint run --report` and `jaxlint log --report` link to: the "
            "editor, the repository of the remote `origin` at the current commit, or any address. Empty: nowhere.",
            'source-links = "vscode"',
            parse_links,
        ),
        Option(
            "run-once-functions",
            "list of name patterns",
            "[]",
            "Names of functions that run once per process, as shell patterns (`*`, `?`, `[...]`), in addition to "
            + ", ".join(f"`{name}`" for name in RUN_ONCE_FUNCTIONS)
            + ". Underscores at the start of a function's name do not count. A jitted function created there "
            "compiles once, so such findings are `low`.",
            'run-once-functions = ["build_*"]',
            parse_names,
        ),
        Option(
            "test-paths",
            "list of shell patterns",
            "[]",
            "Files that count as tests or benchmarks, in addition to those recognized by their names. Findings in "
            "them are `low`, except errors under trace. `check_*.py` matches the name of a file, `sanity/*.py` the "
            "last two parts of its path.",
            'test-paths = ["sanity/*.py"]',
            parse_names,
        ),
        Option(
            "unrolled-equations",
            "whole number",
            "1000",
            "From how many estimated equations on JAX301 reports a Python loop under trace.",
            "unrolled-equations = 5000",
            parse_count,
        ),
        Option(
            "verify",
            "table",
            "{}",
            "Settings of `jaxlint verify`: `examples` maps path patterns to Python files, relative to the "
            "configuration file, whose function `jaxlint_examples` provides the arguments for the matching files.",
            '[tool.jaxlint.verify.examples]\n"src/train.py" = "tests/train_examples.py"',
            parse_verify,
        ),
        Option(
            "wrappers",
            "table from dotted names to tables of columns",
            "{}",
            "Your own functions that jit or trace the function they get. `like` copies the columns of a known one; "
            "`jaxlint/facts/jax_api/wrappers.toml` explains the columns and lists the known ones.",
            '[tool.jaxlint.wrappers."mylib.compile"]\nlike = "jax.jit"',
            parse_wrappers,
        ),
        Option(
            "exclude",
            "list of path patterns",
            _toml_list(DEFAULT_EXCLUDE),
            "Files and folders that are skipped when a folder is linted; replaces the default. A file that is named "
            "on the command line is linted anyway, unless `force-exclude` is set.",
            'exclude = [".venv", "third_party/"]',
            parse_patterns,
        ),
        Option(
            "extend-exclude",
            "list of path patterns",
            "[]",
            "Files and folders that are skipped in addition to those of `exclude`.",
            'extend-exclude = ["third_party/"]',
            parse_patterns,
        ),
        Option(
            "force-exclude",
            "true or false",
            "false",
            "Whether `exclude` and `extend-exclude` also apply to files named on the command line, as pre-commit "
            "names them.",
            "force-exclude = true",
            parse_flag,
        ),
        Option(
            "respect-gitignore",
            "true or false",
            "true",
            "Whether files and folders that git ignores are skipped: by the .gitignore files of the repository and "
            "its .git/info/exclude.",
            "respect-gitignore = false",
            parse_flag,
        ),
    )
}

OTHER_TOOL_KEYS = (
    "cache-dir",
    "docstring-style",
    "required-sections",
    "rubric-threshold",
    "sarif-rule-docs-base",
    "section-order",
    "severity-overrides",
    "strict-shapes",
)
"""Keys of the project that is named jaxlint on PyPI, which reads the same table; so are codes in JL, JD and JM."""

_OTHER_TOOL_CODE = re.compile(r"J[LDM]\d*\*?$")


# --- layers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """Checked values from one place, by key; path patterns among them are relative to `root`."""

    values: Mapping[str, Any] = field(default_factory=dict)
    root: str = field(default_factory=os.getcwd)
    file: str | None = None
    warnings: tuple[str, ...] = ()


def read_table(table: Mapping[str, Any], where: str, root: str, file: str | None = None) -> Layer:
    """Check a table of keys and values.

    Args:
        table: what TOML gave.
        where: what error messages start with.
        root: the absolute path of the folder that its path patterns are relative to.
        file: the file that it is in.

    Raises:
        ConfigError: a key is not known, or a value cannot be used.
    """
    values: dict[str, Any] = {}
    foreign: list[str] = []
    for key, value in table.items():
        if key in OTHER_TOOL_KEYS:
            foreign.append(key)
        elif key not in OPTIONS:
            raise ConfigError(f"{where}: unknown key {key!r}; {_meant(key, OPTIONS)}")
        else:
            parse = OPTIONS[key].parse
            own, codes = _without_other_tool(value) if parse in (parse_codes, parse_per_file_ignores) else (value, [])
            foreign += codes
            # A selection of nothing but the other tool's rules was not meant for this one.
            if own or not codes:
                values[key] = parse(own, f"{where}.{key}")
    warnings = (_foreign_warning(where, foreign),) if foreign else ()
    return Layer(values, root, file, warnings)


def _without_other_tool(value: Any) -> tuple[Any, list[str]]:
    """Split a code, a list of codes, or a table of them, into what may be ours and the other tool's codes."""
    if isinstance(value, dict):
        split = {key: _without_other_tool(item) for key, item in value.items()}
        foreign = [code for _, codes in split.values() for code in codes]
        return {key: own for key, (own, codes) in split.items() if own or not codes}, foreign
    items = value if isinstance(value, list) else [value]
    foreign = [item for item in items if isinstance(item, str) and _OTHER_TOOL_CODE.match(item)]
    if not foreign:
        return value, []
    return [item for item in items if item not in foreign], foreign


def _foreign_warning(where: str, foreign: Sequence[str]) -> str:
    import importlib.metadata

    text = (
        f"{where}: not for this tool, and without effect here: {', '.join(dict.fromkeys(foreign))}. "
        "They belong to the project named jaxlint on PyPI; this is flake8-jaxlint, whose codes start with JAX"
    )
    try:
        importlib.metadata.distribution("jaxlint")
    except importlib.metadata.PackageNotFoundError:
        return text
    return text + ". Both are installed here and overwrite each other's files: keep them in separate environments"


def combine(layers: Sequence[Layer]) -> Config:
    """Lay configuration upon configuration, the later over the earlier.

    A later `select` starts afresh: what earlier layers select and ignore is forgotten.  The `extend-` keys add up.
    """
    merged: dict[str, Any] = {}
    exclude: tuple[Patterns, ...] | None = None
    extend_exclude: list[Patterns] = []
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    verify_examples: tuple[tuple[Patterns, str], ...] = ()
    for layer in layers:
        values = dict(layer.values)
        if "select" in values:
            for key in ("ignore", "extend-select", "extend-ignore"):
                merged.pop(key, None)
        for key in ("extend-select", "extend-ignore"):
            if key in values:
                values[key] = (*merged.get(key, ()), *values[key])
        if "exclude" in values:
            exclude = (Patterns(layer.root, values.pop("exclude")),)
        if "extend-exclude" in values:
            extend_exclude.append(Patterns(layer.root, values.pop("extend-exclude")))
        if "per-file-ignores" in values:
            ignores = values.pop("per-file-ignores")
            per_file_ignores = tuple((Patterns(layer.root, (glob,)), codes) for glob, codes in ignores.items())
        if "verify" in values:
            files = values.pop("verify")
            verify_examples = tuple(
                (Patterns(layer.root, (glob,)), os.path.join(layer.root, file)) for glob, file in files.items()
            )
        for key in ("baseline", "observed"):
            if values.get(key):
                values[key] = os.path.abspath(os.path.join(layer.root, values[key]))
        merged.update(values)
    merged["baseline"] = merged.get("baseline") or None
    merged["observed"] = merged.get("observed") or None
    home = next((layer for layer in reversed(layers) if layer.file), next(iter(layers), Layer()))
    by_field = {key.replace("-", "_"): value for key, value in merged.items()}
    settings = Settings(**{f.name: by_field.pop(f.name) for f in dataclasses.fields(Settings) if f.name in by_field})
    return Config(
        settings=settings,
        per_file_ignores=per_file_ignores,
        verify_examples=verify_examples,
        exclude=(*(exclude or (Patterns(home.root, DEFAULT_EXCLUDE),)), *extend_exclude),
        root=home.root,
        file=home.file,
        warnings=(*(warning for layer in layers for warning in layer.warnings), *_selection_warnings(settings)),
        **by_field,
    )


def _selection_warnings(settings: Settings) -> Iterator[str]:
    """Yield what is to be said of a selection that has less run than it seems to."""
    chosen = (*settings.select, *settings.extend_select)
    if chosen == ("JAX",) and not settings.ignore and not settings.extend_ignore:
        return  # as nearly always: the rules need not be loaded for it
    from jaxlint.rules import rules

    known = [rule for rule in rules().values() if rule.impact is not None]
    idle = False
    for prefix in () if set(_every_code()) <= set(chosen) else chosen:
        meant = [rule for rule in known if rule.code.startswith(prefix)]
        if meant and not settings.preview and all(rule.preview for rule in meant):
            idle = True
            yield f"select: {prefix} is in preview, and does not run unless `preview` is set"
    if not idle and not any(settings.enabled(rule) for rule in known):
        yield "no rule runs, so nothing can be found: `select` and `ignore` leave none"


# --- files -----------------------------------------------------------------------------------------------------------


def load(file: str) -> Layer | None:
    """Read a configuration file; None if it has nothing to say of jaxlint.

    Args:
        file: the absolute path of a pyproject.toml, or of a file whose top level or `[tool.jaxlint]` holds the keys.

    Raises:
        ConfigError: it cannot be read, is no TOML, or holds what `read_table` refuses.
    """
    shown = relative_path(file, os.getcwd()) or file
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read: {error.strerror or error}") from error
    named = os.path.basename(file) != "pyproject.toml"
    if not named and b"jaxlint" not in data:
        return None
    import tomllib

    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        # Among them numbers that are too long for Python, and brackets that are nested too deeply.
        raise ConfigError(f"{shown}: not valid TOML: {error}") from error
    table: Any = document.get("tool", {})
    table = table.get("jaxlint") if isinstance(table, dict) else None
    where = f"{shown}: tool.jaxlint"
    if table is None and named:
        # The other tool of this name keeps its keys under [jaxlint] in a file of the same name.
        table = document.get("jaxlint", document)
        where = shown
    if table is None:
        return None
    return read_table(_table(table, where), where, os.path.dirname(file), file)


class Finder:
    """Finds the configuration that holds in a folder: that of the nearest file upwards, under what was laid over it.

    Args:
        file: a configuration file that holds everywhere, instead of the nearest.
        isolated: whether to read no configuration file at all.
        over: layers that lie over what is found, as the command line's options do.
        root: the absolute path of the folder that paths are relative to where there is no configuration file; the
            current one by default.

    Raises:
        ConfigError: `file` cannot be used.
    """

    def __init__(
        self, *, file: str | None = None, isolated: bool = False, over: Sequence[Layer] = (), root: str | None = None
    ) -> None:
        self._over = tuple(over)
        self._default = Layer(root=root) if root is not None else Layer()
        self._layers: dict[str, Layer] = {}
        self._configs: dict[tuple[str | None, int | None], Config] = {}
        self._lengths: dict[str, int | None] = {}
        self._isolated = isolated
        self._fixed: Layer | None = None
        if isolated:
            self._fixed = Layer()
            # Neither what runs showed.
            self._over = (*self._over, Layer({"observed": os.devnull}))
        elif file is not None:
            self._fixed = load(os.path.abspath(file))
            if self._fixed is None:
                raise ConfigError(f"{file}: holds no [tool.jaxlint]")

    def config(self, folder: str) -> Config:
        """Return what is configured for the files of a folder, given by its absolute path; it need not exist.

        Raises:
            ConfigError: the configuration file cannot be used.
        """
        layer = self._fixed if self._fixed is not None else self._layer(folder)
        length = None if self._isolated else self._line_length(folder)
        # One object for all folders that share a file: the core keeps what it derives from settings by identity.
        known = (layer.file, length)
        if known not in self._configs:
            config = combine([layer, *self._over])
            if length is not None:
                config = dataclasses.replace(config, settings=dataclasses.replace(config.settings, line_length=length))
            self._configs[known] = config
        return self._configs[known]

    def _line_length(self, folder: str) -> int | None:
        """Return the line length that the nearest folder upwards configures, None where none does."""
        return _inherited(folder, self._lengths, configured, None)

    def _layer(self, folder: str) -> Layer:
        return _inherited(folder, self._layers, self._read, self._default)

    def _read(self, folder: str) -> Layer | None:
        for name in FILE_NAMES:
            file = os.path.join(folder, name)
            if os.path.isfile(file):
                layer = load(file)
                if layer is not None:
                    return layer
        return None


def _inherited(folder: str, known: dict[str, _T], read: Callable[[str], _T | None], otherwise: _T) -> _T:
    """Return what `read` gives for the nearest folder upwards for which it gives something; keep it for all between.

    By pass, as folders may be nested more deeply than Python likes functions to be.
    """
    below = []
    while folder not in known:
        below.append(folder)
        own = read(folder)
        parent = os.path.dirname(folder)
        if own is not None or parent == folder:
            known[folder] = own if own is not None else otherwise
        folder = parent if folder not in known else folder
    for child in below:
        known[child] = known[folder]
    return known[folder]


# --- values ----------------------------------------------------------------------------------------------------------


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _meant(text: str, known: Iterable[str]) -> str:
    return did_you_mean(text, known, f"known are {', '.join(known)}")


def _strings(value: Any, where: str) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: {_shown(value)} must be a list of strings")
    return list(value)


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: {_shown(value)} must be a table")
    return value


def _glob(pattern: str, where: str) -> bool:
    if not is_valid(pattern):
        raise ConfigError(f"{where}: {pattern!r} is no path pattern")
    return True
