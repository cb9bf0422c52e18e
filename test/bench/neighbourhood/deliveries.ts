import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { idAt } from "../../../src/lib/ids.ts";
import type { Command, Running } from "../../support/program.ts";
import { createDataFolder, type DataFolder, ORIGIN, serve } from "../data-folder.ts";
import { median, type Row } from "../federation/row.ts";
import { processorTime } from "../machine.ts";
import { type BenchRequest, rawRequest, responseTo, runLoad } from "../measure.ts";

/** One in so many servers is down, and one in as many refuses everything. */
const ONE_IN = 30;
const MOST = 1;
const MINUTE = 60_000;

interface Scale {
  posts: number;
  servers: number;
  /** Of a turn. */
  seconds: number;
  turns: number;
}

interface Cost {
  processor: number;
  p50: number;
}

/** Which servers have the latest of many posts, while all posts wait for some servers, beside the post itself. */
export async function deliveryRows(command: Command, root: string, scale: Scale): Promise<Row[]> {
  const folder = join(root, "deliveries");
  mkdirSync(folder);
  const data = await createDataFolder(command, folder, 0);
  const id = seedDeliveries(data, scale);
  const server = await serve(command, data);
  const paths = [`/api/v1/linnet/statuses/${id}/deliveries`, `/api/v1/statuses/${id}`] as const;
  const { published } = (await responseTo(server, requestFor(data, paths[0]))) as { published: { waiting: number } };
  if (published.waiting !== Math.floor(scale.servers / ONE_IN)) throw new Error("The servers that wait are missing");
  const costs: [Cost, Cost][] = [];
  for (let turn = 0; turn <= scale.turns; turn += 1) {
    const pair: Cost[] = [];
    for (const path of paths) pair.push(await measure(server, data, path, scale.seconds));
    if (turn > 0) costs.push(pair as [Cost, Cost]);
  }
  await server.stop();
  const [ours, plain] = ([0, 1] as const).map((at) => median(costs.map((pair) => pair[at].processor)));
  const [time, plainTime] = ([0, 1] as const).map((at) => median(costs.map((pair) => pair[at].p50)));
  return [
    {
      part: `deliveries of a post, at ${scale.posts.toLocaleString("en")} posts × ${scale.servers} servers`,
      figure: `${time!.toFixed(2)} ms`,
      processor: ours!,
      reference: `${plainTime!.toFixed(2)} ms, ${plain!.toFixed(3)} ms: the post`,
      ratio: null,
      target: `≤ ${MOST} ms CPU`,
      isMet: ours! <= MOST,
    },
  ];
}

function requestFor({ token }: DataFolder, path: string): BenchRequest {
  return { name: "", method: "GET", path, token };
}

async function measure({ origin, pid }: Running, data: DataFolder, path: string, seconds: number): Promise<Cost> {
  const used = processorTime(pid);
  const request = rawRequest(requestFor(data, path));
  const load = { requests: [request], connections: 1, warmUpSeconds: seconds / 2, seconds };
  const { p50, answered } = await runLoad(origin, load);
  return { processor: (processorTime(pid) - used) / answered, p50 };
}

/** Posts by the viewer, one a minute, each delivered to all servers but those that are down. Returns the id of the last. */
function seedDeliveries({ folder }: DataFolder, { posts, servers }: Scale): number {
  const db = new Database(join(folder, "linnet.db"), { strict: true });
  const now = Date.now();
  const { id: viewer } = db.query<{ id: number }, []>("SELECT account_id AS id FROM users").get()!;
  const first = now - posts * MINUTE;
  const hosts = Math.floor(servers / ONE_IN);
  const ids = { firstId: idAt(first), step: idAt(first + MINUTE) - idAt(first) };
  db.transaction(() => {
    db.query(
      `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $posts)
       INSERT INTO statuses (id, account_id, uri, url, local, visibility, text, content, conversation_id, created_at)
       SELECT $firstId + n * $step, $viewer, $origin || '/users/viewer/statuses/' || n, $origin || '/@viewer/' || n, 1, 'public',
         'Good morning!', '<p>Good morning!</p>', $firstId + n * $step, $first + n * ${MINUTE} FROM n`,
    ).run({ posts, first, viewer, origin: ORIGIN, ...ids });
    db.query(
      `INSERT INTO status_deliveries (activity_id, status_id, is_edit, created_at, servers, refused)
       SELECT row_number() OVER (ORDER BY id), id, 0, created_at, $servers, $refused FROM statuses`,
    ).run({ servers, refused: hosts });
    db.query(
      `INSERT INTO outgoing_activities (id, account_id, body, created_at)
       SELECT activity_id, $viewer, '{}', created_at FROM status_deliveries`,
    ).run({ viewer });
    for (let n = 0; n < hosts; n += 1) seedHost(db, n, now);
  })();
  const { id } = db.query<{ id: number }, []>("SELECT max(status_id) AS id FROM status_deliveries").get()!;
  db.close();
  return id;
}

/** A host that is down, for which all posts wait, and one that has refused all. */
function seedHost(db: Database, n: number, now: number): void {
  const [down, refusing] = [`down${n}.example`, `refusing${n}.example`];
  db.query(
    `INSERT INTO hosts (domain, down_since, failures, next_attempt_at, problem)
     VALUES ($down, $since, 9, $next, 'it has no address')`,
  ).run({ down, since: now - 1000 * MINUTE, next: now + 1000 * MINUTE });
  db.query(
    "INSERT INTO deliveries (activity_id, inbox) SELECT activity_id, 'https://' || $down || '/inbox' FROM status_deliveries",
  ).run({ down });
  db.query(
    "INSERT INTO refused_deliveries SELECT activity_id, $refusing, 'it answered 403', created_at FROM status_deliveries",
  ).run({ refusing });
}
