import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { previewCards } from "../../db/schema/index.ts";
import { accountTexts, type AccountJson } from "../accounts.ts";
import type { CardText } from "../cache.ts";
import { cardHistories, type DayJson } from "../histories.ts";
import { timestamp } from "../json.ts";
import { remoteCardUrl } from "../../core/remote-media/remote-names.ts";

/** Mastodon's PreviewCard (entities/PreviewCard). `missing_attribution` is omitted without a viewer. */
export type CardJson = ReturnType<typeof membersOf> & {
  authors: (ReturnType<typeof authorOf> & { account: AccountJson | null })[];
  missing_attribution?: boolean;
};

type CardRow = typeof previewCards.$inferSelect & {
  /** The URL in the status, or that of the page itself. */
  link: string;
  creator_domain: string | null;
  attribution_domains: string | null;
};

const OF_STATUSES = `
  SELECT s.status_id, l.url AS link, c.*, a.domain AS creator_domain, a.attribution_domains
  FROM status_links s JOIN links l ON l.id = s.link_id JOIN preview_cards c ON c.id = l.card_id
    LEFT JOIN accounts a ON a.id = c.creator_account_id
  WHERE s.status_id IN (SELECT value FROM json_each($statusIds))`;

/** The cards of statuses, in pieces for `cardText`; statuses without a card are missing. */
export function cardsByStatus(ctx: Context, statusIds: string): Map<number, CardText> {
  const rows = ctx.db.all<CardRow & { status_id: number }>(OF_STATUSES, { statusIds });
  return new Map(rows.map((row) => [row.status_id, piecesOf(ctx, row)]));
}

const BY_IDS = `
  SELECT c.url AS link, c.*, a.domain AS creator_domain, a.attribution_domains
  FROM preview_cards c LEFT JOIN accounts a ON a.id = c.creator_account_id
  WHERE c.id IN (SELECT value FROM json_each($ids))`;

/** Mastodon's Trends::Link: cards in the order of the ids, each with its history. */
export function showTrendLinks(
  ctx: Context,
  viewerId: number,
  ids: readonly number[],
): (CardJson & { history: DayJson[] })[] {
  const rows = ctx.db.all<CardRow>(BY_IDS, { ids: idList(ids) });
  const cards = new Map(rows.map((row) => [row.id, piecesOf(ctx, row)]));
  const histories = cardHistories(ctx, ids);
  const accounts = accountTexts(
    ctx,
    [...cards.values()].flatMap(({ authorId }) => authorId ?? []),
  );
  return ids.flatMap((id) => {
    const card = cards.get(id);
    return card ? { ...(JSON.parse(cardText(card, accounts, viewerId)) as CardJson), history: histories.get(id)! } : [];
  });
}

/** A card as JSON text for a viewer (0 for none); `accounts` has the JSON texts of the authors. */
export function cardText(card: CardText | null, accounts: ReadonlyMap<number, string>, viewerId: number): string {
  if (card === null) return "null";
  const account = (card.authorId !== null && accounts.get(card.authorId)) || "null";
  const authors = card.author === null ? "" : `{${card.author},"account":${account}}`;
  const attribution = viewerId ? `,"missing_attribution":${card.claimedId === viewerId}` : "";
  return `{${card.members},"authors":[${authors}]${attribution}}`;
}

function piecesOf(ctx: Context, row: CardRow): CardText {
  const isConfirmed = row.creator_account_id !== null && isConfirmedAuthor(row);
  const isLocal = row.creator_account_id !== null && row.creator_domain === null;
  const authorId = isConfirmed ? row.creator_account_id : null;
  const hasAuthor = row.author_name !== "" || row.author_url !== "" || authorId !== null;
  return {
    members: JSON.stringify(membersOf(ctx, row)).slice(1, -1),
    author: hasAuthor ? JSON.stringify(authorOf(row)).slice(1, -1) : null,
    authorId,
    claimedId: isLocal && !isConfirmed ? row.creator_account_id : null,
  };
}

/** Whether the account that the page names as its author lists the page's domain, or a parent domain. */
function isConfirmedAuthor(row: CardRow): boolean {
  const domains = new Set(JSON.parse(row.attribution_domains ?? "[]") as string[]);
  const labels = new URL(row.url).hostname.split(".");
  return labels.some((_, at) => domains.has(labels.slice(at).join(".")));
}

function membersOf(ctx: Context, row: CardRow) {
  return {
    url: row.link,
    title: row.title,
    description: row.description,
    language: row.language,
    type: row.type,
    author_name: row.author_name,
    author_url: row.author_url,
    provider_name: row.provider_name,
    provider_url: row.provider_url,
    html: row.html,
    width: row.width,
    height: row.height,
    image: row.image_remote_url === null ? null : remoteCardUrl(ctx, row.id, row.image_remote_url),
    image_description: row.image_description,
    embed_url: row.embed_url,
    blurhash: row.blurhash,
    published_at: timestamp(row.published_at),
  };
}

function authorOf(row: CardRow) {
  return { name: row.author_name, url: row.author_url };
}
