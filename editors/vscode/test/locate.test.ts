import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, expand, locate, type Machine, type SearchOptions } from "../src/locate";

const machine = (there: readonly string[], more: Partial<Machine> = {}): Machine => ({
  platform: "linux",
  home: "/home/me",
  env: { PATH: "/usr/local/bin:relative:/usr/bin" },
  runnable: (file) => there.includes(file),
  ...more,
});
const options = (more: Partial<SearchOptions> = {}): SearchOptions => ({
  setting: "",
  strategy: "fromEnvironment",
  interpreters: [],
  folders: ["/project"],
  extension: "/ext",
  trusted: true,
  ...more,
});
const windows = (there: readonly string[]): Machine =>
  machine(there, { platform: "win32", home: String.raw`C:\Users\me`, env: { Path: String.raw`C:\tools;C:\Windows` } });

test("the selected interpreter comes first, then the folder's environments, PATH, the bundled binary", () => {
  const files = candidates(options({ interpreters: ["/envs/a/bin/python3.12", "${workspaceFolder}/b"] }), machine([])).map((one) => one.file);
  assert.deepEqual(files, [
    "/envs/a/bin/vramlint",
    "/project/b/bin/vramlint",
    "/project/.venv/bin/vramlint",
    "/project/venv/bin/vramlint",
    "/usr/local/bin/vramlint",
    "/usr/bin/vramlint",
    "/ext/server/vramlint",
  ]);
});

test("useBundled puts the bundled binary before everything else, and goes on where there is none", () => {
  const there = ["/ext/server/vramlint", "/usr/bin/vramlint"];
  const found = locate(options({ strategy: "useBundled" }), machine(there));
  assert.deepEqual(found, { kind: "found", candidate: { file: "/ext/server/vramlint", source: "bundled" } });
  const other = locate(options({ strategy: "useBundled" }), machine(there.slice(1)));
  assert.deepEqual(other, { kind: "found", candidate: { file: "/usr/bin/vramlint", source: "path" } });
});

test("an interpreter without a path is not looked for anywhere", () => {
  const files = candidates(options({ interpreters: ["python"], folders: [] }), machine([])).map((one) => one.file);
  assert.deepEqual(files, ["/usr/local/bin/vramlint", "/usr/bin/vramlint", "/ext/server/vramlint"]);
});

test("nothing of a workspace that is not trusted is started", () => {
  const there = ["/project/.venv/bin/vramlint", "/ext/server/vramlint"];
  const found = locate(options({ trusted: false, interpreters: ["/project/.venv/bin/python"] }), machine(there));
  assert.deepEqual(found, { kind: "found", candidate: { file: "/ext/server/vramlint", source: "bundled" } });
});

test("the setting wins, and what it names wrongly is said instead of replaced", () => {
  const there = ["/usr/bin/vramlint", "/project/tools/vramlint", "/home/me/vramlint", "/usr/bin/lint"];
  const file = (setting: string): unknown => {
    const found = locate(options({ setting }), machine(there));
    return found.kind === "found" ? found.candidate : found;
  };
  assert.deepEqual(file("~/vramlint"), { file: "/home/me/vramlint", source: "setting" });
  assert.deepEqual(file("tools/vramlint"), { file: "/project/tools/vramlint", source: "setting" });
  assert.deepEqual(file("${workspaceFolder}/tools/vramlint"), { file: "/project/tools/vramlint", source: "setting" });
  assert.deepEqual(file("lint"), { file: "/usr/bin/lint", source: "setting" });
  assert.deepEqual(file("/absent/vramlint"), { kind: "wrong-setting", file: "/absent/vramlint" });
  assert.deepEqual(file("absent"), { kind: "wrong-setting", file: "absent" });
});

test("where nothing is found, the places are told", () => {
  const found = locate(options(), machine([]));
  assert.ok(found.kind === "absent");
  assert.equal(found.tried.length, 5);
});

test("Windows: Scripts, .exe, and conda's interpreter above them", () => {
  const conda = String.raw`C:\conda\envs\a\Scripts\vramlint.exe`;
  const found = locate(options({ interpreters: [String.raw`C:\conda\envs\a\python.exe`], folders: [] }), windows([conda]));
  assert.deepEqual(found, { kind: "found", candidate: { file: conda, source: "environment" } });
  const venv = String.raw`C:\work\.venv\Scripts\vramlint.exe`;
  const other = locate(options({ folders: [String.raw`C:\work`] }), windows([venv]));
  assert.deepEqual(other, { kind: "found", candidate: { file: venv, source: "environment" } });
  const named = locate(options({ setting: "vramlint" }), windows([String.raw`C:\tools\vramlint.exe`]));
  assert.deepEqual(named, { kind: "found", candidate: { file: String.raw`C:\tools\vramlint.exe`, source: "setting" } });
});

test("variables of a setting", () => {
  const at = machine([], { env: { TOOLS: "/opt/tools" } });
  assert.equal(expand("${env:TOOLS}/x", at, undefined), "/opt/tools/x");
  assert.equal(expand("${env:NONE}/x", at, undefined), "/x");
  assert.equal(expand("${userHome}/x", at, undefined), "/home/me/x");
  assert.equal(expand("${workspaceFolder}/x", at, undefined), "${workspaceFolder}/x");
  assert.equal(expand("~x/y", at, undefined), "~x/y");
});
