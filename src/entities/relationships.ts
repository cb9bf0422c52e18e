import type { Context } from "../context.ts";
import { IS_APPROVED } from "../core/accounts.ts";
import { timestamp } from "./json.ts";

interface Row {
  id: number;
  following: number | null;
  showing_reblogs: number | null;
  notifying: number | null;
  languages: string | null;
  followed_by: number | null;
  blocking: number | null;
  blocked_by: number | null;
  muting: number | null;
  hide_notifications: number | null;
  mute_expires_at: number | null;
  requested: number | null;
  requested_by: number | null;
  domain_blocking: number | null;
  endorsed: number | null;
  note: string | null;
}

const RELATIONSHIPS = `
  SELECT a.id,
    f.id AS following, coalesce(f.show_reblogs, r.show_reblogs) AS showing_reblogs, coalesce(f.notify, r.notify) AS notifying,
    coalesce(f.languages, r.languages) AS languages, back.id AS followed_by,
    b.id AS blocking, by.id AS blocked_by,
    m.id AS muting, m.hide_notifications, m.expires_at AS mute_expires_at,
    r.id AS requested, rb.id AS requested_by,
    db.id AS domain_blocking, e.id AS endorsed, n.comment AS note
  FROM json_each($unique) j
  JOIN accounts a ON a.id = j.value
  LEFT JOIN follows f ON f.account_id = +$viewer AND f.target_account_id = a.id
  LEFT JOIN follows back ON back.account_id = a.id AND back.target_account_id = +$viewer
  LEFT JOIN blocks b ON b.account_id = +$viewer AND b.target_account_id = a.id
  LEFT JOIN blocks by ON by.account_id = a.id AND by.target_account_id = +$viewer
  LEFT JOIN mutes m ON m.account_id = +$viewer AND m.target_account_id = a.id AND (m.expires_at IS NULL OR m.expires_at > +$now)
  LEFT JOIN follow_requests r ON r.account_id = +$viewer AND r.target_account_id = a.id
  LEFT JOIN follow_requests rb ON rb.account_id = a.id AND rb.target_account_id = +$viewer
  LEFT JOIN account_domain_blocks db ON db.account_id = +$viewer AND db.domain = a.domain
  LEFT JOIN endorsements e ON e.account_id = +$viewer AND e.target_account_id = a.id
  LEFT JOIN account_notes n ON n.account_id = +$viewer AND n.target_account_id = a.id
  WHERE ${IS_APPROVED} AND ($suspendedToo OR a.suspended_at IS NULL)
  ORDER BY j.key`;

/** Mastodon's Relationship (entities/Relationship) between the viewer and each of these accounts; one query. */
export function showRelationships(ctx: Context, viewerId: number, ids: readonly number[], withSuspended: boolean) {
  const unique = JSON.stringify([...new Set(ids)]);
  const suspendedToo = withSuspended ? 1 : 0;
  return ctx.db
    .all<Row>(RELATIONSHIPS, { viewer: viewerId, unique, now: ctx.clock.now(), suspendedToo })
    .map((row) => ({
      id: String(row.id),
      following: row.following !== null,
      showing_reblogs: row.showing_reblogs === 1,
      notifying: row.notifying === 1,
      languages: row.languages === null ? null : (JSON.parse(row.languages) as string[]),
      followed_by: row.followed_by !== null,
      blocking: row.blocking !== null,
      blocked_by: row.blocked_by !== null,
      muting: row.muting !== null,
      muting_notifications: row.hide_notifications === 1,
      muting_expires_at: timestamp(row.mute_expires_at),
      requested: row.requested !== null,
      requested_by: row.requested_by !== null,
      domain_blocking: row.domain_blocking !== null,
      endorsed: row.endorsed !== null,
      note: row.note ?? "",
    }));
}

export function showRelationship(ctx: Context, viewerId: number, id: number) {
  return showRelationships(ctx, viewerId, [id], true)[0]!;
}
