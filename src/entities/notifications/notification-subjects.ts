import type { Context } from "../../context.ts";
import type { NotificationRow, NotificationType } from "../../core/notifications/notifications.ts";
import { accountTexts } from "../accounts.ts";
import { reactionMembers } from "./reactions.ts";
import { reportTexts } from "./reports.ts";
import { severanceTexts } from "./severances.ts";
import { signInTexts } from "./sign-ins.ts";
import { statusTextsById } from "../statuses/statuses.ts";
import { warningTexts } from "./warnings.ts";

/** The subjects of notifications, as JSON text: accounts and statuses by id, and for each row its other subject. */
export function notificationSubjects(
  ctx: Context,
  viewerId: number,
  rows: readonly NotificationRow[],
  accountIds: readonly number[],
  language: string | undefined,
) {
  const statusIds = rows.flatMap(({ status_id }) => status_id ?? []);
  return {
    accounts: accountTexts(ctx, accountIds),
    statuses: statusTextsById(ctx, viewerId, statusIds),
    subjects: subjectTexts(ctx, rows, language),
  };
}

/** Shows the subjects of notifications of one type, besides statuses: JSON members by id, a fixed number of queries. */
type Subject = (ctx: Context, ids: readonly number[], language: string | undefined) => Map<number, string>;

/** A subject in one member, with Mastodon's name of it (entities/Notification). */
function inMember(name: "report" | "event" | "moderation_warning" | "fallback", textsOf: Subject): Subject {
  return (ctx, ids, language) =>
    new Map([...textsOf(ctx, ids, language)].map(([id, text]) => [id, `"${name}":${text}`]));
}

/** By type of notification; its `about_id` is the id of the subject. */
const SUBJECTS: Partial<Record<NotificationType, Subject>> = {
  "admin.report": inMember("report", reportTexts),
  severed_relationships: inMember("event", severanceTexts),
  moderation_warning: inMember("moderation_warning", warningTexts),
  favourite: reactionMembers,
  "linnet.sign_in": inMember("fallback", signInTexts),
};

/** Marks a notification whose subject is gone. */
const GONE = null;

/**
 * For each notification the JSON members with its subject, after a comma; empty if the type has no subject, null if the
 * subject is gone.
 */
function subjectTexts(ctx: Context, rows: readonly NotificationRow[], language: string | undefined): (string | null)[] {
  const texts = new Map(
    [...Map.groupBy(rows, ({ type }) => type)].flatMap(([type, ofType]) => {
      const subject = SUBJECTS[type];
      const ids = ofType.flatMap(({ about_id }) => about_id ?? []);
      return subject && ids.length > 0 ? [[type, subject(ctx, ids, language)] as const] : [];
    }),
  );
  return rows.map(({ type, about_id }) => {
    // A favourite without one is no reaction.
    if (!SUBJECTS[type] || (type === "favourite" && about_id === null)) return "";
    const text = about_id === null ? undefined : texts.get(type)?.get(about_id);
    return text === undefined ? GONE : `,${text}`;
  });
}
