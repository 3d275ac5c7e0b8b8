"use strict";
(() => {
  const begun = performance.now();
  // What a browser would obey, instead of show: control characters, and what turns the writing direction.
  const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu;
  const visible = (text) => text.replace(OBEYED, (one) => {
    const number = one.codePointAt(0);
    return number < 256 ? `\\x${number.toString(16).padStart(2, "0")}` : `\\u${number.toString(16).padStart(4, "0")}`;
  });
  const named = (object) => Object.fromEntries(Object.entries(object || {}).map(([name, value]) => [visible(name), value]));
  const data = JSON.parse(document.getElementById("data").textContent, (_, value) => typeof value === "string" ? visible(value) : value);
  data.sources = named(data.sources);
  data.links = named(data.links);
  const $ = (id) => document.getElementById(id);
  const PHASES = ["trace", "lowering", "compile"];
  const ROWS = 50;

  // --- words -------------------------------------------------------------------------------------------------------

  const make = (tag, className, ...parts) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...parts.filter((part) => part !== null && part !== undefined));
    return node;
  };
  const seconds = (value) =>
    value === null || value === undefined ? "–"
      : value >= 100 ? `${Math.round(value).toLocaleString("en")} s`
        : value >= 1 ? `${value.toFixed(value >= 10 ? 1 : 2)} s`
          : value >= 0.0005 ? `${(value * 1000).toFixed(value >= 0.01 ? 0 : 1)} ms` : "0 ms";
  const count = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en"));
  const folder = data.run && data.run.folder ? data.run.folder.replace(/\/?$/, "/") : "";
  const short = (file) => (folder && file.startsWith(folder) ? file.slice(folder.length) : file.replace(/^.*[\\/](?:site|dist)-packages[\\/]/, ""));
  const place = (at) => (at && at.file ? `${short(at.file)}:${at.shown || at.line}` : "place unknown");
  const linked = (at, ...parts) => {
    const address = at && at.file && data.links[at.file];
    if (!address) return make("span", "", ...parts);
    const link = make("a", "", ...parts);
    link.href = address.replace("{line}", at.line);
    return link;
  };
  const frame = (index) => {
    const [file, line, name, column, endLine, endColumn] = data.frames[index];
    return { file, line, function: name, column, end_line: endLine, end_column: endColumn, bytes: true };
  };
  const cost = (program) => PHASES.reduce((sum, phase) => sum + (program[phase] || 0), 0);

  // --- source excerpts ---------------------------------------------------------------------------------------------

  const bytes = new TextEncoder();
  const text = new TextDecoder();
  // Columns of frames count UTF-8 bytes from 0, as Python tells them; those of sites code points from 1.
  const cut = (row, from, to, inBytes) => inBytes ? text.decode(bytes.encode(row).slice(from, to))
    : [...row].slice(Math.max(from - 1, 0), to === undefined ? undefined : to - 1).join("");

  function excerpt(at) {
    const rows = at && data.sources ? data.sources[at.file] : null;
    if (!rows || rows[at.line] === undefined) return null;
    const last = Math.max(at.end_line || at.line, at.line);
    const shown = make("pre");
    for (let line = at.line - 2; line <= Math.min(last + 2, at.line + 12); line += 1) {
      const row = rows[line];
      if (row === undefined) continue;
      const here = line >= at.line && line <= last;
      const node = make("span", here ? "here" : "", make("i", "", linked({ file: at.file, line }, String(line))));
      if (here && at.column !== null && at.column !== undefined) {
        const first = at.bytes ? 0 : 1;
        const from = line === at.line ? at.column : row.length - row.trimStart().length + first;
        const to = line === last && at.end_column ? at.end_column : undefined;
        node.append(cut(row, first, from, at.bytes), make("u", "", cut(row, from, to, at.bytes)),
          to === undefined ? "" : cut(row, to, undefined, at.bytes));
      } else node.append(row || " ");
      shown.append(node);
    }
    return shown;
  }

  function finding(one, elsewhere) {
    const node = make("div", "finding", make("b", "", one.code), ` ${one.message} `,
      make("span", "place", `${short(one.filename)}:${one.location.row}:${one.location.column}`));
    for (const fix of one.fixes || []) {
      if (fix.message) node.append(make("br"), `fix (${fix.applicability}): ${fix.message}`);
    }
    const code = elsewhere ? excerpt({ file: one.filename, line: one.location.row, column: one.location.column,
      end_line: one.end_location.row, end_column: one.end_location.column }) : null;
    if (code) node.append(code);
    return node;
  }

  // --- tables ------------------------------------------------------------------------------------------------------

  /* A column: title, what to show of a row, and what to sort by (a number: shown to the right). */
  function table(into, rows, columns, details) {
    if (!rows.length) return false;
    let order = [...rows];
    let shown = ROWS;
    const body = make("tbody");
    const heads = columns.map(([title, , key]) => make("th", key ? "number" : "", title));
    const more = make("button", "more");
    const draw = () => {
      body.replaceChildren(...order.slice(0, shown).map((row) => {
        const line = make("tr", "");
        columns.forEach(([title, show, key]) => {
          const value = show(row);
          const cell = make("td", key ? "number" : "text", ...(Array.isArray(value) ? value : [value]));
          cell.dataset.title = title;
          line.append(cell);
        });
        if (details) details(row, line);
        return line;
      }));
      more.hidden = order.length <= shown;
      more.textContent = `show ${Math.min(ROWS * 4, order.length - shown)} more of ${count(order.length)}`;
    };
    heads.forEach((head, index) => {
      const [, show, key] = columns[index];
      head.tabIndex = 0;
      const sort = () => {
        const down = head.getAttribute("aria-sort") !== "descending" ? -1 : 1;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
        const value = (row) => (key ? key(row) ?? -1 : String(show(row)));
        order.sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * down; });
        draw();
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    });
    more.addEventListener("click", () => { shown += ROWS * 4; draw(); });
    into.append(make("div", "wide", make("table", "", make("thead", "", make("tr", "", ...heads)), body)), more);
    draw();
    return true;
  }

  // --- beginning ---------------------------------------------------------------------------------------------------

  const theme = $("theme");
  const wanted = new URLSearchParams(location.search).get("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const redraw = [];
  const setTheme = (name) => { document.documentElement.dataset.theme = name; redraw.forEach((draw) => draw()); };
  setTheme(wanted || (dark.matches ? "dark" : "light"));
  theme.addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

  const totals = data.totals;
  const run = data.run || {};
  const versions = Object.entries(run.versions || {}).map(([name, version]) => `${name} ${version}`).join(", ");
  $("what").append((run.arguments || []).length ? make("code", "", run.arguments.join(" ")) : "a log", " ", versions);
  const tile = (value, title) => $("totals").append(make("div", "tile", make("b", "", value), title));
  tile(count(totals.compiles), "programs compiled");
  const spent = PHASES.reduce((sum, phase) => sum + totals[`${phase}_seconds`], 0);
  tile(seconds(spent), totals.wall_seconds ? `of ${seconds(totals.wall_seconds)} to make them` : "to make them");
  for (const phase of PHASES) tile(seconds(totals[`${phase}_seconds`]), { trace: "tracing", lowering: "lowering", compile: "compiling" }[phase]);
  if (totals.cache_loads) tile(count(totals.cache_loads), "loaded from the persistent cache");
  if (data.unattributed && totals.compiles) {
    const known = 100 * (1 - data.unattributed.share);
    $("share").textContent = `${known.toFixed(known < 99.95 ? 1 : 0)} % of these seconds are known to come of a line of the program.`;
  }

  // --- what to change ----------------------------------------------------------------------------------------------

  const programs = data.programs || [];
  let marked = null;
  const suggestions = data.suggestions || [];
  const told = (tried) => tried.failure ? `tried, and it failed: ${tried.failure}`
    : `tried: ${seconds(tried.seconds_before)} became ${seconds(tried.seconds_after)}`;
  const smaller = suggestions.filter((one) => one.shown === false);
  for (const one of suggestions.filter((one) => one.shown !== false).slice(0, ROWS)) {
    const card = make("div", "card");
    const show = make("button", "", "show in time");
    show.addEventListener("click", () => {
      marked = new Set(one.programs);
      redraw.forEach((draw) => draw());
      $("time").scrollIntoView({ behavior: "smooth" });
    });
    card.append(
      make("div", "head", make("h3", "", one.title), make("span", "saving", one.tried ? told(one.tried) : one.saving >= 0.0005 ? `saves up to ${seconds(one.saving)}` : seconds(one.seconds))),
      make("div", "place", linked(one.site, place(one.site)), one.site && one.site.function ? `  ${one.site.function}` : ""));
    const code = excerpt(one.site);
    if (code) card.append(code);
    for (const fact of one.facts || []) card.append(make("p", "place", fact));
    for (const found of one.findings || []) card.append(finding(found, !one.site || found.filename !== one.site.file || found.location.row !== one.site.line));
    if (!(one.findings || []).length || one.kind === "function" || one.kind === "call") card.append(make("p", "", one.advice));
    if ((one.programs || []).length && programs.length) card.append(show);
    $("suggestions").append(card);
  }
  if (suggestions.length && smaller.length === suggestions.length) $("suggestions").append(make("p", "", "Nothing here is worth changing."));
  const dear = smaller.filter((one) => one.costly).sort((a, b) => b.seconds - a.seconds);
  for (const one of dear) {
    $("suggestions").append(make("p", "quiet", linked(one.site, place(one.site)), `: ${one.title}; ${seconds(one.seconds)}, ${one.tried ? told(one.tried) : one.obstacle ? `but ${one.obstacle}` : `of which up to ${seconds(one.saving)} could be saved`}`));
  }
  if (smaller.length > dear.length) {
    const saved = smaller.filter((one) => !dear.includes(one)).reduce((sum, one) => sum + one.saving, 0);
    $("suggestions").append(make("p", "quiet", `${count(smaller.length - dear.length)} smaller, which would save up to ${seconds(saved)} together`));
  }
  if (!suggestions.length) $("suggestions").append(make("p", "", "Nothing: no program was compiled in vain."));

  // --- timeline ----------------------------------------------------------------------------------------------------

  const LANE = 30;
  const timed = programs.filter((program) => program.time !== null && program.time !== undefined);
  const lanes = new Map();
  for (const program of timed) {
    const key = `${program.host || ""} ${program.process || ""} ${program.thread || ""}`;
    if (!lanes.has(key)) lanes.set(key, []);
    lanes.get(key).push({ program, end: program.time, start: program.time - cost(program) });
  }
  for (const bars of lanes.values()) bars.sort((a, b) => a.start - b.start);

  function timeline() {
    const canvas = $("canvas"), box = $("lanes"), picked = $("picked");
    const end = Math.max(totals.wall_seconds || 0, ...timed.slice(-1).map((p) => p.time), timed.reduce((m, p) => Math.max(m, p.time), 0));
    const begin = Math.min(0, timed.reduce((m, p) => Math.min(m, p.time - cost(p)), 0));
    let from = begin, to = end + (end - begin) * 0.005 || 1;
    const whole = [from, to];
    const keys = [...lanes.keys()];
    const several = keys.length > 1;
    const height = 24 + keys.length * (LANE + (several ? 16 : 6)) + 4;
    let colors = {};
    const top = (index) => 24 + index * (LANE + (several ? 16 : 6)) + (several ? 14 : 2);
    let width = 0;
    const x = (time) => ((time - from) / (to - from)) * width;

    function draw() {
      const style = getComputedStyle(document.documentElement);
      colors = Object.fromEntries(["trace", "lowering", "compile", "load", "text", "quiet", "line"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
      const ratio = window.devicePixelRatio || 1;
      width = box.clientWidth;
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      canvas.style.height = `${height}px`;
      const out = canvas.getContext("2d");
      out.scale(ratio, ratio);
      out.font = '11px system-ui, "DejaVu Sans", sans-serif';
      axis(out);
      keys.forEach((key, index) => {
        if (several) { out.fillStyle = colors.quiet; out.fillText(name(key), 4, top(index) - 3); }
        lane(out, lanes.get(key), top(index));
      });
    }
    function name(key) {
      const [host, process, thread] = key.split(" ");
      return [host, process && `process ${process}`, thread].filter(Boolean).join(", ") || "the program";
    }
    function axis(out) {
      const step = (to - from) / Math.max(2, width / 90);
      const unit = 10 ** Math.floor(Math.log10(step));
      const tick = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= step);
      out.fillStyle = colors.quiet;
      out.strokeStyle = colors.line;
      for (let at = Math.ceil(from / tick) * tick; at <= to; at += tick) {
        out.beginPath(); out.moveTo(x(at), 16); out.lineTo(x(at), height); out.stroke();
        const told = tick < 1 ? `${at.toFixed(Math.min(6, Math.ceil(-Math.log10(tick))))} s` : `${Math.round(at)} s`;
        if (x(at) + 3 + out.measureText(told).width <= width) out.fillText(told, x(at) + 3, 11);
      }
    }
    function lane(out, bars, y) {
      // What falls on the same pixel is drawn once: ten thousand bars on a thousand pixels.
      const drawn = {};
      for (const bar of bars) {
        if (bar.end < from || bar.start > to) continue;
        let at = bar.start;
        const faded = marked && !marked.has(bar.program.id);
        for (const phase of PHASES) {
          const length = bar.program[phase] || 0;
          if (length <= 0) continue;
          const color = phase === "compile" && bar.program.cached ? "load" : phase;
          const left = x(at), right = Math.max(x(at + length), left + 1);
          at += length;
          const key = faded ? `faded ${color}` : color;
          if (right <= (drawn[key] ?? -1)) continue;
          drawn[key] = Math.floor(right);
          out.globalAlpha = faded ? 0.18 : 1;
          out.fillStyle = colors[color];
          out.fillRect(left, y, Math.max(right - left, 1), LANE);
        }
        out.globalAlpha = faded ? 0.3 : 1;
        if (x(bar.end) - x(bar.start) > 60) {
          out.save(); out.beginPath(); out.rect(x(bar.start), y, x(bar.end) - x(bar.start) - 4, LANE); out.clip();
          out.fillStyle = "#fff"; out.fillText(bar.program.name, Math.max(x(bar.start), 0) + 5, y + 19); out.restore();
        }
      }
      out.globalAlpha = 1;
    }
    function under(event) {
      const area = canvas.getBoundingClientRect();
      const px = event.clientX - area.left, py = event.clientY - area.top;
      const index = keys.findIndex((_, i) => py >= top(i) - 2 && py <= top(i) + LANE + 2);
      if (index < 0) return null;
      const bars = lanes.get(keys[index]);
      const time = from + (px / width) * (to - from), slack = ((to - from) / width) * 3;
      let best = null;
      for (const bar of bars) {
        if (bar.start > time + slack) break;
        if (bar.end >= time - slack && (!best || bar.end - bar.start > best.end - best.start)) best = bar;
      }
      return best;
    }
    function tell(bar) {
      const program = bar.program;
      const stack = program.stack === null || program.stack === undefined ? [] : data.stacks[program.stack];
      picked.className = "card";
      picked.replaceChildren(
        make("div", "head", make("h3", "", `${program.name} `, make("span", "place", program.id)), make("span", "saving", seconds(cost(program)))),
        make("p", "", `at ${seconds(bar.start)}: ` + PHASES.map((phase) => `${phase} ${seconds(program[phase])}`).join(", ")
          + (program.cached ? ", from the persistent cache" : "") + (program.eager ? ", an operation by itself" : program.cause ? `, ${program.cause}` : "")),
        program.types ? make("p", "place", program.types.slice(0, 600)) : null,
        ...stack.slice(0, 12).map((index) => make("div", "place", `${place(frame(index))}  ${frame(index).function}`)),
        stack.length ? excerpt(frame(stack[0])) : null);
    }
    function zoom(factor, center) {
      const middle = center ?? (from + to) / 2;
      from = Math.max(whole[0], middle - (middle - from) * factor);
      to = Math.min(whole[1], middle + (to - middle) * factor);
      draw();
    }
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { held = { x: event.clientX, from, to, moved: false }; });
    canvas.addEventListener("pointermove", (event) => {
      if (held && event.buttons) {
        const by = ((held.x - event.clientX) / width) * (held.to - held.from);
        if (Math.abs(held.x - event.clientX) > 3) held.moved = true;
        const shift = Math.min(Math.max(by, whole[0] - held.from), whole[1] - held.to);
        from = held.from + shift; to = held.to + shift; draw();
      } else {
        const bar = under(event);
        canvas.title = bar ? `${bar.program.name}, ${seconds(cost(bar.program))}` : "";
      }
    });
    canvas.addEventListener("pointerup", (event) => {
      const bar = held && !held.moved ? under(event) : null;
      held = null;
      if (bar) tell(bar);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const area = canvas.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, from + ((event.clientX - area.left) / width) * (to - from));
    }, { passive: false });
    box.addEventListener("keydown", (event) => {
      const by = (to - from) / 8;
      if (event.key === "+") zoom(0.6); else if (event.key === "-") zoom(1.6);
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        const shift = event.key === "ArrowLeft" ? Math.max(-by, whole[0] - from) : Math.min(by, whole[1] - to);
        from += shift; to += shift; draw();
      } else return;
      event.preventDefault();
    });
    $("in").addEventListener("click", () => zoom(0.5));
    $("out").addEventListener("click", () => zoom(2));
    $("all").addEventListener("click", () => { marked = null; [from, to] = whole; draw(); });
    const key = (name, title) => { const box = make("i"); box.style.background = `var(--${name})`; return [box, title]; };
    $("legend").append(...key("trace", "tracing"), ...key("lowering", "lowering"), ...key("compile", "compiling"), ...(totals.cache_loads ? key("load", "loading") : []));
    redraw.push(draw);
    draw();
    let known = box.clientWidth;
    new ResizeObserver(() => { if (box.clientWidth !== known) { known = box.clientWidth; draw(); } }).observe(box);
  }
  if (timed.length) timeline(); else $("time").hidden = true;

  // --- stack trie --------------------------------------------------------------------------------------------------

  function trie() {
    const root = { children: new Map(), seconds: 0, count: 0 };
    const grow = (node, key, label, add) => {
      let next = node.children.get(key);
      if (!next) node.children.set(key, next = { label, children: new Map(), seconds: 0, count: 0 });
      next.seconds += add; next.count += 1;
      return next;
    };
    for (const program of programs) {
      const add = cost(program);
      let node = root;
      root.seconds += add; root.count += 1;
      const stack = program.stack === null || program.stack === undefined ? null : data.stacks[program.stack];
      if (!stack) node = grow(node, "?", { name: "(no line of the program is known)" }, add);
      else for (let i = stack.length - 1; i >= 0; i -= 1) node = grow(node, stack[i], { frame: stack[i] }, add);
      grow(node, `= ${program.name} ${program.eager} ${program.cause}`, { name: program.name, eager: program.eager, cause: program.cause }, add);
    }
    if (!root.children.size) { $("from").hidden = true; return; }
    const sorted = (node) => [...node.children.values()].sort((a, b) => b.seconds - a.seconds);
    const line = (node) => {
      const meter = make("i");
      meter.style.width = `${(100 * node.seconds) / root.seconds}%`;
      const at = node.label.frame === undefined ? null : frame(node.label.frame);
      const what = at ? [`${at.function || "?"} `, make("span", "place", linked(at, place(at)))]
        : [make("b", "", node.label.name), node.label.eager ? make("span", "place", " an operation by itself") : node.label.cause ? make("span", "place", ` ${node.label.cause}`) : null];
      return [make("span", "cost", seconds(node.seconds)), make("span", "meter", meter), ...what.filter(Boolean), make("span", "place", node.count > 1 ? `  ×${count(node.count)}` : "")];
    };
    const build = (node, open) => {
      if (!node.children.size) return make("div", "leaf", ...line(node));
      const branch = make("details", "", make("summary", "", ...line(node)));
      let filled = false;
      const fill = () => {
        if (filled) return;
        filled = true;
        fillAll(branch, sorted(node), open);
      };
      branch.addEventListener("toggle", fill);
      if (open > 0 && node.seconds > root.seconds * 0.05) { branch.open = true; fill(); }
      return branch;
    };
    const fillAll = (into, children, open) => {
      let shown = 0;
      const more = make("button", "more");
      const next = () => {
        into.append(...children.slice(shown, shown + ROWS).map((child) => build(child, open - (children.length > 1 ? 1 : 0))));
        shown += ROWS;
        if (shown < children.length) { more.textContent = `${count(children.length - shown)} more`; into.append(more); } else more.remove();
      };
      more.addEventListener("click", next);
      next();
    };
    fillAll($("trie"), sorted(root), 4);
  }
  trie();

  // --- equations ---------------------------------------------------------------------------------------------------

  function equations() {
    const large = (data.equations || []).filter((one) => one.samples.some(([, , stack]) => stack !== null && stack !== undefined));
    if (!large.length) { $("size").hidden = true; return; }
    const select = $("program"), flame = $("flame"), told = $("line");
    large.forEach((one, index) => select.append(new Option(`${one.name}: ${count(one.count)} equations${one.file ? `, ${short(one.file)}:${one.line}` : ""}`, index)));
    let root = null, top = null;
    function grow(one) {
      const made = { label: one.name, count: 0, children: new Map(), parent: null, at: one.file ? { file: one.file, line: one.line } : null };
      for (const [number, primitive, stack] of one.samples) {
        let node = made;
        node.count += number;
        const frames = stack === null || stack === undefined ? [] : data.stacks[stack];
        const path = frames.map((index) => ["f" + index, frame(index)]).reverse();
        path.push(["p" + primitive, null]);
        for (const [key, at] of path) {
          let next = node.children.get(key);
          if (!next) node.children.set(key, next = { label: at ? `${at.function} ${short(at.file)}:${at.line}` : primitive || "other", count: 0, children: new Map(), parent: node, at });
          next.count += number;
          node = next;
        }
      }
      return made;
    }
    function hue(label) {
      let hash = 0;
      for (const letter of label) hash = (hash * 31 + letter.codePointAt(0)) % 997;
      return 12 + (hash % 40);
    }
    function draw() {
      const width = flame.clientWidth || 600;
      const nodes = [];
      let depth = 0;
      const above = [];
      for (let node = top; node; node = node.parent) above.unshift(node);
      above.slice(0, -1).forEach((node) => { nodes.push([node, 0, width, depth]); depth += 1; });
      const lay = (node, left, right, level) => {
        if (right - left < 1.5) return;
        nodes.push([node, left, right, level]);
        depth = Math.max(depth, level + 1);
        let at = left;
        for (const child of [...node.children.values()].sort((a, b) => b.count - a.count)) {
          const share = ((right - left) * child.count) / node.count;
          lay(child, at, at + share, level + 1);
          at += share;
        }
      };
      lay(top, 0, width, depth);
      flame.style.height = `${depth * 21}px`;
      flame.replaceChildren(...nodes.map(([node, left, right, level]) => {
        const bar = make("button", "", right - left > 24 ? node.label : "");
        bar.title = `${node.label}: ${count(node.count)} (${((100 * node.count) / root.count).toFixed(1)} %)`;
        bar.style.cssText = `left:${left}px;width:${Math.max(right - left - 0.5, 1)}px;top:${level * 21}px;background:hsl(${hue(node.label)} 62% var(--flame-light))`;
        bar.addEventListener("click", () => { top = node; draw(); tell(node); });
        return bar;
      }));
    }
    function tell(node) {
      const code = node.at ? excerpt(node.at) : null;
      told.className = "card";
      told.replaceChildren(make("div", "head", make("h3", "", node.label), make("span", "saving", `${count(node.count)} equations`)), ...(code ? [code] : []));
    }
    function choose() {
      const one = large[select.value];
      root = top = grow(one);
      let hot = root;
      // What stands for most of the program: down to where it splits.
      for (let next = hot; next; next = [...hot.children.values()].find((child) => child.count > root.count * 0.6 && child.at)) hot = next;
      draw();
      tell(hot);
      const lines = new Map();
      for (const [number, primitive, stack] of one.samples) {
        const index = stack === null || stack === undefined ? null : data.stacks[stack][0];
        const key = index === null ? "other" : place(frame(index));
        const row = lines.get(key) || { key, at: index === null ? null : frame(index), count: 0, primitives: new Map() };
        row.count += number;
        row.primitives.set(primitive || "other", (row.primitives.get(primitive || "other") || 0) + number);
        lines.set(key, row);
      }
      $("largest").replaceChildren();
      table($("largest"), [...lines.values()].sort((a, b) => b.count - a.count), [
        ["equations", (row) => count(row.count), (row) => row.count],
        ["share", (row) => `${((100 * row.count) / root.count).toFixed(1)} %`, (row) => row.count],
        ["line", (row) => [make("code", "", row.key), " ", make("span", "place", row.at ? row.at.function : "")]],
        ["primitives", (row) => [...row.primitives].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name, n]) => `${name} ${count(n)}`).join(", ")],
      ]);
    }
    select.addEventListener("change", choose);
    // What the first suggestion that is about a large program is about.
    const about = suggestions.flatMap((one) => one.functions || []);
    const first = about.map((of) => large.findIndex((one) => one.name === of.name && one.line === of.line)).find((index) => index >= 0);
    if (first !== undefined) select.value = String(first);
    $("up").addEventListener("click", () => { top = root; draw(); });
    new ResizeObserver(() => { if (top) draw(); }).observe(flame.parentElement);
    choose();
  }
  equations();

  // --- tables ------------------------------------------------------------------------------------------------------

  const total = (row) => (row.seconds !== undefined && row.seconds !== null ? row.seconds : PHASES.reduce((sum, phase) => sum + (row[`${phase}_seconds`] || 0), 0));
  const fill = (id, rows, columns) => { if (!table($(id).lastElementChild, rows || [], columns)) $(id).hidden = true; };
  const codes = (row) => (row.findings || []).map((one) => one.code || one).join(" ");
  fill("misses", data.misses, [
    ["seconds", (row) => seconds(total(row)), total],
    ["times", (row) => count(row.count), (row) => row.count],
    ["function", (row) => [make("code", "", row.function || row.name || "?"), " ", make("span", "place", row.definition ? place(row.definition) : "")]],
    ["called at", (row) => [make("code", "", linked(row.site, place(row.site)))]],
    ["cause", (row) => row.cause],
    ["what differs", (row) => (row.changes.length ? row.changes.join("; ") : row.cause.endsWith("-function") ? "" : row.evidence)],
    ["findings", codes],
  ]);
  fill("floods", data.floods, [
    ["seconds", (row) => seconds(total(row)), total],
    ["programs", (row) => count(row.programs), (row) => row.programs],
    ["line", (row) => [make("code", "", linked(row.site, place(row.site)))]],
    ["operations", (row) => row.operations.map((one) => (one.count > 1 ? `${one.name} ×${one.count}` : one.name)).join(", ")],
    ["findings", codes],
  ]);
  fill("functions", data.functions, [
    ["seconds", (row) => seconds(total(row)), total],
    ["function", (row) => [make("code", "", row.name), " ", make("span", "place", row.file ? place(row) : "")]],
    ["compiles", (row) => count(row.compiles), (row) => row.compiles],
    ["traces", (row) => count(row.traces), (row) => row.traces],
    ["tracing", (row) => seconds(row.trace_seconds), (row) => row.trace_seconds],
    ["lowering", (row) => seconds(row.lowering_seconds), (row) => row.lowering_seconds],
    ["compiling", (row) => seconds(row.compile_seconds), (row) => row.compile_seconds],
    ["equations", (row) => count(row.equations), (row) => row.equations],
  ]);
  fill("rest", data.unused, [
    ["finding", (row) => [make("b", "", row.code), ` ${row.message}`]],
    ["place", (row) => [make("code", "", `${short(row.filename)}:${row.location.row}`)]],
  ]);
  document.documentElement.dataset.ready = String(Math.round(performance.now() - begun));
})();
