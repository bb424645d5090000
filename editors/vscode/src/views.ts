/** What can be shown of a run: its settings as a document, its memory over one step as a page. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Server } from "./client";
import { pick } from "./lang";
import { forWebview, UnknownPage } from "./page";

/** A run of a workspace folder; the folder is empty where there is none. */
export interface RunName {
  readonly folder: string;
  readonly id: string;
}

const SCHEME = "vramlint-run";

/** Documents that hold the answer of `vramlint.run`. */
export class RunDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: { dispose(): unknown }[];
  readonly onDidChange = this.#changed.event;

  constructor(private readonly server: Server) {
    this.#subscriptions = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      server.onStatus(() => {
        for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SCHEME) this.#changed.fire(uri);
      }),
    ];
  }

  async show(run: RunName): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${run.id}.txt`, query: run.folder });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const id = uri.path.slice(1, -".txt".length);
    const answer = await this.server.execute("vramlint.run", uri.query, id);
    if (typeof answer === "string") return answer;
    return pick(this.server.lang, `${id}: there is no such run now\n`, `${id}：现在没有这个训练任务\n`);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }
}

/** The page of a run; one panel, which follows the text as it is edited. */
export class Timeline implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #run: RunName | undefined;
  #page = "";
  #turn = 0;
  readonly #subscriptions: { dispose(): unknown }[];

  constructor(private readonly server: Server) {
    this.#subscriptions = [
      server.onStatus(() => void this.#refresh()),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#draw();
      }),
    ];
  }

  async show(run: RunName): Promise<void> {
    this.#run = run;
    const page = await this.#ask(run);
    if (typeof page !== "string") {
      void vscode.window.showWarningMessage(pick(this.server.lang, `There is no estimate of ${run.id}`, `${run.id} 无法估算`));
      return;
    }
    this.#panel ??= this.#open();
    this.#panel.title = pick(this.server.lang, `Memory: ${run.id}`, `显存：${run.id}`);
    this.#page = page;
    this.#draw();
    this.#panel.reveal(undefined, false);
  }

  dispose(): void {
    this.#panel?.dispose();
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  #open(): vscode.WebviewPanel {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("vramlint.timeline", "vramlint", column, { enableScripts: true, localResourceRoots: [] });
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    return panel;
  }

  #ask(run: RunName): Promise<unknown> {
    return this.server.execute("vramlint.timeline", run.folder, run.id);
  }

  async #refresh(): Promise<void> {
    const run = this.#run;
    if (!this.#panel || !run) return;
    // Only the newest answer counts: a slow one must not replace it.
    this.#turn += 1;
    const turn = this.#turn;
    const page = await this.#ask(run);
    if (turn !== this.#turn || run !== this.#run || typeof page !== "string" || page === this.#page) return;
    this.#page = page;
    this.#draw();
  }

  #draw(): void {
    if (!this.#panel || this.#page === "") return;
    const { kind } = vscode.window.activeColorTheme;
    const dark = kind === vscode.ColorThemeKind.Dark || kind === vscode.ColorThemeKind.HighContrast;
    try {
      this.#panel.webview.html = forWebview(this.#page, randomBytes(16).toString("base64"), dark);
    } catch (error) {
      if (!(error instanceof UnknownPage)) throw error;
      this.server.log.error(`the page of this vramlint has another form (${error.message})`);
      const text = pick(this.server.lang, "This version of vramlint draws a page that the extension does not know", "扩展不认识这个版本的 vramlint 绘制的页面");
      void vscode.window.showErrorMessage(text);
    }
  }
}
