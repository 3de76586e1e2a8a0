// Installs Grafana's libraries and builds the page, each only when what it is made from has changed.
//
// It happens in a copy below .cache, since npm puts half a gigabyte beside package.json.
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { run } from "./processes.mjs";
import { HERE, PROJECT } from "./settings.mjs";

const MANIFEST = ["package.json", "package-lock.json", ".npmrc"];
const PAGE = ["index.html", "vite.config.js", "src"];

export async function prepare() {
  await mkdir(PROJECT, { recursive: true });
  const libraries = await digest(MANIFEST);
  await unlessStamped("libraries", libraries, async () => {
    console.log("Installing Grafana's open libraries (npm ci, 510 MB, a minute or two, once) ...");
    await copy(MANIFEST);
    await run("npm", "npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: PROJECT });
  });
  await unlessStamped("page", await digest([...MANIFEST, ...PAGE]), async () => {
    console.log("Building the page (vite, half a minute) ...");
    await rm(path.join(PROJECT, "src"), { recursive: true, force: true });
    await copy(PAGE);
    await run("vite", process.execPath, ["node_modules/vite/bin/vite.js", "build"], { cwd: PROJECT });
  });
}

async function copy(names) {
  for (const name of names) {
    await cp(path.join(HERE, name), path.join(PROJECT, name), { recursive: true });
  }
}

async function unlessStamped(name, stamp, make) {
  const file = path.join(PROJECT, `.${name}-made`);
  if ((await readFile(file, "utf-8").catch(() => "")) !== stamp) {
    await make();
    await writeFile(file, stamp);
  }
}

async function digest(names) {
  const hash = createHash("sha256");
  for (const name of names) {
    for (const file of await files(path.join(HERE, name))) {
      hash.update(path.relative(HERE, file)).update(await readFile(file));
    }
  }
  return hash.digest("hex");
}

async function files(start) {
  const entries = await readdir(start, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    return [start];
  }
  const nested = await Promise.all(entries.map((entry) => files(path.join(start, entry.name))));
  return nested.flat().sort();
}
