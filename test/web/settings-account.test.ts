import { beforeEach, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const { server, alice } = serverForAllTests(["alice"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server, { "accept-language": "fr" });
  await visitor.signIn("alice");
});

test("the pages have the chosen language, whatever the browser prefers, and notifications too", async () => {
  expect((await visitor.get("/settings")).text).toContain("Réglages");
  await visitor.get("/settings/appearance?lang=en");
  await visitor.press("Save", { language: "de" });
  expect((await visitor.get("/settings")).text).toContain("Einstellungen");
  expect((await visitor.get("/settings?lang=en")).text).toContain("Settings");
  expect((await alice.get("/api/v1/statuses/1")).json.error).toBe("Das gibt es hier nicht");
  await visitor.get("/settings/appearance?lang=en");
  expect(visitor.formTo("/settings/appearance").fields).toMatchObject({ language: "de" });
  await visitor.press("Save", { language: "" });
  expect((await visitor.get("/settings")).text).toContain("Réglages");
});

test("the page for storage shows users their own media, and owners the whole server", async () => {
  await uploaded(alice);
  const { text } = await visitor.get("/settings/storage?lang=en");
  expect(text).toMatch(/Images [\d.]+ kB · 1 file/);
  expect(text).toMatch(/Database [\d.]+ [kM]B Media of all users [\d.]+ kB/);
  await server.person("bob", { role: "user" });
  await visitor.signOut();
  await visitor.signIn("bob");
  const own = await visitor.get("/settings/storage?lang=en");
  expect(own.text).toContain("You have not uploaded any media.");
  expect(own.text).not.toContain("Database");
});

test("an account is deleted after a proof, and with its name typed", async () => {
  const path = "/settings/delete-account";
  await server.person("carol", { role: "user" });
  await visitor.signOut();
  await visitor.signIn("carol");
  server.clock.advance(20 * 60_000);
  expect((await visitor.get(`${path}?lang=en`)).status).toBe(403);
  await visitor.press("Continue", { proof: "correct horse" });
  await visitor.get(`${path}?lang=en`);
  const refused = await visitor.press("Delete my account for good", { username: "karol" });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("This is not your name")]);
  expect(visitor.formTo(path).fields).toMatchObject({ username: "karol" });
  const done = await visitor.press("Delete my account for good", { username: "@Carol" });
  expect(done.text).toContain("Your account is deleted");
  expect(await visitor.signedInAs()).toBeNull();
  expect((await visitor.get("/@carol")).status).toBe(410);
});

test("the only owner can't delete the own account, and learns why", async () => {
  const { text, forms } = await visitor.get("/settings/delete-account?lang=en");
  expect(text).toContain("You are the only owner of this server");
  expect(forms).toEqual([]);
  const { csrf } = (await visitor.get("/settings?lang=en")).forms[0]!.fields;
  const forced = await visitor.post("/settings/delete-account", { csrf, username: "alice" });
  expect(forced.status).toBe(422);
  expect(await visitor.signedInAs()).toBe("alice");
});
