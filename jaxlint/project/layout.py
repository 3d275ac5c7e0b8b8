"""Which file an import means, judged by where the files of a project lie.

No module is imported and no path of the environment counts: a name belongs to the project where a file of it is found

- for a relative import, from the importing file's folder on;
- for an absolute one, from the nearest folder on, going up from the importing file, that is no package itself: that is
  where the package of the file lies, or `src`, or the folder of a script;
- else from the one folder of the project that is no package and holds the name.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from jaxlint.notebook import is_notebook

_INIT = "__init__"


@dataclass(slots=True)
class _Folder:
    parent: str
    name: str
    files: dict[str, int] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    @property
    def is_package(self) -> bool:
        # No import can name the folder of a checkout, `my-agents`, whatever it holds.
        return _INIT in self.files and self.name.isidentifier()


class Layout:
    """The files of a project, by their absolute paths; files are known by their numbers."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._folders: dict[str, _Folder] = {}
        self._holders: dict[str, list[str]] = defaultdict(list)
        self._bases: dict[tuple[str, str], list[str]] = {}
        self.folder_of: list[str] = []
        for number, path in enumerate(paths):
            folder, name = os.path.split(path)
            self.folder_of.append(folder)
            # Nobody can import a notebook; it keeps its suffix, so that it hides no module of its name.
            self._folder(folder).files[name if is_notebook(name) else os.path.splitext(name)[0]] = number
        for path, entry in self._folders.items():
            if not entry.is_package:
                for name in {*entry.files, *entry.folders}:
                    self._holders[name].append(path)

    def _folder(self, path: str) -> _Folder:
        known = self._folders.get(path)
        if known is not None:
            return known
        # Upwards to the first that is known: by hand, as folders may be nested more deeply than functions.
        entry = new = self._folders[path] = _Folder(*os.path.split(path))
        while entry.parent != path:
            above = self._folders.get(entry.parent)
            is_new = above is None
            if above is None:
                above = self._folders[entry.parent] = _Folder(*os.path.split(entry.parent))
            above.folders[os.path.basename(path)] = path
            if not is_new:
                break
            entry, path = above, entry.parent
        return new

    def modules(self, dotted: str, folder: str) -> list[tuple[int, list[str]]]:
        """Return what a dotted name may mean to a file of `folder`: a module and the names below it, the best first."""
        relative = dotted.lstrip(".")
        level = len(dotted) - len(relative)
        parts = relative.split(".") if relative else []
        if level:
            base = folder
            for _ in range(level - 1):
                base = os.path.dirname(base)
            return self._down(base, parts)
        for base in self._bases_of(parts[0], folder):
            found = self._down(base, parts)
            if found:
                return found
        return []

    def _bases_of(self, first: str, folder: str) -> list[str]:
        key = (folder, first)
        known = self._bases.get(key)
        if known is None:
            known = self._bases[key] = self._find_bases(first, folder)
        return known

    def _find_bases(self, first: str, folder: str) -> list[str]:
        if first not in self._holders:
            return []
        found: list[str] = []
        here = folder
        while here in self._folders:
            for base in (here, os.path.join(here, "src")):
                entry = self._folders.get(base)
                if entry is not None and not entry.is_package and (first in entry.files or first in entry.folders):
                    found.append(base)
            parent = self._folders[here].parent
            if parent == here:
                break
            here = parent
        if not found and len(self._holders[first]) == 1:
            found = list(self._holders[first])
        return found

    def _down(self, base: str, parts: Sequence[str]) -> list[tuple[int, list[str]]]:
        """Go down from a folder; the deepest module comes first, then the packages on the way."""
        found: list[tuple[int, list[str]]] = []
        entry = self._folders.get(base)
        for index in range(len(parts) + 1):
            if entry is None:
                break
            if entry.is_package:
                found.append((entry.files[_INIT], list(parts[index:])))
            if index == len(parts):
                break
            name = parts[index]
            if name in entry.files:
                found.append((entry.files[name], list(parts[index + 1 :])))
            below = entry.folders.get(name)
            entry = self._folders.get(below) if below is not None else None
        found.reverse()
        return found

    def dotted_name(self, path: str) -> str:
        """Return the dotted name by which a file is imported from outside its topmost package."""
        folder, name = os.path.split(path)
        stem = os.path.splitext(name)[0]
        parts = [] if stem == _INIT else [stem]
        while folder in self._folders and self._folders[folder].is_package:
            folder, name = os.path.split(folder)
            parts.append(name)
        return ".".join(reversed(parts))
