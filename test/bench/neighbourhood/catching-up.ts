import { rawRequest, runLoad } from "../measure.ts";
import { median, type Row } from "../federation/row.ts";
import { memory } from "../machine.ts";
import { fetchRow, type Fetching } from "./fetching.ts";
import { isListed, OUTBOX_LENGTH } from "./peer.ts";

const MOST = { median: 1.25, growth: 40 };
const LEAST = 0.4;
const QUARTER_HOUR = 15 * 60_000;
const DAY = 24 * 3600_000;
/** For clearing up, in ms: the collector frees memory in steps. */
const PAUSE = 15_000;
/** How often the memory is looked at, in ms. */
const INTERVAL = 50;

interface Scale {
  /** In each turn. */
  accounts: number;
  warmUp: number;
  turns: number;
  /** Of a load on the home timeline. */
  seconds: number;
}

/** How many followed accounts the turns of this scale need. */
export function sendersFor({ accounts, warmUp, turns }: Scale): number {
  // Of both kinds of outboxes; and another turn beside the load.
  return 2 * accounts * (warmUp + turns + 2);
}

/** Reads the outboxes of followed accounts after an outage, all at once instead of within a quarter of an hour. */
export async function catchingUpRows(fetching: Fetching, scale: Scale): Promise<Row[]> {
  const { accounts, warmUp, turns } = scale;
  const uris = fetching.data.senders.map(({ uri }) => uri);
  const kinds = [uris.filter((uri) => !isListed(uri)), uris.filter(isListed)] as const;
  const next = (kind: 0 | 1) => kinds[kind].splice(0, accounts);
  const name = `${accounts} accounts × ${OUTBOX_LENGTH} missed posts`;
  await fetching.alternate(warmUp, 0, () => catchUp(fetching, next(0), 0));
  await Bun.sleep(PAUSE);
  const before = memory(fetching.server.pid);
  const peak = peakOf(fetching.server.pid);
  const pages = await fetching.alternate(0, turns, () => catchUp(fetching, next(0), 0));
  const most = peak();
  const listed = await fetching.alternate(warmUp, turns, () => catchUp(fetching, next(1), 0));
  check(fetching, uris.slice(0, 1));
  const rows = [
    fetchRow(`${name}, in outboxes with posts`, accounts * OUTBOX_LENGTH, pages, LEAST),
    fetchRow(`${name}, in outboxes with addresses`, accounts * OUTBOX_LENGTH, listed, LEAST),
    {
      part: `memory meanwhile, in ${turns} times`,
      figure: `${most.toFixed(0)} MB`,
      processor: null,
      reference: `${before.toFixed(0)} MB`,
      ratio: null,
      target: `≤ + ${MOST.growth} MB`,
      isMet: most - before <= MOST.growth,
    },
  ];
  rows.push(await homeMeanwhile(fetching, scale, next(0), 0));
  rows.push(await homeMeanwhile(fetching, scale, next(0), QUARTER_HOUR));
  return rows;
}

const ADD = `
  INSERT INTO jobs (kind, lane, host, key, payload, run_at, created_at)
  SELECT 'profile.catch_up', 'fetches', $host, 'profile.catch_up ' || id,
    json_object('accountId', id, 'since', $since), $runAt, 0
  FROM accounts WHERE uri = $uri`;

/** The jobs that a start after an outage adds, spread over this time. */
function catchUp({ db }: Fetching, uris: readonly string[], spread: number): void {
  const now = Date.now();
  const add = db.query(ADD);
  db.transaction(() => {
    for (const [at, uri] of uris.entries()) {
      const runAt = now + Math.floor((spread * at) / uris.length);
      add.run({ uri, host: new URL(uri).host, since: now - DAY, runAt });
    }
  })();
}

function check({ db }: Fetching, uris: readonly string[]): void {
  const query = "SELECT count(*) AS posts FROM statuses WHERE uri GLOB $uri || '/posts/*'";
  for (const uri of uris) {
    const { posts } = db.query<{ posts: number }, { uri: string }>(query).get({ uri })!;
    if (posts !== OUTBOX_LENGTH) throw new Error(`An account has ${posts} posts`);
  }
}

async function homeMeanwhile(fetching: Fetching, scale: Scale, uris: string[], spread: number): Promise<Row> {
  const { server, data } = fetching;
  const request = rawRequest({ name: "", method: "GET", path: "/api/v1/timelines/home", token: data.token });
  const load = { requests: [request], connections: 1, warmUpSeconds: 0, seconds: scale.seconds };
  const share = Math.ceil(uris.length / scale.turns);
  const turns: [number, number][] = [];
  for (let turn = 0; turn < scale.turns; turn += 1) {
    const alone = await runLoad(server.origin, load);
    catchUp(fetching, spread > 0 ? uris : uris.slice(turn * share, (turn + 1) * share), spread);
    turns.push([(await runLoad(server.origin, load)).p50, alone.p50]);
    fetching.db.run("DELETE FROM jobs WHERE kind = 'profile.catch_up' AND leased = 0");
    await fetching.idle();
  }
  const [beside, alone] = ([0, 1] as const).map((at) => median(turns.map((pair) => pair[at])));
  const ratio = beside! / alone!;
  return {
    part: `home timeline median meanwhile, ${spread > 0 ? "as spread over a quarter of an hour" : "all accounts at once"}`,
    figure: `${beside!.toFixed(2)} ms`,
    processor: null,
    reference: `${alone!.toFixed(2)} ms`,
    ratio,
    target: `≤ ${MOST.median}`,
    isMet: ratio <= MOST.median,
  };
}

/** Watches the memory of a process. Returns what ends this and returns the highest figure, in MB. */
export function peakOf(pid: number): () => number {
  let peak = memory(pid);
  const timer = setInterval(() => (peak = Math.max(peak, memory(pid))), INTERVAL);
  return () => {
    clearInterval(timer);
    return peak;
  };
}
