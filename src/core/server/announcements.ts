import type { Context } from "../../context.ts";
import { idList } from "../../db/json.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { enqueue } from "../../db/queue.ts";
import type { announcements } from "../../db/schema/index.ts";
import { notFound, Refusal } from "../../errors.ts";
import { findLinks } from "../../lib/text/text.ts";
import { publishAfterCommit, allUserTopics } from "../events.ts";
import { visibleTo } from "../visibility.ts";
import { parseAddress, statusUri } from "../addresses.ts";

const MAX_TEXT = 5000;

export type AnnouncementRow = typeof announcements.$inferSelect;

/** Times are milliseconds since 1970; null where there is none. */
export interface AnnouncementDraft {
  text: string;
  startsAt: number | null;
  endsAt: number | null;
  allDay: boolean;
  /** When to publish it; at once if that is null or past. */
  publishAt: number | null;
}

type Times = Pick<AnnouncementRow, "published_at" | "ends_at">;

const IS_SHOWN = "published_at <= +$now AND (ends_at IS NULL OR ends_at > +$now)";

function isShown({ published_at, ends_at }: Times, now: number): boolean {
  return published_at <= now && (ends_at === null || ends_at > now);
}

/** The announcements shown now, in Mastodon's order: by the start of the event, or else by publication. */
export function shownAnnouncements(ctx: Context): AnnouncementRow[] {
  return ctx.db.all<AnnouncementRow>(
    `SELECT * FROM announcements WHERE ${IS_SHOWN} ORDER BY coalesce(starts_at, published_at), id`,
    { now: ctx.clock.now() },
  );
}

/**
 * An announcement that is shown now.
 *
 * @throws Refusal as for one that doesn't exist
 */
export function shownAnnouncement(ctx: Context, db: Reads, id: number | null): AnnouncementRow {
  const row = db.get<AnnouncementRow>(`SELECT * FROM announcements WHERE ${IS_SHOWN} AND id = +$id`, {
    now: ctx.clock.now(),
    id,
  });
  if (!row) throw notFound();
  return row;
}

export function findAnnouncement(db: Reads, id: number): AnnouncementRow | null {
  return db.get<AnnouncementRow>("SELECT * FROM announcements WHERE id = +$id", { id });
}

/** Which of these the account has dismissed. */
export function dismissedAmong(ctx: Context, accountId: number, ids: readonly number[]): Set<number> {
  const rows = ctx.db.all<{ id: number }>(
    `SELECT announcement_id AS id FROM announcement_dismissals
     WHERE account_id = +$accountId AND announcement_id IN (SELECT value FROM json_each($ids))`,
    { accountId, ids: idList(ids) },
  );
  return new Set(rows.map(({ id }) => id));
}

/** A status linked in a text and visible to the viewer. */
export interface LinkedStatus {
  id: number;
  url: string;
}

/** The linked statuses of each text. */
export function linkedStatuses(ctx: Context, viewerId: number, texts: readonly string[]): LinkedStatus[][] {
  const uris = texts.map((text) => [...new Set(findLinks(text).map((link) => uriOf(ctx, link)))]);
  const rows = ctx.db.all<LinkedStatus & { uri: string }>(
    `SELECT s.id, s.url, s.uri FROM json_each($uris) j JOIN statuses s ON s.uri = j.value
     WHERE s.reblog_of_id IS NULL AND ${visibleTo()}`,
    { uris: JSON.stringify([...new Set(uris.flat())]), viewer: viewerId },
  );
  const byUri = new Map(rows.map(({ uri, id, url }) => [uri, { id, url }]));
  return uris.map((linked) => linked.flatMap((uri) => byUri.get(uri) ?? []));
}

/** The URI of a status, from the URL of its page. */
function uriOf(ctx: Context, link: string): string {
  const local = parseAddress(ctx, link);
  return local?.statusId ? statusUri(ctx, local.username, local.statusId) : link;
}

/** Marks an announcement as read. */
export function dismissAnnouncement(ctx: Context, accountId: number, id: number | null): void {
  ctx.db.transaction((tx) => {
    tx.run("INSERT OR IGNORE INTO announcement_dismissals (announcement_id, account_id) VALUES ($id, $accountId)", {
      id: shownAnnouncement(ctx, tx, id).id,
      accountId,
    });
  });
}

/** All announcements with their current state, for the owner. */
export function listAnnouncements(ctx: Context): (AnnouncementRow & { state: "waiting" | "shown" | "over" })[] {
  const now = ctx.clock.now();
  return ctx.db.all<AnnouncementRow>("SELECT * FROM announcements ORDER BY id").map((row) => ({
    ...row,
    state: isShown(row, now) ? "shown" : row.published_at > now ? "waiting" : "over",
  }));
}

/** Creates an announcement and returns its id. */
export function createAnnouncement(ctx: Context, draft: AnnouncementDraft): number {
  const now = ctx.clock.now();
  const row = checkedRow(draft, Math.max(draft.publishAt ?? now, now));
  return ctx.db.transaction((tx) => {
    const { lastInsertRowid: id } = tx.run(
      `INSERT INTO announcements (text, published_at, starts_at, ends_at, all_day, created_at, updated_at)
       VALUES ($text, $publishedAt, $startsAt, $endsAt, $allDay, $now, $now)`,
      { ...row, now },
    );
    publishChange(ctx, tx, id, null);
    return id;
  });
}

/** Changes the given properties. */
export function editAnnouncement(ctx: Context, id: number, changes: Partial<AnnouncementDraft>): void {
  const now = ctx.clock.now();
  ctx.db.transaction((tx) => {
    const before = announcementWith(tx, id);
    const draft = { text: before.text, startsAt: before.starts_at, endsAt: before.ends_at, ...changes };
    const { allDay = before.all_day === 1, publishAt = null } = changes;
    const publishedAt = publishAt === null ? before.published_at : Math.max(publishAt, now);
    tx.run(
      `UPDATE announcements SET text = $text, published_at = $publishedAt, starts_at = $startsAt, ends_at = $endsAt,
         all_day = $allDay, updated_at = $now,
         version = version + 1 WHERE id = +$id`,
      { ...checkedRow({ ...draft, allDay }, publishedAt), now, id },
    );
    publishChange(ctx, tx, id, before);
  });
}

export function removeAnnouncement(ctx: Context, id: number): void {
  ctx.db.transaction((tx) => {
    const before = announcementWith(tx, id);
    tx.run("DELETE FROM announcements WHERE id = +$id", { id });
    publishChange(ctx, tx, id, before);
  });
}

/** The validated columns of an announcement. */
function checkedRow(draft: Omit<AnnouncementDraft, "publishAt">, publishedAt: number) {
  const { startsAt, endsAt, allDay } = draft;
  const text = draft.text.trim();
  const refusals: [boolean, string][] = [
    [text === "", "The announcement is empty."],
    [[...text].length > MAX_TEXT, `The announcement is too long. The limit is ${MAX_TEXT} characters.`],
    [endsAt !== null && startsAt !== null && endsAt <= startsAt, "The announcement would end before it starts."],
    [endsAt !== null && endsAt <= publishedAt, "The announcement would end before it is published."],
    [allDay && (startsAt === null || endsAt === null), "An all-day announcement needs a start and an end date."],
  ];
  const refusal = refusals.find(([holds]) => holds);
  if (refusal) throw new Refusal("invalid", refusal[1]);
  return { text, publishedAt, startsAt, endsAt, allDay: allDay ? 1 : 0 };
}

function announcementWith(tx: Tx, id: number): AnnouncementRow {
  const row = findAnnouncement(tx, id);
  if (row) return row;
  throw new Refusal("not_found", `There is no announcement ${id}. Run "linnet announcement list" for a list.`);
}

/**
 * Enqueues a job that publishes the change to all users: now if the announcement is or was visible, otherwise when it
 * becomes so. A job, because this may run in another process than the server.
 */
function publishChange(ctx: Context, tx: Tx, id: number, before: Times | null): void {
  const now = ctx.clock.now();
  const row = findAnnouncement(tx, id);
  const isSeen = (before && isShown(before, now)) || (row && isShown(row, now));
  const at = isSeen ? now : row && nextChange(row, now);
  if (at !== null) schedulePublishing(ctx, tx, id, row?.version ?? null, at);
}

function schedulePublishing(ctx: Context, tx: Tx, id: number, version: number | null, runAt: number): void {
  const key = `announcement.tell ${id} ${version} ${runAt}`;
  enqueue(ctx, tx, "announcement.tell", { id, version }, { runAt, key });
}

/** When it next appears or disappears by schedule; null if it won't. */
function nextChange({ published_at, ends_at }: Times, now: number): number | null {
  if (published_at > now) return published_at;
  return ends_at !== null && ends_at > now ? ends_at : null;
}

/** Publishes to all users that an announcement is shown or removed. `version` is null for a deleted one. */
export function publishAnnouncement(ctx: Context, id: number, version: number | null): void {
  ctx.db.transaction((tx) => {
    const now = ctx.clock.now();
    const row = findAnnouncement(tx, id);
    // Changed since; that change has its own job.
    if ((row?.version ?? null) !== version) return;
    const event = row && isShown(row, now) ? "announcement" : "announcement.delete";
    publishAfterCommit(ctx, tx, allUserTopics(tx), { event, announcementId: id });
    const next = row && nextChange(row, now);
    if (next !== null) schedulePublishing(ctx, tx, id, version, next);
  });
}
