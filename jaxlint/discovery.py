"""Which files a run lints: those that were named, and the `.py` files and notebooks in the folders that were named.

Stub files (`.pyi`) are not looked for: a stub runs nothing.
"""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.config import Config, Finder
from jaxlint.facts.incoming import NOTHING, Incoming
from jaxlint.notebook import SUFFIX as NOTEBOOK
from jaxlint.notebook import is_notebook
from jaxlint.patterns import Patterns, relative_path

SUFFIXES = (".py", NOTEBOOK)


@dataclass(frozen=True, slots=True)
class File:
    """A file to lint, and the configuration that holds for it."""

    name: str
    """What reports call it: the path as it was given, or what was given and the way down from there."""
    path: str
    """Its absolute path."""
    config: Config
    from_folder: bool = False
    """Whether it was found in a folder that was named, rather than named itself."""
    incoming: Incoming = NOTHING
    """What the other files of its project say about it."""


@dataclass
class Discovered:
    """What was found; `errors` and `warnings` are for the user, each begins with the path that it is about."""

    files: list[File] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def discover(paths: Sequence[str], finder: Finder, *, notebooks: bool = True) -> Discovered:
    """Find the files to lint, each once, in the order of their names; without `notebooks`, they are skipped.

    A file that is named is taken whatever it is called and whatever excludes it (but for `force-exclude`).  A folder
    that is named is entered in the same way, and below it exclusions count.  Links to folders are not followed.

    Raises:
        ConfigError: a configuration file on the way cannot be used.
    """
    found = Discovered()
    files: dict[str, File] = {}
    for given in paths:
        name = os.path.normpath(given)
        path = os.path.abspath(given)
        if given and os.path.isdir(path):
            if force_excluded(path, finder.config(path), folder=True):
                continue
            some = False
            for file in _Walk(name, path, finder, found.errors):
                some = True
                if not notebooks and is_notebook(file.path):
                    continue
                known = files.get(file.path)
                files[file.path] = file if known is None else dataclasses.replace(known, from_folder=True)
            if not some:
                found.warnings.append(f"{given}: no Python files or notebooks found in this folder")
        elif not os.path.lexists(path) or not given:
            found.errors.append(f"{given or repr(given)}: no such file or folder")
        elif not notebooks and is_notebook(name):
            found.errors.append(f"{given}: fixes of notebooks cannot be proven yet; export it as a script first")
        else:
            config = finder.config(os.path.dirname(path))
            if not force_excluded(path, config):
                files.setdefault(path, File(name, path, config))
    found.files = sorted(files.values(), key=lambda file: file.name.split(os.sep))
    return found


def python_files(folder: str, finder: Finder) -> Iterator[File]:
    """Yield the files of a folder, given by its absolute path, that `discover` finds there; names are relative to it.

    Raises:
        ConfigError: a configuration file on the way cannot be used.
    """
    return iter(_Walk(".", folder, finder, []))


def force_excluded(path: str, config: Config, *, folder: bool = False) -> bool:
    """Tell whether a file that was named is skipped all the same, by its absolute path or a folder on the way."""
    return config.force_exclude and any(patterns.match(path, folder=folder) for patterns in config.exclude)


def _is_no_file(path: str) -> bool:
    """Tell whether something that was come across is no file: reading a pipe may never end."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False  # whoever reads it will say why it cannot be read


class _Walk:
    """A walk through one folder that was named."""

    def __init__(self, name: str, path: str, finder: Finder, errors: list[str]) -> None:
        self._name = name
        self._root = path
        self._finder = finder
        self._errors = errors
        self._effective: dict[Patterns, Patterns] = {}

    def __iter__(self) -> Iterator[File]:
        ignores = _ignores_above(self._root) if self._finder.config(self._root).respect_gitignore else ()
        return self._folder(self._root, ignores)

    def _folder(self, folder: str, ignores: tuple[Patterns, ...]) -> Iterator[File]:
        """Yield the files in a folder and below; `ignores` are what git reads above it, the outermost first."""
        # By pass: folders may be nested more deeply than Python likes functions to be.
        left = [self._entries(folder, ignores)]
        while left:
            found = next(left[-1], None)
            if found is None:
                left.pop()
            elif isinstance(found, File):
                yield found
            else:
                left.append(self._entries(*found))

    def _entries(self, folder: str, ignores: tuple[Patterns, ...]) -> Iterator[File | tuple[str, tuple[Patterns, ...]]]:
        """Yield what is to be linted in a folder: files, and other folders with what git reads above them."""
        config = self._finder.config(folder)
        if config.respect_gitignore:
            ignores = (*ignores, *_ignore_file(os.path.join(folder, ".gitignore"), folder))
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self._errors.append(f"{self._shown(folder)}: cannot be read: {error.strerror or error}")
            return
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and (not entry.name.endswith(SUFFIXES) or _is_no_file(entry.path)):
                continue
            if self._hidden(entry.path, config, ignores, folder=is_folder):
                continue
            if is_folder:
                yield entry.path, ignores
            else:
                yield File(self._shown(entry.path), entry.path, config, from_folder=True)

    def _hidden(self, path: str, config: Config, ignores: tuple[Patterns, ...], *, folder: bool) -> bool:
        if any(self._reaching(patterns, path).match(path, folder=folder) for patterns in config.exclude):
            return True
        if config.respect_gitignore:
            # As for git: the file nearest to the path decides, if it has something to say.
            for patterns in reversed(ignores):
                verdict = self._below(patterns).verdict(path, folder=folder)
                if verdict is not None:
                    return verdict
        return False

    def _reaching(self, patterns: Patterns, path: str) -> Patterns:
        """Return exclusions as they hold for a path: outside their folder, they start at the one that was named."""
        if relative_path(path, patterns.root) is None:
            return Patterns(self._root, patterns.lines)
        return self._below(patterns)

    def _below(self, patterns: Patterns) -> Patterns:
        """Return patterns that do not hide the folder that the user named, and with it all that is in it."""
        if patterns not in self._effective:
            hides = patterns.match(self._root, folder=True)
            self._effective[patterns] = Patterns(self._root, patterns.lines) if hides else patterns
        return self._effective[patterns]

    def _shown(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._name, os.path.relpath(path, self._root)))


def _ignores_above(folder: str) -> tuple[Patterns, ...]:
    """Return what git would ignore by, of the repository that a folder is in, less what is in the folder itself."""
    found: list[Patterns] = []
    above = folder
    while True:
        git = os.path.join(above, ".git")
        if os.path.lexists(git):
            found += _ignore_file(os.path.join(_git_folder(git), "info", "exclude"), above)
            return tuple(reversed(found))
        parent = os.path.dirname(above)
        if parent == above:
            # No repository: only the .gitignore files in the folder count.
            return ()
        above = parent
        found += _ignore_file(os.path.join(above, ".gitignore"), above)


def _git_folder(git: str) -> str:
    """Return the folder of a repository's own files; in a linked work tree, `.git` is a file that leads there."""
    if os.path.isdir(git):
        return git
    linked = os.path.join(os.path.dirname(git), _text(git).removeprefix("gitdir:").strip())
    return os.path.join(linked, _text(os.path.join(linked, "commondir")).strip())


def _ignore_file(file: str, root: str) -> list[Patterns]:
    text = _text(file).removeprefix("\ufeff").replace("\r\n", "\n")
    lines = tuple(line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    return [Patterns(root, lines)] if lines else []


def _text(file: str) -> str:
    """Return what is in a file of git's; nothing, as for git, if it is not there, or is no file."""
    try:
        if not os.path.isfile(file):
            return ""  # reading a pipe may never end
        return Path(file).read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
