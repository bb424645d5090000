/** The name of a rule and the language of its page, as commands and URIs carry them. */
import type { Lang } from "./lang";

export interface RuleName {
  readonly rule: string;
  readonly lang: Lang;
}

/** The rule that a command names, if any. */
export function ruleOf(words: readonly unknown[]): RuleName | undefined {
  const argument = words[0];
  if (typeof argument !== "object" || argument === null || !("rule" in argument) || typeof argument.rule !== "string") return undefined;
  return { rule: argument.rule, lang: "lang" in argument && argument.lang === "zh" ? "zh" : "en" };
}

/** The path of a page. */
export function rulePath({ rule, lang }: RuleName): string {
  return `/${rule}${lang === "zh" ? ".zh" : ""}.md`;
}

/** The inverse of `rulePath`. */
export function ruleOfPath(path: string): RuleName {
  const [, rule = "", chinese] = /^\/?(.*?)(\.zh)?\.md$/.exec(path) ?? [];
  return { rule, lang: chinese === undefined ? "en" : "zh" };
}
