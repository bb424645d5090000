/** The settings of the section `vramlint`, as the server takes them. */

/** Reads one setting of the section, `inlayHints.memory` for instance. */
export type Read = (key: string) => unknown;

/** What the server is given when it starts; the same form that it gets for the section `vramlint` later. */
export interface ServerSettings {
  /** `en`, `zh`, or `auto`: as the editor speaks. */
  readonly lang: "auto" | "en" | "zh";
  readonly inlayHints: { readonly effectiveBatch: boolean; readonly memory: boolean; readonly number: boolean };
  readonly codeLens: boolean;
  /** The card that is trained on, `auto` for this machine's; empty where the project says. */
  readonly gpu: string;
  /** Its memory, `24GiB`; empty where the card says. */
  readonly gpuMemory: string;
  /** A configuration file in place of the nearest one; empty for none. */
  readonly config: string;
}

const on = (value: unknown): boolean => value !== false;
const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** The settings; what is of the wrong kind is as if it were not set. */
export function serverSettings(read: Read): ServerSettings {
  const lang = read("lang");
  return {
    lang: lang === "en" || lang === "zh" ? lang : "auto",
    inlayHints: {
      effectiveBatch: on(read("inlayHints.effectiveBatch")),
      memory: on(read("inlayHints.memory")),
      number: on(read("inlayHints.number")),
    },
    codeLens: on(read("codeLens")),
    gpu: text(read("gpu")),
    gpuMemory: text(read("gpuMemory")),
    config: text(read("config")),
  };
}
