// Child processes: their output goes to a log file, and none outlives this one.
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { LOGS } from "./settings.mjs";

const running = new Set();
const folders = new Set();

/** Starts a command that goes on; `log` names its log. The child's streams can be read besides. */
export function start(log, command, args, options = {}) {
  mkdirSync(LOGS, { recursive: true });
  const file = path.join(LOGS, `${log}.log`);
  const sink = createWriteStream(file);
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true, ...options });
  running.add(child);
  child.stdout.pipe(sink, { end: false });
  child.stderr.pipe(sink, { end: false });
  child.once("close", () => {
    running.delete(child);
    sink.end();
  });
  child.log = file;
  return child;
}

/** Runs a command to its end; a failure shows the end of its log. */
export async function run(log, command, args, options) {
  const child = start(log, command, args, options);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed (exit ${code}):\n${tail(child.log)}`);
  }
}

/** Waits for the first line of a stream in which `pattern` is found; fails when the process ends before. */
export function line(child, stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = "";
    const look = (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) {
        stream.off("data", look);
        resolve(found);
      }
    };
    stream.on("data", look);
    child.once("error", reject);
    child.once("close", (code) =>
      reject(new Error(`${child.spawnfile} ended (exit ${code}):\n${tail(child.log)}`)),
    );
  });
}

/** A folder to remove at the end. */
export function removeAtEnd(folder) {
  folders.add(folder);
  return folder;
}

/** Ends every process that is still running, with its children. */
export function stopAll() {
  for (const child of running) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // it ended a moment ago
    }
  }
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function tail(file) {
  return readFileSync(file, "utf-8").split("\n").slice(-15).join("\n");
}
