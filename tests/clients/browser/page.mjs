// Opens the page in Chromium and compares what is drawn with the JSON of the same estimate.
//
//   node page.mjs FOLDER_OF_PLAYWRIGHT CHROMIUM VRAMLINT [FOLDER_FOR_SCREENSHOTS]
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, executablePath, vramlint, pictures] = process.argv.slice(2);
const { chromium } = createRequire(join(tools, "x.js"))("playwright-core");

const HOSTILE = `</script><img src=x onerror="document.title='owned'">{{title}}&"'`;
const CARD = 24 * 2 ** 30;
const gib = (bytes) => (bytes / 2 ** 30).toFixed(2) + " GiB";

const folder = mkdtempSync(join(tmpdir(), "vramlint-browser-"));
const record = (id) => ({
  id,
  model: { id: "Qwen/Qwen2.5-1.5B", arch: {
    cls: "Qwen2Config", hidden_size: 1536, intermediate_size: 8960, num_hidden_layers: 28, num_attention_heads: 12,
    num_key_value_heads: 2, vocab_size: 151936, tie_word_embeddings: true } },
  setup: { task: "clm", dtype: "bf16", micro_batch: 2, seq: 1024, checkpointing: "nonreentrant", attn: "sdpa" },
});
const estimate = (records, ...words) => {
  const input = records.map((one) => JSON.stringify(one)).join("\n");
  return execFileSync(vramlint, ["estimate", "--setup", "-", "--isolated", "--gpu-memory", `${CARD}`, ...words], { input, cwd: folder, encoding: "utf8" });
};
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
};

const json = JSON.parse(estimate([record("one")], "--output-format", "json"));
const page_en = write("en.html", estimate([record("one")], "--output-format", "html"));
const page_zh = write("zh.html", estimate([record("one")], "--output-format", "html", "--lang", "zh"));
const page_hostile = write("hostile.html", estimate([record(HOSTILE), record("two")], "--output-format", "html"));
const drawing = estimate([record(HOSTILE)], "--output-format", "svg", "--lang", "zh");
const drawing_url = write("drawing.svg", drawing);

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
let checks = 0;
const check = async (name, work) => {
  await work();
  checks += 1;
  console.log(`ok ${name}`);
};

/** A page that fails on whatever it says, and on any request but the first. */
const open = async (url, options = {}) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const wrong = [];
  page.on("console", (message) => wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("dialog", (dialog) => wrong.push(dialog.message()));
  page.on("request", (request) => request.url() !== url && wrong.push(`request: ${request.url()}`));
  await page.goto(url);
  return { page, quiet: () => assert.deepEqual(wrong, []) };
};
const shoot = async (page, name) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, name), fullPage: true });
};
const close = (actual, expected, within, what) =>
  assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual} is not within ${within} of ${expected}`);

try {
  const { page, quiet } = await open(page_en, { colorScheme: "light" });

  await check("the page needs nothing but itself, and says so to the browser", async () => {
    assert.equal(await page.getAttribute("html", "lang"), "en");
    const policy = await page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content");
    assert.match(policy, /default-src 'none'/);
    quiet();
  });

  await check("heights drawn at the peak are the bytes of the JSON", async () => {
    assert.equal(Math.max(...json.timeline.map((moment) => moment.bytes)), json.gpu.tensors);
    const drawn = await page.evaluate(() => {
      const chart = document.querySelector(".chart");
      const circle = chart.querySelector("circle.peak");
      const lines = [...chart.querySelectorAll("line[data-gib]")].map((line) => [Number(line.dataset.gib), line.y1.baseVal.value]);
      const [low, high] = [lines[0], lines.at(-1)];
      const per = (high[0] - low[0]) / (low[1] - high[1]);
      const point = chart.createSVGPoint();
      point.x = circle.cx.baseVal.value;
      const heights = {};
      for (const area of chart.querySelectorAll("path.area")) {
        let inside = 0;
        for (point.y = 0; point.y < chart.viewBox.baseVal.height; point.y += 0.05) inside += area.isPointInFill(point) ? 0.05 : 0;
        heights[area.dataset.part] = inside * per;
      }
      return { heights, per, top: (low[1] - circle.cy.baseVal.value) * per, bytes: Number(circle.dataset.bytes) };
    });
    const pixel = drawn.per * 1.2;
    assert.equal(drawn.bytes, json.gpu.tensors);
    close(drawn.top, json.gpu.tensors / 2 ** 30, pixel, "the marker");
    close(Object.values(drawn.heights).reduce((a, b) => a + b, 0), json.gpu.tensors / 2 ** 30, pixel, "the stack");
    const data = JSON.parse(await page.locator("script.data").textContent());
    for (const part of data.parts) {
      close(drawn.heights[part.key] ?? 0, data.moments[data.peak][3][part.number] / 2 ** 30, pixel, part.key);
    }
  });

  await check("bars are as wide as their parts", async () => {
    const bars = await page.evaluate(() => {
      const width = (node) => node.getBoundingClientRect().width;
      const gauge = document.querySelector(".gauge > div");
      const segments = [...gauge.querySelectorAll("i")].map((node) => [node.className.slice(2), width(node) / width(gauge)]);
      const rows = [...document.querySelectorAll("table.parts tr[data-part]")].map((row) => {
        const cell = row.querySelector("td.bar");
        const style = getComputedStyle(cell);
        const room = width(cell) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return [row.dataset.part, width(row.querySelector("td.bar i")) / room, row.querySelector("td.n").textContent];
      });
      return { segments, rows };
    });
    const { parts, peak } = json.gpu;
    assert.equal(Object.values(parts).reduce((a, b) => a + b, 0), peak);
    const held = Object.entries(parts).filter(([, bytes]) => bytes > 0).map(([name]) => name);
    assert.deepEqual(bars.rows.map(([name]) => name).sort(), [...held].sort());
    const whole = Math.max(CARD, json.high);
    for (const [name, share] of bars.segments) close(share, parts[name] / whole, 0.004, `gauge ${name}`);
    for (const [name, share, text] of bars.rows) {
      close(share, parts[name] / peak, 0.02, `row ${name}`);
      assert.equal(`${text} GiB`, gib(parts[name]));
    }
  });

  const readout = () => page.evaluate(() => ({
    label: document.querySelector(".readout h3").textContent,
    bytes: document.querySelector(".readout .bytes").textContent,
    weights: document.querySelector(".readout li[data-part=weights]").textContent,
    now: Number(document.querySelector(".chart").getAttribute("aria-valuenow")),
    value: document.querySelector(".chart").getAttribute("aria-valuetext"),
  }));
  const peak = json.timeline.findIndex((moment) => moment.bytes === json.gpu.tensors);
  const formula = await page.locator("tr[data-part=weights] code").first().textContent();

  await check("the pointer shows a moment, its parts and their arithmetic", async () => {
    const first = await readout();
    assert.equal(first.now, peak + 1, "it begins at the peak");
    const edges = JSON.parse(await page.locator("script.data").textContent()).plot.edges;
    const box = await page.locator(".chart").boundingBox();
    const scale = box.width / (await page.evaluate(() => document.querySelector(".chart").viewBox.baseVal.width));
    for (const number of [0, Math.floor(json.timeline.length / 3), json.timeline.length - 1]) {
      const x = box.x + ((edges[number] + edges[number + 1]) / 2) * scale;
      await page.mouse.move(x, box.y + box.height / 2);
      const shown = await readout();
      const { label, bytes } = json.timeline[number];
      assert.deepEqual([shown.label, shown.bytes, shown.now], [label, gib(bytes), number + 1]);
      assert.ok(formula.length > 3 && shown.weights.includes(formula), shown.weights);
    }
    await page.mouse.move(2, 2);
    assert.equal((await readout()).now, peak + 1, "it returns to the peak");
  });

  await check("the keyboard does the same", async () => {
    await page.locator(".chart").focus();
    const press = async (key) => {
      await page.keyboard.press(key);
      return (await readout()).now;
    };
    assert.equal(await press("Home"), 1);
    assert.equal(await press("ArrowLeft"), 1);
    assert.equal(await press("ArrowRight"), 2);
    assert.equal(await press("End"), json.timeline.length);
    assert.equal(await press("Escape"), peak + 1);
    await press("Home");
    const next = json.timeline.findIndex((moment) => moment.phase !== json.timeline[0].phase);
    assert.equal(await press("PageDown"), next + 1);
    assert.ok((await readout()).value.includes(gib(json.timeline[next].bytes)));
    await press("Escape");
  });

  await check("it is read aloud and in order", async () => {
    const chart = page.locator(".chart");
    assert.equal(await chart.getAttribute("role"), "slider");
    assert.equal(await chart.getAttribute("aria-valuemax"), `${json.timeline.length}`);
    const about = await page.locator(`#${await chart.getAttribute("aria-describedby")}`).textContent();
    assert.ok(about.includes(gib(json.gpu.tensors)) && about.includes(gib(json.gpu.peak)), about);
    assert.equal(await page.locator("h1").count(), 1);
  });

  /** The least contrast of any text with what lies behind it. */
  const contrast = (of) => of.evaluate(() => {
    const channels = (text) => text.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const own = channels(getComputedStyle(at).backgroundColor);
        if (own.length === 3 || own[3] === 1) return own;
      }
      return [255, 255, 255];
    };
    let worst = [99, ""];
    for (const node of document.querySelectorAll("main *")) {
      const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
      if (!text || node.closest("script, desc, title")) continue;
      const style = getComputedStyle(node);
      const ink = channels(node.closest("svg") ? style.fill : style.color);
      const [a, b] = [light(ink), light(behind(node.closest("svg")?.parentElement ?? node))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < worst[0]) worst = [ratio, `${node.tagName}.${node.getAttribute("class")}: ${node.textContent.slice(0, 30)}`];
    }
    return worst;
  });
  const overflow = (of) => of.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

  await check("light and dark can both be read", async () => {
    await shoot(page, "light.png");
    const lightly = await contrast(page);
    assert.ok(lightly[0] >= 4.5, `light: ${lightly}`);
    const paper = () => page.evaluate(() => getComputedStyle(document.querySelector(".run")).backgroundColor);
    const before = await paper();
    await page.emulateMedia({ colorScheme: "dark" });
    assert.notEqual(await paper(), before);
    const darkly = await contrast(page);
    assert.ok(darkly[0] >= 4.5, `dark: ${darkly}`);
    await shoot(page, "dark.png");
  });

  await check("paper is white, and everything stays on it", async () => {
    await page.setViewportSize({ width: 680, height: 960 });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--paper").trim()), "#fff");
    assert.equal(await overflow(page), 0);
    assert.equal(await page.locator(".readout").isVisible(), false);
    assert.ok((await page.locator("tr[data-part=weights] code").first().isVisible()), "the arithmetic is on paper");
    await shoot(page, "print.png");
    const paper = await page.pdf({ format: "A4" });
    assert.equal(paper.subarray(0, 5).toString(), "%PDF-");
  });

  await check("no width makes it overflow", async () => {
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    for (const width of [360, 420, 700, 960, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await overflow(page), 0, `${width} pixels`);
    }
    quiet();
    await page.close();
  });

  await check("Chinese", async () => {
    const { page: chinese, quiet: calm } = await open(page_zh);
    assert.equal(await chinese.getAttribute("html", "lang"), "zh-Hans");
    const text = await chinese.locator("main").innerText();
    for (const word of ["峰值", "权重", "假设", "训练配置"]) assert.ok(text.includes(word), word);
    await shoot(chinese, "zh.png");
    calm();
    await chinese.close();
  });

  await check("names cannot become markup", async () => {
    const { page: hostile, quiet: calm } = await open(page_hostile);
    assert.equal(await hostile.locator("h1").first().textContent(), HOSTILE);
    assert.equal(await hostile.locator("section.run").count(), 2);
    assert.equal(await hostile.locator("nav a").count(), 2);
    assert.equal(await hostile.locator("img").count(), 0);
    assert.ok(!(await hostile.title()).includes("owned"));
    calm();
    await hostile.close();
  });

  await check("the drawing stands alone", async () => {
    const { page: frame } = await open("about:blank");
    const parsed = await frame.evaluate((text) => {
      const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      return [root.nodeName, root.querySelector("title")?.textContent, root.querySelectorAll("path.area").length, root.getAttribute("role")];
    }, drawing);
    assert.equal(parsed[0], "svg");
    assert.ok(parsed[1].startsWith("</script><img"), parsed[1]);
    assert.ok(parsed[2] >= 2 && parsed[3] === "img");
    assert.ok(!/(href|src)\s*=\s*"|url\(/.test(drawing.replaceAll(/&quot;/g, "")), "it refers to nothing outside");
    await frame.close();
    const shown = await open(write("frame.html", `<!doctype html><meta charset="utf-8"><img src="${drawing_url}">`));
    const size = await shown.page.evaluate(async () => {
      const image = document.querySelector("img");
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    });
    assert.ok(size[0] > 600 && size[1] > 400, `${size}`);
    await shoot(shown.page, "drawing.png");
    await shown.page.close();
  });

  console.log(`${checks} checks of the page passed`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
