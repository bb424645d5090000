/** The two languages in which the extension speaks, side by side. */

export type Lang = "en" | "zh";

/** The language that a setting asks for; `auto` follows the editor. */
export function langOf(setting: string | undefined, editor: string): Lang {
  const wanted = setting === undefined || setting === "auto" ? editor : setting;
  return wanted.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** One of two texts. */
export function pick(lang: Lang, en: string, zh: string): string {
  return lang === "zh" ? zh : en;
}
