import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "bun:test";
import { connect, type Socket as Connection } from "node:net";
import { Reader } from "../../src/api/streaming/event-streams.ts";
import { listenerOf } from "../../src/api/streaming/streams.ts";
import { SERVER_TOPIC } from "../../src/core/events.ts";
import { findBearer } from "../../src/oauth/guard.ts";
import { issueToken } from "../../src/oauth/tokens.ts";
import { Client, type Json } from "../support/client.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { EventReader, listening, Socket } from "../support/streams.ts";

const NOWHERE = { address: "192.0.2.1", userAgent: "" };

/** In milliseconds. Every stream gets a heartbeat within this time. */
const ALL_BEATS = 15_000;

const { server, ada } = serverForAllTests(["ada"]);

function openBoth(client: Client): Promise<[Socket, EventReader]> {
  return Promise.all([Socket.open(client, "?stream=user"), EventReader.open(client, "user")]);
}

async function expectEnded([socket, events]: [Socket, EventReader], code: number, reason: string): Promise<void> {
  expect(await events.isAtEnd()).toBe(true);
  expect(await socket.closed).toEqual({ code, reason });
}

describe("A revoked token", () => {
  const ending = [1008, "The access token was revoked"] as const;
  let app: Json;
  let phone: Client;

  beforeEach(async () => {
    const wanted = { client_name: "Phone", redirect_uris: "app://cb", scopes: "read" };
    app = (await server.stranger().post("/api/v1/apps", wanted)).json;
    const { viewer } = findBearer(server.ctx, ada.token!, NOWHERE);
    const { secret } = server.ctx.db.transaction((tx) =>
      issueToken(server.ctx, tx, { appId: Number(app.id), userId: viewer!.userId, scopes: "read" }),
    );
    phone = new Client(server.origin, secret, ada.id);
  });

  test("closes its streams at once, and no others", async () => {
    const both = await openBoth(phone);
    const other = await Socket.open(ada, "?stream=user");
    const { client_id, client_secret } = app;
    await server.stranger().post("/oauth/revoke", { client_id, client_secret, token: phone.token });
    await expectEnded(both, ...ending);
    const { id } = await ada.publish("still here");
    expect(await other.next()).toMatchObject({ payload: { id } });
    await other.close();
  });

  inProcess("closes its streams within seconds if another process revoked it", async () => {
    jest.useFakeTimers();
    const both = await openBoth(phone);
    const other = await EventReader.open(ada, "user");
    jest.advanceTimersByTime(ALL_BEATS);
    expect(await both[1].line()).toBe(":thump");
    server.ctx.db.raw.run("DELETE FROM oauth_tokens WHERE app_id = ?", [app.id]);
    jest.advanceTimersByTime(ALL_BEATS);
    jest.useRealTimers();
    await expectEnded(both, ...ending);
    for (let beats = 0; beats < 2; beats++) expect(await other.line()).toBe(":thump");
    await other.close();
  });

  inProcess.each([
    "UPDATE users SET approved = 0 WHERE account_id = ?",
    "UPDATE users SET disabled = 1 WHERE account_id = ?",
    "UPDATE accounts SET suspended_at = 1 WHERE id = ?",
    "DELETE FROM accounts WHERE id = ?",
  ])("closes its streams if another process disabled its user (%s)", async (sql) => {
    const lea = await server.person("lea");
    jest.useFakeTimers();
    const both = await openBoth(lea);
    server.ctx.db.raw.run(sql, [lea.id]);
    jest.advanceTimersByTime(ALL_BEATS);
    jest.useRealTimers();
    await expectEnded(both, ...ending);
    server.ctx.db.raw.run("DELETE FROM accounts WHERE id = ?", [lea.id]);
  });
});

describe("A heartbeat", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  inProcess("reaches every event stream within fifteen seconds, and events follow at once", async () => {
    const streams = await Promise.all(Array.from({ length: 40 }, () => EventReader.open(ada, "user")));
    jest.advanceTimersByTime(ALL_BEATS);
    for (const stream of streams) expect(await stream.line()).toBe(":thump");
    const { id } = await ada.publish("after the beat");
    for (const stream of streams) expect(await stream.next()).toMatchObject({ payload: { id } });
    await Promise.all(streams.map((stream) => stream.close()));
    await listening(server, 0);
  });

  inProcess("is not scheduled without streams", async () => {
    const timers = jest.getTimerCount();
    const stream = await EventReader.open(ada, "user");
    expect(jest.getTimerCount()).toBe(timers + 1);
    await stream.close();
    await listening(server, 0);
    expect(jest.getTimerCount()).toBe(timers);
  });
});

/** More than the buffers of the system and the server can hold for a connection. */
const TOO_MUCH = 32 * 1024 * 1024;

/** The raw requests that open a stream of Ada's in both ways. */
function openings(): string[] {
  const head = ["HTTP/1.1", "host: test", `authorization: Bearer ${ada.token}`].join("\r\n");
  const upgrade = "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13";
  return [
    `GET /api/v1/streaming/user ${head}\r\n\r\n`,
    `GET /api/v1/streaming?stream=user ${head}\r\n${upgrade}\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  ];
}

/** Opens a connection that reads nothing until it is resumed. */
function openIdle(opening: string): Connection {
  const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
  socket.write(opening);
  return socket.pause();
}

describe("A client that doesn't read", () => {
  let long: Json;
  beforeAll(async () => {
    long = await ada.publish("x".repeat(4900));
  });

  const send = () => server.ctx.eventBus.publish(`user:${ada.id}`, { event: "update", statusId: Number(long.id) });

  inProcess.each([0, 1])("is disconnected, while others receive everything (way %#)", async (way) => {
    const idle = openIdle(openings()[way]!);
    await listening(server, 2);
    const reading = await EventReader.open(ada, "user");
    let sent = 0;
    for (; server.ctx.eventBus.size > 2; sent += JSON.stringify(long).length) {
      expect(sent).toBeLessThan(TOO_MUCH);
      send();
      expect(await reading.next()).toMatchObject({ payload: { id: long.id } });
    }
    await reading.close();
    idle.on("error", () => {});
    const gone = new Promise((resolve) => idle.on("close", resolve));
    idle.resume();
    await gone;
  });

  inProcess.each([0, 1])("for a moment misses nothing (way %#)", async (way) => {
    const idle = openIdle(openings()[way]!);
    await listening(server, 2);
    for (let n = 0; n < 100; n++) send();
    let text = "";
    const all = new Promise<void>((resolve) =>
      idle.on("data", (data) => {
        text += data.toString("latin1");
        if (text.match(/event"?: ?"?update/g)?.length === 100) resolve();
      }),
    );
    idle.resume();
    await all;
    idle.destroy();
    await listening(server, 0);
  });

  inProcess("between two heartbeats is disconnected, however little is pending for it", async () => {
    const drains: (() => void)[] = [];
    const write = () => new Promise<number>((resolve) => drains.push(() => resolve(10)));
    let isConnected = true;
    const listener = listenerOf(findBearer(server.ctx, ada.token!, NOWHERE));
    const reader = new Reader(listener, () => () => void (isConnected = false));
    const hungUp = reader.pull({ write, end: () => 0, close: () => {}, flush: () => 0, start: () => {} }).then(
      () => false,
      () => true,
    );
    for (let beats = 0; beats < 3; beats++) {
      reader.beat();
      for (const drain of drains.splice(0)) drain();
      await Promise.resolve();
    }
    for (let beats = 0; beats < 2; beats++) reader.beat();
    expect(isConnected).toBe(true);
    reader.beat();
    expect(isConnected).toBe(false);
    expect(await hungUp).toBe(true);
  });
});

describe("When the server stops", () => {
  inProcess("streams are closed cleanly", async () => {
    const other = await startServer();
    const both = await openBoth(await other.person("ada"));
    other.ctx.eventBus.publish(SERVER_TOPIC, { event: "server.stopping" });
    await expectEnded(both, 1001, "The server is stopping");
    expect(other.ctx.eventBus.size).toBe(0);
    await other.stop();
  });
});

describe("A user", () => {
  test("has a limit of open streams of both kinds, separate from other users", async () => {
    const limited = await startServer({ LINNET_RATE_LIMITS: "streams=2" });
    const [eve, fay] = [await limited.person("eve"), await limited.person("fay")];
    const [socket, events] = await openBoth(eve);
    const refused = {
      status: 429,
      json: { error: "At most 2 streams can be open. Close one before you open another." },
    };
    expect(await eve.get("/api/v1/streaming/public")).toMatchObject(refused);
    expect(await eve.get("/api/v1/streaming", { headers: { upgrade: "websocket" } })).toMatchObject(refused);
    await (await EventReader.open(fay, "user")).close();
    await events.close();
    await listening(limited, 2);
    await (await EventReader.open(eve, "public")).close();
    await socket.close();
    await limited.stop();
  });
});
