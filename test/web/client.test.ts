import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { rawRequest } from "../support/raw.ts";
import { startServer, type TestServer } from "../support/server.ts";

let folder: string;
let server: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "linnet-client-"));
  mkdirSync(join(folder, "client", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "client", "index.html"), "<!doctype html><title>A client</title>");
  writeFileSync(join(folder, "client", "assets", "main.js"), "let a;");
  symlinkSync(join(folder, "secret.txt"), join(folder, "client", "link.txt"));
  server = await startServer({ LINNET_WEB_CLIENT: join(folder, "client") });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, server.origin), { headers, redirect: "manual" });

test("the client's files are served below /client/, and its other paths by its index.html", async () => {
  expect((await get("/client")).headers.get("location")).toBe("/client/");
  for (const path of ["/client/", "/client/index.html", "/client/home", "/client/a/b?c=d", "/client/assets/"]) {
    const response = await get(path);
    expect([path, response.status, response.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/html;charset=utf-8",
    ]);
    expect(await response.text()).toContain("A client");
  }
  const script = await get("/client/assets/main.js");
  expect([script.headers.get("content-type"), await script.text()]).toEqual([
    "text/javascript;charset=utf-8",
    "let a;",
  ]);
});

test("an unchanged file is not sent again, and no other page may frame the client", async () => {
  const { headers } = await get("/client/assets/main.js");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect((await get("/client/assets/main.js", { "if-none-match": headers.get("etag")! })).status).toBe(304);
});

test("no path and no link leads out of the client's folder", async () => {
  for (const path of [
    "/client/../secret.txt",
    "/client/..%2fsecret.txt",
    "/client/%2e%2e/secret.txt",
    "/client/link.txt",
    "/client/%00",
    "/client/%",
  ]) {
    const response = await rawRequest(server.origin, `GET ${path} HTTP/1.1\r\n\r\n`);
    expect([path, response]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 (200|400|404) /)]);
    expect(response.split("\r\n\r\n")[1]).not.toContain("secret");
  }
});

test("without the setting there is no client, and a folder without index.html is refused", async () => {
  const without = await startServer();
  expect((await fetch(`${without.origin}/client/`)).status).toBe(404);
  await without.stop();
  expect(() => readConfig({ LINNET_WEB_CLIENT: folder })).toThrow("with an index.html");
});
