"""Linting the files of a run: each with what the rest of its project says about it, and only what is not known yet."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.digests import digest, digest_of
from jaxlint.facts.incoming import NOTHING
from jaxlint.notebook import is_notebook
from jaxlint.observed import key_of
from jaxlint.pool import Pool

if TYPE_CHECKING:
    from jaxlint.cache import Cache
    from jaxlint.checked import Checked
    from jaxlint.config import Config
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.discovery import File
    from jaxlint.facts.incoming import Incoming
    from jaxlint.facts.summary.record import Exports

_LIBRARIES = re.compile(rb"jax|flax|equinox|haiku")


def check_files(
    files: Sequence[File],
    jobs: int,
    *,
    fix: bool = False,
    project: bool = True,
    cache: Cache | None = None,
    beside: Sequence[File] = (),
) -> list[Checked]:
    """Lint files, and fix their texts if asked to, and return what came of each, in the same order.

    The files that were found in folders are one project, if `project` says so; so are the files `beside` them, which
    are not linted.  What `cache` knows is not done again.
    """
    configs = list({id(file.config): file.config for file in (*files, *beside)}.values())
    with Pool(jobs, configs) as pool:
        return _Run(files, beside, pool, cache).results(fix=fix, project=project)


def read_records(files: Sequence[File], cache: Cache) -> list[Exports | None]:
    """Return what each file tells the others of its project, None where it cannot be read; `cache` may know it."""
    with Pool(1, list({id(file.config): file.config for file in files}.values())) as pool:
        return _Run(files, (), pool, cache, keep=False).records()


def recall(files: Sequence[File], cache: Cache) -> list[tuple[str, tuple[Diagnostic, ...]] | None]:
    """Return what is known to be found in each file of a project, with or without fixes, without reading their code.

    With it comes the digest of the bytes that it was found in.  None where something has changed since.
    """
    with Pool(1, list({id(file.config): file.config for file in files}.values())) as pool:
        return _Run(files, (), pool, cache, keep=False).recalled()


def keep(files: Sequence[File], found: Mapping[int, tuple[str, Sequence[Diagnostic]]], cache: Cache) -> None:
    """Have a later `recall` know what was found, without fixes, in some files of a project.

    Args:
        files: all files of the project, with what the others say about each.
        found: by the numbers of files, the digest of what was linted, and what was found in it.
        cache: where to keep it.
    """
    with Pool(1, list({id(file.config): file.config for file in files}.values())) as pool:
        _Run(files, (), pool, cache, keep=False).keep(found)


class _Run:
    """One run over some files, by their numbers; those that are not linted have the last ones."""

    def __init__(
        self, files: Sequence[File], beside: Sequence[File], pool: Pool, cache: Cache | None, *, keep: bool = True
    ) -> None:
        self._keep = keep and pool.is_here
        self._files = [*files, *beside]
        self._linted = range(len(files))
        self._pool = pool
        self._cache = cache
        self._version = _version(cache) if cache is not None else ""
        self._contents = [_content(file) for file in self._files] if cache is not None else []
        self._config_keys: dict[int, str] = {}
        self._new: dict[str, Any] = {}
        self._failure: Diagnostic | None = None

    def results(self, *, fix: bool, project: bool) -> list[Checked]:
        """Return what came of each file."""
        members = [number for number, file in enumerate(self._files) if file.from_folder] if project else []
        results: dict[int, Checked] = {}
        if self._cache is not None and not fix:
            results = self._remembered(members)
        left = [number for number in self._linted if number not in results]
        if set(left).intersection(members) and len(members) > 1:
            self._join(members)
            if self._cache is not None and not fix and self._failure is None:
                results = self._known(self._digests())
                left = [number for number in left if number not in results]
        checked = self._pool.each(functools.partial(_check, fix=fix), [self._files[number] for number in left], _died)
        if left:
            from jaxlint.driver import kept

            kept.clear()
        for number, (content, result) in zip(left, checked, strict=True):
            results[number] = result
            if self._cache is not None and not fix and content is not None and _is_lasting(result):
                key = self._key(number, content, self._files[number].incoming.digest)
                self._new[key] = [[diagnostic.plain() for diagnostic in result.diagnostics], list(result.warnings)]
        if self._cache is not None:
            self._cache.put(self._new)
        if self._failure is not None:
            results[0] = dataclasses.replace(results[0], diagnostics=(self._failure, *results[0].diagnostics))
        return [results[number] for number in self._linted]

    def recalled(self) -> list[tuple[str, tuple[Diagnostic, ...]] | None]:
        """Return what is known to be found in each file."""
        known = self._remembered([number for number, file in enumerate(self._files) if file.from_folder], ("shown",))
        return [
            (content, known[number].diagnostics) if content is not None and number in known else None
            for number, content in enumerate(self._contents)
        ]

    def keep(self, found: Mapping[int, tuple[str, Sequence[Diagnostic]]]) -> None:
        """Keep what was found without fixes."""
        members = [number for number, file in enumerate(self._files) if file.from_folder]
        if len(members) > 1:
            self._new[self._project_key(members)] = [self._files[number].incoming.digest for number in members]
        for number, (content, diagnostics) in found.items():
            key = self._key(number, content, self._files[number].incoming.digest, "shown")
            self._new[key] = [[diagnostic.plain() for diagnostic in diagnostics], []]
        if self._cache is not None:
            self._cache.put(self._new)

    # What is known

    def _remembered(self, members: Sequence[int], kinds: Sequence[str] = ()) -> dict[int, Checked]:
        """Return what is known of the files, for what the last run over the same project found them to be told.

        Where that is nothing, what is known of these `kinds` will do.
        """
        digests = [NOTHING.digest] * len(self._files)
        if len(members) > 1:
            key = self._project_key(members)
            told = self._get([key]).get(key)
            if not isinstance(told, list) or len(told) != len(members):
                return {}
            for number, incoming in zip(members, told, strict=True):
                digests[number] = incoming
        known = self._known(digests)
        for kind in kinds:
            known = {**self._known(digests, kind), **known}
        return known

    def _known(self, incoming: Sequence[str], kind: str = "findings") -> dict[int, Checked]:
        from jaxlint.checked import Checked
        from jaxlint.diagnostic import Diagnostic

        keys = {
            number: self._key(number, content, incoming[number], kind)
            for number in self._linted
            if (content := self._contents[number]) is not None
        }
        values = self._get(keys.values())
        found: dict[int, Checked] = {}
        for number, key in keys.items():
            if isinstance(values.get(key), list):
                name = self._files[number].name
                try:
                    plains, warnings = values[key]
                    diagnostics = tuple(Diagnostic.of_plain(plain, name) for plain in plains)
                    found[number] = Checked(diagnostics, warnings=tuple(map(str, warnings)))
                except (ValueError, TypeError, KeyError):
                    continue
        return found

    def _get(self, keys: Iterable[str]) -> dict[str, Any]:
        return self._cache.get(keys) if self._cache is not None else {}

    def _digests(self) -> list[str]:
        return [file.incoming.digest for file in self._files]

    def _key(self, number: int, content: str, incoming: str, kind: str = "findings") -> str:
        file = self._files[number]
        config = file.config
        known_as = "" if config.baseline is None else os.path.relpath(file.path, os.path.dirname(config.baseline))
        around = (config.name_of(file.path), config.ignored(file.path), known_as)
        seen = key_of(config, file.path)
        return digest(kind, self._version, content, self._config_key(config), incoming, *around, seen)

    def _config_key(self, config: Config) -> str:
        known = self._config_keys.get(id(config))
        if known is None:
            baseline = _bytes(config.baseline) if config.baseline is not None else b""
            values = json.dumps(_portable(config), default=repr, sort_keys=True)
            known = digest(repr(config.settings), values, config.noqa, digest_of(baseline or b""))
            self._config_keys[id(config)] = known
        return known

    def _project_key(self, members: Sequence[int]) -> str:
        files = [self._files[number] for number in members]
        parts = [(self._contents[n], self._config_key(self._files[n].config)) for n in members]
        return digest("project", self._version, _places(files), parts, self._scripts(members))

    def _scripts(self, members: Iterable[int]) -> list[str]:
        from jaxlint.scripts import scripts

        return sorted(set(scripts(self._files[number].path for number in members)))

    # The project

    def _join(self, members: Sequence[int]) -> None:
        """Tell each file of the project what the others say about it; where that fails, say so and leave each alone."""
        if not any(_mentions_jax(self._files[number]) for number in members):
            return
        keys = {number: self._exports_key(number, self._contents[number]) for number in members} if self._cache else {}
        try:
            try:
                told = self._told(members, keys, self._get(keys.values()))
            except Exception:
                if not keys:
                    raise
                told = self._told(members, keys, {})  # what was kept may make no sense
        except Exception as error:  # noqa: BLE001  (the files can still be linted)
            from jaxlint.driver import failure

            message = (
                f"jaxlint failed on the project, so each file was seen alone: {type(error).__name__}: {error}; "
                "please report this"
            )
            self._failure = failure("JAX000", "internal-error", message, self._files[0])
            return
        for number, incoming in told.items():
            self._files[number] = dataclasses.replace(self._files[number], incoming=incoming)
        if self._cache is not None:
            self._new[self._project_key(members)] = [self._files[number].incoming.digest for number in members]

    def _told(self, members: Sequence[int], keys: dict[int, str], known: dict[str, Any]) -> dict[int, Incoming]:
        """Return what the others say about each file, by way of the records that are known and those of other files."""
        found = self._records(members, keys, known)
        records = {number: record for number in members if (record := found[number]) is not None}
        files = [self._files[number] for number in records]
        return dict(zip(records, joined(files, list(records.values()), self._scripts(members)), strict=True))

    def records(self) -> list[Exports | None]:
        """Return what each file tells the others."""
        members = range(len(self._files))
        keys = {number: self._exports_key(number, self._contents[number]) for number in members} if self._cache else {}
        try:
            found = self._records(members, keys, self._get(keys.values()))
        except Exception:
            if not keys:
                raise
            found = self._records(members, keys, {})  # what was kept may make no sense
        if self._cache is not None:
            self._cache.put(self._new)
        return [found[number] for number in members]

    def _records(
        self, members: Sequence[int], keys: dict[int, str], known: dict[str, Any]
    ) -> dict[int, Exports | None]:
        from jaxlint.facts.summary.record import Exports

        missing = [number for number in members if keys.get(number) not in known]
        read_one = functools.partial(_read, keep=self._keep)
        read = self._pool.each(read_one, [self._files[number] for number in missing], _unread)
        found: dict[int, Exports | None] = {
            number: Exports.of_plain(known[key]) if known[key] is not None else None
            for number in members
            if (key := keys.get(number, "")) in known
        }
        for number, (content, record) in zip(missing, read, strict=True):
            found[number] = record
            if self._cache is not None and content is not None:
                self._new[self._exports_key(number, content)] = record.plain() if record is not None else None
        return found

    def _exports_key(self, number: int, content: str | None) -> str:
        return digest("exports", self._version, content, is_notebook(self._files[number].path))


def joined(files: Sequence[File], records: Sequence[Exports], entries: Iterable[str]) -> list[Incoming]:
    """Join the records of files and return what the others say about each."""
    from jaxlint.linter import uncollected
    from jaxlint.project import Module, Project

    modules = [
        Module(file.path, file.config.name_of(file.path), record, file.config.settings)
        for file, record in zip(files, records, strict=True)
    ]
    with uncollected():
        project = Project(modules, entries)
        return [project.incoming(number) for number in range(len(modules))]


def _portable(config: Config) -> dict[str, Any]:
    """Return what is configured, with files named from the configuration's folder on: it may lie anywhere."""
    values = config.values()
    for key in ("baseline", "observed"):
        values[key] = config.name_of(values[key])
    examples = values["verify"]["examples"]
    values["verify"] = {"examples": {pattern: config.name_of(path) for pattern, path in examples.items()}}
    return values


def _places(files: Sequence[File]) -> list[tuple[str, str]]:
    """Return where the files of a project lie, seen from the folder that holds them all, and what reports call them."""
    top = os.path.commonpath([os.path.dirname(file.path) for file in files])
    if any(file.path == os.path.join(top, "__init__.py") for file in files):
        top = os.path.dirname(top)  # the folder is a package, whose name counts
    return [(os.path.relpath(file.path, top), file.config.name_of(file.path)) for file in files]


def _version(cache: Cache) -> str:
    from jaxlint.cache import version  # it loads a database, which a run without a cache can do without

    return version(cache)


def _is_lasting(result: Checked) -> bool:
    """Whether a result may be kept: what failed may go well next time."""
    return result.error is None and all(diagnostic.code != "JAX000" for diagnostic in result.diagnostics)


def _mentions_jax(file: File) -> bool:
    data = _bytes(file.path)
    return data is not None and _LIBRARIES.search(data) is not None


def _content(file: File) -> str | None:
    data = _bytes(file.path)
    return digest_of(data) if data is not None else None


def _bytes(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


# --- in the worker ---------------------------------------------------------------------------------------------------

_Content = str | None
"""The digest of what was read, which may be newer than what the parent saw; None where nothing could be read."""


def _check(file: File, *, fix: bool) -> tuple[_Content, Checked]:
    from jaxlint.checked import Checked
    from jaxlint.driver import check_bytes

    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        return None, Checked(error=f"{file.name}: cannot be read: {error.strerror or error}")
    return digest_of(data), check_bytes(data, file, fix=fix)


def _died(file: File) -> tuple[_Content, Checked]:
    from jaxlint.checked import Checked
    from jaxlint.driver import failure

    message = "jaxlint failed on this file: the process that linted it died; please report this"
    return None, Checked((failure("JAX000", "internal-error", message, file),))


def _read(file: File, *, keep: bool) -> tuple[_Content, Exports | None]:
    from jaxlint.driver import read_exports

    data = _bytes(file.path)
    if data is None:
        return None, None
    name = file.config.name_of(file.path)
    return digest_of(data), read_exports(data, name, keep_as=file.path if keep else "")


def _unread(_: File) -> tuple[_Content, Exports | None]:
    return None, None
