import { createPrivateKey, createPublicKey } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { ensureKeys, findKey, keyOf } from "../../src/core/people/account-keys.ts";
import { generateKeyPair } from "../../src/lib/signatures.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";

const { server, alice } = serverForEachTest(["alice"]);

const DAY = 24 * 3600_000;
const idOf = (who: { id: string }) => Number(who.id);
const keysOf = (accountId: number) =>
  server.ctx.db.all("SELECT 1 FROM account_keys WHERE account_id = $accountId", { accountId }).length;

describe("Every local account, and the server itself, has a key", () => {
  // Two processes would use the same prepared keys.
  inProcess("of its own, from the beginning", async () => {
    const bob = await server.person("bob");
    const keys = await Promise.all([null, idOf(alice), idOf(bob)].map((id) => keyOf(server.ctx, id)));
    expect(keys.map(({ username }) => username)).toEqual([null, "alice", "bob"]);
    expect(new Set(keys.map(({ privateKey }) => privateKey)).size).toBe(3);
  });

  test("which is generated at the next start if the account is older than federation", async () => {
    const { ctx } = server;
    const before = findKey(ctx.db, null);
    ctx.db.transaction((tx) => tx.run("DELETE FROM account_keys WHERE account_id IS NOT NULL"));
    for (let start = 0; start < 2; start++) await ensureKeys(ctx);
    expect(findKey(ctx.db, idOf(alice))?.username).toBe("alice");
    expect(findKey(ctx.db, null)).toEqual(before);
    expect(ctx.db.all("SELECT 1 FROM account_keys")).toHaveLength(2);
  });

  test("for which requests wait while it is generated", async () => {
    const { ctx } = server;
    ctx.db.transaction((tx) => tx.run("DELETE FROM account_keys"));
    const [answer, key] = await Promise.all([fetch(`${server.origin}/actor`), keyOf(ctx, null)]);
    expect(await answer.json()).toMatchObject({ publicKey: { publicKeyPem: key.publicKey } });
    expect(ctx.db.all("SELECT 1 FROM account_keys")).toHaveLength(2);
  });

  test("of 2048 bits, as RSA, in PEM", async () => {
    const { publicKey, privateKey } = await generateKeyPair();
    const own = createPublicKey(createPrivateKey(privateKey));
    expect(own.export({ type: "spki", format: "pem" })).toBe(publicKey);
    expect([own.asymmetricKeyType, own.asymmetricKeyDetails?.modulusLength]).toEqual(["rsa", 2048]);
  });
});

describe("The key of a deleted account", () => {
  const cleanUp = async () => {
    const { ctx } = server;
    const now = server.clock.now();
    ctx.db.transaction((tx) =>
      tx.run("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('clean_up', '{}', $now, $now)", { now }),
    );
    await server.drain();
  };

  inProcess("stays for a month, and as long as something waits to be sent", async () => {
    const bob = await server.person("bob");
    const { db } = server.ctx;
    deleteAccount(server.ctx, idOf(bob));
    await server.drain();
    db.transaction((tx) =>
      tx.run("INSERT INTO outgoing_activities (account_id, body, created_at) VALUES ($bobId, '{}', 0)", {
        bobId: idOf(bob),
      }),
    );
    const counts: number[] = [];
    for (const days of [0, 29, 2]) {
      server.clock.advance(days * DAY);
      await cleanUp();
      counts.push(keysOf(idOf(bob)));
    }
    db.transaction((tx) => tx.run("DELETE FROM outgoing_activities"));
    await cleanUp();
    expect([...counts, keysOf(idOf(bob)), keysOf(idOf(alice))]).toEqual([1, 1, 1, 0, 1]);
  });

  inProcess("is deleted after a month", async () => {
    const bob = await server.person("bob");
    deleteAccount(server.ctx, idOf(bob));
    server.clock.advance(29 * DAY);
    await cleanUp();
    expect(keysOf(idOf(bob))).toBe(1);
    server.clock.advance(2 * DAY);
    await cleanUp();
    expect(keysOf(idOf(bob))).toBe(0);
  });
});
