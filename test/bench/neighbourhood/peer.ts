/*
 * The other servers: one process that listens on as many ports as the argument says, each a host of its own, and responds
 * at once. Prints the ports; then, for each line of the input, what was requested since the last one.
 *
 * `/threads/NAME/N` is a post of a thread of 200, in which each has up to three replies: in "paged" ones, a collection
 * lists these, as in Mastodon; "embedded" ones have a collection of the whole thread. `/users/NAME/outbox` lists 20 posts
 * of today and 20 of last year; half of the outboxes contain the posts, the others only their addresses.
 */
import { CONTEXT, PUBLIC } from "../federation/activities.ts";
import { loopbackAddress } from "../federation/sinks.ts";
import { textGenerator } from "../words.ts";

export interface Requested {
  urls: string[];
  /** When the first and the last request arrived, in milliseconds since 1970. */
  first: number;
  last: number;
}

export const THREAD_LENGTH = 200;
export const OUTBOX_LENGTH = 20;
/** Hosts that take part in a thread. */
const PARTICIPANTS = 40;
const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

const origins: string[] = [];
const started = Date.now();
const text = textGenerator()();
let urls: string[] = [];
let [first, last] = [0, 0];

interface Written {
  published: number;
  inReplyTo?: string | null;
  replies?: object | string;
  context?: string;
}

/** As long as Mastodon's. */
function note(id: string, author: string, { published, inReplyTo = null, ...rest }: Written): object {
  const content = `<p>${text} ${id}</p>`;
  return {
    "@context": CONTEXT,
    id,
    type: "Note",
    summary: null,
    inReplyTo,
    published: new Date(published).toISOString(),
    url: id,
    attributedTo: author,
    to: [PUBLIC],
    cc: [`${author}/followers`],
    sensitive: false,
    atomUri: id,
    inReplyToAtomUri: inReplyTo,
    content,
    contentMap: { en: content },
    attachment: [],
    tag: [],
    likes: { id: `${id}/likes`, type: "Collection", totalItems: 0 },
    shares: { id: `${id}/shares`, type: "Collection", totalItems: 0 },
    ...rest,
  };
}

/** The accounts of a host are those with this number and every `origins.length`-th after it. */
function authorAt(host: number): string {
  return `${origins[host]}/users/writer${host}`;
}

function threadAddress(name: string, n: number): string {
  return `${origins[name.startsWith("paged") ? n % Math.min(PARTICIPANTS, origins.length) : 0]}/threads/${name}/${n}`;
}

function threadPost(name: string, n: number): object {
  const id = threadAddress(name, n);
  const host = origins.indexOf(new URL(id).origin);
  const inReplyTo = n === 0 ? null : threadAddress(name, Math.floor((n - 1) / 3));
  const published = started + n;
  if (!name.startsWith("paged")) {
    const context = `${threadAddress(name, 0)}/context`;
    return note(id, authorAt(host), { published, inReplyTo, context });
  }
  const pageAt = { type: "CollectionPage", partOf: `${id}/replies`, next: `${id}/replies`, items: [] };
  const replies = { id: `${id}/replies`, type: "Collection", first: pageAt };
  return note(id, authorAt(host), { published, inReplyTo, replies });
}

function repliesTo(name: string, n: number): object {
  const replies = [1, 2, 3].map((each) => n * 3 + each).filter((each) => each < THREAD_LENGTH);
  const items = replies.map((each) => threadAddress(name, each));
  const id = `${threadAddress(name, n)}/replies`;
  return { "@context": CONTEXT, id, type: "CollectionPage", partOf: id, items };
}

function contextOf(name: string): object {
  const id = `${threadAddress(name, 0)}/context`;
  const orderedItems = Array.from({ length: THREAD_LENGTH }, (_, n) => threadPost(name, n));
  const page = { type: "OrderedCollectionPage", partOf: id, orderedItems };
  return { "@context": CONTEXT, id, type: "OrderedCollection", totalItems: THREAD_LENGTH, first: page };
}

function outboxPost(author: string, n: number): object {
  const published = started - (n + 1) * MINUTE - (n < OUTBOX_LENGTH ? 0 : YEAR);
  return note(`${author}/posts/${n}`, author, { published });
}

function outbox(author: string, page: string | null): object {
  const id = `${author}/outbox`;
  if (page === null) {
    return {
      "@context": CONTEXT,
      id,
      type: "OrderedCollection",
      totalItems: 2 * OUTBOX_LENGTH,
      first: `${id}?page=1`,
    };
  }
  const at = (Number(page) - 1) * OUTBOX_LENGTH;
  const orderedItems = Array.from({ length: OUTBOX_LENGTH }, (_, n) => creation(author, at + n));
  const next = page === "1" ? { next: `${id}?page=2` } : {};
  return {
    "@context": CONTEXT,
    id: `${id}?page=${page}`,
    type: "OrderedCollectionPage",
    partOf: id,
    orderedItems,
    ...next,
  };
}

function creation(author: string, n: number): object {
  const { "@context": _, ...post } = outboxPost(author, n) as { "@context": unknown; id: string; published: string };
  const activity = {
    id: `${post.id}/activity`,
    type: "Create",
    actor: author,
    to: [PUBLIC],
    cc: [`${author}/followers`],
  };
  if (isListed(author)) return { ...activity, object: post.id };
  return { ...activity, published: post.published, object: post };
}

/** Whether the outbox of an account has only the addresses of its posts. */
export function isListed(author: string): boolean {
  return Number(/\d+$/.exec(author)![0]) % 2 === 1;
}

function documentAt(url: URL): object | null {
  const [, kind, name = "", part = "", more] = url.pathname.split("/");
  if (kind === "threads") {
    if (part === "0" && more === "context") return contextOf(name);
    return more === "replies" ? repliesTo(name, Number(part)) : threadPost(name, Number(part));
  }
  if (kind !== "users") return null;
  const author = `${url.origin}/users/${name}`;
  if (part === "outbox") return outbox(author, url.searchParams.get("page"));
  return part === "posts" ? outboxPost(author, Number(more)) : null;
}

function respond(request: Request): Response {
  last = performance.timeOrigin + performance.now();
  if (urls.length === 0) first = last;
  urls.push(request.url);
  const document = documentAt(new URL(request.url));
  if (!document) return new Response(null, { status: 404 });
  return Response.json(document, { headers: { "content-type": "application/activity+json" } });
}

if (import.meta.main) {
  const ports = Array.from({ length: Number(process.argv[2]) }, (_, n) => {
    const { port } = Bun.serve({ hostname: loopbackAddress(n), port: 0, fetch: respond });
    origins.push(`http://${loopbackAddress(n)}:${port}`);
    return port;
  });
  console.log(JSON.stringify(ports));
  for await (const _ of console) {
    console.log(JSON.stringify({ urls, first, last } satisfies Requested));
    urls = [];
  }
}
