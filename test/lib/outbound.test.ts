import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import {
  fetchOutside,
  isPublicAddress,
  OutboundError,
  type OutboundRequest,
  type Outlet,
} from "../../src/lib/http/outbound.ts";

const KIB = 1024;
const FIXTURES = join(import.meta.dir, "../fixtures");

/** The last request that the site received. */
let seen: { method: string; path: string; headers: Headers; body: string };
/** Resolves when the site notices that the client stopped reading an endless response. */
let cancelled = Promise.withResolvers<void>();

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    seen = { method: request.method, path: pathname, headers: request.headers, body: await request.text() };
    return answers[pathname]?.() ?? new Response("nothing here", { status: 404 });
  },
});
const { port } = site;
const origin = `http://127.0.0.1:${port}`;

const answers: Record<string, () => Response | Promise<Response>> = {
  "/hello": () =>
    new Response("hello", { headers: { "content-type": "Text/HTML; charset=utf-8", "set-cookie": "a=b" } }),
  "/here": () => redirect(302, "/hello"),
  "/loop": () => redirect(302, "/loop"),
  "/file": () => redirect(302, "file:///etc/passwd"),
  "/private": () => redirect(302, `http://inside.example:${port}/hello`),
  "/elsewhere": () => redirect(307, `http://other.example:${port}/hello`),
  "/never": () => new Promise<Response>(() => {}),
  "/stalled": () => new Response(endless(() => new Promise(() => {}))),
  "/endless": () => new Response(endless(() => Promise.resolve())),
  "/large": () => new Response("x".repeat(64 * KIB)),
  "/bomb": () => encoded("gzip", BOMB),
  "/page": () => encoded("gzip", gzipSync(TEXT)),
  "/x-gzip": () => encoded("X-GZIP", gzipSync(TEXT)),
  "/identity": () => encoded("identity", TEXT),
  "/members": () => encoded("gzip", Buffer.concat([gzipSync("one "), gzipSync("two "), gzipSync("three")])),
  "/empty": () => encoded("gzip", ""),
  "/chained": () => encoded("gzip, gzip", gzipSync(gzipSync(TEXT))),
  "/zstd": () => encoded("zstd", zstdCompressSync(TEXT)),
  "/br": () => encoded("br", brotliCompressSync(TEXT)),
  "/deflate": () => encoded("deflate", deflateSync(TEXT)),
  "/broken": () => encoded("gzip", "no gzip"),
  "/cut-off": () => encoded("gzip", gzipSync(TEXT).subarray(0, -4)),
  "/corrupt": () => encoded("gzip", withOneByteChanged(gzipSync(TEXT))),
  "/stalled-gzip": () =>
    encoded(
      "gzip",
      endless(() => new Promise(() => {}), gzipSync("hello")),
    ),
  "/endless-gzip": () =>
    encoded(
      "gzip",
      endless(() => Promise.resolve(), gzipSync("")),
    ),
};

/** A text of 13 kB. */
const TEXT = "One of many pages that are sent packed. ".repeat(330);
/** 1 MiB of zeros in 1,051 bytes. Repeated, it is 1 GiB in 1 MB, because gzip members can be concatenated. */
const MEMBER = gzipSync(new Uint8Array(1024 * KIB));
const BOMB = Buffer.concat(Array.from({ length: 1024 }, () => MEMBER));

function encoded(encoding: string, body: string | Buffer<ArrayBuffer> | ReadableStream): Response {
  return new Response(body, { headers: { "content-encoding": encoding, "content-type": "text/html" } });
}

/** Changes the checksum at the end, so that only a reader that verifies it notices. */
function withOneByteChanged(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  bytes[bytes.length - 6]! ^= 1;
  return bytes;
}

function redirect(status: number, location: string): Response {
  return new Response("moved", { status, headers: { location } });
}

function endless(pause: () => Promise<void>, chunk: Uint8Array = new Uint8Array(KIB)): ReadableStream {
  let first = true;
  return new ReadableStream({
    async pull(controller) {
      if (!first) await pause();
      first = false;
      controller.enqueue(chunk);
    },
    cancel: () => cancelled.resolve(),
  });
}

afterAll(() => site.stop(true));

/** The test's DNS: no other names resolve. */
const NAMES: Record<string, string[]> = {
  "site.example": ["127.0.0.1"],
  "other.example": ["127.0.0.1"],
  "inside.example": ["127.0.0.1"],
  "ten.example": ["10.1.2.3"],
  "wrapped.example": ["::ffff:169.254.169.254", "64:ff9b::7f00:1"],
};
const lookup = (name: string) => Promise.resolve(NAMES[name] ?? []);
const OPEN: Outlet = { userAgent: "Linnet/1.2.3 (+https://me.example)", allows: () => true, lookup };
const CLOSED: Outlet = { ...OPEN, allows: isPublicAddress };

function ask(url: string, changes: Partial<OutboundRequest> = {}, outlet = OPEN) {
  const bounds = { accept: [], maxBytes: 16 * KIB, timeout: 30_000, redirects: 3 };
  return fetchOutside(url, { ...bounds, ...changes }, outlet);
}

async function refusal(url: string, changes: Partial<OutboundRequest> = {}, outlet = OPEN): Promise<OutboundError> {
  const error = await ask(url, changes, outlet).catch((thrown: unknown) => thrown);
  if (error instanceof OutboundError) return error;
  throw new Error(`${url} should have been refused`, { cause: error });
}

async function kindOf(url: string, changes: Partial<OutboundRequest> = {}, outlet = OPEN): Promise<string> {
  return (await refusal(url, changes, outlet)).kind;
}

describe("An outbound request", () => {
  test("returns the status, headers and bytes", async () => {
    const answer = await ask(`${origin}/hello`);
    expect([answer.status, new TextDecoder().decode(answer.body), answer.url]).toEqual([
      200,
      "hello",
      `${origin}/hello`,
    ]);
    expect(answer.headers.get("content-type")).toBe("Text/HTML; charset=utf-8");
  });

  test("names the site, though it connects to the address that was checked", async () => {
    await ask(`http://site.example:${port}/hello?a=b#c`);
    expect(seen.headers.get("host")).toBe(`site.example:${port}`);
  });

  test("identifies the server, and sends no cookies", async () => {
    await ask(`http://site.example:${port}/hello`);
    await ask(`http://site.example:${port}/hello`, { accept: ["text/html", "image/*"], headers: { "x-more": "yes" } });
    expect(seen.headers.get("user-agent")).toBe("Linnet/1.2.3 (+https://me.example)");
    expect(seen.headers.get("accept")).toBe("text/html, image/*");
    expect(seen.headers.get("x-more")).toBe("yes");
    expect(seen.headers.has("cookie")).toBe(false);
  });

  test("may post a body", async () => {
    await ask(`${origin}/hello`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    expect([seen.method, seen.body, seen.headers.get("content-type")]).toEqual(["POST", "{}", "application/json"]);
  });

  test("refuses responses of an unexpected type", async () => {
    await ask(`${origin}/hello`, { accept: ["image/*", "text/html"] });
    expect(await kindOf(`${origin}/hello`, { accept: ["image/*", "text/plain"] })).toBe("type");
  });

  test("fails with the status of an unsuccessful response", async () => {
    expect(await refusal(`${origin}/nowhere`)).toMatchObject({ kind: "status", status: 404 });
  });
});

describe("A redirect", () => {
  test("is followed to its target", async () => {
    const answer = await ask(`${origin}/here`);
    expect([answer.url, answer.body.length]).toEqual([`${origin}/hello`, 5]);
  });

  test("is followed only as far as the caller allows, whose errors are not the other server's", async () => {
    const bug = new TypeError("bug");
    const check = ({ pathname }: URL) => {
      if (pathname === "/hello") throw bug;
    };
    expect(await ask(`${origin}/here`, { check }).catch((error: unknown) => error)).toBe(bug);
    expect(seen.path).toBe("/here");
    expect(await ask(`${origin}/here`, { sign: () => Promise.reject(bug) }).catch((error: unknown) => error)).toBe(bug);
  });

  test("is followed only up to a limit", async () => {
    expect(await kindOf(`${origin}/loop`)).toBe("refused");
    expect(await kindOf(`${origin}/here`, { redirects: 0 })).toBe("refused");
  });

  test("passes no headers on to another origin", async () => {
    await ask(`http://site.example:${port}/elsewhere`, { headers: { authorization: "secret" } });
    expect([seen.headers.get("host"), seen.headers.has("authorization")]).toEqual([`other.example:${port}`, false]);
  });

  test("never leaves http and https", async () => {
    expect(await kindOf(`${origin}/file`)).toBe("refused");
  });

  test("doesn't pass the body on", async () => {
    expect(await refusal(`${origin}/here`, { method: "POST", body: "{}" })).toMatchObject({
      kind: "status",
      status: 302,
    });
  });

  test("doesn't lead to a private address", async () => {
    // Only the address of the name is private here, as when a site redirects to our own network.
    const outlet: Outlet = { ...OPEN, allows: (address) => address !== "10.1.2.3" };
    expect((await ask(`${origin}/private`, {}, OPEN)).url).toBe(`http://inside.example:${port}/hello`);
    const moved = { ...outlet, lookup: () => Promise.resolve(["10.1.2.3"]) };
    expect(await kindOf(`${origin}/private`, {}, moved)).toBe("refused");
  });
});

describe("A private address", () => {
  const UNWANTED = [
    "http://127.0.0.1",
    "http://127.1",
    "http://2130706433",
    "http://0x7f.1",
    "http://0.0.0.0",
    "http://10.0.0.1",
    "http://172.16.0.1",
    "http://192.168.1.1",
    "http://100.64.0.1",
    "http://169.254.169.254/latest/meta-data/",
    "http://192.0.2.1",
    "http://198.18.0.1",
    "http://224.0.0.1",
    "http://240.0.0.1",
    "http://255.255.255.255",
    "http://[::]",
    "http://[::1]",
    "http://[::127.0.0.1]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:8.8.8.8]",
    "http://[64:ff9b::127.0.0.1]",
    "http://[64:ff9b:1::8.8.8.8]",
    "http://[2002:7f00:1::]",
    "http://[2001::1]",
    "http://[2001:db8::1]",
    "http://[fe80::1]",
    "http://[fc00::1]",
    "http://[fec0::1]",
    "http://[ff02::1]",
  ];

  test.each(UNWANTED)("is refused: %s", async (url) => {
    expect(await kindOf(url, {}, CLOSED)).toBe("refused");
  });

  test("is refused when a name resolves to it", async () => {
    expect(await kindOf(`http://inside.example:${port}/hello`, {}, CLOSED)).toBe("refused");
    expect(await kindOf("http://ten.example", {}, CLOSED)).toBe("refused");
    expect(await kindOf("http://wrapped.example", {}, CLOSED)).toBe("refused");
  });

  test("is refused when the system's resolver returns it", async () => {
    const { lookup: _, ...system } = CLOSED;
    expect(await kindOf(`http://localhost:${port}/hello`, {}, system)).toBe("refused");
  });

  test("differs from a public one", () => {
    expect(["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::8.8.8.8"].map(isPublicAddress)).toEqual([true, true, true]);
  });
});

describe("An outbound request without a usable response", () => {
  test("is never sent with other schemes, credentials or an invalid URL", async () => {
    for (const url of ["ftp://site.example/", "data:text/html,hello", "file:///etc/passwd", "site.example", ""]) {
      expect(await kindOf(url)).toBe("refused");
    }
    expect(await kindOf(`http://me:secret@site.example:${port}/hello`)).toBe("refused");
    expect(await kindOf(`${origin}/${"a".repeat(5000)}`)).toBe("refused");
  });

  test("is unresolved if the name has no address, and unreachable if the connection fails", async () => {
    expect(await kindOf("http://nowhere.example")).toBe("unresolved");
    expect(await kindOf("http://127.0.0.1:1")).toBe("unreachable");
  });

  test("tries the name's next address when the first refuses the connection", async () => {
    const outlet = { ...OPEN, lookup: () => Promise.resolve(["::1", "127.0.0.2", "127.0.0.1"]) };
    expect((await ask(`http://site.example:${port}/hello`, {}, outlet)).status).toBe(200);
  });

  test("times out before and within the response", async () => {
    expect(await kindOf(`${origin}/never`, { timeout: 50 })).toBe("timeout");
    expect(await kindOf(`${origin}/stalled`, { timeout: 50 })).toBe("timeout");
    const outlet = { ...OPEN, lookup: () => new Promise<string[]>(() => {}) };
    expect(await kindOf("http://site.example", { timeout: 50 }, outlet)).toBe("timeout");
  });

  test("aborts an endless response, and the site notices", async () => {
    cancelled = Promise.withResolvers();
    expect(await kindOf(`${origin}/endless`)).toBe("too_large");
    await cancelled.promise;
  });

  test("aborts a response that is too large, as declared or after unpacking", async () => {
    expect(await kindOf(`${origin}/large`)).toBe("too_large");
    expect(await kindOf(`${origin}/page`, { maxBytes: TEXT.length - 1 })).toBe("too_large");
  });

  test("truncates the response instead if only its beginning is needed", async () => {
    for (const path of ["/large", "/endless", "/bomb"]) {
      const { body } = await ask(`${origin}${path}`, { truncate: true, maxBytes: 10_000 });
      expect(body.length).toBe(10_000);
    }
  });
});

describe("A response that is saved to a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "linnet-outbound-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("has its bytes there, unpacked, and none in memory", async () => {
    const saveTo = join(folder, "page");
    expect((await ask(`${origin}/page`, { saveTo })).body.length).toBe(0);
    expect(await Bun.file(saveTo).text()).toBe(TEXT);
  });

  test("is bounded in the same way", async () => {
    const saveTo = join(folder, "endless");
    expect(await kindOf(`${origin}/endless`, { saveTo })).toBe("too_large");
    expect(Bun.file(saveTo).size).toBeLessThanOrEqual(16 * KIB);
  });

  test.if(existsSync("/dev/full"))("fails with the error of the disk if that is full", async () => {
    const error = await ask(`${origin}/large`, { saveTo: "/dev/full", maxBytes: 64 * KIB }).catch((thrown) => thrown);
    expect(error.code).toBe("ENOSPC");
  });
});

describe("A compressed response", () => {
  const textAt = async (path: string) => new TextDecoder().decode((await ask(`${origin}${path}`)).body);

  test("is requested as gzip only, whatever the caller's headers say", async () => {
    await ask(`${origin}/hello`, { headers: { "accept-encoding": "zstd" } });
    expect(seen.headers.get("accept-encoding")).toBe("gzip");
  });

  test("is unpacked", async () => {
    expect(await textAt("/page")).toBe(TEXT);
    expect(await textAt("/x-gzip")).toBe(TEXT);
    expect(await textAt("/identity")).toBe(TEXT);
    expect(await textAt("/members")).toBe("one two three");
    expect(await textAt("/empty")).toBe("");
    expect((await ask(`${origin}/page`, { method: "HEAD" })).status).toBe(200);
  });

  test("is refused in an encoding that was not requested, or in several", async () => {
    for (const path of ["/zstd", "/br", "/deflate", "/chained"]) expect(await kindOf(origin + path)).toBe("type");
  });

  test("is refused when it is truncated or corrupt", async () => {
    for (const path of ["/broken", "/cut-off", "/corrupt"]) expect(await kindOf(origin + path)).toBe("unreachable");
  });

  test("is refused when 1 MB of it would become 1 GiB, even if only the beginning is read", async () => {
    const maxBytes = 4096 * KIB;
    expect(await kindOf(`${origin}/bomb`, { maxBytes })).toBe("too_large");
    expect(await kindOf(`${origin}/bomb`, { maxBytes, truncate: true })).toBe("too_large");
  });

  test("is aborted when it never ends or stalls", async () => {
    cancelled = Promise.withResolvers();
    expect(await kindOf(`${origin}/endless-gzip`, { truncate: true })).toBe("too_large");
    await cancelled.promise;
    expect(await kindOf(`${origin}/stalled-gzip`, { timeout: 50 })).toBe("timeout");
  });

  test("is not read at all if none of it is needed", async () => {
    for (const path of ["/broken", "/zstd", "/bomb", "/endless"]) {
      expect((await ask(`${origin}${path}`, { truncate: true, maxBytes: 0 })).body.length).toBe(0);
    }
  });
});

test("a certificate must match the name, not the connected address", async () => {
  const tls = { cert: Bun.file(`${FIXTURES}/tls/site.pem`), key: Bun.file(`${FIXTURES}/tls/site.key`) };
  const secure = Bun.serve({ hostname: "127.0.0.1", port: 0, tls, fetch: (request) => new Response(request.url) });
  const urls = ["site.example", "other.example", "127.0.0.1"].map((host) => `https://${host}:${secure.port}/x`);
  const program = Bun.spawn([process.execPath, `${FIXTURES}/outbound-program.ts`, ...urls], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: `${FIXTURES}/tls/authority.pem` },
    stdout: "pipe",
  });
  expect((await new Response(program.stdout).text()).trim().split("\n")).toEqual([
    urls[0]!,
    "unreachable",
    "unreachable",
  ]);
  await secure.stop(true);
});
