import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleOf, ruleOfPath, rulePath } from "../src/ruleName";

test("the path of a page leads back to the rule", () => {
  for (const name of [{ rule: "inert-key", lang: "en" }, { rule: "inert-key", lang: "zh" }] as const) {
    assert.deepEqual(ruleOfPath(rulePath(name)), name);
  }
  assert.equal(rulePath({ rule: "inert-key", lang: "zh" }), "/inert-key.zh.md");
});

test("a command names a rule, and English is the default", () => {
  assert.deepEqual(ruleOf([{ rule: "inert-key" }]), { rule: "inert-key", lang: "en" });
  assert.deepEqual(ruleOf([{ rule: "inert-key", lang: "zh" }]), { rule: "inert-key", lang: "zh" });
  for (const words of [[], ["inert-key"], [{ rule: 1 }]]) assert.equal(ruleOf(words), undefined);
});
