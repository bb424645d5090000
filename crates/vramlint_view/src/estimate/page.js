"use strict";
(() => {
  const gib = (bytes) => (bytes / 2 ** 30).toFixed(2) + " GiB";

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const shape = (name, className, parent) => {
    const made = document.createElementNS(parent.namespaceURI, name);
    made.setAttribute("class", className);
    parent.append(made);
    return made;
  };

  const start = (run) => {
    const data = JSON.parse(run.querySelector("script.data").textContent);
    const { plot, parts, moments, words } = data;
    if (moments.length === 0) return;
    const chart = run.querySelector(".chart");
    const readout = run.querySelector(".readout");
    const peak = data.peak ?? 0;
    const { edges } = plot;
    const column = shape("rect", "column", chart);
    const cross = shape("line", "cross", chart);
    let shown = -1;

    const why = (part, bytes) => {
      const box = element("div", "why");
      if (bytes !== part.peak && part.items.some((item) => item[2])) {
        box.append(element("div", "", `${words.at} ${gib(part.peak)}:`));
      }
      for (const [name, size, formula] of part.items.slice(0, 3)) {
        if (!formula) continue;
        const line = element("div", "", `${name} ${gib(size)} = `);
        line.append(element("code", "", formula));
        box.append(line);
      }
      if (part.items.length > 3) box.append(element("div", "", words.more.replace("{n}", part.items.length - 3)));
      return box;
    };

    const show = (number) => {
      const at = Math.max(0, Math.min(moments.length - 1, number));
      if (at === shown) return;
      shown = at;
      const [label, phase, bytes, held] = moments[at];
      const x = edges[at];
      const wide = edges[at + 1] - x;
      for (const [name, value] of [["x", x], ["y", plot.y], ["width", wide], ["height", plot.height]]) {
        column.setAttribute(name, value);
      }
      for (const [name, value] of [["x1", x + wide / 2], ["x2", x + wide / 2], ["y1", plot.y], ["y2", plot.y + plot.height]]) {
        cross.setAttribute(name, value);
      }
      const place = words.of.replace("{n}", at + 1).replace("{all}", moments.length);
      const when = element("div", "when");
      when.append(element("span", "", at === peak ? `${phase} · ${words.peak}` : phase), element("span", "", place));
      const total = element("div", "total");
      total.append(element("span", "", words.total), element("span", "bytes", gib(bytes)));
      const list = element("ul");
      for (const part of parts) {
        const own = held[part.number];
        if (own === 0) continue;
        const row = element("li");
        const head = element("div", "part");
        head.append(element("i", "p-" + part.key), element("span", "", part.name), element("b", "", gib(own)));
        row.dataset.part = part.key;
        row.append(head, why(part, own));
        list.append(row);
      }
      readout.replaceChildren(element("h3", "", label), when, total, list);
      chart.setAttribute("aria-valuenow", at + 1);
      chart.setAttribute("aria-valuetext", `${label}, ${phase}: ${gib(bytes)}`);
    };

    /** The next moment in a direction at which another phase begins. */
    const phase = (from, direction) => {
      let at = from;
      while (moments[at + direction] && moments[at + direction][1] === moments[from][1]) at += direction;
      return at + direction;
    };

    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
      const next = edges.findIndex((edge) => edge > x);
      show(next < 0 ? moments.length - 1 : next - 1);
    });
    chart.addEventListener("pointerleave", () => {
      if (document.activeElement !== chart) show(peak);
    });
    chart.addEventListener("keydown", (event) => {
      const to = {
        ArrowLeft: shown - 1, ArrowDown: shown - 1, ArrowRight: shown + 1, ArrowUp: shown + 1,
        PageDown: phase(shown, 1), PageUp: phase(shown, -1), Home: 0, End: moments.length - 1, Escape: peak,
      }[event.key];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(to);
    });
    show(peak);
  };

  document.querySelectorAll("section.run").forEach(start);
})();
