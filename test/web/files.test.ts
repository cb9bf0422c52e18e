import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { newFolder } from "../../src/core/media/stored-files.ts";
import { rawRequest } from "../support/raw.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";

/** Two files in the data folder, with the paths of uploads. */
const [OLD, FOLDER] = [`${newFolder("attachments")}/original.png`, newFolder("attachments")];
const MEGABYTE = 1_000_000;

let data: string;
let server: TestServer;

function put(path: string, content: string): string {
  const file = join(data, "media", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}/media/${path}`, { headers });

async function start(): Promise<void> {
  server = await startServer({ LINNET_DATA: data });
}

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "linnet-files-"));
  put(OLD, "old");
});
afterEach(async () => {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});

/** Files are served differently in production. */
describe.each(["test", "production"])("With NODE_ENV=%s", (environment) => {
  const before = process.env.NODE_ENV;
  beforeEach(() => {
    process.env.NODE_ENV = environment;
  });
  afterEach(() => {
    process.env.NODE_ENV = before;
  });

  test("files from before and after the start are served", async () => {
    await start();
    const added = `${newFolder("emojis")}/static.webp`;
    expect((await get(added)).status).toBe(404);
    put(added, "new");
    for (const [path, content, type] of [
      [OLD, "old", "image/png"],
      [added, "new", "image/webp"],
    ] as const) {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([200, content]);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(response.headers.get("etag")).toBe(`"${path}"`);
    }
  });

  test("more than 1,024 files are served, including later ones", async () => {
    const paths = Array.from({ length: 1100 }, (_, n) => `${FOLDER}/${n % 1000}${n < 1000 ? "" : "x"}.jpg`);
    for (const path of paths) put(path, path);
    await start();
    paths.push(`${FOLDER}/original.jpg`);
    put(paths.at(-1)!, paths.at(-1)!);
    for (const path of [paths[0]!, paths[1050]!, paths.at(-1)!]) expect(await (await get(path)).text()).toBe(path);
  });

  test("a deleted file is not found, and the response is not cached", async () => {
    await start();
    expect((await get(OLD)).status).toBe(200);
    rmSync(join(data, "media", OLD));
    const asked: Record<string, string>[] = [{}, { range: "bytes=0-1" }, { "if-none-match": `"${OLD}"` }];
    for (const headers of asked) {
      const response = await get(OLD, headers);
      expect([response.status, await response.json()]).toEqual([404, { error: "Record not found" }]);
      expect([response.headers.get("cache-control"), response.headers.get("etag")]).toEqual([null, null]);
    }
  });

  test("HTML files in the folder are not served", async () => {
    for (const name of ["index.html", "attachments/index.html", `${FOLDER}/original.html`]) put(name, "<script>");
    await start();
    for (const path of ["", "index.html", "attachments", "attachments/index.html", `${FOLDER}/original.html`, FOLDER]) {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain("<script>");
    }
  });
});

test("a folder with the name of a file isn't served", async () => {
  mkdirSync(join(data, "media", FOLDER, "original.png"), { recursive: true });
  await start();
  expect((await get(`${FOLDER}/original.png`)).status).toBe(404);
});

test("symbolic links aren't followed", async () => {
  const secret = join(data, "secret.txt");
  writeFileSync(secret, "secret");
  mkdirSync(join(data, "media", FOLDER), { recursive: true });
  symlinkSync(secret, join(data, "media", FOLDER, "original.png"));
  symlinkSync(join(data, "media", OLD), join(data, "media", FOLDER, "small.png"));
  await start();
  for (const name of ["original.png", "small.png"]) expect((await get(`${FOLDER}/${name}`)).status).toBe(404);
});

test.each([".env", ".original.png", ".git/config", "source", "original.exe", "original.png.bak"])(
  "a file without the name of an upload isn't served (%s)",
  async (name) => {
    put(`${FOLDER}/${name}`, "secret");
    put(name, "secret");
    await start();
    for (const path of [`${FOLDER}/${name}`, name]) expect((await get(path)).status).toBe(404);
  },
);

test.each(["..", "%2e%2e", ".%2E", "..%2f", "%2e%2e%2f", "..%5c", "%252e%252e", "....//", "..;", "../media/.."])(
  "no path leads out of the folder (%s)",
  async (up) => {
    writeFileSync(join(data, "original.png"), "secret");
    await start();
    for (const path of [`${up}/original.png`, `attachments/${up}/${up}/original.png`, `${FOLDER}/${up}/original.png`]) {
      const answer = await rawRequest(server.origin, `GET /media/${path} HTTP/1.1\r\n\r\n`);
      expect(answer).toStartWith("HTTP/1.1 404");
      expect(answer).not.toContain("secret");
    }
  },
);

describe("A large file", () => {
  const path = `${FOLDER}/original.mp4`;
  const size = 300 * MEGABYTE;
  beforeEach(async () => {
    truncateSync(put(path, "begin"), size);
    await start();
  });

  test("is served in ranges", async () => {
    for (const [range, found] of [
      ["bytes=0-4", `bytes 0-4/${size}`],
      ["bytes=299999990-", `bytes 299999990-299999999/${size}`],
      ["bytes=-10", `bytes 299999990-299999999/${size}`],
    ] as const) {
      const response = await get(path, { range });
      expect([response.status, response.headers.get("content-range")]).toEqual([206, found]);
      expect(response.headers.get("accept-ranges")).toBe("bytes");
      expect((await response.bytes()).length).toBeLessThanOrEqual(10);
    }
    expect((await get(path, { range: `bytes=${size}-` })).status).toBe(416);
    const head = await fetch(`${server.origin}/media/${path}`, { method: "HEAD" });
    const whole = await get(path);
    await whole.body?.cancel();
    for (const name of ["content-length", "content-type", "etag", "accept-ranges", "access-control-allow-origin"]) {
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
    }
  });

  inProcess("is not read completely for a range or a revalidation", async () => {
    // The bytes that this process, which contains the server, has read from files and sockets.
    const read = () => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
    const [before, memory] = [read(), process.memoryUsage.rss()];
    expect(await (await get(path, { range: "bytes=0-4" })).text()).toBe("begin");
    expect((await get(path, { "if-none-match": `"${path}"` })).status).toBe(304);
    await fetch(`${server.origin}/media/${path}`, { method: "HEAD" });
    expect(read() - before).toBeLessThan(10 * MEGABYTE);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(100 * MEGABYTE);
  });
});
