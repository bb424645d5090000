import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { serverSettings } from "../src/settings";

const read = (name: string): string => readFileSync(name, "utf8");
const manifest = JSON.parse(read("package.json")) as {
  contributes: { configuration: { properties: Record<string, { default: unknown }> } };
};
const words = (name: string): Record<string, string> => JSON.parse(read(name)) as Record<string, string>;

test("every text of the manifest exists in both languages, and no other", () => {
  const used = new Set([...read("package.json").matchAll(/"%([^%"]+)%"/g)].map((found) => found[1]));
  for (const name of ["package.nls.json", "package.nls.zh-cn.json"]) {
    assert.deepEqual(Object.keys(words(name)).sort(), [...used].sort(), name);
  }
});

test("commands that a text leads to are the same in both languages", () => {
  const links = (texts: Record<string, string>): string[][] =>
    Object.values(texts).map((text) => [...text.matchAll(/\((command:[^)]+)\)|`([^`]+)`/g)].map((found) => found[0]).sort());
  assert.deepEqual(links(words("package.nls.zh-cn.json")), links(words("package.nls.json")));
});

test("every picture exists", () => {
  const pictures = ["package.json", "README.md", "README.zh.md"].flatMap((name) => [...read(name).matchAll(/images\/[\w-]+\.png/g)].map((found) => found[0]));
  assert.ok(pictures.length >= 13);
  for (const picture of pictures) assert.ok(existsSync(picture), picture);
});

test("the settings that the server gets are declared, with the defaults that it takes", () => {
  const declared = manifest.contributes.configuration.properties;
  const asked: string[] = [];
  const defaults = serverSettings((key) => {
    asked.push(key);
    return declared[`vramlint.${key}`]?.default;
  });
  for (const key of asked) assert.ok(`vramlint.${key}` in declared, key);
  assert.deepEqual(defaults, serverSettings(() => undefined));
});
