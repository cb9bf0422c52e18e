import type { Context } from "../../context.ts";
import { isOver, type PollRow } from "../../core/statuses/polls.ts";
import { idList } from "../../db/json.ts";
import type { polls } from "../../db/schema/index.ts";
import type { PollText } from "../cache.ts";
import { emojisJson } from "../emojis.ts";
import { timestamp } from "../json.ts";

/** Mastodon's Poll (entities/Poll). The viewer's votes are omitted without a viewer. */
export type PollJson = ReturnType<typeof pollJson> & { voted?: boolean; own_votes?: number[] };

/** The columns of `polls p` that a poll is rendered from; all null for a status without a poll. */
export const POLL_COLUMNS = `
  p.id AS poll_id, p.multiple, p.hide_totals, p.voters_count, p.expires_at,
  (SELECT json_group_array(json_array(o.title, o.votes_count) ORDER BY o.position)
   FROM poll_options o WHERE o.poll_id = p.id) AS poll_options`;

export interface PollColumns extends Omit<typeof polls.$inferSelect, "id" | "status_id" | "closed"> {
  poll_id: number;
  poll_options: string;
}

/** Renders a poll without the viewer's votes; `domain` is its author's. */
export function renderPoll(ctx: Context, domain: string | null, row: PollColumns): PollText {
  return {
    id: row.poll_id,
    expiresAt: row.expires_at,
    open: JSON.stringify(pollJson(ctx, domain, row, false)).slice(1, -1),
    over: JSON.stringify(pollJson(ctx, domain, row, true)).slice(1, -1),
  };
}

export function optionsOf(poll_options: string) {
  return JSON.parse(poll_options) as [title: string, votes: number][];
}

function pollJson(ctx: Context, domain: string | null, row: PollColumns, expired: boolean) {
  const options = optionsOf(row.poll_options);
  const titles = options.map(([title]) => title);
  const isTold = expired || row.hide_totals === 0;
  return {
    id: String(row.poll_id),
    expires_at: timestamp(row.expires_at),
    expired,
    multiple: row.multiple === 1,
    votes_count: options.reduce((sum, [, votes]) => sum + votes, 0),
    voters_count: row.voters_count,
    options: options.map(([title, votes]) => ({ title, votes_count: isTold ? votes : null })),
    emojis: emojisJson(ctx, domain, titles),
  };
}

const OWN_VOTES = `
  SELECT poll_id, json_group_array(choice ORDER BY choice) AS choices FROM poll_votes
  WHERE poll_id IN (SELECT value FROM json_each($pollIds)) AND account_id = +$viewer GROUP BY poll_id`;

/** The viewer's choices in each poll, as a JSON list; polls in which they did not vote are missing. */
export function ownVotes(ctx: Context, viewerId: number, pollIds: readonly number[]): Map<number, string> {
  if (!viewerId || pollIds.length === 0) return new Map();
  const rows = ctx.db.all<{ poll_id: number; choices: string }>(OWN_VOTES, {
    pollIds: idList(pollIds),
    viewer: viewerId,
  });
  return new Map(rows.map((row) => [row.poll_id, row.choices]));
}

/** A poll as JSON text, open or expired as of now. As in Mastodon, its author counts as having voted. */
export function pollText(
  ctx: Context,
  viewer: { viewerId: number; isAuthor: boolean },
  poll: PollText,
  votes: ReadonlyMap<number, string>,
): string {
  const members = isOver(ctx, poll.expiresAt) ? poll.over : poll.open;
  if (!viewer.viewerId) return `{${members}}`;
  const own = votes.get(poll.id);
  return `{${members},"voted":${own !== undefined || viewer.isAuthor},"own_votes":${own ?? "[]"}}`;
}

const SHOWN = `
  SELECT ${POLL_COLUMNS}, a.domain
  FROM polls p JOIN statuses s ON s.id = p.status_id JOIN accounts a ON a.id = s.account_id WHERE p.id = +$pollId`;

/** One poll as JSON text, for a viewer who may see its status. */
export function showPoll(ctx: Context, viewerId: number, poll: PollRow): string {
  const row = ctx.db.get<PollColumns & { domain: string | null }>(SHOWN, { pollId: poll.id })!;
  const viewer = { viewerId, isAuthor: poll.account_id === viewerId };
  return pollText(ctx, viewer, renderPoll(ctx, row.domain, row), ownVotes(ctx, viewerId, [poll.id]));
}
