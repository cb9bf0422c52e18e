/**
 * The one answer to "who may see what", as a condition on `statuses s`. `viewer` is the parameter or column that holds the
 * viewer's account id, 0 for nobody. What one may not see does not exist.
 */
export function visibleTo(viewer: string, s = "s"): string {
  return `(
    ${s}.account_id = ${viewer}
    OR (
      (
        ${s}.visibility IN ('public', 'unlisted')
        OR EXISTS (SELECT 1 FROM mentions WHERE status_id = ${s}.id AND account_id = ${viewer})
        OR (${s}.visibility = 'private' AND EXISTS (
          SELECT 1 FROM follows WHERE account_id = ${viewer} AND target_account_id = ${s}.account_id))
      )
      AND NOT EXISTS (SELECT 1 FROM blocks WHERE account_id = ${s}.account_id AND target_account_id = ${viewer})
    )
  )`;
}

/**
 * What a viewer who may see a status also wants to see in a timeline: nothing by whom they block or mute, and no
 * reblog of such. `now` is the parameter with the present time, since a mute may have ended.
 */
export function wantedBy(viewer: string, now: string, s = "s"): string {
  const unwanted = (account: string) => `
    EXISTS (SELECT 1 FROM blocks WHERE account_id = ${viewer} AND target_account_id = ${account})
    OR EXISTS (
      SELECT 1 FROM mutes
      WHERE account_id = ${viewer} AND target_account_id = ${account} AND (expires_at IS NULL OR expires_at > ${now}))`;
  return `NOT (${unwanted(`${s}.account_id`)}) AND (${s}.reblog_of_id IS NULL OR EXISTS (
    SELECT 1 FROM statuses o
    WHERE o.id = ${s}.reblog_of_id AND ${visibleTo(viewer, "o")} AND NOT (${unwanted("o.account_id")})))`;
}

/**
 * Whether a status `s` or, of a reblog, its original `o` is in a language that the follow `f` asks for. Every language
 * is asked for where none is named, and where there is no follow.
 */
export const IN_WANTED_LANGUAGE = `(
  f.languages IS NULL OR coalesce(o.language, s.language) IS NULL
  OR coalesce(o.language, s.language) IN (SELECT value FROM json_each(f.languages)))`;
