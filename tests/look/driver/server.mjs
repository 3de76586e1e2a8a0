// Serves the built page, the dashboards, Grafana's icons, and Prometheus below /prom, on a free port.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { PROJECT } from "./settings.mjs";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};

/** The address of the running server, and a way to end it. */
export async function serve({ prometheus, dashboards }) {
  const places = [
    ["/dashboards/", dashboards],
    ["/public/build/img/", path.join(PROJECT, "node_modules/@grafana/ui/dist/public/img")],
    ["/", path.join(PROJECT, "dist")],
  ];
  const server = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://localhost");
    if (pathname.startsWith("/prom/")) {
      forward(`${prometheus}${pathname.slice("/prom".length)}${search}`, request, response);
    } else {
      const [prefix, folder] = places.find(([each]) => pathname.startsWith(each));
      sendFile(folder, pathname === "/" ? "index.html" : pathname.slice(prefix.length), response);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function forward(url, request, response) {
  const onward = http.request(url, { method: request.method }, (answer) => {
    response.writeHead(answer.statusCode, {
      "content-type": answer.headers["content-type"] ?? "application/json",
    });
    answer.pipe(response);
  });
  onward.on("error", (error) => response.writeHead(502).end(error.message));
  request.pipe(onward);
}

async function sendFile(folder, name, response) {
  const file = path.join(folder, path.normalize(`/${name}`));
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
}
