"""Opens pages of runs in headless Chromium: `make test-page`.

    python -m tests.browser [FOLDER]

Leaves screenshots in FOLDER (default: build/page): in light and dark, on a phone's width, with ten thousand programs.
Ends with 1 where a page reports an error, lacks something, asks for a file, is wider than the window, or where what
can be clicked does not do what it should.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxlint.doctor import page
from tests.doctor import runs

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUICK = 3000
"""Within how many milliseconds a page of ten thousand programs is there, on a slow machine."""

PROBE = """\
<script>
window.addEventListener("load", () => {
  const all = (selector) => document.querySelectorAll(selector).length;
  const text = (id) => document.getElementById(id).textContent;
  const seen = {
    milliseconds: Number(document.documentElement.dataset.ready), theme: document.documentElement.dataset.theme,
    tiles: all(".tile"), suggestions: all("#suggestions .card"), excerpts: all("#suggestions pre .here"),
    trie: all("#trie summary"), flame: all("#flame button"), misses: all("#misses tbody tr"),
    functions: all("#functions tbody tr"), floods: all("#floods tbody tr"), broken: typeof broken !== "undefined",
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    loaded: performance.getEntriesByType("resource").length,
  };
  const canvas = document.getElementById("canvas"), area = canvas.getBoundingClientRect();
  const paint = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const colors = (pixels) => { const found = new Set(); for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3] === 255) found.add(`${pixels[i]} ${pixels[i + 1]} ${pixels[i + 2]}`); return found.size; };
  seen.colors = colors(paint());
  const at = { clientX: area.left + area.width / 2, clientY: area.top + 24 + 14 + 12, bubbles: true };
  const started = performance.now();
  document.getElementById("in").click();
  for (let i = 0; i < 12 && !text("picked").includes("trace "); i += 1) {
    at.clientX += 3;
    for (const kind of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(kind, at));
  }
  seen.picked = text("picked");
  document.getElementById("all").click();
  document.querySelector("#suggestions button")?.click();
  const bar = document.querySelectorAll("#flame button")[1];
  bar?.click();
  seen.line = text("line");
  document.querySelector("#functions th").click();
  document.querySelector("#functions th").click();
  seen.first = document.querySelector("#functions tbody tr td")?.textContent;
  document.getElementById("theme").click();
  seen.other = document.documentElement.dataset.theme;
  seen.clicks = Math.round(performance.now() - started);
  const told = document.createElement("pre");
  told.id = "probe";
  told.textContent = JSON.stringify(seen);
  document.body.append(told);
});
window.addEventListener("error", (event) => document.body.append(`probe-error: ${event.message}`));
</script></body>"""


def main() -> int:
    """Open the pages, and return the exit code."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.stderr.write("there is no Chromium here: apt-get install chromium\n")
        return 1
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "build/page")
    out.mkdir(parents=True, exist_ok=True)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, programs, size, theme in (
            ("light", 60, "1280,3400", "light"),
            ("dark", 60, "1280,3400", "dark"),
            ("phone", 60, "390,4200", "light"),
            ("many", 10_000, "1280,3400", "dark"),
        ):
            file = folder / f"{title}.html"
            page.write(file, runs.told(folder, programs))
            address = f"{file.as_uri()}?theme={theme}"
            _chromium(browser, folder, size, f"--screenshot={(out / title).absolute()}.png", address)
            probed = folder / f"{title}.probe.html"
            probed.write_text(file.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
            dumped = _chromium(browser, folder, size, "--dump-dom", f"{probed.as_uri()}?theme={theme}")
            wrong = check(dumped, theme, programs)
            sys.stdout.write(f"{title}: {'; '.join(wrong) or 'good'}\n")
            bad += len(wrong)
    return int(bad > 0)


def check(dumped: str, theme: str, programs: int) -> list[str]:
    """Return what is wrong with a page, given as what became of it in the browser."""
    found = re.search(r'<pre id="probe">(.*?)</pre>', dumped, re.DOTALL)
    error = re.search(r"probe-error: ([^$<][^<]*)", dumped)
    if error or not found:
        return [html.unescape(error[1]) if error else "nothing was probed"]
    seen = json.loads(html.unescape(found[1]))
    sys.stdout.write(f"  {programs} programs: {seen['milliseconds']} ms to show, {seen['clicks']} ms for the clicks\n")
    other = "light" if theme == "dark" else "dark"
    expected = {
        "theme": seen["theme"] == theme and seen["other"] == other,
        "tiles": seen["tiles"] >= 5,
        "suggestions": seen["suggestions"] >= 3 and seen["excerpts"] >= 3,
        "stack trie": seen["trie"] >= 3,
        "flame graph": seen["flame"] >= 3 and "equations" in seen["line"],
        "tables": seen["misses"] >= 3 and seen["functions"] >= 3 and seen["floods"] >= 1,
        "timeline": seen["colors"] >= 4 and "trace 10 ms, lowering 10 ms, compile 60 ms" in seen["picked"],
        "sorting": seen["first"] not in ("", None),
        "no name was run as code": not seen["broken"],
        "nothing loaded": seen["loaded"] == 0,
        "not wider than the window": seen["wider"] <= 0,
        "quick": max(seen["milliseconds"], seen["clicks"]) <= QUICK,
    }
    return [f"{what} ({seen})" for what, good in expected.items() if not good]


def _chromium(browser: str, folder: Path, size: str, *arguments: str) -> str:
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [browser, *options, profile, f"--window-size={size}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


if __name__ == "__main__":
    sys.exit(main())
