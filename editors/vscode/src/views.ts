/** What can be shown of a run: its settings as a document, its memory over one step as a page. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Server } from "./client";
import { pick } from "./lang";
import { forWebview, UnknownPage } from "./page";

/** A run, by its id and a file that takes part in it: what the server's commands take, and the lines above launches carry. */
export interface RunName {
  readonly uri: string;
  readonly run: string;
}

/** The run that a command is given, if it is given one. */
export function runOf(words: readonly unknown[]): RunName | undefined {
  const given = words[0];
  if (typeof given !== "object" || given === null || !("uri" in given) || !("run" in given)) return undefined;
  const { uri, run } = given;
  return typeof uri === "string" && typeof run === "string" ? { uri, run } : undefined;
}

/** A text of an answer of the server. */
function textOf(answer: unknown, name: string): string | undefined {
  const text = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
  return typeof text === "string" ? text : undefined;
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
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${run.run}.txt`, query: run.uri });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const run = uri.path.slice(1, -".txt".length);
    const answer = await this.server.execute("vramlint.run", { uri: uri.query, run } satisfies RunName);
    return textOf(answer, "text") ?? pick(this.server.lang, `${run}: there is no such run now\n`, `${run}：现在没有这个训练任务\n`);
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
    if (page === undefined) {
      void vscode.window.showWarningMessage(pick(this.server.lang, `There is no run ${run.run} now`, `现在没有训练任务 ${run.run}`));
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
    // Only the newest answer counts: a slow one must not replace it.
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
      this.server.log.error(`the page of this vramlint has another form (${error.message})`);
      const text = pick(this.server.lang, "This version of vramlint draws a page that the extension does not know", "扩展不认识这个版本的 vramlint 绘制的页面");
      void vscode.window.showErrorMessage(text);
    }
  }
}
