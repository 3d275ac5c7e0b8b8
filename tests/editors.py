"""The language server in Neovim and in Emacs with Eglot, which must be installed: `make test-editors`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "editors"
CODE = "import jax\n\n\ndef scale(x):\n    é = '😀'; return jax.jit(lambda y: y * 2)(x)\n"
FIXED = (
    "import jax\n\n\n@jax.jit\ndef _scale(y):\n    return y * 2\n\n\ndef scale(x):\n    é = '😀'; return _scale(x)\n"
)


def started(folder: Path, *command: str) -> str:
    """Run an editor in a folder with a file to lint, and return what it prints."""
    (folder / "pyproject.toml").write_text("[tool.jaxlint]\n")
    (folder / "a.py").write_text(CODE, encoding="utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    sys.stdout.write(f"{command[0]}\n{done.stdout}\n")
    return done.stdout


def main() -> None:
    """Start both, and raise AssertionError where one does not show what it should."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out = started(folder, "nvim", "--headless", "--clean", "a.py", "-c", f"luafile {SCRIPTS / 'neovim.lua'}")
        assert "found 5:" in out, "Neovim shows no finding"
        assert (folder / "a.py").read_text(encoding="utf-8") == FIXED, "Neovim did not apply the fix"
        out = started(folder, "emacs", "--batch", "-l", str(SCRIPTS / "emacs.el"))
        assert "found 5 " in out, "Emacs shows no finding"
        assert "action Move it to module level" in out, "Emacs offers no fix"


if __name__ == "__main__":
    main()
