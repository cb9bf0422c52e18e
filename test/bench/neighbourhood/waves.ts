import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Command, Running } from "../../support/program.ts";
import { ORIGIN, serve } from "../data-folder.ts";
import { CLOSED_NETWORK, createNeighbourhood, type Neighbourhood, type Sender } from "../federation/accounts.ts";
import { deletions, Posts, PUBLIC, signed } from "../federation/activities.ts";
import { Child } from "../federation/child.ts";
import { emptied, sendOnce } from "../federation/intake.ts";
import { perSecond, type Row } from "../federation/row.ts";
import { loopbackAddress, Sink } from "../federation/sinks.ts";
import { memory, processorTime } from "../machine.ts";
import { peakOf } from "./catching-up.ts";

const HOSTS = 100;
const MOST = { growth: 30, left: 5 };
const LEAST = { Delete: 0.4, Like: 0.2, Follow: 0.2 };
/** For clearing up, in ms: the collector frees memory in steps, as in the benchmark of federation. */
const PAUSE = 15_000;
const INTERVAL = 5;

/** Thousands of activities of one type at once, from as many known accounts on a hundred servers. */
export async function waveRows(command: Command, root: string, count: number): Promise<Row[]> {
  const folder = join(root, "waves");
  mkdirSync(join(folder, "bare"), { recursive: true });
  const sink = await Sink.start(HOSTS);
  const origins = sink.ports.map((port, n) => `http://${loopbackAddress(n)}:${port}`);
  const counts = { senders: count, known: count, keys: 20, origins };
  const data = await createNeighbourhood(command, folder, counts, []);
  const keys = join(folder, "bare", "keys.json");
  await Bun.write(keys, JSON.stringify(data.publicKeys));
  const bare = Child.start("bare-inbox.ts", join(folder, "bare", "bare.db"), keys);
  const server = await serve(command, data, "full", CLOSED_NETWORK);
  const db = new Database(join(folder, "linnet.db"), { readonly: true });
  try {
    return await new Waves(server, data, db, { child: bare, origin: await bare.hear<string>() }).rows(sink.ports[0]!);
  } finally {
    db.close();
    await server.stop();
    await bare.stop();
    await sink.stop();
  }
}

class Waves {
  constructor(
    private readonly server: Running,
    private readonly data: Neighbourhood,
    private readonly db: Database,
    private readonly bare: { child: Child; origin: string },
  ) {}

  async rows(port: number): Promise<Row[]> {
    const { senders } = this.data;
    const count = senders.length;
    const name = count.toLocaleString("en");
    // Each account writes a post, and follows for a while. That also warms both up.
    await this.both(await new Posts(senders, port).requests(count));
    await this.both(await this.wave((sender) => follow(sender, 0)));
    await this.both(await this.wave((sender) => undo(follow(sender, 0))));
    this.check(FOLLOWS, 0);
    const post = await this.publish();
    const likes = await this.measure(
      "Like",
      `${name} Likes of one post`,
      await this.wave((sender) => like(sender, post)),
    );
    this.check(`favourites f JOIN statuses s ON s.id = f.status_id WHERE s.uri = '${post}'`, count);
    const follows = await this.measure(
      "Follow",
      `${name} Follows of one account`,
      await this.wave((sender) => follow(sender, 1)),
    );
    this.check(FOLLOWS, count);
    const posts = await this.measure("Delete", `${name} Deletes of known posts`, await this.wave(deletion));
    this.check("statuses WHERE local = 0", 0);
    const unknown = await deletions(count, senders[0]!, port);
    const accounts = await this.measure("Delete", `${name} Deletes of unknown accounts`, unknown);
    return [...accounts, ...posts, ...likes, ...follows];
  }

  private wave(activityOf: (sender: Sender, n: number) => object): Promise<string[]> {
    return Promise.all(this.data.senders.map((sender, n) => signed(sender, JSON.stringify(activityOf(sender, n)))));
  }

  private async both(requests: string[]): Promise<void> {
    await sendOnce(this.bare.origin, this.bare.child.pid, requests);
    await sendOnce(this.server.origin, this.server.pid, requests);
    await this.settle();
  }

  /** Measures the time until all have been processed, and the memory. */
  private async measure(type: keyof typeof LEAST, part: string, requests: string[]): Promise<Row[]> {
    const { server, bare } = this;
    // Deletes of unknown accounts are not signed with a key that the bare inbox knows.
    const bareRequests = requests[0]!.includes("/users/gone") ? await this.wave(deletion) : requests;
    const bareRate = () => sendOnce(bare.origin, bare.child.pid, bareRequests);
    const rates = [await bareRate()];
    const before = memory(server.pid);
    const peak = peakOf(server.pid);
    const [begin, used] = [performance.now(), processorTime(server.pid)];
    await sendOnce(server.origin, server.pid, requests);
    await emptied(this.db, "incoming_activities", INTERVAL);
    const seconds = (performance.now() - begin) / 1000;
    const processor = (processorTime(server.pid) - used) / requests.length;
    await this.settle();
    const most = peak();
    const after = memory(server.pid);
    rates.push(await bareRate());
    const bareSpeed = (rates[0]!.perSecond + rates[1]!.perSecond) / 2;
    const bareProcessor = (rates[0]!.processor + rates[1]!.processor) / 2;
    const ratio = requests.length / seconds / bareSpeed;
    return [
      {
        part,
        figure: perSecond(requests.length / seconds),
        processor,
        reference: `${perSecond(bareSpeed)}, ${bareProcessor.toFixed(3)} ms`,
        ratio,
        target: `≥ ${LEAST[type]}`,
        isMet: ratio >= LEAST[type],
      },
      {
        part: "memory meanwhile, and after",
        figure: `${most.toFixed(0)} MB, ${after.toFixed(0)} MB`,
        processor: null,
        reference: `${before.toFixed(0)} MB`,
        ratio: null,
        target: `≤ + ${MOST.growth} MB, + ${MOST.left} MB`,
        isMet: most - before <= MOST.growth && after - before <= MOST.left,
      },
    ];
  }

  /** Waits for the answers and other consequences. */
  private async settle(): Promise<void> {
    await emptied(this.db, "incoming_activities", INTERVAL);
    await emptied(this.db, "jobs WHERE lane IN ('delivery', 'deliveries')", INTERVAL);
    await Bun.sleep(PAUSE);
  }

  private async publish(): Promise<string> {
    const response = await fetch(`${this.server.origin}/api/v1/statuses`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.data.token}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "Good morning! The harbour is quiet, the bread is warm.", language: "en" }),
    });
    return ((await response.json()) as { uri: string }).uri;
  }

  private check(rows: string, expected: number): void {
    const { count } = this.db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${rows}`).get()!;
    if (count !== expected) throw new Error(`${rows}: ${count} rows instead of ${expected}`);
  }
}

const FOLLOWS = "follows f JOIN users u ON u.account_id = f.target_account_id";

const CONTEXT = "https://www.w3.org/ns/activitystreams";

function like(sender: Sender, object: string): object {
  return { "@context": CONTEXT, id: `${sender.uri}#likes/1`, type: "Like", actor: sender.uri, object };
}

interface Follow {
  "@context": string;
  id: string;
  type: "Follow";
  actor: string;
  object: string;
}

function follow(sender: Sender, n: number): Follow {
  const object = `${ORIGIN}/users/viewer`;
  return { "@context": CONTEXT, id: `${sender.uri}#follows/${n}`, type: "Follow", actor: sender.uri, object };
}

function undo(object: Follow): object {
  return { "@context": CONTEXT, id: `${object.id}/undo`, type: "Undo", actor: object.actor, object };
}

/** Of the post with which the account began. */
function deletion({ uri }: Sender, n: number): object {
  const id = `${uri}/statuses/116${String(n).padStart(15, "0")}`;
  const object = { id, type: "Tombstone", atomUri: id };
  const signature = { type: "RsaSignature2017", creator: `${uri}#main-key`, signatureValue: "x".repeat(344) };
  return { "@context": CONTEXT, id: `${id}#delete`, type: "Delete", actor: uri, to: [PUBLIC], object, signature };
}
