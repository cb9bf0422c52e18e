import { beforeEach, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { type HostileAccount, hostilePeerForEachTest } from "../support/hostile-peer.ts";

/* Bob is @bob@good.test, which also answers for www.good.test. */

const { alice } = neighboursForEachTest(["alice"]);
const peer = hostilePeerForEachTest();
let bob: HostileAccount;
let alias: string;

beforeEach(() => {
  bob = peer.account("Bob", "good.test");
  alias = `bob@www.${bob.domain}`;
  peer.assign(alias, bob.uri, `acct:${bob.handle}`);
});

const mentioned = ({ mentions }: Json) => mentions.map(({ acct }: Json) => acct);

test("An account that is mentioned with another domain of its server is mentioned, and written with its own", async () => {
  // Bob is unknown the first time, and known the second time.
  for (const _ of [1, 2]) {
    const post = await alice.publish(`Hello @${alias}, @${alias} and https://www.good.test/@${alias}!`);
    expect(mentioned(post)).toEqual([bob.handle]);
    expect((await alice.get(`/api/v1/statuses/${post.id}/source`)).json.text).toBe(
      `Hello @${bob.handle}, @${bob.handle} and https://www.good.test/@${alias}!`,
    );
    await alice.server.drain();
    expect(peer.delivered.at(-1)!.object.tag).toMatchObject([{ type: "Mention", href: bob.uri }]);
  }
});

test("It is mentioned by an edit, a content warning without a text, and a scheduled post, too", async () => {
  const { id } = await alice.publish("Hello");
  expect(mentioned((await alice.put(`/api/v1/statuses/${id}`, { status: `Hello @${alias}` })).json)).toEqual([
    bob.handle,
  ]);
  const { json: bare } = await alice.post("/api/v1/statuses", { spoiler_text: `@${alias}` });
  expect(mentioned(bare)).toEqual([bob.handle]);
  const scheduled_at = new Date(alice.server.clock.now() + 3600_000).toISOString();
  const { json } = await alice.post("/api/v1/statuses", { status: `Later, @${alias}`, scheduled_at });
  expect(json.params.text).toBe(`Later, @${bob.handle}`);
});

test("A domain that another server doesn't confirm stays text", async () => {
  peer.assign(`bob@evil.test:${new URL(bob.origin).port}`, `${bob.uri}2`, `acct:${bob.handle}`);
  const post = await alice.publish(`Hello @bob@evil.test:${new URL(bob.origin).port}`);
  expect(mentioned(post)).toEqual([]);
});
