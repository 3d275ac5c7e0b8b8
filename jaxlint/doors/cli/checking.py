"""Linting the files of a run: each with what the rest of its project says about it."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.doors.cli.pool import Pool
from jaxlint.driver import Checked, check_file, failure, read_exports

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic
    from jaxlint.discovery import File

_LIBRARIES = re.compile(rb"jax|flax|equinox|haiku")


def check_files(files: Sequence[File], jobs: int, *, fix: bool = False, project: bool = True) -> list[Checked]:
    """Lint files, and fix their texts if asked to, and return what came of each, in the same order.

    The files that were found in folders are one project, if `project` says so.
    """
    configs = list({id(file.config): file.config for file in files}.values())
    with Pool(jobs, configs) as pool:
        error = None
        if project:
            files, error = _with_incoming(files, pool)
        results = pool.each(functools.partial(check_file, fix=fix), files, _died)
    if error is not None:
        results[0] = dataclasses.replace(results[0], diagnostics=(error, *results[0].diagnostics))
    return results


def _died(file: File) -> Checked:
    message = "jaxlint failed on this file: the process that linted it died; please report this"
    return Checked((failure("JAX000", "internal-error", message, file),))


def _with_incoming(files: Sequence[File], pool: Pool) -> tuple[Sequence[File], Diagnostic | None]:
    """Tell each file of the project what the others say about it; where that fails, say so and leave each alone."""
    members = [index for index, file in enumerate(files) if file.from_folder]
    if len(members) < 2 or not any(_mentions_jax(files[index]) for index in members):
        return files, None
    records = pool.each(read_exports, [files[index] for index in members], _no_exports)
    known = {index: record for index, record in zip(members, records, strict=True) if record is not None}
    try:
        return joined(files, known), None
    except Exception as error:  # noqa: BLE001  (the files can still be linted)
        message = (
            f"jaxlint failed on the project, so each file was seen alone: {type(error).__name__}: {error}; "
            "please report this"
        )
        return files, failure("JAX000", "internal-error", message, files[0])


def _no_exports(_: File) -> list[Any] | None:
    return None


def _mentions_jax(file: File) -> bool:
    try:
        return _LIBRARIES.search(Path(file.path).read_bytes()) is not None
    except OSError:
        return False


def joined(files: Sequence[File], records: dict[int, list[Any]]) -> list[File]:
    """Join the records of files, given by their numbers, and return the files with what the others say about each."""
    from jaxlint.facts.exports import Exports
    from jaxlint.project import Module, Project, scripts

    modules = [
        Module(
            files[index].path,
            files[index].config.name_of(files[index].path),
            Exports.of_plain(record),
            files[index].config.settings,
        )
        for index, record in records.items()
    ]
    project = Project(modules, scripts([files[index].path for index in records]))
    told = list(files)
    for number, index in enumerate(records):
        told[index] = dataclasses.replace(files[index], incoming=project.incoming(number))
    return told
