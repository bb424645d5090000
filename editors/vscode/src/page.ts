/**
 * The page of `vramlint estimate`, made fit for a webview.
 *
 * The page allows its own inline styles and script. A webview should allow only what we know: the one style element and the one
 * script of the page get a nonce, at their known places; anything else that looks like a script, whatever a name in the project
 * brought along, gets none and does not run. Widths in `style` attributes, which no nonce can allow, become rules of the style element.
 */

/** The page has not the form that is known; it is not shown. */
export class UnknownPage extends Error {}

const POLICY = /<meta http-equiv="Content-Security-Policy" content="[^"]*">/;
const STYLE = "<style>";
const SCRIPT = "<script>";
/** Lengths and nothing else: what the page says with `style`. */
const LENGTHS = / style="((?:(?:left|width):-?\d+(?:\.\d+)?%;?)+)"/g;
/** What the editor's own sheet for webviews would change on the page. */
const OURS = "body { padding: 0; } code { background: none; padding: 0; }\n";

function replaceAt(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

/** The page with a policy of its own; `dark` as the editor is, not as the system. */
export function forWebview(page: string, nonce: string, dark: boolean): string {
  if (!/^[A-Za-z0-9+/=_-]{16,}$/.test(nonce)) throw new UnknownPage("nonce");
  if (!POLICY.test(page)) throw new UnknownPage("policy");
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  let out = page.replace(POLICY, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`);

  const rules: string[] = [];
  out = out.replaceAll(LENGTHS, (_whole, lengths: string) => {
    const known = rules.indexOf(lengths);
    const number = known < 0 ? rules.push(lengths) - 1 : known;
    return ` data-lengths="${number}"`;
  });

  const script = out.lastIndexOf(SCRIPT);
  const style = out.indexOf(STYLE);
  const end = out.indexOf("</style>", style);
  const head = out.indexOf("</head>");
  if (style < 0 || end < 0 || head < end || script < head) throw new UnknownPage("elements");
  out = replaceAt(out, script, SCRIPT.length, `<script nonce="${nonce}">`);
  const sheet = out
    .slice(style + STYLE.length, end)
    .replaceAll("@media screen and (prefers-color-scheme: dark)", dark ? "@media screen" : "@media not all");
  const lengths = rules.map((rule, number) => `[data-lengths="${number}"] { ${rule} }\n`).join("");
  return replaceAt(out, style, end - style, `<style nonce="${nonce}">${sheet}${OURS}${lengths}`);
}
