// Draws the sections of a report when they are opened. Names of the dataset reach
// the page as text nodes and attributes alone: nothing here parses HTML.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const number = (n) => n.toLocaleString("en");

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "onclick") node.addEventListener("click", value);
      else node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }
  const el = (tag, attributes = {}, ...children) =>
    fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);
  const name = (text) => el("bdi", {}, text);

  function table(caption, heads, rows) {
    return el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads.map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {},
        ...row.map((cell, i) => i === 0 ? el("th", { scope: "row" }, cell)
                                        : el("td", {}, cell))))));
  }

  // A list of any length, a page of it at a time.
  function pager(into, items, size, draw, what) {
    let first = 0;
    const box = el("div");
    const said = el("span", { "aria-live": "polite" });
    const turn = (by) => () => { first += by * size; show(); };
    const back = el("button", { type: "button", onclick: turn(-1) }, "Previous");
    const next = el("button", { type: "button", onclick: turn(1) }, "Next");
    function show() {
      box.replaceChildren(draw(items.slice(first, first + size)));
      const end = Math.min(first + size, items.length);
      said.textContent = items.length === 0 ? `No ${what}`
        : `${number(first + 1)} to ${number(end)} of ${number(items.length)} ${what}`;
      back.disabled = first === 0;
      next.disabled = end >= items.length;
    }
    into.append(el("div", { class: "pager" }, back, next, said), box);
    show();
    return (others) => { items = others; first = 0; show(); };
  }

  function picture(at, alt) {
    const bytes = typeof at === "number" ? data.pictures[at] : undefined;
    if (bytes === undefined) {
      const why = typeof at === "string" && at ? at : "no thumbnail";
      return el("span", { class: "blank", role: "img", "aria-label": `${alt}: ${why}` }, why);
    }
    return el("img", { src: `data:image/jpeg;base64,${bytes}`, alt, loading: "lazy",
      width: "96", height: "96" });
  }

  const splitName = (i) => (data.splits.rows[i] || { name: `split ${i}` }).name;
  const classOf = (row) => row === null ? null : data.classes.rows[row];
  const className = (row) => {
    if (row === null) return "no class";
    const found = classOf(row);
    return found ? found[0] : `class ${row}`;
  };
  const missing = (list) => list.left_out > 0
    ? el("p", { class: "note" }, `${number(list.left_out)} more are not listed here.`) : "";

  function foundFigure(found) {
    const copies = found.members > found.samples.length
      ? `, ${number(found.members)} samples` : "";
    return el("div", { class: "pair" },
      el("p", {}, found.findings.join(", ") + copies + (found.proved ? "" : ", unproved")),
      ...found.samples.map(([split, key, label]) => el("figure", {},
        picture(found.picture, `Image of ${key} in ${split}`),
        el("figcaption", {}, name(split), el("br"), name(label || "no label"), el("br"),
          name(key)))));
  }
  const foundList = (rows) => el("div", {}, ...rows.map(foundFigure));

  function sampleFigure(row) {
    const [key, split, classRow, id, width, height, bytes, quality, at] = row;
    const size = `${width} x ${height}, ${number(bytes)} bytes`;
    return el("li", {}, el("figure", {}, picture(at, `Image of ${key}`),
      el("figcaption", {}, name(className(classRow)), el("br"), name(splitName(split)),
        el("br"), name(key), el("br"), `id ${id}`, el("br"), size,
        quality ? `, quality ${quality}` : "")));
  }
  const sampleGrid = (rows) => el("ul", { class: "grid" }, ...rows.map(sampleFigure));

  // Bars with their counts; the same numbers as a table for those who ask.
  function chart({ name: title, bars }) {
    const height = 18;
    const most = Math.max(1, ...bars.map((bar) => bar[1]));
    const drawn = bars.flatMap(([label, count], i) => [
      svg("text", { x: 118, y: i * height + 13, "text-anchor": "end" }, label),
      svg("rect", { x: 124, y: i * height + 3, height: height - 6,
        width: Math.max(count > 0 ? 1 : 0, 180 * count / most) }),
      svg("text", { x: 128 + 180 * count / most, y: i * height + 13 }, number(count))]);
    const top = bars.reduce((a, b) => b[1] > a[1] ? b : a, bars[0]);
    const said = `${title}: most are ${top[0]}, ${number(top[1])} images`;
    const numbers = el("details", {}, el("summary", {}, "Numbers"));
    numbers.addEventListener("toggle", () => {
      if (numbers.open && !numbers.dataset.drawn) {
        numbers.dataset.drawn = "1";
        numbers.append(table(title, ["From", "Images"],
          bars.map(([label, count]) => [label, number(count)])));
      }
    });
    return el("figure", {}, el("figcaption", {}, title),
      svg("svg", { viewBox: `0 0 380 ${bars.length * height}`, role: "img",
        "aria-label": said }, ...drawn), numbers);
  }

  let showSamples = null;
  function samplesOfClass(row) {
    const section = document.querySelector('details[data-section="samples"]');
    section.open = true;
    draw(section);
    showSamples(data.samples.rows.filter((sample) => sample[2] === row));
    section.scrollIntoView();
  }

  function classTable(rows) {
    const splits = data.splits.rows.slice(0, 20).map((split) => split.name);
    return table("Classes, and their samples in each split",
      ["Class", "Label", "Samples", ...splits],
      rows.map(([row, [text, label, samples, counts]]) => [
        el("button", { type: "button", class: "link",
          onclick: () => { location.hash = `class=${label}`; } }, name(text)),
        String(label), number(samples), ...counts.map(number)]));
  }

  const sections = {
    found(into) {
      const rows = data.found.rows.filter((row) => row.samples.length > 1);
      pager(into, rows, 12, foundList, "images of several samples");
      into.append(missing(data.found));
    },
    conflicts(into) {
      into.append(table("Pairs of labels that copies of one image have",
        ["Label", "Other label", "Images"], data.conflicts.rows.map(
          ([a, b, images]) => [name(a), name(b), number(images)])), missing(data.conflicts));
      pager(into, data.found.rows.filter((row) => row.findings.includes("label-conflict")),
        12, foundList, "images with different labels");
    },
    classes(into) {
      const all = data.classes.rows.map((row, i) => [i, row]);
      const filter = el("input", { type: "search", id: "class-filter" });
      into.append(el("p", {}, el("label", { for: "class-filter" }, "Classes with "), filter));
      const show = pager(into, all, 100, classTable, "classes");
      filter.addEventListener("input", () => {
        const wanted = filter.value.toLowerCase();
        show(all.filter(([, row]) => row[0].toLowerCase().includes(wanted)));
      });
      into.append(missing(data.classes));
    },
    histograms(into) {
      into.append(el("div", { class: "charts" }, ...data.histograms.map(chart)));
    },
    rejected(into) {
      into.append(table("Reasons", ["Reason", "Action", "Files"], data.rejected.reasons.map(
        ([reason, action, count]) => [name(reason), action, number(count)])));
      pager(into, data.rejected.rows, 100, (rows) => table("Rejected files",
        ["Key", "Reason", "Split", "Action", "Detail"], rows.map((row) => row.map(name))),
        "rejected files");
      into.append(missing(data.rejected));
    },
    ignored(into) {
      into.append(table("Reasons", ["Reason", "Files"], data.ignored.reasons.map(
        ([reason, count]) => [name(reason), number(count)])));
      pager(into, data.ignored.rows, 100, (rows) => table("Ignored files",
        ["Key", "Reason", "Split"], rows.map((row) => row.map(name))), "ignored files");
      into.append(missing(data.ignored));
    },
    samples(into) {
      into.append(el("button", { type: "button",
        onclick: () => { history.replaceState(null, "", "#samples");
          showSamples(data.samples.rows); } }, "All shown samples"));
      showSamples = pager(into, data.samples.rows, 60, sampleGrid, "shown samples");
      into.append(missing(data.samples));
    },
  };

  function draw(section) {
    if (section.dataset.drawn) return;
    section.dataset.drawn = "1";
    sections[section.dataset.section](section);
  }
  const all = [...document.querySelectorAll("details[data-section]")];
  for (const section of all) {
    section.addEventListener("toggle", () => { if (section.open) draw(section); });
  }
  addEventListener("beforeprint", () => {
    for (const section of all) { draw(section); section.open = true; }
  });

  function follow() {
    const label = /^#class=(-?\d+)$/.exec(location.hash);
    if (!label) return;
    const row = data.classes.rows.findIndex((each) => String(each[1]) === label[1]);
    if (row >= 0) samplesOfClass(row);
  }
  addEventListener("hashchange", follow);
  follow();

  const results = document.getElementById("search-results");
  const search = document.getElementById("search");
  function find() {
    const wanted = search.value.trim().toLowerCase();
    results.replaceChildren();
    results.hidden = wanted === "";
    if (wanted === "") return;
    const has = (text) => text.toLowerCase().includes(wanted);
    const found = data.found.rows.filter((row) => row.samples.some((s) => has(s[1])));
    const samples = data.samples.rows.filter((row) => has(row[0]) || has(className(row[2])));
    const classes = data.classes.rows.map((row, i) => [i, row]).filter(([, row]) => has(row[0]));
    results.append(el("h2", {}, "Search results"));
    pager(results, found, 6, foundList, "images of several samples");
    pager(results, samples, 12, sampleGrid, "shown samples");
    pager(results, classes, 20, classTable, "classes");
  }
  search.addEventListener("input", find);
  document.getElementById("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });
})();
