import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { binary } from "../support/binary.ts";
import { Client, type Answer, type Json } from "../support/client.ts";
import { createPerson, Nowhere, Running, SOURCE, type Command } from "../support/program.ts";
import { pictureFile, upload } from "../support/uploads.ts";

const POSTS = 500;
/** Concurrent writers. */
const WRITERS = 4;
/** One in this many posts has an image. */
const WITH_PICTURE = 20;
/** The average number of responses until the server is killed. */
const LIFETIME = 30;
/** The longest time from a response to the kill, in milliseconds: enough to hit any moment of the next requests. */
const DELAY = 4;
const MAX_ATTEMPTS = 50;
const TIMEOUT = 180_000;

/** A server that is killed and restarted while its clients keep sending requests. */
class CrashingServer {
  kills = 0;
  private current: Promise<Running>;

  constructor(
    private readonly command: Command,
    private readonly nowhere: Nowhere,
    private readonly token: string,
  ) {
    this.current = Running.start(command, nowhere);
  }

  /**
   * Repeats a request until there is a response. Only a status other than 200 fails the test; broken connections are
   * expected.
   */
  async retry(request: (client: Client) => Promise<Answer>): Promise<Json> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { origin } = await this.current;
      const answer = await request(new Client(origin, this.token)).catch(() => null);
      if (answer?.status === 200) return answer.json;
      if (answer) throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`);
    }
    throw new Error("The server doesn't come back");
  }

  kill(): void {
    this.kills += 1;
    this.current = this.current.then(async (running) => {
      await running.stop("SIGKILL");
      return Running.start(this.command, this.nowhere);
    });
  }

  async end(): Promise<void> {
    await (await this.current).stop();
  }
}

interface Written {
  text: string;
  id: string;
  media: Json | null;
}

async function write(server: CrashingServer, n: number, picture: File): Promise<Written> {
  const hasPicture = n % WITH_PICTURE === 0;
  const media = hasPicture ? await server.retry((client) => upload(client, picture)) : null;
  const text = `Post number ${n}`;
  const status = await server.retry((client) => publish(client, text, media));
  return { text, id: status.id, media };
}

function publish(client: Client, text: string, media: Json | null): Promise<Answer> {
  const body = { status: text, media_ids: media ? [media.id] : [] };
  return client.post("/api/v1/statuses", body, { headers: { "idempotency-key": text } });
}

/** Writes all posts, a few at a time, while the server is killed repeatedly. */
async function writeAll(server: CrashingServer): Promise<Written[]> {
  const picture = await pictureFile("png", { width: 900, height: 600 });
  const written: Written[] = [];
  const kills: Promise<void>[] = [];
  let next = 0;
  const writer = async () => {
    while (next < POSTS) {
      written.push(await write(server, next++, picture));
      if (Math.random() < 1 / LIFETIME) kills.push(Bun.sleep(Math.random() * DELAY).then(() => server.kill()));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  await Promise.all(kills);
  return written;
}

/** Reads the stored data directly. */
function stored(data: string) {
  const db = new Database(join(data, "linnet.db"));
  const read = <Row>(sql: string) => db.query<Row, []>(sql).all();
  const found = {
    integrity: read("PRAGMA integrity_check"),
    dangling: read("PRAGMA foreign_key_check"),
    statuses: read<{ id: number; text: string }>("SELECT id, text FROM statuses"),
    media: read<{ id: number; status_id: number; file: string; file_size: number; small: string }>(
      "SELECT * FROM media_attachments WHERE status_id IS NOT NULL",
    ),
  };
  db.close();
  return found;
}

let nowhere: Nowhere;
let server: CrashingServer;
afterEach(async () => {
  await server.end();
  nowhere.remove();
});

test.each([
  ["from source", () => SOURCE],
  ["as an executable", binary],
])(
  "a post confirmed with 200 survives kill -9 at any moment, once and complete (%s)",
  async (_, commandOf) => {
    const command = await commandOf();
    nowhere = new Nowhere({ LINNET_RATE_LIMITS: "off" });
    server = new CrashingServer(command, nowhere, await createPerson(command, nowhere, "ada"));
    const written = await writeAll(server);
    expect(server.kills).toBeGreaterThan(2);

    // A client that missed the response and retries gets the same post.
    for (const { text, id, media } of written.filter((_, at) => at % 25 === 0)) {
      expect((await server.retry((client) => publish(client, text, media))).id).toBe(id);
    }
    await server.end();

    const data = join(nowhere.cwd, "linnet-data");
    const { integrity, dangling, statuses, media } = stored(data);
    expect(integrity).toEqual([{ integrity_check: "ok" }]);
    expect(dangling).toEqual([]);
    expect(statuses.sort(byText)).toEqual(written.map(({ id, text }) => ({ id: Number(id), text })).sort(byText));
    expect(media).toHaveLength(POSTS / WITH_PICTURE);
    for (const { id, status_id, file, file_size, small } of media) {
      expect(written.find((post) => post.id === String(status_id))?.media.id).toBe(String(id));
      expect(Bun.file(join(data, "media", file)).size).toBe(file_size);
      expect(Bun.file(join(data, "media", small)).size).toBeGreaterThan(0);
    }
  },
  TIMEOUT,
);

function byText(a: { text: string }, b: { text: string }): number {
  return a.text.localeCompare(b.text);
}
