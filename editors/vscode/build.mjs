// Bundles the extension into dist/extension.js, with the licences of what went into it beside; with --tests the tests into dist/test.
import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

/** The licences of the packages of which a bundle holds a part; a package without one is an error, as we could not pass it on. */
function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[0]);
  }
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e(\.(txt|md))?$/i.test(one));
    if (!file) throw new Error(`${name} has no file with its licence`);
    return `${name} ${version} (${license})\n\n${readFileSync(folder + file, "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

if (process.argv.includes("--tests")) {
  if (existsSync("dist/test")) rmSync("dist/test", { recursive: true });
  const entryPoints = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "dist/test", sourcemap: "inline" });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
    metafile: true,
  });
  writeFileSync("dist/THIRD-PARTY.txt", licences(metafile));
}
