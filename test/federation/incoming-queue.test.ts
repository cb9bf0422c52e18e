import { afterEach, beforeEach, describe, expect } from "bun:test";
import { queueActivity } from "../../src/federation/inbox/incoming.ts";
import { pause } from "../../src/lib/pause.ts";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { remoteAccount, type RemoteAccount } from "../support/remote-rows.ts";
import { inProcess } from "../support/server.ts";
import { Site } from "../support/site.ts";

/* The queue of verified activities. Their signatures are checked before, so these are put into the queue as they are. */

const PUBLIC = "https://www.w3.org/ns/activitystreams#Public";

const { alice } = neighboursForEachTest(["alice"]);
let site: Site;

beforeEach(() => void (site = new Site()));
afterEach(() => site.stop());

let sent = 0;

/** An activity arrives. */
async function arrive({ uri }: RemoteAccount, activity: Json): Promise<void> {
  const id = activity.id ?? `${uri}/activities/${++sent}`;
  const body = JSON.stringify({ id, actor: uri, ...activity });
  await queueActivity(alice.server.ctx, { id: 0, uri, host: new URL(uri).host }, id, body);
}

const account = (username: string, domain: string) =>
  remoteAccount(alice.server, { username, domain, uri: `${site.url(`/users/${username}`, domain)}` });

const followersOf = async (): Promise<string[]> =>
  (await alice.get(`/api/v1/accounts/${alice.id}/followers`)).json.map(({ username }: Json) => username);

const waiting = () => alice.server.ctx.db.get<{ n: number }>("SELECT count(*) AS n FROM incoming_activities")!.n;

describe("Activities that wait for another attempt", () => {
  inProcess("don't keep the activities of other servers waiting, on however many servers they are", async () => {
    site.put("/busy", () => new Response(null, { status: 503 }));
    for (let at = 10; at < 30; at += 1) {
      const stranger = account(`stranger${at}`, `a${at}.test`);
      await arrive(stranger, { type: "Create", object: site.url("/busy", `a${at}.test`) });
    }
    await alice.server.drain();
    expect(waiting()).toBe(20);
    await arrive(account("zoe", "z.test"), { type: "Follow", object: alice.uri });
    await alice.server.drain();
    expect(await followersOf()).toEqual(["zoe"]);
    expect(waiting()).toBe(20);
  });
});

describe("Activities that need a slow server", () => {
  inProcess("don't keep the activities of other servers waiting, however many of them there are", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    site.put("/slow", async () => {
      await answered;
      return new Response(null, { status: 404 });
    });
    for (let at = 0; at < 40; at += 1) {
      await arrive(account(`slow${at}`, "a.test"), { type: "Create", object: site.url(`/slow?${at}`, "a.test") });
    }
    const drained = alice.server.drain();
    const asked = () => site.asked.filter((path) => path.startsWith("/slow")).length;
    while (asked() < 4) await pause();
    await arrive(account("zoe", "z.test"), { type: "Follow", object: alice.uri });
    while ((await followersOf()).length === 0) await pause();
    expect(asked()).toBe(4);
    answer();
    await drained;
    expect(waiting()).toBe(0);
    expect(asked()).toBe(40);
  });
});

describe("A boost", () => {
  inProcess("gets no content by an edit", async () => {
    const bob = account("bob", "far.test");
    const original = await alice.publish("Mine");
    const boost = `${bob.uri}/boosts/1`;
    await arrive(bob, { id: boost, type: "Announce", object: original.uri, to: [PUBLIC] });
    const note = { id: boost, type: "Note", attributedTo: bob.uri, content: "Not hers", to: [PUBLIC] };
    await arrive(bob, { type: "Update", object: { ...note, updated: "2026-11-21T13:00:00Z" } });
    await alice.server.drain();
    const row = alice.server.ctx.db.get<Json>("SELECT content, edited_at FROM statuses WHERE uri = $boost", { boost });
    expect(row).toEqual({ content: "", edited_at: null });
  });
});
