import { beforeEach, describe, expect, test } from "bun:test";
import { addRule, editRule, removeRule, translateRule } from "../../src/core/server/rules.ts";
import { MASTODON_VERSION } from "../../src/version.ts";
import type { Client, Json } from "../support/client.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { startServer } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { pictureFile, upload } from "../support/uploads.ts";

const { server } = serverForEachTest([], {
  LINNET_TITLE: "Our place",
  LINNET_DESCRIPTION: "For friends",
  LINNET_CONTACT_EMAIL: "us@example.org",
  LINNET_LANGUAGES: "de,en",
  LINNET_MAX_CHARACTERS: "700",
  LINNET_URL: "https://social.example",
  LINNET_HANDLE_DOMAIN: "example.org",
});
let stranger: Client;
let alice: Client;

beforeEach(async () => {
  [stranger, alice] = [server.stranger(), await server.person("alice")];
});

const v2 = async (): Promise<Json> => (await stranger.get("/api/v2/instance")).json;
const v1 = async (): Promise<Json> => (await stranger.get("/api/v1/instance")).json;

describe("The instance entity", () => {
  test("has version 2 with all documented fields", async () => {
    const json = await v2();
    expectShape(json, "Instance");
    expect(json).toMatchObject({
      domain: "example.org",
      title: "Our place",
      description: "For friends",
      languages: ["de", "en"],
      configuration: {
        urls: {
          streaming: "wss://social.example",
          status: null,
          about: "https://social.example/about",
          privacy_policy: "https://social.example/privacy-policy",
          terms_of_service: null,
        },
        statuses: { max_characters: 700, max_media_attachments: 4, characters_reserved_per_url: 23 },
        translation: { enabled: false },
      },
      registrations: { enabled: false },
      contact: { email: "us@example.org", account: { id: alice.id } },
      rules: [],
    });
    expect(json.thumbnail.url).toMatch(/^https:\/\//);
    expect(json.configuration.vapid.public_key).toMatch(/^[\w-]{87}$/);
  });

  test("has version 1 with all documented fields", async () => {
    const json = await v1();
    expectShape(json, "V1Instance");
    expect(json).toMatchObject({
      uri: "example.org",
      title: "Our place",
      email: "us@example.org",
      urls: { streaming_api: "wss://social.example" },
      registrations: false,
      approval_required: false,
      invites_enabled: false,
      configuration: { statuses: { max_characters: 700 } },
      contact_account: { id: alice.id },
    });
  });

  test("has a version that semver libraries read as the supported version of Mastodon", async () => {
    for (const { version } of [await v1(), await v2()]) {
      expect(version).toMatch(/^4\.\d+\.\d+\+linnet-\d+\.\d+\.\d+$/);
      expect(Bun.semver.satisfies(version, ">=4.5.0 <5")).toBe(true);
      expect(Bun.semver.order(version, MASTODON_VERSION)).toBe(0);
    }
  });

  test("exists without any user", async () => {
    const empty = await startServer();
    const { json } = await empty.stranger().get("/api/v2/instance");
    expectShape({ ...json, contact: { ...json.contact, account: null } }, "Instance");
    expect(json.contact.account).toBeNull();
    expect((await empty.stranger().get("/api/v1/instance")).json.contact_account).toBeNull();
    await empty.stop();
  });

  test("has the same push key every time", async () => {
    expect((await v2()).configuration.vapid).toEqual((await v2()).configuration.vapid);
  });

  test("has only numbers that fit into 32 bits", async () => {
    const numbers = (value: Json): number[] =>
      typeof value === "number"
        ? [value]
        : typeof value === "object" && value
          ? Object.values(value).flatMap(numbers)
          : [];
    for (const number of [...numbers(await v1()), ...numbers(await v2())]) expect(number).toBeLessThan(2 ** 31);
  });
});

describe("The instance entity is right about", () => {
  test("the maximum length of a status", async () => {
    const { max_characters } = (await v2()).configuration.statuses;
    expect((await alice.post("/api/v1/statuses", { status: "x".repeat(max_characters) })).status).toBe(200);
    expect((await alice.post("/api/v1/statuses", { status: "x".repeat(max_characters + 1) })).status).toBe(422);
  });

  test("the supported image types", async () => {
    const { supported_mime_types } = (await v2()).configuration.media_attachments;
    expect(supported_mime_types).toContainValues(["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"]);
    for (const type of supported_mime_types.filter((name: string) => /^image\/(?!hei[cf])/.test(name))) {
      const file = await pictureFile(type.slice("image/".length));
      expect([type, (await upload(alice, file)).status]).toEqual([type, 200]);
    }
  });

  test("the limits of descriptions, pins, names, notes and fields", async () => {
    const { configuration } = await v2();
    const { accounts, media_attachments } = configuration;
    const describe_ = async (length: number) =>
      (await upload(alice, await pictureFile(), { description: "x".repeat(length) })).status;
    expect([
      await describe_(media_attachments.description_limit),
      await describe_(media_attachments.description_limit + 1),
    ]).toEqual([200, 422]);
    const update = async (body: object) => (await alice.patch("/api/v1/accounts/update_credentials", body)).status;
    const limits: [string, number][] = [
      ["display_name", accounts.max_display_name_length],
      ["note", accounts.max_note_length],
      ["avatar_description", accounts.max_avatar_description_length],
    ];
    for (const [name, max] of limits) {
      expect([name, await update({ [name]: "x".repeat(max) }), await update({ [name]: "x".repeat(max + 1) })]).toEqual([
        name,
        200,
        422,
      ]);
    }
    const fields = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `${at}`, value: "x" }));
    expect(await update({ fields_attributes: fields(accounts.max_profile_fields) })).toBe(200);
    expect(await update({ fields_attributes: fields(accounts.max_profile_fields + 1) })).toBe(422);
    for (let at = 0; at <= accounts.max_pinned_statuses; at++) {
      const { id } = await alice.publish(`${at}`);
      const { status } = await alice.post(`/api/v1/statuses/${id}/pin`);
      expect(status).toBe(at < accounts.max_pinned_statuses ? 200 : 422);
    }
  });

  test("the numbers of users and posts", async () => {
    await server.person("bob", { role: "user" });
    await alice.publish("one");
    remoteStatus(server, remoteAccount(server, "dora", "elsewhere.example"), "two");
    expect((await v1()).stats).toEqual({ user_count: 2, status_count: 1, domain_count: 1 });
    expect((await v2()).usage.users.active_month).toBe(1);
    server.clock.advance(31 * 24 * 3600_000);
    expect((await v2()).usage.users.active_month).toBe(0);
    expect((await stranger.get("/nodeinfo/2.0")).json.usage.users).toEqual({
      total: 2,
      activeMonth: 0,
      activeHalfyear: 1,
    });
  });

  test("the current profile of the contact account", async () => {
    const shown = async () => [(await v2()).contact.account.display_name, (await v1()).contact_account.display_name];
    expect(await shown()).toEqual(["", ""]);
    await alice.patch("/api/v1/accounts/update_credentials", { display_name: "Alice L." });
    expect(await shown()).toEqual(["Alice L.", "Alice L."]);
  });

  test("the contact account, which is the configured one or the owner", async () => {
    const other = await startServer({ LINNET_CONTACT_ACCOUNT: "@Bob" });
    await other.person("alice");
    expect((await other.stranger().get("/api/v2/instance")).json.contact.account).toBeNull();
    const bob = await other.person("bob", { role: "user" });
    expect((await other.stranger().get("/api/v2/instance")).json.contact.account.id).toBe(bob.id);
    expect((await other.stranger().get("/api/v1/instance")).json.contact_account.id).toBe(bob.id);
    await other.stop();
  });
});

describe("The rules of the server", () => {
  test("are in both instance entities and in their own list, in order, with translations", async () => {
    addRule(server.ctx, { text: "Be kind.", hint: "To everyone." });
    const id = addRule(server.ctx, { text: "No adverts.", hint: "" });
    translateRule(server.ctx, id, "pt-BR", { text: "Sem anúncios.", hint: "" });
    editRule(server.ctx, id, { place: 1 });
    const { json } = await stranger.get("/api/v1/instance/rules");
    expectShape(json, ["Rule"]);
    expect(json).toEqual([
      { id: "2", text: "No adverts.", hint: "", translations: { "pt-BR": { text: "Sem anúncios.", hint: "" } } },
      { id: "1", text: "Be kind.", hint: "To everyone.", translations: {} },
    ]);
    expect([(await v1()).rules, (await v2()).rules]).toEqual([json, json]);
  });

  test("don't include a removed one, whose id is not reused", async () => {
    const id = addRule(server.ctx, { text: "Be kind.", hint: "" });
    removeRule(server.ctx, id);
    expect((await v2()).rules).toEqual([]);
    addRule(server.ctx, { text: "Be brave.", hint: "" });
    expect((await stranger.get("/api/v1/instance/rules")).json).toMatchObject([{ id: "2", text: "Be brave." }]);
  });
});

describe("NodeInfo", () => {
  test("is found by its link, and names the software", async () => {
    const { json } = await stranger.get("/.well-known/nodeinfo");
    const link = json.links.find((it: Json) => it.rel.endsWith("/schema/2.0"));
    expect(link.href).toBe("https://social.example/nodeinfo/2.0");
    await alice.publish("one");
    const info = (await stranger.get("/nodeinfo/2.0")).json;
    expect(info).toMatchObject({
      version: "2.0",
      software: { name: "linnet" },
      openRegistrations: false,
      usage: { users: { total: 1, activeMonth: 1, activeHalfyear: 1 }, localPosts: 1 },
    });
  });

  test("names Mastodon as upstream, for apps that require it", async () => {
    const { metadata } = (await stranger.get("/nodeinfo/2.0")).json;
    const [version] = (await stranger.get("/api/v2/instance")).json.version.split("+");
    expect(metadata.upstream).toEqual({ name: "mastodon", version });
  });
});

test.each(["/api/v1/instance/", "/api/v2/instance/", "/api/v1/timelines/public/", "/api/v1/custom_emojis/"])(
  "A slash at the end of %s is ignored",
  async (path) => {
    expect((await stranger.get(path)).status).toBe(200);
  },
);

test("host-meta names the WebFinger URL at the server's own domain rather than at that of its handles", async () => {
  const other = await startServer({ LINNET_URL: "https://social.example", LINNET_HANDLE_DOMAIN: "example.org" });
  const { status, headers, json } = await other.stranger().get("/.well-known/host-meta");
  expect([status, headers.get("content-type")]).toEqual([200, "application/xrd+xml; charset=utf-8"]);
  expect(json).toContain('<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">');
  const template = "https://social.example/.well-known/webfinger?resource={uri}";
  expect(json).toContain(`<Link rel="lrdd" template="${template}"/>`);
  await other.stop();
});
