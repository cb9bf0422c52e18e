import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { statusUri, statusUrl } from "../addresses.ts";
import { attachMedia } from "../media/attachments.ts";
import { checkDraft, type CheckedDraft, type Draft, recheckDraft } from "./drafts.ts";
import { type PublishResult, rememberKey, resultOfKey } from "./idempotency.ts";
import { newPoll } from "./polls.ts";
import { newPolicy } from "../interaction-policies.ts";
import { quotersOf } from "../quotes/policy.ts";
import { storeStatus } from "./storing.ts";

/** The author of a status, and the app that sends it. */
export interface Author {
  accountId: number;
  appId: number | null;
}

/**
 * Validates a status and publishes it in one transaction. If a request with the same idempotency key created something
 * within an hour, returns that instead. The text is parsed and rendered before the transaction, which begins in a later
 * tick and may be shared with other posts: `recheckDraft()` lists what may have changed by then.
 */
export async function publish(
  ctx: Context,
  author: Author,
  draft: Draft,
  idempotencyKey: string | null,
): Promise<PublishResult> {
  const { accountId } = author;
  const repeated = idempotencyKey && resultOfKey(ctx, accountId, idempotencyKey);
  if (repeated) {
    await ctx.db.whenSynced();
    return repeated;
  }
  const checked = checkDraft(ctx, accountId, draft);
  return ctx.db.groupCommit((tx) => {
    const simultaneous = idempotencyKey && resultOfKey(ctx, accountId, idempotencyKey);
    if (simultaneous) return simultaneous;
    const statusId = writeStatus(ctx, tx, author, recheckDraft(ctx, accountId, checked));
    if (idempotencyKey) rememberKey(ctx, tx, accountId, idempotencyKey, { statusId });
    return { statusId };
  });
}

/** Stores a validated status of a local user. Returns its id. */
export function writeStatus(ctx: Context, tx: Tx, author: Author, draft: CheckedDraft): number {
  const { composed, mediaIds, username, poll } = draft;
  const id = ctx.ids.next();
  const status = {
    id,
    accountId: author.accountId,
    uri: statusUri(ctx, username, id),
    url: statusUrl(ctx, username, id),
    local: true,
    visibility: draft.visibility,
    localOnly: draft.localOnly,
    text: draft.text,
    contentType: draft.contentType,
    content: composed.content,
    spoilerText: draft.spoilerText,
    sensitive: draft.sensitive,
    language: draft.language,
    parent: draft.parent,
    inReplyToUri: null,
    createdAt: ctx.clock.now(),
    editedAt: null,
    appId: author.appId,
    mentions: composed.mentions,
    addressees: [],
    tags: composed.tags,
    links: composed.links,
    poll: poll && newPoll(ctx, poll),
    quoted: draft.quoted,
    quoters: quotersOf(draft.quotePolicy, draft.visibility),
    policy: newPolicy(draft.defaultPolicies, draft.visibility, draft.policy),
    originCounts: null,
    attachMedia: mediaIds.length > 0 ? () => attachMedia(tx, id, mediaIds) : null,
  };
  storeStatus(ctx, tx, status, "published");
  return id;
}
