/** The words of the status bar: the memory of a run against the card. */
import { type Lang, pick } from "./lang";

/** A training run that a document takes part in, as `vramlint/status` tells it; sizes in bytes. */
export interface RunStatus {
  readonly id: string;
  /** What is likely, and between what; `null` where there is no estimate. */
  readonly peak: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The memory of the card; `null` where no card is known. */
  readonly capacity: number | null;
}

/** What `vramlint/status` carries. */
export interface StatusParams {
  readonly uri: string;
  readonly runs: readonly RunStatus[];
}

/** How a run and its card get along; a run fits when its upper bound does. */
export type Verdict = "fits" | "may-not-fit" | "does-not-fit" | "unknown";

/** What the status bar shows. */
export interface Shown {
  readonly text: string;
  readonly verdict: Verdict;
  /** Markdown: each run with its bounds. */
  readonly tooltip: string;
}

const GIB = 2 ** 30;

/** Bytes as a number of GiB. */
export function gib(bytes: number, digits = 1): string {
  return (bytes / GIB).toFixed(digits);
}

/** The verdict on a run, from its bounds. */
export function verdict(run: RunStatus): Verdict {
  if (run.peak === null || run.capacity === null) return "unknown";
  if ((run.high ?? run.peak) <= run.capacity) return "fits";
  return (run.low ?? run.peak) > run.capacity ? "does-not-fit" : "may-not-fit";
}

const SEVERITY: readonly Verdict[] = ["unknown", "fits", "may-not-fit", "does-not-fit"];

/** The run that has the least room: what somebody should look at first. */
export function tightest(runs: readonly RunStatus[]): RunStatus | undefined {
  const room = (run: RunStatus): number => (run.capacity ?? 0) - (run.peak ?? 0);
  const known = runs.filter((run) => run.peak !== null);
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

/** Text that stands in Markdown as it is. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>&~$]/g, String.raw`\$&`).replaceAll(/\s+/g, " ");
}

function said(run: RunStatus, lang: Lang): string {
  switch (verdict(run)) {
    case "fits":
      return pick(lang, "fits", "放得下");
    case "may-not-fit":
      return pick(lang, "may not fit", "可能放不下");
    case "does-not-fit":
      return pick(lang, "does not fit", "放不下");
    case "unknown":
      return pick(lang, "no card is known: set `vramlint.gpu`, or `[target]` in vramlint.toml", "未指定显卡：请设置 `vramlint.gpu`，或 vramlint.toml 的 `[target]`");
  }
}

function line(run: RunStatus, lang: Lang): string {
  const name = `**${plain(run.id)}**`;
  if (run.peak === null) return `${name}  \n${pick(lang, "no estimate", "无法估算")}`;
  const bounds = run.low === null || run.high === null ? "" : pick(lang, ` (${gib(run.low, 2)} to ${gib(run.high, 2)})`, `（${gib(run.low, 2)} 至 ${gib(run.high, 2)}）`);
  const peak = pick(lang, `peak ${gib(run.peak, 2)} GiB`, `峰值 ${gib(run.peak, 2)} GiB`) + bounds;
  const card = run.capacity === null ? "" : pick(lang, `, card ${gib(run.capacity, 2)} GiB`, `，显卡 ${gib(run.capacity, 2)} GiB`);
  return `${name}  \n${peak}${card}${pick(lang, ": ", "：")}${said(run, lang)}`;
}

/** What the status bar shows of the runs of a document; nothing where no run has an estimate. */
export function shown(runs: readonly RunStatus[], lang: Lang): Shown | undefined {
  const run = tightest(runs);
  if (run?.peak == null) return undefined;
  const judged = verdict(run);
  const size = run.capacity === null ? `≈ ${gib(run.peak)} GiB` : `≈ ${gib(run.peak)} / ${gib(run.capacity)} GiB`;
  const more = runs.length > 1 ? ` (+${runs.length - 1})` : "";
  const hint = pick(lang, "Click for the memory over one step", "点击查看一步之内的显存");
  const tooltip = [...runs.map((one) => line(one, lang)), hint].join("\n\n");
  return { text: `${ICON[judged]} ${size}${more}`, verdict: judged, tooltip };
}
