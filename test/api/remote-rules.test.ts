import { describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { remoteAccount, type RemoteAccount } from "../support/remote-rows.ts";
import {
  followRow,
  homeIdsOf,
  notificationsOf,
  reblogFrom,
  remoteAuthor,
  storeFrom,
} from "../support/remote-statuses.ts";
import { serverForEachTest } from "../support/setup.ts";

/* The rules that users set up for statuses apply to those of other servers, too. */

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** A remote account that Alice follows. */
function followed(options: Parameters<typeof followRow>[3] = {}): RemoteAccount {
  const rob = remoteAuthor(server, "rob");
  followRow(server, alice, rob, options);
  return rob;
}

/** Two accounts that Alice follows, and one that she blocks, mutes, or whose domain she blocks. */
describe.each<[string, (spammer: RemoteAccount) => Promise<unknown>]>([
  ["blocks", (spammer) => alice.post(`/api/v1/accounts/${spammer.id}/block`)],
  ["mutes", (spammer) => alice.post(`/api/v1/accounts/${spammer.id}/mute`)],
  ["blocks the domain of", () => alice.post("/api/v1/domain_blocks", { domain: "spam.example" })],
])("For a user who %s a remote account", (_, avoid) => {
  test("its statuses are in no timeline and notify nobody, boosted or mentioning it neither", async () => {
    const rob = followed();
    const spammer = remoteAccount(server, { username: "spammer", domain: "spam.example" });
    await avoid(spammer);
    await alice.post("/api/v1/tags/tea/follow");
    const spam = storeFrom(server, spammer, { mentions: [alice], tags: ["tea"] });
    reblogFrom(server, rob, spam);
    storeFrom(server, rob, { mentions: [spammer] });
    expect(await homeIdsOf(alice)).toEqual([]);
    expect(await notificationsOf(alice)).toEqual([]);
    expect((await alice.get("/api/v1/timelines/tag/tea")).json).toEqual([]);
    expect((await alice.get("/api/v1/timelines/public")).json).toHaveLength(1);
  });
});

test("A filter matches the words of a remote status", async () => {
  await alice.post("/api/v2/filters", {
    title: "food",
    context: ["home"],
    keywords_attributes: [{ keyword: "soup", whole_word: true }],
  });
  storeFrom(server, followed(), { content: "<p>hot <em>soup</em></p>" });
  const [status] = (await alice.get("/api/v1/timelines/home")).json;
  expect(status.filtered).toMatchObject([{ filter: { title: "food" }, keyword_matches: ["soup"] }]);
});

test("A list contains the statuses of its remote members; an exclusive one keeps them from the home timeline", async () => {
  const rob = followed();
  const { json: list } = await alice.post("/api/v1/lists", { title: "far", exclusive: true });
  await alice.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [rob.id] });
  const id = storeFrom(server, rob);
  expect((await alice.get(`/api/v1/timelines/list/${list.id}`)).json).toMatchObject([{ id }]);
  expect(await homeIdsOf(alice)).toEqual([]);
});

test("A followed hashtag brings a remote status to the home timeline", async () => {
  await alice.post("/api/v1/tags/tea/follow");
  const id = storeFrom(server, remoteAuthor(server, "rob"), { tags: ["Tea"] })!;
  expect(await homeIdsOf(alice)).toEqual([id]);
  expect((await bob.get("/api/v1/timelines/tag/tea")).json).toMatchObject([{ id }]);
});

test("A follow of some languages, or without boosts, leaves the others out", async () => {
  const rob = followed({ languages: ["de"], showReblogs: false });
  const german = storeFrom(server, rob, { language: "de-AT" })!;
  const unknown = storeFrom(server, rob, { language: null })!;
  storeFrom(server, rob, { language: "en" });
  reblogFrom(server, rob, storeFrom(server, remoteAuthor(server, "ann"), { language: "de" }));
  expect((await homeIdsOf(alice)).toSorted()).toEqual([german, unknown].toSorted());
});

test("A reply to an account that the user doesn't follow stays out of the home timeline", async () => {
  const rob = followed();
  const uri = "https://far.example/ann/1";
  storeFrom(server, remoteAuthor(server, "ann"), { uri });
  storeFrom(server, rob, { inReplyToUri: uri });
  const own = storeFrom(server, rob, { uri: "https://far.example/rob/1" })!;
  const answer = storeFrom(server, rob, { inReplyToUri: "https://far.example/rob/1" })!;
  expect((await homeIdsOf(alice)).toSorted()).toEqual([own, answer].toSorted());
});

describe("A notification policy", () => {
  const mentionedBy = (rob: RemoteAccount) => storeFrom(server, rob, { mentions: [alice] });

  test("holds back mentions by remote accounts that the user doesn't follow", async () => {
    await alice.patch("/api/v2/notifications/policy", { for_not_following: "filter" });
    mentionedBy(remoteAuthor(server, "ann"));
    expect(await notificationsOf(alice)).toEqual([]);
    expect((await alice.get("/api/v1/notifications/requests")).json).toMatchObject([
      { account: { acct: "ann@far.example" } },
    ]);
    const id = mentionedBy(followed())!;
    expect(await notificationsOf(alice)).toEqual([["mention", id]]);
  });

  test("holds back unsolicited private mentions, also from the conversations", async () => {
    await alice.patch("/api/v2/notifications/policy", { for_private_mentions: "drop" });
    storeFrom(server, remoteAuthor(server, "ann"), { visibility: "direct", mentions: [alice] });
    expect(await notificationsOf(alice)).toEqual([]);
    expect((await alice.get("/api/v1/conversations")).json).toEqual([]);
  });
});

test("Followers-only and direct statuses are hidden from everyone else", async () => {
  const rob = followed();
  const hidden = storeFrom(server, rob, { visibility: "private" })!;
  const secret = storeFrom(server, rob, { visibility: "direct", mentions: [alice] })!;
  for (const id of [hidden, secret]) {
    expect((await alice.get(`/api/v1/statuses/${id}`)).status).toBe(200);
    expect((await bob.get(`/api/v1/statuses/${id}`)).status).toBe(404);
    expect((await server.stranger().get(`/api/v1/statuses/${id}`)).status).toBe(404);
  }
  expect((await bob.get(`/api/v1/accounts/${rob.id}/statuses`)).json).toEqual([]);
  const shown = (await alice.get(`/api/v1/accounts/${rob.id}/statuses`)).json as Json[];
  expect(shown.map(({ id }) => id).toSorted()).toEqual([hidden, secret].toSorted());
});
