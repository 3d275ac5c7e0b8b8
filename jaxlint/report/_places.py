"""What files are called where others than the user read of them: in a repository, and in text that must not break."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType


class Places:
    """Names of files as review tools want them: with forward slashes, and relative where that says where they are.

    Args:
        folder: the absolute path of the folder that given names are relative to.
        root: the absolute path of the repository that it is in; found where it is not given.
        flavour: the module that knows the paths of the system, `os.path` or one like it.
    """

    def __init__(self, folder: str, root: str | None = None, flavour: ModuleType = os.path) -> None:
        self._folder = folder
        self._flavour = flavour
        self._root = root or repository(folder)

    def in_repository(self, filename: str) -> str | None:
        """Return the name of a file from the root of the repository on; None if it is not in there."""
        for path, root in self._resolutions(filename):
            relative = self._below(path, root)
            if relative is not None:
                return relative
        return None

    def from_folder(self, filename: str) -> str:
        """Return the name of a file from the folder on; an absolute one if it is not in the repository."""
        for path, root in self._resolutions(filename):
            if self._below(path, root) is not None:
                folder = self._folder if root == self._root else self._flavour.realpath(self._folder)
                return self._posix(self._flavour.relpath(path, folder))
        return self._posix(self._absolute(filename))

    def shown(self, filename: str) -> str:
        """Return the name of a file from the root of the repository on, or its absolute one."""
        relative = self.in_repository(filename)
        return self._posix(self._absolute(filename)) if relative is None else relative

    def _resolutions(self, filename: str) -> Iterator[tuple[str, str]]:
        """Yield path and root as they are named, and as they are called without symbolic links."""
        path = self._absolute(filename)
        yield path, self._root
        yield self._flavour.realpath(path), self._flavour.realpath(self._root)

    def _absolute(self, filename: str) -> str:
        return str(self._flavour.normpath(self._flavour.join(self._folder, filename)))

    def _below(self, path: str, root: str) -> str | None:
        try:
            relative = str(self._flavour.relpath(path, root))
        except ValueError:  # on another drive
            return None
        outside = relative == self._flavour.pardir or relative.startswith(self._flavour.pardir + self._flavour.sep)
        return None if outside else self._posix(relative)

    def _posix(self, path: str) -> str:
        return path if self._flavour.sep == "/" else path.replace(self._flavour.sep, "/")


def repository(folder: str) -> str:
    """Return the nearest folder upwards that holds a repository of git; the folder itself if none does."""
    return next((str(above) for above in (Path(folder), *Path(folder).parents) if (above / ".git").exists()), folder)


def valid(text: str) -> str:
    """Replace what represents bytes that are no text: the readers of JSON and XML stop at it."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text
