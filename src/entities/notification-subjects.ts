import type { Context } from "../context.ts";
import type { NotificationRow, NotificationType } from "../core/notifications/notifications.ts";
import { accountTexts } from "./accounts.ts";
import { reportTexts } from "./reports.ts";
import { severanceTexts } from "./severances.ts";
import { statusTextsById } from "./statuses.ts";
import { warningTexts } from "./warnings.ts";

/** The subjects of notifications, as JSON text: accounts and statuses by id, and for each row its other subject. */
export function notificationSubjects(
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

/** Shows the subjects of notifications of one type, besides statuses: JSON texts by id, a fixed number of queries. */
interface Subject {
  /** Mastodon's name of the member (entities/Notification). */
  member: "report" | "event" | "moderation_warning";
  texts(ctx: Context, viewerId: number, ids: readonly number[]): Map<number, string>;
}

/** By type of notification; its `about_id` is the id of the subject. */
const SUBJECTS: Partial<Record<NotificationType, Subject>> = {
  "admin.report": { member: "report", texts: (ctx, _, ids) => reportTexts(ctx, ids) },
  severed_relationships: { member: "event", texts: (ctx, _, ids) => severanceTexts(ctx, ids) },
  moderation_warning: { member: "moderation_warning", texts: (ctx, _, ids) => warningTexts(ctx, ids) },
};

/** Marks a notification whose subject is gone. */
const GONE = null;

/**
 * For each notification the JSON member with its subject, after a comma; empty if the type has no subject, null if the
 * subject is gone.
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
