/** The languages of the extension. */

export type Lang = "en" | "zh";

/** The language of a setting; `auto` follows the editor. */
export function langOf(setting: string | undefined, editor: string): Lang {
  const wanted = setting === undefined || setting === "auto" ? editor : setting;
  return wanted.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** Chooses by language. */
export function pick(lang: Lang, en: string, zh: string): string {
  return lang === "zh" ? zh : en;
}
