/** The extension: the language server, a status bar item, and views of runs and rules. */
import * as vscode from "vscode";
import { Server } from "./client";
import { pick } from "./lang";
import { onInterpreterChange } from "./python";
import { RuleDocuments } from "./rules";
import { StatusBar } from "./statusBar";
import { type RunName, runOf, RunDocuments, Timeline } from "./views";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("vramlint", { log: true });
  server = new Server(context, log);
  const running = server;
  const bar = new StatusBar(running);
  const documents = new RunDocuments(running);
  const timeline = new Timeline(running);
  const rules = new RuleDocuments(running);

  const command = (name: string, work: (...words: unknown[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(name, work);
  const showing = (show: (run: RunName) => Promise<void>) => async (...words: unknown[]) => {
    const run = runOf(words) ?? (await chooseRun(running, bar));
    if (run) await show(run);
  };
  const showRun = showing((run) => documents.show(run));
  const showTimeline = showing((run) => timeline.show(run));
  running.shows("vramlint.run", showRun);
  running.shows("vramlint.timeline", showTimeline);
  running.shows("vramlint.explainRule", (...words) => rules.show(words));

  context.subscriptions.push(
    log,
    running,
    bar,
    documents,
    timeline,
    rules,
    command("vramlint.restart", () => running.restart()),
    command("vramlint.showOutput", () => {
      log.show();
    }),
    command("vramlint.showRun", showRun),
    command("vramlint.showTimeline", showTimeline),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (["vramlint.path", "vramlint.importStrategy"].some((key) => event.affectsConfiguration(key))) void running.restart();
      else if (event.affectsConfiguration("python.defaultInterpreterPath")) void running.reconsider();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.reconsider()),
  );
  await running.restart();
  context.subscriptions.push(await onInterpreterChange(() => void running.reconsider()));
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** The run of the current document; asks if there are several. */
async function chooseRun(server: Server, bar: StatusBar): Promise<RunName | undefined> {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  const document = editors.map((editor) => editor?.document.uri).find((uri) => uri && bar.runs(uri).length > 0);
  if (!document) {
    void vscode.window.showInformationMessage(pick(server.lang, "No training run uses this file", "没有训练任务使用此文件"));
    return undefined;
  }
  const ids = bar.runs(document).map((run) => run.id);
  const placeHolder = pick(server.lang, "Which run?", "哪个训练任务？");
  const run = ids.length > 1 ? await vscode.window.showQuickPick(ids, { placeHolder }) : ids[0];
  return run === undefined ? undefined : { uri: document.toString(), run };
}
