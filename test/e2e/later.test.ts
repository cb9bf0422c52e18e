import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Client, type Json } from "../support/client.ts";
import { notificationTypesOf } from "../support/reading.ts";
import { createPerson, Nowhere, run, Running, SOURCE } from "../support/program.ts";

const HOUR = 3600_000;
const TIMEOUT = 30_000;

let nowhere: Nowhere;
let server: Running;
afterEach(async () => {
  await server.stop();
  nowhere.remove();
});

const homeOf = async (client: Client): Promise<[number, string[]]> => {
  const { status, json } = await client.get("/api/v1/timelines/home");
  return [status, json.map(({ content }: Json) => content)];
};

/** Makes all scheduled work due, as if the server had been killed in the middle of a job and was down until now. */
function skipTime(): void {
  const db = new Database(join(nowhere.cwd, "linnet-data", "linnet.db"));
  db.run("UPDATE scheduled_statuses SET scheduled_at = 0");
  db.run("UPDATE polls SET expires_at = 1");
  db.run("UPDATE jobs SET run_at = 0, leased = 1");
  db.close();
}

test(
  "scheduled posts and the end of a poll happen once, although the server was killed and restarted",
  async () => {
    nowhere = new Nowhere({ LINNET_RATE_LIMITS: "off" });
    const token = await createPerson(SOURCE, nowhere, "ada");
    const restart = async () => {
      server = await Running.start(SOURCE, nowhere);
      return new Client(server.origin, token);
    };
    const seen = async (client: Client): Promise<string[]> => (await homeOf(client))[1];

    let client = await restart();
    await client.publish({ status: "tea?", poll: { options: ["yes", "no"], expires_in: 300 } });
    const scheduled_at = new Date(Date.now() + HOUR).toISOString();
    expect((await client.post("/api/v1/statuses", { status: "later", scheduled_at })).json.id).toBe("1");
    await server.stop("SIGKILL");

    client = await restart();
    expect([await seen(client), await notificationTypesOf(client)]).toEqual([["<p>tea?</p>"], []]);
    await server.stop("SIGKILL");
    skipTime();

    client = await restart();
    while ((await seen(client)).length < 2 || (await notificationTypesOf(client)).length < 1);
    await server.stop("SIGKILL");

    client = await restart();
    expect(await seen(client)).toEqual(["<p>later</p>", "<p>tea?</p>"]);
    expect(await notificationTypesOf(client)).toEqual(["poll"]);
    expect((await client.get("/api/v1/scheduled_statuses")).json).toEqual([]);
  },
  TIMEOUT,
);

test(
  "the home timeline is complete right after a follow, and after a backfill interrupted by a kill",
  async () => {
    nowhere = new Nowhere({ LINNET_RATE_LIMITS: "off" });
    const [ada, bob] = [await createPerson(SOURCE, nowhere, "ada"), await createPerson(SOURCE, nowhere, "bob")];
    server = await Running.start(SOURCE, nowhere);
    const { account } = await new Client(server.origin, bob).publish("by bob");
    for (let time = 0; time < 20; time += 1) {
      const client = new Client(server.origin, ada);
      await client.follow(account);
      expect(await homeOf(client)).toEqual([200, ["<p>by bob</p>"]]);
      await client.post(`/api/v1/accounts/${account.id}/unfollow`);
      expect(await homeOf(client)).toEqual([200, []]);
    }
    await new Client(server.origin, ada).post(`/api/v1/accounts/${account.id}/follow`);
    await server.stop("SIGKILL");

    const rebuilt = await run(SOURCE, ["user", "rebuild-home", "ada"], nowhere);
    expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringContaining("the home timeline of @ada")]);
    const db = new Database(join(nowhere.cwd, "linnet-data", "linnet.db"));
    db.run("DELETE FROM home_timeline");
    db.run("UPDATE jobs SET leased = 1");
    db.close();

    server = await Running.start(SOURCE, nowhere);
    while ((await homeOf(new Client(server.origin, ada)))[0] === 206);
    expect(await homeOf(new Client(server.origin, ada))).toEqual([200, ["<p>by bob</p>"]]);
  },
  TIMEOUT,
);
