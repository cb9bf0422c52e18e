import { afterEach, describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { approveUser, updateUser, findUser, rejectUser } from "../../src/core/people/users.ts";
import { Client, type Answer, type Json } from "../support/client.ts";
import { act } from "../support/moderation.ts";
import { inProcess, startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";
import { Visitor } from "../web/visitor.ts";

let server: TestServer;
let owner: Client;
let app: Client;

afterEach(() => server.stop());

async function start(mode: "closed" | "open" | "approval", limits = "off"): Promise<void> {
  server = await startServer({ LINNET_REGISTRATIONS: mode, LINNET_RATE_LIMITS: limits });
  owner = await server.person("owner");
  app = new Client(server.origin, server.token(null, "read write follow"));
}

const BOB = {
  username: "Bob",
  email: "bob@mail.example",
  password: "correct horse",
  agreement: true,
  locale: "de",
  reason: "I know the owner",
};
const PATH = "/api/v1/accounts";
const register = (more: object = {}, who = app, init?: RequestInit): Promise<Answer> =>
  who.post(PATH, { ...BOB, ...more }, init);
const holder = ({ json }: Answer): Client => new Client(server.origin, json.access_token);
const userOf = (name: string) => findUser(server.ctx, name)!;
const verify = async (who: Client): Promise<[number, Json]> => {
  const { status, json } = await who.get("/api/v1/accounts/verify_credentials");
  return [status, status === 200 ? json.username : json.error];
};

describe("With open registrations", () => {
  test("an app registers an account, and gets a token with all its scopes", async () => {
    await start("open");
    const answer = await register();
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      scope: "read write follow",
      created_at: Math.floor(server.clock.now() / 1000),
    });
    expect(await verify(holder(answer))).toEqual([200, "Bob"]);
    const { json } = await holder(answer).get("/api/v1/accounts/verify_credentials");
    expect([json.role.name, json.source.privacy]).toEqual(["", "public"]);
  });

  test("the new user can sign in by name and by e-mail address, and post in their language", async () => {
    await start("open");
    const bob = holder(await register({ reason: undefined }));
    for (const login of ["bob", "bob@mail.example"]) {
      expect((await new Visitor(server).signIn(login)).status).toBe(303);
    }
    expect((await bob.publish("Guten Tag")).language).toBe("de");
  });

  test("a form works like JSON", async () => {
    await start("open");
    const form = new URLSearchParams({ ...BOB, agreement: "true" });
    expect((await app.post(PATH, form)).status).toBe(200);
  });

  test("the instance document says so", async () => {
    await start("open");
    const { json } = await app.get("/api/v2/instance");
    expect(json.registrations).toMatchObject({ enabled: true, approval_required: false, reason_required: false });
    expect((await app.get("/api/v1/instance")).json).toMatchObject({ registrations: true, approval_required: false });
    expect((await app.get("/nodeinfo/2.0")).json.openRegistrations).toBe(true);
  });

  test("a registration requires an app token with the scope write:accounts", async () => {
    await start("open");
    for (const stranger of [server.stranger(), new Client(server.origin, "made up")]) {
      const { status, json } = await register({}, stranger);
      expect([status, json]).toEqual([401, { error: "The access token is invalid" }]);
    }
    const { status, json } = await register({}, new Client(server.origin, server.token(null, "read write:follows")));
    expect([status, json]).toEqual([403, { error: "This action is outside the authorized scopes" }]);
    expect((await register({}, new Client(server.origin, server.token(null, "write:accounts")))).status).toBe(200);
  });

  test("registration is closed until there is an owner", async () => {
    server = await startServer({ LINNET_REGISTRATIONS: "open" });
    app = new Client(server.origin, server.token(null, "write"));
    expect((await register()).status).toBe(403);
    expect((await app.get("/api/v2/instance")).json.registrations.enabled).toBe(false);
  });

  test("five registrations per IP address and half an hour are allowed", async () => {
    await start("open", "on");
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const other = new Client(server.origin, server.token(null, "write"));
    for (let at = 0; at < 4; at++)
      expect((await register({ username: "" }, app, from("198.51.100.7"))).status).toBe(422);
    expect((await register({}, owner, from("198.51.100.7"))).status).toBe(200);
    for (const who of [app, other, owner]) {
      const { status, json, headers } = await register({ username: "eve" }, who, from("198.51.100.7"));
      expect([status, json, headers.get("x-ratelimit-limit")]).toEqual([429, { error: "Too many requests" }, "5"]);
    }
    const more = { username: "eve", email: "eve@mail.example" };
    expect((await register(more, app, from("198.51.100.8"))).status).toBe(200);
    server.clock.advance(30 * 60_000);
    const again = await register({ username: "fay", email: "fay@mail.example" }, app, from("198.51.100.7"));
    expect(again.status).toBe(200);
  });
});

test("an e-mail address equal to another user's handle is refused, and the user's own is accepted", async () => {
  await start("open");
  for (const email of ["eve@localhost:3000", "EVE@LOCALHOST:3000", "ｅｖｅ@localhost:3000"]) {
    const { status, json } = await register({ email });
    expect([status, json.error]).toEqual([
      422,
      "Validation failed: Email must not be at the domain of this server's handles",
    ]);
    expect(json.details.email[0].error).toBe("ERR_BLOCKED");
  }
  expect((await register({ email: "Bob@localhost:3000" })).status).toBe(200);
});

describe("An invalid registration is refused with an error for each field", () => {
  const blank = { error: "ERR_BLANK", description: "can't be blank" };
  const long = (max: number) => ({
    error: "ERR_TOO_LONG",
    description: `is too long (maximum is ${max} characters)`,
  });

  test.each<[object, string, object]>([
    [{ username: "" }, "username", blank],
    [
      { username: "not a name" },
      "username",
      {
        error: "ERR_INVALID",
        description: "must contain only letters, numbers and underscores",
      },
    ],
    [{ username: "x".repeat(31) }, "username", long(30)],
    [{ username: "OWNER" }, "username", { error: "ERR_TAKEN", description: "has already been taken" }],
    [{ username: "Admin" }, "username", { error: "ERR_RESERVED", description: "is reserved" }],
    [{ password: "" }, "password", blank],
    [
      { password: "short" },
      "password",
      {
        error: "ERR_TOO_SHORT",
        description: "is too short (minimum is 8 characters)",
      },
    ],
    [{ password: "x".repeat(257) }, "password", long(256)],
    [{ email: undefined }, "email", blank],
    [{ email: "nonsense" }, "email", { error: "ERR_INVALID", description: "is invalid" }],
    [{ agreement: false }, "agreement", { error: "ERR_ACCEPTED", description: "must be accepted" }],
    [{ agreement: undefined }, "agreement", { error: "ERR_ACCEPTED", description: "must be accepted" }],
    [{ locale: null }, "locale", blank],
    [{ reason: "x".repeat(421) }, "reason", long(420)],
  ])("%j", async (more, field, problem) => {
    await start("open");
    const { status, json } = await register(more);
    expect(status).toBe(422);
    expectShape(json, "ValidationError");
    expect(json.details).toEqual({ [field]: [problem] });
    expect(json.error).toStartWith(`Validation failed: ${field[0]!.toUpperCase()}${field.slice(1)} `);
    expect(findUser(server.ctx, "bob")).toBeNull();
  });

  test("for all fields at once", async () => {
    await start("approval");
    const { status, json } = await app.post(PATH);
    expect(status).toBe(422);
    expectShape(json, "ValidationError");
    expect(Object.keys(json.details).toSorted()).toEqual([
      "agreement",
      "email",
      "locale",
      "password",
      "reason",
      "username",
    ]);
    expect(json.error).toContain("Username can't be blank, Password can't be blank, ");
  });

  test("for an e-mail address that is in use, in any case", async () => {
    await start("open");
    await register();
    const { json } = await register({ username: "eve", email: "BOB@mail.example" });
    expect(json.details).toEqual({ email: [{ error: "ERR_TAKEN", description: "has already been taken" }] });
  });

  test("for the slower of two requests with the same name", async () => {
    await start("open");
    const answers = await Promise.all(["a", "b", "c"].map((name) => register({ email: `${name}@mail.example` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
    const refused = answers.find(({ status }) => status === 422)!;
    expect(refused.json.details).toEqual({
      username: [{ error: "ERR_TAKEN", description: "has already been taken" }],
    });
  });

  test("for values that are not text", async () => {
    await start("open");
    for (const more of [{ username: ["bob"] }, { email: { a: "b" } }, { agreement: "perhaps" }]) {
      expect((await register(more)).status).toBe(422);
    }
  });
});

describe("With closed registrations", () => {
  test("sign-ups are refused, and the instance document says so", async () => {
    await start("closed");
    const { status, json } = await register();
    expect([status, json]).toEqual([403, { error: "This action is not allowed" }]);
    expect((await app.get("/api/v2/instance")).json.registrations).toMatchObject({
      enabled: false,
      approval_required: false,
    });
    expect((await app.get("/api/v1/instance")).json.registrations).toBe(false);
  });
});

describe("With registrations that need approval", () => {
  test("the instance document says so, and that a reason is required", async () => {
    await start("approval");
    expect((await app.get("/api/v2/instance")).json.registrations).toMatchObject({
      enabled: true,
      approval_required: true,
      reason_required: true,
    });
    expect((await app.get("/api/v1/instance")).json).toMatchObject({ registrations: true, approval_required: true });
    expect((await app.get("/nodeinfo/2.0")).json.openRegistrations).toBe(false);
  });

  test("a reason is required", async () => {
    await start("approval");
    const { status, json } = await register({ reason: "  " });
    expect([status, json]).toEqual([
      422,
      {
        error: "Validation failed: Reason can't be blank",
        details: { reason: [{ error: "ERR_BLANK", description: "can't be blank" }] },
      },
    ]);
  });

  test("a pending user's token gives only anonymous access", async () => {
    await start("approval");
    const answer = await register();
    const bob = holder(answer);
    const pending = [403, "Dein Konto wartet noch auf Freigabe"];
    expect(await verify(bob)).toEqual(pending as [number, string]);
    for (const path of ["/api/v1/timelines/home", "/api/v1/notifications", "/oauth/userinfo"]) {
      expect((await bob.get(path)).status).toBe(403);
    }
    expect((await bob.post("/api/v1/statuses", { status: "hello" })).status).toBe(403);
    expect((await bob.get("/api/v1/instance")).status).toBe(200);
    expect((await bob.get("/api/v1/timelines/public")).status).toBe(200);
    expect((await bob.get("/api/v1/streaming/user")).status).toBe(401);
  });

  test("a pending user can't sign in, and the page says why", async () => {
    await start("approval");
    await register();
    const visitor = new Visitor(server);
    const { status, text } = await visitor.signIn("bob");
    expect([status, text]).toEqual([403, expect.stringContaining("Your account is waiting for approval")]);
    expect(await visitor.signedInAs()).toBeNull();
    expect((await visitor.signIn("bob", "wrong password")).text).not.toContain("waiting for approval");
  });

  test("a pending user is invisible to others", async () => {
    await start("approval");
    await register();
    const id = String(userOf("bob").account_id);
    await owner.publish("hello @bob");
    for (const path of [id, `${id}/statuses`, `${id}/followers`, "lookup?acct=bob"]) {
      expect((await owner.get(`/api/v1/accounts/${path}`)).status).toBe(404);
    }
    for (const verb of ["follow", "block", "mute", "note"]) {
      expect((await owner.post(`/api/v1/accounts/${id}/${verb}`)).status).toBe(404);
    }
    for (const path of [`?id[]=${id}`, `/relationships?id[]=${id}`, "/search?q=bob"]) {
      expect((await owner.get(`/api/v1/accounts${path}`)).json).toEqual([]);
    }
    const [status] = (await owner.get("/api/v1/timelines/home")).json;
    expect(status.mentions).toEqual([]);
    expect((await owner.get("/api/v1/instance")).json.stats.user_count).toBe(1);
    expect((await new Visitor(server).get("/")).text).not.toContain("Bob");
    expect((await register({ email: "other@mail.example" })).json.details.username[0].error).toBe("ERR_TAKEN");
  });

  inProcess("approval activates the account and its existing token", async () => {
    await start("approval");
    const bob = holder(await register());
    expect(userOf("bob").reason).toBe("I know the owner");
    approveUser(server.ctx, userOf("bob").id);
    expect(await verify(bob)).toEqual([200, "Bob"]);
    expect((await new Visitor(server).signIn("bob")).status).toBe(303);
    expect((await owner.get("/api/v1/accounts/lookup?acct=bob")).json.username).toBe("Bob");
  });

  test("rejection revokes the token and frees the name", async () => {
    await start("approval");
    const bob = holder(await register());
    rejectUser(server.ctx, userOf("bob").id);
    expect(await verify(bob)).toEqual([401, "The access token is invalid"]);
    expect((await register()).status).toBe(200);
  });

  test("an active user can't be rejected", async () => {
    await start("approval");
    rejectUser(server.ctx, userOf("owner").id);
    expect((await verify(owner))[0]).toBe(200);
  });
});

describe("A pending sign-up", () => {
  test("can't become the owner before its approval", async () => {
    await start("approval");
    await register();
    const promote = () => updateUser(server.ctx, userOf("bob"), { role: "owner" });
    expect(promote).toThrow("@Bob is a pending sign-up. Approve it before you make it an owner.");
    expect(userOf("bob").role).toBe("user");
    approveUser(server.ctx, userOf("bob").id);
    promote();
    expect(userOf("bob").role).toBe("owner");
  });

  test("doesn't count as the owner that a server needs", async () => {
    await start("approval");
    await register();
    server.ctx.db.transaction((tx) => tx.run("UPDATE users SET role = 'owner' WHERE NOT approved"));
    const words = "@owner is the only owner of this server";
    expect(() => updateUser(server.ctx, userOf("owner"), { role: "user" })).toThrow(words);
    expect(() => deleteAccount(server.ctx, Number(owner.id))).toThrow(words);
    for (const action of ["disable", "suspend"] as const) {
      await expect(act(server, action, { id: owner.id })).rejects.toThrow(words);
    }
    expect(await verify(owner)).toEqual([200, "owner"]);
  });
});
