import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase, type Db } from "../../src/db/open.ts";
import { enqueue } from "../../src/db/queue.ts";
import { Folder } from "./folder.ts";

const MINUTE = 60_000;

let folder: Folder;
let db: Db;
/** One job of each state. None of them has any effect. */
let ids: Record<"running" | "waiting" | "retrying" | "failed", number>;

beforeEach(() => {
  folder = Folder.begun();
  db = openDatabase(join(folder.path, "linnet-data", "linnet.db"), "NORMAL");
  const now = Date.now();
  ids = db.transaction((tx) => {
    const loop = { clock: { now: () => now }, wake: () => {} };
    const add = (runAt: number, changes: string) => {
      enqueue(loop, tx, "card.fetch", { linkId: 7 }, { runAt, host: "slow.example" });
      return tx.get<{ id: number }>(`UPDATE jobs SET ${changes} WHERE id = (SELECT max(id) FROM jobs) RETURNING id`)!
        .id;
    };
    return {
      failed: add(now, "run_at = NULL, attempts = 12, error = 'no such \x1b[31mtable'"),
      retrying: add(now + 20 * MINUTE, "attempts = 1, error = 'disk full'"),
      waiting: add(now + 10 * MINUTE, "attempts = 0"),
      running: add(now, "leased = 1, attempts = 1"),
    };
  });
});
afterEach(async () => {
  db.close();
  await folder.remove();
});

describe("linnet job list", () => {
  test("shows running, pending and failed jobs, in this order", async () => {
    const jobs = await folder.json("job", "list");
    expect(jobs.map(({ id, state, attempts, error }: Record<string, unknown>) => [id, state, attempts, error])).toEqual(
      [
        [String(ids.running), "running", 1, null],
        [String(ids.waiting), "pending", 0, null],
        [String(ids.retrying), "pending", 1, "disk full"],
        [String(ids.failed), "failed", 12, "no such \x1b[31mtable"],
      ],
    );
    expect(jobs[1]).toMatchObject({
      kind: "card.fetch",
      host: "slow.example",
      next_run_at: expect.stringMatching(/Z$/),
    });
    expect([jobs[0].next_run_at, jobs[3].next_run_at]).toEqual([null, null]);
  });

  test("prints a table in which errors can't contain terminal commands", async () => {
    const { stdout } = await folder.run(["job", "list"]);
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^ID +KIND +STATE +ATTEMPTS +NEXT RUN +HOST +ERROR$/);
    expect(rows[2]).toMatch(/^\d+ +card\.fetch +pending +1 +20\S+Z +slow\.example +disk full$/);
    expect(rows[3]).toMatch(/^\d+ +card\.fetch +failed +12 +- +slow\.example +no such \uFFFD\[31mtable$/);
  });

  test("shows only failed jobs with --failed, or says that there are none", async () => {
    expect((await folder.json("job", "list", "--failed")).length).toBe(1);
    db.transaction((tx) => tx.run("DELETE FROM jobs"));
    expect((await folder.run(["job", "list", "--failed"])).stdout).toBe("There are no failed jobs.\n");
    expect((await folder.run(["job", "list"])).stdout).toBe("There are no jobs.\n");
  });
});

describe("linnet job retry", () => {
  const stateOf = (id: number) =>
    db.get<object>("SELECT attempts, run_at <= $runAt AS is_due FROM jobs WHERE id = $id", { runAt: Date.now(), id });

  test("makes a failed job due, with all attempts available again", async () => {
    const { code, stdout } = await folder.run(["job", "retry", String(ids.failed)]);
    expect([code, stdout]).toEqual([0, `Job ${ids.failed} will run again.\n`]);
    expect(stateOf(ids.failed)).toEqual({ attempts: 0, is_due: 1 });
    expect(stateOf(ids.retrying)).toEqual({ attempts: 1, is_due: 0 });
  });

  test("retries all jobs whose last attempt failed, and leaves others alone", async () => {
    expect((await folder.run(["job", "retry", "all"])).stdout).toBe("2 jobs will run again.\n");
    for (const id of [ids.failed, ids.retrying]) expect(stateOf(id)).toEqual({ attempts: 0, is_due: 1 });
    expect([stateOf(ids.waiting), stateOf(ids.running)]).toMatchObject([{ is_due: 0 }, { attempts: 1 }]);
    db.transaction((tx) => tx.run("DELETE FROM jobs"));
    expect((await folder.run(["job", "retry", "all"])).stdout).toBe("There are no failed jobs.\n");
  });

  test("wakes a running server, which runs the job", async () => {
    await folder.serve();
    await folder.run(["job", "retry", String(ids.failed)]);
    while (stateOf(ids.failed) !== null) await new Promise((resolve) => void setImmediate(resolve));
  });

  test("refuses running and pending jobs, missing ones, and invalid ids", async () => {
    for (const [id, sentence] of [
      [ids.running, `Job ${ids.running} is running.`],
      [ids.waiting, `Job ${ids.waiting} has not failed. It is scheduled to run later.`],
      [4711, "There is no job 4711."],
    ] as const) {
      const { code, stderr } = await folder.run(["job", "retry", String(id)]);
      expect([code, stderr]).toEqual([1, `linnet: ${sentence}\n`]);
    }
    const nonsense = await folder.run(["job", "retry", "some"]);
    expect(nonsense.code).toBe(2);
    expect(nonsense.stderr).toContain('ID is "some", but should be an id from "linnet job list"');
  });
});
