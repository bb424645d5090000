/** The status bar item: the memory of the current document's run and of its GPU. */
import * as vscode from "vscode";
import type { Server } from "./client";
import { type RunStatus, shown } from "./status";

/** Keeps the status of each document and shows that of the current one. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("vramlint.memory", vscode.StatusBarAlignment.Right, 90);
  readonly #runs = new Map<string, readonly RunStatus[]>();
  #last: vscode.Uri | undefined;
  readonly #subscriptions: { dispose(): unknown }[];

  constructor(private readonly server: Server) {
    this.#item.command = "vramlint.showTimeline";
    this.#item.name = "vramlint";
    this.#subscriptions = [
      this.#item,
      server.onStatus(({ uri, runs }) => {
        this.#runs.set(vscode.Uri.parse(uri).toString(), runs);
        this.#show();
      }),
      server.onStopped(() => {
        this.#runs.clear();
        this.#show();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#show();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.#runs.delete(document.uri.toString())),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("vramlint.lang")) this.#show();
      }),
    ];
  }

  /** The known runs of a document. */
  runs(document: vscode.Uri): readonly RunStatus[] {
    return this.#runs.get(document.toString()) ?? [];
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  /** The current document; while a page or panel has the focus, the previous one if it is visible. */
  #current(): vscode.Uri | undefined {
    const texts = (editors: readonly (vscode.TextEditor | undefined)[]): vscode.Uri[] =>
      editors.flatMap((editor) => (editor && ["file", "untitled"].includes(editor.document.uri.scheme) ? [editor.document.uri] : []));
    const visible = texts(vscode.window.visibleTextEditors);
    const before = visible.find((uri) => uri.toString() === this.#last?.toString());
    this.#last = texts([vscode.window.activeTextEditor])[0] ?? before ?? visible[0];
    return this.#last;
  }

  #show(): void {
    const document = this.#current();
    const texts = document && shown(this.runs(document), this.server.lang);
    if (!texts) {
      this.#item.hide();
      return;
    }
    this.#item.text = texts.text;
    this.#item.tooltip = new vscode.MarkdownString(texts.tooltip);
    const colour = { "does-not-fit": "statusBarItem.errorBackground", "may-not-fit": "statusBarItem.warningBackground" };
    this.#item.backgroundColor =
      texts.verdict in colour ? new vscode.ThemeColor(colour[texts.verdict as keyof typeof colour]) : undefined;
    this.#item.show();
  }
}
