/** Views of a run: its settings as a document, its memory timeline as a page. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { textOf } from "./answers";
import type { Server } from "./client";
import { pick } from "./lang";
import { forWebview, UnknownPage } from "./page";

/** A run, by its id and a file that it uses: the argument of the server's commands and of code lenses. */
export interface RunName {
  readonly uri: string;
  readonly run: string;
}

/** The run that a command names, if any. */
export function runOf(words: readonly unknown[]): RunName | undefined {
  const argument = words[0];
  if (typeof argument !== "object" || argument === null || !("uri" in argument) || !("run" in argument)) return undefined;
  const { uri, run } = argument;
  return typeof uri === "string" && typeof run === "string" ? { uri, run } : undefined;
}

const SCHEME = "vramlint-run";

/** Documents with the answer of `vramlint.run`. */
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
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${run.run}.txt`, query: run.uri });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const run = uri.path.slice(1, -".txt".length);
    const answer = await this.server.execute("vramlint.run", { uri: uri.query, run } satisfies RunName);
    return textOf(answer, "text") ?? pick(this.server.lang, `${run}: this run no longer exists\n`, `${run}：该训练任务已不存在\n`);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }
}

/** The memory timeline of a run, in one panel that follows edits. */
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
    if (page === undefined) {
      void vscode.window.showWarningMessage(pick(this.server.lang, `The run ${run.run} no longer exists`, `训练任务 ${run.run} 已不存在`));
      return;
    }
    this.#panel ??= this.#open();
    this.#panel.title = pick(this.server.lang, `Memory: ${run.run}`, `显存：${run.run}`);
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

  async #ask(run: RunName): Promise<string | undefined> {
    return textOf(await this.server.execute("vramlint.timeline", run), "html");
  }

  async #refresh(): Promise<void> {
    const run = this.#run;
    if (!this.#panel || !run) return;
    // Drop answers that a newer request has overtaken.
    this.#turn += 1;
    const turn = this.#turn;
    const page = await this.#ask(run);
    if (turn !== this.#turn || run !== this.#run || page === undefined || page === this.#page) return;
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
      this.server.log.error(`unknown page format (${error.message})`);
      const text = pick(this.server.lang, "The extension does not support the page format of this vramlint version", "扩展不支持此版本 vramlint 的页面格式");
      void vscode.window.showErrorMessage(text);
    }
  }
}
