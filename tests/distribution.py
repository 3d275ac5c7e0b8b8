"""Builds the wheel and the sdist, and tries them as a user would get them: `make dist`.

They are in `dist` afterwards.  The wheel is built from the sdist, so what that lacks is noticed; it is installed into
an environment of its own, without jax, where `jaxlint check` and flake8 have to find what they find here.
"""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
NEVER = ("lintcheck/packages", "bench/packages", "__pycache__", ".pyc", ".venv", ".jaxlint_cache", "build/")


def python(
    *command: str, folder: Path = ROOT, executable: str | Path = sys.executable, codes: Sequence[int] = (0,)
) -> str:
    """Run Python and return what it printed; a failure ends this."""
    done = subprocess.run(
        [str(executable), *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def build() -> tuple[Path, Path]:
    """Return the paths of a wheel and an sdist."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "env"
        venv.create(environment, with_pip=True)
        own = environment / "bin" / "python"
        python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", executable=own)
        # Without a format, the sdist comes first and the wheel from it.
        python("-m", "build", "--outdir", str(DIST), executable=own)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, sdist


def check_contents(wheel: Path, sdist: Path) -> None:
    """See that all that belongs to the package is in, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    tracked = subprocess.run(["git", "ls-files", "jaxlint"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name for name in names if name.startswith("jaxlint/")} == set(tracked.stdout.split())
    assert {name.split("/")[0] for name in names} == {"jaxlint", wheel.name.rsplit("-", 3)[0] + ".dist-info"}
    fields = email.message_from_string(metadata)
    assert fields["Name"] == "flake8-jaxlint"
    assert "](docs/" not in metadata
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md", "tests/test_docs.py"):
        assert name in inside, name
    assert not [name for name in inside | names if any(part in name for part in NEVER)]


def check_metadata(*files: Path) -> None:
    """Ask twine whether PyPI would take the files."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "env"
        venv.create(environment, with_pip=True)
        own = environment / "bin" / "python"
        python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "twine", executable=own)
        said = python("-m", "twine", "check", "--strict", *map(str, files), executable=own)
    assert said.count("PASSED") == len(files), said
    sys.stdout.write(said)


def check_installed(wheel: Path) -> None:
    """Install the wheel where nothing else is, and compare what it finds with what is found here."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        environment = work / "env"
        venv.create(environment, with_pip=True)
        own = environment / "bin" / "python"
        python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel), executable=own)
        installed = python("-m", "pip", "list", "--format", "freeze", executable=own)
        assert not [name for name in ("jax", "numpy", "rich", "pygls") if f"\n{name}==" in installed], installed
        shutil.copy(ROOT / "examples" / "train.py", work)
        command = ("-m", "jaxlint", "check", "--isolated", "--no-cache", "--output-format", "json", "train.py")
        assert python(*command, folder=work, executable=own, codes=(1,)) == python(*command, folder=work, codes=(1,))
        told = python("-m", "flake8", "--isolated", "--select=JAX", "train.py", folder=work, executable=own, codes=(1,))
        assert told == python("-m", "flake8", "--isolated", "--select=JAX", "train.py", folder=work, codes=(1,))
        assert told.count(": JAX") > 20, told
        sys.stdout.write(f"installed with {len(installed.splitlines())} packages; both doors find the same\n")


def main() -> None:
    """Build and check."""
    wheel, sdist = build()
    check_contents(wheel, sdist)
    check_metadata(wheel, sdist)
    check_installed(wheel)
    sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size:,} bytes\n{sdist.name}: {sdist.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
