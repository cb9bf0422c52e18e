import { describe, expect, test } from "bun:test";
import type { Answer, Json } from "../support/client.ts";
import { mediaFiles } from "../support/media.ts";
import { idsOf } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { formOf, pictureFile } from "../support/uploads.ts";

const { server, alice } = serverForEachTest(["alice"]);

const me = async (): Promise<Json> => (await alice.get("/api/v1/accounts/verify_credentials")).json;
const update = (body: object): Promise<Answer> => alice.patch("/api/v1/accounts/update_credentials", body);

describe("The user's own account", () => {
  test("contains the private fields, as documented", async () => {
    const account = await me();
    expectShape(account, "CredentialAccount");
    expect(account.source).toEqual({
      privacy: "public",
      sensitive: false,
      language: null,
      quote_policy: "public",
      status_content_type: "text/plain",
      note: "",
      fields: [],
      follow_requests_count: 0,
      discoverable: false,
      indexable: false,
      hide_collections: false,
      attribution_domains: [],
    });
    expect(account.role.permissions).toMatch(/^\d+$/);
  });

  test("is the only resource open to a token with the scope profile", async () => {
    const profile = await server.person("carol", { scopes: "profile" });
    expect((await profile.get("/api/v1/accounts/verify_credentials")).json.id).toBe(profile.id);
    expect((await profile.get("/api/v1/preferences")).status).toBe(403);
    expect((await profile.get(`/api/v1/accounts/${alice.id}`)).status).toBe(403);
  });

  test("changes only in the given fields", async () => {
    await update({ display_name: "Alice A.", note: "I #knit, see https://example.org/a", locked: true, bot: true });
    const answer = await update({ discoverable: true, indexable: true, hide_collections: true });
    expectShape(answer.json, "CredentialAccount");
    expect(answer.json).toMatchObject({
      display_name: "Alice A.",
      locked: true,
      bot: true,
      discoverable: true,
      indexable: true,
      noindex: false,
      hide_collections: true,
      source: { note: "I #knit, see https://example.org/a", discoverable: true, indexable: true },
    });
    expect(answer.json.note).toContain(`href="https://example.org/a"`);
    expect(answer.json.note).toContain(`href="${server.origin}/tags/knit"`);
    expect((await server.stranger().get(`/api/v1/accounts/${alice.id}`)).json.display_name).toBe("Alice A.");
  });

  test("distinguishes empty values from missing ones", async () => {
    await update({ display_name: "Alice", note: "words", bot: true });
    expect((await update({})).json).toMatchObject({ display_name: "Alice", bot: true, source: { note: "words" } });
    expect((await update({ note: null, bot: null })).json).toMatchObject({ bot: true, source: { note: "words" } });
    expect((await update({ display_name: "", note: "", bot: false })).json).toMatchObject({
      display_name: "",
      note: "",
      bot: false,
    });
  });

  test("shows the name as written, without interpreting markup", async () => {
    const { json } = await update({ display_name: "<b>A</b> & 👩‍👩‍👧", note: "<script>alert(1)</script>" });
    expect(json.display_name).toBe("<b>A</b> & 👩‍👩‍👧");
    expect(json.note).not.toContain("<script");
  });

  test.each<[string, object, string]>([
    ["an overlong name", { display_name: "x".repeat(31) }, "Display name is too long (maximum is 30 characters)"],
    ["an enormous name", { display_name: "x".repeat(10_000) }, "Display name is too long (maximum is 30 characters)"],
    ["an overlong note", { note: "x".repeat(501) }, "Note is too long (maximum is 500 characters)"],
    [
      "an overlong image description",
      { avatar_description: "x".repeat(1501) },
      "Avatar description is too long (maximum is 1500 characters)",
    ],
    ["a flag that is neither true nor false", { bot: "perhaps" }, "Bot must be true or false"],
    ["a flag that is a list", { locked: ["a"] }, "Locked must be true or false"],
    ["an image that is a text", { avatar: "text" }, "Avatar is not a file"],
    [
      "five fields",
      { fields_attributes: Array.from({ length: 5 }, (_, at) => ({ name: `${at}`, value: "b" })) },
      "at most 4 fields",
    ],
    ["a field without a name", { fields_attributes: [{ value: "b" }] }, "Profile field name can't be blank"],
    [
      "a field with an overlong value",
      { fields_attributes: [{ name: "a", value: "x".repeat(256) }] },
      "value is too long (maximum is 255 characters)",
    ],
    ["a field that is a text", { fields_attributes: ["a"] }, "Fields attributes is invalid"],
    ["preferences that are a text", { source: "public" }, "Source is invalid"],
  ])("refuses %s, and changes nothing", async (_, body, sentence) => {
    const { status, json } = await update({ discoverable: true, ...body });
    expect(status).toBe(422);
    expect(json.error).toStartWith("Validation failed: ");
    expect(json.error).toContain(sentence);
    expect((await me()).discoverable).toBe(false);
  });

  test("counts graphemes, up to each limit", async () => {
    const { status, json } = await update({ display_name: "😀".repeat(30), note: "é".repeat(500) });
    expect(status).toBe(200);
    expect(json.display_name).toBe("😀".repeat(30));
  });

  test("refuses an unknown privacy by name", async () => {
    const { status, json } = await update({ source: { privacy: "secret" } });
    expect([status, json]).toEqual([422, { error: "'secret' is not a valid privacy" }]);
    expect((await update({ source: { privacy: "direct" } })).status).toBe(422);
  });
});

describe("The fields of a profile", () => {
  const pairs = (account: Json) => account.source.fields.map(({ name, value }: Json) => [name, value]);
  const wanted = [
    ["Web", "https://example.org"],
    ["Town", "Bern"],
  ];

  test.each<[string, object | string]>([
    [
      "a list",
      {
        fields_attributes: [
          { name: "Web", value: "https://example.org" },
          { name: "Town", value: "Bern" },
        ],
      },
    ],
    [
      "an object with numbers as keys",
      {
        fields_attributes: {
          "1": { name: "Town", value: "Bern" },
          "0": { name: "Web", value: "https://example.org" },
        },
      },
    ],
    [
      "a form with numbers",
      "fields_attributes[0][name]=Web&fields_attributes[0][value]=https://example.org&fields_attributes[1][name]=Town&fields_attributes[1][value]=Bern",
    ],
    [
      "a form without numbers",
      "fields_attributes[][name]=Web&fields_attributes[][value]=https://example.org&fields_attributes[][name]=Town&fields_attributes[][value]=Bern",
    ],
  ])("can be sent as %s", async (_, body) => {
    const { status, json } = await update(typeof body === "string" ? new URLSearchParams(body) : body);
    expect(status).toBe(200);
    expect(pairs(json)).toEqual(wanted);
    expect(json.fields[0].value).toContain(`<a href="https://example.org"`);
    expect(json.fields[1]).toEqual({ name: "Town", value: "Bern", verified_at: null });
    expectShape(json, "CredentialAccount");
  });

  test("can be sent in a multipart form", async () => {
    const form = formOf(
      Object.fromEntries(
        wanted.flatMap(([name, value], at) => [
          [`fields_attributes[${at}][name]`, name!],
          [`fields_attributes[${at}][value]`, value!],
        ]),
      ),
    );
    expect(pairs((await update(form)).json)).toEqual(wanted);
  });

  test("stay when other settings change, and are removed when sent empty", async () => {
    await update({ fields_attributes: [{ name: "Town", value: "Bern" }] });
    expect(pairs((await update({ note: "new" })).json)).toEqual([["Town", "Bern"]]);
    expect(pairs((await update({ fields_attributes: [{ name: "", value: "" }] })).json)).toEqual([]);
    await update({ fields_attributes: [{ name: "Town", value: "Bern" }] });
    expect(pairs((await update({ fields_attributes: [] })).json)).toEqual([]);
  });

  test("contain no markup from their author", async () => {
    const value = `<img src=x onerror=alert(1)>"'&`;
    const { json } = await update({ fields_attributes: [{ name: "<b>", value }] });
    expect(json.fields[0].value).not.toContain("<img");
    expect(json.source.fields[0]).toEqual({ name: "<b>", value, verified_at: null });
  });
});

describe("A profile image", () => {
  test("replaces the previous one, whose files are deleted", async () => {
    const first = await update(
      formOf({ avatar: await pictureFile(), header: await pictureFile("jpeg"), avatar_description: "me" }),
    );
    expect(first.status).toBe(200);
    expectShape(first.json, "CredentialAccount");
    expect(first.json).toMatchObject({ avatar_description: "me", header_description: "" });
    const second = await update(formOf({ avatar: await pictureFile("webp", { shade: 90 }) }));
    expect(second.json.avatar).not.toBe(first.json.avatar);
    expect(second.json).toMatchObject({ header: first.json.header, avatar_description: "me" });
    await server.drain();
    const states = [first.json.avatar, first.json.header, second.json.avatar].map(
      async (url) => (await fetch(url)).status,
    );
    expect(await Promise.all(states)).toEqual([404, 200, 200]);
  });

  test("is shown wherever the account is shown", async () => {
    const { id } = await alice.publish("hello");
    await alice.get(`/api/v1/statuses/${id}`);
    const { json } = await update(formOf({ avatar: await pictureFile() }));
    const { account } = (await server.stranger().get(`/api/v1/statuses/${id}`)).json;
    expect(account.avatar).toBe(json.avatar);
    expect(account.avatar_static).toBe(json.avatar_static);
  });

  test("must be an image; otherwise nothing is changed or stored", async () => {
    const avatar = new File(["<html>"], "a.png", { type: "image/png" });
    const { status, json } = await update(formOf({ avatar, display_name: "New" }));
    expect(status).toBe(422);
    expect(json.error).toContain("File content type is invalid");
    expect((await me()).display_name).toBe("");
  });

  test("leaves no file if another field is refused", async () => {
    await update(formOf({ avatar: await pictureFile() }));
    const before = mediaFiles(server, "avatars");
    const form = formOf({ avatar: await pictureFile("png", { shade: 9 }), display_name: "x".repeat(31) });
    expect((await update(form)).status).toBe(422);
    await server.drain();
    expect(mediaFiles(server, "avatars")).toEqual(before);
  });
});

describe("Preferences", () => {
  test("are returned, and apply to new posts", async () => {
    await update({ source: { privacy: "unlisted", sensitive: true, language: "de" } });
    const { json } = await alice.get("/api/v1/preferences");
    expectShape(json, "Preferences");
    expect(json).toMatchObject({
      "posting:default:visibility": "unlisted",
      "posting:default:sensitive": true,
      "posting:default:language": "de",
    });
    expect(await alice.publish("hallo")).toMatchObject({ visibility: "unlisted", sensitive: true, language: "de" });
    expect(await alice.publish({ status: "hi", visibility: "public", sensitive: false, language: "en" })).toMatchObject(
      { visibility: "public", sensitive: false, language: "en" },
    );
  });

  test("change one by one, also with a nested form, and the language can be reset", async () => {
    await update({ source: { privacy: "private", language: "fr" } });
    await update(new URLSearchParams("source[sensitive]=true"));
    expect((await me()).source).toMatchObject({ privacy: "private", sensitive: true, language: "fr" });
    await update({ source: { language: "es_419" } });
    expect((await me()).source.language).toBe("es");
    await update(new URLSearchParams("source[language]="));
    expect((await me()).source.language).toBeNull();
  });
});

test("Unlocking an account accepts its pending follow requests", async () => {
  await update({ locked: true });
  const bob = await server.person("bob");
  await bob.follow(alice);
  expect((await me()).source.follow_requests_count).toBe(1);
  await update({ locked: false });
  expect(idsOf(await alice.get(`/api/v1/accounts/${alice.id}/followers`))).toEqual([bob.id]);
  expect((await alice.get("/api/v1/follow_requests")).json).toEqual([]);
});
