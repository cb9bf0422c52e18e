import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { type TestServer, startServer } from "../support/server.ts";
import { Socket } from "../support/streams.ts";

/** Ada writes. Ben follows her and has her in a list; Cy is named in what she writes; Dee knows nobody; Eve is blocked. */
const NAMES = ["ada", "ben", "cy", "dee", "eve"] as const;
type Name = (typeof NAMES)[number];

const PUBLIC = ["hashtag", "hashtag:local", "public", "public:local"];
/** Who hears of a post by Ada with a hashtag that names Cy, and on which streams, in the order of the alphabet. */
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

/** On which streams everybody has heard of one kind of event since the last time. */
async function heardBy(event: string): Promise<Partial<Record<Name, string[]>>> {
  const heard: Partial<Record<Name, string[]>> = {};
  for (const [name, socket] of sockets) {
    const messages = await socket.soFar();
    const streams = messages.filter((message: Json) => message.event === event).map(({ stream }: Json) => stream[0]);
    if (streams.length > 0) heard[name] = streams.toSorted();
  }
  return heard;
}

test.each(Object.keys(AUDIENCE))(
  "what is %s, its edit and its end reach whom they should, and nobody else",
  async (visibility) => {
    const ada = people.get("ada")!;
    const audience = AUDIENCE[visibility]!;
    const { id } = await ada.publish({ status: "@cy a cup of #tea", visibility });
    expect(await heardBy("update")).toEqual(audience);
    await ada.put(`/api/v1/statuses/${id}`, { status: "@cy two cups of #tea" });
    expect(await heardBy("status.update")).toEqual(audience);
    await ada.delete(`/api/v1/statuses/${id}`);
    // A bare id tells nobody anything.
    expect({ ...(await heardBy("delete")), eve: undefined }).toEqual({ ...audience, eve: undefined });
  },
);

test("whom a direct post names hears of the conversation, and of being named", async () => {
  await people.get("ada")!.publish({ status: "@cy between us", visibility: "direct" });
  const heard = new Map<Name, string[]>();
  for (const [name, socket] of sockets) {
    heard.set(
      name,
      (await socket.soFar()).map(({ stream, event }: Json) => `${event} in ${stream[0]}`),
    );
  }
  expect(Object.fromEntries(heard)).toEqual({
    ada: ["update in user", "conversation in direct"],
    ben: [],
    cy: ["conversation in direct", "notification in user"],
    dee: [],
    eve: [],
  });
});
