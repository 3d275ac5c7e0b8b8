// Tries the extension in VS Code in a browser: opens a file, waits for a finding, takes a picture, applies the fix.
//
//   npm install --no-save code-server puppeteer-core    (code-server needs the version of Node that its package names)
//   code-server --install-extension dist/jaxlint.vsix
//   code-server --auth none --bind-addr 127.0.0.1:8099
//   node try.mjs http://127.0.0.1:8099 FILE PICTURE
//
// FILE must be in a folder of its own, and is changed.  Chromium must be installed.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import puppeteer from "puppeteer-core";

const [address, file, picture] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Wait until something holds, or throw. */
async function until(what, holds, seconds = 240) {
  for (let waited = 0; waited < seconds; waited += 1) {
    if (await holds()) {
      return;
    }
    await pause(1000);
  }
  throw new Error(`waited in vain: ${what}`);
}

const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1180, height: 640 });
  const open = JSON.stringify([["openFile", `vscode-remote://${new URL(address).host}${file}`]]);
  await page.goto(`${address}/?folder=${dirname(file)}&payload=${encodeURIComponent(open)}`, { timeout: 200_000 });
  const squiggles = ".squiggly-error, .squiggly-warning, .squiggly-info";
  await until("a finding", async () => (await page.$$(squiggles)).length > 0);
  await page.click(".view-line");
  await page.keyboard.press("F8"); // to the first finding
  await pause(3000);
  await page.keyboard.press("Escape");
  await page.keyboard.down("Control");
  await page.keyboard.press("Period");
  await page.keyboard.up("Control");
  await until("a fix", () => page.evaluate(() => document.body.innerText.includes("Move it to module level")));
  await page.screenshot({ path: picture });
  const before = readFileSync(file, "utf8");
  await page.keyboard.press("Enter");
  await pause(3000);
  await page.keyboard.down("Control");
  await page.keyboard.press("s");
  await page.keyboard.up("Control");
  await until("the fixed file", () => readFileSync(file, "utf8") !== before);
  console.log(readFileSync(file, "utf8"));
} finally {
  await browser.close();
}
