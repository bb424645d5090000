import assert from "node:assert/strict";
import { test } from "node:test";
import { forWebview, UnknownPage } from "../src/page";

const NONCE = "abcdefghijklmnopqrstuv==";
const page = (body: string, head = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
${head}<style>
:root { --paper: #fff; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #000; }
}
</style>
</head>
<body>
<main>${body}</main>
<script>
"use strict";
</script>
</body>
</html>
`;

test("the style and the script get the nonce, and nothing is allowed without it", () => {
  const out = forWebview(page(""), NONCE, false);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(out)?.[1] ?? "";
  assert.ok(policy.startsWith("default-src 'none'"), policy);
  assert.ok(!policy.includes("unsafe"), policy);
  assert.equal(out.split(`nonce="${NONCE}"`).length, 3);
  assert.match(out, /<script nonce="[^"]+">\n"use strict"/);
});

test("a script that came in with a name gets no nonce", () => {
  const out = forWebview(page(`<h1><script>evil()</script><script src="x"></script></h1>`), NONCE, false);
  assert.ok(out.includes("<script>evil()"));
  assert.equal(out.split("<script nonce=").length, 2);
  assert.ok(out.indexOf("<script nonce=") > out.indexOf("evil()"));
});

test("widths become rules; every other style attribute stays and is refused", () => {
  const body = `<i style="width:14.7496%"></i><u style="left:88.1461%;width:11.8539%"></u><i style="width:14.7496%"></i><b style="background:url(x)"></b>`;
  const out = forWebview(page(body), NONCE, false);
  assert.ok(out.includes(`<i data-lengths="0"></i><u data-lengths="1"></u><i data-lengths="0"></i><b style="background:url(x)"></b>`), out);
  const sheet = /<style nonce="[^"]+">([^]*?)<\/style>/.exec(out)?.[1] ?? "";
  assert.ok(sheet.includes(`[data-lengths="0"] { width:14.7496% }`), sheet);
  assert.ok(sheet.includes(`[data-lengths="1"] { left:88.1461%;width:11.8539% }`), sheet);
});

test("dark and light are the editor's, not the system's", () => {
  assert.match(forWebview(page(""), NONCE, true), /@media screen \{\n {2}:root \{ --paper: #000/);
  assert.match(forWebview(page(""), NONCE, false), /@media not all \{\n {2}:root \{ --paper: #000/);
});

test("what stands in the page is not read as a pattern of replacement", () => {
  const out = forWebview(page("$& $1 $`"), NONCE, false);
  assert.ok(out.includes("<main>$& $1 $`</main>"));
});

test("a page of another form is not shown", () => {
  for (const other of ["", "<html></html>", page("").replace("<style>", ""), page("").replace("<script>", ""), page("").replace("Content-Security", "")]) {
    assert.throws(() => forWebview(other, NONCE, false), UnknownPage);
  }
  assert.throws(() => forWebview(page(""), `x"><script>`, false), UnknownPage);
});
