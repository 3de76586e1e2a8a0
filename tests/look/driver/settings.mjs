// Where things are, and what the environment may set.
import path from "node:path";
import { fileURLToPath } from "node:url";

/** tests/look */
export const HERE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const ROOT = path.resolve(HERE, "../..");
/** Everything this leaves behind: pictures, logs, and in `project` the libraries and the built page. */
export const CACHE = path.join(ROOT, ".cache/look");
export const PROJECT = path.join(CACHE, "project");
export const LOGS = path.join(CACHE, "logs");

/** The LOOK_* variables; README.md lists them. */
export function read(environment) {
  const seconds = Number(environment.LOOK_HISTORY_SECONDS ?? 240);
  if (!Number.isFinite(seconds) || seconds < 0) {
    throw new Error(`LOOK_HISTORY_SECONDS is a number of seconds, not ${environment.LOOK_HISTORY_SECONDS}`);
  }
  return {
    historySeconds: seconds,
    config: environment.LOOK_CONFIG ?? "config/default.toml",
    themes: (environment.LOOK_THEMES ?? "dark light").split(/[\s,]+/).filter(Boolean),
    prometheus: environment.LOOK_PROMETHEUS,
    chromium: environment.LOOK_CHROMIUM,
    dashboards: path.resolve(ROOT, environment.LOOK_DASHBOARDS ?? "grafana/dashboards"),
  };
}
