// `make look`: from nothing to a picture of every dashboard, and a verdict. See README.md.
//
//   node look.mjs [DASHBOARD ...]     names without .json; none means all
//
// Plays the demo while the page is installed and built, waits for history, then looks at each dashboard.
import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { openBrowser } from "./browser.mjs";
import { startDemo } from "./demo.mjs";
import { prepare } from "./prepare.mjs";
import { stopAll } from "./processes.mjs";
import { failuresOf, notesOf, printTable } from "./report.mjs";
import { serve } from "./server.mjs";
import { CACHE, HERE, read } from "./settings.mjs";

async function main(asked) {
  const settings = read(process.env);
  const names = await dashboardNames(settings.dashboards, asked);
  await mkdir(CACHE, { recursive: true });
  const demo = settings.prometheus === undefined ? await startDemo(settings.config) : undefined;
  await prepare();
  if (demo) {
    await demo.history(settings.historySeconds);
  }
  const site = await serve({
    prometheus: settings.prometheus ?? demo.prometheus,
    dashboards: settings.dashboards,
  });
  const browser = await openBrowser(settings.chromium);
  const allowed = JSON.parse(await readFile(path.join(HERE, "allowed-empty.json"), "utf-8"));
  const rows = [];
  for (const theme of settings.themes) {
    for (const name of names) {
      const seen = await browser.look({ site: site.url, name, theme, history: demo?.seconds() });
      rows.push({
        name,
        theme,
        ...seen,
        failures: failuresOf(seen, allowed[name]),
        notes: notesOf(seen, allowed[name]),
      });
    }
  }
  await browser.close();
  site.close();
  return printTable(rows) ? 0 : 1;
}

async function dashboardNames(folder, asked) {
  const files = await readdir(folder).catch(() => []);
  const found = files.filter((file) => file.endsWith(".json")).map((file) => path.basename(file, ".json"));
  const missing = asked.filter((name) => !found.includes(name));
  if (missing.length > 0 || found.length === 0) {
    const there = found.sort().join(", ") || "none";
    throw new Error(`no dashboard ${missing.join(", ")} in ${folder} (there: ${there})`);
  }
  return asked.length > 0 ? asked : found.sort();
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]) {
  process.once(signal, () => process.exit(code));
}
process.once("exit", stopAll);

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    console.error(`look: ${error.message}`);
    process.exit(1);
  },
);
