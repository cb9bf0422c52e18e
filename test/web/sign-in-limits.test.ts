import { beforeEach, describe, expect, test } from "bun:test";
import { createUser, resetPassword } from "../../src/core/people/users.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const MINUTE = 60_000;
const WRONG = "wrong password";

const { server } = serverForEachTest([], { LINNET_RATE_LIMITS: "sign_in=3/300" });
let aliceId: number;

beforeEach(async () => {
  const alice = { username: "Alice", email: "alice@mail.example", password: "correct horse", role: "owner" } as const;
  aliceId = (await createUser(server.ctx, alice)).userId;
});

const from = (address: string): Visitor => new Visitor(server, { "x-forwarded-for": address });

/** The responses to wrong passwords from different IP addresses. */
async function guesses(...logins: string[]): Promise<number[]> {
  const codes: number[] = [];
  for (const [at, login] of logins.entries()) codes.push((await from(`192.0.2.${at + 1}`).signIn(login, WRONG)).status);
  return codes;
}

/** Exhausts the attempts of unknown browsers for a name. */
async function lock(login = "alice"): Promise<void> {
  expect(await guesses(login, login, login, login)).toEqual([422, 422, 422, 429]);
}

describe("Wrong passwords", () => {
  test("are limited per IP address, and the page says when to try again", async () => {
    const guesser = from("192.0.2.1");
    for (const name of ["a", "b", "c"]) expect((await guesser.signIn(name, WRONG)).status).toBe(422);
    const { status, text, headers } = await guesser.signIn("alice");
    expect([status, headers.get("retry-after")]).toEqual([429, "300"]);
    expect(text).toContain("Too many sign-in attempts. Try again in 5 minutes.");
    server.clock.advance(4 * MINUTE);
    expect((await guesser.signIn("alice")).text).toContain("Try again in a minute.");
    server.clock.advance(MINUTE);
    expect((await guesser.signIn("alice")).status).toBe(303);
  });

  test("are limited per user, in whatever spelling of the name", async () => {
    const spellings = ["Alice", "@ALICE", "alice@localhost:3000", "ａｌｉｃｅ", " alice "];
    expect(await guesses(...spellings)).toEqual([422, 422, 422, 429, 429]);
  });

  test.each([
    ["alice", "alice@mail.example", "zoe@mail.example"],
    ["ALICE@mail.example", "alice", "zoe"],
  ])("for %p lock its user, but the responses for %p are as for %p, which is unknown", async (name, own, unknown) => {
    await lock(name);
    const [seen, ...others] = await Promise.all(
      [own, unknown].map(async (login, at) => {
        const guesser = from(`198.51.100.${at + 1}`);
        const answers = [];
        for (const password of [WRONG, "correct horse", WRONG, "correct horse"]) {
          const { status, text, headers } = await guesser.signIn(login, password);
          answers.push({ status, text, wait: headers.get("retry-after") });
        }
        return answers;
      }),
    );
    expect(seen!.map(({ status }) => status)).toEqual([422, 422, 422, 429]);
    expect(others).toEqual([seen!]);
    server.clock.advance(5 * MINUTE);
    expect((await from("198.51.100.3").signIn(own)).status).toBe(303);
  });

  test("for the name and the e-mail address of a user count together", async () => {
    expect(await guesses("alice", "alice@mail.example", "alice")).toEqual([422, 422, 422]);
    for (const login of ["alice", "alice@mail.example"]) {
      expect((await from("198.51.100.1").signIn(login)).status).toBe(422);
    }
  });

  test("are limited equally for unknown names", async () => {
    expect(await guesses("nobody", "@NOBODY", "nobody@localhost:3000", "nobody")).toEqual([422, 422, 422, 429]);
  });

  test("are limited within any five minutes, including around a full hour", async () => {
    server.clock.advance(4 * MINUTE);
    expect(await guesses("alice", "alice")).toEqual([422, 422]);
    server.clock.advance(2 * MINUTE);
    expect(await guesses("alice", "alice")).toEqual([422, 429]);
    server.clock.advance(3 * MINUTE);
    expect(await guesses("alice", "alice", "alice")).toEqual([422, 422, 429]);
  });

  test("are limited if they are sent at the same time", async () => {
    const visitors = Array.from({ length: 8 }, (_, at) => from(`192.0.2.${at + 1}`));
    const answers = await Promise.all(visitors.map((visitor) => visitor.signIn("alice", WRONG)));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(3);
  });

  test("alone are counted, not correct ones", async () => {
    const visitor = from("192.0.2.1");
    for (let at = 0; at < 5; at++) {
      expect((await visitor.signIn("alice")).status).toBe(303);
      visitor.cookies.clear();
    }
    await lock();
  });

  test("don't lock out other users", async () => {
    await server.person("bob");
    await lock();
    expect((await from("192.0.2.77").signIn("bob")).status).toBe(303);
  });
});

describe("Second factors", () => {
  beforeEach(() => {
    server.ctx.db.transaction((tx) =>
      tx.run(
        "INSERT INTO one_time_codes (user_id, sealed_secret, last_step, created_at) VALUES ($aliceId, 'lost', 0, 0)",
        { aliceId },
      ),
    );
  });

  test("can be guessed no more often than passwords, from all networks together", async () => {
    const answers: number[] = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]) {
      const guesser = from(address);
      await guesser.signIn("alice");
      await guesser.follow();
      answers.push((await guesser.press("Sign in", { code: "123456" })).status);
    }
    expect(answers).toEqual([422, 422, 422, 429]);
  });

  test("that were guessed don't keep their user from sending the password", async () => {
    const guesser = from("192.0.2.1");
    await guesser.signIn("alice");
    for (const _ of [1, 2, 3]) {
      await guesser.get("/sign-in/second-step");
      await guesser.press("Sign in", { code: "123456" });
    }
    expect((await from("192.0.2.2").signIn("alice")).status).toBe(303);
  });

  test("and passwords are counted again when a sensitive page asks for them", async () => {
    const visitor = from("192.0.2.1");
    server.ctx.db.transaction((tx) => tx.run("DELETE FROM one_time_codes"));
    await visitor.signIn("alice");
    server.clock.advance(15 * MINUTE);
    await visitor.get("/settings/security");
    for (const status of [422, 422, 422, 429]) {
      expect((await visitor.press("Continue", { proof: WRONG })).status).toBe(status);
    }
    expect((await visitor.press("Continue", { proof: "correct horse" })).status).toBe(429);
  });
});

test("Wrong passkeys are limited for their network, and others can still use theirs", async () => {
  const statuses: number[] = [];
  for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
    const visitor = from(address);
    const { csrf } = (await visitor.get("/sign-in")).forms[0]!.fields;
    statuses.push((await visitor.post("/sign-in/passkey", { csrf, passkey: "{}" })).status);
  }
  expect(statuses).toEqual([422, 422, 422, 429, 422]);
});

describe("A browser that has signed in before", () => {
  let known: Visitor;

  beforeEach(async () => {
    known = from("192.0.2.99");
    await known.signIn("alice");
    await known.signOut();
  });

  test("can sign in while others guess the password, even from its own network", async () => {
    await lock();
    for (let at = 0; at < 3; at++) await from("192.0.2.99").signIn("nobody", WRONG);
    expect((await from("192.0.2.99").signIn("alice")).status).toBe(429);
    expect((await known.signIn("@alice")).status).toBe(303);
  });

  test("is limited by its own wrong passwords, and other browsers are not", async () => {
    for (const status of [422, 422, 422, 429]) expect((await known.signIn("alice", WRONG)).status).toBe(status);
    expect((await from("192.0.2.99").signIn("alice")).status).toBe(303);
  });

  test("is no longer known after a password change", async () => {
    await resetPassword(server.ctx, aliceId, "battery staple");
    await lock();
    expect((await known.signIn("alice", "battery staple")).status).toBe(429);
  });

  test("is known only for its own user", async () => {
    const bob = await createUser(server.ctx, { username: "bob", password: "correct horse", role: "user" });
    known.cookies.set(`linnet_known_${bob.userId}`, known.cookies.get(`linnet_known_${aliceId}`)!);
    await lock("bob");
    expect((await known.signIn("bob")).status).toBe(429);
  });

  test("is known for several users", async () => {
    await server.person("bob");
    await known.signIn("bob");
    await lock();
    expect((await known.signIn("alice")).status).toBe(303);
    await lock("bob");
    expect((await known.signIn("bob")).status).toBe(303);
  });

  test.each(["", "x", ".", "a.b", "…", `${"a".repeat(43)}.${"b".repeat(43)}`])(
    "can't be forged with the cookie %p",
    async (cookie) => {
      const thief = from("192.0.2.50");
      thief.cookies.set(`linnet_known_${aliceId}`, encodeURIComponent(cookie));
      await lock();
      expect((await thief.signIn("alice")).status).toBe(429);
    },
  );

  test("can't be forged with a modified cookie", async () => {
    const [nonce, signature] = known.cookies.get(`linnet_known_${aliceId}`)!.split(".") as [string, string];
    await lock();
    for (const cookie of [
      `${nonce}x.${signature}`,
      `x${nonce.slice(1)}x.${signature}`,
      `${nonce}.${signature}x`,
      nonce,
    ]) {
      known.cookies.set(`linnet_known_${aliceId}`, cookie);
      expect((await known.signIn("alice")).status).toBe(429);
    }
  });
});

test("an e-mail address equal to another user's handle doesn't sign in as that user", async () => {
  const bob = await createUser(server.ctx, { username: "bob", password: "battery staple", role: "user" });
  // A database of an earlier version may contain this.
  server.ctx.db.transaction((tx) =>
    tx.run("UPDATE users SET email = 'alice@localhost:3000' WHERE id = $userId", { userId: bob.userId }),
  );
  expect((await from("192.0.2.1").signIn("alice@localhost:3000")).status).toBe(303);
  expect((await from("192.0.2.2").signIn("alice@localhost:3000", "battery staple")).status).toBe(422);
});

describe("The log", () => {
  const lines: string[] = [];

  beforeEach(() => {
    lines.length = 0;
    const write = (message: string, values: Record<string, string>) =>
      lines.push(message.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!));
    Object.assign(server.ctx, { log: { ...server.ctx.log, info: write } });
  });

  inProcess("has a line for each failed sign-in, with the IP address and the user", async () => {
    await from("192.0.2.1").signIn("@ALICE", WRONG);
    await from("2001:db8::7").signIn("alice@mail.example", WRONG);
    await from("192.0.2.1").signIn("alice", WRONG);
    await from("192.0.2.1").signIn("alice");
    expect(lines).toEqual([
      "Sign-in failed: address=192.0.2.1 reason=password user=Alice",
      "Sign-in failed: address=2001:db8::7 reason=password user=Alice",
      "Sign-in failed: address=192.0.2.1 reason=password user=Alice",
      "Sign-in failed: address=192.0.2.1 reason=too_many user=Alice",
    ]);
  });

  inProcess("has a line for a sign-in from a new browser, but not for the first one at all", async () => {
    const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const first = new Visitor(server, { "user-agent": firefox });
    await first.signIn("alice");
    await first.signIn("alice");
    await new Visitor(server, { "user-agent": firefox, "x-forwarded-for": "192.0.2.7" }).signIn("alice");
    await new Visitor(server, { "user-agent": "user=root\t" }).signIn("alice");
    expect(lines).toEqual([
      "Sign-in from a new browser: address=192.0.2.7 user=Alice browser=Firefox on Linux",
      "Sign-in from a new browser: address=127.0.0.1 user=Alice browser=unknown",
    ]);
  });

  inProcess("never contains what was typed, nor successful sign-ins", async () => {
    await from("192.0.2.1").signIn("hunter2 address=192.0.2.9", WRONG);
    await from("192.0.2.1").signIn("alice");
    expect(lines).toEqual(["Sign-in failed: address=192.0.2.1 reason=password"]);
  });
});
