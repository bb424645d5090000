/** Which Python environments the editor knows: asked of the Python extension where it is installed, and of its settings. */
import * as vscode from "vscode";

/** What is used of the interface of `ms-python.python`. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: { readonly path: string },
    ): Promise<{ readonly executable?: { readonly uri?: vscode.Uri | undefined } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const EXTENSION = "ms-python.python";
/** A Python extension that does not answer must not keep us from starting. */
const PATIENCE_MS = 3000;

async function within<T>(work: Thenable<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

async function api(): Promise<PythonApi["environments"]> {
  const extension = vscode.extensions.getExtension<PythonApi>(EXTENSION);
  if (!extension) return undefined;
  const exported = extension.isActive ? extension.exports : await within(extension.activate());
  return exported?.environments;
}

async function selected(folder: vscode.Uri | undefined, log: vscode.LogOutputChannel): Promise<string | undefined> {
  try {
    const environments = await api();
    if (!environments) return undefined;
    const active = environments.getActiveEnvironmentPath(folder);
    const resolved = await within(environments.resolveEnvironment(active));
    return resolved?.executable?.uri?.fsPath ?? active.path;
  } catch (error) {
    log.warn(`${EXTENSION}: ${String(error)}`);
    return undefined;
  }
}

/** The interpreters of a folder, best first. */
export async function interpreters(folder: vscode.Uri | undefined, log: vscode.LogOutputChannel): Promise<string[]> {
  const configured = vscode.workspace.getConfiguration("python", folder).get<string>("defaultInterpreterPath");
  const found = [await selected(folder, log), configured];
  return found.filter((one): one is string => typeof one === "string" && one !== "");
}

/** Calls when another interpreter is selected. */
export async function onInterpreterChange(changed: () => void): Promise<vscode.Disposable> {
  const environments = await api();
  return environments?.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => undefined);
}
