import { describe, expect, test } from "bun:test";
import { mediaFiles } from "../support/media.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { formOf, pictureFile } from "../support/uploads.ts";

const { server, alice } = serverForEachTest(["alice"]);

const PATH = "/api/v1/profile";

describe("The profile API", () => {
  test("returns the profile as written, with null for missing images", async () => {
    const { status, json } = await alice.get(PATH);
    expect(status).toBe(200);
    expectShape(json, "Profile");
    expect(json).toEqual({
      id: alice.id,
      display_name: "",
      note: "",
      fields: [],
      avatar: null,
      avatar_static: null,
      avatar_description: "",
      header: null,
      header_static: null,
      header_description: "",
      locked: false,
      bot: false,
      hide_collections: false,
      discoverable: false,
      indexable: false,
      show_media: true,
      show_media_replies: true,
      show_featured: true,
      attribution_domains: [],
    });
  });

  test("accepts a token with the scope profile", async () => {
    const carol = await server.person("carol", { scopes: "profile" });
    expect((await carol.get(PATH)).json.id).toBe(carol.id);
    expect((await carol.patch(PATH, { bot: true })).status).toBe(403);
    const dora = await server.person("dora", { scopes: "write read:follows" });
    expect((await dora.get(PATH)).status).toBe(403);
  });

  test.each(["patch", "put"] as const)("changes the given fields with %s", async (method) => {
    await alice[method](PATH, { display_name: "Alice", show_featured: false });
    const { status, json } = await alice[method](PATH, {
      note: "I #knit",
      fields_attributes: [{ name: "Site", value: "https://example.org" }],
      avatar_description: "a cat",
      locked: true,
      bot: true,
      discoverable: true,
      indexable: true,
      hide_collections: true,
      show_media: false,
      show_media_replies: false,
      attribution_domains: ["example.org"],
    });
    expect(status).toBe(200);
    expectShape(json, "Profile");
    expect(json).toMatchObject({
      display_name: "Alice",
      note: "I #knit",
      fields: [{ name: "Site", value: "https://example.org", verified_at: null }],
      avatar_description: "a cat",
      locked: true,
      bot: true,
      discoverable: true,
      indexable: true,
      hide_collections: true,
      show_media: false,
      show_media_replies: false,
      show_featured: false,
      attribution_domains: ["example.org"],
    });
    expect((await alice.get(PATH)).json).toEqual(json);
    const account = (await server.stranger().get(`/api/v1/accounts/${alice.id}`)).json;
    expect(account).toMatchObject({ display_name: "Alice", show_media: false, show_featured: false });
    expect(account.note).toContain("<p>I <a ");
  });

  test("sets and removes images", async () => {
    const form = formOf({ avatar: await pictureFile("png"), header: await pictureFile("jpeg") });
    const { json } = await alice.patch(PATH, form);
    expectShape(json, "Profile");
    for (const name of ["avatar", "avatar_static", "header", "header_static"]) {
      expect((await fetch(json[name])).status).toBe(200);
    }
    await alice.patch(PATH, { avatar_description: "a cat", header_description: "the sea" });
    const one = await alice.delete(`${PATH}/avatar`);
    expect(one.status).toBe(200);
    expectShape(one.json, "CredentialAccount");
    expect(one.json).toMatchObject({ avatar: expect.stringMatching(/missing\.png$/), header: json.header });
    const both = await alice.delete(`${PATH}/header`);
    expectShape(both.json, "CredentialAccount");
    expect(await alice.get(PATH)).toMatchObject({
      json: { avatar: null, avatar_description: "", header: null, header_description: "" },
    });
    expect((await alice.delete(`${PATH}/header`)).status).toBe(200);
    await server.drain();
    expect([mediaFiles(server, "avatars"), mediaFiles(server, "headers")]).toEqual([[], []]);
  });

  test.each([
    [{ display_name: "x".repeat(31) }, "Display name is too long (maximum is 30 characters)"],
    [{ note: "x".repeat(501) }, "Note is too long (maximum is 500 characters)"],
    [{ show_media: "perhaps" }, "Show media must be true or false"],
  ])("refuses %j", async (body, reason) => {
    const { status, json } = await alice.patch(PATH, body);
    expect([status, json]).toEqual([422, { error: `Validation failed: ${reason}` }]);
  });
});
