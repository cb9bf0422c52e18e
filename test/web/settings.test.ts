import { beforeEach, expect, test } from "bun:test";
import sharp from "sharp";
import { serverForAllTests } from "../support/setup.ts";
import { pictureFile } from "../support/uploads.ts";
import { Visitor } from "./visitor.ts";

const PROFILE = "/settings/profile";
const { server, alice } = serverForAllTests(["alice"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

const me = async () => (await alice.get("/api/v1/accounts/verify_credentials")).json;

test("the list of settings leads to every page, each with a way back", async () => {
  const { html } = await visitor.get("/settings");
  const paths = [...html.matchAll(/href="(\/settings\/[^"]*)"/g)].map(([, path]) => path!);
  expect(paths).toContain(PROFILE);
  for (const path of paths) {
    const page = await visitor.get(path);
    expect([path, page.status, page.html]).toEqual([path, 200, expect.stringContaining('href="/settings"')]);
  }
});

test("a visitor signs in first, and then gets the page", async () => {
  const stranger = new Visitor(server);
  await stranger.get(PROFILE);
  const { location } = await stranger.press("Sign in", { login: "alice", password: "correct horse" });
  expect(location).toBe(PROFILE);
});

test("the profile page changes name, text, fields, switches and pictures", async () => {
  await visitor.get(PROFILE);
  const { location } = await visitor.press("Save", {
    display_name: "Alice",
    note: "Birds & #hedges",
    field_name_0: "Site",
    field_value_0: "https://alice.example",
    bot: "1",
    avatar: await pictureFile("png", { width: 40, height: 40 }),
    avatar_description: "a bird",
  });
  expect(location).toBe(`${PROFILE}?saved`);
  const account = await me();
  expect(account).toMatchObject({ display_name: "Alice", bot: true, avatar_description: "a bird" });
  expect(account.source).toMatchObject({ note: "Birds & #hedges", fields: [{ value: "https://alice.example" }] });
  expect(account.avatar).not.toContain("missing");
  const { text, html } = await visitor.follow();
  expect(text).toContain("Saved.");
  expect(html).toContain(`<img class="present avatar" src="${new URL(account.avatar_static).pathname}" alt="a bird"`);
  await visitor.press("Save", { bot: undefined, remove_avatar: "1" });
  expect((await visitor.get(PROFILE)).html).not.toContain('class="present');
  expect(await me()).toMatchObject({ bot: false, avatar: expect.stringContaining("missing") });
});

test("the chosen part of a picture that is too high stays", async () => {
  const halves = sharp({ create: { width: 40, height: 120, channels: 3, background: "#f00" } }).composite([
    { input: { create: { width: 40, height: 60, channels: 3, background: "#00f" } }, left: 0, top: 60 },
  ]);
  const file = new File([new Uint8Array(await halves.png().toBuffer())], "halves.png", { type: "image/png" });
  for (const [crop, color] of [
    ["top", "r"],
    ["bottom", "b"],
  ] as const) {
    await visitor.get(PROFILE);
    await visitor.press("Save", { avatar: file, avatar_crop: crop });
    const bytes = await (await fetch(server.origin + new URL((await me()).avatar).pathname)).arrayBuffer();
    const { channels } = await sharp(bytes).stats();
    expect([crop, channels[0]!.mean > channels[2]!.mean ? "r" : "b"]).toEqual([crop, color]);
  }
});

test("a refused form keeps what was typed, and says why", async () => {
  await visitor.get(`${PROFILE}?lang=de`);
  const before = await me();
  const note = `<b>${"x".repeat(600)}`;
  const { status, text, forms } = await visitor.press("Speichern", { display_name: "New name", note });
  expect([status, text]).toEqual([422, expect.stringContaining("Höchstens 500 Zeichen")]);
  expect(forms[0]!.fields).toMatchObject({ display_name: "New name", note });
  expect(await me()).toEqual(before);
});

test("a refused profile says beside each field what is wrong with it", async () => {
  const { html: form } = await visitor.get(PROFILE);
  expect(form).not.toContain(" maxlength=");
  const refused = await visitor.press("Save", {
    display_name: "x".repeat(31),
    field_name_0: "Site",
    field_value_0: "y".repeat(256),
    field_value_1: "without a name",
    header_description: "z".repeat(1501),
  });
  for (const [field, reason] of [
    ["display_name", "This is too long. Use at most 30 characters."],
    ["field_value_0", "This is too long. Use at most 255 characters."],
    ["field_name_1", "Give this field a name"],
    ["header_description", "This is too long."],
  ]) {
    expect(refused.html).toContain(`id="${field}-about" role="alert">${reason}`);
  }
  const long = await visitor.press("Save", { field_value_1: "", note: "n".repeat(501) });
  expect(long.html).toContain(`id="note-about" role="alert">This is too long. Use at most 500 characters.<`);
  expect(long.html).toContain(`id="display_name-about" role="alert">This is too long. Use at most 30 characters.<`);
  const picture = await visitor.press("Save", {
    display_name: "x",
    note: "",
    field_value_0: "",
    field_value_1: "",
    header_description: "",
    avatar: await pictureFile(),
    header: new File(["no picture"], "letter.docx"),
  });
  expect(picture.html).toMatch(/id="header-about" role="alert">[^<]*no image of these kinds: JPEG/);
});

test("the browser scrolls to the first field that was refused", async () => {
  await visitor.get("/settings/security");
  const { status, html } = await visitor.press("Change password", {
    current_password: "wrong",
    password: "long enough",
  });
  expect(status).toBe(422);
  expect(html.match(/<input[^>]*autofocus[^>]*>/g)!.join()).toContain('aria-invalid="true"');
});

test("a form from an earlier session is shown again with what was typed, and can then be sent", async () => {
  await visitor.get(PROFILE);
  const refused = await visitor.press("Save", { csrf: "old", display_name: "Typed before" });
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("nothing was changed")]);
  await visitor.press("Save");
  expect((await me()).display_name).toBe("Typed before");
});

test("a form that was sent after the session had ended can be sent again after signing in", async () => {
  await visitor.get("/settings/posting");
  const own = visitor.cookies.get("linnet_session")!;
  visitor.cookies.delete("linnet_session");
  const asked = await visitor.press("Save", { visibility: "private", sensitive: "1" });
  expect([asked.status, asked.text]).toEqual([403, expect.stringContaining("nothing is lost")]);
  visitor.cookies.set("linnet_session", own);
  await visitor.press("Continue");
  await visitor.press("Save");
  expect((await me()).source).toMatchObject({ privacy: "private", sensitive: true });
});

test("the page for new posts changes visibility, format, language and sensitivity", async () => {
  await visitor.get("/settings/posting");
  await visitor.press("Save", { visibility: "private", format: "text/markdown", language: "fr", sensitive: "1" });
  expect((await me()).source).toMatchObject({
    privacy: "private",
    status_content_type: "text/markdown",
    language: "fr",
    sensitive: true,
  });
  await visitor.get("/settings/posting");
  await visitor.press("Save", { visibility: "everyone", format: "text/rtf", language: "", sensitive: undefined });
  expect((await me()).source).toMatchObject({
    privacy: "private",
    status_content_type: "text/markdown",
    language: null,
    sensitive: false,
  });
});

test("the form of another site is never shown as if it were the user's own", async () => {
  const stranger = new Visitor(server);
  const fields = { visibility: "private", csrf: "x" };
  const { text, forms } = await stranger.post("/settings/posting", fields, { "sec-fetch-site": "cross-site" });
  expect(text).not.toContain("nothing is lost");
  expect(forms.map(({ action }) => action)).not.toContain("/settings/posting");
});
