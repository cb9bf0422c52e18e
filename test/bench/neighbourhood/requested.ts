import { idAt } from "../../../src/lib/ids.ts";
import { median, type Row } from "../federation/row.ts";
import { rawRequest, runLoad } from "../measure.ts";
import type { Fetching } from "./fetching.ts";

const MOST = 1.2;
/** Between two requests, in ms: users read what they open. */
const PAUSE = 100;
const REPLIES = 4;
/** Turns without pauses, so that the engine has compiled the hot code of both. */
const WARM_UP = 20;
const DAY = 24 * 3600_000;

/** The routes that cause fetches, each over one connection: with a job for each request, and while none is due. */
export async function requestedRows(fetching: Fetching, count: number, turns: number): Promise<Row[]> {
  const threads = seedThreads(fetching, count);
  const accounts = fetching.db
    .query<{ id: number }, { count: number }>(
      "SELECT id FROM accounts WHERE uri LIKE 'http://127%' ORDER BY id LIMIT $count",
    )
    .all({ count })
    .map(({ id }) => id);
  return [
    await row(fetching, turns, "/context", "thread.fetch", threads, (id) => `/api/v1/statuses/${id}/context`),
    await row(
      fetching,
      turns,
      "/accounts/:id/statuses",
      "profile.fetch",
      accounts,
      (id) => `/api/v1/accounts/${id}/statuses`,
    ),
  ];
}

async function row(
  fetching: Fetching,
  turns: number,
  name: string,
  kind: string,
  ids: readonly number[],
  pathOf: (id: number) => string,
): Promise<Row> {
  const { server, data, db } = fetching;
  const requests = ids.map((id) => rawRequest({ name, method: "GET", path: pathOf(id), token: data.token }));
  const load = { requests, connections: 1, warmUpSeconds: 0, seconds: 300, once: true, pause: PAUSE };
  const due = db.query("INSERT OR REPLACE INTO fetches (subject, due_at) VALUES ($subject, $dueAt)");
  const setDue = (dueAt: number) =>
    db.transaction(() => ids.forEach((id) => due.run({ subject: `${kind} ${id}`, dueAt })))();
  for (let turn = 0; turn < WARM_UP; turn += 1) {
    setDue(turn % 2 === 0 ? 0 : Date.now() + DAY);
    await runLoad(server.origin, { ...load, pause: 0 });
    await fetching.idle();
  }
  const times: [number, number][] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    setDue(Date.now() + DAY);
    const without = await runLoad(server.origin, load);
    setDue(0);
    const beside = await runLoad(server.origin, load);
    await fetching.idle();
    times.push([beside.p50, without.p50]);
  }
  const [beside, without] = ([0, 1] as const).map((at) => median(times.map((pair) => pair[at])));
  const ratio = beside! / without!;
  return {
    part: `\`${name}\` ten times a second, each has something fetched: median`,
    figure: `${beside!.toFixed(2)} ms`,
    processor: null,
    reference: `${without!.toFixed(2)} ms`,
    ratio,
    target: `≤ ${MOST}`,
    isMet: ratio <= MOST,
  };
}

/** Threads of other servers with some known replies. Returns the ids of their first posts. */
function seedThreads({ db, data }: Fetching, count: number): number[] {
  const add = db.query(
    `INSERT INTO statuses (id, account_id, uri, url, local, visibility, content, conversation_id, in_reply_to_id,
       in_reply_to_account_id, replies_count, created_at)
     SELECT $id, id, $uri, $uri, 0, 'public', '<p>The harbour is quiet, the bread is warm.</p>', $root, $parent,
       iif($parent IS NULL, NULL, id), $replies, $at
     FROM accounts WHERE uri = $author`,
  );
  const now = Date.now();
  const threads = Array.from({ length: count }, (_, n) => {
    const author = data.senders[n % data.senders.length]!.uri;
    const [at, uri] = [now - 10 * DAY + n, `${new URL(author).origin}/notes/${n}`];
    const root = idAt(at);
    add.run({ id: root, uri, root, parent: null, replies: REPLIES, at, author });
    for (let reply = 1; reply <= REPLIES; reply += 1) {
      const time = at + reply * count;
      add.run({ id: idAt(time), uri: `${uri}/${reply}`, root, parent: root, replies: 0, at: time, author });
    }
    return root;
  });
  return threads;
}
