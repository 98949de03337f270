// A browser and a web server for the tests: Debian's Chromium, headless, and the built site on loopback below a sub-path.
//
//	node browser.mjs    says which Chromium the tests would take; exit status 2 if there is none

import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const SITE = path.resolve(process.env.SITE ?? fileURLToPath(new URL("../../build/site", import.meta.url)));
const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml",
  ".png": "image/png", ".woff": "font/woff", ".woff2": "font/woff2", ".wasm": "application/wasm", ".csv": "text/csv", ".gz": "application/gzip",
};

/** The Chromium to run: $CHROMIUM, or the first one on the path; undefined if there is none. */
export function chromium() {
  const names = process.env.CHROMIUM ? [process.env.CHROMIUM] : ["chromium", "chromium-browser", "google-chrome"];
  const files = names.flatMap((n) => (n.includes("/") ? [n] : process.env.PATH.split(":").map((dir) => path.join(dir, n))));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts Chromium so that it reaches nothing but this machine. */
export async function launch() {
  const { chromium: driver } = await import("playwright-core");
  return driver.launch({
    executablePath: chromium(),
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    ],
  });
}

/** Serves dir as any plain web server does, below a sub-path and on a free port. Gives {url, close}. */
export async function serve(dir, base = "/some/where/") {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    let file = pathname.startsWith(base) && path.join(dir, decodeURIComponent(pathname.slice(base.length)));
    if (file && file.endsWith("/")) file += "index.html";
    try {
      if (!file || !file.startsWith(dir)) throw new Error("outside");
      const body = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    close: () => new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = chromium();
  if (!found) {
    console.error(`site test: ${process.env.CHROMIUM ?? "chromium"} not found: install it (Debian, Ubuntu: apt-get install chromium) or set CHROMIUM`);
    process.exit(2);
  }
  console.log(`site test: ${found}`);
}
