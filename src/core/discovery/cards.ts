import type { Context } from "../../context.ts";
import { build, executeReturning } from "../../db/builder.ts";
import { idList } from "../../db/json.ts";
import type { Tx } from "../../db/open.ts";
import { previewCards } from "../../db/schema/index.ts";
import { decodeHtml } from "../../lib/http/charset.ts";
import { OutboundError, type OutboundRequest, type OutboundResponse } from "../../lib/http/outbound.ts";
import { readHtmlHead } from "../../lib/http/html-head.ts";
import { oEmbedUrl, previewOf, withOEmbed, type Preview } from "../../lib/http/preview.ts";
import { lookupAccount } from "../accounts.ts";
import { fetchCardImage } from "../remote-media/fetch-copy.ts";
import { saveCardImage, type StoredCopy } from "../remote-media/remote-files.ts";
import { isRecentlyFetched, removeUnusedLinks, type LinkRow } from "./links.ts";

type CardRow = typeof previewCards.$inferSelect;

const MIB = 1024 * 1024;
/** Like Mastodon, reads only the beginning of a page. Most servers respond within a second. */
const PAGE = { accept: ["text/html", "application/xhtml+xml"], maxBytes: MIB, truncate: true, timeout: 10_000 };
/** Servers send it with various content types, so the type isn't checked. */
const OEMBED = { accept: [], maxBytes: MIB / 4, timeout: 5_000 };
const REDIRECTS = 5;
const MAX_REMOVED = 500;

/**
 * Fetches the linked page and stores its card, unless that happened within a day or no status has the link any more.
 */
export async function fetchCard(ctx: Context, linkId: number): Promise<void> {
  const link = ctx.db.get<LinkRow>("SELECT * FROM links WHERE id = +$linkId", { linkId });
  if (!link || link.statuses_count === 0 || isRecentlyFetched(ctx, link)) return;
  const preview = await fetchPreview(ctx, link.url);
  const image = preview?.imageUrl ? await fetchCardImage(ctx, preview.imageUrl) : null;
  ctx.db.transaction((tx) => {
    const cardId = preview && storeCard(ctx, tx, preview, image);
    // A failed fetch keeps the card of an earlier success.
    tx.run("UPDATE links SET card_id = coalesce($cardId, card_id), fetched_at = $now WHERE id = +$linkId", {
      cardId,
      now: ctx.clock.now(),
      linkId: link.id,
    });
    removeUnusedCards(tx, [cardId, link.card_id]);
  });
}

/** Null if there is no page, or if the page has nothing to show. */
async function fetchPreview(ctx: Context, url: string): Promise<Preview | null> {
  const response = await fetchOrNull(ctx, url, PAGE);
  if (!response) return null;
  const page = await readHtmlHead(decodeHtml(response.body, response.headers.get("content-type") ?? ""));
  const preview = previewOf(page, response.url);
  const endpoint = oEmbedUrl(page, response.url);
  const embed = endpoint && (await fetchOrNull(ctx, endpoint, OEMBED));
  const whole = embed ? withOEmbed(preview, new TextDecoder().decode(embed.body), embed.url) : preview;
  return whole.title || whole.html || whole.embedUrl ? whole : null;
}

type Bounds = Omit<OutboundRequest, "redirects" | "headers">;

/** Null for every failure outside of this server; a status with the link causes another try after a day. */
async function fetchOrNull(ctx: Context, url: string, bounds: Bounds): Promise<OutboundResponse | null> {
  const headers = { "accept-language": `${ctx.config.languages.join(", ")}, *;q=0.5` };
  try {
    return await ctx.fetchOutside(url, { ...bounds, headers, redirects: REDIRECTS });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.debug("no preview: {reason}", { reason: error.message });
    return null;
  }
}

/** Inserts or updates the card of a page. Returns its id. */
function storeCard(ctx: Context, tx: Tx, preview: Preview, image: StoredCopy | null): number {
  const before = tx.get<CardRow>("SELECT * FROM preview_cards WHERE url = +$url", { url: preview.url });
  const row = { ...columnsOf(ctx, preview), ...imageColumns(preview, image, before) };
  const insert = build
    .insert(previewCards)
    .values(row)
    .onConflictDoUpdate({ target: previewCards.url, set: row })
    .returning({ id: previewCards.id });
  const { id } = executeReturning(tx, insert)[0]!;
  if (image) saveCardImage(ctx, tx, id, preview.imageUrl!, image);
  return id;
}

/** Keeps the previous image if the page still names one but it couldn't be fetched this time. */
function imageColumns(preview: Preview, copy: StoredCopy | null, before: CardRow | null) {
  const kept = preview.imageUrl ? before : null;
  const image = copy?.preview;
  // Players and photos have a size of their own.
  const [width, height] =
    preview.type === "link"
      ? [image?.width ?? kept?.width ?? 0, image?.height ?? kept?.height ?? 0]
      : [preview.width, preview.height];
  return {
    image_remote_url: copy ? preview.imageUrl : (kept?.image_remote_url ?? null),
    blurhash: image?.blurhash ?? kept?.blurhash ?? null,
    width,
    height,
  };
}

function columnsOf(ctx: Context, preview: Preview) {
  return {
    url: preview.url,
    type: preview.type,
    title: preview.title,
    description: preview.description,
    language: preview.language,
    author_name: preview.authorName,
    author_url: preview.authorUrl,
    creator_account_id: preview.creator ? (lookupAccount(ctx, preview.creator)?.id ?? null) : null,
    provider_name: preview.providerName,
    provider_url: preview.providerUrl,
    html: preview.html,
    embed_url: preview.embedUrl,
    image_description: preview.imageDescription,
    published_at: preview.publishedAt,
    updated_at: ctx.clock.now(),
  };
}

/** Removes links without statuses, and cards without links. */
export function removeUnused(ctx: Context, tx: Tx): void {
  removeUnusedCards(tx, removeUnusedLinks(ctx, tx, MAX_REMOVED));
}

function removeUnusedCards(tx: Tx, ids: readonly (number | null)[]): void {
  tx.run(
    `DELETE FROM preview_cards
     WHERE id IN (SELECT value FROM json_each($ids)) AND NOT EXISTS (SELECT 1 FROM links WHERE card_id = preview_cards.id)`,
    { ids: idList(ids.filter((id) => id !== null)) },
  );
}
