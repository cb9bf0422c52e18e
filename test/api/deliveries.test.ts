import { describe, expect, test } from "bun:test";
import { storeFavourite } from "../../src/core/statuses/interactions.ts";
import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { publishScheduled } from "../../src/core/statuses/scheduled.ts";
import type { Json } from "../support/client.ts";
import { followRow, reblogFrom, remoteAuthor, rowOf, storeFrom } from "../support/remote-statuses.ts";
import { deliveryEvents, type RemoteAccount } from "../support/remote-rows.ts";
import { serverForEachTest } from "../support/setup.ts";

/* The changes that other servers have to learn of. A job for each event works out who gets it. */

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

/** A remote account that follows Alice. */
function follower(): RemoteAccount {
  const rob = remoteAuthor(server, "rob");
  followRow(server, rob, alice);
  return rob;
}

function favouriteFrom(who: RemoteAccount, statusId: string): void {
  const { ctx } = server;
  const favourite = {
    accountId: Number(who.id),
    status: rowOf(server, statusId),
    uri: null,
    emoji: null,
    isQuiet: true,
  };
  ctx.db.transaction((tx) => storeFavourite(ctx, tx, favourite));
}

/** The events since the last call. */
async function delivered(): Promise<Json[]> {
  const events = deliveryEvents(server);
  await server.drain();
  return events;
}

describe("A post is delivered", () => {
  test("to remote followers", async () => {
    follower();
    const { id } = await alice.publish("hello");
    expect(await delivered()).toEqual([{ type: "status.created", statusId: Number(id) }]);
  });

  test("to remote accounts that it mentions, also if it is direct", async () => {
    remoteAuthor(server, "ann");
    const { id } = await alice.publish({ status: "@ann@far.example hello", visibility: "direct" });
    expect(await delivered()).toEqual([{ type: "status.created", statusId: Number(id) }]);
  });

  test("to the remote author of what it replies to", async () => {
    const parent = storeFrom(server, remoteAuthor(server, "ann"));
    const { id } = await alice.publish({ status: "yes", in_reply_to_id: parent });
    expect(await delivered()).toEqual([{ type: "status.created", statusId: Number(id) }]);
  });

  test("to nobody if that concerns no remote account", async () => {
    followRow(server, bob, alice);
    const { id } = await alice.publish("@bob hello");
    await bob.publish({ status: "yes", in_reply_to_id: id });
    await bob.post(`/api/v1/statuses/${id}/reblog`);
    await bob.post(`/api/v1/statuses/${id}/favourite`);
    await alice.put(`/api/v1/statuses/${id}`, { status: "other" });
    await bob.post(`/api/v1/statuses/${id}/unreblog`);
    await alice.delete(`/api/v1/statuses/${id}`);
    expect(await delivered()).toEqual([]);
  });

  test("not to followers if it is direct", async () => {
    follower();
    await alice.publish({ status: "@bob secret", visibility: "direct" });
    expect(await delivered()).toEqual([]);
  });

  test("when it was scheduled and is published", async () => {
    follower();
    const scheduled_at = new Date(server.clock.now() + 3600_000).toISOString();
    const { json } = await alice.post("/api/v1/statuses", { status: "later", scheduled_at });
    expect(await delivered()).toEqual([]);
    server.clock.advance(3600_000);
    publishScheduled(server.ctx, Number(json.id));
    const [post] = (await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json;
    expect(await delivered()).toEqual([{ type: "status.created", statusId: Number(post.id) }]);
  });
});

test("A status from another server is not delivered again", async () => {
  follower();
  storeFrom(server, remoteAuthor(server, "ann"), { mentions: [alice] });
  expect(await delivered()).toEqual([]);
});

describe("An edit is delivered", () => {
  test("to followers", async () => {
    follower();
    const { id } = await alice.publish("hello");
    await delivered();
    await alice.put(`/api/v1/statuses/${id}`, { status: "other" });
    expect(await delivered()).toEqual([{ type: "status.updated", statusId: Number(id) }]);
  });

  test("to remote accounts that favourited the post, without followers", async () => {
    const { id } = await alice.publish("hello");
    favouriteFrom(remoteAuthor(server, "ann"), id);
    await alice.put(`/api/v1/statuses/${id}`, { status: "other" });
    expect(await delivered()).toEqual([{ type: "status.updated", statusId: Number(id) }]);
  });

  test("only if it changes something", async () => {
    follower();
    const { id } = await alice.publish("hello");
    await delivered();
    await alice.put(`/api/v1/statuses/${id}`, { status: "hello" });
    expect(await delivered()).toEqual([]);
  });
});

describe("A deletion is delivered", () => {
  test("with the remote accounts that may have the post", async () => {
    const [mentioned, reblogger, favouriter, replier, author] = ["ann", "ben", "cat", "dan", "eve"].map((name) =>
      remoteAuthor(server, name),
    ) as [RemoteAccount, RemoteAccount, RemoteAccount, RemoteAccount, RemoteAccount];
    const parent = storeFrom(server, author);
    const post = await alice.publish({ status: "@ann@far.example and @bob", in_reply_to_id: parent });
    reblogFrom(server, reblogger, post.id);
    favouriteFrom(favouriter, post.id);
    storeFrom(server, replier, { inReplyToUri: post.uri });
    await bob.post(`/api/v1/statuses/${post.id}/favourite`);
    await delivered();
    await alice.delete(`/api/v1/statuses/${post.id}`);
    const accountIds = [mentioned, reblogger, favouriter, replier, author].map(({ id }) => Number(id));
    const [event, ...more] = await delivered();
    expect(more).toEqual([]);
    expect({ ...event, accountIds: event.accountIds.toSorted() }).toEqual({
      type: "status.deleted",
      accountId: Number(alice.id),
      uri: post.uri,
      visibility: "public",
      accountIds: accountIds.toSorted(),
    });
  });

  test("to followers", async () => {
    follower();
    const post = await alice.publish({ status: "hello", visibility: "private" });
    await delivered();
    await alice.delete(`/api/v1/statuses/${post.id}`);
    expect(await delivered()).toMatchObject([{ type: "status.deleted", visibility: "private", accountIds: [] }]);
  });

  test("once for a whole account", async () => {
    follower();
    const dan = await server.person("dan");
    await dan.publish("@rob@far.example hello");
    await delivered();
    deleteAccount(server.ctx, Number(dan.id));
    const events = await delivered();
    await server.drain();
    const later = await delivered();
    expect([...events, ...later].filter(({ type }) => type === "status.deleted")).toEqual([]);
  });
});

describe("A reblog and its end are delivered", () => {
  test("to followers", async () => {
    follower();
    const post = await bob.publish("hello");
    const { json } = await alice.post(`/api/v1/statuses/${post.id}/reblog`);
    expect(await delivered()).toEqual([{ type: "reblog.created", statusId: Number(json.id) }]);
    await alice.post(`/api/v1/statuses/${post.id}/unreblog`);
    expect(await delivered()).toEqual([
      {
        type: "reblog.deleted",
        accountId: Number(alice.id),
        uri: json.uri,
        originalUri: post.uri,
        visibility: "public",
        authorId: Number(bob.id),
      },
    ]);
  });

  test("to the remote author", async () => {
    const original = storeFrom(server, remoteAuthor(server, "ann"));
    const { json } = await alice.post(`/api/v1/statuses/${original}/reblog`);
    expect(await delivered()).toEqual([{ type: "reblog.created", statusId: Number(json.id) }]);
    await alice.delete(`/api/v1/statuses/${json.id}`);
    expect(await delivered()).toMatchObject([{ type: "reblog.deleted", uri: json.uri }]);
  });

  test("but not to a server that reblogs", async () => {
    const post = await alice.publish("hello");
    reblogFrom(server, remoteAuthor(server, "ann"), post.id);
    expect(await delivered()).toEqual([]);
  });
});

describe("A favourite and its end are delivered", () => {
  test("to the remote author, each time with a URI of its own", async () => {
    const ann = remoteAuthor(server, "ann");
    const uri = "https://far.example/1";
    const statusId = storeFrom(server, ann, { uri });
    const uris: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      await alice.post(`/api/v1/statuses/${statusId}/favourite`);
      await alice.post(`/api/v1/statuses/${statusId}/favourite`);
      await alice.post(`/api/v1/statuses/${statusId}/unfavourite`);
      const events = await delivered();
      const accountId = Number(alice.id);
      uris.push(events[0].uri);
      expect(events).toEqual([
        { type: "favourite.created", accountId, statusId: Number(statusId), uri: events[0].uri },
        { type: "favourite.deleted", accountId, statusUri: uri, authorId: Number(ann.id), uri: events[0].uri },
      ]);
    }
    expect(uris[0]).toStartWith(`${server.origin}/users/alice#`);
    expect(uris[0]).not.toBe(uris[1]!);
  });

  test("to nobody for a local post", async () => {
    follower();
    const post = await bob.publish("hello");
    await alice.post(`/api/v1/statuses/${post.id}/favourite`);
    await alice.post(`/api/v1/statuses/${post.id}/unfavourite`);
    expect(await delivered()).toEqual([]);
  });
});
