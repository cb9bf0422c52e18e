import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Running } from "../../support/program.ts";
import { processorTime } from "../machine.ts";
import { runLoad } from "../measure.ts";
import type { Neighbourhood } from "./accounts.ts";
import { deletions, type Posts } from "./activities.ts";
import { Child } from "./child.ts";
import { median, perSecond, type Row } from "./row.ts";
import type { Sink } from "./sinks.ts";

const CONNECTIONS = 16;
const IS_JOB = "key = 'incoming.process'";
/** How often the queue is looked at, in ms. */
const INTERVAL = 5;

export interface IntakeScale {
  turns: number;
  /** Activities per turn. All turns together must fit into the queue of a server. */
  activities: number;
  /** For messages that leave no trace, which can be repeated. */
  seconds: number;
  /** How long activities are processed before anything is measured. */
  warmUpSeconds: number;
}

/** Requests that arrive, with what they cost. */
interface Cost {
  perSecond: number;
  processor: number;
}

/** A server, and the bare one that does as little as possible with the same requests. */
export class Intake {
  /** How many activities the server has received. */
  private sent = 0;

  private constructor(
    private readonly server: Running,
    private readonly data: Neighbourhood,
    private readonly posts: Posts,
    private readonly sink: Sink,
    private readonly scale: IntakeScale,
    private readonly bare: { child: Child; origin: string },
    private readonly db: Database,
  ) {}

  static async open(
    server: Running,
    data: Neighbourhood,
    posts: Posts,
    sink: Sink,
    scale: IntakeScale,
  ): Promise<Intake> {
    const folder = join(data.folder, "bare");
    mkdirSync(folder);
    const keys = join(folder, "keys.json");
    await Bun.write(keys, JSON.stringify(data.publicKeys));
    const child = Child.start("bare-inbox.ts", join(folder, "bare.db"), keys);
    const bare = { child, origin: await child.hear<string>() };
    const db = new Database(join(data.folder, "linnet.db"), { strict: true });
    db.run("PRAGMA busy_timeout = 5000");
    return new Intake(server, data, posts, sink, scale, bare, db);
  }

  async close(): Promise<void> {
    this.db.close();
    await this.bare.child.stop();
  }

  /** While nothing is processed. Call it after `processed()`, which warms up. */
  async accepted(): Promise<Row> {
    await this.holdJob();
    const costs = await this.alternate((requests) => this.send(requests));
    await this.process();
    return rowOf("accepted (202)", costs, 0.4);
  }

  /** From the first request to the last status in the home timeline. */
  async processed(): Promise<[Row, Row]> {
    const warmAt = performance.now() + this.scale.warmUpSeconds * 1000;
    const [before, size, sent] = [count(this.db, "statuses"), this.size(), this.sent];
    const costs = await this.alternate(async (requests) => {
      const [begin, used] = [performance.now(), processorTime(this.server.pid)];
      await this.send(requests);
      await this.empty();
      const seconds = (performance.now() - begin) / 1000;
      const processor = (processorTime(this.server.pid) - used) / requests.length;
      return { perSecond: requests.length / seconds, processor };
    }, warmAt);
    const arrived = count(this.db, "statuses") - before;
    const posts = this.sent - sent;
    if (arrived !== posts) throw new Error(`Of ${posts} posts, ${arrived} were stored`);
    if (!this.areNewestAtHome()) throw new Error("The newest posts are not in the home timeline");
    return [
      rowOf("accepted and in the home timeline", costs, 1 / 7, 0.7),
      sizeRow(posts, (this.size() - size) / posts),
    ];
  }

  /** Deletes from unknown accounts. Nothing may be stored or fetched. */
  async discarded(): Promise<Row> {
    const { server, bare, sink, scale } = this;
    const requests = await deletions(100, this.data.senders[0]!, sink.ports[0]!);
    const rows = this.rows();
    await sink.fetches();
    const measure = async (origin: string, pid: number, path: string): Promise<Cost> => {
      const used = processorTime(pid);
      const load = {
        requests: requests.map((text) => text.replace("/inbox", path)),
        connections: CONNECTIONS,
        status: 202,
      };
      const measured = await runLoad(origin, { ...load, warmUpSeconds: scale.seconds / 2, seconds: scale.seconds });
      return { perSecond: measured.perSecond, processor: (processorTime(pid) - used) / measured.answered };
    };
    const costs: [Cost, Cost][] = [];
    for (let turn = 0; turn < scale.turns; turn += 1) {
      const ours = await measure(server.origin, server.pid, "/inbox");
      costs.push([ours, await measure(bare.origin, bare.child.pid, "/parse")]);
    }
    if (this.rows() !== rows) throw new Error("A discarded Delete was stored");
    if ((await sink.fetches()) > 0) throw new Error("A discarded Delete caused a request");
    return rowOf("Delete from unknown actors", costs, 1 / 4);
  }

  /** Measures both in turns. Those before `warmAt`, and always the first one, only warm up. */
  private async alternate(measure: (requests: string[]) => Promise<Cost>, warmAt = 0): Promise<[Cost, Cost][]> {
    const costs: [Cost, Cost][] = [];
    for (let isWarm = false; costs.length < this.scale.turns; isWarm ||= performance.now() >= warmAt) {
      const requests = await this.posts.requests(this.scale.activities);
      const pair: [Cost, Cost] = [await measure(requests), await this.sendBare(requests)];
      if (isWarm) costs.push(pair);
    }
    return costs;
  }

  private send(requests: string[]): Promise<Cost> {
    this.sent += requests.length;
    return sendOnce(this.server.origin, this.server.pid, requests);
  }

  private sendBare(requests: string[]): Promise<Cost> {
    return sendOnce(this.bare.origin, this.bare.child.pid, requests);
  }

  /** A job with the key of the one that processes the queue, which the server takes for one that runs. */
  private async holdJob(): Promise<void> {
    // The job loop frees such jobs when it starts. That a job has ended shows that it has.
    await this.send(await this.posts.requests(1));
    await emptied(this.db, `jobs WHERE ${IS_JOB}`, INTERVAL);
    this.db.run(
      `INSERT INTO jobs (kind, lane, key, payload, run_at, leased, created_at)
       VALUES ('incoming.process', 'incoming', 'incoming.process', '{}', 0, 1, 0)`,
    );
  }

  private async process(): Promise<void> {
    this.db.run(`UPDATE jobs SET leased = 0 WHERE ${IS_JOB}`);
    await this.empty();
  }

  private async empty(): Promise<void> {
    await emptied(this.db, "incoming_activities", INTERVAL);
  }

  /** Older posts can't be compared: an hourly job shortens the timeline. */
  private areNewestAtHome(): boolean {
    const newest = "SELECT id FROM statuses ORDER BY id DESC LIMIT 400";
    return count(this.db, `(${newest}) JOIN home_timeline ON status_id = id`) === 400;
  }

  /** Everything that a message could leave behind. */
  private rows(): number {
    return ["incoming_activities", "accounts", "remote_accounts", "tombstones"]
      .map((table) => count(this.db, table))
      .reduce((a, b) => a + b);
  }

  /** In bytes, without free pages. */
  private size(): number {
    return this.db
      .query<{ bytes: number }, []>(
        `SELECT (page_count - freelist_count) * page_size AS bytes
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
      )
      .get()!.bytes;
  }
}

export async function sendOnce(origin: string, pid: number, requests: string[]): Promise<Cost> {
  const used = processorTime(pid);
  const load = { requests, connections: CONNECTIONS, warmUpSeconds: 0, seconds: 300, status: 202, once: true };
  const { perSecond, answered } = await runLoad(origin, load);
  if (answered !== requests.length) throw new Error("Not all activities were accepted");
  return { perSecond, processor: (processorTime(pid) - used) / answered };
}

/** Waits until a table, possibly with a condition, has no rows. */
export async function emptied(db: Database, table: string, interval: number): Promise<void> {
  const any = db.query(`SELECT 1 FROM ${table} LIMIT 1`);
  while (any.get()) await Bun.sleep(interval);
}

function count(db: Database, table: string): number {
  return db.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()!.rows;
}

function rowOf(part: string, costs: [Cost, Cost][], least: number, most = Infinity): Row {
  const ratio = median(costs.map(([ours, bare]) => ours.perSecond / bare.perSecond));
  const processor = median(costs.map(([ours]) => ours.processor));
  const target = `≥ ${least.toFixed(2)}${most < Infinity ? `, ≤ ${most} ms` : ""}`;
  return {
    part,
    figure: perSecond(median(costs.map(([ours]) => ours.perSecond))),
    processor,
    reference: `${perSecond(median(costs.map(([, bare]) => bare.perSecond)))}, ${median(costs.map(([, bare]) => bare.processor)).toFixed(3)} ms`,
    ratio,
    target,
    isMet: ratio >= least && processor <= most,
  };
}

const MOST_BYTES = 1600;

function sizeRow(posts: number, bytes: number): Row {
  return {
    part: `database per remote post, of ${posts.toLocaleString("en")}`,
    figure: `${(bytes / 1000).toFixed(2)} kB`,
    processor: null,
    reference: "",
    ratio: null,
    target: `≤ ${MOST_BYTES / 1000} kB`,
    isMet: bytes <= MOST_BYTES,
  };
}
