import { PUBLIC, signed } from "../federation/activities.ts";
import { initOf } from "../federation/beside.ts";
import type { Row } from "../federation/row.ts";
import { processorTime } from "../machine.ts";
import type { Fetching } from "./fetching.ts";

const MOST = 2;

/** One post a second, each by an account that is known but not followed, beside the server at rest. */
export async function relayRow(fetching: Fetching, seconds: number): Promise<Row> {
  const { server, data, db } = fetching;
  const [author, relay] = data.senders as [(typeof data.senders)[0], (typeof data.senders)[0]];
  db.query("DELETE FROM follows WHERE target_account_id = (SELECT id FROM accounts WHERE uri = $uri)").run({
    uri: author.uri,
  });
  db.query(
    `INSERT INTO relays (address, kind, inbox, account_uri, follow_uri, state, created_at)
     VALUES ($uri, 'litepub', $uri || '/inbox', $uri, 'bench:follow', 'accepted', 0)`,
  ).run({ uri: relay.uri });
  const announces = Array.from({ length: seconds }, (_, n) => {
    const object = `${new URL(author.uri).origin}/threads/relayed${n}/0`;
    return { id: `${relay.uri}#announces/${n}`, type: "Announce", actor: relay.uri, to: [PUBLIC], object };
  });
  const requests = await Promise.all(announces.map((announce) => signed(relay, JSON.stringify(announce))));
  const idle = await percentOf(server.pid, () => Bun.sleep(seconds * 500));
  const busy = await percentOf(server.pid, async () => {
    const begin = performance.now();
    for (const [n, raw] of requests.entries()) {
      await Bun.sleep(begin + n * 1000 - performance.now());
      const { status } = await fetch(`${server.origin}/inbox`, initOf(raw));
      if (status !== 202) throw new Error(`An Announce was answered with ${status}`);
    }
    await Bun.sleep(begin + seconds * 1000 - performance.now());
  });
  const { posts } = db.query<{ posts: number }, []>("SELECT count(*) AS posts FROM statuses WHERE relayed = 1").get()!;
  if (posts !== seconds) throw new Error(`Of ${seconds} relayed posts, ${posts} were stored`);
  return {
    part: `a relay at 60 posts a minute, for ${seconds} s`,
    figure: `${busy.toFixed(2)} % of a core`,
    // All that the process did in a second.
    processor: busy * 10,
    reference: `${idle.toFixed(2)} % at rest`,
    ratio: null,
    target: `≤ ${MOST} %`,
    isMet: busy <= MOST,
  };
}

/** The CPU time of a process while the work runs, as a part of the time. */
async function percentOf(pid: number, work: () => Promise<unknown>): Promise<number> {
  const [begin, used] = [performance.now(), processorTime(pid)];
  await work();
  return (100 * (processorTime(pid) - used)) / (performance.now() - begin);
}
