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

test("times are in the chosen time zone, which the first sign-in takes from the browser's cookie", async () => {
  await server.person("erin", { role: "user" });
  const { id } = await alice.publish("noon");
  const at = async () => /\d\d:\d\d( UTC)?/.exec((await visitor.get(`/@alice/${id}?lang=en`)).text)![0];
  await visitor.signOut();
  await visitor.signIn("erin");
  expect([await at(), (await visitor.get("/settings/appearance")).forms[0]!.fields["time_zone"]]).toEqual([
    "12:00 UTC",
    "",
  ]);
  const form = await visitor.get("/settings/appearance?lang=en");
  expect(form.html).toContain(">UTC, until you choose one</option>");
  await visitor.press("Save", { language: "de" });
  for (const [zone, shown] of [
    ["../../etc/passwd", "12:00 UTC"],
    ["+05:30", "12:00 UTC"],
    ["Asia/Nowhere", "12:00 UTC"],
    ["Asia/Kathmandu", "17:45"],
    ["America/New_York", "17:45"],
  ]) {
    await visitor.signOut();
    visitor.cookies.set("linnet_time_zone", zone!);
    await visitor.signIn("erin");
    expect([zone, await at()]).toEqual([zone, shown]);
  }
  await visitor.get("/settings/appearance?lang=en");
  for (const [zone, shown] of [
    ["Europe/Berlin", "13:00"],
    ["Asia/Calcutta", "17:30"],
    ["Asia/Nowhere", "17:30"],
  ]) {
    await visitor.press("Save", { time_zone: zone });
    expect([zone, await at()]).toEqual([zone, shown]);
    await visitor.get("/settings/appearance?lang=en");
  }
  expect(visitor.formTo("/settings/appearance").fields).toMatchObject({ time_zone: "Asia/Calcutta" });
  await visitor.signOut();
  expect(await at()).toBe("12:00 UTC");
});

test("what is open in posts is what the reader has chosen, for the pages and for apps", async () => {
  const [frank, grace] = [
    await server.person("frank", { role: "user" }),
    await server.person("grace", { role: "user" }),
  ];
  const post = async (more: object) => (await grace.publish({ media_ids: [(await uploaded(grace)).id], ...more })).id;
  const ids = {
    plain: await post({}),
    sensitive: await post({ sensitive: true }),
    warned: await post({ status: "text", spoiler_text: "Spiders" }),
  };
  const user = new Visitor(server);
  await user.signIn("frank");
  /** Whether the warning is open, undefined without one, and whether the media are. */
  const open = async (id: string, who = user) => {
    const { html } = await who.get(`/@grace/${id}?lang=en`);
    const warning = /<details[^>]*><summary class="p-summary/.exec(html)?.[0];
    return [warning?.includes("open"), !/>Show (sensitive )?media<\/summary>/.test(html)];
  };
  const choose = async (media: string, spoilers: string | undefined) => {
    await user.get("/settings/appearance?lang=en");
    await user.press("Save", { media, spoilers });
    const { json } = await frank.get("/api/v1/preferences");
    expect([json["reading:expand:media"], json["reading:expand:spoilers"]]).toEqual([media, spoilers === "1"]);
    return [await open(ids.plain), await open(ids.sensitive), await open(ids.warned)];
  };
  expect(await choose("default", undefined)).toEqual([
    [undefined, true],
    [undefined, false],
    [false, true],
  ]);
  expect(await choose("default", "1")).toEqual([
    [undefined, true],
    [undefined, false],
    [true, false],
  ]);
  expect(await choose("show_all", "1")).toEqual([
    [undefined, true],
    [undefined, true],
    [true, true],
  ]);
  expect(await choose("hide_all", undefined)).toEqual([
    [undefined, false],
    [undefined, false],
    [false, false],
  ]);
  expect(await open(ids.sensitive, new Visitor(server))).toEqual([undefined, false]);
  expect(await open(ids.plain, new Visitor(server))).toEqual([undefined, true]);
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
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("This doesn’t match your name")]);
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
