import { beforeAll, describe, expect, test } from "bun:test";
import { publishTerms } from "../../src/core/server/terms.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server, alice } = serverForAllTests(["alice"]);
const paths: string[] = ["/", "/@alice", "/tags/birds", "/about", "/privacy-policy", "/terms-of-service", "/api"];

beforeAll(async () => {
  paths.push(new URL((await alice.publish("#birds")).url).pathname);
  publishTerms(server.ctx, "Be kind.");
});

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.origin + path, { headers: { accept: "text/html", ...headers } });
const etagOf = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await ask(path, headers)).headers.get("etag")!;

describe("A public page", () => {
  test("may be cached by an anonymous visitor's browser, which revalidates it each time", async () => {
    for (const path of paths) {
      const { status, headers } = await ask(path);
      const values = ["cache-control", "vary", "set-cookie"].map((name) => headers.get(name));
      expect([path, status, ...values]).toEqual([path, 200, "no-cache", "Accept, Accept-Language, Cookie", null]);
      const etag = headers.get("etag")!;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await ask(path, { "if-none-match": known });
        expect([path, known, again.status, await again.text()]).toEqual([path, known, 304, ""]);
        expect(again.headers.get("etag")).toBe(etag);
      }
      expect((await ask(path, { "if-none-match": '"other"' })).status).toBe(200);
    }
  });

  test("has a different ETag in each language", async () => {
    const english = await etagOf("/@alice");
    const german = await ask("/@alice", { "accept-language": "de", "if-none-match": english });
    expect([german.status, german.headers.get("etag") === english]).toEqual([200, false]);
    expect(await etagOf("/@alice?lang=de")).toBe(german.headers.get("etag")!);
  });

  test("has a different ETag after a change", async () => {
    const before = await etagOf("/@alice");
    await alice.publish("something new");
    expect((await ask("/@alice", { "if-none-match": before })).status).toBe(200);
  });

  test("is not cached for signed-in users", async () => {
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
    for (const path of paths) {
      const etag = await etagOf(path);
      const { status, headers } = await ask(path, { cookie, "if-none-match": etag });
      const values = ["cache-control", "etag"].map((name) => headers.get(name));
      expect([path, status, ...values]).toEqual([path, 200, "no-store", null]);
    }
  });
});

test("other pages are never cached", async () => {
  for (const [path, code] of [
    ["/sign-in", 200],
    ["/nothing", 404],
    ["/@nobody", 404],
    ["/settings/apps", 200],
    ["/oauth/authorize", 400],
  ] as const) {
    const { status, headers } = await ask(path, { "if-none-match": "*" });
    const values = ["cache-control", "etag"].map((name) => headers.get(name));
    expect([path, status, ...values]).toEqual([path, code, "no-store", null]);
  }
});

test("a page hidden from anonymous visitors is never cached", async () => {
  const closed = await startServer({ LINNET_LIMITED_FEDERATION: "on" });
  await closed.person("alice");
  const visitor = new Visitor(closed);
  for (const signedIn of [false, true]) {
    if (signedIn) await visitor.signIn("alice");
    const { status, headers } = await visitor.get("/@alice");
    expect([status, headers.get("cache-control")]).toEqual([signedIn ? 200 : 403, "no-store"]);
  }
  await closed.stop();
});
