import { afterEach, beforeEach, describe, expect, spyOn } from "bun:test";
import { neighboursForEachTest } from "../support/federation.ts";
import { befriend, type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";
import { inProcess } from "../support/server.ts";

/* Commits succeed, but the disk can't be synced: a power failure would undo them. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let spies: { mockRestore(): void }[] = [];
let bob: HostileAccount;

beforeEach(async () => {
  bob = peer.account("bob");
  await befriend(alice, bob);
});
afterEach(repairDisk);

function breakDisk(): void {
  const { db, log } = alice.server.ctx;
  const syncing = db as unknown as { sync(): Promise<void> };
  spies = [
    spyOn(syncing, "sync").mockRejectedValue(new Error("the disk is broken")),
    spyOn(log as { error(message: string): void }, "error").mockReturnValue(),
  ];
}

function repairDisk(): void {
  for (const spy of spies.splice(0)) spy.mockRestore();
}

describe("A write that is not on disk", () => {
  inProcess("isn't confirmed to a request with the same Idempotency-Key either", async () => {
    const post = () => alice.post("/api/v1/statuses", { status: "tea" }, { headers: { "idempotency-key": "k" } });
    breakDisk();
    expect([(await post()).status, (await post()).status]).toEqual([500, 500]);
    repairDisk();
    expect((await post()).status).toBe(200);
    expect((await alice.home()).map(({ content }) => content)).toEqual(["<p>tea</p>"]);
  });

  inProcess("isn't confirmed to a server that sends the same activity again", async () => {
    const create = bob.create(bob.note({ content: "<p>tea</p>" }));
    const send = () => bob.send(alice.server, create);
    breakDisk();
    expect([await send(), await send()]).toEqual([500, 500]);
    // Now it is no longer in the queue, but its status is known.
    await alice.server.drain();
    expect(await send()).toBe(500);
    repairDisk();
    expect(await send()).toBe(202);
    expect((await alice.home()).map(({ content }) => content)).toEqual(["<p>tea</p>"]);
  });

  inProcess("isn't told to another server", async () => {
    const { db } = alice.server.ctx;
    const disk = Promise.withResolvers<void>();
    spies = [spyOn(db as unknown as { sync(): Promise<void> }, "sync").mockReturnValue(disk.promise)];
    const before = peer.delivered.length;
    const posted = alice.post("/api/v1/statuses", { status: "tea" });
    const isWritten = () => db.get("SELECT 1 FROM jobs WHERE kind = 'delivery.prepare'") !== null;
    // A delivery would take fewer requests than these.
    const ask = async () => void (await fetch(peer.origin("127.0.0.1")));
    while (!isWritten()) await ask();
    const drained = alice.server.drain();
    for (let count = 0; count < 50; count += 1) await ask();
    expect(peer.delivered.length).toBe(before);
    disk.resolve();
    expect((await posted).status).toBe(200);
    await drained;
    expect(peer.delivered.slice(before).map(({ type }) => type)).toEqual(["Create"]);
  });
});
