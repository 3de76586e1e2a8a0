// The demo to look at: the real daemon and a real Prometheus that scrapes it.
//
// Both take free ports, so that a `make demo` beside this is not disturbed.
import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { line, removeAtEnd, start } from "./processes.mjs";
import { ROOT } from "./settings.mjs";

const SHIPPED_TARGET = "127.0.0.1:9642";
const REPORT_SECONDS = 30;

/** The running demo: where its Prometheus is, how long it has played, and a wait for some history. */
export async function startDemo(config) {
  const daemon = await startDaemon(config);
  const prometheus = await startPrometheus(new URL(daemon.url).host);
  const startedAt = Date.now();
  const seconds = () => (Date.now() - startedAt) / 1000;
  console.log(`Playing ${config} at ${daemon.url}, scraped by a Prometheus at ${prometheus}`);
  return { prometheus, seconds, history: (wanted) => waitFor(wanted, seconds) };
}

async function startDaemon(config) {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("GOODPUTD_"));
  const child = start(
    "goodputd",
    path.join(ROOT, ".venv/bin/goodputd"),
    ["serve", "--config", config, "--listen", "127.0.0.1:0", "--log-format", "json"],
    { cwd: ROOT, env: Object.fromEntries(environment) },
  );
  const [, url] = await line(child, child.stdout, /"url":\s*"([^"]+)"/);
  return { url };
}

/** Prometheus with the project's own configuration, rules included, pointed at this daemon. */
async function startPrometheus(target) {
  const folder = removeAtEnd(await mkdtemp(path.join(os.tmpdir(), "goodputd-look-")));
  await cp(path.join(ROOT, "config/prometheus"), folder, { recursive: true });
  const config = path.join(folder, "prometheus.yml");
  const shipped = await readFile(config, "utf-8");
  if (!shipped.includes(SHIPPED_TARGET)) {
    throw new Error(`config/prometheus/prometheus.yml no longer scrapes ${SHIPPED_TARGET}`);
  }
  await writeFile(config, shipped.replaceAll(SHIPPED_TARGET, target));
  const child = start("prometheus", "prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(folder, "data")}`,
    "--web.listen-address=127.0.0.1:0",
  ]);
  const [, address] = await line(child, child.stderr, /msg="Listening on" address=(\S+)/);
  return `http://${address}`;
}

async function waitFor(wanted, seconds) {
  while (seconds() < wanted) {
    const left = wanted - seconds();
    console.log(`Waiting for ${Math.ceil(left)} s more of history (LOOK_HISTORY_SECONDS=${wanted}) ...`);
    await sleep(Math.min(left, REPORT_SECONDS) * 1000);
  }
}
