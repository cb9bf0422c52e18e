import { expect, test } from "bun:test";
import { connect } from "node:net";
import { Client } from "../support/client.ts";
import { startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { EventReader, listening, Socket } from "../support/streams.ts";

const { server, ada } = serverForAllTests(["ada"]);

/** Sends a raw handshake, and returns the head of the response. */
function handshake(headers: string[], path = "/api/v1/streaming"): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
    const fixed = ["host: test", "connection: Upgrade", "sec-websocket-version: 13"];
    const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    socket.write(`${[`GET ${path} HTTP/1.1`, ...fixed, key, ...headers].join("\r\n")}\r\n\r\n`);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (!text.includes("\r\n\r\n")) return;
      socket.destroy();
      resolve(text.split("\r\n\r\n")[0]!);
    });
    socket.on("error", reject);
  });
}

test("the token may be in the header, the query or the protocol, and the protocol is returned", async () => {
  const stranger = server.stranger();
  const byHeader = await Socket.open(ada);
  const byQuery = await Socket.open(stranger, `?access_token=${ada.token}`);
  const byProtocol = await Socket.open(stranger, "", [ada.token!]);
  expect([byHeader.protocol, byQuery.protocol, byProtocol.protocol]).toEqual(["", "", ada.token!]);
  const both = await Socket.open(stranger, `?access_token=${ada.token}`, ["mastodon"]);
  expect(both.protocol).toBe("mastodon");
  const events = await EventReader.open(stranger, `user?access_token=${ada.token}`);
  await Promise.all([byHeader, byQuery, byProtocol, both, events].map((stream) => stream.close()));
});

test("a stream requires a valid user token", async () => {
  const wrong = new Client(server.origin, "wrong");
  const app = new Client(server.origin, server.token(null, "read"));
  const answers = await Promise.all(
    [server.stranger(), wrong, app].flatMap((client) => [
      client.get("/api/v1/streaming/user"),
      client.get("/api/v1/streaming/public"),
      client.get("/api/v1/streaming", { headers: { upgrade: "websocket" } }),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  expect(answers[0]!.json).toEqual({ error: "Missing access token" });
  expect(answers[3]!.json).toEqual({ error: "The access token is invalid" });
  expect(await handshake(["upgrade: websocket", "sec-websocket-protocol: wrong"])).toStartWith("HTTP/1.1 401");
  await listening(server, 0);
});

test("a stream requires its scope", async () => {
  const lacking = { error: "Access token does not have the required scopes" };
  const statuses = server.otherApp(ada, "read:statuses");
  expect(await statuses.get("/api/v1/streaming/user/notification")).toMatchObject({ status: 401, json: lacking });
  const notifications = server.otherApp(ada, "read:notifications");
  expect(await notifications.get("/api/v1/streaming/public")).toMatchObject({ status: 401, json: lacking });
  const socket = await Socket.open(notifications, "?stream=public");
  expect(await socket.raw()).toEqual({ ...lacking, status: 401 });
  await socket.subscribe("user:notification");
  await socket.close();
});

test("`user` sends no notifications without the scope for them", async () => {
  const ben = await server.person("ben");
  const socket = await Socket.open(server.otherApp(ada, "read:statuses"), "?stream=user");
  await ben.publish("@ada hello");
  const { id } = await ada.publish("mine");
  expect(await socket.next()).toMatchObject({ event: "update", payload: { id } });
  await socket.close();
});

test("an upgrade header in another spelling and a trailing slash do no harm", async () => {
  const token = `authorization: Bearer ${ada.token}`;
  expect(await handshake(["upgrade: WebSocket", token])).toStartWith("HTTP/1.1 101");
  expect(await handshake(["upgrade: websocket", token], "/api/v1/streaming/")).toStartWith("HTTP/1.1 101");
  await listening(server, 0);
});

test("a request without an upgrade is not found", async () => {
  expect(await server.stranger().get("/api/v1/streaming")).toMatchObject({ status: 404, json: { error: "Not found" } });
});

test("an upgrade without a handshake is refused", async () => {
  const answer = await ada.get("/api/v1/streaming", { headers: { upgrade: "websocket" } });
  expect(answer).toMatchObject({ status: 400, json: { error: "Expected a WebSocket handshake" } });
});

test("one socket carries several named streams until it unsubscribes", async () => {
  const socket = await Socket.open(ada);
  await socket.subscribe("user");
  await socket.subscribe("user");
  await socket.subscribe("hashtag", { tag: "foo" });
  const { id } = await ada.publish("#foo");
  expect(await socket.next()).toMatchObject({ stream: ["user"], event: "update", payload: { id } });
  expect(await socket.next()).toMatchObject({ stream: ["hashtag", "foo"], event: "update", payload: { id } });
  await socket.unsubscribe("user");
  const second = await ada.publish("#foo again");
  expect(await socket.next()).toMatchObject({ stream: ["hashtag", "foo"], payload: { id: second.id } });
  await socket.unsubscribe("hashtag", { tag: "foo" });
  await ada.publish("#foo unsubscribed");
  await socket.subscribe("public");
  const third = await ada.publish("public");
  expect(await socket.next()).toMatchObject({ stream: ["public"], payload: { id: third.id } });
  await socket.close();
});

test("a list may be requested by a number, and its stream is named by its id", async () => {
  const dot = await server.person("dot");
  await ada.post(`/api/v1/accounts/${dot.id}/follow`);
  const list = (await ada.post("/api/v1/lists", { title: "dots" })).json;
  await ada.post(`/api/v1/lists/${list.id}/accounts`, { account_ids: [dot.id] });
  const socket = await Socket.open(ada);
  socket.send({ type: "subscribe", stream: "list", list: Number(list.id) });
  await listening(server, 2);
  const { id } = await dot.publish("hello");
  expect(await socket.next()).toMatchObject({ stream: ["list", list.id], event: "update", payload: { id } });
  await socket.close();
});

test("unknown streams return an error, and invalid messages are ignored", async () => {
  const socket = await Socket.open(ada, "?stream=everything");
  expect(await socket.raw()).toEqual({ error: "Unknown stream type", status: 400 });
  for (const stream of ["__proto__", "lists", 7, null]) {
    socket.send({ type: "subscribe", stream });
    expect(await socket.raw()).toEqual({ error: "Unknown stream type", status: 400 });
  }
  for (const tag of ["", "!!", undefined, { a: 1 }]) {
    socket.send({ type: "subscribe", stream: "hashtag", tag });
    expect(await socket.raw()).toEqual({ error: "Missing tag name parameter", status: 400 });
  }
  for (const nonsense of ["{", "null", "[]", "7", '"subscribe"', "{}", '{"type":"dance"}']) socket.send(nonsense);
  await socket.subscribe("user");
  const answers = await Promise.all([
    ada.get("/api/v1/streaming/hashtag"),
    ada.get("/api/v1/streaming/hashtag?tag=%23"),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 400, json: { error: "Missing tag name parameter" } });
  }
  await socket.close();
});

test("a connection may send 300 messages per minute, and the next one closes it", async () => {
  const [busy, quiet] = [await Socket.open(ada), await Socket.open(ada, "?stream=user")];
  const nonsense = { type: "subscribe", stream: "nonsense" };
  for (let minute = 0; minute < 2; minute++) {
    server.clock.advance(60_000);
    for (let n = 0; n < 300; n++) busy.send(nonsense);
    for (let n = 0; n < 300; n++) expect(await busy.raw()).toEqual({ error: "Unknown stream type", status: 400 });
  }
  for (let n = 0; n < 1000; n++) busy.send(nonsense);
  expect(await busy.closed).toEqual({ code: 1008, reason: "No more than 300 messages in 60 seconds" });
  await expect(busy.raw()).rejects.toThrow("the stream has ended");
  await ada.publish("still here");
  expect((await quiet.next()).event).toBe("update");
  await quiet.close();
});

test("a socket can have a hundred streams", async () => {
  const socket = await Socket.open(ada);
  for (let n = 0; n <= 100; n++) socket.send({ type: "subscribe", stream: "hashtag", tag: `tag${n}` });
  expect(await socket.raw()).toEqual({ error: "At most 100 streams are allowed on one connection", status: 429 });
  await listening(server, 101);
  await socket.close();
});

test("a socket that sends an overlong or binary message is closed", async () => {
  const [long, binary] = [await Socket.open(ada, "?stream=user"), await Socket.open(ada, "?stream=user")];
  long.send(JSON.stringify({ type: "subscribe", stream: "hashtag", tag: "a".repeat(5000) }));
  binary.sendBytes(new Uint8Array([1, 2, 3]));
  expect((await long.closed).code).toBe(1009);
  expect((await binary.closed).code).toBe(1003);
  await listening(server, 0);
});

test("closed connections leave no listeners", async () => {
  await listening(server, 0);
  const sockets = await Promise.all([Socket.open(ada, "?stream=user"), Socket.open(ada, "?stream=public")]);
  const events = await Promise.all([EventReader.open(ada, "user"), EventReader.open(ada, "hashtag?tag=a")]);
  await listening(server, 5);
  await Promise.all([...sockets, ...events].map((stream) => stream.close()));
  await listening(server, 0);
});

test("opening a stream counts as a call, and its events don't", async () => {
  const limited = await startServer({ LINNET_RATE_LIMITS: "account=4/3600" });
  const person = await limited.person("ada");
  const socket = await Socket.open(person, "?stream=user");
  for (let n = 0; n < 2; n++) {
    await person.publish(`number ${n}`);
    await socket.next();
  }
  const events = await EventReader.open(person, "user");
  expect(events.response.headers.get("x-ratelimit-remaining")).toBe("0");
  expect((await person.get("/api/v1/streaming/user")).status).toBe(429);
  await limited.stop();
});
