import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Answer, Client, Json } from "../support/client.ts";
import { ownEmoji } from "../support/emojis.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const LANGUAGES = [
  { code: "en", name: "English", targets: ["de", "en", "fr"] },
  { code: "de", name: "German", targets: ["en"] },
];

/** A service that returns everything in capital letters, and records the requests. */
class Service {
  readonly asked: Json[] = [];
  /** Replaces the response. */
  broken: (() => Response) | null = null;
  detects: string | null = null;
  private readonly server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => this.answer(request),
  });

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/libre`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/libre/languages") return Response.json(LANGUAGES);
    const asked = (await request.json()) as Json;
    this.asked.push({ path: pathname, ...asked });
    if (this.broken) return this.broken();
    const capitals = (html: string) =>
      html.replaceAll(
        /(<span translate="no">[^<]*|<[^>]*>|&\w+;)|([^<&]+)/g,
        (_, kept, said) => kept ?? said.toUpperCase(),
      );
    const found = this.detects && { detectedLanguage: asked.q.map(() => ({ language: this.detects, confidence: 99 })) };
    return Response.json({ translatedText: asked.q.map(capitals), ...found });
  }
}

let service: Service;
let server: TestServer;
let alice: Client;
let bob: Client;

beforeEach(async () => {
  service = new Service();
  server = await startServer({ LINNET_LIBRETRANSLATE_URL: `${service.url}/`, LINNET_LIBRETRANSLATE_KEY: "key" });
  [alice, bob] = [await server.person("alice"), await server.person("bob")];
});
afterEach(async () => {
  await server.stop();
  await service.stop();
});

const translate = (who: Client, id: string, body: object = { lang: "de" }): Promise<Answer> =>
  who.post(`/api/v1/statuses/${id}/translate`, body);

describe("A translation", () => {
  test("covers the text, the warning and the descriptions, and keeps the links", async () => {
    const picture = await uploaded(alice, { description: "a cat & a dog" });
    const status = await alice.publish({
      status: "look, @bob: #pets",
      spoiler_text: "cute <3",
      language: "en",
      media_ids: [picture.id],
    });
    const { status: code, json } = await translate(bob, status.id);
    expect(code).toBe(200);
    expectShape(json, "Translation");
    expect(json).toEqual({
      content: expect.stringContaining("LOOK, <span"),
      spoiler_text: "CUTE <3",
      language: "de",
      poll: null,
      media_attachments: [{ id: picture.id, description: "A CAT & A DOG" }],
      detected_source_language: "en",
      provider: "LibreTranslate",
    });
    const hrefs = (html: string) => html.match(/href="[^"]*"/g);
    expect(hrefs(json.content)).toEqual(hrefs(status.content));
    expect(service.asked).toMatchObject([
      { path: "/libre/translate", source: "en", target: "de", format: "html", api_key: "key" },
    ]);
    expect(service.asked[0].q.slice(1)).toEqual(["cute &lt;3", "a cat &amp; a dog"]);
  });

  test("keeps the names of emoji", async () => {
    await ownEmoji(server, "blob");
    const poll = { options: [":blob: yes", "no"], expires_in: 300 };
    const status = await alice.publish({ status: "a :blob: :nobody:", spoiler_text: ":blob:", language: "en", poll });
    const { json } = await translate(bob, status.id);
    expect(service.asked[0].q).toEqual([
      '<p>a <span translate="no">:blob:</span> :nobody:</p>',
      '<span translate="no">:blob:</span>',
      '<span translate="no">:blob:</span> yes',
      "no",
    ]);
    expect(json).toMatchObject({ content: "<p>A :blob: :NOBODY:</p>", spoiler_text: ":blob:" });
    expect(json.poll.options[0]).toEqual({ title: ":blob: YES" });
  });

  test("covers the options of a poll", async () => {
    const poll = { options: ["yes", "no"], expires_in: 300 };
    const status = await alice.publish({ status: "tea?", language: "en", poll });
    const { json } = await translate(bob, status.id);
    expectShape(json, "Translation");
    expect(json.poll).toEqual({ id: status.poll.id, options: [{ title: "YES" }, { title: "NO" }] });
  });

  test("uses the viewer's language by default, and the detected source language", async () => {
    server.ctx.db.transaction((tx) => {
      tx.run("UPDATE users SET locale = 'fr-CA' WHERE account_id = $bobId", { bobId: Number(bob.id) });
    });
    const { id } = await alice.publish({ status: "hello", language: "en" });
    server.ctx.db.transaction((tx) => tx.run("UPDATE statuses SET language = NULL WHERE id = $id", { id: Number(id) }));
    service.detects = "de";
    const { json } = await translate(bob, id, {});
    expect([json.language, json.detected_source_language]).toEqual(["fr", "de"]);
    expect(service.asked).toMatchObject([{ source: "auto", target: "fr" }]);
  });

  test("is cached for a while, until an edit", async () => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    await translate(bob, id);
    await translate(alice, id);
    expect(service.asked).toHaveLength(1);
    await alice.put(`/api/v1/statuses/${id}`, { status: "goodbye" });
    expect((await translate(bob, id)).json.content).toBe("<p>GOODBYE</p>");
    server.clock.advance(3600_000);
    await translate(bob, id);
    expect(service.asked).toHaveLength(3);
  });

  test("is sanitised", async () => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    const evil = '<p onclick="x()">hi <a href="https://evil.example/">there</a><script>x()</script></p>';
    service.broken = () => Response.json({ translatedText: [evil, "<b>&lt;i&gt;</b>"] });
    const { json } = await translate(bob, id);
    expect([json.content, json.spoiler_text]).toEqual(["hi there", "<i>"]);
  });

  test("of a boost is that of the original", async () => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    const boost = (await bob.post(`/api/v1/statuses/${id}/reblog`)).json;
    expect((await translate(bob, boost.id)).json.content).toBe("<p>HELLO</p>");
  });
});

describe("A translation is refused", () => {
  test("if the post isn't for everyone, without contacting the service", async () => {
    await bob.follow(alice);
    for (const audience of [{ visibility: "private" }, { visibility: "direct" }, { local_only: true }]) {
      const { id } = await alice.publish({ status: "@bob psst", language: "en", ...audience });
      const { status, json } = await translate(bob, id);
      expect([status, json.error]).toEqual([403, "This action is not allowed"]);
    }
    expect(service.asked).toEqual([]);
  });

  test("if the service doesn't support the languages, or they are equal", async () => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    for (const lang of ["en", "ja"]) expect((await translate(bob, id, { lang })).status).toBe(403);
    const other = await alice.publish({ status: "hej", language: "sv" });
    expect((await translate(bob, other.id)).status).toBe(403);
    expect((await translate(bob, id, { lang: "what?" })).status).toBe(422);
  });

  test.each<[string, () => Response, string]>([
    ["fails", () => new Response("no", { status: 500 }), "Service Unavailable"],
    ["returns nonsense", () => Response.json("no"), "Service Unavailable"],
    ["loses texts", () => Response.json({ translatedText: [] }), "Service Unavailable"],
    ["isn't JSON", () => new Response("{", { headers: { "content-type": "application/json" } }), "Service Unavailable"],
    [
      "reports too many requests",
      () => new Response("", { status: 429 }),
      "There have been too many requests to the translation service recently.",
    ],
    [
      "has exceeded its quota",
      () => new Response("", { status: 403 }),
      "The server-wide usage quota for the translation service has been exceeded.",
    ],
  ])("when the service %s", async (_, broken, sentence) => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    service.broken = broken;
    const { status, json } = await translate(bob, id);
    expect([status, json.error]).toEqual([503, sentence]);
    service.broken = null;
    expect((await translate(bob, id)).status).toBe(200);
  });

  test("without a token with the scope, and for hidden posts", async () => {
    const { id } = await alice.publish({ status: "hello", language: "en" });
    const secret = await alice.publish({ status: "secret", language: "en", visibility: "private" });
    expect((await translate(server.stranger(), id)).status).toBe(401);
    expect((await translate(await server.person("writer", { scopes: "write" }), id)).status).toBe(403);
    expect((await translate(bob, secret.id)).status).toBe(404);
    expect((await translate(bob, "x")).status).toBe(404);
  });

  test("if there is no service, and the instance document says so", async () => {
    const plain = await startServer();
    const carol = await plain.person("carol");
    const { id } = await carol.publish({ status: "hello", language: "en" });
    const { status, json } = await translate(carol, id);
    expect([status, json.error]).toEqual([503, "Service Unavailable"]);
    expect((await carol.get("/api/v1/instance/translation_languages")).json).toEqual({});
    expect((await carol.get("/api/v2/instance")).json.configuration.translation).toEqual({ enabled: false });
    await plain.stop();
  });
});

test("The supported language pairs are public", async () => {
  const { status, json } = await server.stranger().get("/api/v1/instance/translation_languages");
  expect([status, json]).toEqual([200, { en: ["de", "fr"], de: ["en"], und: ["de", "en", "fr"] }]);
  expect((await alice.get("/api/v2/instance")).json.configuration.translation).toEqual({ enabled: true });
});
