// VS Code in a browser without a screen: code-server with an extension in it, on a folder, and a page that shows it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.tips.enabled": false,
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.autoDetectColorScheme": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "chat.disableAIFeatures": true,
  "security.workspace.trust.enabled": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.fontSize": 14,
  "editor.occurrencesHighlight": "off",
  "editor.renderLineHighlight": "none",
  "editor.scrollBeyondLastLine": false,
  "editor.codeActionsOnSave": { "source.fixAll.vramlint": "explicit" },
  "files.autoSave": "off",
  "files.exclude": { "**/.venv": true },
};

const CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const freePort = () => new Promise((resolve, reject) => {
  const server = createServer();
  server.on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** Starts it. `close` ends every process of it. */
export async function open({ tools, chromiumPath, vsix, folder, work }) {
  const { chromium } = createRequire(join(tools, "x.js"))("playwright-core");
  const node = join(tools, "node/bin/node");
  const data = join(work, "data");
  mkdirSync(join(data, "User"), { recursive: true });
  const settingsFile = join(data, "User/settings.json");
  const set = (more) => writeFileSync(settingsFile, JSON.stringify({ ...SETTINGS, ...more }));
  set({});
  writeFileSync(join(work, "config.yaml"), "");
  const words = [join(tools, "cs/out/node/entry.js"), "--config", join(work, "config.yaml"), "--user-data-dir", data, "--extensions-dir", join(work, "ext")];
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter), LANG: "C.UTF-8" };
  delete env.PORT;
  execFileSync(node, [...words, "--install-extension", vsix], { env, stdio: ["ignore", "ignore", "ignore"] });

  const port = await freePort();
  const log = openSync(join(work, "server.log"), "w");
  const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override"];
  const server = spawn(node, [...words, ...flags], { env, detached: true, stdio: ["ignore", log, log] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  let browser;
  const close = async () => {
    await browser?.close();
    for (const signal of ["SIGTERM", "SIGKILL"]) {
      try {
        process.kill(-server.pid, signal);
      } catch (error) {
        if (error.code !== "ESRCH") throw error;
      }
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 2000))]);
    }
  };
  // Whoever stops the session stops the editor too.
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => close().finally(() => process.exit(1)));
  try {
    for (let left = 150; ; left -= 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      if (answer?.ok) break;
      if (left === 0 || server.exitCode !== null) throw new Error(`code-server does not answer:\n${readFileSync(join(work, "server.log"), "utf8")}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    browser = await chromium.launch({ executablePath: chromiumPath, args: CHROMIUM });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURI(folder)}`);
    await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 60_000 });
    return { page, set, close };
  } catch (error) {
    await close();
    throw error;
  }
}
