/** The words of the status bar: the memory of a run against the card. */
import { type Lang, pick } from "./lang";

/** A training run that a document takes part in, as `vramlint/status` tells it. */
export interface RunStatus {
  readonly id: string;
  /** What one card holds at the worst moment; `null` where there is no estimate. */
  readonly peakBytes: number | null;
  /** What one card has; `null` where no card is known. */
  readonly capacityBytes: number | null;
  /** Whether it fits: `null` where that is not known, or may or may not be. */
  readonly fits: boolean | null;
  /** Why there is no estimate. */
  readonly why: string | null;
}

/** What `vramlint/status` carries. */
export interface StatusParams {
  readonly uri: string;
  readonly runs: readonly RunStatus[];
}

/** How a run and its card get along. */
export type Verdict = "fits" | "may-not-fit" | "does-not-fit" | "unknown";

/** What the status bar shows. */
export interface Shown {
  readonly text: string;
  readonly verdict: Verdict;
  /** Markdown: each run and how it fits. */
  readonly tooltip: string;
}

const GIB = 2 ** 30;

/** Bytes as a number of GiB. */
export function gib(bytes: number, digits = 1): string {
  return (bytes / GIB).toFixed(digits);
}

/** The verdict on a run. */
export function verdict(run: RunStatus): Verdict {
  if (run.peakBytes === null || run.capacityBytes === null) return "unknown";
  if (run.fits === null) return "may-not-fit";
  return run.fits ? "fits" : "does-not-fit";
}

const SEVERITY: readonly Verdict[] = ["unknown", "fits", "may-not-fit", "does-not-fit"];

/** The run with the least headroom. */
export function tightest(runs: readonly RunStatus[]): RunStatus | undefined {
  const room = (run: RunStatus): number => (run.capacityBytes ?? 0) - (run.peakBytes ?? 0);
  const known = runs.filter((run) => run.peakBytes !== null);
  const worse = (a: RunStatus, b: RunStatus): number =>
    SEVERITY.indexOf(verdict(b)) - SEVERITY.indexOf(verdict(a)) || room(a) - room(b);
  return [...known].sort(worse)[0];
}

const ICON: Record<Verdict, string> = {
  fits: "$(pulse)",
  "may-not-fit": "$(warning)",
  "does-not-fit": "$(error)",
  unknown: "$(pulse)",
};

/** Escapes Markdown. */
function escape(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");
}

function verdictText(run: RunStatus, lang: Lang): string {
  switch (verdict(run)) {
    case "fits":
      return pick(lang, "fits", "放得下");
    case "may-not-fit":
      return pick(lang, "may not fit", "可能放不下");
    case "does-not-fit":
      return pick(lang, "does not fit", "放不下");
    case "unknown":
      return pick(lang, "unknown GPU: set `vramlint.gpu`, or `[target]` in vramlint.toml", "未指定 GPU：请设置 `vramlint.gpu`，或 vramlint.toml 的 `[target]`");
  }
}

function line(run: RunStatus, lang: Lang): string {
  const name = `**${escape(run.id)}**`;
  if (run.peakBytes === null) return `${name}  \n${escape(run.why ?? pick(lang, "no estimate", "无法估算"))}`;
  const peak = pick(lang, `peak ${gib(run.peakBytes, 2)} GiB`, `峰值 ${gib(run.peakBytes, 2)} GiB`);
  const capacity = run.capacityBytes === null ? "" : pick(lang, `, GPU ${gib(run.capacityBytes, 2)} GiB`, `，GPU ${gib(run.capacityBytes, 2)} GiB`);
  return `${name}  \n${peak}${capacity}${pick(lang, ": ", "：")}${verdictText(run, lang)}`;
}

/** The status bar item for the runs of a document; nothing if no run has an estimate. */
export function shown(runs: readonly RunStatus[], lang: Lang): Shown | undefined {
  const run = tightest(runs);
  if (run?.peakBytes == null) return undefined;
  const judged = verdict(run);
  const peak = gib(run.peakBytes);
  const size = run.capacityBytes === null ? `≈ ${peak} GiB` : `≈ ${peak} / ${gib(run.capacityBytes)} GiB`;
  const more = runs.length > 1 ? ` (+${runs.length - 1})` : "";
  const hint = pick(lang, "Click to show the memory timeline", "点击显示 GPU 显存时间线");
  const tooltip = [...runs.map((one) => line(one, lang)), hint].join("\n\n");
  return { text: `${ICON[judged]} ${size}${more}`, verdict: judged, tooltip };
}
