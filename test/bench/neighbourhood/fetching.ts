import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Command, Running } from "../../support/program.ts";
import { serve } from "../data-folder.ts";
import { CLOSED_NETWORK, createNeighbourhood, type Neighbourhood } from "../federation/accounts.ts";
import type { Sent } from "../federation/bare-delivery.ts";
import type { Fetches } from "./bare-fetches.ts";
import { Child } from "../federation/child.ts";
import { emptied } from "../federation/intake.ts";
import { median, perSecond, type Row } from "../federation/row.ts";
import { loopbackAddress } from "../federation/sinks.ts";
import { processorTime } from "../machine.ts";
import type { Requested } from "./peer.ts";

/** How often the queue is looked at, in ms. */
const INTERVAL = 2;
const HOSTS = 100;
/** The viewer's timelines are as long as they get. */
const STATUSES = 10_000;

/** Requests of a job, with what they cost. */
export interface Fetched extends Sent {
  urls: string[];
}

/** A job beside bare programs that send the same requests, signed and unsigned. */
export interface Costs {
  ours: Fetched;
  signed: Sent;
  unsigned: Sent;
}

/** A server with followed accounts, the other servers, and a bare program that fetches the same. */
export class Fetching {
  private constructor(
    readonly server: Running,
    readonly data: Neighbourhood,
    readonly db: Database,
    private readonly peer: Child,
    private readonly bare: Child,
  ) {}

  static async start(command: Command, root: string, senders: number): Promise<Fetching> {
    const folder = join(root, "fetching");
    mkdirSync(folder);
    const peer = Child.start("../neighbourhood/peer.ts", String(HOSTS));
    const ports = await peer.hear<number[]>();
    const origins = ports.map((port, n) => `http://${loopbackAddress(n)}:${port}`);
    const counts = { senders, known: senders, keys: 1, statuses: STATUSES, origins };
    const data = await createNeighbourhood(command, folder, counts, []);
    const server = await serve(command, data, "full", CLOSED_NETWORK);
    const db = new Database(join(folder, "linnet.db"), { strict: true });
    db.run("PRAGMA busy_timeout = 5000");
    return new Fetching(server, data, db, peer, Child.start("../neighbourhood/bare-fetches.ts"));
  }

  async stop(): Promise<void> {
    this.db.close();
    await this.server.stop();
    await this.peer.stop();
    await this.bare.stop();
  }

  async get(path: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.data.token}` };
    const response = await fetch(this.server.origin + path, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Resolves when no fetch is left. */
  async idle(): Promise<void> {
    await emptied(this.db, "jobs WHERE lane = 'fetches' AND run_at IS NOT NULL", INTERVAL);
  }

  /** Measures from the first request to the end of the last job. */
  async measure(begin: () => unknown): Promise<Fetched> {
    await this.requested();
    const used = processorTime(this.server.pid);
    await begin();
    for (;;) {
      await this.idle();
      const end = performance.timeOrigin + performance.now();
      const processor = processorTime(this.server.pid) - used;
      const { urls, first } = await this.requested();
      // The server may add the job after its response.
      if (urls.length > 0) return { urls, milliseconds: end - first, processor };
    }
  }

  /** The requests since the last call. */
  requested(): Promise<Requested> {
    this.peer.tell(null);
    return this.peer.hear<Requested>();
  }

  private fetchBare(urls: readonly string[], isSigned: boolean): Promise<Sent> {
    this.bare.tell({ urls, isSigned } satisfies Fetches);
    return this.bare.hear<Sent>();
  }

  /** Measures all three in turns; the first turns warm up. */
  async alternate(warmUp: number, turns: number, begin: (turn: number) => unknown): Promise<Costs[]> {
    const costs: Costs[] = [];
    for (let turn = 0; turn < warmUp + turns; turn += 1) {
      const ours = await this.measure(() => begin(turn));
      const [signed, unsigned] = [await this.fetchBare(ours.urls, true), await this.fetchBare(ours.urls, false)];
      if (turn >= warmUp) costs.push({ ours, signed, unsigned });
    }
    return costs;
  }
}

/** Requests a second, beside as many bare ones. Each answer may contain several posts. */
export function fetchRow(part: string, posts: number, costs: Costs[], least: number): Row {
  const requests = costs[0]!.ours.urls.length;
  const each = (figure: (cost: Costs) => number) => median(costs.map(figure));
  const rate = (kind: keyof Costs, count = requests) =>
    perSecond(each((cost) => (1000 * count) / cost[kind].milliseconds));
  const processor = (kind: keyof Costs) => each((cost) => cost[kind].processor / requests);
  const ratio = each(({ ours, signed }) => signed.milliseconds / ours.milliseconds);
  return {
    part: `${part}: ${requests.toLocaleString("en")} requests`,
    figure: `${rate("ours")}, ${rate("ours", posts)} posts`,
    processor: processor("ours"),
    reference: `signed ${rate("signed")}, ${processor("signed").toFixed(3)} ms; unsigned ${rate("unsigned")}`,
    ratio,
    target: `≥ ${least}`,
    isMet: ratio >= least,
  };
}
