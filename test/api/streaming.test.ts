import { beforeAll, expect, spyOn, test } from "bun:test";
import { createStreamingAPIClient } from "masto";
import { StreamMessages } from "../../src/api/streaming/stream-messages.ts";
import { publishAfterCommit, publicTopics } from "../../src/core/events.ts";
import type { Client } from "../support/client.ts";
import { remoteAccount, remoteStatus } from "../support/rows.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { EventReader, listening, Socket } from "../support/streams.ts";
import { uploaded } from "../support/uploads.ts";

/** Ben follows Ada; Cy and Dee follow no accounts. */
const { server, ada, ben, cy, dee } = serverForAllTests(["ada", "ben", "cy", "dee"]);

beforeAll(async () => {
  await ben.follow(ada);
});

/** Runs `during` while one account blocks or mutes another. */
async function without(table: "blocks" | "mutes", who: Client, target: Client, during: () => Promise<unknown>) {
  const { db } = server.ctx;
  db.transaction((tx) =>
    tx.run(`INSERT INTO ${table} (account_id, target_account_id, created_at) VALUES ($whoId, $targetId, 0)`, {
      whoId: who.id,
      targetId: target.id,
    }),
  );
  await during();
  db.transaction((tx) => tx.run(`DELETE FROM ${table}`));
}

/** Announces a remote status as if it had arrived. */
function arriveFromElsewhere(text: string): void {
  const { ctx } = server;
  const dot = remoteAccount(server, "dot", "elsewhere.example");
  const id = Number(remoteStatus(server, dot, text));
  ctx.db.transaction((tx) => {
    const status = { id, account_id: Number(dot), visibility: "public", local: 0, has_media: 0 };
    const topics = publicTopics(tx, { ...status, reblog_of_id: null, in_reply_to_account_id: null }, []);
    publishAfterCommit(ctx, tx, topics, { event: "update", statusId: status.id });
  });
}

test("the health check responds", async () => {
  const { status, json, headers } = await server.stranger().get("/api/v1/streaming/health");
  expect([status, json]).toEqual([200, "OK"]);
  expect(headers.get("content-type")).toStartWith("text/plain");
});

test("a follower's WebSocket receives a post, its edit and its deletion", async () => {
  const socket = await Socket.open(ben, "?stream=user");
  const { id } = await ada.publish("first");
  const update = await socket.next();
  expect(update).toMatchObject({ stream: ["user"], event: "update", payload: { id, content: "<p>first</p>" } });
  expect(update.payload).toEqual((await ben.get(`/api/v1/statuses/${id}`)).json);
  await ada.put(`/api/v1/statuses/${id}`, { status: "second" });
  expect(await socket.next()).toMatchObject({ event: "status.update", payload: { id, content: "<p>second</p>" } });
  await ada.delete(`/api/v1/statuses/${id}`);
  expect(await socket.next()).toEqual({ stream: ["user"], event: "delete", payload: id });
  await socket.close();
});

inProcess("a failing stream is logged, and affects neither the post nor other streams", async () => {
  const { ctx } = server;
  const logged = spyOn(ctx.log as { error(message: string, details: object): void }, "error").mockReturnValue();
  const leave = ctx.eventBus.subscribe(`user:${ben.id}`, () => {
    throw new Error("this stream is broken");
  });
  const socket = await Socket.open(ben, "?stream=user");
  const { id } = await ada.publish("all is well");
  expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
  expect(logged.mock.calls).toEqual([
    [
      "a listener to {topic} failed: {error}",
      { topic: `user:${ben.id}`, error: expect.stringContaining("this stream is broken") },
    ],
  ]);
  logged.mockRestore();
  leave();
  await socket.close();
});

test("a follower's event stream receives the same, after a greeting", async () => {
  const events = await EventReader.open(ben, "user");
  expect(events.response.headers.get("content-type")).toBe("text/event-stream");
  expect(events.response.headers.get("cache-control")).toContain("no-store");
  expect(events.response.headers.get("x-accel-buffering")).toBe("no");
  expect(events.response.headers.get("access-control-allow-origin")).toBe("*");
  const { id } = await ada.publish("line one\nline two");
  expect(await events.next()).toMatchObject({ event: "update", payload: { id } });
  await ada.put(`/api/v1/statuses/${id}`, { status: "changed" });
  expect(await events.next()).toMatchObject({ event: "status.update", payload: { id, content: "<p>changed</p>" } });
  await ada.delete(`/api/v1/statuses/${id}`);
  expect(await events.next()).toEqual({ event: "delete", payload: id });
  await events.close();
});

test("a mentioned user receives a notification, in `user` and in `user:notification`", async () => {
  const [all, notifications] = [await Socket.open(cy, "?stream=user"), await EventReader.open(cy, "user/notification")];
  const { id } = await ada.publish("@cy look");
  for (const heard of [await all.next(), await notifications.next()]) {
    expect(heard).toMatchObject({ event: "notification", payload: { type: "mention", status: { id } } });
  }
  await Promise.all([all.close(), notifications.close()]);
});

test("`user:notification` sends no statuses", async () => {
  const socket = await Socket.open(ada, "?stream=user:notification");
  const { id } = await ada.publish("to nobody");
  await ben.post(`/api/v1/statuses/${id}/favourite`);
  expect(await socket.next()).toMatchObject({ stream: ["user:notification"], event: "notification" });
  await socket.close();
});

test("a hashtag stream matches every spelling, and keeps the requested name", async () => {
  const socket = await Socket.open(cy, `?stream=hashtag&tag=${encodeURIComponent("CAFÉ")}`);
  await socket.subscribe("hashtag:local", { tag: "cafe" });
  const { id } = await ada.publish("#Café");
  expect(await socket.next()).toMatchObject({ stream: ["hashtag", "CAFÉ"], payload: { id } });
  expect(await socket.next()).toMatchObject({ stream: ["hashtag:local", "cafe"], payload: { id } });
  await socket.close();
  const events = await EventReader.open(cy, `hashtag?tag=${encodeURIComponent("ｃａｆｅ")}`);
  const other = await ada.publish("#CAFE again");
  expect(await events.next()).toMatchObject({ event: "update", payload: { id: other.id } });
  await events.close();
});

inProcess("the public streams differ by origin and media", async () => {
  const names = ["public", "public:local", "public:remote", "public:media", "public:local:media"];
  const socket = await Socket.open(cy);
  for (const name of [...names, "public:remote:media"]) await socket.subscribe(name);
  const heardIn = async (count: number) => {
    const heard = await Promise.all(Array.from({ length: count }, () => socket.next()));
    return heard.map(({ stream }) => stream[0]).toSorted();
  };
  await ada.publish("words");
  expect(await heardIn(2)).toEqual(["public", "public:local"]);
  await ada.publish({ status: "a picture", media_ids: [(await uploaded(ada)).id] });
  expect(await heardIn(4)).toEqual(["public", "public:local", "public:local:media", "public:media"]);
  arriveFromElsewhere("from afar");
  expect(await heardIn(2)).toEqual(["public", "public:remote"]);
  await socket.close();
});

test("an event stream with only_media sends only posts with media", async () => {
  const events = await EventReader.open(cy, "public/local?only_media=true");
  await ada.publish("words");
  const { id } = await ada.publish({ status: "a picture", media_ids: [(await uploaded(ada)).id] });
  expect(await events.next()).toMatchObject({ payload: { id } });
  await events.close();
});

test("posts that aren't public never reach the public streams", async () => {
  const socket = await Socket.open(ben);
  for (const stream of ["public", "public:local"]) await socket.subscribe(stream);
  await socket.subscribe("hashtag", { tag: "secret" });
  for (const visibility of ["unlisted", "private", "direct"]) {
    await ada.publish({ status: `#secret ${visibility}`, visibility });
  }
  const { id } = await ada.publish("heard");
  expect(await socket.next()).toMatchObject({ payload: { id } });
  await socket.close();
});

test("replies to others and boosts stay out of the public streams, and replies reach hashtag streams", async () => {
  const { id } = await ada.publish("a question");
  const [everything, tagged] = [
    await Socket.open(cy, "?stream=public"),
    await Socket.open(cy, "?stream=hashtag&tag=re"),
  ];
  const reply = await ben.publish({ status: "#re an answer", in_reply_to_id: id });
  await ben.post(`/api/v1/statuses/${id}/reblog`);
  const thread = await ada.publish({ status: "more", in_reply_to_id: id });
  expect(await everything.next()).toMatchObject({ payload: { id: thread.id } });
  expect(await tagged.next()).toMatchObject({ payload: { id: reply.id } });
  await Promise.all([everything.close(), tagged.close()]);
});

test("a private post reaches only followers, and a direct post only mentioned users", async () => {
  const [follower, stranger] = [await Socket.open(ben, "?stream=user"), await Socket.open(cy, "?stream=user")];
  const forFollowers = await ada.publish({ status: "for followers", visibility: "private" });
  const forBen = await ada.publish({ status: "@ben for you", visibility: "direct" });
  expect(await follower.next()).toMatchObject({ event: "update", payload: { id: forFollowers.id } });
  expect(await follower.next()).toMatchObject({ event: "update", payload: { id: forBen.id } });
  const own = await cy.publish("cy's own");
  expect(await stranger.next()).toMatchObject({ payload: { id: own.id } });
  await Promise.all([follower.close(), stranger.close()]);
});

test("users receive nothing from accounts they block or mute, nor from accounts that block them", async () => {
  const socket = await Socket.open(cy, "?stream=public");
  await without("mutes", cy, ada, () => ada.publish("muted"));
  await without("blocks", cy, ada, () => ada.publish("blocked"));
  await without("blocks", ada, cy, () => ada.publish("blocking"));
  const { id } = await ada.publish("friends again");
  expect(await socket.next()).toMatchObject({ payload: { id } });
  await socket.close();
});

test("each viewer receives their own flags, and each event is rendered once per viewer", async () => {
  const status = await ada.publish("once");
  await ben.post(`/api/v1/statuses/${status.id}/favourite`);
  const sockets = await Promise.all([ben, ben, ben, cy].map((client) => Socket.open(client, "?stream=public")));
  await ada.put(`/api/v1/statuses/${status.id}`, { status: "twice" });
  const heard = await Promise.all(sockets.map((socket) => socket.next()));
  expect(heard.map(({ payload }) => payload.favourited)).toEqual([true, true, true, false]);
  const statementsFor = async (edit: string) => {
    const before = server.ctx.db.statements;
    await ada.put(`/api/v1/statuses/${status.id}`, { status: edit });
    await Promise.all(sockets.slice(0, 1).map((socket) => socket.next()));
    return server.ctx.db.statements - before;
  };
  const withFour = await statementsFor("thrice");
  await Promise.all(sockets.slice(1, 3).map((socket) => socket.close()));
  expect(await statementsFor("four times")).toBe(withFour);
  await Promise.all([sockets[0]!.close(), sockets[3]!.close()]);
});

inProcess("viewers of the same event receive the same bytes", async () => {
  const status = await ada.publish("for everyone");
  await ben.post(`/api/v1/statuses/${status.id}/favourite`);
  const messages = new StreamMessages(server.ctx);
  const frames = (event: "update" | "delete") => {
    const happened = { event, statusId: Number(status.id) };
    return [ben, cy, dee].map(({ id }) => messages.of(happened, Number(id))!.asFrame());
  };
  const [bens, cys, dees] = frames("update");
  expect(dees).toBe(cys!);
  expect(bens).not.toEqual(cys!);
  expect(new Set(frames("delete")).size).toBe(1);
});

test("masto.js receives a post", async () => {
  await listening(server, 0);
  const streams = createStreamingAPIClient({
    streamingApiUrl: ben.origin.replace("http", "ws"),
    accessToken: ben.token!,
  });
  await streams.prepare();
  const events = streams.hashtag.subscribe({ tag: "Tea" }).values();
  const heard = events.next();
  // It doesn't report when the server has processed the subscription: one listener for the token, one for the stream.
  await listening(server, 2);
  const { id } = await ada.publish("#tea time");
  expect((await heard).value).toMatchObject({ event: "update", stream: ["hashtag", "Tea"], payload: { id } });
  streams.close();
});
