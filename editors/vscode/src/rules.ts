/** Pages of rules as read-only documents: `vramlint-rule:/NAME.md`, in Chinese `vramlint-rule:/NAME.zh.md`. */
import * as vscode from "vscode";
import { textOf } from "./answers";
import type { Server } from "./client";
import { pick } from "./lang";
import { type RuleName, rulePath, ruleOf, ruleOfPath } from "./ruleName";

const SCHEME = "vramlint-rule";

/** Documents with the answer of `vramlint.explainRule`; links of diagnostics lead to them. */
export class RuleDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #registration: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Shows the page of the rule that a command names. */
  async show(words: readonly unknown[]): Promise<void> {
    const rule = ruleOf(words);
    if (rule) await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.from({ scheme: SCHEME, path: rulePath(rule) }));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const rule: RuleName = ruleOfPath(uri.path);
    const answer = await this.server.execute("vramlint.explainRule", rule);
    return textOf(answer, "text") ?? pick(this.server.lang, `There is no rule ${rule.rule}\n`, `没有规则 ${rule.rule}\n`);
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
