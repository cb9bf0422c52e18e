import type { Context } from "../../context.ts";
import type { Params, Tx } from "../../db/open.ts";
import { trends } from "../../db/schema/index.ts";
import { notFound, Refusal } from "../../errors.ts";
import { idAt } from "../../lib/ids.ts";
import { deleteOldUses, HISTORY_DAYS, currentDay } from "./trend-counts.ts";
import { visibleTo, wantedBy } from "../visibility.ts";

export const TREND_KINDS = trends.kind.enumValues;
export type TrendKind = (typeof TREND_KINDS)[number];

const DAY = 24 * 3600_000;
/** A use today weighs twice as much as a use a day ago. */
const HALF_LIFE = DAY;
/** One account alone makes no trend; on a small server, two do. */
const MIN_ACCOUNTS = 2;
/** A subject used by two accounts trends for two days, one used by more accounts longer. */
const MIN_SCORE = 0.5;
const MAX_RANKED = 100;

/** Only accounts that are discoverable now and not suspended, limited or marked as sensitive count. */
function isEligible(a: string): string {
  return `${a}.discoverable AND ${a}.suspended_at IS NULL AND ${a}.silenced_at IS NULL AND ${a}.sensitized_at IS NULL`;
}

/** Each of these accounts counts once a day. `$weights` maps the age of a day to its weight. */
function rankUses(kind: "tag" | "link", subject: string, join: string): string {
  return `
    INSERT INTO trends (kind, subject_id, score)
    SELECT '${kind}', subject, sum(weight) AS score
    FROM (
      SELECT DISTINCT ${subject} AS subject, u.day, u.account_id, w.value AS weight
      FROM trend_uses u JOIN json_each($weights) w ON w.key = $today - u.day
        JOIN accounts a ON a.id = u.account_id AND ${isEligible("a")} ${join}
      WHERE u.kind = '${kind}')
    GROUP BY subject HAVING count(DISTINCT account_id) >= ${MIN_ACCOUNTS} AND score >= ${MIN_SCORE}
    ORDER BY score DESC LIMIT ${MAX_RANKED}`;
}

const RANK_TAGS = rankUses("tag", "u.subject_id", "");
/** URLs that lead to the same page count as one link. */
const RANK_LINKS = rankUses("link", "l.card_id", "JOIN links l ON l.id = u.subject_id AND l.card_id IS NOT NULL");

/** The conditions repeat those of the partial index `statuses_noticed`: SQLite uses it only if they match. */
const NOTICED = `
  SELECT s.id, s.created_at, (
    SELECT count(*) FROM (
      SELECT account_id FROM favourites WHERE status_id = s.id
      UNION SELECT account_id FROM statuses WHERE reblog_of_id = s.id AND visibility IN ('public', 'unlisted'))
    WHERE account_id <> s.account_id) AS people
  FROM statuses s JOIN accounts a ON a.id = s.account_id
  WHERE s.id > +$id AND s.visibility = 'public' AND s.reblog_of_id IS NULL AND s.favourites_count + s.reblogs_count > 1
    AND ${mayTrend("s", "a")}`;

function mayTrend(s: string, a: string): string {
  return `${isEligible(a)} AND ${s}.sensitive = 0 AND ${s}.spoiler_text = '' AND ${s}.in_reply_to_account_id IS NULL`;
}

/** Recomputes all trends from the last week, and deletes older uses. */
export function rankTrends(ctx: Context, tx: Tx): void {
  deleteOldUses(ctx, tx);
  tx.run("DELETE FROM trends");
  deleteOldReviews(tx);
  if (ctx.config.trends === "off") return;
  const weights = JSON.stringify(Array.from({ length: HISTORY_DAYS }, (_, age) => weightOfDay(ctx, age)));
  tx.run(RANK_TAGS, { weights, today: currentDay(ctx) });
  tx.run(RANK_LINKS, { weights, today: currentDay(ctx) });
  rankStatuses(ctx, tx);
}

/** Today weighs 1; the weight of a past day decays from its end. `age` in days. */
function weightOfDay(ctx: Context, age: number): number {
  const sinceItsEnd = ctx.clock.now() - (currentDay(ctx) - age + 1) * DAY;
  return 0.5 ** (Math.max(0, sinceItsEnd) / HALF_LIFE);
}

function rankStatuses(ctx: Context, tx: Tx): void {
  const now = ctx.clock.now();
  const ranked = tx
    .all<{ id: number; created_at: number; people: number }>(NOTICED, { id: idAt(now - HISTORY_DAYS * DAY) })
    .filter(({ people }) => people >= MIN_ACCOUNTS)
    .map(({ id, created_at, people }) => ({ id, score: people * 0.5 ** ((now - created_at) / HALF_LIFE) }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RANKED);
  for (const { id, score } of ranked)
    tx.run("INSERT INTO trends (kind, subject_id, score) VALUES ('status', $id, $score)", { id, score });
}

/** Deletes reviews whose subject no longer exists. */
function deleteOldReviews(tx: Tx): void {
  for (const [kind, table] of Object.entries(TABLES)) {
    tx.run(`DELETE FROM trend_reviews WHERE kind = +$kind AND subject_id NOT IN (SELECT id FROM ${table})`, { kind });
  }
}

const TABLES: Record<TrendKind, string> = { tag: "tags", status: "statuses", link: "preview_cards" };

const REVIEWED = "LEFT JOIN trend_reviews r ON r.kind = t.kind AND r.subject_id = t.subject_id";

/** `$assumed` is the default for trends that have no review. */
const ALLOWED = "coalesce(r.approved, $assumed)";

const BEST = "ORDER BY t.score DESC, t.subject_id DESC LIMIT +$limit OFFSET +$offset";

const TRENDING = `
  SELECT t.subject_id AS id FROM trends t ${REVIEWED} WHERE ${ALLOWED} AND t.kind = +$kind ${BEST}`;

/** The conditions are checked again here, because accounts and statuses may have changed since the ranking. */
const TRENDING_STATUSES = `
  SELECT s.id FROM trends t JOIN statuses s ON s.id = t.subject_id JOIN accounts a ON a.id = s.account_id ${REVIEWED}
  WHERE ${ALLOWED} AND t.kind = 'status' AND s.visibility = 'public' AND ${mayTrend("s", "a")}
    AND ${visibleTo()} AND ${wantedBy()} ${BEST}`;

/** A part of a ranking. */
export interface OffsetPage {
  limit: number;
  offset: number;
}

export function trendingTags(ctx: Context, page: OffsetPage): number[] {
  return trending(ctx, TRENDING, page, { kind: "tag" });
}

/** Returns ids of preview cards. */
export function trendingCards(ctx: Context, page: OffsetPage): number[] {
  return trending(ctx, TRENDING, page, { kind: "link" });
}

/** Leaves out accounts that the viewer blocks or mutes. */
export function trendingStatuses(ctx: Context, viewerId: number, page: OffsetPage): number[] {
  return trending(ctx, TRENDING_STATUSES, page, { viewer: viewerId, now: ctx.clock.now() });
}

function trending(ctx: Context, sql: string, { limit, offset }: OffsetPage, params: Params): number[] {
  if (ctx.config.trends === "off") return [];
  return ctx.db.all<{ id: number }>(sql, { ...params, limit, offset, assumed: assumed(ctx) }).map(({ id }) => id);
}

function assumed(ctx: Context): number {
  return ctx.config.trends === "on" ? 1 : 0;
}

const TRENDING_CARD = `
  SELECT t.subject_id AS id FROM trends t ${REVIEWED}
  WHERE ${ALLOWED} AND t.kind = 'link' AND t.subject_id IN (
    SELECT id FROM preview_cards WHERE url = +$url UNION SELECT card_id FROM links WHERE url = +$url)
  LIMIT 1`;

/**
 * The id of the trending preview card for a URL, either the page's canonical URL or one that a status links to.
 *
 * @throws Refusal if it isn't trending
 */
export function trendingCard(ctx: Context, url: string): number {
  const normal = URL.canParse(url) ? new URL(url).href : url;
  const card =
    ctx.config.trends === "off"
      ? null
      : ctx.db.get<{ id: number }>(TRENDING_CARD, { url: normal, assumed: assumed(ctx) });
  if (!card) throw notFound();
  return card.id;
}

/**
 * A trend for review. `title` is the hashtag's name, or the URL of the status or page. `approved` is null before a
 * review.
 */
export interface Trend {
  kind: TrendKind;
  subject_id: number;
  score: number;
  approved: number | null;
  title: string;
}

/** All current trends, best first, including those that aren't shown. */
export function listTrends(ctx: Context): Trend[] {
  return ctx.db.all<Trend>(`
    SELECT t.kind, t.subject_id, t.score, r.approved, coalesce('#' || g.name, s.url, c.url, '') AS title
    FROM trends t ${REVIEWED}
      LEFT JOIN tags g ON t.kind = 'tag' AND g.id = t.subject_id
      LEFT JOIN statuses s ON t.kind = 'status' AND s.id = t.subject_id
      LEFT JOIN preview_cards c ON t.kind = 'link' AND c.id = t.subject_id
    ORDER BY t.kind, t.score DESC, t.subject_id DESC`);
}

/** Stores a review. It applies as long as the subject exists, even if it stops trending and trends again. */
export function reviewTrend(ctx: Context, kind: TrendKind, id: number, approved: boolean): void {
  ctx.db.transaction((tx) => {
    if (!tx.get(`SELECT 1 FROM ${TABLES[kind]} WHERE id = +$id`, { id })) {
      throw new Refusal("not_found", `There is no ${kind} with the id ${id}.`);
    }
    tx.run(
      `INSERT INTO trend_reviews (kind, subject_id, approved, reviewed_at) VALUES ($kind, $id, $approved, $now)
       ON CONFLICT (kind, subject_id) DO UPDATE SET approved = excluded.approved, reviewed_at = excluded.reviewed_at`,
      { kind, id, approved: approved ? 1 : 0, now: ctx.clock.now() },
    );
  });
}
