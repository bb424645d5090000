/** Finds, starts and restarts the language server. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { type DocumentFilter, LanguageClient, type LanguageClientOptions, RevealOutputChannelOn, type ServerOptions } from "vscode-languageclient/node";
import { langOf, pick } from "./lang";
import { type Candidate, type Found, locate, type Machine } from "./locate";
import { interpreters } from "./python";
import { serverSettings } from "./settings";
import type { StatusParams } from "./status";

/** Languages of files that take part in training. */
const LANGUAGES = ["yaml", "json", "jsonc", "python", "shellscript", "powershell", "dockerfile", "makefile", "markdown"] as const;

const SELECTOR: DocumentFilter[] = [
  ...LANGUAGES.flatMap((language) => [
    { scheme: "file", language },
    { scheme: "untitled", language },
  ]),
  { scheme: "file", pattern: "**/vramlint.toml" },
  { scheme: "file", pattern: "**/*.{hjson,slurm,sbatch}" },
];

const machine: Machine = {
  platform: process.platform,
  home: homedir(),
  env: process.env,
  runnable: (file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  },
};

/** Finds the binary. */
async function find(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Found> {
  const settings = vscode.workspace.getConfiguration("vramlint");
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
  const trusted = vscode.workspace.isTrusted;
  return locate(
    {
      setting: settings.get<string>("path") ?? "",
      strategy: settings.get<string>("importStrategy") === "useBundled" ? "useBundled" : "fromEnvironment",
      interpreters: trusted ? await interpreters(folders[0]?.uri, log) : [],
      folders: folders.map((folder) => folder.uri.fsPath),
      extension: context.extensionUri.fsPath,
      trusted,
    },
    machine,
  );
}

/** The server of this window. */
export class Server implements vscode.Disposable {
  #client: LanguageClient | undefined;
  #running: Candidate | undefined;
  /** Serializes starts and stops. */
  #queue: Promise<void> = Promise.resolve();
  /** Views for server commands that the user runs. */
  readonly #shows = new Map<string, (...words: unknown[]) => Promise<void>>();
  readonly #status = new vscode.EventEmitter<StatusParams>();
  readonly #stopped = new vscode.EventEmitter<void>();

  /** The runs of a document have changed. */
  readonly onStatus = this.#status.event;
  /** Earlier statuses are void. */
  readonly onStopped = this.#stopped.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** The language of messages: the setting, else the language of the editor. */
  get lang(): "en" | "zh" {
    return langOf(vscode.workspace.getConfiguration("vramlint").get<string>("lang"), vscode.env.language);
  }

  /** Registers the view of a server command, for code lenses and code actions. */
  shows(command: string, show: (...words: unknown[]) => Promise<void>): void {
    this.#shows.set(command, show);
  }

  /** Restarts the server. */
  restart(): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      await this.#stop();
      const found = await find(this.context, this.log);
      if (found.kind === "found") await this.#start(found.candidate);
      else this.#reportMissing(found);
    });
    return this.#queue;
  }

  /** Restarts the server if another binary is found now. */
  async reconsider(): Promise<void> {
    const found = await find(this.context, this.log);
    const file = found.kind === "found" ? found.candidate.file : undefined;
    if (file !== this.#running?.file) await this.restart();
  }

  /** Runs a server command; `undefined` if the server is not running. */
  async execute(command: string, argument: unknown): Promise<unknown> {
    await this.#queue;
    if (!this.#client?.isRunning()) return undefined;
    return this.#client.sendRequest("workspace/executeCommand", { command, arguments: [argument] });
  }

  async stop(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#stop());
    await this.#queue;
  }

  dispose(): void {
    void this.stop();
    this.#status.dispose();
    this.#stopped.dispose();
  }

  async #start(candidate: Candidate): Promise<void> {
    this.log.info(`${candidate.source}: ${candidate.file}`);
    const folder = vscode.workspace.workspaceFolders?.find((one) => one.uri.scheme === "file");
    const server: ServerOptions = {
      command: candidate.file,
      args: ["lsp"],
      options: folder ? { cwd: folder.uri.fsPath } : {},
    };
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => {
        const settings = vscode.workspace.getConfiguration("vramlint");
        return { ...serverSettings((key) => settings.get(key)), status: true, ruleDocuments: true };
      },
      middleware: {
        executeCommand: (command, words: unknown[], next): vscode.ProviderResult<unknown> =>
          this.#shows.get(command)?.(...words) ?? (next(command, words) as vscode.ProviderResult<unknown>),
      },
    };
    const client = new LanguageClient("vramlint", "vramlint", server, options);
    client.onNotification("vramlint/status", (params: StatusParams) => {
      this.#status.fire(params);
    });
    this.#client = client;
    this.#running = candidate;
    try {
      await client.start();
    } catch (error) {
      this.log.error(String(error));
      this.#client = undefined;
      this.#running = undefined;
      const text = pick(this.lang, `vramlint: ${candidate.file} did not start as a language server`, `vramlint：${candidate.file} 未能作为语言服务器启动`);
      this.#offer(text, pick(this.lang, "Show Output", "显示输出"), () => {
        this.log.show(true);
      });
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#running = undefined;
    if (!client) return;
    this.#stopped.fire();
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(String(error));
    }
  }

  #reportMissing(found: Exclude<Found, { kind: "found" }>): void {
    const { lang } = this;
    if (found.kind === "wrong-setting") {
      this.log.error(`vramlint.path: ${found.file}`);
      const text = pick(lang, `vramlint.path: ${found.file} cannot be started`, `vramlint.path：${found.file} 无法启动`);
      this.#offer(text, pick(lang, "Open Settings", "打开设置"), openPathSetting);
      return;
    }
    for (const one of found.tried) this.log.info(`${one.source}: ${one.file} -`);
    const text = pick(
      lang,
      "vramlint was not found. Install it (`pip install vramlint` or `cargo install vramlint`) or set vramlint.path",
      "未找到 vramlint：请安装（`pip install vramlint` 或 `cargo install vramlint`），或设置 vramlint.path",
    );
    this.#offer(text, pick(lang, "Open Settings", "打开设置"), openPathSetting);
  }

  #offer(text: string, choice: string, chosen: () => void): void {
    void vscode.window.showErrorMessage(text, choice).then((answer) => {
      if (answer === choice) chosen();
    });
  }
}

function openPathSetting(): void {
  void vscode.commands.executeCommand("workbench.action.openSettings", "vramlint.path");
}
