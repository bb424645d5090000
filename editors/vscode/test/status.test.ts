import assert from "node:assert/strict";
import { test } from "node:test";
import { langOf } from "../src/lang";
import { serverSettings } from "../src/settings";
import { type RunStatus, shown, tightest, verdict } from "../src/status";

const GIB = 2 ** 30;
const run = (id: string, peak: number | null, capacity: number | null, fits: boolean | null = true): RunStatus => ({
  id,
  peakBytes: peak === null ? null : peak * GIB,
  capacityBytes: capacity === null ? null : capacity * GIB,
  fits: peak === null || capacity === null ? null : fits,
  why: peak === null ? "no model_name is known" : null,
});

test("what may or may not fit is told apart from what is not known", () => {
  assert.equal(verdict(run("a", 18.3, 24)), "fits");
  assert.equal(verdict(run("a", 23.5, 24, null)), "may-not-fit");
  assert.equal(verdict(run("a", 25.5, 24, false)), "does-not-fit");
  assert.equal(verdict(run("a", 25.5, null)), "unknown");
  assert.equal(verdict(run("a", null, 24)), "unknown");
});

test("the text of one run, in both languages", () => {
  const one = [run("launch.sh#1", 18.3, 24)];
  assert.deepEqual(shown(one, "en"), {
    text: "$(pulse) ≈ 18.3 / 24.0 GiB",
    verdict: "fits",
    tooltip: "**launch\\.sh\\#1**  \npeak 18.30 GiB, GPU 24.00 GiB: fits\n\nClick to show the memory timeline",
  });
  assert.equal(shown(one, "zh")?.tooltip, "**launch\\.sh\\#1**  \n峰值 18.30 GiB，GPU 24.00 GiB：放得下\n\n点击显示 GPU 显存时间线");
  assert.equal(shown([run("a", 30, 24, false)], "en")?.text, "$(error) ≈ 30.0 / 24.0 GiB");
  assert.equal(shown([run("a", 30, null)], "en")?.text, "$(pulse) ≈ 30.0 GiB");
});

test("of several runs the one with the least room is shown", () => {
  const several = [run("a", 10, 24), run("b", 22, 24), run("c", null, 24), run("d", 20, 24)];
  assert.equal(tightest(several)?.id, "b");
  assert.equal(shown(several, "en")?.text, "$(pulse) ≈ 22.0 / 24.0 GiB (+3)");
  assert.equal(tightest([...several, run("e", 23, 24, null), run("f", 90, null)])?.id, "e");
  assert.match(shown(several, "en")?.tooltip ?? "", /\*\*c\*\* {2}\nno model\\_name is known/);
});

test("without an estimate nothing is shown", () => {
  assert.equal(shown([], "en"), undefined);
  assert.equal(shown([run("a", null, 24)], "en"), undefined);
});

test("a name cannot become markup", () => {
  const tooltip = shown([run("[x](command:y) <b>\n**z**", 1, 24)], "en")?.tooltip ?? "";
  assert.ok(tooltip.startsWith(String.raw`**\[x\]\(command:y\) \<b\> \*\*z\*\***`), tooltip);
});

test("auto follows the editor", () => {
  assert.equal(langOf("auto", "zh-cn"), "zh");
  assert.equal(langOf(undefined, "en-GB"), "en");
  assert.equal(langOf("en", "zh-cn"), "en");
  assert.equal(langOf("zh", "en"), "zh");
});

test("settings that are absent or of another kind are as if not set", () => {
  const values: Record<string, unknown> = { lang: "fr", "inlayHints.number": false, gpu: " RTX-4090 ", gpuMemory: 24, codeLens: true };
  assert.deepEqual(serverSettings((key) => values[key]), {
    lang: "auto",
    inlayHints: { effectiveBatch: true, memory: true, number: false },
    codeLens: true,
    gpu: "RTX-4090",
    gpuMemory: "",
    config: "",
  });
});
