// A session with the extension in VS Code: findings, hover, hint, quick fix and its undoing, status bar, lens, timeline.
//
//   node session.mjs TOOLS CHROMIUM VRAMLINT VSIX PICTURES
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "./editor.mjs";

const [tools, chromiumPath, binary, vsix, pictures] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "vramlint-vscode-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
const folder = join(work, "finetune");
cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
// The binary is found as it is by people who install it beside their libraries.
mkdirSync(join(folder, ".venv/bin"), { recursive: true });
symlinkSync(binary, join(folder, ".venv/bin/vramlint"));
mkdirSync(pictures, { recursive: true });

const start = Date.now();
const editor = await open({ tools, chromiumPath, vsix, folder, work });
const { page } = editor;
page.setDefaultTimeout(20_000);
const said = [];
page.on("console", (message) => said.push(message.text()));

let checks = 0;
const check = async (name, act) => {
  await act();
  checks += 1;
  console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
};
const shoot = (name, options = {}) => page.screenshot({ path: join(pictures, `${name}.png`), ...options });
const openFile = async (name) => {
  await page.locator(".explorer-folders-view").getByText(name, { exact: true }).dblclick();
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
};
/** Spaces of the editor are no-break spaces in the page. */
const line = (text) => page.locator(".editor-instance .view-line").filter({ hasText: text }).first();
const word = (text) => line(text).getByText(text, { exact: false }).last();
const status = () => page.locator("#vramlint\\.vramlint\\.memory, .statusbar-item[id*='vramlint.memory']").first();
const visible = (locator) => locator.waitFor({ state: "visible" });
/** Waits until an answer is as wanted; what it was last is in the error. */
const until = async (ask, wanted, what) => {
  let last;
  for (const end = Date.now() + 20_000; Date.now() < end; await page.waitForTimeout(50)) {
    last = await ask();
    if (wanted(last)) return last;
  }
  throw new Error(`${what}: ${last}`);
};
/** Runs a command by its name. */
const command = async (name) => {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input[type=text]").first().fill(`>${name}`);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name }).first().click();
};

try {
  await check("the editor opens the configuration", async () => {
    await openFile("train.yaml");
    await visible(page.locator(".editor-instance .view-line").first());
  });

  await check("findings are underlined", async () => {
    await visible(page.locator(".squiggly-error").first());
    await visible(page.locator(".squiggly-warning").first());
  });

  await check("Problems lists them with the other end of a contradiction", async () => {
    await page.keyboard.press("Control+Shift+M");
    const panel = page.locator(".markers-panel");
    for (const code of ["VL301", "VL201"]) await visible(panel.getByText(code).first());
    await shoot("findings");
    // The panel renders only the rows in sight.
    await panel.hover();
    for (let turn = 0; turn < 20; turn += 1) {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(50);
    }
    for (const text of ["VL007", "accelerate.yaml"]) await visible(panel.getByText(text).first());
    await page.keyboard.press("Control+Shift+M");
    await panel.waitFor({ state: "hidden" });
  });

  await check("the status bar shows the memory against the card", async () => {
    await visible(status());
    const text = await status().innerText();
    assert.match(text, /≈ [\d.]+ \/ 24\.0 GiB/, text);
  });

  await check("an inlay hint stands beside the micro-batch", async () => {
    await page.waitForFunction(() => [...document.querySelectorAll(".view-line")].some((one) => /batch_size:.2.*64/.test(one.textContent)));
  });

  await check("the hover of the micro-batch has the memory as a table", async () => {
    await line("batch_size: 2").locator("span span").first().hover();
    const hover = page.locator(".monaco-hover:not(.hidden)").filter({ hasText: "GeForce RTX 4090" }).first();
    await visible(hover);
    const text = (await hover.innerText()).replaceAll("\u00a0", " ");
    const rows = text.split("\n").filter((row) => / {2}\d+\.\d\d GiB/.test(row));
    assert.ok(rows.length > 4 && new Set(rows.map((row) => row.indexOf(" GiB"))).size === 1, `aligned:\n${text}`);
    assert.match(text, /micro_batch 2 -> 4: /);
    // The editor shows the first lines of a long hover; somebody who wants more pulls at its edge.
    const edge = await page.locator(".monaco-resizable-hover > .monaco-sash.horizontal").last().boundingBox();
    await page.mouse.move(edge.x + 40, edge.y + edge.height / 2);
    await page.mouse.down();
    await page.mouse.move(edge.x + 40, 740, { steps: 8 });
    await page.mouse.up();
    await shoot("hover");
    await page.keyboard.press("Escape");
  });

  const menu = page.locator(".action-widget").first();
  /**
   * Opens the fixes of what is under the cursor. The editor asks for its light bulb soon after the cursor moved, and forgets over that
   * that somebody asked for the menu: it is asked again.
   */
  const openFixes = async (fix) => {
    await page.mouse.move(900, 600);
    await page.waitForTimeout(600);
    const shown = async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+.");
      return menu.getByText(fix).first().waitFor({ timeout: 5000 }).then(() => true, () => false);
    };
    await until(shown, (yes) => yes, `no fix ${fix}`);
  };

  await check("the fixes of a contradiction have its arithmetic in their titles", async () => {
    await line("effective batch size").getByText("effective batch size = 128").click();
    await openFixes("2 × 32 × 2 = 128");
    await shoot("quick-fix");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
  });

  await check("a quick fix is applied, and the finding is gone", async () => {
    await line("2e-5").getByText("2e-5").click();
    await openFixes("2.0e-5");
    await menu.getByText("2.0e-5").first().click();
    await visible(line("learning_rate: 2.0e-5"));
    await page.locator(".squiggly-warning").nth(1).waitFor({ state: "detached" });
  });

  await check("undone, it is back", async () => {
    await page.keyboard.press("Control+Z");
    await line("learning_rate: 2.0e-5").waitFor({ state: "detached" });
    await visible(page.locator(".squiggly-warning").nth(1));
  });

  const frame = page.frameLocator("iframe.webview").frameLocator("#active-frame");
  const closeTimeline = async () => {
    const tab = page.locator('.tab[data-resource-name^="Memory"], .tab[aria-label^="Memory"]').first();
    await tab.click({ button: "middle" });
    await tab.waitFor({ state: "detached" });
  };

  await check("a click on the status bar shows the timeline; both follow what is typed, saved or not", async () => {
    await status().click();
    await visible(frame.locator(".chart"));
    const peak = () => frame.locator(".figures b").first().innerText().catch(() => "");
    const [bar, figure] = [await status().innerText(), await peak()];
    assert.ok(bar.includes(Number(figure).toFixed(1)), `${bar}: ${figure}`);
    await line("max_length: 1024").getByText("1024").dblclick();
    await page.keyboard.type("128");
    await until(() => status().innerText(), (text) => /GiB/.test(text) && text !== bar, "the status bar stays");
    await until(peak, (text) => text !== "" && text !== figure, "the page stays");
    await page.keyboard.press("Control+Z");
    await until(() => status().innerText(), (text) => text === bar, `the status bar is not ${bar} again`);
    await until(peak, (text) => text === figure, `the page is not ${figure} again`);
    await closeTimeline();
  });

  await check("the lens of the launch shows the timeline", async () => {
    await openFile("launch.sh");
    await page.keyboard.press("Control+B");
    const lens = page.locator(".codelens-decoration a").filter({ hasText: /timeline/i });
    await visible(lens.first());
    await lens.first().click();
    await visible(frame.locator(".chart"));
    assert.match(await frame.locator("h1").first().innerText(), /launch\.sh/);
    const now = frame.locator(".readout .bytes");
    assert.match(await now.innerText(), /GiB/, "the script of the page runs");
    const widths = await frame.locator(".gauge > div").evaluate((gauge) => [...gauge.children].map((part) => part.getBoundingClientRect().width / gauge.getBoundingClientRect().width));
    assert.ok(widths.length > 3 && Math.max(...widths) > 0.1, `parts are as wide as they are: ${widths}`);
    const refused = said.filter((text) => /Refused to|Content Security Policy/.test(text));
    assert.deepEqual(refused, []);
    await shoot("timeline");
  });

  await check("the page follows the editor's theme", async () => {
    const paper = () => frame.locator("section.run").first().evaluate((run) => getComputedStyle(run).backgroundColor);
    assert.equal(await paper(), "rgb(255, 255, 255)");
    await command("Preferences: Toggle between Light/Dark Themes");
    await until(() => paper().catch(() => ""), (colour) => colour === "rgb(23, 26, 33)", "the page stays light");
    await command("Preferences: Toggle between Light/Dark Themes");
    await until(() => paper().catch(() => ""), (colour) => colour === "rgb(255, 255, 255)", "the page stays dark");
  });

  await check("the settings of the run are a document", async () => {
    await closeTimeline();
    await command("vramlint: Show Resolved Run");
    await visible(line("gradient_accumulation_steps"));
    await visible(line("effective_batch"));
    await page.keyboard.press("Control+W");
  });

  await check("saving repairs what is certain, and nothing else", async () => {
    await page.keyboard.press("Control+B");
    await openFile("train.yaml");
    const text = () => readFileSync(join(folder, "train.yaml"), "utf8");
    const before = text();
    // An editor that is slow saves without the repairs after a while: then it is asked again.
    const saved = async () => {
      await page.keyboard.press("Control+S");
      await page.waitForTimeout(1000);
      return text();
    };
    assert.equal(await until(saved, (now) => now !== before, "nothing was repaired"), before.replace("2e-5", "2.0e-5"));
  });

  await check("after a restart the findings are back", async () => {
    await command("vramlint: Restart Server");
    await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    await visible(page.locator(".squiggly-error").first());
    await visible(status());
  });

  await check("Chinese", async () => {
    editor.set({ "vramlint.lang": "zh" });
    await page.reload();
    // What an editor opens again is what it last wrote down, which may be a while ago.
    await page.locator('.tab[data-resource-name="train.yaml"]').first().click();
    await visible(page.locator(".squiggly-error").first());
    await page.keyboard.press("Control+Shift+M");
    await visible(page.locator(".markers-panel").getByText("有效批大小").first());
  });

  await check("the walkthrough has its pictures", async () => {
    await command("Welcome: Open Walkthrough...");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Get started with vramlint" }).first().click();
    for (const step of ["Findings across files", "One training step"]) {
      await page.locator(".getting-started-step, .getting-started .step-title").filter({ hasText: step }).first().click();
      const wide = () => page.locator(".getting-started-media img").first().evaluate((image) => image.naturalWidth).catch(() => 0);
      await until(wide, (pixels) => pixels >= 640, `no picture beside ${step}`);
    }
  });

  console.log(`${checks} checks of VS Code passed in ${((Date.now() - start) / 1000).toFixed(1)} s`);
} catch (error) {
  await shoot("failed").catch(() => undefined);
  console.log(`what is on the screen: ${join(pictures, "failed.png")}`);
  // A logger that is absent from this editor says so at length.
  console.log(said.filter((text) => !text.includes("spdlog")).slice(-10).join("\n"));
  throw error;
} finally {
  await editor.close();
}
