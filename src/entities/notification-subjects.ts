import type { Context } from "../context.ts";
import type { NotificationRow, NotificationType } from "../core/notifications/notifications.ts";
import { accountTexts } from "./accounts.ts";
import { reportTexts } from "./reports.ts";
import { severanceTexts } from "./severances.ts";
import { statusTextsById } from "./statuses.ts";
import { warningTexts } from "./warnings.ts";

/** What notifications speak of, as JSON text: people and statuses by id, and for each row its subject besides those. */
export function spokenOf(
  ctx: Context,
  viewerId: number,
  rows: readonly NotificationRow[],
  accountIds: readonly number[],
) {
  const statusIds = rows.flatMap(({ status_id }) => status_id ?? []);
  return {
    accounts: accountTexts(ctx, accountIds),
    statuses: statusTextsById(ctx, viewerId, statusIds),
    subjects: subjectTexts(ctx, viewerId, rows),
  };
}

/** Shows what notifications of one type speak of besides a status: JSON texts by id, in a fixed number of queries. */
interface Subject {
  /** As Mastodon names the member (entities/Notification). */
  member: "report" | "event" | "moderation_warning";
  texts(ctx: Context, viewerId: number, ids: readonly number[]): Map<number, string>;
}

/** By type; `about_id` of a notification is the id of what is shown. */
const SUBJECTS: Partial<Record<NotificationType, Subject>> = {
  "admin.report": { member: "report", texts: (ctx, _, ids) => reportTexts(ctx, ids) },
  severed_relationships: { member: "event", texts: (ctx, _, ids) => severanceTexts(ctx, ids) },
  moderation_warning: { member: "moderation_warning", texts: (ctx, _, ids) => warningTexts(ctx, ids) },
};

/** Who has a subject but none that can be shown: it is gone. */
const GONE = null;

/**
 * For each notification the member that tells what it speaks of, with a comma before it; empty where there is none, null
 * where it is gone.
 */
function subjectTexts(ctx: Context, viewerId: number, rows: readonly NotificationRow[]): (string | null)[] {
  const texts = new Map(
    [...Map.groupBy(rows, ({ type }) => type)].flatMap(([type, ofType]) => {
      const subject = SUBJECTS[type];
      const ids = ofType.flatMap(({ about_id }) => about_id ?? []);
      return subject && ids.length > 0 ? [[type, subject.texts(ctx, viewerId, ids)] as const] : [];
    }),
  );
  return rows.map(({ type, about_id }) => {
    const subject = SUBJECTS[type];
    if (!subject) return "";
    const text = about_id === null ? undefined : texts.get(type)?.get(about_id);
    return text === undefined ? GONE : `,"${subject.member}":${text}`;
  });
}
