/**
 * Search order of the `vramlint` binary. Pure: the file system is accessed through `Machine`.
 */
import * as path from "node:path";

/** Where a candidate comes from. */
export type Source = "setting" | "environment" | "path" | "bundled";

/** A possible location of the binary. */
export interface Candidate {
  readonly file: string;
  readonly source: Source;
}

/** The machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a file can be started. */
  readonly runnable: (file: string) => boolean;
}

/** Settings and state of the editor. */
export interface SearchOptions {
  /** The setting `vramlint.path`; empty if unset. */
  readonly setting: string;
  /** Which of the environment and the bundled binary comes first. */
  readonly strategy: "fromEnvironment" | "useBundled";
  /** The interpreters of the workspace, best first: an interpreter, or the folder of an environment. */
  readonly interpreters: readonly string[];
  /** Folders of the workspace. */
  readonly folders: readonly string[];
  /** The folder of the extension. */
  readonly extension: string;
  /** Whether programs in the workspace may be started. */
  readonly trusted: boolean;
}

/** The result of a search. */
export type Found =
  | { readonly kind: "found"; readonly candidate: Candidate }
  /** The setting names something that cannot be started: nothing else is tried in its place. */
  | { readonly kind: "wrong-setting"; readonly file: string }
  | { readonly kind: "absent"; readonly tried: readonly Candidate[] };

const paths = (machine: Machine): path.PlatformPath => (machine.platform === "win32" ? path.win32 : path.posix);
/** A command's file: on Windows programs alone, as scripts cannot be started without a shell. */
const file = (name: string, machine: Machine): string => (machine.platform === "win32" && !/\.\w+$/.test(name) ? `${name}.exe` : name);

/** `~`, `${workspaceFolder}`, `${userHome}` and `${env:NAME}` replaced. */
export function expand(text: string, machine: Machine, folder: string | undefined): string {
  const home = text === "~" || /^~[/\\]/.test(text) ? machine.home + text.slice(1) : text;
  return home.replaceAll(/\$\{(workspaceFolder|userHome|env:([^}]+))\}/g, (whole: string, name: string, variable?: string) => {
    if (variable !== undefined) return machine.env[variable] ?? "";
    return (name === "userHome" ? machine.home : folder) ?? whole;
  });
}

/** The folders in which an environment keeps its commands, given its interpreter or itself. */
function commandFolders(place: string, machine: Machine): string[] {
  const at = paths(machine);
  const scripts = machine.platform === "win32" ? "Scripts" : "bin";
  if (!/^python[\d.]*(\.exe)?$/i.test(at.basename(place))) return [at.join(place, scripts)];
  const beside = at.dirname(place);
  // conda on Windows has `python.exe` above `Scripts`; everywhere else commands lie beside the interpreter.
  return machine.platform === "win32" ? [beside, at.join(beside, scripts)] : [beside];
}

function inEnvironments(options: SearchOptions, machine: Machine): Candidate[] {
  if (!options.trusted) return [];
  const at = paths(machine);
  const named = options.interpreters.map((one) => expand(one, machine, options.folders[0])).filter((one) => at.isAbsolute(one));
  const usual = options.folders.flatMap((folder) => [at.join(folder, ".venv"), at.join(folder, "venv")]);
  const folders = [...named, ...usual].flatMap((place) => commandFolders(place, machine));
  return folders.map((folder) => ({ file: at.join(folder, file("vramlint", machine)), source: "environment" as const }));
}

function inPath(machine: Machine, name: string): Candidate[] {
  const at = paths(machine);
  const list = machine.env["PATH"] ?? machine.env["Path"] ?? "";
  // A relative entry would mean whatever folder the editor happens to run in.
  const folders = list.split(at.delimiter).filter((folder) => at.isAbsolute(folder));
  return folders.map((folder) => ({ file: at.join(folder, file(name, machine)), source: "path" as const }));
}

/** Every place, in the order in which it is tried; without the setting. */
export function candidates(options: SearchOptions, machine: Machine): Candidate[] {
  const bundled: Candidate = { file: paths(machine).join(options.extension, "server", file("vramlint", machine)), source: "bundled" };
  const environment = [...inEnvironments(options, machine), ...inPath(machine, "vramlint")];
  return options.strategy === "useBundled" ? [bundled, ...environment] : [...environment, bundled];
}

/** The binary that is to be started. */
export function locate(options: SearchOptions, machine: Machine): Found {
  if (options.setting.trim() !== "") {
    const at = paths(machine);
    const folder = options.folders[0];
    const text = expand(options.setting.trim(), machine, folder);
    let places: Candidate[];
    if (at.isAbsolute(text)) places = [{ file: text, source: "setting" }];
    else if (/[/\\]/.test(text)) places = folder === undefined ? [] : [{ file: at.join(folder, text), source: "setting" }];
    else places = inPath(machine, text);
    const chosen = places.find((one) => machine.runnable(one.file));
    return chosen ? { kind: "found", candidate: { file: chosen.file, source: "setting" } } : { kind: "wrong-setting", file: text };
  }
  const tried = candidates(options, machine);
  const candidate = tried.find((one) => machine.runnable(one.file));
  return candidate ? { kind: "found", candidate } : { kind: "absent", tried };
}
