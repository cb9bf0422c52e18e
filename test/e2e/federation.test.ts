import { afterEach, beforeAll, expect, test } from "bun:test";
import sharp from "sharp";
import { binary } from "../support/binary.ts";
import { Client, type Json } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { createPerson, Nowhere, Running, type Command } from "../support/program.ts";
import { Socket } from "../support/streams.ts";
import { uploaded } from "../support/uploads.ts";

const TIMEOUT = 60_000;
const BUILD_TIMEOUT = 180_000;

let command: Command;
beforeAll(async () => {
  command = await binary();
}, BUILD_TIMEOUT);

const folders: Nowhere[] = [];
const servers: Running[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop("SIGKILL");
  for (const folder of folders.splice(0)) folder.remove();
});

/** A user of a new server in an empty folder. Its address is `localhost` with a port, as in the README. */
async function startWith(name: string): Promise<{ client: Client; handle: string }> {
  const port = freePort();
  const folder = new Nowhere({ LINNET_PORT: String(port), LINNET_ALLOW_PRIVATE_ADDRESSES: "on" });
  folders.push(folder);
  const token = await createPerson(command, folder, name);
  const server = await Running.start(command, folder);
  servers.push(server);
  return { client: new Client(server.origin, token), handle: `${name}@localhost:${port}` };
}

async function find({ client }: { client: Client }, { handle }: { handle: string }): Promise<Json> {
  const { json } = await client.get(`/api/v1/accounts/lookup?acct=${handle}`);
  expect(json.acct).toBe(handle);
  return json;
}

/** Waits for an event with this name. */
async function next(socket: Socket, name: string): Promise<Json> {
  for (;;) {
    const { event, payload } = await socket.next();
    if (event === name) return payload;
  }
}

test(
  "Users of two executables follow each other, and a post with a picture arrives at once",
  async () => {
    const [ada, grace] = [await startWith("ada"), await startWith("grace")];
    const [hers, theirs] = [
      await Socket.open(ada.client, "?stream=user"),
      await Socket.open(grace.client, "?stream=user"),
    ];
    const [graceThere, adaThere] = [await find(ada, grace), await find(grace, ada)];
    await ada.client.follow(graceThere);
    expect(await next(theirs, "notification")).toMatchObject({ type: "follow", account: { acct: ada.handle } });
    await grace.client.follow(adaThere);
    expect(await next(hers, "notification")).toMatchObject({ type: "follow", account: { acct: grace.handle } });
    const isFollowed = async () =>
      (await ada.client.get(`/api/v1/accounts/relationships?id[]=${graceThere.id}`)).json[0].following;
    while (!(await isFollowed())) await Bun.sleep(5);

    const media = await uploaded(grace.client, { description: "Rain" });
    const post = await grace.client.publish({ status: "Look!", media_ids: [media.id] });
    const update = await next(hers, "update");
    expect(update).toMatchObject({
      uri: post.uri,
      content: "<p>Look!</p>",
      account: { acct: grace.handle },
      media_attachments: [{ type: "image", description: "Rain", blurhash: media.blurhash }],
    });
    const response = await fetch(update.media_attachments[0].preview_url);
    expect(response.status).toBe(200);
    expect(await sharp(await response.bytes()).metadata()).toMatchObject({ width: 40, height: 30 });
    for (const socket of [hers, theirs]) await socket.close();
  },
  TIMEOUT,
);
