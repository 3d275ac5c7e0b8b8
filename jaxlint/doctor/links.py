"""Addresses of lines of source, for the page: an editor's, or those of the repository where it is published."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable
from urllib.parse import quote

KINDS = {"vscode": "vscode://file{path}:{line}"}
"""What a setting may name, besides `github` and a form of its own."""
_ADDRESS = re.compile(
    r"^(?:https?://(?:[^@/]*@)?|ssh://(?:[^@/]*@)?|[^@/]*@)(?P<host>[\w.-]+)(?::\d+)?[:/](?P<name>.+?)(?:\.git)?/?$"
)


def addresses(form: str, folder: str, files: Iterable[str]) -> dict[str, str]:
    """Return the address of each file, with `{line}` in it where the number of a line belongs.

    `form` is `vscode`, `github`, or an address with `{path}` and `{line}` in it.  Files, which are named from `folder`
    on, have none where they are in no repository, or are not committed.
    """
    make = _published(folder) if form == "github" else _local(KINDS.get(form, form), folder)
    found = {file: make(file) for file in files} if make is not None else {}
    return {file: address for file, address in found.items() if address is not None}


def _local(form: str, folder: str) -> Callable[[str], str | None]:
    def make(file: str) -> str | None:
        path = os.path.join(folder, file)
        return form.replace("{path}", quote(path)) if os.path.isfile(path) else None

    return make


def _published(folder: str) -> Callable[[str], str | None] | None:
    found = _ADDRESS.match(_git(folder, "config", "--get", "remote.origin.url"))
    commit, top = _git(folder, "rev-parse", "HEAD"), _git(folder, "rev-parse", "--show-toplevel")
    if found is None or not commit or not top:
        return None
    tracked = set(_git(top, "ls-files", "-z").split("\0"))

    def make(file: str) -> str | None:
        name = os.path.relpath(os.path.realpath(os.path.join(folder, file)), os.path.realpath(top))
        if name not in tracked:
            return None
        return f"https://{found['host']}/{found['name']}/blob/{commit}/{quote(name)}#L{{line}}"

    return make


def _git(folder: str, *arguments: str) -> str:
    try:
        done = subprocess.run(("git", "-C", folder, *arguments), capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
