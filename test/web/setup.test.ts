import { afterEach, beforeEach, expect, test } from "bun:test";
import { newSetupToken } from "../../src/core/people/setup.ts";
import { createUser, listUsers } from "../../src/core/people/users.ts";
import { act } from "../support/moderation.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { Visitor } from "./visitor.ts";

let server: TestServer;
let visitor: Visitor;

beforeEach(async () => {
  server = await startServer({ LINNET_URL: "http://social.example" });
  visitor = new Visitor(server);
});
afterEach(() => server.stop());

const OWNER = { username: "alice", display_name: "Alice Liddell", password: "correct horse" };

test("the setup link creates the owner, signs in and shows the next step", async () => {
  const token = newSetupToken(server.ctx);
  const page = await visitor.get(`/setup?token=${token}`);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("Create the account that owns this server")]);
  expect(page.text).not.toContain("LINNET_URL");

  expect((await visitor.press("Create my account", OWNER)).location).toBe("/welcome");
  const { text } = await visitor.follow();
  expect(text).toContain("Your server is ready, Alice Liddell");
  expect(text).toContain("Your handle is @alice@social.example");
  expect(text).toContain("enter the address of this server: social.example");
  expect(listUsers(server.ctx)).toMatchObject([{ username: "alice", role: "owner" }]);
  expect((await new Visitor(server).signIn("alice")).status).toBe(303);
});

test("the link expires when there is an owner", async () => {
  const token = newSetupToken(server.ctx);
  await visitor.get(`/setup?token=${token}`);
  await createUser(server.ctx, { username: "carol", password: "correct horse", role: "owner" });
  for (const seen of [await visitor.press("Create my account", OWNER), await visitor.get(`/setup?token=${token}`)]) {
    expect([seen.status, seen.text]).toEqual([410, expect.stringContaining("This server is already set up")]);
  }
  expect(listUsers(server.ctx)).toHaveLength(1);
});

test("only the newest link works", async () => {
  const old = newSetupToken(server.ctx);
  const newest = newSetupToken(server.ctx);
  for (const token of [old, "", "guess"]) {
    const { status, text } = await visitor.get(`/setup?token=${token}`);
    expect([status, text]).toEqual([404, expect.stringContaining("Use the latest link in the terminal")]);
    expect((await visitor.post("/setup", { token, ...OWNER })).status).toBe(404);
  }
  expect((await visitor.get("/setup")).status).toBe(404);
  expect((await visitor.get(`/setup?token=${newest}`)).status).toBe(200);
  expect(JSON.stringify(server.ctx.db.all("SELECT * FROM server_state"))).not.toContain(newest);
});

test("two simultaneous submissions create one owner", async () => {
  const token = newSetupToken(server.ctx);
  const answers = await Promise.all(
    ["alice", "mallory"].map((username) => new Visitor(server).post("/setup", { token, ...OWNER, username })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
  expect(listUsers(server.ctx)).toHaveLength(1);
});

test("another site can't submit the form, even with the link", async () => {
  const token = newSetupToken(server.ctx);
  await visitor.post("/setup", { token, ...OWNER }, { "sec-fetch-site": "cross-site" });
  expect(listUsers(server.ctx)).toEqual([]);
});

test.each([
  ["no name", { username: " " }, "username", "Choose a username."],
  ["a name with spaces", { username: "a b" }, "username", "Use only letters"],
  ["a name with a dot", { username: "a.b" }, "username", "Use only letters"],
  ["an overlong name", { username: "a".repeat(31) }, "username", "at most 30 characters"],
  ["a short password", { password: "1234567" }, "password", "at least 8 characters"],
  ["an overlong password", { password: "x".repeat(257) }, "password", "at most 256 characters"],
  ["an overlong display name", { display_name: "x".repeat(31) }, "display_name", "at most 30 characters"],
])("%s is explained beside the field, and the other fields keep their values", async (_, wrong, field, words) => {
  await visitor.get(`/setup?token=${newSetupToken(server.ctx)}`);
  const { status, html } = await visitor.press("Create my account", { ...OWNER, ...wrong });
  expect(status).toBe(422);
  const error = new RegExp(`<p class="error" id="${field}-about" role="alert">([^<]+)</p>`).exec(html)![1];
  expect(error).toContain(words);
  expect(html.match(/class="error"/g)).toHaveLength(1);
  if (field !== "username") expect(html).toContain('value="alice"');
  expect(html).not.toContain("correct horse");
  expect((await visitor.press("Create my account", OWNER)).status).toBe(303);
});

test("on localhost the page warns that handles are permanent", async () => {
  const local = await startServer();
  const { text } = await new Visitor(local).get(`/setup?token=${newSetupToken(local.ctx)}`);
  expect(text).toContain("set LINNET_URL first");
  await local.stop();
});

test("without an owner the start page says where to find the setup link", async () => {
  const { status, text } = await visitor.get("/");
  expect([status, text]).toEqual([200, expect.stringContaining("printed in the terminal")]);
});

test("the start page of a server with one user is that user's profile, with a way to sign in", async () => {
  const alice = await server.person("alice");
  await alice.publish("hello hedge");
  const { text, html } = await visitor.get("/");
  expect(text).toContain("@alice@social.example");
  expect(text).toContain("hello hedge");
  expect(html).toContain('<a href="/sign-in">Sign in</a>');
  expect(html).toContain('/@alice"/>');
});

test("the start page of a server with several users shows its name, its description and its people", async () => {
  await server.stop();
  server = await startServer({
    LINNET_URL: "https://social.example",
    LINNET_HANDLE_DOMAIN: "example.org",
    LINNET_TITLE: "Alice & <friends>",
    LINNET_DESCRIPTION: "Birds, mostly.",
  });
  await server.person("alice");
  await server.person("bob", { role: "user" });
  const { text, html } = await new Visitor(server).get("/");
  expect(text).toStartWith("Alice & <friends> Birds, mostly.");
  expect(text).toContain("@alice@example.org");
  expect(text).not.toContain("@bob");
  expect(html).not.toContain("<friends>");
});

test("pages for users ask visitors to sign in, and lead to the start page as long as there are no users", async () => {
  for (const path of ["/home", "/sign-in"]) expect((await visitor.get(path)).location).toBe("/");
  expect((await visitor.get("/")).text).toContain("no owner yet");
  await createUser(server.ctx, { username: "alice", password: "correct horse", role: "owner" });
  expect((await visitor.get("/welcome")).forms.map(({ action }) => action)).toEqual(["/sign-in"]);
});

test("the welcome page names apps and shows a QR code, and on localhost says what can't connect", async () => {
  const local = await startServer();
  await local.person("alice");
  const alice = new Visitor(local);
  await alice.signIn("alice");
  const here = await alice.get("/welcome");
  expect(here.text).toContain("Only this computer can reach this server");
  expect(here.text).not.toContain("Phanpy");
  expect(here.html).not.toContain('class="qr"');
  await local.stop();
  await server.person("alice");
  await visitor.signIn("alice");
  const { text, html } = await visitor.get("/welcome");
  expect(html).toContain('href="https://phanpy.social/#/login?instance=social.example&amp;submit=1"');
  for (const app of ["Phanpy", "Elk", "Tusky", "Ivory", "Ice Cubes", "Tuba", "toot"]) expect(text).toContain(app);
  expect(html).toContain('class="qr"');
  expect(html).toContain('href="/compose"');
});

test("a missing page is HTML for browsers and JSON for programs", async () => {
  const page = await visitor.get("/nothing/here");
  expect([page.status, page.text]).toEqual([404, expect.stringContaining("Page not found")]);
  for (const path of ["/api/v1/nothing", "/api/v9", "/.well-known/nothing"]) {
    const { status, headers, html } = await visitor.get(path);
    expect([status, headers.get("content-type")]).toEqual([404, expect.stringContaining("application/json")]);
    expect(JSON.parse(html)).toEqual({ error: "Not found" });
  }
  expect((await server.stranger().get("/nothing")).json).toEqual({ error: "Not found" });
});

test("assets are immutable, and their names contain their version", async () => {
  const { html } = await visitor.get("/");
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  expect(new Set(paths).size).toBe(2);
  for (const path of paths) {
    const { status, headers } = await visitor.get(path);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect(headers.get("content-type")).toMatch(path.endsWith(".css") ? /^text\/css/ : /^image\/svg\+xml/);
  }
  expect((await visitor.get("/favicon.ico")).location).toEndWith(".svg");
});

test("the start page lists exactly the owner and discoverable people", async () => {
  await server.stop();
  server = await startServer();
  await server.person("owner");
  for (const name of ["found", "hidden", "gone"]) {
    const who = await server.person(name, { role: "user" });
    await who.patch("/api/v1/accounts/update_credentials", { discoverable: name !== "hidden" });
    if (name === "gone") await act(server, "suspend", who);
  }
  for (const visitor of [new Visitor(server), new Visitor(server)]) {
    const { text } = await visitor.get("/");
    expect([...text.matchAll(/@(\w+)@localhost/g)].map(([, name]) => name)).toEqual(["owner", "found"]);
    await visitor.signIn("hidden");
  }
});
