import type { Row } from "../federation/row.ts";
import { type Costs, fetchRow, type Fetching } from "./fetching.ts";
import { THREAD_LENGTH } from "./peer.ts";

const LEAST = 0.4;
/** For the post that the thread begins with, which may have changed, and the collection. */
const REQUESTS = 2;

/** Fills threads of which only the first post is known. */
export async function threadRows(fetching: Fetching, warmUp: number, turns: number): Promise<Row[]> {
  const origin = new URL(fetching.data.senders[0]!.uri).origin;
  const fill = async (kind: string): Promise<Costs[]> => {
    const ids: string[] = [];
    for (let turn = 0; turn < warmUp + turns; turn += 1)
      ids.push(await found(fetching, `${origin}/threads/${kind}${turn}/0`));
    const costs = await fetching.alternate(warmUp, turns, (turn) =>
      fetching.get(`/api/v1/statuses/${ids[turn]}/context`),
    );
    for (const id of ids) check(fetching, id);
    return costs;
  };
  const paged = await fill("paged");
  const embedded = await fill("embedded");
  const { ours, signed } = embedded.at(-1)!;
  const requests = ours.urls.length;
  return [
    fetchRow(`a thread of ${THREAD_LENGTH} posts, by collections of replies`, THREAD_LENGTH, paged, LEAST),
    {
      part: "the same with a context collection: requests, and time",
      figure: `${requests}, ${ours.milliseconds.toFixed(0)} ms`,
      processor: ours.processor / THREAD_LENGTH,
      reference: `${signed.milliseconds.toFixed(0)} ms`,
      ratio: null,
      target: "1, and 1 for the first post",
      isMet: requests <= REQUESTS,
    },
  ];
}

async function found(fetching: Fetching, uri: string): Promise<string> {
  const query = new URLSearchParams({ q: uri, resolve: "true", type: "statuses" });
  const { statuses } = (await (await fetching.get(`/api/v2/search?${query}`)).json()) as { statuses: { id: string }[] };
  if (!statuses[0]) throw new Error(`${uri} was not found`);
  return statuses[0].id;
}

function check({ db }: Fetching, id: string): void {
  const query = "SELECT count(*) AS posts FROM statuses WHERE conversation_id = $id";
  const { posts } = db.query<{ posts: number }, { id: number }>(query).get({ id: Number(id) })!;
  if (posts !== THREAD_LENGTH) throw new Error(`A thread has ${posts} posts`);
}
