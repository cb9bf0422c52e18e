import type { Context } from "../../context.ts";
import { type Budget, contextWithin } from "../../core/fetches.ts";
import { isSameOrigin } from "../documents.ts";
import { readActivity } from "../read/activity.ts";
import { idOf, isJson, type Json } from "../read/json.ts";
import { readStatus, type RemoteStatus } from "../read/status.ts";
import { accountAt } from "./actors.ts";
import { itemsOf } from "./collections.ts";
import { fetchDocument } from "./fetch.ts";
import { ownStatusAt, statusIdOf } from "./known-statuses.ts";
import { orNull, statusAt, storeEdit, storeStatus, withQuote } from "./statuses.ts";

/*
 * Completes a thread. Its root may name a collection of everything in the thread (FEP-f228); otherwise the replies of each
 * post name the next ones. A post counts only as its own server has it.
 */

const MAX_POSTS = 200;
const MAX_DEPTH = 20;
/** Each post may need its document, a page of replies, and two requests for an unknown author. */
const BUDGET: Budget = { requests: 800, bytes: 64 * 1024 * 1024 };
/** Replies to one post that are followed. */
const MAX_REPLIES = 100;

/** A post of the thread that was found but not read yet. */
interface Found {
  uri: string;
  /** Null for the root. */
  parent: string | null;
  /** Its document, if its own server has sent it already. */
  document: Json | null;
}

const ROOT = `
  WITH RECURSIVE up (id, parent, distance) AS (
    SELECT id, in_reply_to_id, 0 FROM statuses WHERE id = +$statusId
    UNION ALL
    SELECT s.id, s.in_reply_to_id, distance + 1 FROM up JOIN statuses s ON s.id = up.parent WHERE distance < 1000
  )
  SELECT s.uri, s.local, s.in_reply_to_uri FROM up JOIN statuses s ON s.id = up.id ORDER BY distance DESC LIMIT 1`;

interface Root {
  uri: string;
  local: number;
  in_reply_to_uri: string | null;
}

/** Fetches what is missing of the thread of a status, and the counts of its posts. */
export async function fetchThread(ctx: Context, statusId: number): Promise<void> {
  const limited = contextWithin(ctx, { ...BUDGET });
  const root = await rootOf(limited, statusId);
  if (!root) return;
  const document = root.local === 1 ? null : await orNull(fetchDocument(limited, root.uri));
  const walk = new Walk(limited, root.uri);
  if (document && (await walk.readContext(document))) return;
  await walk.descend({ uri: root.uri, parent: null, document });
}

/** The first post of the thread. Unknown ones above the first known one are fetched. */
async function rootOf(ctx: Context, statusId: number): Promise<Root | null> {
  const known = ctx.db.get<Root>(ROOT, { statusId });
  if (!known?.in_reply_to_uri) return known;
  await orNull(statusAt(ctx, known.in_reply_to_uri));
  return ctx.db.get<Root>(ROOT, { statusId });
}

const CHILDREN = `
  SELECT c.uri FROM statuses p JOIN statuses c ON c.in_reply_to_id = p.id
  WHERE p.uri = +$uri AND c.local = 0 ORDER BY c.id LIMIT +$limit`;
const LOCAL = "SELECT 1 FROM statuses WHERE uri = +$uri AND local = 1";

class Walk {
  private readonly seen = new Set<string>();

  constructor(
    private readonly ctx: Context,
    private readonly rootUri: string,
  ) {}

  /**
   * Reads the collection of the whole thread, if the root names one. Returns whether the thread is complete then: not if
   * the collection is another server's, or has posts that can't be read.
   */
  async readContext(root: Json): Promise<boolean> {
    const address = idOf(root.context);
    if (address === null) return false;
    const collection = await orNull(fetchDocument(this.ctx, address));
    if (!collection) return false;
    const found: Found[] = [];
    for await (const item of itemsOf(this.ctx, collection, address)) {
      if (found.length === MAX_POSTS || this.ctx.isStopping) break;
      const post = this.postOf(item, address);
      if (post && !this.seen.has(post.uri)) {
        this.seen.add(post.uri);
        found.push(post);
      }
    }
    if (found.length === 0) return false;
    const read = await Promise.all(found.map((post) => this.read(post)));
    await this.storeInOrder(
      read.filter((status) => status !== null),
      root,
    );
    return isSameOrigin(address, this.rootUri) && !read.includes(null);
  }

  /** Reads a post and the replies to it, then the replies to these. */
  async descend(root: Found): Promise<void> {
    let level = [root];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0 && !this.ctx.isStopping; depth += 1) {
      const next: Found[] = [];
      for (const replies of await Promise.all(level.map((post) => this.repliesTo(post)))) {
        for (const reply of replies) {
          if (this.seen.has(reply.uri) || this.seen.size >= MAX_POSTS) continue;
          this.seen.add(reply.uri);
          next.push(reply);
        }
      }
      level = next;
    }
  }

  /** Stores a post, and returns the replies to it that its server and this one know. None if it isn't of the thread. */
  private async repliesTo(post: Found): Promise<Found[]> {
    const { ctx } = this;
    const known = ctx.db.all<{ uri: string }>(CHILDREN, { uri: post.uri, limit: MAX_REPLIES });
    const found: Found[] = known.map(({ uri }) => ({ uri, parent: post.uri, document: null }));
    if (ctx.db.get(LOCAL, { uri: post.uri })) return found;
    const document = post.document ?? (await orNull(fetchDocument(ctx, post.uri)));
    const status = document && readStatus(document, ctx.clock.now());
    if (!status || status.uri !== post.uri || !this.isOf(status, post)) return found;
    await orNull(this.store(status));
    const replies = isJson(document.replies) ? document.replies : idOf(document.replies);
    if (replies === null || status.repliesCount === 0) return found;
    for await (const item of itemsOf(ctx, replies, post.uri)) {
      if (found.length >= MAX_REPLIES + known.length) break;
      const reply = this.postOf(item, post.uri);
      if (reply) found.push({ ...reply, parent: post.uri });
    }
    return found;
  }

  private isOf(status: RemoteStatus, { parent }: Found): boolean {
    return (
      !status.vote && isSameOrigin(status.uri, status.attributedTo) && (parent === null || status.inReplyTo === parent)
    );
  }

  /** An item of a collection: a post, its address, or the activity that published it. */
  private postOf(item: string | Json, collection: string): Found | null {
    if (!isJson(item)) return { uri: item, parent: null, document: null };
    const activity = item.type === "Create" ? readActivity(item, this.ctx.clock.now()) : null;
    const document = activity ? activity.object : item;
    const uri = activity ? activity.objectId : idOf(item);
    // The posts of other servers are fetched from there.
    return uri === null ? null : { uri, parent: null, document: isSameOrigin(uri, collection) ? document : null };
  }

  /** Null if it can't be read. */
  private async read({ uri, document }: Found): Promise<RemoteStatus | null> {
    const own = document ?? (await orNull(fetchDocument(this.ctx, uri)));
    const status = own && readStatus(own, this.ctx.clock.now());
    return status && !status.vote && isSameOrigin(status.uri, status.attributedTo) ? status : null;
  }

  /** Stores posts whose parent is in the thread, as long as there are some: the collection may have others. */
  private async storeInOrder(statuses: readonly RemoteStatus[], root: Json): Promise<void> {
    const first = readStatus(root, this.ctx.clock.now());
    if (first) await orNull(this.store(first));
    let waiting = statuses.filter(({ uri }) => uri !== this.rootUri);
    for (let stored = -1; stored !== waiting.length && waiting.length > 0;) {
      stored = waiting.length;
      const ready = waiting.filter(({ inReplyTo }) => this.isInThread(inReplyTo));
      await Promise.all(ready.map((status) => orNull(this.store(status))));
      waiting = waiting.filter((status) => !ready.includes(status));
    }
  }

  private isInThread(uri: string | null): boolean {
    return uri !== null && (uri === this.rootUri || this.seen.has(uri)) && statusIdOf(this.ctx.db, uri) !== null;
  }

  /** Stores a post, or its present counts, text and results if it is known. */
  private async store(status: RemoteStatus): Promise<void> {
    const { ctx } = this;
    const authorId = await accountAt(ctx, status.attributedTo);
    const ready = await withQuote(ctx, authorId, status);
    ctx.db.transaction(
      (tx) => {
        const before = ownStatusAt(tx, authorId, status.uri);
        if (before) storeEdit(ctx, tx, before, ready);
        else storeStatus(ctx, tx, ready, "fetched");
      },
      // After a power failure, the job runs again.
      { isSynced: false },
    );
  }
}
