import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Client, type Json } from "../support/client.ts";
import { createPerson, Nowhere, Running, SOURCE } from "../support/program.ts";

const HOUR = 3600_000;
const PATIENCE = 30_000;

let nowhere: Nowhere;
let server: Running;
afterEach(async () => {
  await server.stop();
  nowhere.remove();
});

/** Has what was to happen later happen now, as if the server had been down until then, killed in the middle of a job. */
function skipTime(): void {
  const db = new Database(join(nowhere.cwd, "linnet-data", "linnet.db"));
  db.run("UPDATE scheduled_statuses SET scheduled_at = 0");
  db.run("UPDATE polls SET expires_at = 1");
  db.run("UPDATE jobs SET run_at = 0, leased = 1");
  db.close();
}

test(
  "what was scheduled, and the end of a poll, happen once though the server was killed and started again",
  async () => {
    nowhere = new Nowhere({ LINNET_RATE_LIMITS: "off" });
    const token = await createPerson(SOURCE, nowhere, "ada");
    const restart = async () => {
      server = await Running.start(SOURCE, nowhere);
      return new Client(server.origin, token);
    };
    const seen = async (client: Client): Promise<string[]> => {
      const { json } = await client.get("/api/v1/timelines/home");
      return json.map((status: Json) => status.content);
    };
    const toldOf = async (client: Client): Promise<string[]> => {
      const { json } = await client.get("/api/v1/notifications");
      return json.map((notification: Json) => notification.type);
    };

    let client = await restart();
    await client.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: 300 } });
    const scheduled_at = new Date(Date.now() + HOUR).toISOString();
    expect((await client.post("/api/v1/statuses", { status: "later", scheduled_at })).json.id).toBe("1");
    await server.stop("SIGKILL");

    client = await restart();
    expect([await seen(client), await toldOf(client)]).toEqual([["<p>tea?</p>"], []]);
    await server.stop("SIGKILL");
    skipTime();

    client = await restart();
    while ((await seen(client)).length < 2 || (await toldOf(client)).length < 1);
    await server.stop("SIGKILL");

    client = await restart();
    expect(await seen(client)).toEqual(["<p>later</p>", "<p>tea?</p>"]);
    expect(await toldOf(client)).toEqual(["poll"]);
    expect((await client.get("/api/v1/scheduled_statuses")).json).toEqual([]);
  },
  PATIENCE,
);
