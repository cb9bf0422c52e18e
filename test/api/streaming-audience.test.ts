import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { type TestServer, startServer } from "../support/server.ts";
import { Socket } from "../support/streams.ts";

/**
 * Ada posts. Ben follows her and has her in a list; Cy is mentioned in her posts; Dee has no relation to her; Eve is
 * blocked.
 */
const NAMES = ["ada", "ben", "cy", "dee", "eve"] as const;
type Name = (typeof NAMES)[number];

const PUBLIC = ["hashtag", "hashtag:local", "public", "public:local"];
/** The streams that a post by Ada reaches, with a hashtag and a mention of Cy, in alphabetical order. */
const AUDIENCE: Record<string, Partial<Record<Name, string[]>>> = {
  public: {
    ada: [...PUBLIC, "user"],
    ben: ["hashtag", "hashtag:local", "list", "public", "public:local", "user"],
    cy: PUBLIC,
    dee: PUBLIC,
  },
  unlisted: { ada: ["user"], ben: ["list", "user"] },
  private: { ada: ["user"], ben: ["list", "user"] },
  direct: { ada: ["user"] },
};

let server: TestServer;
const people = new Map<Name, Client>();
const sockets = new Map<Name, Socket>();

beforeAll(async () => {
  server = await startServer();
  for (const name of NAMES) people.set(name, await server.person(name));
  const [ada, ben, , , eve] = NAMES.map((name) => people.get(name)!) as [Client, Client, Client, Client, Client];
  await ben.follow(ada);
  await ada.post(`/api/v1/accounts/${eve.id}/block`);
  const { id: list } = (await ben.post("/api/v1/lists", { title: "Friends" })).json;
  await ben.post(`/api/v1/lists/${list}/accounts`, { account_ids: [ada.id] });
  for (const name of NAMES) {
    const socket = await Socket.open(people.get(name)!);
    for (const stream of ["user", "direct", "public", "public:local", "public:remote", "public:media"]) {
      await socket.subscribe(stream);
    }
    for (const stream of ["hashtag", "hashtag:local"]) await socket.subscribe(stream, { tag: "tea" });
    if (name === "ben") await socket.subscribe("list", { list });
    sockets.set(name, socket);
  }
});

afterAll(async () => {
  await Promise.all([...sockets.values()].map((socket) => socket.close()));
  await server.stop();
});

/** The streams on which each user has received an event of this kind since the last call. */
async function receivedBy(event: string): Promise<Partial<Record<Name, string[]>>> {
  const received: Partial<Record<Name, string[]>> = {};
  for (const [name, socket] of sockets) {
    const messages = await socket.soFar();
    const streams = messages.filter((message: Json) => message.event === event).map(({ stream }: Json) => stream[0]);
    if (streams.length > 0) received[name] = streams.toSorted();
  }
  return received;
}

test.each(Object.keys(AUDIENCE))(
  "a %s post, its edit and its deletion reach exactly the intended streams",
  async (visibility) => {
    const ada = people.get("ada")!;
    const audience = AUDIENCE[visibility]!;
    const { id } = await ada.publish({ status: "@cy a cup of #tea", visibility });
    expect(await receivedBy("update")).toEqual(audience);
    await ada.put(`/api/v1/statuses/${id}`, { status: "@cy two cups of #tea" });
    expect(await receivedBy("status.update")).toEqual(audience);
    await ada.delete(`/api/v1/statuses/${id}`);
    // The id alone reveals nothing.
    expect({ ...(await receivedBy("delete")), eve: undefined }).toEqual({ ...audience, eve: undefined });
  },
);

test("a user mentioned in a direct post receives the conversation and the mention", async () => {
  await people.get("ada")!.publish({ status: "@cy between us", visibility: "direct" });
  const received = new Map<Name, string[]>();
  for (const [name, socket] of sockets) {
    received.set(
      name,
      (await socket.soFar()).map(({ stream, event }: Json) => `${event} in ${stream[0]}`),
    );
  }
  expect(Object.fromEntries(received)).toEqual({
    ada: ["update in user", "conversation in direct"],
    ben: [],
    cy: ["conversation in direct", "notification in user"],
    dee: [],
    eve: [],
  });
});
